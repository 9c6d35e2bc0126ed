// A schedule of a drill: a job, a fault, when it comes and whom it meets, all drawn by a seed.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace axle {

enum class Fault : std::uint8_t {
  kKill,               // a process is killed
  kStop,               // stopped, until all others have ended
  kPause,              // stopped for less than the silence limit
  kCable,              // a process reaches nobody, and nobody reaches it
  kLink,               // two processes no longer reach each other
  kOneWay,             // one of them no longer reaches the other
  kStall,              // nothing comes through for less than the silence limit
  kDelay,              // every byte is late
  kThrottle,           // the links of a process are slow
  kReset,              // connections are reset
  kCut,                // connections are closed
  kFullDisk,           // the disk of the rendezvous takes no more
  kNeverStarts,        // a process does not come
  kOtherFingerprint,   // runs with other numerics
  kOtherVersion,       // has another version
  kLeaves,             // ends before the others
  kFails,              // fails, and says why
  kLate,               // is alive, and takes longer than the silence limit
  kKillTwo,            // two processes are killed, one after the other
  kKillWhileConnects,  // a process is killed before all are there
};
inline constexpr int kNumFaults = 20;

// Which connections kReset and kCut end.
enum class Connections : std::uint8_t { kControl, kData, kBoth };

struct Schedule {
  std::uint64_t seed = 0;
  int index = 0;
  Fault fault = Fault::kKill;
  int num_processes = 3;
  bool has_tcp_store = false;
  int victim = 0, other = 1;  // two different processes
  double after = 0;           // seconds from the first step of all to the fault
  double silence_limit = 1;
  double seconds = 0;  // of a fault that passes: delay, pause
  double bytes_per_second = 0;
  int step = 0;   // of the program, at which the victim does something
  int bytes = 0;  // of each message
  Connections connections = Connections::kBoth;

  // Whether all processes come through.
  bool all_finish() const;
  // Whether the fault is over once the processes are connected, or while they connect.
  bool is_at_start() const;
  // Whether it is there from the beginning to the end.
  bool is_whole_job() const { return fault == Fault::kDelay || fault == Fault::kThrottle; }
  std::string ToText() const;
};

// The schedule `index` of the seed. Kinds of faults follow each other, the rest is drawn.
// `silence_limit` is that of the faults that end a job.
Schedule DrawSchedule(std::uint64_t seed, int index, double silence_limit);
std::string_view FaultName(Fault fault);

}  // namespace axle
