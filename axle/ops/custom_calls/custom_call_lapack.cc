// The custom calls that JAX makes on a CPU for linear algebra: LAPACK's routines by their names,
// lapack_{s,d,c,z}<routine>_ffi, and the two that XLA calls Qr and
// ProductOfElementaryHouseholderReflectors. The algorithms are our own (factorization.h); what
// operands, attributes and results mean is LAPACK's convention: pivots count from 1, `info` is 0 or
// says where a factorisation failed, attributes are letters as numbers ({uplo = 76 : ui8} is 'L').
// Here are systems of equations, QR and singular values; custom_call_eigen.cc and
// custom_call_tridiagonal.cc have the others.
//
// Attributes and operands are checked as LAPACK would check its arguments; an argument that is out
// of range is an error and not an info value. Each call works in place on results that begin as
// operands.
#include "axle/linalg/factorization.h"
#include "axle/ops/custom_calls/lapack_call.h"

namespace axle {
namespace {

// potrf(a) -> (factor, info): the triangle uplo of a becomes its Cholesky factor, the other one
// stays. info: the order of the leading minor that is not positive definite. If a pivot is NaN, all
// of the factor becomes NaN.
// `failed` is the first pivot that is not positive; a pivot of zero counts, as in LAPACK.
template <typename T>
StatusOr<Literal> CallPotrf(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, SquareMatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(const CustomCallAttributes attributes, invocation.Attributes());
  AXLE_ASSIGN(const char uplo, Letter(attributes, "uplo", "LU"));
  AXLE_ASSIGN(auto results,
              MakeResults(invocation, {invocation.operands[0].shape(), m.With(S32, {})}));
  const ScratchMemory scratch(context,
                              BytesFor<T>(m.count == 0 ? 0 : FactorScratch<T>(m.rows, m.rows), 1));
  AXLE_TRY(scratch.status());
  results[0] = std::move(invocation.operands[0]);
  T* data = Data<T>(results[0]);
  for (i64 i = 0; i < m.count; ++i) {
    const Matrix<T> a(data + i * m.size(), m.rows, m.rows);
    i64 failed = -1;
    if (uplo == 'U') Adjoint(a);
    AXLE_TRY(CholeskyLower(a, invocation.limits, failed));
    const bool is_nan = failed >= 0;
    for (i64 k = m.rows - 1; k >= 0; --k) {
      if (a(k, k) == T() && (failed < 0 || k < failed)) failed = k;
    }
    if (is_nan) {
      const T nan = std::numeric_limits<PartType<T>>::quiet_NaN();
      for (i64 k = 0; k < m.rows; ++k) std::fill_n(a.row(k), k + 1, nan);
    }
    if (uplo == 'U') Adjoint(a);
    Integers(results[1])[i] = static_cast<std::int32_t>(failed + 1);
  }
  return Literal::Tuple(std::move(results));
}

// trsm(a, b) -> x: op(a) x = b, or x op(a) = b.
// `copy` holds the transposed matrix if one is needed, and is kept for the next system.
template <typename T>
StatusOr<Literal> CallTrsm(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 2));
  AXLE_ASSIGN(const MatrixShape m, SquareMatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(const MatrixShape right, MatricesOf<T>(invocation, 1));
  AXLE_ASSIGN(const CustomCallAttributes attributes, invocation.Attributes());
  AXLE_ASSIGN(const char side, Letter(attributes, "side", "LR"));
  AXLE_ASSIGN(const char uplo, Letter(attributes, "uplo", "LU"));
  AXLE_ASSIGN(const char form, Letter(attributes, "trans_x", "NTC"));
  AXLE_ASSIGN(const char diagonal, Letter(attributes, "diag", "NU"));
  if (right.batch != m.batch || m.rows != (side == 'L' ? right.rows : right.columns)) {
    return InvalidArgument("the sizes of a and b do not go together");
  }
  AXLE_ASSIGN(auto results, MakeResults(invocation, {invocation.operands[1].shape()}));
  const ScratchMemory scratch(
      context,
      BytesFor<T>(m.count == 0 ? 0 : SolveScratch<T>(m.rows, right.rows, right.columns), 1));
  AXLE_TRY(scratch.status());
  results[0] = std::move(invocation.operands[1]);
  const T* a = Data<T>(std::as_const(invocation.operands[0]));
  T* b = Data<T>(results[0]);
  std::vector<T> copy;
  for (i64 i = 0; i < right.count; ++i) {
    AXLE_TRY(SolveTriangular(a + i * m.size(),
                             form == 'N'   ? MatrixForm::kAsIs
                             : form == 'T' ? MatrixForm::kTranspose
                                           : MatrixForm::kAdjoint,
                             side == 'L', uplo == 'L', diagonal == 'U',
                             Matrix<T>(b + i * right.size(), right.rows, right.columns), copy,
                             invocation.limits));
  }
  return std::move(results[0]);
}

// getrf(a) -> (lu, pivots, info): info is the first zero on the diagonal of U.
// Pivots are row numbers counted from 1.
template <typename T>
StatusOr<Literal> CallGetrf(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, MatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(auto results, MakeResults(invocation, {invocation.operands[0].shape(),
                                                     m.With(S32, {m.rank()}), m.With(S32, {})}));
  const ScratchMemory scratch(
      context, BytesFor<T>(m.count == 0 ? 0 : FactorScratch<T>(m.rows, m.columns), 1));
  AXLE_TRY(scratch.status());
  results[0] = std::move(invocation.operands[0]);
  T* data = Data<T>(results[0]);
  std::vector<i64> pivots(m.count == 0 ? 0 : m.rank());
  for (i64 i = 0; i < m.count; ++i) {
    i64 failed = -1;
    AXLE_TRY(LuFactor(Matrix<T>(data + i * m.size(), m.rows, m.columns), pivots.data(),
                      invocation.limits, failed));
    std::ranges::transform(pivots, Integers(results[1]).data() + i * m.rank(),
                           [](i64 row) { return static_cast<std::int32_t>(row + 1); });
    Integers(results[2])[i] = static_cast<std::int32_t>(failed + 1);
  }
  return Literal::Tuple(std::move(results));
}

// geqrf(a) -> (R and reflectors, taus).
template <typename T>
StatusOr<Literal> CallGeqrf(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, MatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(auto results, MakeResults(invocation, {invocation.operands[0].shape(),
                                                     m.With(kTypeOf<T>, {m.rank()})}));
  const ScratchMemory scratch(context,
                              BytesFor<T>(m.count == 0 ? 0 : QrScratch<T>(m.rows, m.columns), 1));
  AXLE_TRY(scratch.status());
  results[0] = std::move(invocation.operands[0]);
  T *data = Data<T>(results[0]), *taus = Data<T>(results[1]);
  for (i64 i = 0; i < m.count; ++i) {
    AXLE_TRY(QrFactor(Matrix<T>(data + i * m.size(), m.rows, m.columns), taus + i * m.rank(),
                      invocation.limits));
  }
  return Literal::Tuple(std::move(results));
}

// Checks that reflectors and factors can be what QrFactor leaves, and returns how many there are.
template <typename T>
StatusOr<i64> CountReflectors(const MatrixShape& m, const Shape& taus) {
  const i64 count = taus.rank() == 0 ? -1 : taus.dims().back();
  if (!Compatible(taus, m.With(kTypeOf<T>, {count})) || count > m.rank()) {
    return InvalidArgument("the sizes of the reflectors and their factors do not go together");
  }
  return count;
}

// orgqr(reflectors, taus) -> the first columns of Q.
// Q is the product of the reflectors, applied to the first columns of the identity.
template <typename T>
StatusOr<Literal> CallOrgqr(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 2));
  AXLE_ASSIGN(const MatrixShape m, MatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(const i64 count, CountReflectors<T>(m, invocation.operands[1].shape()));
  if (m.rows < m.columns) {
    return InvalidArgument(StrCat("Q would have ", m.rows, " rows but ", m.columns, " columns"));
  }
  AXLE_ASSIGN(auto results, MakeResults(invocation, {invocation.operands[0].shape()}));
  const ScratchMemory scratch(context,
                              BytesFor<T>(m.count == 0 ? 0 : QrScratch<T>(m.rows, m.columns), 1));
  AXLE_TRY(scratch.status());
  const T* factors = Data<T>(std::as_const(invocation.operands[1]));
  // The reflectors are only read.
  T* reflectors = Data<T>(invocation.operands[0]);
  for (i64 i = 0; i < m.count; ++i) {
    const Matrix<T> q(Data<T>(results[0]) + i * m.size(), m.rows, m.columns);
    AXLE_TRY(FormQ(Matrix<T>(reflectors + i * m.size(), m.rows, m.columns), factors + i * count,
                   count, q, invocation.limits));
  }
  return std::move(results[0]);
}

