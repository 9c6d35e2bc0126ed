// RunWaits: what the devices of a run wait for, as the processes of the run tell each other, and
// the search for a deadlock among all of them.
//
// A process says of its devices which ones have finished the program, which ones are blocked, and
// where; of the others nothing, so that they count as devices that run. A place where devices meet
// has the same name in all processes (MeetingPlace). For places that somebody waits at, a process
// says in addition which of its devices have come there. All of this is as it was at one moment.
//
// A device makes progress if it runs, or if all that it waits for make progress. The moments of the
// processes are different ones, and messages may be on their way, but what the search finds is
// certain. Take the devices that it has found to make no progress. Each waits for one of them that
// had not come at the moment of its process, when that device was itself blocked or had finished.
// The first one of them to go on would need another one that has gone on before.
//
// What nobody has said yet, whether a device has come to a place, counts as that it has.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/shape.h"

namespace axle {

// Where devices of a run meet.
struct MeetingPlace {
  enum class Kind : std::uint8_t { kStation, kLiterals, kTransfer };
  Kind kind = Kind::kStation;
  std::uint64_t instruction = 0;
  std::int64_t execution = 0;  // of a transfer: the place of its value
  std::uint64_t group = 0;     // a hash of the participants, or of the devices of a transfer
  auto operator<=>(const MeetingPlace&) const = default;
};

// A device that is blocked.
struct DeviceWait {
  i64 device = 0;
  MeetingPlace place;
  std::string text;   // `at "sum"`
  Dims participants;  // whose coming the place needs, of all processes
  // It waits for the device that talks to the other processes, unless this is -1;
  i64 leader = -1;
  // else until the participants of this process have come, or, if it is kAllProcesses, of all.
  int process = 0;
};
inline constexpr int kAllProcesses = -1;

// The devices of one process, at one moment.
struct RunWaits {
  Dims finished;
  std::vector<DeviceWait> waits;          // by device
  std::map<MeetingPlace, Dims> arrivals;  // which of its devices have come to a place
};

// Lines of text, and back; null if they are not whole.
std::string RunWaitsText(const RunWaits& waits);
std::optional<RunWaits> ParseRunWaits(std::string_view text);

// The deadlock, or "". process_of is by number of the device; the map has what is known, by
// process.
std::string DeadlockOver(std::span<const int> process_of,
                         const std::map<int, const RunWaits*>& processes);

// What a message about a deadlock lists at most.
inline constexpr size_t kMostInDeadlock = 8;
// "device 3", "devices 1, 2": at most kMostInDeadlock.
std::string DevicesText(std::span<const i64> devices);

// How often a device has come to a place, the last one of a kind, instruction and group.
struct Arrival {
  MeetingPlace place;
  i64 device = 0;
  std::strong_ordering operator<=>(const Arrival&) const = default;
};
// Of the devices of a process, all in one run, sorted.
using Arrivals = std::vector<Arrival>;
// Those that have come to a place.
Dims ArrivedAt(const MeetingPlace& place, const Arrivals& arrivals);

}  // namespace axle
