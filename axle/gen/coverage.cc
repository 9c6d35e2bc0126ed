#include "axle/gen/coverage.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/gen/generate.h"
#include "axle/gen/recipes.h"
#include "axle/passes/facts.h"

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
