// The pass `apply`: expands map and general reductions into instructions that compile.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// A map of scalar arithmetic becomes its instructions on arrays. A map or a reduction whose
// computation is more than that (docs/numerics.md, N4: it is a left fold) becomes a loop that calls
// it for one element after the other. Annotations and dynamic dimensions keep them as they are.
StatusOr<std::unique_ptr<Module>> ApplyToElements(const Module& module, PassContext& context);

}  // namespace axle
