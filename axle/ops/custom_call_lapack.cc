// The custom calls that JAX makes on a CPU for linear algebra: LAPACK's routines by their names,
// lapack_{s,d,c,z}<routine>_ffi, and the two that XLA calls Qr and
// ProductOfElementaryHouseholderReflectors. The algorithms are our own (factorization.h); what
// operands, attributes and results mean is LAPACK's convention: pivots count from 1, `info` is 0 or
// says where a factorisation failed, attributes are letters as numbers ({uplo = 76 : ui8} is 'L').
// All take arrays of matrices; the dimensions in front are the batch.
#include <array>
#include <cstring>

#include "axle/core/strings.h"
#include "axle/ops/custom_call_builtins.h"
#include "axle/ops/factorization.h"
#include "axle/ops/scratch_memory.h"

namespace axle {
namespace {

template <typename T>
constexpr ElementType kTypeOf = std::is_same_v<T, float>                 ? F32
                                : std::is_same_v<T, double>              ? F64
                                : std::is_same_v<T, std::complex<float>> ? C64
                                                                         : C128;

// The batch of matrices that operand `index` is.
struct MatrixShape {
  Dims batch;
  i64 count = 1;  // of matrices
  i64 rows = 0, columns = 0;

  i64 rank() const { return std::min(rows, columns); }
  i64 size() const { return rows * columns; }
  Shape With(ElementType type, std::initializer_list<i64> dims) const {
    Dims all = batch;
    all.insert(all.end(), dims);
    return Shape(type, std::move(all));
  }
};

template <typename T>
StatusOr<MatrixShape> MatricesOf(const CustomCallInvocation& invocation, i64 index) {
  const Shape& shape = invocation.operands[index].shape();
  if (shape.type() != kTypeOf<T>) {
    return InvalidArgument(StrCat("operand ", index, " must be of type ", Name(kTypeOf<T>),
                                  ", not ", shape.ToString()));
  }
  if (shape.rank() < 2) {
    return InvalidArgument(StrCat("operand ", index, " must be a matrix, not ", shape.ToString()));
  }
  MatrixShape matrices;
  matrices.batch.assign(shape.dims().begin(), shape.dims().end() - 2);
  matrices.rows = shape.dim(shape.rank() - 2);
  matrices.columns = shape.dim(shape.rank() - 1);
  matrices.count = matrices.size() == 0 ? 0 : shape.num_elements() / matrices.size();
  return matrices;
}

template <typename T>
StatusOr<MatrixShape> SquareMatricesOf(const CustomCallInvocation& invocation, i64 index) {
  AXLE_ASSIGN(MatrixShape matrices, MatricesOf<T>(invocation, index));
  if (matrices.rows != matrices.columns) {
    return InvalidArgument(StrCat("operand ", index, " must be square but is ", matrices.rows,
                                  " by ", matrices.columns));
  }
  return matrices;
}

// Zeros of these shapes, which the instruction must declare as its result.
StatusOr<std::vector<Literal>> MakeResults(const CustomCallInvocation& invocation,
                                           std::vector<Shape> shapes) {
  const bool is_tuple = shapes.size() > 1;
  const Shape expected = is_tuple ? Shape::Tuple(shapes) : shapes[0];
  if (!Compatible(*invocation.result_shape, expected)) {
    return InvalidArgument(
        StrCat("gives ", expected.ToString(), ", not ", invocation.result_shape->ToString()));
  }
  std::vector<Literal> results;
  for (const Shape& shape : shapes) {
    AXLE_ASSIGN(Literal result, Literal::Create(shape));
    results.push_back(std::move(result));
  }
  return results;
}

// One of the letters in `allowed`, from the attribute `name`.
StatusOr<char> Letter(const CustomCallAttributes& attributes, std::string_view name,
                      std::string_view allowed) {
  AXLE_ASSIGN(const i64 value, attributes.Integer(name));
  for (char letter : allowed) {
    if (value == letter) return letter;
  }
  return InvalidArgument(StrCat("attribute ", name, " is ", value, ", must be the code of one of ",
                                Join(std::vector<std::string_view>{allowed}, "")));
}

template <typename T>
T* Data(Literal& literal) {
  return reinterpret_cast<T*>(literal.mutable_bytes());
}
template <typename T>
const T* Data(const Literal& literal) {
  return reinterpret_cast<const T*>(literal.bytes());
}
std::span<std::int32_t> Integers(Literal& literal) {
  return literal.mutable_data<std::int32_t>();
}

// Memory for `copies` arrays of `elements` elements beside the results.
template <typename T>
i64 BytesFor(i64 elements, i64 copies) {
  const std::optional<i64> bytes = CheckedMul(elements, copies * i64{sizeof(T)});
  return bytes.value_or(std::numeric_limits<i64>::max());
}

// potrf(a) -> (factor, info): the triangle uplo of a becomes its Cholesky factor, the other one
// stays. info: the order of the leading minor that is not positive definite.
template <typename T>
StatusOr<Literal> CallPotrf(const CustomCallInvocation& invocation, const EvalContext&) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, SquareMatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(const CustomCallAttributes attributes, invocation.Attributes());
  AXLE_ASSIGN(const char uplo, Letter(attributes, "uplo", "LU"));
  AXLE_ASSIGN(auto results,
              MakeResults(invocation, {invocation.operands[0].shape(), m.With(S32, {})}));
  results[0] = std::move(invocation.operands[0]);
  T* data = Data<T>(results[0]);
  for (i64 i = 0; i < m.count; ++i) {
    const Matrix<T> a(data + i * m.size(), m.rows, m.rows);
    i64 failed = -1;
    if (uplo == 'U') Adjoint(a);
    AXLE_TRY(CholeskyLower(a, invocation.limits, failed));
    for (i64 k = m.rows - 1; k >= 0; --k) {
      if (a(k, k) == T() && (failed < 0 || k < failed)) failed = k;
    }
    if (uplo == 'U') Adjoint(a);
    Integers(results[1])[i] = static_cast<std::int32_t>(failed + 1);
  }
  return Literal::Tuple(std::move(results));
}

// trsm(a, b) -> x: op(a) x = b, or x op(a) = b.
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
  const ScratchMemory scratch(context, BytesFor<T>(m.size(), 1));
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
template <typename T>
StatusOr<Literal> CallGetrf(const CustomCallInvocation& invocation, const EvalContext&) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, MatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(auto results, MakeResults(invocation, {invocation.operands[0].shape(),
                                                     m.With(S32, {m.rank()}), m.With(S32, {})}));
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
StatusOr<Literal> CallGeqrf(const CustomCallInvocation& invocation, const EvalContext&) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  AXLE_ASSIGN(const MatrixShape m, MatricesOf<T>(invocation, 0));
  AXLE_ASSIGN(auto results, MakeResults(invocation, {invocation.operands[0].shape(),
                                                     m.With(kTypeOf<T>, {m.rank()})}));
  results[0] = std::move(invocation.operands[0]);
  T *data = Data<T>(results[0]), *taus = Data<T>(results[1]);
  for (i64 i = 0; i < m.count; ++i) {
    AXLE_TRY(QrFactor(Matrix<T>(data + i * m.size(), m.rows, m.columns), taus + i * m.rank(),
                      invocation.limits));
  }
  return Literal::Tuple(std::move(results));
}

