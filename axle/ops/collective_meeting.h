// Who takes part in a collective: for evaluators, and for compiled code, which meets without them.
#pragma once
#include "axle/ops/op_def.h"
#include "axle/ops/replica_groups.h"

namespace axle {

// The channel and the groups of an instruction that has replica groups.
Collective CollectiveOf(const Instruction& inst);

// The devices that an execution brings together, in the order of the values.
struct CollectiveMeeting {
  Dims participants;  // empty: `device` takes no part
  i64 source = -1;    // of a collective-permute: the position that sends to `device`, or -1
};
StatusOr<CollectiveMeeting> MeetingOf(const Instruction& inst, const DeviceContext& device);

}  // namespace axle
