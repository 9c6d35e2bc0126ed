// A called computation of scalars, applied to arrays element by element: reducers, comparators,
// updates. Runs the computation's lane program if it has one, in blocks or one by one; anything
// else is called once per element.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "axle/ops/op_def.h"

namespace axle {

class ScalarCallee {
 public:
  // Callee `i` of `inst`, whose parameters and result (or its elements) are scalars.
  ScalarCallee(const Instruction& inst, const EvalContext& context, size_t i = 0);

  // outputs[r][e] = result r of the computation on inputs[p][e], for all e below `count`. An output
  // may be the same array as an input, but not overlap it otherwise.
  Status Run(std::span<const void* const> inputs, std::span<void* const> outputs, i64 count);

  // The lane program, or null.
  const LaneProgram* lanes() const { return lanes_; }
  // Runs one element. With a lane program no status is returned, which comparators need.
  ScalarExecutor* scalar() { return scalar_ ? &*scalar_ : nullptr; }

 private:
  Status Call(std::span<const void* const> inputs, std::span<void* const> outputs, i64 element);

  const EvalContext& context_;
  Callee& callee_;
  const LaneProgram* lanes_;
  std::optional<ScalarExecutor> scalar_;
  std::vector<Shape> parameters_;
  std::vector<Shape> results_;
};

// Checks that callee `i` is a reducer: parameters are the accumulators and then the values, results
// are the accumulators again (a tuple of one is accepted for one).
Status CheckReducer(const Instruction& inst, size_t i, std::span<const ElementType> accumulators,
                    std::span<const ElementType> values);

// For ops that fold n operands with callee 0: checks that the operands have the same dimensions and
// that n scalars of their types follow. Returns the operands' shapes, dynamic where any of them is.
StatusOr<std::vector<Shape>> CheckFoldOperands(const Instruction& inst);
// Checks the reducer. Returns `results`, as a tuple unless there is one and the reducer returns no
// tuple.
StatusOr<Shape> FoldResult(const Instruction& inst, std::vector<Shape> results);

}  // namespace axle
