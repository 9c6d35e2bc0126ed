// How `axle explain` gets its lines: one record per region, with the bytes that it reads and
// writes; one boundary per pair of regions of which one reads what the other computes; and the life
// of each value.
//
// Why two regions are not one comes from the first of these that applies: the reader has the value
// in place, a kind is never fused (RegionKindDef::why_alone), the schedule noted a refusal for two
// of their instructions (Schedule::not_fused), or what the shapes say. Bytes are of what is
// touched: a broadcast counts its elements once, and what a move leaves in place does not count.
#include "axle/codegen/report.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "axle/core/strings.h"
#include "axle/ir/source_place.h"
#include "axle/ops/op_def.h"
#include "axle/ops/work.h"

namespace axle {
namespace {

std::string Text(Apart why) {
  switch (why) {
    case Apart::kOtherSize:
      return "their loops have different sizes";
    case Apart::kTooMuchWork:
      return "the fused loop would have too many operations";
    case Apart::kTooManyArrays:
      return "the fused loop would read too many arrays";
    case Apart::kNoCommonSizes:
      return "no loop order reads the arrays of both in place";
    case Apart::kOtherReduction:
      return "the loop already has a reduction of another form";
    case Apart::kOtherRows:
      return "their numbers of rows differ";
    case Apart::kReadsOtherRows:
      return "a row of one depends on other rows of the other";
    case Apart::kRowsTooLong:
      return "the arrays of one row do not fit in the cache";
    case Apart::kRowsOfTooManyArrays:
      return "the fused rows would read too many arrays";
  }
  return "";
}

// A name of kPlacementKinds.
std::string_view PlacementOf(const Region& region) {
  const LoopRegion* loop = region.if_loop();
  if (loop == nullptr || loop->folds.empty()) return Name(region.kind);
  if (loop->path() == FoldPath::kStaged) return "staged fold";
  return loop->fold_shape.columns == 1 ? "row fold" : "column fold";
}

size_t NumFolds(const Region& region) {
  const LoopRegion* loop = region.if_loop();
  return loop == nullptr ? 0 : loop->folds.size();
}

i64 NumPositions(const Region& region) {
  const LoopRegion* loop = region.if_loop();
  return loop == nullptr ? 0 : loop->num_positions;
}

// Why a region of this kind is never fused with another one; "" if it may be.
std::string WhyAlone(const Region& region) {
  const auto why = GetKind(region.kind).why_alone;
  return why == nullptr ? "" : why(*region.instructions.back());
}

bool Has(const Region& region, const Instruction* inst) {
  return std::ranges::find(region.instructions, inst) != region.instructions.end();
}

// Different elements that an access reads.
i64 NumElements(const Access& access) {
  i64 count = 1;
  for (const AccessFactor& factor : access.factors) {
    if (factor.stride != 0) count *= factor.size;
  }
  return count;
}

i64 NumElements(const IndexPiece& piece, const Shape& result) {
  if (piece.relinearize) return result.num_elements();
  i64 count = 1;
  for (const IndexPiece::Dim& dim : piece.dims) count *= std::max<i64>(dim.count, 0);
  return count;
}

class Reporter {
 public:
  Reporter(const HloComputation& computation, const Schedule& schedule, const BlockUse& blocks,
           const BufferPlan& plan)
      : computation_(computation), schedule_(schedule), blocks_(blocks), plan_(plan) {
    for (const NotFused& pair : schedule.not_fused) not_fused_.emplace(pair.producer, &pair);
  }

  CompileReport::Program Make() && {
    report_.name = computation_.name();
    report_.frame_bytes = plan_.frame_bytes;
    report_.live_bytes = plan_.live_bytes;
    report_.constant_bytes = plan_.constant_bytes;
    report_.num_copies = static_cast<i64>(plan_.copies.size());
    for (const Region& region : schedule_.regions) {
      report_.records.push_back(RecordOf(region));
      AddPlacements(region, PlacementOf(region));
    }
    if (!report_.records.empty()) report_.peak = report_.records[plan_.peak_region].name;
    AddBoundaries();
    AddValues();
    return std::move(report_);
  }

 private:
  CompileReport::Record RecordOf(const Region& region) const {
    CompileReport::Record record;
    record.name = region.instructions.back()->name();
    record.kind = NumFolds(region) == 0 ? std::string(Name(region.kind)) : "reduce";
    record.engine = GetKind(region.kind).engine;
    for (const Instruction* inst : region.instructions) {
      record.instructions.push_back(
          {std::string(inst->name()), std::string(GetOpDef(*inst).text), SourcePlace(*inst)});
    }
    CountBytes(region, record);
    record.flops = record.engine == "program" ? 0 : FlopsOfAll(region.instructions);
    record.note = InPlaceNote(region);
    return record;
  }