// ormqr, unmqr(reflectors, taus, c) -> Q c (left) or c Q, with the adjoint of Q if `transpose`.
// Q is never formed: the reflectors are applied to c.
template <typename T>
StatusOr<Literal> CallOrmqr(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 3));
  AXLE_ASSIGN(const MatrixShape m, MatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(const i64 count, CountReflectors<T>(m, invocation.operands[1].shape()));
  AXLE_ASSIGN(const MatrixShape c, MatricesOf<T>(invocation, 2));
  AXLE_ASSIGN(const CustomCallAttributes attributes, invocation.Attributes());
  AXLE_ASSIGN(const bool left, attributes.Bool("left"));
  AXLE_ASSIGN(const bool adjoint, attributes.Bool("transpose"));
  if (c.batch != m.batch || m.rows != (left ? c.rows : c.columns)) {
    return InvalidArgument("the sizes of the reflectors and c do not go together");
  }
  AXLE_ASSIGN(auto results, MakeResults(invocation, {invocation.operands[2].shape()}));
  const ScratchMemory scratch(
      context, BytesFor<T>(c.count == 0 ? 0 : QrScratch<T>(m.rows, left ? c.columns : c.rows), 1));
  AXLE_TRY(scratch.status());
  results[0] = std::move(invocation.operands[2]);
  const T* taus = Data<T>(std::as_const(invocation.operands[1]));
  T *reflectors = Data<T>(invocation.operands[0]), *data = Data<T>(results[0]);
  for (i64 i = 0; i < c.count; ++i) {
    AXLE_TRY(MultiplyByQ(Matrix<T>(reflectors + i * m.size(), m.rows, m.columns), taus + i * count,
                         count, left, adjoint, Matrix<T>(data + i * c.size(), c.rows, c.columns),
                         invocation.limits));
  }
  return std::move(results[0]);
}

