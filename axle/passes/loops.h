// The pass `loops`, and trip counts of while loops.
#pragma once
#include <optional>

#include "axle/passes/pass.h"
#include "axle/passes/rebuild.h"

namespace axle {

// How often the body of this `while` runs, if that can be told from a counter: an integer element
// of the state that starts from a constant, to which the body adds a constant, and which the
// condition compares with a constant. Nothing if it cannot, or if the counter would wrap.
std::optional<i64> TripCount(const Instruction& loop);

// For loops without effects and annotations whose state is a tuple that condition and body only
// take apart: elements of the state that nobody needs are dropped; elements that no iteration
// changes are read from outside after the loop, and constants among them are constants in the
// loop; what the body computes from unchanged elements alone is computed once, before the loop; a
// loop that runs no time is its initial state, and one that runs once a call of its body.
StatusOr<std::unique_ptr<Module>> SimplifyLoops(const Module& module, PassContext& context);

}  // namespace axle
