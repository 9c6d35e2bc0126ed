// The builder's functions that work element by element, with XLA's names. The header is included by
// xla_builder.h, which states what holds for all of the builder's functions.
//
// Operands are arrays. Two operands have one element type, and are broadcast implicitly:
//
//   * a scalar is broadcast to any array;
//   * if the operands have one rank, size 1 matches any size; the other sizes are equal;
//   * with `broadcast_dimensions`, an increasing list, dimension i of the operand of lower rank
//     goes with dimension broadcast_dimensions[i] of the other one, as above. Operands of one rank
//     take only {} or {0, 1, ..}.
//
// Each dimension of the result has the size that is not 1, if one is not, and is dynamic where an
// operand's is.
#pragma once
#include <concepts>

#include "axle/builder/xla_op.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

// Computes the dimensions of an implicit broadcast: dimension i of the operand of lower rank
// becomes dimension broadcast_dimensions[i] of the result (https://openxla.org/xla/broadcasting).
using BroadcastDims = ArraySlice<i64>;

// An operand that records where an operator was written.
struct LocatedOp {
  // An operand is converted implicitly.
  explicit(false) LocatedOp(XlaOp op, Location location = std::source_location::current())
      : op(op), location(location) {}
  XlaOp op;
  Location location;
};

// There is one function per op without attributes, from the opcode list: Exp(operand), Add(lhs,
// rhs), ... docs/ops/README.md lists the element types that each one accepts and has a page for
// each op, by HLO's name.
//
//   operand   [D0, .., Dn-1]; for Copy any value
//   lhs, rhs  as above
//   result    the operands' element type, but pred of IsFinite; of Abs, Real and Imag of complex
//             numbers the type of a part; of Complex the type whose parts the operands are
//
// Errors: those of all functions; UNIMPLEMENTED for Complex of two floats other than f32, f64.
#define OP(name)
#define UNARY(name, function) \
  XlaOp function(XlaOp operand, Location location = std::source_location::current());
#define BINARY(name, function)                                                  \
  XlaOp function(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions = {}, \
                 Location location = std::source_location::current());
#include "axle/ir/opcodes.def"
#undef OP

// The operators for Neg, Add, Sub, Mul, Div, Rem, And, Or, Xor, Not and ShiftLeft, without
// broadcast_dimensions.
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
// Shifts arithmetically for signed integers and logically for unsigned ones; other types are an
// error.
XlaOp operator>>(LocatedOp x, LocatedOp y);
// Folds the operands as a & (b & (c & ...)), and the same with |. The location is that of this
// header.
template <std::same_as<XlaOp>... Rest>
XlaOp And(XlaOp first, XlaOp second, XlaOp third, Rest... rest) {
  return And(first, And(second, third, rest...));
}
template <std::same_as<XlaOp>... Rest>
XlaOp Or(XlaOp first, XlaOp second, XlaOp third, Rest... rest) {
  return Or(first, Or(second, third, rest...));
}
// Returns [dims] of re - i im, by docs/ops/complex.md; f32 gives c64 and f64 c128. Errors:
// INVALID_ARGUMENT for integers and pred, UNIMPLEMENTED for other floats.
XlaOp Conj(XlaOp operand, Location location = std::source_location::current());

// Converts the elements to `type`, by docs/ops/convert.md. The conversion to a real type drops the
// imaginary part of complex numbers. Errors: INVALID_ARGUMENT if `type` is not an array type.
XlaOp ConvertElementType(XlaOp operand, PrimitiveType type,
                         Location location = std::source_location::current());
// Returns the bits as another type: [dims], [dims, parts] if the type is narrower, or without the
// last dimension if it is wider, in which case that dimension has as many elements as make one of
// `type`. Complex types are converted to complex types only. docs/ops/bitcast-convert.md.
XlaOp BitcastConvertType(XlaOp operand, PrimitiveType type,
                         Location location = std::source_location::current());
// Rounds floats [dims] to a float format with these numbers of bits, at least 1 and 0; the type
// stays. The exponent comes first, as in XLA's library; XLA's documents have the opposite order.
// docs/ops/reduce-precision.md.
XlaOp ReducePrecision(XlaOp operand, i64 exponent_bits, i64 mantissa_bits,
                      Location location = std::source_location::current());
// Rounds each float of `operand` to one of the two neighbouring values of `type`, a signed integer,
// as `random` decides, which has [dims] of the unsigned type of as many bits.
// docs/ops/stochastic-convert.md. Errors: UNIMPLEMENTED if `type` is another array type.
XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType type,
                            Location location = std::source_location::current());

// Comparisons give pred of the broadcast dimensions. Complex numbers are compared for equality
// only. `type` is kDefault, or what the element type implies, or kTotalOrder for floats.
// docs/ops/compare.md.
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
// Compare by IEEE 754's total order if the elements of lhs are floats, else as the functions above.
// clang-format off
XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, BroadcastDims dims = {}, Location location = std::source_location::current());
// clang-format on
// Returns pred ? on_true : on_false, where pred is [] or [dims], and the values are [dims] of one
// type; if one of the values is a scalar, it is broadcast. For two tuples, pred [] selects one as a
// whole by a conditional. docs/ops/select.md. Errors: INVALID_ARGUMENT if on_true is a tuple and
// on_false has another shape.
XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false,
             Location location = std::source_location::current());
// Returns [dims] of minimum(max, maximum(min, operand)), all of one type; min and max are scalars
// or [dims]. A scalar operand is broadcast to the dimensions of the bounds. docs/ops/clamp.md.
XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max,
            Location location = std::source_location::current());

// And, Or and Not for preds only, as older programs use them. Errors: INVALID_ARGUMENT for an
// operand of another type.
XlaOp LogicalAnd(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions = {},
                 Location location = std::source_location::current());
XlaOp LogicalOr(XlaOp lhs, XlaOp rhs, BroadcastDims broadcast_dimensions = {},
                Location location = std::source_location::current());
XlaOp LogicalNot(XlaOp operand, Location location = std::source_location::current());

}  // namespace axle
