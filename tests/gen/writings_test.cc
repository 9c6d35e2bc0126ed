// Programs in other words give the same bits, and are other words.
#include "axle/gen/writings.h"

#include <gtest/gtest.h>

#include <map>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/gen/generate.h"
#include "axle/gen/inputs.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

constexpr std::string_view kProgram = R"(HloModule m

sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }

ENTRY main {
  x = f32[4,6] parameter(0)
  y = f32[6,4] parameter(1)
  t = f32[4,6] transpose(y), dimensions={1,0}
  p = f32[4,6] multiply(x, t)
  e = f32[4,6] exponential(p)
  n = f32[4,6] negate(e)
  s = f32[4,6] subtract(n, x)
  z = f32[] constant(0)
  ROOT r = f32[4] reduce(s, z), dimensions={1}, to_apply=sum
}
)";

std::unique_ptr<Module> Parsed(std::string_view text) {
  auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  return *std::move(module);
}

std::string TextOf(std::string_view program, Writing writing, std::uint64_t seed = 1) {
  const auto written = Rewritten(*Parsed(program), writing, seed);
  return written.ok() ? Print(**written) : written.status().ToString();
}

TEST(Writings, HaveTheirOwnWords) {
  EXPECT_NE(TextOf(kProgram, Writing::kLayouts).find("{0,1}"), std::string::npos);
  EXPECT_NE(TextOf(kProgram, Writing::kCalls).find(" call("), std::string::npos);
  EXPECT_NE(TextOf(kProgram, Writing::kFusions).find(" fusion("), std::string::npos);
  EXPECT_NE(TextOf(kProgram, Writing::kReshapes).find("f32[24]{0} reshape("), std::string::npos);
  EXPECT_NE(TextOf(kProgram, Writing::kBranch).find(" conditional("), std::string::npos);
  EXPECT_EQ(TextOf(kProgram, Writing::kOptimised).find(" call("), std::string::npos);
  EXPECT_NE(TextOf(kProgram, Writing::kCalls, 1), TextOf(kProgram, Writing::kCalls, 2));
  EXPECT_EQ(TextOf(kProgram, Writing::kCalls, 1), TextOf(kProgram, Writing::kCalls, 1));
}

TEST(Writings, SayWhyThereIsNone) {
  constexpr std::string_view kNothing =
      "HloModule m\n\nENTRY main { ROOT c = f32[] constant(1) }\n";
  EXPECT_EQ(TextOf(kNothing, Writing::kCalls),
            "FAILED_PRECONDITION: calls: nothing in the module to rewrite");
  EXPECT_EQ(TextOf(kNothing, Writing::kBranch),
            "FAILED_PRECONDITION: branch: the entry has no parameters");
  EXPECT_EQ(TextOf("HloModule m\n\nENTRY main { x = f32[2,3]{0,1} parameter(0)  "
                   "ROOT r = f32[3,2]{1,0} bitcast(x) }\n",
                   Writing::kLayouts),
            "FAILED_PRECONDITION: layouts: something in the module means those that it has");
}

// The passes may give another NaN than the program as it stands. What rng draws depends on the
// number of the instruction.
TEST(Writings, GiveTheSameBits) {
  std::map<Writing, int> compared;
  for (std::uint64_t i = 0; i < 300; ++i) {
    SCOPED_TRACE(StrCat("axle gen --seed 1, index ", i));
    const auto module = GenerateModule(1, i);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const std::vector<Literal> arguments = DrawArguments(*(*module)->entry(), i);
    const auto expected = Evaluate(**module, arguments);
    if (!expected.ok() || Print(**module).find(" rng(") != std::string::npos) continue;
    for (const Writing writing : AllWritings()) {
      if (writing == Writing::kOptimised) continue;
      SCOPED_TRACE(WritingName(writing));
      const auto written = Rewritten(**module, writing, i);
      if (written.status().code() == StatusCode::kFailedPrecondition) continue;
      ASSERT_TRUE(written.ok()) << written.status().ToString();
      const auto result = Evaluate(**written, arguments);
      ASSERT_TRUE(result.ok()) << result.status().ToString() << Print(**written);
      ASSERT_TRUE(SameValue(*result, *expected)) << Print(**written);
      ++compared[writing];
    }
  }
  for (const Writing writing : AllWritings()) {
    if (writing == Writing::kOptimised) continue;
    EXPECT_GT(compared[writing], 50) << WritingName(writing);
  }
}

}  // namespace
}  // namespace axle
