// Padding: how the builder's functions of windows may be asked to pad.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "axle/core/element_type.h"

namespace axle {

enum class Padding { kSame, kValid };
// low and high padding per dimension of a window (00-conventions section 7 of the reference).
std::vector<std::pair<i64, i64>> MakePadding(std::span<const i64> input_dimensions,
                                             std::span<const i64> window_dimensions,
                                             std::span<const i64> window_strides, Padding padding);

}  // namespace axle
