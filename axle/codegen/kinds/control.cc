// The kinds of calls, loops and branches that run programs. The frame of a called program lies in
// the scratch memory of the record, so a program and all that it calls need one block of memory:
//
//   call           [frame of the callee]
//   while          [pred: kPlaceAlignment bytes] [frame of the condition] [frame of the body]
//   conditional    [frame of one branch: as large as the largest]
//
// The two frames of a while do not overlap, so that each is entered once for all iterations. It
// updates its state in place: the inputs are copied to the outputs first, where they do not lie
// there already, and the body is compiled in the form kUpdate.
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

void AddCall(RecordWriter& writer, Region& region) {
  Record& record = writer.program.AddRecord(writer.Places({writer.scratch}), writer.name);
  record.kind = Record::Kind::kCall;
  record.programs = {writer.planner.computations().ProgramOf(*region.instructions[0], 0)};
}

constexpr std::ptrdiff_t kBody = 1;

i64 WhileBytes(const StepPlanner& planner, const Region& region) {
  const Instruction& inst = *region.instructions[0];
  const CompiledComputations& computations = planner.computations();
  return kPlaceAlignment + computations.ProgramOf(inst, 0)->frame_bytes +
         computations.ProgramOf(inst, kBody, CallForm::kUpdate)->frame_bytes;
}

void AddWhile(RecordWriter& writer, Region& region) {
  const Instruction& inst = *region.instructions[0];
  std::vector<Place> places = writer.outputs;
  for (size_t i = 0; i < writer.inputs.size(); ++i) {
    writer.program.AddCopy(writer.inputs[i], places[i],
                           writer.schedule.values[region.outputs[i]].bytes);
  }
  places.push_back(writer.scratch);  // the pred
  places.push_back({Place::kFrame, writer.scratch.offset + kPlaceAlignment});
  Record& record = writer.program.AddRecord(places, writer.name);
  record.kind = Record::Kind::kWhile;
  const CompiledComputations& computations = writer.planner.computations();
  record.programs = {computations.ProgramOf(inst, 0),
                     computations.ProgramOf(inst, kBody, CallForm::kUpdate)};
}

i64 ConditionalBytes(const StepPlanner& planner, const Region& region) {
  const Instruction& inst = *region.instructions[0];
  i64 bytes = 0;
  for (size_t i = 0; i < inst.callees().size(); ++i) {
    bytes =
        std::max(bytes, planner.computations().ProgramOf(inst, static_cast<i64>(i))->frame_bytes);
  }
  return bytes;
}

void AddConditional(RecordWriter& writer, Region& region) {
  const Instruction& inst = *region.instructions[0];
  std::vector<Place> places = {writer.inputs[0], writer.scratch};
  size_t next = 1;
  for (i64 i = 1; i < inst.num_operands(); ++i) {
    const i64 count = NumBlocks(inst.operand(i)->shape());
    for (i64 k = 0; k < count; ++k) places.push_back(writer.inputs[next++]);
    places.insert(places.end(), writer.outputs.begin(), writer.outputs.end());
  }
  Record& record = writer.program.AddRecord(places, writer.name);
  record.kind = Record::Kind::kConditional;
  record.index_is_pred = inst.operand(0)->shape().type() == PRED;
  for (size_t i = 0; i < inst.callees().size(); ++i) {
    record.programs.push_back(writer.planner.computations().ProgramOf(inst, static_cast<i64>(i)));
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
          return planner.computations().ProgramOf(*region.instructions[0], 0)->frame_bytes;
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
