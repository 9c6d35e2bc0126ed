#include "axle/core/shape.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

#include "axle/core/narrow_types.h"
#include "axle/core/scanner.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

Shape Parse(std::string_view text) {
  auto shape = ParseShape(text);
  EXPECT_TRUE(shape.ok()) << shape.status().ToString();
  return shape.ok() ? *shape : Shape();
}

std::string ErrorLine(std::string_view text) {
  const auto shape = ParseShape(text);
  if (shape.ok()) return "accepted: " + shape->ToStringWithLayout();
  return shape.status().message().substr(0, shape.status().message().find('\n'));
}

TEST(ElementType, NamesAndNumbersGoBothWays) {
  int count = 0;
  for (const ElementTypeInfo& info : kElementTypes) {
    EXPECT_EQ(Info(info.type).text, info.text);
    EXPECT_EQ(ElementTypeFromName(info.text),
              IsArrayType(info.type) ? info.type : PRIMITIVE_TYPE_INVALID)
        << info.text;
    ++count;
  }
  EXPECT_EQ(count, 36);
  EXPECT_EQ(ElementTypeFromName("tuple"), PRIMITIVE_TYPE_INVALID);
  EXPECT_EQ(ElementTypeFromName("F32"), PRIMITIVE_TYPE_INVALID);
  EXPECT_EQ(Name(static_cast<ElementType>(200)), "invalid");
}

TEST(ElementType, StorageHasTheSizeOfTheTable) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!IsArrayType(info.type)) continue;
    DispatchElementType(info.type, [&]<ElementType kType>() {
      EXPECT_EQ(kType, info.type);
      EXPECT_EQ(sizeof(StorageOf<kType>), static_cast<size_t>(info.bytes)) << info.text;
      EXPECT_EQ(alignof(StorageOf<kType>), static_cast<size_t>(info.align)) << info.text;
    });
    DispatchBytes(info.bytes, [&]<typename Bits>() {
      EXPECT_EQ(sizeof(Bits), static_cast<size_t>(info.bytes)) << info.text;
    });
  }
}

TEST(ElementType, FloatFormatsFillTheirBits) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!IsFloating(info.type)) continue;
    EXPECT_EQ(info.format.bits(), info.bits) << info.text;
  }
}

// Text that prints as it is read.
TEST(Shape, PrintsAsItReads) {
  for (std::string_view text : {
           "f32[2,3]{1,0}",
           "f32[2,3]{0,1}",
           "s32[]",
           "pred[0]{0}",
           "f32[<=5,3]{1,0}",
           "bf16[?,3]{1,0}",
           "()",
           "((f32[2]{0}, ()), token[], (pred[], (u8[3]{0})))",
           "opaque[]",
           "b(f32[8]{0})",
           "f32[]{:S(2)}",
           "f32[8,128]{1,0:T(8,128)}",
           "f32[8,128]{1,0:T(8,128)(2,1)}",
           "bf16[4,8,128]{2,1,0:T(*,8,128)S(1)}",
           "u2[8]{0:E(2)}",
           "s4[16]{0:T(8)L(4)#(u32)*(u8)E(4)S(3)SC(0:1,2)(0:5)M(16)}",
           "(s32[], s32[], s32[], s32[], s32[], /*index=5*/s32[], s32[], s32[], s32[], s32[], "
           "/*index=10*/s32[])",
       }) {
    EXPECT_EQ(Parse(text).ToStringWithLayout(), text);
  }
}

TEST(Shape, ReadsOtherSpellings) {
  EXPECT_EQ(Parse(" f32 [ 2 , /*x*/ 3 ] ").ToStringWithLayout(), "f32[2,3]{1,0}");
  EXPECT_EQ(Parse("opaque_type[]"), Shape::Opaque());
  // Storage levels of sparse arrays are read and dropped.
  EXPECT_EQ(Parse("f32[4,4]{1,0:D(D,C+~)}").ToStringWithLayout(), "f32[4,4]{1,0}");
  EXPECT_EQ(Parse("f32[4]{0:L(1)E(0)S(0)}"), Shape(F32, {4}));
}

