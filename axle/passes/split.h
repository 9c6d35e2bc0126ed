// The pass `split`: splits variadic reductions into independent ones.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Replaces a reduction of several components by one reduction per group of components that depend
// on each other. Each takes its elements in the order of numerics.md N4, as before. Reductions stay
// that are annotated, have dynamic dimensions, or have reducers that are not scalar arithmetic.
StatusOr<std::unique_ptr<Module>> SplitReductions(const Module& module, PassContext& context);

}  // namespace axle
