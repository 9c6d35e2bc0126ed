// Householder reflections of row-major matrices, and the factorisations built on them: QR with and
// without pivoting, products with Q. Conventions of results are LAPACK's. QR without pivoting and
// products with Q work by blocks for real matrices (blocked_qr.h), else column by column.
#pragma once
#include "axle/linalg/blocked_qr.h"
#include "axle/linalg/norms.h"

namespace axle {

// One Householder reflection H = I - tau v v^H with v[0] = 1 and H^H x = (beta, 0, ...), beta real,
// for the column x = a[row.., column]: beta replaces its first element, v[1..] the others. A column
// that is zero below its real first element has tau = 0.
template <typename T>
T MakeReflector(const Matrix<T>& a, i64 row, i64 column) {
  using P = PartType<T>;
  const P rest = ColumnNorm(a, row + 1, column);
  if (rest == 0 && ImaginaryPart(a(row, column)) == 0) return T();
  P norm = ColumnNorm(a, row, column), lower = 1;
  constexpr P kEpsilon = std::numeric_limits<P>::epsilon();
  if (norm < std::numeric_limits<P>::min() / kEpsilon) {
    // Among subnormal numbers the reflection would not be unitary.
    lower = kEpsilon * kEpsilon;
    for (i64 i = row; i < a.rows; ++i) a(i, column) = DivideByReal(a(i, column), lower);
    norm = ColumnNorm(a, row, column);
  }
  const T alpha = a(row, column);
  const P beta = RealPart(alpha) < 0 ? norm : -norm;
  const T tau = DivideByReal(T(beta) - alpha, beta);
  for (i64 i = row + 1; i < a.rows; ++i) {
    a(i, column) = Quotient(a(i, column), alpha - T(beta));
  }
  a(row, column) = beta * lower;
  return tau;
}

// b = (I - tau v v^H) b for the rows of b from `row` on, with v[0] = 1 at `row` and the others
// below (row, column) of a. sum = v^H b is a chain down the rows, from b[row].
template <typename T>
void ApplyReflector(const Matrix<T>& a, i64 row, i64 column, T tau, const Matrix<T>& b,
                    i64 first_column, std::vector<T>& sum) {
  if (tau == T()) return;
  const i64 n = b.columns - first_column;
  sum.assign(b.row(row) + first_column, b.row(row) + b.columns);
  for (i64 i = row + 1; i < b.rows; ++i) {
    SubtractScaled(-Conjugate(a(i, column)), b.row(i) + first_column, sum.data(), n);
  }
  for (T& x : sum) x = Multiply(tau, x);
  for (i64 j = 0; j < n; ++j) b(row, first_column + j) -= sum[j];
  for (i64 i = row + 1; i < b.rows; ++i) {
    SubtractScaled(a(i, column), sum.data(), b.row(i) + first_column, n);
  }
}

// v of the reflector that lies in a below (row, column).
template <typename T>
void CopyReflector(const Matrix<T>& a, i64 row, i64 column, std::vector<T>& v) {
  v.assign(1, T(1));
  for (i64 i = row + 1; i < a.rows; ++i) v.push_back(a(i, column));
}

// b = b (I - tau v v^H) for the columns of b from `column` on, as many as v has. For each row, b v
// is a chain from b[column].
template <typename T>
void ApplyReflectorRight(const std::vector<T>& v, T tau, const Matrix<T>& b, i64 column) {
  if (tau == T()) return;
  constexpr i64 kRows = 8;  // chains at once, to hide the latency of fma
  const i64 n = static_cast<i64>(v.size());
  for (i64 begin = 0; begin < b.rows; begin += kRows) {
    const i64 rows = std::min(kRows, b.rows - begin);
    T sums[kRows] = {};
    for (i64 r = 0; r < rows; ++r) sums[r] = b(begin + r, column);
    for (i64 j = 1; j < n; ++j) {
      for (i64 r = 0; r < rows; ++r) {
        sums[r] = MultiplyAdd(v[j], b(begin + r, column + j), sums[r]);
      }
    }
    for (i64 r = 0; r < rows; ++r) {
      const T sum = Multiply(tau, sums[r]);
      T* x = b.row(begin + r) + column;
      x[0] -= sum;
      for (i64 j = 1; j < n; ++j) x[j] = MultiplySubtract(sum, Conjugate(v[j]), x[j]);
    }
  }
}

// Elements of memory that QrFactor and products with Q need for reflectors with so many rows and
// another side of so many.
template <typename T>
i64 QrScratch(i64 rows, i64 others) {
  return kIsComplexScalar<T> ? std::max(rows, others) : ReflectorScratch(rows, others);
}

// a = Q R, packed as LAPACK does: R on and above the diagonal, the reflectors' v[1..] below it.
// Q = H[0] H[1] ...; taus has min(rows, columns) elements.
template <typename T>
Status QrFactor(const Matrix<T>& a, T* taus, Limits* limits) {
  if constexpr (!kIsComplexScalar<T>) {
    return BlockedQr(HostBlockKernels<T>(), a.data, a.stride, a.rows, a.columns, taus, limits);
  } else {
    std::vector<T> sum;
    for (i64 k = 0; k < std::min(a.rows, a.columns); ++k) {
      AXLE_TRY(CheckLimits(limits));
      taus[k] = MakeReflector(a, k, k);
      ApplyReflector(a, k, k, Conjugate(taus[k]), a, k + 1, sum);
    }
    return {};
  }
}

// c = Q c, Q^H c (left), c Q or c Q^H, for the Q = H[0] ... H[count - 1] that QrFactor left in a.
template <typename T>
Status MultiplyByQ(const Matrix<T>& a, const T* taus, i64 count, bool left, bool adjoint,
                   const Matrix<T>& c, Limits* limits) {
  if constexpr (!kIsComplexScalar<T>) {
    return BlockedMultiplyByQ(HostBlockKernels<T>(), a.data, a.stride, a.rows, taus, count, left,
                              adjoint, c.data, c.stride, c.rows, c.columns, limits);
  } else {
    std::vector<T> memory;
    for (i64 step = 0; step < count; ++step) {
      AXLE_TRY(CheckLimits(limits));
      const i64 k = left == adjoint ? step : count - 1 - step;
      const T tau = adjoint ? Conjugate(taus[k]) : taus[k];
      if (left) {
        ApplyReflector(a, k, k, tau, c, 0, memory);
      } else {
        CopyReflector(a, k, k, memory);
        ApplyReflectorRight(memory, tau, c, k);
      }
    }
    return {};
  }
}

template <typename T>
void SetIdentity(const Matrix<T>& a) {
  for (i64 i = 0; i < a.rows; ++i) {
    std::fill_n(a.row(i), a.columns, T());
    if (i < a.columns) a(i, i) = T(1);
  }
}

// q = Q q.
template <typename T>
Status ApplyQ(const Matrix<T>& a, const T* taus, i64 count, const Matrix<T>& q, Limits* limits) {
  return MultiplyByQ(a, taus, count, /*left=*/true, /*adjoint=*/false, q, limits);
}

// q becomes the first columns of Q.
template <typename T>
Status FormQ(const Matrix<T>& a, const T* taus, i64 count, const Matrix<T>& q, Limits* limits) {
  if constexpr (!kIsComplexScalar<T>) {
    return BlockedFormQ(HostBlockKernels<T>(), a.data, a.stride, a.rows, taus, count, q.data,
                        q.stride, q.columns, limits);
  } else {
    SetIdentity(q);
    return ApplyQ(a, taus, count, q, limits);
  }
}

template <typename T>
void SwapColumns(const Matrix<T>& a, i64 i, i64 j) {
  if (i == j) return;
  for (i64 row = 0; row < a.rows; ++row) std::swap(a(row, i), a(row, j));
}

// Moves the columns with a non-zero `order`, as they come, to the front and makes `order` the
// positions, from 1, that the columns had. Returns how many were moved.
template <typename T, typename Position>
i64 MoveChosenColumns(const Matrix<T>& a, Position* order) {
  i64 chosen = 0;
  for (i64 j = 0; j < a.columns; ++j) {
    const bool is_chosen = order[j] != 0;
    order[j] = static_cast<Position>(j + 1);
    if (!is_chosen) continue;
    SwapColumns(a, j, chosen);
    std::swap(order[j], order[chosen++]);
  }
  return chosen;
}

// The norms of the columns of a from row `row` on, as the elimination goes down.
template <typename P>
struct ColumnNorms {
  std::vector<P> now, exact;  // updated step by step; as last computed

