// Inlines calls, replaces branches by selects, and leaves out detours, for computations of scalars:
//
//   conditional(p, a, b; f, g)  ->  select(p, f(a), g(b))    branch i of n: select(index == i, ...)
//   reshape, transpose, opt-barrier, ... (a)  ->  a          bitcast(a)  ->  bitcast-convert(a)
//
// An array of one element is a scalar here. Tuples are flattened to their scalars (Leaves), so no
// tuple remains but the root. The result is a new computation. Work is bounded: at most `most`
// instructions, counted for each call, and 64 nested calls, so the recursion over callees is
// bounded too. Loops have no such form.

#include "axle/ops/lanes/straight_line.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "axle/ops/control_form.h"
#include "axle/ops/lanes/lane_compiler.h"

namespace axle {
namespace {

// The maximum depth of nested calls.
constexpr int kMaxDeep = 64;

// The scalars of a value, depth first.
using Leaves = std::vector<Instruction*>;

i64 NumLeaves(const Shape& shape) {
  i64 count = 0;
  ForEachLeaf(shape, [&](const Shape&, const Dims&) { ++count; });
  return count;
}

// Builds the straight-line form of one computation, callee by callee, by recursion that is limited
// to kMaxDeep.
class Straightener {
 public:
  Straightener(HloComputation& to, i64 most) : to_(to), most_(most) {}

  static AttrBlock Plain(Opcode opcode) {
    const AttrSchema& schema = GetOpDef(opcode).attrs;
    return {schema, schema.create()};
  }
  Instruction* Add(Opcode opcode, const Shape& shape, std::span<Instruction* const> operands,
                   AttrBlock attrs) {
    return to_.Add({.opcode = opcode,
                    .name = "",
                    .shape = shape,
                    .operands = operands,
                    .attrs = std::move(attrs)});
  }

  // The result of a computation on these values; nothing if it has no such form.
  // The budget counts visited instructions, also those of callees that are inlined several times.
  std::optional<Leaves> Run(const HloComputation& computation, std::span<const Leaves> arguments) {
    if (depth_ == kMaxDeep) return std::nullopt;
    ++depth_;
    std::unordered_map<const Instruction*, Leaves> values;
    for (size_t i = 0; i < arguments.size(); ++i) {
      values[computation.parameters()[i]] = arguments[i];
    }
    for (const Instruction* inst : computation.instructions()) {
      if (IsParameter(*inst)) continue;
      std::vector<Leaves> operands;
      for (i64 i = 0; i < inst->num_operands(); ++i) {
        operands.push_back(values.at(inst->operand(i)));
      }
      std::optional<Leaves> value = Value(*inst, operands);
      if (!value || ++visited_ > most_ || std::ssize(*value) > most_) return std::nullopt;
      values[inst] = *std::move(value);
    }
    --depth_;
    return values.at(computation.root());
  }

 private:
  // Elementwise operations are copied; calls are inlined, tuples taken apart.
  std::optional<Leaves> Value(const Instruction& inst, std::span<const Leaves> operands) {
    switch (ControlFormOf(inst)) {
      case ControlForm::kCall:
        return Run(*inst.callee(0), operands);
      case ControlForm::kConditional:
        return Select(inst, operands);
      case ControlForm::kWhile:
        return std::nullopt;
      case ControlForm::kNone:
        break;
    }
    Leaves leaves;
    if (IsTuple(inst)) {
      for (const Leaves& operand : operands) {
        leaves.insert(leaves.end(), operand.begin(), operand.end());
      }
      return leaves;
    }
    if (IsTupleElement(inst)) {
      const i64 index = inst.attrs<TupleIndexAttrs>().index;
      auto first = operands[0].begin();
      for (i64 i = 0; i < index; ++i) first += NumLeaves(inst.operand(0)->shape().element(i));
      return Leaves(first, first + NumLeaves(inst.shape()));
    }
    if (GetOpDef(inst).has(kGivesOperand)) return operands[0];
    if (!HasOneElement(inst.shape())) return std::nullopt;
    for (const Leaves& operand : operands) {
      if (operand.size() != 1) return std::nullopt;
      leaves.push_back(operand[0]);
    }
    return OfOneElement(inst, std::move(leaves));
  }

  static bool HasOneElement(const Shape& shape) {
    return shape.is_array() && shape.is_static() && shape.num_elements() == 1;
  }

