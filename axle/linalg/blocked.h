// Blocked algorithms for matrices of f32 and f64, on the kernels of block_kernels.h: the same
// chains as the plain loops of linear_algebra.h and factorization.h, and so the same bits, in
// another order of work.
#pragma once
#include <memory>

#include "axle/core/limits.h"
#include "axle/linalg/block_kernels.h"

namespace axle {

// A matrix with any distances between its rows and columns.
template <typename T>
struct StridedMatrix {
  T* data;
  i64 row, column;

  T* at(i64 i, i64 j) const { return data + i * row + j * column; }
  StridedMatrix from(i64 i, i64 j) const { return {at(i, j), row, column}; }
};

// The largest product that an algorithm makes: for a factorisation the size of the matrix and its
// rank, for a solution that of the right sides and of the triangle.
struct ProductSize {
  i64 rows, columns, depth;
};
// Elements of memory that an algorithm needs beside its arguments.
i64 BlockedScratch(ProductSize size);

template <typename T>
class Blocked {
 public:
  Blocked(const BlockKernels<T>& kernels, ProductSize size, Limits* limits);

  // c -= a b, or c += a b.
  Status Update(ProductUpdate<T> update);
  // As CholeskyLower.
  Status Cholesky(T* a, i64 stride, i64 n, i64& failed);
  // t x = b in place of b; the unknowns are found from the first to the last if t is lower
  // triangular, else from the last. Rows or columns of b must be contiguous.
  Status Solve(StridedMatrix<const T> t, bool lower, bool unit_diagonal, i64 n, StridedMatrix<T> b,
               i64 columns);
  // As LuFactor.
  Status Lu(T* a, i64 stride, i64 rows, i64 columns, i64* pivots, i64& failed);

 private:
  Status SolveLower(StridedMatrix<const T> t, bool unit_diagonal, i64 n, StridedMatrix<T> b,
                    i64 columns);

  // Memory of BlockedScratch elements, which small matrices never ask for.
  T* Scratch();

  const BlockKernels<T>& kernels_;
  ProductSize size_;
  Limits* limits_;
  std::unique_ptr<T[]> scratch_;
};

}  // namespace axle
