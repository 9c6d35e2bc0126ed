// sqrt(x^2 + y^2) without overflow. f32: squares are exact in f64, so the plain formula is nearly
// correctly rounded. f64: the larger part is scaled near 1 by a power of two, and Borges' corrected
// formula is used.
//
// Both formulas are lane programs without branches. HypotScaled leaves the last scaling to the
// caller, which may divide by the magnitude before it would overflow.

#include "axle/ops/lanes/hypot.h"

namespace axle {
namespace {

// Borges, "An improved algorithm for hypot(a, b)" (2019), the fused form: what the rounded square
// root leaves of the sum of squares is computed exactly but for one rounding, and one Newton step
// takes it into account. Needs x >= y >= 0 whose squares neither overflow nor underflow (a y whose
// square does is too small to matter).
Lane CorrectedHypot(Lane x, Lane y) {
  const Lane h = Sqrt(Fma(x, x, y * y));
  const Lane h_squared = h * h, x_squared = x * x;
  const Lane rest =
      Fma(-y, y, h_squared - x_squared) + Fma(h, h, -h_squared) - Fma(x, x, -x_squared);
  return h - rest / (h + h);
}

}  // namespace

// Scaling by a power of two keeps squares away from overflow and underflow, and is exact; the
// caller divides by the scale, or takes it into account in a logarithm.
ScaledHypot HypotScaled(Lane x, Lane y) {
  const Lane is_infinite =
      (Abs(x) == x.Like(__builtin_inf())) | (Abs(y) == y.Like(__builtin_inf()));
  if (x.type() == LaneType::kF32) {  // squares of f32 are exact and far inside the range of f64
    const Lane a = FloatToFloat(LaneType::kF64, x), b = FloatToFloat(LaneType::kF64, y);
    return {Select(is_infinite, a.Like(__builtin_inf()), Sqrt(a * a + b * b)), a.Like(1)};
  }
  // The thresholds leave room for squares, and for the low part of the smaller one.
  const Lane large = Max(Abs(x), Abs(y)), small = Min(Abs(x), Abs(y));
  const Lane scale = Select(large > 0x1p511, large.Like(0x1p-600),
                            Select(large < 0x1p-459, large.Like(0x1p600), large.Like(1)));
  const Lane hypot = CorrectedHypot(large * scale, small * scale);
  const Lane finite = Select(large == 0.0, large.Like(0), hypot);
  return {Select(is_infinite, large.Like(__builtin_inf()), finite), scale};
}

Lane Hypot(Lane x, Lane y) {
  const ScaledHypot scaled = HypotScaled(x, y);
  if (x.type() == LaneType::kF32) return FloatToFloat(LaneType::kF32, scaled.value);
  const Lane scale = scaled.scale;
  const Lane unscale =
      Select(scale < 1.0, scale.Like(0x1p600), Select(scale > 1.0, scale.Like(0x1p-600), scale));
  return scaled.value * unscale;
}

}  // namespace axle
