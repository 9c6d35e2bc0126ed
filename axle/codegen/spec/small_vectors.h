// Arrays in registers: how many vectors hold one (llvm/small_values.h).
//
// Element k of n is lane k mod w of vector k / w, where w is n rounded up to a power of two, and
// kMaxSmallLanes at most. Up to kMaxSmallNumbers elements have a vector each.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "axle/core/element_type.h"

namespace axle {

inline constexpr i64 kMaxSmallLanes = 16, kMaxSmallNumbers = 3;

constexpr i64 SmallLanesFor(i64 num_elements) {
  if (num_elements <= kMaxSmallNumbers) return 1;
  const auto lanes = std::bit_ceil(static_cast<std::uint64_t>(num_elements));
  return std::min(static_cast<i64>(lanes), kMaxSmallLanes);
}

constexpr i64 NumSmallVectors(i64 num_elements) {
  const i64 lanes = SmallLanesFor(num_elements);
  return (num_elements + lanes - 1) / lanes;
}

}  // namespace axle
