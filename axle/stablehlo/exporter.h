// The export at work: internal to axle/stablehlo.
//
// An Exporter makes one tree. It goes through the instructions of a computation in their order and
// asks the row of each (export_rows.cc) to append operations to a block; the row has a Spot for it:
// the instruction, the block, the values of its operands.
//
// Values. Arrays and tokens of HLO are values of MLIR. A tuple of HLO is mostly a list of other
// values that never becomes one, since loops, branches and reductions of MLIR have several results:
// a Bundle is either. It becomes a value, with stablehlo.tuple, where an operation needs it as one
// (a call), and is taken apart, with get_tuple_element, where it is one (an argument).
//
// Nesting. A region holds the operations of the computation, which may have regions again. The
// depth of that, and what repeated uses of a computation may add up to, is bounded by making
// functions of some computations (FindFunctions); so the recursion here is bounded too.
#pragma once
#include <deque>
#include <initializer_list>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/op_def.h"
#include "axle/stablehlo/export.h"
#include "axle/stablehlo/mlir/dialect.h"

namespace axle::stablehlo {

using Values = std::vector<mlir::Value*>;
using Types = std::vector<const mlir::Type*>;

// An HLO value. An array or token has a value; one that nothing computes, a context of an
// asynchronous operation say, has none and stands for zeros.
struct Bundle {
  const Shape* shape = nullptr;
  mlir::Value* value = nullptr;
  std::vector<Bundle*> elements = {};  // of a tuple that is a list
  bool is_list = false;
  const mlir::Block* home = nullptr;  // of a list: the block in which `value` is it as a value
};

// Attributes of an operation: made in any order, kept sorted by name.
class Attributes {
 public:
  explicit Attributes(mlir::MlirModule& tree) : tree_(tree) {}
  Attributes& Add(std::string_view name, const mlir::Attribute* value);
  Attributes& Int(std::string_view name, i64 value);
  Attributes& Ints(std::string_view name, const Dims& values);
  Attributes& Bools(std::string_view name, const std::vector<bool>& values);
  Attributes& Bool(std::string_view name, bool value);
  Attributes& UnitIf(std::string_view name, bool value);  // absent if false
  Attributes& String(std::string_view name, std::string_view value);
  Attributes& Enum(std::string_view name, std::string_view mnemonic, size_t number);
  // rows x columns of i64, dense.
  Attributes& Matrix(std::string_view name, i64 rows, i64 columns, const Dims& values);
  std::span<mlir::NamedAttribute> Take();

 private:
  mlir::MlirModule& tree_;
  std::vector<mlir::NamedAttribute> entries_;
};

// Single attributes.
const mlir::Attribute* MakeInt(mlir::MlirModule& tree, i64 value, ElementType type = S64);
const mlir::Attribute* MakeInts(mlir::MlirModule& tree, const Dims& values);
const mlir::Attribute* MakeBool(mlir::MlirModule& tree, bool value);
const mlir::Attribute* MakeString(mlir::MlirModule& tree, std::string_view text);
const mlir::Attribute* MakeSymbol(mlir::MlirModule& tree, std::string_view name);
const mlir::Attribute* MakeType(mlir::MlirModule& tree, const mlir::Type* type);
const mlir::Attribute* MakeEnum(mlir::MlirModule& tree, std::string_view mnemonic,
                                std::string_view text);
const mlir::Attribute* MakeArray(mlir::MlirModule& tree,
                                 const std::vector<const mlir::Attribute*>& elements);
const mlir::Attribute* MakeDictionary(mlir::MlirModule& tree,
                                      std::vector<mlir::NamedAttribute> fields);
// Elements of an array; equal ones are a splat.
const mlir::Attribute* MakeElements(mlir::MlirModule& tree, const Literal& literal);

class Exporter;

// The values of a computation's instructions while its operations are made.
struct ExportFrame {
  std::vector<Bundle*> values;  // by index
};

// UNIMPLEMENTED: the instruction, and why it has no form.
Status WithoutForm(const Instruction& inst, std::string_view what);

// One instruction at its place.
class Spot {
 public:
  Spot(Exporter& exporter, const ExportFrame& frame, const Instruction& inst, mlir::Block& block)
      : exporter_(exporter), frame_(frame), inst_(inst), block_(block) {}

