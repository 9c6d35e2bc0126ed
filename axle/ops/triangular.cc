// cholesky, triangular-solve: the linear algebra that HLO has ops for. The algorithms are in
// linear_algebra.h.
//
// The rows check shapes and call the algorithms matrix by matrix; a batch is a run of matrices in
// memory. Narrow floats are computed in f32. A Cholesky factor of the upper triangle is computed on
// the adjoint, so that one algorithm serves both.
#include <cstring>

#include "axle/linalg/linear_algebra.h"
#include "axle/ops/contraction.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/scratch_memory.h"

namespace axle {

extern const OpDef kCholeskyDef, kTriangularSolveDef;

namespace {

constexpr OperandSpec kCholeskyOperands[] = {{"a"}};
constexpr AttrSpec kCholeskyAttrs[] = {
    Attr<&CholeskyAttrs::lower>("lower", {62, 1}, Presence::kOptional),
};
constexpr OperandSpec kSolveOperands[] = {{"a"}, {"b"}};
constexpr AttrSpec kSolveAttrs[] = {
    Attr<&TriangularSolveAttrs::left_side>("left_side", {59, 1}, Presence::kOptional),
    Attr<&TriangularSolveAttrs::lower>("lower", {59, 2}, Presence::kOptional),
    Attr<&TriangularSolveAttrs::unit_diagonal>("unit_diagonal", {59, 3}, Presence::kOptional),
    Attr<&TriangularSolveAttrs::transpose_a>("transpose_a", {59, 4}, Presence::kOptional),
};

ElementType ComputedType(ElementType type) {
  return IsNarrowFloat(type) ? F32 : type;
}

// fn.operator()<T>() with the C++ type of f32, f64, c64 or c128.
template <typename Fn>
auto DispatchScalar(ElementType type, Fn&& fn) {
  switch (type) {
    case F32:
      return fn.template operator()<float>();
    case F64:
      return fn.template operator()<double>();
    case C64:
      return fn.template operator()<std::complex<float>>();
    default:
      return fn.template operator()<std::complex<double>>();
  }
}

// `a` is a matrix, or an array of them, that is square.
Status CheckSquare(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& a = inst.operand(0)->shape();
  if (!Accepts(kFloatsOrComplexes, a.type())) {
    return OpError(inst, "takes floats or complex numbers only");
  }
  if (a.rank() < 2) return OpError(inst, StrCat("a has rank ", a.rank(), ", must be >= 2"));
  const i64 rows = a.dim(a.rank() - 2), columns = a.dim(a.rank() - 1);
  if (rows != columns) {
    return OpError(inst, StrCat("a must be square but is ", rows, " by ", columns));
  }
  return {};
}

StatusOr<Shape> InferCholesky(const Instruction& inst) {
  AXLE_TRY(CheckSquare(inst));
  return inst.operand(0)->shape().WithoutLayout();
}

// `failed` is the first row whose pivot has no square root; the result of such a matrix is NaN, as
// in XLA.
template <typename T>
Status CholeskyOfAll(Literal& matrices, i64 n, bool lower, Limits* limits) {
  T* data = reinterpret_cast<T*>(matrices.mutable_bytes());
  const i64 count = matrices.num_elements() / (n * n);
  for (i64 i = 0; i < count; ++i) {
    const Matrix<T> a(data + i * n * n, n, n);
    if (!lower) Adjoint(a);
    i64 failed = -1;
    AXLE_TRY(CholeskyLower(a, limits, failed));
    if (failed >= 0) {
      const T nan = std::numeric_limits<PartType<T>>::quiet_NaN();
      std::fill(a.data, a.data + n * n, nan);
      continue;
    }
    if (!lower) Adjoint(a);
    ClearTriangle(a, /*above=*/lower);
    for (i64 k = 0; k < n; ++k) a(k, k) = RealPart(a(k, k));  // the adjoint made it x - 0 i
  }
  return {};
}

// The result reuses the storage of the converted operand: the factor is computed in place.
StatusOr<Literal> EvalCholesky(const Instruction& inst, std::span<Literal> operands,
                               const EvalContext& context) {
  const ElementType type = operands[0].shape().type();
  const i64 n = operands[0].shape().dims().back();
  if (operands[0].num_elements() == 0) return std::move(operands[0]);
  const i64 scratch_bytes = DispatchScalar(
      ComputedType(type), [&]<typename T>() { return FactorScratch<T>(n, n) * i64{sizeof(T)}; });
  const ScratchMemory scratch(context, scratch_bytes);
  AXLE_TRY(scratch.status());
  AXLE_ASSIGN(Literal result, ConvertIfNeeded(operands[0], ComputedType(type)));
  operands[0] = Literal();
  const bool lower = inst.attrs<CholeskyAttrs>().lower;
  AXLE_TRY(DispatchScalar(ComputedType(type), [&]<typename T>() {
    return CholeskyOfAll<T>(result, n, lower, context.limits);
  }));
  return ConvertIfNeeded(result, type);
}

// `shared` is the dimension of b along which a is multiplied.
StatusOr<Shape> InferTriangularSolve(const Instruction& inst) {
  AXLE_TRY(CheckSquare(inst));
  AXLE_TRY(ExpectArray(inst, 1));
  const Shape &a = inst.operand(0)->shape(), &b = inst.operand(1)->shape();
  const auto& attrs = inst.attrs<TriangularSolveAttrs>();
  if (a.type() != b.type()) return OpError(inst, "a and b must have the same element type");
  if (a.rank() != b.rank()) {
    return OpError(inst, StrCat("a has rank ", a.rank(), " but b has rank ", b.rank()));
  }
  const i64 rank = a.rank(), shared = attrs.left_side ? rank - 2 : rank - 1;
  if (a.dim(rank - 1) != b.dim(shared)) {
    return OpError(inst, StrCat("a has size ", a.dim(rank - 1), " but dimension ", shared,
                                " of b, which it is solved along, has size ", b.dim(shared)));
  }
  for (i64 d = 0; d < rank - 2; ++d) {
    if (a.dim(d) == b.dim(d)) continue;
    return OpError(inst, StrCat("batch dimension ", d, " has size ", a.dim(d), " in a but ",
                                b.dim(d), " in b"));
  }
  if (attrs.transpose_a == TransposeOption::kInvalid) {
    return OpError(inst, "transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  }
  return b.WithoutLayout();
}

// The attribute says how a is read; its transpose is not formed here.
template <typename T>
Status SolveAll(const Literal& a, const TriangularSolveAttrs& attrs, Literal& b, Limits* limits) {
  const i64 rank = a.shape().rank(), n = a.shape().dims().back();
  const i64 rows = b.shape().dim(rank - 2), columns = b.shape().dim(rank - 1);
  const T* source = reinterpret_cast<const T*>(a.bytes());
  T* data = reinterpret_cast<T*>(b.mutable_bytes());
  const i64 count = b.num_elements() / (rows * columns);
  const MatrixForm form = attrs.transpose_a == TransposeOption::kNoTranspose ? MatrixForm::kAsIs
                          : attrs.transpose_a == TransposeOption::kTranspose
                              ? MatrixForm::kTranspose
                              : MatrixForm::kAdjoint;
  std::vector<T> copy;
  for (i64 i = 0; i < count; ++i) {
    const Matrix<T> x(data + i * rows * columns, rows, columns);
    AXLE_TRY(SolveTriangular(source + i * n * n, form, attrs.left_side, attrs.lower,
                             attrs.unit_diagonal, x, copy, limits));
  }
  return {};
}

// The solution replaces the right sides in place.
StatusOr<Literal> EvalTriangularSolve(const Instruction& inst, std::span<Literal> operands,
                                      const EvalContext& context) {
  const ElementType type = operands[0].shape().type(), computed = ComputedType(type);
  if (operands[1].num_elements() == 0) return std::move(operands[1]);
  const Shape& b = operands[1].shape();
  const i64 n = operands[0].shape().dims().back();
  const i64 scratch_bytes = DispatchScalar(computed, [&]<typename T>() {
    return SolveScratch<T>(n, b.dim(b.rank() - 2), b.dim(b.rank() - 1)) * i64{sizeof(T)};
  });
  const ScratchMemory scratch(context, scratch_bytes);
  AXLE_TRY(scratch.status());
  AXLE_ASSIGN(const Literal a, ConvertIfNeeded(operands[0], computed));
  AXLE_ASSIGN(Literal result, ConvertIfNeeded(operands[1], computed));
  operands[1] = Literal();
  AXLE_TRY(DispatchScalar(computed, [&]<typename T>() {
    return SolveAll<T>(a, inst.attrs<TriangularSolveAttrs>(), result, context.limits);
  }));
  return ConvertIfNeeded(result, type);
}

}  // namespace

const OpDef kCholeskyDef = {
    .opcode = Opcode::kCholesky,
    .text = "cholesky",
    .summary = "The triangular factor of a Hermitian positive definite matrix.",
    .semantics =
        "With lower=true a lower triangular L with a = L L^H, else an upper triangular U with a = "
        "U^H U. The last two dimensions are the matrix, those before them a batch. Only the "
        "triangle that is named is read, and of a complex diagonal only the real part; the other "
        "triangle of the result is zero. If the square root of a pivot is NaN, as for a matrix "
        "that is not positive definite, every element of that matrix's result is NaN. A pivot of "
        "zero divides: the elements below it become infinities or NaN. Column by column, L[j][j] "
        "= sqrt(a[j][j] - sum |L[j][k]|^2) and L[i][j] = (a[i][j] - sum L[i][k] conj(L[j][k])) / "
        "L[j][j], where a sum starts from the element of a and takes its products by fma in "
        "increasing k. U is the adjoint of the L of the adjoint of a. Narrow floats are computed "
        "in f32 and rounded at the end. Padding of dynamic dimensions takes no part.",
    .source = "XLA Cholesky; StableHLO cholesky; docs/numerics.md N10",
    .operands = kCholeskyOperands,
    .attrs = Schema<CholeskyAttrs>(kCholeskyAttrs),
    .lowering = Lowering::kLinearAlgebra,
    .accuracy = "the bits of docs/numerics.md N10",
    .infer = InferCholesky,
    .eval = EvalCholesky,
};

const OpDef kTriangularSolveDef = {
    .opcode = Opcode::kTriangularSolve,
    .text = "triangular-solve",
    .summary = "Solves systems of equations with a triangular matrix.",
    .semantics =
        "left_side=true solves op(a) x = b, else x op(a) = b, where op(a) is a itself, its "
        "transpose or its adjoint, as transpose_a says. `lower` says which triangle of a, before "
        "that, holds the matrix; the other one is not read. With unit_diagonal the diagonal counts "
        "as 1 and is not read either. The last two dimensions are matrices, those before them a "
        "batch. Unknowns are found one after the other by substitution: b minus its products with "
        "the unknowns found before, subtracted by fma in the order in which they were found, "
        "divided by the diagonal element; a zero there gives infinities and NaN. Narrow floats are "
        "computed in f32 and rounded at the end. Padding of dynamic dimensions takes no part.",
    .source = "XLA TriangularSolve; StableHLO triangular_solve; docs/numerics.md N10",
    .operands = kSolveOperands,
    .attrs = Schema<TriangularSolveAttrs>(kSolveAttrs),
    .lowering = Lowering::kLinearAlgebra,
    .accuracy = "the bits of docs/numerics.md N10",
    .infer = InferTriangularSolve,
    .eval = EvalTriangularSolve,
};

}  // namespace axle
