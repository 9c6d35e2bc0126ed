// The gamma functions: Lanczos' approximation for Lgamma and Digamma, the power series of the
// incomplete gamma function for x <= 1 or x <= a and its continued fraction elsewhere. Derivatives
// by a are taken term by term along.
#include "axle/lib/math_gamma.h"

#include "axle/lib/math.h"
#include "axle/lib/value.h"

namespace axle {

namespace {

constexpr double kLanczosG = 7;
constexpr double kLogOfLanczosHalf = 2.01490302054226437;  // log(g + 1/2)
constexpr double kLanczosBase = 0.99999999999980993227684700473478;
constexpr double kLanczos[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};
constexpr double kEpsilon = 2.220446049250313e-16;
constexpr double kLogOfGreatest = 709.782712893384;
// The series takes some 9 sqrt(a) steps where x is near a.
constexpr i64 kMaxSteps = 100'000;

}  // namespace

Value LgammaOf(const Value& x) {
  const Value reflects = x < 0.5;
  const Value z = Select(reflects, -x, x - 1.0);
  Value sum = z.Like(kLanczosBase);
  for (int i = 0; i < 8; ++i) sum = sum + kLanczos[i] / (z + (i + 1.0));
  const Value t = z + (kLanczosG + 0.5);
  const Value log_t = kLogOfLanczosHalf + Log1p(z / (kLanczosG + 0.5));
  const Value log_gamma =
      0.918938533204672741780 + (z + 0.5 - t / log_t) * log_t + Log(sum);  // log(2 pi) / 2
  // gamma(x) gamma(1 - x) = pi / sin(pi x), whose sine is of the distance to the nearest integer.
  const Value fraction = Abs(x) - Floor(Abs(x));
  const Value distance = Select(fraction > 0.5, 1.0 - fraction, fraction);
  const Value log_sine = Log(Sin(distance * kPi));
  const Value reflected = 1.14472988584940017414 - log_sine - log_gamma;  // log(pi)
  const Value result = Select(reflects, Select(distance == 0, kInfinity, reflected), log_gamma);
  return Select(Abs(x) == kInfinity, kInfinity, result);
}

Value DigammaOf(const Value& x) {
  const Value reflects = x < 0.5;
  const Value z = Select(reflects, -x, x - 1.0);
  Value numerator = z.Like(0), denominator = z.Like(kLanczosBase);
  for (int i = 0; i < 8; ++i) {
    const Value shifted = z + (i + 1.0);
    numerator = numerator - kLanczos[i] / (shifted * shifted);
    denominator = denominator + kLanczos[i] / shifted;
  }
  const Value t = z + (kLanczosG + 0.5);
  const Value log_t = kLogOfLanczosHalf + Log1p(z / (kLanczosG + 0.5));
  const Value value = log_t + numerator / denominator - kLanczosG / t;
  const Value angle = (x - Floor(x + 0.5)) * kPi;
  const Value result = Select(reflects, value - kPi * Cos(angle) / Sin(angle), value);
  return Select((x <= 0) & (Floor(x) == x), kNan, result);
}

namespace {

// What is wanted of P(a, x): itself, its derivative by a, or that of a sample.
enum class Part { kValue, kDerivative, kSampleDerivative };

// The power series of P(a, x), scale = x^a exp(-x) / gamma(a).
Value IncompleteGammaSeries(const Value& scale, const Value& x, const Value& a,
                            const Value& enabled, Part part) {
  const Value one = a.Full(1), zero = a.Full(0);
  enum { kEnabled, kR, kTerm, kSum, kX, kTermByA, kSumByA };
  const std::vector<Value> last = Iterate(
      "igamma_series", {enabled, a, one, one, x, zero, zero}, kMaxSteps,
      [&](std::span<const Value> v) {
        const Value r = v[kR] + 1.0;
        const Value ratio = v[kX] / r;
        const Value term_by_a = v[kTermByA] * ratio - v[kTerm] * v[kX] / (r * r);
        const Value sum_by_a = v[kSumByA] + term_by_a;
        const Value term = v[kTerm] * ratio;
        const Value sum = v[kSum] + term;
        const Value goes_on = part == Part::kValue ? term > sum * kEpsilon
                                                   : Abs(term_by_a) > Abs(sum_by_a) * kEpsilon;
        return std::vector<Value>{goes_on, r, term, sum, v[kX], term_by_a, sum_by_a};
      });
  const Value& sum = last[kSum];
  if (part == Part::kValue) return sum * scale / a;
  const Value by_a = last[kSumByA] + sum * (Log(x) - DigammaOf(a + 1.0));
  return part == Part::kDerivative ? scale * by_a / a : -by_a * x / a;
}

// The continued fraction of Q(a, x).
Value IncompleteGammaFraction(const Value& scale, const Value& x, const Value& a,
                              const Value& enabled, Part part) {
  const Value y = 1.0 - a, z = x + y + 1.0;
  const Value one = x.Full(1), zero = x.Full(0);
  const Value p1 = x + 1.0, q1 = z * x, value = p1 / q1;
  // p1 and q1 are the newest convergent's numerator and denominator, p2 and q2 the one's before.
  enum {
    kEnabled,
    kValue,
    kCount,
    kY,
    kZ,
    kP1,
    kP2,
    kQ1,
    kQ2,
    kByA,
    kP1ByA,
    kP2ByA,
    kQ1ByA,
    kQ2ByA
  };
  const std::vector<Value> init = {enabled, value, zero,           y,    z,    p1, one,
                                   q1,      x,     value * x / q1, zero, zero, -x, zero};
  const std::vector<Value> last =
      Iterate("igammac_fraction", init, kMaxSteps, [&](std::span<const Value> v) {
        const Value count = v[kCount] + 1.0, y = v[kY] + 1.0, z = v[kZ] + 2.0;
        const Value yc = y * count;
        const Value p = v[kP1] * z - v[kP2] * yc, q = v[kQ1] * z - v[kQ2] * yc;
        const Value has_value = q != 0;
        const Value safe_q = Select(has_value, q, 1.0);
        const Value value = Select(has_value, p / safe_q, v[kValue]);
        const Value change = Select(has_value, Abs((v[kValue] - value) / value), 1.0);
        // y falls by a, and z with it.
        const Value p_by_a = v[kP1ByA] * z - v[kP1] - v[kP2ByA] * yc + v[kP2] * count;
        const Value q_by_a = v[kQ1ByA] * z - v[kQ1] - v[kQ2ByA] * yc + v[kQ2] * count;
        const Value by_a = Select(has_value, (p_by_a - value * q_by_a) / safe_q, v[kByA]);
        const Value goes_on =
            part == Part::kValue ? change > kEpsilon : Abs(by_a - v[kByA]) > Abs(by_a) * kEpsilon;
        const Value scaling = Select(Abs(p) > 1 / kEpsilon, p.Full(kEpsilon), 1.0);
        return std::vector<Value>{goes_on,
                                  value,
                                  count,
                                  y,
                                  z,
                                  p * scaling,
                                  v[kP1] * scaling,
                                  q * scaling,
                                  v[kQ1] * scaling,
                                  by_a,
                                  p_by_a * scaling,
                                  v[kP1ByA] * scaling,
                                  q_by_a * scaling,
                                  v[kQ1ByA] * scaling};
      });
  if (part == Part::kValue) return last[kValue] * scale;
  const Value by_a = last[kByA] + last[kValue] * (Log(x) - DigammaOf(a));
  return part == Part::kDerivative ? scale * by_a : -by_a * x;
}

// P (or a derivative), or Q if `upper`.
Value IncompleteGamma(const Value& a, const Value& x, Part part, bool upper) {
  const Value is_nan = (a != a) | (x != x) | (x < 0) | (a <= 0);
  const Value at_zero = x == 0, at_infinity = x == kInfinity, a_infinite = a == kInfinity;
  const Value log_scale = a * Log(x) - x - LgammaOf(a);
  const Value underflows = log_scale < -kLogOfGreatest;
  const Value off_limits = is_nan | at_zero | at_infinity | a_infinite;
  // The derivative of a sample is free of the scale.
  const Value enabled = !(part == Part::kSampleDerivative ? off_limits : off_limits | underflows);
  const Value by_fraction = (x > 1) & (x > a);
  // Where the scale is 0, or nothing is to be done, numbers that do no harm.
  const Value scale = Select(enabled, Exp(log_scale), 0.0);
  const Value safe_a = Select(enabled, a, 1.0), safe_x = Select(enabled, x, 1.0);
  const Value q = IncompleteGammaFraction(scale, safe_x, safe_a, enabled & by_fraction, part);
  const Value p = IncompleteGammaSeries(scale, safe_x, safe_a, enabled & !by_fraction, part);
  const double one = part == Part::kValue ? 1 : 0;
  const Value lower_result = Select(by_fraction, one - q, p);
  const Value upper_result = Select(by_fraction, q, one - p);
  const Value inside = upper ? upper_result : lower_result;
  // At infinity of x, P is 1; at 0, and where a is infinite, 0.
  const Value p_at_end = Select(at_infinity & !a_infinite, a.Full(one), 0.0);
  const Value at_end = Select(at_infinity & a_infinite, kNan, upper ? one - p_at_end : p_at_end);
  const Value result = Select(at_zero | at_infinity | a_infinite, at_end, inside);
  return Select(is_nan, kNan, result);
}

}  // namespace

XlaOp Lgamma(XlaOp input, Location location) {
  return InDouble("lgamma", {input}, location,
                  [](std::span<const Value> v) { return LgammaOf(v[0]); });
}
XlaOp Digamma(XlaOp input, Location location) {
  return InDouble("digamma", {input}, location,
                  [](std::span<const Value> v) { return DigammaOf(v[0]); });
}
XlaOp Igamma(XlaOp a, XlaOp x, Location location) {
  return InDouble("igamma", {a, x}, location, [](std::span<const Value> v) {
    return IncompleteGamma(v[0], v[1], Part::kValue, false);
  });
}
XlaOp Igammac(XlaOp a, XlaOp x, Location location) {
  return InDouble("igammac", {a, x}, location, [](std::span<const Value> v) {
    return IncompleteGamma(v[0], v[1], Part::kValue, true);
  });
}
XlaOp IgammaGradA(XlaOp a, XlaOp x, Location location) {
  return InDouble("igamma grad a", {a, x}, location, [](std::span<const Value> v) {
    return IncompleteGamma(v[0], v[1], Part::kDerivative, false);
  });
}
XlaOp RandomGammaGrad(XlaOp a, XlaOp x, Location location) {
  return InDouble("random gamma grad", {a, x}, location, [](std::span<const Value> v) {
    return IncompleteGamma(v[0], v[1], Part::kSampleDerivative, false);
  });
}

}  // namespace axle
