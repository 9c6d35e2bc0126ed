// Scratch memory of a step: its parts lie one behind the other, each on cache lines of its own.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

inline constexpr i64 kScratchAlignment = 64;

// The bytes that a part of so many bytes occupies.
inline i64 ScratchPart(i64 bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

}  // namespace axle
