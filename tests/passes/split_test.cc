// Reductions of several operands become reductions of what belongs together.
#include "axle/eval/evaluate.h"
#include "tests/passes/passes_test.h"

namespace axle {
namespace {

constexpr std::string_view kSumAndArgmax = R"(HloModule m
mixed { s = f32[] parameter(0)  v = f32[] parameter(1)  i = s32[] parameter(2)
  x = f32[] parameter(3)  w = f32[] parameter(4)  j = s32[] parameter(5)
  gt = pred[] compare(v, w), direction=GE  sum = f32[] add(s, x)
  best = f32[] select(gt, v, w)  at = s32[] select(gt, i, j)
  ROOT r = (f32[], f32[], s32[]) tuple(sum, best, at) }
ENTRY e {
  x = f32[3,1000] parameter(0)
  i = s32[3,1000] iota(), iota_dimension=1
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
  none = s32[] constant(-1)
  ROOT r = (f32[3], f32[3], s32[3]) reduce(x, x, i, zero, low, none), dimensions={1}, to_apply=mixed
})";

TEST(Split, GivesEachGroupAReductionOfItsOwn) {
  EXPECT_EQ(After(kSumAndArgmax, {"split"}), R"(mixed.1 {
  parameter.1 = f32[] parameter(0)
  parameter.2 = f32[] parameter(1)
  ROOT sum.1 = f32[] add(parameter.1, parameter.2)
}

mixed.2 {
  parameter.3 = f32[] parameter(0)
  parameter.4 = s32[] parameter(1)
  parameter.5 = f32[] parameter(2)
  parameter.6 = s32[] parameter(3)
  gt.1 = pred[] compare(parameter.3, parameter.5), direction=GE
  best.1 = f32[] select(gt.1, parameter.3, parameter.5)
  at.1 = s32[] select(gt.1, parameter.4, parameter.6)
  ROOT tuple.1 = (f32[], s32[]) tuple(best.1, at.1)
}

ENTRY e {
  x = f32[3,1000]{1,0} parameter(0)
  i = s32[3,1000]{1,0} iota(), iota_dimension=1
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
  none = s32[] constant(-1)
  reduce.1 = f32[3]{0} reduce(x, zero), dimensions={1}, to_apply=mixed.1
  reduce.2 = (f32[3]{0}, s32[3]{0}) reduce(x, i, low, none), dimensions={1}, to_apply=mixed.2
  get-tuple-element.1 = f32[3]{0} get-tuple-element(reduce.2), index=0
  get-tuple-element.2 = s32[3]{0} get-tuple-element(reduce.2), index=1
  ROOT tuple.2 = (f32[3]{0}, f32[3]{0}, s32[3]{0}) tuple(reduce.1, get-tuple-element.1, get-tuple-element.2)
}
)");
}

TEST(Split, KeepsTheBits) {
  const auto module = *Parse(kSumAndArgmax);
  const auto after = *RunPipeline(*module, {.passes = {FindPass("split")}, .verify_each = true});
  Literal x(Shape(F32, {3, 1000}));
  std::uint32_t state = 1;
  for (float& value : x.mutable_data<float>()) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-20F;
  }
  const auto expected = Evaluate(*module, std::span(&x, 1));
  const auto result = Evaluate(*after, std::span(&x, 1));
  ASSERT_TRUE(expected.ok() && result.ok());
  const auto difference = FirstDifference(*expected, *result);
  EXPECT_FALSE(difference) << difference->ToString();
}

TEST(Split, LeavesTheRest) {
  for (const std::string_view line : {
           // One group, by way of a component between the others.
           "ROOT r = (f32[], f32[], f32[]) reduce(x, x, x, z, z, z), dimensions={0}, "
           "to_apply=chain",
           "ROOT r = (f32[], f32[], f32[]) reduce(d, d, d, z, z, z), dimensions={0}, "
           "to_apply=sums",
           "ROOT r = (f32[], f32[], f32[]) reduce(x, x, x, z, z, z), dimensions={0}, "
           "to_apply=sums, sharding={{replicated}, {replicated}, {replicated}}",
           "ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=sum",
       }) {
    SCOPED_TRACE(line);
    const std::string text = StrCat(R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
chain { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] parameter(2)
  x = f32[] parameter(3)  y = f32[] parameter(4)  z = f32[] parameter(5)
  p = f32[] add(a, y)  q = f32[] add(b, z)  s = f32[] add(c, z)
  ROOT r = (f32[], f32[], f32[]) tuple(p, q, s) }
sums { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] parameter(2)
  x = f32[] parameter(3)  y = f32[] parameter(4)  z = f32[] parameter(5)
  p = f32[] add(a, x)  q = f32[] add(b, y)  s = f32[] add(c, z)
  ROOT r = (f32[], f32[], f32[]) tuple(p, q, s) }
ENTRY e {
  x = f32[40] parameter(0)
  d = f32[<=40] parameter(1)
  z = f32[] constant(0)
  )",
                                    line, "\n}");
    EXPECT_EQ(After(text, {"split", "dce"}), After(text, {"dce"}));
  }
}

TEST(Split, ReducersThatCall) {
  const std::string after = AfterWithSameBits(R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
calling { a = f32[] parameter(0)  b = f32[] parameter(1)  x = f32[] parameter(2)
  y = f32[] parameter(3)  p = f32[] call(a, x), to_apply=sum  q = f32[] maximum(b, y)
  ROOT r = (f32[], f32[]) tuple(p, q) }
ENTRY e {
  x = f32[40] parameter(0)
  z = f32[] constant(0)
  ROOT r = (f32[], f32[]) reduce(x, x, z, z), dimensions={0}, to_apply=calling
})",
                                              "split");
  const size_t first = after.find(" reduce(");
  EXPECT_NE(first, std::string::npos) << after;
  EXPECT_NE(after.find(" reduce(", first + 1), std::string::npos) << after;
}

}  // namespace
}  // namespace axle
