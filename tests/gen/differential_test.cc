// The interpreter against itself behind the passes and against native code, on random modules and
// on all that ever failed.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/gen/check.h"
#include "axle/gen/fuzz_run.h"
#include "axle/gen/generate.h"
#include "axle/gen/nan_bits.h"
#include "axle/ops/op_def.h"
#include "axle/passes/pipeline.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "tests/paths.h"

namespace axle {
namespace {

#ifdef AXLE_HAS_CODEGEN
constexpr bool kHasNative = true;
#else
constexpr bool kHasNative = false;
#endif

// AXLE_SEED in the environment, or always the same.
std::uint64_t Seed() {
  const char* text = std::getenv("AXLE_SEED");
  return text == nullptr ? 20261122 : std::strtoull(text, nullptr, 10);
}

// Checks modules in processes of their own.
FuzzReport CheckMany(const CheckOptions& check, std::uint64_t first, std::uint64_t count) {
  std::printf("AXLE_SEED=%llu\n", static_cast<unsigned long long>(Seed()));
  auto report =
      RunFuzzer({.seed = Seed(), .first = first, .count = count, .jobs = 2, .check = check});
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  if (!report.ok()) return {};
  EXPECT_EQ(report->modules, count);
  for (const FuzzFailure& failure : report->failures) {
    ADD_FAILURE() << OutcomeName(failure.result.outcome) << ": " << failure.result.message
                  << "\nrepro: axle check --random=1 --isa all,aarch64 --levels 0,1,2 --seed "
                  << Seed() << " --first " << failure.index;
  }
  for (int i = 0; i < kNumOutcomes; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    const auto n = static_cast<unsigned long long>(report->Of(outcome));
    if (n > 0) std::printf("  %s: %llu\n", std::string(OutcomeName(outcome)).c_str(), n);
  }
  return *std::move(report);
}

TEST(Differential, PassesKeepEveryBit) {
  const FuzzReport report = CheckMany({.native = false}, 0, 1500);
  EXPECT_GT(report.Of(Outcome::kEqual), 1350u) << "too many modules show nothing";
}

// Random modules are full of what the passes are about; the rarest, complex numbers in parts, is in
// one of some 700.
TEST(Differential, PassesHaveMuchToDo) {
  std::map<std::string_view, i64> changes;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const auto module = GenerateModule(Seed(), i);
    ASSERT_TRUE(module.ok());
    const auto count = [&](const PassReport& report) {
      changes[report.pass->name] += report.changes;
    };
    ASSERT_TRUE(RunPipeline(**module, {.after_each = count}).ok());
  }
  for (const Pass& pass : AllPasses()) {
    if (pass.name == "partition") continue;  // the modules are for one partition
    EXPECT_GT(changes[pass.name], 5) << pass.name;
  }
}

TEST(Differential, NativeCodeGivesTheInterpretersBits) {
  if (!kHasNative) GTEST_SKIP() << "built without LLVM";
  const FuzzReport report =
      CheckMany({.passes = false,
                 .isas = {NativeIsa::kV2, NativeIsa::kAvx2, NativeIsa::kAvx512},
                 .levels = {0, 2},
                 .variants = 2,
                 .repeats = 2,
                 .concurrent = true},
                1500, 100);
  EXPECT_GT(report.Of(Outcome::kEqual), 90u) << "too many modules show nothing";
  EXPECT_EQ(report.Of(Outcome::kUnimplemented), 0u) << "native code lacks an op";
}

// Kernels for AArch64, which run in an emulator; what is around them is this machine's.
TEST(Differential, CodeForAnotherProcessorGivesTheInterpretersBits) {
  if (!kHasNative) GTEST_SKIP() << "built without LLVM";
  const CheckOptions check = {
      .passes = false, .isas = {NativeIsa::kAarch64}, .levels = {0, 1}, .variants = 2};
  const Status can_run = Checker::Create(check).status();
  if (can_run.code() == StatusCode::kFailedPrecondition) GTEST_SKIP() << can_run.message();
  const FuzzReport report = CheckMany(check, 1600, 40);
  EXPECT_GT(report.Of(Outcome::kEqual), 35u) << "too many modules show nothing";
}

// Modules of x = f32[4] that depend on the bits of a NaN where x has one, and on none elsewhere.
constexpr std::string_view kOfNanBits[] = {
    // An order that depends on the NaN of a product.
    "HloModule m less { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] multiply(a, b) "
    "ROOT r = pred[] compare(c, b), direction=LT, type=TOTALORDER } ENTRY e { x = f32[4] "
    "parameter(0)  y = f32[2,2] reshape(x)  ROOT s = f32[2,2] sort(y), dimensions={1}, "
    "to_apply=less }",
    // The same in a function that the comparator calls.
    "HloModule m times { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] "
    "multiply(a, b) } less { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] call(a, "
    "b), to_apply=times  ROOT r = pred[] compare(c, b), direction=LT, type=TOTALORDER } ENTRY e "
    "{ x = f32[4] parameter(0)  y = f32[2,2] reshape(x)  ROOT s = f32[2,2] sort(y), "
    "dimensions={1}, to_apply=less }",
    // What a map computes.
    "HloModule m sign { a = f32[] parameter(0)  b = f32[] multiply(a, a)  ROOT c = s32[] "
    "bitcast-convert(b) } ENTRY e { x = f32[4] parameter(0)  ROOT m = s32[4] map(x), "
    "dimensions={0}, to_apply=sign }",
    // Passes may leave conversions out, and a NaN that signals is handed on then: it is no NaN any
    // more where a bit is taken away, and a quiet one is.
    "HloModule m ENTRY e { x = f32[4] parameter(0)  y = f64[4] convert(x)  z = f32[4] convert(y) "
    "b = u32[4] bitcast-convert(z)  n = u32[] constant(4292870144)  m = u32[4] broadcast(n), "
    "dimensions={}  s = u32[4] add(b, m)  ROOT f = f32[4] bitcast-convert(s) }",
    // Only of a NaN that signals with its lowest bits do the others make an infinity.
    "HloModule m ENTRY e { x = f32[4] parameter(0)  y = f32[4] multiply(x, x)  b = u32[4] "
    "bitcast-convert(y)  n = u32[] constant(4294967280)  m = u32[4] broadcast(n), dimensions={} "
    "a = u32[4] and(b, m)  ROOT f = f32[4] bitcast-convert(a) }",
    // What a reduction computes that folds from the left, also in what it calls.
    "HloModule m bits { x = f32[] parameter(0)  y = f32[] multiply(x, x)  ROOT b = s32[] "
    "bitcast-convert(y) } last { a = s32[] parameter(0)  b = s32[] parameter(1)  x = f32[] "
    "bitcast-convert(b)  ROOT r = s32[] call(x), to_apply=bits } ENTRY e { x = f32[4] "
    "parameter(0)  y = s32[4] bitcast-convert(x)  zero = s32[] constant(0)  ROOT r = s32[] "
    "reduce(y, zero), dimensions={0}, to_apply=last }",
    // The same where the reducer is more than scalar arithmetic (seed 25117809, module 5341).
    "HloModule m last { a = s32[] parameter(0)  b = s32[] parameter(1)  x = f32[] "
    "bitcast-convert(b)  y = f32[] multiply(x, x)  z = f32[] broadcast(y), dimensions={}  ROOT r "
    "= s32[] bitcast-convert(z) } ENTRY e { x = f32[4] parameter(0)  y = s32[4] "
    "bitcast-convert(x)  zero = s32[] constant(0)  ROOT r = s32[] reduce(y, zero), "
    "dimensions={0}, to_apply=last }",
};

TEST(Differential, BitsOfANanAreNoDifference) {
  constexpr std::string_view kText = R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  q = f32[4] divide(x, y)
  r = s32[4] bitcast-convert(q)
  z = c64[4] complex(q, x)
  s = s32[4] bitcast-convert(x)
  ROOT t = (s32[4], c64[4], s32[4]) tuple(r, z, s)
})";
  const auto module = Parse(kText);
  ASSERT_TRUE(module.ok());
  const auto array = [](float a) {
    return Literal::Array<float>(F32, {4}, std::vector{a, 1.f, 2.f, a});
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(DependsOnNanBits(**module, std::vector{array(0), array(0)}));
  EXPECT_FALSE(DependsOnNanBits(**module, std::vector{array(3), array(2)}));
  // Two NaNs that are rarely the same, but may be.
  const auto equal = Parse(
      "HloModule m ENTRY e { x = f32[4] parameter(0)  y = f32[4] multiply(x, x)  ROOT c = pred[4] "
      "compare(x, y), direction=EQ, type=TOTALORDER }");
  ASSERT_TRUE(equal.ok());
  EXPECT_TRUE(DependsOnNanBits(**equal, std::vector{array(nan)}));
  // A NaN that comes from outside has bits that are only moved: those of s, not those of q.
  const auto moved = Parse(
      "HloModule m ENTRY e { x = f32[4] parameter(0)  y = f32[4] reverse(x), "
      "dimensions={0}  ROOT s = s32[4] bitcast-convert(y) }");
  ASSERT_TRUE(moved.ok());
  EXPECT_FALSE(DependsOnNanBits(**moved, std::vector{array(nan)}));
  for (const std::string_view text : kOfNanBits) {
    const auto of_nan_bits = Parse(text);
    ASSERT_TRUE(of_nan_bits.ok()) << text;
    EXPECT_TRUE(DependsOnNanBits(**of_nan_bits, std::vector{array(nan)})) << text;
    EXPECT_FALSE(DependsOnNanBits(**of_nan_bits, std::vector{array(3)})) << text;
  }
  // Sums keep the form by which their order is known.
  const auto summed = Parse(
      "HloModule m sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) "
      "} ENTRY e { x = f32[4] parameter(0)  n = s32[100000] iota(), iota_dimension=0  f = "
      "f32[100000] convert(n)  g = f32[100000] cosine(f)  zero = f32[] constant(0)  s = f32[] "
      "reduce(g, zero), dimensions={0}, to_apply=sum  y = f32[4] broadcast(s), dimensions={}  ROOT "
      "r = f32[4] subtract(x, y) }");
  ASSERT_TRUE(summed.ok());
  EXPECT_FALSE(DependsOnNanBits(**summed, std::vector{array(3)}));
  // Each run may take as many steps as one that is compared.
  const auto looped = Parse(
      "HloModule m less { i = s32[] parameter(0)  n = s32[] constant(20)  ROOT p = pred[] "
      "compare(i, n), direction=LT } next { i = s32[] parameter(0)  one = s32[] constant(1)  ROOT "
      "j = s32[] add(i, one) } ENTRY e { x = f32[4] parameter(0)  zero = s32[] constant(0)  n = "
      "s32[] while(zero), condition=less, body=next  y = f32[4] multiply(x, x)  z = s32[4] "
      "bitcast-convert(y)  ROOT t = (s32[], s32[4]) tuple(n, z) }");
  ASSERT_TRUE(looped.ok());
  const auto few_steps = [](Limits& limits) { limits.set_step_limit(80); };
  EXPECT_TRUE(DependsOnNanBits(**looped, std::vector{array(nan)}, few_steps));
}

