// Limits: what one task (a parse, a compilation, a run) may use, and how to stop it.
//
// One object is passed down to everything that takes long, and outlives it. The working thread
// calls Check() in every long loop and returns its status. A null pointer means no limits.
//
// Any thread may call Cancel and cancelled at any time. The rest is for one thread at a time: what
// is set is set before the task begins. Steps, the deadline and Cancel are not taken back, so the
// next task with the same object goes on from there.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

class Limits {
 public:
  Limits() = default;
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;

  // Bytes of live values; a run that needs more ends with RESOURCE_EXHAUSTED. INT64_MAX at first.
  void set_memory_cap(i64 bytes) { memory_cap_ = bytes; }
  i64 memory_cap() const { return memory_cap_; }
  // Seconds from now until DEADLINE_EXCEEDED, by a clock that nobody sets; below 0 counts as 0.
  void set_time_limit(double seconds);
  // Loop iterations and calls until RESOURCE_EXHAUSTED.
  void set_step_limit(i64 steps) { step_limit_ = steps; }
  // Called now and then by the working thread with the part done so far, 0..1, or -1 if unknown; it
  // does not throw.
  void set_progress(std::function<void(double)> progress) { progress_ = std::move(progress); }

  // Makes the task end with CANCELLED, soon.
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  // OK, or CANCELLED or DEADLINE_EXCEEDED. Cheap; looks at the clock only every 64th time.
  Status Check() {
    if (cancelled() || (has_deadline_ && (++checks_ & 63) == 0)) return CheckSlowly();
    return {};
  }
  // The same, and always looks at the clock.
  Status CheckNow() { return CheckSlowly(); }
  // One loop iteration or call: what Check says, or RESOURCE_EXHAUSTED.
  Status Step() {
    if (++steps_ > step_limit_) return StepLimitError();
    return Check();
  }
  // What is left of the step limit, and so many of them at once: for compiled loops, which count
  // for themselves. `steps` is at most what is left.
  i64 steps_left() const { return step_limit_ - steps_; }
  void AddSteps(i64 steps) { steps_ += steps; }
  // For the working thread: tells set_progress's function, if there is one.
  void Progress(double done) {
    if (progress_) progress_(done);
  }

  // Accounts for `bytes` of live memory, or refuses with RESOURCE_EXHAUSTED. Release gives them
  // back.
  Status Reserve(i64 bytes);
  void Release(i64 bytes) { live_bytes_ -= bytes; }
  // Accounted for now, and the most that ever was.
  i64 live_bytes() const { return live_bytes_; }
  i64 peak_bytes() const { return peak_bytes_; }

 private:
  Status CheckSlowly();
  Status StepLimitError() const;

  std::atomic<bool> cancelled_ = false;
  bool has_deadline_ = false;
  std::chrono::steady_clock::time_point deadline_;
  unsigned checks_ = 0;
  i64 memory_cap_ = std::numeric_limits<i64>::max();
  i64 live_bytes_ = 0;
  i64 peak_bytes_ = 0;
  i64 step_limit_ = std::numeric_limits<i64>::max();
  i64 steps_ = 0;
  std::function<void(double)> progress_;
};

}  // namespace axle
