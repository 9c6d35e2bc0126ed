// A collective whose devices are in several processes.
#pragma once
#include "axle/codegen/steps/collective_step.h"

namespace axle {

class GroupRun;
struct HostRun;
struct Seat;

// One execution, after all devices of the group that are in this process have arrived and show
// their buffers. The first of them does the part of all, the others nothing: they depart. False if
// the limits ended it; errors are those of AwaitMessage and Transport, and RESOURCE_EXHAUSTED.
// Throws std::bad_alloc.
StatusOr<bool> RunSpanning(const CollectivePlan& plan, GroupRun& group, const Seat& seat,
                           const HostRun& run);

}  // namespace axle