  // Removes the element in row `row` from the norm of column j, or recomputes the norm if
  // cancellation since the last time is too large.
  template <typename T>
  void Reduce(const Matrix<T>& a, i64 row, i64 j) {
    if (now[j] == 0) return;
    const P part = AbsoluteValue(a(row, j)) / now[j], ratio = now[j] / exact[j];
    const P left = std::max(FusedMultiplyAdd(-part, part, P(1)), P(0));
    if (left * (ratio * ratio) <= SquareRoot(std::numeric_limits<P>::epsilon())) {
      now[j] = exact[j] = ColumnNorm(a, row + 1, j);
    } else {
      now[j] *= SquareRoot(left);
    }
  }
};

// a P = Q R: as QrFactor, but each step takes the column whose rest has the largest norm, the first
// of equals; those with a non-zero `order` come before all others. order[j] becomes the position,
// from 1, in a of column j of the product.
template <typename T, typename Position>
Status PivotedQrFactor(const Matrix<T>& a, Position* order, T* taus, Limits* limits) {
  using P = PartType<T>;
  const i64 chosen = MoveChosenColumns(a, order);
  ColumnNorms<P> norms{std::vector<P>(a.columns), {}};
  std::vector<T> sum;
  for (i64 k = 0; k < std::min(a.rows, a.columns); ++k) {
    AXLE_TRY(CheckLimits(limits));
    if (k == chosen) {
      for (i64 j = k; j < a.columns; ++j) norms.now[j] = ColumnNorm(a, k, j);
      norms.exact = norms.now;
    }
    if (k >= chosen) {
      const i64 pivot =
          std::max_element(norms.now.begin() + k, norms.now.end()) - norms.now.begin();
      SwapColumns(a, k, pivot);
      std::swap(order[k], order[pivot]);
      norms.now[pivot] = norms.now[k];
      norms.exact[pivot] = norms.exact[k];
    }
    taus[k] = MakeReflector(a, k, k);
    ApplyReflector(a, k, k, Conjugate(taus[k]), a, k + 1, sum);
    if (k < chosen) continue;
    for (i64 j = k + 1; j < a.columns; ++j) norms.Reduce(a, k, j);
  }
  return {};
}

}  // namespace axle