  // Names the operands of a move that were computed in their place and are not copied.
  std::string InPlaceNote(const Region& region) const {
    std::vector<std::string> names;
    for (const auto& [value, part] : plan_.sub_views) {
      if (part.move == &region) names.emplace_back(schedule_.values[value].inst->name());
    }
    return names.empty() ? "" : StrCat("written in place: ", Join(names, ", "));
  }
  bool IsSubView(const Region& move, size_t piece) const {
    const auto part = plan_.sub_views.find(move.inputs[(*move.move().map)[piece].operand].value);
    return part != plan_.sub_views.end() && part->second.move == &move &&
           part->second.piece == piece;
  }

  // The parts of a region, and what becomes part of it of the computations that they call.
  void AddPlacements(const Region& region, std::string_view kind) {
    const bool is_small = kind == Name(RegionKind::kSmall);
    // Others might have become part of it, and run as programs.
    if (const ControlRegion* control = region.if_control(); control != nullptr && is_small) {
      for (const auto& callee : control->callees) {
        for (const Region& inner : callee->regions) AddPlacements(inner, kind);
      }
    }
    bool has_parts = false;
    ForEachPart(region, [&](const Region& part) {
      AddPlacements(part, kind);
      has_parts = true;
    });
    for (const Instruction* inst : region.instructions) {
      if (has_parts) break;  // they have been placed
      report_.placements.push_back(
          {std::string(inst->parent()->name()), std::string(inst->name()), std::string(kind)});
    }
  }

  // Copies count what they move: a piece that stays in place, or a sub-view that was computed
  // there, is neither read nor written.
  void CountBytes(const Region& region, CompileReport::Record& record) const {
    const auto bytes = [&](ValueId value) { return schedule_.values[value].bytes; };
    for (const ValueId output : region.outputs) record.bytes_written += bytes(output);
    const MoveRegion* const move = region.if_move();
    if (const LoopRegion* loop = region.if_loop()) {
      for (size_t i = 0; i < region.inputs.size(); ++i) {
        const RegionInput& input = region.inputs[i];
        const i64 element = loop->program.inputs[i].element_bytes();
        record.bytes_read += input.is_table
                                 ? std::min(bytes(input.value), loop->num_positions * element)
                                 : NumElements(input.access) * element;
      }
    } else if (move != nullptr && move->map) {
      const Shape& shape = region.instructions.back()->shape();
      i64 moved = 0;
      for (size_t p = 0; p < move->map->size(); ++p) {
        const bool stays = p == 0 && !region.in_place.empty() &&
                           plan_.places[region.outputs[0]] ==
                               plan_.places[region.inputs[region.in_place[0].input].value];
        const i64 piece = NumElements((*move->map)[p], shape) * Info(shape.type()).bytes;
        if (IsSubView(region, p)) {
          record.bytes_written -= piece;
        } else if (!stays) {
          moved += piece;
        }
        if (stays) record.bytes_written = 0;
      }
      // A base is not copied to where a sub-view lies.
      if (!InPlaceNote(region).empty()) moved = std::min(moved, record.bytes_written);
      record.bytes_read = moved;
      record.bytes_written = std::max(moved, record.bytes_written);
    } else if (move != nullptr) {
      record.bytes_read = NumElements(region.inputs[0].access) *
                          Info(region.instructions.back()->shape().type()).bytes;
    } else {
      for (const RegionInput& input : region.inputs) record.bytes_read += bytes(input.value);
    }
  }

  // The reasons in the order in which they decide: the first that applies is shown.
  std::string WhyApart(const Region& producer, const Region& consumer,
                       const RegionInput& input) const {
    const auto part = plan_.sub_views.find(input.value);
    if (part != plan_.sub_views.end() && part->second.move == &consumer) {
      return StrCat("it is computed in place, in the buffer of \"",
                    consumer.instructions.back()->name(), "\"");
    }
    for (const Region* region : {&producer, &consumer}) {
      if (std::string alone = WhyAlone(*region); !alone.empty()) return alone;
    }
    const bool has_rows = producer.kind == RegionKind::kRows || consumer.kind == RegionKind::kRows;
    for (const Instruction* inst : producer.instructions) {
      const auto [begin, end] = not_fused_.equal_range(inst);
      for (auto pair = begin; pair != end; ++pair) {
        const bool is_of_rows = pair->second->why >= Apart::kOtherRows;
        if (is_of_rows == has_rows && Has(consumer, pair->second->consumer)) {
          return Text(pair->second->why);
        }
      }
    }
    if (has_rows) return "another record must run between them";
    const auto output = std::ranges::find(producer.outputs, input.value) - producer.outputs.begin();
    if (output >= std::ssize(producer.outputs) - static_cast<std::ptrdiff_t>(NumFolds(producer))) {
      return "a reduction has its result only after its loop";
    }
    if (NumPositions(producer) != NumPositions(consumer)) return Text(Apart::kOtherSize);
    if (!input.access.IsWhole()) return "it is read at other indices than it is computed at";
    return "another reader needed it earlier";
  }

