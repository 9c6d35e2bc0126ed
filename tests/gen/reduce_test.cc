// Reduction: small, valid, still failing; and the ways in which a check can end.
#include "axle/gen/reduce.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "axle/core/strings.h"
#include "axle/gen/fuzz_run.h"
#include "axle/gen/generate.h"
#include "axle/gen/isolated.h"
#include "axle/ops/op_def.h"
#include "axle/passes/pipeline.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

bool Has(const Module& module, std::string_view op) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      if (GetOpDef(*inst).text == op) return true;
    }
  }
  return false;
}

// Whether some instruction `op` has an operand that is `of`.
bool HasPair(const Module& module, std::string_view op, std::string_view of) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      for (i64 i = 0; i < inst->num_operands() && GetOpDef(*inst).text == op; ++i) {
        if (GetOpDef(*inst->operand(i)).text == of) return true;
      }
    }
  }
  return false;
}

std::string Reduced(std::string_view text, const std::function<bool(const Module&)>& fails) {
  const auto module = Parse(text);
  if (!module.ok()) return module.status().ToString();
  const auto small = ReduceModule(**module, fails, {});
  if (!small.ok()) return small.status().ToString();
  return Print(**small, {.style = PrintOptions::Style::kShort});
}

TEST(Reduce, LeavesWhatFailsAlone) {
  EXPECT_EQ(Reduced(R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[64,33] parameter(0)
  y = f32[64,33] parameter(1)
  zero = f32[] constant(0)
  s = f32[64,33] sine(x)
  t = f32[64,33] tanh(s)
  u = f32[64] reduce(t, zero), dimensions={1}, to_apply=sum
  v = f32[64,33] multiply(t, y)
  ROOT r = (f32[64], f32[64,33]) tuple(u, v)
})",
                    [](const Module& m) { return Has(m, "tanh"); }),
            R"(HloModule m, entry_computation_layout={(f32[0,0]{1,0})->f32[0,0]{1,0}}

ENTRY e {
  parameter.r1 = f32[0,0]{1,0} parameter(0)
  ROOT t = f32[0,0]{1,0} tanh(parameter.r1)
}

)");
}

TEST(Reduce, WhatNobodyReadsMayBeWhatFails) {
  const std::string text = Reduced(R"(HloModule m
f { x = f32[8] parameter(0)  y = f32[8] sine(x)  z = f32[8] tanh(y)  w = f32[8] cosine(z)
  ROOT r = f32[8] negate(x) }
ENTRY e { x = f32[8] parameter(0)  y = f32[8] cosine(x)  ROOT r = f32[8] call(x), to_apply=f })",
                                   [](const Module& m) { return Has(m, "tanh"); });
  EXPECT_EQ(text.find("sine"), std::string::npos) << text;  // nor cosine
  EXPECT_EQ(text.find("negate"), std::string::npos) << text;
  EXPECT_NE(text.find("tanh"), std::string::npos) << text;
}

TEST(Reduce, StartsThatNobodyReadsGoWithTheirEnds) {
  const std::string text = Reduced(R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
g { x = f32[8] parameter(0)  ROOT r = f32[8] cosine(x) }
ENTRY e { x = f32[8] parameter(0)  y = f32[8] tanh(x)
  start = f32[8] all-reduce-start(y), to_apply=sum
  done = f32[8] all-reduce-done(start)
  begun = ((f32[8]), f32[8], u32[]) async-start(done), calls=g
  going = ((f32[8]), f32[8], u32[]) async-update(begun)
  ended = f32[8] async-done(going)
  ROOT r = f32[8] negate(x) })",
                                   [](const Module& m) { return Has(m, "tanh"); });
  EXPECT_NE(text.find("tanh"), std::string::npos) << text;
  EXPECT_EQ(text.find("all-reduce"), std::string::npos) << text;
  EXPECT_EQ(text.find("async"), std::string::npos) << text;
}

// A root inside of the call is one of the entry only once it is inlined.
TEST(Reduce, RootsAreTriedAgain) {
  const std::string text = Reduced(R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
f { x = f32[8] parameter(0)  y = f32[8] tanh(x)  z = f32[8] all-reduce(y), to_apply=sum
  ROOT r = f32[8] negate(x) }
ENTRY e { x = f32[8] parameter(0)  ROOT r = f32[8] call(x), to_apply=f })",
                                   [](const Module& m) {
                                     const auto live =
                                         RunPipeline(m, {.passes = {FindPass("dce")}});
                                     return live.ok() && Has(**live, "tanh");
                                   });
  EXPECT_NE(text.find("tanh"), std::string::npos) << text;
  EXPECT_EQ(text.find("all-reduce"), std::string::npos) << text;
}