TEST(Shape, EveryElementTypeReads) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!IsArrayType(info.type)) continue;
    EXPECT_EQ(Parse(StrCat(info.text, "[2]")).type(), info.type);
  }
}

TEST(Shape, MessagesLeaveLayoutsOut) {
  EXPECT_EQ(Parse("(f32[<=2,3]{0,1}, b(s8[2]{0:S(1)}))").ToString(), "(f32[<=2,3], b(s8[2]))");
}

TEST(Shape, BraceThatIsNoLayoutIsLeftAlone) {
  const struct {
    std::string_view text, rest;
  } kCases[] = {
      {"f32[3] {1, 2, 3}", "{1, 2, 3}"},  // a literal
      {"f32[3]{a = b}", "{a = b}"},       // a computation
      {"f32[] { ROOT", "{ ROOT"},           {"f32[3]{{1}", "{{1}"}, {"f32[3]{}", "{}"},
      {"f32[3]{0} {1, 2, 3}", "{1, 2, 3}"},
  };
  for (const auto& test : kCases) {
    Scanner scanner(test.text);
    ASSERT_TRUE(ParseShape(scanner).ok()) << test.text;
    EXPECT_TRUE(scanner.Peek(test.rest)) << test.text;
  }
}

TEST(Shape, ErrorsNamePositionAndReason) {
  const struct {
    std::string_view text, error;
  } kCases[] = {
      {"", "shape 1:1: expected a shape before the end of the text"},
      {"f23[2]", "shape 1:1: unknown element type \"f23\" (did you mean \"f32\"?)"},
      {"banana[2]", "shape 1:1: unknown element type \"banana\""},
      {"tuple[]", "shape 1:1: unknown element type \"tuple\""},
      {"f32", "shape 1:4: expected '[' before the end of the text"},
      {"f32[2", "shape 1:6: expected ',' before the end of the text"},
      {"f32[2,]", "shape 1:7: expected an integer"},
      {"f32[2 3]", "shape 1:7: expected ','"},
      {"f32[-1]", "shape 1:5: dimension size -1 must be >= 0"},
      {"f32[<=?]", "shape 1:7: expected an integer"},
      {"f32[<=-2]", "shape 1:7: dimension size -2 must be >= 0"},
      {"f32[9223372036854775808]", "shape 1:5: integer does not fit into 64 bits"},
      {" f32[4294967296,4294967296]",
       "shape 1:2: shape f32[4294967296,4294967296] has too many elements"},
      {"pred[0,9223372036854775807]",
       "shape 1:1: shape pred[0,9223372036854775807] has too many elements"},
      {"token[2]", "shape 1:1: token has no dimensions, got 1"},
      {"(f32[2]", "shape 1:8: expected ',' before the end of the text"},
      {"(f32[2] s32[])", "shape 1:9: expected ','"},
      {"(,)", "shape 1:2: expected a shape"},
      {"f32[2]{0}x", "shape 1:10: unexpected text after the shape"},
      {"b(token[])", "shape 1:1: buffer shape must hold one array"},
      {"b(b(f32[2]))", "shape 1:1: buffer shape must hold one array"},
      {"f32[2,3]{0}", "shape 1:9: layout names 1 dimensions but the shape has rank 2"},
      {"f32[2,3]{1,1}", "shape 1:9: layout {1,1} is not a permutation of the dimensions 0..1"},
      {"f32[2,3]{2,0}", "shape 1:9: layout {2,0} is not a permutation of the dimensions 0..1"},
      {"f32[2]{:S(1)}", "shape 1:7: layout names 0 dimensions but the shape has rank 1"},
      {"f32[2]{0,}", "shape 1:10: expected an integer"},
      {"f32[2]{0:T(8}", "shape 1:13: expected ')'"},
      {"f32[2]{0:T(-8)}", "shape 1:12: tile size must be >= 0"},
      {"f32[2]{0:T()}", "shape 1:12: expected an integer"},
      {"f32[2]{0:E(-1)}", "shape 1:12: must be >= 0"},
      {"f32[2]{0:S(1)T(8)}", "shape 1:14: expected '}'"},
      {"f32[2]{0:#(s32)}", "shape 1:12: must be an unsigned integer type"},
      {"f32[2]{0:D(X)}", "shape 1:12: expected a dimension level: D, C, S or H"},
      {"f32[2]{0:SC(1:2)}", "shape 1:13: no such dimension"},
      {"f32[2]{0:P(f32[2])}", "shape 1:10: physical shapes are not supported in array layouts"},
  };
  for (const auto& test : kCases) EXPECT_EQ(ErrorLine(test.text), test.error) << test.text;
}

