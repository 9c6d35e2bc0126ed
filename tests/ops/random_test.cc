// rng: distributions, and that numbers depend on the module, the position and the seed alone.
#include <gtest/gtest.h>

#include <set>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

struct SeededDevice : DeviceContext {
  explicit SeededDevice(std::uint64_t seed) : seed(seed) {}
  std::uint64_t random_seed() const override { return seed; }
  std::uint64_t seed;
};

Literal RunText(const std::string& text, std::uint64_t seed = 0) {
  const auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return {};
  SeededDevice device(seed);
  const auto result = Evaluate(**module, {}, {.device = &device});
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *result : Literal();
}

std::string Sample(std::string_view shape, std::string_view a, std::string_view b,
                   std::string_view distribution = "rng_uniform") {
  const std::string scalar = StrCat(shape.substr(0, shape.find('[')), "[]");
  return StrCat("HloModule m\nENTRY e {\n  a = ", scalar, " constant(", a, ")\n  b = ", scalar,
                " constant(", b, ")\n  ROOT r = ", shape, " rng(a, b), distribution=", distribution,
                "\n}\n");
}

// Mean and mean square of the elements.
template <typename T>
std::pair<double, double> Moments(const Literal& values) {
  double sum = 0, squares = 0;
  for (T x : values.data<T>()) {
    sum += static_cast<double>(x);
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  const auto count = static_cast<double>(values.num_elements());
  return {sum / count, squares / count};
}

TEST(Rng, UniformFloats) {
  const Literal values = RunText(Sample("f32[50001]", "2", "6"));
  for (float x : values.data<float>()) ASSERT_TRUE(x >= 2 && x < 6) << x;
  const auto [mean, square] = Moments<float>(values);
  EXPECT_NEAR(mean, 4, 0.03);
  EXPECT_NEAR(square - mean * mean, 16.0 / 12, 0.03);
  const auto [mean_f64, square_f64] = Moments<double>(RunText(Sample("f64[50000]", "-1", "1")));
  EXPECT_NEAR(mean_f64, 0, 0.02);
  EXPECT_NEAR(square_f64, 1.0 / 3, 0.01);
}

TEST(Rng, UniformIntegersTakeEveryValue) {
  const Literal values = RunText(Sample("s32[10000]", "-3", "4"));
  const std::set<std::int32_t> seen(values.data<std::int32_t>().begin(),
                                    values.data<std::int32_t>().end());
  EXPECT_EQ(seen, (std::set<std::int32_t>{-3, -2, -1, 0, 1, 2, 3}));
  const Literal narrow = RunText(Sample("u4[1000]", "9", "12"));
  const std::set<std::uint8_t> seen_u4(narrow.data<std::uint8_t>().begin(),
                                       narrow.data<std::uint8_t>().end());
  EXPECT_EQ(seen_u4, (std::set<std::uint8_t>{9, 10, 11}));
}

TEST(Rng, NormalFloats) {
  const auto [mean, square] = Moments<float>(RunText(Sample("f32[50001]", "3", "2", "rng_normal")));
  EXPECT_NEAR(mean, 3, 0.05);
  EXPECT_NEAR(square - mean * mean, 4, 0.1);
  const auto [mean_f64, square_f64] =
      Moments<double>(RunText(Sample("f64[9999]", "0", "1", "rng_normal")));
  EXPECT_NEAR(mean_f64, 0, 0.05);
  EXPECT_NEAR(square_f64, 1, 0.05);
}

TEST(Rng, NumbersAreThoseOfTheSeed) {
  const std::string text = Sample("u64[8]", "0", "0");
  EXPECT_EQ(RunText(text), RunText(text));
  EXPECT_EQ(RunText(text, 5), RunText(text, 5));
  EXPECT_FALSE(RunText(text) == RunText(text, 5));
}

TEST(Rng, EveryInstructionAndExecutionHasItsOwn) {
  const Literal results = RunText(R"(HloModule m
body { t = (s32[], u32[4], u32[4]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  last = u32[4] get-tuple-element(t), index=1
  zero = u32[] constant(0)
  fresh = u32[4] rng(zero, zero), distribution=rng_uniform
  ROOT r = (s32[], u32[4], u32[4]) tuple(next, fresh, last) }
condition { t = (s32[], u32[4], u32[4]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  two = s32[] constant(2)
  ROOT r = pred[] compare(i, two), direction=LT }
ENTRY e { i = s32[] constant(0)
  z = u32[4] constant({0, 0, 0, 0})
  t = (s32[], u32[4], u32[4]) tuple(i, z, z)
  zero = u32[] constant(0)
  w = (s32[], u32[4], u32[4]) while(t), condition=condition, body=body
  second = u32[4] get-tuple-element(w), index=1
  first = u32[4] get-tuple-element(w), index=2
  other = u32[4] rng(zero, zero), distribution=rng_uniform
  ROOT r = (u32[4], u32[4], u32[4]) tuple(first, second, other) })");
  ASSERT_EQ(results.elements().size(), 3u);
  EXPECT_FALSE(results.element(0) == results.element(1));
  EXPECT_FALSE(results.element(0) == results.element(2));
  EXPECT_FALSE(results.element(1) == results.element(2));
}

TEST(Rng, StateMovesOnWithinARun) {
  const std::string text = R"(HloModule m
next { ROOT s = u64[2] rng-get-and-update-state(), delta=5 }
ENTRY e { a = u64[2] call(), to_apply=next
  b = u64[2] call(), to_apply=next, control-predecessors={a}
  ROOT r = (u64[2], u64[2]) tuple(a, b) })";
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(RunText(text).ToString(), "( {117515157, 0}, {117515162, 0} )");
  }
}

}  // namespace
}  // namespace axle
