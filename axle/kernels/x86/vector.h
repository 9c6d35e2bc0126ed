// Vectors of the instruction set's width: loads, stores and arithmetic of one element type.
#pragma once
#include <immintrin.h>

#include "axle/core/kernel.h"
#include "axle/kernels/x86/isa.h"

namespace axle::AXLE_ISA {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#else
inline constexpr int kVectorBytes = 32;
#endif
inline constexpr bool kIsWide = kVectorBytes == 64;

template <typename T>
constexpr int kLanesOf = kVectorBytes / static_cast<int>(sizeof(T));

template <typename T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes)));
};
template <typename T>
using Vector = typename VectorOf<T>::Type;

constexpr i64 Min(i64 a, i64 b) {
  return a < b ? a : b;
}
constexpr i64 Max(i64 a, i64 b) {
  return a > b ? a : b;
}
constexpr i64 CeilDivide(i64 a, i64 b) {
  return (a + b - 1) / b;
}
constexpr i64 RoundUp(i64 a, i64 b) {
  return CeilDivide(a, b) * b;
}

template <typename T>
[[gnu::always_inline]] inline Vector<T> Load(const T* x) {
  Vector<T> v;
  __builtin_memcpy(&v, x, sizeof v);
  return v;
}
template <typename T>
[[gnu::always_inline]] inline void Store(T* x, Vector<T> v) {
  __builtin_memcpy(x, &v, sizeof v);
}

[[gnu::always_inline]] inline Vector<float> Broadcast(float x) {
#if defined(__AVX512F__)
  return (Vector<float>)_mm512_set1_ps(x);
#else
  return (Vector<float>)_mm256_set1_ps(x);
#endif
}
[[gnu::always_inline]] inline Vector<double> Broadcast(double x) {
#if defined(__AVX512F__)
  return (Vector<double>)_mm512_set1_pd(x);
#else
  return (Vector<double>)_mm256_set1_pd(x);
#endif
}
template <typename T>
[[gnu::always_inline]] inline Vector<T> Broadcast(T x) {
  return Vector<T>{} + x;
}

// a * b + c, rounded once.
[[gnu::always_inline]] inline Vector<float> MultiplyAdd(Vector<float> a, Vector<float> b,
                                                        Vector<float> c) {
#if defined(__AVX512F__)
  return (Vector<float>)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#else
  return (Vector<float>)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#endif
}
[[gnu::always_inline]] inline Vector<double> MultiplyAdd(Vector<double> a, Vector<double> b,
                                                         Vector<double> c) {
#if defined(__AVX512F__)
  return (Vector<double>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#else
  return (Vector<double>)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
}
// -a * b + c.
[[gnu::always_inline]] inline Vector<float> NegatedMultiplyAdd(Vector<float> a, Vector<float> b,
                                                               Vector<float> c) {
#if defined(__AVX512F__)
  return (Vector<float>)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c);
#else
  return (Vector<float>)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
#endif
}
[[gnu::always_inline]] inline Vector<double> NegatedMultiplyAdd(Vector<double> a, Vector<double> b,
                                                                Vector<double> c) {
#if defined(__AVX512F__)
  return (Vector<double>)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#else
  return (Vector<double>)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
}

[[gnu::always_inline]] inline float ScalarFma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
[[gnu::always_inline]] inline double ScalarFma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

// The first lanes of a vector of 4- or 8-byte elements, less those that are removed and with those
// that are included; memory of other lanes is not accessed.
template <typename T>
class FirstLanes {
 public:
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  explicit FirstLanes(i64 count = 0) {
#if defined(__AVX512F__)
    mask_ = static_cast<__mmask16>((1u << count) - 1);
#else
    if constexpr (sizeof(T) == 4) {
      mask_ = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                                 _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    } else {
      mask_ = _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
    }
#endif
  }

  [[gnu::always_inline]] void Remove(const FirstLanes& other) {
#if defined(__AVX512F__)
    mask_ = static_cast<__mmask16>(mask_ & ~other.mask_);
#else
    mask_ = _mm256_andnot_si256(other.mask_, mask_);
#endif
  }
  [[gnu::always_inline]] void Include(const FirstLanes& other) {
#if defined(__AVX512F__)
    mask_ = static_cast<__mmask16>(mask_ | other.mask_);
#else
    mask_ = _mm256_or_si256(mask_, other.mask_);
#endif
  }

  // Zeros in the other lanes.
  [[gnu::always_inline]] Vector<T> Load(const T* x) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      return (Vector<T>)_mm512_maskz_loadu_epi32(mask_, x);
    } else {
      return (Vector<T>)_mm512_maskz_loadu_epi64(static_cast<__mmask8>(mask_), x);
    }
#else
    if constexpr (sizeof(T) == 4) {
      return (Vector<T>)_mm256_maskload_epi32(reinterpret_cast<const int*>(x), mask_);
    } else {
      return (Vector<T>)_mm256_maskload_epi64(reinterpret_cast<const long long*>(x), mask_);
    }
#endif
  }
  [[gnu::always_inline]] void Store(T* x, Vector<T> v) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      _mm512_mask_storeu_epi32(x, mask_, (__m512i)v);
    } else {
      _mm512_mask_storeu_epi64(x, static_cast<__mmask8>(mask_), (__m512i)v);
    }
#else
    if constexpr (sizeof(T) == 4) {
      _mm256_maskstore_epi32(reinterpret_cast<int*>(x), mask_, (__m256i)v);
    } else {
      _mm256_maskstore_epi64(reinterpret_cast<long long*>(x), mask_, (__m256i)v);
    }
#endif
  }
  // a * b + c, rounded once; c in the other lanes. For floats and doubles.
  [[gnu::always_inline]] Vector<T> MultiplyAdd(Vector<T> a, Vector<T> b, Vector<T> c) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      return (Vector<T>)_mm512_mask3_fmadd_ps((__m512)a, (__m512)b, (__m512)c, mask_);
    } else {
      return (Vector<T>)_mm512_mask3_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c,
                                              static_cast<__mmask8>(mask_));
    }
#else
    return Select(AXLE_ISA::MultiplyAdd(a, b, c), c);
#endif
  }
  // on_true in the first lanes, on_false in the others.
  [[gnu::always_inline]] Vector<T> Select(Vector<T> on_true, Vector<T> on_false) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      return (Vector<T>)_mm512_mask_blend_epi32(mask_, (__m512i)on_false, (__m512i)on_true);
    } else {
      return (Vector<T>)_mm512_mask_blend_epi64(static_cast<__mmask8>(mask_), (__m512i)on_false,
                                                (__m512i)on_true);
    }
#else
    return (Vector<T>)_mm256_blendv_epi8((__m256i)on_false, (__m256i)on_true, mask_);
#endif
  }

 private:
#if defined(__AVX512F__)
  __mmask16 mask_;
#else
  __m256i mask_;
#endif
};

}  // namespace axle::AXLE_ISA
