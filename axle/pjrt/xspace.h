// A profile as an XSpace, the message that XLA's profilers exchange (tsl/profiler/protobuf/xplane).
#pragma once
#include <string>

#include "axle/client/profile.h"

namespace axle::pjrt {

// Returns the serialized message: one plane per device, one line per thread, one event per turn of
// a step, with its operations, source, bytes and floating-point operations.
std::string ToXSpace(const ProfileReport& report);

}  // namespace axle::pjrt