TEST(Shape, DeepAndWideTextIsRefusedQuickly) {
  EXPECT_EQ(ErrorLine(std::string(1000000, '(')),
            "shape 1:101: tuples are nested more than 100 deep");
  std::string buffers;
  for (int i = 0; i < 100000; ++i) buffers += "b(";
  EXPECT_EQ(ErrorLine(buffers), "shape 1:258: nested too deeply");
  std::string ones = "f32[1";
  for (int i = 0; i < 1000000; ++i) ones += ",1";
  EXPECT_EQ(ErrorLine(ones), "shape 1:517: more than 256 dimensions");
  const std::string hundred = std::string(100, '(') + std::string(100, ')');
  EXPECT_EQ(Parse(hundred).ToString(), hundred);
}

Shape RandomShape(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % n); };
  if (depth < 4 && pick(3) == 0) {
    Shape tuple;
    for (int i = pick(13); i > 0; --i) tuple.AddElement(RandomShape(random, depth + 1));
    return tuple;
  }
  switch (pick(12)) {
    case 0:
      return Shape::Token();
    case 1:
      return Shape::Opaque();
    case 2:
      return Shape::Buffer(Shape(F32, {3}));
    default:
      break;
  }
  Shape shape(kElementTypes[pick(32)].type);
  for (int d = pick(5); d > 0; --d) shape.AppendDim(pick(9), pick(4) == 0);
  Layout layout = Layout::RowMajor(shape.rank());
  std::shuffle(layout.minor_to_major.begin(), layout.minor_to_major.end(), random);
  if (pick(3) == 0) layout.tiles = {{8, 128}, {2, Layout::kCombineTileDim}};
  if (pick(5) == 0) layout.memory_space = pick(4);
  if (pick(5) == 0) layout.element_size_in_bits = 4;
  if (pick(5) == 0) layout.tail_padding_alignment = 16;
  if (pick(9) == 0) layout.index_type = U32;
  if (pick(9) == 0) layout.pointer_type = U8;
  if (pick(9) == 0) layout.dynamic_shape_metadata_prefix_bytes = 64;
  if (pick(9) == 0 && shape.rank() > 0) layout.split_configs = {{0, {1, 2}}, {0, {7}}};
  if (pick(2) == 0) shape.set_layout(layout);
  return shape;
}

TEST(Shape, RandomShapesRoundTripThroughText) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    const Shape shape = RandomShape(random, 0);
    ASSERT_TRUE(CheckShape(shape).ok());
    const std::string text = shape.ToStringWithLayout();
    const Shape again = Parse(text);
    ASSERT_EQ(again, shape) << text;
    ASSERT_EQ(again.Hash(), shape.Hash());
    ASSERT_EQ(again.ToStringWithLayout(), text);
    ASSERT_TRUE(Compatible(Parse(shape.ToString()), shape));
  }
}

