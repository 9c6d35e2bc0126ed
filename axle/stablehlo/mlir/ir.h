// The part of MLIR that programs in StableHLO are made of: types, attributes, locations, operations
// with regions. Both readers (text and bytecode) make it, and both write it in one form, so that
// what comes behind them sees no difference between `stablehlo.gather_v1` of a VHLO file, a pretty
// and a generic text:
//
//  * Operations have the names of their dialects: stablehlo.add, func.func, func.return,
//  chlo.top_k,
//    sdy.mesh. A VHLO operation vhlo.add_v1 is stablehlo.add; vhlo.func_v1 is func.func.
//  * Properties and discardable attributes are one list. Structures of attributes are taken apart
//    as VHLO does it: stablehlo.gather has offset_dims and so on, dot_general has
//    lhs_contracting_dimensions and lhs_precision_type, collectives have channel_id (and
//    channel_type) in place of channel_handle, convolution has input_batch_dimension.
//  * An attribute that the program does not state is absent, or has VHLO's default: the rows of
//    dialect.h say which that is. Lists of numbers may come as arrays, as dense arrays and as dense
//    elements; Ints() reads all three.
//
// A module owns all that it is made of (an arena); pointers into it are valid as long as it lives.
// Types are unique in a module: equal types are one pointer. Not thread-safe while it grows.
#pragma once
#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "axle/core/literal.h"

namespace axle::mlir {

struct OpSyntax;  // dialect.h
struct Operation;
struct Attribute;
struct Region;
struct Block;

// A dimension whose size the type leaves open: `?`.
inline constexpr i64 kDynamic = std::numeric_limits<i64>::min();

enum class TypeKind : std::uint8_t {
  kElement,    // f32, i8 (S8), ui8 (U8), i1 (PRED), complex<f32> (C64)
  kIndex,      // index
  kTensor,     // tensor<4x?xf32>
  kUnranked,   // tensor<*xf32>
  kBuffer,     // memref<4xf32>
  kTuple,      // tuple<a, b>
  kFunction,   // (a, b) -> (c)
  kToken,      // !stablehlo.token
  kFuture,     // !stablehlo.future<a, b>
  kQuantized,  // !quant.uniform<i8:f32, 0.5:3>
  kNone,       // none
  kOther,      // anything else, as text
};

// What a quantized type says; expressed value = (stored - zero_point) * scale.
struct Quantization {
  ElementType storage = PRIMITIVE_TYPE_INVALID;
  ElementType expressed = PRIMITIVE_TYPE_INVALID;
  i64 storage_min = 0;
  i64 storage_max = 0;
  i64 axis = -1;               // -1: one scale for the whole tensor
  std::vector<double> scales;  // one, or one for each index of the axis
  std::vector<i64> zero_points;
  bool operator==(const Quantization&) const = default;
};

struct Type {
  TypeKind kind = TypeKind::kNone;
  ElementType element = PRIMITIVE_TYPE_INVALID;  // kElement
  const Type* of = nullptr;                      // kTensor, kUnranked, kBuffer: of each element
  Dims dims = {};                                // kTensor, kBuffer; kDynamic where open
  Dims bounds = {};  // kTensor: empty, or one for each dimension; kDynamic where there is none
  std::vector<const Type*> inputs = {};   // kFunction: parameters; kTuple, kFuture: elements
  std::vector<const Type*> results = {};  // kFunction
  Quantization quantization = {};         // kQuantized
  std::string text = {};  // kOther: as written; kTensor: an encoding that is not bounds

