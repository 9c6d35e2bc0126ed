// The order in which a pass over computations meets those that are called before those that call
// them. Without recursion: a chain of calls can be as long as a module. Takes time in proportion to
// the instructions that it looks at.
#pragma once
#include <functional>
#include <vector>

#include "axle/ir/module.h"

namespace axle {

// All computations of the module in its order, each behind those that it calls.
std::vector<const HloComputation*> CalleesFirst(const Module& module);

using IsDoneFn = std::function<bool(const HloComputation* computation)>;
// `root` and everything it calls. What is done is left out, with what only that calls: walks from
// one root after the other need not follow the same calls again and again.
std::vector<const HloComputation*> CalleesFirst(const HloComputation& root,
                                                const IsDoneFn& is_done = {});

}  // namespace axle