// The loop goes, what is in it stays; sizes that depend on each other shrink together.
TEST(Reduce, TakesLoopsApartAndShrinksSizes) {
  const std::string text = Reduced(
      R"(HloModule m
below { s = (f32[40,20], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=1
  n = s32[] constant(5)  ROOT r = pred[] compare(i, n), direction=LT }
step { s = (f32[40,20], s32[]) parameter(0)  i = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)  j = s32[] add(i, one)  x = f32[40,20] get-tuple-element(s), index=0
  flat = f32[800] reshape(x)  back = f32[800] reverse(flat), dimensions={0}
  y = f32[40,20] reshape(back)  ROOT r = (f32[40,20], s32[]) tuple(y, j) }
ENTRY e {
  x = f32[40,20] parameter(0)
  zero = s32[] constant(0)
  init = (f32[40,20], s32[]) tuple(x, zero)
  end = (f32[40,20], s32[]) while(init), condition=below, body=step
  ROOT y = f32[40,20] get-tuple-element(end), index=0
})",
      [](const Module& m) {
        return HasPair(m, "reverse", "reshape") && m.entry()->root()->shape().num_elements() > 5;
      });
  EXPECT_EQ(text.find("while"), std::string::npos) << text;
  EXPECT_NE(text.find("reverse"), std::string::npos) << text;
  EXPECT_LT(std::ranges::count(text, '\n'), 14) << text;
  EXPECT_EQ(text.find("40"), std::string::npos) << text;
}

TEST(Reduce, RandomModulesBecomeOneInstruction) {
  int reduced = 0;
  for (std::uint64_t i = 0; i < 300 && reduced < 12; ++i) {
    const auto module = GenerateModule(3, i);
    ASSERT_TRUE(module.ok());
    const auto fails = [](const Module& m) {
      const auto live = RunPipeline(m, {.passes = {FindPass("dce")}});
      return live.ok() && Has(**live, "add") && VerifyModule(m).ok();
    };
    if (!fails(**module)) continue;
    ++reduced;
    const auto small = ReduceModule(**module, fails, {});
    ASSERT_TRUE(small.ok()) << small.status().ToString();
    EXPECT_TRUE(fails(**small));
    // An add in a reducer has the reduction around it.
    EXPECT_LE((*small)->num_instructions(), 14) << i << "\n" << Print(**module) << Print(**small);
  }
  EXPECT_EQ(reduced, 12);
}

TEST(Reduce, RefusesWhatDoesNotFailAndStopsAtTheLimit) {
  const auto module = GenerateModule(3, 1);
  ASSERT_TRUE(module.ok());
  const auto passes = ReduceModule(**module, [](const Module&) { return false; }, {});
  ASSERT_FALSE(passes.ok());
  EXPECT_EQ(passes.status().message(), "reduce: the module does not fail: nothing to reduce");
  int calls = 0;
  const auto limited =
      ReduceModule(**module, [&](const Module&) { return ++calls > 0; }, {.max_attempts = 3});
  EXPECT_TRUE(limited.ok());
  EXPECT_LE(calls, 4);  // once to begin with
}

TEST(Reduce, TheHeadOfAModuleEndsAtTheInstruction) {
  const auto module = Parse(R"(HloModule m
ENTRY e { x = f32[2] parameter(0)  y = f32[2] parameter(1)  a = f32[2] sine(y)  ROOT b = f32[2] add(a, x) })");
  ASSERT_TRUE(module.ok());
  const auto head = ModuleUpTo(**module, *(*module)->entry()->instructions()[2]);
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(Print(*(*head)->entry()->root()), "%a = f32[2]{0} sine(%y)");
  EXPECT_EQ((*head)->num_instructions(), 2);
}

TEST(Isolated, SaysHowItEnded) {
  const IsolatedResult fine = RunIsolated([] { return std::string(100'000, 'x'); }, 60);
  EXPECT_FALSE(fine.crashed || fine.hung);
  EXPECT_EQ(fine.output.size(), 100'000u);
  const IsolatedResult crashed = RunIsolated([] { return raise(SIGKILL), std::string(); }, 60);
  EXPECT_TRUE(crashed.crashed);
  EXPECT_EQ(crashed.signal, SIGKILL);
  const IsolatedResult hung = RunIsolated([] { return pause(), std::string(); }, 0.05);
  EXPECT_TRUE(hung.hung);
  EXPECT_FALSE(hung.crashed);
}

TEST(FuzzRun, CountsEveryModule) {
  FuzzOptions options = {.seed = 9, .first = 100, .count = 41, .jobs = 3};
  options.check.native = false;
  const auto report = RunFuzzer(options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->modules, 41u);
  EXPECT_EQ(report->next, 141u);
  EXPECT_EQ(report->coverage.modules(), 41u);
  EXPECT_TRUE(report->failures.empty());
  std::uint64_t sum = 0;
  for (const std::uint64_t count : report->outcomes) sum += count;
  EXPECT_EQ(sum, 41u);
  EXPECT_EQ(RunFuzzer({}).status().message(),
            "check --random: needs a number of modules or of seconds");
}

TEST(FuzzRun, NamesTheModulesThatAreOverALimit) {
  FuzzOptions options = {.seed = 9, .count = 60};
  options.check.native = false;
  options.check.step_limit = 3;
  const auto report = RunFuzzer(options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_GT(report->over_limit.size(), 0u);
  EXPECT_EQ(report->over_limit.size(), report->Of(Outcome::kOverLimit));
  for (const FuzzFailure& found : report->over_limit) {
    EXPECT_LT(found.index, 60u);
    EXPECT_NE(found.result.message.find("step"), std::string::npos) << found.result.message;
  }
  EXPECT_TRUE(report->failures.empty());
}

}  // namespace
}  // namespace axle
