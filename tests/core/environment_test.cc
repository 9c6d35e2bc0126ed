// The small parts of core: status, limits, the floating-point environment, devices.
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <cfenv>
#include <thread>
#include <utility>
#include <vector>

#include "axle/core/device_context.h"
#include "axle/core/float_environment.h"
#include "axle/core/limits.h"
#include "axle/core/status.h"

namespace axle {
namespace {

TEST(Status, NamesItsCode) {
  EXPECT_EQ(Status().ToString(), "OK");
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().message(), "");
  EXPECT_EQ(InvalidArgument("pad: x").ToString(), "INVALID_ARGUMENT: pad: x");
  EXPECT_EQ(Internal("y").ToString(), "INTERNAL: y (this is a bug in axle)");
  EXPECT_EQ(StatusCodeName(static_cast<StatusCode>(99)), "UNKNOWN");
  for (int code = 0; code <= 16; ++code) {
    EXPECT_NE(StatusCodeName(static_cast<StatusCode>(code)), "") << code;
  }
}

StatusOr<int> Half(int x) {
  if (x % 2 != 0) return InvalidArgument("odd");
  return x / 2;
}
StatusOr<int> Quarter(int x) {
  AXLE_ASSIGN(const int half, Half(x));
  return Half(half);
}
StatusOr<std::pair<int, int>> Halves(int x) {
  AXLE_ASSIGN(const int half, Half(x));
  return std::pair(half, half);
}
StatusOr<int> SumOfHalves(int x) {
  AXLE_ASSIGN(const auto [a, b], Halves(x));
  return a + b;
}
Status CheckQuarter(int x) {
  AXLE_TRY(Quarter(x).status());
  AXLE_INVARIANT(x != 8, "x is not 8");
  return {};
}

TEST(Status, MacrosReturnTheFirstError) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).status().message(), "odd");
  EXPECT_EQ(*SumOfHalves(6), 6);
  EXPECT_EQ(SumOfHalves(3).status().message(), "odd");
  EXPECT_TRUE(CheckQuarter(12).ok());
  EXPECT_EQ(CheckQuarter(3).message(), "odd");
  EXPECT_EQ(CheckQuarter(8).code(), StatusCode::kInternal);
}

TEST(Limits, WithoutLimitsEverythingIsFine) {
  Limits limits;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(limits.Check().ok());
    EXPECT_TRUE(limits.Step().ok());
  }
  EXPECT_TRUE(limits.Reserve(i64{1} << 62).ok());
  limits.Progress(0.5);
}

TEST(Limits, CancelFromAnotherThreadEndsTheWork) {
  Limits limits;
  std::thread other([&] { limits.Cancel(); });
  Status status;
  while (status.ok()) status = limits.Check();
  other.join();
  EXPECT_EQ(status.ToString(), "CANCELLED: cancelled");
  const LimitedCall call(&limits, "the run of", "main");
  EXPECT_EQ(limits.CheckNow().ToString(), "CANCELLED: cancelled during the run of \"main\"");
}

TEST(Limits, PollsTheThreadOfTheCallAtIntervals) {
  using std::chrono::milliseconds;
  Limits limits;
  int polls = 0;
  limits.set_poll([&] { limits.Cancel(), ++polls; }, 0.02);
  for (int call = 0; call < 2; ++call) {  // each has the interval for itself
    const LimitedCall limited(&limits, "the run of", "f");
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(limits.Check().ok());
    EXPECT_TRUE(limits.CheckNow().ok());
    EXPECT_EQ(polls, 0);
    if (call == 0) std::this_thread::sleep_for(milliseconds(5));
  }
  const LimitedCall limited(&limits, "the run of", "f");
  std::this_thread::sleep_for(milliseconds(21));
  std::thread([&] { EXPECT_TRUE(limits.CheckNow().ok()); }).join();
  EXPECT_EQ(polls, 0) << "another thread looks";
  Status status;
  for (int i = 0; i < 64; ++i) status = limits.Check();
  EXPECT_EQ(polls, 1);
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_EQ(status.message(), "cancelled during the run of \"f\"");
}

// A run on several devices, or in a job, works under parts of the limits that it was given.
TEST(Limits, APartPolls) {
  Limits whole;
  int polls = 0;
  whole.set_poll([&] { whole.Cancel(), ++polls; }, 0);
  Limits part, other;
  part.BecomePartOf(whole, /*tells_progress=*/true);
  other.BecomePartOf(whole, /*tells_progress=*/false);
  EXPECT_TRUE(other.CheckNow().ok());
  const LimitedCall limited(&part, "the run of", "f");
  EXPECT_EQ(part.CheckNow().code(), StatusCode::kCancelled);
  EXPECT_EQ(polls, 1);
}

