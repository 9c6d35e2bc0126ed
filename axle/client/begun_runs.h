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
//
// A run that fails here fails in all processes, and so do the runs that they begin after it. Those
// that they have begun before it go on: this process has done its part in them, or fails there too.
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
  // End. The cause if this run or one before it has failed in some process.
  Status Add(std::string_view program, GroupRun& group);
  // The run of this group is over here, and all devices have finished it if it `is_whole`. Waits
  // for a search that is under way.
  void End(const GroupRun* group, bool is_whole) noexcept;
  // The run of this group has failed here: it and later ones end in all processes.
  void Fail(const GroupRun& group, const Status& cause) noexcept;
  // Ends all runs here.
  void EndAll(const Status& cause);
  // Renews the own report, and looks at those of the others.
  void Compare();

 private:
  using Id = std::pair<std::uint64_t, std::uint64_t>;  // hash of the processes, number
  struct Program {
    Id id;
    std::uint64_t program = 0;
    std::string name;
    std::uint64_t order = 0;  // of the runs that this process has begun, from 1
  };
  struct Group {
    GroupRun* group;
    std::uint64_t order;
  };
  struct Failure {
    Id id;
    Status cause;
    std::uint64_t order = 0;
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
    std::optional<Failure> failure;
    bool has_taken_failure = false;
  };
  static void Parse(Told& told);
  std::optional<Status> Difference(int process, const Told& told) const;
  std::set<MeetingPlace> AskedOf(const Id& run, std::span<const int> process_of) const;
  std::map<Id, RunWaits> OwnWaits() const;
  std::optional<std::uint64_t> OrderOf(const Id& id) const;
  void EndFrom(std::uint64_t order, const Status& cause);
  void Keep(const Id& id, const Status& cause);
  void TakeFailure(int process, Told& told);
  void SendReport(const std::map<Id, RunWaits>& waits);
  void FindDeadlocks(const std::map<Id, RunWaits>& waits);

  // The last ones: a process that is further ahead than this has not waited for the others.
  static constexpr size_t kMaxPrograms = 16, kMaxPast = 4;
  std::mutex mutex_;
  Transport* transport_ = nullptr;
  std::deque<Program> programs_;
  std::map<Id, Group> groups_;  // of runs that are not over
  std::uint64_t num_begun_ = 0;
  std::optional<Failure> own_failure_;
  Status failure_;  // the first one that is known, in any process
  Id failed_;       // the earliest run of these processes that has failed
  std::deque<Past> past_;
  std::map<int, Told> told_;
  std::string sent_at_once_;
};

}  // namespace axle