  void AddBoundaries() {
    std::vector<i64> producer(schedule_.values.size(), -1);
    for (i64 r = 0; r < std::ssize(schedule_.regions); ++r) {
      const Region& region = schedule_.regions[r];
      std::set<i64> seen = {-1};  // arguments and constants
      for (const RegionInput& input : region.inputs) {
        const i64 from = producer[input.value];
        if (!seen.insert(from).second) continue;
        report_.boundaries.push_back({from, r,
                                      std::string(schedule_.values[input.value].inst->name()),
                                      WhyApart(schedule_.regions[from], region, input)});
      }
      for (const ValueId output : region.outputs) producer[output] = r;
    }
  }

  // Blocks are arguments, then the results that replace none: the number of a result has to be
  // searched for.
  std::string PlaceName(const Place& place) const {
    if (place.base == Place::kFrame) return "frame";
    if (place.base == Place::kConstants) return "constants";
    const size_t block = place.base - Place::kFirstBlock;
    if (block < schedule_.arguments.size()) return StrCat("argument ", block);
    size_t own = block - schedule_.arguments.size(), result = 0;
    while (blocks_.argument_of_result[result] >= 0 || own-- > 0) ++result;
    return StrCat("result ", result);
  }

  void AddValues() {
    const auto end = static_cast<i64>(schedule_.regions.size());
    std::vector<i64> first(schedule_.values.size(), end), last(schedule_.values.size(), -1);
    for (const ValueId argument : schedule_.arguments) first[argument] = -1;
    for (const auto& [value, literal] : schedule_.constants) first[value] = -1;
    for (i64 r = 0; r < end; ++r) {
      for (const RegionInput& input : schedule_.regions[r].inputs) last[input.value] = r;
      for (const ValueId output : schedule_.regions[r].outputs) first[output] = last[output] = r;
    }
    for (const ValueId result : schedule_.results) last[result] = end;
    for (ValueId v = 0; v < schedule_.values.size(); ++v) {
      if (first[v] == end || schedule_.values[v].bytes == 0) continue;  // never there
      report_.values.push_back({std::string(schedule_.values[v].inst->name()),
                                schedule_.values[v].bytes, PlaceName(plan_.places[v]),
                                plan_.places[v].offset, first[v], last[v]});
    }
  }

  const HloComputation& computation_;
  const Schedule& schedule_;
  const BlockUse& blocks_;
  const BufferPlan& plan_;
  std::unordered_multimap<const Instruction*, const NotFused*> not_fused_;  // by producer
  CompileReport::Program report_;
};

}  // namespace

CompileReport::Program ReportProgram(const HloComputation& computation, const Schedule& schedule,
                                     const BlockUse& blocks, const BufferPlan& plan) {
  return Reporter(computation, schedule, blocks, plan).Make();
}

ScopedStage::ScopedStage(CompileReport& report, std::string_view stage)
    : report_(report), stage_(stage), begin_(std::chrono::steady_clock::now()) {
  const auto found = std::ranges::find(report_.stages, stage_, &CompileReport::Stage::name);
  if (found == report_.stages.end()) report_.stages.push_back({std::string(stage_), 0});
}

ScopedStage::~ScopedStage() {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin_;
  const auto stage = std::ranges::find(report_.stages, stage_, &CompileReport::Stage::name);
  stage->seconds += time.count();
}

void FinishReport(CompileReport& report) {
  std::set<std::string> reached = {report.programs.back().name};
  // Callers come behind what they run.
  for (size_t p = report.programs.size(); p-- > 0;) {
    if (!reached.contains(report.programs[p].name)) continue;
    for (const CompileReport::Record& record : report.programs[p].records) {
      reached.insert(record.programs.begin(), record.programs.end());
    }
  }
  std::erase_if(report.programs, [&](const auto& p) { return !reached.contains(p.name); });
  std::set<std::string> kernels;
  for (const CompileReport::Program& program : report.programs) {
    for (const CompileReport::Record& record : program.records) {
      report.num_loops += std::ssize(record.kernels);
      kernels.insert(record.kernels.begin(), record.kernels.end());
    }
  }
  report.num_kernels = std::ssize(kernels);
}

}  // namespace axle
