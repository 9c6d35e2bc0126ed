// Worked examples of XLA's conventions: shapes as text, errors, broadcasting, windows.
#include "axle/builder/index_util.h"
#include "axle/builder/layout_util.h"
#include "tests/builder/worked.h"

namespace axle {
namespace {

TEST(WorkedConventions, ShapesAsText) {
  for (const std::string_view text :
       {"f32[2,3]{1,0}", "s32[]", "(f32[2], (s32[], token[]))", "f32[<=5,3]", "()", "f32[?,3]"}) {
    const auto shape = ParseShape(text);
    ASSERT_TRUE(shape.ok()) << shape.status().message();
    EXPECT_EQ(text.ends_with("}") ? shape->ToStringWithLayout() : shape->ToString(), text);
  }
}

// Row-major: the last dimension is the fastest.
TEST(WorkedConventions, LinearIndex) {
  const Shape shape = *ParseShape("f32[2,3,4]");
  EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(shape, {1, 2, 3}), 1 * 12 + 2 * 4 + 3);
  EXPECT_EQ(LayoutUtil::GetDefaultLayoutForR3().minor_to_major, (Dims{2, 1, 0}));
}

// The shape rules take two floats of different types, the verifier does not; here the builder says
// so at once.
TEST(WorkedConventions, MixedFloats) {
  const std::string text = ShapeOf([](XlaOp x, XlaOp y) { return Add(x, y); }, "f32[2]", "bf16[2]");
  EXPECT_EQ(
      text,
      "INVALID_ARGUMENT: add: mixed precision: operands of f32 and bf16; lhs f32[2], rhs bf16[2]");
  EXPECT_EQ(ShapeOf([](XlaOp x, XlaOp y) { return Dot(x, y); }, "f32[2]", "bf16[2]"), "f32[]");
}

TEST(WorkedConventions, ParameterNumbers) {
  const auto parameter = [](XlaBuilder* b, i64 number) {
    return Parameter(b, number, ShapeUtil::MakeShape(F32, {}), "x");
  };
  XlaBuilder twice("twice");
  parameter(&twice, 0);
  EXPECT_FALSE(parameter(&twice, 0).valid());
  EXPECT_EQ(WithoutPlace(twice.first_error()),
            "INVALID_ARGUMENT: parameter: number 0 is already registered");
  EXPECT_EQ(ResultOf([&](XlaBuilder* b) { return parameter(b, 1); }),
            "INVALID_ARGUMENT: build: computation \"worked\": parameter 0 is missing");
  XlaBuilder gap("gap");
  parameter(&gap, 1);
  EXPECT_FALSE(IsBug(gap.Build().status()));
}

// --- broadcasting -------------------------------------------------------------------------------

const auto kAdd = [](XlaOp x, XlaOp y) { return Add(x, y); };
constexpr std::string_view kRows = "s32[2,3] {{1,2,3},{4,5,6}}";

TEST(WorkedConventions, Broadcasting) {
  EXPECT_EQ(ResultOf([](XlaOp x, XlaOp y) { return Add(x, y, {1}); }, kRows, "s32[3] {7,8,9}"),
            "s32[2,3] {{8,10,12},{11,13,15}}");
  EXPECT_EQ(ResultOf(kAdd, kRows, "s32[] 7"), "s32[2,3] {{8,9,10},{11,12,13}}");
  EXPECT_EQ(ResultOf([](XlaOp x, XlaOp y) { return Add(x, y, {0}); }, "s32[3] {7,8,9}",
                     "s32[3,3] {{0,0,0},{0,0,0},{0,0,0}}"),
            "s32[3,3] {{7,7,7},{8,8,8},{9,9,9}}");
  EXPECT_EQ(ResultOf([](XlaOp x, XlaOp y) { return Add(x, y, {0}); }, "s32[4] {1,2,3,4}",
                     "s32[1,2] {{5,6}}"),
            "s32[4,2] {{6,7},{7,8},{8,9},{9,10}}");
  EXPECT_EQ(ShapeOf(
                [](XlaOp x, XlaOp y) {
                  return Add(x, y, {1, 2});
                },
                "s32[1,2]", "s32[4,3,1]"),
            "s32[4,3,2]");
  EXPECT_EQ(ShapeOf(kAdd, "s32[2,1]", "s32[1,3]"), "s32[2,3]");
  EXPECT_EQ(ShapeOf(kAdd, "s32[0]", "s32[1]"), "s32[0]");
}

TEST(WorkedConventions, BroadcastingRefused) {
  const auto refused = [](const std::string& text) {
    return text.starts_with("INVALID_ARGUMENT: add:");
  };
  EXPECT_TRUE(
      refused(ShapeOf([](XlaOp x, XlaOp y) { return Add(x, y, {0}); }, "s32[3]", "s32[2,3]")));
  EXPECT_TRUE(refused(ShapeOf(kAdd, "s32[3]", "s32[2,3]")));
  EXPECT_TRUE(refused(ShapeOf(
      [](XlaOp x, XlaOp y) {
        return Add(x, y, {1, 0});
      },
      "s32[2,3]", "s32[3,2,4]")));
  EXPECT_TRUE(refused(ShapeOf(kAdd, "s32[7,2,5]", "s32[7,2,6]")));
}

TEST(WorkedConventions, BroadcastingOfDynamicDimensions) {
  EXPECT_EQ(ShapeOf(kAdd, "f32[4]", "f32[<=4]"), "f32[<=4]");
  EXPECT_EQ(ShapeOf(kAdd, "f32[1]", "f32[<=4]"), "f32[<=4]");
}

// --- windows ------------------------------------------------------------------------------------

TEST(WorkedConventions, PaddingOfWindows) {
  using Pairs = std::vector<std::pair<i64, i64>>;
  EXPECT_EQ(MakePadding({5}, {3}, {2}, Padding::kValid), (Pairs{{0, 0}}));
  EXPECT_EQ(MakePadding({5}, {3}, {2}, Padding::kSame), (Pairs{{1, 1}}));
  EXPECT_EQ(MakePadding({3}, {2}, {1}, Padding::kSame), (Pairs{{0, 1}}));  // more of it is high
}

XlaOp Windows(XlaOp x, i64 window, i64 low, i64 high, i64 base = 1, i64 dilation = 1) {
  return ReduceWindowWithGeneralPadding(x, ConstantR0<float>(x.builder(), 0), AddF32(), {window},
                                        {}, {base}, {dilation}, {{low, high}});
}

// floor((1 + DilatedBound(n) + 1 - DilatedBound(window)) / stride) + 1
TEST(WorkedConventions, SizesOfWindows) {
  EXPECT_EQ(ShapeOf([](XlaOp x) { return Windows(x, 3, 1, 1, 2, 2); }, "f32[4]"), "f32[5]");
  EXPECT_EQ(ShapeOf([](XlaOp x) { return Windows(x, 3, 0, 0); }, "f32[2]"), "f32[0]");
  EXPECT_EQ(ShapeOf([](XlaOp x) { return Windows(x, 1, 0, 0, 3); }, "f32[0]"), "f32[0]");
  EXPECT_EQ(ResultOf([](XlaOp x) { return Windows(x, 2, -1, 0); }, "f32[3] {1,2,4}"), "f32[1] {6}");
  EXPECT_TRUE(ShapeOf([](XlaOp x) { return Windows(x, 1, -3, -1); }, "f32[3]")
                  .starts_with("INVALID_ARGUMENT: reduce-window:"));
  EXPECT_TRUE(ShapeOf([](XlaOp x) { return Windows(x, 0, 0, 0); }, "f32[3]")
                  .starts_with("INVALID_ARGUMENT: reduce-window:"));
}

}  // namespace
}  // namespace axle
