// The builder's functions that work element by element, with XLA's names. Included by
// xla_builder.h.
#pragma once
#include <concepts>

#include "axle/builder/xla_op.h"
#include "axle/ops/attributes.h"

namespace axle {

// The dimensions of an implicit broadcast: dimension i of the operand of lower rank becomes
// dimension broadcast_dimensions[i] of the result (00-conventions section 6 of the reference).
using BroadcastDims = ArraySlice<i64>;

// An operand that remembers where an operator was written.
struct LocatedOp {
  LocatedOp(
      XlaOp op,
      Location location = std::source_location::current())  // NOLINT(google-explicit-constructor):
                                                            // an operand converts
      : op(op), location(location) {}
  XlaOp op;
  Location location;
};

// One function per op without attributes, from the opcode list: Exp(operand), Add(lhs, rhs), ...
// Binary ops broadcast implicitly: scalars with anything, size 1 with any size, and by
// `broadcast_dimensions` an operand of lower rank.
#define OP(name)
#define UNARY(name, function) \
  XlaOp function(XlaOp operand, Location location = std::source_location::current());
#define BINARY(name, function)                                                  \
  XlaOp function(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions = {}, \
                 Location location = std::source_location::current());
#include "axle/ir/opcodes.def"
#undef OP

inline XlaOp operator-(LocatedOp x) {
  return Neg(x.op, x.location);
}
inline XlaOp operator+(LocatedOp x, LocatedOp y) {
  return Add(x.op, y.op, {}, x.location);
}
inline XlaOp operator-(LocatedOp x, LocatedOp y) {
  return Sub(x.op, y.op, {}, x.location);
}
inline XlaOp operator*(LocatedOp x, LocatedOp y) {
  return Mul(x.op, y.op, {}, x.location);
}
inline XlaOp operator/(LocatedOp x, LocatedOp y) {
  return Div(x.op, y.op, {}, x.location);
}
inline XlaOp operator%(LocatedOp x, LocatedOp y) {
  return Rem(x.op, y.op, {}, x.location);
}
inline XlaOp operator&(LocatedOp x, LocatedOp y) {
  return And(x.op, y.op, {}, x.location);
}
inline XlaOp operator|(LocatedOp x, LocatedOp y) {
  return Or(x.op, y.op, {}, x.location);
}
inline XlaOp operator^(LocatedOp x, LocatedOp y) {
  return Xor(x.op, y.op, {}, x.location);
}
inline XlaOp operator~(LocatedOp x) {
  return Not(x.op, x.location);
}
inline XlaOp operator<<(LocatedOp x, LocatedOp y) {
  return ShiftLeft(x.op, y.op, {}, x.location);
}
// Arithmetic for signed integers, logical for unsigned ones; other types are an error.
XlaOp operator>>(LocatedOp x, LocatedOp y);
// a & (b & (c & ...)), and the same with |.
template <std::same_as<XlaOp>... Rest>
XlaOp And(XlaOp first, XlaOp second, XlaOp third, Rest... rest) {
  return And(first, And(second, third, rest...));
}
template <std::same_as<XlaOp>... Rest>
XlaOp Or(XlaOp first, XlaOp second, XlaOp third, Rest... rest) {
  return Or(first, Or(second, third, rest...));
}
// re - i im; of a float, a complex number.
XlaOp Conj(XlaOp operand, Location location = std::source_location::current());

// Complex numbers lose their imaginary part on the way to a real type.
XlaOp ConvertElementType(XlaOp operand, PrimitiveType type,
                         Location location = std::source_location::current());
// The bits as another type: [dims], [dims, parts] if it is narrower, without the last if wider.
XlaOp BitcastConvertType(XlaOp operand, PrimitiveType type,
                         Location location = std::source_location::current());
// Rounded to a float format of so many bits; the type stays.
XlaOp ReducePrecision(XlaOp operand, i64 exponent_bits, i64 mantissa_bits,
                      Location location = std::source_location::current());
// To one of the two signed integers around each float, by unsigned random numbers of its width.
XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType type,
                            Location location = std::source_location::current());

// Comparisons give pred and broadcast as binary ops do.
XlaOp Compare(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions,
              ComparisonDirection direction, ComparisonType type = ComparisonType::kDefault,
              Location location = std::source_location::current());
XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction,
              Location location = std::source_location::current());
XlaOp Eq(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {},
         Location location = std::source_location::current());
XlaOp Ne(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {},
         Location location = std::source_location::current());
XlaOp Ge(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {},
         Location location = std::source_location::current());
XlaOp Gt(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {},
         Location location = std::source_location::current());
XlaOp Le(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {},
         Location location = std::source_location::current());
XlaOp Lt(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {},
         Location location = std::source_location::current());
// By IEEE 754's total order if the operands are floats, else as the functions above.
// clang-format off
XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
// clang-format on
// pred [] or [dims] ? on_true : on_false; a scalar among on_true and on_false is broadcast. Of two
// tuples, pred [] selects one as a whole, which is a conditional.
XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false,
             Location location = std::source_location::current());
// minimum(max, maximum(min, operand)); min and max are scalars or of operand's shape.
XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max,
            Location location = std::source_location::current());

// And, Or and Not of preds only, as older programs have them.
XlaOp LogicalAnd(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions = {},
                 Location location = std::source_location::current());
XlaOp LogicalOr(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions = {},
                Location location = std::source_location::current());
XlaOp LogicalNot(XlaOp operand, Location location = std::source_location::current());

}  // namespace axle
