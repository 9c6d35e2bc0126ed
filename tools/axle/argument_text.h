// What --arg says: which argument, and its value as text.
#pragma once
#include <string_view>
#include <vector>

#include "axle/core/literal.h"
#include "axle/ir/module.h"

namespace axle::tool {

// An array of `shape`, which is that of the parameter. Text is one of
//
//   f32[2,2] {{1, 2}, {3, 4}}   with a shape: that of the parameter, or, where the parameter has a
//                               bounded dimension, one with sizes up to the bounds
//   {{1, 2}, {3, 4}}            the parameter's shape is meant; brackets are as good as braces
//   1, 2, 3, 4                  all elements in row-major order
//
// Errors: INVALID_ARGUMENT if shapes or counts differ (nothing is broadcast), for numbers that do
// not fit the type, and for text whose elements are partly left out.
StatusOr<Literal> ParseArgument(std::string_view text, const Shape& shape);

// The number, among the array leaves of the parameters, of what "3", "x" or, for a leaf of a tuple,
// "x{1,0}" names: the name of the parameter, or that in its metadata (op_name), which is what JAX
// calls it. INVALID_ARGUMENT if there is none.
StatusOr<size_t> FindArgument(std::string_view key, const HloComputation& entry);

}  // namespace axle::tool
