// Loops carry what they need.
#include "axle/passes/loops.h"

#include "axle/eval/evaluate.h"
#include "tests/passes/passes_test.h"

namespace axle {
namespace {

// i, x, y, n: the body doubles x, nobody needs y, n is the limit.
constexpr std::string_view kLoop = R"(HloModule m
condition {
  s = (s32[], f32[2], f32[2], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=3
  ROOT less = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[2], f32[2], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1
  y = f32[2] get-tuple-element(s), index=2
  n = s32[] get-tuple-element(s), index=3
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x2 = f32[2] add(x, x)
  y2 = f32[2] sine(y)
  ROOT t = (s32[], f32[2], f32[2], s32[]) tuple(j, x2, y2, n)
}
ENTRY e {
  x = f32[2] parameter(0)
  zero = s32[] constant(0)
  ten = s32[] constant(10)
  init = (s32[], f32[2], f32[2], s32[]) tuple(zero, x, x, ten)
  loop = (s32[], f32[2], f32[2], s32[]) while(init), condition=condition, body=body
  doubled = f32[2] get-tuple-element(loop), index=1
  n = s32[] get-tuple-element(loop), index=3
  ROOT r = (f32[2], s32[]) tuple(doubled, n)
})";

TEST(While, DropsDeadStateAndSinksConstants) {
  EXPECT_EQ(After(kLoop, {"loops", "simplify"}), R"(condition {
  parameter.1 = (s32[], f32[2]{0}) parameter(0)
  get-tuple-element.1 = s32[] get-tuple-element(parameter.1), index=0
  constant.1 = s32[] constant(10)
  ROOT less = pred[] compare(get-tuple-element.1, constant.1), direction=LT
}

body {
  parameter.2 = (s32[], f32[2]{0}) parameter(0)
  get-tuple-element.2 = s32[] get-tuple-element(parameter.2), index=0
  get-tuple-element.3 = f32[2]{0} get-tuple-element(parameter.2), index=1
  one = s32[] constant(1)
  j = s32[] add(get-tuple-element.2, one)
  x2 = f32[2]{0} add(get-tuple-element.3, get-tuple-element.3)
  ROOT tuple.1 = (s32[], f32[2]{0}) tuple(j, x2)
}

ENTRY e {
  x = f32[2]{0} parameter(0)
  zero = s32[] constant(0)
  ten = s32[] constant(10)
  tuple.2 = (s32[], f32[2]{0}) tuple(zero, x)
  while.1 = (s32[], f32[2]{0}) while(tuple.2), condition=condition, body=body
  get-tuple-element.5 = f32[2]{0} get-tuple-element(while.1), index=1
  ROOT r = (f32[2]{0}, s32[]) tuple(get-tuple-element.5, ten)
}
)");
}

StatusOr<Literal> ResultOf(std::string_view text, bool optimized) {
  AXLE_ASSIGN(std::unique_ptr<Module> module, Parse(text));
  if (optimized) {
    AXLE_ASSIGN(module, RunPipeline(*module, {.verify_each = true}));
  }
  const std::vector<Literal> arguments = {*ParseLiteral("f32[2] {0.1, -3}")};
  return Evaluate(*module, arguments);
}

TEST(While, GivesTheSame) {
  const auto before = ResultOf(kLoop, false), after = ResultOf(kLoop, true);
  ASSERT_TRUE(before.ok() && after.ok()) << after.status().ToString();
  EXPECT_EQ(*before, *after);
  EXPECT_EQ(before->ToString(), after->ToString());
}

// w is unchanged: its sine is computed once.
TEST(While, ComputesOutsideWhatIsUnchanged) {
  constexpr std::string_view kText = R"(HloModule m
condition {
  s = (s32[], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT less = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1
  w = f32[2] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  half = f32[] constant(0.5)
  halves = f32[2] constant({0.5, 0.25})
  v = f32[2] sine(w)
  u = f32[2] multiply(v, halves)
  y = f32[2] add(x, u)
  ROOT t = (s32[], f32[2], f32[2]) tuple(j, y, w)
}
ENTRY e {
  x = f32[2] parameter(0)
  zero = s32[] constant(0)
  w = f32[2] cosine(x)
  init = (s32[], f32[2], f32[2]) tuple(zero, x, w)
  loop = (s32[], f32[2], f32[2]) while(init), condition=condition, body=body
  ROOT r = f32[2] get-tuple-element(loop), index=1
})";
  const std::string once = After(kText, {"loops", "simplify"});
  EXPECT_LT(once.find("ENTRY"), once.find("sine(")) << once;
  EXPECT_LT(once.find("ENTRY"), once.find("multiply(")) << once;
  EXPECT_NE(once.find(" = (s32[], f32[2]{0}, f32[2]{0}) while("), std::string::npos) << once;
  EXPECT_EQ(After(once, {"loops"}), once) << "there is more to do";
  const auto before = ResultOf(kText, false), after = ResultOf(kText, true);
  ASSERT_TRUE(before.ok() && after.ok()) << after.status().ToString();
  EXPECT_EQ(*before, *after);
}

struct TripCase {
  std::string_view type, start, step, direction, limit;
  std::optional<i64> count;
};

TEST(While, CountsTrips) {
  const TripCase cases[] = {
      {"s32", "0", "1", "LT", "10", 10},
      {"s32", "0", "3", "LT", "10", 4},
      {"s32", "0", "3", "LE", "9", 4},
      {"s32", "9", "-2", "GT", "0", 5},
      {"s32", "9", "-3", "GE", "0", 4},
      {"s32", "0", "2", "NE", "8", 4},
      {"s32", "0", "3", "NE", "8", {}},  // it wraps around until it meets 8
      {"s32", "8", "3", "NE", "8", 0},
      {"s32", "8", "3", "EQ", "8", 1},
      {"s32", "5", "1", "LT", "5", 0},
      {"s32", "4", "1", "LT", "5", 1},
      {"s32", "0", "0", "LT", "5", {}},
      {"s32", "0", "1", "LE", "2147483647", {}},  // always
      {"s8", "0", "100", "LT", "120", {}},        // 100 + 100 wraps
      {"u8", "250", "5", "LT", "255", 1},
      {"u8", "250", "4", "LT", "255", {}},
      {"u32", "0", "1", "LT", "4294967295", 4294967295},
      {"s64", "0", "1", "LT", "9223372036854775807", {}},
      {"s64", "-5", "1", "LT", "5", 10},
      {"u64", "18446744073709551615", "1", "LT", "3", {}},
  };
  for (const TripCase& c : cases) {
    for (const bool mirrored : {false, true}) {
      const std::string_view opposite = c.direction == "LT"   ? "GT"
                                        : c.direction == "GT" ? "LT"
                                        : c.direction == "LE" ? "GE"
                                        : c.direction == "GE" ? "LE"
                                                              : c.direction;
      const std::string text =
          StrCat("HloModule m\ncondition { s = (", c.type, "[]) parameter(0)  i = ", c.type,
                 "[] get-tuple-element(s), index=0  n = ", c.type, "[] constant(", c.limit,
                 ")  ROOT r = pred[] compare(", mirrored ? "n, i" : "i, n",
                 "), direction=", mirrored ? opposite : c.direction, " }\nbody { s = (", c.type,
                 "[]) parameter(0)  i = ", c.type, "[] get-tuple-element(s), index=0  d = ", c.type,
                 "[] constant(", c.step, ")  j = ", c.type, "[] add(", mirrored ? "d, i" : "i, d",
                 ")  ROOT t = (", c.type, "[]) tuple(j) }\nENTRY e { z = ", c.type, "[] constant(",
                 c.start, ")  s = (", c.type, "[]) tuple(z)  ROOT w = (", c.type,
                 "[]) while(s), condition=condition, body=body }\n");
      SCOPED_TRACE(text);
      const auto module = Parse(text);
      ASSERT_TRUE(module.ok()) << module.status().ToString();
      EXPECT_EQ(TripCount(*(*module)->entry()->root()), c.count);
      if (!c.count || *c.count > 100) continue;
      const auto after = RunPipeline(**module, {.verify_each = true});
      ASSERT_TRUE(after.ok()) << after.status().ToString();
      const auto expected = Evaluate(**module, std::span<const Literal>());
      const auto actual = Evaluate(**after, std::span<const Literal>());
      ASSERT_TRUE(expected.ok() && actual.ok());
      EXPECT_EQ(*expected, *actual);
      EXPECT_EQ(Print(**after).find("while(") == std::string::npos, *c.count <= 1);
    }
  }
}

TEST(While, LeavesEffectsAndAnnotationsAlone) {
  for (const std::string_view change : {"sharding={replicated}", "backend_config=\"b\""}) {
    std::string text(kLoop);
    text.insert(text.find(", body=body\n") + 11, StrCat(", ", change));
    EXPECT_EQ(After(text, {"loops"}), After(text, {"dce"}));
  }
  std::string text(kLoop);
  text.insert(text.find("  ROOT t ="),
              "  k = token[] after-all()\n"
              "  o = token[] outfeed(y, k), outfeed_shape=f32[2]{0}\n");
  EXPECT_EQ(After(text, {"loops"}), After(text, {"dce"}));
}

}  // namespace
}  // namespace axle
