// divide, remainder: total on integers, whatever the divisor is.
//
// Hardware traps on integer division by zero and on the least integer divided by -1. The lane
// program replaces such divisors by 1 and selects the defined result afterwards, so that no trap is
// possible on any lane.
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kDivideDef, kRemainderDef;

namespace {

// The divisors that the primitives do not take. The second overflows on the least dividend;
// dividing by it is negation, and its remainder is 0.
struct Divisor {
  Lane is_zero;
  Lane is_minus_one;  // of signed types
  Lane safe;          // the divisor, or 1 in these cases
};

// Unsigned types have no -1; the field then repeats is_zero.
Divisor Inspect(Lane y) {
  const Lane is_zero = y == 0;
  if (!IsSigned(y.type())) return {is_zero, is_zero, Select(is_zero, y.Like(1), y)};
  const Lane is_minus_one = y == -1;
  return {is_zero, is_minus_one, Select(is_zero | is_minus_one, y.Like(1), y)};
}

Lane EmitDivide(const Instruction&, std::span<const Lane> operands) {
  const Lane x = operands[0], y = operands[1];
  if (IsFloat(x.type())) return x / y;
  const Divisor divisor = Inspect(y);
  Lane quotient = x / divisor.safe;
  if (IsSigned(x.type())) quotient = Select(divisor.is_minus_one, -x, quotient);
  return Select(divisor.is_zero, x.Like(-1), quotient);
}

Lane EmitRemainder(const Instruction&, std::span<const Lane> operands) {
  const Lane x = operands[0], y = operands[1];
  if (IsFloat(x.type())) return x % y;
  const Divisor divisor = Inspect(y);
  // The remainder by -1 is 0, which the remainder by 1 gives as well.
  return Select(divisor.is_zero, x, x % divisor.safe);
}

Lane IsInfinite(Lane x) {
  return Abs(x) == x.Like(__builtin_inf());
}
Lane IsFinite(Lane x) {
  return Abs(x) < x.Like(__builtin_inf());
}
Lane CopySign(Lane magnitude, Lane sign) {
  const Lane mask = BitsOf(sign).Like(std::uint64_t{1} << (BitsOf(sign.type()) - 1));
  return Bitcast(sign.type(), (BitsOf(magnitude) & ~mask) | (BitsOf(sign) & mask));
}
// An infinity as +-1, anything else as +-0.
Lane Boxed(Lane x) {
  return CopySign(Select(IsInfinite(x), x.Like(1), x.Like(0)), x);
}
ComplexLane Select(Lane condition, ComplexLane on_true, ComplexLane on_false) {
  return {Select(condition, on_true.re, on_false.re), Select(condition, on_true.im, on_false.im)};
}
// factor * (a * conj b).
ComplexLane ScaledProduct(Lane factor, ComplexLane a, ComplexLane b) {
  return {factor * (a.re * b.re + a.im * b.im), factor * (a.im * b.re - a.re * b.im)};
}

// Smith's algorithm: divides by the larger part of b first, so that no intermediate overflows.
// Where that gives NaN twice, infinities and zeros decide as C's Annex G says.
ComplexLane EmitComplexDivide(const Instruction&, std::span<const ComplexLane> operands) {
  const ComplexLane a = operands[0], b = operands[1];
  const Lane swapped = Abs(b.re) < Abs(b.im);
  const Lane large = Select(swapped, b.im, b.re), small = Select(swapped, b.re, b.im);
  const Lane ratio = small / large;
  const Lane denominator = large + ratio * small;
  const ComplexLane quotient = {
      (ratio * Select(swapped, a.re, a.im) + Select(swapped, a.im, a.re)) / denominator,
      Select(swapped, ratio * a.im - a.re, a.im - ratio * a.re) / denominator};

  // The special cases are computed on all lanes and selected at the end: a lane program has no
  // branches.
  const Lane infinity = a.re.Like(__builtin_inf());
  const Lane signed_infinity = CopySign(infinity, b.re);
  const ComplexLane by_zero = {signed_infinity * a.re, signed_infinity * a.im};
  const Lane is_by_zero = (b.re == 0) & (b.im == 0) & !(IsNan(a.re) & IsNan(a.im));
  const Lane a_is_infinite = IsInfinite(a.re) | IsInfinite(a.im);
  const Lane a_is_finite = IsFinite(a.re) & IsFinite(a.im);
  const Lane b_is_infinite = IsInfinite(b.re) | IsInfinite(b.im);
  const Lane b_is_finite = IsFinite(b.re) & IsFinite(b.im);
  const ComplexLane infinite = ScaledProduct(infinity, {Boxed(a.re), Boxed(a.im)}, b);
  const ComplexLane vanishing = ScaledProduct(infinity.Like(0), a, {Boxed(b.re), Boxed(b.im)});
  const ComplexLane special =
      Select(is_by_zero, by_zero,
             Select(a_is_infinite & b_is_finite, infinite,
                    Select(a_is_finite & b_is_infinite, vanishing, quotient)));
  return Select(IsNan(quotient.re) & IsNan(quotient.im), special, quotient);
}

}  // namespace

const OpDef kDivideDef = {
    .opcode = Opcode::kDivide,
    .text = "divide",
    .summary = "Quotient of each pair of elements, lhs / rhs.",
    .semantics =
        "Integer quotients are truncated towards zero; a division by zero gives -1 (all ones for "
        "unsigned types), and the least integer divided by -1 is itself. Floats follow IEEE: a "
        "division by zero gives an infinity, 0/0 NaN. Complex quotients use Smith's algorithm with "
        "the special cases of C's Annex G. Not for pred.",
    .source = "XLA Div; StableHLO divide",
    .operands = kBinaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "correctly rounded; complex: each operation of the algorithm is",
    .errors = ErrorPropagation::kDivide,
    .infer = InferElementwise<kNumbers>,
    .emit = EmitDivide,
    .emit_complex = EmitComplexDivide,
};

const OpDef kRemainderDef = {
    .opcode = Opcode::kRemainder,
    .text = "remainder",
    .summary = "Remainder of each pair of elements after truncated division.",
    .semantics =
        "The result has the sign of lhs and is smaller in magnitude than rhs. Integers: x modulo "
        "0 is x, and the least integer modulo -1 is 0. Floats: exact; NaN if lhs is infinite or "
        "rhs is zero, lhs if rhs is infinite. Not for pred and complex numbers.",
    .source = "XLA Rem; StableHLO remainder; C's fmod",
    .operands = kBinaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kRealNumbers>,
    .emit = EmitRemainder,
};

}  // namespace axle
