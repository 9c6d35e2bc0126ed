// Limits of calls of the client: time, memory, several calls with one object; of builders.
#include "axle/core/limits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>

#include "axle/builder/xla_builder.h"
#include "axle/client/client.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// As the example of docs/api.md.
TEST(ClientLimits, EachCallHasTheWholeTime) {
  const auto client = *Client::Create();
  Limits limits;
  limits.set_time_limit(0.5);
  const auto executable = client->Compile(
      "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] add(x, x)\n}\n",
      {.engine = EngineKind::kInterpret, .limits = &limits});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const auto begin = Clock::now();
  while (Since(begin) < 0.8) std::this_thread::yield();
  const Literal x = *ParseLiteral("f32[2] {1, 2}");
  const auto result = (*executable)->Execute({x}, {.limits = &limits});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
}

constexpr std::string_view kForever =
    "HloModule endless\n"
    "always { x = s32[] parameter(0)  ROOT yes = pred[] constant(true) }\n"
    "step { x = s32[] parameter(0)  one = s32[] constant(1)  ROOT y = s32[] add(x, one) }\n"
    "ENTRY e { x = s32[] parameter(0)  ROOT w = s32[] while(x), condition=always, body=step }\n";

std::vector<EngineKind> Engines() {
#ifdef AXLE_HAS_CODEGEN
  return {EngineKind::kInterpret, EngineKind::kNative};
#else
  return {EngineKind::kInterpret};
#endif
}

TEST(ClientLimits, MessagesNameTheLimitAndWhatWasGoingOn) {
  const auto client = *Client::Create();
  for (const EngineKind engine : Engines()) {
    const auto executable = client->Compile(kForever, {.engine = engine});
    ASSERT_TRUE(executable.ok());
    Limits limits;
    limits.set_time_limit(0.05);
    for (int call = 0; call < 2; ++call) {
      EXPECT_EQ(
          (*executable)->Execute({Literal(Shape(S32))}, {.limits = &limits}).status().ToString(),
          "DEADLINE_EXCEEDED: the time limit of 0.05 s ended the run of \"endless\"");
    }
    Limits steps;
    steps.set_step_limit(100);
    for (int call = 0; call < 2; ++call) {
      EXPECT_EQ(
          (*executable)->Execute({Literal(Shape(S32))}, {.limits = &steps}).status().ToString(),
          "RESOURCE_EXHAUSTED: the limit of 100 steps ended the run of \"endless\"");
    }
  }
}

// Even where a run has nothing to look at the clock for.
TEST(ClientLimits, NoCallFitsIntoNoTime) {
  const auto client = *Client::Create();
  for (const EngineKind engine : Engines()) {
    const auto executable =
        client->Compile("ENTRY e { ROOT x = f32[2] parameter(0) }", {.engine = engine});
    ASSERT_TRUE(executable.ok());
    for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
      Limits limits;
      limits.set_time_limit(seconds);
      EXPECT_EQ(
          (*executable)->Execute({Literal(Shape(F32, {2}))}, {.limits = &limits}).status().code(),
          StatusCode::kDeadlineExceeded)
          << seconds;
    }
  }
}

TEST(ClientLimits, CompilationIsNeverOkAfterItsTime) {
  const auto client = *Client::Create();
  Limits limits;
  limits.set_time_limit(0);
  for (const EngineKind engine : Engines()) {
    EXPECT_EQ(client->Compile(kForever, {.engine = engine, .limits = &limits}).status().code(),
              StatusCode::kDeadlineExceeded);
  }
}

#ifdef AXLE_HAS_CODEGEN
// A loop that hands on n numbers, each to the next.
std::string Wheel(int n) {
  std::string shape, elements, turned;
  for (int i = 0; i < n; ++i) {
    StrAppend(shape, i > 0 ? ", " : "", "f32[]");
    StrAppend(elements, "  x", i, " = f32[] get-tuple-element(s), index=", i + 1, "\n");
    StrAppend(turned, ", x", (i + 1) % n);
  }
  shape = StrCat("(s32[], ", shape, ")");
  return StrCat(
      "HloModule wheel\ncond {\n  s = ", shape,
      " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  three = s32[] constant(3)\n  ROOT c = pred[] compare(i, three), direction=LT\n}\n"
      "body {\n  s = ",
      shape,
      " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n",
      elements, "  ROOT r = ", shape, " tuple(j", turned, ")\n}\nENTRY e {\n  p = ", shape,
      " parameter(0)\n  ROOT w = ", shape, " while(p), condition=cond, body=body\n}\n");
}

// What LLVM would take quadratic time for is made of records: 12,000 numbers took 17 s.
TEST(ClientLimits, AWideLoopCompilesInTime) {
  const auto client = *Client::Create();
  const auto begin = Clock::now();
  const auto executable = client->Compile(Wheel(4000), {.engine = EngineKind::kNative});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const double wide = Since(begin);
  const auto again = Clock::now();
  ASSERT_TRUE(client->Compile(Wheel(400), {.engine = EngineKind::kNative}).ok());
  EXPECT_LT(wide, 10 * Since(again) + 4);
}

