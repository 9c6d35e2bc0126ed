// Profile: where the time of runs goes, step by step.
//
//   Profile profile;
//   AXLE_ASSIGN(Literal y, executable->Execute({x}, {.profile = &profile}));
//   AXLE_ASSIGN(const ProfileReport report, profile.Report());
//   std::cout << ProfileTable(report);   // client/profile_text.h; JSON and a trace as well
//
// A step is what the engine runs at once: a record of native code, as `axle explain` shows them, or
// an instruction or a run of elementwise ones in the interpreter. Runs of any number of executables
// may add to one profile, also at the same time; it keeps the executables alive. Profiling changes
// no bit of a result and no count of steps. docs/profiling.md says what it costs.
//
// All functions are thread-safe, but for the destructor.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "axle/client/machine_rates.h"
#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

class Executable;
class StepProfile;  // core/step_profile.h

struct ProfileOptions {
  // The most events that are kept for traces: one per turn of a step. 0 keeps none. An event takes
  // 32 bytes.
  std::uint64_t max_events = 0;
};

// A step. Times are in seconds and sums over all turns in all runs. Where a step is so short that a
// clock would cost more than 1 % of it, some of its turns are timed, and times are estimates.
struct ProfileRecord {
  std::string computation;           // that it is a step of
  std::string name;                  // of its last instruction
  std::string kind;                  // loop, contraction, while, ...: as `axle explain` has it
  std::string engine;                // compiled, library, evaluator, program, interpreter
  std::vector<std::string> ops;      // its instructions' operations, in order: dot, add
  std::vector<std::string> sources;  // their different places in the source, "model.py:12"
  // The positions in ProfileProgram::records of the steps that it runs inside of: calls, loops and
  // the like. Empty in the entry.
  std::vector<size_t> callers;
  std::uint64_t turns = 0;        // how often it ran
  std::uint64_t timed_turns = 0;  // in how many of them it was timed
  double seconds = 0;             // with the steps inside of it
  double self_seconds = 0;        // without them
  double min_seconds = 0;         // of the fastest turn, with the steps inside
  double share = 0;               // self_seconds as a part of ProfileProgram::seconds, 0 to 1
  // Of one turn, without the steps inside; -1: not known. client/op_table.h says what counts as
  // floating-point operations.
  i64 bytes_read = -1;
  i64 bytes_written = -1;
  double flops = -1;
  // How much of the speed of the machine it reaches: the time that its bytes take at the measured
  // rate of memory, or its operations at that of arithmetic, whichever is longer, as a part of
  // self_seconds. Above 1 if its data are in a cache. -1: not known.
  double roofline = -1;
  int threads = 1;  // the most that shared a turn
};

// The runs of an executable on one device.
struct ProfileProgram {
  std::string name;
  i64 device = 0;  // its number in the run: r * partitions + p
  std::uint64_t runs = 0;
  double seconds = 0;                  // of all runs, from the arguments to the result
  double outside_seconds = 0;          // of these, outside of all steps
  std::vector<ProfileRecord> records;  // with turns; most self_seconds first
};

// A turn of a step, or the part of it that a thread did, or a run.
struct ProfileEvent {
  static constexpr size_t kRun = ~size_t{0};
  size_t program = 0;      // position in ProfileReport::programs
  size_t record = kRun;    // in its records, or kRun
  int thread = 0;          // of those that worked for the device, from 0
  i64 begin = 0, end = 0;  // nanoseconds since the first event
};

struct ProfileReport {
  std::vector<ProfileProgram> programs;  // in the order of their first runs
  std::vector<MachineRates> machine;     // one for each number of threads that a record has
  std::vector<ProfileEvent> events;
  i64 first_event = 0;                // when it was, in nanoseconds since 1970; 0 without events
  std::uint64_t events_left_out = 0;  // since there were ProfileOptions::max_events
};

class Profile {
 public:
  // Makes a profile without runs.
  explicit Profile(const ProfileOptions& options = {});
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  // Returns what the finished runs took. The first call for an executable plans it once more to say
  // what its steps are, and the first in a process measures the machine for a few milliseconds.
  // RESOURCE_EXHAUSTED without memory for it.
  StatusOr<ProfileReport> Report() const;

  // The measurement of one run, which an executable makes.
  class Recording {
   public:
    explicit Recording(Profile& profile);
    ~Recording();
    StepProfile& steps() { return *steps_; }
    // Adds it to the profile. To be called by the thread that ran.
    void Finish(const Executable& executable, i64 device);

   private:
    Profile& profile_;
    const std::unique_ptr<StepProfile> steps_;
    const std::uint64_t begin_;  // ticks
  };

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace axle
