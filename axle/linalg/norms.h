// Sizes of numbers, vectors and matrices, and scaling by powers of two, which keeps factorisations
// away from overflow without changing a bit of what is not subnormal.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include "axle/linalg/linear_algebra.h"

namespace axle {

template <typename P>
P Magnitude(P x) {
  return x < 0 ? -x : x;
}
template <typename P>
P ImaginaryPart(P) {
  return 0;
}
template <typename P>
P ImaginaryPart(std::complex<P> x) {
  return x.imag();
}

// The larger of the magnitudes of the parts; NaN if one is NaN.
template <typename T>
PartType<T> LargestPart(T x) {
  const auto re = Magnitude(RealPart(x)), im = Magnitude(ImaginaryPart(x));
  return re != re ? re : im != im || re < im ? im : re;
}
template <typename T>
PartType<T> LargestPart(const Matrix<T>& a) {
  PartType<T> largest = 0;
  for (i64 i = 0; i < a.rows; ++i) {
    for (i64 j = 0; j < a.columns; ++j) {
      const auto part = LargestPart(a(i, j));
      if (part != part) return part;
      largest = std::max(largest, part);
    }
  }
  return largest;
}

// |x|, without overflow on the way.
template <typename T>
PartType<T> AbsoluteValue(T x) {
  using P = PartType<T>;
  if constexpr (!kIsComplexScalar<T>) return Magnitude(x);
  const P scale = LargestPart(x);
  if (!(scale > 0)) return scale;
  return scale * SquareRoot(AddSquare(DivideByReal(x, scale), P(0)));
}

// The power of two at or below x, for finite x > 0; at least the smallest normal number.
inline float PowerOfTwoBelow(float x) {
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(x) & 0x7f800000u;
  return std::bit_cast<float>(std::max(exponent, 0x00800000u));
}
inline double PowerOfTwoBelow(double x) {
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(x) & 0x7ff0000000000000u;
  return std::bit_cast<double>(std::max<std::uint64_t>(exponent, 0x0010000000000000u));
}

// x / |x| to full precision even for subnormal x; x must not be zero.
template <typename T>
T UnitPhase(T x) {
  const T scaled = DivideByReal(x, PowerOfTwoBelow(LargestPart(x)));
  return DivideByReal(scaled, AbsoluteValue(scaled));
}

// Column `column` of a from row `row` on: sqrt(sum |x|^2), scaled by its largest part.
template <typename T>
PartType<T> ColumnNorm(const Matrix<T>& a, i64 row, i64 column) {
  using P = PartType<T>;
  P scale = 0;
  for (i64 i = row; i < a.rows; ++i) {
    const P part = LargestPart(a(i, column));
    if (part != part) return part;
    scale = std::max(scale, part);
  }
  if (scale == 0) return 0;
  P sum = 0;
  for (i64 i = row; i < a.rows; ++i) sum = AddSquare(DivideByReal(a(i, column), scale), sum);
  return scale * SquareRoot(sum);
}

// The sum over i < n of what `add(i, acc)` adds to acc, in an order that vectorises: eight chains
// from +0, chain k takes i = k, k + 8, ...; then chain k adds chain k + 4, k + 2, k + 1.
template <typename S, typename Add>
S SumInLanes(i64 n, const Add& add) {
  constexpr i64 kLanes = 8;
  S lanes[kLanes] = {};
  const i64 whole = n - n % kLanes;
  for (i64 i = 0; i < whole; i += kLanes) {
    for (i64 k = 0; k < kLanes; ++k) lanes[k] = add(i + k, lanes[k]);
  }
  for (i64 i = whole; i < n; ++i) lanes[i - whole] = add(i, lanes[i - whole]);
  for (i64 half = kLanes / 2; half > 0; half /= 2) {
    for (i64 k = 0; k < half; ++k) lanes[k] += lanes[k + half];
  }
  return lanes[0];
}
// x^H y.
template <typename T>
T InnerProduct(const T* x, const T* y, i64 n) {
  return SumInLanes<T>(n, [&](i64 i, T sum) { return MultiplyAdd(Conjugate(x[i]), y[i], sum); });
}
template <typename T>
PartType<T> SquaredNorm(const T* x, i64 n) {
  using P = PartType<T>;
  return SumInLanes<P>(n, [&](i64 i, P sum) { return AddSquare(x[i], sum); });
}

template <typename T>
void FillNan(const Matrix<T>& a) {
  const T nan = std::numeric_limits<PartType<T>>::quiet_NaN();
  for (i64 i = 0; i < a.rows; ++i) std::fill_n(a.row(i), a.columns, nan);
}

// The matrix is divided by the power of two that brings its largest part into [1, 2), which is the
// result: 1 for a zero matrix, NaN for one with NaN or infinities, which stays as it is.
template <typename T>
PartType<T> ScaleToOne(const Matrix<T>& a) {
  using P = PartType<T>;
  const P largest = LargestPart(a);
  if (largest == 0) return 1;
  if (!(largest <= std::numeric_limits<P>::max())) return std::numeric_limits<P>::quiet_NaN();
  const P scale = PowerOfTwoBelow(largest);
  for (i64 i = 0; i < a.rows; ++i) {
    for (i64 j = 0; j < a.columns; ++j) a(i, j) = DivideByReal(a(i, j), scale);
  }
  return scale;
}

}  // namespace axle
