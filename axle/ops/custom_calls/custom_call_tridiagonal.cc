// Built-in custom calls for tridiagonal systems: lapack_{s,d,c,z}gtsv_ffi and
// tridiagonal_solve_perturbed_ffi, which JAX makes for lax.linalg.tridiagonal_solve.
//
// The three diagonals and the right sides share their batch dimensions. gtsv overwrites the
// diagonals by those of U, as LAPACK does; the perturbed solver replaces pivots that are too small
// and therefore always gives finite results.
#include "axle/linalg/tridiagonal.h"
#include "axle/ops/custom_calls/lapack_call.h"

namespace axle {
namespace {

// The right sides of (below, diagonal, above, right sides).
// The diagonals have one element per row, also those of which one is not used.
template <typename T>
StatusOr<MatrixShape> CheckSystem(const CustomCallInvocation& invocation) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 4));
  AXLE_ASSIGN(const MatrixShape right, MatricesOf<T>(invocation, 3));
  const Shape diagonal = right.With(kTypeOf<T>, {right.rows});
  for (i64 i = 0; i < 3; ++i) {
    const Shape& shape = invocation.operands[i].shape();
    if (Compatible(shape, diagonal)) continue;
    return InvalidArgument(StrCat("operand ", i, " is ", shape.ToString(),
                                  " but the right sides are of systems with ",
                                  diagonal.ToString()));
  }
  return right;
}

// gtsv(below, diagonal, above, b) -> (three diagonals of U, x, info): info is the first pivot that
// is zero.
template <typename T>
StatusOr<Literal> CallGtsv(const CustomCallInvocation& invocation, const EvalContext&) {
  AXLE_ASSIGN(const MatrixShape right, CheckSystem<T>(invocation));
  const Shape diagonal = right.With(kTypeOf<T>, {right.rows});
  AXLE_ASSIGN(auto results,
              MakeResults(invocation, {diagonal, diagonal, diagonal,
                                       right.With(kTypeOf<T>, {right.rows, right.columns}),
                                       right.With(S32, {})}));
  for (i64 i = 0; i < 4; ++i) results[i] = std::move(invocation.operands[i]);
  const i64 n = right.rows;
  for (i64 i = 0; i < right.count; ++i) {
    AXLE_TRY(CheckLimits(invocation.limits));
    const i64 failed = SolveTridiagonal(
        Data<T>(results[0]) + i * n, Data<T>(results[1]) + i * n, Data<T>(results[2]) + i * n,
        Matrix<T>(Data<T>(results[3]) + i * right.size(), n, right.columns));
    Integers(results[4])[i] = static_cast<std::int32_t>(failed);
  }
  return Literal::Tuple(std::move(results));
}

// The same operands -> x, which is finite also where the matrix is singular.
template <typename T>
StatusOr<Literal> CallPerturbed(const CustomCallInvocation& invocation,
                                const EvalContext& context) {
  AXLE_ASSIGN(const MatrixShape right, CheckSystem<T>(invocation));
  AXLE_ASSIGN(auto results,
              MakeResults(invocation, {right.With(kTypeOf<T>, {right.rows, right.columns})}));
  const ScratchMemory scratch(context, BytesFor<T>(right.count == 0 ? 0 : right.rows, 5));
  AXLE_TRY(scratch.status());
  results[0] = std::move(invocation.operands[3]);
  const auto diagonal = [&](i64 operand, i64 i) {
    return Data<T>(std::as_const(invocation.operands[operand])) + i * right.rows;
  };
  for (i64 i = 0; i < right.count; ++i) {
    const PerturbedTridiagonal<T> system(diagonal(0, i), diagonal(1, i), diagonal(2, i),
                                         right.rows);
    T* x = Data<T>(results[0]) + i * right.size();
    for (i64 j = 0; j < right.columns; ++j) {
      AXLE_TRY(CheckLimits(invocation.limits));
      system.Solve(x + j, right.columns);
    }
  }
  return std::move(results[0]);
}
template <typename T>
struct Perturbed {
  static constexpr auto* kRun = &CallPerturbed<T>;
};

constexpr BuiltinCustomCall kCalls[] = {
    {"lapack_sgtsv_ffi", CallGtsv<float>},
    {"lapack_dgtsv_ffi", CallGtsv<double>},
    {"lapack_cgtsv_ffi", CallGtsv<std::complex<float>>},
    {"lapack_zgtsv_ffi", CallGtsv<std::complex<double>>},
    {"tridiagonal_solve_perturbed_ffi", OfAnyType<Perturbed>},
};

}  // namespace

std::span<const BuiltinCustomCall> TridiagonalCustomCalls() {
  return kCalls;
}

}  // namespace axle