// geqp3(a, order) -> (R and reflectors, order, taus): a[:, order] = Q R. Columns whose `order` is
// not 0 come first; the order of the result counts from 1.
// Columns that must come first are marked by the caller; the others are chosen by their remaining
// norm.
template <typename T>
StatusOr<Literal> CallGeqp3(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 2));
  AXLE_ASSIGN(const MatrixShape m, MatricesOf<T>(invocation, 0));
  const Shape order = m.With(S32, {m.columns});
  if (!Compatible(invocation.operands[1].shape(), order)) {
    return InvalidArgument(StrCat("operand 1 must be ", order.ToString(), ", not ",
                                  invocation.operands[1].shape().ToString()));
  }
  AXLE_ASSIGN(auto results, MakeResults(invocation, {invocation.operands[0].shape(), order,
                                                     m.With(kTypeOf<T>, {m.rank()})}));
  const ScratchMemory scratch(context, BytesFor<T>(m.columns, 3));
  AXLE_TRY(scratch.status());
  results[0] = std::move(invocation.operands[0]);
  results[1] = std::move(invocation.operands[1]);
  T *data = Data<T>(results[0]), *taus = Data<T>(results[2]);
  if (m.rows == 0) {  // nothing to choose by
    i64 at = 0;
    for (std::int32_t& column : Integers(results[1])) {
      column = static_cast<std::int32_t>(at++ % m.columns + 1);
    }
  }
  for (i64 i = 0; i < m.count; ++i) {
    AXLE_TRY(PivotedQrFactor(Matrix<T>(data + i * m.size(), m.rows, m.columns),
                             Integers(results[1]).data() + i * m.columns, taus + i * m.rank(),
                             invocation.limits));
  }
  return Literal::Tuple(std::move(results));
}

// b = a^H.
template <typename T>
void AdjointInto(const Matrix<T>& a, const Matrix<T>& b) {
  for (i64 i = 0; i < b.rows; ++i) {
    for (i64 j = 0; j < b.columns; ++j) b(i, j) = Conjugate(a(j, i));
  }
}

