// Dense linear algebra on row-major matrices of f32, f64, c64 and c128: one fixed algorithm each
// (docs/numerics.md N10), shared by cholesky, triangular-solve and the custom calls that JAX makes
// for its factorisations. Nothing here calls libm; loops run along rows, so that they vectorise.
//
// Every sum is a chain: it starts from the element it is subtracted from (or from +0) and takes its
// products one after the other by fma, in the order that the function states. A faster version may
// block and reorder the loops, as long as every element keeps its chain: that is what blocked.h
// does for real matrices. The loops here serve complex ones, and are what the tests of blocked.h
// compare with.
#pragma once
#include <algorithm>
#include <type_traits>
#include <vector>

#include "axle/linalg/blocked.h"
#include "axle/linalg/scalar.h"

namespace axle {

// A view of a row-major matrix; does not own the memory.
template <typename T>
struct Matrix {
  T* data = nullptr;
  i64 rows = 0;
  i64 columns = 0;
  i64 stride = 0;  // elements from row to row

  Matrix(T* data, i64 rows, i64 columns) : Matrix(data, rows, columns, columns) {}
  Matrix(T* data, i64 rows, i64 columns, i64 stride)
      : data(data), rows(rows), columns(columns), stride(stride) {}
  T* row(i64 i) const { return data + i * stride; }
  T& operator()(i64 i, i64 j) const { return data[i * stride + j]; }
};

inline Status CheckLimits(Limits* limits) {
  return limits == nullptr ? Status() : limits->Check();
}

// y[j] -= a x[j] for j = 0 .. n - 1.
template <typename T>
void SubtractScaled(T a, const T* x, T* y, i64 n) {
  for (i64 j = 0; j < n; ++j) y[j] = MultiplySubtract(a, x[j], y[j]);
}

// The square matrix becomes its adjoint: transposed, and conjugated if complex.
template <typename T>
void Adjoint(const Matrix<T>& a) {
  for (i64 i = 0; i < a.rows; ++i) {
    a(i, i) = Conjugate(a(i, i));
    for (i64 j = 0; j < i; ++j) {
      const T upper = a(j, i);
      a(j, i) = Conjugate(a(i, j));
      a(i, j) = Conjugate(upper);
    }
  }
}

// The elements strictly above (below) the diagonal become zero.
template <typename T>
void ClearTriangle(const Matrix<T>& a, bool above) {
  for (i64 i = 0; i < a.rows; ++i) {
    const i64 begin = above ? std::min(i + 1, a.columns) : 0;
    const i64 end = above ? a.columns : std::min(i, a.columns);
    std::fill(a.row(i) + begin, a.row(i) + end, T());
  }
}

// Factors the Hermitian matrix whose lower triangle a holds as L L^H; L replaces that triangle, and
// the one above the diagonal is neither read nor written. For j = 0, 1, ...:
//   L[j][j] = sqrt(Re a[j][j] - sum over k < j of |L[j][k]|^2),
//   L[i][j] = (a[i][j] - sum over k < j of L[i][k] conj(L[j][k])) / L[j][j]  for i > j.
// `failed` is set to the first j whose square root is NaN, where it stops, or to -1. Elements that
// are not final then have no defined value.
template <typename T>
Status PlainCholeskyLower(const Matrix<T>& a, Limits* limits, i64& failed) {
  failed = -1;
  const i64 n = a.rows;
  std::vector<T> column(n);
  for (i64 k = 0; k < n; ++k) {
    AXLE_TRY(CheckLimits(limits));
    const PartType<T> pivot = SquareRoot(RealPart(a(k, k)));
    a(k, k) = pivot;
    if (pivot != pivot) {
      failed = k;
      return {};
    }
    for (i64 i = k + 1; i < n; ++i) {
      a(i, k) = DivideByReal(a(i, k), pivot);
      column[i] = Conjugate(a(i, k));
      SubtractScaled(a(i, k), column.data() + k + 1, a.row(i) + k + 1, i - k);
    }
  }
  return {};
}
template <typename T>
Status CholeskyLower(const Matrix<T>& a, Limits* limits, i64& failed) {
  if constexpr (!kIsComplexScalar<T>) {
    return Blocked<T>(HostBlockKernels<T>(), {a.rows, a.rows, a.rows}, limits)
        .Cholesky(a.data, a.stride, a.rows, failed);
  } else {
    return PlainCholeskyLower(a, limits, failed);
  }
}

// Solves t x = b for the triangular t, in place of b: for i = 0, 1, ... if t is lower triangular,
// else for i = n - 1, n - 2, ...: x[i] = (b[i] - sum over the solved k of t[i][k] x[k]) / t[i][i],
// k in the order in which they were solved. No division if the diagonal counts as 1.
template <typename T>
Status SolveLeft(const Matrix<T>& t, bool lower, bool unit_diagonal, const Matrix<T>& b,
                 Limits* limits) {
  const i64 n = t.rows;
  for (i64 step = 0; step < n; ++step) {
    AXLE_TRY(CheckLimits(limits));
    const i64 k = lower ? step : n - 1 - step;
    T* x = b.row(k);
    if (!unit_diagonal) {
      const T pivot = t(k, k);
      for (i64 j = 0; j < b.columns; ++j) x[j] = Quotient(x[j], pivot);
    }
    for (i64 rest = step + 1; rest < n; ++rest) {
      const i64 i = lower ? rest : n - 1 - rest;
      SubtractScaled(t(i, k), x, b.row(i), b.columns);
    }
  }
  return {};
}

// Solves x t = b likewise; the unknowns of a row are solved from the last to the first if t is
// lower triangular.
template <typename T>
Status SolveRight(const Matrix<T>& t, bool lower, bool unit_diagonal, const Matrix<T>& b,
                  Limits* limits) {
  const i64 n = t.rows;
  for (i64 row = 0; row < b.rows; ++row) {
    AXLE_TRY(CheckLimits(limits));
    T* x = b.row(row);
    for (i64 step = 0; step < n; ++step) {
      const i64 k = lower ? n - 1 - step : step;
      if (!unit_diagonal) x[k] = Quotient(x[k], t(k, k));
      const T value = x[k];
      const T* factors = t.row(k);
      const i64 begin = lower ? 0 : k + 1, end = lower ? k : n;
      for (i64 j = begin; j < end; ++j) x[j] = MultiplySubtract(factors[j], value, x[j]);
    }
  }
  return {};
}

// Elements of memory that a factorisation of rows x columns, or the solution of so many right
// sides, needs beside its arguments; a solution of complex ones also copies the triangle.
template <typename T>
i64 FactorScratch(i64 rows, i64 columns) {
  return kIsComplexScalar<T> ? rows : BlockedScratch({rows, columns, std::min(rows, columns)});
}
template <typename T>
i64 SolveScratch(i64 n, i64 rows, i64 columns) {
  return kIsComplexScalar<T> ? n * n : BlockedScratch({rows, columns, n});
}

enum class MatrixForm : std::uint8_t { kAsIs, kTranspose, kAdjoint };

// Solves op(a) x = b (left) or x op(a) = b in place of b, where op is `form` and `lower` says which
// triangle of the square a counts. `copy` is memory for op(a).
template <typename T>
Status PlainSolveTriangular(const T* a, MatrixForm form, bool left, bool lower, bool unit_diagonal,
                            const Matrix<T>& b, std::vector<T>& copy, Limits* limits) {
  const i64 n = left ? b.rows : b.columns;
  copy.assign(a, a + n * n);
  const Matrix<T> t(copy.data(), n, n);
  if (form != MatrixForm::kAsIs) Adjoint(t);
  if (form == MatrixForm::kTranspose) std::ranges::transform(copy, copy.begin(), Conjugate<T>);
  const bool is_lower = lower == (form == MatrixForm::kAsIs);
  return left ? SolveLeft(t, is_lower, unit_diagonal, b, limits)
              : SolveRight(t, is_lower, unit_diagonal, b, limits);
}
template <typename T>
Status SolveTriangular(const T* a, MatrixForm form, bool left, bool lower, bool unit_diagonal,
                       const Matrix<T>& b, std::vector<T>& copy, Limits* limits) {
  if constexpr (!kIsComplexScalar<T>) {
    // x op(a) = b is op(a)^T x^T = b^T.
    const i64 n = left ? b.rows : b.columns;
    const bool transposed = (form == MatrixForm::kAsIs) != left;
    const StridedMatrix<const T> t{a, transposed ? 1 : n, transposed ? n : 1};
    const StridedMatrix<T> x{b.data, left ? b.stride : 1, left ? 1 : b.stride};
    return Blocked<T>(HostBlockKernels<T>(), {b.rows, b.columns, n}, limits)
        .Solve(t, lower != transposed, unit_diagonal, n, x, left ? b.columns : b.rows);
  } else {
    return PlainSolveTriangular(a, form, left, lower, unit_diagonal, b, copy, limits);
  }
}

}  // namespace axle
