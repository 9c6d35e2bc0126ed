// The kind of several regions of few elements as one compiled function (schedule/small_regions.h).
#include <algorithm>
#include <memory>

#include "axle/codegen/kinds/loop_records.h"
#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/schedule/region_kinds.h"
#include "axle/codegen/schedule/small_regions.h"
#include "axle/codegen/schedule/sub_views.h"
#include "axle/codegen/steps/small_step.h"

namespace axle {

extern const RegionKindDef kSmallRegion;

namespace {

// The large constants of callees stay where they are.
void KeepConstants(ProgramWriter& program, const Region& region) {
  if (const ControlRegion* control = region.if_control()) {
    for (const auto& callee : control->callees) {
      const bool has_large = std::ranges::any_of(callee->constants, [&](const auto& constant) {
        return !IsSmall(callee->values[constant.first]);
      });
      if (has_large) program.Own(callee);
      for (const Region& inner : callee->regions) KeepConstants(program, inner);
    }
  }
  ForEachPart(region, [&](const Region& part) { KeepConstants(program, part); });
}

void AddRecord(RecordWriter& writer, Region& region) {
  Record& record = writer.program.AddRecord(writer.Places(), writer.name);
  auto small = std::make_shared<SmallPlan>();
  if (writer.planner.is_checked()) small->memory_bytes = MemoryBytes(writer.schedule, region);
  KeepConstants(writer.program, region);
  writer.program.SetKernel(record, &RunSmall, small);
  writer.kernels = {small.get()};
  writer.planner.kernels().Add(std::move(region), writer.schedule, std::move(small));
}

}  // namespace

const RegionKindDef kSmallRegion = {
    .kind = RegionKind::kSmall,
    .engine = "compiled",
    // Large outputs are updates in place, and those keep their place.
    .can_write =
        [](const Region&, const SubViewWrite& write) {
          return write.view.is_run() && IsSmall(write.value);
        },
    .has_callees_inside = true,
    .add_record = AddRecord,
};

}  // namespace axle
