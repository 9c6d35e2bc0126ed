// BegunRuns: which programs the processes of a job have begun to run, as they tell each other in
// their reports (distributed/transport.h). Two that run different programs would wait for each
// other: the job ends with an error that names both.
#pragma once
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "axle/core/status.h"
#include "axle/distributed/transport.h"

namespace axle {

// Thread-safe.
class BegunRuns {
 public:
  // What is watched from now on, or null, which comes before the end of a transport.
  void Watch(Transport* transport);
  // This process begins run `number` of the processes with this hash.
  void Add(std::uint64_t processes, std::uint64_t number, std::uint64_t program,
           std::string_view name);
  // Renews the own report, and looks at those of the others.
  void Compare();

 private:
  struct Run {
    std::uint64_t processes, number, program;
    std::string name;
  };
  std::string Report() const;
  std::optional<Status> Difference(int process, std::string_view report) const;

  // The last ones: a process that is further ahead than this has not waited for the others.
  static constexpr size_t kMaxRuns = 16;
  std::mutex mutex_;
  Transport* transport_ = nullptr;
  std::deque<Run> runs_;
};

}  // namespace axle
