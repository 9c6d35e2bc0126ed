#include "axle/lib/matrix.h"

#include <algorithm>
#include <numeric>

#include "axle/lib/compose.h"
#include "axle/lib/constants.h"

namespace axle {
namespace {

// Rows and columns of a checked operand.
i64 Rows(const Shape& shape) {
  return shape.dim(shape.rank() - 2);
}
i64 Columns(const Shape& shape) {
  return shape.dim(shape.rank() - 1);
}

Status CheckMatrix(std::string_view function, XlaOp x) {
  const Shape& shape = ShapeOfOp(x);
  return TakesOnly(function, shape.is_array() && shape.rank() >= 2,
                   "an array of at least two dimensions", x);
}

// column - row, at each place of a matrix.
XlaOp DiagonalNumbers(XlaBuilder& b, i64 m, i64 n, const Location& location) {
  const Shape shape(S64, {m, n});
  return Sub(Iota(&b, shape, 1, location), Iota(&b, shape, 0, location), {}, location);
}

// A pred [m, n] repeated over the batches of x.
XlaOp InShapeOf(XlaOp mask, XlaOp x, const Location& location) {
  const Dims& dims = ShapeOfOp(x).dims();
  return Broadcast(mask, ArraySlice<i64>(dims.data(), dims.size() - 2), location);
}

i64 DiagonalLength(const Shape& shape, i64 k) {
  // Beyond any matrix; so that nothing overflows below.
  k = std::clamp<i64>(k, -Rows(shape), Columns(shape));
  return std::max<i64>(
      0, std::min(Rows(shape) + std::min<i64>(k, 0), Columns(shape) - std::max<i64>(k, 0)));
}

template <typename Condition>
XlaOp Mask(std::string_view function, XlaOp x, const Location& location, Condition condition) {
  return Compose(function, {x}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_TRY(CheckMatrix(function, x));
    const Shape& shape = ShapeOfOp(x);
    return InShapeOf(condition(b, DiagonalNumbers(b, Rows(shape), Columns(shape), location)), x,
                     location);
  });
}

}  // namespace

XlaOp IdentityMatrix(XlaBuilder* builder, PrimitiveType type, i64 m, i64 n, Location location) {
  const XlaOp numbers = DiagonalNumbers(*builder, m, n, location);
  return ConvertElementType(Eq(numbers, Zero(builder, S64, location), {}, location), type,
                            location);
}

XlaOp GetDiagonalMask(XlaOp x, i64 diagonal, Location location) {
  return Mask("diagonal mask", x, location, [&](XlaBuilder& b, XlaOp numbers) {
    return Eq(numbers, ConstantR0<i64>(&b, diagonal, location), {}, location);
  });
}

XlaOp TriangleMask(XlaOp x, i64 diagonal, Location location) {
  return Mask("triangle mask", x, location, [&](XlaBuilder& b, XlaOp numbers) {
    return Le(numbers, ConstantR0<i64>(&b, diagonal, location), {}, location);
  });
}

XlaOp GetMatrixDiagonal(XlaOp x, i64 k, Location location) {
  return GetMatrixDiagonalViaGather(x, k, location);
}

XlaOp GetMatrixDiagonalViaGather(XlaOp x, i64 k, Location location) {
  return Compose("matrix diagonal", {x}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_TRY(CheckMatrix("matrix diagonal", x));
    const Shape& shape = ShapeOfOp(x);
    const i64 batches = shape.rank() - 2, length = DiagonalLength(shape, k);
    const XlaOp positions = Iota(&b, Shape(S64, {length, 1}), 0, location);
    const auto from = [&](i64 start) {
      return Add(positions, ConstantR0<i64>(&b, start, location), {}, location);
    };
    // A diagonal outside of the matrix may have any number, even one that has no negative.
    const i64 inside = length == 0 ? 0 : k;
    const XlaOp indices = ConcatInDim(
        &b, {from(std::max<i64>(-inside, 0)), from(std::max<i64>(inside, 0))}, 1, location);
    GatherDimensionNumbers numbers;
    for (i64 d = 0; d < batches; ++d) numbers.offset_dims.push_back(d);
    numbers.collapsed_slice_dims = numbers.start_index_map = {batches, batches + 1};
    numbers.index_vector_dim = 1;
    Dims sizes = shape.dims();
    // There may be no row or column to take one of, and then there is no diagonal either.
    sizes[static_cast<size_t>(batches)] = std::min<i64>(1, Rows(shape));
    sizes[static_cast<size_t>(batches + 1)] = std::min<i64>(1, Columns(shape));
    if (length == 0) {
      Dims none = shape.dims();
      none.resize(static_cast<size_t>(batches));
      none.push_back(0);
      return Broadcast(Zero(&b, shape.type(), location), none, location);
    }
    return Gather(x, indices, numbers, sizes, true, location);
  });
}

