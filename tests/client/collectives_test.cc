// Collectives between the devices of a client: where they meet, what a failure and a deadlock say.
// The values of every collective are tests of op cases and of tests/ops/collectives_test.cc.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/runtime/custom_call_registry.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

constexpr std::string_view kSum =
    "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n";

class Collectives : public testing::TestWithParam<EngineKind> {
 protected:
  // The results of the program on devices whose arguments are f32[2] {d, 10 * d}; its error for
  // all, if it fails.
  std::vector<std::string> Run(std::string_view program, i64 replicas, i64 partitions = 1,
                               Limits* limits = nullptr) {
    const auto executable =
        client_->Compile(StrCat("HloModule m\n", kSum, program),
                         {.engine = GetParam(), .replicas = replicas, .partitions = partitions});
    if (!executable.ok()) return {executable.status().ToString()};
    return RunCompiled(**executable, replicas * partitions, limits);
  }
  std::vector<std::string> RunCompiled(const Executable& executable, i64 devices,
                                       Limits* limits = nullptr) {
    std::vector<std::vector<BufferPtr>> arguments;
    for (i64 d = 0; d < devices; ++d) {
      const float values[] = {static_cast<float>(d), static_cast<float>(10 * d)};
      arguments.push_back(
          {*client_->BufferFromLiteral(Literal::Array<float>(F32, {2}, values), d)});
    }
    const auto results = executable.ExecuteReplicated(arguments, {.limits = limits});
    if (!results.ok()) return {results.status().ToString()};
    std::vector<std::string> texts;
    for (const std::vector<BufferPtr>& result : *results) {
      texts.push_back(result[0]->ToLiteral()->ToString());
    }
    return texts;
  }
  using Texts = std::vector<std::string>;

  std::unique_ptr<Client> client_ = *Client::Create({.num_devices = 6});
};

INSTANTIATE_TEST_SUITE_P(Engines, Collectives,
                         testing::Values(EngineKind::kInterpret, EngineKind::kNative),
                         [](const auto& info) {
                           return info.param == EngineKind::kNative ? "Native" : "Interpreted";
                         });

TEST_P(Collectives, DevicesMeetInTheirGroups) {
  EXPECT_EQ(Run("ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), "
                "replica_groups={}, to_apply=sum }",
                3),
            (Texts{"{3, 30}", "{3, 30}", "{3, 30}"}));
  // Replica r's partition p is device 2 r + p; partitions meet across a channel.
  EXPECT_EQ(Run("ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), "
                "replica_groups={{0,2},{1}}, to_apply=sum }",
                3, 2),
            (Texts{"{4, 40}", "{6, 60}", "{2, 20}", "{3, 30}", "{4, 40}", "{6, 60}"}));
  EXPECT_EQ(Run("ENTRY e { x = f32[2] parameter(0) ROOT r = f32[4] all-gather(x), "
                "dimensions={0}, channel_id=1, use_global_device_ids=true, "
                "replica_groups={{3,0},{1,2}} }",
                2, 2),
            (Texts{"{3, 30, 0, 0}", "{1, 10, 2, 20}", "{1, 10, 2, 20}", "{3, 30, 0, 0}"}));
  EXPECT_EQ(Run("ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] collective-permute(x), "
                "source_target_pairs={{0,1},{2,0}} }",
                3),
            (Texts{"{2, 20}", "{0, 0}", "{0, 0}"}));
  EXPECT_EQ(Run("ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-to-all(x), "
                "dimensions={0}, replica_groups={{0,1}} }",
                2),
            (Texts{"{0, 1}", "{0, 10}"}));
}

// One channel for all collectives, as JAX has it; each turn of the loop is a meeting of its own.
TEST_P(Collectives, InLoopsAndOfOneChannel) {
  EXPECT_EQ(Run(R"(
cond { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(40) ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
  r = f32[2] all-reduce(x), channel_id=1, use_global_device_ids=true, replica_groups={{0,1},{2,3}}, to_apply=sum
  h = f32[] constant(0.5)  hs = f32[2] broadcast(h), dimensions={}  m = f32[2] multiply(r, hs)
  p = f32[2] collective-permute(m), channel_id=1, source_target_pairs={{0,2},{1,3},{2,0},{3,1}}
  ROOT t = (s32[], f32[2]) tuple(j, p) }
ENTRY e { x = f32[2] parameter(0) z = s32[] constant(0) t = (s32[], f32[2]) tuple(z, x)
  w = (s32[], f32[2]) while(t), condition=cond, body=body
  ROOT r = f32[2] get-tuple-element(w), index=1 })",
                1, 4),
            (Texts{"{0.5, 5}", "{0.5, 5}", "{2.5, 25}", "{2.5, 25}"}));
}

