// Runs on several devices: which devices, without waiting, and limits that all of them share.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/runtime/custom_call_registry.h"

namespace axle {
namespace {

// A program of f32[n] that sums its arguments over the replicas, beside each one's number.
std::string SumProgram(i64 n) {
  return StrCat("HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] ",
                "add(a, b) }\nENTRY main { x = f32[", n, "] parameter(0) s = f32[", n,
                "] all-reduce(x), replica_groups={}, to_apply=sum r = u32[] replica-id() ",
                "ROOT t = (f32[", n, "], u32[]) tuple(s, r) }");
}

class Replicated : public testing::TestWithParam<EngineKind> {
 protected:
  std::shared_ptr<Executable> Compiled(std::string_view program, std::vector<i64> devices) {
    const auto replicas = std::ssize(devices);
    auto executable = client_->Compile(
        program, {.engine = GetParam(), .replicas = replicas, .devices = std::move(devices)});
    EXPECT_TRUE(executable.ok()) << executable.status().message();
    return executable.ok() ? *executable : nullptr;
  }
  // f32[n] of one value on the device.
  BufferPtr Full(i64 n, float value, i64 device) {
    const std::vector<float> values(static_cast<size_t>(n), value);
    return *client_->BufferFromLiteral(Literal::Array<float>(F32, {n}, values), device);
  }

