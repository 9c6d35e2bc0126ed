// Reducers of two scalars, and reductions made of them, with XLA's names.
//
//   Reduce(x, Zero(&b, F32), CreateScalarAddComputation(F32, &b), {0})
//
// A computation of a type that the op does not take is invalid, and the error is recorded in
// `builder` (null: nowhere). Functions of operands keep the promises that xla_builder.h makes for
// all of the builder's.
#pragma once
#include "axle/builder/xla_builder.h"

namespace axle {

// (type[], type[]) -> type[]
XlaComputation CreateScalarAddComputation(PrimitiveType type, XlaBuilder* builder,
                                          Location location = std::source_location::current());
XlaComputation CreateScalarMultiplyComputation(PrimitiveType type, XlaBuilder* builder,
                                               Location location = std::source_location::current());
XlaComputation CreateScalarMaxComputation(PrimitiveType type, XlaBuilder* builder,
                                          Location location = std::source_location::current());
XlaComputation CreateScalarMinComputation(PrimitiveType type, XlaBuilder* builder,
                                          Location location = std::source_location::current());
XlaComputation CreateScalarAndComputation(PrimitiveType type, XlaBuilder* builder,
                                          Location location = std::source_location::current());
XlaComputation CreateScalarOrComputation(PrimitiveType type, XlaBuilder* builder,
                                         Location location = std::source_location::current());
// (type[], type[]) -> pred[]: lhs >= rhs, as select-and-scatter selects.
XlaComputation CreateScalarGeComputation(PrimitiveType type, XlaBuilder* builder,
                                         Location location = std::source_location::current());
// The reducer whose identity is zero: or for pred, else add.
XlaComputation CreateScalarIdentityWithZeroComputation(
    PrimitiveType type, XlaBuilder* builder, Location location = std::source_location::current());

// pred[]: whether any element, or every one, of pred[dims] is true; false and true without
// elements.
XlaOp Any(XlaOp predicates, Location location = std::source_location::current());
XlaOp All(XlaOp predicates, Location location = std::source_location::current());

// The position of the greatest or least element along `axis` (from the end if negative), which the
// result lacks; its type is the integral `output_type`. The first of equal elements counts, -0
// equals 0, and a NaN is taken before any number. 0 where there are no elements. Not for complex
// numbers.
XlaOp ArgMax(XlaOp input, PrimitiveType output_type, i64 axis,
             Location location = std::source_location::current());
XlaOp ArgMin(XlaOp input, PrimitiveType output_type, i64 axis,
             Location location = std::source_location::current());
// The same by an earlier name.
XlaOp ArgMaxTwoPass(XlaOp input, PrimitiveType output_type, i64 axis,
                    Location location = std::source_location::current());
XlaOp ArgMinTwoPass(XlaOp input, PrimitiveType output_type, i64 axis,
                    Location location = std::source_location::current());

}  // namespace axle
