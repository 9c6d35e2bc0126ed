// The conversion at work: internal to axle/stablehlo.
//
// A Converter makes one module. It goes through the functions callees first, and makes a Frame for
// every function and every region that becomes a computation. The rows of conversions.h convert one
// operation each, with a Site: the operation, the frame it stands in, and what they need of both.
//
// Regions use values from around them, HLO's computations do not. Before a function is converted,
// FindCaptures lists for each region what it takes from outside. Small constants are made again
// inside; what else a loop or branch takes becomes an element of its tuple (structured.cc).
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "axle/ops/op_def.h"
#include "axle/stablehlo/convert.h"
#include "axle/stablehlo/locations.h"
#include "axle/stablehlo/mlir/dialect.h"
#include "axle/stablehlo/shardings.h"

namespace axle::stablehlo {

using Instructions = std::vector<Instruction*>;

// A computation while it is filled.
struct Frame {
  HloComputation* computation = nullptr;
  // Of a program that leaves sizes open: the values of instructions that are known, as sizes are.
  std::unordered_map<const Instruction*, Literal> known = {};
  std::unordered_map<const mlir::Value*, Instruction*> values = {};
  i64 num_parameters = 0;
};

class Converter;

// One operation at its place. Functions that give an Instruction* add it to the computation with
// the operation's metadata; the ones of a row are checked as HLO's parser checks them.
class Site {
 public:
  Site(Converter& converter, Frame& frame, const mlir::Operation& op)
      : converter_(converter), frame_(frame), op_(op), name_(op.name) {}
  // The same place as if the operation had another name and other operands, and, if `attributes`,
  // a dictionary, is not null, its attributes: for what is written as another operation.
  Site Renamed(std::string name, std::optional<Instructions> operands = {},
               const mlir::Attribute* attributes = nullptr) const;

  Converter& converter() const { return converter_; }
  Frame& frame() const { return frame_; }
  const mlir::Operation& op() const { return op_; }
  const std::string& name() const { return name_; }  // stablehlo.add

  // Operands, in the order of the operation. Of a variadic group by its position in the row.
  size_t num_operands() const { return op_.operands.size(); }
  Instruction* operand(size_t i) const;
  Instructions operands(size_t begin, size_t end) const;
  Instructions operands() const { return operands(0, num_operands()); }
  // The same place with operands in place of the operation's, and results of other types.
  Site Expressed(Instructions operands, std::vector<const mlir::Type*> types) const;
  const mlir::Type& operand_type(size_t i) const { return *op_.operands[i]->type; }
  // The integers of an operand that is known while the program is converted; nothing if it is not.
  std::optional<Dims> KnownInts(size_t i) const;

  const mlir::Type& result_type(size_t i = 0) const {
    return result_types_.empty() ? *op_.results[i].type : *result_types_[i];
  }
  // The shape of a result; an error if sizes are open.
  StatusOr<Shape> ResultShape(size_t i = 0) const;
  // Of one result its shape, of another number a tuple of them.
  StatusOr<Shape> TupleOfResults() const;

  // Attributes. Without a value to fall back on, one that is absent is an error; one of another
  // kind is an error in any case.
  const mlir::Attribute* Find(std::string_view name) const {
    return attributes_ != nullptr ? attributes_->Field(name) : op_.Find(name);
  }
  StatusOr<Dims> Ints(std::string_view name) const;
  StatusOr<Dims> Ints(std::string_view name, Dims fallback) const;
  // One integer for each of `n` dimensions of a window; no entries stand for `value`.
  StatusOr<Dims> WindowInts(std::string_view name, size_t n, i64 value) const;
  StatusOr<i64> Int(std::string_view name) const;
  StatusOr<i64> Int(std::string_view name, i64 fallback) const;
  StatusOr<bool> Bool(std::string_view name, bool fallback) const;
  StatusOr<std::string> String(std::string_view name) const;
  StatusOr<std::string> String(std::string_view name, std::string_view fallback) const;
  // The number of an enum's value in VHLO (mlir::EnumValues).
  StatusOr<size_t> Enum(std::string_view name, std::string_view mnemonic) const;
  StatusOr<size_t> Enum(std::string_view name, std::string_view mnemonic, size_t fallback) const;
  // n x 2 numbers: padding, source_target_pairs. `fallback`: as many pairs of 0 if there are none;
  // -1: required.
  StatusOr<std::vector<std::pair<i64, i64>>> Pairs(std::string_view name, i64 fallback) const;

