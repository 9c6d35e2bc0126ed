// Limits: what one call (a parse, a compilation, a run) may use, and how to stop it.
//
// One object is passed down to everything that takes long, and outlives it. The working thread
// calls Check() in every long loop and returns its status. A null pointer means no limits.
//
// The functions of the client that take limits are calls (LimitedCall): each has the whole time and
// all the steps for itself, so one object serves any number of calls, one after the other. Cancel
// is not taken back. Outside of calls the time runs from set_time_limit on.
//
// Any thread may call Cancel and cancelled at any time. The rest is for one thread at a time: what
// is set is set before the call begins. A call that works on several threads gives each an object
// of its own, which is a part of the call's.
#pragma once
#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

class Limits {
 public:
  Limits() = default;
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;

  // What messages add to the number of a limit.
  struct Note {
    bool is_default = false;       // nobody asked for it
    std::string_view remedy = {};  // "--time-limit 0 removes it"; lives as long as the limits
  };

  // Bytes of live values, and of what compilers need; what needs more ends with RESOURCE_EXHAUSTED.
  // INT64_MAX at first; below 0 counts as 0.
  void set_memory_cap(i64 bytes) { memory_cap_ = bytes > 0 ? bytes : 0; }
  void set_memory_note(Note note) { memory_note_ = note; }
  i64 memory_cap() const { return memory_cap_; }
  // Seconds that a call may take until DEADLINE_EXCEEDED, by a clock that nobody sets; below 0, and
  // NaN, count as 0, which ends every call.
  void set_time_limit(double seconds);
  void set_time_note(Note note) { time_note_ = note; }
  // The call gets so many seconds more: for what does not count.
  void Extend(double seconds);
  // What is going on, for messages, in words that follow "ended": "the run of \"main\" after 3 of
  // 10 repeats". "": what LimitedCall was told.
  void set_activity(std::string activity) { activity_ = std::move(activity); }
  // Loop iterations and calls until RESOURCE_EXHAUSTED.
  void set_step_limit(i64 steps) { step_limit_ = steps; }
  // Makes this the limits of one of the threads that work on a call of `whole`, which outlives it.
  // A part has the time and steps of the whole for itself, and ends when the whole is cancelled.
  // All parts together have the memory of the whole; meanwhile nobody else accounts for memory
  // there. One of them tells the progress and polls, if it works on the thread that calls this.
  void BecomePartOf(Limits& whole, bool tells_progress);
  // Called now and then by the working thread with the part done so far, 0..1, or -1 if unknown. An
  // exception of it ends the call with INTERNAL.
  void set_progress(std::function<void(double)> progress) { progress_ = std::move(progress); }

  // Called by the thread that began the call, when it looks at the limits, each time that `seconds`
  // have gone by: never in a call that is shorter. It may cancel, which ends the call at once. An
  // exception of it ends the call with INTERNAL.
  void set_poll(std::function<void()> poll, double seconds);

  // Makes the task end with CANCELLED, soon.
  void Cancel() { reasons_.fetch_or(kCancelled, std::memory_order_relaxed); }
  bool cancelled() const {
    return (reasons_.load(std::memory_order_relaxed) & kCancelled) != 0 ||
           (whole_ != nullptr && whole_->cancelled());
  }

  // OK, or CANCELLED, DEADLINE_EXCEEDED or what a callback threw. Cheap; looks at the
  // clock only the first time and every 64th.
  Status Check() {
    if (reasons_.load(std::memory_order_relaxed) != 0 || (has_clock_ && (++checks_ & 63) == 0) ||
        (whole_ != nullptr && whole_->cancelled())) {
      return CheckSlowly();
    }
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
    if (progress_) CallProgress(done);
  }
  // OK, or what the progress function or the poll threw during this call.
  Status progress_error() const;

  // "the memory limit of 1.0 GiB (the default)", and what follows what the message says of it: what
  // is going on and the remedy.
  std::string MemoryLimitText() const;
  std::string MemoryLimitEnding() const;
  // " beside 12 KiB in use", or "" if nothing is.
  std::string BesideText() const;

  // Accounts for `bytes` of live memory, or refuses with RESOURCE_EXHAUSTED. Release gives them
  // back.
  Status Reserve(i64 bytes);
  void Release(i64 bytes) {
    if (whole_ == nullptr) {
      live_bytes_ -= bytes;
    } else {
      whole_->ReleaseOfPart(bytes);
    }
  }
  // Accounted for now, and the most that ever was; for a part, of the whole.
  i64 live_bytes() const { return whole_ == nullptr ? live_bytes_ : whole_->live_bytes_of_parts(); }
  i64 peak_bytes() const { return peak_bytes_; }

 private:
  friend class LimitedCall;
  void BeginCall(std::string_view what, std::string_view name);
  void EndCall();
  void StartClock();
  Status CheckSlowly();
  void BeginPolls();
  void PollIfDue();
  Status StepLimitError() const;
  std::string Activity() const;
  void CallProgress(double done);
  void CallBack(std::string_view name, const std::function<void()>& callback);
  // For the parts of this, on their threads.
  Status ReserveForPart(i64 bytes, const Limits& part);
  void ReleaseOfPart(i64 bytes);
  i64 live_bytes_of_parts() const;

  // Why to stop, but for the clock.
  static constexpr int kCancelled = 1, kCallbackThrew = 2;
  std::atomic<int> reasons_ = 0;
  Limits* whole_ = nullptr;  // that this is a part of
  Status callback_error_;    // written before kCallbackThrew is set
  bool has_deadline_ = false;
  bool has_clock_ = false;  // Check looks at the clock: there is a deadline or a poll
  bool in_call_ = false;
  double seconds_ = 0;
  i64 deadline_ = 0;  // nanoseconds of the steady clock
  unsigned checks_ = 0;
  i64 memory_cap_ = std::numeric_limits<i64>::max();
  i64 live_bytes_ = 0;
  i64 peak_bytes_ = 0;
  i64 step_limit_ = std::numeric_limits<i64>::max();
  i64 steps_ = 0;
  std::function<void(double)> progress_;
  std::function<void()> poll_;
  i64 poll_interval_ = 0, next_poll_ = 0;  // nanoseconds, and of the steady clock
  const void* caller_ = nullptr;           // with a poll: ThisThread() of the call
  std::string_view what_, name_;           // of the call
  std::string activity_;
  Note memory_note_, time_note_;
};

// A call that takes limits, for as long as this lives: its clock starts, and it counts its own
// steps. Of calls inside of calls the outermost counts. `limits` may be null.
//
//   const LimitedCall call(options.limits, "the compilation of", module.name());
class LimitedCall {
 public:
  // For messages; the texts live as long as this. `name` is put between quotation marks.
  LimitedCall(Limits* limits, std::string_view what, std::string_view name = {})
      : limits_(limits == nullptr || limits->in_call_ ? nullptr : limits) {
    if (limits_ != nullptr) limits_->BeginCall(what, name);
  }
  ~LimitedCall() {
    if (limits_ != nullptr) limits_->EndCall();
  }
  LimitedCall(const LimitedCall&) = delete;
  LimitedCall& operator=(const LimitedCall&) = delete;

 private:
  Limits* const limits_;
};

}  // namespace axle
