// Builder functions of dynamic dimensions.
#include <gtest/gtest.h>

#include "axle/builder/xla_builder.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"

namespace axle {
namespace {

TEST(DynamicBuilder, SetsReadsAndRemovesSizes) {
  XlaBuilder b("dynamic");
  const XlaOp x = Parameter(&b, 0, Shape(S32, {4}), "x");
  const XlaOp n = Parameter(&b, 1, Shape(S32), "n");
  const XlaOp d = SetDimensionSize(x, n, 0);
  EXPECT_EQ(b.GetShape(d)->ToString(), "s32[<=4]");
  const XlaOp whole = RemoveDynamicDimension(d, 0);
  EXPECT_EQ(b.GetShape(whole)->ToString(), "s32[4]");
  const XlaOp reshaped =
      DynamicReshape(d, std::vector<XlaOp>{GetDimensionSize(d, 0), ConstantR0<int>(&b, 1)},
                     Dims{4, 1}, {true, false});
  // Scalars broadcast over dynamic dimensions, and a static size is a constant.
  Tuple(&b,
        std::vector<XlaOp>{d + ConstantR0<int>(&b, 10), whole, reshaped, GetDimensionSize(x, 0)});
  const auto computation = b.Build();
  ASSERT_TRUE(computation.ok()) << computation.status().message();
  const Literal arguments[] = {*ParseLiteral("s32[4] {1, 2, 3, 4}"), *ParseLiteral("s32[] 2")};
  const auto result = Evaluate(computation->module(), arguments);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->ToStringWithShape(),
            "(s32[<=4], s32[4], s32[<=4,1], s32[]) ( (2) {11, 12}, {1, 2, 3, 4}, "
            "(2,1) { {1}, {2} }, 4 )");
}

TEST(DynamicBuilder, Errors) {
  const auto error = [](auto build) {
    XlaBuilder b("errors");
    build(b, Parameter(&b, 0, Shape(F32, {4}), "x"));
    const std::string message = b.first_error().message();
    return message.substr(0, message.find(" at "));
  };
  EXPECT_EQ(error([](XlaBuilder&, XlaOp x) { GetDimensionSize(x, 1); }),
            "get-dimension-size: dimensions has 1, which is not a dimension of rank 1; operand "
            "f32[4]");
  EXPECT_EQ(error([](XlaBuilder&, XlaOp x) { SetDimensionSize(x, x, 0); }),
            "set-dimension-size: size must be s32[], not f32[4]; operand f32[4], size f32[4]");
  EXPECT_EQ(error([](XlaBuilder&, XlaOp x) { RemoveDynamicDimension(x, 7); }),
            "set-dimension-size: dimensions has 7, which is not a dimension of rank 1; operand "
            "f32[4], size s32[]");
  EXPECT_EQ(error([](XlaBuilder& b, XlaOp x) {
              DynamicReshape(x, std::vector<XlaOp>{ConstantR0<int>(&b, 4)}, Dims{4}, {});
            }),
            "dynamic-reshape: there are 1 new_size_bounds but 0 dims_are_dynamic");
}

}  // namespace
}  // namespace axle