TEST(Shape, EqualitySeesTypeSizesFlagsAndLayout) {
  const Shape shape = Parse("(f32[2,3], s32[])");
  const Shape others[] = {
      Parse("(f32[2,3]{0,1}, s32[])"),   Parse("(f32[<=2,3], s32[])"),
      Parse("(f32[2,4], s32[])"),        Parse("(bf16[2,3], s32[])"),
      Parse("(f32[2,3], s32[], s32[])"), Parse("(f32[2,3]{1,0:S(1)}, s32[])"),
      Parse("((f32[2,3]), s32[])"),      Parse("f32[2,3]"),
  };
  std::set<size_t> hashes = {shape.Hash()};
  for (const Shape& other : others) {
    EXPECT_NE(shape, other);
    hashes.insert(other.Hash());
  }
  EXPECT_EQ(hashes.size(), 1 + std::size(others));
  // A row-major layout that is spelled out says nothing.
  EXPECT_EQ(shape, Parse("(f32[2,3]{1,0}, s32[])"));
}

TEST(Shape, CompatibleIgnoresLayoutsAndDynamicFlags) {
  EXPECT_TRUE(Compatible(Parse("(f32[<=2,3]{0,1})"), Parse("(f32[2,3])")));
  EXPECT_FALSE(Compatible(Parse("f32[2,3]"), Parse("bf16[2,3]")));
  EXPECT_FALSE(Compatible(Parse("f32[2,3]"), Parse("f32[3,2]")));
  EXPECT_FALSE(Compatible(Parse("f32[]"), Parse("(f32[])")));
  EXPECT_FALSE(Compatible(Parse("token[]"), Parse("opaque[]")));
  EXPECT_FALSE(Compatible(Parse("(f32[])"), Parse("(f32[], f32[])")));
  EXPECT_TRUE(CompatibleIgnoringFpPrecision(Parse("(f32[2], s32[])"), Parse("(bf16[2], s32[])")));
  EXPECT_FALSE(CompatibleIgnoringFpPrecision(Parse("f32[2]"), Parse("s32[2]")));
  EXPECT_FALSE(CompatibleIgnoringFpPrecision(Parse("f32[2]"), Parse("c64[2]")));
  EXPECT_TRUE(EqualIgnoringLayout(Parse("f32[<=2,3]{0,1}"), Parse("f32[<=2,3]")));
  EXPECT_FALSE(EqualIgnoringLayout(Parse("f32[<=2,3]"), Parse("f32[2,3]")));
}

TEST(Shape, HigherPrecisionOrdersByRangeThenSignificand) {
  EXPECT_EQ(HigherPrecision(F32, BF16), F32);
  EXPECT_EQ(HigherPrecision(F16, BF16), BF16);
  EXPECT_EQ(HigherPrecision(F8E4M3FN, F8E5M2), F8E5M2);
  EXPECT_EQ(HigherPrecision(F8E4M3, F8E4M3FN), F8E4M3FN);
  EXPECT_EQ(HigherPrecision(F64, C64), C64);
  EXPECT_EQ(HigherPrecision(C64, C128), C128);
  EXPECT_EQ(HigherPrecision(F16, F16), F16);
}

TEST(Shape, CountsElementsAndBytes) {
  EXPECT_EQ(Parse("f32[]").num_elements(), 1);
  EXPECT_EQ(Parse("f32[2,0,3]").num_elements(), 0);
  EXPECT_EQ(Parse("f32[<=5,3]").num_elements(), 15);
  EXPECT_EQ(Parse("f32[?,3]").num_elements(), std::numeric_limits<i64>::max());
  EXPECT_EQ(Parse("(f32[2,3], (c128[2], token[]), s4[5])").num_bytes(), 24 + 32 + 5);
  EXPECT_EQ(Shape(F32, {i64{1} << 40, i64{1} << 40}).num_elements(),
            std::numeric_limits<i64>::max());
  EXPECT_EQ(Shape(F32, {i64{1} << 40, i64{1} << 40, 0}).num_elements(), 0);
}