  Exporter& exporter() const { return exporter_; }
  mlir::MlirModule& tree() const;
  const Instruction& inst() const { return inst_; }
  mlir::Block& block() const { return block_; }
  std::string_view text() const { return GetOpDef(inst_).text; }
  Attributes attributes() const { return Attributes(tree()); }

  Bundle* bundle(i64 i) const { return frame_.values[inst_.operand(i)->index()]; }
  mlir::Value* operand(i64 i) const;
  Values operands() const { return operands(0, inst_.num_operands()); }
  Values operands(i64 begin, i64 end) const;

  // Appends an operation; it has no regions, and results of these types.
  mlir::Operation* Add(std::string_view name, const Values& operands, const Types& results,
                       Attributes&& attributes, size_t num_regions = 0) const;
  mlir::Operation* Add(std::string_view name, const Values& operands, const Types& results) const {
    return Add(name, operands, results, attributes());
  }
  // The same with one result of an array's type, which is given.
  mlir::Value* AddValue(std::string_view name, const Values& operands, const Shape& shape,
                        Attributes&& attributes) const;
  mlir::Value* AddValue(std::string_view name, const Values& operands, const Shape& shape) const {
    return AddValue(name, operands, shape, attributes());
  }
  // The same with the type or types of the instruction: of a tuple one result for each element.
  Bundle* AddResult(std::string_view name, const Values& operands, Attributes&& attributes) const;
  Bundle* AddResult(std::string_view name, const Values& operands) const {
    return AddResult(name, operands, attributes());
  }

  // Types of the elements of a tuple, or of the shape alone.
  Types TypesOf(const Shape& shape) const;
  // The results of an operation with these types as a value of that shape.
  Bundle* ResultsAs(const Shape& shape, const mlir::Operation& op) const;
  Bundle* Wrap(mlir::Value* value, const Shape& shape) const;

  mlir::Value* Reshape(mlir::Value* value, const Shape& shape) const;
  mlir::Value* Transpose(mlir::Value* value, const Shape& shape, const Dims& permutation) const;

  // Fills a region with `callee`, whose parameters are the arguments of its block: all leaves of
  // them, which are arrays and tokens. Its result is returned, leaf by leaf.
  Status AddBody(mlir::Operation& op, size_t region, const HloComputation& callee) const;
  // The same of a region without arguments; `arguments` come from around it.
  Status AddCapturing(mlir::Operation& op, size_t region, const HloComputation& callee,
                      const std::vector<Bundle*>& arguments) const;

  Status Unsupported(std::string_view what) const;  // WithoutForm

 private:
  Exporter& exporter_;
  const ExportFrame& frame_;
  const Instruction& inst_;
  mlir::Block& block_;
};

using ExportFn = StatusOr<Bundle*> (*)(const Spot& spot);

// How the computations that an operation calls are exported.
enum class Callees : std::uint8_t { kRegions, kFunctions };

struct ExportRow {
  std::string_view op;  // as in HLO text
  ExportFn run = nullptr;
  std::string_view why_not = {};  // if `run` is null: why there is no form, and what to do
  Callees callees = Callees::kRegions;
};
std::span<const ExportRow> AllExportRows();
const ExportRow* FindExportRow(std::string_view op);

// Locations of instructions: mlir::Locations the other way round.
class LocationMaker {
 public:
  LocationMaker(const Module& module, mlir::MlirModule& tree) : module_(module), tree_(tree) {}
  const mlir::Location* Of(const Instruction& inst);
  // Of a parameter, with its name if nothing else names it.
  const mlir::Location* OfParameter(const Instruction& inst);

 private:
  const mlir::Location* Make(const Metadata& metadata, std::string_view name);
  // The calls that lead to the frame, which is a callsite of its callers.
  const mlir::Location* Frames(std::int32_t frame);
  const mlir::Location* Named(std::string_view name, const mlir::Location* child);
  const mlir::Location* File(std::string_view file, std::int32_t line, std::int32_t column,
                             std::int32_t end_line, std::int32_t end_column);

  const Module& module_;
  mlir::MlirModule& tree_;
  std::unordered_map<const Metadata*, const mlir::Location*> made_;
  std::unordered_map<std::int32_t, const mlir::Location*> frames_;
};

class Exporter {
 public:
  Exporter(const Module& module, const ExportOptions& options)
      : module_(module),
        options_(options),
        tree_(std::make_unique<mlir::MlirModule>()),
        locations_(module, *tree_) {}

