// How a * b + c is rounded once with plain arithmetic, for code of x86-64-v2.
//
// f32: the product has at most 48 bits and is exact in f64. The sum with c may not be; the part
// that is lost is found as in TwoSum, and the sum is rounded to odd: if it is inexact and its last
// bit is 0, it moves one step towards the exact value. An odd last bit means "not exactly here" to
// the rounding to f32, which has 29 bits less, so the second rounding goes as a single one would.
//
// f64: sign, exponent and magnitude are taken apart, the product is exact in 128 bits, and the
// smaller addend is shifted down to the larger one with a sticky bit for what falls out.
// Infinities, NaNs and zeros take the plain operations, which give the right signs. No step calls
// libm.
#include "axle/codegen/llvm/exact_fma.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace axle {
namespace {

using Bits = std::uint64_t;
using Wide = unsigned __int128;

constexpr int kMantissaBits = 52;
constexpr int kMinExponent = -1074;  // exponent of a double's lowest bit
constexpr Bits kInfinity = Bits{0x7ff} << kMantissaBits;
// Where the top bit of a normalised number is: a sum of two of them fits.
constexpr int kTop = 125;

bool IsFinite(double x) {
  return (std::bit_cast<Bits>(x) & kInfinity) != kInfinity;
}

// magnitude * 2^exponent.
struct Number {
  bool is_negative;
  int exponent;
  Wide magnitude;
};

// `x` is finite.
Number Split(double x) {
  const auto bits = std::bit_cast<Bits>(x);
  const auto exponent = static_cast<int>(bits >> kMantissaBits & 0x7ff);
  const Bits fraction = bits & ((Bits{1} << kMantissaBits) - 1);
  const Bits hidden = exponent == 0 ? 0 : Bits{1} << kMantissaBits;
  return {bits >> 63 != 0, std::max(exponent, 1) - 1 + kMinExponent, fraction | hidden};
}

int TopBit(Wide x) {
  const auto high = static_cast<Bits>(x >> 64);
  return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<Bits>(x));
}

// `x` is not zero.
Number Normalized(const Number& x) {
  const int shift = kTop - TopBit(x.magnitude);
  return {x.is_negative, x.exponent - shift, x.magnitude << shift};
}

// x >> shift, with the lowest bit set if that loses any.
Wide ShiftRightSticky(Wide x, int shift) {
  if (shift == 0) return x;
  if (shift >= 128) return x != 0 ? 1 : 0;
  const bool is_inexact = (x & ((Wide{1} << shift) - 1)) != 0;
  return x >> shift | (is_inexact ? 1 : 0);
}

// Normalised numbers of at most 107 bits: what the sum loses is far below a double's lowest bit,
// and what it keeps of that says on which side of it the exact sum is.
Number Sum(Number x, Number y) {
  if (x.exponent < y.exponent || (x.exponent == y.exponent && x.magnitude < y.magnitude)) {
    std::swap(x, y);
  }
  const Wide small = ShiftRightSticky(y.magnitude, x.exponent - y.exponent);
  const bool is_sum = x.is_negative == y.is_negative;
  return {x.is_negative, x.exponent, is_sum ? x.magnitude + small : x.magnitude - small};
}

// To nearest even. `x` is not zero.
double Rounded(const Number& x) {
  const int lowest = std::max(x.exponent + TopBit(x.magnitude) - kMantissaBits, kMinExponent);
  const int shift = lowest - x.exponent;
  Wide kept = 0;
  if (shift <= 0) {
    kept = x.magnitude << -shift;
  } else if (shift < 128) {
    kept = x.magnitude >> shift;
    const Wide lost = x.magnitude - (kept << shift), half = Wide{1} << (shift - 1);
    if (lost > half || (lost == half && (kept & 1) != 0)) ++kept;
  }
  // The hidden bit, and a carry out of the fraction, add to the exponent.
  const Bits exponent = static_cast<Bits>(lowest - kMinExponent) << kMantissaBits;
  const Bits bits = std::min(exponent + static_cast<Bits>(kept), kInfinity);
  return std::bit_cast<double>(bits | Bits{x.is_negative} << 63);
}

}  // namespace

// The product is exact in f64. Its sum with c is rounded to odd there, which another rounding, to
// so many bits less, does not see.
float ExactFma(float a, float b, float c) {
  const double product = double{a} * double{b};
  const double sum = product + double{c};
  const double from_c = sum - product;
  const double lost = (product - (sum - from_c)) + (double{c} - from_c);
  auto bits = std::bit_cast<Bits>(sum);
  const bool is_even = (bits & 1) == 0;
  if (IsFinite(sum) && lost != 0 && is_even) {
    bits = (lost > 0) == (sum > 0) ? bits + 1 : bits - 1;
  }
  return static_cast<float>(std::bit_cast<double>(bits));
}

double ExactFma(double a, double b, double c) {
  if (!IsFinite(a) || !IsFinite(b)) return a * b + c;
  if (!IsFinite(c)) return c + c;
  if (a == 0 || b == 0) return a * b + c;
  if (c == 0) return a * b;
  const Number x = Split(a), y = Split(b);
  const Number product = {x.is_negative != y.is_negative, x.exponent + y.exponent,
                          x.magnitude * y.magnitude};
  const Number sum = Sum(Normalized(product), Normalized(Split(c)));
  return sum.magnitude == 0 ? 0.0 : Rounded(sum);
}

}  // namespace axle
