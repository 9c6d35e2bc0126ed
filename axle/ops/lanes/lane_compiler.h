// Turns elementwise instructions into lane programs, by running their definitions on a LaneBuilder.
// Used by the interpreter for runs of instructions, for reducers, and by code generation.
#pragma once
#include <optional>
#include <unordered_map>

#include "axle/ops/op_def.h"

namespace axle {

// Callers stop adding at this size: longer programs exceed the cache that holds the executor's
// registers.
inline constexpr i64 kMaxLaneOps = 1024;

// Whether `inst` is part of lane programs. An elementwise op that has .eval too takes other forms
// there: tuples, results of other dimensions than the operand's.
bool IsElementwise(const Instruction& inst);

// What a compilation may do about the rounding of arithmetic (docs/numerics.md). kFast: a product
// that only one sum needs is not rounded, quotients are marked as kAnyQuotient, and narrow floats
// stay f32 from one instruction to the next; what is stored is rounded. Definitions of functions
// stay as they are.
enum class Rounding : std::uint8_t { kStrict, kFast };

// The immediate of a kDiv of floats that may become a product with a reciprocal.
inline constexpr std::uint64_t kAnyQuotient = 1;

class LaneCompiler {
 public:
  explicit LaneCompiler(Rounding rounding = Rounding::kStrict) : rounding_(rounding) {}
  // `inst` becomes the next input of the program.
  void AddInput(const Instruction& inst);
  // Adds the op's definition; its operands must be there already. What a definition never sees is
  // done here, once per op: narrow floats are computed in f32 and rounded to the declared type
  // (N2), sub-byte integers are wrapped to their width. False if the op has no definition for these
  // types.
  [[nodiscard]] bool Add(const Instruction& inst);
  void AddConstant(const Instruction& inst);  // of a scalar constant
  // `inst` has the value of `other`, element for element: a broadcast of a scalar, a copy.
  void AddAlias(const Instruction& inst, const Instruction& other);
  // `inst` is a reduction: join(init, fold), rounded to its type. The fold is the next input of the
  // program, in the type in which `inst` is computed, or the next two if that is complex, whose
  // parts are joined each for itself; `init` is there already.
  void AddFold(const Instruction& inst, Primitive join, const Instruction& init);
  bool Contains(const Instruction& inst) const { return values_.contains(&inst); }
  // For what reads elements by number (LaneBuilder::Element). The next input of the program, which
  // no instruction is, and what it has at each position, if it has integers.
  int AddArray(ElementType type) { return builder_.AddInput(ArrayOf(type)); }
  Lane NumberIn(int input) { return builder_.Part(input); }
  Lane NumberOf(const Instruction& inst) const { return values_.at(&inst).stored.re; }
  LaneBuilder& builder() { return builder_; }
  // `inst` is another reader of that input.
  void AddReader(const Instruction& inst, int input);
  // `inst` is the elements of that input with these numbers.
  void AddElements(const Instruction& inst, int input, Lane number);
  // `inst`, whose type is no narrow float, is this.
  void AddComputed(const Instruction& inst, Lane lane) {
    values_.emplace(&inst, FromStored(inst.shape().type(), {lane, lane}));
  }
  // Whether constants in the place of this input could change the code: an operation reads nothing
  // but the constant, or is of a kind with shorter forms for some constants.
  bool SelectsCode(const Instruction& input) const;
  i64 size() const { return builder_.size(); }

  // The outputs are `results`, then the values of `folded` in the type in which they are computed:
  // not rounded to memory, for reductions that go on with them. The parts of complex ones are two
  // outputs.
  LaneProgram Finish(std::span<const Instruction* const> results,
                     std::span<const Instruction* const> folded = {}) &&;

 private:
  // A value in both forms; `im` is used for complex types only.
  struct Value {
    ElementType type;
    ComplexLane computed;  // in the compute type: f32 for narrow floats
    ComplexLane stored;    // in the storage type
  };
  Value FromStored(ElementType type, ComplexLane stored);
  // Rounds or wraps the result of a definition to `type`.
  Value FromComputed(ElementType type, ComplexLane computed);
  // kFast: the replacement of `result`, which the definition of `inst` returned.
  Lane Relaxed(const Instruction& inst, std::span<const Lane> operands, Lane result);
  // kFast: whether a result of `inst` stays as wide as it was computed.
  bool StaysWide(const Instruction& inst) const;

  Rounding rounding_;
  // kFast: products that one instruction needs, and which one.
  std::unordered_map<LaneId, const Instruction*> products_;
  LaneBuilder builder_;
  std::unordered_map<const Instruction*, Value> values_;
};

// The program of a computation that is scalar arithmetic, calls and branches: parameters are
// inputs, the root (or each element of a root tuple) an output. Nothing if something else is in it.
std::optional<LaneProgram> CompileScalarComputation(const HloComputation& computation);

}  // namespace axle
