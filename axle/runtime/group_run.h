// GroupRun: one run of a program on several devices of a process, and where those devices meet.
//
// A collective is one meeting for each group of its devices and each time that it is executed: the
// instruction, how often this device has come to it, and the participants tell meetings apart.
// Channels play no part. JAX gives one channel to all collectives of a program.
//
// A device that leaves with an error ends the waits of all others with that cause. When a device
// begins to wait, or leaves, and a participant that it waits for has left or waits itself, the
// devices that can still make progress are found: those that run, and those that wait for such
// devices only. If a device that waits is not among them, this is a deadlock, and all devices learn
// of it. A device that waits for something else, a recv or the host, counts as one that runs. The
// search takes a pass over all devices for each device that it finds, and does not happen where all
// participants are on their way.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "axle/core/device_context.h"
#include "axle/runtime/wait.h"

namespace axle {

class GroupRun {
 public:
  // `name_of` gives the name of an instruction by DeviceContext::Rendezvous::instruction, for
  // messages.
  GroupRun(i64 num_devices, std::function<std::string(std::uint64_t)> name_of);

  // DeviceContext::Exchange of a device of the run. The values are copies, which are counted by the
  // limits of the thread that receives them. Errors: CANCELLED or DEADLINE_EXCEEDED as the limits
  // say; CANCELLED with the cause if another device has left with an error; INVALID_ARGUMENT for a
  // deadlock.
  StatusOr<std::vector<Literal>> Meet(i64 device, const DeviceContext::Rendezvous& rendezvous,
                                      std::span<const i64> participants, Literal value,
                                      Limits* limits);

  // The device is done with the program, once, with this status. It waits for nobody any more.
  void Leave(i64 device, const Status& status) noexcept;
  // The device that was the first one to leave with an error.
  std::optional<i64> first_failure() const;

 private:
  struct Meeting {
    std::map<i64, Literal> values;  // by device
    size_t num_readers = 0;         // that have copied them
  };
  // Instruction, number of the execution, participants.
  using Key = std::tuple<std::uint64_t, i64, Dims>;
  using Meetings = std::map<Key, Meeting>;

  struct Member {
    bool has_left = false;
    const Meetings::value_type* waits_at = nullptr;  // a meeting that is not complete
    std::map<std::uint64_t, i64> num_executions;     // by instruction; for the device's own thread
  };

  // These four are called with the lock held.
  std::vector<i64> Missing(const Meetings::value_type& meeting) const;
  void FindDeadlock();
  std::string DeadlockText(const std::vector<bool>& progresses) const;
  void Fail(Status status);

  const std::function<std::string(std::uint64_t)> name_of_;
  mutable std::mutex mutex_;
  ForkableCondition changed_;
  std::vector<Member> members_;
  Meetings meetings_;
  Status failure_;  // what everybody who waits is told
  std::optional<i64> first_failure_;
  Status failure_without_memory_;  // made before there is none
};

}  // namespace axle
