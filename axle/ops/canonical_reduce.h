// Sums of whole arrays for ops that are more than a reduction: what `reduce` gives with an add and
// an init of +0 (docs/numerics.md N4).
#pragma once
#include "axle/emit/callee.h"

namespace axle {

// The sum over `dimensions` of a static float array, as an array of the other dimensions.
StatusOr<Literal> CanonicalSum(const Literal& operand, const Dims& dimensions,
                               const EvalContext& context);

}  // namespace axle
