// The pass `plain`: says what layouts mean in operations, and leaves out what says nothing about
// values.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// The module without layouts, shardings, backend configs and the like, so that equal values have
// equal shapes and no pass has to look at them. A bitcast between layouts becomes transposes and a
// reshape. What hands layouts on keeps them: custom calls, transfers, and the bitcasts that depend
// on tiles; they say the layouts of their operands themselves.
StatusOr<std::unique_ptr<Module>> TakeLayoutsAway(const Module& module, PassContext& context);

}  // namespace axle
