// The pass `scan`: expands scans into loops or reduce-windows.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Puts a while loop in the place of a scan: a counter, the inputs, the outputs so far and the
// carries are its state, and its body calls the scan's computation on one slice of each input.
// Scans with annotations or dynamic dimensions stay. One that is nothing but running sums and
// products of floats (axle/ops/scan_sums.h) becomes a reduce-window of each. A reduce-window of
// such a sum that is cumulative in one dimension and slides along another becomes one for each.
StatusOr<std::unique_ptr<Module>> ExpandScans(const Module& module, PassContext& context);

}  // namespace axle
