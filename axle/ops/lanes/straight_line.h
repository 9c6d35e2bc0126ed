// Removes calls and branches from computations of scalars.
#pragma once
#include <memory>

#include "axle/ir/module.h"

namespace axle {

// The computation as elementwise instructions on scalars: callees are inlined, and a conditional
// computes all branches and selects. The result is the entry of a module of its own, with the
// parameters and root of `computation`. Null if the computation has other instructions, if it has
// no calls or branches, if calls are nested deeply, or if it has more than `most` instructions,
// those of callees counted for each call.
std::unique_ptr<Module> StraightLine(const HloComputation& computation, i64 most);

}  // namespace axle
