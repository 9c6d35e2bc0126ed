// Vectors of complex numbers, and how they come from memory: parts that alternate there are taken
// apart, and squares of numbers are transposed.
#pragma once
#include "axle/kernels/x86/vector.h"

namespace axle::AXLE_ISA {

// One complex number in each lane.
template <typename T>
struct Parts {
  Vector<T> re, im;
};

// (wr, wi) times x, in the order of docs/numerics.md: one rounded product in each part, the other
// one fused.
template <typename T>
[[gnu::always_inline]] inline Parts<T> Turn(Vector<T> wr, Vector<T> wi, Parts<T> x) {
  return {NegatedMultiplyAdd(wi, x.im, wr * x.re), MultiplyAdd(wi, x.re, wr * x.im)};
}

// The numbers whose parts alternate in two vectors.
[[gnu::always_inline]] inline Parts<float> Separate(Vector<float> a, Vector<float> b) {
#if defined(__AVX512F__)
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  return {(Vector<float>)_mm512_permutex2var_ps((__m512)a, even, (__m512)b),
          (Vector<float>)_mm512_permutex2var_ps((__m512)a, odd, (__m512)b)};
#else
  const __m256 lower = _mm256_permute2f128_ps((__m256)a, (__m256)b, 0x20);
  const __m256 upper = _mm256_permute2f128_ps((__m256)a, (__m256)b, 0x31);
  return {(Vector<float>)_mm256_shuffle_ps(lower, upper, 0x88),
          (Vector<float>)_mm256_shuffle_ps(lower, upper, 0xdd)};
#endif
}
[[gnu::always_inline]] inline Parts<double> Separate(Vector<double> a, Vector<double> b) {
#if defined(__AVX512F__)
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  return {(Vector<double>)_mm512_permutex2var_pd((__m512d)a, even, (__m512d)b),
          (Vector<double>)_mm512_permutex2var_pd((__m512d)a, odd, (__m512d)b)};
#else
  const __m256d lower = _mm256_permute2f128_pd((__m256d)a, (__m256d)b, 0x20);
  const __m256d upper = _mm256_permute2f128_pd((__m256d)a, (__m256d)b, 0x31);
  return {(Vector<double>)_mm256_unpacklo_pd(lower, upper),
          (Vector<double>)_mm256_unpackhi_pd(lower, upper)};
#endif
}

// The two vectors in which the parts of x alternate, as {first, second}.
[[gnu::always_inline]] inline Parts<float> Alternate(Parts<float> x) {
#if defined(__AVX512F__)
  const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i second =
      _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  return {(Vector<float>)_mm512_permutex2var_ps((__m512)x.re, first, (__m512)x.im),
          (Vector<float>)_mm512_permutex2var_ps((__m512)x.re, second, (__m512)x.im)};
#else
  const __m256 lower = _mm256_unpacklo_ps((__m256)x.re, (__m256)x.im);
  const __m256 upper = _mm256_unpackhi_ps((__m256)x.re, (__m256)x.im);
  return {(Vector<float>)_mm256_permute2f128_ps(lower, upper, 0x20),
          (Vector<float>)_mm256_permute2f128_ps(lower, upper, 0x31)};
#endif
}
[[gnu::always_inline]] inline Parts<double> Alternate(Parts<double> x) {
#if defined(__AVX512F__)
  const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
  const __m512i second = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  return {(Vector<double>)_mm512_permutex2var_pd((__m512d)x.re, first, (__m512d)x.im),
          (Vector<double>)_mm512_permutex2var_pd((__m512d)x.re, second, (__m512d)x.im)};
#else
  const __m256d lower = _mm256_unpacklo_pd((__m256d)x.re, (__m256d)x.im);
  const __m256d upper = _mm256_unpackhi_pd((__m256d)x.re, (__m256d)x.im);
  return {(Vector<double>)_mm256_permute2f128_pd(lower, upper, 0x20),
          (Vector<double>)_mm256_permute2f128_pd(lower, upper, 0x31)};
#endif
}

// Lanes in the opposite order.
[[gnu::always_inline]] inline Vector<float> Reversed(Vector<float> x) {
#if defined(__AVX512F__)
  const __m512i order = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  return (Vector<float>)_mm512_permutexvar_ps(order, (__m512)x);
#else
  const __m256i order = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  return (Vector<float>)_mm256_permutevar8x32_ps((__m256)x, order);
#endif
}
[[gnu::always_inline]] inline Vector<double> Reversed(Vector<double> x) {
#if defined(__AVX512F__)
  const __m512i order = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  return (Vector<double>)_mm512_permutexvar_pd(order, (__m512d)x);
#else
  return (Vector<double>)_mm256_permute4x64_pd((__m256d)x, 0x1b);
#endif
}

// As many f64 numbers as a vector holds, from the type of the array and back.
[[gnu::always_inline]] inline Vector<double> LoadWide(const double* x) {
  return Load(x);
}
[[gnu::always_inline]] inline Vector<double> LoadWide(const float* x) {
#if defined(__AVX512F__)
  return (Vector<double>)_mm512_cvtps_pd(_mm256_loadu_ps(x));
#else
  return (Vector<double>)_mm256_cvtps_pd(_mm_loadu_ps(x));
#endif
}
[[gnu::always_inline]] inline void StoreRounded(double* x, Vector<double> v) {
  Store(x, v);
}
[[gnu::always_inline]] inline void StoreRounded(float* x, Vector<double> v) {
#if defined(__AVX512F__)
  _mm256_storeu_ps(x, _mm512_cvtpd_ps((__m512d)v));
#else
  _mm_storeu_ps(x, _mm256_cvtpd_ps((__m256d)v));
#endif
}

// Pieces of 16 bytes, one from each of the rows first, first + step, ...
template <typename T, typename Row>
[[gnu::always_inline]] inline Vector<float> LoadPieces(const Row& row, int first, int step,
                                                       int column) {
  const auto piece = [&](int i) {
    return _mm_loadu_ps(reinterpret_cast<const float*>(row(first + i * step) + column));
  };
#if defined(__AVX512F__)
  __m512 pieces = _mm512_castps128_ps512(piece(0));
  pieces = _mm512_insertf32x4(pieces, piece(1), 1);
  pieces = _mm512_insertf32x4(pieces, piece(2), 2);
  pieces = _mm512_insertf32x4(pieces, piece(3), 3);
  return (Vector<float>)pieces;
#else
  return (Vector<float>)_mm256_insertf128_ps(_mm256_castps128_ps256(piece(0)), piece(1), 1);
#endif
}

[[gnu::always_inline]] inline Vector<float> LowPairs(Vector<float> a, Vector<float> b) {
#if defined(__AVX512F__)
  return (Vector<float>)_mm512_unpacklo_ps((__m512)a, (__m512)b);
#else
  return (Vector<float>)_mm256_unpacklo_ps((__m256)a, (__m256)b);
#endif
}
[[gnu::always_inline]] inline Vector<float> HighPairs(Vector<float> a, Vector<float> b) {
#if defined(__AVX512F__)
  return (Vector<float>)_mm512_unpackhi_ps((__m512)a, (__m512)b);
#else
  return (Vector<float>)_mm256_unpackhi_ps((__m256)a, (__m256)b);
#endif
}
[[gnu::always_inline]] inline Vector<float> LowHalves(Vector<float> a, Vector<float> b) {
#if defined(__AVX512F__)
  return (Vector<float>)_mm512_unpacklo_pd((__m512d)a, (__m512d)b);
#else
  return (Vector<float>)_mm256_unpacklo_pd((__m256d)a, (__m256d)b);
#endif
}
[[gnu::always_inline]] inline Vector<float> HighHalves(Vector<float> a, Vector<float> b) {
#if defined(__AVX512F__)
  return (Vector<float>)_mm512_unpackhi_pd((__m512d)a, (__m512d)b);
#else
  return (Vector<float>)_mm256_unpackhi_pd((__m256d)a, (__m256d)b);
#endif
}

// Gives put(c, the numbers in column c of all rows), of a square of as many rows and columns as a
// vector has lanes; row(r) points at row r. Pieces of 16 bytes are put into their places as they
// are loaded, which leaves squares of 16-byte rows to transpose.
template <typename T, typename Row, typename Put>
[[gnu::always_inline]] inline void Transpose(const Row& row, const Put& put) {
  constexpr int kSide = 16 / static_cast<int>(sizeof(T)), kLanes = kLanesOf<T>;
#pragma GCC unroll 4
  for (int column = 0; column < kLanes; column += kSide) {
    Vector<float> x[kSide];
#pragma GCC unroll 4
    for (int r = 0; r < kSide; ++r) x[r] = LoadPieces<T>(row, r, kSide, column);
    if constexpr (sizeof(T) == 4) {
      const Vector<float> a = LowPairs(x[0], x[1]), b = HighPairs(x[0], x[1]);
      const Vector<float> c = LowPairs(x[2], x[3]), d = HighPairs(x[2], x[3]);
      put(column, LowHalves(a, c));
      put(column + 1, HighHalves(a, c));
      put(column + 2, LowHalves(b, d));
      put(column + 3, HighHalves(b, d));
    } else {
      put(column, (Vector<T>)LowHalves(x[0], x[1]));
      put(column + 1, (Vector<T>)HighHalves(x[0], x[1]));
    }
  }
}

}  // namespace axle::AXLE_ISA
