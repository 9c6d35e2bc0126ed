// The reader behind ParseMlirText: one object for one text. Its functions are in files by what they
// read: reader.cc (aliases, resources, regions, operations), read_types.cc, read_attributes.cc,
// read_elements.cc (dense<...>); forms.cc and custom_forms.cc read pretty forms beside printing
// them.
//
// Aliases (#loc = ..., !t = ...) and the resources at the end are found before anything else is
// read, so they may stand anywhere. Values have the scopes of MLIR: a name lives to the end of the
// region that defines it; isolated operations see none of around; uses before the definition only
// directly in a module.
#pragma once
#include <deque>
#include <unordered_map>

#include "axle/core/limits.h"
#include "axle/stablehlo/mlir/dialect.h"
#include "axle/stablehlo/mlir/ir.h"
#include "axle/stablehlo/mlir/lexer.h"

namespace axle::mlir {

// %name#number, where it was read.
struct ValueUse {
  std::string_view name;
  std::uint32_t number = 0;
  size_t position = 0;
};

// %name: type {attributes} loc(...), of a block or a function. The name is "" where none was
// written.
struct ArgumentText {
  std::string_view name;
  size_t position = 0;
  const Type* type = nullptr;
  const Location* location = nullptr;  // null where none was written
  const Attribute* attributes = nullptr;
};

// %name:count, left of an operation.
struct ResultText {
  std::string_view name;
  std::uint32_t count = 1;
  size_t position = 0;
};

// An operation while it is read.
struct PendingOperation {
  size_t position = 0;  // of its first character
  size_t name_position = 0;
  std::string_view name;
  const OpSyntax* syntax = nullptr;
  std::vector<ResultText> names = {};
  std::vector<ValueUse> operands = {};
  std::vector<const Type*> operand_types = {};
  std::vector<const Type*> result_types = {};
  std::vector<NamedAttribute> attributes = {};
  std::vector<std::unique_ptr<Region>> regions = {};  // their blocks move into the operation
  const Location* location = nullptr;

  void Set(std::string_view attribute, const Attribute* value) {
    attributes.push_back({attribute, value});
  }
  const Attribute* Find(std::string_view attribute) const;
};

// The bits of a decimal number of a float type.
StatusOr<std::uint64_t> ParseMlirFloat(ElementType type, std::string_view token);

class Reader {
 public:
  static constexpr int kMaxRegionDepth = 250;
  // What a text may ask for beyond this is an error.
  static constexpr i64 kMaxSize = i64{1} << 26;
  static constexpr i64 kMaxSizePerByte = 64;

  Reader(MlirModule& module, Limits* limits)
      : module_(module), lexer_(module.source(), module.label()), limits_(limits) {}

  // Of a text that lives as long as the module, but is not its source: for ReadAttribute and
  // ReadType alone.
  Reader(MlirModule& module, std::string_view text, std::string_view label, Limits* limits)
      : module_(module), lexer_(text, label), limits_(limits) {}

  // Of the source of the module.
  Status ReadModule();

  // What the pretty forms are made of.

  Lexer& lexer() { return lexer_; }
  MlirModule& module() { return module_; }
  Status Error(std::string_view what) { return lexer_.Error(what); }

  StatusOr<ValueUse> ReadUse();
  bool AtUse() { return lexer_.Peek() == '%'; }
  // %a, %b: none or more.
  Status ReadUses(std::vector<ValueUse>& uses);
  // ( region ...
  Status ReadRegion(PendingOperation& op, std::span<const ArgumentText> arguments,
                    bool has_arguments);
  // loc(...), if it is there, else null.
  StatusOr<const Location*> ReadOptionalLocation();
  // (%a: t loc(...), ...) with the bracket read already.
  Status ReadArguments(std::vector<ArgumentText>& arguments);
  // name: type [loc], of a block.
  StatusOr<ArgumentText> ReadArgument();
  // Gives the operands one type each; an error at the operation if the numbers differ.
  Status SetOperandTypes(PendingOperation& op, std::vector<const Type*> types);
  // Makes an operation that no text stands for, at the end of the block.
  StatusOr<Operation*> AddOperation(PendingOperation& op, Block& block);

