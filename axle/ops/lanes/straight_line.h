// Computations of scalars without their calls and branches.
#pragma once
#include <memory>

#include "axle/ir/module.h"

namespace axle {

// The computation as elementwise instructions on scalars alone: what it calls stands in the place
// of the call, and a branch computes all that it could and selects. Its parameters and root are
// those of `computation`; it is the entry of a module of its own. Null if something else is in it,
// if it calls nothing, if calls are nested deep, or if more than `most` instructions would have to
// be looked at, those of callees for each call.
std::unique_ptr<Module> StraightLine(const HloComputation& computation, i64 most);

}  // namespace axle
