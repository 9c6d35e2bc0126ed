#include "axle/gen/coverage.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/gen/generate.h"
#include "axle/gen/recipes.h"
#include "axle/passes/facts.h"
#include "axle/passes/pipeline.h"

namespace axle {
namespace {

constexpr std::string_view kPlaceNames[kNumPlaces] = {"entry", "loop", "called", "applied"};
constexpr size_t kAnywhere = kNumPlaces;
constexpr std::string_view kHead =
    R"(# What random modules are made of

Written by `axle gen --coverage --seed 1 --count 450000 --output docs/coverage.md`; the ctest `Coverage.ThePageIsTrue` looks
whether the same cells are empty. [differential.md](differential.md) says what it is for.

x: enough modules have the operation with that type of its first operand; a number: so many have; -: see below.

)";

bool IsLoop(const Instruction& inst) {
  const auto specs = CalleeSpecsOf(inst);
  return !specs.empty() && specs[0].text == "condition";
}

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

// The rule that a refusal names, without the shapes that broke it.
std::string RuleOf(const Status& refusal, ElementType type) {
  std::string text = refusal.message();
  text = text.substr(0, text.find(';'));
  text = text.substr(0, text.find(", not "));
  text = text.substr(std::min(text.find(": ") + 2, text.size()));
  const std::string name = StrCat(" ", Name(type));
  if (text.ends_with(name)) text.replace(text.size() - name.size(), name.size(), " this type");
  return text;
}

std::vector<ElementType> CoveredTypes() {
  std::vector<ElementType> types;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (IsArrayType(info.type)) types.push_back(info.type);
  }
  return types;
}

// "" for what is drawn; the same for all who ask.
const std::map<std::pair<Opcode, ElementType>, std::string>& EmptyCells() {
  static const auto* const kCells = [] {
    auto* cells = new std::map<std::pair<Opcode, ElementType>, std::string>;
    for (const OpDef* def : AllOpDefs()) {
      for (const ElementType type : CoveredTypes()) {
        if (std::string reason = WhyEmpty(def->opcode, type); !reason.empty()) {
          cells->emplace(std::pair(def->opcode, type), std::move(reason));
        }
      }
    }
    return cells;
  }();
  return *kCells;
}

}  // namespace

std::string_view PlaceName(CoveragePlace place) {
  return kPlaceNames[static_cast<int>(place)];
}

std::string WhyEmpty(Opcode op, ElementType type) {
  if (const std::string_view reason = WhyNotDrawn(op); !reason.empty()) return std::string(reason);
  const ScopedFloatEnvironment environment;
  std::string reason;
  for (std::uint64_t attempt = 0; attempt < 24; ++attempt) {
    Drawing drawing("cell", Random(attempt, static_cast<std::uint64_t>(op)));
    Body body(drawing, drawing.module.AddComputation("main"), 0);
    const Instruction* made = Draw(body, GetOpDef(op), type);
    for (const Instruction* inst : body.computation()->instructions()) {
      if (inst->opcode() != op) continue;
      if (CoveredType(*inst) == type) return "";
      if (made != nullptr) reason = StrCat("always of ", Name(CoveredType(*inst)));
    }
    if (made == nullptr && reason.empty() && !body.refusal().ok())
      reason = RuleOf(body.refusal(), type);
  }
  return reason.empty() ? "never drawn" : reason;
}

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

Status Coverage::AddRegions(const Module& module, Client& client) {
  AXLE_ASSIGN(std::unique_ptr<Module> passed, RunPipeline(module));
  const std::shared_ptr<const Module> optimized = std::move(passed);
  AXLE_ASSIGN(const auto compiled, client.Compile(optimized, {.engine = EngineKind::kNative,
                                                              .run_passes = false,
                                                              .report = true,
                                                              .code = false}));
  AddReport(*optimized, *compiled->report());
  return {};
}

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
      const ElementType type = CoveredType(*inst->second);
      seen.insert({op, kAny, k});
      if (!IsArrayType(type)) continue;
      seen.insert({op, type, k});
      seen.insert({kAny, type, k});
    }
  }
  for (const RegionCell& cell : seen) ++regions_[cell];
}

