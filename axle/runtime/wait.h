// Waits on condition variables that limits may end. Internal to the library.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "axle/core/limits.h"
#include "axle/core/status.h"

namespace axle {

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