XlaOp SetMatrixDiagonal(XlaOp matrix, XlaOp diag, i64 k, Location location) {
  constexpr std::string_view kName = "set matrix diagonal";
  return Compose(kName, {matrix, diag}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_TRY(CheckMatrix(kName, matrix));
    const Shape &shape = ShapeOfOp(matrix), &diagonal = ShapeOfOp(diag);
    const i64 rank = shape.rank();
    Dims wanted = shape.dims();
    wanted.pop_back();
    wanted.back() = DiagonalLength(shape, k);
    if (diagonal.dims() != wanted || diagonal.type() != shape.type()) {
      return InvalidArgument(StrCat(kName, ": diagonal ", k, " must be ",
                                    Shape(shape.type(), wanted).ToString(), "; matrix ",
                                    shape.ToString(), ", diagonal ", diagonal.ToString()));
    }
    // The element at (i, j) of diagonal k is number min(i, j) of it.
    const i64 along = k >= 0 ? rank - 2 : rank - 1;
    const XlaOp padded = PadInDim(diag, Zero(&b, shape.type(), location), rank - 2, 0,
                                  shape.dim(along) - wanted.back(), location);
    Dims to(static_cast<size_t>(rank - 1));
    std::iota(to.begin(), to.end(), 0);
    to.back() = along;
    return Select(GetDiagonalMask(matrix, k, location),
                  BroadcastInDim(padded, shape.dims(), to, location), matrix, location);
  });
}

XlaOp Triangle(XlaOp x, bool lower, Location location) {
  return Compose("triangle", {x}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    AXLE_TRY(CheckMatrix("triangle", x));
    const XlaOp mask =
        lower ? TriangleMask(x, 0, location) : Not(TriangleMask(x, -1, location), location);
    return Select(mask, x, ZerosLike(x, location), location);
  });
}
XlaOp UpperTriangle(XlaOp x, Location location) {
  return Triangle(x, false, location);
}
XlaOp LowerTriangle(XlaOp x, Location location) {
  return Triangle(x, true, location);
}

XlaOp Symmetrize(XlaOp x, bool lower, Location location) {
  return Compose("symmetrize", {x}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_TRY(CheckMatrix("symmetrize", x));
    const Shape& shape = ShapeOfOp(x);
    AXLE_TRY(TakesOnly("symmetrize", Rows(shape) == Columns(shape), "square matrices", x));
    const XlaOp keep =
        lower ? TriangleMask(x, 0, location) : Not(TriangleMask(x, -1, location), location);
    XlaOp mirrored = TransposeInMinorDims(x, location);
    if (!IsComplex(shape.type())) return Select(keep, x, mirrored, location);
    const XlaOp result = Select(keep, x, Conj(mirrored, location), location);
    const XlaOp real = Real(result, location);
    const XlaOp imag =
        Select(GetDiagonalMask(x, 0, location), Zero(&b, PartOf(shape.type()), location),
               Imag(result, location), location);
    return Complex(real, imag, {}, location);
  });
}

XlaOp TransposeInMinorDims(XlaOp x, Location location) {
  return Compose("transpose in minor dims", {x}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    AXLE_TRY(CheckMatrix("transpose in minor dims", x));
    Dims permutation(ShapeOfOp(x).dims().size());
    std::iota(permutation.begin(), permutation.end(), 0);
    std::swap(permutation.back(), permutation[permutation.size() - 2]);
    return Transpose(x, permutation, location);
  });
}

XlaOp MaybeTransposeInMinorDims(XlaOp x, bool transpose, Location location) {
  return transpose ? TransposeInMinorDims(x, location) : x;
}

XlaOp BatchDot(XlaOp x, XlaOp y, Precision precision,
               std::optional<PrimitiveType> preferred_element_type, Location location) {
  return BatchDot(x, false, y, false, precision, preferred_element_type, location);
}

XlaOp BatchDot(XlaOp x, bool transpose_x, XlaOp y, bool transpose_y, Precision precision,
               std::optional<PrimitiveType> preferred_element_type, Location location) {
  const std::string config =
      StrCat("...", transpose_x ? "km" : "mk", ",...", transpose_y ? "nk" : "kn", "->...mn");
  return Einsum(x, y, config, precision, preferred_element_type, location);
}

}  // namespace axle
