// The profiler that clients of PJRT start and stop: while it runs, every execution is profiled.
#pragma once
#include <memory>

#include "axle/client/profile.h"
#include "axle/pjrt/c_abi.h"

namespace axle::pjrt {

// Returns the profile that a run is to add to, or null: no profiler runs. The run keeps it until it
// is over.
std::shared_ptr<Profile> ActiveProfile();

// Returns the node of the profiler in the chain of extensions, in front of `next`.
PJRT_Extension_Base* ProfilerExtension(PJRT_Extension_Base* next);

}  // namespace axle::pjrt
