#include "axle/lib/linear_algebra.h"

#include <algorithm>
#include <array>

#include "axle/lib/arithmetic.h"
#include "axle/lib/compose.h"
#include "axle/lib/constants.h"
#include "axle/lib/loops.h"
#include "axle/lib/matrix.h"
#include "axle/lib/slicing.h"

namespace axle {
namespace {

// A matrix operand that was checked, and its sizes.
struct Matrices {
  Dims batch;
  i64 m = 0, n = 0;
  PrimitiveType type = F32;
  i64 rank() const { return std::min(m, n); }
  // [batch.., sizes..] of the matrices' type or of another one.
  Shape With(PrimitiveType of, ArraySlice<i64> sizes) const {
    Dims dims = batch;
    dims.insert(dims.end(), sizes.begin(), sizes.end());
    return Shape(of, dims);
  }
  Shape With(ArraySlice<i64> sizes) const { return With(type, sizes); }
};

StatusOr<Matrices> CheckMatrices(std::string_view function, XlaOp a) {
  const Shape& shape = ShapeOfOp(a);
  const PrimitiveType type = shape.type();
  const bool fits =
      (PartOf(type) == F32 || PartOf(type) == F64) && shape.rank() >= 2 && shape.is_static();
  AXLE_TRY(TakesOnly(function, fits, "f32, f64, c64 or c128 of at least two static dimensions", a));
  Matrices matrices = {shape.dims(), 0, 0, type};
  matrices.n = matrices.batch.back();
  matrices.batch.pop_back();
  matrices.m = matrices.batch.back();
  matrices.batch.pop_back();
  return matrices;
}

// lapack_<letter of the type><real or complex routine>_ffi; of several results, a tuple.
XlaOp CallLapack(XlaBuilder& b, PrimitiveType type, std::string_view real, std::string_view complex,
                 ArraySlice<XlaOp> operands, std::vector<Shape> results, const std::string& config,
                 const Location& location) {
  const char* letter = type == F32 ? "s" : type == F64 ? "d" : type == C64 ? "c" : "z";
  return CustomCall(&b, StrCat("lapack_", letter, IsComplex(type) ? complex : real, "_ffi"),
                    operands, ShapeUtil::MakeMaybeTupleShape(std::move(results)),
                    StrCat("{", config, "}"), false, {}, nullptr, CustomCallSchedule::kNone,
                    CustomCallApi::kTyped, location);
}

// Runs `build`, which gives a tuple; the handles of its elements, all invalid after an error.
template <size_t kCount, typename Build>
std::array<XlaOp, kCount> ComposeTuple(std::string_view function, ArraySlice<XlaOp> operands,
                                       const Location& location, const Build& build) {
  const XlaOp tuple = Compose(function, operands, location, build);
  std::array<XlaOp, kCount> elements;
  elements.fill(tuple.valid() ? XlaOp() : tuple);
  if (!tuple.valid()) return elements;
  for (size_t i = 0; i < kCount; ++i) {
    elements[i] = GetTupleElement(tuple, static_cast<i64>(i), location);
  }
  return elements;
}

// L and U in one matrix, and the row that each row was swapped with, from 0.
std::pair<XlaOp, XlaOp> Factor(XlaBuilder& b, XlaOp a, const Matrices& matrices,
                               const Location& location) {
  const XlaOp call = CallLapack(
      b, matrices.type, "getrf", "getrf", {a},
      {ShapeOfOp(a), matrices.With(S32, {matrices.rank()}), matrices.With(S32, {})}, "", location);
  // LAPACK counts from 1.
  const XlaOp rows = Sub(GetTupleElement(call, 1, location),
                         ConstantR0<std::int32_t>(&b, 1, location), {}, location);
  return {GetTupleElement(call, 0, location), rows};
}

// The order of m rows after the swaps of rows i and pivots[.., i], one after another.
StatusOr<XlaOp> PermutationOf(XlaBuilder& b, XlaOp pivots, const Matrices& matrices,
                              const Location& location) {
  const Shape rows = matrices.With(S32, {matrices.m});
  const i64 last = rows.rank() - 1;
  if (matrices.rank() == 0) return Iota(&b, rows, last, location);
  const auto step = [&](XlaOp i, ArraySlice<XlaOp> values,
                        XlaBuilder* body) -> StatusOr<std::vector<XlaOp>> {
    const XlaOp &order = values[0], &pivots = values[1];
    const XlaOp numbers = Iota(body, rows, last, location);
    const XlaOp pivot = DynamicSliceInMinorDims(pivots, {i}, {1}, location);
    const XlaOp here = DynamicSliceInMinorDims(order, {i}, {1}, location);
    const XlaOp there = TorchGather(order, pivot, last, true, location);
    Dims all(static_cast<size_t>(rows.rank()));
    for (size_t d = 0; d < all.size(); ++d) all[d] = static_cast<i64>(d);
    const auto wide = [&](XlaOp column) {
      return BroadcastInDim(column, rows.dims(), all, location);
    };
    const XlaOp at_pivot = Eq(numbers, wide(pivot), {}, location);
    const XlaOp at_i = Eq(numbers, i, {}, location);
    const XlaOp swapped =
        Select(at_i, wide(there), Select(at_pivot, wide(here), order, location), location);
    return std::vector<XlaOp>{swapped, pivots};
  };
  AXLE_ASSIGN(const std::vector<XlaOp> ordered,
              ForEachIndex(matrices.rank(), S32, step, {Iota(&b, rows, last, location), pivots},
                           "lu_permutation", &b, location));
  return ordered[0];
}

}  // namespace

QrDecomposition Qr(XlaOp a, Location location) {
  const auto [q_and_r, taus] =
      ComposeTuple<2>("qr", {a}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
        AXLE_ASSIGN(const Matrices matrices, CheckMatrices("qr", a));
        return CallLapack(b, matrices.type, "geqrf", "geqrf", {a},
                          {ShapeOfOp(a), matrices.With({matrices.rank()})}, "", location);
      });
  return {q_and_r, taus};
}

