#include "axle/eval/evaluate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "axle/core/strings.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

std::unique_ptr<Module> ParseModule(std::string_view text) {
  auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  return module.ok() ? *std::move(module) : nullptr;
}

Literal Parsed(std::string_view text) {
  auto literal = ParseLiteral(text);
  EXPECT_TRUE(literal.ok()) << literal.status().ToString();
  return literal.ok() ? *std::move(literal) : Literal();
}

// Runs the body of an entry computation named main.
StatusOr<Literal> RunMain(std::string_view body, std::vector<Literal> arguments = {},
                          const EvaluateOptions& options = {}) {
  const auto module = ParseModule(StrCat("HloModule m\n\nENTRY main {\n", body, "}\n"));
  return Evaluate(*module, arguments, options);
}

std::string Value(const StatusOr<Literal>& literal) {
  return literal.ok() ? literal->ToString() : literal.status().ToString();
}

constexpr std::string_view kForever = R"(HloModule forever

always {
  state = s32[] parameter(0)
  ROOT yes = pred[] constant(true)
}

step {
  state = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT next = s32[] add(state, one)
}

ENTRY main {
  start = s32[] constant(0)
  ROOT end = s32[] while(start), condition=always, body=step
}
)";

// Counts to n with a state of a counter and an array that every step changes.
std::string CountTo(i64 n) {
  return StrCat(R"(HloModule count

below {
  state = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  n = s32[] constant()",
                n, R"()
  ROOT goes_on = pred[] compare(i, n), direction=LT
}

step {
  state = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = f32[4] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  half = f32[] constant(0.5)
  halves = f32[4] broadcast(half), dimensions={}
  y = f32[4] multiply(x, halves)
  z = f32[4] add(y, halves)
  ROOT result = (s32[], f32[4]) tuple(next, z)
}

ENTRY main {
  start = s32[] constant(0)
  x = f32[4] parameter(0)
  init = (s32[], f32[4]) tuple(start, x)
  ROOT end = (s32[], f32[4]) while(init), condition=below, body=step
}
)");
}

TEST(Evaluate, ArgumentErrorsNameTheParameter) {
  const char* body =
      "  x = f32[4] parameter(0)\n  weights = f32[4] parameter(1)\n"
      "  ROOT y = f32[4] add(x, weights)\n";
  EXPECT_EQ(Value(RunMain(body, {Parsed("f32[4] 1,2,3,4"), Parsed("s32[4] 1,2,3,4")})),
            "INVALID_ARGUMENT: execute: argument 1 is s32[4] but \"main\" expects f32[4] for "
            "parameter 1 \"weights\"");
  EXPECT_EQ(Value(RunMain(body, {Parsed("f32[4] 1,2,3,4")})),
            "INVALID_ARGUMENT: execute: \"main\" takes 2 arguments, not 1");
}

