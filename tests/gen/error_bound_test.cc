// How far `fast` may be from strict: bounds for small programs by hand, and random modules.
#include "axle/gen/error_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/gen/check.h"
#include "axle/gen/fuzz_run.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The bounds of the f32[1] or pred[1] root of `body`, for x, y and z.
double BoundOf(std::string_view body, float x, float y, float z = 0) {
  const std::string text =
      StrCat("HloModule m ",
             "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) } ",
             "ENTRY e { x = f32[1] parameter(0) y = f32[1] parameter(1) ",
             "z = f32[1] parameter(2) ", body, " }");
  auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  if (!module.ok()) return -1;
  std::vector<Literal> arguments;
  for (const float value : {x, y, z}) {
    arguments.push_back(Literal::Array<float>(F32, {1}, std::vector{value}));
  }
  const auto bounded = WithErrorBounds(**module);
  EXPECT_TRUE(bounded.ok()) << bounded.status().ToString();
  if (!bounded.ok()) return -1;
  const auto result = Evaluate(**bounded, arguments);
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  return result.ok() ? result->element(1).element(0).data<double>()[0] : -1;
}

TEST(ErrorBound, OfSumsAndProducts) {
  constexpr double kUnit = 0x1p-24;
  EXPECT_EQ(BoundOf("ROOT r = f32[1] maximum(x, y)", 1, 2), 0);
  EXPECT_EQ(BoundOf("ROOT r = f32[1] exponential(x)", 1, 2), 0);
  const double product = BoundOf("ROOT r = f32[1] multiply(x, y)", 3, 5);
  EXPECT_GE(product, 15 * kUnit);
  EXPECT_LE(product, 15 * 32 * kUnit);
  // What is left of numbers that cancel has their error.
  const double rest = BoundOf("p = f32[1] multiply(x, y) ROOT r = f32[1] subtract(p, z)", 3, 5, 15);
  EXPECT_GE(rest, 15 * kUnit);
  EXPECT_LE(rest, 15 * 64 * kUnit);
  const double scaled =
      BoundOf("p = f32[1] multiply(x, y) ROOT r = f32[1] multiply(p, z)", 3, 5, 100);
  EXPECT_GE(scaled, 100 * product);
}

// The square of the divisor is beyond the largest number.
TEST(ErrorBound, OfWhatIsDividedByALargeNumber) {
  const double rest = BoundOf(
      "a = f64[1] constant({3}) b = f64[1] constant({0.1}) c = f64[1] constant({0.3}) "
      "large = f64[1] constant({1e200}) p = f64[1] multiply(a, b) d = f64[1] subtract(p, c) "
      "ROOT r = f64[1] divide(d, large)",
      1, 1);
  EXPECT_GE(rest, 0.3 * 0x1p-53 / 1e200);
  EXPECT_LE(rest, 0.3 * 0x1p-47 / 1e200);
}

TEST(ErrorBound, NothingIsKnownWhereAnythingMayHappen) {
  const auto unknown = [](double bound) { return !(bound < kInfinity); };
  EXPECT_TRUE(unknown(BoundOf("ROOT r = f32[1] multiply(x, y)", 1e30f, 1e30f)));
  EXPECT_TRUE(unknown(BoundOf("ROOT r = f32[1] divide(x, y)", 1, 1e-40f)));
  EXPECT_TRUE(unknown(BoundOf("ROOT r = f32[1] multiply(x, y)", NAN, 1)));
  const std::string_view compare =
      "p = f32[1] multiply(x, y) ROOT r = pred[1] compare(p, z), direction=LT";
  EXPECT_TRUE(unknown(BoundOf(compare, 3, 5, 15)));
  EXPECT_EQ(BoundOf(compare, 3, 5, 16), 0);
  EXPECT_TRUE(unknown(BoundOf("p = f32[1] multiply(x, y) ROOT r = s32[1] convert(p)", 3, 5)));
  EXPECT_TRUE(unknown(BoundOf("p = f32[1] multiply(x, y) ROOT r = f32[1] log(p)", 0, 5)));
  EXPECT_FALSE(unknown(BoundOf("p = f32[1] multiply(x, y) ROOT r = f32[1] log(p)", 1, 5)));
  // The least number of f8e8m0fnu may stand for one that is 0 elsewhere, which is a NaN.
  const std::string_view scale = "p = f32[1] multiply(x, y) ROOT r = f8e8m0fnu[1] convert(p)";
  EXPECT_TRUE(unknown(BoundOf(scale, 0.75f, 0x1p-149f)));
  EXPECT_FALSE(unknown(BoundOf(scale, 0.75f, 0x1p-100f)));
  EXPECT_FALSE(unknown(BoundOf("ROOT r = f8e8m0fnu[1] convert(x)", 0x1p-149f, 1)));
}

