// Counts (operation, element type, place) once per module, and (operation, element type, region
// kind) from the compile report, and prints both as a Markdown page. Places follow from the call
// graph, callers first: a computation that a loop calls, directly or through others, counts as
// kLoop; frozen ones as kApplied. Maps are keyed by small integers, so counters of several workers
// are added up.

#include "axle/gen/coverage.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "axle/core/strings.h"
#include "axle/gen/recipes.h"
#include "axle/gen/tested_ops.h"
#include "axle/ir/callees_first.h"
#include "axle/passes/facts.h"
#include "axle/passes/pipeline.h"
#include "axle/runtime/compile_report.h"

namespace axle {
namespace {

constexpr std::string_view kPlaceNames[kNumPlaces] = {"entry", "loop", "called", "applied"};
// The column after those of the places, which counts a module once for all places together.
constexpr size_t kAnywhere = kNumPlaces;
constexpr std::string_view kHead =
    R"(# What random modules are made of

`axle gen --coverage` counted this. `docs/differential.md` describes the modules.

A cell is an operation on an element type, that of its first operand. x: enough modules have it. A number: only so many
modules have it. -: no module can have it; "Empty cells" gives the reason.

)";

// A while is recognized by the name of its first callee, so that no opcode is listed here.
bool IsLoop(const Instruction& inst) {
  const auto specs = CalleeSpecsOf(inst);
  return !specs.empty() && specs[0].text == "condition";
}

// Callers come first, so that the place of a caller is known when its callees are visited. Each
// computation has one place, that of the caller that is visited last.
std::unordered_map<const HloComputation*, CoveragePlace> PlacesOf(const Module& module) {
  std::unordered_map<const HloComputation*, CoveragePlace> places;
  const auto frozen = FrozenComputations(module);
  const std::vector<const HloComputation*> order = CalleesFirst(module);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {  // callers first
    const HloComputation& caller = **it;
    const auto place = places.try_emplace(&caller, CoveragePlace::kEntry).first->second;
    for (const Instruction* inst : caller.instructions()) {
      for (const HloComputation* callee : inst->callees()) {
        places[callee] = frozen.contains(callee)                          ? CoveragePlace::kApplied
                         : IsLoop(*inst) || place == CoveragePlace::kLoop ? CoveragePlace::kLoop
                                                                          : CoveragePlace::kCalled;
      }
    }
  }
  return places;
}

}  // namespace

std::string_view PlaceName(CoveragePlace place) {
  return kPlaceNames[static_cast<int>(place)];
}

// A module counts once per cell, however many instructions of it are in the cell: the sets remove
// duplicates.
void Coverage::Add(const Module& module) {
  ++modules_;
  const auto places = PlacesOf(module);
  std::set<std::tuple<Opcode, ElementType, size_t>> seen;
  for (const auto& computation : module.computations()) {
    const auto place = static_cast<size_t>(places.at(computation.get()));
    for (const Instruction* inst : computation->instructions()) {
      const ElementType type = CoveredType(*inst);
      if (!IsArrayType(type)) continue;
      seen.emplace(inst->opcode(), type, place);
      seen.emplace(inst->opcode(), type, kAnywhere);
    }
  }
  for (const auto& [op, type, place] : seen) ++counts_[{op, type}][place];
}

void Coverage::Add(const Coverage& other) {
  modules_ += other.modules_;
  for (const auto& [cell, counts] : other.counts_) {
    for (size_t place = 0; place < counts.size(); ++place) counts_[cell][place] += counts[place];
  }
  for (const auto& [cell, count] : other.regions_) regions_[cell] += count;
}

// The passes run here, and the compiler is told not to run them, so that the names in the report
// are those of `optimized`.
Status Coverage::AddRegions(const Module& module, Client& client) {
  AXLE_ASSIGN(std::unique_ptr<Module> passed, RunPipeline(module));
  const std::shared_ptr<const Module> optimized = std::move(passed);
  AXLE_ASSIGN(
      const auto compiled,
      client.Compile(optimized, {.engine = EngineKind::kNative,
                                 .debug = {.run_passes = false, .report = true, .code = false}}));
  AddReport(*optimized, *compiled->report());
  return {};
}

