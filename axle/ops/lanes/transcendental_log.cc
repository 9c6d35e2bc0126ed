// Logarithms: log, log1p.
//
// x = 2^k m with m in [sqrt(1/2), sqrt(2)), f = m - 1, log x = k ln 2 + log(1 + f). Coefficients
// are minimax fits of ours (tests/accuracy/coefficients.sollya).
#include "axle/ops/lanes/transcendental_log.h"

#include "axle/ops/lanes/lane_math.h"
#include "axle/ops/lanes/transcendental_pairs.h"

namespace axle {
namespace {

// (log(1 + f) - f + f^2 / 2) / f^3 on [sqrt(1/2) - 1, sqrt(2) - 1]. Relative error of the whole:
// 2^-28.1.
constexpr double kLogF32[] = {0x1.555554p-2,  -0x1.fffff8p-3, 0x1.999d46p-3,
                              -0x1.555c8cp-3, 0x1.23d506p-3,  -0x1.fcbfc4p-4,
                              0x1.de3896p-4,  -0x1.d77b1ap-4, 0x1.20373cp-4};
// (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2, |s| <= 0.1716. Relative error of the whole: 2^-57.6.
constexpr double kLogF64[] = {0x1.5555555555558p-1, 0x1.9999999995303p-2, 0x1.2492492df3035p-2,
                              0x1.c71c62e0b72cbp-3, 0x1.7462b661a6689p-3, 0x1.39fe212ae99bap-3,
                              0x1.2b5b8533c9337p-3};

// k ln 2 + log(1 + f). ln 2 is in two parts, the first short enough for an exact product with k.
// One polynomial for f32, a rational form for f64.
Lane LogOfParts(Lane k, Lane f) {
  if (f.type() == LaneType::kF64) {
    const Lane half_square = f * f * 0.5;
    const Lane s = f / (f + 2.0), z = s * s;
    // log(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2))).
    const Lane tail = s * Fma(z, Polynomial(z, kLogF64), half_square);
    const Lane low = half_square - Fma(k, f.Like(0x1.ef35793c7673p-45), tail);
    return Fma(k, f.Like(0x1.62e42fefa38p-1), f - low);
  }
  const Lane square = f * f;
  Lane low = Polynomial(f, kLogF32) * square * f;
  low = Fma(k, f.Like(0x1.7f7d1cp-20), low);
  low = Fma(square, f.Like(-0.5), low);
  return Fma(k, f.Like(0x1.62e4p-1), f + low);
}

// log of the positive finite `value`, and the limits: `y` is the result for ordinary arguments.
Lane WithLogLimits(Lane value, Lane y) {
  const Lane not_positive = Select(value == 0.0, value.Like(-kInfinity), value.Like(kNan));
  return Select(value <= 0.0, not_positive, Select(value < kInfinity, y, value));
}

}  // namespace

// Subnormal numbers are scaled into the normal range first. The integer sum moves m into
// [sqrt(1/2), sqrt(2)) and the exponent along with it, without a branch.
LogParts SplitLog(Lane x) {
  const int fraction_bits = FractionBits(x);
  const Lane subnormal = x < PerType(x, 0x1p-126, 0x1p-1022);
  const Lane bits = BitsOf(Select(subnormal, x * PerType(x, 0x1p24, 0x1p54), x));
  const std::uint64_t one = PatternPerType(x, 1, 1);
  const std::uint64_t sqrt_half = PatternPerType(x, 0x1.6a09e6p-1f, 0x1.6a09e667f3bcdp-1);
  const Lane k_biased = (bits + (one - sqrt_half)) >> fraction_bits;
  const Lane m = Bitcast(x.type(), bits - (k_biased << fraction_bits) + one);
  // An integer below 2^fraction_bits, put into the fraction of 2^fraction_bits, becomes a float.
  const Lane carried = Bitcast(x.type(), k_biased | PatternPerType(x, 0x1p23f, 0x1p52));
  const Lane k = carried - Select(subnormal, PerType(x, 0x1p23 + 127 + 24, 0x1p52 + 1023 + 54),
                                  PerType(x, 0x1p23 + 127, 0x1p52 + 1023));
  return {k_biased, k, m};
}

Lane Log(Lane x) {
  const LogParts parts = SplitLog(x);
  return WithLogLimits(x, LogOfParts(parts.k, parts.m - 1.0));
}

// As log of u = 1 + x, but f = (1 + x) 2^-k - 1 is computed from x itself, with one rounding, so
// that what u lost does not matter.
Lane LogPlusOne(Lane x) {
  const Lane u = x + 1.0;
  const LogParts parts = SplitLog(u);
  // 2^(2-k): k can be one past the largest exponent, where 2^-k is no normal number.
  const Lane scale =
      Bitcast(x.type(), (2 * ExponentBias(x) + 2 - parts.k_biased) << FractionBits(x));
  const Lane f = Fma(x * 0.25, scale, Fma(scale, x.Like(0.25), x.Like(-1)));
  const Lane y = WithLogLimits(u, LogOfParts(parts.k, f));
  // Near 0 the result is x to the last bit; this also keeps -0 and subnormals.
  return Select(Abs(x) < PerType(x, 0x1p-30, 0x1p-60), x, y);
}

namespace {

// (log((1 + s) / (1 - s)) - 2 s - 2/3 s^3) / s^5 in s^2, |s| <= 0.1716. Relative error of the
// whole: 2^-69.2.
constexpr double kLogTail[] = {0x1.999999999999ap-2, 0x1.24924924922fcp-2, 0x1.c71c71c74d1cp-3,
                               0x1.745d173c57417p-3, 0x1.3b13aa0342a94p-3, 0x1.11154601f4b17p-3,
                               0x1.e01b9e2a1bb45p-4, 0x1.da9000072fdbp-4};

// k ln 2 + log m, m = 1 + f + f_low, with denominator = m + 1 less f_low; f_low null: 0.
LanePair LogPairOfParts(Lane k, Lane f, const Lane* f_low, LanePair denominator) {
  // s = (m - 1) / (m + 1), all three pairs.
  if (f_low != nullptr) denominator.low = denominator.low + *f_low;
  const Lane reciprocal = 1.0 / denominator.high;
  const Lane s = f * reciprocal;
  Lane remainder = Fma(-s, denominator.low, Fma(-s, denominator.high, f));
  if (f_low != nullptr) remainder = remainder + *f_low;
  const Lane s_low = remainder * reciprocal;
  const LanePair square = TwoProduct(s, s);
  const Lane square_low = Fma(s + s, s_low, square.low);
  // 2/3 + s^2 tail, a pair.
  const LanePair c =
      FastTwoSum(f.Like(0x1.5555555555555p-1), square.high * Polynomial(square.high, kLogTail));
  const Lane c_low = c.low + 0x1.5555555555555p-55;
  // log m = 2 s + s (s^2 c).
  const LanePair sc = TwoProduct(square.high, c.high);
  const Lane sc_low = sc.low + Fma(square.high, c_low, square_low * c.high);
  const LanePair cubic = TwoProduct(s, sc.high);
  const Lane cubic_low = cubic.low + Fma(s, sc_low, s_low * sc.high);
  const LanePair log_m = FastTwoSum(s + s, cubic.high);
  const Lane log_m_low = log_m.low + Fma(s_low, f.Like(2), cubic_low);
  // ln 2 = 0x1.62e42fefa38p-1 + 0x1.ef35793c7673p-45; the first product is exact.
  const LanePair sum = FastTwoSum(k * 0x1.62e42fefa38p-1, log_m.high);
  return FastTwoSum(sum.high, sum.low + Fma(k, f.Like(0x1.ef35793c7673p-45), log_m_low));
}

}  // namespace

// The logarithm as a pair, for powers.
LanePair LogPair(Lane x) {
  const LogParts parts = SplitLog(x);
  // The numerator m - 1 is exact.
  return LogPairOfParts(parts.k, parts.m - 1.0, nullptr, FastTwoSum(x.Like(1), parts.m));
}

LanePair LogOf(LanePair x) {
  return LogOf(x, x.high.Like(0));
}

// `more_k` is added to the exponent, for arguments that were scaled before.
LanePair LogOf(LanePair x, Lane more_k) {
  const LogParts parts = SplitLog(x.high);
  // 2^(2-k), which is a normal number for every k.
  const Lane scale = Bitcast(LaneType::kF64, (2 * 1023 + 2 - parts.k_biased) << 52);
  const Lane f_low = x.low * 0.25 * scale;
  return LogPairOfParts(parts.k + more_k, parts.m - 1.0, &f_low,
                        FastTwoSum(f_low.Like(1), parts.m));
}

LanePair LogOfOnePlus(LanePair x) {
  const LanePair sum = TwoSum(x.high.Like(1), x.high);
  return LogOf({sum.high, sum.low + x.low});
}

}  // namespace axle
