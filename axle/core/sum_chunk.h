// The chunk of the canonical order of long sums (docs/numerics.md), which operations, compiled
// reductions and kernels share: changing it changes bits.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

// Neighbouring elements that are added up before sums are joined by a tree; a multiple of every
// number of lanes.
inline constexpr i64 kSumChunk = 4096;

}  // namespace axle
