// Turns and events of profiles: what is counted, what is timed, and who called whom.
#include "axle/core/step_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace axle {
namespace {

using Group = StepProfile::Group;
using StepId = StepProfile::StepId;

// Waits so many ticks.
void Spin(std::uint64_t ticks) {
  const std::uint64_t begin = ProfileClock::Now();
  while (ProfileClock::Now() - begin < ticks) {
  }
}

const Group& GroupOf(const StepProfile& profile, const void* key) {
  return **std::ranges::find_if(profile.groups(),
                                [&](const auto& group) { return group->key == key; });
}

constexpr char kKeys[3 * 64] = {};
constexpr const void *kOuter = kKeys, *kInner = kKeys + 64, *kOther = kKeys + 128;

TEST(StepProfile, ClockAndItsRateAgreeWithTheSystem) {
  using Clock = std::chrono::steady_clock;
  using Nanoseconds = std::chrono::duration<double, std::nano>;
  // Whatever comes between two readings, one clock is read inside of what the other measures.
  const auto before_begin = Clock::now();
  const std::uint64_t begin = ProfileClock::Now();
  const auto after_begin = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto before_end = Clock::now();
  const std::uint64_t end = ProfileClock::Now();
  const auto after_end = Clock::now();
  const double measured = static_cast<double>(end - begin) * ProfileClock::NanosecondsPerTick();
  EXPECT_GE(measured, Nanoseconds(before_end - after_begin).count() * 0.99);
  EXPECT_LE(measured, Nanoseconds(after_end - before_begin).count() * 1.01);
}

TEST(StepProfile, EachStepHasItsTime) {
  StepProfile profile;
  for (int turn = 0; turn < 3; ++turn) {
    StepProfile::Turn of(profile, kOuter, 2);
    of.Begin(0);
    Spin(100'000);
    of.End(0);
    of.Begin(1);
    profile.SetThreads(turn + 1);
    Spin(1'000'000);
    of.End(1);
  }
  const Group& group = GroupOf(profile, kOuter);
  EXPECT_EQ(group.turns, 3u);
  EXPECT_EQ(group.timed_turns, 3u);
  EXPECT_GE(group.steps[0].min_ticks, 100'000u);
  EXPECT_GE(group.steps[0].ticks, 3 * group.steps[0].min_ticks);
  EXPECT_GE(group.steps[1].min_ticks, 1'000'000u);
  EXPECT_GE(group.ticks, group.steps[0].ticks + group.steps[1].ticks);
  EXPECT_EQ(group.steps[0].num_threads, 1u);
  EXPECT_EQ(group.steps[1].num_threads, 3u);
  EXPECT_TRUE(profile.events().empty());
  EXPECT_EQ(profile.num_left_out(), 0u);
}

// 200,000 turns of one tiny step: few are timed, all are counted, and so are their callers.
TEST(StepProfile, ShortTurnsAreTimedNowAndThen) {
  StepProfile profile;
  constexpr std::uint64_t kTurns = 200'000;
  {
    StepProfile::Turn outer(profile, kOuter, 2);
    for (size_t step = 0; step < 2; ++step) {
      outer.Begin(step);
      for (std::uint64_t i = 0; i < kTurns; ++i) {
        StepProfile::Turn inner(profile, kInner, 1);
        inner.Begin(0);
        inner.End(0);
        if (step == 1) break;
      }
      outer.End(step);
    }
  }
  const Group &outer = GroupOf(profile, kOuter), &inner = GroupOf(profile, kInner);
  EXPECT_EQ(inner.turns, kTurns + 1);
  EXPECT_GE(inner.timed_turns, 16u);
  EXPECT_LT(inner.timed_turns, kTurns / 4);
  EXPECT_EQ(inner.callers.size(), 2u);
  EXPECT_EQ(inner.callers.at({outer.number, 0}), kTurns);
  EXPECT_EQ(inner.callers.at({outer.number, 1}), 1u);
  EXPECT_EQ(outer.callers.at(StepId()), 1u);
}

// A turn that is left out counts the same callers as one that is timed.
TEST(StepProfile, CallersAreCountedInTurnsThatAreNotTimed) {
  StepProfile profile;
  constexpr std::uint64_t kTurns = 100'000;
  for (std::uint64_t i = 0; i < kTurns; ++i) {
    StepProfile::Turn outer(profile, kOuter, 1);
    outer.Begin(0);
    { StepProfile::Turn inner(profile, i % 2 == 0 ? kInner : kOther, 0); }
    outer.End(0);
  }
  const Group& outer = GroupOf(profile, kOuter);
  EXPECT_LT(outer.timed_turns, kTurns);
  for (const void* key : {kInner, kOther}) {
    const Group& inner = GroupOf(profile, key);
    EXPECT_EQ(inner.callers.at({outer.number, 0}), kTurns / 2);
    EXPECT_EQ(inner.callers.size(), 1u);
  }
}

TEST(StepProfile, EventsNestAndTheEarliestAreKept) {
  StepProfile profile(/*max_events=*/5);
  {
    StepProfile::Turn outer(profile, kOuter, 2);
    for (size_t step = 0; step < 2; ++step) {
      outer.Begin(step);
      for (int i = 0; i < 3; ++i) {
        StepProfile::Turn inner(profile, kInner, 1);
        inner.Begin(0);
        Spin(1000);
        inner.End(0);
      }
      outer.End(step);
    }
  }
  ASSERT_EQ(profile.events().size(), 5u);
  EXPECT_EQ(profile.num_left_out(), 3u);
  const auto& events = profile.events();
  const std::uint32_t outer = GroupOf(profile, kOuter).number;
  for (const size_t i : {0, 4}) EXPECT_EQ(events[i].step.group, outer);
  for (const size_t i : {1, 2, 3}) {
    EXPECT_NE(events[i].step.group, outer);
    EXPECT_GE(events[i].begin, events[0].begin);
    EXPECT_LE(events[i].end, events[0].end);
    EXPECT_LE(events[i].begin, events[i].end);
    if (i > 1) {
      EXPECT_GE(events[i].begin, events[i - 1].end);
    }
  }
  EXPECT_GE(events[4].begin, events[0].end);
  // The event has its end although those inside of it found no room.
  EXPECT_GT(events[4].end, events[4].begin);
}

TEST(StepProfile, PartsOfOtherThreadsAreEventsOfTheirs) {
  StepProfile without;
  EXPECT_EQ(without.PartsFor(2), nullptr);
  StepProfile profile(/*max_events=*/10);
  EXPECT_EQ(profile.PartsFor(2), nullptr);  // no step is running
  StepProfile::Turn turn(profile, kOuter, 1);
  turn.Begin(0);
  StepProfile::Part* const parts = profile.PartsFor(3);
  ASSERT_NE(parts, nullptr);
  const std::uint64_t own = profile.event_threads()[0];
  parts[0] = {10, 20, own};
  parts[1] = {11, 22, own + 1};  // part 2 was not done
  turn.End(0);
  ASSERT_EQ(profile.events().size(), 2u);
  EXPECT_EQ(profile.events()[0].thread, 0u);
  EXPECT_EQ(profile.events()[1].thread, 1u);
  EXPECT_EQ(profile.events()[1].begin, 11u);
  EXPECT_EQ(profile.events()[1].end, 22u);
  EXPECT_EQ(profile.event_threads(), (std::vector<std::uint64_t>{own, own + 1}));
}

}  // namespace
}  // namespace axle