  StatusOr<const Type*> ReadType();
  // a, b, ...: one or more.
  Status ReadTypes(std::vector<const Type*>& types);
  // (a, b) -> c or (a, b) -> (c, d).
  Status ReadSignature(std::vector<const Type*>& inputs, std::vector<const Type*>& results);
  // c or (c, d), behind an arrow.
  Status ReadResultTypes(std::vector<const Type*>& results);

  StatusOr<const Attribute*> ReadAttribute();
  // dense<...> : type or dense_resource<...> : type; nothing else.
  StatusOr<const Attribute*> ReadElements();
  // {a = 1, b}, if it is there, added to the list.
  Status ReadOptionalDictionary(std::vector<NamedAttribute>& attributes);
  // What a pretty form writes for an attribute of this kind, dialect.h.
  StatusOr<const Attribute*> ReadOfKind(std::string_view kind);
  // <name = value, ...> with '<' read already, or another form where the structure has one.
  StatusOr<const Attribute*> ReadStruct(const StructSyntax& syntax);
  // Adds the fields of a structure as attributes of the operation.
  void TakeApart(PendingOperation& op, const StructSyntax& syntax, const Attribute& value);
  // [b, 0, f]x[0, i, o]->[b, 0, f]
  Status ReadConvolutionDimensions(std::vector<NamedAttribute>& fields);
  StatusOr<std::string_view> ReadString();
  // @name or @"name", nested or not: without '@', joined by "::".
  StatusOr<std::string_view> ReadSymbol();
  StatusOr<Dims> ReadInts();  // [1, 2]; `?` is kDynamic

  const Attribute* MakeInt(i64 value, std::string_view type = "i64");
  const Attribute* MakeInts(const Dims& values);
  const Attribute* MakeText(AttributeKind kind, std::string_view text);
  const Attribute* MakeEnum(std::string_view mnemonic, std::string_view value);
  const Attribute* MakeType(const Type* type);
  const Attribute* MakeBool(bool value);
  const Attribute* MakeArray(const std::vector<const Attribute*>& elements);
  const Attribute* MakeElements(const Type* type, Literal literal);
  // Sorted by name; an error at the position if a name is there twice.
  StatusOr<const Attribute*> MakeFields(AttributeKind kind, std::string_view mnemonic,
                                        std::vector<NamedAttribute> fields, size_t position);

 private:
  struct Alias {
    std::string_view name;  // with its # or !
    size_t begin = 0;       // of the name
    size_t value = 0;
    size_t end = 0;
    enum { kUnread, kOpen, kRead } state = kUnread;
    const Attribute* attribute = nullptr;
    const Type* type = nullptr;
    // What stands where the alias is used: how deep it nests, and how much it is. Of a location,
    // whose parts are never walked by recursion, only its metadata counts.
    int depth = 0;
    int metadata_depth = 0;
    i64 size = 0;
  };
  struct Definition {
    Value* values;
    std::uint32_t count;
    size_t position;
  };
  struct ForwardUse {
    Operation* operation;
    size_t operand;
    ValueUse use;
    const Type* type;
  };
  // The values that an isolated operation's regions can name.
  struct Scope {
    bool is_graph = false;  // uses may stand before definitions
    int depth = 0;          // of its outermost region
    std::unordered_map<std::string_view, Definition> values = {};
    std::vector<std::string_view> order = {};  // names of `values`, latest last
    std::unordered_map<std::string_view, std::vector<ForwardUse>> forward = {};
  };

  // reader.cc
  Status FindAliases();
  void NoteAlias(size_t begin);
  Status ReadAlias(Alias& alias);
  StatusOr<Alias*> FindAlias(std::string_view name, size_t position);
  // The same where what it stands for becomes part of something.
  StatusOr<Alias*> UseAlias(std::string_view name, size_t position);
  Status Charge(i64 size);
  Status ReadResources(size_t begin);
  Status ReadTop();
  StatusOr<bool> SkipDefinition();
  Status ReadBlockBody(Block& block);
  Status ReadBlocks(Region& region);
  Status ReadLabel(Region& region);
  Status ReadOperation(Block& block);
  Status ReadResultNames(PendingOperation& op);
  Status ReadGeneric(PendingOperation& op);
  Status ReadGenericRegions(PendingOperation& op);
  Status ReadPretty(PendingOperation& op);
  StatusOr<const OpSyntax*> FindPretty(std::string_view word);
  StatusOr<Operation*> FinishOperation(PendingOperation& op, Block& block);
  Status FinishAttributes(PendingOperation& op, Operation& operation);
  StatusOr<const Attribute*> Normalized(const AttributeSyntax& syntax, const Attribute* value);
  Status CheckCounts(const PendingOperation& op);
  Status OpenScope(bool isolated, bool is_graph);
  Status CloseScope(bool isolated);
  Status Define(std::string_view name, size_t position, Value* values, size_t count);
  Status DefineArguments(Block& block, std::span<const ArgumentText> arguments);
  Status ResolveOperands(const PendingOperation& op, Operation& operation);
  Status CheckUse(const Definition& definition, const ValueUse& use, const Type* type);

