// The kinds of calls, loops and branches that run programs. The frame of a called program lies in
// the scratch memory of the record, so a program and all that it calls need one block of memory:
//
//   call           [frame of the callee]
//   while          [pred: kPlaceAlignment bytes] [frame of the condition] [frame of the body]
//   conditional    [frame of one branch: as large as the largest]
//
// The two frames of a while do not overlap, so that each is entered once for all iterations.
// Results that take the place of arguments (ControlRegion::updates: the state of a while, what a
// branch updates) are written in place: the inputs are copied to the outputs first, where they do
// not lie there already, and the callees are compiled in a form kUpdate.
#include <algorithm>
#include <vector>

#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/schedule/region_kinds.h"
#include "axle/codegen/schedule/sub_views.h"
#include "axle/core/strings.h"

namespace axle {

extern const RegionKindDef kCallRegion, kWhileRegion, kConditionalRegion;

namespace {

std::string WhyAlone(const Instruction& inst) {
  return StrCat("\"", inst.name(), "\" runs other computations");
}

// A program's results lie where any block may.
bool CanWriteBlock(const Region&, const SubViewWrite& write) {
  const i64 offset = write.view.access.offset * write.value.array.element_bytes();
  return write.view.is_run() && offset % kPlaceAlignment == 0;
}

// The copies of inputs to the outputs that are to take their places.
void AddCopies(RecordWriter& writer, const Region& region) {
  for (const InPlacePair& pair : region.in_place) {
    writer.program.AddCopy(writer.inputs[pair.input], writer.outputs[pair.output],
                           writer.schedule.values[region.outputs[pair.output]].bytes);
  }
}

// The blocks of callee c, which takes `count` inputs from the first on: its arguments, and the
// results that do not take the place of one.
void AddBlocks(const RecordWriter& writer, const Region& region, size_t c, size_t first,
               size_t count, std::vector<Place>& places) {
  const auto begin = writer.inputs.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<Place> arguments(begin, begin + static_cast<std::ptrdiff_t>(count));
  std::vector<Place> results;
  const auto& updates = region.control().updates;
  for (size_t o = 0; o < writer.outputs.size(); ++o) {
    const std::int32_t argument = updates.empty() ? -1 : updates[c][o];
    if (argument < 0) {
      results.push_back(writer.outputs[o]);
    } else {
      arguments[static_cast<size_t>(argument)] = writer.outputs[o];
    }
  }
  places.insert(places.end(), arguments.begin(), arguments.end());
  places.insert(places.end(), results.begin(), results.end());
}

void AddCall(RecordWriter& writer, Region& region) {
  AddCopies(writer, region);
  std::vector<Place> places;
  AddBlocks(writer, region, 0, 0, writer.inputs.size(), places);
  places.push_back(writer.scratch);
  Record& record = writer.program.AddRecord(places, writer.name);
  record.kind = Record::Kind::kCall;
  record.programs = {writer.planner.computations().ProgramOf(region, 0)};
}

constexpr std::ptrdiff_t kBody = 1;

i64 WhileBytes(const StepPlanner& planner, const Region& region) {
  const CompiledComputations& computations = planner.computations();
  return kPlaceAlignment + computations.ProgramOf(region, 0)->frame_bytes +
         computations.ProgramOf(region, kBody)->frame_bytes;
}

void AddWhile(RecordWriter& writer, Region& region) {
  AddCopies(writer, region);
  std::vector<Place> places = writer.outputs;
  places.push_back(writer.scratch);  // the pred
  places.push_back({Place::kFrame, writer.scratch.offset + kPlaceAlignment});
  Record& record = writer.program.AddRecord(places, writer.name);
  record.kind = Record::Kind::kWhile;
  const CompiledComputations& computations = writer.planner.computations();
  record.programs = {computations.ProgramOf(region, 0), computations.ProgramOf(region, kBody)};
}

i64 ConditionalBytes(const StepPlanner& planner, const Region& region) {
  const Instruction& inst = *region.instructions[0];
  i64 bytes = 0;
  for (size_t i = 0; i < inst.callees().size(); ++i) {
    bytes = std::max(bytes, planner.computations().ProgramOf(region, i)->frame_bytes);
  }
  return bytes;
}

void AddConditional(RecordWriter& writer, Region& region) {
  const Instruction& inst = *region.instructions[0];
  AddCopies(writer, region);
  std::vector<Place> places = {writer.inputs[0], writer.scratch};
  size_t next = 1;
  for (size_t i = 0; i < inst.callees().size(); ++i) {
    const auto count =
        static_cast<size_t>(NumBlocks(inst.operand(static_cast<i64>(i) + 1)->shape()));
    AddBlocks(writer, region, i, next, count, places);
    next += count;
  }
  Record& record = writer.program.AddRecord(places, writer.name);
  record.kind = Record::Kind::kConditional;
  record.index_is_pred = inst.operand(0)->shape().type() == PRED;
  for (size_t i = 0; i < inst.callees().size(); ++i) {
    record.programs.push_back(writer.planner.computations().ProgramOf(region, i));
  }
}

}  // namespace

const RegionKindDef kCallRegion = {
    .kind = RegionKind::kCall,
    .engine = "program",
    .why_alone = WhyAlone,
    .can_write = CanWriteBlock,
    .scratch_bytes =
        [](const StepPlanner& planner, const Region& region) {
          return planner.computations().ProgramOf(region, 0)->frame_bytes;
        },
    .add_record = AddCall,
};

const RegionKindDef kWhileRegion = {
    .kind = RegionKind::kWhile,
    .engine = "program",
    .why_alone = WhyAlone,
    // Its state would be moved there first.
    .can_write = [](const Region&, const SubViewWrite&) { return false; },
    .body = kBody,
    .scratch_bytes = WhileBytes,
    .add_record = AddWhile,
};

const RegionKindDef kConditionalRegion = {
    .kind = RegionKind::kConditional,
    .engine = "program",
    .why_alone = WhyAlone,
    .can_write = CanWriteBlock,
    .scratch_bytes = ConditionalBytes,
    .add_record = AddConditional,
};

}  // namespace axle
