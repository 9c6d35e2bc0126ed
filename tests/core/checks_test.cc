// Misuse of accessors by C++ code: a status where there is one to return, a printed stop elsewhere,
// never memory that is not theirs.
#include <gtest/gtest.h>

#include "axle/builder/literal_util.h"
#include "axle/builder/xla_builder.h"
#include "axle/core/literal.h"
#include "axle/ir/module.h"

namespace axle {
namespace {

Literal Numbers() {
  return LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}});
}

TEST(ChecksDeathTest, ValuesOfAFailedStatusOr) {
  StatusOr<Literal> failed = InvalidArgument("pad: too much of it");
  const char* const kMessage =
      "axle: a StatusOr has no value, ask ok\\(\\) first: INVALID_ARGUMENT: pad: too much of it";
  EXPECT_DEATH((void)*failed, kMessage);
  EXPECT_DEATH((void)failed->shape(), kMessage);
  EXPECT_DEATH((void)failed.value(), kMessage);
  EXPECT_DEATH((void)std::as_const(failed).value(), kMessage);
  EXPECT_DEATH((void)*std::move(failed), kMessage);
  EXPECT_DEATH((void)failed.ConsumeValueOrDie(), kMessage);
}

TEST(Checks, AStatusOrOfAnOkStatusIsAnError) {
  const StatusOr<int> none = Status();
  EXPECT_FALSE(none.ok());
  EXPECT_EQ(none.status().ToString(),
            "INTERNAL: a StatusOr was made of an OK status, which has no value");
}

TEST(ChecksDeathTest, ElementsOfLiterals) {
  Literal literal = Numbers();
  EXPECT_DEATH((void)literal.data<int>(),
               "data<s32> of a literal of f32\\[2,3\\], whose elements are float ");
  EXPECT_DEATH((void)literal.mutable_data<double>(),
               "mutable_data<f64> of a literal of f32\\[2,3\\]");
  EXPECT_DEATH((void)Literal::Tuple({literal}).data<float>(),
               "data<f32> of a literal of \\(f32\\[2,3\\]\\), which is no array ");
  EXPECT_DEATH((void)literal.data<bfloat16>(), "data<bf16> of a literal of f32");
  EXPECT_DEATH((void)literal.Get<float>(Dims{0}),
               "no element \\{0\\} of a literal of f32\\[2,3\\]");
  EXPECT_DEATH((void)literal.Get<float>(Dims{0, 3}), "no element \\{0,3\\}");
  EXPECT_DEATH((void)literal.Get<float>(Dims{-1, 0}), "no element \\{-1,0\\}");
  EXPECT_DEATH(literal.Set<float>(Dims{2, 0}, 1), "no element \\{2,0\\}");
  EXPECT_DEATH(literal.Set<std::int32_t>(Dims{1, 0}, 1), "mutable_data<s32>");
  EXPECT_DEATH((void)literal.element(0), "no element 0 of a literal of f32\\[2,3\\]");
  EXPECT_DEATH((void)Literal::Tuple({literal}).element(-1), "no element -1 of a literal of \\(f32");
  EXPECT_DEATH((void)Literal::Tuple({literal}).at(Dims{0, 0}), "no element 0 of a literal of f32");
  EXPECT_DEATH((void)literal.size(2), "no dimension 2 of f32\\[2,3\\]");
  EXPECT_DEATH(literal.SetSize(0, 3), "dimension 0 of f32\\[2,3\\] cannot have the size 3");
  EXPECT_DEATH(literal.SetSize(0, 1), "cannot have the size 1: it is static");
  literal.SetSize(0, 2);
  Literal dynamic = *ParseLiteral("f32[<=2] {1, 2}");
  EXPECT_DEATH(dynamic.SetSize(0, 3), "dimension 0 of f32\\[<=2\\]\\(2\\) cannot have the size 3");
  EXPECT_EQ(literal.Get<float>(Dims{1, 2}), 6);
}

TEST(ChecksDeathTest, ShapesOfLiterals) {
  const Literal literal = Numbers();
  EXPECT_DEATH((void)literal.WithShape(Shape(F32, {7})),
               "f32\\[2,3\\], which has 24 bytes, cannot be one of f32\\[7\\], which has 28");
  EXPECT_DEATH((void)literal.WithShape(Shape(F32, {1 << 20})), "cannot be one of");
  EXPECT_DEATH((void)literal.WithShape(Shape::Tuple({})), "cannot be one of");
  EXPECT_DEATH((void)literal.Relayout(Layout::RowMajor(3)), "cannot have the layout");
  EXPECT_DEATH((void)Literal(Shape(F32, {-1})), "no literal of such a shape");
  EXPECT_DEATH((void)LiteralUtil::CreateFull<float>({2, -3}, 1), "no literal of such a shape");
  EXPECT_DEATH((void)LiteralUtil::CreateFromDimensions(F32, {INT64_MAX, INT64_MAX}),
               "no literal of such a shape");
  EXPECT_DEATH((void)Literal::View(Shape(F32, {2}), nullptr),
               "View: the data of f32\\[2\\] is null");
  const float one = 1;
  EXPECT_DEATH((void)Literal::Array<float>(F32, {2}, std::span(&one, 1)),
               "f32\\[2\\] is made of 2 values, not of 1");
  EXPECT_DEATH((void)Literal::Scalar<float>(S32, 1), "mutable_data<f32> of a literal of s32");
  const StatusOr<Literal> padded = Literal::Padded(literal, Shape(F32, {1, 3}));
  EXPECT_EQ(padded.status().ToString(),
            "INVALID_ARGUMENT: padded: a literal of f32[2,3] does not fit into f32[1,3]");
  EXPECT_FALSE(Literal::Padded(literal, Shape(F32, {9})).ok());
  EXPECT_FALSE(Literal::Padded(literal, Shape(S32, {2, 3})).ok());
}

TEST(ChecksDeathTest, DimensionsAndElementsOfShapes) {
  Shape shape(F32, {2, 3});
  EXPECT_DEATH((void)shape.dim(2), "there is no dimension 2 of f32\\[2,3\\]");
  EXPECT_DEATH((void)shape.dimensions(-1), "there is no dimension -1 of f32\\[2,3\\]");
  EXPECT_DEATH((void)shape.is_dynamic(5), "no dimension 5");
  EXPECT_DEATH(shape.set_dim(2, 1), "no dimension 2");
  EXPECT_DEATH(shape.set_dynamic(2, true), "no dimension 2");
  EXPECT_DEATH(shape.DeleteDim(2), "no dimension 2");
  EXPECT_DEATH((void)shape.tuple_shapes(0), "there is no element 0 of f32\\[2,3\\]");
  EXPECT_DEATH((void)Shape::Tuple({shape}).element(1),
               "there is no element 1 of \\(f32\\[2,3\\]\\)");
}

TEST(ChecksDeathTest, HandlesWithoutABuilder) {
  EXPECT_DEATH((void)XlaOp().builder(), "an empty handle has no builder");
  EXPECT_EQ(XlaOp().builder_or_null(), nullptr);
  EXPECT_DEATH((void)XlaComputation().module(), "there is no computation");
}

}  // namespace
}  // namespace axle
