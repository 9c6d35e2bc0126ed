// What Numerics::kFast does, on values where it shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

Literal RunWith(std::string_view text, const std::vector<Literal>& arguments, Numerics numerics,
                bool small = false) {
  const auto client = Client::Create();
  auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  if (!client.ok() || !module.ok()) return {};
  const auto executable = (*client)->Compile(std::shared_ptr<const Module>(*std::move(module)),
                                             {.engine = EngineKind::kNative,
                                              .numerics = numerics,
                                              .debug = {.small_wherever_possible = small}});
  EXPECT_TRUE(executable.ok()) << executable.status().ToString();
  if (!executable.ok()) return {};
  const auto result = (*executable)->Execute(arguments);
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  return result.ok() ? *result : Literal();
}

constexpr i64 kCount = 101;

Literal Drawn(std::uint64_t seed, float low = 0.5f, float high = 2.f) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> draw(low, high);
  std::vector<float> values(kCount);
  for (float& value : values) value = draw(random);
  return Literal::Array<float>(F32, {kCount}, values);
}

// The elements of `text`, which is one of `expression`s on x, y and z, against a function.
template <typename F>
void ExpectElements(std::string_view body, Numerics numerics, bool small, const F& expected) {
  const std::string text = StrCat(
      "HloModule m ENTRY e { x = f32[101] parameter(0) y = f32[101] parameter(1) "
      "z = f32[101] parameter(2) ",
      body, " }");
  SCOPED_TRACE(text);
  const std::vector<Literal> arguments = {Drawn(1), Drawn(2), Drawn(3)};
  const Literal result = RunWith(text, arguments, numerics, small);
  ASSERT_EQ(result.num_elements(), kCount);
  for (size_t i = 0; i < static_cast<size_t>(kCount); ++i) {
    EXPECT_EQ(result.data<float>()[i],
              expected(arguments[0].data<float>()[i], arguments[1].data<float>()[i],
                       arguments[2].data<float>()[i]))
        << i;
  }
}

TEST(Fast, AProductOfOneSumIsNotRounded) {
  const struct {
    std::string_view body;
    float (*fast)(float, float, float);
    float (*strict)(float, float, float);
  } kCases[] = {
      {"p = f32[101] multiply(x, y) ROOT r = f32[101] add(p, z)",
       [](float x, float y, float z) { return std::fma(x, y, z); },
       [](float x, float y, float z) { return x * y + z; }},
      {"p = f32[101] multiply(x, y) ROOT r = f32[101] add(z, p)",
       [](float x, float y, float z) { return std::fma(x, y, z); },
       [](float x, float y, float z) { return x * y + z; }},
      {"p = f32[101] multiply(x, y) ROOT r = f32[101] subtract(p, z)",
       [](float x, float y, float z) { return std::fma(x, y, -z); },
       [](float x, float y, float z) { return x * y - z; }},
      {"p = f32[101] multiply(x, y) ROOT r = f32[101] subtract(z, p)",
       [](float x, float y, float z) { return std::fma(-x, y, z); },
       [](float x, float y, float z) { return z - x * y; }},
      // A product that more than one instruction reads is one value for all of them.
      {"p = f32[101] multiply(x, y) s = f32[101] add(p, z) ROOT r = f32[101] divide(s, p)",
       [](float x, float y, float z) { return (x * y + z) / (x * y); },
       [](float x, float y, float z) { return (x * y + z) / (x * y); }},
  };
  for (const auto& c : kCases) {
    for (const bool small : {false, true}) {
      ExpectElements(c.body, Numerics::kStrict, small, c.strict);
      ExpectElements(c.body, Numerics::kFast, small, c.fast);
    }
  }
}

// Others may read it through views: x - max(x, ...) is never positive.
TEST(Fast, AProductBehindAViewIsOneValueForAll) {
  constexpr std::string_view kText = R"(HloModule m ENTRY e {
  x = f32[101] parameter(0)
  y = f32[101] parameter(1)
  p = f32[101] multiply(x, y)
  r = f32[1,101] reshape(p)
  a = f32[1,101] abs(r)
  m = f32[1,101] maximum(r, a)
  ROOT d = f32[1,101] subtract(r, m)
})";
  const Literal d = RunWith(kText, {Drawn(1), Drawn(2)}, Numerics::kFast);
  for (const float value : d.data<float>()) EXPECT_EQ(value, 0);
}

TEST(Fast, DefinitionsStayAsTheyAre) {
  constexpr std::string_view kText =
      "HloModule m ENTRY e { x = f32[101] parameter(0) y = f32[101] parameter(1) "
      "r = f32[101] rsqrt(y) ROOT p = f32[101] multiply(x, r) }";
  const std::vector<Literal> arguments = {Drawn(1), Drawn(2)};
  EXPECT_TRUE(SameValue(RunWith(kText, arguments, Numerics::kFast),
                        RunWith(kText, arguments, Numerics::kStrict)));
}

