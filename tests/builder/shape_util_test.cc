// ShapeUtil, LayoutUtil, IndexUtil, window_util and primitive_util: XLA's names over core's facts.
#include "axle/builder/shape_util.h"

#include <gtest/gtest.h>

#include "axle/builder/index_util.h"
#include "axle/builder/layout_util.h"
#include "axle/builder/padding.h"
#include "axle/builder/window_util.h"

namespace axle {
namespace {

Shape ShapeOf(std::string_view text) {
  auto shape = ParseShape(text);
  EXPECT_TRUE(shape.ok()) << text;
  return shape.ok() ? *shape : Shape();
}

TEST(ShapeUtil, Makes) {
  EXPECT_EQ(ShapeUtil::MakeShape(F32, {2, 3}).ToString(), "f32[2,3]");
  EXPECT_EQ(ShapeUtil::MakeShape(F32, {2, 3}, {true, false}).ToString(), "f32[<=2,3]");
  EXPECT_EQ(ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}).ToStringWithLayout(),
            "f32[2,3]{0,1}");
  EXPECT_EQ(ShapeUtil::MakeNil().ToString(), "()");
  EXPECT_EQ(ShapeUtil::MakeMaybeTupleShape({Shape(S32)}).ToString(), "s32[]");
  EXPECT_EQ(ShapeUtil::MakeMaybeTupleShape({Shape(S32), Shape::Token()}).ToString(),
            "(s32[], token[])");
  EXPECT_EQ(ShapeUtil::MakeStaticShape(ShapeOf("(f32[<=2], s32[3])")).ToString(),
            "(f32[2], s32[3])");
  EXPECT_EQ(ShapeUtil::MakeShapeWithDescendingLayoutAndSamePhysicalLayout(ShapeOf("f32[2,3]{0,1}"))
                .ToStringWithLayout(),
            "f32[3,2]{1,0}");
  EXPECT_EQ(ShapeUtil::HumanString(ProgramShape{{Shape(F32, {2}), Shape(S32)}, Shape(PRED)}),
            "(p0: f32[2], p1: s32[]) -> pred[]");
}

TEST(ShapeUtil, ValidatesOnRequest) {
  EXPECT_EQ(ShapeUtil::MakeValidatedShape(F32, {2})->ToString(), "f32[2]");
  EXPECT_EQ(ShapeUtil::MakeValidatedShape(F32, {-2}).status().message(),
            "size of dimension 0 is -2, must be >= 0");
  EXPECT_EQ(ShapeUtil::MakeValidatedShape(F32, {2}, {true, false}).status().message(),
            "shape has 1 dimensions but 2 dynamic flags");
}

TEST(ShapeUtil, Compares) {
  const Shape a = ShapeOf("(f32[2,3]{1,0}, s32[])"), b = ShapeOf("(f32[2,3]{0,1}, s32[])");
  EXPECT_FALSE(ShapeUtil::Equal(a, b));
  EXPECT_TRUE(ShapeUtil::EqualIgnoringLayout(a, b));
  EXPECT_TRUE(ShapeUtil::Compatible(a, b));
  EXPECT_TRUE(ShapeUtil::EqualIgnoringElementType(a, ShapeOf("(u8[2,3], f32[])")));
  EXPECT_FALSE(ShapeUtil::EqualIgnoringElementType(a, ShapeOf("(u8[2,3], token[])")));
  EXPECT_TRUE(ShapeUtil::CompatibleIgnoringElementType(b, ShapeOf("(u8[2,3], f32[])")));
  EXPECT_TRUE(ShapeUtil::EqualIgnoringFpPrecision(a, ShapeOf("(f64[2,3], s32[])")));
  EXPECT_FALSE(ShapeUtil::EqualIgnoringFpPrecision(a, ShapeOf("(f64[2,3], s64[])")));
  EXPECT_TRUE(ShapeUtil::EqualStructure(a, ShapeOf("(token[], pred[9])")));
  EXPECT_FALSE(ShapeUtil::EqualStructure(a, ShapeOf("f32[]")));
  EXPECT_TRUE(ShapeUtil::DynamicShapeIsCompatible(ShapeOf("f32[1]"), ShapeOf("f32[<=2]")));
  EXPECT_FALSE(ShapeUtil::DynamicShapeIsCompatible(ShapeOf("f32[3]"), ShapeOf("f32[<=2]")));
  EXPECT_FALSE(ShapeUtil::DynamicShapeIsCompatible(ShapeOf("f32[1]"), ShapeOf("f32[2]")));
}

