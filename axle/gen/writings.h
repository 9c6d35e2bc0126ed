// Writings: the same program in other words. The values are equal bit for bit, and a compiler
// should take about the same time for all of them; where it does not, one of them is the edge of a
// cliff. bench/cliffs_bench.cc times them, the tests compare their results.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "axle/core/status.h"
#include "axle/ir/module.h"

namespace axle {

enum class Writing : std::uint8_t {
  kLayouts,    // arrays have other layouts than row-major ones
  kCalls,      // instructions are called computations of their own
  kFusions,    // and those are fusions
  kReshapes,   // results are reshaped there and back
  kBranch,     // the entry is called by a branch that is taken either way
  kOptimised,  // a dump after the passes
};
std::span<const Writing> AllWritings();
std::string_view WritingName(Writing writing);  // "layouts", "calls", ...

// `module`, which is verified, in another writing. FAILED_PRECONDITION if it has none of that kind:
// the text says why. What is rewritten is a function of the seed.
StatusOr<std::unique_ptr<Module>> Rewritten(const Module& module, Writing writing,
                                            std::uint64_t seed);

}  // namespace axle
