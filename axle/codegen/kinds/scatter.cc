// The kind of scatters that apply straight-line code. The step has a compiled loop only if no loop
// in C++ does what is applied (ScatterPlan::How::kLoop).
#include <memory>
#include <vector>

#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/schedule/region_kinds.h"
#include "axle/codegen/steps/scatter_step.h"
#include "axle/core/strings.h"
#include "axle/ops/op_def.h"

namespace axle {

extern const RegionKindDef kScatterRegion;

namespace {

PlannedStep Plan(StepPlanner& planner, const Region& region) {
  const Instruction& inst = *region.instructions[0];
  CompiledComputation& applied = planner.computations().Applied(*inst.callee(0));
  if (!applied.lanes || !StepPlanner::FitsLoop(*applied.lanes)) return {};
  const auto plan = PlanScatter(inst, *applied.lanes);
  if (plan == nullptr) return {};
  PlannedStep step = {.function = &RunScatter,
                      .plan = plan,
                      .num_tiles = plan->num_tiles,
                      .scratch_bytes = plan->scratch_bytes,
                      .nanoseconds = plan->nanoseconds};
  if (plan->how == ScatterPlan::How::kLoop) step.loops = {plan->loop = planner.LoopOf(applied)};
  return step;
}

}  // namespace

const RegionKindDef kScatterRegion = {
    .kind = RegionKind::kScatter,
    .engine = "library",
    .takes = [](const Instruction& inst) { return GetOpDef(inst).lowering == Lowering::kScatter; },
    .updates_in_place = [](const Instruction&) { return true; },
    .why_alone =
        [](const Instruction& inst) {
          return StrCat("\"", inst.name(), "\" applies its updates in sequence");
        },
    .plan = Plan,
    .add_record = [](RecordWriter& writer,
                     Region&) { AddPlannedRecord(writer, writer.Places({writer.scratch})); },
};

}  // namespace axle