TEST(Limits, WhatAPollThrowsEndsTheCall) {
  Limits limits;
  limits.set_poll([] { throw std::runtime_error("no"); }, 0);
  {
    const LimitedCall limited(&limits, "the run of", "f");
    EXPECT_EQ(limits.CheckNow().code(), StatusCode::kInternal);
    EXPECT_FALSE(limits.progress_error().ok());
  }
  const LimitedCall limited(&limits, "the run of", "f");
  EXPECT_TRUE(limits.progress_error().ok()) << "a call later";
}

TEST(Limits, DeadlineEndsTheWork) {
  Limits limits;
  limits.set_time_limit(1e6);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(limits.Check().ok());
  limits.set_time_limit(0);
  EXPECT_EQ(limits.Check().ToString(), "DEADLINE_EXCEEDED: the time limit of 0 s is used up");
  limits.set_time_limit(-1);
  EXPECT_FALSE(limits.CheckNow().ok());
  limits.set_time_limit(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(limits.CheckNow().ok());
  limits.set_time_limit(1e300);
  EXPECT_TRUE(limits.CheckNow().ok());
}

TEST(Limits, StepsRunOut) {
  Limits limits;
  limits.set_step_limit(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limits.Step().ok());
  EXPECT_EQ(limits.Step().ToString(), "RESOURCE_EXHAUSTED: the limit of 3 steps is used up");
}

TEST(Limits, EachCallHasItsOwnClockAndSteps) {
  Limits limits;
  limits.set_time_limit(0.02);
  limits.set_step_limit(3);
  for (int i = 0; i < 3; ++i) {
    const LimitedCall call(&limits, "the run of", "main");
    EXPECT_TRUE(limits.CheckNow().ok());
    for (int step = 0; step < 3; ++step) EXPECT_TRUE(limits.Step().ok());
    {
      const LimitedCall inner(&limits, "something else");  // goes on from there
      EXPECT_EQ(limits.Step().ToString(),
                "RESOURCE_EXHAUSTED: the limit of 3 steps ended the run of \"main\"");
    }
    Status status;
    while (status.ok()) status = limits.CheckNow();
    EXPECT_EQ(status.ToString(),
              "DEADLINE_EXCEEDED: the time limit of 0.02 s ended the run of \"main\"");
    limits.Extend(1e6);
    EXPECT_TRUE(limits.CheckNow().ok());
  }
  const LimitedCall none(nullptr, "a call without limits");
}

TEST(Limits, MessagesSayWhatIsADefaultAndWhatChangesIt) {
  Limits limits;
  limits.set_time_limit(0);
  limits.set_time_note({true, "--time-limit 0 removes it"});
  limits.set_memory_cap(1 << 20);
  limits.set_memory_note({true, "--mem-limit changes it"});
  const LimitedCall call(&limits, "the run of", "main");
  EXPECT_EQ(
      limits.CheckNow().message(),
      "the time limit of 0 s (the default) ended the run of \"main\"; --time-limit 0 removes it");
  EXPECT_EQ(limits.Reserve(2 << 20).message(),
            "needs 2 MiB, above the memory limit of 1 MiB (the default) "
            "in the run of \"main\"; --mem-limit changes it");
  limits.set_activity("the run of \"main\" after 3 of 10 repeats");
  EXPECT_EQ(limits.CheckNow().message(),
            "the time limit of 0 s (the default) ended the run of \"main\" after 3 of 10 repeats; "
            "--time-limit 0 removes it");
}

TEST(Limits, MemoryIsGivenBack) {
  Limits limits;
  limits.set_memory_cap(100);
  EXPECT_TRUE(limits.Reserve(60).ok());
  EXPECT_EQ(limits.Reserve(50).ToString(),
            "RESOURCE_EXHAUSTED: needs 50 B beside 60 B in use, above the memory limit of 100 B");
  limits.Release(60);
  EXPECT_TRUE(limits.Reserve(100).ok());
  EXPECT_EQ(limits.live_bytes(), 100);
  EXPECT_EQ(limits.peak_bytes(), 100);
  EXPECT_FALSE(limits.Reserve(std::numeric_limits<i64>::max()).ok());
  limits.Release(100);
  limits.set_memory_cap(-5);
  EXPECT_EQ(limits.Reserve(1).message(), "needs 1 B, above the memory limit of 0 B");
}

TEST(Limits, PartsShareTheMemoryAndTheCancellation) {
  Limits whole;
  whole.set_memory_cap(100);
  whole.set_step_limit(2);
  ASSERT_TRUE(whole.Reserve(10).ok());
  Limits first, second;
  int num_calls = 0;
  whole.set_progress([&](double) { ++num_calls; });
  first.BecomePartOf(whole, /*tells_progress=*/true);
  second.BecomePartOf(whole, /*tells_progress=*/false);
  EXPECT_TRUE(first.Reserve(50).ok());
  EXPECT_EQ(second.live_bytes(), 60);
  EXPECT_EQ(second.Reserve(41).message(),
            "needs 41 B beside 60 B in use, above the memory limit of 100 B");
  EXPECT_TRUE(second.Reserve(40).ok());
  first.Release(50);
  second.Release(40);
  EXPECT_EQ(whole.live_bytes(), 10);
  EXPECT_EQ(whole.peak_bytes(), 100);
  for (Limits* part : {&first, &second}) {
    part->Progress(0.5);
    EXPECT_TRUE(part->Step().ok());
    EXPECT_TRUE(part->Step().ok());
    EXPECT_EQ(part->Step().code(), StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(num_calls, 1);
  first.Cancel();
  EXPECT_TRUE(second.Check().ok());
  whole.Cancel();
  EXPECT_EQ(second.Check().code(), StatusCode::kCancelled);
}

TEST(Limits, PartsAccountOnTheirThreads) {
  Limits whole;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Limits part;
      part.BecomePartOf(whole, /*tells_progress=*/false);
      for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(part.Reserve(3).ok());
        part.Release(2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(whole.live_bytes(), 4000);
}

TEST(Limits, ProgressReachesTheCallback) {
  Limits limits;
  double seen = 0;
  limits.set_progress([&](double done) { seen = done; });
  limits.Progress(0.25);
  EXPECT_EQ(seen, 0.25);
}

TEST(FloatEnvironment, SetsTheDefaultAndRestoresTheHostsMode) {
  const unsigned host = _mm_getcsr();
  _mm_setcsr(host | 0x8040);  // flush to zero, denormals are zero
  std::fesetround(FE_UPWARD);
  const unsigned changed = _mm_getcsr();
  volatile float tiny = 1e-45f;
  volatile float one = 1.0f;
  {
    const ScopedFloatEnvironment environment;
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    volatile float kept = tiny * one;
    EXPECT_EQ(kept, tiny);
    volatile float sum = one + 1e-10f;
    EXPECT_EQ(sum, 1.0f);
    volatile float inexact = one / 3.0f;
    (void)inexact;
    const ScopedFloatEnvironment nested;
  }
  EXPECT_EQ(_mm_getcsr(), changed);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  _mm_setcsr(host);
}

TEST(DeviceContext, TheBaseClassIsOneDeviceWithoutQueues) {
  DeviceContext device;
  EXPECT_EQ(device.replica_id(), 0);
  EXPECT_EQ(device.partition_id(), 0);
  EXPECT_EQ(device.num_replicas(), 1);
  EXPECT_EQ(device.num_partitions(), 1);
  EXPECT_EQ(device.random_seed(), 0u);
  EXPECT_EQ(device.Infeed(Shape(F32), "", nullptr).status().ToString(),
            "FAILED_PRECONDITION: infeed: this run has no device with an infeed queue");
  EXPECT_EQ(device.Outfeed(Literal(), Shape(), "", nullptr).ToString(),
            "FAILED_PRECONDITION: outfeed: this run has no device with an outfeed queue");
  EXPECT_EQ(device.Send({.id = 3}, Literal(), nullptr).ToString(),
            "FAILED_PRECONDITION: send: this run has no device with channels; channel 3");
  EXPECT_EQ(device.StartRecv({.id = 3}).status().ToString(),
            "FAILED_PRECONDITION: recv: this run has no device with channels; channel 3");
  EXPECT_EQ(device.FinishRecv({.id = 3}, 0, Shape(), nullptr).status().ToString(),
            "FAILED_PRECONDITION: recv: this run has no device with channels; channel 3");
  EXPECT_FALSE(device.HasCustomCall("f"));
  EXPECT_TRUE(device.CustomCallTargets().empty());
  CustomCallInvocation invocation;
  invocation.target = "f";
  EXPECT_EQ(device.CustomCall(invocation).status().ToString(),
            "NOT_FOUND: custom-call: no target \"f\" is registered for platform Host");
}

}  // namespace
}  // namespace axle