// orgqr(reflectors, taus) -> the first columns of Q.
template <typename T>
StatusOr<Literal> CallOrgqr(const CustomCallInvocation& invocation, const EvalContext&) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 2));
  AXLE_ASSIGN(const MatrixShape m, MatricesOf<T>(invocation, 0));
  const Shape& taus = invocation.operands[1].shape();
  const i64 count = taus.rank() == 0 ? -1 : taus.dims().back();
  if (!Compatible(taus, m.With(kTypeOf<T>, {count})) || count > m.rank() || m.rows < m.columns) {
    return InvalidArgument("the sizes of the reflectors and their factors do not go together");
  }
  AXLE_ASSIGN(auto results, MakeResults(invocation, {invocation.operands[0].shape()}));
  const T* factors = Data<T>(std::as_const(invocation.operands[1]));
  // The reflectors are only read.
  T* reflectors = Data<T>(invocation.operands[0]);
  for (i64 i = 0; i < m.count; ++i) {
    const Matrix<T> q(Data<T>(results[0]) + i * m.size(), m.rows, m.columns);
    SetIdentity(q);
    AXLE_TRY(ApplyQ(Matrix<T>(reflectors + i * m.size(), m.rows, m.columns), factors + i * count,
                    count, q, invocation.limits));
  }
  return std::move(results[0]);
}

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
  const ScratchMemory scratch(context, BytesFor<T>(m.size(), 3));
  AXLE_TRY(scratch.status());
  std::vector<T> rows(m.count == 0 ? 0 : m.size());
  const Matrix<T> vectors(rows.data(), n, n);
  T* data = Data<T>(invocation.operands[0]);
  for (i64 i = 0; i < m.count; ++i) {
    const Matrix<T> a(data + i * m.size(), n, n);
    FillHermitian(a, uplo == 'L');
    bool converged = true;
    AXLE_TRY(HermitianEigen(a, Data<P>(results[1]) + i * n, vectors, invocation.limits, converged));
    Integers(results[2])[i] = converged ? 0 : 1;
    if (mode == 'N') continue;
    const Matrix<T> out(Data<T>(results[0]) + i * m.size(), n, n);
    for (i64 j = 0; j < n; ++j) {
      for (i64 k = 0; k < n; ++k) out(k, j) = vectors(j, k);
    }
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

  // `u` and `vh` may be without memory: then they are not wanted.
  Status Run(const Matrix<T>& a, PartType<T>* values, const Matrix<T>& u, const Matrix<T>& vh,
             Limits* limits, bool& converged) {
    const Matrix<T> work(a_.data(), tall_, rank_), left(u_.data(), tall_, num_vectors_),
        right(vh_.data(), rank_, rank_);
    if (is_wide_) {
      AdjointInto(a, work);
    } else {
      std::copy_n(a.data, tall_ * rank_, work.data);
    }
    AXLE_TRY(TallSvd(work, values, left, right, limits, converged));
    if (u.data == nullptr) return {};
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

// gesdd(a) -> (unspecified, singular values, U, V^H, info), mode 'A' with square U and V, 'S' with
// min(rows, columns) vectors each, 'N' without vectors: U and V^H are then zero, of any shape.
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
  const ScratchMemory scratch(context,
                              BytesFor<T>(m.count == 0 ? 0 : tall * (num_vectors + 5 * k), 1));
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

// Qr and ProductOfElementaryHouseholderReflectors take any of the four types.
template <template <typename> typename Call>
StatusOr<Literal> OfAnyType(const CustomCallInvocation& invocation, const EvalContext& context) {
  if (invocation.operands.empty()) return InvalidArgument("takes an operand");
  switch (invocation.operands[0].shape().type()) {
    case F32:
      return Call<float>::Run(invocation, context);
    case F64:
      return Call<double>::Run(invocation, context);
    case C64:
      return Call<std::complex<float>>::Run(invocation, context);
    case C128:
      return Call<std::complex<double>>::Run(invocation, context);
    default:
      return InvalidArgument("takes f32, f64, c64 or c128");
  }
}
template <typename T>
struct Geqrf {
  static constexpr auto* Run = &CallGeqrf<T>;
};
template <typename T>
struct Orgqr {
  static constexpr auto* Run = &CallOrgqr<T>;
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
    {"lapack_ssyevd_ffi", CallSyevd<float>},
    {"lapack_dsyevd_ffi", CallSyevd<double>},
    {"lapack_cheevd_ffi", CallSyevd<std::complex<float>>},
    {"lapack_zheevd_ffi", CallSyevd<std::complex<double>>},
    {"lapack_sgesdd_ffi", CallGesdd<float>},
    {"lapack_dgesdd_ffi", CallGesdd<double>},
    {"lapack_cgesdd_ffi", CallGesdd<std::complex<float>>},
    {"lapack_zgesdd_ffi", CallGesdd<std::complex<double>>},
};

}  // namespace

std::span<const BuiltinCustomCall> LapackCustomCalls() {
  return kCalls;
}

}  // namespace axle