  StatusOr<Instruction*> Add(Opcode opcode, const Instructions& operands, AttrBlock attrs = {},
                             const std::vector<HloComputation*>& callees = {},
                             const Shape& declared = {}) const;
  template <typename Attrs>
  StatusOr<Instruction*> Add(Opcode opcode, const Instructions& operands, Attrs attrs,
                             const std::vector<HloComputation*>& callees = {},
                             const Shape& declared = {}) const {
    return Add(opcode, operands,
               AttrBlock{GetOpDef(opcode).attrs, std::make_shared<Attrs>(std::move(attrs))},
               callees, declared);
  }
  StatusOr<Instruction*> Constant(Literal literal) const;
  // The same for operations whose result has its operands' sizes, and the element type of the
  // operation's type.
  template <typename Attrs>
  StatusOr<Instruction*> AddOfResultType(Opcode opcode, const Instructions& operands,
                                         Attrs attrs) const {
    return AddOfResultType(
        opcode, operands,
        AttrBlock{GetOpDef(opcode).attrs, std::make_shared<Attrs>(std::move(attrs))});
  }
  StatusOr<Instruction*> AddOfResultType(Opcode opcode, const Instructions& operands,
                                         AttrBlock attrs) const;
  template <typename T>
  StatusOr<Instruction*> Scalar(ElementType type, T value) const {
    return Constant(Literal::Scalar<T>(type, value));
  }
  StatusOr<Instruction*> Tuple(const Instructions& elements) const;
  StatusOr<Instruction*> Element(Instruction* tuple, i64 index) const;
  StatusOr<Instruction*> Reshape(Instruction* operand, const Dims& dims) const;
  // [small] as [dims]: dimension i of the operand is dimension mapping[i]; sizes of 1 expand.
  StatusOr<Instruction*> Broadcast(Instruction* operand, const Dims& dims,
                                   const Dims& mapping) const;
  StatusOr<Instruction*> Convert(Instruction* operand, ElementType type) const;

  // The result of the operation, or of result `index`. Its shape must be that of the type.
  Status Return(StatusOr<Instruction*> result, size_t index = 0) const;
  // All results: the elements of a tuple, or, if there is one result, the value itself.
  Status ReturnAll(StatusOr<Instruction*> result) const;

  // The computation of a region whose arguments are all that it takes: a combiner, a comparator.
  // Constants from outside are made again inside; anything else from there is UNIMPLEMENTED.
  StatusOr<HloComputation*> Body(size_t region) const;

  // An error at this place. The text begins with the operation: "stablehlo.add: <what>".
  Status Error(std::string_view what, StatusCode code = StatusCode::kInvalidArgument) const;

 private:
  Converter& converter_;
  Frame& frame_;
  const mlir::Operation& op_;
  std::string name_;
  std::optional<Instructions> operands_ = {};  // in place of the operation's
  const mlir::Attribute* attributes_ = nullptr;
  std::vector<const mlir::Type*> result_types_ = {};  // empty: the operation's
};

class Converter {
 public:
  Converter(const mlir::MlirModule& source, const ConvertOptions& options)
      : source_(source), options_(options) {}

  StatusOr<std::unique_ptr<Module>> Run();
  // Null if no argument of @main leaves sizes open; else a module that says what it takes and
  // gives.
  StatusOr<std::unique_ptr<Module>> Signature();

  const mlir::MlirModule& source() const { return source_; }
  Module& module() const { return *module_; }
  // The computation of a function for the operands of a call. Of one that leaves sizes open there
  // is one for each list of shapes and known values.
  StatusOr<HloComputation*> Function(const Site& site, std::string_view name,
                                     const Instructions& operands);
  const mlir::Operation* FindFunction(std::string_view name) const;

  // What the region takes from outside of it, in the order of its uses.
  const std::vector<const mlir::Value*>& CapturesOf(const mlir::Region& region) const;

  // A computation of a name that no other has.
  HloComputation* NewComputation(std::string_view base);
  std::string UnusedComputationName(std::string_view base) {
    return UniqueName(computation_names_, base);
  }
  std::string UnusedName(std::string_view base) { return UniqueName(instruction_names_, base); }
  // The instruction that is the value in this frame: its own, or a constant from around it.
  // Null if the value is not there, which captures prevent.
  Instruction* Find(Frame& frame, const mlir::Value& value);
  // The type with other elements.
  const mlir::Type* WithElement(const mlir::Type& tensor, ElementType element) {
    return types_.Tensor(tensor.dims, types_.Element(element));
  }
  // A constant that is made again where a region uses it.
  static bool IsSmallConstant(const mlir::Value& value);