// SVD of one matrix, in memory that is kept for the next one. A wide matrix is the adjoint of a
// tall one: a = U S V^H means a^H = V S U^H.
template <typename T>
class SvdCall {
 public:
  SvdCall(i64 rows, i64 columns, i64 num_vectors)
      : is_wide_(rows < columns),
        tall_(std::max(rows, columns)),
        rank_(std::min(rows, columns)),
        num_vectors_(num_vectors),
        a_(tall_ * rank_),
        u_(tall_ * num_vectors),
        vh_(rank_ * rank_) {}

  // `u` and `vh` may have no memory if they are not wanted.
  Status Run(const Matrix<T>& a, PartType<T>* values, const Matrix<T>& u, const Matrix<T>& vh,
             Limits* limits, bool& converged) {
    const bool with_vectors = u.data != nullptr;
    const Matrix<T> work(a_.data(), tall_, rank_);
    const Matrix<T> left(with_vectors ? u_.data() : nullptr, tall_, num_vectors_);
    const Matrix<T> right(with_vectors ? vh_.data() : nullptr, rank_, rank_);
    if (is_wide_) {
      AdjointInto(a, work);
    } else {
      std::copy_n(a.data, tall_ * rank_, work.data);
    }
    AXLE_TRY(TallSvd(work, values, left, right, limits, converged));
    if (!with_vectors) return {};
    if (is_wide_) {
      AdjointInto(right, u);
      AdjointInto(left, vh);
    } else {
      std::ranges::copy(u_, u.data);
      std::ranges::copy(vh_, vh.data);
    }
    return {};
  }

 private:
  bool is_wide_;
  i64 tall_, rank_, num_vectors_;
  std::vector<T> a_, u_, vh_;
};

// gesdd, gesvd(a) -> (unspecified, singular values, U, V^H, info), mode 'A' with square U and V,
// 'S' with min(rows, columns) vectors each, 'N' without vectors: U and V^H are then zero, of any
// shape.
// U and V have as many vectors as the mode asks for.
template <typename T>
StatusOr<Literal> CallGesdd(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, MatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(const CustomCallAttributes attributes, invocation.Attributes());
  AXLE_ASSIGN(const char mode, Letter(attributes, "mode", "ASN"));
  using P = PartType<T>;
  const i64 k = m.rank(), tall = std::max(m.rows, m.columns);
  const i64 u_columns = mode == 'A' ? m.rows : k, v_rows = mode == 'A' ? m.columns : k;
  Shape u = m.With(kTypeOf<T>, {m.rows, u_columns}), vh = m.With(kTypeOf<T>, {v_rows, m.columns});
  if (const Shape& declared = *invocation.result_shape;
      mode == 'N' && declared.is_tuple() && declared.num_tuple_elements() == 5) {
    u = declared.element(2).WithoutLayout();
    vh = declared.element(3).WithoutLayout();
  }
  AXLE_ASSIGN(auto results,
              MakeResults(invocation, {invocation.operands[0].shape(), m.With(kTypeOf<P>, {k}), u,
                                       vh, m.With(S32, {})}));
  const i64 num_vectors = mode == 'A' ? tall : k;
  const ScratchMemory scratch(
      context, BytesFor<T>(m.count == 0 ? 0
                                        : tall * (num_vectors + 2 * k) +
                                              TallSvdScratch<T>(tall, k, num_vectors, mode != 'N'),
                           1));
  AXLE_TRY(scratch.status());
  if (m.count == 0) {
    // Without elements there are no singular values, but square U and V are still orthonormal.
    for (Literal* square : {&results[2], &results[3]}) {
      const Shape& shape = square->shape();
      if (mode != 'A' || shape.num_elements() == 0) continue;
      const i64 n = shape.dims().back();
      for (i64 at = 0; at < shape.num_elements(); at += n * n) {
        SetIdentity(Matrix<T>(Data<T>(*square) + at, n, n));
      }
    }
    return Literal::Tuple(std::move(results));
  }
  SvdCall<T> svd(m.rows, m.columns, num_vectors);
  T* data = Data<T>(invocation.operands[0]);
  for (i64 i = 0; i < m.count; ++i) {
    T* u_data = mode == 'N' ? nullptr : Data<T>(results[2]) + i * m.rows * u_columns;
    T* v_data = mode == 'N' ? nullptr : Data<T>(results[3]) + i * v_rows * m.columns;
    bool converged = true;
    AXLE_TRY(svd.Run(Matrix<T>(data + i * m.size(), m.rows, m.columns), Data<P>(results[1]) + i * k,
                     Matrix<T>(u_data, m.rows, u_columns), Matrix<T>(v_data, v_rows, m.columns),
                     invocation.limits, converged));
    Integers(results[4])[i] = converged ? 0 : 1;
  }
  return Literal::Tuple(std::move(results));
}