  std::unique_ptr<Client> client_ = *Client::Create({.num_devices = 4});
};

INSTANTIATE_TEST_SUITE_P(Engines, Replicated,
                         testing::Values(EngineKind::kInterpret, EngineKind::kNative),
                         [](const auto& info) {
                           return info.param == EngineKind::kNative ? "Native" : "Interpreted";
                         });

TEST_P(Replicated, AnyDevicesInAnyOrder) {
  const std::vector<i64> devices = {3, 0, 2};
  const auto executable = Compiled(SumProgram(1), devices);
  ASSERT_NE(executable, nullptr);
  std::vector<std::vector<BufferPtr>> arguments;
  for (size_t d = 0; d < devices.size(); ++d) {
    EXPECT_EQ(executable->devices()[d]->ordinal(), devices[d]);
    arguments.push_back({Full(1, static_cast<float>(d), devices[d])});
  }
  const auto results = executable->ExecuteReplicated(arguments);
  ASSERT_TRUE(results.ok()) << results.status().message();
  for (size_t d = 0; d < devices.size(); ++d) {
    EXPECT_EQ((*results)[d][0]->ToLiteral()->ToString(), "{3}");
    EXPECT_EQ((*results)[d][1]->ToLiteral()->ToString(), std::to_string(d));
    EXPECT_EQ((*results)[d][1]->device().ordinal(), devices[d]);
  }
  std::swap(arguments[0], arguments[1]);
  EXPECT_EQ(executable->ExecuteReplicated(arguments).status().message(),
            "execute: argument 0 is on cpu:0, but the program runs on cpu:3 (device 0)");
}

TEST_P(Replicated, TheDevicesAreChecked) {
  const auto error = [&](i64 replicas, std::vector<i64> devices) {
    return client_->Compile(SumProgram(1), {.replicas = replicas, .devices = std::move(devices)})
        .status()
        .message();
  };
  EXPECT_EQ(error(2, {1, 1}), "compile: device 1 is listed twice");
  EXPECT_EQ(error(2, {0, 4}), "compile: there is no device 4, the client has 4");
  EXPECT_EQ(error(2, {0, -1}), "compile: there is no device -1, the client has 4");
  EXPECT_EQ(error(2, {0, 1, 2}), "compile: 3 devices for 2 replicas x 1 partitions");
}

TEST_P(Replicated, WithoutWaiting) {
  const auto executable = Compiled(SumProgram(1), {0, 1});
  ASSERT_NE(executable, nullptr);
  // Each run takes the results of the one before, which are pending.
  std::vector<std::vector<BufferPtr>> arguments = {{Full(1, 1, 0)}, {Full(1, 1, 1)}};
  for (int turn = 0; turn < 10; ++turn) {
    auto results = executable->ExecuteReplicatedAsync(arguments);
    ASSERT_TRUE(results.ok()) << results.status().message();
    for (size_t d = 0; d < 2; ++d) arguments[d] = {(*results)[d].results[0]};
    if (turn == 9) {
      EXPECT_TRUE((*results)[1].done.Await().ok());
    }
  }
  for (size_t d = 0; d < 2; ++d) {
    EXPECT_EQ(arguments[d][0]->ToLiteral()->ToString(), "{1024}");
  }
  EXPECT_EQ(executable->ExecuteReplicatedAsync(std::vector(1, arguments[0])).status().message(),
            "execute: \"m\" runs on 2 devices, not on 1");
}

// Devices that do not wait for each other may run one after the other on the caller's thread: from
// the second run on, if they are brief. Some arguments are pending, and some are donated.
TEST_P(Replicated, BriefRunsOfDevicesThatDoNotWait) {
  const std::vector<i64> devices = {3, 0, 2};
  const auto executable = Compiled(
      "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n"
      "ENTRY main { x = u32[5] parameter(0) r = u32[] replica-id() s = u32[5] broadcast(r), "
      "dimensions={} ROOT y = u32[5] add(x, s) }",
      devices);
  ASSERT_NE(executable, nullptr);
  EXPECT_FALSE(executable->devices_wait());
  std::vector<std::vector<BufferPtr>> arguments;
  for (const i64 device : devices) {
    arguments.push_back({*client_->BufferFromLiteral(Literal(Shape(U32, {5})), device)});
  }
  for (int turn = 0; turn < 100; ++turn) {
    std::vector<std::vector<BufferPtr>> values;
    if (turn % 10 == 0) {
      auto pending = executable->ExecuteReplicatedAsync(arguments);
      ASSERT_TRUE(pending.ok()) << pending.status().message();
      for (ExecuteResult& result : *pending) values.push_back(std::move(result.results));
    } else {
      auto results = executable->ExecuteReplicated(arguments);
      ASSERT_TRUE(results.ok()) << results.status().message();
      values = *std::move(results);
    }
    EXPECT_FALSE(arguments[1][0]->ToLiteral().ok()) << "it was donated";
    arguments = std::move(values);
  }
  for (size_t d = 0; d < devices.size(); ++d) {
    EXPECT_EQ(arguments[d][0]->ToLiteral()->data<std::uint32_t>()[4], 100 * d);
    EXPECT_EQ(arguments[d][0]->device().ordinal(), devices[d]);
  }
  // One that has no value ends the run of all.
  const std::vector<BufferPtr> gone = arguments[1];
  ASSERT_TRUE(executable->ExecuteReplicated(arguments).ok());
  arguments = {{Full(1, 1, 3)}, gone, {Full(1, 1, 2)}};
  EXPECT_FALSE(executable->ExecuteReplicated(arguments).ok());
}

TEST_P(Replicated, WhichProgramsWait) {
  const auto waits = [&](std::string_view body) {
    const auto executable = Compiled(StrCat("HloModule m\nENTRY main { ", body, " }"), {0, 1});
    return executable == nullptr || executable->devices_wait();
  };
  EXPECT_TRUE(Compiled(SumProgram(1), {0, 1})->devices_wait());
  EXPECT_FALSE(waits("x = f32[] parameter(0) ROOT y = f32[] negate(x)"));
  EXPECT_TRUE(
      waits("x = f32[] parameter(0) ROOT y = f32[] collective-permute(x), "
            "source_target_pairs={{0,1}}"));
  EXPECT_TRUE(waits("t = token[] after-all() ROOT y = (f32[], token[]) infeed(t)"));
  // The function may wait for that of another device.
  EXPECT_TRUE(
      waits("x = f32[] parameter(0) ROOT y = f32[] custom-call(x), "
            "custom_call_target=\"Sharding\""));
}

// Two programs whose runs alternate from two threads, on the same devices in other orders: if two
// devices had them in other orders, each would wait for the other.
TEST_P(Replicated, RunsKeepTheirOrderOnAllDevices) {
  const std::shared_ptr<Executable> executables[] = {Compiled(SumProgram(1), {0, 1, 2}),
                                                     Compiled(SumProgram(1), {2, 0, 1})};
  std::vector<std::thread> threads;
  std::atomic<int> num_right = 0;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::vector<BufferPtr>> arguments;
      for (const auto& device : executables[t]->devices()) {
        arguments.push_back({Full(1, static_cast<float>(t + 1), device->ordinal())});
      }
      std::vector<std::vector<ExecuteResult>> runs;
      for (int turn = 0; turn < 50; ++turn) {
        runs.push_back(*executables[t]->ExecuteReplicatedAsync(arguments));
      }
      for (const auto& run : runs) {
        for (const ExecuteResult& result : run) {
          num_right += result.results[0]->ToLiteral()->ToString() == (t == 0 ? "{3}" : "{6}");
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_right, 2 * 50 * 3);
}

TEST_P(Replicated, AFailureHasOneCause) {
  ASSERT_TRUE(client_
                  ->RegisterTypedCustomCall(
                      "fail", [](const CustomCallFrame&) { return InvalidArgument("broken"); })
                  .ok());
  const auto executable = Compiled(
      "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) "
      "}\nENTRY main { x = f32[1] parameter(0) r = u32[] replica-id() one = u32[] constant(1) p = "
      "pred[] compare(r, one), direction=EQ ROOT c = f32[1] conditional(p, x, x), "
      "true_computation={ a = f32[1] parameter(0) ROOT f = f32[1] custom-call(a), "
      "custom_call_target=\"fail\", api_version=API_VERSION_TYPED_FFI }, false_computation={ b = "
      "f32[1] parameter(0) ROOT s = f32[1] all-reduce(b), replica_groups={}, to_apply=sum } }",
      {0, 1, 2});
  ASSERT_NE(executable, nullptr);
  const std::vector<std::vector<BufferPtr>> arguments = {
      {Full(1, 1, 0)}, {Full(1, 1, 1)}, {Full(1, 1, 2)}};
  constexpr std::string_view kCause = "custom-call: \"fail\": broken; operand f32[1]";
  const Status sync = executable->ExecuteReplicated(arguments).status();
  EXPECT_EQ(sync.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(sync.message(), kCause);
  const auto results = *executable->ExecuteReplicatedAsync(arguments);
  for (size_t d = 0; d < 3; ++d) {
    const Status status = results[d].done.Await();
    EXPECT_EQ(results[d].results[0]->ToLiteral().status().message(), status.message());
    if (d == 1) {
      EXPECT_EQ(status.message(), kCause);
    } else {
      EXPECT_EQ(status.code(), StatusCode::kCancelled) << d;
    }
  }
}

TEST_P(Replicated, TheMemoryLimitIsOfAllDevices) {
  // Each device has 4 MiB of its own at the meeting, whatever the engine needs beside it.
  constexpr i64 kSize = 1 << 20;
  const auto executable = Compiled(
      StrCat("HloModule m\nmost { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] "
             "maximum(a, b) }\nENTRY main { x = f32[] parameter(0) b = f32[",
             kSize, "] broadcast(x), dimensions={} ROOT s = f32[", kSize,
             "] all-reduce(b), replica_groups={}, to_apply=most }"),
      {0, 1});
  ASSERT_NE(executable, nullptr);
  const auto scalar = [&](i64 device) {
    return *client_->BufferFromLiteral(Literal::Scalar<float>(F32, 1), device);
  };
  const std::vector<std::vector<BufferPtr>> arguments = {{scalar(0)}, {scalar(1)}};
  Limits narrow;
  narrow.set_memory_cap(7 << 20);
  const Status status = executable->ExecuteReplicated(arguments, {.limits = &narrow}).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.message();
  EXPECT_EQ(narrow.live_bytes(), 0);
  Limits wide;
  wide.set_memory_cap(64 << 20);
  EXPECT_TRUE(executable->ExecuteReplicated(arguments, {.limits = &wide}).ok());
  EXPECT_GE(wide.peak_bytes(), 8 << 20);
  EXPECT_EQ(wide.live_bytes(), 0);
}

TEST_P(Replicated, EachDeviceHasTheStepLimit) {
  const auto executable = Compiled(
      "HloModule m\nbody { i = s32[] parameter(0) one = s32[] constant(1) ROOT n = s32[] add(i, "
      "one) }\ncond { i = s32[] parameter(0) end = s32[] constant(100) ROOT c = pred[] compare(i, "
      "end), direction=LT }\nENTRY main { i = s32[] parameter(0) ROOT w = s32[] while(i), "
      "condition=cond, body=body }",
      {0, 1});
  ASSERT_NE(executable, nullptr);
  const auto run = [&](i64 steps) {
    Limits limits;
    limits.set_step_limit(steps);
    const auto zero = [&](i64 device) {
      return *client_->BufferFromLiteral(Literal::Scalar<std::int32_t>(S32, 0), device);
    };
    return executable->ExecuteReplicated({{zero(0)}, {zero(1)}}, {.limits = &limits}).status();
  };
  // Both devices together need more.
  EXPECT_TRUE(run(350).ok()) << run(350).message();
  EXPECT_EQ(run(50).message(), "the limit of 50 steps ended the run of \"m\"");
}

// A caller whose time is up does not wait for the runs that are before its own.
TEST_P(Replicated, AnEndedRunLeavesTheQueue) {
  std::atomic<bool> go = false;
  ASSERT_TRUE(client_
                  ->RegisterTypedCustomCall("wait",
                                            [&](const CustomCallFrame&) {
                                              while (!go) std::this_thread::yield();
                                              return Status();
                                            })
                  .ok());
  const auto slow = Compiled(
      "HloModule slow\nENTRY main { x = f32[1] parameter(0) ROOT f = f32[1] custom-call(x), "
      "custom_call_target=\"wait\", api_version=API_VERSION_TYPED_FFI }",
      {1});
  const auto executable = Compiled(SumProgram(1), {0, 1});
  ASSERT_TRUE(slow != nullptr && executable != nullptr);
  const BufferPtr x = Full(1, 1, 1);
  const auto held = *slow->ExecuteAsync(std::vector<BufferPtr>{x});
  Limits limits;
  limits.set_time_limit(0.02);
  const Status status =
      executable->ExecuteReplicated({{Full(1, 1, 0)}, {x}}, {.limits = &limits}).status();
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status.message();
  EXPECT_FALSE(held.done.is_ready());
  go = true;
  EXPECT_TRUE(held.done.Await().ok());
  // What was left in the queue does nothing when its turn comes.
  EXPECT_TRUE(executable->ExecuteReplicated({{Full(1, 1, 0)}, {x}}).ok());
}

}  // namespace
}  // namespace axle
