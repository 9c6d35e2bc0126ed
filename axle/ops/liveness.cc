// Finds the live instructions in one backward pass over the computation. Operands come before their
// users, so when the pass reaches an instruction, all its users are decided. The root, side effects
// and calls are live; an operand of a live instruction is live. The cost is linear in the number of
// operands.

#include "axle/ops/liveness.h"

#include "axle/ops/op_def.h"

namespace axle {

std::vector<bool> LiveInstructions(const HloComputation& computation) {
  const auto instructions = computation.instructions();
  std::vector<bool> live(instructions.size());
  live[computation.root()->index()] = true;
  for (size_t i = instructions.size(); i-- > 0;) {
    const Instruction& inst = *instructions[i];
    if (HasSideEffect(inst) || !inst.callees().empty()) live[i] = true;
    if (!live[i]) continue;
    for (i64 k = 0; k < inst.num_operands(); ++k) live[inst.operand(k)->index()] = true;
  }
  return live;
}

}  // namespace axle