  bool is_tensor() const { return kind == TypeKind::kTensor; }
  bool is_static_tensor() const;  // no dimension is open
  bool operator==(const Type&) const = default;
  size_t Hash() const;
  // As MLIR prints it.
  std::string ToString() const;
};

enum class AttributeKind : std::uint8_t {
  kUnit,        // unit
  kBool,        // true
  kInteger,     // 5 : i32
  kFloat,       // 1.5 : f32
  kString,      // "text"
  kArray,       // [a, b]
  kDictionary,  // {a = 1, b}
  kSymbol,      // @f, @f::@g
  kType,        // f32
  kElements,    // dense<1> : tensor<4xi32>; array<i64: 1, 2>
  kEnum,        // #stablehlo<precision HIGH>
  kStruct,      // #stablehlo.result_accuracy<...>, where it is not taken apart
  kLocation,    // loc("f")
  kOther,       // #sdy.sharding<...>, any attribute of another dialect: its text, as MLIR prints it
};

struct NamedAttribute {
  std::string_view name;
  const Attribute* value;
};

struct Location;

struct Attribute {
  AttributeKind kind = AttributeKind::kUnit;
  const Type* type = nullptr;  // of kInteger, kFloat, kElements (a tensor; array<> has one
                               // dimension); what kType is; null where none was written
  i64 integer = 0;             // kInteger (two's complement), kBool
  double number = 0;           // kFloat
  // kString, kSymbol ("f", "f::g"), kEnum ("HIGH"), kOther (#sdy.sharding<...>).
  std::string_view text = {};
  std::string_view mnemonic = {};  // kEnum ("precision"), kStruct ("result_accuracy")
  std::span<const Attribute* const> elements = {};  // kArray
  std::span<const NamedAttribute> fields = {};      // kDictionary, kStruct
  // kElements: row-major, of the dimensions of `type`, or a scalar if all elements are that value.
  // The element type is that of `type`; index is S64, a quantized one its storage. Null where the
  // elements were left out (dense_resource<__elided__>).
  const Literal* literal = nullptr;
  bool is_splat = false;               // literal is a scalar
  const Location* location = nullptr;  // kLocation

  const Attribute* Field(std::string_view name) const;  // null if there is none
  // As MLIR prints it, with the type where MLIR would.
  std::string ToString() const;
  // What it is, for messages: "a string".
  std::string_view KindText() const;
};

// Where something comes from, as the program says it.
struct Location {
  enum class Kind : std::uint8_t {
    kUnknown,
    kFile,
    kName,
    kCallSite,
    kFused
  } kind = Kind::kUnknown;
  std::string_view text = {};  // kFile: the file; kName: the name
  i64 line = 0, column = 0;    // kFile; 0: not known
  i64 end_line = 0, end_column = 0;
  // kName: the child or nothing; kCallSite: callee, caller; kFused: all.
  std::span<const Location* const> children = {};
  const Attribute* metadata = nullptr;  // kFused
};

struct Value {
  const Type* type = nullptr;
  Operation* definition = nullptr;     // null for an argument of a block
  Block* block = nullptr;              // of an argument
  std::uint32_t index = 0;             // of the result or the argument
  std::string_view name = {};          // "%0" without the sign, "" if the file has no names
  const Location* location = nullptr;  // of an argument
};

struct Operation {
  std::string_view name = {};        // stablehlo.add
  const OpSyntax* syntax = nullptr;  // its row; null: of a dialect that has none here
  std::span<Value*> operands = {};
  // Of variadic groups: how many operands each has. Empty where the row decides it alone.
  std::span<const std::int32_t> operand_sizes = {};
  std::span<Value> results = {};
  std::span<NamedAttribute> attributes = {};  // each name once
  std::span<Region> regions = {};
  const Location* location = nullptr;  // never null
  Block* block = nullptr;              // that it stands in; null for the module
  size_t position = 0;  // text: offset of its first character; bytecode: its number in the file

  const Attribute* Find(std::string_view attribute) const;  // null if it is absent
  Region* parent_region() const;
  Operation* parent() const;  // the operation around it
};

struct Block {
  std::span<Value> arguments = {};
  std::vector<Operation*> operations;
  Region* region = nullptr;
};

struct Region {
  std::deque<Block> blocks;
  Operation* parent = nullptr;
  bool has_one_block() const { return blocks.size() == 1; }
};

class MlirModule {
 public:
  MlirModule() = default;
  ~MlirModule();
  MlirModule(const MlirModule&) = delete;
  MlirModule& operator=(const MlirModule&) = delete;

