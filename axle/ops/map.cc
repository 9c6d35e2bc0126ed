// map: a called computation of scalars, applied to every element. It runs in blocks through
// ScalarCallee, so that a body of plain arithmetic costs what the same elementwise ops would.

#include <algorithm>
#include <cstring>
#include <numeric>

#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kMapDef;

namespace {

constexpr OperandSpec kOperands[] = {{"operand", kVariadic}};
constexpr CalleeSpec kCallees[] = {{"to_apply"}};
constexpr AttrSpec kAttrs[] = {
    Attr<&DimensionsAttrs::dimensions>("dimensions", {.field = 14}, Presence::kPrinted),
};

// If the attribute is left out, it stands for all dimensions.
void CanonicalizeMap(std::span<Instruction* const> operands, void* attrs) {
  Dims& dimensions = static_cast<DimensionsAttrs*>(attrs)->dimensions;
  if (operands.empty() || !dimensions.empty()) return;
  dimensions.resize(operands[0]->shape().rank());
  std::iota(dimensions.begin(), dimensions.end(), 0);
}

// All operands have one shape, and to_apply takes one scalar of each.
StatusOr<Shape> InferMap(const Instruction& inst) {
  if (inst.num_operands() == 0) return OpError(inst, "needs at least one operand");
  for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(ExpectArray(inst, i));
  Shape result = inst.operand(0)->shape();
  std::vector<Shape> scalars;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    const Shape& operand = inst.operand(i)->shape();
    if (!SameDims(operand, result)) {
      return OpError(inst, "operands must have the same dimensions");
    }
    MergeDynamic(operand, result);
    scalars.emplace_back(operand.type());
  }
  const Dims& dimensions = inst.attrs<DimensionsAttrs>().dimensions;
  Dims all(result.rank());
  std::iota(all.begin(), all.end(), 0);
  if (dimensions != all) {
    return OpError(inst, StrCat("dimensions is {", Join(dimensions, ","), "}, must be {",
                                Join(all, ","), "}"));
  }
  const Shape& mapped = inst.callee(0)->root()->shape();
  if (!mapped.is_scalar()) {
    return OpError(inst, StrCat("to_apply must give a scalar, not ", mapped.ToString()));
  }
  AXLE_TRY(CheckCallee(inst, 0, scalars, mapped));
  return result.WithType(mapped.type());
}

// Runs the callee on all elements and checks the limits between pieces.
Status RunLanes(const LaneProgram& program, std::span<const Literal> operands, Literal& out,
                const EvalContext& context) {
  // The limits of a run (time, cancellation) are checked once per piece, which is large enough to
  // make the check free.
  constexpr i64 kPiece = i64{1} << 20;
  std::byte* const to = out.mutable_bytes();
  std::vector<const void*> inputs(operands.size());
  for (i64 begin = 0; begin < out.num_elements(); begin += kPiece) {
    AXLE_TRY(context.Check());
    for (size_t i = 0; i < operands.size(); ++i) {
      inputs[i] = operands[i].bytes() + begin * Info(operands[i].shape().type()).bytes;
    }
    void* const output = to + begin * Info(out.shape().type()).bytes;
    AXLE_TRY(context.executor.Run(program, inputs, {&output, 1},
                                  std::min(kPiece, out.num_elements() - begin)));
  }
  return {};
}

// Without a lane program each element costs a call with scalars copied into literals.
StatusOr<Literal> EvalMap(const Instruction& inst, std::span<Literal> operands,
                          const EvalContext& context) {
  AXLE_ASSIGN(Literal out, Literal::CreateUninitialized(inst.shape().WithoutLayout()));
  Callee& callee = context.callee();
  // Most bodies are arithmetic on scalars and have a lane program, which runs on whole arrays.
  if (const LaneProgram* program = callee.lanes(); program != nullptr) {
    AXLE_TRY(RunLanes(*program, operands, out, context));
    return out;
  }
  const auto bytes = static_cast<size_t>(Info(out.shape().type()).bytes);
  std::byte* const to = out.mutable_bytes();
  std::vector<Literal> args(operands.size());
  for (i64 e = 0; e < out.num_elements(); ++e) {
    AXLE_TRY(context.Step());
    for (size_t i = 0; i < operands.size(); ++i) {
      const ElementType type = operands[i].shape().type();
      const auto size = static_cast<size_t>(Info(type).bytes);
      args[i] = Literal::Uninitialized(Shape(type));
      std::memcpy(args[i].mutable_bytes(), operands[i].bytes() + e * size, size);
    }
    AXLE_ASSIGN(const Literal element, callee.Call(args));
    std::memcpy(to + e * bytes, element.bytes(), bytes);
  }
  return out;
}

}  // namespace

const OpDef kMapDef = {
    .opcode = Opcode::kMap,
    .text = "map",
    .summary = "Applies a computation of scalars to the elements at each position.",
    .semantics =
        "Operands have the same dimensions, of which `dimensions` names all, in order. to_apply "
        "takes one scalar of each operand's type and gives a scalar; it must not have side "
        "effects.",
    .source = "XLA Map; StableHLO map",
    .operands = kOperands,
    .attrs = Schema<DimensionsAttrs>(kAttrs),
    .callees = kCallees,
    .lowering = Lowering::kControlFlow,
    .infer = InferMap,
    .canonicalize = CanonicalizeMap,
    .eval = EvalMap,
    .eval_dynamic = EvaluateCutAlike,
};

}  // namespace axle
