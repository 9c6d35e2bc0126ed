// Every algorithm halves the matrix until a kernel for small blocks takes it: it does the first
// half, brings the second one up to date by one product, and goes on with it. So nearly all work is
// in products of large matrices, whatever the cache, and an element still takes its products in
// increasing k. The depth of the recursion is the logarithm of the size.
//
// Unknowns that are found from the last to the first are those of the matrix turned by half a turn:
// the same code runs with negative distances.

#include "axle/linalg/blocked.h"

#include <algorithm>

namespace axle {
namespace {

Status Check(Limits* limits) {
  return limits == nullptr ? Status() : limits->Check();
}

// The size of the first half, a multiple of the block.
i64 FirstHalf(i64 n, i64 block) {
  return (n / 2 + block - 1) / block * block;
}

}  // namespace

i64 BlockedScratch(ProductSize size) {
  return std::max(UpdateScratch(size.rows, size.columns, size.depth), LuScratch(size.rows));
}

template <typename T>
Blocked<T>::Blocked(const BlockKernels<T>& kernels, ProductSize size, Limits* limits)
    : kernels_(kernels), size_(size), limits_(limits) {}

template <typename T>
T* Blocked<T>::Scratch() {
  if (scratch_ == nullptr) scratch_.reset(new T[BlockedScratch(size_)]);
  return scratch_.get();
}

template <typename T>
Status Blocked<T>::Update(ProductUpdate<T> update) {
  AXLE_TRY(Check(limits_));
  if (update.a_row < 0 && !update.lower) {
    // From the last row to the first, so that kernels see rows of a in the order of memory.
    update.a += (update.rows - 1) * update.a_row;
    update.c += (update.rows - 1) * update.c_row;
    update.a_row = -update.a_row;
    update.c_row = -update.c_row;
  }
  kernels_.update(update, Scratch());
  return {};
}

template <typename T>
Status Blocked<T>::Cholesky(T* a, i64 stride, i64 n, i64& failed) {
  if (n <= kTriangleBlock) {
    failed = kernels_.cholesky(a, stride, n);
    return Check(limits_);
  }
  const i64 half = FirstHalf(n, kTriangleBlock), rest = n - half;
  AXLE_TRY(Cholesky(a, stride, half, failed));
  if (failed >= 0) return {};
  // L21 L11^T = a21 is L11 L21^T = a21^T.
  T* const below = a + half * stride;
  AXLE_TRY(SolveLower({a, stride, 1}, false, half, {below, 1, stride}, rest));
  AXLE_TRY(Update({.a = below,
                   .a_row = stride,
                   .a_depth = 1,
                   .b = below,
                   .b_depth = 1,
                   .b_column = stride,
                   .c = below + half,
                   .c_row = stride,
                   .rows = rest,
                   .columns = rest,
                   .depth = half,
                   .lower = true}));
  AXLE_TRY(Cholesky(below + half, stride, rest, failed));
  if (failed >= 0) failed += half;
  return {};
}

template <typename T>
Status Blocked<T>::Solve(StridedMatrix<const T> t, bool lower, bool unit_diagonal, i64 n,
                         StridedMatrix<T> b, i64 columns) {
  if (n == 0 || columns == 0) return {};
  if (!lower) {
    t = {t.at(n - 1, n - 1), -t.row, -t.column};
    b = {b.at(n - 1, 0), -b.row, b.column};
  }
  return SolveLower(t, unit_diagonal, n, b, columns);
}

template <typename T>
Status Blocked<T>::SolveLower(StridedMatrix<const T> t, bool unit_diagonal, i64 n,
                              StridedMatrix<T> b, i64 columns) {
  if (n <= kTriangleBlock) {
    kernels_.solve(t.data, t.row, t.column, unit_diagonal, n, b.data, b.row, b.column, columns);
    return Check(limits_);
  }
  const i64 half = FirstHalf(n, kTriangleBlock), rest = n - half;
  AXLE_TRY(SolveLower(t, unit_diagonal, half, b, columns));
  const StridedMatrix<const T> below = t.from(half, 0);
  ProductUpdate<T> update;
  if (b.column == 1) {
    update = {below.data,    below.row, below.column, b.data,  b.row, 1,
              b.at(half, 0), b.row,     rest,         columns, half};
  } else {
    // The transposed product, whose results are contiguous.
    const bool backwards = b.row < 0;
    update = {b.data,
              b.column,
              b.row,
              backwards ? below.at(rest - 1, 0) : below.data,
              below.column,
              backwards ? -below.row : below.row,
              b.at(backwards ? n - 1 : half, 0),
              b.column,
              columns,
              rest,
              half};
  }
  AXLE_TRY(Update(update));
  return SolveLower(t.from(half, half), unit_diagonal, rest, b.from(half, 0), columns);
}

template <typename T>
Status Blocked<T>::Lu(T* a, i64 stride, i64 rows, i64 columns, i64* pivots, i64& failed) {
  const i64 rank = std::min(rows, columns);
  if (columns <= kLuPanel) {
    T few[LuScratch(kLuPanel)];
    failed = kernels_.lu(a, stride, rows, columns, pivots, rows <= kLuPanel ? few : Scratch());
    return Check(limits_);
  }
  const i64 half = rank <= kLuPanel ? rank : FirstHalf(rank, kLuPanel), rest = columns - half;
  const auto exchange = [&](i64 begin, i64 end, i64 first_column, i64 count) {
    for (i64 k = begin; k < end; ++k) {
      if (pivots[k] == k) continue;
      T* const row = a + k * stride + first_column;
      std::swap_ranges(row, row + count, a + pivots[k] * stride + first_column);
    }
  };
  AXLE_TRY(Lu(a, stride, rows, half, pivots, failed));
  exchange(0, half, half, rest);
  T *const right = a + half, *const below = a + half * stride;
  AXLE_TRY(SolveLower({a, stride, 1}, true, half, {right, stride, 1}, rest));
  if (rows == half) return {};
  AXLE_TRY(Update({.a = below,
                   .a_row = stride,
                   .a_depth = 1,
                   .b = right,
                   .b_depth = stride,
                   .b_column = 1,
                   .c = below + half,
                   .c_row = stride,
                   .rows = rows - half,
                   .columns = rest,
                   .depth = half}));
  if (rank == half) return {};
  i64 failed_below = -1;
  AXLE_TRY(Lu(below + half, stride, rows - half, rest, pivots + half, failed_below));
  for (i64 k = half; k < rank; ++k) pivots[k] += half;
  exchange(half, rank, 0, half);
  if (failed < 0 && failed_below >= 0) failed = failed_below + half;
  return {};
}

template class Blocked<float>;
template class Blocked<double>;

}  // namespace axle
