// GroupRun: one run of a program on several devices, and where those of this process meet.
//
// A collective is one meeting for each group of its devices and each time that it is executed: the
// instruction, how often this device has come to it, and the participants tell meetings apart.
// Channels play no part. JAX gives one channel to all collectives of a program.
//
// A device that leaves with an error ends the waits of all others with that cause. When a device
// begins to wait, or leaves, and a participant that it waits for has left or waits itself, the
// devices that can still make progress are found: those that run, and those that wait for such
// devices only. If a device that waits is not among them, this is a deadlock, and all devices learn
// of it. So it is with a recv from another device of the run (Receive). A device that waits for
// something else, the host or another program, counts as one that runs. The
// search takes a pass over all devices for each device that it finds, and does not happen where all
// participants are on their way.
//
// There are two kinds of meetings. Evaluators exchange literals, which are copied (Meet). Compiled
// code shows addresses at a station (station.h), where it waits without the lock for a short time
// before it blocks; a device that spins counts as one that runs. The kinds do not mix: at one
// instruction, a device that comes with a literal and one that comes to its station miss each
// other.
//
// Where other processes have devices of the run (run_link.h), those of a group that are here meet
// first. Then one of them, the last to come with a literal or the first one of a station, talks to
// the other processes for all. The search above knows the devices of this process only: one that
// waits for another process counts as one that runs. Such waits are kept beside the others, for the
// search over all processes (run_waits.h), whose facts Waits collects.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "axle/core/device_context.h"
#include "axle/runtime/run_link.h"
#include "axle/runtime/run_waits.h"
#include "axle/runtime/station.h"
#include "axle/runtime/wait.h"

namespace axle {

class GroupRun {
 public:
  // `name_of` gives the operation and the name of an instruction, `all-reduce "sum"`, by
  // DeviceContext::Rendezvous::instruction, for messages. `link` is null if all devices are in this
  // process; it outlives this.
  GroupRun(i64 num_devices, std::function<std::string(std::uint64_t)> name_of,
           const RunLink* link = nullptr);

  // DeviceContext::Exchange of a device of the run. The values are copies, which are counted by the
  // limits of the thread that receives them. Errors: CANCELLED or DEADLINE_EXCEEDED as the limits
  // say; CANCELLED with the cause if another device has left with an error; INVALID_ARGUMENT for a
  // deadlock.
  StatusOr<std::vector<Literal>> Meet(i64 device, const DeviceContext::Rendezvous& rendezvous,
                                      std::span<const i64> participants, Literal value,
                                      Limits* limits);

  // The seat of the device at the station of an instruction; null: it has none yet. Those who come
  // in different forms do not meet.
  Seat* FindSeat(i64 device, std::uint64_t instruction, std::uint64_t form);
  // A new one, among these participants in this order: the device is among them, or there are
  // none. The station is that of the participants in this process; if there are others, the seat
  // has a spanning group. RESOURCE_EXHAUSTED without memory.
  StatusOr<Seat*> TakeSeat(i64 device, std::uint64_t instruction, std::uint64_t form,
                           const Dims& participants);
  // Memory for a message of the seat's device to its team, which nobody writes to until the second
  // message after this one. Null: there is none, or the limits of the thread do not allow it.
  std::byte* NextSlot(Seat& seat, i64 bytes);

  // Shows `shown` and waits for all participants. Then Seat::execution says what they show. Errors
  // as those of Meet: nobody reads what is shown then.
  Status Arrive(Seat& seat, i64 device, const void* shown, Limits* limits);
  // After Arrive: the device has done its part, or, not `whole`, it has not and fails next. Waits
  // for all others, whatever limits say, because they use the memory that it has shown. CANCELLED
  // with the cause if another one has not done its part.
  Status Depart(Seat& seat, bool whole);

  // Where values go from one device of the run to another, in the order in which they are sent.
  struct Route {
    std::optional<i64> channel;
    i64 source = 0, target = 0;
    auto operator<=>(const Route&) const = default;
  };
  // Keeps a copy until it is received, which the limits of this thread count. RESOURCE_EXHAUSTED
  // without memory. Between processes the errors are those of Transport::Send and Receive in
  // addition.
  Status Send(const Route& route, const Literal& value, Limits* limits);
  // Waits for the value of a place, from 0, on the thread of the target. Each place can be waited
  // for once: FAILED_PRECONDITION. INVALID_ARGUMENT if the value is not of this shape; other
  // errors as those of Meet.
  StatusOr<Literal> Receive(const Route& route, i64 place, const Shape& shape, Limits* limits);
  // For a transfer that names no pairs of devices: INVALID_ARGUMENT if another device of the run
  // has been at the same end of the channel.
  Status CheckOnlyEnd(std::optional<i64> channel, bool is_sender, i64 device);

  // Waits for a message of another process for the devices of a station, whose leader the seat's
  // device is. `process` sends it when its own devices have come, or, if it is kAllProcesses, a
  // process does that has heard of all. Errors: those of PendingReceive, and what the run failed
  // with.
  Status AwaitMessage(const Seat& seat, PendingReceive& receive, int process, Limits* limits);

