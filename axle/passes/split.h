// Reductions of several operands become several reductions.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Puts a reduction for each group of components that need each other in the place of one that has
// several: each is then of a known kind if it can be, and takes its elements in the order of
// numerics.md N4, as it did before. Those with annotations, with dynamic dimensions or with
// reducers that are no scalar arithmetic stay.
StatusOr<std::unique_ptr<Module>> SplitReductions(const Module& module, PassContext& context);

}  // namespace axle
