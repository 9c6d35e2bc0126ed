// Complex logarithms, roots and powers, and the inverse functions. Sums of squares are carried as
// pairs or longer exact sums, so that what cancels (|z| near 1 in log, the unit circle around -1 in
// log1p) is exact; scaling by a power of two keeps squares within the range of f64.
//
// Each function has a general formula for finite arguments and selects for the limits at the end.
// Formulas are written on |x| and |y|, and signs are put back last, which gives the symmetries
// exactly. All arithmetic is f64; c64 is widened first and rounded once.
#include <vector>

#include "axle/ops/lanes/complex_math.h"
#include "axle/ops/lanes/transcendental_pairs.h"

namespace axle {
namespace {

ComplexLane Widened(ComplexLane z) {
  return {FloatToFloat(LaneType::kF64, z.re), FloatToFloat(LaneType::kF64, z.im)};
}
ComplexLane Narrowed(LaneType type, ComplexLane z) {
  return {FloatToFloat(type, z.re), FloatToFloat(type, z.im)};
}

Lane Larger(Lane x, Lane y) {
  return Select(y > x, y, x);
}
Lane IsInfinite(ComplexLane z) {
  return (Abs(z.re) == kInfinity) | (Abs(z.im) == kInfinity);
}
Lane IsZero(ComplexLane z) {
  return (z.re == 0.0) & (z.im == 0.0);
}
LanePair Scaled(LanePair x, Lane factor) {
  return {x.high * factor, x.low * factor};
}
// The exact square as a pair.
LanePair Square(Lane x) {
  return TwoProduct(x, x);
}

// A sum of terms that may cancel: what is left is exact to more than the bits of a double, unless
// two thirds of the bits of the largest term cancel twice.
LanePair SumOf(std::vector<Lane> terms) {
  for (int pass = 0; pass < 3;
       ++pass) {  // each leaves the sum in the last term, rests in the others
    for (size_t i = 1; i < terms.size(); ++i) {
      const LanePair sum = TwoSum(terms[i], terms[i - 1]);
      terms[i] = sum.high;
      terms[i - 1] = sum.low;
    }
  }
  Lane rest = terms[0];
  for (size_t i = 1; i + 1 < terms.size(); ++i) rest = rest + terms[i];
  return FastTwoSum(terms.back(), rest);
}

// A power of two that brings `size` within 2^-500 and 2^500 if it was not, with its exponent and
// square root.
struct RangeScale {
  Lane factor, log2, root_inverse;
};
RangeScale ScaleOf(Lane size) {
  const Lane large = size > 0x1p450, small = size < 0x1p-400;
  const auto pick = [&](double if_large, double if_small, double otherwise) {
    return Select(large, size.Like(if_large),
                  Select(small, size.Like(if_small), size.Like(otherwise)));
  };
  return {pick(0x1p-600, 0x1p600, 1), pick(-600, 600, 0), pick(0x1p300, 0x1p-300, 1)};
}

// log |x + i y| for finite values that are not both 0; x may have a low part. near_1 is
// x^2 + y^2 - 1, which counts where that is small.
LanePair LogOfSize(LanePair x, Lane y, LanePair near_1) {
  const RangeScale scale = ScaleOf(Larger(Abs(x.high), Abs(y)));
  const LanePair scaled_x = Scaled(x, scale.factor);
  const LanePair square = Add(Multiply(scaled_x, scaled_x), Square(y * scale.factor));
  const LanePair sum = TwoSum(y.Like(1), near_1.high);
  const Lane is_near = (sum.high > 0.5) & (sum.high < 2.0) & (scale.log2 == 0.0);
  const LanePair used = Select(is_near, LanePair{sum.high, sum.low + near_1.low}, square);
  return Scaled(LogOf(used, scale.log2 * -2.0), y.Like(0.5));
}

// The sum x^2 + y^2 - 1 in five exact terms.
LanePair LogOfSize(Lane x, Lane y) {
  const Lane size_x = Abs(x), size_y = Abs(y);
  const Lane large = Larger(size_x, size_y), small = Select(size_y > size_x, size_x, size_y);
  const LanePair a = Square(large), b = Square(small);
  return LogOfSize(PairOf(x), y, SumOf({b.low, a.low, b.high, a.high, x.Like(-1)}));
}

// Infinite arguments have an infinite size, zero has the size -inf; the angle is that of atan2 in
// all cases.
ComplexLane Log(ComplexLane z) {
  const Lane finite = Rounded(LogOfSize(z.re, z.im));
  const Lane size =
      Select(IsInfinite(z), z.re.Like(kInfinity), Select(IsZero(z), z.re.Like(-kInfinity), finite));
  return {size, Atan2(z.im, z.re)};
}

// |1 + z|^2 - 1 = 2 x + x^2 + y^2.
ComplexLane LogPlusOne(ComplexLane z) {
  const auto [x, y] = z;
  const LanePair a = Square(x), b = Square(y);
  const LanePair one_plus_x = TwoSum(x.Like(1), x);
  const LanePair near_1 = SumOf({b.low, a.low, b.high, a.high, x + x});
  const Lane finite = Rounded(LogOfSize(one_plus_x, y, near_1));
  const ComplexLane sum = {one_plus_x.high, y};
  const Lane size =
      Select(IsInfinite(z), x.Like(kInfinity), Select(IsZero(sum), x.Like(-kInfinity), finite));
  const Lane real = (y == 0.0) & (x == 0.0);
  return {Select(real, x, size), AngleOfPoint(y, one_plus_x)};
}

// The square root of |x| + i |y| with sides exchanged: large = sqrt((|z| + |x|) / 2) and
// small = |y| / (2 large).
struct RootParts {
  LanePair large, small;
};
RootParts RootOf(LanePair size_x, Lane size_y) {
  const RangeScale scale = ScaleOf(Larger(size_x.high, size_y));
  const LanePair x = Scaled(size_x, scale.factor);
  const LanePair modulus = SqrtPair(Add(Multiply(x, x), Square(size_y * scale.factor)));
  const LanePair root = SqrtPair(Scaled(Add(modulus, x), x.high.Like(0.5)));
  const LanePair large = Scaled(root, scale.root_inverse);
  const LanePair small = Divide(PairOf(size_y), Scaled(large, x.high.Like(2)));
  return {large, Select(size_y == 0.0, PairOf(size_y), small)};
}

// The larger part comes from a sum, the smaller from a division, so that nothing cancels.
ComplexLane Sqrt(ComplexLane z) {
  const auto [x, y] = z;
  const RootParts root = RootOf(PairOf(Abs(x)), Abs(y));
  const Lane left = x < 0.0;
  const Lane large = Rounded(root.large), small = Rounded(root.small);
  const Lane infinity = x.Like(kInfinity), zero = x.Like(0);
  const Lane infinite_y = Abs(y) == kInfinity, infinite_x = Abs(x) == kInfinity;
  // The infinite part, if one is, and what is left for the other.
  const Lane other = Select(IsNan(y), y, zero);
  Lane re = Select(infinite_x, Select(left, other, infinity), Select(left, small, large));
  Lane im = Select(infinite_x, Select(left, infinity, other), Select(left, large, small));
  re = Select(infinite_y, infinity, Select(IsZero(z), zero, re));
  im = Select(infinite_y, infinity, Select(IsZero(z), zero, im));
  return {re, WithSignOf(y, Abs(im))};
}

// 1 / sqrt z = conj(sqrt z) / |z|.
// The scale factors are powers of two, so that dividing by them is exact.
ComplexLane Rsqrt(ComplexLane z) {
  const Lane size_x = Abs(z.re), size_y = Abs(z.im);
  const RangeScale scale = ScaleOf(Larger(size_x, size_y));
  const Lane x = size_x * scale.factor, y = size_y * scale.factor;
  const LanePair modulus = SqrtPair(Add(Square(x), Square(y)));
  const LanePair root = SqrtPair(Scaled(Add(modulus, PairOf(x)), x.Like(0.5)));
  const LanePair other = Divide(PairOf(y), Scaled(root, x.Like(2)));
  // 1 / root_inverse, for both powers of two exact.
  const Lane back = 1.0 / scale.root_inverse;
  const Lane large = Rounded(Divide(root, modulus)) * back;
  const Lane small = Rounded(Divide(other, modulus)) * back;
  const Lane left = z.re < 0.0, infinite = IsInfinite(z), zero = IsZero(z);
  const Lane re = Select(left, small, large), im = Select(left, large, small);
  const auto limits = [&](Lane value, double at_zero) {
    return Select(infinite, x.Like(0), Select(zero, x.Like(at_zero), value));
  };
  return {limits(re, kInfinity), -WithSignOf(z.im, Abs(limits(im, kNan)))};
}

// A low part of NaN, from an overflow in the product, would destroy an infinite high part.
LanePair WithoutNanLow(LanePair x) {
  return {x.high, Select(Abs(x.high) < 0x1p1000, x.low, x.low.Like(0))};
}

// A turn whose low part is no longer small beside a quarter is known to no digit. Without it there
// is still a point on the circle, where a low part of many turns would leave it.
LanePair WithoutLargeLow(LanePair x) {
  return {x.high, Select(Abs(x.high) < 0x1p52, x.low, x.low.Like(0))};
}

// a^b = e^(b log a), with a logarithm whose parts are pairs.
ComplexLane Power(ComplexLane a, ComplexLane b) {
  const Lane zero = a.re.Like(0), one = a.re.Like(1);
  // Zeros and infinities have no finite logarithm: NaN, except for the rules at the end.
  const Lane ordinary = !(IsZero(a) | IsInfinite(a));
  const ComplexLane base = {Select(ordinary, a.re, zero.Like(kNan)), a.im};
  const LanePair log_size = LogOfSize(base.re, base.im);
  const RangeScale scale = ScaleOf(Larger(Abs(base.re), Abs(base.im)));
  const LanePair angle = AngleOf(PairOf(base.im * scale.factor), PairOf(base.re * scale.factor));
  const auto times = [](Lane factor, LanePair x) {
    return WithoutNanLow(Multiply(PairOf(factor), x));
  };
  const LanePair growth = WithoutNanLow(Add(times(b.re, log_size), Negate(times(b.im, angle))));
  const LanePair turn = WithoutLargeLow(Add(times(b.re, angle), times(b.im, log_size)));
  const ComplexLane result = ExpOf(growth, turn);

  const Lane base_real = a.im == 0.0, exponent_real = b.im == 0.0;
  const Lane gives_one = IsZero(b) | ((a.re == 1.0) & base_real);
  const Lane infinite_base = (a.re == kInfinity) & base_real & exponent_real;
  const Lane grows = infinite_base & (b.re > 0.0), vanishes = infinite_base & (b.re < 0.0);
  const Lane zero_base = IsZero(a) & exponent_real & (b.re > 0.0);
  const Lane special = Select(gives_one, one, Select(grows, a.re, zero));
  const Lane is_special = gives_one | grows | vanishes | zero_base;
  return {Select(is_special, special, result.re), Select(is_special, zero, result.im)};
}

// |z| times a power of two, where no square leaves the range.
Lane SizeOf(ComplexLane z, double factor) {
  const Lane re = z.re * factor, im = z.im * factor;
  return Sqrt(Fma(re, re, im * im));
}

// The arc tangent of y / x: with u = x + i y, v = x - i y, it is -i log(u / sqrt(u v)). Its real
// part is half the angle of u conj(v) = |x|^2 - |y|^2 + 2 i Re(x conj(y)), or that and pi; its
// imaginary part 1/2 log(|v| / |u|), where |v|^2 - |u|^2 = 4 (xr yi - xi yr).
// `along` and `across` are the components of u in the direction of the root and across it; their
// signs decide between the two angles.
ComplexLane ArcTangent(ComplexLane any_y, ComplexLane any_x) {
  const Lane size =
      Larger(Larger(Abs(any_x.re), Abs(any_x.im)), Larger(Abs(any_y.re), Abs(any_y.im)));
  const Lane factor = ScaleOf(size).factor;
  const ComplexLane x = {any_x.re * factor, any_x.im * factor};
  const ComplexLane y = {any_y.re * factor, any_y.im * factor};
  const LanePair xr = Square(x.re), xi = Square(x.im), yr = Square(y.re), yi = Square(y.im);
  const LanePair cosine =
      SumOf({xr.low, xi.low, -yr.low, -yi.low, xr.high, xi.high, -yr.high, -yi.high});
  const LanePair same = TwoProduct(x.re, y.re), other = TwoProduct(x.im, y.im);
  const LanePair sine = SumOf({same.low, other.low, same.high, other.high});
  const Lane half = AngleOfPoint(Rounded(sine) * 2.0, cosine) * 0.5;

  // Which of the two: the direction of u / sqrt(u v), of which the half plane is enough. On which
  // side of the cut u v = x^2 + y^2 lies must be exact.
  const LanePair twice_x = TwoProduct(x.re, x.im), twice_y = TwoProduct(y.re, y.im);
  const ComplexLane product = {
      Rounded(SumOf({xr.low, yr.low, -xi.low, -yi.low, xr.high, yr.high, -xi.high, -yi.high})),
      Rounded(SumOf({twice_x.low, twice_y.low, twice_x.high, twice_y.high})) * 2.0};
  const ComplexLane root = Sqrt(product);
  const ComplexLane u = {x.re - y.im, x.im + y.re}, v = {x.re + y.im, x.im - y.re};
  const Lane along = Fma(u.re, root.re, u.im * root.im);
  const Lane across = Fma(u.im, root.re, -(u.re * root.im));
  const Lane opposite =
      Select(Abs(along) > Abs(across), along < 0.0, (across < 0.0) ^ (half < 0.0));
  const Lane pi = WithSignOf(-half, x.re.Like(0x1.921fb54442d18p+1));
  const Lane pi_low = WithSignOf(-half, x.re.Like(0x1.1a62633145c07p-53));
  const LanePair far = TwoSum(pi, half);
  const Lane re = Select(opposite, far.high + (far.low + pi_low), half);

  const LanePair positive = TwoProduct(x.re, y.im), negative = TwoProduct(x.im, y.re);
  const LanePair difference =
      Scaled(SumOf({positive.low, -negative.low, positive.high, -negative.high}), x.re.Like(4));
  // log(|v|^2 / |u|^2) with the smaller below, so that the quotient is not negative.
  const Lane inverted = difference.high < 0.0;
  const ComplexLane least = {Select(inverted, v.re, u.re), Select(inverted, v.im, u.im)};
  const LanePair squares = Add(Square(least.re), Square(least.im));
  const LanePair ratio = Divide(Abs(difference), squares);
  // The square of a tiny one underflows; beside it nothing is left of the 1.
  const ComplexLane most = {Select(inverted, u.re, v.re), Select(inverted, u.im, v.im)};
  const Lane tiny = squares.high < 0x1p-960;
  const Lane quotient = SizeOf(most, 1) / SizeOf(least, 0x1p600);
  const Lane log = Select(tiny, Rounded(LogOf(PairOf(quotient), x.re.Like(600))) * 0.5,
                          Rounded(LogOfOnePlus(ratio)) * 0.25);
  const Lane size_im = Select(IsZero(least), x.re.Like(kInfinity), log);
  const Lane defined = (size > 0.0) & (size < kInfinity);
  const Lane nan = x.re.Like(kNan);
  return {Select(defined, re, nan), Select(defined, Select(inverted, -size_im, size_im), nan)};
}

constexpr double kHalfPi = 0x1.921fb54442d18p+0;

// WithSignOf that does not look at the sign of a NaN, which is not specified.
Lane WithSignOfNumber(Lane sign, Lane size) {
  return Select(IsNan(sign), size, WithSignOf(sign, size));
}

// Of |x| + i |y|: the parts of sqrt(1 + z) and of sqrt(1 - z) = r - i s, and of what asin and acos
// are made of them. All sums are of positive terms.
struct InverseParts {
  LanePair plus_re, plus_im, r, s;
  Lane asinh;  // asinh(Im(sqrt(1 + z) conj(sqrt(1 - z)))), the size of the imaginary part
  Lane far;    // z is so large that 1 does not count
};
// RootOf gives both roots; beyond x = 1 the second one turns by a quarter.
// An infinity beside a NaN is far away.
InverseParts InversePartsOf(Lane x, Lane y) {
  const Lane far = (x > 0x1p100) | (y > 0x1p100);
  const Lane near_x = Select(far, x.Like(1), x), near_y = Select(far, x.Like(1), y);
  const LanePair minus = TwoSum(x.Like(1), -near_x);
  const RootParts plus = RootOf(TwoSum(x.Like(1), near_x), near_y);
  const RootParts other = RootOf(Abs(minus), near_y);
  const Lane beyond = minus.high < 0.0;  // x > 1
  const LanePair r = Select(beyond, other.small, other.large);
  const LanePair s = Select(beyond, other.large, other.small);
  const LanePair sum = Add(Multiply(r, plus.small), Multiply(s, plus.large));
  const Lane logarithm = Rounded(
      Add(LogOfSize(x, y), LanePair{x.Like(0x1.62e42fefa39efp-1), x.Like(0x1.abc9e3b39803fp-56)}));
  const Lane of_far = Select((x == kInfinity) | (y == kInfinity), x.Like(kInfinity), logarithm);
  return {plus.large, plus.small, r, s, Select(far, of_far, axle::Asinh(Rounded(sum))), far};
}

// asin z = atan(x / Re(sqrt(1 + z) sqrt(1 - z))) with the imaginary part from asinh. On the
// imaginary axis the real part is 0, whatever y is.
ComplexLane Asin(ComplexLane z) {
  const Lane x = Abs(z.re), y = Abs(z.im);
  const InverseParts parts = InversePartsOf(x, y);
  const LanePair product = Add(Multiply(parts.r, parts.plus_re), Multiply(parts.s, parts.plus_im));
  const LanePair adjacent = Select(parts.far, PairOf(y), product);
  const Lane re = Select(x == 0.0, x, AngleOfPoint(x, adjacent));
  return {WithSignOf(z.re, re), WithSignOfNumber(z.im, parts.asinh)};
}

// acos z is twice the angle of the point whose coordinates are the real parts of the two roots: a
// quarter of a turn on the imaginary axis, whatever y is.
ComplexLane Acos(ComplexLane z) {
  const Lane x = Abs(z.re), y = Abs(z.im);
  const InverseParts parts = InversePartsOf(x, y);
  const Lane left = Bitcast(LaneType::kS64, z.re) < 0;
  const LanePair opposite = Select(left, parts.plus_re, parts.r);
  const LanePair adjacent = Select(left, parts.r, parts.plus_re);
  const Lane angle = Rounded(AngleOf(opposite, adjacent)) * 2.0;
  const Lane re = Select(parts.far, AngleOfPoint(y, PairOf(z.re)), angle);
  return {Select(x == 0.0, x.Like(kHalfPi), re), -WithSignOfNumber(z.im, parts.asinh)};
}

// asinh z = -i asin(i z): the parts are exchanged before and after.
ComplexLane Asinh(ComplexLane z) {
  const ComplexLane turned = Asin({z.im, z.re});
  return {turned.im, turned.re};
}

// acosh z is acos z turned by a quarter; its real part is not negative.
ComplexLane Acosh(ComplexLane z) {
  const ComplexLane angle = Acos(z);
  return {Abs(angle.im), WithSignOfNumber(z.im, angle.re)};
}

// Re = 1/4 log(1 + 4 |x| / ((1 - |x|)^2 + y^2)), Im = 1/2 the angle of (1 - |z|^2, 2 |y|). Re is 0
// on the imaginary axis, whatever y is, and at all infinities; Im is pi/2 at i y = infinity,
// whatever x is.
ComplexLane Atanh(ComplexLane z) {
  const Lane any_x = Abs(z.re), any_y = Abs(z.im);
  const Lane far = (any_x > 0x1p400) | (any_y > 0x1p400);
  const Lane x = Select(far, any_x.Like(2), any_x), y = Select(far, any_y.Like(0), any_y);
  const LanePair minus = TwoSum(x.Like(1), -x);
  const LanePair distance = Add(Multiply(minus, minus), Square(y));
  const LanePair ratio = Divide(PairOf(x * 4.0), distance);
  Lane re = Rounded(LogOfOnePlus(ratio)) * 0.25;
  // Next to the pole, y^2 is too small: 1/2 log(2 / y).
  const Lane at_pole = (x == 1.0) & (y < 0x1p-400);
  const Lane log_y = Rounded(LogOf(PairOf(y * 0x1p200), x.Like(-201)));
  re = Select(at_pole, Select(y == 0.0, x.Like(kInfinity), log_y * -0.5), re);
  const LanePair a = Square(x), b = Square(y);
  const LanePair rest = SumOf({-b.low, -a.low, -b.high, -a.high, x.Like(1)});
  const Lane im = AngleOfPoint(y * 2.0, rest) * 0.5;
  // Far away: Re(1 / z) and pi/2.
  const Lane far_x = any_x * 0x1p-600, far_y = any_y * 0x1p-600;
  const Lane inverse = far_x / Fma(far_x, far_x, far_y * far_y) * 0x1p-600;
  const Lane far_re = Select(IsInfinite(z), x.Like(0), inverse);
  const Lane is_beside_nan = IsNan(any_x) & (any_y < kInfinity);
  const Lane far_im = Select(IsNan(any_y), any_y, Select(is_beside_nan, any_x, x.Like(kHalfPi)));
  return {WithSignOfNumber(z.re, Select(any_x == 0.0, any_x, Select(far, far_re, re))),
          WithSignOf(z.im, Select(far, far_im, im))};
}

}  // namespace

ComplexLane ComplexLog(ComplexLane z) {
  return Narrowed(z.re.type(), Log(Widened(z)));
}
ComplexLane ComplexLogPlusOne(ComplexLane z) {
  return Narrowed(z.re.type(), LogPlusOne(Widened(z)));
}
ComplexLane ComplexSqrt(ComplexLane z) {
  return Narrowed(z.re.type(), Sqrt(Widened(z)));
}
ComplexLane ComplexRsqrt(ComplexLane z) {
  return Narrowed(z.re.type(), Rsqrt(Widened(z)));
}
ComplexLane ComplexPower(ComplexLane base, ComplexLane exponent) {
  return Narrowed(base.re.type(), Power(Widened(base), Widened(exponent)));
}
ComplexLane ComplexAtan2(ComplexLane y, ComplexLane x) {
  return Narrowed(y.re.type(), ArcTangent(Widened(y), Widened(x)));
}
ComplexLane ComplexAsin(ComplexLane z) {
  return Narrowed(z.re.type(), Asin(Widened(z)));
}
ComplexLane ComplexAcos(ComplexLane z) {
  return Narrowed(z.re.type(), Acos(Widened(z)));
}
ComplexLane ComplexAsinh(ComplexLane z) {
  return Narrowed(z.re.type(), Asinh(Widened(z)));
}
ComplexLane ComplexAcosh(ComplexLane z) {
  return Narrowed(z.re.type(), Acosh(Widened(z)));
}
ComplexLane ComplexAtanh(ComplexLane z) {
  return Narrowed(z.re.type(), Atanh(Widened(z)));
}

}  // namespace axle