TEST(ShapeUtil, CountsAndClassifies) {
  const Shape shape = ShapeOf("(f32[2,3], (s32[], f64[1,4]))");
  EXPECT_EQ(ShapeUtil::ElementsInRecursive(shape), 11);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(shape), 24 + 4 + 32);
  EXPECT_EQ(ShapeUtil::ByteSizeOfTupleIndexTable(shape, 8), 16);
  EXPECT_EQ(ShapeUtil::GetLeafCount(shape), 3);
  EXPECT_TRUE(ShapeUtil::IsNestedTuple(shape));
  EXPECT_TRUE(ShapeUtil::HasPrimitiveType(shape, F64));
  EXPECT_FALSE(ShapeUtil::HasPrimitiveType(shape, PRED));
  EXPECT_TRUE(ShapeUtil::IsEffectiveScalar(ShapeOf("f32[1,1]")));
  EXPECT_FALSE(ShapeUtil::IsEffectiveScalar(ShapeOf("f32[0]")));
  EXPECT_TRUE(ShapeUtil::IsZeroElementArray(ShapeOf("f32[3,0]")));
  EXPECT_EQ(ShapeUtil::GetDimension(ShapeOf("f32[2,3]"), -1), 3);
  EXPECT_EQ(ShapeUtil::GetDimension(ShapeOf("f32[2,3]"), 2), -1);
  EXPECT_TRUE(ShapeUtil::ElementIsSigned(ShapeOf("f32[]")));
  EXPECT_TRUE(ShapeUtil::ElementHasBitWidth(ShapeOf("s4[]"), 4));
  EXPECT_EQ(ShapeUtil::HigherPrecisionElementType(ShapeOf("bf16[]"), ShapeOf("f32[]")), F32);
}

TEST(ShapeUtil, WalksTuples) {
  const Shape shape = ShapeOf("(f32[2], (s32[], token[]), ())");
  std::string seen, leaves;
  ShapeUtil::ForEachSubshape(
      shape, [&](const Shape&, const ShapeIndex& index) { seen += index.ToString(); });
  ShapeUtil::ForEachLeafShape(
      shape, [&](const Shape&, const ShapeIndex& index) { leaves += index.ToString(); });
  EXPECT_EQ(seen, "{}{0}{1}{1,0}{1,1}{2}");
  EXPECT_EQ(leaves, "{0}{1,0}{1,1}{2}");
  const Status stopped =
      ShapeUtil::ForEachSubshapeWithStatus(shape, [](const Shape& s, const ShapeIndex& index) {
        return s.type() == S32 ? InvalidArgument(index.ToString()) : Status();
      });
  EXPECT_EQ(stopped.message(), "{1,0}");
  EXPECT_EQ(ShapeUtil::GetSubshape(shape, {1, 0}).ToString(), "s32[]");
  EXPECT_EQ(ShapeUtil::GetTupleElementShape(shape, 0).ToString(), "f32[2]");
  EXPECT_EQ(ShapeUtil::GetTupleElementShape(shape, 3).type(), PRIMITIVE_TYPE_INVALID);
  EXPECT_EQ(ShapeUtil::TryGetSubshape(shape, {0, 0}).status().message(),
            "shape index {0,0} is not in shape (f32[2], (s32[], token[]), ())");
  EXPECT_TRUE(ShapeUtil::IsLeafIndex(shape, {2}));
  EXPECT_FALSE(ShapeUtil::IsLeafIndex(shape, {1}));
  EXPECT_FALSE(ShapeUtil::IndexIsValid(shape, {3}));
  EXPECT_EQ(ShapeUtil::SliceTuple(shape, 1, 2).ToString(), "((s32[], token[]))");
  EXPECT_EQ(ShapeUtil::SliceTuple(shape, 2, 1).type(), PRIMITIVE_TYPE_INVALID);
  ShapeIndex index = {1, 2};
  index.push_front(0);
  EXPECT_EQ(index.ToString(), "{0,1,2}");
}