XlaOp ProductOfElementaryHouseholderReflectors(XlaOp a, XlaOp taus, Location location) {
  constexpr std::string_view kName = "product of householder reflectors";
  return Compose(kName, {a, taus}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(const Matrices matrices, CheckMatrices(kName, a));
    const Shape& scales = ShapeOfOp(taus);
    const i64 count = scales.rank() > 0 ? scales.dims().back() : -1;
    if (count < 0 || matrices.m < matrices.n || count > matrices.n ||
        scales != matrices.With({count})) {
      return InvalidArgument(StrCat(kName,
                                    ": takes [.., m, n] with m >= n and taus [.., k] of its "
                                    "type with k <= n; operands ",
                                    ShapesOf({a, taus})));
    }
    return CallLapack(b, matrices.type, "orgqr", "ungqr", {a, taus}, {ShapeOfOp(a)}, "", location);
  });
}

void QrExplicit(XlaOp a, bool full_matrices, XlaOp& q, XlaOp& r, Location location) {
  const auto [q_part, r_part] =
      ComposeTuple<2>("qr", {a}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
        AXLE_ASSIGN(const Matrices matrices, CheckMatrices("qr", a));
        const i64 m = matrices.m, n = matrices.n, columns = full_matrices ? m : matrices.rank();
        const QrDecomposition qr = Qr(a, location);
        // The reflectors in a matrix of as many columns as Q: the first ones, or with zeros behind.
        XlaOp reflectors = SliceInMinorDims(qr.q_and_r, {0}, {std::min(columns, n)}, location);
        const XlaOp zero = Zero(&b, matrices.type, location);
        reflectors = PadInDim(reflectors, zero, ShapeOfOp(a).rank() - 1, 0,
                              columns - std::min(columns, n), location);
        const XlaOp upper =
            UpperTriangle(SliceInMinorDims(qr.q_and_r, {0, 0}, {columns, n}, location), location);
        return Tuple(
            &b, {ProductOfElementaryHouseholderReflectors(reflectors, qr.taus, location), upper},
            location);
      });
  q = q_part;
  r = r_part;
}

LuDecompositionResult LuDecomposition(XlaOp a, Location location) {
  const auto [lu, pivots, permutation] =
      ComposeTuple<3>("lu decomposition", {a}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
        AXLE_ASSIGN(const Matrices matrices, CheckMatrices("lu decomposition", a));
        const auto [factors, rows] = Factor(b, a, matrices, location);
        AXLE_ASSIGN(const XlaOp order, PermutationOf(b, rows, matrices, location));
        return Tuple(&b, {factors, rows, order}, location);
      });
  return {lu, pivots, permutation};
}