  // builtin.module, which the readers add around a file that is a list of operations.
  Operation* top() const { return top_; }
  void set_top(Operation* top) { top_ = top; }

  // Makes, in the module's memory.
  const Type* Get(Type type);
  const Type* Element(ElementType type);
  const Type* Tensor(Dims dims, const Type* of);
  Attribute* NewAttribute(Attribute attribute);
  const Location* NewLocation(const Location& location);
  const Location* unknown_location() const { return &unknown_; }
  std::string_view Text(std::string_view text);  // a copy; equal texts are stored once
  const Literal* Keep(Literal literal);
  template <typename T>
  std::span<T> Copy(std::span<const T> values) {
    return CopyOf(values.data(), values.size());
  }
  template <typename T>
  std::span<T> Copy(const std::vector<T>& values) {
    return CopyOf(values.data(), values.size());
  }
  // An operation with room for all that is counted; everything else as in Operation{}. Results have
  // their indices and definition; regions are empty and know their parent.
  Operation* NewOperation(std::string_view name, size_t num_operands, size_t num_results,
                          size_t num_regions);
  // A block at the end of the region, with as many arguments.
  Block* NewBlock(Region& region, size_t num_arguments);

  // What the file was, for errors. `label` opens every message. With a text, a place is
  // "label 3:14: what" and the line with a caret; else "label: what; in stablehlo.add (operation
  // 17), from model.py:12". Both name where the program's own location says it is from.
  void SetSource(std::string label, std::string text);
  Status ErrorAt(const Operation& operation, std::string_view what,
                 StatusCode code = StatusCode::kInvalidArgument) const;
  const std::string& label() const { return label_; }
  std::string_view source() const { return source_; }

 private:
  template <typename T>
  std::span<T> CopyOf(const T* values, size_t count) {
    if (count == 0) return {};
    T* copy = static_cast<T*>(arena_.allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_copy_n(values, count, copy);
    return {copy, count};
  }
  struct TypeHash {
    size_t operator()(const Type& type) const { return type.Hash(); }
  };

  std::pmr::monotonic_buffer_resource arena_;
  std::unordered_set<Type, TypeHash> types_;
  std::unordered_set<std::string_view> texts_;
  std::deque<Literal> literals_;
  std::deque<std::span<Region>> regions_;  // to destroy; blocks hold memory of their own
  Location unknown_;
  Operation* top_ = nullptr;
  std::string label_;
  std::string source_;
};

// The innermost place of a location that is a file and line: "model.py:12:3", or "" if it has none.
std::string FilePlace(const Location& location);
// That place as a location; null if it has none.
const Location* FileOf(const Location& location);

// What lists of numbers say: array attributes of integers, array<i64: ...>, dense elements of any
// integer or boolean type, in row-major order. Nothing if it is none of them.
std::optional<Dims> Ints(const Attribute& attribute);
// An integer or a boolean, or dense elements with one element.
std::optional<i64> Int(const Attribute& attribute);
// The shape of the tensor, if it is static or bounded (then the dimension is dynamic with that
// bound); of tuples and tokens too. Nothing for other types and for open dimensions without a
// bound.
std::optional<Shape> ShapeOf(const Type& type);
// The type of an array, tuple or token; of an S32 it is the signless i32.
const Type* TypeOf(const Shape& shape, MlirModule& module);
// The element type of a tensor, or of an element: that of the storage where it is quantized.
// PRIMITIVE_TYPE_INVALID for others.
ElementType ElementOf(const Type& type);
// All elements of kElements as an array of the dimensions of its type; a splat is expanded.
StatusOr<Literal> FullLiteral(const Attribute& elements);

}  // namespace axle::mlir
