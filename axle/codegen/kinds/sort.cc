// The kind of sorts whose comparator is straight-line code: a loop that makes the keys, if there
// are any, and a merge. Both are compiled kernels, which equal comparators share.
#include <memory>
#include <vector>

#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/schedule/region_kinds.h"
#include "axle/codegen/steps/sort_step.h"
#include "axle/core/strings.h"
#include "axle/ops/op_def.h"

namespace axle {

extern const RegionKindDef kSortRegion;

namespace {

// Keys read a line with its stride (kAny) unless it is contiguous; they are written as contiguous
// scratch memory.
PlannedStep Plan(StepPlanner& planner, const Region& region) {
  const Instruction& inst = *region.instructions[0];
  const auto& lanes = planner.computations().Applied(*inst.callee(0)).lanes;
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
    plan->keys = planner.NewLoop({&keys, std::vector<InnerStride>(keys.inputs.size(), stride)});
    step.loops.push_back(plan->keys);
  }
  step.loops.push_back(plan->merge = planner.NewLoop(plan->merge_spec));
  return step;
}

}  // namespace

const RegionKindDef kSortRegion = {
    .kind = RegionKind::kSort,
    .engine = "compiled",
    .takes =
        [](const Instruction& inst) {
          return GetOpDef(inst).lowering == Lowering::kSort && inst.callees().size() == 1;
        },
    .updates_in_place = [](const Instruction&) { return true; },
    .why_alone =
        [](const Instruction& inst) { return StrCat("\"", inst.name(), "\" sorts whole rows"); },
    .plan = Plan,
    .add_record = [](RecordWriter& writer,
                     Region&) { AddPlannedRecord(writer, writer.Places({writer.scratch})); },
};

}  // namespace axle
