// The tables that a portable artifact is made of while it is written: strings, attributes and types
// in their encodings, each once.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "axle/core/status.h"
#include "axle/stablehlo/mlir/dialect.h"
#include "axle/stablehlo/mlir/ir.h"
#include "axle/stablehlo/mlir/vhlo_codes.h"

namespace axle::mlir {

// The inverse of ByteCursor.
class ByteWriter {
 public:
  void Byte(std::uint8_t value) { out_ += static_cast<char>(value); }
  void Varint(std::uint64_t value);
  void Svarint(i64 value) {
    Varint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  void FlaggedVarint(std::uint64_t value, bool flag) { Varint(value << 1 | (flag ? 1 : 0)); }
  void Bytes(std::string_view bytes) { out_ += bytes; }
  void Blob(std::string_view bytes) {
    Varint(bytes.size());
    out_ += bytes;
  }
  void Svarints(const Dims& values) {
    Varint(values.size());
    for (const i64 value : values) Svarint(value);
  }
  // Room for a number of nine bytes that is known later.
  size_t Reserve();
  void Fill(size_t place, std::uint64_t value);
  size_t size() const { return out_.size(); }
  const std::string& bytes() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

// Numbers by the order in which texts were first asked for.
class TextTable {
 public:
  std::uint64_t Add(std::string_view text);
  const std::vector<std::string_view>& texts() const { return order_; }

 private:
  std::unordered_map<std::string, std::uint64_t> numbers_;
  std::vector<std::string_view> order_;  // keys of the map
};

// Whose attributes and types: VHLO's operations have their own, all others those of MLIR.
enum class Flavor : std::uint8_t { kVhlo, kBuiltin };

class BytecodeEncoder {
 public:
  explicit BytecodeEncoder(StableHloVersion version) : version_(version) {}

  StableHloVersion version() const { return version_; }
  TextTable& strings() { return strings_; }
  TextTable& dialects() { return dialects_; }

  // Numbers of entries. Errors: UNIMPLEMENTED for what the version or VHLO does not have.
  StatusOr<std::uint64_t> TypeNumber(const Type& type, Flavor flavor, int depth = 0);
  StatusOr<std::uint64_t> AttributeNumber(const Attribute& attribute, Flavor flavor, int depth = 0);
  StatusOr<std::uint64_t> LocationNumber(const Location& location);
  StatusOr<std::uint64_t> DictionaryNumber(std::span<const NamedAttribute> fields, Flavor keys,
                                           Flavor values, int depth = 0);
  // An attribute of a VHLO operation in the form that its row says.
  StatusOr<std::uint64_t> OfKind(const AttributeSyntax& syntax, const Attribute& value);
  // The value that VHLO stores where the program states none. `count` is how many dimensions a
  // list is for.
  StatusOr<std::uint64_t> Default(const AttributeSyntax& syntax, size_t count);
  std::uint64_t StringNumber(std::string_view text, Flavor flavor);

  struct Entry {
    std::uint64_t dialect;
    std::string_view bytes;
    bool is_custom;
  };
  const std::vector<Entry>& attributes() const { return attributes_.order; }
  const std::vector<Entry>& types() const { return types_.order; }

 private:
  struct Table {
    std::unordered_map<std::string, std::uint64_t> numbers;
    std::vector<Entry> order;
  };
  struct Key {
    const void* pointer;
    Flavor flavor;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.pointer) * 2 + static_cast<size_t>(key.flavor);
    }
  };

  std::uint64_t Add(Table& table, std::string_view dialect, ByteWriter entry,
                    bool is_custom = true);
  std::uint64_t AddText(Table& table, std::string_view text);
  Status Need(StableHloVersion since, std::string_view what) const;
  StatusOr<std::uint64_t> MakeType(const Type& type, Flavor flavor, int depth);
  StatusOr<std::uint64_t> ElementNumber(ElementType element, Flavor flavor, int depth);
  StatusOr<std::uint64_t> VhloTensorOrList(const Type& type, int depth);
  StatusOr<std::uint64_t> BuiltinTensorOrList(const Type& type, int depth);
  Status AppendTypes(ByteWriter& out, const std::vector<const Type*>& types, Flavor flavor,
                     int depth);
  StatusOr<std::uint64_t> QuantizedNumber(const Quantization& quantization, Flavor flavor,
                                          int depth);
  StatusOr<std::uint64_t> MakeAttribute(const Attribute& attribute, Flavor flavor, int depth);
  StatusOr<std::uint64_t> NumberAttribute(const Attribute& attribute, Flavor flavor, int depth);
  StatusOr<std::uint64_t> ArrayNumber(std::span<const Attribute* const> elements, Flavor flavor,
                                      int depth);
  StatusOr<std::uint64_t> ElementsNumber(const Attribute& attribute, Flavor flavor, int depth);
  StatusOr<std::uint64_t> EnumNumber(std::string_view mnemonic, std::string_view value,
                                     Flavor flavor);
  StatusOr<std::uint64_t> StructNumber(const Attribute& attribute, int depth);
  StatusOr<std::uint64_t> SymbolNumber(std::string_view text, Flavor flavor);
  StatusOr<std::uint64_t> TensorOf(const Dims& dims, ElementType element, const Dims& values);
  StatusOr<std::uint64_t> AccuracyNumber(double atol, double rtol, i64 ulps, std::string_view mode);
  StatusOr<std::uint64_t> MakeLocation(const Location& location);

  StableHloVersion version_;
  TextTable strings_, dialects_;
  Table attributes_, types_;
  std::unordered_map<Key, std::uint64_t, KeyHash> known_types_, known_attributes_;
  std::unordered_map<const Location*, std::uint64_t> known_locations_;
};

}  // namespace axle::mlir