  // The other processes of the run, or null.
  const RunLink* link() const { return link_; }
  // The name of an instruction, for messages.
  std::string NameOf(std::uint64_t instruction) const { return name_of_(instruction); }

  // The device is done with the program, once, with this status. It waits for nobody any more.
  void Leave(i64 device, const Status& status) noexcept;
  // The device that was the first one to leave with an error.
  std::optional<i64> first_failure() const;

  // Of a run with a link, for the search over all processes, from any thread: what the devices here
  // wait for since `age` or longer, and who has come to the places of these waits and to `asked`.
  RunWaits Waits(std::span<const MeetingPlace> asked, std::chrono::milliseconds age) const;
  // Where the devices here have come to: what is left to say of them when all have left.
  Arrivals ArrivalsHere() const;
  // Ends every wait with this status, also those for other processes.
  void EndWith(const Status& status);

 private:
  struct Meeting {
    std::map<i64, Literal> values;  // by device
    size_t num_readers = 0;         // that have copied them
    size_t num_here = 0;            // participants in this process
    i64 leader = -1;                // talks to other processes for those here
  };
  // Instruction, number of the execution, participants.
  using Key = std::tuple<std::uint64_t, i64, Dims>;
  using Meetings = std::map<Key, Meeting>;

  struct Line {
    i64 num_sent = 0;
    std::map<i64, Literal> values;  // by place
  };
  using Lines = std::map<Route, Line>;

  // What a device that is blocked waits for: a meeting, an execution at a station, or a value of a
  // place.
  struct Wait {
    const Meetings::value_type* meeting = nullptr;
    const Station* station = nullptr;
    std::uint64_t execution = 0;
    const Lines::value_type* line = nullptr;
    i64 place = 0;
    explicit operator bool() const {
      return meeting != nullptr || station != nullptr || line != nullptr;
    }
    bool operator==(const Wait&) const = default;
  };

  // A wait that other processes end, as seen by who talks to them: for whom (AwaitMessage); or by
  // another device here, which waits for that one.
  struct FarWait {
    Wait at;
    i64 leader = -1;
    int process = 0;
    Limits* limits = nullptr;
  };

  using SeatKey = std::pair<std::uint64_t, std::uint64_t>;  // instruction, form

  struct Member {
    bool has_left = false;
    Wait waits_at;  // for devices here
    FarWait far;
    std::chrono::steady_clock::time_point waits_since;  // one or the other
    std::map<std::uint64_t, i64> num_executions;        // by instruction
    // For the device's own thread.
    std::map<SeatKey, Seat> seats;
    std::chrono::steady_clock::time_point rests_until;  // it blocks at once
  };

  // The parts of Meet, Send and Receive that concern other processes.
  bool IsHere(i64 device) const { return link_ == nullptr || link_->IsHere(device); }
  StatusOr<std::map<i64, Literal>> ExchangeWithOthers(const Meetings::value_type& meeting,
                                                      Limits* limits);
  MessageKey KeyOf(const Route& route, i64 place, std::string_view operation) const;
  Status SendToOther(const Route& route, const Literal& value, Limits* limits);
  StatusOr<Literal> ReceiveFromOther(const Lines::value_type& line, i64 place, const Shape& shape,
                                     Limits* limits);
  Status AwaitFar(i64 device, const FarWait& wait, PendingReceive& receive);

  // A wait for what is not complete, without and with the lock, and one for all to depart.
  template <typename Done>
  bool Spin(const Seat& seat, const Done& done);
  Status Block(Seat& seat, i64 device, Limits* limits);
  void WakeBlocked(const Station& station);
  Status AwaitFailure();

  // These are called with the lock held.
  std::vector<i64> Missing(const Wait& wait) const;
  void FindDeadlockIfOneIsMissing(const Wait& wait);
  void FindDeadlock();
  std::string DeadlockText(const std::vector<bool>& progresses) const;
  std::string PlaceText(const Wait& wait) const;
  DeviceWait TellWait(i64 device) const;
  std::pair<MeetingPlace, Dims> PlaceOf(const Wait& wait) const;
  template <typename Fn>
  void ForArrivals(const Fn& fn) const;
  void Fail(Status status);

  const std::function<std::string(std::uint64_t)> name_of_;
  const RunLink* const link_;
  mutable std::mutex mutex_;
  ForkableCondition changed_;
  std::vector<Member> members_;
  Meetings meetings_;
  Lines lines_;
  std::map<std::pair<std::optional<i64>, bool>, i64> ends_;  // by channel and whether it sends
  std::map<Dims, Team> teams_;                               // by all participants
  std::map<Dims, SpanningGroup> spanning_;                   // by all participants
  std::map<std::pair<SeatKey, const Team*>, Station> stations_;
  Status failure_;  // what everybody who waits is told
  std::atomic<bool> has_failed_ = false;
  std::optional<i64> first_failure_;
  Status failure_without_memory_;  // made before there is none
};

}  // namespace axle
