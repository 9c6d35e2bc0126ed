// Drivers of the symmetric eigenproblem and the singular value decomposition.
//
// HermitianEigen: scale by a power of two, reduce to tridiagonal form, form Q, QL iteration
// (tridiagonal_eigen.h), sort increasingly.
//
// JacobiSvd: one-sided Jacobi. A sweep visits every pair (p, q) of columns and rotates the two if
// |x^H y| > epsilon sqrt(n) |x| |y|; at most 64 sweeps. Singular values are then the norms of the
// columns. Columns that are negligible (epsilon / 16 of the largest) are left out of rotations,
// because squares of two of them may underflow, and completed to an orthonormal basis at the end.
//
// TallSvd of a real matrix reduces m x n to n x n by QR, and that to a bidiagonal matrix
// (bidiagonal.h). A complex matrix is reduced by QR with pivoting; the columns of R^H are nearly
// orthogonal already, and JacobiSvd takes them.

#include "axle/linalg/factorization.h"

#include <limits>
#include <numeric>

#include "axle/core/stable_sort.h"
#include "axle/linalg/tridiagonal.h"
#include "axle/linalg/tridiagonal_eigen.h"

namespace axle {
namespace {

// Positions sorted by `before(i, j)`; stable.
template <typename Before>
std::vector<i64> OrderBy(i64 n, const Before& before) {
  std::vector<i64> order(n);
  std::iota(order.begin(), order.end(), i64{0});
  StableSort(order, before);
  return order;
}

// Row i of a becomes the old row order[i].
template <typename T>
void PermuteRows(const Matrix<T>& a, const std::vector<i64>& order) {
  std::vector<T> copy;
  for (i64 i = 0; i < a.rows; ++i) copy.insert(copy.end(), a.row(i), a.row(i) + a.columns);
  for (i64 i = 0; i < a.rows; ++i) {
    std::copy_n(copy.data() + order[i] * a.columns, a.columns, a.row(i));
  }
}

template <typename P>
void Permute(P* values, const std::vector<i64>& order) {
  const std::vector<P> copy(values, values + order.size());
  for (size_t i = 0; i < order.size(); ++i) values[i] = copy[order[i]];
}

// Row i of `rows` becomes column i of the Q that ReduceToTridiagonal left in a.
template <typename T>
Status FormTransposedQ(const Matrix<T>& a, const T* taus, const Matrix<T>& rows, Limits* limits) {
  const i64 n = a.rows;
  SetIdentity(rows);
  if (n > 1) {
    // Reflector k begins in row k + 1.
    AXLE_TRY(FormQ(Matrix<T>(a.row(1), n - 1, n - 1, a.stride), taus, n - 1,
                   Matrix<T>(&rows(1, 1), n - 1, n - 1, rows.stride), limits));
  }
  for (i64 i = 0; i < a.rows; ++i) {
    for (i64 j = 0; j < i; ++j) std::swap(rows(i, j), rows(j, i));
  }
  return {};
}

// Columns smaller than this fraction of the largest are rounding errors of a matrix of lower rank.
template <typename P>
constexpr P kNegligible = std::numeric_limits<P>::epsilon() / 16;

// One sweep; true if something was rotated. `squares` is memory for the squared norms of the
// columns. A negligible column stays as it is: the squares of two of them may underflow, and then
// no rotation ever makes them orthogonal.
template <typename T>
StatusOr<bool> SvdSweep(const Matrix<T>& columns, const Matrix<T>& v,
                        std::vector<PartType<T>>& squares, Limits* limits) {
  using P = PartType<T>;
  const i64 n = columns.rows;
  const P tolerance = std::numeric_limits<P>::epsilon() * SquareRoot(static_cast<P>(n));
  P largest = 0;
  for (i64 i = 0; i < n; ++i) {
    squares[i] = SquaredNorm(columns.row(i), n);
    largest = std::max(largest, squares[i]);
  }
  const P negligible = largest * kNegligible<P> * kNegligible<P>;
  bool rotated = false;
  for (i64 p = 0; p < n; ++p) {
    AXLE_TRY(CheckLimits(limits));
    for (i64 q = p + 1; q < n; ++q) {
      if (squares[p] <= negligible || squares[q] <= negligible) continue;
      T *x = columns.row(p), *y = columns.row(q);
      const T gamma = InnerProduct(x, y, n);
      const P size = AbsoluteValue(gamma);
      if (!(size > tolerance * SquareRoot(squares[p]) * SquareRoot(squares[q]))) continue;
      rotated = true;
      const Rotation<T> rotation(squares[p], squares[q], gamma, size);
      rotation.Apply(x, y, n, rotation.phase);
      squares[p] = SquaredNorm(x, n);
      squares[q] = SquaredNorm(y, n);
      if (v.data != nullptr) rotation.Apply(v.row(p), v.row(q), n, rotation.phase);
    }
  }
  return rotated;
}

// Replaces row `row` by a unit vector orthogonal to those before it: the first unit vector, from
// `candidate` on, of which enough is left, made orthogonal twice.
template <typename T>
void CompleteRow(const Matrix<T>& rows, i64 row, i64& candidate) {
  using P = PartType<T>;
  const i64 n = rows.columns;
  T* x = rows.row(row);
  // The squares of what is left of all unit vectors add up to n - row.
  const P enough = static_cast<P>(n - row) / static_cast<P>(2 * n);
  for (i64 tries = 0; tries < n; ++tries) {
    std::fill_n(x, n, T());
    x[candidate] = T(1);
    candidate = (candidate + 1) % n;
    for (int pass = 0; pass < 2; ++pass) {
      for (i64 i = 0; i < row; ++i)
        SubtractScaled(InnerProduct(rows.row(i), x, n), rows.row(i), x, n);
      if (SquaredNorm(x, n) < enough) break;
    }
    const P square = SquaredNorm(x, n);
    if (square < enough && tries + 1 < n) continue;
    const P norm = SquareRoot(square);
    for (i64 j = 0; j < n; ++j) x[j] = DivideByReal(x[j], norm);
    return;
  }
}

}  // namespace

template <typename T>
Status HermitianEigen(const Matrix<T>& a, PartType<T>* values, const Matrix<T>& vectors,
                      Limits* limits, bool& converged) {
  using P = PartType<T>;
  const i64 n = a.rows;
  converged = true;
  const P scale = ScaleToOne(a);
  if (scale != scale) {
    std::fill_n(values, n, scale);
    if (vectors.data != nullptr) FillNan(vectors);
    return {};
  }
  std::vector<P> off_diagonal(n);
  std::vector<T> taus(n);
  AXLE_TRY(ReduceToTridiagonal(a, values, off_diagonal.data(), taus.data(), limits));
  std::vector<double> d(values, values + n), e(off_diagonal.begin(), off_diagonal.end());
  if (vectors.data != nullptr) AXLE_TRY(FormTransposedQ(a, taus.data(), vectors, limits));
  AXLE_TRY(TridiagonalEigen<T>(d.data(), e.data(), n, vectors, limits, converged));
  for (i64 i = 0; i < n; ++i) values[i] = static_cast<P>(d[i] * scale);
  const std::vector<i64> order = OrderBy(n, [&](i64 i, i64 j) { return values[i] < values[j]; });
  Permute(values, order);
  if (vectors.data != nullptr) PermuteRows(vectors, order);
  return {};
}

template <typename T>
Status JacobiSvd(const Matrix<T>& columns, PartType<T>* values, const Matrix<T>& v, Limits* limits,
                 bool& converged) {
  using P = PartType<T>;
  const i64 n = columns.rows;
  converged = true;
  const P scale = ScaleToOne(columns);
  if (scale != scale) {
    std::fill_n(values, n, scale);
    FillNan(columns);
    if (v.data != nullptr) FillNan(v);
    return {};
  }
  if (v.data != nullptr) SetIdentity(v);
  std::vector<P> squares(n);
  bool rotated = true;
  for (int sweep = 0; sweep < kMaxJacobiSweeps && rotated; ++sweep) {
    AXLE_ASSIGN(rotated, SvdSweep(columns, v, squares, limits));
  }
  converged = !rotated;
  for (i64 i = 0; i < n; ++i) values[i] = SquareRoot(SquaredNorm(columns.row(i), n));
  const std::vector<i64> order = OrderBy(n, [&](i64 i, i64 j) { return values[i] > values[j]; });
  Permute(values, order);
  if (v.data == nullptr) {
    for (i64 i = 0; i < n; ++i) values[i] *= scale;
    return {};
  }
  PermuteRows(columns, order);
  PermuteRows(v, order);
  i64 candidate = 0;
  for (i64 i = 0; i < n; ++i) {
    if (values[i] > values[0] * kNegligible<P>) {
      for (i64 j = 0; j < n; ++j) columns(i, j) = DivideByReal(columns(i, j), values[i]);
    } else {
      CompleteRow(columns, i, candidate);
    }
  }
  for (i64 i = 0; i < n; ++i) values[i] *= scale;
  return {};
}

// a = Q R, unless a is square, and R = U' S V^T make a = (Q U') S V^T.
template <typename T>
Status RealSvd(const Matrix<T>& a, T* values, const Matrix<T>& u, const Matrix<T>& vh,
               Limits* limits, bool& converged) {
  const i64 n = a.columns;
  const bool with_vectors = u.data != nullptr, is_square = a.rows == n;
  converged = true;
  const T scale = ScaleToOne(a);
  if (scale != scale) {
    std::fill_n(values, n, scale);
    if (with_vectors) {
      FillNan(u);
      FillNan(vh);
    }
    return {};
  }
  std::vector<T> taus(n), r(n * n), left(with_vectors ? n * n : 0);
  if (!is_square) AXLE_TRY(QrFactor(a, taus.data(), limits));
  for (i64 i = 0; i < n; ++i) {
    const i64 begin = is_square ? 0 : i;
    std::copy(a.row(i) + begin, a.row(i) + n, r.data() + i * n + begin);
  }
  std::vector<double> scaled(n);
  std::vector<T> right(with_vectors ? n * n : 0);
  AXLE_TRY(SquareSvd(HostBlockKernels<T>(), r.data(), n, scaled.data(),
                     with_vectors ? left.data() : nullptr, with_vectors ? right.data() : nullptr,
                     limits, converged));
  for (i64 i = 0; i < n; ++i) values[i] = static_cast<T>(scaled[i] * scale);
  if (!with_vectors) return {};
  for (i64 i = 0; i < n; ++i) std::copy_n(right.data() + i * n, n, vh.row(i));
  SetIdentity(u);
  HostBlockKernels<T>().transpose(left.data(), n, n, n, u.data, u.stride);
  return is_square ? Status() : ApplyQ(a, taus.data(), n, u, limits);
}

template <typename T>
Status TallSvd(const Matrix<T>& a, PartType<T>* values, const Matrix<T>& u, const Matrix<T>& vh,
               Limits* limits, bool& converged) {
  if constexpr (!kIsComplexScalar<T>) return RealSvd(a, values, u, vh, limits, converged);
  const i64 n = a.columns;
  const bool with_vectors = u.data != nullptr;
  std::vector<T> taus(n), r(n * n), v(with_vectors ? n * n : 0);
  std::vector<i64> order(n);
  // a P = Q R and R^H = U' S V'^H make a = (Q V') S (P U')^H. The columns of R^H are nearly
  // orthogonal already.
  const Matrix<T> columns(r.data(), n, n), rows(with_vectors ? v.data() : nullptr, n, n);
  const PartType<T> scale = ScaleToOne(a);
  AXLE_TRY(PivotedQrFactor(a, order.data(), taus.data(), limits));
  for (i64 i = 0; i < n; ++i) {
    for (i64 j = i; j < n; ++j) columns(i, j) = Conjugate(a(i, j));
  }
  AXLE_TRY(JacobiSvd(columns, values, rows, limits, converged));
  for (i64 i = 0; i < n; ++i) values[i] *= scale;
  if (!with_vectors) return {};
  for (i64 i = 0; i < n; ++i) {
    for (i64 j = 0; j < n; ++j) vh(i, order[j] - 1) = Conjugate(columns(i, j));
  }
  SetIdentity(u);
  for (i64 i = 0; i < n; ++i) {
    for (i64 j = 0; j < n; ++j) u(i, j) = rows(j, i);
  }
  return ApplyQ(a, taus.data(), n, u, limits);
}

#define INSTANTIATE(T)                                                                         \
  template Status HermitianEigen(const Matrix<T>&, PartType<T>*, const Matrix<T>&, Limits*,    \
                                 bool&);                                                       \
  template Status JacobiSvd(const Matrix<T>&, PartType<T>*, const Matrix<T>&, Limits*, bool&); \
  template Status TallSvd(const Matrix<T>&, PartType<T>*, const Matrix<T>&, const Matrix<T>&,  \
                          Limits*, bool&);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::complex<float>)
INSTANTIATE(std::complex<double>)
#undef INSTANTIATE

}  // namespace axle
