// What is removed and merged, and what is not.
#include "tests/passes/passes_test.h"

namespace axle {
namespace {

TEST(Dce, RemovesWhatNobodyReads) {
  EXPECT_EQ(After(R"(HloModule m
unused { a = f32[] parameter(0)  ROOT n = f32[] negate(a) }
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  dead = f32[2] add(x, y)
  deader = f32[2] map(dead), dimensions={0}, to_apply=unused
  ROOT r = f32[2] negate(x)
})",
                  {"dce"}),
            R"(ENTRY e {
  x = f32[2]{0} parameter(0)
  y = f32[2]{0} parameter(1)
  ROOT r = f32[2]{0} negate(x)
}
)");
}

TEST(Dce, KeepsEffectsAndWhatTheyNeed) {
  const std::string text = R"(effect {
  a = f32[] parameter(0)
  t = token[] after-all()
  sent = token[] outfeed(a, t), outfeed_shape=f32[]
  ROOT same = f32[] copy(a)
}

ENTRY e {
  x = f32[] parameter(0)
  y = f32[] negate(x)
  called = f32[] call(y), to_apply=effect
  first = f32[] cosine(x)
  seed = f32[] rng(x, y), distribution=rng_uniform
  custom = f32[] custom-call(x), custom_call_target="t", custom_call_has_side_effect=true
  ROOT r = f32[] sine(x)
}

)";
  std::string without = text;
  const std::string_view dead = "  first = f32[] cosine(x)\n";
  without.replace(without.find(dead), dead.size(), "");
  EXPECT_EQ(After("HloModule m\n\n" + text, {"dce"}), without);
}

TEST(Dce, KeepsWhatAControlEdgeBeginsAtAndSecondHalves) {
  constexpr std::string_view kText = R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  first = f32[2] cosine(x)
  ROOT r = f32[2] sine(x), control-predecessors={first}
})";
  EXPECT_NE(After(kText, {"dce"}).find("first = "), std::string::npos);
  constexpr std::string_view kHalves = R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[2] parameter(0)
  start = f32[2] all-reduce-start(x), to_apply=sum
  done = f32[2] all-reduce-done(start)
  ROOT r = f32[2] sine(x)
})";
  EXPECT_NE(After(kHalves, {"dce"}).find("done = "), std::string::npos);
}

TEST(Cse, MergesEqualInstructionsAndComputations) {
  EXPECT_EQ(After(R"(HloModule m
sum1 { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
sum2 { c = f32[] parameter(0)  d = f32[] parameter(1)  ROOT t = f32[] add(d, c) }
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  xy = f32[2] add(x, y)
  yx = f32[2] add(y, x)
  zero = f32[] constant(0)
  null = f32[] constant(0)
  minus = f32[] constant(-0.0)
  r1 = f32[] reduce(xy, zero), dimensions={0}, to_apply=sum1
  r2 = f32[] reduce(yx, null), dimensions={0}, to_apply=sum2
  r3 = f32[] reduce(yx, minus), dimensions={0}, to_apply=sum2
  ROOT r = (f32[], f32[], f32[]) tuple(r1, r2, r3)
})",
                  {"cse"}),
            R"(sum1 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY e {
  x = f32[2]{0} parameter(0)
  y = f32[2]{0} parameter(1)
  xy = f32[2]{0} add(x, y)
  zero = f32[] constant(0)
  minus = f32[] constant(-0)
  r1 = f32[] reduce(xy, zero), dimensions={0}, to_apply=sum1
  r3 = f32[] reduce(xy, minus), dimensions={0}, to_apply=sum1
  ROOT r = (f32[], f32[], f32[]) tuple(r1, r1, r3)
}
)");
}

TEST(Cse, LeavesApartWhatDiffersInMoreThanItsName) {
  for (const std::string_view pair : {
           "a = f32[4] sine(x)  b = f32[4] sine(x), sharding={replicated}",
           "a = f32[4] sine(x), sharding={devices=[2]<=[2]}  b = f32[4] sine(x), "
           "sharding={replicated}",
           "a = f32[4] sine(x)  b = f32[4] sine(x), frontend_attributes={k=\"1\"}",
           "a = f32[4] subtract(x, y)  b = f32[4] subtract(y, x)",
           "a = f32[4]{0} sine(x)  b = f32[4] sine(x), control-predecessors={y}",
           "a = f32[4] rng(z, z), distribution=rng_uniform  "
           "b = f32[4] rng(z, z), distribution=rng_uniform",
           "a = f32[4] custom-call(x), custom_call_target=\"t\"  "
           "b = f32[4] custom-call(x), custom_call_target=\"t\"",
           "a = f32[4] opt-barrier(x)  b = f32[4] opt-barrier(x)",
       }) {
    SCOPED_TRACE(pair);
    const std::string after = After(StrCat(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  z = f32[] parameter(2)
)",
                                           pair, "\n  ROOT r = (f32[4], f32[4]) tuple(a, b)\n}"),
                                    {"cse"});
    EXPECT_NE(after.find("tuple(a, b)"), std::string::npos) << after;
  }
}

// Equal but for the root.
TEST(Cse, LeavesComputationsApartThatGiveOtherValues) {
  const std::string after = After(R"(HloModule m
first { a = f32[] parameter(0)  ROOT b = f32[] sine(a)  c = f32[] cosine(a) }
second { a = f32[] parameter(0)  b = f32[] sine(a)  ROOT c = f32[] cosine(a) }
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] call(x), to_apply=first
  z = f32[] call(x), to_apply=second
  ROOT r = (f32[], f32[]) tuple(y, z)
})",
                                  {"cse"});
  EXPECT_NE(after.find("tuple(y, z)"), std::string::npos) << after;
}

TEST(Cse, KeepsConfigIdsAndMetadata) {
  const auto module = Parse(
      R"(HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}}

ENTRY e {
  x = f32[2,3]{0,1} parameter(0)
  dead = f32[2,3]{0,1} sine(x)
  ROOT r = f32[2,3]{0,1} negate(x), metadata={op_name="jit(f)/neg" source_file="a.py" source_line=3}
})");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto after = RunPipeline(**module, {.verify_each = true});
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  EXPECT_EQ((*after)->num_instructions(), 2);
  EXPECT_EQ((*after)->config().input_output_alias, (*module)->config().input_output_alias);
  EXPECT_EQ((*after)->config().entry_computation_layout,
            (*module)->config().entry_computation_layout);
  EXPECT_TRUE((*after)->config().is_scheduled);
  EXPECT_EQ((*after)->entry()->root()->id(), (*module)->entry()->root()->id());
  EXPECT_EQ((*after)->entry()->root()->metadata().op_name, "jit(f)/neg");
  EXPECT_TRUE(Compatible((*after)->entry()->root()->shape(), (*module)->entry()->root()->shape()));
}

TEST(Pipeline, ACancelledTaskEnds) {
  const auto module = Parse("ENTRY e { ROOT x = f32[] parameter(0) }");
  ASSERT_TRUE(module.ok());
  Limits limits;
  limits.Cancel();
  const auto after = RunPipeline(**module, {.limits = &limits});
  EXPECT_EQ(after.status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace axle
