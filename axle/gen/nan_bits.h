// Programs whose results depend on the sign or payload of a NaN that they compute: bits that no
// engine promises (numerics.md). A difference in them is none.
#pragma once
#include <functional>
#include <span>

#include "axle/core/limits.h"
#include "axle/core/literal.h"
#include "axle/ir/module.h"

namespace axle {

// The same module with a NaN of any sign and payload, drawn for each element, for every NaN that an
// instruction computes (seeds 0 to 5: the plain ones, those of ones only, and those that signal
// with the lowest bit only, positive and negative); those that are only moved stay. Computations
// that reductions and their kind apply are left alone, with what they call, if a sum or a product
// of floats is among their components: their form decides about the order.
std::unique_ptr<Module> WithNanBits(const Module& module, std::uint64_t seed);

// Whether some of these, or the module itself, give different results. False if they give errors.
// `run` runs a module.
bool DependsOnNanBits(const Module& module,
                      const std::function<StatusOr<Literal>(const Module&)>& run);
// The same on these arguments. Each is run under limits of its own, which `set_limits` sets.
bool DependsOnNanBits(
    const Module& module, std::span<const Literal> arguments,
    const std::function<void(Limits&)>& set_limits = [](Limits&) {});

}  // namespace axle
