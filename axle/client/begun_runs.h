// BegunRuns: which programs the processes of a job have begun to run and where the devices of a run
// wait, as they tell each other in their reports (distributed/transport.h).
//
// Two processes that run different programs would wait for each other: the job ends with an error
// that names both. So would devices whose places cannot come about: the run ends with
// INVALID_ARGUMENT that says who waits where (runtime/run_waits.h).
//
// Reports go out with heartbeats. A wait that has lasted is sent at once, and so is what others ask
// for, whether devices here have come to where they wait. A process that has finished a run keeps
// that for a few runs.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "axle/core/status.h"
#include "axle/distributed/transport.h"
#include "axle/runtime/group_run.h"
#include "axle/runtime/run_waits.h"

namespace axle {

// Thread-safe.
class BegunRuns {
 public:
  // What is watched from now on, or null, which comes before the end of a transport.
  void Watch(Transport* transport);
  // This process begins to run a program. The group, which has a link with a number, is there until
  // End.
  void Add(std::string_view program, GroupRun& group);
  // The run of this group is over here, and all devices have finished it if it `is_whole`. Waits
  // for a search that is under way.
  void End(const GroupRun* group, bool is_whole) noexcept;
  // Renews the own report, and looks at those of the others.
  void Compare();

 private:
  using Id = std::pair<std::uint64_t, std::uint64_t>;  // hash of the processes, number
  struct Program {
    Id id;
    std::uint64_t program = 0;
    std::string name;
  };
  // A run that all devices here have finished.
  struct Past {
    Id id;
    std::vector<int> process_of;  // by device
    Arrivals arrivals;
  };
  // What another process has said.
  struct Told {
    std::string report;
    std::vector<Program> programs;
    std::map<Id, RunWaits> waits;
  };
  static void Parse(Told& told);
  std::optional<Status> Difference(int process, const Told& told) const;
  std::set<MeetingPlace> AskedOf(const Id& run, std::span<const int> process_of) const;
  std::map<Id, RunWaits> OwnWaits() const;
  void SendReport(const std::map<Id, RunWaits>& waits);
  void FindDeadlocks(const std::map<Id, RunWaits>& waits);

  // The last ones: a process that is further ahead than this has not waited for the others.
  static constexpr size_t kMaxPrograms = 16, kMaxPast = 4;
  std::mutex mutex_;
  Transport* transport_ = nullptr;
  std::deque<Program> programs_;
  std::map<Id, GroupRun*> groups_;  // of runs that are not over
  std::deque<Past> past_;
  std::map<int, Told> told_;
  std::string sent_waits_;
};

}  // namespace axle
