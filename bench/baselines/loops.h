// Hand-written loops: what a C++ programmer would write for one operation, compiled with -O3. The
// benchmarks give their times as ratios to these.
#pragma once

namespace axle::baselines {

void Add(const float* x, const float* y, float* out, long n);
void Multiply(const float* x, const float* y, float* out, long n);
void Maximum(const float* x, const float* y, float* out, long n);  // NaN if either is
void Sqrt(const float* x, float* out, long n);
void Exp(const float* x, float* out, long n);   // the C library's
void Tanh(const float* x, float* out, long n);  // the C library's
void AddInt(const int* x, const int* y, int* out, long n);
void CompareLess(const float* x, const float* y, bool* out, long n);
void Select(const bool* p, const float* x, const float* y, float* out, long n);

// Independent fused multiply-adds in registers.
void FmaPeak(long steps);
long FmaPeakFlops(long steps);

}  // namespace axle::baselines
