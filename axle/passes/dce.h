// Removal of what nobody reads.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Leaves out the instructions whose value reaches neither the root nor an instruction with an
// effect, and the computations that nobody calls. Parameters stay, and what a control edge from a
// live instruction begins at. A computation that only fails, or never ends, is no effect.
StatusOr<std::unique_ptr<Module>> RemoveDeadCode(const Module& module, PassContext& context);
// The same behind another pass, which does not count it.
StatusOr<std::unique_ptr<Module>> RemoveDeadCode(const Module& module, Limits* limits);

}  // namespace axle
