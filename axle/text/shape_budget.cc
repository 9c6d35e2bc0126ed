#include "axle/text/shape_budget.h"

#include <algorithm>

namespace axle {
namespace {

i64 CountNodes(const Shape& shape) {
  i64 count = 1;
  for (const Shape& element : shape.elements()) count += CountNodes(element);
  return count;
}

}  // namespace

ShapeBudget::ShapeBudget(i64 text_bytes)
    : max_visited_((i64{1} << 20) + 8 * text_bytes), max_distinct_((i64{1} << 18) + text_bytes) {}

bool ShapeBudget::ChargeOperands(const OpDef& def, std::span<Instruction* const> operands) {
  const bool walks =
      !def.callees.empty() || std::ranges::any_of(def.operands, &OperandSpec::variadic);
  if (!walks) return true;
  for (const Instruction* operand : operands) visited_ += NumNodes(operand->shape());
  return IsWithinLimits();
}

bool ShapeBudget::ChargeResult(const Instruction& inst) {
  visited_ += NumNodes(inst.shape());
  return IsWithinLimits();
}

i64 ShapeBudget::NumNodes(const Shape& interned) {
  if (!interned.is_tuple()) return 1;
  const auto [it, inserted] = num_nodes_.try_emplace(&interned, 0);
  if (inserted) {
    it->second = CountNodes(interned);
    distinct_ += it->second;
  }
  return it->second;
}

}  // namespace axle
