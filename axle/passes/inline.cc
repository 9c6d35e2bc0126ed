#include "axle/passes/inline.h"

#include "axle/passes/dce.h"
#include "axle/passes/rebuild.h"

namespace axle {
namespace {

class Inlining : public Rebuilder {
 public:
  Inlining(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits),
        context_(context),
        budget_(kMaxInlineGrowth + module.num_instructions()) {
    for (const auto& computation : module.computations()) {
      for (const Instruction* inst : computation->instructions()) {
        for (const HloComputation* callee : inst->callees()) ++num_callers_[callee];
      }
    }
  }

 private:
  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    if (!Is(inst, Opcode::kCall) || IsTied(inst)) return Copy(inst);
    const HloComputation& callee = *Mapped(*inst.callee(0));
    const std::vector<Instruction*> operands = Operands(inst);
    if (callee.execution_thread() != to()->execution_thread() ||
        callee.root()->shape() != inst.shape()) {
      return Copy(inst);
    }
    std::unordered_map<const Instruction*, Instruction*> copies;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i]->shape() != callee.parameters()[i]->shape()) return Copy(inst);
      copies[callee.parameters()[i]] = operands[i];
    }
    if (num_callers_.at(inst.callee(0)) > 1) {
      const auto size = static_cast<i64>(callee.instructions().size());
      if (size > budget_) return Copy(inst);
      budget_ -= size;
    }
    CopyAll(callee.instructions(), /*rename=*/true, copies);
    ++context_.changes;
    return copies.at(callee.root());
  }

  PassContext& context_;
  i64 budget_;
  std::unordered_map<const HloComputation*, i64> num_callers_;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> InlineCalls(const Module& module, PassContext& context) {
  AXLE_ASSIGN(std::unique_ptr<Module> inlined, Inlining(module, context).Run());
  if (context.changes == 0) return inlined;
  return RemoveDeadCode(*inlined, context.limits);
}

}  // namespace axle