// The report names instructions by computation and name; instructions that it does not name were
// read in place, folded or removed.
void Coverage::AddReport(const Module& optimized, const CompileReport& report) {
  std::map<std::pair<std::string_view, std::string_view>, const Instruction*> by_name;
  for (const auto& computation : optimized.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      by_name[{computation->name(), inst->name()}] = inst;
    }
  }
  std::set<RegionCell> seen;
  for (const CompileReport::Program& program : report.programs) {
    for (const CompileReport::Placement& placement : program.placements) {
      const auto inst = by_name.find({placement.computation, placement.instruction});
      const auto kind = std::ranges::find(kPlacementKinds, placement.kind, &PlacementKind::name);
      if (inst == by_name.end() || kind == std::end(kPlacementKinds)) continue;
      const auto k = static_cast<int>(kind - std::begin(kPlacementKinds));
      const auto op = static_cast<int>(inst->second->opcode());
      seen.insert({op, CoveredType(*inst->second), k});  // also tokens and empty tuples
    }
  }
  for (const RegionCell& cell : seen) ++regions_[cell];
}

std::uint64_t Coverage::CountInRegion(Opcode op, ElementType type, size_t kind) const {
  const auto it = regions_.find({static_cast<int>(op), type, static_cast<int>(kind)});
  return it == regions_.end() ? 0 : it->second;
}

std::uint64_t Coverage::Count(Opcode op, ElementType type, CoveragePlace place) const {
  const auto it = counts_.find({op, type});
  return it == counts_.end() ? 0 : it->second[static_cast<size_t>(place)];
}

std::uint64_t Coverage::Count(Opcode op, ElementType type) const {
  const auto it = counts_.find({op, type});
  return it == counts_.end() ? 0 : it->second[kAnywhere];
}

// A cell counts as covered if at least `enough` modules have it. Cells that no module can have are
// left out.
Coverage::Totals Coverage::Total(std::uint64_t enough) const {
  Totals totals;
  for (const OpDef* def : DrawnOps()) {
    for (const ElementType type : CoveredTypes()) {
      if (!WhyEmpty(def->opcode, type).empty()) continue;
      ++totals.cells;
      totals.enough += Count(def->opcode, type) >= enough;
    }
  }
  return totals;
}

std::vector<std::string> Coverage::Missing() const {
  std::vector<std::string> missing;
  for (const OpDef* def : DrawnOps()) {
    for (const ElementType type : CoveredTypes()) {
      if (Count(def->opcode, type) == 0 && WhyEmpty(def->opcode, type).empty()) {
        missing.push_back(StrCat(def->text, " ", Name(type)));
      }
    }
  }
  return missing;
}

// `kAny` in `where` matches every value, so that one function gives the totals of rows, columns and
// the whole.
Coverage::Totals Coverage::TotalInRegions(const RegionCell& where, std::uint64_t enough) const {
  const auto is_asked = [](int is, int asked) { return asked == kAny || is == asked; };
  Totals totals;
  for (const auto& [cell, count] : regions_) {
    if (!std::ranges::equal(cell, where, is_asked)) continue;
    ++totals.cells;
    totals.enough += count >= enough;
  }
  return totals;
}

