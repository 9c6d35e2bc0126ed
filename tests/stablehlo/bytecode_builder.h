// Makes files in MLIR bytecode by hand, in any version of the container, sound or not.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "axle/stablehlo/mlir/bytecode_encoder.h"

namespace axle::mlir {

// The encodings of numbers, as texts that can be added to each other.
inline std::string Varint(std::uint64_t value) {
  ByteWriter out;
  out.Varint(value);
  return out.Take();
}
inline std::string Flagged(std::uint64_t value, bool flag) {
  return Varint(value << 1 | (flag ? 1 : 0));
}
inline std::string Svarint(i64 value) {
  ByteWriter out;
  out.Svarint(value);
  return out.Take();
}
inline std::string Blob(std::string_view bytes) {
  return Varint(bytes.size()) + std::string(bytes);
}
template <typename... Numbers>
std::string Varints(Numbers... numbers) {
  return (Varint(static_cast<std::uint64_t>(numbers)) + ...);
}
template <typename... Numbers>
std::string Svarints(Numbers... numbers) {
  return (Svarint(static_cast<i64>(numbers)) + ...);
}
inline std::string Section(std::uint8_t id, std::string_view data) {
  return std::string(1, static_cast<char>(id)) + Blob(data);
}

// The parts of an operation; what is empty is left out.
struct OpParts {
  std::uint64_t name = 0;
  std::uint64_t location = 0;
  std::optional<std::uint64_t> attributes = std::nullopt;
  std::optional<std::uint64_t> properties = std::nullopt;
  std::vector<std::uint64_t> results = {};  // types
  std::vector<std::uint64_t> operands = {};
  std::string use_orders = {};
  std::vector<std::string> regions = {};
  bool isolated = false;
};

class BytecodeBuilder {
 public:
  explicit BytecodeBuilder(int version, std::string producer = "StableHLO_v1.13.7")
      : version_(version), producer_(std::move(producer)) {}

  int version() const { return version_; }
  std::uint64_t String(std::string_view text) { return strings_.Add(text); }
  std::uint64_t Dialect(std::string_view name) { return dialects_.Add(name); }
  // Entries are numbered by the order of these calls.
  std::uint64_t Attribute(std::string_view dialect, std::string bytes, bool custom = true) {
    attributes_.push_back({Dialect(dialect), std::move(bytes), custom});
    return attributes_.size() - 1;
  }
  std::uint64_t Type(std::string_view dialect, std::string bytes, bool custom = true) {
    types_.push_back({Dialect(dialect), std::move(bytes), custom});
    return types_.size() - 1;
  }
  std::uint64_t Builtin(std::uint64_t code, std::string rest = {}) {
    return Attribute("builtin", Varint(code) + rest);
  }
  std::uint64_t Vhlo(std::uint64_t code, std::string rest = {}) {
    return Attribute("vhlo", Varint(code) + rest);
  }
  std::uint64_t BuiltinString(std::string_view text) { return Builtin(2, Varint(String(text))); }
  std::uint64_t VhloString(std::string_view text) { return Vhlo(14, Varint(String(text))); }
  std::uint64_t UnknownLocation() { return Builtin(15); }
  // The dictionary of names and attributes, as builtin has it.
  std::uint64_t Dictionary(const std::vector<std::pair<std::string, std::uint64_t>>& entries) {
    std::string bytes = Varint(entries.size());
    for (const auto& [name, value] : entries) {
      bytes += Varint(BuiltinString(name)) + Varint(value);
    }
    return Builtin(1, bytes);
  }
  std::uint64_t OpName(std::string_view dialect, std::string_view name, bool registered = true) {
    op_names_.push_back({Dialect(dialect), String(name), registered});
    return op_names_.size() - 1;
  }
  std::uint64_t Properties(std::string bytes) {
    properties_.push_back(std::move(bytes));
    return properties_.size() - 1;
  }
  // A blob that dense_resource refers to, by the order of these calls.
  std::uint64_t Resource(std::string_view dialect, std::string_view key, std::string_view bytes) {
    resources_.push_back({Dialect(dialect), String(key), std::string(bytes)});
    return resources_.size() - 1;
  }

  std::string Op(const OpParts& parts) const;
  // A region of one block. `arguments`: their types.
  std::string Region(std::uint64_t num_values, const std::vector<std::uint64_t>& arguments,
                     const std::vector<std::string>& ops, std::uint64_t location = 0) const;
  std::string Build(std::string_view ir) const;
  // Of one operation.
  std::string BuildOf(std::string_view op) const {
    return Build(Flagged(1, false) + std::string(op));
  }

 private:
  struct Entry {
    std::uint64_t dialect;
    std::string bytes;
    bool custom;
  };
  struct Name {
    std::uint64_t dialect, text;
    bool registered;
  };
  struct NamedBlob {
    std::uint64_t dialect, key;
    std::string bytes;
  };
  static void AddEntries(const std::vector<Entry>& entries, std::string& offsets,
                         std::string& data);

  int version_;
  std::string producer_;
  mutable TextTable strings_;
  TextTable dialects_;
  std::vector<Entry> attributes_, types_;
  std::vector<Name> op_names_;
  std::vector<std::string> properties_;
  std::vector<NamedBlob> resources_;
};

}  // namespace axle::mlir
