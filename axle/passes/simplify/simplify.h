// Algebra: applies the rewrite rules.
#pragma once
#include "axle/passes/pass.h"
#include "axle/passes/simplify/rule.h"

namespace axle {

// These rules wherever they fit, walk after walk until nothing changes, but at most kMaxWalks
// times. If anything did, dead code is gone afterwards.
StatusOr<std::unique_ptr<Module>> ApplyRules(const Module& module,
                                             std::span<const Rule* const> rules,
                                             PassContext& context);
inline constexpr int kMaxWalks = 4;

// With AllRules().
StatusOr<std::unique_ptr<Module>> Simplify(const Module& module, PassContext& context);

}  // namespace axle
