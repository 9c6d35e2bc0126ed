// The builder's functions for tuples and for calls of computations, with XLA's names.
// Included by xla_builder.h, which has the promises of all of the builder's functions.
//
// A computation that is called is copied, so it may be called again, and by other builders. Errors:
// INVALID_ARGUMENT if it is empty, or does not take and give the shapes that the call says.
#pragma once
#include <initializer_list>
#include <optional>

#include "axle/builder/xla_op.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

// (elements...), values of any kind; none makes the empty tuple.
XlaOp Tuple(XlaBuilder* builder, ArraySlice<XlaOp> elements,
            Location location = std::source_location::current());
// Element `index`, from 0. Errors: INVALID_ARGUMENT if `tuple` is not a tuple, or has no such
// element.
XlaOp GetTupleElement(XlaOp tuple, i64 index, Location location = std::source_location::current());

// The result of the computation for the operands, which are of its parameters' shapes.
XlaOp Call(XlaBuilder* builder, const XlaComputation& computation, ArraySlice<XlaOp> operands,
           Location location = std::source_location::current());
// The computation, (T0[], .., Tk-1[]) -> U[], at each position; docs/ops/map.md.
//
//   operands    [D0, .., Dn-1] of T0 .. Tk-1, at least one; scalars beside arrays are broadcast
//   dimensions  0, 1, ..., n-1
//   result      [D0, .., Dn-1] of U
//
// `static_operands`, of any kind, are further arguments of every call. If one is no scalar, a loop
// takes the elements one by one.
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
// carries; docs/ops/scan.md.
//
//   inputs  arrays with the same size, the number of steps, in scan_dimension; slices lack it
//   inits   arrays, the first carries; each step gives the same shapes
//   result  (outputs, each with scan_dimension put in.., carries..)
//
// scan_dimension_size, the number of steps, is needed without inputs; otherwise it is their size.
XlaOp Scan(ArraySlice<XlaOp> inputs, ArraySlice<XlaOp> inits, const XlaComputation& computation,
           i64 scan_dimension, std::optional<i64> scan_dimension_size = std::nullopt,
           bool is_reverse = false, TriState is_associative = TriState::kUnspecified,
           Location location = std::source_location::current());
// The state after body(state) as often as condition(state) holds, which is asked first.
//
//   init       a value of any kind, S
//   condition  (S) -> pred[]
//   body       (S) -> S; what is dynamic in its result is dynamic
//
// docs/ops/while.md.
XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init,
            Location location = std::source_location::current());
// The result of one of the computations for its operand; the others do not run.
//
//   predicate     pred[]
//   branch_index  s32[]; a number that is not there means the last branch
//   operands      one for each computation, of its parameter's shape
//   result        the shape that all computations give; dynamic where that of one is
//
// docs/ops/conditional.md.
XlaOp Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation,
                  XlaOp false_operand, const XlaComputation& false_computation,
                  Location location = std::source_location::current());
XlaOp Conditional(XlaOp branch_index, ComputationList branch_computations,
                  ArraySlice<XlaOp> branch_operands,
                  Location location = std::source_location::current());

}  // namespace axle