TEST_P(Collectives, TwoRunsAtOnceDoNotMix) {
  const auto executable = client_->Compile(
      StrCat("HloModule m\n", kSum,
             "ENTRY e { x = f32[2] parameter(0) a = f32[2] all-reduce(x), replica_groups={}, "
             "to_apply=sum ROOT b = f32[2] all-reduce(a), replica_groups={}, to_apply=sum }"),
      {.engine = GetParam(), .replicas = 4});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(RunCompiled(**executable, 4), Texts(4, "{24, 240}"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Device 0 does what `first` says, the others what `rest` says.
std::string ByDevice(std::string_view first, std::string_view rest) {
  return StrCat(
      "ENTRY main { x = f32[2] parameter(0) r = u32[] replica-id() z = u32[] constant(0) p = "
      "pred[] compare(r, z), direction=EQ ROOT c = f32[2] conditional(p, x, x), "
      "true_computation={ a = f32[2] parameter(0) ",
      first, " }, false_computation={ b = f32[2] parameter(0) ", rest, " } }");
}

TEST_P(Collectives, ADeadlockIsFound) {
  EXPECT_EQ(Run(ByDevice("ROOT f = f32[2] all-reduce(a), replica_groups={}, to_apply=sum",
                         "ROOT g = f32[2] copy(b)"),
                2),
            Texts{"INVALID_ARGUMENT: all-reduce: deadlock: device 0 waits at all-reduce \"f\" for "
                  "device 1; "
                  "device 1 has finished the program; operand f32[2]"});
  const auto crossed =
      Run(ByDevice("ROOT f = f32[2] all-reduce(a), replica_groups={}, to_apply=sum",
                   "ROOT g = f32[2] all-reduce(b), replica_groups={}, to_apply=sum"),
          2);
  EXPECT_EQ(crossed, Texts{"INVALID_ARGUMENT: all-reduce: deadlock: device 0 waits at all-reduce "
                           "\"f\" for device 1; "
                           "device 1 waits at all-reduce \"g\" for device 0; operand f32[2]"});
}

TEST_P(Collectives, AFailureEndsTheWaitsOfAll) {
  EXPECT_TRUE(client_
                  ->RegisterTypedCustomCall(
                      "fail", [](const CustomCallFrame&) { return InvalidArgument("broken"); })
                  .ok());
  const std::string_view wait = "ROOT f = f32[2] all-reduce({}), replica_groups={}, to_apply=sum";
  const auto waits = [&](std::string_view operand) {
    std::string text(wait);
    return text.replace(text.find("{}"), 2, operand);
  };
  const std::string fails = "custom_call_target=\"fail\", api_version=API_VERSION_TYPED_FFI";
  EXPECT_EQ(Run(ByDevice(waits("a"), StrCat("ROOT g = f32[2] custom-call(b), ", fails)), 3),
            Texts{"INVALID_ARGUMENT: custom-call: \"fail\": broken; operand f32[2]"});
  EXPECT_EQ(Run(ByDevice(StrCat("ROOT g = f32[2] custom-call(a), ", fails), waits("b")), 3),
            Texts{"INVALID_ARGUMENT: custom-call: \"fail\": broken; operand f32[2]"});
  // The limits of the call are those of device 0, and do not know that device 1 failed.
  Limits limits;
  EXPECT_EQ(
      Run(ByDevice(waits("a"), StrCat("ROOT g = f32[2] custom-call(b), ", fails)), 2, 1, &limits),
      Texts{"INVALID_ARGUMENT: custom-call: \"fail\": broken; operand f32[2]"});
}

TEST_P(Collectives, LimitsEndAWait) {
  // Device 1 waits for its infeed, which nobody fills, so that it might still come.
  const std::string program =
      ByDevice("ROOT f = f32[2] all-reduce(a), replica_groups={}, to_apply=sum",
               "t = token[] after-all() i = (f32[2], token[]) infeed(t) v = f32[2] "
               "get-tuple-element(i), index=0 ROOT g = f32[2] all-reduce(v), replica_groups={}, "
               "to_apply=sum");
  Limits limits;
  limits.set_time_limit(0.02);
  const auto late = Run(program, 2, 1, &limits);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_TRUE(late[0].starts_with("DEADLINE_EXCEEDED: ")) << late[0];
  Limits cancelled;
  std::thread canceller([&] { cancelled.Cancel(); });
  const auto ended = Run(program, 2, 1, &cancelled);
  canceller.join();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_TRUE(ended[0].starts_with("CANCELLED: ")) << ended[0];
}

// A child that may map little more has no stacks for six threads: no device waits for one that
// never begins.
TEST(CollectivesWithoutThreads, AreAnError) {
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "they map more than any limit";
  const auto client = *Client::Create({.num_devices = 6});
  const auto executable = client->Compile(
      StrCat("HloModule m\n", kSum,
             "ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), replica_groups={}, "
             "to_apply=sum }"),
      {.engine = EngineKind::kInterpret, .replicas = 6});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  std::vector<std::vector<BufferPtr>> arguments;
  for (i64 d = 0; d < 6; ++d) {
    arguments.push_back({*client->BufferFromLiteral(Literal(Shape(F32, {2})), d)});
  }
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    i64 pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const auto most = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + (i64{20} << 20));
    const rlimit limit = {most, most};
    setrlimit(RLIMIT_AS, &limit);
    const Status status = (*executable)->ExecuteReplicated(arguments).status();
    const bool is_right = status.ToString() ==
                          "RESOURCE_EXHAUSTED: execute: 6 devices need a thread each, and the "
                          "system has no more";
    _exit(is_right ? 0 : 1);
  }
  int result = 0;
  ASSERT_EQ(waitpid(child, &result, 0), child);
  EXPECT_EQ(result, 0);
  EXPECT_TRUE((*executable)->ExecuteReplicated(arguments).ok());
}

}  // namespace
}  // namespace axle
