// select: lane by lane; a scalar pred chooses a whole array. Bits are copied without
// interpretation, so that NaN payloads survive and narrow floats are not widened.

#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kSelectDef;

namespace {

constexpr OperandSpec kSelectOperands[] = {{"pred"}, {"on_true"}, {"on_false"}};

// The shape of the result comes from the two values. A pred array must have the same sizes, and its
// dynamic dimensions are merged into the result; a scalar pred says nothing about sizes.
StatusOr<Shape> InferSelect(const Instruction& inst) {
  AXLE_ASSIGN(Shape result, SameShape(inst, kAllTypes, /*first=*/1));
  const Shape& pred = inst.operand(0)->shape();
  const bool fits = pred.is_scalar() || (pred.is_array() && SameDims(pred, result));
  if (pred.type() != PRED || !fits) {
    return OpError(inst, StrCat("pred must be pred[] or ", result.WithType(PRED).ToString()));
  }
  if (!pred.is_scalar()) MergeDynamic(pred, result);
  return result;
}

}  // namespace

const OpDef kSelectDef = {
    .opcode = Opcode::kSelect,
    .text = "select",
    .summary = "Elements of on_true where pred holds, else of on_false.",
    .semantics =
        "pred has the dimensions of the other two or is a scalar that decides for all elements. "
        "Bits are copied, NaN payloads included; the element that is not taken has no influence.",
    .source = "XLA Select; StableHLO select",
    .operands = kSelectOperands,
    .lowering = Lowering::kElementwise,
    .errors = ErrorPropagation::kSelect,
    .infer = InferSelect,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Select(x[0], x[1], x[2]); },
    .emit_complex = [](const Instruction&, std::span<const ComplexLane> x) -> ComplexLane {
      return {Select(x[0].re, x[1].re, x[2].re), Select(x[0].re, x[1].im, x[2].im)};
    },
    .in_stored_form = [](const Instruction&) { return true; },
};

}  // namespace axle
