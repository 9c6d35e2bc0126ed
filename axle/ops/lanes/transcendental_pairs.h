// Functions whose results are pairs: a rounded value and what rounding left of it. Formulas of two
// or more such functions (inverse functions, complex functions) keep the error of the last rounding
// and little more.
//
// A pair is good to some 2^-57 of its value in f64 (2^-29 in f32) where nothing else is said, so
// it adds about a twentieth of an ulp to a result.
#pragma once
#include "axle/ops/lanes/lane_math.h"

namespace axle {

// (n.high + n.low) / (d.high + d.low).
inline LanePair Divide(LanePair n, LanePair d) {
  const Lane quotient = n.high / d.high;
  const Lane remainder = Fma(-quotient, d.high, n.high) + Fma(-quotient, d.low, n.low);
  return {quotient, remainder / d.high};
}

inline LanePair Multiply(LanePair a, LanePair b) {
  const LanePair product = TwoProduct(a.high, b.high);
  return {product.high, Fma(a.high, b.low, Fma(a.low, b.high, product.low))};
}

// Where the sum of the highs may cancel, what is left of the result is as exact as the lows are.
inline LanePair Add(LanePair a, LanePair b) {
  const LanePair sum = TwoSum(a.high, b.high);
  return FastTwoSum(sum.high, sum.low + (a.low + b.low));
}

inline LanePair Negate(LanePair x) {
  return {-x.high, -x.low};
}
inline LanePair Select(Lane condition, LanePair on_true, LanePair on_false) {
  return {Select(condition, on_true.high, on_false.high),
          Select(condition, on_true.low, on_false.low)};
}
// x, or -x where the high part has a sign bit.
inline LanePair Abs(LanePair x) {
  return {Abs(x.high), Select(x.high < 0.0, -x.low, x.low)};
}
inline LanePair PairOf(Lane x) {
  return {x, x.Like(0)};
}
inline Lane Rounded(LanePair x) {
  return x.high + x.low;
}

// The square root of a value that is not negative; of 0 it is 0.
inline LanePair SqrtPair(LanePair x) {
  const Lane root = Sqrt(x.high);
  const Lane low = (Fma(-root, root, x.high) + x.low) / (root + root);
  return {root, Select(root == 0.0, root, low)};
}

// Sine and cosine of x.high + x.low, and cos - 1 where that is small.
struct SineAndCosine {
  LanePair sin;
  LanePair cos;
  LanePair cos_minus_1;
};
SineAndCosine SineAndCosineOf(LanePair x);

// For x >= 0, e^x = 2^n (1 + p), and s and c such that sinh x = 2^(n-1) s, cosh x = 2^(n-1) c.
// x is held below a limit that the caller chooses.
struct Hyperbolic {
  Lane n;      // as a signed integer of the width of x
  Lane t;      // 2^(-2n); 0 where it is too small to count beside 1
  LanePair p;  // of e^x
  LanePair q;  // e^-x = 2^-n (1 - q)
  LanePair s, c;
};
Hyperbolic HyperbolicOf(Lane x, Lane limit);

// 2^n for integers n within the normal range of x; n may be signed or unsigned.
inline Lane TwoToThe(Lane x, Lane n) {
  return Bitcast(x.type(), (Bitcast(UnsignedOf(n.type()), n) + ExponentBias(x)) << FractionBits(x));
}

// e^(x + i y) in f64. Beyond its range parts are 0 or infinite; an angle that is not finite gives
// NaN.
ComplexLane ExpOf(LanePair x, LanePair y);

// The angle of the point (x, y) from the x axis: 0 to pi for y >= 0, and the sign of y. Neither
// may be infinite, nor so large or small that products of the two with numbers near 1 are inexact.
LanePair AngleOf(LanePair y, LanePair x);

// The same for any x and y of f64 (of x, the low part counts where the high part is finite),
// rounded.
Lane AngleOfPoint(Lane y, LanePair x);

// log(x.high + x.low) + more_k ln 2, for positive, normal values.
LanePair LogOf(LanePair x);
LanePair LogOf(LanePair x, Lane more_k);
// log(1 + x), x > -1, where x may be as small as it likes.
LanePair LogOfOnePlus(LanePair x);

}  // namespace axle
