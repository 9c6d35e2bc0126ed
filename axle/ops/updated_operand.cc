#include "axle/ops/updated_operand.h"

namespace axle {

std::optional<i64> UpdatedOperand(const Instruction& inst) {
  if (!inst.shape().is_array()) return std::nullopt;
  if (inst.opcode() == Opcode::kDynamicUpdateSlice || inst.opcode() == Opcode::kScatter) return 0;
  return std::nullopt;
}

}  // namespace axle
