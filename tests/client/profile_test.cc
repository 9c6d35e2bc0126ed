// Profiles of runs: what they say, and that they change nothing else.
#include "axle/client/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "axle/client/client.h"
#include "axle/client/profile_text.h"
#include "axle/core/strings.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

using Json = nlohmann::json;

// A loop of 5 turns over a product that is too large to be one function with its neighbours, a
// branch, and a sum.
constexpr std::string_view kLoop = R"(HloModule train

add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }

more {
  s = (s32[], f32[128,128]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT p = pred[] compare(i, n), direction=LT
}

turn {
  s = (s32[], f32[128,128]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[128,128] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  d = f32[128,128] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={source_file="net.py" source_line=17}
  e = f32[128,128] tanh(d), metadata={source_file="net.py" source_line=18}
  ROOT r = (s32[], f32[128,128]) tuple(next, e)
}

plus { x = f32[128,128] parameter(0)  ROOT y = f32[128,128] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} }
minus { x = f32[128,128] parameter(0)  ROOT y = f32[128,128] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1} }

ENTRY main {
  x = f32[128,128] parameter(0)
  which = s32[] parameter(1)
  zero = s32[] constant(0)
  start = (s32[], f32[128,128]) tuple(zero, x)
  loop = (s32[], f32[128,128]) while(start), condition=more, body=turn
  y = f32[128,128] get-tuple-element(loop), index=1
  z = f32[128,128] conditional(which, y, y), branch_computations={plus, minus}
  none = f32[] constant(0)
  ROOT sum = f32[128] reduce(z, none), dimensions={1}, to_apply=add
}
)";

std::vector<EngineKind> Engines() {
#ifdef AXLE_HAS_CODEGEN
  return {EngineKind::kInterpret, EngineKind::kNative};
#else
  return {EngineKind::kInterpret};
#endif
}

std::vector<Literal> Arguments() {
  Literal x = *Literal::Create(Shape(F32, {128, 128}));
  for (i64 i = 0; i < 128 * 128; ++i) {
    x.mutable_data<float>()[i] = static_cast<float>(i % 251) / 2000;
  }
  return {x, Literal::Scalar<std::int32_t>(S32, 1)};
}

class ProfileOf : public testing::TestWithParam<EngineKind> {
 protected:
  std::shared_ptr<Executable> Compile(std::string_view program, const CompileOptions& more = {}) {
    CompileOptions options = more;
    options.engine = GetParam();
    auto executable = client_->Compile(program, options);
    EXPECT_TRUE(executable.ok()) << executable.status().ToString();
    return *executable;
  }

  std::unique_ptr<Client> client_ = *Client::Create({.num_devices = 2, .num_threads = 2});
};
INSTANTIATE_TEST_SUITE_P(Engines, ProfileOf, testing::ValuesIn(Engines()));

const ProfileRecord& RecordOf(const ProfileProgram& program, std::string_view name) {
  const auto found = std::ranges::find(program.records, name, &ProfileRecord::name);
  EXPECT_NE(found, program.records.end()) << name;
  return *found;
}

