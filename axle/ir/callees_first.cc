#include "axle/ir/callees_first.h"

#include <unordered_set>

namespace axle {

std::vector<const HloComputation*> CalleesFirst(const HloComputation& root,
                                                const IsDoneFn& is_done) {
  struct Frame {
    const HloComputation* computation;
    size_t instruction = 0;
    size_t callee = 0;
  };
  std::vector<const HloComputation*> order;
  if (is_done && is_done(&root)) return order;
  std::unordered_set<const HloComputation*> seen = {&root};
  std::vector<Frame> stack = {{&root}};
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.instruction == frame.computation->instructions().size()) {
      order.push_back(frame.computation);
      stack.pop_back();
      continue;
    }
    const auto callees = frame.computation->instructions()[frame.instruction]->callees();
    if (frame.callee == callees.size()) {
      ++frame.instruction;
      frame.callee = 0;
      continue;
    }
    const HloComputation* callee = callees[frame.callee++];
    if (is_done && is_done(callee)) continue;
    if (seen.insert(callee).second) stack.push_back({callee});
  }
  return order;
}

std::vector<const HloComputation*> CalleesFirst(const Module& module) {
  std::vector<const HloComputation*> order;
  std::unordered_set<const HloComputation*> done;
  const IsDoneFn is_done = [&](const HloComputation* c) { return done.contains(c); };
  for (const auto& root : module.computations()) {
    for (const HloComputation* computation : CalleesFirst(*root, is_done)) {
      order.push_back(computation);
      done.insert(computation);
    }
  }
  return order;
}

}  // namespace axle
