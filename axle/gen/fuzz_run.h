// Hunt, the fuzz run of `axle check --random`: generates modules and checks them in processes of
// their own until there are enough or the time is over. A module that crashes or hangs is a failure
// like one that differs; the other workers go on.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "axle/gen/check.h"
#include "axle/gen/coverage.h"

namespace axle {

struct FuzzOptions {
  std::uint64_t seed = 1;
  std::uint64_t first = 0;   // index of the first module
  std::uint64_t count = 0;   // how many; 0: until the time is over
  double seconds = 0;        // 0: until there are `count`
  int jobs = 1;              // processes
  double hang_seconds = 60;  // for one module
  int max_failures = 10;     // then it ends
  CheckOptions check = {};
  Limits* limits = nullptr;  // Cancel ends it; gets the progress
};

struct FuzzFailure {
  std::uint64_t index = 0;
  CheckResult result;
};

struct FuzzReport {
  static constexpr size_t kMaxOverLimit = 100;
  std::array<std::uint64_t, kNumOutcomes> outcomes = {};
  std::uint64_t modules = 0;
  std::uint64_t next = 0;         // the index behind the last module that was begun
  std::uint64_t runs = 0;         // that were compared
  std::uint64_t begun_anew = 0;   // workers, for a module that was over a limit
  BoundedElements elements = {};  // with Numerics::kFast
  double seconds = 0;
  std::vector<FuzzFailure> failures;
  std::vector<FuzzFailure> over_limit;  // the first kMaxOverLimit of those modules
  // The ops that native code did not have, and how often that ended a check.
  std::vector<std::pair<std::string, std::uint64_t>> unimplemented;
  Coverage coverage;  // of the modules with an answer
  std::uint64_t Of(Outcome outcome) const { return outcomes[static_cast<size_t>(outcome)]; }
};

// Forks. Errors: those of Checker::Create; INVALID_ARGUMENT without an end, INTERNAL if there can
// be no processes.
StatusOr<FuzzReport> RunFuzzer(const FuzzOptions& options);

// A check in a process of its own, on drawn arguments or on these. `hang_seconds` as above.
CheckResult CheckIsolated(const Checker& checker, const std::shared_ptr<const Module>& module,
                          double hang_seconds, const std::vector<Literal>* arguments = nullptr);

}  // namespace axle