TEST_P(ProfileOf, RecordsSayWhatEachStepIs) {
  const auto executable = Compile(kLoop);
  Profile profile;
  constexpr int kRuns = 3;
  for (int run = 0; run < kRuns; ++run) {
    ASSERT_TRUE(executable->Execute(Arguments(), {.profile = &profile}).ok());
  }
  const auto report = profile.Report();
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  ASSERT_EQ(report->programs.size(), 1u);
  const ProfileProgram& program = report->programs[0];
  EXPECT_EQ(program.name, "train");
  EXPECT_EQ(program.device, 0);
  EXPECT_EQ(program.runs, static_cast<std::uint64_t>(kRuns));
  EXPECT_TRUE(
      std::ranges::is_sorted(program.records, std::greater(), &ProfileRecord::self_seconds));
  const ProfileRecord& loop = RecordOf(program, "loop");
  EXPECT_EQ(loop.turns, static_cast<std::uint64_t>(kRuns));
  EXPECT_EQ(loop.computation, "main");
  EXPECT_EQ(loop.ops, std::vector<std::string>{"while"});
  EXPECT_TRUE(loop.callers.empty());
  EXPECT_EQ(loop.flops, 0);
  const ProfileRecord& dot = RecordOf(program, "d");
  EXPECT_EQ(dot.turns, static_cast<std::uint64_t>(kRuns * 5));
  EXPECT_EQ(dot.computation, "turn");
  EXPECT_EQ(dot.sources, std::vector<std::string>{"net.py:17"});
  EXPECT_EQ(dot.flops, 2.0 * 128 * 128 * 128);
  EXPECT_GE(dot.bytes_read, 4 * 128 * 128);
  EXPECT_LE(dot.bytes_read, 2 * 4 * 128 * 128);
  EXPECT_EQ(dot.bytes_written, 4 * 128 * 128);
  EXPECT_GT(dot.roofline, 0);
  ASSERT_EQ(dot.callers.size(), 1u);
  EXPECT_EQ(program.records[dot.callers[0]].name, "loop");
  EXPECT_EQ(RecordOf(program, "e").sources, std::vector<std::string>{"net.py:18"});
  // The branch that was not taken has no record.
  EXPECT_EQ(std::ranges::count(program.records, "plus", &ProfileRecord::computation), 0);
  EXPECT_EQ(std::ranges::count(program.records, "minus", &ProfileRecord::computation), 1);
  // All of the time is somewhere, once.
  double self = program.outside_seconds, shares = 0;
  for (const ProfileRecord& record : program.records) {
    EXPECT_LE(record.self_seconds, record.seconds * (1 + 1e-9)) << record.name;
    EXPECT_LE(record.min_seconds * static_cast<double>(record.turns),
              record.seconds * (1 + 1e-9) + (record.timed_turns < record.turns ? 1 : 0))
        << record.name;
    EXPECT_NE(record.kind, "") << record.name;
    EXPECT_NE(record.engine, "") << record.name;
    if (record.kind != "copy") {
      EXPECT_FALSE(record.ops.empty()) << record.name;
    }
    self += record.self_seconds;
    shares += record.share;
  }
  EXPECT_NEAR(self, program.seconds, program.seconds * 0.05);
  EXPECT_NEAR(shares, 1 - program.outside_seconds / program.seconds, 0.05);
  EXPECT_GE(loop.seconds, dot.seconds);
}

// Bits, and where the step limit ends a run, are the same with and without a profile.
TEST_P(ProfileOf, NothingElseChanges) {
  const auto executable = Compile(kLoop);
  const Literal plain = *executable->Execute(Arguments());
  const auto ends_at = [&](Profile* profile) {
    for (i64 steps = 1;; ++steps) {
      Limits limits;
      limits.set_step_limit(steps);
      const auto result = executable->Execute(Arguments(), {.limits = &limits, .profile = profile});
      if (result.ok()) return steps;
      EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted);
    }
  };
  Profile profile({.max_events = 100});
  const Literal profiled = *executable->Execute(Arguments(), {.profile = &profile});
  EXPECT_EQ(plain, profiled);
  const i64 without = ends_at(nullptr);
  EXPECT_GT(without, 5);
  EXPECT_EQ(ends_at(&profile), without);
  // Those that failed are not in it.
  EXPECT_EQ(profile.Report()->programs[0].runs, 2u);
}

TEST_P(ProfileOf, ARunThatFailsAddsNothing) {
  const auto executable = Compile(kLoop);
  Profile profile;
  const auto wrong = executable->Execute({Literal::Scalar<float>(F32, 1)}, {.profile = &profile});
  EXPECT_FALSE(wrong.ok());
  EXPECT_TRUE(profile.Report()->programs.empty());
}

