// Exponentials and what is made of them: exp, expm1, tanh, sinh, cosh, logistic, erf.
//
// All start from e^x = 2^n (1 + r + w) with n = round(x / ln 2), |r| <= ln(2) / 2 and
// w = e^r - 1 - r from a polynomial, and differ in how they put the parts together so that nothing
// cancels and the last step is the only one that rounds at the result's size.
//
// Coefficients are minimax fits of ours (tests/accuracy/coefficients.sollya); error figures beside
// them are those of the polynomial alone, with the coefficients as rounded.
#include "axle/ops/lanes/lane_math.h"
#include "axle/ops/lanes/transcendental_pairs.h"

namespace axle {
namespace {

// (e^r - 1 - r) / r^2 on |r| <= 0.347. Relative error of r + r^2 Q: 2^-30.5 and 2^-60.8.
constexpr double kExpF32[] = {0x1p-1,        0x1.555556p-3,  0x1.5555p-5,
                              0x1.110feep-7, 0x1.6d3092p-10, 0x1.a270ccp-13};
constexpr double kExpF64[] = {0x1p-1,
                              0x1.5555555555557p-3,
                              0x1.5555555555552p-5,
                              0x1.1111111110046p-7,
                              0x1.6c16c16c1893bp-10,
                              0x1.a01a01ac26ef3p-13,
                              0x1.a01a0197bce78p-16,
                              0x1.71de018a576b9p-19,
                              0x1.27e500ced4232p-22,
                              0x1.af4f1b79bfd6cp-26,
                              0x1.1f332fa1118fp-29};

// e^x = 2^n (1 + r + w).
struct ReducedExp {
  Lane n;
  Lane exponent;  // an integer whose low bits hold n + bias; the bits above them are to be ignored
  Lane r;
  Lane r_low;      // what rounding left of r
  Lane square, q;  // w = r^2 q