TEST(Evaluate, ArgumentsOfAnyLayoutMeanTheSame) {
  const Literal x = Parsed("f32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  Layout column_major;
  column_major.minor_to_major = {0, 1};
  const auto result = RunMain("  x = f32[2,3] parameter(0)\n  ROOT y = f32[2,3] negate(x)\n",
                              {x.Relayout(column_major)});
  EXPECT_EQ(Value(result), Parsed("f32[2,3] {{-1, -2, -3}, {-4, -5, -6}}").ToString());
}

TEST(Evaluate, ArgumentsKeepTheirValues) {
  const std::vector<Literal> arguments = {Parsed("f32[2] 1,2")};
  const auto module = ParseModule(
      "HloModule m\n\nENTRY main {\n  x = f32[2] parameter(0)\n"
      "  y = f32[2] negate(x)\n  ROOT z = f32[2] add(y, y)\n}\n");
  EXPECT_EQ(Value(Evaluate(*module, arguments)), Value(Evaluate(*module, arguments)));
  EXPECT_EQ(arguments[0].ToString(), "{1, 2}");
}

TEST(Evaluate, ResultsDoNotBorrowFromArguments) {
  const float values[2] = {1, 2};
  const auto result =
      RunMain("  ROOT x = f32[2] parameter(0)\n", {Literal::View(Shape(F32, {2}), values)});
  ASSERT_TRUE(result.ok());
  EXPECT_NE(result->bytes(), reinterpret_cast<const std::byte*>(values));
}

TEST(Evaluate, RootsMayBeParametersAndConstants) {
  EXPECT_EQ(Value(RunMain("  ROOT x = f32[2] parameter(0)\n", {Parsed("f32[2] 1,2")})), "{1, 2}");
  EXPECT_EQ(Value(RunMain("  ROOT x = f32[2] constant({1, 2})\n")), "{1, 2}");
  EXPECT_EQ(Value(RunMain("  c = f32[] constant(3)\n"
                          "  ROOT x = f32[2] broadcast(c), dimensions={}\n")),
            "{3, 3}");
}

TEST(Evaluate, RunsOfElementwiseCodeMixSizesAndScalars) {
  // The scalar is computed, broadcast, and used in two sizes; one value is read outside its run.
  EXPECT_EQ(Value(RunMain("  x = f32[3] parameter(0)\n  s = f32[] parameter(1)\n"
                          "  t = f32[] add(s, s)\n"
                          "  b = f32[3] broadcast(t), dimensions={}\n"
                          "  y = f32[3] multiply(x, b)\n"
                          "  c = f32[1] broadcast(t), dimensions={}\n"
                          "  d = f32[1] negate(c)\n"
                          "  z = f32[3] add(y, x)\n"
                          "  r = f32[3] reverse(y), dimensions={0}\n"
                          "  ROOT out = (f32[3], f32[3], f32[1], f32[3]) tuple(z, r, d, b)\n",
                          {Parsed("f32[3] 1,2,3"), Parsed("f32[] 5")})),
            Literal::Tuple({Parsed("f32[3] 11,22,33"), Parsed("f32[3] 30,20,10"),
                            Parsed("f32[1] {-10}"), Parsed("f32[3] 10,10,10")})
                .ToString());
}

TEST(Evaluate, LongArraysAreTheSameAsShortOnes) {
  // More than a slice of a lane program, with a broadcast operand and without.
  const i64 n = 200000;
  const auto module =
      ParseModule(StrCat("HloModule m\n\nENTRY main {\n  s = s32[] parameter(0)\n  i = s32[", n,
                         "] iota(), iota_dimension=0\n  b = s32[", n,
                         "] broadcast(s), dimensions={}\n  ROOT y = s32[", n, "] add(i, b)\n}\n"));
  const auto result = Evaluate(*module, std::vector<Literal>{Parsed("s32[] 7")});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  const auto values = result->data<std::int32_t>();
  for (i64 k = 0; k < n; ++k) ASSERT_EQ(values[k], k + 7);
}

TEST(Evaluate, LoopsRunAThousandTimes) {
  const auto module = ParseModule(CountTo(1000));
  EXPECT_EQ(Value(Evaluate(*module, std::vector<Literal>{Parsed("f32[4] 1,1,1,1")})),
            Literal::Tuple({Parsed("s32[] 1000"), Parsed("f32[4] 1,1,1,1")}).ToString());
}

TEST(Evaluate, StepsAreLimited) {
  Limits limits;
  limits.set_step_limit(100);
  const auto module = ParseModule(kForever);
  EXPECT_EQ(Value(Evaluate(*module, {}, {.limits = &limits})),
            "RESOURCE_EXHAUSTED: the limit of 100 steps is used up");
}

TEST(Evaluate, TimeIsLimited) {
  Limits limits;
  limits.set_time_limit(0.05);
  const auto module = ParseModule(kForever);
  EXPECT_EQ(Value(Evaluate(*module, {}, {.limits = &limits})),
            "DEADLINE_EXCEEDED: the time limit of 0.05 s is used up");
}

TEST(Evaluate, AnotherThreadCancels) {
  Limits limits;
  const auto module = ParseModule(kForever);
  std::thread other([&] { limits.Cancel(); });
  EXPECT_EQ(Value(Evaluate(*module, {}, {.limits = &limits})), "CANCELLED: cancelled");
  other.join();
}

TEST(Evaluate, MemoryIsCappedBeforeItIsTaken) {
  Limits limits;
  limits.set_memory_cap(1 << 20);
  const char* body =
      "  one = f32[] constant(1)\n"
      "  ROOT x = f32[1000000000000] broadcast(one), dimensions={}\n";
  const auto result = RunMain(body, {}, {.limits = &limits});
  EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted) << Value(result);
  EXPECT_LE(limits.peak_bytes(), 1 << 20);
}

TEST(Evaluate, WhatTakesTooMuchMemoryIsNamed) {
  const char* const beyond =
      "a value of 3.9 KiB beside 3.9 KiB in use is above the memory limit of ";
  for (const char* const op :
       {"add(x, x)", "reverse(x), dimensions={0}", "sort(x), dimensions={0}, to_apply=less"}) {
    Limits limits;
    limits.set_memory_cap(5000);
    const std::string text = StrCat(
        "HloModule m less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] "
        "compare(a, b), direction=LT } ENTRY main { x = f32[1000] iota(), iota_dimension=0 "
        "y = f32[1000] ",
        op, " ROOT t = (f32[1000], f32[1000]) tuple(x, y) }");
    EXPECT_EQ(Value(Evaluate(*ParseModule(text), {}, {.limits = &limits})),
              StrCat("RESOURCE_EXHAUSTED: ", beyond, "4.8 KiB: \"y\" of \"main\""))
        << op;
  }
}

