// Inverse functions: atan2, asin, acos, asinh, acosh, atanh, and the cube root.
//
// f32 is computed in f64, where roots, squares and logarithms are exact enough as they come. f64
// carries the low parts of roots and quotients (transcendental_pairs.h). Coefficients are minimax
// fits of ours (tests/accuracy/coefficients.sollya).
#include "axle/ops/lanes/lane_math.h"
#include "axle/ops/lanes/transcendental_pairs.h"

namespace axle {
namespace {

// (atan(t) / t - 1) / t^2 in t^2 <= 0.0559. Relative error of the whole: 2^-31.4 and 2^-64.8.
constexpr double kAtanF32[] = {-0x1.555554e977d3cp-2, 0x1.9997b5110cad5p-3, -0x1.23e7587f13f86p-3,
                               0x1.a0127339b97dbp-4};
constexpr double kAtanF64[] = {-0x1.5555555555555p-2, 0x1.99999999996eep-3,  -0x1.249249245fa45p-3,
                               0x1.c71c7190245bcp-4,  -0x1.745d07022d835p-4, 0x1.3b10d8cb7e222p-4,
                               -0x1.10c36d53d8a73p-4, 0x1.d7ed0318acf7fp-5,  -0x1.536d39f17aa6dp-5};

// pi and the arc tangent of 1/2, in two parts.
constexpr double kPi = 0x1.921fb54442d18p+1, kPiLow = 0x1.1a62633145c07p-53;
constexpr double kAtanHalf = 0x1.dac670561bb4fp-2, kAtanHalfLow = 0x1.a2b7f222f65e2p-56;

// The ratio of the smaller to the larger of |x| and |y| is brought near 0 by subtracting the angle
// whose tangent is c = 0, 1/2 or 1: t = (small - c large) / (large + c small), |t| <= 0.2361.
LanePair AngleOf(LanePair y, LanePair x, std::span<const double> coefficients) {
  const LanePair size_x = Abs(x), size_y = Abs(y);
  const Lane steep = size_y.high > size_x.high;
  const LanePair large = Select(steep, size_y, size_x), small = Select(steep, size_x, size_y);
  const Lane zero = large.high.Like(0);
  const auto number = [&](double value) { return zero.Like(value); };
  const Lane past_first = small.high > large.high * 0.2360679774997897;
  const Lane past_second = small.high > large.high * 0.7207592200561265;
  const auto per_c = [&](double half, double one) {
    return Select(past_second, number(one), Select(past_first, number(half), zero));
  };
  const Lane c = per_c(0.5, 1);
  const LanePair numerator = TwoSum(small.high, -(c * large.high));
  const LanePair denominator = FastTwoSum(large.high, c * small.high);
  const LanePair t = Divide({numerator.high, numerator.low + Fma(-c, large.low, small.low)},
                            {denominator.high, denominator.low + Fma(c, small.low, large.low)});
  const Lane z = t.high * t.high;
  const Lane tail = Fma(t.high * z, Polynomial(z, coefficients), t.low);

  // atan2(|y|, x) is A = atan(c) + atan(t), pi/2 - A, pi/2 + A or pi - A.
  const Lane left = Bitcast(LaneType::kS64, x.high) < 0;  // -0 too
  const Lane minus = left ^ steep;
  const auto of_quadrant = [&](double pi) {
    return Select(steep, number(pi / 2), Select(left, number(pi), zero));
  };
  const auto with_sign = [&](Lane value) { return Select(minus, -value, value); };
  const LanePair base = FastTwoSum(of_quadrant(kPi), with_sign(per_c(kAtanHalf, kPi / 4)));
  const Lane base_low =
      base.low + (of_quadrant(kPiLow) + with_sign(per_c(kAtanHalfLow, kPiLow / 4)));
  const LanePair sum = FastTwoSum(base.high, with_sign(t.high));
  const LanePair size = FastTwoSum(sum.high, sum.low + (base_low + with_sign(tail)));
  const Lane below = Bitcast(LaneType::kS64, y.high) < 0;
  return Select(below, Negate(size), size);
}

// All of the file computes in f64.
Lane Wide(Lane x) {
  return FloatToFloat(LaneType::kF64, x);
}

// sqrt(1 - x^2) beside x are the legs of a triangle with hypotenuse 1.
LanePair OtherLeg(Lane x) {
  const LanePair square = TwoProduct(x, x);
  const LanePair rest = FastTwoSum(x.Like(1), -square.high);
  return SqrtPair(FastTwoSum(rest.high, rest.low - square.low));
}

}  // namespace

LanePair AngleOf(LanePair y, LanePair x) {
  return AngleOf(y, x, kAtanF64);
}

namespace {

// Chooses a representable point on the same ray where (x, y) is infinite, zero or near the limits
// of the range, and computes the angle of that one.
Lane AngleOfAnyPoint(Lane y, LanePair x, bool f64) {
  // Infinities count as 1 beside 0, zeros as 0 beside 1.
  const Lane size_x = Abs(x.high), size_y = Abs(y);
  const Lane large = Select(size_y > size_x, size_y, size_x);
  const Lane infinite = large == kInfinity, zero = large == 0.0;
  const auto plain = [&](Lane value, Lane size, Lane of_zero) {
    const Lane finite = Select(infinite, Select(size == kInfinity, y.Like(1), y.Like(0)),
                               Select(zero, of_zero, size));
    return WithSignOf(value, finite);
  };
  Lane plain_x = plain(x.high, size_x, y.Like(1)), plain_y = plain(y, size_y, y.Like(0));
  const LanePair angle = [&] {
    if (!f64) return AngleOf(PairOf(plain_y), PairOf(plain_x), kAtanF32);
    // Away from overflow and underflow. What the smaller of the two loses is too small to count.
    const Lane scale = Select(large > 0x1p900, y.Like(0x1p-200),
                              Select(large < 0x1p-800, y.Like(0x1p200), y.Like(1)));
    const Lane used = Select(infinite | zero, y.Like(1), scale);
    const LanePair scaled_x = {plain_x * used, Select(infinite, y.Like(0), x.low * used)};
    return AngleOf(PairOf(plain_y * used), scaled_x, kAtanF64);
  }();
  return Select(IsNan(x.high) | IsNan(y), y.Like(kNan), Rounded(angle));
}

}  // namespace

Lane AngleOfPoint(Lane y, LanePair x) {
  return WithSignOf(y, Abs(AngleOfAnyPoint(y, x, true)));
}

Lane Atan2(Lane y, Lane x) {
  const LaneType type = y.type();
  const Lane angle = AngleOfAnyPoint(Wide(y), PairOf(Wide(x)), type == LaneType::kF64);
  // The sign of a result of 0 is lost in the sums.
  return WithSignOf(y, Abs(FloatToFloat(type, angle)));
}

// The angle of the point (sqrt(1 - x^2), x).
Lane Asin(Lane x_any) {
  const Lane x = Wide(x_any);
  const bool f64 = x_any.type() == LaneType::kF64;
  const LanePair angle = f64 ? AngleOf(PairOf(x), OtherLeg(x))
                             : AngleOf(PairOf(x), PairOf(Sqrt(Fma(-x, x, x.Like(1)))), kAtanF32);
  return WithSignOf(x_any, Abs(FloatToFloat(x_any.type(), Rounded(angle))));
}

// The angle of the point (x, sqrt(1 - x^2)). Beyond 1 the root is NaN, and so is the result.
Lane Acos(Lane x_any) {
  const Lane x = Wide(x_any);
  const bool f64 = x_any.type() == LaneType::kF64;
  const LanePair angle = f64 ? AngleOf(OtherLeg(x), PairOf(x))
                             : AngleOf(PairOf(Sqrt(Fma(-x, x, x.Like(1)))), PairOf(x), kAtanF32);
  return FloatToFloat(x_any.type(), Rounded(angle));
}

// asinh |x| = log(1 + (|x| + (r - 1))), r = sqrt(x^2 + 1), and r - 1 = x^2 / (r + 1).
Lane Asinh(Lane x_any) {
  const Lane x = Wide(x_any), size = Abs(x);
  if (x_any.type() != LaneType::kF64) {
    const Lane root = Sqrt(Fma(x, x, x.Like(1)));
    const Lane y = LogPlusOne(size + size * (size / (root + 1.0)));
    const Lane result = FloatToFloat(x_any.type(), Select(size < kInfinity, y, size));
    return WithSignOf(x_any, result);
  }
  const Lane large = size > 0x1p30;
  const Lane near = Select(large, x.Like(1), size);
  const LanePair square = TwoProduct(near, near);
  const LanePair sum = TwoSum(square.high, x.Like(1));
  const LanePair root = SqrtPair({sum.high, sum.low + square.low});
  const LanePair root_plus_1 = TwoSum(root.high, x.Like(1));
  const LanePair excess = Divide(square, {root_plus_1.high, root_plus_1.low + root.low});
  const LanePair y = Add(PairOf(near), excess);
  // Of large numbers, log(2 |x|).
  const LanePair one_plus = TwoSum(x.Like(1), y.high);
  const LanePair log =
      LogOf({Select(large, size, one_plus.high), Select(large, x.Like(0), one_plus.low + y.low)});
  const LanePair result =
      Add(log, Select(large, LanePair{x.Like(0x1.62e42fefa39efp-1), x.Like(0x1.abc9e3b39803fp-56)},
                      PairOf(x.Like(0))));
  const Lane finite = Select(size < kInfinity, Rounded(result), size);
  return Select(size < 0x1p-60, x, WithSignOf(x, finite));
}

// With d = x - 1: acosh x = log(1 + (d + sqrt(d (x + 1)))).
Lane Acosh(Lane x_any) {
  const Lane x = Wide(x_any);
  if (x_any.type() != LaneType::kF64) {
    const Lane d = x - 1.0, y = LogPlusOne(d + Sqrt(d * (x + 1.0)));
    return FloatToFloat(x_any.type(), Select(d >= 0.0, y, x.Like(kNan)));
  }
  const Lane large = x > 0x1p30;
  const Lane near = Select(large, x.Like(2), x);
  const LanePair d = FastTwoSum(near, x.Like(-1)), e = FastTwoSum(near, x.Like(1));
  const LanePair y = Add(d, SqrtPair(Multiply(d, e)));
  const LanePair one_plus = TwoSum(x.Like(1), y.high);
  const LanePair log =
      LogOf({Select(large, x, one_plus.high), Select(large, x.Like(0), one_plus.low + y.low)});
  const LanePair result =
      Add(log, Select(large, LanePair{x.Like(0x1.62e42fefa39efp-1), x.Like(0x1.abc9e3b39803fp-56)},
                      PairOf(x.Like(0))));
  const Lane finite = Select(x < kInfinity, Rounded(result), x);
  return Select(x >= 1.0, finite, x.Like(kNan));
}

// atanh x = 1/2 log(1 + 2 x / (1 - x)).
Lane Atanh(Lane x_any) {
  const Lane x = Wide(x_any), size = Abs(x);
  const Lane two = size + size;
  Lane result;
  if (x_any.type() == LaneType::kF64) {
    const LanePair ratio = Divide(PairOf(two), FastTwoSum(x.Like(1), -size));
    result = Rounded(LogOfOnePlus(ratio)) * 0.5;
  } else {
    result = LogPlusOne(two / (1.0 - size)) * 0.5;
  }
  result = Select(size < 1.0, result, Select(size == 1.0, x.Like(kInfinity), x.Like(kNan)));
  result = Select(size < 0x1p-60, size, result);
  return WithSignOf(x_any, FloatToFloat(x_any.type(), result));
}

// The cube root of f in [1, 2]. Relative error: 2^-16.7.
constexpr double kCbrt[] = {0x1.0392ccec5c007p-1, 0x1.6fb1dfe050122p-1, -0x1.33d38507196d4p-2,
                            0x1.60a1537293169p-4, -0x1.5b77f08bc62e9p-7};

// |x| = 2^(3 k) a, 1 <= a < 8: a polynomial, then a step of Halley's method, which triples the
// number of good bits; in f64 one of Newton's too, with a residual that is nearly exact.
// Division of the exponent by 3 is a multiplication by 21846 / 2^16.
Lane Cbrt(Lane x_any) {
  const Lane x = Wide(x_any), size = Abs(x);
  const Lane subnormal = size < 0x1p-1022;
  const Lane bits = BitsOf(Select(subnormal, size * 0x1p54, size));
  const Lane exponent = bits >> 52;
  const Lane third = (exponent * 21846) >> 16;  // exponent / 3, for exponents below 32768
  const Lane rest = exponent - third * 3;
  const Lane fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const Lane f = Bitcast(LaneType::kF64, fraction | std::uint64_t{1023} << 52);
  const Lane a = Bitcast(LaneType::kF64, fraction | ((rest + 1023) << 52));
  const Lane root_of_rest =
      Select(rest == 0, x.Like(1),
             Select(rest == 1, x.Like(0x1.428a2f98d728bp0), x.Like(0x1.965fea53d6e3dp0)));
  const Lane guess = Polynomial(f, kCbrt) * root_of_rest;
  const Lane cube = guess * guess * guess;
  Lane root = Fma(guess, (a - cube) / (Fma(cube, x.Like(2), a)), guess);
  if (x_any.type() == LaneType::kF64) {
    const LanePair square = TwoProduct(root, root);
    const LanePair new_cube = TwoProduct(root, square.high);
    const Lane residual = (a - new_cube.high) - Fma(root, square.low, new_cube.low);
    root = root + residual / (square.high * 3.0);
  }
  // 1023 = 3 * 341, and 2^54 has the root 2^18.
  const Lane k = third + Select(subnormal, third.Like(1023 - 341 - 18), third.Like(1023 - 341));
  const Lane result = root * Bitcast(LaneType::kF64, k << 52);
  const Lane ordinary = (size > 0.0) & (size < kInfinity);
  return FloatToFloat(x_any.type(), Select(ordinary, WithSignOf(x, result), x));
}

}  // namespace axle
