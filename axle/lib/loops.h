// While loops over lists of values instead of tuples, with XLA's names.
//
//   ForEachIndex(10, S32,
//       [](XlaOp i, ArraySlice<XlaOp> values, XlaBuilder*) -> StatusOr<std::vector<XlaOp>> {
//         return std::vector<XlaOp>{Add(values[0], i)};
//       }, {zero}, "sum", &b)
//
// The functions get handles of the builder that they are given, the one of the loop's computation;
// handles from outside are of no use there. They are called once each, before the function returns.
// The first error, theirs or a builder's, is returned; INVALID_ARGUMENT if there is no builder or
// function. `name` is that of the computations, with "_condition" and "_body" behind.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "axle/builder/xla_builder.h"

namespace axle {

// Whether to go on, pred[], of the values.
using WhileLoopHelperConditionFunction =
    std::function<StatusOr<XlaOp>(ArraySlice<XlaOp>, XlaBuilder*)>;
// The next values, as many as there were and of the same shapes.
using WhileLoopHelperBodyFunction =
    std::function<StatusOr<std::vector<XlaOp>>(ArraySlice<XlaOp>, XlaBuilder*)>;

// The values after the last step. Errors: INVALID_ARGUMENT if the body gives another number of
// values, or what While refuses.
StatusOr<std::vector<XlaOp>> WhileLoopHelper(
    const WhileLoopHelperConditionFunction& condition_function,
    const WhileLoopHelperBodyFunction& body_function, ArraySlice<XlaOp> initial_values,
    std::string_view name, XlaBuilder* builder,
    Location location = std::source_location::current());

// The next values, of the index, type[], and the values.
using ForEachIndexBodyFunction =
    std::function<StatusOr<std::vector<XlaOp>>(XlaOp, ArraySlice<XlaOp>, XlaBuilder*)>;

// Steps with indices 0 .. num_iterations - 1 of num_iterations_type, an integral type. Errors: as
// above, or the type cannot hold num_iterations.
StatusOr<std::vector<XlaOp>> ForEachIndex(i64 num_iterations, PrimitiveType num_iterations_type,
                                          const ForEachIndexBodyFunction& body_function,
                                          ArraySlice<XlaOp> initial_values, std::string_view name,
                                          XlaBuilder* builder,
                                          Location location = std::source_location::current());

}  // namespace axle
