// The custom calls that JAX makes on a CPU for eigenvalues and the forms on the way to them:
// lapack_{s,d,c,z}<routine>_ffi, where the routine is syevd or heevd, sytrd or hetrd, gehrd, gees,
// geev. Conventions are LAPACK's (custom_call_lapack.cc); the algorithms are our own
// (factorization.h, tridiagonal.h, hessenberg.h, schur.h, eigenvectors.h).
//
// Each routine checks the operands, allocates the results, charges its scratch memory to the limit
// of the run, and then works matrix by matrix. Results that LAPACK computes in place begin as the
// operand. Eigenvectors are kept as rows while they are computed, because rows are contiguous, and
// are transposed at the end.
#include "axle/linalg/eigenvectors.h"
#include "axle/linalg/factorization.h"
#include "axle/linalg/tridiagonal.h"
#include "axle/linalg/tridiagonal_eigen.h"
#include "axle/ops/custom_calls/lapack_call.h"

namespace axle {
namespace {

// The full matrix of which only one triangle counts, and the real part of the diagonal.
template <typename T>
void FillHermitian(const Matrix<T>& a, bool lower) {
  for (i64 i = 0; i < a.rows; ++i) {
    a(i, i) = RealPart(a(i, i));
    for (i64 j = 0; j < i; ++j) {
      if (lower) {
        a(j, i) = Conjugate(a(i, j));
      } else {
        a(i, j) = Conjugate(a(j, i));
      }
    }
  }
}

// syevd, heevd(a) -> (eigenvectors as columns, eigenvalues, info). Without vectors (mode 'N') the
// first result is zero.
template <typename T>
StatusOr<Literal> CallSyevd(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, SquareMatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(const CustomCallAttributes attributes, invocation.Attributes());
  AXLE_ASSIGN(const char mode, Letter(attributes, "mode", "VN"));
  AXLE_ASSIGN(const char uplo, Letter(attributes, "uplo", "LU"));
  const i64 n = m.rows;
  using P = PartType<T>;
  AXLE_ASSIGN(auto results, MakeResults(invocation, {invocation.operands[0].shape(),
                                                     m.With(kTypeOf<P>, {n}), m.With(S32, {})}));
  if (m.count == 0) return Literal::Tuple(std::move(results));
  const bool with_vectors = mode == 'V';
  const ScratchMemory scratch(context,
                              BytesFor<T>((with_vectors ? 2 * m.size() + QrScratch<T>(n, n) : 0) +
                                              ReductionScratch<T>(n) + TridiagonalEigenScratch(n),
                                          1));
  AXLE_TRY(scratch.status());
  std::vector<T> rows(with_vectors ? m.size() : 0);
  const Matrix<T> vectors(with_vectors ? rows.data() : nullptr, n, n);
  // One matrix after the other; scratch memory is reused.
  T* data = Data<T>(invocation.operands[0]);
  for (i64 i = 0; i < m.count; ++i) {
    const Matrix<T> a(data + i * m.size(), n, n);
    FillHermitian(a, uplo == 'L');
    bool converged = true;
    AXLE_TRY(HermitianEigen(a, Data<P>(results[1]) + i * n, vectors, invocation.limits, converged));
    Integers(results[2])[i] = converged ? 0 : 1;
    if (!with_vectors) continue;
    const Matrix<T> out(Data<T>(results[0]) + i * m.size(), n, n);
    for (i64 j = 0; j < n; ++j) {
      for (i64 k = 0; k < n; ++k) out(k, j) = vectors(j, k);
    }
  }
  return Literal::Tuple(std::move(results));
}

// sytrd, hetrd(a) -> (T and reflectors, diagonal, off-diagonal, taus, info). Of the upper triangle
// everything is that of the lower one of the matrix turned by half a turn: Q = ... H[1] H[0], and
// reflector i is in column i + 1 above row i.
// Reversing the elements of the matrix exchanges both indices, so that the algorithm for the lower
// triangle serves the upper one.
template <typename T>
StatusOr<Literal> CallSytrd(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, SquareMatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(const CustomCallAttributes attributes, invocation.Attributes());
  AXLE_ASSIGN(const char uplo, Letter(attributes, "uplo", "LU"));
  const i64 n = m.rows, off = std::max<i64>(n - 1, 0);
  using P = PartType<T>;
  AXLE_ASSIGN(auto results,
              MakeResults(invocation,
                          {invocation.operands[0].shape(), m.With(kTypeOf<P>, {n}),
                           m.With(kTypeOf<P>, {off}), m.With(kTypeOf<T>, {off}), m.With(S32, {})}));
  const ScratchMemory scratch(context, BytesFor<T>(m.count == 0 ? 0 : ReductionScratch<T>(n), 1));
  AXLE_TRY(scratch.status());
  results[0] = std::move(invocation.operands[0]);
  for (i64 i = 0; i < m.count; ++i) {
    T *a = Data<T>(results[0]) + i * m.size(), *taus = Data<T>(results[3]) + i * off;
    P *d = Data<P>(results[1]) + i * n, *e = Data<P>(results[2]) + i * off;
    if (uplo == 'U') std::reverse(a, a + m.size());
    AXLE_TRY(ReduceToTridiagonal(Matrix<T>(a, n, n), d, e, taus, invocation.limits));
    if (uplo == 'L') continue;
    std::reverse(a, a + m.size());
    std::reverse(d, d + n);
    std::reverse(e, e + off);
    std::reverse(taus, taus + off);
  }
  return Literal::Tuple(std::move(results));
}

// gehrd(a) -> (H and reflectors, taus, info). The attributes low and high count from 1: a is upper
// triangular outside of their range already.
// The range [low, high) is counted from 0 below.
template <typename T>
StatusOr<Literal> CallGehrd(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, SquareMatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(const CustomCallAttributes attributes, invocation.Attributes());
  AXLE_ASSIGN(const i64 low, attributes.Integer("low"));
  AXLE_ASSIGN(const i64 high, attributes.Integer("high"));
  const i64 n = m.rows, off = std::max<i64>(n - 1, 0);
  if (low < 1 || low > std::max<i64>(n, 1) || high < std::min(low, n) || high > n) {
    return InvalidArgument(StrCat("attributes low = ", low, " and high = ", high,
                                  " are not a range of the rows 1 to ", n));
  }
  AXLE_ASSIGN(auto results, MakeResults(invocation, {invocation.operands[0].shape(),
                                                     m.With(kTypeOf<T>, {off}), m.With(S32, {})}));
  const ScratchMemory scratch(context, BytesFor<T>(n, 2));
  AXLE_TRY(scratch.status());
  results[0] = std::move(invocation.operands[0]);
  for (i64 i = 0; i < m.count; ++i) {
    AXLE_TRY(ReduceToHessenberg(Matrix<T>(Data<T>(results[0]) + i * m.size(), n, n), low - 1, high,
                                Data<T>(results[1]) + i * off, invocation.limits));
  }
  return Literal::Tuple(std::move(results));
}

// Rows and columns are exchanged in place, for square matrices.
template <typename T>
void TransposeInPlace(const Matrix<T>& a) {
  for (i64 i = 0; i < a.rows; ++i) {
    for (i64 j = 0; j < i; ++j) std::swap(a(i, j), a(j, i));
  }
}

// The Schur form of a general matrix, in memory that is kept for the next one.
template <typename T>
class SchurCall {
 public:
  using P = PartType<T>;

