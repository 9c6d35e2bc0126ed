#include "axle/lib/arithmetic.h"

#include "axle/lib/compose.h"
#include "axle/lib/constants.h"

namespace axle {
namespace {

using BinaryOp = XlaOp (*)(XlaOp, XlaOp, BroadcastDims, Location);

XlaComputation CreateScalarComputation(std::string_view name, PrimitiveType type, BinaryOp op,
                                       XlaBuilder* parent, const Location& location) {
  XlaBuilder b(parent == nullptr ? name : StrCat(parent->name(), ".", name));
  const XlaOp lhs = Parameter(&b, 0, Shape(type), "lhs", location);
  const XlaOp rhs = Parameter(&b, 1, Shape(type), "rhs", location);
  return BuildOrReport(b, op(lhs, rhs, {}, location), parent, location);
}

// (value, index) of two candidates: the better value, of equal ones the smaller index.
XlaComputation ArgComputation(PrimitiveType type, PrimitiveType index_type, BinaryOp better,
                              XlaBuilder* parent, const Location& location) {
  XlaBuilder b(StrCat(parent->name(), ".arg"));
  const XlaOp lhs = Parameter(&b, 0, Shape(type), "lhs", location);
  const XlaOp lhs_index = Parameter(&b, 1, Shape(index_type), "lhs_index", location);
  const XlaOp rhs = Parameter(&b, 2, Shape(type), "rhs", location);
  const XlaOp rhs_index = Parameter(&b, 3, Shape(index_type), "rhs_index", location);
  XlaOp takes_lhs = better(lhs, rhs, {}, location), same = Eq(lhs, rhs, {}, location);
  if (IsFloating(type)) {
    const XlaOp lhs_is_nan = Ne(lhs, lhs, {}, location), rhs_is_nan = Ne(rhs, rhs, {}, location);
    // A NaN on the right is not beaten: neither comparison with it is true.
    takes_lhs = Or(takes_lhs, lhs_is_nan, {}, location);
    same = Or(same, And(lhs_is_nan, rhs_is_nan, {}, location), {}, location);
  }
  const XlaOp value = Select(takes_lhs, lhs, rhs, location);
  const XlaOp first = Min(lhs_index, rhs_index, {}, location);
  const XlaOp index =
      Select(same, first, Select(takes_lhs, lhs_index, rhs_index, location), location);
  return BuildOrReport(b, Tuple(&b, {value, index}, location), parent, location);
}

XlaOp ArgReduce(std::string_view function, XlaOp input, PrimitiveType output_type, i64 axis,
                bool is_max, const Location& location) {
  return Compose(function, {input}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    const Shape& shape = ShapeOfOp(input);
    AXLE_TRY(TakesOnly(function, shape.is_array() && !IsComplex(shape.type()),
                       "an array of real numbers", input));
    AXLE_TRY(TakesOnly(function, IsIntegral(output_type),
                       StrCat("an integral output type, got ", Name(output_type)), input));
    AXLE_ASSIGN(const i64 dim, DimensionOf(function, input, axis));
    const PrimitiveType type = shape.type();
    const XlaOp init = is_max ? MinValue(&b, type, location) : MaxValue(&b, type, location);
    const XlaOp positions = Iota(&b, Shape(output_type, shape.dims()), dim, location);
    const XlaComputation computation =
        ArgComputation(type, output_type, is_max ? BinaryOp{Gt} : BinaryOp{Lt}, &b, location);
    const XlaOp reduced = Reduce(&b, {input, positions}, {init, Zero(&b, output_type, location)},
                                 computation, {dim}, location);
    return GetTupleElement(reduced, 1, location);
  });
}

XlaOp ReducePredicates(std::string_view function, XlaOp predicates, bool any,
                       const Location& location) {
  return Compose(function, {predicates}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_TRY(TakesOnly(function, ShapeOfOp(predicates).type() == PRED, "pred", predicates));
    const XlaComputation computation = any ? CreateScalarOrComputation(PRED, &b, location)
                                           : CreateScalarAndComputation(PRED, &b, location);
    return ReduceAll(predicates, ConstantR0<bool>(&b, !any, location), computation, location);
  });
}

}  // namespace

XlaComputation CreateScalarAddComputation(PrimitiveType type, XlaBuilder* builder,
                                          Location location) {
  return CreateScalarComputation("add", type, Add, builder, location);
}
XlaComputation CreateScalarMultiplyComputation(PrimitiveType type, XlaBuilder* builder,
                                               Location location) {
  return CreateScalarComputation("mul", type, Mul, builder, location);
}
XlaComputation CreateScalarMaxComputation(PrimitiveType type, XlaBuilder* builder,
                                          Location location) {
  return CreateScalarComputation("max", type, Max, builder, location);
}
XlaComputation CreateScalarMinComputation(PrimitiveType type, XlaBuilder* builder,
                                          Location location) {
  return CreateScalarComputation("min", type, Min, builder, location);
}
XlaComputation CreateScalarAndComputation(PrimitiveType type, XlaBuilder* builder,
                                          Location location) {
  return CreateScalarComputation("and", type, And, builder, location);
}
XlaComputation CreateScalarOrComputation(PrimitiveType type, XlaBuilder* builder,
                                         Location location) {
  return CreateScalarComputation("or", type, Or, builder, location);
}
XlaComputation CreateScalarGeComputation(PrimitiveType type, XlaBuilder* builder,
                                         Location location) {
  return CreateScalarComputation("ge", type, Ge, builder, location);
}

XlaComputation CreateScalarIdentityWithZeroComputation(PrimitiveType type, XlaBuilder* builder,
                                                       Location location) {
  return type == PRED ? CreateScalarOrComputation(type, builder, location)
                      : CreateScalarAddComputation(type, builder, location);
}

XlaOp Any(XlaOp predicates, Location location) {
  return ReducePredicates("any", predicates, true, location);
}
XlaOp All(XlaOp predicates, Location location) {
  return ReducePredicates("all", predicates, false, location);
}

XlaOp ArgMax(XlaOp input, PrimitiveType output_type, i64 axis, Location location) {
  return ArgReduce("argmax", input, output_type, axis, true, location);
}
XlaOp ArgMin(XlaOp input, PrimitiveType output_type, i64 axis, Location location) {
  return ArgReduce("argmin", input, output_type, axis, false, location);
}
XlaOp ArgMaxTwoPass(XlaOp input, PrimitiveType output_type, i64 axis, Location location) {
  return ArgMax(input, output_type, axis, location);
}
XlaOp ArgMinTwoPass(XlaOp input, PrimitiveType output_type, i64 axis, Location location) {
  return ArgMin(input, output_type, axis, location);
}

}  // namespace axle