// They are evaluated as they are: what is no valid module would read and write beside its arrays.
TEST(Differential, ModulesWithOtherNansAreValid) {
  for (std::uint64_t index = 0; index < 200; ++index) {
    const auto module = GenerateModule(20261126, index);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    for (const std::uint64_t seed : {0, 3, 7}) {
      const Status valid = VerifyModule(*WithNanBits(**module, seed));
      EXPECT_TRUE(valid.ok()) << index << ": " << valid.ToString();
    }
  }
}

// Workers begin anew after 2,000 modules.
TEST(Differential, EveryModuleIsCheckedAlsoByWorkersThatBeganAnew) {
  const FuzzReport report = CheckMany({.passes = false, .native = false, .seeds = 0}, 0, 4050);
  EXPECT_EQ(report.next, 4050u);
}

// The passes make one sort of two equal ones, whose result is then there for longer: there are
// memory limits that are enough for the module as it stands and not for that.
TEST(Differential, ARunThatIsOutOfMemoryIsOverTheLimit) {
  constexpr std::string_view kText = R"(HloModule m
less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
more { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=GT }
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
ENTRY e {
  p = f32[4096] parameter(0)
  zero = f32[] constant(0)
  up = f32[4096] sort(p), dimensions={0}, to_apply=less
  first = f32[] reduce(up, zero), dimensions={0}, to_apply=max
  down = f32[4096] sort(p), dimensions={0}, to_apply=more
  second = f32[] reduce(down, first), dimensions={0}, to_apply=max
  again = f32[4096] sort(p), dimensions={0}, to_apply=less
  ROOT last = f32[] reduce(again, second), dimensions={0}, to_apply=max
})";
  auto parsed = Parse(kText);
  ASSERT_TRUE(parsed.ok());
  const std::shared_ptr<const Module> module = *std::move(parsed);
  int only_passes = 0;
  Outcome last = Outcome::kOverLimit;
  for (i64 cap = 4096; cap <= 64 * 4096; cap += 4096) {
    const auto checker = Checker::Create({.native = false, .seeds = 1, .memory_cap = cap});
    ASSERT_TRUE(checker.ok());
    const CheckResult result = (*checker)->Check(module);
    EXPECT_FALSE(IsFailure(result.outcome)) << result.message;
    const bool is_of_passes = result.message.starts_with("passes: RESOURCE_EXHAUSTED");
    EXPECT_LE(is_of_passes, result.outcome == Outcome::kOverLimit);
    only_passes += is_of_passes;
    last = result.outcome;
  }
  EXPECT_GT(only_passes, 0);
  EXPECT_EQ(last, Outcome::kEqual);
}