// What a compilation needs counts, and is there again after it was refused.
TEST(ClientLimits, MemoryCoversCompilation) {
  std::string text = "HloModule big\nENTRY e {\n  x0 = f32[] parameter(0)\n";
  for (int i = 0; i < 5000; ++i) {
    StrAppend(text, "  x", i + 1, " = f32[] ",
              i % 3 == 0   ? "tanh"
              : i % 3 == 1 ? "cosine"
                           : "log",
              "(x", i, ")\n");
  }
  text += "}\n";
  const auto client = *Client::Create();
  Limits limits;
  limits.set_memory_cap(i64{1} << 20);
  const Status status =
      client->Compile(text, {.engine = EngineKind::kNative, .limits = &limits}).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_NE(status.message().find("the memory limit of 1 MiB in "), std::string::npos)
      << status.message();
  EXPECT_EQ(limits.live_bytes(), 0);
  limits.set_memory_cap(i64{1} << 30);
  const auto executable = client->Compile(text, {.engine = EngineKind::kNative, .limits = &limits});
  EXPECT_TRUE(executable.ok()) << executable.status().ToString();
  EXPECT_EQ(limits.live_bytes(), 0);
}
#endif

TEST(BuilderLimits, TuplesThatDoubleEndAtTheMemoryLimit) {
  Limits limits;
  limits.set_memory_cap(i64{16} << 20);
  XlaBuilder builder("doubling");
  builder.set_limits(&limits);
  XlaOp x = ConstantR0<float>(&builder, 1);
  int built = 0;
  for (; built < 30 && builder.first_error().ok(); ++built) x = Tuple(&builder, {x, x});
  EXPECT_LT(built, 20);
  EXPECT_GT(built, 8);
  EXPECT_EQ(builder.first_error().code(), StatusCode::kResourceExhausted);
  EXPECT_NE(builder.first_error().message().find("the memory limit of 16 MiB"), std::string::npos)
      << builder.first_error().message();
  builder.set_limits(nullptr);
  EXPECT_EQ(limits.live_bytes(), 0);
}

TEST(BuilderLimits, EachOpLooksAtTheClock) {
  Limits limits;
  limits.set_time_limit(0.01);
  XlaBuilder builder("b");
  builder.set_limits(&limits);
  const XlaOp x = ConstantR0<float>(&builder, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  Neg(x);
  EXPECT_EQ(builder.first_error().code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(
      builder.first_error().message().find("the time limit of 0.01 s ended the building of \"b\""),
      std::string::npos)
      << builder.first_error().message();
}

TEST(BuilderLimits, WhatIsBuiltCountsNoMore) {
  Limits limits;
  XlaBuilder builder("small");
  builder.set_limits(&limits);
  ConstantR0<float>(&builder, 1);
  EXPECT_GT(limits.live_bytes(), 0);
  ASSERT_TRUE(builder.Build().ok());
  EXPECT_EQ(limits.live_bytes(), 0);
  limits.Cancel();
  ConstantR0<float>(&builder, 1);
  EXPECT_EQ(builder.first_error().code(), StatusCode::kCancelled);
}

// Threads that compile wait for one another's memory instead of failing for want of it.
TEST(ClientLimits, ManyThreadsCompileInLittleMemory) {
  std::string text = "ENTRY e {\n", list;
  for (int i = 1; i <= 24; ++i) {
    const std::string shape = StrCat("f32[", i + 40, "]");
    StrAppend(text, "x", i, " = ", shape, " parameter(", i - 1, ")\n");
    std::string last = StrCat("x", i);
    for (const std::string_view op : {"sine", "tan", "exponential", "atan2", "log", "tanh"}) {
      const std::string next = StrCat(op, "_", i);
      const std::string_view second = op == "atan2" ? ", x" : "";
      StrAppend(text, next, " = ", shape, " ", op, "(", last, second,
                second.empty() ? "" : StrCat(i), ")\n");
      last = next;
    }
    StrAppend(list, i > 1 ? ", " : "", last);
  }
  StrAppend(text, "ROOT r = tuple(", list, ")\n}\n");
  Limits limits;
  limits.set_memory_cap(i64{6} << 20);
  auto client = Client::Create({.num_threads = 24});
  CompileOptions options = {.engine = EngineKind::kNative, .limits = &limits};
  options.codegen_level = 2;  // nothing is precompiled
  const auto executable = (*client)->Compile(text, options);
  if (executable.status().code() == StatusCode::kUnavailable) GTEST_SKIP() << "no code generator";
  EXPECT_TRUE(executable.ok()) << executable.status().message();
  EXPECT_GT(limits.peak_bytes(), i64{3} << 20);
  EXPECT_EQ(limits.live_bytes(), 0);
}

}  // namespace
}  // namespace axle
