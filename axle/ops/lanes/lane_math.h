// Functions of f32 and f64 lanes: the formulas behind the transcendental ops, for every op file
// that needs one as a piece (complex functions, for example). Each is a straight line of exact or
// correctly rounded primitives, so its bits are the same on every machine; libm is never called.
//
// The argument may be any value of the type, subnormals, infinities and NaN included. Bounds on the
// error stand in the ops' rows and in docs/accuracy.md; tests/accuracy/ measures them.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "axle/emit/lane_builder.h"

namespace axle {

Lane Exp(Lane x);
Lane ExpMinusOne(Lane x);
Lane Log(Lane x);
Lane LogPlusOne(Lane x);
Lane Tanh(Lane x);
Lane Logistic(Lane x);
Lane Erf(Lane x);
Lane Rsqrt(Lane x);
Lane Sin(Lane x);
Lane Cos(Lane x);
Lane Tan(Lane x);
Lane Asin(Lane x);
Lane Acos(Lane x);
Lane Atan2(Lane y, Lane x);
Lane Sinh(Lane x);
Lane Cosh(Lane x);
Lane Asinh(Lane x);
Lane Acosh(Lane x);
Lane Atanh(Lane x);
Lane Cbrt(Lane x);
Lane Power(Lane x, Lane y);
// x^y modulo 2^N. Of signed types: a negative y gives 0, but 1 for x = 1 and (-1)^y for x = -1.
Lane IntegerPower(Lane x, Lane y);

// What the definitions are made of.

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The constant for the format of `like`: most formulas are the same in f32 and f64, with other
// constants.
inline Lane PerType(Lane like, double f32, double f64) {
  return like.Like(like.type() == LaneType::kF64 ? f64 : f32);
}

// The bits of that number, as an integer to compute with.
inline std::uint64_t PatternPerType(Lane like, float f32, double f64) {
  return like.type() == LaneType::kF64 ? std::bit_cast<std::uint64_t>(f64)
                                       : std::bit_cast<std::uint32_t>(f32);
}

// Layout of the format of x: the bits of the fraction and the exponent field of 1.
inline int FractionBits(Lane x) {
  return x.type() == LaneType::kF64 ? 52 : 23;
}
inline int ExponentBias(Lane x) {
  return x.type() == LaneType::kF64 ? 1023 : 127;
}

// c[0] + x * (c[1] + x * (...)), by Horner's rule.
inline Lane Polynomial(Lane x, std::span<const double> c) {
  Lane sum = x.Like(c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = Fma(sum, x, x.Like(c[i]));
  return sum;
}

// An unevaluated sum; low is small beside high.
struct LanePair {
  Lane high;
  Lane low;
};

// The exact sum of a and b: high is rounded, low what the rounding left.
inline LanePair TwoSum(Lane a, Lane b) {
  const Lane sum = a + b;
  const Lane b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
// The same where |a| >= |b| or they share a binade, or a = 0, or the sum needs no rounding.
inline LanePair FastTwoSum(Lane a, Lane b) {
  const Lane sum = a + b;
  return {sum, b - (sum - a)};
}
// The exact product of a and b, unless its low part underflows.
inline LanePair TwoProduct(Lane a, Lane b) {
  const Lane product = a * b;
  return {product, Fma(a, b, -product)};
}

// e^(high + low).
Lane ExpOfSum(LanePair x);

// x held within [low, high]; a NaN compares false and passes. (Max and Min would do, but keep NaN
// by extra instructions on most machines.)
inline Lane Clamp(Lane low, Lane x, Lane high) {
  const Lane not_low = Select(x < low, low, x);
  return Select(not_low > high, high, not_low);
}

// magnitude with the sign bit of x; magnitude must not be negative.
inline Lane WithSignOf(Lane x, Lane magnitude) {
  const Lane bits = BitsOf(x);
  const Lane sign = bits & bits.Like(std::uint64_t{1} << (BitsOf(x.type()) - 1));
  return Bitcast(x.type(), BitsOf(magnitude) | sign);
}

}  // namespace axle
