#include <immintrin.h>

#include "bench/baselines/vector_kernels.h"

namespace axle::baselines::avx512 {
namespace {

constexpr int kLanes = 16;
using F = __m512;
using D = __m512d;
using I = int __attribute__((vector_size(64)));
template <int...>
struct Sequence {};
using Lanes = Sequence<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;

inline F Load(const float* p) {
  return _mm512_loadu_ps(p);
}
inline void Store(float* p, F v) {
  _mm512_storeu_ps(p, v);
}
inline void Stream(float* p, F v) {
  _mm512_stream_ps(p, v);
}
inline F Set(float x) {
  return _mm512_set1_ps(x);
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
  return _mm512_fmadd_ps(a, b, c);
}
inline F Sqrt(F v) {
  return _mm512_sqrt_ps(v);
}
inline F Round(F v) {
  return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline F TimesPowerOf2(F v, F n) {
  return _mm512_scalef_ps(v, n);
}
inline F Max(F a, F b) {
  return _mm512_max_ps(a, b);
}
inline F Select(I condition, F a, F b) {
  return condition ? a : b;
}
inline I Shift(I v, int n) {
  return (I)_mm512_srli_epi32((__m512i)v, static_cast<unsigned>(n));
}
inline void Narrow(Bf16* p, I a, I b) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16((__m512i)a));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + kLanes), _mm512_cvtepi32_epi16((__m512i)b));
}
inline F LoadBf16(const Bf16* p) {
  const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return (F)_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16);
}
inline F LoadS8(const std::int8_t* p) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
}

#include "bench/baselines/vector_kernels_body.h"

}  // namespace

extern const VectorKernels kKernels;
constinit const VectorKernels kKernels = Table("avx512");

}  // namespace axle::baselines::avx512
