// Arithmetic of the elements of matrices: f32, f64, c64 and c128, without libm. Complex products
// are those of docs/numerics.md N5.
#pragma once
#include <complex>

namespace axle {

template <typename T>
struct ScalarTraits {
  using Part = T;
  static constexpr bool kIsComplex = false;
};
template <typename T>
struct ScalarTraits<std::complex<T>> {
  using Part = T;
  static constexpr bool kIsComplex = true;
};
template <typename T>
using PartType = typename ScalarTraits<T>::Part;
template <typename T>
inline constexpr bool kIsComplexScalar = ScalarTraits<T>::kIsComplex;

inline float FusedMultiplyAdd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double FusedMultiplyAdd(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
inline float SquareRoot(float x) {
  return __builtin_sqrtf(x);
}
inline double SquareRoot(double x) {
  return __builtin_sqrt(x);
}

// c + a b, in the order of a dot's complex products (N5).
template <typename T>
T MultiplyAdd(T a, T b, T c) {
  if constexpr (kIsComplexScalar<T>) {
    auto re = FusedMultiplyAdd(a.real(), b.real(), c.real());
    auto im = FusedMultiplyAdd(a.real(), b.imag(), c.imag());
    re = FusedMultiplyAdd(-a.imag(), b.imag(), re);
    im = FusedMultiplyAdd(a.imag(), b.real(), im);
    return {re, im};
  } else {
    return FusedMultiplyAdd(a, b, c);
  }
}
// c - a b: the same of -a.
template <typename T>
T MultiplySubtract(T a, T b, T c) {
  return MultiplyAdd(-a, b, c);
}
// a b: one rounded product in each part, the other one fused.
template <typename T>
T Multiply(T a, T b) {
  if constexpr (kIsComplexScalar<T>) {
    return {FusedMultiplyAdd(-a.imag(), b.imag(), a.real() * b.real()),
            FusedMultiplyAdd(a.imag(), b.real(), a.real() * b.imag())};
  } else {
    return a * b;
  }
}

template <typename T>
T Conjugate(T x) {
  if constexpr (kIsComplexScalar<T>) {
    return {x.real(), -x.imag()};
  } else {
    return x;
  }
}
template <typename T>
PartType<T> RealPart(T x) {
  if constexpr (kIsComplexScalar<T>) {
    return x.real();
  } else {
    return x;
  }
}
// x times (over) a real number, part by part.
template <typename T>
T Scale(T x, PartType<T> factor) {
  if constexpr (kIsComplexScalar<T>) {
    return {x.real() * factor, x.imag() * factor};
  } else {
    return x * factor;
  }
}
template <typename T>
T DivideByReal(T x, PartType<T> divisor) {
  if constexpr (kIsComplexScalar<T>) {
    return {x.real() / divisor, x.imag() / divisor};
  } else {
    return x / divisor;
  }
}
// acc + |x|^2, the real part first.
template <typename T>
PartType<T> AddSquare(T x, PartType<T> acc) {
  if constexpr (kIsComplexScalar<T>) {
    acc = FusedMultiplyAdd(x.real(), x.real(), acc);
    return FusedMultiplyAdd(x.imag(), x.imag(), acc);
  } else {
    return FusedMultiplyAdd(x, x, acc);
  }
}
template <typename T>
bool HasNan(T x) {
  return x != x;
}

// Smith's algorithm, by fma; a division by zero divides each part by the real zero.
template <typename P>
std::complex<P> ComplexQuotient(std::complex<P> a, std::complex<P> b) {
  const P br = b.real(), bi = b.imag(), ar = a.real(), ai = a.imag();
  if (br == 0 && bi == 0) return {ar / br, ai / br};
  const P size_re = br < 0 ? -br : br, size_im = bi < 0 ? -bi : bi;
  if (size_re < size_im) {
    const P ratio = br / bi, denominator = FusedMultiplyAdd(ratio, br, bi);
    return {FusedMultiplyAdd(ratio, ar, ai) / denominator,
            FusedMultiplyAdd(ratio, ai, -ar) / denominator};
  }
  const P ratio = bi / br, denominator = FusedMultiplyAdd(ratio, bi, br);
  return {FusedMultiplyAdd(ratio, ai, ar) / denominator,
          FusedMultiplyAdd(-ratio, ar, ai) / denominator};
}
template <typename T>
T Quotient(T a, T b) {
  if constexpr (kIsComplexScalar<T>) {
    return ComplexQuotient(a, b);
  } else {
    return a / b;
  }
}

}  // namespace axle
