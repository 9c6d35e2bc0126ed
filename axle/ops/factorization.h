// Factorisations of dense row-major matrices, for the custom calls that JAX makes (LAPACK's names):
// LU, QR by Householder reflections, Hermitian eigenvalues and singular values by Jacobi rotations.
// One fixed algorithm each, without libm, on the chains of linear_algebra.h; the conventions of
// results (packed reflectors, pivots, order of values) are LAPACK's.
#pragma once
#include <bit>
#include <cstdint>

#include "axle/ops/linear_algebra.h"

namespace axle {

template <typename P>
P Magnitude(P x) {
  return x < 0 ? -x : x;
}
template <typename P>
P ImaginaryPart(P) {
  return 0;
}
template <typename P>
P ImaginaryPart(std::complex<P> x) {
  return x.imag();
}

// The larger of the magnitudes of the parts; NaN if one is NaN.
template <typename T>
PartType<T> LargestPart(T x) {
  const auto re = Magnitude(RealPart(x)), im = Magnitude(ImaginaryPart(x));
  return re != re ? re : im != im || re < im ? im : re;
}
template <typename T>
PartType<T> LargestPart(const Matrix<T>& a) {
  PartType<T> largest = 0;
  for (i64 i = 0; i < a.rows; ++i) {
    for (i64 j = 0; j < a.columns; ++j) {
      const auto part = LargestPart(a(i, j));
      if (part != part) return part;
      largest = std::max(largest, part);
    }
  }
  return largest;
}

// |x|, without overflow on the way.
template <typename T>
PartType<T> AbsoluteValue(T x) {
  using P = PartType<T>;
  if constexpr (!kIsComplexScalar<T>) return Magnitude(x);
  const P scale = LargestPart(x);
  if (!(scale > 0)) return scale;
  return scale * SquareRoot(AddSquare(DivideByReal(x, scale), P(0)));
}

// The power of two at or below x, for finite x > 0; at least the smallest normal number.
inline float PowerOfTwoBelow(float x) {
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(x) & 0x7f800000u;
  return std::bit_cast<float>(std::max(exponent, 0x00800000u));
}
inline double PowerOfTwoBelow(double x) {
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(x) & 0x7ff0000000000000u;
  return std::bit_cast<double>(std::max<std::uint64_t>(exponent, 0x0010000000000000u));
}

// Column `column` of a from row `row` on: sqrt(sum |x|^2), scaled by its largest part.
template <typename T>
PartType<T> ColumnNorm(const Matrix<T>& a, i64 row, i64 column) {
  using P = PartType<T>;
  P scale = 0;
  for (i64 i = row; i < a.rows; ++i) {
    const P part = LargestPart(a(i, column));
    if (part != part) return part;
    scale = std::max(scale, part);
  }
  if (scale == 0) return 0;
  P sum = 0;
  for (i64 i = row; i < a.rows; ++i) sum = AddSquare(DivideByReal(a(i, column), scale), sum);
  return scale * SquareRoot(sum);
}

// P a = L U with partial pivoting: step k takes the row, from k on, whose element of column k has
// the largest sum of magnitudes of its parts (the first of equals). L is unit lower triangular, U
// upper; both replace a. pivots[k] is the row that was exchanged with row k. The result is the
// first k with a pivot of zero, where nothing is divided, or -1.
template <typename T>
Status LuFactor(const Matrix<T>& a, i64* pivots, Limits* limits, i64& failed) {
  failed = -1;
  const auto size = [](T x) { return Magnitude(RealPart(x)) + Magnitude(ImaginaryPart(x)); };
  for (i64 k = 0; k < std::min(a.rows, a.columns); ++k) {
    AXLE_TRY(CheckLimits(limits));
    i64 pivot = k;
    for (i64 i = k + 1; i < a.rows; ++i) {
      if (size(a(i, k)) > size(a(pivot, k))) pivot = i;
    }
    pivots[k] = pivot;
    if (pivot != k) std::swap_ranges(a.row(k), a.row(k) + a.columns, a.row(pivot));
    if (a(k, k) == T()) {
      if (failed < 0) failed = k;
      continue;
    }
    for (i64 i = k + 1; i < a.rows; ++i) {
      a(i, k) = Quotient(a(i, k), a(k, k));
      SubtractScaled(a(i, k), a.row(k) + k + 1, a.row(i) + k + 1, a.columns - k - 1);
    }
  }
  return {};
}

// One Householder reflection H = I - tau v v^H with v[0] = 1 and H^H x = (beta, 0, ...), beta real,
// for the column x = a[k.., k]: beta replaces its first element, v[1..] the others. A column that
// is zero below its real first element has tau = 0.
template <typename T>
T MakeReflector(const Matrix<T>& a, i64 k) {
  using P = PartType<T>;
  const T alpha = a(k, k);
  const P rest = ColumnNorm(a, k + 1, k);
  if (rest == 0 && ImaginaryPart(alpha) == 0) return T();
  const P norm = ColumnNorm(a, k, k);
  const P beta = RealPart(alpha) < 0 ? norm : -norm;
  const T tau = DivideByReal(T(beta) - alpha, beta);
  for (i64 i = k + 1; i < a.rows; ++i) a(i, k) = Quotient(a(i, k), alpha - T(beta));
  a(k, k) = beta;
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

// a = Q R, packed as LAPACK does: R on and above the diagonal, the reflectors' v[1..] below it.
// Q = H[0] H[1] ...; taus has min(rows, columns) elements.
template <typename T>
Status QrFactor(const Matrix<T>& a, T* taus, Limits* limits) {
  std::vector<T> sum;
  for (i64 k = 0; k < std::min(a.rows, a.columns); ++k) {
    AXLE_TRY(CheckLimits(limits));
    taus[k] = MakeReflector(a, k);
    ApplyReflector(a, k, k, Conjugate(taus[k]), a, k + 1, sum);
  }
  return {};
}

// q = H[0] ... H[count - 1] q, for the reflectors that QrFactor left in a.
template <typename T>
Status ApplyQ(const Matrix<T>& a, const T* taus, i64 count, const Matrix<T>& q, Limits* limits) {
  std::vector<T> sum;
  for (i64 k = count - 1; k >= 0; --k) {
    AXLE_TRY(CheckLimits(limits));
    ApplyReflector(a, k, k, taus[k], q, 0, sum);
  }
  return {};
}

template <typename T>
void SetIdentity(const Matrix<T>& a) {
  for (i64 i = 0; i < a.rows; ++i) {
    std::fill_n(a.row(i), a.columns, T());
    if (i < a.columns) a(i, i) = T(1);
  }
}

// The rotation that makes two vectors x, y with x^H y = gamma, |x|^2 = alpha, |y|^2 = beta
// orthogonal: x' = c x - s (phase y), y' = s x + c (phase y).
template <typename T>
struct Rotation {
  using P = PartType<T>;
  P c, s, t;
  T phase;  // conj(gamma) / |gamma|

  Rotation(P alpha, P beta, T gamma, P size) : phase(DivideByReal(Conjugate(gamma), size)) {
    const P ratio = (beta - alpha) / (size + size), magnitude = Magnitude(ratio);
    // sqrt(1 + ratio^2) must not overflow; beyond, the 1 does not count.
    const P root =
        magnitude > P(1e15) ? magnitude : SquareRoot(FusedMultiplyAdd(ratio, ratio, P(1)));
    t = P(1) / (magnitude + root);
    if (ratio < 0) t = -t;
    c = P(1) / SquareRoot(FusedMultiplyAdd(t, t, P(1)));
    s = c * t;
  }
  // With `turn` for the phase: rows may need its conjugate.
  void Apply(T* x, T* y, i64 n, T turn) const {
    for (i64 i = 0; i < n; ++i) {
      const T turned = Multiply(turn, y[i]), old = x[i];
      x[i] = Scale(old, c) - Scale(turned, s);
      y[i] = Scale(old, s) + Scale(turned, c);
    }
  }
};

inline constexpr int kMaxJacobiSweeps = 64;

// Eigenvalues, in increasing order, and eigenvectors of the Hermitian a, which is full; a is used
// up. vectors: row i is the eigenvector of value i. Cyclic Jacobi: every sweep goes through all p <
// q row by row and rotates where |a[p][q]| is above eps / (16 n) of the Frobenius norm; done when a
// sweep finds none. The matrix is scaled by a power of two first. `converged` is false after
// kMaxJacobiSweeps. Of a matrix with NaN or infinities everything is NaN.
template <typename T>
Status HermitianEigen(const Matrix<T>& a, PartType<T>* values, const Matrix<T>& vectors,
                      Limits* limits, bool& converged);

// Singular values, in decreasing order, and vectors of a square matrix: b = U diag(values) V^H.
// columns: row i is column i of b on entry, and of U on return; v: row i is column i of V.
// One-sided Jacobi: rotates pairs of columns until |x^H y| <= eps |x| |y| for all of them. Columns
// of U of singular values that are zero (or not above eps / 16 of the largest) are completed to an
// orthonormal basis from the unit vectors.
template <typename T>
Status JacobiSvd(const Matrix<T>& columns, PartType<T>* values, const Matrix<T>& v, Limits* limits,
                 bool& converged);

// Singular values and vectors of any matrix a, rows >= columns = n: a = U[:, :n] diag(values) V^H.
// u has as many rows and any number of columns from n to rows; v^H has n rows. Uses a up: first a =
// Q R, then JacobiSvd of R.
template <typename T>
Status TallSvd(const Matrix<T>& a, PartType<T>* values, const Matrix<T>& u, const Matrix<T>& vh,
               Limits* limits, bool& converged);

}  // namespace axle
