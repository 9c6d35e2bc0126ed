// Merging of what is equal.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Of equal instructions of a computation, on the same operands, the first one does for all; equal
// computations are one. Names and metadata do not count; shardings, frontend attributes and
// whatever else an instruction is annotated with do. See IsMergeable for what is never merged.
StatusOr<std::unique_ptr<Module>> MergeEqual(const Module& module, PassContext& context);

}  // namespace axle