  std::optional<Leaves> OfOneElement(const Instruction& inst, Leaves operands) {
    const Shape scalar(inst.shape().type());
    if (IsConstant(inst)) {
      return Leaves{Add(
          Opcode::kConstant, scalar, {},
          Attrs(
              Opcode::kConstant,
              ConstantAttrs{inst.attrs<ConstantAttrs>().literal.ToRowMajor().WithShape(scalar)}))};
    }
    // All one-element arrays are alike, so that an index map of one operand takes its element.
    const bool is_unary = inst.num_operands() == 1 && HasOneElement(inst.operand(0)->shape());
    if (is_unary && GetOpDef(inst).lowering == Lowering::kIndexMap) return operands;
    if (is_unary && inst.opcode() == Opcode::kBitcast) return OfBitcast(inst, std::move(operands));
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      if (!HasOneElement(inst.operand(i)->shape())) return std::nullopt;
    }
    if (!IsElementwise(inst)) return std::nullopt;
    return Leaves{Add(inst.opcode(), scalar, operands, inst.attr_block())};
  }

  // Nothing if it depends on how memory is filled.
  std::optional<Leaves> OfBitcast(const Instruction& inst, Leaves operands) {
    const ElementType from = inst.operand(0)->shape().type(), to = inst.shape().type();
    if (!GetOpDef(inst).check_run(inst).ok()) return std::nullopt;
    for (const Shape* shape : {&inst.operand(0)->shape(), &inst.shape()}) {
      const Layout* const layout = shape->layout();
      if (layout != nullptr && !layout->tiles.empty()) return std::nullopt;
    }
    if (from == to) return operands;
    return Leaves{
        Add(Opcode::kBitcastConvert, Shape(to), operands, Plain(Opcode::kBitcastConvert))};
  }

  // Selects between branches; the last one is the default for an index out of range.
  std::optional<Leaves> Select(const Instruction& inst, std::span<const Leaves> operands) {
    Instruction* const index = operands[0][0];
    const bool is_pred = index->shape().type() == PRED;
    std::optional<Leaves> chosen;
    // Branches are visited from the last one, which is the value for an index out of range.
    for (i64 i = std::ssize(inst.callees()); i-- > 0;) {
      const std::optional<Leaves> branch = Run(*inst.callee(i), operands.subspan(1 + i, 1));
      if (!branch) return std::nullopt;
      if (!chosen) {
        chosen = branch;
        continue;
      }
      Instruction* const is_this = is_pred ? index : Equals(index, i);
      for (size_t k = 0; k < branch->size(); ++k) {
        Instruction* const operands_of[] = {is_this, (*branch)[k], (*chosen)[k]};
        // Branches that return the same value need no select.
        if (operands_of[1] == operands_of[2]) continue;
        (*chosen)[k] =
            Add(Opcode::kSelect, operands_of[1]->shape(), operands_of, Plain(Opcode::kSelect));
      }
    }
    return chosen;
  }

  Instruction* Equals(Instruction* index, i64 value) {
    Literal literal{Shape(S32)};
    literal.mutable_data<std::int32_t>()[0] = static_cast<std::int32_t>(value);
    Instruction* const constant =
        Add(Opcode::kConstant, Shape(S32), {}, Attrs(Opcode::kConstant, ConstantAttrs{literal}));
    Instruction* const operands[] = {index, constant};
    return Add(Opcode::kCompare, Shape(PRED), operands,
               Attrs(Opcode::kCompare, CompareAttrs{ComparisonDirection::kEq}));
  }
  template <typename T>
  static AttrBlock Attrs(Opcode opcode, T attrs) {
    return {GetOpDef(opcode).attrs, std::make_shared<const T>(std::move(attrs))};
  }

  HloComputation& to_;
  const i64 most_;
  i64 visited_ = 0;
  int depth_ = 0;  // not restored on failure, which ends the whole run
};

}  // namespace

// Null if there is nothing to do, or if the computation has no such form.
std::unique_ptr<Module> StraightLine(const HloComputation& computation, i64 most) {
  if (std::ranges::all_of(computation.instructions(), [](const Instruction* inst) {
        return IsParameter(*inst) || IsConstant(*inst) || IsElementwise(*inst);
      })) {
    return nullptr;
  }
  auto module = std::make_unique<Module>("");
  HloComputation* const to = module->AddComputation("");
  Straightener straightener(*to, most);
  std::vector<Instruction*> parameters;
  std::vector<Leaves> arguments;
  for (const Instruction* parameter : computation.parameters()) {
    if (!parameter->shape().is_scalar()) return nullptr;
    parameters.push_back(
        straightener.Add(parameter->opcode(), parameter->shape(), {}, parameter->attr_block()));
    arguments.push_back({parameters.back()});
  }
  to->set_parameters(parameters);
  const std::optional<Leaves> results = straightener.Run(computation, arguments);
  if (!results) return nullptr;
  const Shape& shape = computation.root()->shape();
  if (shape.is_tuple()) {
    if (shape.num_tuple_elements() != std::ssize(*results)) return nullptr;
    to->set_root(
        straightener.Add(Opcode::kTuple, shape, *results, Straightener::Plain(Opcode::kTuple)));
  } else {
    to->set_root((*results)[0]);
  }
  module->set_entry(to);
  return module;
}

}  // namespace axle
