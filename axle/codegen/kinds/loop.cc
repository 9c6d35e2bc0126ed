// The kinds of loops: alone, with folds or without, and several over the same rows.
#include <algorithm>

#include "axle/codegen/kinds/loop_records.h"
#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/schedule/region_kinds.h"

namespace axle {

extern const RegionKindDef kLoopRegion, kRowsRegion;

namespace {

// Whether outputs may be written past the caches: none takes the place of an input, which has been
// read into them, and each begins where such a write may begin.
bool MayStream(const RecordWriter& writer) {
  return std::ranges::none_of(writer.outputs, [&](const Place& output) {
    return output.offset % kPlaceAlignment != 0 ||
           std::ranges::find(writer.inputs, output) != writer.inputs.end();
  });
}

LoopRecords LoopsOf(RecordWriter& writer) {
  return {writer.schedule, writer.sub_views, writer.planner.rounding(), writer.planner.is_checked(),
          writer.planner.kernels()};
}

void AddLoop(RecordWriter& writer, Region& region) {
  Record& record = writer.program.AddRecord(writer.Places({writer.scratch}), writer.name);
  record.scratch_bytes = LoopScratchBytes(region);
  LoopRecord loop = LoopsOf(writer).MakeLoop(region, MayStream(writer));
  record.num_tiles = loop.num_tiles;
  record.parallel_nanoseconds = ParallelTime(loop.nanoseconds);
  writer.kernels = {loop.loop};
  writer.program.SetKernel(record, loop.function, loop.plan);
  if (loop.join == nullptr) return;
  Record& join = writer.program.AddRecord(writer.Places({writer.scratch}), writer.name);
  writer.program.SetKernel(join, loop.join, std::move(loop.plan));
  writer.records_behind = 1;
}

// One record runs all loops of the region; it owns their plans, and a tile is a block of rows.
void AddRows(RecordWriter& writer, Region& region) {
  Record& record = writer.program.AddRecord(writer.Places({writer.scratch}), writer.name);
  LoopRecords::Rows rows = LoopsOf(writer).MakeRows(region, MayStream(writer));
  double time = 0;
  for (LoopRecord& loop : rows.loops) {
    time += loop.nanoseconds;
    writer.kernels.push_back(loop.loop);
    writer.program.Own(std::move(loop.plan));
  }
  record.num_tiles = rows.plan->num_tiles();
  record.parallel_nanoseconds = ParallelTime(time);
  record.scratch_bytes = region.rows().local_bytes;
  writer.program.SetKernel(record, &RunRowSteps, std::move(rows.plan));
}

}  // namespace

const RegionKindDef kLoopRegion = {
    .kind = RegionKind::kLoop,
    .engine = "compiled",
    .may_move = true,
    .can_write = CanWriteLoop,
    .has_callees_inside = true,  // reducers
    .scratch_bytes =
        [](const StepPlanner& planner, const Region& region) {
          return LoopScratchBytes(region) * planner.num_threads() + LoopSharedBytes(region);
        },
    .add_record = AddLoop,
};

const RegionKindDef kRowsRegion = {
    .kind = RegionKind::kRows,
    .engine = "compiled",
    .can_write = CanWriteRows,
    .has_callees_inside = true,
    .scratch_bytes =
        [](const StepPlanner& planner, const Region& region) {
          return region.rows().local_bytes * planner.num_threads();
        },
    .add_record = AddRows,
};

}  // namespace axle