TEST(ShapeUtil, WalksElements) {
  std::string seen;
  ShapeUtil::ForEachIndex(ShapeOf("f32[2,2]"), [&](ArraySlice<i64> index) {
    seen += LiteralUtil::MultiIndexAsString(index);
    return seen.size() < 15;
  });
  EXPECT_EQ(seen, "{0,0}{0,1}{1,0}");
  i64 count = 0;
  const auto counter = [&](ArraySlice<i64>) { return ++count > 0; };
  ShapeUtil::ForEachIndex(ShapeOf("f32[]"), counter);
  EXPECT_EQ(count, 1);
  ShapeUtil::ForEachIndex(ShapeOf("f32[0,2]"), counter);
  EXPECT_EQ(count, 1);
}

TEST(ShapeUtil, ChangesDimensions) {
  const Shape shape = ShapeOf("f32[2,<=3,4]{0,2,1}");
  EXPECT_EQ(ShapeUtil::DeleteDimension(0, shape).ToStringWithLayout(), "f32[<=3,4]{1,0}");
  EXPECT_EQ(ShapeUtil::DeleteDimensions({1}, shape).ToStringWithLayout(), "f32[2,4]{0,1}");
  EXPECT_EQ(ShapeUtil::DeleteDimension(3, shape).type(), PRIMITIVE_TYPE_INVALID);
  EXPECT_EQ(ShapeUtil::PermuteDimensions({2, 0, 1}, shape).ToStringWithLayout(),
            "f32[4,2,<=3]{1,0,2}");
  EXPECT_EQ(ShapeUtil::PermuteDimensions({0, 0, 1}, shape).type(), PRIMITIVE_TYPE_INVALID);
  EXPECT_EQ(ShapeUtil::DropDegenerateDimensions(ShapeOf("f32[1,2,1]")).ToString(), "f32[2]");
  EXPECT_EQ(ShapeUtil::PrependMajorDimension(5, ShapeOf("f32[2,3]{0,1}")).ToStringWithLayout(),
            "f32[5,2,3]{1,2,0}");
  Shape appended = ShapeOf("f32[2,3]{0,1}");
  ShapeUtil::AppendMajorDimension(5, &appended);
  EXPECT_EQ(appended.ToStringWithLayout(), "f32[2,3,5]{0,1,2}");
  EXPECT_EQ(ShapeUtil::InsertDimensionAtIndex(ShapeOf("f32[2,3]{0,1}"), 1, 5).ToStringWithLayout(),
            "f32[2,5,3]{1,0,2}");
  EXPECT_EQ(ShapeUtil::ChangeElementType(ShapeOf("(f32[2], token[])"), S8).ToString(),
            "(s8[2], token[])");
  Shape updated = ShapeOf("(f32[2], f32[2])");
  ShapeUtil::UpdateDynamicDimension(&updated, {1}, 0, true);
  EXPECT_EQ(updated.ToString(), "(f32[2], f32[<=2])");
}

