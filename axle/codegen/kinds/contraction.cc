// The kind of dot and convolution: kernels of the library (axle/kernels/). What they have no kernel
// for is of kind kEvaluate instead. The plan is made before memory is planned, because it says how
// much scratch memory a call needs; a dot whose result is a strided sub-view gets a second plan
// (plan_into), of which the compiler uses one.
#include <memory>
#include <vector>

#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/schedule/contraction_kernel.h"
#include "axle/codegen/schedule/region_kinds.h"
#include "axle/codegen/schedule/sub_views.h"
#include "axle/core/strings.h"

namespace axle {

extern const RegionKindDef kContractionRegion;

namespace {

const ContractionStrides* StridesOf(const Region& region) {
  const auto& strides = region.contraction().strides;
  return strides ? &*strides : nullptr;
}

std::optional<ContractionStrides> StridesInView(const Region& region, const SubView& view) {
  return StridesInto(*region.instructions[0], *region.instructions.back(),
                     region.contraction().strides, view.from_first());
}

PlannedStep Plan(const StepPlanner& planner, const Instruction& inst,
                 const ContractionStrides* strides) {
  ContractionKernel step = PlanContraction(inst, planner.instruction_set(), strides);
  if (!step.reason.empty()) return {.reason = step.reason};
  // A vector's memory is aligned for any plain data.
  const auto plan = std::make_shared<const std::vector<std::byte>>(std::move(step.plan));
  return {.function = step.function,
          .plan = {plan, plan->data()},
          .num_tiles = step.num_tiles,
          .scratch_bytes = step.scratch_bytes,
          .nanoseconds = ContractionTime(inst)};
}

// The offset of an operand's access is part of its place; its strides are in the plan.
void AddRecord(RecordWriter& writer, Region& region) {
  std::vector<Place> places = writer.Places({writer.scratch});
  const Instruction& inst = *region.instructions[0];
  for (size_t i = 0; i < region.inputs.size(); ++i) {
    const i64 bytes = Info(inst.operand(static_cast<i64>(i))->shape().type()).bytes;
    places[i].offset += region.inputs[i].access.offset * bytes;
  }
  AddPlannedRecord(writer, places);
}

}  // namespace

const RegionKindDef kContractionRegion = {
    .kind = RegionKind::kContraction,
    .engine = "library",
    .may_move = true,
    .why_alone =
        [](const Instruction& inst) {
          return StrCat("\"", inst.name(), "\" is a kernel of the library");
        },
    .can_write =
        [](const Region& region, const SubViewWrite& write) {
          return write.view.is_run() || StridesInView(region, write.view);
        },
    .plan =
        [](StepPlanner& planner, const Region& region) {
          return Plan(planner, *region.instructions[0], StridesOf(region));
        },
    .plan_into =
        [](StepPlanner& planner, const Region& region, const SubView& view) {
          const auto strides = StridesInView(region, view);  // can_write found them
          return Plan(planner, *region.instructions[0], &*strides);
        },
    .add_record = AddRecord,
};

}  // namespace axle
