// The kind of fft: kernels of the library (axle/kernels/fft.h), one record for each transformed
// dimension. All but the first work in their places, in the result or, on the way to real numbers,
// in scratch memory.
#include <algorithm>
#include <memory>

#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/schedule/region_kinds.h"
#include "axle/codegen/steps/fft_step.h"
#include "axle/core/strings.h"
#include "axle/ops/fft_plan.h"

namespace axle {

extern const RegionKindDef kFftRegion;

namespace {

// The first dimension stands for the step: it has the most tiles, and takes the most time.
PlannedStep Plan(StepPlanner& planner, const Region& region) {
  const auto plan = PlanFftStep(*region.instructions[0], planner.instruction_set());
  if (plan == nullptr) return {};
  PlannedStep step = {.function = plan->dimensions[0].function, .plan = plan, .num_tiles = 0};
  for (const FftDimension& dimension : plan->dimensions) {
    step.num_tiles = std::max(step.num_tiles, dimension.kernel.num_tiles);
    step.scratch_bytes = std::max(step.scratch_bytes, dimension.kernel.scratch_bytes);
    step.nanoseconds = std::max(step.nanoseconds, dimension.nanoseconds);
  }
  // Each call has its part of the values between dimensions, which follow the scratch memory of
  // all.
  const i64 parts = step.NumParts(planner.num_threads());
  const i64 share = (plan->between_bytes + parts - 1) / parts;
  step.scratch_bytes += (share + kPlaceAlignment - 1) / kPlaceAlignment * kPlaceAlignment;
  return step;
}

void AddRecords(RecordWriter& writer, Region&) {
  const auto& step = *static_cast<const FftStep*>(writer.planned.plan.get());
  writer.program.Own(writer.planned.plan);
  const i64 num_threads = writer.planner.num_threads();
  const i64 parts = writer.planned.NumParts(num_threads);
  i64 scratch_bytes = 0;
  for (const FftDimension& dimension : step.dimensions) {
    scratch_bytes = std::max(scratch_bytes, dimension.kernel.scratch_bytes);
  }
  Place between = writer.scratch;
  between.offset += parts * scratch_bytes;
  Place from = writer.inputs[0];
  for (const FftDimension& dimension : step.dimensions) {
    const bool is_last = &dimension == &step.dimensions.back();
    const Place to = step.between_bytes > 0 && !is_last ? between : writer.outputs[0];
    Record& record =
        writer.program.AddRecord(std::vector<Place>{from, to, writer.scratch}, writer.name);
    record.function = dimension.function;
    record.plan = &dimension.kernel;
    record.num_tiles = dimension.kernel.num_tiles;
    record.scratch_bytes = scratch_bytes;
    record.parallel_nanoseconds =
        parts > 1 && IsWorthThreads(dimension.nanoseconds) ? dimension.nanoseconds : 0;
    from = to;
  }
  writer.records_behind = step.dimensions.size() - 1;
}

}  // namespace

const RegionKindDef kFftRegion = {
    .kind = RegionKind::kFft,
    .engine = "library",
    .takes =
        [](const Instruction& inst) {
          return IsFft(inst) && inst.shape().is_static() && inst.operand(0)->shape().is_static();
        },
    .updates_in_place =
        [](const Instruction& inst) {
          return inst.shape().num_bytes() == inst.operand(0)->shape().num_bytes();
        },
    .may_move = true,
    .why_alone =
        [](const Instruction& inst) {
          return StrCat("\"", inst.name(), "\" is a kernel of the library");
        },
    .plan = Plan,
    .add_record = AddRecords,
};

}  // namespace axle
