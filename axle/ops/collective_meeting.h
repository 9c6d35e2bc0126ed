// Who takes part in a collective: for evaluators, and for compiled code, which meets without them.
#pragma once
#include "axle/ops/op_def.h"
#include "axle/ops/replica_groups.h"

namespace axle {

// The channel and the groups of an instruction that has replica groups.
Collective CollectiveOf(const Instruction& inst);

// How the values of a collective go between the devices of a group, where no evaluator is needed
// for it: operands are arrays, and rows, parts and positions say all.
enum class ExchangeForm : std::uint8_t {
  kNone,           // another operation, or one that is left to its evaluator
  kReduce,         // all-reduce
  kReduceScatter,  // each device folds its part of each row
  kGather,         // all-gather: rows of the parts of all
  kAllToAll,       // rows of the own part of all
  kDeal,           // all-to-all of tuples: operand i of all for position i
  kPermute,        // the values of another device, or zeros
  kBroadcast,      // the values of the first one
};
ExchangeForm ExchangeFormOf(const Instruction& inst);
// Whether devices may meet: otherwise the groups list all devices alone, and each gives back its
// own operands. For rows.
bool MeetsOthers(const Instruction& inst);
// Whether the value is the state of an asynchronous collective: operands, results, and more.
bool GivesCollectiveState(const Instruction& inst);
// What the done of an asynchronous collective gives of its operand without a copy.
enum class DoneForm : std::uint8_t {
  kNone,     // another operation
  kOperand,  // all of it
  kResults,  // its element 1
};
DoneForm DoneFormOf(const Instruction& inst);

// The devices that an execution brings together, in the order of the values.
struct CollectiveMeeting {
  Dims participants;  // empty: `device` takes no part
  i64 source = -1;    // of a collective-permute: the position that sends to `device`, or -1
  Dims sources;       // the same for all participants
};
StatusOr<CollectiveMeeting> MeetingOf(const Instruction& inst, const DeviceContext& device);

}  // namespace axle
