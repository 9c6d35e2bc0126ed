// Replaces calls and fusions by the instructions of the callee.
//
// A callee with one caller is not copied by itself: its instructions go straight to where its
// caller's go, which may be the place of another call, so each instruction is copied once however
// deeply calls are nested. This walk keeps a stack of frames instead of recursing. A callee with
// several callers is rebuilt first, with the calls in it inlined, and then copied to each caller
// while the budget (kMaxInlineGrowth plus the size of the module) lasts. Copies get fresh names and
// keep ids and metadata; one that has no line of source takes that of the call, so that a program
// of JAX, whose library functions have none, always leads to a line of its user. Dead-code
// elimination removes the callees that nobody calls any more.

#include "axle/passes/inline.h"

#include "axle/ir/source_place.h"
#include "axle/ops/control_form.h"
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
    if (module.entry() == nullptr) return;  // everything is kept
    for (const auto& computation : module.computations()) {
      if (IsFrozen(*computation)) continue;
      for (const Instruction* inst : computation->instructions()) {
        if (!CanReplace(*inst)) continue;
        const HloComputation* callee = inst->callee(0);
        if (num_callers_.at(callee) == 1 && callee != module.entry()) called_once_.insert(callee);
      }
    }
  }

 private:
  // Whether the callee's instructions can replace this call: threads, shapes and layouts agree.
  bool CanReplace(const Instruction& inst) const {
    if (ControlFormOf(inst) != ControlForm::kCall || IsTied(inst)) return false;
    const HloComputation& callee = *inst.callee(0);
    if (callee.execution_thread() != inst.parent()->execution_thread() ||
        callee.root()->shape() != inst.shape()) {
      return false;
    }
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      if (inst.operand(i)->shape() != callee.parameters()[i]->shape()) return false;
    }
    return true;
  }

  bool IsOnlyCall(const Instruction& inst) const {
    return ControlFormOf(inst) == ControlForm::kCall && called_once_.contains(inst.callee(0));
  }

  bool Keeps(const HloComputation& computation) override {
    return !called_once_.contains(&computation);
  }

  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    if (IsOnlyCall(inst)) return Replace(inst);
    if (Instruction* const result = CopyOfCallee(inst)) return result;
    return Copy(inst);
  }

  // Copies the callee of `outermost`, and of calls of single-caller computations in it. No
  // recursion: chains of calls may be long.
  StatusOr<Instruction*> Replace(const Instruction& outermost) {
    struct Frame {
      const Instruction* call;
      const Instruction* outer_caller;
      size_t next = 0;  // instruction of the callee
    };
    std::vector<Frame> frames;
    const auto enter = [&](const Instruction& call) {
      Enter(*call.callee(0), Operands(call));
      frames.push_back({&call, EnterPlace(call)});
      ++context_.changes;
    };
    enter(outermost);
    while (true) {
      const Instruction& call = *frames.back().call;
      const HloComputation& callee = *call.callee(0);
      if (frames.back().next == callee.instructions().size()) {
        Instruction* const result = Leave(callee);
        SetCaller(frames.back().outer_caller);
        frames.pop_back();
        if (frames.empty()) return result;
        Stands(call, result);
        continue;
      }
      if (limits() != nullptr) AXLE_TRY(limits()->Check());
      const Instruction& inst = *callee.instructions()[frames.back().next++];
      if (IsParameter(inst)) continue;
      if (IsOnlyCall(inst)) {
        enter(inst);
      } else if (Instruction* const result = CopyOfCallee(inst)) {
        Stands(inst, result);
      } else {
        Stands(inst, CopyAs(FreshName(inst.name()), inst, Operands(inst)));
      }
    }
  }

  // Replaces a call of a computation that has other callers too; null if the instruction is no such
  // call or stays one.
  Instruction* CopyOfCallee(const Instruction& inst) {
    if (!CanReplace(inst)) return nullptr;
    const HloComputation& callee = *Mapped(*inst.callee(0));
    if (num_callers_.at(inst.callee(0)) > 1) {
      const auto size = static_cast<i64>(callee.instructions().size());
      if (size > budget_) return nullptr;
      budget_ -= size;
    }
    std::unordered_map<const Instruction*, Instruction*> copies;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      copies[callee.parameters()[i]] = Mapped(*inst.operand(i));
    }
    const Instruction* const outer_caller = EnterPlace(inst);
    CopyAll(callee.instructions(), /*rename=*/true, copies);
    SetCaller(outer_caller);
    ++context_.changes;
    return copies.at(callee.root());
  }

  // Makes `call` the caller of the copies that follow, unless it has no line of source itself.
  // Returns what SetCaller takes at the end of the callee.
  const Instruction* EnterPlace(const Instruction& call) {
    const Instruction* const outer = SetCaller(&call);
    if (SourcePlace(call).empty()) SetCaller(outer);
    return outer;
  }

  PassContext& context_;
  i64 budget_;
  std::unordered_map<const HloComputation*, i64> num_callers_;
  std::unordered_set<const HloComputation*> called_once_;  // by a call that is replaced
};

}  // namespace

StatusOr<std::unique_ptr<Module>> InlineCalls(const Module& module, PassContext& context) {
  AXLE_ASSIGN(std::unique_ptr<Module> inlined, Inlining(module, context).Run());
  if (context.changes == 0) return inlined;
  return RemoveDeadCode(*inlined, context.limits);
}

}  // namespace axle