TEST(ShapeUtil, KnowsBitcasts) {
  const auto reshape = [](std::string_view from, std::string_view to) {
    return ShapeUtil::ReshapeIsBitcast(ShapeOf(from), ShapeOf(to));
  };
  EXPECT_TRUE(reshape("f32[2,3]", "f32[6]"));
  EXPECT_TRUE(reshape("f32[2,3]", "f32[3,1,2]"));
  EXPECT_FALSE(reshape("f32[2,3]{0,1}", "f32[6]"));
  EXPECT_TRUE(reshape("f32[2,3]{0,1}", "f32[2,3]{0,1}"));
  EXPECT_FALSE(reshape("f32[2,3]{0,1}", "f32[3,2]{0,1}"));
  EXPECT_TRUE(reshape("f32[1,6]{0,1}", "f32[6]"));
  EXPECT_TRUE(reshape("f32[4,6]{0,1}", "f32[2,2,6]{1,0,2}"));
  EXPECT_FALSE(reshape("f32[6]", "s32[6]"));
  EXPECT_TRUE(reshape("f32[0,6]", "f32[5,0]{0,1}"));
  const auto transpose = [](std::string_view from, std::string_view to, Dims mapping) {
    return ShapeUtil::TransposeIsBitcast(ShapeOf(from), ShapeOf(to), mapping);
  };
  EXPECT_TRUE(transpose("f32[2,3]{1,0}", "f32[3,2]{0,1}", {1, 0}));
  EXPECT_FALSE(transpose("f32[2,3]{1,0}", "f32[3,2]{1,0}", {1, 0}));
  EXPECT_TRUE(transpose("f32[1,3]{1,0}", "f32[3,1]{1,0}", {1, 0}));
  EXPECT_FALSE(transpose("f32[2,3]{1,0}", "f32[2,3]{1,0}", {0}));
}

TEST(LayoutUtil, MakesAndAsks) {
  const Layout column_major = LayoutUtil::MakeLayout({0, 1});
  EXPECT_EQ(LayoutUtil::HumanString(column_major), "{0,1}");
  EXPECT_EQ(LayoutUtil::MakeLayoutFromMajorToMinor({0, 2, 1}).minor_to_major, (Dims{1, 2, 0}));
  EXPECT_EQ(LayoutUtil::MakeAscendingLayout(2), column_major);
  EXPECT_EQ(LayoutUtil::GetDefaultLayoutForR3().minor_to_major, (Dims{2, 1, 0}));
  EXPECT_TRUE(LayoutUtil::IsMonotonicWithDim0Minor(column_major));
  EXPECT_FALSE(LayoutUtil::IsMonotonicWithDim0Major(column_major));
  EXPECT_EQ(LayoutUtil::Minor(column_major, 0), 0);
  EXPECT_EQ(LayoutUtil::Major(column_major, 0), 1);
  EXPECT_EQ(LayoutUtil::Major(column_major, 2), -1);
  EXPECT_EQ(LayoutUtil::MakeLogicalToPhysical(LayoutUtil::MakeLayout({1, 2, 0})), (Dims{0, 2, 1}));
  EXPECT_EQ(LayoutUtil::ValidateLayoutForShape(column_major, Shape(F32, {2})).message(),
            "layout names 2 dimensions but the shape has rank 1");
  EXPECT_EQ(LayoutUtil::ValidateLayoutForShape(LayoutUtil::MakeLayout({1, 1}), Shape(F32, {2, 3}))
                .message(),
            "layout {1,1} is not a permutation of the dimensions 0..1");
}

TEST(LayoutUtil, CopiesBetweenShapes) {
  const Shape from = ShapeOf("(f32[2,3]{0,1}, s32[])");
  Shape to = ShapeOf("(u8[4,5], pred[])");
  ASSERT_TRUE(LayoutUtil::CopyLayoutBetweenShapes(from, &to).ok());
  EXPECT_EQ(to.ToStringWithLayout(), "(u8[4,5]{0,1}, pred[])");
  EXPECT_TRUE(LayoutUtil::LayoutsInShapesEqual(from, to));
  LayoutUtil::SetToDefaultLayout(&to);
  EXPECT_EQ(to.ToStringWithLayout(), "(u8[4,5]{1,0}, pred[])");
  Shape other = ShapeOf("f32[2]");
  EXPECT_EQ(LayoutUtil::CopyLayoutBetweenShapes(from, &other).message(),
            "copy layout: shapes (f32[2,3], s32[]) and f32[2] have different trees or ranks");
}

