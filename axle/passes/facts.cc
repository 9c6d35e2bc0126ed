// Queries about instructions. Effects and FrozenComputations walk the call graph once, callees
// first and callers first, when a pass begins; the other queries look at one instruction. Nothing
// here names an operation: the facts come from the rows (lowering, traits, check_uses).

#include "axle/passes/facts.h"

#include <algorithm>

#include "axle/ir/callees_first.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/lanes/reducer.h"

namespace axle {
Effects::Effects(const Module& module) {
  for (const HloComputation* computation : CalleesFirst(module)) {
    const auto instructions = computation->instructions();
    if (std::ranges::any_of(instructions, [&](const Instruction* inst) { return Of(*inst); })) {
      effects_.insert(computation);
    } else if (std::ranges::all_of(instructions, [&](const Instruction* inst) {
                 return IsParameter(*inst) || IsPlain(*inst);
               })) {
      plain_.insert(computation);
    }
  }
}

bool Effects::Of(const Instruction& inst) const {
  return HasSideEffect(inst) ||
         std::ranges::any_of(inst.callees(), [&](const HloComputation* c) { return Of(*c); });
}

bool Effects::IsPlain(const Instruction& inst) const {
  return IsMergeable(inst) && !HasSideEffect(inst) &&
         std::ranges::all_of(inst.callees(), [&](const HloComputation* c) { return IsPlain(*c); });
}

bool IsTransparentCaller(const Instruction& inst) {
  return GetOpDef(inst).has(kRunsCallees);
}

std::unordered_set<const HloComputation*> FrozenComputations(const Module& module) {
  std::unordered_set<const HloComputation*> frozen;
  const std::vector<const HloComputation*> order = CalleesFirst(module);
  for (auto caller = order.rbegin(); caller != order.rend(); ++caller) {
    for (const Instruction* inst : (*caller)->instructions()) {
      if (IsTransparentCaller(*inst) && !frozen.contains(*caller)) continue;
      frozen.insert(inst->callees().begin(), inst->callees().end());
    }
  }
  return frozen;
}

bool FoldsOneByOne(const HloComputation& reducer, std::span<const ElementType> types) {
  const auto lanes = CompileScalarComputation(reducer);
  if (!lanes) return false;
  const std::vector<ReducerKind> kinds = ClassifyReducer(*lanes, types);
  for (size_t i = 0; i < kinds.size(); ++i) {
    const bool is_inexact = IsFloating(types[i]) || IsComplex(types[i]);
    const bool is_sum = kinds[i] == ReducerKind::kAdd || kinds[i] == ReducerKind::kMultiply;
    if (is_inexact && is_sum) return false;
  }
  return true;
}

bool HasAnnotations(const Instruction& inst) {
  const InstructionExtras* extras = inst.extras();
  return extras != nullptr && (!extras->sharding.empty() || !extras->frontend_attributes.empty() ||
                               !extras->control_predecessors.empty() ||
                               !extras->result_accuracy.empty() || extras->has_backend_config);
}

bool HasTokens(const Shape& shape) {
  bool found = false;
  ForEachLeaf(shape, [&](const Shape& leaf, const Dims&) { found |= !leaf.is_array(); });
  return found;
}

bool IsMergeable(const Instruction& inst) {
  const OpDef& def = GetOpDef(inst);
  return !IsParameter(inst) && def.lowering != Lowering::kRandom &&
         def.lowering != Lowering::kCollective && def.check_uses == nullptr &&
         !def.has(kStandsApart) && !HasTokens(inst.shape());
}

bool IsFoldable(const Instruction& inst) {
  return IsMergeable(inst) && GetOpDef(inst).lowering != Lowering::kData &&
         GetOpDef(inst).lowering != Lowering::kControlFlow;
}

}  // namespace axle
