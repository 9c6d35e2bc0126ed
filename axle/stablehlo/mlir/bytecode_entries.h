// The attributes and types of a file in MLIR bytecode.
//
// They refer to each other by number, in any order and to any depth, so they are read without
// recursion: an entry whose parts are not there yet says which it waits for (EntryCursor::waits),
// those are read first, and then it is read again. Each entry is read at most a few times.
//
// A dialect is a pair of functions in a file of its own (kDialects in bytecode_entries.cc).
#pragma once
#include <bit>
#include <string_view>
#include <vector>

#include "axle/core/limits.h"
#include "axle/stablehlo/mlir/bytecode_cursor.h"
#include "axle/stablehlo/mlir/bytecode_file.h"
#include "axle/stablehlo/mlir/ir.h"

namespace axle::mlir {

class EntryTable;

// Reads one entry, or the properties of an operation.
class EntryCursor : public ByteCursor {
 public:
  EntryCursor(EntryTable& table, ByteRange range);

  EntryTable& table() { return table_; }
  MlirModule& module();

  // What a number refers to. While it is not known, something harmless: whoever looks at it, or
  // makes something of it, asks ready() first.
  const Attribute* AttributeRef();
  const Attribute* OptionalAttributeRef();  // null if it is absent
  const Type* TypeRef();
  std::string_view String();
  // The text of an attribute that is a string.
  std::string_view StringRef();
  // An attribute that is an enum or a structure of this mnemonic.
  const Attribute* NamedRef(std::string_view mnemonic);
  const Location* LocationRef();
  std::vector<const Attribute*> AttributeRefs();
  // Names and attributes; null if they are not ready, or a name is there twice.
  const Attribute* Dictionary();
  std::vector<const Type*> TypeRefs();
  Dims Svarints();
  // The bits of an integer of a width that is known; of more than 64 bits only the low ones.
  std::uint64_t Bits(int width);
  double Double() { return std::bit_cast<double>(Bits(64)); }
  std::string_view Blob();

  // There was no failure, and nothing has to be read first.
  bool ready() const { return ok() && missing_.empty(); }
  bool waits() const { return !missing_.empty(); }

 private:
  friend class EntryTable;

  EntryTable& table_;
  std::vector<std::uint64_t> missing_;  // 2 * number, and 1 of a type
  int depth_ = 0;                       // of the deepest part
  std::uint64_t weight_ = 0;            // of all parts
};

class EntryTable {
 public:
  EntryTable(const BytecodeFile& file, MlirModule& module, Limits* limits);

  // Reads all of them.
  Status ReadAll();

  const BytecodeFile& file() const { return file_; }
  MlirModule& module() { return module_; }
  // Null if there is no such number.
  const Type* TypeAt(std::uint64_t number) const {
    return number < types_.size() ? types_[number].type : nullptr;
  }
  // Of an attribute of some dialect, its text without "#dialect.mnemonic", as it stands inside
  // of others of that dialect; "" for one of another kind.
  static std::string_view StrippedText(const Attribute& attribute);

 private:
  friend class EntryCursor;

  struct Slot {
    const Attribute* attribute = nullptr;
    const Type* type = nullptr;
    int depth = 0;
    std::uint64_t weight = 0;  // how many entries it is made of, each as often as it occurs
    bool is_open = false;      // being read
    bool is_known() const { return attribute != nullptr || type != nullptr; }
  };
  Slot& SlotOf(std::uint64_t id) { return (id & 1) != 0 ? types_[id / 2] : attributes_[id / 2]; }
  const BytecodeFile::Entry& EntryOf(std::uint64_t id) const {
    return (id & 1) != 0 ? file_.types[id / 2] : file_.attributes[id / 2];
  }
  // What `index` refers to, and what that adds to `in`; or `in` has to wait for it.
  const Slot* Refer(EntryCursor& in, std::uint64_t index, bool is_type, size_t offset);
  Status Read(std::uint64_t id);
  // One attempt.
  void ReadEntry(std::uint64_t id, EntryCursor& in, Slot& result);

  const BytecodeFile& file_;
  MlirModule& module_;
  Limits* limits_;
  std::vector<Slot> attributes_, types_;
  const Attribute placeholder_{};
  const Type placeholder_type_{};
};

// The dialects. Each reads the entry behind `in`, without its code: what is not ready() may return
// anything.
const Attribute* ReadBuiltinAttribute(EntryCursor& in);
const Type* ReadBuiltinType(EntryCursor& in);
const Attribute* ReadVhloAttribute(EntryCursor& in);
const Type* ReadVhloType(EntryCursor& in);
const Attribute* ReadStablehloAttribute(EntryCursor& in);
const Type* ReadStablehloType(EntryCursor& in);
const Attribute* ReadChloAttribute(EntryCursor& in);
const Attribute* ReadSdyAttribute(EntryCursor& in);
const Type* ReadQuantType(EntryCursor& in);
// The text form of what a dialect has no encoding for.
StatusOr<const Attribute*> ReadAttributeText(MlirModule& module, std::string_view text);
StatusOr<const Type*> ReadTypeText(MlirModule& module, std::string_view text);

// What several dialects are made of.
const Attribute* MakeString(MlirModule& module, std::string_view text);
const Attribute* MakeBool(MlirModule& module, bool value);
const Attribute* MakeInteger(MlirModule& module, i64 value, const Type* type);
const Attribute* MakeI64(MlirModule& module, i64 value);
const Attribute* MakeI64s(MlirModule& module, const Dims& values);
const Attribute* MakeArray(MlirModule& module, const std::vector<const Attribute*>& elements);
const Attribute* MakeOther(MlirModule& module, std::string_view text);
// Fields come sorted by name; `mnemonic` and the names outlive the module.
const Attribute* MakeStruct(MlirModule& module, std::string_view mnemonic,
                            std::vector<NamedAttribute> fields);
// The value of an enum by its number in VHLO, which is read.
const Attribute* ReadEnum(EntryCursor& in, std::string_view mnemonic);
// The number of the first value: 0, but of rng_distribution.
i64 FirstEnumNumber(std::string_view mnemonic);
// An integer or a float of that type, which is read.
const Attribute* ReadNumber(EntryCursor& in, const Type* type, bool is_float);
const Type* ReadTensor(EntryCursor& in, TypeKind kind, bool has_encoding);
const Type* ReadUniform(EntryCursor& in, bool per_axis);
// `bytes`: the elements in row-major order, or one for all; i1 packed or not, as in
// bytecode_elements.cc. Nothing, and the cursor fails, if they do not fit.
const Attribute* MakeElements(EntryCursor& in, const Type* type, std::string_view bytes,
                              size_t offset);
// The elements of array<...>: one byte for each i1.
const Attribute* MakeDenseArray(EntryCursor& in, const Type* element, std::uint64_t count,
                                std::string_view bytes, size_t offset);
// #stablehlo.type_extensions<bounds = [...]>, which is the encoding of a tensor.
const Attribute* ReadBounds(EntryCursor& in);
// As MLIR prints a string.
std::string QuotedText(std::string_view text);

}  // namespace axle::mlir
