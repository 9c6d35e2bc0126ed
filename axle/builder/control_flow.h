// The builder's functions for tuples and for calls of computations, with XLA's names.
// Included by xla_builder.h.
#pragma once
#include <initializer_list>
#include <optional>

#include "axle/builder/xla_op.h"
#include "axle/ops/attributes.h"

namespace axle {

XlaOp Tuple(XlaBuilder* builder, ArraySlice<XlaOp> elements,
            Location location = std::source_location::current());
XlaOp GetTupleElement(XlaOp tuple, i64 index, Location location = std::source_location::current());

XlaOp Call(XlaBuilder* builder, const XlaComputation& computation, ArraySlice<XlaOp> operands,
           Location location = std::source_location::current());
// The computation of scalars on each element. Scalars beside arrays of their type are broadcast;
// `dimensions` are 0, 1, ..., all of them. `static_operands`, of older programs, are further
// arguments of every call; scalars, so far.
XlaOp Map(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
          ArraySlice<i64> dimensions, ArraySlice<XlaOp> static_operands = {},
          Location location = std::source_location::current());
// The same without the dimensions.
XlaOp Map(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
          Location location = std::source_location::current());
XlaOp Map(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
          ArraySlice<XlaOp> static_operands, Location location = std::source_location::current());
XlaOp Map(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
          std::initializer_list<i64> dimensions,
          Location location = std::source_location::current());
// Steps along `scan_dimension`: `computation` takes the inputs' slices and the carries, and gives a
// tuple of outputs and the next carries. The result is a tuple of the stacked outputs and the last
// carries. scan_dimension_size is needed without inputs.
XlaOp Scan(ArraySlice<XlaOp> inputs, ArraySlice<XlaOp> inits, const XlaComputation& computation,
           i64 scan_dimension, std::optional<i64> scan_dimension_size = std::nullopt,
           bool is_reverse = false, TriState is_associative = TriState::kUnspecified,
           Location location = std::source_location::current());
XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init,
            Location location = std::source_location::current());
XlaOp Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation,
                  XlaOp false_operand, const XlaComputation& false_computation,
                  Location location = std::source_location::current());
XlaOp Conditional(XlaOp branch_index, ArraySlice<const XlaComputation*> branch_computations,
                  ArraySlice<XlaOp> branch_operands,
                  Location location = std::source_location::current());

}  // namespace axle
