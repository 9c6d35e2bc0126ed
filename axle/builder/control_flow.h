// The builder's functions for tuples and for calls of computations, with XLA's names. The header is
// included by xla_builder.h, which states what holds for all of the builder's functions.
//
// A called computation is copied, so that it may be called again, and by other builders. Errors:
// INVALID_ARGUMENT if it is empty, or its parameters and result do not have the shapes that the
// call requires.
#pragma once
#include <initializer_list>
#include <optional>

#include "axle/builder/xla_op.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

// Returns (elements...), values of any kind; no elements give the empty tuple.
XlaOp Tuple(XlaBuilder* builder, ArraySlice<XlaOp> elements,
            Location location = std::source_location::current());
// Returns element `index`, from 0. Errors: INVALID_ARGUMENT if `tuple` is not a tuple, or has no
// such element.
XlaOp GetTupleElement(XlaOp tuple, i64 index, Location location = std::source_location::current());

// Returns the result of the computation for the operands, which have the shapes of its parameters.
XlaOp Call(XlaBuilder* builder, const XlaComputation& computation, ArraySlice<XlaOp> operands,
           Location location = std::source_location::current());
// Applies the computation, (T0[], .., Tk-1[]) -> U[], at each position; docs/ops/map.md.
//
//   operands    [D0, .., Dn-1] of T0 .. Tk-1, at least one; scalars are broadcast to arrays
//   dimensions  0, 1, ..., n-1
//   result      [D0, .., Dn-1] of U
//
// `static_operands`, of any kind, are further arguments of every call. If one of them is not a
// scalar, the calls are made by a loop over the elements.
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
// Steps along `scan_dimension`: in each step, `computation` takes the inputs' slices and the
// carries, and returns a tuple of outputs and the next carries. The result is a tuple of the
// stacked outputs and the last carries; docs/ops/scan.md.
//
//   inputs  arrays with the same size, the number of steps, in scan_dimension; slices lack it
//   inits   arrays, the first carries; each step gives the same shapes
//   result  (outputs, each with scan_dimension put in.., carries..)
//
// scan_dimension_size, the number of steps, is needed if there are no inputs; otherwise it is their
// size.
XlaOp Scan(ArraySlice<XlaOp> inputs, ArraySlice<XlaOp> inits, const XlaComputation& computation,
           i64 scan_dimension, std::optional<i64> scan_dimension_size = std::nullopt,
           bool is_reverse = false, TriState is_associative = TriState::kUnspecified,
           Location location = std::source_location::current());
// Applies `body` to the state as long as condition(state) is true, which is evaluated first, and
// returns the last state.
//
//   init       a value of any kind, S
//   condition  (S) -> pred[]
//   body       (S) -> S; dynamic dimensions of its result are dynamic
//
// docs/ops/while.md.
XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init,
            Location location = std::source_location::current());
// Returns the result of one of the computations for its operand; the others do not run.
//
//   predicate     pred[]
//   branch_index  s32[]; a number out of range selects the last branch
//   operands      one for each computation, of its parameter's shape
//   result        the shape of the results of all computations; dynamic where one of them is
//
// docs/ops/conditional.md.
XlaOp Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation,
                  XlaOp false_operand, const XlaComputation& false_computation,
                  Location location = std::source_location::current());
XlaOp Conditional(XlaOp branch_index, ComputationList branch_computations,
                  ArraySlice<XlaOp> branch_operands,
                  Location location = std::source_location::current());

}  // namespace axle