TEST(Evaluate, MemoryIsBoundedByLiveValues) {
  // A chain of 100 arrays of 400 kB, of which two or three are alive at any time.
  std::string body =
      "  one = f32[] constant(1)\n"
      "  x0 = f32[100,1000] broadcast(one), dimensions={}\n";
  for (int i = 1; i <= 100; ++i) {
    StrAppend(body, "  x", i, " = f32[", i % 2 == 0 ? "100,1000" : "1000,100", "] transpose(x",
              i - 1, "), dimensions={1,0}\n");
  }
  StrAppend(body, "  ROOT y = f32[100,1000] negate(x100)\n");
  Limits limits;
  const auto result = RunMain(body, {}, {.limits = &limits});
  ASSERT_TRUE(result.ok()) << Value(result);
  EXPECT_GE(limits.peak_bytes(), 400000);
  EXPECT_LE(limits.peak_bytes(), 3 * 410000);
  EXPECT_EQ(limits.live_bytes(), 0);
}

TEST(Evaluate, DeepCallsEndWithAnError) {
  std::string text = "HloModule deep\n\nf0 {\n  ROOT x = f32[] parameter(0)\n}\n\n";
  const int depth = 20000;
  for (int i = 1; i <= depth; ++i) {
    StrAppend(text, "f", i, " {\n  x = f32[] parameter(0)\n  ROOT y = f32[] call(x), to_apply=f",
              i - 1, "\n}\n\n");
  }
  StrAppend(text, "ENTRY main {\n  x = f32[] parameter(0)\n  ROOT y = f32[] call(x), to_apply=f",
            depth, "\n}\n");
  const auto module = ParseModule(text);
  const auto result = Evaluate(*module, std::vector<Literal>{Parsed("f32[] 1")});
  EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted) << Value(result);
}

#if defined(__x86_64__)
// A host that flushes subnormals and rounds upwards gets the same bits, and keeps its modes.
// 40 levels of two calls each would be 2^40 calls.
TEST(Evaluate, CallsWithoutArgumentsRunOnce) {
  std::string text = "HloModule m\n\nlevel0 { ROOT one = s64[] constant(1) }\n";
  for (int i = 1; i <= 40; ++i) {
    text += StrCat("level", i, " { a = s64[] call(), to_apply=level", i - 1,
                   "  b = s64[] call(), to_apply=level", i - 1, "  ROOT s = s64[] add(a, b) }\n");
  }
  text += "ENTRY main { ROOT r = s64[] call(), to_apply=level40 }\n";
  EXPECT_EQ(Value(Evaluate(*ParseModule(text), {})), "1099511627776");
}

TEST(Evaluate, CallsWithoutArgumentsAndWithEffectsRunEachTime) {
  const auto module = ParseModule(R"(HloModule m

both { x = pred[] parameter(0)  y = pred[] parameter(1)  ROOT r = pred[] and(x, y) }

draw { ROOT state = u64[2] rng-get-and-update-state(), delta=1 }

inner { ROOT drawn = u64[2] call(), to_apply=draw }

ENTRY main {
  a = u64[2] call(), to_apply=inner
  b = u64[2] call(), to_apply=inner
  same = pred[2] compare(a, b), direction=EQ
  zero = pred[] constant(true)
  ROOT all_same = pred[] reduce(same, zero), dimensions={0}, to_apply=both
}
)");
  EXPECT_EQ(Value(Evaluate(*module, {})), "false");
}

TEST(Evaluate, TheHostsFloatingPointModeDoesNotCount) {
  constexpr std::string_view kText =
      "HloModule m\n\nENTRY main {\n  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n"
      "  c = f32[4] constant({0.1, 1e-40, 3.3333333333333333333, 1e-45})\n"
      "  q = f32[4] divide(x, y)\n  e = f32[4] exponential(q)\n  s = f32[4] add(e, c)\n"
      "  t = f32[4] multiply(c, q)\n  ROOT r = (f32[4], f32[4]) tuple(s, t)\n}\n";
  const std::vector<Literal> arguments = {Parsed("f32[4] {1, 1e-39, 7, 1}"),
                                          Parsed("f32[4] {3, 2, 11, 0.7}")};
  const auto module = ParseModule(kText);
  const auto expected = Evaluate(*module, arguments);
  const unsigned before = _mm_getcsr();
  const unsigned host = 0x1f80 | 0x8040 | 0x4000;  // FTZ, DAZ, upwards
  _mm_setcsr(host);
  const auto other_module = Parse(kText);
  const unsigned after_parse = _mm_getcsr();
  const auto result = other_module.ok() ? Evaluate(**other_module, arguments)
                                        : StatusOr<Literal>(other_module.status());
  const unsigned after_run = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after_parse & ~0x3fu, host);
  EXPECT_EQ(after_run & ~0x3fu, host);
  ASSERT_TRUE(result.ok()) << Value(result);
  EXPECT_EQ(*result, *expected) << Value(result) << Value(expected);
}
#endif

}  // namespace
}  // namespace axle