  SchurCall(i64 n, bool with_vectors)
      : n_(n), taus_(n), values_(n), imaginary_(n), vectors_(with_vectors ? n * n : 0) {}
  static i64 Elements(i64 n, bool with_vectors) { return with_vectors ? n * n + 5 * n : 5 * n; }

  // a becomes its Schur form, divided by the power of two that `scale` is set to; NaN if there are
  // NaN or infinities in a, and nothing else is done.
  Status Run(const Matrix<T>& a, bool balance_norms, bool whole_form, Limits* limits, i64& failed) {
    failed = 0;
    scale_ = ScaleToOne(a);
    if (scale_ != scale_) return {};
    // An iteration that gives up leaves eigenvalues unset: not those of the matrix before.
    const P nan = std::numeric_limits<P>::quiet_NaN();
    std::ranges::fill(values_, T(nan));
    std::ranges::fill(imaginary_, nan);
    AXLE_ASSIGN(balancing_, Balance(a, balance_norms, limits));
    const i64 low = balancing_.low, high = balancing_.high;
    AXLE_TRY(ReduceToHessenberg(a, low, high, taus_.data(), limits));
    const Matrix<T> vectors(vectors_.empty() ? nullptr : vectors_.data(), n_, n_);
    if (vectors.data != nullptr) {
      SetIdentity(vectors);
      AXLE_TRY(ApplyHessenbergQ(a, low, high, taus_.data(), vectors, limits));
      TransposeInPlace(vectors);  // the iteration wants columns side by side
    }
    return HessenbergSchur(a, vectors, {whole_form, low, high}, eigenvalues(), limits, failed);
  }

