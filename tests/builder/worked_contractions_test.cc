// Worked examples of XLA's dots and convolutions.
#include "tests/builder/worked.h"

namespace axle {
namespace {

using O = XlaOp;
using Pairs = std::vector<std::pair<i64, i64>>;

bool Refused(const std::string& text) {
  return text.starts_with("INVALID_ARGUMENT:");
}

// --- dot ----------------------------------------------------------------------------------------

TEST(WorkedContractions, Dot) {
  const auto dot = [](O x, O y) { return Dot(x, y); };
  EXPECT_EQ(ResultOf(dot, "f32[3] {1,2,3}", "f32[3] {4,5,6}"), "f32[] 32");
  EXPECT_EQ(ResultOf(dot, "f32[2,2] {{1,2},{3,4}}", "f32[2] {5,6}"), "f32[2] {17,39}");
  EXPECT_EQ(ResultOf(dot, "f32[2,2] {{1,2},{3,4}}", "f32[2,1] {{5},{6}}"), "f32[2,1] {{17},{39}}");
  EXPECT_EQ(ShapeOf(dot, "f32[4]", "f32[4,5]"), "f32[5]");
  EXPECT_EQ(ShapeOf(dot, "f32[2,3,4]", "f32[3,5,6]"), "f32[2,4,5,6]");
  EXPECT_TRUE(Refused(ShapeOf(dot, "f32[]", "f32[3]")));
}

DotDimensionNumbers Numbers(i64 lhs, i64 rhs) {
  DotDimensionNumbers numbers;
  numbers.add_lhs_contracting_dimensions(lhs);
  numbers.add_rhs_contracting_dimensions(rhs);
  return numbers;
}

TEST(WorkedContractions, DotGeneral) {
  const auto dot = [](const DotDimensionNumbers& numbers) {
    return [numbers](O x, O y) { return DotGeneral(x, y, numbers); };
  };
  EXPECT_EQ(
      ResultOf(dot(Numbers(1, 1)), "f32[2,3] {{1,2,3},{4,5,6}}", "f32[2,3] {{1,1,1},{2,2,2}}"),
      "f32[2,2] {{6,12},{15,30}}");
  DotDimensionNumbers batch = Numbers(2, 1);
  batch.add_lhs_batch_dimensions(0);
  batch.add_rhs_batch_dimensions(0);
  EXPECT_EQ(ResultOf(dot(batch), "f32[2,2,2] {{{1,2},{3,4}},{{5,6},{7,8}}}",
                     "f32[2,2,2] {{{1,0},{0,1}},{{1,0},{0,1}}}"),
            "f32[2,2,2] {{{1,2},{3,4}},{{5,6},{7,8}}}");
  EXPECT_EQ(ShapeOf(dot(batch), "f32[7,2,3]", "f32[7,3,4]"), "f32[7,2,4]");
  DotDimensionNumbers two = Numbers(3, 2);
  for (i64 d : {0, 1}) {
    two.add_lhs_batch_dimensions(d);
    two.add_rhs_batch_dimensions(d);
  }
  EXPECT_EQ(ShapeOf(dot(two), "f32[7,8,2,3]", "f32[7,8,3,4]"), "f32[7,8,2,4]");
  EXPECT_EQ(ResultOf(dot({}), "s32[2] {1,2}", "s32[2] {3,4}"), "s32[2,2] {{3,4},{6,8}}");
  EXPECT_EQ(ResultOf(dot(Numbers(0, 0)), "f32[0] {}", "f32[0] {}"), "f32[] 0");
  EXPECT_EQ(ResultOf(dot(Numbers(0, 0)), "f32[1] {0}", "f32[1] {inf}"), "f32[] nan");
  EXPECT_EQ(ResultOf(dot(Numbers(0, 0)), "pred[2] {1,0}", "pred[2] {1,1}"), "pred[] true");
  EXPECT_TRUE(Refused(ShapeOf(dot(Numbers(1, 0)), "f32[2,3]", "f32[2,3]")));
}

TEST(WorkedContractions, DotToAnotherType) {
  const auto dot = [](O x, O y) { return DotGeneral(x, y, Numbers(0, 0), nullptr, S32); };
  EXPECT_EQ(ResultOf(dot, "s4[2] {7,-8}", "s4[2] {7,-8}"), "s32[] 113");
  EXPECT_EQ(ResultOf([](O x, O y) { return DotGeneral(x, y, Numbers(0, 0)); }, "s8[2] {100,100}",
                     "s8[2] {2,1}"),
            "s8[] 44");
}

// --- convolution --------------------------------------------------------------------------------

constexpr std::string_view kInput = "f32[1,1,5] {{{1,2,3,4,5}}}",
                           kKernel = "f32[1,1,3] {{{10,20,30}}}";

TEST(WorkedContractions, ConvolutionOfOneDimension) {
  const auto conv = [](i64 stride, Padding padding) {
    return [=](O x, O k) { return Conv(x, k, {stride}, padding); };
  };
  EXPECT_EQ(ResultOf(conv(1, Padding::kValid), kInput, kKernel), "f32[1,1,3] {{{140,200,260}}}");
  EXPECT_EQ(ResultOf(conv(1, Padding::kSame), kInput, kKernel),
            "f32[1,1,5] {{{80,140,200,260,140}}}");
  EXPECT_EQ(ResultOf(conv(2, Padding::kSame), kInput, kKernel), "f32[1,1,3] {{{80,200,140}}}");
  const auto dilated = [](Pairs padding, i64 lhs, i64 rhs) {
    return [=](O x, O k) { return ConvWithGeneralPadding(x, k, {1}, padding, {lhs}, {rhs}); };
  };
  EXPECT_EQ(ResultOf(dilated({{0, 0}}, 2, 1), kInput, kKernel),
            "f32[1,1,7] {{{70,40,110,60,150,80,190}}}");
  EXPECT_EQ(ResultOf(dilated({{0, 0}}, 1, 2), kInput, kKernel), "f32[1,1,1] {{{220}}}");
  EXPECT_EQ(ResultOf(dilated({{-1, 0}}, 1, 1), kInput, kKernel), "f32[1,1,2] {{{200,260}}}");
  EXPECT_EQ(ResultOf(conv(3, Padding::kValid), "f32[1,1,11] {{{10,11,12,13,14,15,16,17,18,19,20}}}",
                     "f32[1,1,2] {{{1,100}}}"),
            "f32[1,1,4] {{{1110,1413,1716,2019}}}");
}

TEST(WorkedContractions, PaddingIsLowThenHigh) {
  EXPECT_EQ(ResultOf(
                [](O x, O k) {
                  return ConvWithGeneralPadding(x, k, {1, 1}, Pairs{{0, 0}, {2, 3}});
                },
                "f32[1,1,2,3] {{{{1,2,3},{4,5,6}}}}", "f32[1,1,1,1] {{{{1}}}}"),
            "f32[1,1,2,8] {{{{0,0,1,2,3,0,0,0},{0,0,4,5,6,0,0,0}}}}");
}

// What is not there is not multiplied.
TEST(WorkedContractions, PaddingMeetsNoInfinity) {
  EXPECT_EQ(ResultOf(
                [](O x, O k) {
                  return ConvWithGeneralPadding(x, k, {1}, Pairs{{1, 0}});
                },
                "f32[1,1,1] {{{2}}}", "f32[1,1,2] {{{inf,3}}}"),
            "f32[1,1,1] {{{6}}}");
}

TEST(WorkedContractions, IntegersWrapAround) {
  EXPECT_EQ(ResultOf([](O x, O k) { return Conv(x, k, {1}, Padding::kValid); },
                     "s8[1,1,2] {{{100,100}}}", "s8[1,1,2] {{{1,1}}}"),
            "s8[1,1,1] {{{-56}}}");
}

TEST(WorkedContractions, KernelsAreNotFlipped) {
  const auto conv = [](bool reversed) {
    return [=](O x, O k) {
      return ConvGeneralDilated(x, k, {1}, {}, {}, {}, {"bf0", "oi0", "bf0"}, 1, 1, nullptr, {},
                                {reversed});
    };
  };
  EXPECT_EQ(ResultOf(conv(false), kInput, kKernel), "f32[1,1,3] {{{140,200,260}}}");
  EXPECT_EQ(ResultOf(conv(true), kInput, kKernel), "f32[1,1,3] {{{100,160,220}}}");
}

// Depthwise: each of two channels has filters of its own, [h, in, mult] as [h, 1, in * mult].
TEST(WorkedContractions, Depthwise) {
  EXPECT_EQ(ResultOf(
                [](O x, O k) {
                  return ConvGeneral(x, Reshape(k, {1, 1, 4}), {1}, Pairs{{0, 0}},
                                     {"b0f", "0io", "b0f"}, /*feature_group_count=*/2);
                },
                "f32[1,2,2] {{{1,10},{2,20}}}", "f32[1,2,2] {{{1,2},{3,4}}}"),
            "f32[1,2,4] {{{1,2,30,40},{2,4,60,80}}}");
}

// The first half of the outputs sees the first half of the batch, and so on.
TEST(WorkedContractions, BatchGroups) {
  EXPECT_EQ(
      ResultOf(
          [](O x, O k) { return Conv(x, k, {1}, Padding::kValid, 1, /*batch_group_count=*/2); },
          "f32[2,1,1] {{{3}},{{5}}}", "f32[2,1,1] {{{10}},{{100}}}"),
      "f32[1,2,1] {{{30},{500}}}");
}

TEST(WorkedContractions, ConvolutionRefused) {
  const auto conv = [](O x, O k) { return Conv(x, k, {1}, Padding::kValid); };
  EXPECT_TRUE(Refused(ShapeOf(conv, "f32[1,2,5]", "f32[1,1,3]")));
  EXPECT_TRUE(Refused(ShapeOf(conv, "f32[1,1,5]", "f32[1,1,3,3]")));
  EXPECT_TRUE(Refused(ShapeOf([](O x, O k) { return Conv(x, k, {1}, Padding::kValid, 2, 2); },
                              "f32[2,2,5]", "f32[2,1,3]")));
  EXPECT_EQ(ShapeOf(conv, "f32[1,1,2]", "f32[1,1,3]"), "f32[1,1,0]");
}

}  // namespace
}  // namespace axle
