#include "bench/baselines/loops.h"

#include <cmath>

namespace axle::baselines {

void Add(const float* x, const float* y, float* out, long n) {
  for (long i = 0; i < n; ++i) out[i] = x[i] + y[i];
}
void Multiply(const float* x, const float* y, float* out, long n) {
  for (long i = 0; i < n; ++i) out[i] = x[i] * y[i];
}
void Maximum(const float* x, const float* y, float* out, long n) {
  for (long i = 0; i < n; ++i) out[i] = x[i] != x[i] || x[i] > y[i] ? x[i] : y[i];
}
void Sqrt(const float* x, float* out, long n) {
  for (long i = 0; i < n; ++i) out[i] = __builtin_sqrtf(x[i]);
}
void Exp(const float* x, float* out, long n) {
  for (long i = 0; i < n; ++i) out[i] = std::exp(x[i]);
}
void Tanh(const float* x, float* out, long n) {
  for (long i = 0; i < n; ++i) out[i] = std::tanh(x[i]);
}
void AddInt(const int* x, const int* y, int* out, long n) {
  for (long i = 0; i < n; ++i) {
    out[i] = static_cast<int>(static_cast<unsigned>(x[i]) + static_cast<unsigned>(y[i]));
  }
}
void CompareLess(const float* x, const float* y, bool* out, long n) {
  for (long i = 0; i < n; ++i) out[i] = x[i] < y[i];
}
void Select(const bool* p, const float* x, const float* y, float* out, long n) {
  for (long i = 0; i < n; ++i) out[i] = p[i] ? x[i] : y[i];
}

namespace {
using Vector = float __attribute__((vector_size(32)));
constexpr int kChains = 12;  // enough for two units with a latency of 5
}  // namespace

void FmaPeak(long steps) {
  Vector chains[kChains];
  for (Vector& chain : chains) chain = Vector{} + 1.0f;
  const Vector factor = Vector{} + 0.999f;
  for (long i = 0; i < steps; ++i) {
    for (Vector& chain : chains) {
      asm volatile("vfmadd213ps %1, %1, %0" : "+x"(chain) : "x"(factor));
    }
  }
}

long FmaPeakFlops(long steps) {
  return steps * kChains * 8 * 2;
}

}  // namespace axle::baselines