  P scale() const { return scale_; }
  const Balancing<P>& balancing() const { return balancing_; }
  Eigenvalues<T> eigenvalues() {
    return {values_.data(), kIsComplexScalar<T> ? nullptr : imaginary_.data()};
  }
  // Row i is column i of Z. The balancing has not been undone yet.
  Matrix<T> vectors() { return {vectors_.data(), n_, n_}; }

  // Stores the eigenvalues of the matrix as it was before it was scaled.
  // Powers of two scale exactly, unless the result leaves the range.
  void StoreEigenvalues(T* values, P* imaginary) const {
    for (i64 i = 0; i < n_; ++i) {
      values[i] = Scale(values_[i], scale_);
      if constexpr (!kIsComplexScalar<T>) imaginary[i] = imaginary_[i] * scale_;
    }
  }

 private:
  i64 n_;
  P scale_ = 1;
  Balancing<P> balancing_;
  std::vector<T> taus_, values_;
  std::vector<P> imaginary_;
  std::vector<T> vectors_;
};

// The positions of results that hold eigenvalues, as gees and geev have them: (re, im) or complex.
// The offsets of the results of one matrix, so that the callers do not repeat the arithmetic.
template <typename T>
struct EigenvalueResults {
  using P = PartType<T>;
  std::vector<Literal>& results;
  i64 first, n;

