// Complex exponentials and what is made of them: exp, expm1, sinh, cosh, tanh, logistic, sin, cos,
// tan. All are products of an exponential or hyperbolic function of one part and a sine or cosine
// of the other, each as a pair; a factor 2^n is applied last, so that a large exponential times a
// small sine neither overflows nor underflows on the way.
#include "axle/ops/lanes/complex_math.h"
#include "axle/ops/lanes/transcendental_pairs.h"

namespace axle {
namespace {

// Beyond this argument e^x times any sine is infinite, and e^-x times any sine is 0.
constexpr double kExpLimit =
    1460;  // beyond it e^x times any sine is infinite, and e^-x times it is 0

using Function = ComplexLane (*)(Lane x, Lane y);

// `f` of the parts in f64, rounded to the type of z.
ComplexLane InF64(ComplexLane z, Function f) {
  const LaneType type = z.re.type();
  const ComplexLane result =
      f(FloatToFloat(LaneType::kF64, z.re), FloatToFloat(LaneType::kF64, z.im));
  return {FloatToFloat(type, result.re), FloatToFloat(type, result.im)};
}

// Scales both parts of a pair; exact for powers of two.
LanePair Scaled(LanePair x, Lane factor) {
  return {x.high * factor, x.low * factor};
}

// The product of the signs of x and y, as the sign of a float.
Lane SignProduct(Lane x, Lane y) {
  return Bitcast(LaneType::kF64, BitsOf(x) ^ BitsOf(y));
}

// a b 2^n, where |a| <= 1 may be subnormal, b is ordinary or 0, and n of any size. The low parts
// are zeros of any sign where a product underflows, so the sign is put last.
Lane ScaledProduct(LanePair a, LanePair b, Lane any_n) {
  const Lane n = Select(any_n < -1400, any_n.Like(-1400), any_n);
  const Lane up = Select(n < 0, n.Like(0), Select(n > 700, n.Like(700), n));
  const Lane rest = n - up, half = rest >> 1;
  const Lane product = Rounded(Multiply(Scaled(a, TwoToThe(a.high, up)), b));
  const Lane result = product * TwoToThe(product, half) * TwoToThe(product, rest - half);
  return WithSignOf(SignProduct(a.high, b.high), Abs(result));
}

// value, but where the exact result is 0 whatever `other` is, a zero with the sign of `sign`.
Lane ZeroWhere(Lane is_zero, Lane sign, Lane value) {
  return Select(is_zero, WithSignOf(sign, value.Like(0)), value);
}

// The sign of x is copied onto a size that is not negative.
LanePair WithSign(Lane x, LanePair size) {
  return Select(Bitcast(LaneType::kS64, x) < 0, Negate(size), size);
}

// e^x = 2^n value.
struct Exponential {
  Lane n;
  LanePair value;
};
// Both signs of x use the reduction of |x|: e^-x comes from q, e^x from p.
Exponential ExponentialOf(Lane x, const Hyperbolic& of_size) {
  const Lane negative = x < 0.0;
  const LanePair sum = FastTwoSum(x.Like(1), Select(negative, -of_size.q.high, of_size.p.high));
  return {Select(negative, -of_size.n, of_size.n),
          {sum.high, sum.low + Select(negative, -of_size.q.low, of_size.p.low)}};
}

}  // namespace

// x and y are pairs, so that powers keep their accuracy.
ComplexLane ExpOf(LanePair x, LanePair y) {
  Exponential e = ExponentialOf(x.high, HyperbolicOf(Abs(x.high), x.high.Like(kExpLimit)));
  e.value.low = Fma(e.value.high, x.low, e.value.low);
  const SineAndCosine angle = SineAndCosineOf(y);
  return {ScaledProduct(angle.cos, e.value, e.n), ScaledProduct(angle.sin, e.value, e.n)};
}

namespace {

ComplexLane Exp(Lane x, Lane y) {
  const ComplexLane result = ExpOf(PairOf(x), PairOf(y));
  // Without an angle, 0 stays 0 and infinity stays infinity.
  const Lane no_angle = Abs(y) == kInfinity;
  const Lane vanishes = no_angle & (x == -kInfinity), grows = no_angle & (x == kInfinity);
  return {ZeroWhere(vanishes, x.Like(0), Select(grows, x, result.re)),
          ZeroWhere(vanishes | (y == 0.0), y, result.im)};
}

// Re e^z - 1 = (e^x - 1) cos y + (cos y - 1).
// The terms are added as pairs, because they cancel near zeros of the real part.
ComplexLane ExpMinusOne(Lane x, Lane y) {
  const Hyperbolic h = HyperbolicOf(Abs(x), x.Like(kExpLimit));
  const SineAndCosine angle = SineAndCosineOf(PairOf(y));
  const Exponential e = ExponentialOf(x, h);
  const Lane large = x > 90.0;  // 1 does not count beside e^x times any cosine
  const Lane n = Select(large, e.n.Like(0), Select(e.n < -1000, e.n.Like(-1000), e.n));
  const Lane power = TwoToThe(x, n);
  const LanePair growth = Select(x < 0.0, Negate(h.q), h.p);
  const LanePair minus_1 = Add(TwoSum(power, x.Like(-1)), Scaled(growth, power));
  const Lane re = Rounded(Add(Multiply(minus_1, angle.cos), angle.cos_minus_1));
  const Lane real = y == 0.0, origin = real & (x == 0.0);
  const Lane no_angle = Abs(y) == kInfinity;
  const Lane large_re =
      Select(no_angle & (x == kInfinity), x, ScaledProduct(angle.cos, e.value, e.n));
  const Lane any_re = Select(large, large_re, re);
  const Lane vanishes = no_angle & (x == -kInfinity);
  return {Select(origin, x, Select(vanishes, x.Like(-1), any_re)),
          ZeroWhere(real | vanishes, y, ScaledProduct(angle.sin, e.value, e.n))};
}

// sinh(x + iy) = sinh x cos y + i cosh x sin y.
ComplexLane Sinh(Lane x, Lane y) {
  const Hyperbolic h = HyperbolicOf(Abs(x), x.Like(kExpLimit));
  const SineAndCosine angle = SineAndCosineOf(PairOf(y));
  return {ZeroWhere(x == 0.0, x, ScaledProduct(angle.cos, WithSign(x, h.s), h.n - 1)),
          ZeroWhere(y == 0.0, y, ScaledProduct(angle.sin, h.c, h.n - 1))};
}

// cosh(x + iy) = cosh x cos y + i sinh x sin y.
ComplexLane Cosh(Lane x, Lane y) {
  const Hyperbolic h = HyperbolicOf(Abs(x), x.Like(kExpLimit));
  const SineAndCosine angle = SineAndCosineOf(PairOf(y));
  return {ScaledProduct(angle.cos, h.c, h.n - 1),
          ZeroWhere((x == 0.0) | (y == 0.0), SignProduct(x, y),
                    ScaledProduct(angle.sin, WithSign(x, h.s), h.n - 1))};
}

// tanh z = (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y), and that with all terms times
// w^2, w = 2^(1-n): then sinh and cosh are s and c. The last w is applied after the quotient.
ComplexLane Tanh(Lane x, Lane y) {
  const Hyperbolic h = HyperbolicOf(Abs(x), x.Like(380));
  const SineAndCosine angle = SineAndCosineOf(PairOf(y));
  const Lane w = TwoToThe(x, 1 - h.n);
  const LanePair cos = Scaled(angle.cos, w);
  const LanePair denominator = Add(Multiply(h.s, h.s), Multiply(cos, cos));
  const Lane re = Rounded(Divide(Multiply(h.s, h.c), denominator));
  const Lane size_im = Abs(Rounded(Divide(Multiply(angle.sin, cos), denominator)) * w);
  const Lane im = WithSignOf(SignProduct(angle.sin.high, cos.high), size_im);
  const Lane infinite = Abs(x) == kInfinity;
  return {WithSignOf(x, Select(infinite, x.Like(1), ZeroWhere(x == 0.0, x.Like(0), Abs(re)))),
          ZeroWhere((y == 0.0) | (infinite & IsNan(im)), y, im)};
}

// With h = z / 2: logistic z = 1/2 (sinh hx e^hx + cos^2 hy + i sin hy cos hy)
//                                  / (sinh^2 hx + cos^2 hy), with w as in Tanh.
ComplexLane Logistic(Lane x, Lane y) {
  const Hyperbolic h = HyperbolicOf(Abs(x) * 0.5, x.Like(380));
  const SineAndCosine angle = SineAndCosineOf(PairOf(y * 0.5));
  const Lane negative = x < 0.0;
  const Exponential e = ExponentialOf(x, h);
  const Lane w = TwoToThe(x, 1 - h.n);
  const LanePair cos = Scaled(angle.cos, w);
  const LanePair denominator = Add(Multiply(h.s, h.s), Multiply(cos, cos));
  // Where x < 0, w^2 is left out of the numerator, and cos^2 - s (1 - q) / 2 stays.
  const LanePair growth = Scaled(Multiply(h.s, e.value), Select(negative, x.Like(-0.5), x.Like(2)));
  const LanePair cosine = Select(negative, angle.cos, cos);
  const LanePair numerator = Add(growth, Multiply(cosine, cosine));
  const Lane rest = Select(negative, w, x.Like(1));
  const Lane re = Rounded(Divide(numerator, denominator)) * 0.5 * rest * rest;
  const Lane size_im = Abs(Rounded(Divide(Multiply(angle.sin, cos), denominator)) * 0.5 * w);
  const Lane im = WithSignOf(SignProduct(angle.sin.high, cos.high), size_im);
  const Lane no_angle = Abs(y) == kInfinity;
  const Lane vanishes = no_angle & (Abs(x) == kInfinity);
  return {Select(vanishes, Select(negative, x.Like(0), x.Like(1)), re),
          ZeroWhere((y == 0.0) | vanishes, y, im)};
}

// sin z = -i sinh(i z), and its kind: with the parts exchanged before and after.
ComplexLane Sin(Lane x, Lane y) {
  const ComplexLane turned = Sinh(y, x);
  return {turned.im, turned.re};
}
ComplexLane Cos(Lane x, Lane y) {
  return Cosh(-y, x);
}
ComplexLane Tan(Lane x, Lane y) {
  const ComplexLane turned = Tanh(y, x);
  return {turned.im, turned.re};
}

}  // namespace

ComplexLane ComplexExp(ComplexLane z) {
  return InF64(z, Exp);
}
ComplexLane ComplexExpMinusOne(ComplexLane z) {
  return InF64(z, ExpMinusOne);
}
ComplexLane ComplexSinh(ComplexLane z) {
  return InF64(z, Sinh);
}
ComplexLane ComplexCosh(ComplexLane z) {
  return InF64(z, Cosh);
}
ComplexLane ComplexTanh(ComplexLane z) {
  return InF64(z, Tanh);
}
ComplexLane ComplexSin(ComplexLane z) {
  return InF64(z, Sin);
}
ComplexLane ComplexCos(ComplexLane z) {
  return InF64(z, Cos);
}
ComplexLane ComplexTan(ComplexLane z) {
  return InF64(z, Tan);
}
ComplexLane ComplexLogistic(ComplexLane z) {
  return InF64(z, Logistic);
}

}  // namespace axle
