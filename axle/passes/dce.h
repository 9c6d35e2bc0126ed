// The pass `dce`: dead-code elimination.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Removes instructions whose value reaches neither the root nor an instruction with an effect, and
// computations that are never called. Parameters and control predecessors of live instructions
// stay. A failure or an endless loop is not an effect.
StatusOr<std::unique_ptr<Module>> RemoveDeadCode(const Module& module, PassContext& context);
// The same as a clean-up at the end of another pass, which does not count these changes.
StatusOr<std::unique_ptr<Module>> RemoveDeadCode(const Module& module, Limits* limits);

}  // namespace axle