// The module as `axle print` writes it, behind the comment that says what the file shows.
std::string_view WithoutHeader(std::string_view text) {
  while (text.starts_with("//")) text.remove_prefix(text.find('\n') + 1);
  return text;
}

// Every module that once gave different bits in two ways to run it. A new one is a file.
TEST(Differential, WhatOnceFailedIsRight) {
  const auto checker =
      Checker::Create({.native = kHasNative,
                       .isas = {NativeIsa::kV2, NativeIsa::kAvx2, NativeIsa::kAvx512},
                       .levels = {0, 1, 2},
                       .seeds = 10,
                       .repeats = 2});
  ASSERT_TRUE(checker.ok()) << checker.status().ToString();
  const auto fast = Checker::Create({.numerics = Numerics::kFast,
                                     .native = kHasNative,
                                     .isas = {NativeIsa::kV2, NativeIsa::kAvx512},
                                     .seeds = 6});
  ASSERT_TRUE(fast.ok()) << fast.status().ToString();
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourceFolder() / "tests/data/found")) {
    SCOPED_TRACE(entry.path().string());
    const auto text = ReadFile(entry.path().string(), i64{1} << 20);
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    auto parsed = Parse(*text);
    ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
    const std::shared_ptr<const Module> module = *std::move(parsed);
    for (const std::string_view field : {"// Shows: ", "// Was wrong: ", "// Fixed in: "}) {
      EXPECT_NE(text->find(field), std::string::npos) << "the header lacks \"" << field << "\"";
    }
    EXPECT_EQ(Print(*module), WithoutHeader(*text)) << "must be as `axle print` writes it";
    for (Checker* const each : {checker->get(), fast->get()}) {
      const CheckResult result = each->Check(module);
      EXPECT_FALSE(IsFailure(result.outcome)) << result.message;
    }
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace axle
