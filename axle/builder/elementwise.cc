#include <numeric>

#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// Broadcasts the operands of a binary op to one shape.
Status BroadcastOperands(std::string_view op, XlaOp& lhs, XlaOp& rhs, BroadcastDims bd,
                         const Location& location) {
  const Shape &a = lhs.instruction()->shape(), &b = rhs.instruction()->shape();
  const auto fail = [&](std::string_view what) {
    return InvalidArgument(
        StrCat(op, ": ", what, "; lhs ", a.ToString(), ", rhs ", b.ToString(), At(location)));
  };
  if (!a.is_array() || !b.is_array()) return fail("expected arrays");
  const bool lhs_is_small = a.rank() <= b.rank();
  const Shape &small = lhs_is_small ? a : b, &large = lhs_is_small ? b : a;
  Dims small_dims(bd.begin(), bd.end()), large_dims(large.rank());
  std::iota(large_dims.begin(), large_dims.end(), 0);
  if (a.rank() == b.rank()) {
    if (!bd.empty() && small_dims != large_dims) {
      return fail("broadcast_dimensions of operands of one rank must be 0, 1, ...");
    }
    small_dims = large_dims;
  } else if (small.rank() == 0 && !bd.empty()) {
    return fail("a scalar takes no broadcast_dimensions");
  } else if (static_cast<i64>(bd.size()) != small.rank()) {
    return fail(bd.empty() ? "operands must have equal rank, or broadcast_dimensions"
                           : StrCat("broadcast_dimensions has ", bd.size(),
                                    " entries but the smaller operand has rank ", small.rank()));
  }
  Dims result = large.dims();
  for (i64 i = 0; i < small.rank(); ++i) {
    const i64 d = small_dims[i];
    if (d < 0 || d >= large.rank() || (i > 0 && d <= small_dims[i - 1])) {
      return fail(StrCat("broadcast_dimensions {", Join(bd, ","),
                         "} must increase and be dimensions of the larger operand"));
    }
  }
  for (i64 i = 0; i < small.rank(); ++i) {
    const i64 d = small_dims[i];
    const i64 x = small.dim(i), y = large.dim(d);
    if (x != y && x != 1 && y != 1) {
      return fail(StrCat("sizes ", lhs_is_small ? x : y, " and ", lhs_is_small ? y : x,
                         " of dimension ", d, " do not broadcast"));
    }
    if ((x == 1 && y != 1 && small.is_dynamic(i)) || (y == 1 && x != 1 && large.is_dynamic(d))) {
      return fail(StrCat("dynamic dimension ", d, " of bound 1 does not broadcast"));
    }
    if (y == 1) result[d] = x;
  }
  lhs = Expand(lhs, lhs_is_small ? small_dims : large_dims, result, location);
  rhs = Expand(rhs, lhs_is_small ? large_dims : small_dims, result, location);
  return {};
}

template <typename Attrs = NoAttrs>
XlaOp Binary(Opcode opcode, XlaOp lhs, XlaOp rhs, BroadcastDims bd, const Location& location,
             Attrs attrs = {}) {
  if (AllValid({lhs, rhs}) && lhs.builder_or_null() == rhs.builder_or_null()) {
    Status status = BroadcastOperands(GetOpDef(opcode).text, lhs, rhs, bd, location);
    if (!status.ok()) return lhs.builder()->ReportError(status, location);
  }
  return Emit(opcode, {lhs, rhs}, location, std::move(attrs));
}

// Broadcasts a scalar to the dimensions of `like`; returns any other operand unchanged.
XlaOp ScalarLike(XlaOp op, XlaOp like, const Location& location) {
  const Shape &shape = op.instruction()->shape(), &target = like.instruction()->shape();
  if (!shape.is_scalar() || !target.is_array() || target.is_scalar()) return op;
  return Expand(op, {}, target.dims(), location);
}

}  // namespace

#define OP(name)
#define UNARY(name, function)                          \
  XlaOp function(XlaOp operand, Location location) {   \
    return Emit(Opcode::k##name, {operand}, location); \
  }
#define BINARY(name, function)                                                \
  XlaOp function(XlaOp lhs, XlaOp rhs, BroadcastDims bd, Location location) { \
    return Binary(Opcode::k##name, lhs, rhs, bd, location);                   \
  }
#include "axle/ir/opcodes.def"
#undef OP

XlaOp operator>>(LocatedOp x, LocatedOp y) {
  if (!x.op.valid()) return ShiftRightLogical(x.op, y.op, {}, x.location);
  const ElementType type = x.op.instruction()->shape().type();
  if (IsSigned(type)) return ShiftRightArithmetic(x.op, y.op, {}, x.location);
  if (IsUnsigned(type)) return ShiftRightLogical(x.op, y.op, {}, x.location);
  return Fail({x.op, y.op}, StrCat("operator>>: takes integers only, not ", Name(type)),
              x.location);
}

XlaOp Conj(XlaOp operand, Location location) {
  return Complex(Real(operand, location), Neg(Imag(operand, location), location), {}, location);
}

XlaOp BitcastConvertType(XlaOp operand, PrimitiveType type, Location location) {
  return Emit(Opcode::kBitcastConvert, {operand}, location, NoAttrs{}, {}, Shape(type));
}

XlaOp ReducePrecision(XlaOp operand, i64 exponent_bits, i64 mantissa_bits, Location location) {
  return Emit(Opcode::kReducePrecision, {operand}, location,
              ReducePrecisionAttrs{exponent_bits, mantissa_bits});
}

XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType type, Location location) {
  return Emit(Opcode::kStochasticConvert, {operand, random}, location, NoAttrs{}, {}, Shape(type));
}

XlaOp ConvertElementType(XlaOp operand, PrimitiveType type, Location location) {
  if (operand.valid() && IsComplex(operand.instruction()->shape().type()) && IsArrayType(type) &&
      !IsComplex(type)) {
    operand = Real(operand, location);
  }
  Shape declared(type);
  if (operand.valid()) declared = operand.instruction()->shape().WithoutLayout().WithType(type);
  return Emit(Opcode::kConvert, {operand}, location, NoAttrs{}, {}, declared);
}

XlaOp Compare(XlaOp lhs, XlaOp rhs, BroadcastDims bd, ComparisonDirection direction,
              ComparisonType type, Location location) {
  return Binary(Opcode::kCompare, lhs, rhs, bd, location, CompareAttrs{direction, type});
}
XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction, Location location) {
  return Compare(lhs, rhs, {}, direction, ComparisonType::kDefault, location);
}
XlaOp Eq(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kEq, ComparisonType::kDefault, location);
}
XlaOp Ne(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kNe, ComparisonType::kDefault, location);
}
XlaOp Ge(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kGe, ComparisonType::kDefault, location);
}
XlaOp Gt(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kGt, ComparisonType::kDefault, location);
}
XlaOp Le(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kLe, ComparisonType::kDefault, location);
}
XlaOp Lt(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kLt, ComparisonType::kDefault, location);
}