  StatusOr<std::unique_ptr<mlir::MlirModule>> Run();

  const Module& module() const { return module_; }
  mlir::MlirModule& tree() const { return *tree_; }
  const mlir::Type* TypeOf(const Shape& shape);

  Bundle* NewBundle(const Bundle& bundle) { return &bundles_.emplace_back(bundle); }
  Bundle* NewList(const Shape& shape, std::vector<Bundle*> elements);
  // As one value, in a block where it is used.
  mlir::Value* ValueOf(Bundle* bundle, mlir::Block& block, const mlir::Location* location);
  Bundle* ElementOf(Bundle* tuple, i64 i, mlir::Block& block, const mlir::Location* location);
  // Its arrays and tokens, depth first.
  void AppendLeaves(Bundle* bundle, mlir::Block& block, const mlir::Location* location,
                    Values& leaves);
  // A value of `shape` made of leaves from `next` on, which moves behind them.
  Bundle* FromLeaves(const Shape& shape, const Values& leaves, size_t& next);
  void AppendLeafTypes(const Shape& shape, Types& types);

  mlir::Operation* Append(mlir::Block& block, std::string_view name, const Values& operands,
                          const Types& results, std::span<mlir::NamedAttribute> attributes,
                          size_t num_regions, const mlir::Location* location);
  // The result of a computation: a call of its function, if it is one, or its operations.
  StatusOr<Bundle*> Invoke(const HloComputation& callee, const std::vector<Bundle*>& arguments,
                           mlir::Block& block, const mlir::Location* location);
  StatusOr<Bundle*> Call(const HloComputation& callee, const std::vector<Bundle*>& arguments,
                         mlir::Block& block, const mlir::Location* location,
                         mlir::Operation** call = nullptr);
  std::string_view FunctionName(const HloComputation& computation) const {
    return names_.at(&computation);
  }
  LocationMaker& locations() { return locations_; }

 private:
  // Which computations become functions, callees first, and what they are called.
  void FindFunctions();
  void NameFunctions();
  std::string NewFunctionName(const std::string& base);
  StatusOr<Bundle*> ExportInstructions(const HloComputation& computation,
                                       const std::vector<Bundle*>& arguments, mlir::Block& block);
  StatusOr<Bundle*> ExportInstruction(const ExportFrame& frame, const Instruction& inst,
                                      mlir::Block& block);
  Status ExportFunction(const HloComputation& computation, mlir::Block& top);
  // An operation of CHLO as a composite, and the functions that composites name.
  mlir::Operation* AppendComposite(mlir::Block& block, std::string_view name,
                                   const Values& operands, const Types& results,
                                   std::span<mlir::NamedAttribute> attributes,
                                   const mlir::Location* location);
  void AppendDecompositions(mlir::Block& top);
  // HLO allows more than StableHLO: what its verification refuses has no form.
  Status Verify() const;
  std::span<mlir::NamedAttribute> ModuleAttributes();
  // Of the arguments and results of @main; null if they have none.
  const mlir::Attribute* ArgumentAttributes();
  const mlir::Attribute* ResultAttributes(size_t num_results);

  const Module& module_;
  const ExportOptions& options_;
  std::unique_ptr<mlir::MlirModule> tree_;
  LocationMaker locations_;
  std::deque<Bundle> bundles_;
  std::unordered_map<Shape, const mlir::Type*, ShapeHash> types_;
  std::vector<const HloComputation*> functions_;
  std::unordered_set<const HloComputation*> is_function_;
  std::unordered_map<const HloComputation*, std::string> names_;
  std::unordered_map<std::string, i64> name_counts_;
  struct Decomposition {
    std::string name;              // of the function
    const mlir::Operation* first;  // a composite that names it
  };
  std::unordered_map<std::string, size_t> decomposition_of_;  // by what composites say
  std::vector<Decomposition> decompositions_;
  std::unordered_map<const mlir::Operation*, const Instruction*> made_from_;
};

// Dictionary entries from what HLO has as pairs of name and quoted text.
const mlir::Attribute* FrontendAttributes(
    mlir::MlirModule& tree, const std::vector<std::pair<std::string, std::string>>& attributes);

}  // namespace axle::stablehlo
