// convert between all element types; every conversion is exact or rounded once, from the source.
//
// The conversion is chosen by the classes of both types: float to integer saturates, integer to
// float rounds once, integers resize, and pred compares with zero. Narrow floats are rounded by
// LaneCompiler when they are stored, so that this file gives it an f32 or f64 which that rounding
// takes to the same result as a rounding of the exact value.
#include "axle/core/float_format.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kConvertDef;

namespace {

// Towards zero; out of range gives the nearest integer of type `to`, NaN gives 0. The bounds are
// powers of two, so the comparisons are exact.
Lane SaturatingToInt(Lane x, ElementType to) {
  const LaneType type = StorageType(to);
  // Processors convert floats to 32 or 64 bits only; a narrower value is the low part, since it is
  // in range.
  const LaneType through = BytesOf(type) < 4 ? LaneType::kS32 : type;
  const int magnitude_bits = Info(to).bits - (IsSigned(to) ? 1 : 0);
  const std::uint64_t max = LowBits(magnitude_bits);
  const std::uint64_t half = max / 2 + 1;
  const double bound = static_cast<double>(half) * (magnitude_bits == 0 ? 1.0 : 2.0);
  const Lane fits = (x >= (IsSigned(to) ? -bound : 0.0)) & (x < bound);
  const Lane inside = Resize(type, Apply(Primitive::kToInt, through, {Select(fits, x, x.Like(0))}));
  const Lane above = inside.Like(max), below = inside.Like(IsSigned(to) ? ~max : 0);
  // NaN counts as "inside" with the value 0, because `fits` is false for it and 0 was selected.
  return Select(fits | IsNan(x), inside, Select(x > 0, above, below));
}

// A 64-bit integer in 53 bits: what has more is cut off to 52 and made odd, so that it lies on the
// same side of every rounding boundary of a narrow float as before.
Lane RoundToOdd(Lane x) {
  constexpr int kCut = 12;
  constexpr i64 kExact = i64{1} << 53;
  const Lane sticky = Resize(x.type(), (x & ((1 << kCut) - 1)) != 0);
  const Lane odd = ((x >> kCut) | sticky) << kCut;
  const Lane fits = IsSigned(x.type()) ? (x >= -kExact) & (x <= kExact) : x <= kExact;
  return Select(fits, x, odd);
}

// To a narrow float the result is an f32 or f64 that LaneCompiler rounds; it holds the integer
// exactly, or as exactly as that rounding can tell.
Lane IntToFloat(Lane x, ElementType to) {
  if (!IsNarrowFloat(to)) return ToFloat(ComputeType(to), x);
  if (BytesOf(x.type()) <= 2) return ToFloat(LaneType::kF32, x);
  return ToFloat(LaneType::kF64, BytesOf(x.type()) == 8 ? RoundToOdd(x) : x);
}

// FloatToFloat rounds to the type of the computation; a narrow target is rounded later, once.
Lane ConvertLane(Lane x, ElementType from, ElementType to) {
  if (to == PRED) return from == PRED ? x : x != 0;
  if (IsFloating(to)) {
    if (!IsFloating(from)) return IntToFloat(x, to);
    return IsNarrowFloat(to) ? x : FloatToFloat(ComputeType(to), x);
  }
  return IsFloating(from) ? SaturatingToInt(x, to) : Resize(StorageType(to), x);
}

// The element type of the operand decides how the result is computed.
ElementType From(const Instruction& inst) {
  return inst.operand(0)->shape().type();
}

StatusOr<Shape> InferConvert(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  if (!inst.shape().is_array()) {
    return OpError(inst, StrCat("cannot convert to ", inst.shape().ToString()));
  }
  return inst.operand(0)->shape().WithType(inst.shape().type());
}

}  // namespace

const OpDef kConvertDef = {
    .opcode = Opcode::kConvert,
    .text = "convert",
    .summary = "Each element as the nearest value of another element type.",
    .semantics =
        "To pred: whether the element is not 0; NaN is. Between integers: the low bits, extended "
        "as the source type extends. Float to integer: truncated, saturated to the target's "
        "range; NaN gives 0. To a float: rounded once to nearest even; what is too large becomes "
        "infinity, NaN in types without infinity, the largest value in types without both. To "
        "f8e8m0fnu: the nearest power of two, halves up; NaN for what is not positive or too "
        "large. To a complex type the imaginary part is +0; from one to a real type it is dropped.",
    .source = "XLA ConvertElementType; StableHLO convert",
    .operands = kUnaryOperands,
    .declared_shape = true,
    .lowering = Lowering::kElementwise,
    .accuracy = "correctly rounded",
    .errors = ErrorPropagation::kConvert,
    .infer = InferConvert,
    .emit =
        [](const Instruction& inst, std::span<const Lane> x) {
          return ConvertLane(x[0], From(inst), inst.shape().type());
        },
    .emit_complex = [](const Instruction& inst, std::span<const ComplexLane> x) -> ComplexLane {
      const ElementType from = From(inst), to = inst.shape().type();
      const Lane re = ConvertLane(x[0].re, PartOf(from), PartOf(to));
      if (!IsComplex(to)) return {re, re};
      return {re, IsComplex(from) ? ConvertLane(x[0].im, PartOf(from), PartOf(to)) : re.Like(0)};
    },
    .in_stored_form = [](const Instruction& inst) { return From(inst) == inst.shape().type(); },
};

}  // namespace axle