SignAndLogDet SLogDet(XlaOp a, Location location) {
  const auto [sign, logdet] =
      ComposeTuple<2>("slogdet", {a}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
        AXLE_ASSIGN(const Matrices matrices, CheckMatrices("slogdet", a));
        AXLE_TRY(TakesOnly("slogdet", matrices.m == matrices.n, "square matrices", a));
        const auto [factors, pivots] = Factor(b, a, matrices, location);
        const XlaOp diagonal = GetMatrixDiagonal(factors, 0, location);
        const auto last = static_cast<i64>(matrices.batch.size());
        // Each swap of two rows turns the sign.
        const XlaOp stays = Eq(pivots, Iota(&b, ShapeOfOp(pivots), last, location), {}, location);
        const XlaOp turns = Select(stays, FullLike(diagonal, 1.0f, location),
                                   FullLike(diagonal, -1.0f, location), location);
        const PrimitiveType real = PartOf(matrices.type);
        return Tuple(
            &b,
            {Reduce(Mul(Sign(diagonal, location), turns, {}, location),
                    One(&b, matrices.type, location),
                    CreateScalarMultiplyComputation(matrices.type, &b, location), {last}, location),
             Reduce(Log(Abs(diagonal, location), location), Zero(&b, real, location),
                    CreateScalarAddComputation(real, &b, location), {last}, location)},
            location);
      });
  return {sign, logdet};
}

XlaOp LogDet(XlaOp a, Location location) {
  return Compose("logdet", {a}, location, [&](XlaBuilder&) {
    const auto [sign, logdet] = SLogDet(a, location);
    const XlaOp magnitude = sign.valid() && IsComplex(ShapeOfOp(sign).type())
                                ? Complex(logdet, ZerosLike(logdet, location), {}, location)
                                : logdet;
    return Add(magnitude, Log(sign, location), {}, location);
  });
}

SelfAdjointEigResult SelfAdjointEig(XlaOp a, bool lower, i64, float, bool, Location location) {
  constexpr std::string_view kName = "self adjoint eig";
  const auto [v, w] = ComposeTuple<2>(kName, {a}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(const Matrices matrices, CheckMatrices(kName, a));
    AXLE_TRY(TakesOnly(kName, matrices.m == matrices.n, "square matrices", a));
    return CallLapack(
        b, matrices.type, "syevd", "heevd", {a},
        {ShapeOfOp(a), matrices.With(PartOf(matrices.type), {matrices.n}), matrices.With(S32, {})},
        StrCat("mode = ", int{'V'}, " : ui8, uplo = ", int{lower ? 'L' : 'U'}, " : ui8"), location);
  });
  return {v, w};
}

SVDResult SVD(XlaOp a, i64, float, Precision, Location location) {
  const auto [u, d,
              v] = ComposeTuple<3>("svd", {a}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(const Matrices matrices, CheckMatrices("svd", a));
    const i64 m = matrices.m, n = matrices.n;
    const XlaOp call =
        CallLapack(b, matrices.type, "gesdd", "gesdd", {a},
                   {ShapeOfOp(a), matrices.With(PartOf(matrices.type), {matrices.rank()}),
                    matrices.With({m, m}), matrices.With({n, n}), matrices.With(S32, {})},
                   StrCat("mode = ", int{'A'}, " : ui8"), location);
    XlaOp v = TransposeInMinorDims(GetTupleElement(call, 3, location), location);
    if (IsComplex(matrices.type)) v = Conj(v, location);
    return Tuple(&b, {GetTupleElement(call, 2, location), GetTupleElement(call, 1, location), v},
                 location);
  });
  return {u, d, v};
}

namespace tridiagonal {

StatusOr<XlaOp> TridiagonalSolver(SolverAlgorithm, XlaOp lower_diagonal, XlaOp main_diagonal,
                                  XlaOp upper_diagonal, XlaOp rhs, Location location) {
  constexpr std::string_view kName = "tridiagonal solver";
  const std::vector<XlaOp> operands = {lower_diagonal, main_diagonal, upper_diagonal, rhs};
  const XlaOp solution = Compose(kName, operands, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(const Matrices matrices, CheckMatrices(kName, rhs));
    const Shape diagonal = matrices.With({matrices.n});
    for (size_t i = 0; i < 3; ++i) {
      if (ShapeOfOp(operands[i]) == diagonal) continue;
      return InvalidArgument(StrCat(kName, ": the diagonals must be ", diagonal.ToString(),
                                    "; operands ", ShapesOf(operands)));
    }
    const XlaOp columns = TransposeInMinorDims(rhs, location);
    const XlaOp call = CallLapack(
        b, matrices.type, "gtsv", "gtsv", {lower_diagonal, main_diagonal, upper_diagonal, columns},
        {diagonal, diagonal, diagonal, ShapeOfOp(columns), matrices.With(S32, {})}, "", location);
    return TransposeInMinorDims(GetTupleElement(call, 3, location), location);
  });
  if (solution.valid()) return solution;
  if (solution.builder_or_null() == nullptr)
    return InvalidArgument(StrCat(kName, ": empty handles"));
  return solution.builder()->first_error();
}

}  // namespace tridiagonal
}  // namespace axle
