// Mark and copy. Live in a computation are the root, all parameters, instructions with an effect,
// and what any of these needs: operands, control predecessors, and the users of an instruction
// whose row says that its uses matter (check_uses: the done of an asynchronous start). Then
// computations are marked from the entry over live instructions, and the module is copied without
// the rest. Both marks use a work list, because chains of operands and calls may be long. Frozen
// computations keep all their instructions. A module without an entry keeps all computations.
// Linear time.

#include "axle/passes/dce.h"

#include "axle/passes/rebuild.h"

namespace axle {
namespace {

class DeadCodeRemoval : public Rebuilder {
 public:
  DeadCodeRemoval(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits), context_(context) {
    for (const auto& computation : module.computations()) FindLive(*computation);
    if (module.entry() != nullptr) FindCalled(*module.entry());
  }

 private:
  void FindLive(const HloComputation& computation) {
    std::vector<bool>& live = live_[&computation];
    live.assign(computation.instructions().size(), false);
    std::vector<const Instruction*> work;
    const auto mark = [&](const Instruction* inst) {
      if (live[inst->index()]) return;
      live[inst->index()] = true;
      work.push_back(inst);
    };
    if (computation.root() != nullptr) mark(computation.root());
    for (const Instruction* inst : computation.instructions()) {
      if (IsParameter(*inst) || effects().Of(*inst)) mark(inst);
    }
    while (!work.empty()) {
      const Instruction* inst = work.back();
      work.pop_back();
      for (i64 i = 0; i < inst->num_operands(); ++i) mark(inst->operand(i));
      if (inst->extras() != nullptr) {
        for (const Instruction* before : inst->extras()->control_predecessors) mark(before);
      }
      // The user completes this instruction (start and done, send and send-done), so it is live
      // too.
      if (GetOpDef(*inst).check_uses == nullptr) continue;
      for (const Use* use = inst->first_use(); use != nullptr; use = use->next) mark(use->user);
    }
  }

  // Marks the computations that live instructions of `entry` reach.
  void FindCalled(const HloComputation& entry) {
    std::vector<const HloComputation*> work = {&entry};
    called_.insert(&entry);
    while (!work.empty()) {
      const HloComputation* computation = work.back();
      work.pop_back();
      for (const Instruction* inst : computation->instructions()) {
        if (!IsFrozen(*computation) && !live_.at(computation)[inst->index()]) continue;
        for (const HloComputation* callee : inst->callees()) {
          if (called_.insert(callee).second) work.push_back(callee);
        }
      }
    }
  }

  bool Keeps(const HloComputation& computation) override {
    const bool keeps = from().entry() == nullptr || called_.contains(&computation);
    if (!keeps) context_.changes += static_cast<i64>(computation.instructions().size());
    return keeps;
  }

  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    if (live_.at(inst.parent())[inst.index()]) return Copy(inst);
    ++context_.changes;
    return nullptr;
  }

  PassContext& context_;
  std::unordered_map<const HloComputation*, std::vector<bool>> live_;
  std::unordered_set<const HloComputation*> called_;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> RemoveDeadCode(const Module& module, PassContext& context) {
  return DeadCodeRemoval(module, context).Run();
}

StatusOr<std::unique_ptr<Module>> RemoveDeadCode(const Module& module, Limits* limits) {
  PassContext context = {.limits = limits};
  return RemoveDeadCode(module, context);
}

}  // namespace axle