TEST(IndexUtil, GoesBothWays) {
  const Shape rows = ShapeOf("f32[2,3]"), columns = ShapeOf("f32[2,3]{0,1}");
  EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(rows, {1, 2}), 5);
  EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(columns, {0, 2}), 4);
  EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(rows, {0, 1}, {0, 2}), 4);
  EXPECT_EQ(IndexUtil::LinearIndexToMultidimensionalIndex(columns, 4), (Dims{0, 2}));
  EXPECT_EQ(IndexUtil::LinearIndexToMultidimensionalIndex(rows, 6), Dims{});
  EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(rows, {2, 0}), -1);
  EXPECT_EQ(IndexUtil::MultidimensionalIndexToLinearIndex(rows, {0}, {0, 2}), -1);
  EXPECT_EQ(IndexUtil::GetDimensionStride(columns, 1), 2);
  Dims index = {0, 2};
  EXPECT_TRUE(IndexUtil::BumpIndices(rows, index));
  EXPECT_EQ(index, (Dims{1, 0}));
  index = {1, 2};
  EXPECT_FALSE(IndexUtil::BumpIndices(rows, index));
  EXPECT_EQ(index, (Dims{0, 0}));
  EXPECT_EQ(IndexUtil::CompareIndices({1, 2}, {1, 3}), -1);
}

TEST(WindowUtil, MakesAndAsks) {
  Window window = window_util::MakeWindow({2, 3}, {2});
  EXPECT_EQ(window_util::ToString(window), "size=2x3 stride=2x1");
  EXPECT_TRUE(window_util::HasStride(window));
  EXPECT_TRUE(window_util::HasOverlappingWindow(window));
  EXPECT_FALSE(window_util::HasPadding(window));
  window[1].pad_low = 1;
  window[0].reversal = true;
  EXPECT_FALSE(window_util::HasSymmetricPadding(window));
  EXPECT_FALSE(window_util::AllOrNoneReversed(window));
  EXPECT_TRUE(window_util::HasSymmetricPadding(window_util::MakeSymmetricPadding({1, 2})));
  EXPECT_TRUE(window_util::IsTrivialWindowDimension(window_util::MakeWindow({1})[0]));
  EXPECT_EQ(window_util::DilatedBound(4, 3), 10);
  EXPECT_EQ(window_util::DilatedBound(0, 3), 0);
  EXPECT_EQ(window_util::DilatedBound(INT64_MAX, 3), INT64_MAX);
  EXPECT_EQ(window_util::StridedBound(10, 3, 2), 4);
  EXPECT_EQ(window_util::StridedBound(2, 3, 1), 0);
  EXPECT_EQ(window_util::StridedBound(INT64_MAX, 0, 1), INT64_MAX);
}

TEST(PrimitiveUtil, Facts) {
  static_assert(primitive_util::NativeToPrimitiveType<bfloat16>() == BF16);
  static_assert(std::is_same_v<primitive_util::NativeTypeOf<S16>, std::int16_t>);
  EXPECT_EQ(primitive_util::BitWidth(S4), 4);
  EXPECT_EQ(primitive_util::BitWidth(PRED), 1);
  EXPECT_EQ(primitive_util::ByteWidth(S4), 1);
  EXPECT_EQ(primitive_util::SignificandWidth(F32), 24);
  EXPECT_EQ(primitive_util::ComplexComponentType(C128), F64);
  EXPECT_EQ(primitive_util::ComplexComponentType(F64), PRIMITIVE_TYPE_INVALID);
  EXPECT_EQ(primitive_util::ComplexType(F32), C64);
  EXPECT_EQ(primitive_util::UnsignedIntegralTypeForBitWidth(16), U16);
  EXPECT_EQ(primitive_util::SignedIntegralTypeForBitWidth(128), PRIMITIVE_TYPE_INVALID);
  EXPECT_EQ(primitive_util::LowercasePrimitiveTypeName(BF16), "bf16");
  EXPECT_EQ(*primitive_util::StringToPrimitiveType("u8"), U8);
  EXPECT_EQ(primitive_util::StringToPrimitiveType("f33").status().message(),
            "no element type is called \"f33\" (did you mean \"f32\"?)");
}

}  // namespace
}  // namespace axle
