// Which comparators are known to compare one key of each side: sorts by them are many times faster.
#include "axle/ops/lanes/comparator.h"

#include <gtest/gtest.h>

#include "axle/core/strings.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

// Of a comparator with this body on a and b, the sides of operand 1 of two.
std::optional<KeyedComparator> KeyOf(std::string_view type, std::string_view body) {
  const std::string text =
      StrCat("ENTRY e { x = s32[] parameter(0) y = s32[] parameter(1) a = ", type,
             "[] parameter(2) b = ", type, "[] parameter(3) ", body, " }");
  auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  const auto lanes = CompileScalarComputation(*(*module)->entry());
  EXPECT_TRUE(lanes.has_value());
  return FindKey(*lanes);
}

TEST(Comparator, DirectionsAndTypes) {
  for (const std::string type : {"f32", "f64", "bf16", "f16", "s32", "u8", "f8e4m3fn"}) {
    const auto less = KeyOf(type, "ROOT r = pred[] compare(a, b), direction=LT");
    ASSERT_TRUE(less.has_value()) << type;
    EXPECT_EQ(less->operand, 1u);
    EXPECT_FALSE(less->descending || less->or_equal);
    const auto greater = KeyOf(type, "ROOT r = pred[] compare(a, b), direction=GT");
    ASSERT_TRUE(greater.has_value()) << type;
    EXPECT_TRUE(greater->descending);
  }
}

// What is computed from constants alone belongs to both sides and stands between them: the zero of
// a narrow type is widened once.
TEST(Comparator, ZerosAndNaNsMadeEqualAsJaxDoes) {
  for (const std::string t : {"f32", "f64", "bf16", "f16"}) {
    const auto key = KeyOf(
        t, StrCat("n = ", t, "[] constant(nan) z = ", t, "[] constant(0) ",
                  "ne = pred[] compare(a, a), direction=NE eq = pred[] compare(a, z), direction=EQ",
                  " k1 = ", t, "[] select(eq, z, a) k2 = ", t, "[] select(ne, n, k1) ",
                  "nf = pred[] compare(b, b), direction=NE ep = pred[] compare(b, z), direction=EQ",
                  " t1 = ", t, "[] select(ep, z, b) t2 = ", t, "[] select(nf, n, t1) ",
                  "ROOT r = pred[] compare(k2, t2), direction=LT, type=TOTALORDER"));
    ASSERT_TRUE(key.has_value()) << t;
    EXPECT_EQ(key->operand, 1u);
  }
}

TEST(Comparator, WhatOneSideComputesIsAKey) {
  const auto split = [](std::string_view body) {
    auto module = Parse(
        StrCat("ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) a = s32[] parameter(2) "
               "b = s32[] parameter(3) u = f32[] parameter(4) v = f32[] parameter(5) ",
               body, " }"));
    EXPECT_TRUE(module.ok()) << module.status().ToString();
    return Split(*CompileScalarComputation(*(*module)->entry()));
  };
  // Computed alike by both sides, in any order, and used twice.
  const SplitComparator same = split(
      "s = f32[] add(x, u) t = f32[] add(v, y) l = pred[] compare(s, t), direction=LT e = pred[] "
      "compare(t, s), direction=EQ m = pred[] compare(a, b), direction=LT n = pred[] and(e, m) "
      "ROOT "
      "r = pred[] or(l, n)");
  EXPECT_EQ(same.operands, (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(same.keys.outputs.size(), 2u) << same.keys.ToString();
  EXPECT_EQ(same.less.inputs.size(), 4u) << same.less.ToString();
  // Otherwise each side has a key of its own.
  const SplitComparator other =
      split("s = f32[] negate(y) ROOT r = pred[] compare(x, s), direction=LT");
  EXPECT_EQ(other.operands, (std::vector<size_t>{0}));
  EXPECT_EQ(other.keys.outputs.size(), 2u);
  EXPECT_EQ(other.less.inputs.size(), 4u);
  const SplitComparator none = split("ROOT r = pred[] constant(true)");
  EXPECT_TRUE(none.operands.empty() && none.keys.outputs.empty() && none.less.inputs.empty());
}

TEST(Comparator, OtherProgramsHaveNoKey) {
  EXPECT_FALSE(KeyOf("f32", "ROOT r = pred[] compare(a, a), direction=LT"));
  EXPECT_FALSE(KeyOf("s32", "ROOT r = pred[] compare(x, b), direction=LT"));
  EXPECT_FALSE(KeyOf("s32", "ROOT r = pred[] compare(a, b), direction=EQ"));
  EXPECT_FALSE(KeyOf("s32", "n = s32[] negate(b) ROOT r = pred[] compare(a, n), direction=LT"));
}

}  // namespace
}  // namespace axle
