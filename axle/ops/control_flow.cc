// Ops that run computations on whole values: call, fusion, while, conditional.
//
// The evaluator of each op calls a computation through EvalContext::callee, so that an engine
// decides how computations run. Shapes of callees are checked against the operands (CheckCallee). A
// step of the step limit is taken for each call and each iteration, so that endless loops end in an
// error.
#include <algorithm>

#include "axle/ops/aliasing.h"
#include "axle/ops/control_form.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kCallDef, kConditionalDef, kFusionDef, kWhileDef;

namespace {

constexpr OperandSpec kCallOperands[] = {{"operand", kVariadic}};
constexpr CalleeSpec kCallCallees[] = {{"to_apply"}};
constexpr AttrSpec kCallAttrs[] = {
    Attr<&CallAttrs::is_composite>("is_composite", {.field = 89}, Presence::kLast),
};
constexpr CalleeSpec kFusionCallees[] = {{"calls"}};
constexpr AttrSpec kFusionAttrs[] = {
    Attr<&FusionAttrs::kind>("kind", {.field = 11}),
    Attr<&FusionAttrs::output_to_operand_aliasing>("output_to_operand_aliasing", {.field = 74},
                                                   Presence::kOptional),
};

// The result of a call is the root of its computation, whatever was declared.
StatusOr<Shape> InferCall(const Instruction& inst) {
  std::vector<Shape> arguments;
  for (i64 i = 0; i < inst.num_operands(); ++i) arguments.push_back(inst.operand(i)->shape());
  const Shape& result = inst.callee(0)->root()->shape();
  AXLE_TRY(CheckCallee(inst, 0, arguments, result));
  return result;
}

// How many operands the computation takes. A fusion may have more operands than that, which are
// ignored.
size_t NumTaken(const Instruction& inst) {
  const size_t count = inst.callee(0)->parameters().size();
  return std::min(count, static_cast<size_t>(inst.num_operands()));
}

StatusOr<Shape> InferFusion(const Instruction& inst) {
  std::vector<Shape> arguments;
  for (size_t i = 0; i < NumTaken(inst); ++i) {
    arguments.push_back(inst.operand(static_cast<i64>(i))->shape());
  }
  const Shape& result = inst.callee(0)->root()->shape();
  AXLE_TRY(CheckCallee(inst, 0, arguments, result));
  AXLE_TRY(CheckAliasing(inst, result, inst.attrs<FusionAttrs>().output_to_operand_aliasing));
  return result;
}

// A composite call runs its computation: an implementation that replaces it would have to give the
// same values.
StatusOr<Literal> EvalCall(const Instruction&, std::span<Literal> operands,
                           const EvalContext& context) {
  AXLE_TRY(context.Step());
  return context.callee().Call(operands);
}

StatusOr<Literal> EvalFusion(const Instruction& inst, std::span<Literal> operands,
                             const EvalContext& context) {
  AXLE_TRY(context.Step());
  return context.callee().Call(operands.first(NumTaken(inst)));
}

constexpr OperandSpec kWhileOperands[] = {{"init"}};
// The proto stores the body first.
constexpr CalleeSpec kWhileCallees[] = {{.text = "condition", .proto_index = 1},
                                        {.text = "body", .proto_index = 0}};

// `other` is compatible with `shape`. A dimension is dynamic if it is dynamic in either of them.
Shape MergedDynamic(const Shape& shape, const Shape& other) {
  if (!shape.is_tuple()) {
    Shape merged = shape;
    MergeDynamic(other, merged);
    return merged;
  }
  Shape merged;
  for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
    merged.AddElement(MergedDynamic(shape.element(i), other.element(i)));
  }
  return merged;
}

// The state keeps its shape from iteration to iteration; a dimension that only the body makes
// dynamic is dynamic in the result.
StatusOr<Shape> InferWhile(const Instruction& inst) {
  const Shape& state = inst.operand(0)->shape();
  AXLE_TRY(CheckCallee(inst, 0, {&state, 1}, Shape(PRED)));
  AXLE_TRY(CheckCallee(inst, 1, {&state, 1}, state));
  return MergedDynamic(state, inst.callee(1)->root()->shape());
}

// The state is handed over to the body, so that the body can change it in place.
StatusOr<Literal> EvalWhile(const Instruction&, std::span<Literal> operands,
                            const EvalContext& context) {
  Callee &condition = context.callee(0), &body = context.callee(1);
  Literal state = std::move(operands[0]);
  while (true) {
    AXLE_TRY(context.Step());
    // The condition gets the state without taking it: literals share their storage.
    Literal argument = state;
    AXLE_ASSIGN(const Literal goes_on, condition.Call({&argument, 1}));
    if (!goes_on.data<bool>()[0]) return state;
    argument = std::move(state);
    AXLE_ASSIGN(state, body.Call({&argument, 1}));
  }
}

constexpr OperandSpec kConditionalOperands[] = {{"branch_index"}, {"branch_operand", kVariadic}};
constexpr CalleeSpec kBranches[] = {{.text = "branch_computations", .variadic = true}};
constexpr CalleeSpec kTrueAndFalse[] = {{.text = "true_computation", .proto_index = 0},
                                        {.text = "false_computation", .proto_index = 1}};

// Both forms exist in HLO: pred with two branches, s32 with any number of branches.
bool IsPredForm(const Instruction& inst) {
  return inst.num_operands() > 0 && inst.operand(0)->shape().type() == PRED;
}

