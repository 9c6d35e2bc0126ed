// The pass `cse`: common subexpression elimination.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Replaces equal instructions of a computation by the first one, and merges equal computations.
// Names and metadata are not compared; shardings, frontend attributes and other annotations are.
// IsMergeable says which instructions are never merged.
StatusOr<std::unique_ptr<Module>> MergeEqual(const Module& module, PassContext& context);

}  // namespace axle
