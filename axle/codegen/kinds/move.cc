// The kind of index maps that no reader can apply in place: elements are copied to where they
// belong.
#include <memory>

#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/schedule/region_kinds.h"
#include "axle/codegen/steps/move_step.h"
#include "axle/core/strings.h"

namespace axle {

extern const RegionKindDef kMoveRegion;

namespace {

void AddRecord(RecordWriter& writer, Region& region) {
  std::shared_ptr<const MovePlan> move = PlanMove(region, writer.schedule, writer.sub_views);
  Record& record = writer.program.AddRecord(writer.Places(), writer.name);
  record.num_tiles = move->num_tiles;
  record.parallel_nanoseconds =
      ParallelTime(2 * kByteTime * static_cast<double>(move->moved_bytes));
  writer.program.SetKernel(record, &RunMove, std::move(move));
}

}  // namespace

const RegionKindDef kMoveRegion = {
    .kind = RegionKind::kMove,
    .engine = "library",
    .may_move = true,
    .why_alone =
        [](const Instruction& inst) {
          return StrCat("\"", inst.name(), "\" is copied: its reader needs contiguous rows");
        },
    .can_write = CanWriteMove,
    .add_record = AddRecord,
};

}  // namespace axle
