// Ops that hold values or put them together without touching elements: parameter, constant, tuple,
// get-tuple-element.
//
// parameter and constant have an attribute between their parentheses instead of operands
// (ParenSyntax). The predicates below are how other parts of the library recognise the four ops
// without their opcodes.
#include <algorithm>

#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kConstantDef, kGetTupleElementDef, kParameterDef, kTupleDef;

namespace {

constexpr AttrSpec kParameterAttrs[] = {Attr<&ParameterAttrs::number>("number", {.field = 9})};
constexpr AttrSpec kConstantAttrs[] = {Attr<&ConstantAttrs::literal>("literal", {.field = 8})};
constexpr AttrSpec kTupleIndexAttrs[] = {Attr<&TupleIndexAttrs::index>("index", {.field = 13})};
constexpr OperandSpec kTupleOperands[] = {{"element", kVariadic}};

// The numbers are checked for gaps in BindParameters.
StatusOr<Shape> InferParameter(const Instruction& inst) {
  const i64 number = inst.attrs<ParameterAttrs>().number;
  if (number < 0) return OpError(inst, StrCat("number is ", number, ", must be >= 0"));
  return inst.shape();
}

// The caller of a computation binds the values of its parameters, so that this function is called
// only if an engine forgot to.
StatusOr<Literal> EvalParameter(const Instruction& inst, std::span<Literal>, const EvalContext&) {
  return Internal(StrCat("parameter ", inst.name(), " is not bound"));
}

StatusOr<Shape> InferConstant(const Instruction& inst) {
  return inst.attrs<ConstantAttrs>().literal.shape();
}

// Constants may be written in any layout; values at run time are row-major.
StatusOr<Literal> EvalConstant(const Instruction& inst, std::span<Literal>, const EvalContext&) {
  return inst.attrs<ConstantAttrs>().literal.ToRowMajor();
}

StatusOr<Shape> InferTuple(const Instruction& inst) {
  Shape result;
  for (i64 i = 0; i < inst.num_operands(); ++i) result.AddElement(inst.operand(i)->shape());
  return result;
}

StatusOr<Literal> EvalTuple(const Instruction&, std::span<Literal> operands, const EvalContext&) {
  return Literal::Tuple(
      {std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end())});
}

StatusOr<Shape> InferGetTupleElement(const Instruction& inst) {
  const Shape& operand = inst.operand(0)->shape();
  if (!operand.is_tuple()) return OpError(inst, "operand is not a tuple");
  const i64 index = inst.attrs<TupleIndexAttrs>().index;
  if (index < 0 || index >= operand.num_tuple_elements()) {
    return OpError(inst, StrCat("index is ", index, " but operand has ",
                                operand.num_tuple_elements(), " elements"));
  }
  return operand.element(index);
}

StatusOr<Literal> EvalGetTupleElement(const Instruction& inst, std::span<Literal> operands,
                                      const EvalContext&) {
  // The element is moved out of the tuple and not copied.
  return std::move(operands[0].mutable_elements()[inst.attrs<TupleIndexAttrs>().index]);
}

}  // namespace

bool IsParameter(const Instruction& inst) {
  return inst.opcode() == Opcode::kParameter;
}
bool IsConstant(const Instruction& inst) {
  return inst.opcode() == Opcode::kConstant;
}
bool IsTuple(const Instruction& inst) {
  return inst.opcode() == Opcode::kTuple;
}
bool IsTupleElement(const Instruction& inst) {
  return inst.opcode() == Opcode::kGetTupleElement;
}

// A printed module may leave out the elements of large constants ("...").
bool IsElided(const Instruction& inst) {
  return inst.extras() != nullptr && inst.extras()->is_elided;
}

std::string ElidedText(std::string_view name) {
  return StrCat("the elements of constant \"", name,
                "\" are left out, so there is no value to compute with: print the program with "
                "print_large_constants=True, or give its serialized proto instead");
}

// Elements that the printer left out are an error only when the program is compiled.
Status CheckNothingIsElided(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      if (!IsElided(*inst)) continue;
      const std::string& place = inst->extras()->elided_place;
      return InvalidArgument(place.empty() ? ElidedText(inst->name()) : place);
    }
  }
  return {};
}

// Sorts the parameters by number and reports the first gap or repetition.
Status BindParameters(HloComputation& computation) {
  std::vector<Instruction*> parameters;
  for (Instruction* inst : computation.instructions()) {
    if (inst->opcode() == Opcode::kParameter) parameters.push_back(inst);
  }
  const auto number = [](const Instruction* p) { return p->attrs<ParameterAttrs>().number; };
  std::ranges::sort(parameters, {}, number);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (number(parameters[i]) == static_cast<i64>(i)) continue;
    const bool twice = i > 0 && number(parameters[i]) == number(parameters[i - 1]);
    return InvalidArgument(StrCat("computation \"", computation.name(), "\": parameter ",
                                  twice ? number(parameters[i]) : static_cast<i64>(i),
                                  twice ? " is there twice" : " is missing"));
  }
  computation.set_parameters(std::move(parameters));
  return {};
}

const OpDef kParameterDef = {
    .opcode = Opcode::kParameter,
    .text = "parameter",
    .summary = "The value that the caller of the computation passes.",
    .semantics =
        "The parameters of a computation are numbered 0, 1, ... without gaps; each has a shape of "
        "its own, of any kind.",
    .source = "XLA Parameter",
    .attrs = Schema<ParameterAttrs>(kParameterAttrs),
    .parens = ParenSyntax::kAttribute,
    .declared_shape = true,
    .traits = kMixedPrecision,
    .lowering = Lowering::kData,
    .infer = InferParameter,
    .eval = EvalParameter,
};

const OpDef kConstantDef = {
    .opcode = Opcode::kConstant,
    .text = "constant",
    .summary = "A value that is part of the program.",
    .semantics = "The literal is rounded to the element type when it is read.",
    .source = "XLA ConstantLiteral; StableHLO constant",
    .attrs = Schema<ConstantAttrs>(kConstantAttrs),
    .parens = ParenSyntax::kAttribute,
    .declared_shape = true,
    .traits = kMixedPrecision,
    .lowering = Lowering::kData,
    .infer = InferConstant,
    .eval = EvalConstant,
};

const OpDef kTupleDef = {
    .opcode = Opcode::kTuple,
    .text = "tuple",
    .summary = "The operands as one value.",
    .semantics = "Operands may be of any kind, tuples and tokens too. There may be none.",
    .source = "XLA Tuple; StableHLO tuple",
    .operands = kTupleOperands,
    .traits = kMixedPrecision | kHandsOn,
    .lowering = Lowering::kData,
    .infer = InferTuple,
    .eval = EvalTuple,
};

const OpDef kGetTupleElementDef = {
    .opcode = Opcode::kGetTupleElement,
    .text = "get-tuple-element",
    .summary = "Element `index` of a tuple.",
    .semantics = "The index is below the number of elements. The element is not copied.",
    .source = "XLA GetTupleElement; StableHLO get_tuple_element",
    .operands = kUnaryOperands,
    .attrs = Schema<TupleIndexAttrs>(kTupleIndexAttrs),
    .traits = kMixedPrecision | kHandsOn,
    .lowering = Lowering::kData,
    .infer = InferGetTupleElement,
    .eval = EvalGetTupleElement,
};

}  // namespace axle
