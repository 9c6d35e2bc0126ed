// The cells (operation, element type) that can occur. No table lists them: each operation is
// generated up to 24 times per type on an empty body, once per process, and a cell is empty if that
// never succeeds. The reason that is reported is then the refusal of the row with the shapes cut
// off, so it follows the row.

#include "axle/gen/tested_ops.h"

#include <algorithm>
#include <map>

#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/gen/recipes.h"

namespace axle {
namespace {

// The rule that a refusal names, without the shapes that broke it: "add: takes numbers, not
// pred[2]" becomes "takes numbers".
std::string RuleOf(const Status& refusal, ElementType type) {
  std::string text = refusal.message();
  text = text.substr(0, text.find(';'));
  text = text.substr(0, text.find(", not "));
  text = text.substr(std::min(text.find(": ") + 2, text.size()));
  const std::string name = StrCat(" ", Name(type));
  if (text.ends_with(name)) text.replace(text.size() - name.size(), name.size(), " this type");
  return text;
}

// "" if the cell can be generated, otherwise why not.
std::string ReasonOf(Opcode op, ElementType type) {
  if (const std::string_view reason = WhyNotDrawn(op); !reason.empty()) return std::string(reason);
  const ScopedFloatEnvironment environment;
  std::string reason;
  // Each attempt has its own random numbers; 24 are enough for the recipes that succeed only
  // sometimes.
  for (std::uint64_t attempt = 0; attempt < 24; ++attempt) {
    GeneratorState state("cell", Random(attempt, static_cast<std::uint64_t>(op)));
    Body body(state, state.module.AddComputation("main"), 0);
    const Instruction* made = Draw(body, GetOpDef(op), type);
    for (const Instruction* inst : body.computation()->instructions()) {
      if (inst->opcode() != op) continue;
      if (CoveredType(*inst) == type) return "";
      if (made != nullptr) reason = StrCat("always of ", Name(CoveredType(*inst)));
    }
    if (made == nullptr && reason.empty() && !body.refusal().ok())
      reason = RuleOf(body.refusal(), type);
  }
  return reason.empty() ? "never generated" : reason;
}

using Cell = std::pair<Opcode, ElementType>;

// Computed once per process for all cells.
const std::map<Cell, std::string>& EmptyCells() {
  static const auto* const kCells = [] {
    auto* cells = new std::map<Cell, std::string>;
    for (const OpDef* def : AllOpDefs()) {
      for (const ElementType type : CoveredTypes()) {
        if (std::string reason = ReasonOf(def->opcode, type); !reason.empty()) {
          cells->emplace(Cell(def->opcode, type), std::move(reason));
        }
      }
    }
    return cells;
  }();
  return *kCells;
}

// The subjects whose operations are `wanted`.
template <typename Wanted>
std::vector<TestedOp> TestedOpsOf(const Wanted& wanted) {
  std::vector<TestedOp> subjects;
  for (const ElementType type : CoveredTypes()) {
    for (const OpDef* def : DrawnOps()) {
      if (wanted(*def) && WhyEmpty(def->opcode, type).empty()) subjects.push_back({def, type});
    }
  }
  return subjects;
}

}  // namespace

std::span<const TestedOp> TestedOps() {
  static const auto* const kTestedOps =
      new std::vector(TestedOpsOf([](const OpDef&) { return true; }));
  return *kTestedOps;
}

std::span<const TestedOp> TestedOpsOfSettings() {
  static const auto* const kTestedOps = new std::vector(TestedOpsOf(HasSettings));
  return *kTestedOps;
}

// These are the operations of which the compiler makes other code in other places.
bool HasSettings(const OpDef& def) {
  return def.lowering == Lowering::kElementwise || def.lowering == Lowering::kIndexMap ||
         def.lowering == Lowering::kReduce;
}

std::string_view WhyEmpty(Opcode op, ElementType type) {
  const auto cell = EmptyCells().find({op, type});
  return cell == EmptyCells().end() ? std::string_view() : cell->second;
}

std::span<const ElementType> CoveredTypes() {
  static const auto* const kTypes = [] {
    auto* types = new std::vector<ElementType>;
    for (const ElementTypeInfo& info : kElementTypes) {
      if (IsArrayType(info.type)) types->push_back(info.type);
    }
    return types;
  }();
  return *kTypes;
}

// The type by which an instruction is counted: that of the first operand, with three exceptions,
// for operations without operands, for random bits and for branches.
ElementType CoveredType(const Instruction& inst) {
  const auto type_of = [](const Shape& shape) {
    ElementType type = TUPLE;
    ForEachLeaf(shape, [&](const Shape& leaf, const Dims&) {
      if (type == TUPLE) type = leaf.type();
    });
    return type;
  };
  const OpDef& def = GetOpDef(inst);
  if (inst.num_operands() == 0) return type_of(inst.shape());
  // For random bits it is the type of the last result; branches have their operands after the
  // index.
  if (def.lowering == Lowering::kRandom && inst.shape().is_tuple()) {
    return type_of(inst.shape().element(inst.shape().num_tuple_elements() - 1));
  }
  const bool has_branches =
      !def.callees.empty() && def.callees[0].variadic && !def.callees[0].optional;
  if (has_branches && inst.num_operands() > 1) return type_of(inst.operand(1)->shape());
  const ElementType first = type_of(inst.operand(0)->shape()), result = type_of(inst.shape());
  // A first operand of pred that chooses between values of the result's type (select, and
  // conditionals on pred) counts as the type of these values.
  const bool chooses =
      first == PRED && inst.num_operands() > 1 && type_of(inst.operand(1)->shape()) == result;
  return chooses ? result : first;
}

}  // namespace axle
