#include <immintrin.h>

#include "bench/baselines/vector_kernels.h"

namespace axle::baselines::avx2 {
namespace {

constexpr int kLanes = 8;
using F = __m256;
using D = __m256d;
using I = int __attribute__((vector_size(32)));
template <int...>
struct Sequence {};
using Lanes = Sequence<0, 1, 2, 3, 4, 5, 6, 7>;

inline F Load(const float* p) {
  return _mm256_loadu_ps(p);
}
inline void Store(float* p, F v) {
  _mm256_storeu_ps(p, v);
}
inline void Stream(float* p, F v) {
  _mm256_stream_ps(p, v);
}
inline F Set(float x) {
  return _mm256_set1_ps(x);
}
inline I SetI(int x) {
  return I{} + x;
}
inline I Bits(F v) {
  return (I)v;
}
inline F FromBits(I v) {
  return (F)v;
}
inline F Fma(F a, F b, F c) {
  return _mm256_fmadd_ps(a, b, c);
}
inline F Sqrt(F v) {
  return _mm256_sqrt_ps(v);
}
inline F Round(F v) {
  return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline F Max(F a, F b) {
  return _mm256_max_ps(a, b);
}
// In two halves, each of which is a normal number for any n that matters.
inline F TimesPowerOf2(F v, F n) {
  const __m256i whole =
      _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(n, Set(-250.0F)), Set(250.0F)));
  const __m256i half = _mm256_srai_epi32(whole, 1);
  const __m256i bias = _mm256_set1_epi32(127);
  const auto power = [bias](__m256i k) {
    return (F)_mm256_slli_epi32(_mm256_add_epi32(k, bias), 23);
  };
  return v * power(half) * power(_mm256_sub_epi32(whole, half));
}
inline F Select(I condition, F a, F b) {
  return _mm256_blendv_ps(b, a, (F)condition);
}
inline I Shift(I v, int n) {
  return (I)_mm256_srli_epi32((__m256i)v, n);
}
inline void Narrow(Bf16* p, I a, I b) {
  const __m256i packed = _mm256_packus_epi32((__m256i)a, (__m256i)b);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_permute4x64_epi64(packed, 0xd8));
}
inline F LoadBf16(const Bf16* p) {
  const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return (F)_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16);
}
inline F LoadS8(const std::int8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
}

#include "bench/baselines/vector_kernels_body.h"

}  // namespace

extern const VectorKernels kKernels;
constinit const VectorKernels kKernels = Table("avx2");

}  // namespace axle::baselines::avx2