// The tables of regions: per operation and kind, per type and kind, and the combinations that few
// modules have.
void Coverage::AppendRegions(std::string& page, std::uint64_t enough) const {
  std::string head = " |";
  for (const PlacementKind& kind : kPlacementKinds) StrAppend(head, " ", kind.name, " |");
  StrAppend(head, "\n|---|");
  for (size_t k = 0; k < std::size(kPlacementKinds); ++k) head += "---|";
  head += "\n";
  const auto append_row = [&](std::string_view name, int op, int type) {
    StrAppend(page, "| ", name, " |");
    for (int k = 0; k < static_cast<int>(std::size(kPlacementKinds)); ++k) {
      const Totals at = TotalInRegions({op, type, k}, enough);
      StrAppend(page, " ",
                at.cells == 0           ? "-"
                : at.enough == at.cells ? "x"
                                        : StrCat(at.enough, "/", at.cells),
                " |");
    }
    page += "\n";
  };
  StrAppend(page, R"(
## Regions

The kind of code that computes an instruction after the passes, as the compiler reports it. x: every type that came up
there is in enough modules. 7/9: 7 of 9 types are; the column "seldom with" lists the others. An operation without an entry is
no instruction of its own after the passes: others read it in place, it was folded or removed, or it is part of an applied computation.

)");
  const Totals all = TotalInRegions({kAny, kAny, kAny}, enough);
  StrAppend(page, "Of operation, type and kind together, ", all.cells, " combinations came up, ",
            all.enough, " of them in at least ", enough, " modules.\n\n| op", head);
  for (const OpDef* def : AllOpDefs()) {
    const auto op = static_cast<int>(def->opcode);
    if (TotalInRegions({op, kAny, kAny}, enough).cells == 0) continue;
    append_row(StrCat("`", def->text, "`"), op, kAny);
  }
  StrAppend(page, "\n| type", head);
  for (const ElementType type : CoveredTypes()) append_row(Name(type), kAny, type);
  StrAppend(page, R"(
The generator places elementwise operations, index operations and reductions in each kind of code on purpose. The combinations
below came up by chance, are usually rewritten by a pass, or need two types of one width. The number is the number of modules.

| op | kind | seldom with |
|---|---|---|
)");
  std::map<std::pair<int, int>, std::string> seldom;
  for (const auto& [cell, count] : regions_) {
    if (count >= enough) continue;
    const auto& [op, type, kind] = cell;
    StrAppend(seldom[{op, kind}], " ", Name(static_cast<ElementType>(type)), " ", count, ",");
  }
  for (auto& [where, types] : seldom) {
    types.pop_back();
    StrAppend(page, "| `", GetOpDef(static_cast<Opcode>(where.first)).text, "` | ",
              kPlacementKinds[where.second].name, " |", types, " |\n");
  }
  page += "\n| kind | what can be there |\n|---|---|\n";
  for (const PlacementKind& kind : kPlacementKinds) {
    StrAppend(page, "| ", kind.name, " | ", kind.what, " |\n");
  }
}

// The page is Markdown: one table of operations and types, one of operations and places, the tables
// of regions, and the reasons of the empty cells.
std::string Coverage::Page(std::uint64_t enough) const {
  const std::span<const ElementType> types = CoveredTypes();
  const Totals totals = Total(enough);
  std::string page = StrCat(kHead, "Of ", totals.cells, " cells, ", totals.enough,
                            " are in at least ", enough, " of ", modules_, " modules.\n\n| op |");
  for (const ElementType type : types) StrAppend(page, " ", Name(type), " |");
  StrAppend(page, "\n|---|");
  for (size_t i = 0; i < types.size(); ++i) page += "---|";
  page += "\n";
  for (const OpDef* def : DrawnOps()) {
    StrAppend(page, "| `", def->text, "` |");
    for (const ElementType type : types) {
      const bool empty = !WhyEmpty(def->opcode, type).empty();
      const std::uint64_t count = Count(def->opcode, type);
      StrAppend(page, " ", empty && count == 0 ? "-" : count >= enough ? "x" : StrCat(count), " |");
    }
    page += "\n";
  }

  StrAppend(page, "\n## Places\n\nHow many element types have the op at each place, in at least ",
            enough, " modules.\n\n| op |");
  for (const std::string_view place : kPlaceNames) StrAppend(page, " ", place, " |");
  page += "\n|---|---|---|---|---|\n";
  for (const OpDef* def : DrawnOps()) {
    StrAppend(page, "| `", def->text, "` |");
    for (int place = 0; place < kNumPlaces; ++place) {
      const auto has = [&](ElementType type) {
        return Count(def->opcode, type, static_cast<CoveragePlace>(place)) >= enough;
      };
      StrAppend(page, " ", std::ranges::count_if(types, has), " |");
    }
    page += "\n";
  }

  AppendRegions(page, enough);
  page += "\n## Empty cells\n\n| op | element types | why |\n|---|---|---|\n";
  for (const OpDef* def : AllOpDefs()) {
    std::map<std::string_view, std::vector<std::string_view>> by_reason;
    for (const ElementType type : types) {
      const std::string_view reason = WhyEmpty(def->opcode, type);
      if (!reason.empty()) by_reason[reason].push_back(Name(type));
    }
    for (const auto& [reason, names] : by_reason) {
      StrAppend(page, "| `", def->text, "` | ",
                names.size() == types.size() ? "all" : Join(names, " "), " | ", reason, " |\n");
    }
  }
  return page;
}

}  // namespace axle