std::uint64_t Coverage::CountOf(const RegionCell& cell) const {
  const auto it = regions_.find(cell);
  return it == regions_.end() ? 0 : it->second;
}

std::uint64_t Coverage::CountInRegion(Opcode op, ElementType type, size_t kind) const {
  return CountOf({static_cast<int>(op), type, static_cast<int>(kind)});
}

std::uint64_t Coverage::Count(Opcode op, ElementType type, CoveragePlace place) const {
  const auto it = counts_.find({op, type});
  return it == counts_.end() ? 0 : it->second[static_cast<size_t>(place)];
}

std::uint64_t Coverage::Count(Opcode op, ElementType type) const {
  const auto it = counts_.find({op, type});
  return it == counts_.end() ? 0 : it->second[kAnywhere];
}

Coverage::Totals Coverage::Total(std::uint64_t enough) const {
  Totals totals;
  for (const OpDef* def : DrawnOps()) {
    for (const ElementType type : CoveredTypes()) {
      if (EmptyCells().contains({def->opcode, type})) continue;
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
      if (Count(def->opcode, type) == 0 && !EmptyCells().contains({def->opcode, type})) {
        missing.push_back(StrCat(def->text, " ", Name(type)));
      }
    }
  }
  return missing;
}

// Cells of op and kind, of type and kind, and how many of all three there are.
void Coverage::AppendRegions(std::string& page, std::uint64_t enough) const {
  const auto mark = [&](std::uint64_t count) {
    return count == 0 ? "-" : count >= enough ? "x" : StrCat(count);
  };
  std::string head = " |";
  for (const PlacementKind& kind : kPlacementKinds) StrAppend(head, " ", kind.name, " |");
  StrAppend(head, "\n|---|");
  for (size_t k = 0; k < std::size(kPlacementKinds); ++k) head += "---|";
  head += "\n";
  const auto append_row = [&](std::string_view name, int op, int type) {
    StrAppend(page, "| ", name, " |");
    for (int k = 0; k < static_cast<int>(std::size(kPlacementKinds)); ++k) {
      StrAppend(page, " ", mark(CountOf({op, type, k})), " |");
    }
    page += "\n";
  };
  i64 cells = 0, full = 0;
  for (const auto& [cell, count] : regions_) {
    if (cell[0] == kAny || cell[1] == kAny) continue;
    ++cells;
    full += count >= enough;
  }
  StrAppend(page, R"(
## Regions

In which kind of code instructions are computed after the passes, as the compiler reports it. x: in enough modules. What is not
in a row is no instruction of its own then: read in place by others, folded, applied to elements, or gone.

)");
  StrAppend(page, "Of operation, type and kind together, ", cells, " combinations came up, ", full,
            " of them in at least ", enough, " modules.\n\n| op", head);
  for (const OpDef* def : AllOpDefs()) {
    const auto op = static_cast<int>(def->opcode);
    const auto first = regions_.lower_bound({op, kAny, 0});
    if (first == regions_.end() || first->first[0] != op) continue;
    append_row(StrCat("`", def->text, "`"), op, kAny);
  }
  StrAppend(page, "\n| type", head);
  for (const ElementType type : CoveredTypes()) append_row(Name(type), kAny, type);
  page += "\n| kind | what can be there |\n|---|---|\n";
  for (const PlacementKind& kind : kPlacementKinds) {
    StrAppend(page, "| ", kind.name, " | ", kind.what, " |\n");
  }
}

std::string Coverage::Page(std::uint64_t enough) const {
  const std::vector<ElementType> types = CoveredTypes();
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
      const bool empty = EmptyCells().contains({def->opcode, type});
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
    std::map<std::string, std::vector<std::string_view>> by_reason;
    for (const ElementType type : types) {
      const auto it = EmptyCells().find({def->opcode, type});
      if (it != EmptyCells().end()) by_reason[it->second].push_back(Name(type));
    }
    for (const auto& [reason, names] : by_reason) {
      StrAppend(page, "| `", def->text, "` | ",
                names.size() == types.size() ? "all" : Join(names, " "), " | ", reason, " |\n");
    }
  }
  return page;
}

}  // namespace axle