TEST(Fast, OneReciprocalForARow) {
  constexpr std::string_view kRow =
      "HloModule m ENTRY e { x = f32[101] parameter(0) s = f32[] parameter(1) "
      "b = f32[101] broadcast(s), dimensions={} ROOT q = f32[101] divide(x, b) }";
  const Literal x = Drawn(1);
  const Literal s = Literal::Scalar<float>(F32, 3.1f);
  const Literal fast = RunWith(kRow, {x, s}, Numerics::kFast);
  const Literal strict = RunWith(kRow, {x, s}, Numerics::kStrict);
  const float reciprocal = 1.f / 3.1f;
  int differ = 0;
  for (size_t i = 0; i < static_cast<size_t>(kCount); ++i) {
    EXPECT_EQ(fast.data<float>()[i], x.data<float>()[i] * reciprocal);
    EXPECT_EQ(strict.data<float>()[i], x.data<float>()[i] / 3.1f);
    differ += fast.data<float>()[i] != strict.data<float>()[i];
  }
  EXPECT_GT(differ, 0);
  // A divisor that divides two values: one reciprocal. One that divides one: a division.
  ExpectElements(
      "a = f32[101] divide(x, z) b = f32[101] divide(y, z) ROOT r = f32[101] maximum(a, b)",
      Numerics::kFast, false,
      [](float x, float y, float z) { return std::max(x * (1 / z), y * (1 / z)); });
  for (const bool small : {false, true}) {
    ExpectElements("ROOT r = f32[101] divide(x, y)", Numerics::kFast, small,
                   [](float x, float y, float) { return x / y; });
  }
}

// 1 + 1/256 is a tie in bf16: adding it twice to 1 shows whether there was a rounding between.
TEST(Fast, NarrowFloatsStayWideFromOneInstructionToTheNext) {
  constexpr std::string_view kSums =
      "HloModule m ENTRY e { x = bf16[4] parameter(0) d = bf16[4] parameter(1) "
      "a = bf16[4] add(x, d) ROOT b = bf16[4] add(a, d) }";
  constexpr std::string_view kThroughF32 =
      "HloModule m ENTRY e { x = f32[4] parameter(0) d = f32[4] parameter(1) "
      "a = f32[4] add(x, d) n = bf16[4] convert(a) w = f32[4] convert(n) "
      "ROOT b = f32[4] add(w, d) }";
  const std::vector<bfloat16> one(4, bfloat16(1)), step(4, bfloat16(0x1p-8));
  const std::vector<Literal> narrow = {Literal::Array<bfloat16>(BF16, {4}, one),
                                       Literal::Array<bfloat16>(BF16, {4}, step)};
  const auto first = [&](std::string_view text, Numerics numerics) {
    return RunWith(text, narrow, numerics).UncheckedData<std::uint16_t>()[0];
  };
  EXPECT_EQ(first(kSums, Numerics::kStrict), 0x3f80);  // each sum rounds to 1
  EXPECT_EQ(first(kSums, Numerics::kFast), 0x3f81);    // 1 + 2^-7
  // Rounding that the program asks for stays.
  const std::vector<float> one32(4, 1.f), step32(4, 0x1p-8f);
  const std::vector<Literal> wide = {Literal::Array<float>(F32, {4}, one32),
                                     Literal::Array<float>(F32, {4}, step32)};
  EXPECT_EQ(RunWith(kThroughF32, wide, Numerics::kFast).data<float>()[0], 1 + 0x1p-8f);
}

// 300 numbers have 16 lanes in the canonical order, and 64 here.
TEST(Fast, SumsTakeTheLanesThatSuit) {
  constexpr std::string_view kText = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[7,300] parameter(0)
  z = f32[] constant(0)
  ROOT s = f32[7] reduce(x, z), dimensions={1}, to_apply=add
})";
  std::mt19937_64 random(7);
  std::uniform_real_distribution<float> draw(-1, 1);
  std::vector<float> values(2100);
  for (float& value : values) value = draw(random);
  const Literal x = Literal::Array<float>(F32, {7, 300}, values);
  const Literal fast = RunWith(kText, {x}, Numerics::kFast);
  const Literal strict = RunWith(kText, {x}, Numerics::kStrict);
  int differ = 0;
  for (size_t row = 0; row < 7; ++row) {
    float lanes[64];
    std::ranges::fill(lanes, -0.f);
    for (size_t k = 0; k < 300; ++k) lanes[k % 64] += values[row * 300 + k];
    for (size_t half = 32; half > 0; half /= 2) {
      for (size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    }
    EXPECT_EQ(fast.data<float>()[row], 0 + lanes[0]);
    differ += fast.data<float>()[row] != strict.data<float>()[row];
  }
  EXPECT_GT(differ, 0);
}

}  // namespace
}  // namespace axle