  Lane w() const { return square * q; }
  Lane p() const { return Fma(square, q, r); }  // r + w, with one rounding less
};

// |x| must be such that 2^n is at most a few steps outside the range of the type.
ReducedExp ReduceExp(Lane x) {
  // Adding 1.5 * 2^fraction_bits rounds to an integer and leaves it in the low bits of the sum.
  const int bias = ExponentBias(x);
  const Lane shifter = PerType(x, 0x1.8p23 + bias, 0x1.8p52 + bias);
  const Lane shifted = Fma(x, PerType(x, 0x1.715476p+0, 0x1.71547652b82fep+0), shifter);
  const Lane n = shifted - shifter;
  // ln 2 in two parts. The first product is exact inside the fma, and so is the difference.
  const Lane difference = Fma(n, PerType(x, -0x1.62e43p-1, -0x1.62e42fefa39efp-1), x);
  const Lane ln2_low = PerType(x, 0x1.05c61p-29, -0x1.abc9e3b39803fp-56);
  const Lane r = Fma(n, ln2_low, difference);
  const Lane r_low = Fma(n, ln2_low, difference - r);
  const Lane q = x.type() == LaneType::kF64 ? Polynomial(r, kExpF64) : Polynomial(r, kExpF32);
  return {n, BitsOf(shifted), r, r_low, r * r, q};
}

// 2^n for n within the normal range; `exponent` is that of ReducedExp.
// The upper bits of `exponent` are shifted out.
Lane PowerOfTwo(Lane like, Lane exponent) {
  return Bitcast(like.type(), exponent << FractionBits(like));
}

}  // namespace

Lane Exp(Lane x) {
  // Beyond these bounds the result is 0 or inf.
  const ReducedExp e = ReduceExp(Clamp(PerType(x, -104, -746), x, PerType(x, 89, 710)));
  return TimesPowerOfTwo(e.p() + 1.0, e.n);
}

// e^(high + low) = e^high (1 + low): low is below 2^-40, so its square does not count.
Lane ExpOfSum(LanePair x) {
  const Lane high = Clamp(PerType(x.high, -104, -746), x.high, PerType(x.high, 89, 710));
  const ReducedExp e = ReduceExp(high);
  const Lane w = Fma(x.low, e.p() + 1.0, e.w());
  return TimesPowerOfTwo((w + e.r) + 1.0, e.n);
}

// e^x - 1 = 2 (s w + (s r + (s - 1/2))) with s = 2^(n-1): the sums grow from small to large.
// Beyond the clamp the result is -1 or infinity.
Lane ExpMinusOne(Lane x) {
  // Below, the result is -1; s never underflows.
  const ReducedExp e = ReduceExp(Clamp(PerType(x, -18, -38), x, PerType(x, 89, 710)));
  const Lane s = PowerOfTwo(x, e.exponent - 1);
  const Lane sum = Fma(s, e.w(), Fma(s, e.r, s - 0.5)) * 2.0;
  // Near 0 the result is x to the last bit; this also keeps -0 and subnormals.
  return Select(Abs(x) < PerType(x, 0x1p-30, 0x1p-60), x, sum);
}

namespace {

// (tanh(s) / s - 1) / s^2 as a polynomial in s^2, s < 5/8. Relative error of the whole: 2^-25.8 and
// 2^-61.9.
constexpr double kTanhF32[] = {-0x1.555552p-2, 0x1.110e02p-3, -0x1.b92196p-5, 0x1.57e86ap-6,
                               -0x1.8f080ap-8};
constexpr double kTanhF64[] = {
    -0x1.5555555555555p-2,  0x1.111111111105ep-3,  -0x1.ba1ba1ba0dac4p-5,  0x1.664f487eb24d5p-6,
    -0x1.226e34b44605p-7,   0x1.d6d3ae251d341p-9,  -0x1.7da10ceeffec8p-10, 0x1.353c919233e66p-11,
    -0x1.f3bb5575b4a1dp-13, 0x1.8c897e24cb762p-14, -0x1.22e746cc3dd61p-15, 0x1.4eeead9902884p-17,
    -0x1.9a8cefa83e2f6p-20};

}  // namespace

// Of s = |x|: below 5/8 an odd polynomial, above it 1 - 2 / (1 + e^2s), where the quotient is below
// 1/2, so its error counts less. With e^2s = t (1 + p) the denominator is (1 + t) + t p.
Lane Tanh(Lane x) {
  const Lane size = Abs(x), square = size * size;
  const Lane q =
      x.type() == LaneType::kF64 ? Polynomial(square, kTanhF64) : Polynomial(square, kTanhF32);
  const Lane near_zero = Fma(square * q, size, size);

  const Lane limit = PerType(x, 10, 22);  // tanh(limit) rounds to 1
  const ReducedExp e = ReduceExp(Select(size > limit, limit, size) * 2.0);
  const Lane t = PowerOfTwo(x, e.exponent);
  const Lane far = Fma(1.0 / Fma(t, e.p(), t + 1.0), x.Like(-2), x.Like(1));
  return WithSignOf(x, Select(size < 0.625, near_zero, far));
}

// With e^x = 2^n (1 + p) and t = 2^-2n, 2^(1-n) sinh x = (1 + p) - t / (1 + p). As 1 / (1 + p) is
// 1 - q, q = p / (1 + p), that is (1 - t) + p + t q: nothing cancels near 0, where t = 1.
Hyperbolic HyperbolicOf(Lane x, Lane limit) {
  const ReducedExp e = ReduceExp(Select(x > limit, limit, x));
  const LaneType signed_type = x.type() == LaneType::kF64 ? LaneType::kS64 : LaneType::kS32;
  // n as an integer: the constant that was added for rounding is subtracted from the bits.
  const Lane n =
      Bitcast(signed_type, e.exponent - PatternPerType(x, 0x1.8p23f + 127, 0x1.8p52 + 1023));
  const Lane t = Select(x > PerType(x, 20, 40), x.Like(0), TwoToThe(x, -n - n));
  LanePair p = FastTwoSum(e.r, e.w());
  const LanePair one_plus_p = FastTwoSum(x.Like(1), p.high);
  p.low = Fma(e.r_low, one_plus_p.high, p.low);
  const LanePair q = Divide(p, {one_plus_p.high, one_plus_p.low + p.low});
  const auto sum = [&](LanePair first, Lane sign_t) {
    const LanePair second = FastTwoSum(first.high, p.high);
    const LanePair third = FastTwoSum(second.high, sign_t * q.high);
    const Lane low = (third.low + second.low) + (first.low + Fma(sign_t, q.low, p.low));
    return FastTwoSum(third.high, low);
  };
  return {n, t, p, q, sum(FastTwoSum(x.Like(1), -t), t), sum(FastTwoSum(x.Like(1), t), -t)};
}

namespace {

// value 2^(n-1), rounded once; value is within [2^-2, 2^2], or n is small.
Lane HalfScaled(LanePair value, Lane n) {
  // To a float: in the low bits of 1.5 * 2^fraction_bits, which is subtracted again.
  const std::uint64_t zero = PatternPerType(value.high, 0x1.8p23f, 0x1.8p52);
  const Lane shifted = Bitcast(value.high.type(), Bitcast(UnsignedOf(n.type()), n) + (zero - 1));
  return TimesPowerOfTwo(Rounded(value), shifted - PerType(value.high, 0x1.8p23, 0x1.8p52));
}

}  // namespace

// The size first, the sign last.
Lane Sinh(Lane x) {
  const Hyperbolic h = HyperbolicOf(Abs(x), PerType(x, 90.5, 711.5));  // infinite beyond
  return WithSignOf(x, HalfScaled(h.s, h.n));
}

Lane Cosh(Lane x) {
  const Hyperbolic h = HyperbolicOf(Abs(x), PerType(x, 90.5, 711.5));
  return HalfScaled(h.c, h.n);
}

// With e^|x| = 2^n (1 + p) and t = 2^-n: logistic(-|x|) = 1 / (1 + e^|x|) = t / (1 + (p + t)), and
// logistic(|x|) is 1 less that.
Lane Logistic(Lane x) {
  const Lane size = Abs(x), limit = PerType(x, 104, 746);  // logistic(-limit) rounds to 0
  const ReducedExp e = ReduceExp(Select(size > limit, limit, size));
  const Lane t = TimesPowerOfTwo(x.Like(1), -e.n);
  // The division is corrected by its remainder, which keeps the relative accuracy of small results.
  const Lane u = e.p() + t;
  const LanePair sum = FastTwoSum(x.Like(1), u);
  const Lane reciprocal = 1.0 / sum.high;
  const Lane remainder = Fma(-reciprocal, sum.low, Fma(-reciprocal, sum.high, x.Like(1)));
  const Lane small = TimesPowerOfTwo(Fma(remainder, reciprocal, reciprocal), -e.n);
  return Select(x < 0.0, small, 1.0 - small);
}

namespace {

// erf(x) / x - 1 as a polynomial in x^2 <= 1. Relative error of x + x E: 2^-29.3 and 2^-56.3.
constexpr double kErfF32[] = {0x1.06eba8p-3, -0x1.81274p-2,   0x1.ce2d52p-4, -0x1.b7fec4p-6,
                              0x1.542fecp-8, -0x1.a5197ap-11, 0x1.4c5cb2p-14};
constexpr double kErfF64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379fdp-2,  0x1.ce2f21a04362dp-4,  -0x1.b82ce312abf03p-6,
    0x1.565bcd1299007p-8,  -0x1.c02db49b01882p-11, 0x1.f9a335375a61dp-14, -0x1.f4d3336b97c27p-17,
    0x1.b9ee93d075b6fp-20, -0x1.5f98182f5cbefp-23, 0x1.fc7803dfd7b9dp-27, -0x1.4676a764f5b84p-30,
    0x1.29705f98b066p-34};
// -log(erfc(1 + t)), t in [0, 3] and [0, 5], weighted with erfc, for that is how its error enters
// the result. Weighted absolute error: 2^-26.9 and 2^-56.9.
constexpr double kErfcLogF32[] = {0x1.d97fcp0,    0x1.51c99ep1,   0x1.afaedp-1,   0x1.53a394p-5,
                                  -0x1.4215c2p-7, 0x1.d3bb02p-10, -0x1.6f7362p-13};
constexpr double kErfcLogF64[] = {
    0x1.d97fbf27aa2a1p0,    0x1.51c9b0006c228p1,    0x1.afabc11a2a89dp-1,   0x1.5477f09a25061p-5,
    -0x1.48c9d38e5b6p-7,    0x1.033f5b4626b3dp-9,   -0x1.f1b08d9f4f1d1p-13, -0x1.b928c46547db7p-16,
    0x1.c849da0de24aep-16,  -0x1.446e1fb364425p-17, 0x1.1dd1970fa0ef5p-19,  -0x1.b4407e2a2a60fp-23,
    -0x1.f98a4dc8bf48dp-25, 0x1.217748e3763c7p-25,  -0x1.2767e567ab412p-27, 0x1.6e45f0e31c397p-30,
    -0x1.09627779224cap-33, 0x1.5ab29afee8ec7p-38};

}  // namespace

// Below 1 an odd polynomial, above it 1 - e^-h(|x|): erfc is small there, so h need not be exact.
Lane Erf(Lane x) {
  const bool f64 = x.type() == LaneType::kF64;
  const Lane size = Abs(x), square = x * x;
  const Lane near_zero = Fma(x, f64 ? Polynomial(square, kErfF64) : Polynomial(square, kErfF32), x);

  const Lane limit = PerType(x, 4, 6);  // erf(limit) rounds to 1
  const Lane t = Select(size > limit, limit, size) - 1.0;
  const Lane h = f64 ? Polynomial(t, kErfcLogF64) : Polynomial(t, kErfcLogF32);
  const ReducedExp e = ReduceExp(-h);
  const Lane scale = PowerOfTwo(x, e.exponent);
  const Lane far = Fma(-scale, e.p(), 1.0 - scale);
  return Select(size < 1.0, near_zero, WithSignOf(x, far));
}

// Two correctly rounded operations.
Lane Rsqrt(Lane x) {
  return 1.0 / Sqrt(x);
}

}  // namespace axle
