// Station: where the devices of a replica group meet at one instruction, again and again, and show
// each other their memory.
//
// A meeting is an execution of the instruction. A participant shows an address and arrives; when
// all have arrived the meeting is complete, and each reads what the others show. It arrives for
// execution n + 1 only after it has read all of n, so that two addresses per participant are
// enough, and a counter of arrivals that never goes back tells executions apart: execution n is
// complete at n times the number of participants.
//
// Memory that belongs to a participant stays as it is until all have departed, which is a second
// counter. A small message is copied into a slot of its Team instead: then nobody has to depart,
// because a slot is used again for the second message after it, whose sender has seen all others
// arrive for the one between.
//
// A participant may give up before the meeting is complete. It then closes the station for good, in
// the counter itself, so that a meeting is either complete for all or for nobody.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "axle/core/shape.h"

namespace axle {

// The devices of a replica group in its order, with memory for the small messages of each: two, one
// after the other, which grow.
struct Team {
  explicit Team(Dims devices) : members(std::move(devices)), slots(members.size()) {}

  struct alignas(64) Slots {  // of one member, for its own thread
    std::byte* data = nullptr;
    i64 bytes = 0;  // of one slot
    bool second = false;
    std::vector<std::shared_ptr<std::byte>> memory;  // with what is too small by now
  };
  const Dims members;
  std::vector<Slots> slots;  // by position
};

class Station {
 public:
  Station(std::uint64_t instruction, Team& team)
      : instruction_(instruction), team_(team), places_(team.members.size()) {}

  std::uint64_t instruction() const { return instruction_; }
  Team& team() const { return team_; }
  std::uint64_t size() const { return places_.size(); }

  // What `position` shows at this execution; executions count from 1.
  void Show(size_t position, std::uint64_t execution, const void* shown) {
    places_[position].shown[execution % 2] = shown;
  }
  const void* shown(size_t position, std::uint64_t execution) const {
    return places_[position].shown[execution % 2];
  }

  // True for the last one.
  bool Arrive(size_t position, std::uint64_t execution) {
    places_[position].arrived.store(execution);
    return arrivals_.fetch_add(1) + 1 == execution * size();
  }
  bool HasArrived(size_t position, std::uint64_t execution) const {
    return places_[position].arrived.load() >= execution;
  }
  // The last execution for which `position` has arrived.
  std::uint64_t LastArrival(size_t position) const { return places_[position].arrived.load(); }
  bool IsComplete(std::uint64_t execution) const {
    const std::uint64_t arrivals = arrivals_.load();
    return arrivals < kClosed && arrivals >= execution * size();
  }
  // No meeting becomes complete any more. False if this one is complete already.
  bool Close(std::uint64_t execution) {
    std::uint64_t arrivals = arrivals_.load();
    while (arrivals < kClosed) {
      if (arrivals >= execution * size()) return false;
      if (arrivals_.compare_exchange_weak(arrivals, arrivals | kClosed)) break;
    }
    return true;
  }

  // True for the last one. Not `whole`: somebody did not do its part.
  bool Depart(std::uint64_t execution, bool whole) {
    if (!whole) spoiled_.store(true);
    return departures_.fetch_add(1) + 1 == execution * size();
  }
  bool IsEmpty(std::uint64_t execution) const { return departures_.load() >= execution * size(); }
  bool is_spoiled() const { return spoiled_.load(); }

  // The number of threads that are blocked here: who makes a meeting complete or empty wakes them.
  std::atomic<int>& num_blocked() { return num_blocked_; }
  bool has_blocked() const { return num_blocked_.load() > 0; }

 private:
  static constexpr std::uint64_t kClosed = std::uint64_t{1} << 63;
  struct alignas(64) Place {
    std::atomic<std::uint64_t> arrived = 0;
    const void* shown[2] = {};
  };

  alignas(64) std::atomic<std::uint64_t> arrivals_ = 0;
  const std::uint64_t instruction_;
  Team& team_;
  std::vector<Place> places_;
  std::atomic<int> num_blocked_ = 0;
  std::atomic<bool> spoiled_ = false;
  alignas(64) std::atomic<std::uint64_t> departures_ = 0;
};

// A group whose devices are in several processes, as one of them sees it. Processes have ranks: in
// the order in which the group names them first.
struct SpanningGroup {
  std::vector<int> processes;  // by rank
  std::vector<int> rank_of;    // by position in the group
  int self = 0;                // the rank of this process
  std::vector<Dims> members;   // by rank: its positions in the group, ascending
  std::uint64_t hash = 0;      // of the participants
};

// A device's part in a station, for its own thread.
struct Seat {
  Station* station = nullptr;  // null: nobody takes part
  // Of all devices, if some are in other processes: the station has only those that are here.
  const SpanningGroup* spanning = nullptr;
  size_t position = 0;
  std::uint64_t execution = 0;  // the last one that it has arrived for
  i64 source = -1;              // of a permute: the position in the group that sends to the device
  Dims sources;                 // the same for all of a spanning group
};

}  // namespace axle
