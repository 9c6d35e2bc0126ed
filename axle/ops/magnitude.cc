// abs, sign: magnitude and direction of real and complex elements.
//
// Real types have primitives. The complex magnitude is Hypot (ops/lanes/hypot.cc), and the complex
// sign divides by the same magnitude in scaled form.
#include "axle/ops/elementwise.h"
#include "axle/ops/lanes/hypot.h"

namespace axle {

extern const OpDef kAbsDef, kSignDef;

namespace {

constexpr TypeSet kWithSign = static_cast<TypeSet>(kSignedInts | kFloatsOrComplexes);

StatusOr<Shape> InferAbs(const Instruction& inst) {
  AXLE_ASSIGN(const Shape operand, SameShape(inst, kWithSign));
  return operand.WithType(PartOf(operand.type()));
}

// Comparisons with zero are false for NaN and for both zeros, which stay as they are.
Lane EmitSign(const Instruction&, std::span<const Lane> operands) {
  const Lane x = operands[0];
  const Lane unit = Select(x < 0, x.Like(-1), x.Like(1));
  // An element that is neither below nor above zero stays: zeros and NaN.
  return Select((x < 0) | (x > 0), unit, x);
}

// z / |z| in each part. The magnitude is taken in scaled form, so that it neither overflows nor
// loses bits where it is subnormal.
ComplexLane EmitComplexSign(const Instruction&, std::span<const ComplexLane> operands) {
  const ComplexLane z = operands[0];
  const ScaledHypot magnitude = HypotScaled(z.re, z.im);
  const LaneType wide = LaneType::kF64;
  const auto part = [&](Lane x) {
    // The parts are divided in f64, where neither the quotient of f32 parts nor the scale loses
    // bits.
    const Lane ratio = FloatToFloat(wide, x) / magnitude.value * magnitude.scale;
    return Select(magnitude.value == 0.0, x.Like(0), FloatToFloat(x.type(), ratio));
  };
  return {part(z.re), part(z.im)};
}

}  // namespace

const OpDef kAbsDef = {
    .opcode = Opcode::kAbs,
    .text = "abs",
    .summary = "Magnitude of each element.",
    .semantics =
        "Signed integers: the least one is its own magnitude. Floats lose their sign, zeros too; "
        "NaN stays NaN. The magnitude of a complex number is real, the square root of the sum of "
        "the squared parts, without overflow or underflow on the way; it is infinite if either "
        "part is, even if the other one is NaN. Not for pred and unsigned integers.",
    .source = "XLA Abs; StableHLO abs; C's hypot",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "exact; complex: 0.501 ulp for c64, 1 ulp for c128",
    .errors = ErrorPropagation::kLipschitz,
    .infer = InferAbs,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Abs(x[0]); },
    .emit_complex = [](const Instruction&, std::span<const ComplexLane> x) -> ComplexLane {
      const Lane magnitude = Hypot(x[0].re, x[0].im);
      return {magnitude, magnitude};
    },
};

const OpDef kSignDef = {
    .opcode = Opcode::kSign,
    .text = "sign",
    .summary = "-1, 0 or 1 by the sign of each element; z / |z| for complex numbers.",
    .semantics =
        "Floats: zeros keep their sign and NaN stays. Complex: each part is divided by the "
        "magnitude, and (+0, +0) is the result for a zero. An infinite part over an infinite "
        "magnitude is NaN, a finite one is a zero of its sign; if a part is NaN and the other one "
        "finite, both parts of the result are NaN. Not for pred and unsigned integers.",
    .source = "XLA Sign; StableHLO sign",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "exact; complex: 0.501 ulp for c64, 1.5 ulp for c128",
    .infer = InferElementwise<kWithSign>,
    .emit = EmitSign,
    .emit_complex = EmitComplexSign,
};

}  // namespace axle
