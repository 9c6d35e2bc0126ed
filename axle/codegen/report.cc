#include "axle/codegen/report.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"

namespace axle {
namespace {

std::string Text(Apart why) {
  switch (why) {
    case Apart::kOtherSize:
      return "they are loops of other sizes";
    case Apart::kTooMuchWork:
      return "one loop of both would be too long";
    case Apart::kTooManyArrays:
      return "one loop of both would read too many arrays";
    case Apart::kNoCommonSizes:
      return "no loop can read the arrays of both in place";
    case Apart::kOtherReduction:
      return "it reduces in another form than the loop does already";
    case Apart::kOtherRows:
      return "they do not work on the same number of rows";
    case Apart::kReadsOtherRows:
      return "a row of one reads other rows of the other";
    case Apart::kRowsTooLong:
      return "the arrays of one row would not stay in the cache";
    case Apart::kRowsOfTooManyArrays:
      return "rows of both would read too many arrays";
  }
  return "";
}

std::string EngineOf(RegionKind kind) {
  switch (kind) {
    case RegionKind::kLoop:
    case RegionKind::kSmall:
    case RegionKind::kRows:
    case RegionKind::kSort:
    case RegionKind::kWindow:
      return "compiled";
    case RegionKind::kMove:
    case RegionKind::kContraction:
    case RegionKind::kScatter:
      return "library";
    case RegionKind::kEvaluate:
      return "evaluator";
    default:
      return "program";
  }
}

// A name of kPlacementKinds.
std::string_view PlacementOf(const Region& region) {
  if (region.folds.empty()) return Name(region.kind);
  if (IsStaged(region.fold_shape, region.folds)) return "staged fold";
  return FormOf(region.fold_shape, region.folds) == FoldForm::kRows ? "row fold" : "column fold";
}

// Why a region of this kind is never part of another one; "" if it may be, or is several.
std::string WhyAlone(const Region& region) {
  const Instruction& inst = *region.instructions.back();
  switch (region.kind) {
    case RegionKind::kLoop:
    case RegionKind::kSmall:
    case RegionKind::kRows:
      return "";
    case RegionKind::kMove:
      return StrCat("\"", inst.name(), "\" is moved into order, to be read in a row");
    case RegionKind::kContraction:
      return StrCat("\"", inst.name(), "\" is one of the library's kernels");
    case RegionKind::kScatter:
      return StrCat("\"", inst.name(), "\" applies its updates one after the other");
    case RegionKind::kSort:
      return StrCat("\"", inst.name(), "\" puts whole lines in order");
    case RegionKind::kWindow:
      return StrCat("\"", inst.name(), "\" takes one position of its window after the other");
    case RegionKind::kEvaluate:
      return StrCat("\"", inst.name(), "\" runs in the evaluator of ", GetOpDef(inst).text);
    default:
      return StrCat("\"", inst.name(), "\" runs programs of its own");
  }
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
    record.kind = region.folds.empty() ? std::string(Name(region.kind)) : "reduce";
    record.engine = EngineOf(region.kind);
    for (const Instruction* inst : region.instructions) {
      const Metadata& metadata = inst->metadata();
      record.instructions.push_back(
          {std::string(inst->name()), std::string(GetOpDef(*inst).text),
           metadata.source_file.empty() ? ""
                                        : StrCat(metadata.source_file, ":", metadata.source_line)});
    }
    CountBytes(region, record);
    record.note = InPlaceNote(region);
    return record;
  }

  // What need not be moved, because it was written into its place.
  std::string InPlaceNote(const Region& region) const {
    std::vector<std::string> names;
    for (const auto& [value, part] : plan_.sub_views) {
      if (part.move == &region) names.emplace_back(schedule_.values[value].inst->name());
    }
    return names.empty() ? "" : StrCat("written in place: ", Join(names, ", "));
  }
  bool IsSubView(const Region& move, size_t piece) const {
    const auto part = plan_.sub_views.find(move.inputs[(*move.map)[piece].operand].value);
    return part != plan_.sub_views.end() && part->second.move == &move &&
           part->second.piece == piece;
  }

  // The parts of a region, and what becomes part of it of the computations that they call.
  void AddPlacements(const Region& region, std::string_view kind) {
    const bool is_small = kind == Name(RegionKind::kSmall);
    for (const auto& callee : region.callees) {
      if (!is_small) break;  // they might have become part of it, and run as programs
      for (const Region& inner : callee->regions) AddPlacements(inner, kind);
    }
    for (const Region& part : region.parts) AddPlacements(part, kind);
    for (const Instruction* inst : region.instructions) {
      if (!region.parts.empty()) break;  // they have been placed
      report_.placements.push_back(
          {std::string(inst->parent()->name()), std::string(inst->name()), std::string(kind)});
    }
  }

  void CountBytes(const Region& region, CompileReport::Record& record) const {
    const auto bytes = [&](ValueId value) { return schedule_.values[value].bytes; };
    for (const ValueId output : region.outputs) record.bytes_written += bytes(output);
    if (region.kind == RegionKind::kLoop) {
      for (size_t i = 0; i < region.inputs.size(); ++i) {
        record.bytes_read +=
            NumElements(region.inputs[i].access) * region.program.inputs[i].element_bytes();
      }
    } else if (region.kind == RegionKind::kMove && region.map) {
      const Shape& shape = region.instructions.back()->shape();
      i64 moved = 0;
      for (size_t p = 0; p < region.map->size(); ++p) {
        const bool stays = p == 0 && !region.in_place.empty() &&
                           plan_.places[region.outputs[0]] ==
                               plan_.places[region.inputs[region.in_place[0].input].value];
        const i64 piece = NumElements((*region.map)[p], shape) * Info(shape.type()).bytes;
        if (IsSubView(region, p)) {
          record.bytes_written -= piece;
        } else if (!stays) {
          moved += piece;
        }
        if (stays) record.bytes_written = 0;
      }
      // What lies below a part is not moved there.
      if (!InPlaceNote(region).empty()) moved = std::min(moved, record.bytes_written);
      record.bytes_read = moved;
      record.bytes_written = std::max(moved, record.bytes_written);
    } else if (region.kind == RegionKind::kMove) {
      record.bytes_read = NumElements(region.inputs[0].access) *
                          Info(region.instructions.back()->shape().type()).bytes;
    } else {
      for (const RegionInput& input : region.inputs) record.bytes_read += bytes(input.value);
    }
  }

  std::string WhyApart(const Region& producer, const Region& consumer,
                       const RegionInput& input) const {
    const auto part = plan_.sub_views.find(input.value);
    if (part != plan_.sub_views.end() && part->second.move == &consumer) {
      return StrCat("it is written into its place in \"", consumer.instructions.back()->name(),
                    "\"");
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
    if (has_rows) return "something else comes between them";
    const auto output = std::ranges::find(producer.outputs, input.value) - producer.outputs.begin();
    if (output >= std::ssize(producer.outputs) - std::ssize(producer.folds)) {
      return "a reduction is complete only after its loop";
    }
    if (producer.num_positions != consumer.num_positions) return Text(Apart::kOtherSize);
    if (!input.access.IsWhole()) return "it is read at other positions than it is computed at";
    return "another reader needed it before";
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
