// The pass `complex`: splits reductions of complex numbers into reductions of their parts.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// A reducer of complex numbers that takes one element after the other, and is scalar arithmetic,
// becomes one of real and imaginary parts, which are operands of their own. Complex sums and
// products, whose order is another one (docs/numerics.md, N4), stay; so does what would get another
// order: a reducer whose imaginary part is a sum of its own. Reductions with annotations or dynamic
// dimensions stay too.
StatusOr<std::unique_ptr<Module>> TakeComplexApart(const Module& module, PassContext& context);

}  // namespace axle
