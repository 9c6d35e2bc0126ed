#include "axle/lib/neural.h"

#include "axle/lib/arithmetic.h"
#include "axle/lib/compose.h"
#include "axle/lib/constants.h"

namespace axle {
namespace {

StatusOr<i64> DimensionOf(std::string_view function, i64 dimension, i64 rank, XlaOp operand) {
  if (-rank <= dimension && dimension < rank) return dimension < 0 ? dimension + rank : dimension;
  return InvalidArgument(
      StrCat(function, ": there is no dimension ", dimension, "; operand ", ShapesOf({operand})));
}

// An operand of a function that works along one dimension, in f32 at least.
struct Line {
  XlaBuilder& b;
  PrimitiveType type;  // of the operand
  XlaOp x;             // in the type that is computed in
  i64 dimension;
  const Location& location;

  static StatusOr<Line> Of(std::string_view function, XlaOp operand, i64 dimension, XlaBuilder& b,
                           const Location& location) {
    const Shape& shape = ShapeOfOp(operand);
    AXLE_TRY(TakesOnly(function, shape.is_array() && IsFloating(shape.type()), "an array of floats",
                       operand));
    AXLE_ASSIGN(const i64 dim, DimensionOf(function, dimension, shape.rank(), operand));
    Line line{b, shape.type(), operand, dim, location};
    line.x = line.Wide(operand);
    return line;
  }
  XlaOp Wide(XlaOp op) const {
    return Info(type).bits < 32 ? ConvertElementType(op, F32, location) : op;
  }
  XlaOp Narrow(XlaOp op) const {
    return ShapeOfOp(op).type() == type ? op : ConvertElementType(op, type, location);
  }
  PrimitiveType wide_type() const { return ShapeOfOp(x).type(); }
  // The dimensions of x but the one along which it works.
  Dims Others() const {
    Dims others;
    for (i64 d = 0; d < ShapeOfOp(x).rank(); ++d) {
      if (d != dimension) others.push_back(d);
    }
    return others;
  }
  XlaOp Sum(XlaOp op) const {
    return Reduce(op, Zero(&b, wide_type(), location),
                  CreateScalarAddComputation(wide_type(), &b, location), {dimension}, location);
  }
  XlaOp LessMax() const {
    const XlaOp most =
        Reduce(x, MinValue(&b, wide_type(), location),
               CreateScalarMaxComputation(wide_type(), &b, location), {dimension}, location);
    return Sub(x, most, Others(), location);
  }
};

}  // namespace

XlaOp Relu(XlaOp x, Location location) {
  return Compose("relu", {x}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    const Shape& shape = ShapeOfOp(x);
    AXLE_TRY(TakesOnly("relu", shape.is_array() && !IsComplex(shape.type()),
                       "an array of real numbers", x));
    return Max(x, ScalarLike(x, 0, location), {}, location);
  });
}

XlaOp Softmax(XlaOp logits, i64 dimension, Location location) {
  return Compose("softmax", {logits}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(const Line line, Line::Of("softmax", logits, dimension, b, location));
    const XlaOp exp = Exp(line.LessMax(), location);
    return line.Narrow(Div(exp, line.Sum(exp), line.Others(), location));
  });
}

XlaOp LogSoftmax(XlaOp logits, i64 dimension, Location location) {
  return Compose("log softmax", {logits}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(const Line line, Line::Of("log softmax", logits, dimension, b, location));
    const XlaOp less = line.LessMax();
    const XlaOp log = Log(line.Sum(Exp(less, location)), location);
    return line.Narrow(Sub(less, log, line.Others(), location));
  });
}

XlaOp LayerNorm(XlaOp x, XlaOp scale, XlaOp offset, float epsilon, i64 dimension,
                Location location) {
  return Compose("layer norm", {x, scale, offset}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_ASSIGN(const Line line, Line::Of("layer norm", x, dimension, b, location));
    const Shape wanted(line.type, {ShapeOfOp(x).dim(line.dimension)});
    for (const XlaOp& factor : {scale, offset}) {
      if (Compatible(ShapeOfOp(factor), wanted)) continue;
      return InvalidArgument(StrCat("layer norm: scale and offset must be ", wanted.ToString(),
                                    "; operands ", ShapesOf({x, scale, offset})));
    }
    const Dims others = line.Others();
    const XlaOp size = GetDimensionSize(x, line.dimension, location);
    const XlaOp count = ConvertElementType(size, line.wide_type(), location);
    const XlaOp mean = Div(line.Sum(line.x), count, {}, location);
    const XlaOp centered = Sub(line.x, mean, others, location);
    const XlaOp variance =
        Div(line.Sum(Mul(centered, centered, {}, location)), count, {}, location);
    const XlaOp safe = Add(variance, ScalarLike(variance, epsilon, location), {}, location);
    const XlaOp normal = Mul(centered, Rsqrt(safe, location), others, location);
    const XlaOp scaled = Mul(normal, line.Wide(scale), {line.dimension}, location);
    return line.Narrow(Add(scaled, line.Wide(offset), {line.dimension}, location));
  });
}

XlaOp OneHot(XlaOp indices, i64 depth, PrimitiveType type, i64 axis, Location location) {
  return Compose("one hot", {indices}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    const Shape& shape = ShapeOfOp(indices);
    AXLE_TRY(TakesOnly("one hot", shape.is_array() && IsIntegral(shape.type()),
                       "an array of integers", indices));
    if (depth < 0 || !IsArrayType(type)) {
      return InvalidArgument(StrCat("one hot: cannot make ", Name(type), " of depth ", depth,
                                    "; operand ", shape.ToString()));
    }
    AXLE_ASSIGN(const i64 at, DimensionOf("one hot", axis, shape.rank() + 1, indices));
    // Wide enough for every position.
    const XlaOp wide = IsSigned(shape.type()) ? ConvertElementType(indices, S64, location)
                                              : ConvertElementType(indices, U64, location);
    Dims from;
    for (i64 d = 0; d <= shape.rank(); ++d) {
      if (d != at) from.push_back(d);
    }
    const XlaOp positions = Iota(&b, Shape(ShapeOfOp(wide).type(), {depth}), 0, location);
    Dims dims = shape.dims();
    dims.insert(dims.begin() + at, depth);
    const XlaOp is_there =
        Eq(BroadcastInDim(wide, dims, from, location), positions, {at}, location);
    return ConvertElementType(is_there, type, location);
  });
}

}  // namespace axle