  // read_types.cc
  StatusOr<const Type*> ReadNamedType();
  StatusOr<const Type*> ReadShaped(TypeKind kind);
  StatusOr<Dims> ReadDimensions(bool& unranked);
  Status ReadEncoding(Type& type);
  StatusOr<const Type*> ReadFunctionType();
  StatusOr<const Type*> ReadDialectType();
  StatusOr<const Type*> ReadQuantized();
  Status ReadStorage(Quantization& quantization);
  Status ReadScale(Quantization& quantization);
  StatusOr<const Type*> TypeText(size_t begin);
  Status ReadTypeList(std::string_view close, std::vector<const Type*>& types);

  // read_attributes.cc
  StatusOr<const Attribute*> ReadAttributeHere();
  StatusOr<const Attribute*> ReadWordAttribute();
  StatusOr<const Attribute*> ReadNumberAttribute();
  StatusOr<const Attribute*> NumberOf(std::string_view token, size_t position, const Type* type);
  StatusOr<const Attribute*> ReadDialectAttribute();
  StatusOr<const Attribute*> ReadOwnAttribute(std::string_view mnemonic, size_t begin,
                                              bool enclosed);
  StatusOr<const Attribute*> ReadArrayAttribute();
  StatusOr<const Attribute*> OtherText(size_t begin);
  StatusOr<const Attribute*> ReadEnums(std::string_view mnemonic);
  StatusOr<const Attribute*> ReadEnum(std::string_view mnemonic);
  StatusOr<const Attribute*> ReadBools();
  StatusOr<const Attribute*> ReadTyped(std::string_view type);
  StatusOr<const Attribute*> ReadShardy(std::string_view mnemonic);
  Status ReadEntries(std::vector<NamedAttribute>& entries);
  void AddAccuracyDefaults(std::vector<NamedAttribute>& fields);
  StatusOr<const Attribute*> ReadField(const FieldSyntax& field);
  Status ReadDimensionLabels(std::string_view letters, Dims& spatial, std::span<i64> others);
  StatusOr<const Location*> ReadLocation();
  StatusOr<const Location*> ReadLocationPart();
  StatusOr<const Attribute*> ReadLocationAlias();
  StatusOr<const Location*> ReadNameOrFile();
  StatusOr<const Location*> ReadFused();

  // read_elements.cc
  StatusOr<const Attribute*> ReadDense();
  StatusOr<const Attribute*> ReadDenseResource();
  StatusOr<const Attribute*> ReadDenseArray();
  StatusOr<const Attribute*> HexElements(const Type* type, std::string_view digits,
                                         size_t position);

  MlirModule& module_;
  Lexer lexer_;
  Limits* limits_;
  std::deque<Alias> aliases_;
  std::unordered_map<std::string_view, Alias*> aliases_by_name_;
  std::unordered_map<size_t, size_t> definitions_;  // where aliases and resources begin and end
  struct Resource {
    std::string_view digits;                                   // "0x..."
    std::unordered_map<const Type*, const Attribute*> values;  // read so far
  };
  std::unordered_map<std::string_view, Resource> resources_;
  std::unordered_map<std::string_view, const Type*> types_;  // by text, of those read most often
  std::deque<Scope> scopes_;
  std::vector<size_t> region_marks_;  // of each open region: names in its scope when it began
  int region_depth_ = 0;
  bool in_function_ = false;
  int metadata_depth_ = 0;  // of the location being read
  // Aliases and resources that are used often make a tree that is much larger than its text:
  // attributes, types and bytes of them so far.
  i64 size_ = 0;
};

}  // namespace axle::mlir
