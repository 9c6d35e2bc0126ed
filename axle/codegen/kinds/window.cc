// The kind of reduce-window and select-and-scatter, if what they apply is straight-line code. The
// loops of a window read elements of neighbouring outputs as neighbours; where these lie apart (a
// stride, a dilation), a second loop reads them one by one (`apart`).
#include <memory>
#include <vector>

#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/schedule/region_kinds.h"
#include "axle/codegen/steps/select_step.h"
#include "axle/codegen/steps/window_step.h"
#include "axle/core/strings.h"
#include "axle/ops/op_def.h"

namespace axle {

extern const RegionKindDef kWindowRegion;

namespace {

PlannedStep PlanReduce(StepPlanner& planner, const Instruction& inst) {
  CompiledComputation& applied = planner.computations().Applied(*inst.callee(0));
  const auto plan = applied.lanes ? PlanWindow(inst, *applied.lanes) : nullptr;
  if (plan == nullptr) return {};
  PlannedStep step = {.function = &RunWindow,
                      .plan = plan,
                      .num_tiles = plan->num_tiles,
                      .scratch_bytes = plan->scratch_bytes,
                      .nanoseconds = TimeOf(*applied.lanes, plan->num_folded)};
  const LaneProgram* lanes = &*applied.lanes;
  if (plan->sum && plan->sum->widening) {
    lanes = &planner.kernels().Keep(*plan->sum->widening);
    plan->loop = planner.NewLoop({lanes, std::vector<InnerStride>(lanes->inputs.size())});
    step.loops.push_back(plan->loop);
  } else if (plan->needs_loop()) {
    step.loops.push_back(plan->loop = planner.LoopOf(applied));
  }
  if (plan->window.reads_apart) {
    std::vector<InnerStride> strides(2 * plan->arrays.size(), InnerStride::kUnit);
    std::fill(strides.begin() + std::ssize(plan->arrays), strides.end(), InnerStride::kAny);
    step.loops.push_back(plan->apart = planner.NewLoop({lanes, std::move(strides)}));
  }
  return step;
}

PlannedStep PlanSelectAndScatter(StepPlanner& planner, const Instruction& inst) {
  const auto& select = planner.computations().Applied(*inst.callee(0)).lanes;
  CompiledComputation& scatter = planner.computations().Applied(*inst.callee(1));
  const auto plan = select && scatter.lanes ? PlanSelect(inst, *scatter.lanes) : nullptr;
  if (plan == nullptr) return {};
  const LaneProgram& lanes = planner.kernels().Keep(SelectLoop(*select));
  const double num_looks =
      static_cast<double>(plan->num_sources) * static_cast<double>(plan->window.num_taps);
  PlannedStep step = {.function = &RunSelect,
                      .plan = plan,
                      .num_tiles = plan->num_tiles,
                      .scratch_bytes = plan->scratch_bytes,
                      .nanoseconds = TimeOf(lanes, num_looks)};
  const auto loop = [&](InnerStride next) {
    auto made = planner.NewLoop(
        {&lanes, {InnerStride::kUnit, InnerStride::kUnit, next, InnerStride::kUniform}});
    step.loops.push_back(made);
    return made;
  };
  plan->loop = loop(InnerStride::kUnit);
  if (plan->window.reads_apart) plan->apart = loop(InnerStride::kAny);
  if (!plan->fold) step.loops.push_back(plan->scatter = planner.LoopOf(scatter));
  return step;
}

PlannedStep Plan(StepPlanner& planner, const Region& region) {
  const Instruction& inst = *region.instructions[0];
  return inst.callees().size() == 1 ? PlanReduce(planner, inst)
                                    : PlanSelectAndScatter(planner, inst);
}

}  // namespace

const RegionKindDef kWindowRegion = {
    .kind = RegionKind::kWindow,
    .engine = "compiled",
    .takes = [](const Instruction& inst) { return GetOpDef(inst).lowering == Lowering::kWindow; },
    .why_alone =
        [](const Instruction& inst) {
          return StrCat("\"", inst.name(), "\" visits the positions of its windows in sequence");
        },
    .plan = Plan,
    .add_record = [](RecordWriter& writer,
                     Region&) { AddPlannedRecord(writer, writer.Places({writer.scratch})); },
};

}  // namespace axle
