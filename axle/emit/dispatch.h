// From a lane type to the C++ type of its elements.
#pragma once
#include <cstdint>

#include "axle/emit/lane_program.h"

namespace axle {

// fn.template operator()<T>() with the C++ type of a lane type.
template <typename Fn>
auto DispatchLane(LaneType type, Fn&& fn) -> decltype(fn.template operator()<bool>()) {
  switch (type) {
    case LaneType::kPred:
      return fn.template operator()<bool>();
    case LaneType::kU8:
      return fn.template operator()<std::uint8_t>();
    case LaneType::kU16:
      return fn.template operator()<std::uint16_t>();
    case LaneType::kU32:
      return fn.template operator()<std::uint32_t>();
    case LaneType::kU64:
      return fn.template operator()<std::uint64_t>();
    case LaneType::kS8:
      return fn.template operator()<std::int8_t>();
    case LaneType::kS16:
      return fn.template operator()<std::int16_t>();
    case LaneType::kS32:
      return fn.template operator()<std::int32_t>();
    case LaneType::kS64:
      return fn.template operator()<std::int64_t>();
    case LaneType::kF32:
      return fn.template operator()<float>();
    case LaneType::kF64:
      return fn.template operator()<double>();
  }
  return {};
}

}  // namespace axle
