// Column k is brought up to date for the reflections of its block, a chain of v[t] w[t][k], then
// w[t] v[t][k], for each of them in turn; its own reflection v[k] is that of blocked_qr.h. Then
//
//   p = A v[k], with A as it was before the block,
//   p = p - sum over t of v[t] (w[t] . v[k]), p = p - sum over t of w[t] (v[t] . v[k]),
//   w[k] = tau p - (tau ((tau p) . v[k]) / 2) v[k].
//
// After the block, A - V W^T - W V^T by two products. So half of the work is in products of
// matrices, and the other half reads the lower triangle once per column.

#include "axle/linalg/blocked_tridiagonal.h"

#include <algorithm>

#include "axle/linalg/blocked_qr.h"
#include "axle/linalg/scalar.h"

namespace axle {
namespace {

constexpr i64 kBlock = kTridiagonalBlock;

i64 Height(i64 n) {
  return (n + 15) / 16 * 16;
}

}  // namespace

i64 TridiagonalScratch(i64 n) {
  return 3 * kBlock * Height(n) + BlockedScratch({n, n, kBlock});
}

template <typename T>
Status BlockedTridiagonal(const BlockKernels<T>& kernels, T* a, i64 stride, i64 n, T* d, T* e,
                          T* taus, Limits* limits) {
  const i64 height = Height(n);
  const std::unique_ptr<T[]> memory(new T[3 * kBlock * height]);
  // Row i of the block is element i of a column of all three.
  T *const panel = memory.get(), *const v = panel + kBlock * height, *const w = v + kBlock * height;
  Blocked<T> blocked(kernels, {n, n, kBlock}, limits);
  for (i64 first = 0; first < n; first += kBlock) {
    AXLE_TRY(limits == nullptr ? Status() : limits->Check());
    T* const corner = a + first * stride + first;
    const i64 rows = n - first, count = std::min(kBlock, rows);
    kernels.transpose(corner, stride, rows, count, panel, height);
    for (i64 j = 0; j < count; ++j) {
      const i64 k = first + j, below = rows - j - 1;
      T* const column = panel + j * height;
      T factors[2][kBlock];
      for (i64 t = 0; t < j; ++t) {
        factors[0][t] = w[t * height + j];
        factors[1][t] = v[t * height + j];
      }
      kernels.subtract_combination(v + j, height, factors[0], j, column + j, below + 1);
      kernels.subtract_combination(w + j, height, factors[1], j, column + j, below + 1);
      d[k] = column[j];
      if (below == 0) break;
      T* const x = column + j + 1;
      const T tau = taus[k] = MakeReflection(kernels, x, below);
      e[k] = x[0];
      T *const vk = v + j * height + j + 1, *const wk = w + j * height + j + 1;
      std::copy_n(x, below, vk);
      vk[0] = 1;
      if (tau == 0) {
        std::fill_n(wk, below, T(0));
        continue;
      }
      kernels.symmetric_times(corner + (j + 1) * (stride + 1), stride, below, vk, wk);
      kernels.dots(vk, w + j + 1, height, below, j, factors[0]);
      kernels.dots(vk, v + j + 1, height, below, j, factors[1]);
      kernels.subtract_combination(v + j + 1, height, factors[0], j, wk, below);
      kernels.subtract_combination(w + j + 1, height, factors[1], j, wk, below);
      for (i64 i = 0; i < below; ++i) wk[i] *= tau;
      T product = 0;
      kernels.dots(wk, vk, 0, below, 1, &product);
      const T half = tau * product * T(0.5);
      kernels.subtract_combination(vk, 0, &half, 1, wk, below);
    }
    kernels.transpose(panel, height, count, rows, corner, stride);
    const i64 rest = rows - count;
    if (rest == 0) continue;
    ProductUpdate<T> update = {.a = v + count,
                               .a_row = 1,
                               .a_depth = height,
                               .b = w + count,
                               .b_depth = height,
                               .b_column = 1,
                               .c = corner + count * (stride + 1),
                               .c_row = stride,
                               .rows = rest,
                               .columns = rest,
                               .depth = count,
                               .lower = true};
    AXLE_TRY(blocked.Update(update));
    std::swap(update.a, update.b);
    AXLE_TRY(blocked.Update(update));
  }
  return {};
}

#define INSTANTIATE(T) \
  template Status BlockedTridiagonal(const BlockKernels<T>&, T*, i64, i64, T*, T*, T*, Limits*);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace axle
