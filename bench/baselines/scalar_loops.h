// Loops of scalars, and of tiny arrays, as one writes them in C++: what compiled control flow is
// measured against. Bound: the latency of the chain of operations from one turn to the next.
#pragma once

namespace axle::baselines {

// x = 0.5 (x + a / x), n times, from x = a.
float Newton(float a, long n);
// i + 1, n times; a loop that no compiler may leave out.
int Count(int n);
// A linear congruential generator, n times from x, one after the other.
unsigned long Congruential(unsigned long x, int n);
// The recurrence of three numbers of bench/programs/W2.hlo; every state goes to `out`.
void Scan3(const float* state, const float* rows, float* last, float* out, long n);
// x = 0.4 (x a) with 6x6 matrices of f64, n times from x = a, sums in the order of k.
void Chain6(const double* a, double* out, long n);

}  // namespace axle::baselines
