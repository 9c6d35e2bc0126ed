// The record of a planned step uses several threads only if the plan says that this is worth it.
#include "axle/codegen/kinds/record_writer.h"

namespace axle {

void AddPlannedRecord(RecordWriter& writer, const std::vector<Place>& places) {
  const PlannedStep& step = writer.planned;
  Record& record = writer.program.AddRecord(places, writer.name);
  record.num_tiles = step.num_tiles;
  record.scratch_bytes = step.scratch_bytes;
  record.parallel_nanoseconds =
      step.NumParts(writer.planner.num_threads()) > 1 ? step.nanoseconds : 0;
  writer.program.SetKernel(record, step.function, step.plan);
  for (const auto& loop : step.loops) writer.kernels.push_back(loop.get());
}

}  // namespace axle