// Results of known sizes of an operand that has none: formulas on f64 arrays are for others.
TEST(ErrorBound, OfDynamicOperands) {
  const std::string dynamic =
      "n = s32[] constant(1) zero = s32[] constant(0) p = f32[1] multiply(x, y) "
      "d = f32[<=1] set-dimension-size(z, n), dimensions={0} "
      "q = f32[<=1] set-dimension-size(p, n), dimensions={0} init = f32[] constant(0) ";
  EXPECT_EQ(BoundOf(StrCat(dynamic, "ROOT r = f32[1] dynamic-update-slice(d, p, zero)"), 3, 5),
            kInfinity);
  EXPECT_EQ(BoundOf(StrCat(dynamic, "ROOT r = f32[1] dynamic-update-slice(d, y, zero)"), 3, 5), 0);
  for (const auto& [operands, bound] :
       {std::pair("d, init", 0.0), std::pair("q, init", kInfinity)}) {
    const std::string reduce =
        StrCat("s = f32[] reduce(", operands, "), dimensions={0}, to_apply=sum ");
    EXPECT_EQ(BoundOf(StrCat(dynamic, reduce, "ROOT r = f32[1] reshape(s)"), 3, 5), bound)
        << operands;
  }
}

TEST(ErrorBound, WhatIsTooFarAwayIsNamed) {
  const auto literal = [](float a, float b) {
    return Literal::Array<float>(F32, {2}, std::vector{a, b});
  };
  const auto bounded = [&](double a, double b) {
    return Literal::Tuple(
        {literal(1, 2), Literal::Tuple({Literal::Array<double>(F64, {2}, std::vector{a, b})})});
  };
  EXPECT_EQ(CompareWithin(literal(1, 2), bounded(0, 0)).violation, "");
  EXPECT_NE(CompareWithin(literal(1, 3), bounded(0, 0)).violation, "");
  EXPECT_NE(CompareWithin(literal(1, 3), bounded(1, 0)).violation, "");
  EXPECT_EQ(CompareWithin(literal(1.5, 2), bounded(1, 0)).violation, "");
  EXPECT_NE(CompareWithin(literal(1, 3), bounded(0, 0.5)).violation, "");
  EXPECT_NE(CompareWithin(literal(1, NAN), bounded(0, 0.5)).violation, "");
  const BoundedElements found = CompareWithin(literal(7, 3), bounded(kInfinity, 1));
  EXPECT_EQ(found.violation, "");
  EXPECT_EQ(found.unknown, 1);
  EXPECT_EQ(found.within, 1);

  // Of several devices each is compared with its own bounds.
  const auto both = [&](Literal first, Literal second) {
    return Literal::Tuple({std::move(first), std::move(second)});
  };
  const Literal expected = both(bounded(0, 0), bounded(0, 0.5));
  const BoundedElements all = CompareWithin(both(literal(1, 2), literal(1, 2.25)), expected, 2);
  EXPECT_EQ(all.violation, "");
  EXPECT_EQ(all.exact, 3);
  EXPECT_EQ(all.within, 1);
  EXPECT_EQ(CompareWithin(both(literal(1, 2), literal(1, 3)), expected, 2).violation,
            "device 1 element 1: 3 is more than 0.5 from 2");
  EXPECT_NE(CompareWithin(both(literal(1, 2.25), literal(1, 2)), expected, 2).violation, "");
}

#ifdef AXLE_HAS_CODEGEN
// A collective moves and folds exact operands exactly; behind others nothing is known.
TEST(ErrorBound, ModulesOfSeveralDevices) {
  auto parsed = Parse(R"(
    HloModule several, replica_count=2
    add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
    ENTRY e {
      x = f32[64] parameter(0)
      sum = f32[64] all-reduce(x), to_apply=add
      scaled = f32[64] multiply(x, sum)
      near = f32[64] add(scaled, x)
      moved = f32[64] collective-permute(near), source_target_pairs={{0,1},{1,0}}
      ROOT r = (f32[64], f32[64], f32[64]) tuple(sum, near, moved)
    })");
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
  const std::shared_ptr<const Module> module = *std::move(parsed);
  const auto checker = Checker::Create({.numerics = Numerics::kFast, .variants = 1, .repeats = 1});
  ASSERT_TRUE(checker.ok()) << checker.status().ToString();
  const CheckResult result = (*checker)->Check(module);
  EXPECT_EQ(result.outcome, Outcome::kEqual) << result.message;
  EXPECT_EQ(result.elements.exact, 2 * 64 * result.runs);
  // Near an overflow nothing is known of the second either.
  EXPECT_GT(result.elements.within, 64 * result.runs);
  EXPECT_EQ(result.elements.within + result.elements.unknown, 4 * 64 * result.runs);
}

TEST(ErrorBound, RandomModulesStayWithinTheirBounds) {
  const auto report = RunFuzzer({.seed = 20261122,
                                 .count = 60,
                                 .jobs = 2,
                                 .check = {.numerics = Numerics::kFast,
                                           .isas = {NativeIsa::kAvx2, NativeIsa::kAvx512},
                                           .levels = {0, 2},
                                           .variants = 2}});
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  for (const FuzzFailure& failure : report->failures) {
    ADD_FAILURE() << failure.result.message << "\nrepro: axle check --random=1 --numerics fast "
                  << "--isa all --levels 0,2 --seed 20261122 --first " << failure.index;
  }
  EXPECT_TRUE(report->unimplemented.empty());
  EXPECT_GT(report->elements.within, 10'000);
  EXPECT_GT(report->elements.exact, 100'000);
}
#endif

}  // namespace
}  // namespace axle
