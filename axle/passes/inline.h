// The pass `inline`: replaces calls and fusions by the instructions of the callee.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Replaces calls and fusions by the instructions of the called computation. A computation with
// several callers is copied to each, as long as the module does not grow by more than
// kMaxInlineGrowth plus its own size. Calls stay that are annotated, call another thread, or have
// operands with other layouts than the parameters.
StatusOr<std::unique_ptr<Module>> InlineCalls(const Module& module, PassContext& context);
inline constexpr i64 kMaxInlineGrowth = 10000;  // instructions

}  // namespace axle
