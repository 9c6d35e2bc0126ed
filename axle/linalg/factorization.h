// Factorisations of dense row-major matrices, for the custom calls that JAX makes (LAPACK's names):
// LU, Hermitian eigenvalues, singular values.
// One fixed algorithm each, without libm, on the chains of linear_algebra.h; the conventions of
// results (packed reflectors, pivots, order of values) are LAPACK's.
#pragma once
#include "axle/linalg/bidiagonal.h"
#include "axle/linalg/householder.h"

namespace axle {

// P a = L U with partial pivoting: step k takes the row, from k on, whose element of column k has
// the largest sum of magnitudes of its parts (the first of equals). L is unit lower triangular, U
// upper; both replace a. pivots[k] is the row that was exchanged with row k. The result is the
// first k with a pivot of zero, or -1. Where the pivot is zero nothing is divided, and the elements
// below it are the factors as they are.
template <typename T>
Status PlainLuFactor(const Matrix<T>& a, i64* pivots, Limits* limits, i64& failed) {
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
    const bool is_zero = a(k, k) == T();
    if (is_zero && failed < 0) failed = k;
    for (i64 i = k + 1; i < a.rows; ++i) {
      if (!is_zero) a(i, k) = Quotient(a(i, k), a(k, k));
      SubtractScaled(a(i, k), a.row(k) + k + 1, a.row(i) + k + 1, a.columns - k - 1);
    }
  }
  return {};
}
template <typename T>
Status LuFactor(const Matrix<T>& a, i64* pivots, Limits* limits, i64& failed) {
  if constexpr (!kIsComplexScalar<T>) {
    return Blocked<T>(HostBlockKernels<T>(), {a.rows, a.columns, std::min(a.rows, a.columns)},
                      limits)
        .Lu(a.data, a.stride, a.rows, a.columns, pivots, failed);
  } else {
    return PlainLuFactor(a, pivots, limits, failed);
  }
}

// The rotation that makes two vectors x, y with x^H y = gamma, |x|^2 = alpha, |y|^2 = beta
// orthogonal: x' = c x - s (phase y), y' = s x + c (phase y).
template <typename T>
struct Rotation {
  using P = PartType<T>;
  P c, s, t;
  T phase;  // conj(gamma) / |gamma|

  Rotation(P alpha, P beta, T gamma, P size) : phase(UnitPhase(Conjugate(gamma))) {
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

// Eigenvalues, in increasing order, and eigenvectors of the Hermitian a, of which the lower
// triangle counts; a is used up. vectors: row i is the eigenvector of value i; it may be without
// memory. The matrix is divided by a power of two, reduced to a tridiagonal one (tridiagonal.h),
// and that one is taken apart by QL iteration (tridiagonal_eigen.h). Of a matrix with NaN or
// infinities everything is NaN.
template <typename T>
Status HermitianEigen(const Matrix<T>& a, PartType<T>* values, const Matrix<T>& vectors,
                      Limits* limits, bool& converged);

// Singular values, in decreasing order, and vectors of a square matrix: b = U diag(values) V^H.
// columns: row i is column i of b on entry, and of U on return; v: row i is column i of V.
// One-sided Jacobi: rotates pairs of columns until |x^H y| <= eps |x| |y| for all of them. Columns
// of U of singular values that are zero (or not above eps / 16 of the largest) are completed to an
// orthonormal basis from the unit vectors. If v is without memory, there are values only.
template <typename T>
Status JacobiSvd(const Matrix<T>& columns, PartType<T>* values, const Matrix<T>& v, Limits* limits,
                 bool& converged);

// Elements of memory that TallSvd needs.
template <typename T>
i64 TallSvdScratch(i64 rows, i64 n, i64 num_vectors, bool with_vectors) {
  if (kIsComplexScalar<T>) return 3 * rows * n;
  return 3 * n * n + QrScratch<T>(rows, std::max(n, num_vectors)) +
         SquareSvdScratch(n, with_vectors);
}

// Singular values and vectors of any matrix a, rows >= columns = n: a = U[:, :n] diag(values) V^H.
// u has as many rows and any number of columns from n to rows; v^H has n rows; both may be without
// memory. Uses a up: it is divided by a power of two. Of a real matrix comes then a = Q R, unless
// it is square, and the bidiagonal form of R (bidiagonal.h); of a complex one a P = Q R with
// pivoting, and JacobiSvd of R^H. Of a matrix with NaN or infinities everything is NaN.
template <typename T>
Status TallSvd(const Matrix<T>& a, PartType<T>* values, const Matrix<T>& u, const Matrix<T>& vh,
               Limits* limits, bool& converged);

}  // namespace axle
