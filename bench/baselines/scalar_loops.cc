#include "bench/baselines/scalar_loops.h"

#include <cstring>

namespace axle::baselines {

float Newton(float a, long n) {
  float x = a;
  for (long i = 0; i < n; ++i) x = 0.5F * (x + a / x);
  return x;
}

int Count(int n) {
  int i = 0;
  while (i < n) {
    ++i;
    asm volatile("" : "+r"(i));
  }
  return i;
}

unsigned long Congruential(unsigned long x, int n) {
  for (int i = 0; i < n; ++i) {
    x = x * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(x));
  }
  return x;
}

void Scan3(const float* state, const float* rows, float* last, float* out, long n) {
  float s0 = state[0], s1 = state[1], s2 = state[2];
  for (long i = 0; i < n; ++i, rows += 3, out += 3) {
    const float t0 = 0.9F * s0 + rows[0], t1 = 0.7F * s1 + s0 * rows[1],
                t2 = 0.5F * s2 + s1 * rows[2];
    out[0] = s0 = t0;
    out[1] = s1 = t1;
    out[2] = s2 = t2;
  }
  last[0] = s0;
  last[1] = s1;
  last[2] = s2;
}

void Chain6(const double* a, double* out, long n) {
  double x[6][6], y[6][6];
  std::memcpy(x, a, sizeof(x));
  for (long step = 0; step < n; ++step) {
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) y[i][j] = x[i][0] * a[j];
      for (int k = 1; k < 6; ++k) {
        for (int j = 0; j < 6; ++j) y[i][j] += x[i][k] * a[6 * k + j];
      }
    }
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) x[i][j] = 0.4 * y[i][j];
    }
  }
  std::memcpy(out, x, sizeof(x));
}

}  // namespace axle::baselines
