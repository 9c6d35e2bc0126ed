// Waits on condition variables that limits may end. Internal to the library.
#pragma once
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "axle/core/limits.h"
#include "axle/core/status.h"

namespace axle {

// A condition variable in a process that may fork while threads wait on it. A child has none of
// those threads, and what they left in the variable would block it: it gets one of its own. The
// mutex is held whenever this is asked for the variable.
class ForkableCondition {
 public:
  ForkableCondition() = default;
  ForkableCondition(const ForkableCondition&) = delete;
  ForkableCondition& operator=(const ForkableCondition&) = delete;
  ~ForkableCondition() {
    if (process_ == getpid()) delete condition_;
  }
  std::condition_variable& operator*() {
    if (process_ != getpid()) {
      condition_ = new std::condition_variable;  // the parent's is left alone
      process_ = getpid();
    }
    return *condition_;
  }
  std::condition_variable* operator->() { return &**this; }

 private:
  std::condition_variable* condition_ = new std::condition_variable;
  pid_t process_ = getpid();
};

// How often a wait looks at its limits, which nobody signals.
inline constexpr std::chrono::milliseconds kPollInterval{2};

// Waits until done() holds, or until the limits, unless null, say CANCELLED or DEADLINE_EXCEEDED.
// `lock` is held whenever done() is called, and on return.
template <typename Done>
Status WaitFor(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Limits* limits,
               Done done) {
  while (!done()) {
    if (limits == nullptr) {
      changed.wait(lock);
      continue;
    }
    AXLE_TRY(limits->CheckNow());
    changed.wait_for(lock, kPollInterval);
  }
  return {};
}

}  // namespace axle
