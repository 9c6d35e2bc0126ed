// Preparation of the eigenvalue iteration for a general matrix: balancing, and the reduction to
// upper Hessenberg form by Householder reflections. Results are packed as LAPACK's gebal and gehrd
// do, except that positions count from 0 and ranges end before `high`.
#pragma once
#include "axle/linalg/householder.h"

namespace axle {

// What Balance did: a' = D^-1 P^T a P D. Eigenvalues outside of [low, high) stand on the diagonal.
template <typename P>
struct Balancing {
  i64 low = 0, high = 0;
  std::vector<P> scale;        // D, powers of two; 1 outside of [low, high)
  std::vector<i64> exchanged;  // outside of it: the row and column that this one was swapped with

  // vectors = P D vectors for right eigenvectors, P D^-1 vectors for left ones.
  template <typename T>
  void Undo(const Matrix<T>& vectors, bool right) const {
    for (i64 i = low; i < high; ++i) {
      T* row = vectors.row(i);
      for (i64 j = 0; j < vectors.columns; ++j) {
        row[j] = right ? Scale(row[j], scale[i]) : DivideByReal(row[j], scale[i]);
      }
    }
    const auto swap = [&](i64 i) {
      if (exchanged[i] == i) return;
      std::swap_ranges(vectors.row(i), vectors.row(i) + vectors.columns, vectors.row(exchanged[i]));
    };
    for (i64 i = low - 1; i >= 0; --i) swap(i);
    for (i64 i = high; i < vectors.rows; ++i) swap(i);
  }
};

// Whether row (or column) i is zero apart from the diagonal, among the positions [low, high).
template <typename T>
bool IsIsolated(const Matrix<T>& a, bool row, i64 i, i64 low, i64 high) {
  for (i64 j = low; j < high; ++j) {
    if (j != i && (row ? a(i, j) : a(j, i)) != T()) return false;
  }
  return true;
}

// Brings rows that are zero beside the diagonal to the end and such columns to the beginning.
template <typename T>
Status IsolateEigenvalues(const Matrix<T>& a, Balancing<PartType<T>>& balancing, Limits* limits) {
  i64 &low = balancing.low, &high = balancing.high;
  const auto exchange = [&](i64 i, i64 to) {
    balancing.exchanged[to] = i;
    if (i == to) return;
    SwapColumns(a, i, to);
    std::swap_ranges(a.row(i), a.row(i) + a.columns, a.row(to));
  };
  for (i64 i = high - 1; i >= low; --i) {
    AXLE_TRY(CheckLimits(limits));
    if (!IsIsolated(a, /*row=*/true, i, low, high)) continue;
    exchange(i, --high);
    i = high;  // once more, from the new end
  }
  for (i64 i = low; i < high; ++i) {
    AXLE_TRY(CheckLimits(limits));
    if (!IsIsolated(a, /*row=*/false, i, low, high)) continue;
    exchange(i, low++);
    i = low - 1;
  }
  return {};
}

// Multiplies columns by powers of two, and divides the rows by the same, until the norms of row and
// column i are within a factor of about two of each other, for all i in [low, high).
template <typename T>
Status EqualiseNorms(const Matrix<T>& a, Balancing<PartType<T>>& balancing, Limits* limits) {
  using P = PartType<T>;
  const P smallest = std::numeric_limits<P>::min() / std::numeric_limits<P>::epsilon();
  const P largest = 1 / smallest;
  const i64 low = balancing.low, high = balancing.high;
  bool changed = true;
  for (int rounds = 0; changed && rounds < 100; ++rounds) {
    changed = false;
    for (i64 i = low; i < high; ++i) {
      AXLE_TRY(CheckLimits(limits));
      P column = 0, row = 0;
      for (i64 j = low; j < high; ++j) {
        column += LargestPart(a(j, i));
        row += LargestPart(a(i, j));
      }
      if (column == 0 || row == 0) continue;
      const P sum = column + row;
      P factor = 1;
      while (column < row / 2 && factor < largest && row > smallest) {
        factor *= 2, column *= 2, row /= 2;
      }
      while (column / 2 >= row && factor > smallest && column > smallest) {
        factor /= 2, column /= 2, row *= 2;
      }
      const P scale = balancing.scale[i] * factor;
      // The norms improve by less than 5 %, or the scale is out of range.
      if (column + row >= P(0.95) * sum || !(scale > smallest && scale < largest)) continue;
      balancing.scale[i] = scale;
      changed = true;
      for (i64 j = low; j < a.columns; ++j) a(i, j) = DivideByReal(a(i, j), factor);
      for (i64 j = 0; j < high; ++j) a(j, i) = Scale(a(j, i), factor);
    }
  }
  return {};
}

// Makes the eigenvalues of a easier to find. Without `scale` it only permutes, which keeps a
// unitary similarity unitary.
template <typename T>
StatusOr<Balancing<PartType<T>>> Balance(const Matrix<T>& a, bool scale, Limits* limits) {
  Balancing<PartType<T>> balancing;
  balancing.high = a.rows;
  balancing.scale.assign(a.rows, 1);
  balancing.exchanged.assign(a.rows, 0);
  AXLE_TRY(IsolateEigenvalues(a, balancing, limits));
  if (scale) AXLE_TRY(EqualiseNorms(a, balancing, limits));
  return balancing;
}

// H = Q^H a Q is upper Hessenberg, where a is upper triangular outside of [low, high) already.
// H replaces a; below its subdiagonal lie the reflectors of Q = H[low] H[low + 1] ..., that of
// column k from row k + 2 on. taus has rows - 1 elements, zeros outside of [low, high - 1).
template <typename T>
Status ReduceToHessenberg(const Matrix<T>& a, i64 low, i64 high, T* taus, Limits* limits) {
  std::fill_n(taus, std::max<i64>(a.rows - 1, 0), T());
  const Matrix<T> upper(a.data, high, a.columns, a.stride);
  std::vector<T> v, sum;
  for (i64 k = low; k + 1 < high; ++k) {
    AXLE_TRY(CheckLimits(limits));
    taus[k] = MakeReflector(upper, k + 1, k);
    CopyReflector(upper, k + 1, k, v);
    ApplyReflectorRight(v, taus[k], upper, k + 1);
    ApplyReflector(upper, k + 1, k, Conjugate(taus[k]), upper, k + 1, sum);
  }
  return {};
}

// q = Q q for that Q.
template <typename T>
Status ApplyHessenbergQ(const Matrix<T>& a, i64 low, i64 high, const T* taus, const Matrix<T>& q,
                        Limits* limits) {
  const Matrix<T> upper(q.data, high, q.columns, q.stride);
  std::vector<T> sum;
  for (i64 k = high - 2; k >= low; --k) {
    AXLE_TRY(CheckLimits(limits));
    ApplyReflector(a, k + 1, k, taus[k], upper, 0, sum);
  }
  return {};
}

}  // namespace axle