// A dimension is dynamic in the result if it is dynamic in the result of any branch.
StatusOr<Shape> InferConditional(const Instruction& inst) {
  const Shape& index = inst.operand(0)->shape();
  if (!index.is_scalar() || (index.type() != PRED && index.type() != S32)) {
    return OpError(inst, "branch_index must be pred[] or s32[]");
  }
  const i64 num_branches = static_cast<i64>(inst.callees().size());
  if (inst.num_operands() - 1 != num_branches) {
    return OpError(inst, StrCat("has ", num_branches, " branches but ", inst.num_operands() - 1,
                                " branch operands"));
  }
  Shape result = inst.callee(0)->root()->shape();
  for (i64 i = 0; i < num_branches; ++i) {
    AXLE_TRY(CheckCallee(inst, i, {&inst.operand(i + 1)->shape(), 1}, result));
    result = MergedDynamic(result, inst.callee(i)->root()->shape());
  }
  return result;
}

// Only the operand of the branch that runs is passed.
StatusOr<Literal> EvalConditional(const Instruction& inst, std::span<Literal> operands,
                                  const EvalContext& context) {
  AXLE_TRY(context.Step());
  const i64 last = inst.num_operands() - 2;
  i64 branch;
  if (IsPredForm(inst)) {
    branch = operands[0].data<bool>()[0] ? 0 : 1;
  } else {
    branch = operands[0].data<std::int32_t>()[0];
    // XLA defines an index out of range as the last branch.
    if (branch < 0 || branch > last) branch = last;
  }
  return context.callee(branch).Call(operands.subspan(1 + branch, 1));
}

}  // namespace

// What the compiler turns into native control flow. A fusion with operands that its computation
// does not take is left to the evaluator.
ControlForm ControlFormOf(const Instruction& inst) {
  switch (inst.opcode()) {
    case Opcode::kCall:
      return ControlForm::kCall;
    case Opcode::kFusion:
      return NumTaken(inst) == static_cast<size_t>(inst.num_operands()) ? ControlForm::kCall
                                                                        : ControlForm::kNone;
    case Opcode::kWhile:
      return ControlForm::kWhile;
    case Opcode::kConditional:
      return ControlForm::kConditional;
    default:
      return ControlForm::kNone;
  }
}

const OpDef kCallDef = {
    .opcode = Opcode::kCall,
    .text = "call",
    .summary = "The result of a computation on the operands.",
    .semantics =
        "Operands fit the parameters of to_apply exactly. A composite call may be replaced by the "
        "computation or by something known to be equivalent.",
    .source = "XLA Call and CompositeCall; StableHLO composite",
    .operands = kCallOperands,
    .attrs = Schema<CallAttrs>(kCallAttrs),
    .callees = kCallCallees,
    .traits = kMixedPrecision | kHandsOn | kRunsCallees,
    .lowering = Lowering::kControlFlow,
    .infer = InferCall,
    .eval = EvalCall,
};

const OpDef kFusionDef = {
    .opcode = Opcode::kFusion,
    .text = "fusion",
    .summary = "The result of a computation that is compiled as a whole.",
    .semantics =
        "Takes one operand of the shape of each parameter of `calls`, and perhaps more behind "
        "them, "
        "which nobody reads, and gives the value of its "
        "root; `kind` is a hint for the compiler. output_to_operand_aliasing names parts of the "
        "result and of operands that are there and have one shape, each part of the result once.",
    .source = "XLA's HLO fusion",
    .operands = kCallOperands,
    .attrs = Schema<FusionAttrs>(kFusionAttrs),
    .callees = kFusionCallees,
    .traits = kMixedPrecision | kStandsApart | kRunsCallees,
    .lowering = Lowering::kControlFlow,
    .infer = InferFusion,
    .eval = EvalFusion,
};

const OpDef kWhileDef = {
    .opcode = Opcode::kWhile,
    .text = "while",
    .summary = "Replaces a state by body(state) as long as condition(state) holds.",
    .semantics =
        "The state is of any kind, mostly a tuple; body gives back its shape. The condition is "
        "looked at first, so that there may be no iteration at all. A dimension that is dynamic in "
        "the body's result is dynamic.",
    .source = "XLA While; StableHLO while",
    .operands = kWhileOperands,
    .callees = kWhileCallees,
    .traits = kMixedPrecision | kHandsOn | kRunsCallees,
    .lowering = Lowering::kControlFlow,
    .infer = InferWhile,
    .eval = EvalWhile,
};

const OpDef kConditionalDef = {
    .opcode = Opcode::kConditional,
    .text = "conditional",
    .summary = "The result of one of several computations, each on an operand of its own.",
    .semantics =
        "Exactly one branch runs. With a pred: true_computation or false_computation. With an s32: "
        "the branch of that number, the last one if there is none (negative numbers too). All "
        "branches give one shape; a dimension that is dynamic in one of them is dynamic.",
    .source = "XLA Conditional; StableHLO if and case",
    .operands = kConditionalOperands,
    .callees = kBranches,
    .alternative_callees = kTrueAndFalse,
    .uses_alternative = IsPredForm,
    .traits = kMixedPrecision | kHandsOn | kRunsCallees,
    .lowering = Lowering::kControlFlow,
    .infer = InferConditional,
    .eval = EvalConditional,
};

}  // namespace axle
