// Bounds what the shapes of one text may cost. Tuples of tuples double with every line, so a short
// text could ask for any amount of work and memory. The shapes that a text declares are bounded by
// its size, and so are those of real programs: they stay far below both limits.
#pragma once
#include <span>
#include <unordered_map>

#include "axle/ops/op_def.h"

namespace axle {

class ShapeBudget {
 public:
  explicit ShapeBudget(i64 text_bytes);

  // Before the row of `def` looks at its operands. False: the budget is used up.
  bool ChargeOperands(const OpDef& def, std::span<Instruction* const> operands);
  // When the instruction has its shape.
  bool ChargeResult(const Instruction& inst);

 private:
  bool IsWithinLimits() const { return visited_ <= max_visited_ && distinct_ <= max_distinct_; }
  // Shapes inside of an interned shape, itself included; counted once for each different shape.
  i64 NumNodes(const Shape& interned);

  const i64 max_visited_;   // the work of comparing and copying
  const i64 max_distinct_;  // the memory of different shapes
  i64 visited_ = 0;
  i64 distinct_ = 0;
  std::unordered_map<const Shape*, i64> num_nodes_;
};

}  // namespace axle
