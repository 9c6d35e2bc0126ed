// Calls become what they call.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Puts the instructions of called computations in the place of calls. What is called once is copied
// once, however deep calls are nested. A computation that is called more than once is copied, with
// what is in it by then, as long as the module does not grow by more than kMaxInlineGrowth and its
// own size. Calls with annotations, of another thread, or whose
// operands have other layouts than the parameters stay.
StatusOr<std::unique_ptr<Module>> InlineCalls(const Module& module, PassContext& context);
inline constexpr i64 kMaxInlineGrowth = 10000;  // instructions

}  // namespace axle
