#include "axle/codegen/planned_steps.h"

#include <algorithm>
#include <utility>

#include "axle/codegen/schedule/contraction_kernel.h"
#include "axle/codegen/steps/scatter_step.h"
#include "axle/codegen/steps/select_step.h"
#include "axle/codegen/steps/sort_step.h"
#include "axle/codegen/steps/step_time.h"
#include "axle/codegen/steps/window_step.h"

namespace axle {
namespace {

bool FitsLoop(const LaneProgram& lanes) {
  return lanes.inputs.size() + lanes.outputs.size() <= kMaxLoopOperands;
}

}  // namespace

std::optional<PlannedStep> StepPlanner::Plan(const Region& region) {
  const Instruction& inst = *region.instructions[0];
  switch (region.kind) {
    case RegionKind::kContraction:
      return MakeContraction(inst, region.strides ? &*region.strides : nullptr);
    case RegionKind::kScatter:
      return MakeScatter(inst);
    case RegionKind::kSort:
      return MakeSort(inst);
    case RegionKind::kWindow:
      return inst.callees().size() == 1 ? MakeWindow(inst) : MakeSelect(inst);
    default:
      return std::nullopt;
  }
}

PlannedStep StepPlanner::PlanContractionInto(const Region& region, const Access& access) const {
  const Instruction& inst = *region.instructions[0];
  const auto strides = StridesInto(inst, *region.instructions.back(), region.strides, access);
  return MakeContraction(inst, &*strides);
}

PlannedStep StepPlanner::MakeContraction(const Instruction& inst,
                                         const ContractionStrides* strides) const {
  ContractionKernel step = PlanContraction(inst, instruction_set_, strides);
  if (!step.reason.empty()) return {.reason = step.reason};
  // A vector's memory is aligned for any plain data.
  const auto plan = std::make_shared<const std::vector<std::byte>>(std::move(step.plan));
  return {.function = step.function,
          .plan = {plan, plan->data()},
          .num_tiles = step.num_tiles,
          .scratch_bytes = step.scratch_bytes,
          .nanoseconds = ContractionTime(inst)};
}

PlannedStep StepPlanner::MakeScatter(const Instruction& inst) {
  CompiledComputation& applied = computations_.Applied(*inst.callee(0));
  if (!applied.lanes || !FitsLoop(*applied.lanes)) return {};
  const auto plan = PlanScatter(inst, *applied.lanes);
  if (plan == nullptr) return {};
  PlannedStep step = {.function = &RunScatter, .plan = plan, .scratch_bytes = plan->scratch_bytes};
  if (plan->how == ScatterPlan::How::kLoop) step.loops = {plan->loop = LoopOf(applied)};
  return step;
}

PlannedStep StepPlanner::MakeSort(const Instruction& inst) {
  const auto& lanes = computations_.Applied(*inst.callee(0)).lanes;
  const auto plan = lanes ? PlanSort(inst, *lanes) : nullptr;
  if (plan == nullptr) return {};
  PlannedStep step = {.function = &RunSort,
                      .plan = plan,
                      .num_tiles = plan->num_lines,
                      .scratch_bytes = plan->scratch_bytes,
                      .nanoseconds = plan->num_steps() * kMergeTime};
  const LaneProgram& keys = plan->comparator.keys;
  if (!keys.outputs.empty()) {
    const InnerStride stride = plan->step == 1 ? InnerStride::kUnit : InnerStride::kAny;
    plan->keys = NewLoop({&keys, std::vector<InnerStride>(keys.inputs.size(), stride)});
    step.loops.push_back(plan->keys);
  }
  step.loops.push_back(plan->merge = NewLoop(plan->merge_spec));
  return step;
}

PlannedStep StepPlanner::MakeWindow(const Instruction& inst) {
  CompiledComputation& applied = computations_.Applied(*inst.callee(0));
  const auto plan = applied.lanes ? PlanWindow(inst, *applied.lanes) : nullptr;
  if (plan == nullptr) return {};
  PlannedStep step = {.function = &RunWindow,
                      .plan = plan,
                      .num_tiles = plan->num_tiles,
                      .scratch_bytes = plan->scratch_bytes,
                      .nanoseconds = TimeOf(*applied.lanes, plan->num_folded)};
  const LaneProgram* lanes = &*applied.lanes;
  if (plan->sum && plan->sum->widening) {
    lanes = &kernels_.Keep(*plan->sum->widening);
    plan->loop = NewLoop({lanes, std::vector<InnerStride>(lanes->inputs.size())});
    step.loops.push_back(plan->loop);
  } else if (plan->needs_loop()) {
    step.loops.push_back(plan->loop = LoopOf(applied));
  }
  if (plan->window.reads_apart) {
    std::vector<InnerStride> strides(2 * plan->arrays.size(), InnerStride::kUnit);
    std::fill(strides.begin() + std::ssize(plan->arrays), strides.end(), InnerStride::kAny);
    step.loops.push_back(plan->apart = NewLoop({lanes, std::move(strides)}));
  }
  return step;
}

PlannedStep StepPlanner::MakeSelect(const Instruction& inst) {
  const auto& select = computations_.Applied(*inst.callee(0)).lanes;
  CompiledComputation& scatter = computations_.Applied(*inst.callee(1));
  const auto plan = select && scatter.lanes ? PlanSelect(inst, *scatter.lanes) : nullptr;
  if (plan == nullptr) return {};
  const LaneProgram& lanes = kernels_.Keep(SelectLoop(*select));
  const double num_looks =
      static_cast<double>(plan->num_sources) * static_cast<double>(plan->window.num_taps);
  PlannedStep step = {.function = &RunSelect,
                      .plan = plan,
                      .num_tiles = plan->num_tiles,
                      .scratch_bytes = plan->scratch_bytes,
                      .nanoseconds = TimeOf(lanes, num_looks)};
  const auto loop = [&](InnerStride next) {
    auto made =
        NewLoop({&lanes, {InnerStride::kUnit, InnerStride::kUnit, next, InnerStride::kUniform}});
    step.loops.push_back(made);
    return made;
  };
  plan->loop = loop(InnerStride::kUnit);
  if (plan->window.reads_apart) plan->apart = loop(InnerStride::kAny);
  if (!plan->fold) step.loops.push_back(plan->scatter = LoopOf(scatter));
  return step;
}

std::shared_ptr<LoopPlan> StepPlanner::LoopOf(CompiledComputation& computation) {
  if (!computation.lanes || computation.lanes_loop) return computation.lanes_loop;
  if (!FitsLoop(*computation.lanes)) return nullptr;
  const std::vector<InnerStride> strides(computation.lanes->inputs.size());
  computation.lanes_loop = NewLoop({&*computation.lanes, strides});
  return computation.lanes_loop;
}

template <typename Spec>
std::shared_ptr<LoopPlan> StepPlanner::NewLoop(Spec spec) {
  auto loop = std::make_shared<LoopPlan>();
  loop->is_checked = is_checked_;
  kernels_.Add(std::move(spec), loop);
  return loop;
}

}  // namespace axle