  static constexpr i64 kCount = kIsComplexScalar<T> ? 1 : 2;
  T* values(i64 matrix) const { return Data<T>(results[first]) + matrix * n; }
  P* imaginary(i64 matrix) const {
    return kIsComplexScalar<T> ? nullptr : Data<P>(results[first + kCount - 1]) + matrix * n;
  }
  // For matrices that have no eigenvalues because they contain NaN or infinities.
  void FillNan(i64 matrix) const {
    const P nan = std::numeric_limits<P>::quiet_NaN();
    std::fill_n(values(matrix), n, T(nan));
    if (!kIsComplexScalar<T>) std::fill_n(imaginary(matrix), n, nan);
  }
};

// gees(a) -> (T, Z, eigenvalues, number of sorted ones, info), a = Z T Z^H. Eigenvalues are two
// results, real and imaginary parts, if a is real. Without vectors (mode 'N') Z is zero. info:
// after how many eigenvalues, from the last one, the iteration gave up. NaN for a matrix with NaN
// or infinities.
// The Schur form is computed in place of the operand.
template <typename T>
StatusOr<Literal> CallGees(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, SquareMatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(const CustomCallAttributes attributes, invocation.Attributes());
  AXLE_ASSIGN(const char mode, Letter(attributes, "mode", "VN"));
  AXLE_TRY(Letter(attributes, "sort", "N").status());
  const bool with_vectors = mode == 'V';
  const i64 n = m.rows;
  const Shape square = m.With(kTypeOf<T>, {n, n}), values = m.With(kTypeOf<T>, {n});
  std::vector<Shape> shapes = {square, square};
  shapes.insert(shapes.end(), EigenvalueResults<T>::kCount, values);
  shapes.insert(shapes.end(), 2, m.With(S32, {}));
  AXLE_ASSIGN(auto results, MakeResults(invocation, std::move(shapes)));
  results[0] = std::move(invocation.operands[0]);
  if (m.count == 0) return Literal::Tuple(std::move(results));
  const ScratchMemory scratch(context, BytesFor<T>(SchurCall<T>::Elements(n, with_vectors), 1));
  AXLE_TRY(scratch.status());
  SchurCall<T> schur(n, with_vectors);
  const EigenvalueResults<T> eigenvalues{results, 2, n};
  for (i64 i = 0; i < m.count; ++i) {
    const Matrix<T> form(Data<T>(results[0]) + i * m.size(), n, n);
    const Matrix<T> vectors(Data<T>(results[1]) + i * m.size(), n, n);
    i64 failed = 0;
    AXLE_TRY(
        schur.Run(form, /*balance_norms=*/false, /*whole_form=*/true, invocation.limits, failed));
    // Only NaN differs from itself: the matrix was not finite.
    if (schur.scale() != schur.scale()) {
      FillNan(form);
      if (with_vectors) FillNan(vectors);
      eigenvalues.FillNan(i);
      continue;
    }
    for (i64 j = 0; j < m.size(); ++j) form.data[j] = Scale(form.data[j], schur.scale());
    schur.StoreEigenvalues(eigenvalues.values(i), eigenvalues.imaginary(i));
    Integers(results.back())[i] = static_cast<std::int32_t>(failed);
    if (!with_vectors) continue;
    std::copy_n(schur.vectors().data, m.size(), vectors.data);
    TransposeInPlace(vectors);
    schur.balancing().Undo(vectors, /*right=*/true);
  }
  return Literal::Tuple(std::move(results));
}

// Column j of v becomes a vector of norm 1 whose largest element is real and positive; of two
// elements that are equally large it is the first.
// `make_real` is set for complex vectors, which are determined up to a factor of modulus 1.
template <typename P>
void Normalise(const Matrix<std::complex<P>>& v, i64 j, bool make_real) {
  const P norm = ColumnNorm(v, 0, j);
  i64 largest = 0;
  P largest_square = 0;
  for (i64 i = 0; i < v.rows; ++i) {
    v(i, j) = DivideByReal(v(i, j), norm);
    const P square = AddSquare(v(i, j), P(0));
    if (square > largest_square) {
      largest = i;
      largest_square = square;
    }
  }
  if (!make_real) return;
  const P size = AbsoluteValue(v(largest, j));
  // The factor that makes the largest element real: its conjugate, divided by its modulus.
  const std::complex<P> turn = DivideByReal(Conjugate(v(largest, j)), size);
  for (i64 i = 0; i < v.rows; ++i) v(i, j) = Multiply(turn, v(i, j));
  v(largest, j) = size;
}

// Eigenvectors of the matrix whose Schur form is in `schur`, as columns of the complex `out`, which
// have norm 1. `work` holds two matrices.
// The eigenvectors of the Schur form are multiplied by Z, which gives those of the balanced matrix.
template <typename T>
Status StoreEigenvectors(SchurCall<T>& schur, const Matrix<T>& form, bool right,
                         std::vector<T>& work, const Matrix<std::complex<PartType<T>>>& out,
                         Limits* limits) {
  const i64 n = form.rows;
  const Matrix<T> of_form(work.data(), n, n), product(work.data() + n * n, n, n);
  const Eigenvalues<T> eigenvalues = schur.eigenvalues();
  AXLE_TRY(SchurEigenvectors(form, eigenvalues, right, of_form, limits));
  std::fill_n(product.data, n * n, T());
  for (i64 i = 0; i < n; ++i) {
    AXLE_TRY(CheckLimits(limits));
    for (i64 j = 0; j < n; ++j) {
      // The vectors of T are upper (right) or lower triangular but for the blocks of pairs.
      const i64 begin = right ? std::max<i64>(j - 1, 0) : 0, end = right ? n : std::min(j + 2, n);
      SubtractScaled(-schur.vectors()(j, i), of_form.row(j) + begin, product.row(i) + begin,
                     end - begin);
    }
  }
  schur.balancing().Undo(product, right);
  // A real matrix has complex eigenvalues in pairs: columns j and j + 1 of `product` are real and
  // imaginary part of the first vector, and the second is its conjugate.
  for (i64 j = 0; j < n; ++j) {
    const bool is_pair = !kIsComplexScalar<T> && eigenvalues.imaginary[j] != 0;
    for (i64 i = 0; i < n; ++i) {
      if constexpr (kIsComplexScalar<T>) {
        out(i, j) = product(i, j);
      } else {
        out(i, j) = {product(i, j), is_pair ? product(i, j + 1) : 0};
      }
    }
    Normalise(out, j, kIsComplexScalar<T> || is_pair);
    if (!is_pair) continue;
    for (i64 i = 0; i < n; ++i) out(i, j + 1) = Conjugate(out(i, j));
    ++j;
  }
  return {};
}

// geev(a) -> (eigenvalues, left vectors, right vectors, info): a v = w v, u^H a = w u^H, in complex
// columns, zeros if they are not asked for. Eigenvalues are two results, real and imaginary parts,
// if a is real; of a pair the one with the positive imaginary part comes first. info is -4 for a
// matrix with NaN or infinities, whose results are NaN, or else as for gees.
// Left and right vectors share the Schur form.
template <typename T>
StatusOr<Literal> CallGeev(const CustomCallInvocation& invocation, const EvalContext& context) {
  using Complex = std::complex<PartType<T>>;
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, SquareMatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(const CustomCallAttributes attributes, invocation.Attributes());
  AXLE_ASSIGN(const char left, Letter(attributes, "compute_left", "VN"));
  AXLE_ASSIGN(const char right, Letter(attributes, "compute_right", "VN"));
  const bool is_wanted[2] = {left == 'V', right == 'V'};
  const bool with_vectors = is_wanted[0] || is_wanted[1];
  const i64 n = m.rows, first_vectors = EigenvalueResults<T>::kCount;
  std::vector<Shape> shapes(first_vectors, m.With(kTypeOf<T>, {n}));
  shapes.insert(shapes.end(), 2, m.With(kTypeOf<Complex>, {n, n}));
  shapes.push_back(m.With(S32, {}));
  AXLE_ASSIGN(auto results, MakeResults(invocation, std::move(shapes)));
  if (m.count == 0) return Literal::Tuple(std::move(results));
  const i64 work_size = with_vectors ? 2 * m.size() : 0;
  const ScratchMemory scratch(context,
                              BytesFor<T>(SchurCall<T>::Elements(n, with_vectors) + work_size, 1));
  AXLE_TRY(scratch.status());
  SchurCall<T> schur(n, with_vectors);
  std::vector<T> work(work_size);
  const EigenvalueResults<T> eigenvalues{results, 0, n};
  T* data = Data<T>(invocation.operands[0]);
  for (i64 i = 0; i < m.count; ++i) {
    const Matrix<T> form(data + i * m.size(), n, n);
    i64 failed = 0;
    AXLE_TRY(schur.Run(form, /*balance_norms=*/true, with_vectors, invocation.limits, failed));
    const bool is_finite = schur.scale() == schur.scale();
    Integers(results.back())[i] = is_finite ? static_cast<std::int32_t>(failed) : -4;
    if (is_finite) {
      schur.StoreEigenvalues(eigenvalues.values(i), eigenvalues.imaginary(i));
    } else {
      eigenvalues.FillNan(i);
    }
    for (int side = 0; side < 2; ++side) {
      if (!is_wanted[side]) continue;
      const Matrix<Complex> out(Data<Complex>(results[first_vectors + side]) + i * m.size(), n, n);
      if (!is_finite || failed != 0) {
        FillNan(out);
        continue;
      }
      AXLE_TRY(StoreEigenvectors(schur, form, side == 1, work, out, invocation.limits));
    }
  }
  return Literal::Tuple(std::move(results));
}

constexpr BuiltinCustomCall kCalls[] = {
    {"lapack_ssyevd_ffi", CallSyevd<float>},
    {"lapack_dsyevd_ffi", CallSyevd<double>},
    {"lapack_cheevd_ffi", CallSyevd<std::complex<float>>},
    {"lapack_zheevd_ffi", CallSyevd<std::complex<double>>},
    {"lapack_ssytrd_ffi", CallSytrd<float>},
    {"lapack_dsytrd_ffi", CallSytrd<double>},
    {"lapack_chetrd_ffi", CallSytrd<std::complex<float>>},
    {"lapack_zhetrd_ffi", CallSytrd<std::complex<double>>},
    {"lapack_sgehrd_ffi", CallGehrd<float>},
    {"lapack_dgehrd_ffi", CallGehrd<double>},
    {"lapack_cgehrd_ffi", CallGehrd<std::complex<float>>},
    {"lapack_zgehrd_ffi", CallGehrd<std::complex<double>>},
    {"lapack_sgees_ffi", CallGees<float>},
    {"lapack_dgees_ffi", CallGees<double>},
    {"lapack_cgees_ffi", CallGees<std::complex<float>>},
    {"lapack_zgees_ffi", CallGees<std::complex<double>>},
    {"lapack_sgeev_ffi", CallGeev<float>},
    {"lapack_dgeev_ffi", CallGeev<double>},
    {"lapack_cgeev_ffi", CallGeev<std::complex<float>>},
    {"lapack_zgeev_ffi", CallGeev<std::complex<double>>},
};

}  // namespace

std::span<const BuiltinCustomCall> EigenCustomCalls() {
  return kCalls;
}

}  // namespace axle
