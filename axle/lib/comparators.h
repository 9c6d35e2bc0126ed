// Comparators for Sort, with XLA's names.
//
//   Sort({keys, values}, CreateScalarLtComputation({F32, S32}, &b))     ascending by keys
//
// A comparator takes p.i.lhs and p.i.rhs of each operand i and gives pred[]. Floats are in the
// total order: -NaN, -inf, .., -0, 0, .., inf, NaN. Errors make it invalid and are recorded in
// `builder` (null: nowhere).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "axle/builder/xla_builder.h"

namespace axle {

// The first operands in ascending order; the others follow.
XlaComputation CreateScalarLtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder,
                                         Location location = std::source_location::current());
// In descending order.
XlaComputation CreateScalarGtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder,
                                         Location location = std::source_location::current());

// LtTotalOrder, Gt, ...: a comparison of the builder.
using XlaOpGenerator = XlaOp (*)(XlaOp, XlaOp, BroadcastDims, Location);

// Operands with a generator are compared by it, in turn: the next one decides where the elements of
// all before are equal. Errors: INVALID_ARGUMENT if there are not as many entries as operand types,
// or no generator among them.
XlaComputation CreateScalarComparisonComputation(
    const std::string& name, const std::vector<PrimitiveType>& operand_types,
    const std::vector<std::optional<XlaOpGenerator>>& generators, XlaBuilder* builder,
    Location location = std::source_location::current());

}  // namespace axle
