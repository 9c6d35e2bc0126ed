// Removes calls, branches and detours from computations of scalars.
#pragma once
#include <memory>

#include "axle/ir/module.h"

namespace axle {

// The computation as elementwise instructions on scalars: callees are inlined, a conditional
// computes all branches and selects, and what only renames a scalar, as a reshape or a tuple that
// is taken apart again, is left out. The result is the entry of a module of its own, with the
// parameters and root of `computation`. Null if the computation has other instructions, if it has
// nothing but elementwise ones, if calls are nested deeply, or if it has more than `most`
// instructions, those of callees counted for each call.
std::unique_ptr<Module> StraightLine(const HloComputation& computation, i64 most);

}  // namespace axle
