// The builder's functions for tuples and for calls of computations, with XLA's names.
// Included by xla_builder.h.
#pragma once
#include <optional>

#include "axle/builder/xla_builder.h"

namespace axle {

XlaOp Tuple(XlaBuilder* builder, std::span<const XlaOp> elements,
            Location location = Location::current());
XlaOp GetTupleElement(XlaOp tuple, i64 index, Location location = Location::current());

XlaOp Call(XlaBuilder* builder, const XlaComputation& computation, std::span<const XlaOp> operands,
           Location location = Location::current());
XlaOp Map(XlaBuilder* builder, std::span<const XlaOp> operands, const XlaComputation& computation,
          std::span<const i64> dimensions, Location location = Location::current());
// Steps along `scan_dimension`: `computation` takes the inputs' slices and the carries, and gives a
// tuple of outputs and the next carries. The result is a tuple of the stacked outputs and the last
// carries. scan_dimension_size is needed without inputs.
XlaOp Scan(std::span<const XlaOp> inputs, std::span<const XlaOp> inits,
           const XlaComputation& computation, i64 scan_dimension,
           std::optional<i64> scan_dimension_size = std::nullopt, bool is_reverse = false,
           TriState is_associative = TriState::kUnspecified,
           Location location = Location::current());
XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init,
            Location location = Location::current());
XlaOp Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation,
                  XlaOp false_operand, const XlaComputation& false_computation,
                  Location location = Location::current());
XlaOp Conditional(XlaOp branch_index, std::span<const XlaComputation* const> branch_computations,
                  std::span<const XlaOp> branch_operands, Location location = Location::current());

}  // namespace axle
