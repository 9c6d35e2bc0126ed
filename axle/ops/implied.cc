// Adds the instructions that HLO text leaves implicit: get-tuple-element for t#1, parameters of a
// one-instruction file, and conversions around an op whose float operands have several types.
//
// XLA's text format allows a few shortcuts that its instructions do not have. The parser calls
// these functions, so that all other code sees complete modules.

#include "axle/ops/implied.h"

#include "axle/core/strings.h"

namespace axle {
namespace {

template <typename Attrs>
AttrBlock MakeAttrs(Opcode opcode, Attrs values) {
  return {GetOpDef(opcode).attrs, std::make_shared<Attrs>(std::move(values))};
}

}  // namespace

Instruction* AddTupleElement(HloComputation& computation, Instruction* tuple, i64 index,
                             std::string_view name) {
  return computation.Add({.opcode = Opcode::kGetTupleElement,
                          .name = name,
                          .shape = tuple->shape().element(index),
                          .operands = {&tuple, 1},
                          .attrs = MakeAttrs(Opcode::kGetTupleElement, TupleIndexAttrs{index})});
}

Instruction* AddParameter(HloComputation& computation, i64 number, const Shape& shape,
                          std::string_view name) {
  return computation.Add({.opcode = Opcode::kParameter,
                          .name = name,
                          .shape = shape,
                          .attrs = MakeAttrs(Opcode::kParameter, ParameterAttrs{number})});
}

namespace {

// The smallest type that holds the values of both.
// Types of one width, and pairs with a type of 8 bits or less, have their common type in f32, or in
// f64 if one of them has more than 32 bits.
ElementType Wider(ElementType a, ElementType b) {
  const int a_bits = Info(a).bits, b_bits = Info(b).bits;
  if (a == b) return a;
  if (a_bits != b_bits && std::min(a_bits, b_bits) > 8) return a_bits > b_bits ? a : b;
  return a_bits > 32 || b_bits > 32 ? F64 : F32;
}

Instruction* AddConvert(HloComputation& computation, Instruction* operand, ElementType type,
                        std::string_view name) {
  return computation.Add({.opcode = Opcode::kConvert,
                          .name = name,
                          .shape = operand->shape().WithType(type),
                          .operands = {&operand, 1},
                          .attrs = MakeAttrs(Opcode::kConvert, NoAttrs{}),
                          .metadata = operand->metadata()});
}

}  // namespace

// The type to which mixed float operands are converted; nothing if there is none to convert or if
// the op takes mixed types.
std::optional<ElementType> MixedFloatType(const OpDef& def,
                                          std::span<Instruction* const> operands) {
  // Where XLA has no rule for the type of the result, it wants operands of one type.
  const bool wants_one = def.lowering == Lowering::kLinearAlgebra ||
                         def.lowering == Lowering::kRandom || def.opcode == Opcode::kComplex;
  if (def.has(kMixedPrecision) || wants_one) return std::nullopt;
  std::optional<ElementType> type;
  bool is_mixed = false;
  for (const Instruction* operand : operands) {
    const ElementType own = operand->shape().type();
    if (!IsFloating(own)) continue;
    is_mixed |= type && *type != own;
    type = type ? Wider(*type, own) : own;
  }
  return is_mixed ? type : std::nullopt;
}

// The instruction is added with converted operands first. If its result does not have the declared
// type, it is added again in the type of the computation, with a conversion behind it.
StatusOr<MixedInstruction> AddMixed(
    HloComputation& computation, const NewInstruction& init, bool has_shape, ElementType type,
    const std::function<std::string(const std::string&)>& unused_name) {
  std::vector<Instruction*> operands(init.operands.begin(), init.operands.end());
  for (Instruction*& operand : operands) {
    const ElementType own = operand->shape().type();
    if (!IsFloating(own) || own == type) continue;
    operand = AddConvert(computation, operand, type,
                         unused_name(StrCat(operand->name(), ".", Name(type))));
  }
  NewInstruction inner = init;
  inner.operands = operands;
  Instruction* computed = computation.Add(inner);
  AXLE_ASSIGN(const Shape shape, InferShape(*computed));
  if (!has_shape || EqualIgnoringLayout(shape, init.shape)) {
    if (!has_shape) computation.SetShape(computed, shape);
    return MixedInstruction{computed, computed};
  }
  if (shape.is_array() && IsFloating(shape.type()) && init.shape.is_array() &&
      IsFloating(init.shape.type()) &&
      EqualIgnoringLayout(shape.WithType(init.shape.type()), init.shape)) {
    computation.RemoveLast();
    const std::string name = unused_name(StrCat(init.name, ".", Name(type)));
    inner.name = name;
    inner.shape = init.shape.WithType(shape.type());
    computed = computation.Add(inner);
    return MixedInstruction{computed,
                            AddConvert(computation, computed, init.shape.type(), init.name)};
  }
  return InvalidArgument(StrCat("\"", GetOpDef(init.opcode).text, "\" has shape ", shape.ToString(),
                                ", not ", init.shape.ToString()));
}

}  // namespace axle
