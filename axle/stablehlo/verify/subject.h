// An operation that is verified, and what its rules ask of it.
#pragma once
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "axle/core/strings.h"
#include "axle/stablehlo/mlir/dialect.h"
#include "axle/stablehlo/verify/types.h"
#include "axle/stablehlo/verify/verify.h"

namespace axle::stablehlo {

// What the operations of a program share: its symbols, and types that it may not have.
class Program {
 public:
  explicit Program(const mlir::MlirModule& source) : source_(source) {}
  // The error at an operation, which is kept too.
  Status Refuse(const mlir::Operation& op, std::string what);
  const Refusal& refusal() const { return refusal_; }
  // The operation that defines the symbol for `op`, in the module around it. Null if none does.
  const mlir::Operation* FindSymbol(const mlir::Operation& op, std::string_view name);
  const mlir::Type& Element(ElementType type) { return *types_.Element(type); }
  // Whether the type was not asked for before: the rules of a type alone are checked once.
  bool IsFirst(const mlir::Type& type) { return seen_.insert(&type).second; }

 private:
  using Symbols = std::unordered_map<std::string_view, const mlir::Operation*>;
  const mlir::MlirModule& source_;
  mlir::MlirModule types_;
  std::unordered_map<const mlir::Operation*, Symbols> symbols_;  // by module
  std::unordered_set<const mlir::Type*> seen_;
  Refusal refusal_;
};

// The operation has a row in dialect.h. The rules of its structure come first (VerifyStructure);
// what is below relies on them: positions exist, attributes that are there have their kind.
class Subject {
 public:
  Subject(Program& program, const mlir::Operation& op) : program_(program), op_(op) {}

  Program& program() const { return program_; }
  const mlir::Operation& op() const { return op_; }
  const mlir::OpSyntax& row() const { return *op_.syntax; }
  size_t num_operands() const { return op_.operands.size(); }
  size_t num_results() const { return op_.results.size(); }
  const mlir::Type& operand(size_t i = 0) const { return *op_.operands[i]->type; }
  const mlir::Type& result(size_t i = 0) const { return *op_.results[i].type; }
  // The types of the operands [begin, end).
  Types operands(size_t begin, size_t end) const;
  Types operands() const { return operands(0, num_operands()); }
  Types results() const;
  // Where the operands of the name at `position` in the row begin and end.
  std::pair<size_t, size_t> Group(size_t position) const;
  Types GroupTypes(size_t position) const;

  const mlir::Attribute* Find(std::string_view name) const { return op_.Find(name); }
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // Nothing, 0 or false if the attribute is absent.
  Dims Ints(std::string_view name) const;
  i64 Int(std::string_view name) const;
  bool Bool(std::string_view name) const;
  std::string_view Text(std::string_view name) const;  // of strings, symbols and enums
  // The integers of an operand that is a constant.
  std::optional<Dims> ConstantInts(size_t operand) const;

  // The only block of a region, its arguments, and what its return gives.
  const mlir::Block& block(size_t region) const { return op_.regions[region].blocks.front(); }
  Types Arguments(size_t region) const;
  Types Returned(size_t region) const;

  const mlir::Type& Element(ElementType type) const { return program_.Element(type); }
  mlir::Type ScalarOf(const mlir::Type& element) const { return TensorOf(element, {}); }

  // The results have types compatible with these, as many as there are.
  Status CheckResults(const std::vector<mlir::Type>& implied) const;
  Status CheckResult(mlir::Type implied) const { return CheckResults({std::move(implied)}); }
  // Result 0 has these sizes, if none is open; elements are not looked at.
  Status CheckResultDims(const Dims& implied) const;

  // An error at this place: "stablehlo.add: <what>".
  template <typename... Parts>
  Status Error(const Parts&... parts) const {
    return program_.Refuse(op_, StrCat(op_.name, ": ", parts...));
  }

 private:
  Program& program_;
  const mlir::Operation& op_;
};

// structure.cc
Status VerifyStructure(const Subject& op);

// The parts of a rule that several families share.

// Every dimension is one of `rank`; `name` is the attribute.
Status CheckDimsInRange(const Subject& op, std::string_view name, const Dims& dims, i64 rank);
// No dimension is in the two lists together more than once.
Status CheckDistinct(const Subject& op, std::string_view name, const Dims& dims,
                     std::string_view other_name = {}, const Dims& other = {});
// In increasing order.
Status CheckSorted(const Subject& op, std::string_view name, const Dims& dims);

// reducers.cc: the region at `region` takes two values of each of `inputs` and returns one of each,
// as accumulators of `inits`. An argument may have dimensions out of `allowed`.
Status VerifyReducer(const Subject& op, size_t region, const Types& inputs, const Types& inits,
                     const Dims& allowed);

// windows.cc: one entry for each dimension of a window.
struct WindowRule {
  Dims sizes;
  Dims strides, base_dilations, window_dilations;  // empty: 1
  std::vector<std::pair<i64, i64>> padding;        // empty: 0
  size_t num_reversals = 0;                        // 0: the attribute is absent
};
Status CheckWindow(const Subject& op, const WindowRule& window);
// The pairs of attribute "padding", an n x 2 array.
StatusOr<std::vector<std::pair<i64, i64>>> PaddingPairs(const Subject& op);
// The sizes of what the window gives; open where a size is. The window is checked.
Dims WindowOutput(const WindowRule& window, const Dims& base);

// quantized.cc
// Operand and result move the same stored values: they agree on scales and zero points.
Status CheckSameScales(const Subject& op, const mlir::Type& operand, const mlir::Type& result);
Status CheckBroadcastScales(const Subject& op, const Dims& dimensions);
Status CheckReshapeScales(const Subject& op);
// Of dot and convolution, if anything is quantized.
Status CheckProductScales(const Subject& op);
// A quantized type by itself; `what` is the value that has it.
Status CheckQuantization(const Subject& op, const mlir::Type& type, std::string_view what);

// `types`, of what `what` says, are those expected, as `fits` compares them.
Status CheckTypes(const Subject& op, std::string_view what, const Types& types,
                  const Types& expected, bool (*fits)(const mlir::Type&, const mlir::Type&));

// Types of which no size is below what others state.
StatusOr<mlir::Type> MostSpecific(const Subject& op, const Types& types);

}  // namespace axle::stablehlo
