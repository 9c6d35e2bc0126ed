// What counts as few elements.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

// Arrays of more elements stay in memory.
inline constexpr i64 kMaxSmallElements = 128;

}  // namespace axle
