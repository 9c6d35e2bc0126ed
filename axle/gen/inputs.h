// Arguments for random modules: a function of the shapes and a seed, the same on every machine.
#pragma once
#include <vector>

#include "axle/core/literal.h"
#include "axle/gen/random.h"
#include "axle/ir/module.h"

namespace axle {

// One literal per parameter. Numbers of moderate size, small integers with many equals, random
// bits, and arrays full of NaN, infinities, signed zeros, subnormals and the extremes of integers.
std::vector<Literal> DrawArguments(const HloComputation& entry, std::uint64_t seed);

// An array or tuple of that kind.
Literal DrawLiteral(const Shape& shape, Random& random);

}  // namespace axle
