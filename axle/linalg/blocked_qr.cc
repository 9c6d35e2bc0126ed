// A block of 32 columns is factored column by column, in memory where columns are contiguous. Its
// reflections are then applied to the rest of the matrix together, as I - V T V^T, by three
// products: W = V^T C, W' = T W (or T^T W) and C - V W'. The chains of the first two start at +0,
// those of the last one at C.
//
// T is upper triangular. Its diagonal has the factors tau, and column j above it is
// -tau[j] (sum over k < j of column k of T times v[k] . v[j]): a chain in increasing k from +0.

#include "axle/linalg/blocked_qr.h"

#include <algorithm>
#include <limits>

#include "axle/linalg/norms.h"

namespace axle {
namespace {

// sqrt(sum of squares + first^2); where the squares leave the safe range, of numbers that are
// divided by a power of two first.
template <typename T>
T NormOf(const BlockKernels<T>& kernels, const T* x, i64 n) {
  constexpr T kLeast = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  T square = 0;
  kernels.dots(x + 1, x + 1, 0, n - 1, 1, &square);
  square = FusedMultiplyAdd(x[0], x[0], square);
  if (square >= kLeast && square <= std::numeric_limits<T>::max()) return SquareRoot(square);
  T largest = 0;
  for (i64 i = 0; i < n; ++i) {
    if (x[i] != x[i]) return x[i];
    largest = std::max(largest, Magnitude(x[i]));
  }
  if (largest == 0 || largest > std::numeric_limits<T>::max()) return largest;
  const T scale = PowerOfTwoBelow(largest);
  std::vector<T> scaled(x, x + n);
  kernels.divide(scaled.data(), scale, n);
  kernels.dots(scaled.data() + 1, scaled.data() + 1, 0, n - 1, 1, &square);
  return scale * SquareRoot(FusedMultiplyAdd(scaled[0], scaled[0], square));
}

i64 RoundUp(i64 n, i64 unit) {
  return (n + unit - 1) / unit * unit;
}

}  // namespace

template <typename T>
T MakeReflection(const BlockKernels<T>& kernels, T* x, i64 n) {
  constexpr T kEpsilon = std::numeric_limits<T>::epsilon();
  if (std::all_of(x + 1, x + n, [](T element) { return element == 0; })) return 0;
  T norm = NormOf(kernels, x, n), lower = 1;
  if (norm < std::numeric_limits<T>::min() / kEpsilon) {
    // Among subnormal numbers the reflection would not be orthogonal.
    lower = kEpsilon * kEpsilon;
    kernels.divide(x, lower, n);
    norm = NormOf(kernels, x, n);
  }
  const T alpha = x[0], beta = alpha < 0 ? norm : -norm;
  kernels.divide(x + 1, alpha - beta, n - 1);
  x[0] = beta * lower;
  return (beta - alpha) / beta;
}

i64 ReflectorScratch(i64 rows, i64 others) {
  const i64 most = std::max(rows, others);
  return BlockedScratch({most, most, std::max(rows, kReflectorBlock)}) +
         kReflectorBlock * (RoundUp(rows, 16) + 2 * others + kReflectorBlock);
}

template <typename T>
ReflectorBlock<T>::ReflectorBlock(const BlockKernels<T>& kernels, i64 rows, i64 others,
                                  Limits* limits)
    : kernels_(kernels),
      blocked_(kernels,
               {std::max(rows, others), std::max(rows, others), std::max(rows, kReflectorBlock)},
               limits),
      v_(new T[kReflectorBlock * RoundUp(rows, 16)]),
      work_(new T[2 * kReflectorBlock * std::max<i64>(others, 1)]) {}

template <typename T>
void ReflectorBlock<T>::Load(const T* a, i64 stride, i64 rows, i64 count, const T* taus) {
  rows_ = rows;
  count_ = count;
  height_ = RoundUp(rows, 16);
  kernels_.transpose(a, stride, rows, count, v_.get(), height_);
  MakeT(taus);
}

template <typename T>
void ReflectorBlock<T>::Factor(T* a, i64 stride, i64 rows, i64 count, T* taus) {
  rows_ = rows;
  count_ = count;
  height_ = RoundUp(rows, 16);
  kernels_.transpose(a, stride, rows, count, v_.get(), height_);
  for (i64 j = 0; j < std::min(rows, count); ++j) {
    T* const x = v_.get() + j * (height_ + 1);
    const i64 below = rows - j - 1, others = count - j - 1;
    taus[j] = MakeReflection(kernels_, x, below + 1);
    if (taus[j] == 0 || others == 0) continue;
    T factors[kReflectorBlock];
    kernels_.dots(x + 1, x + height_ + 1, height_, below, others, factors);
    for (i64 k = 0; k < others; ++k) {
      T& first = x[(k + 1) * height_];
      factors[k] = taus[j] * (first + factors[k]);
      first -= factors[k];
    }
    kernels_.subtract_multiples(x + 1, factors, x + height_ + 1, height_, below, others);
  }
  kernels_.transpose(v_.get(), height_, count, rows, a, stride);
}

template <typename T>
void ReflectorBlock<T>::MakeT(const T* taus) {
  constexpr i64 kSize = kReflectorBlock;
  T* const v = v_.get();
  for (i64 j = 0; j < count_; ++j) {
    std::fill_n(v + j * height_, std::min(j, rows_), T(0));
    if (j < rows_) v[j * (height_ + 1)] = 1;
  }
  std::fill_n(t_, kSize * kSize, T(0));
  for (i64 j = 0; j < count_; ++j) {
    T products[kSize], sums[kSize] = {};
    kernels_.dots(v + j * (height_ + 1), v + j, height_, rows_ - j, j, products);
    for (i64 k = 0; k < j; ++k) {
      for (i64 i = 0; i <= k; ++i) {
        sums[i] = FusedMultiplyAdd(t_[k * kSize + i], products[k], sums[i]);
      }
    }
    for (i64 i = 0; i < j; ++i) t_[j * kSize + i] = -taus[j] * sums[i];
    t_[j * kSize + j] = taus[j];
  }
}

template <typename T>
Status ReflectorBlock<T>::ApplyLeft(bool adjoint, T* c, i64 stride, i64 columns) {
  if (columns == 0) return {};
  constexpr i64 kSize = kReflectorBlock;
  T *const first = work_.get(), *const second = first + count_ * columns;
  std::fill_n(first, 2 * count_ * columns, T(0));
  AXLE_TRY(blocked_.Update({.a = v_.get(),
                            .a_row = height_,
                            .a_depth = 1,
                            .b = c,
                            .b_depth = stride,
                            .b_column = 1,
                            .c = first,
                            .c_row = columns,
                            .rows = count_,
                            .columns = columns,
                            .depth = rows_,
                            .add = true}));
  AXLE_TRY(blocked_.Update({.a = t_,
                            .a_row = adjoint ? kSize : 1,
                            .a_depth = adjoint ? 1 : kSize,
                            .b = first,
                            .b_depth = columns,
                            .b_column = 1,
                            .c = second,
                            .c_row = columns,
                            .rows = count_,
                            .columns = columns,
                            .depth = count_,
                            .add = true}));
  return blocked_.Update({.a = v_.get(),
                          .a_row = 1,
                          .a_depth = height_,
                          .b = second,
                          .b_depth = columns,
                          .b_column = 1,
                          .c = c,
                          .c_row = stride,
                          .rows = rows_,
                          .columns = columns,
                          .depth = count_});
}

template <typename T>
Status ReflectorBlock<T>::ApplyRight(bool adjoint, T* c, i64 stride, i64 rows) {
  if (rows == 0) return {};
  constexpr i64 kSize = kReflectorBlock;
  T *const first = work_.get(), *const second = first + count_ * rows;
  std::fill_n(first, 2 * count_ * rows, T(0));
  AXLE_TRY(blocked_.Update({.a = c,
                            .a_row = stride,
                            .a_depth = 1,
                            .b = v_.get(),
                            .b_depth = 1,
                            .b_column = height_,
                            .c = first,
                            .c_row = count_,
                            .rows = rows,
                            .columns = count_,
                            .depth = rows_,
                            .add = true}));
  AXLE_TRY(blocked_.Update({.a = first,
                            .a_row = count_,
                            .a_depth = 1,
                            .b = t_,
                            .b_depth = adjoint ? kSize : 1,
                            .b_column = adjoint ? 1 : kSize,
                            .c = second,
                            .c_row = count_,
                            .rows = rows,
                            .columns = count_,
                            .depth = count_,
                            .add = true}));
  return blocked_.Update({.a = second,
                          .a_row = count_,
                          .a_depth = 1,
                          .b = v_.get(),
                          .b_depth = height_,
                          .b_column = 1,
                          .c = c,
                          .c_row = stride,
                          .rows = rows,
                          .columns = rows_,
                          .depth = count_});
}

template <typename T>
Status BlockedQr(const BlockKernels<T>& kernels, T* a, i64 stride, i64 rows, i64 columns, T* taus,
                 Limits* limits) {
  const i64 rank = std::min(rows, columns);
  ReflectorBlock<T> block(kernels, rows, columns, limits);
  for (i64 k = 0; k < rank; k += kReflectorBlock) {
    AXLE_TRY(limits == nullptr ? Status() : limits->Check());
    const i64 count = std::min(kReflectorBlock, rank - k), rest = columns - k - count;
    T* const corner = a + k * stride + k;
    block.Factor(corner, stride, rows - k, count, taus + k);
    if (rest == 0) continue;
    block.Load(corner, stride, rows - k, count, taus + k);
    AXLE_TRY(block.ApplyLeft(/*adjoint=*/true, corner + count, stride, rest));
  }
  return {};
}

template <typename T>
Status BlockedMultiplyByQ(const BlockKernels<T>& kernels, const T* a, i64 stride, i64 rows,
                          const T* taus, i64 count, bool left, bool adjoint, T* c, i64 c_stride,
                          i64 c_rows, i64 c_columns, Limits* limits) {
  if (count == 0) return {};
  ReflectorBlock<T> block(kernels, rows, left ? c_columns : c_rows, limits);
  const i64 blocks = (count + kReflectorBlock - 1) / kReflectorBlock;
  for (i64 step = 0; step < blocks; ++step) {
    const i64 k = (left == adjoint ? step : blocks - 1 - step) * kReflectorBlock;
    block.Load(a + k * stride + k, stride, rows - k, std::min(kReflectorBlock, count - k),
               taus + k);
    AXLE_TRY(left ? block.ApplyLeft(adjoint, c + k * c_stride, c_stride, c_columns)
                  : block.ApplyRight(adjoint, c + k, c_stride, c_rows));
  }
  return {};
}

template <typename T>
Status BlockedFormQ(const BlockKernels<T>& kernels, const T* a, i64 stride, i64 rows, const T* taus,
                    i64 count, T* q, i64 q_stride, i64 q_columns, Limits* limits) {
  for (i64 i = 0; i < rows; ++i) {
    std::fill_n(q + i * q_stride, q_columns, T(0));
    if (i < q_columns) q[i * q_stride + i] = 1;
  }
  if (count == 0) return {};
  ReflectorBlock<T> block(kernels, rows, q_columns, limits);
  for (i64 k = (count - 1) / kReflectorBlock * kReflectorBlock; k >= 0; k -= kReflectorBlock) {
    block.Load(a + k * stride + k, stride, rows - k, std::min(kReflectorBlock, count - k),
               taus + k);
    AXLE_TRY(block.ApplyLeft(/*adjoint=*/false, q + k * q_stride + k, q_stride, q_columns - k));
  }
  return {};
}

#define INSTANTIATE(T)                                                                             \
  template T MakeReflection(const BlockKernels<T>&, T*, i64);                                      \
  template class ReflectorBlock<T>;                                                                \
  template Status BlockedQr(const BlockKernels<T>&, T*, i64, i64, i64, T*, Limits*);               \
  template Status BlockedMultiplyByQ(const BlockKernels<T>&, const T*, i64, i64, const T*, i64,    \
                                     bool, bool, T*, i64, i64, i64, Limits*);                      \
  template Status BlockedFormQ(const BlockKernels<T>&, const T*, i64, i64, const T*, i64, T*, i64, \
                               i64, Limits*);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace axle