  // opcode(a, b) of two scalars.
  StatusOr<HloComputation*> Combiner(const Site& site, Opcode opcode, const Shape& scalar);
  Instruction* AddParameter(Frame& frame, const Shape& shape, std::string_view name,
                            const Metadata& metadata);
  // An argument's, whose name and metadata come from its location.
  Instruction* AddParameter(Frame& frame, const Shape& shape, const mlir::Location& location);
  // That everything that the operation and its regions use is there: files in bytecode may use
  // values before they are defined.
  Status CheckDefined(Frame& frame, const mlir::Operation& op);
  // The operations of a block up to its terminator, whose operands are `returned`.
  Status ConvertBlock(Frame& frame, const mlir::Block& block, Instructions* returned);
  Status SetParameters(Frame& frame);

  Status ErrorAt(const mlir::Operation& op, std::string_view what,
                 StatusCode code = StatusCode::kInvalidArgument) const {
    return source_.ErrorAt(op, what, code);
  }
  Locations& locations() { return locations_; }
  // The program is for several partitions, so that shardings say something.
  bool is_partitioned() const { return module_->config().num_partitions > 1; }
  const Meshes& meshes() const { return meshes_; }
  // The sharding that attributes say, of a value with these leaves, as HLO's text; "" if they say
  // none. `find` gives the attribute of a name, or null.
  StatusOr<std::string> ShardingText(
      const std::function<const mlir::Attribute*(std::string_view)>& find,
      std::span<const Shape> shapes) const;
  StatusOr<Instruction*> AddInstruction(const Site& site, const NewInstruction& init);

 private:
  using NameCounts = std::unordered_map<std::string, i64>;
  static std::string UniqueName(NameCounts& counts, std::string_view base);
  Status ListFunctions();
  Status SortFunctions();  // callees first
  Status FindEntry();
  Status FindCaptures(const mlir::Operation& function);
  StatusOr<HloComputation*> ConvertFunction(const mlir::Operation& function,
                                            std::span<const Shape> shapes,
                                            std::span<const Literal* const> known);
  // Where the names of a function's arguments are, as far as they have names.
  std::vector<const mlir::Location*> ArgumentLocations(const mlir::Operation& function) const;
  Status CheckArgument(const mlir::Operation& function, const mlir::Value& argument,
                       const Shape& shape) const;
  // Computes what an instruction gives if its operands are known.
  Status Learn(Frame& frame, const Instruction& inst);
  Status SetModuleConfig();
  Status SetEntryConfig(const mlir::Operation& function, const HloComputation& entry);
  Status SetEntryShardings(const mlir::Operation& function, HloComputation& entry);

  const mlir::MlirModule& source_;
  const ConvertOptions& options_;
  mlir::MlirModule types_;  // of those that the program does not have
  std::unique_ptr<Module> module_;
  Meshes meshes_;
  Locations locations_;
  std::unordered_map<std::string_view, const mlir::Operation*> functions_;
  std::vector<const mlir::Operation*> order_;
  const mlir::Operation* entry_ = nullptr;
  // By function, and by shapes and known values as text.
  std::map<std::pair<const mlir::Operation*, std::string>, HloComputation*> computations_;
  // The program leaves sizes open: functions are converted where they are called.
  bool is_open_ = false;
  int depth_ = 0;  // of calls, then
  std::unordered_map<const mlir::Region*, std::vector<const mlir::Value*>> captures_;
  std::unordered_set<const mlir::Operation*> captured_;  // functions whose captures are known
  NameCounts computation_names_, instruction_names_;
};

// Whether a value of this type may have several shapes.
bool IsOpen(const mlir::Type& type);

// The row of an operation: how it becomes HLO. Null if it has none.
using ConvertFn = Status (*)(const Site& site);
ConvertFn FindConversion(std::string_view name);
// The names of all rows, sorted.
std::vector<std::string_view> ConversionNames();
// How an operation takes quantized values: as the numbers that they stand for; as they are stored,
// if all are quantized in one way, because it moves them or calls what computes with them; or its
// function sees to it.
enum Quantized : std::uint8_t { kExpressed, kStored, kItself };
Quantized HowQuantized(std::string_view name);

// quantization.cc: whether an operand or a result is quantized, and all of them in one way.
bool IsQuantized(const mlir::Operation& op);
bool HasOneQuantization(const mlir::Operation& op);
// Converts the operation on the numbers that quantized values stand for.
Status ConvertExpressed(const Site& site, ConvertFn convert);

}  // namespace axle::stablehlo
