#include "axle/core/step_profile.h"

#include <pthread.h>

#include <algorithm>

namespace axle {
namespace {

// Turns of a group that are all timed, whatever that costs.
constexpr std::uint64_t kFirstTurns = 16;
// The part of the time that clocks may take.
constexpr double kMaxCost = 0.01;

double TicksOfReading() {
  static const double ticks = [] {
    constexpr int kReadings = 64;
    const std::uint64_t begin = ProfileClock::Now();
    std::uint64_t end = begin;
    for (int i = 0; i < kReadings; ++i) end = ProfileClock::Now();
    // Half as much again for what is done with a reading.
    return 1.5 * static_cast<double>(end - begin) / kReadings;
  }();
  return ticks;
}

}  // namespace

StepProfile::StepProfile(std::uint64_t max_events)
    : max_events_(max_events),
      reading_ticks_(TicksOfReading()),
      event_threads_{static_cast<std::uint64_t>(pthread_self())} {}

StepProfile::Group& StepProfile::FindGroup(const void* key, size_t num_steps) {
  Group*& group = group_of_[key];
  if (group == nullptr) {
    auto made = std::make_unique<Group>();
    made->key = key;
    made->number = static_cast<std::uint32_t>(groups_.size());
    made->random = made->number + 1;
    made->steps.resize(num_steps);
    group = made.get();
    groups_.push_back(std::move(made));
  }
  cache_[(reinterpret_cast<std::uintptr_t>(key) >> 6) % kCacheSize] = group;
  return *group;
}

void StepProfile::CountCaller(Group& group, const StepId& caller) {
  group.caller = caller;
  group.caller_turns = &group.callers[caller];
  ++*group.caller_turns;
}

// A turn costs a reading per step and one more. If all turns were timed, that would be `cost` of
// the time; one in cost / kMaxCost is. A fixed distance would miss what happens in every eighth
// turn, so it is drawn: evenly between 1 and twice the mean less 1.
void StepProfile::ChooseNextTimed(Group& group) const {
  group.next_timed = group.turns + 1;
  if (group.timed_turns < kFirstTurns || group.ticks == 0) return;
  const double turn = static_cast<double>(group.ticks) / static_cast<double>(group.timed_turns);
  const double readings = static_cast<double>(group.steps.size() + 1) * reading_ticks_;
  const double apart = readings / std::max(turn - readings, readings / 8) / kMaxCost;
  if (apart <= 1) return;
  const auto range = static_cast<std::uint64_t>(2 * apart - 1);
  group.random = group.random * 6364136223846793005 + 1442695040888963407;
  group.next_timed += (group.random >> 33) % std::max<std::uint64_t>(range, 1);
}

StepProfile::Part* StepProfile::PartsFor(int num_parts) {
  if (max_events_ == 0 || running_ == nullptr || running_->event_ == Turn::kNoEvent) return nullptr;
  num_parts_ = static_cast<size_t>(num_parts);
  parts_.assign(num_parts_, {});
  return parts_.data();
}

// The run's own thread has the event of the step itself.
void StepProfile::AddParts(const StepId& step) {
  for (size_t i = 0; i < num_parts_; ++i) {
    const Part& part = parts_[i];
    if (part.end == 0 || part.thread == event_threads_[0]) continue;
    if (events_.size() >= max_events_) {
      ++num_left_out_;
      continue;
    }
    const auto known = std::ranges::find(event_threads_, part.thread);
    const auto thread = static_cast<std::uint32_t>(known - event_threads_.begin());
    if (known == event_threads_.end()) event_threads_.push_back(part.thread);
    events_.push_back({step, thread, part.begin, part.end});
  }
  num_parts_ = 0;
}

void StepProfile::Turn::BeginEvent() {
  event_ = kNoEvent;
  if (profile_.events_.size() >= profile_.max_events_) {
    ++profile_.num_left_out_;
    return;
  }
  event_ = profile_.events_.size();
  profile_.events_.push_back({id(), 0, last_, last_});
}

void StepProfile::Turn::EndEvent(std::uint64_t now) {
  if (event_ == kNoEvent) return;
  profile_.events_[event_].end = now;
  if (profile_.num_parts_ > 0) profile_.AddParts(id());
}

}  // namespace axle