// Hundreds of thousands of turns of a few instructions: counted, and few of them timed.
TEST_P(ProfileOf, ALongLoopIsTimedBySample) {
  const auto executable = Compile(R"(HloModule count
more { s = (s32[], f32[4096]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(20000)
  ROOT p = pred[] compare(i, n), direction=LT }
turn { s = (s32[], f32[4096]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[4096] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[4096] negate(x)
  ROOT r = (s32[], f32[4096]) tuple(next, y) }
ENTRY main { x = f32[4096] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[4096]) tuple(zero, x)
  loop = (s32[], f32[4096]) while(start), condition=more, body=turn
  ROOT y = f32[4096] get-tuple-element(loop), index=1 })");
  Profile profile({.max_events = 50});
  ASSERT_TRUE(
      executable->Execute({*Literal::Create(Shape(F32, {4096}))}, {.profile = &profile}).ok());
  const auto report = profile.Report();
  ASSERT_TRUE(report.ok());
  const ProfileProgram& program = report->programs[0];
  for (const ProfileRecord& record : program.records) {
    if (record.computation != "turn") continue;
    EXPECT_EQ(record.turns, 20'000u) << record.name;
    EXPECT_GE(record.timed_turns, 16u);
    if (!kThreadSanitizer && !kAddressSanitizer) {  // turns are long then
      EXPECT_LT(record.timed_turns, 20'000u) << record.name;
    }
  }
  EXPECT_EQ(report->events.size(), 50u);
  EXPECT_GT(report->events_left_out, 0u);
  const Json trace = Json::parse(ProfileTrace(*report));
  const std::string last = trace.back()["name"];
  EXPECT_EQ(last,
            StrCat("the trace is full: ", report->events_left_out, " later events are left out"));
}

// On each thread an event lies inside of one that it overlaps.
TEST_P(ProfileOf, EventsOfATraceNest) {
  const auto executable = Compile(kLoop);
  Profile profile({.max_events = 10'000});
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(executable->Execute(Arguments(), {.profile = &profile}).ok());
  }
  const auto report = profile.Report();
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->events_left_out, 0u);
  std::map<int, std::vector<std::pair<i64, i64>>> open;  // by thread
  std::set<std::string> names;
  int depth = 0;
  const Json trace = Json::parse(ProfileTrace(*report));
  for (const Json& event : trace) {
    if (event["ph"] != "X") continue;
    const auto begin = static_cast<i64>(std::llround(event["ts"].get<double>() * 1000));
    const auto end = begin + static_cast<i64>(std::llround(event["dur"].get<double>() * 1000));
    EXPECT_LE(begin, end);
    auto& around = open[event["tid"]];
    while (!around.empty() && around.back().second <= begin) around.pop_back();
    if (!around.empty()) {
      EXPECT_GE(begin, around.back().first);
      EXPECT_LE(end, around.back().second) << event;
    }
    around.push_back({begin, end});
    depth = std::max(depth, static_cast<int>(around.size()));
    names.insert(event["name"]);
  }
  EXPECT_GE(depth, 3);  // run, loop, product
  for (const char* const name : {"train", "loop", "d", "sum"}) EXPECT_TRUE(names.contains(name));
}

TEST_P(ProfileOf, EachDeviceHasItsOwnTimes) {
  const auto executable = Compile(R"(HloModule both, replica_count=2
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY main { x = f32[64,64] parameter(0)
  d = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[64,64] all-reduce(d), replica_groups={}, to_apply=add })");
  Profile profile({.max_events = 100});
  std::vector<std::vector<BufferPtr>> arguments;
  for (i64 d = 0; d < 2; ++d) {
    arguments.push_back({*client_->BufferFromLiteral(*Literal::Create(Shape(F32, {64, 64})), d)});
  }
  const auto results = executable->ExecuteReplicated(arguments, {.profile = &profile});
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  const auto report = profile.Report();
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->programs.size(), 2u);
  std::set<i64> devices;
  for (const ProfileProgram& program : report->programs) {
    devices.insert(program.device);
    EXPECT_EQ(program.runs, 1u);
    EXPECT_EQ(RecordOf(program, "s").turns, 1u);
  }
  EXPECT_EQ(devices, (std::set<i64>{0, 1}));
  EXPECT_EQ(report->events.size(), 2 + report->programs[0].records.size() * 2);
}

// An asynchronous run adds to the profile when it is over, and a profile keeps its executables.
TEST_P(ProfileOf, RunsOfSeveralExecutablesAddUp) {
  auto first = Compile(kLoop);
  Profile profile;
  ASSERT_TRUE(first->Execute(Arguments(), {.profile = &profile}).ok());
  first.reset();
  const auto second =
      Compile("HloModule other\nENTRY e { x = f32[8] parameter(0)  ROOT y = f32[8] negate(x) }");
  const auto x = *client_->BufferFromLiteral(*Literal::Create(Shape(F32, {8})));
  auto started = second->ExecuteAsync({x}, {.profile = &profile});
  ASSERT_TRUE(started.ok());
  ASSERT_TRUE(started->done.Await().ok());
  const auto report = profile.Report();
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->programs.size(), 2u);
  EXPECT_EQ(report->programs[0].name, "train");
  EXPECT_EQ(report->programs[1].name, "other");
  EXPECT_EQ(report->programs[1].records[0].flops, 8);
  EXPECT_EQ(report->programs[1].records[0].bytes_read, 32);
}

TEST(MachineRates, AreMeasuredOnce) {
  const MachineRates one = MeasuredRates(1), again = MeasuredRates(1);
  EXPECT_GT(one.bytes_per_second, 1e8);
  EXPECT_GT(one.flops_per_second, 1e8);
  EXPECT_EQ(one.bytes_per_second, again.bytes_per_second);
  EXPECT_EQ(one.flops_per_second, again.flops_per_second);
  EXPECT_EQ(MeasuredRates(2).threads, 2);
}

}  // namespace
}  // namespace axle