TEST(Shape, CheckShapeRefusesWhatDoesNotFit) {
  EXPECT_EQ(CheckShape(Shape(F32, {-1})).message(), "size of dimension 0 is -1, must be >= 0");
  EXPECT_EQ(CheckShape(Shape(F32, {kUnboundedSize})).message(),
            "size of dimension 0 is -9223372036854775808, must be >= 0");
  EXPECT_EQ(CheckShape(Shape(F32, {INT64_MAX, 2})).message(),
            "shape f32[9223372036854775807,2] has too many elements");
  EXPECT_EQ(CheckShape(Shape(F32, {i64{1} << 60})).message(),
            "shape f32[1152921504606846976] has too many elements");
  EXPECT_EQ(CheckShape(Shape(PRIMITIVE_TYPE_INVALID)).message(), "shape has no element type");
  EXPECT_EQ(CheckShape(Shape(TOKEN, {2})).message(), "token has no dimensions, got 1");
  EXPECT_EQ(CheckShape(Shape(F32, Dims(257, 1))).message(),
            "shape has 257 dimensions, more than 256");
  const Shape large(U8, {i64{1} << 58});
  EXPECT_TRUE(CheckShape(large).ok());
  EXPECT_EQ(CheckShape(Shape::Tuple(std::vector<Shape>(64, large))).message(),
            "tuple shape has too many elements");
}

TEST(Shape, DimensionsAreAddedAndRemovedWithTheirFlags) {
  Shape shape = Parse("f32[2,<=3,4]{0,1,2}");
  shape.DeleteDim(0);
  EXPECT_EQ(shape.ToStringWithLayout(), "f32[<=3,4]{1,0}");
  shape.AppendDim(5, true);
  EXPECT_EQ(shape.ToString(), "f32[<=3,4,<=5]");
  shape.set_dynamic(0, false);
  shape.DeleteDim(2);
  EXPECT_EQ(shape, Shape(F32, {3, 4}));
  EXPECT_TRUE(shape.is_static());
  EXPECT_FALSE(Parse("(s32[], (f32[<=3]))").is_static());
}

TEST(Shape, WithoutLayoutAndWithTypeKeepTheRest) {
  const Shape shape = Parse("(f32[<=2,3]{0,1}, s32[4]{0:S(1)})");
  EXPECT_EQ(shape.WithoutLayout().ToStringWithLayout(), "(f32[<=2,3]{1,0}, s32[4]{0})");
  EXPECT_EQ(shape.element(0).WithType(PRED).ToStringWithLayout(), "pred[<=2,3]{0,1}");
}

TEST(Shape, StridesFollowTheLayout) {
  EXPECT_EQ(RowMajorStrides({2, 3, 4}), (Dims{12, 4, 1}));
  EXPECT_EQ(RowMajorStrides({}), Dims{});
  EXPECT_EQ(LayoutStrides(Parse("f32[2,3,4]{0,2,1}")), (Dims{1, 8, 2}));
  EXPECT_EQ(RowMajorOffsets({2, 2}, {10, 1}), (Dims{0, 1, 10, 11}));
  EXPECT_EQ(RowMajorOffsets({}, {}), (Dims{0}));
  EXPECT_EQ(RowMajorOffsets({2, 0}, {10, 1}), Dims{});
  EXPECT_EQ(RowMajorOffsets({i64{1} << 40, 0}, {1, 1}), Dims{});
}

TEST(Shape, CheckedArithmeticSeesOverflow) {
  EXPECT_EQ(CheckedMul(i64{1} << 31, i64{1} << 31), i64{1} << 62);
  EXPECT_EQ(CheckedMul(i64{1} << 32, i64{1} << 31), std::nullopt);
  EXPECT_EQ(CheckedAdd(INT64_MAX, 0), INT64_MAX);
  EXPECT_EQ(CheckedAdd(INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(CheckedAdd(INT64_MIN, -1), std::nullopt);
}

TEST(Shape, ForEachLeafNamesThePath) {
  std::string out;
  ForEachLeaf(Parse("(f32[2], (), (token[], s32[]))"), [&](const Shape& leaf, const Dims& path) {
    StrAppend(out, leaf.ToString(), "@", Join(path, "."), " ");
  });
  EXPECT_EQ(out, "f32[2]@0 token[]@2.0 s32[]@2.1 ");
}

}  // namespace
}  // namespace axle
