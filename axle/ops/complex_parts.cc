// complex, real, imag: between complex numbers and their parts.
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kComplexDef, kImagDef, kRealDef;

namespace {

// The type of a part: f32 for c64, f64 for c128; a real type is its own part.
StatusOr<Shape> InferPart(const Instruction& inst) {
  AXLE_ASSIGN(const Shape operand, SameShape(inst, kFloatsOrComplexes));
  return operand.WithType(PartOf(operand.type()));
}

// XLA distinguishes operands that are no floats (INVALID_ARGUMENT) from floats without a complex
// type (UNIMPLEMENTED).
StatusOr<Shape> InferComplex(const Instruction& inst) {
  for (i64 i : {0, 1}) {
    AXLE_TRY(ExpectArray(inst, i));
    if (!IsFloating(inst.operand(i)->shape().type())) return OpError(inst, "takes floats only");
  }
  for (i64 i : {0, 1}) {
    const ElementType type = inst.operand(i)->shape().type();
    if (type != F32 && type != F64) {
      return OpError(inst, StrCat("there is no complex type with parts of ", Name(type)),
                     StatusCode::kUnimplemented);
    }
  }
  if (inst.operand(0)->shape().type() != inst.operand(1)->shape().type()) {
    return OpError(inst, "the parts must be of one type, f32 or f64", StatusCode::kUnimplemented);
  }
  AXLE_ASSIGN(const Shape parts, SameShape(inst, kFloats));
  return parts.WithType(parts.type() == F32 ? C64 : C128);
}

}  // namespace

const OpDef kComplexDef = {
    .opcode = Opcode::kComplex,
    .text = "complex",
    .summary = "Complex numbers from their real and imaginary parts.",
    .semantics =
        "Two f32 make a c64, two f64 a c128; the bits of the parts are kept. Parts of other float "
        "types, or of two different ones, are UNIMPLEMENTED, anything else is an error.",
    .source = "XLA Complex; StableHLO complex",
    .operands = kBinaryOperands,
    .traits = kMixedPrecision,  // infer has its own words for it
    .lowering = Lowering::kElementwise,
    .infer = InferComplex,
    // The result is complex, so that only emit_complex is ever called.
    .emit = [](const Instruction&, std::span<const Lane> x) { return x[0]; },
    .emit_complex = [](const Instruction&, std::span<const ComplexLane> x) -> ComplexLane {
      return {x[0].re, x[1].re};
    },
};

const OpDef kRealDef = {
    .opcode = Opcode::kReal,
    .text = "real",
    .summary = "Real part of each element.",
    .semantics =
        "c64 gives f32 and c128 gives f64. A float is its own real part. Bits are kept. Not for "
        "integers and pred.",
    .source = "XLA Real; StableHLO real",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferPart,
    .emit = [](const Instruction&, std::span<const Lane> x) { return x[0]; },
    .emit_complex = [](const Instruction&, std::span<const ComplexLane> x) -> ComplexLane {
      return {x[0].re, x[0].re};
    },
    .in_stored_form = [](const Instruction&) { return true; },
};

const OpDef kImagDef = {
    .opcode = Opcode::kImag,
    .text = "imag",
    .summary = "Imaginary part of each element.",
    .semantics =
        "c64 gives f32 and c128 gives f64, with the bits of the part. The imaginary part of a "
        "float is +0, of a NaN too; f8e8m0fnu has no zero and gives NaN. Not for integers and "
        "pred.",
    .source = "XLA Imag; StableHLO imag",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferPart,
    .emit = [](const Instruction&, std::span<const Lane> x) { return x[0].Like(0); },
    .emit_complex = [](const Instruction&, std::span<const ComplexLane> x) -> ComplexLane {
      return {x[0].im, x[0].im};
    },
};

}  // namespace axle
