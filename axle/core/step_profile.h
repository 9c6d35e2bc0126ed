// StepProfile: the times of the steps of one run on one device, while it runs.
//
// A group is a list of steps that run one after the other: a compiled program (runtime/program.h),
// or the plan of a computation in the interpreter. Each time that the group runs is a turn:
//
//   StepProfile::Turn turn(profile, &program, num_steps);
//   for (size_t i = 0; i < num_steps; ++i) {
//     turn.Begin(i);
//     ...  // may be turns of other groups
//     turn.End(i);
//   }
//
// Reading the clock after each step of 100 ns would cost a tenth of the time. So a group whose
// steps are that short is timed in some of its turns only, chosen at random so that clocks cost 1 %
// of the time, and its time is estimated from these. Its first turns are all timed. The number of
// turns and of calls is exact. The memory is bounded by the number of steps, and by `max_events`.
//
// Not thread-safe: one thread runs the steps. Threads that share a step write into PartsFor.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "axle/core/element_type.h"
#include "axle/core/profile_clock.h"

namespace axle {

class StepProfile {
 public:
  struct Step {
    std::uint64_t ticks = 0;  // sum over the timed turns, with what runs inside of the step
    std::uint64_t min_ticks = std::numeric_limits<std::uint64_t>::max();
    std::uint32_t num_threads = 1;  // the most in a turn
  };
  // A step, by the number of its group and its own.
  struct StepId {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::uint32_t group = kNone, step = 0;
    auto operator<=>(const StepId&) const = default;
  };
  struct Group {
    const void* key = nullptr;
    std::uint32_t number = 0;
    std::uint64_t turns = 0, timed_turns = 0;
    std::vector<Step> steps;
    std::map<StepId, std::uint64_t> callers;  // turns by the step that they were in; kNone: none
    std::uint64_t ticks = 0;                  // of all timed turns
    // Which turn is timed next, and about how many are left out for each.
    std::uint64_t next_timed = 1, random = 1;
    // The last caller.
    StepId caller = {StepId::kNone, 1};
    std::uint64_t* caller_turns = nullptr;
  };
  // A turn of a step, or a part of it on a thread.
  struct Event {
    StepId step;
    std::uint32_t thread = 0;          // 0: that of the run
    std::uint64_t begin = 0, end = 0;  // ticks
  };
  // What a thread did of a step. Written by that thread.
  struct Part {
    std::uint64_t begin = 0, end = 0;  // ticks
    std::uint64_t thread = 0;          // pthread_self
  };

  // Keeps at most `max_events` events, the earliest ones.
  explicit StepProfile(std::uint64_t max_events = 0);
  StepProfile(const StepProfile&) = delete;
  StepProfile& operator=(const StepProfile&) = delete;

  class Turn;

  // Of the step that is running: so many threads share it.
  void SetThreads(int num_threads) { num_threads_ = static_cast<std::uint32_t>(num_threads); }
  // Where the threads that share the running step write what they did; null: nobody asks.
  Part* PartsFor(int num_parts);

  const std::vector<std::unique_ptr<Group>>& groups() const { return groups_; }
  const std::vector<Event>& events() const { return events_; }
  // Events that were left out because there were max_events.
  std::uint64_t num_left_out() const { return num_left_out_; }
  // By Event::thread: what pthread_self gives there. The first one is that of the run.
  const std::vector<std::uint64_t>& event_threads() const { return event_threads_; }

 private:
  Group& GroupOf(const void* key, size_t num_steps);
  Group& FindGroup(const void* key, size_t num_steps);
  void CountCaller(Group& group, const StepId& caller);
  void ChooseNextTimed(Group& group) const;
  void AddParts(const StepId& step);

  static constexpr size_t kCacheSize = 64;
  std::vector<std::unique_ptr<Group>> groups_;
  std::unordered_map<const void*, Group*> group_of_;
  Group* cache_[kCacheSize] = {};
  const Turn* running_ = nullptr;
  std::uint32_t num_threads_ = 1;
  const std::uint64_t max_events_;
  const double reading_ticks_;  // what a reading of the clock costs
  std::vector<Event> events_;
  std::uint64_t num_left_out_ = 0;
  std::vector<Part> parts_;
  size_t num_parts_ = 0;
  std::vector<std::uint64_t> event_threads_;
};

class StepProfile::Turn {
 public:
  Turn(StepProfile& profile, const void* key, size_t num_steps)
      : profile_(profile), group_(profile.GroupOf(key, num_steps)), outer_(profile.running_) {
    const StepId caller = outer_ == nullptr ? StepId() : outer_->id();
    if (caller == group_.caller) {
      ++*group_.caller_turns;
    } else {
      profile.CountCaller(group_, caller);
    }
    is_timed_ = ++group_.turns == group_.next_timed;
    profile.running_ = this;
    if (is_timed_) begin_ = last_ = ProfileClock::Now();
  }
  ~Turn() {
    profile_.running_ = outer_;
    profile_.num_threads_ = most_threads_;
    if (!is_timed_) return;
    ++group_.timed_turns;
    group_.ticks += last_ - begin_;
    profile_.ChooseNextTimed(group_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  void Begin(size_t step) {
    step_ = static_cast<std::uint32_t>(step);
    if (!is_timed_) return;
    profile_.num_threads_ = 1;
    if (profile_.max_events_ > 0) BeginEvent();
  }
  void End(size_t step) {
    if (!is_timed_) return;
    const std::uint64_t now = ProfileClock::Now(), ticks = now - last_;
    Step& to = group_.steps[step];
    to.ticks += ticks;
    if (ticks < to.min_ticks) to.min_ticks = ticks;
    if (profile_.num_threads_ > to.num_threads) to.num_threads = profile_.num_threads_;
    if (profile_.num_threads_ > most_threads_) most_threads_ = profile_.num_threads_;
    last_ = now;
    if (profile_.max_events_ > 0) EndEvent(now);
  }

 private:
  friend class StepProfile;
  static constexpr size_t kNoEvent = ~size_t{0};

  StepId id() const { return {group_.number, step_}; }
  // The event is there from the beginning of the step: those inside of it come behind it.
  void BeginEvent();
  void EndEvent(std::uint64_t now);

  StepProfile& profile_;
  Group& group_;
  const Turn* const outer_;
  bool is_timed_ = false;
  std::uint32_t step_ = 0, most_threads_ = 1;
  std::uint64_t begin_ = 0, last_ = 0;
  size_t event_ = kNoEvent;
};

inline StepProfile::Group& StepProfile::GroupOf(const void* key, size_t num_steps) {
  Group* const cached = cache_[(reinterpret_cast<std::uintptr_t>(key) >> 6) % kCacheSize];
  if (cached != nullptr && cached->key == key) return *cached;
  return FindGroup(key, num_steps);
}

}  // namespace axle