// The two calls of XLA do not have the type in their names; OfAnyType dispatches on the operand.
template <typename T>
struct Geqrf {
  static constexpr auto* kRun = &CallGeqrf<T>;
};
template <typename T>
struct Orgqr {
  static constexpr auto* kRun = &CallOrgqr<T>;
};

constexpr BuiltinCustomCall kCalls[] = {
    {"Qr", OfAnyType<Geqrf>},
    {"ProductOfElementaryHouseholderReflectors", OfAnyType<Orgqr>},
    {"lapack_spotrf_ffi", CallPotrf<float>},
    {"lapack_dpotrf_ffi", CallPotrf<double>},
    {"lapack_cpotrf_ffi", CallPotrf<std::complex<float>>},
    {"lapack_zpotrf_ffi", CallPotrf<std::complex<double>>},
    {"lapack_strsm_ffi", CallTrsm<float>},
    {"lapack_dtrsm_ffi", CallTrsm<double>},
    {"lapack_ctrsm_ffi", CallTrsm<std::complex<float>>},
    {"lapack_ztrsm_ffi", CallTrsm<std::complex<double>>},
    {"lapack_sgetrf_ffi", CallGetrf<float>},
    {"lapack_dgetrf_ffi", CallGetrf<double>},
    {"lapack_cgetrf_ffi", CallGetrf<std::complex<float>>},
    {"lapack_zgetrf_ffi", CallGetrf<std::complex<double>>},
    {"lapack_sgeqrf_ffi", CallGeqrf<float>},
    {"lapack_dgeqrf_ffi", CallGeqrf<double>},
    {"lapack_cgeqrf_ffi", CallGeqrf<std::complex<float>>},
    {"lapack_zgeqrf_ffi", CallGeqrf<std::complex<double>>},
    {"lapack_sorgqr_ffi", CallOrgqr<float>},
    {"lapack_dorgqr_ffi", CallOrgqr<double>},
    {"lapack_cungqr_ffi", CallOrgqr<std::complex<float>>},
    {"lapack_zungqr_ffi", CallOrgqr<std::complex<double>>},
    {"lapack_sgeqp3_ffi", CallGeqp3<float>},
    {"lapack_dgeqp3_ffi", CallGeqp3<double>},
    {"lapack_cgeqp3_ffi", CallGeqp3<std::complex<float>>},
    {"lapack_zgeqp3_ffi", CallGeqp3<std::complex<double>>},
    {"lapack_sormqr_ffi", CallOrmqr<float>},
    {"lapack_dormqr_ffi", CallOrmqr<double>},
    {"lapack_cunmqr_ffi", CallOrmqr<std::complex<float>>},
    {"lapack_zunmqr_ffi", CallOrmqr<std::complex<double>>},
    {"lapack_sgesdd_ffi", CallGesdd<float>},
    {"lapack_dgesdd_ffi", CallGesdd<double>},
    {"lapack_cgesdd_ffi", CallGesdd<std::complex<float>>},
    {"lapack_zgesdd_ffi", CallGesdd<std::complex<double>>},
    // The same results by another of LAPACK's algorithms.
    {"lapack_sgesvd_ffi", CallGesdd<float>},
    {"lapack_dgesvd_ffi", CallGesdd<double>},
    {"lapack_cgesvd_ffi", CallGesdd<std::complex<float>>},
    {"lapack_zgesvd_ffi", CallGesdd<std::complex<double>>},
};

}  // namespace

std::span<const BuiltinCustomCall> LapackCustomCalls() {
  return kCalls;
}

}  // namespace axle