namespace {

ComparisonType TotalOrderType(XlaOp operand) {
  const bool is_float = operand.valid() && IsFloating(operand.instruction()->shape().type());
  return is_float ? ComparisonType::kTotalOrder : ComparisonType::kDefault;
}

}  // namespace

XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kEq, TotalOrderType(lhs), location);
}
XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kNe, TotalOrderType(lhs), location);
}
XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kGe, TotalOrderType(lhs), location);
}
XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kGt, TotalOrderType(lhs), location);
}
XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kLe, TotalOrderType(lhs), location);
}
XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims, Location location) {
  return Compare(lhs, rhs, dims, ComparisonDirection::kLt, TotalOrderType(lhs), location);
}

namespace {

// Selects a tuple by a conditional whose branches return their operand.
XlaOp SelectTuple(XlaOp pred, XlaOp on_true, XlaOp on_false, const Location& location) {
  const Shape &a = on_true.instruction()->shape(), &b = on_false.instruction()->shape();
  if (!Compatible(a, b)) {
    return pred.builder()->ReportError(
        InvalidArgument(StrCat("select: a tuple needs another one of its shape; on_true ",
                               a.ToString(), ", on_false ", b.ToString())),
        location);
  }
  XlaBuilder builder("selected");
  Parameter(&builder, 0, a, "operand", location);
  const StatusOr<XlaComputation> branch = builder.Build(location);
  if (!branch.ok()) return pred.builder()->ReportError(branch.status(), location);
  return Conditional(pred, on_true, *branch, on_false, *branch, location);
}

}  // namespace

XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false, Location location) {
  const bool is_usable = AllValid({pred, on_true, on_false}) &&
                         pred.builder_or_null() == on_true.builder_or_null() &&
                         pred.builder_or_null() == on_false.builder_or_null();
  if (is_usable && on_true.instruction()->shape().is_tuple()) {
    return SelectTuple(pred, on_true, on_false, location);
  }
  if (is_usable) {
    const XlaOp true_before = on_true;
    on_true = ScalarLike(on_true, on_false, location);
    on_false = ScalarLike(on_false, true_before, location);
    // Both values are scalars, and the preds are an array.
    on_true = ScalarLike(on_true, pred, location);
    on_false = ScalarLike(on_false, pred, location);
  }
  return Emit(Opcode::kSelect, {pred, on_true, on_false}, location);
}

XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max, Location location) {
  if (AllValid({min, operand, max}) && min.builder_or_null() == operand.builder_or_null() &&
      max.builder_or_null() == operand.builder_or_null()) {
    operand = ScalarLike(operand, min, location);
    if (operand.valid()) operand = ScalarLike(operand, max, location);
  }
  return Emit(Opcode::kClamp, {min, operand, max}, location);
}

namespace {

// Returns whether all operands are preds; records an error otherwise. The op reports invalid
// handles.
bool ArePreds(std::string_view function, std::initializer_list<XlaOp> operands,
              const Location& location) {
  for (const XlaOp& operand : operands) {
    if (!operand.valid()) continue;
    const Shape& shape = operand.instruction()->shape();
    if (shape.type() == PRED) continue;
    Fail(operands, StrCat(function, ": takes pred only, not ", shape.ToString()), location);
    return false;
  }
  return true;
}

}  // namespace

XlaOp LogicalAnd(XlaOp lhs, XlaOp rhs, BroadcastDims bd, Location location) {
  if (!ArePreds("logical and", {lhs, rhs}, location)) return {lhs.builder_or_null(), nullptr};
  return And(lhs, rhs, bd, location);
}

XlaOp LogicalOr(XlaOp lhs, XlaOp rhs, BroadcastDims bd, Location location) {
  if (!ArePreds("logical or", {lhs, rhs}, location)) return {lhs.builder_or_null(), nullptr};
  return Or(lhs, rhs, bd, location);
}

XlaOp LogicalNot(XlaOp operand, Location location) {
  if (!ArePreds("logical not", {operand}, location)) return {operand.builder_or_null(), nullptr};
  return Not(operand, location);
}

}  // namespace axle
