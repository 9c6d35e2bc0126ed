#include "axle/core/literal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "axle/core/float_format.h"
#include "axle/core/scanner.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

Literal Parse(std::string_view text) {
  auto literal = ParseLiteral(text);
  EXPECT_TRUE(literal.ok()) << literal.status().ToString();
  return literal.ok() ? *literal : Literal();
}

Layout MinorToMajor(Dims dims) {
  Layout layout;
  layout.minor_to_major = std::move(dims);
  return layout;
}

std::vector<ElementType> ArrayTypes() {
  std::vector<ElementType> types;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (IsArrayType(info.type)) types.push_back(info.type);
  }
  return types;
}

TEST(Literal, StartsAsZerosAligned) {
  const Literal literal(*ParseShape("(f32[1000], (), (pred[], c128[3], token[]))"));
  EXPECT_EQ(literal.element(0).data<float>()[999], 0.0f);
  EXPECT_EQ(literal.at(Dims{2, 1}).data<std::complex<double>>()[2], 0.0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(literal.element(0).bytes()) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(literal.at(Dims{2, 0}).bytes()) % 64, 0u);
  EXPECT_TRUE(Literal().shape().is_tuple());
}

TEST(Literal, ReshapeKeepsTheOrderOfRows) {
  const Literal literal = Parse("s32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  EXPECT_EQ(literal.Reshape({3, 2})->ToStringWithShape(),
            "s32[3,2] { { 1, 2 }, { 3, 4 }, { 5, 6 } }");
  EXPECT_EQ(literal.Reshape({3, 2})->Get<std::int32_t>({1, 0}), 3);
  EXPECT_EQ(Parse("s32[2,2]{0,1} {{1, 2}, {3, 4}}").Reshape({4})->ToStringWithShape(),
            "s32[4] {1, 2, 3, 4}");
  EXPECT_EQ(literal.Reshape({4}).status().ToString(),
            "INVALID_ARGUMENT: reshape: s32[2,3] has 6 elements, [4] has 4");
  EXPECT_FALSE(literal.Reshape({-2, -3}).ok());
  EXPECT_FALSE(Literal().Reshape({0}).ok());
  Literal dynamic = Parse("s32[<=2] {1, 2}");
  EXPECT_TRUE(dynamic.Reshape({2, 1}).ok());
  dynamic.SetSize(0, 1);
  EXPECT_EQ(dynamic.Reshape({2, 1}).status().code(), StatusCode::kUnimplemented);
}

TEST(Literal, TuplesAreDecomposed) {
  const Literal one = Parse("s32[] 1"), two = Parse("f32[1] {2}");
  Literal tuple = Literal::Tuple({one, two});
  const std::vector<Literal> elements = tuple.DecomposeTuple();
  ASSERT_EQ(elements.size(), 2u);
  EXPECT_EQ(elements[1], two);
  EXPECT_EQ(tuple.ShapeToString(), "()");
}

TEST(Literal, RunTimeSizesCutElementsOff) {
  Literal literal = Parse("s32[<=3,<=2] {{1, 2}, {3, 4}, {5, 6}}");
  EXPECT_FALSE(literal.is_padded());
  EXPECT_EQ(literal.ToStringWithShape(), "s32[<=3,<=2](3,2) { { 1, 2 }, { 3, 4 }, { 5, 6 } }");
  const Literal full = literal;
  literal.SetSize(0, 2);
  literal.SetSize(1, 1);
  EXPECT_TRUE(literal.is_padded());
  EXPECT_EQ(literal.sizes(), (Dims{2, 1}));
  EXPECT_EQ(literal.size(0), 2);
  EXPECT_EQ(literal.num_elements(), 6);  // the bound
  EXPECT_EQ(literal.ToString(), "(2,1) { {1}, {3} }");
  EXPECT_EQ(literal.ValidPart(), Parse("s32[2,1] {{1}, {3}}"));
  EXPECT_NE(literal, full);
  // The storage is that of the bound: sizes can grow again.
  literal.SetSize(0, 3);
  literal.SetSize(1, 2);
  EXPECT_FALSE(literal.is_padded());
  EXPECT_EQ(literal, full);
}

TEST(Literal, PaddingCountsInNoComparison) {
  Literal a = Parse("f32[<=3] {1, 2, 3}"), b = Parse("f32[<=3] {1, 2, 9}");
  EXPECT_FALSE(SameValue(a, b));
  a.SetSize(0, 2);
  EXPECT_FALSE(SameValue(a, b));
  EXPECT_EQ(FirstDifference(a, b)->ToString(), "shapes differ: f32[<=3](2) against f32[<=3](3)");
  b.SetSize(0, 2);
  EXPECT_TRUE(SameValue(a, b));
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.Hash(), b.Hash());
  EXPECT_FALSE(FirstDifference(a, b));
  EXPECT_EQ(Literal::Tuple({a, a}), Literal::Tuple({b, b}));
  b.mutable_data<float>()[1] = 4;
  EXPECT_EQ(FirstDifference(a, b)->ToString(),
            "element {1}: 2 against 4; 1 element differs, by up to 8388608 ulp");
  EXPECT_NE(a.Hash(), b.Hash());
}

TEST(Literal, PaddedIsTheInverseOfValidPart) {
  const Shape bound = *ParseShape("s32[<=3,2]{0,1}");
  const Literal valid = Parse("s32[1,2] {{1, 2}}");
  const Literal padded = *Literal::Padded(valid, bound);
  EXPECT_EQ(padded.ToStringWithShape(), "s32[<=3,2](1,2) { { 1, 2 } }");
  EXPECT_EQ(padded.shape().layout(), nullptr);
  EXPECT_EQ(padded.data<int>()[2], 0);
  EXPECT_EQ(padded.ValidPart(), valid);
  // Layouts, copies and tuples keep the sizes.
  const Literal column_major = padded.Relayout(MinorToMajor({0, 1}));
  EXPECT_EQ(column_major.sizes(), (Dims{1, 2}));
  EXPECT_EQ(column_major, padded);
  EXPECT_EQ(column_major.ToRowMajor().ToString(), padded.ToString());
  const Literal tuple = Literal::Tuple({padded, Parse("s32[] 7")});
  EXPECT_TRUE(tuple.is_padded());
  EXPECT_EQ(tuple.ToStringWithShape(), "(s32[<=3,2], s32[]) ( (1,2) { { 1, 2 } }, 7 )");
  EXPECT_EQ(tuple.ShapeToString(), "(s32[<=3,2](1,2), s32[])");
  EXPECT_EQ(tuple.ValidPart().shape().ToString(), "(s32[1,2], s32[])");
  EXPECT_TRUE(Literal(Shape::Token()).ValidPart().shape().is_token());
  // Another shape says nothing about sizes.
  EXPECT_EQ(padded.WithShape(Shape(S32, {6})).ToString(), "{1, 2, 0, 0, 0, 0}");
  EXPECT_FALSE(padded.WithShape(Shape(S32, {6})).is_padded());
}

TEST(Literal, SetDynamicFlagsKeepsWhatIsNotFull) {
  Literal literal = Parse("s32[<=3,<=2](3,1) {{1}, {2}, {3}}");
  literal.SetDynamicFlags(Shape(S32, {3, 2}));
  EXPECT_EQ(literal.ShapeToString(), "s32[3,<=2](3,1)");
  Literal tuple = Literal::Tuple({literal, Parse("s32[] 7")});
  tuple.SetDynamicFlags(*ParseShape("(s32[<=3,<=2], s32[])"));
  EXPECT_EQ(tuple.ShapeToString(), "(s32[<=3,<=2](3,1), s32[])");
  EXPECT_EQ(tuple.shape().ToString(), "(s32[<=3,<=2], s32[])");
}

TEST(Literal, TextWithRunTimeSizes) {
  for (const char* text :
       {"f32[<=3](0) {}", "f32[<=3](2) {1, 2}", "f32[<=3](3) {1, 2, 3}",
        "s32[<=2,3](1,3) { { 1, 2, 3 } }", "(f32[<=3], s32[]) ( (2) {1, 2}, 3 )"}) {
    EXPECT_EQ(Parse(text).ToStringWithShape(), text);
  }
  EXPECT_EQ(Parse("f32[<=3] {1, 2, 3}"), Parse("f32[<=3](3) {1, 2, 3}"));
  struct {
    const char* text;
    const char* error;
  } tests[] = {
      {"f32[<=3](4) {1, 2, 3, 4}", "dimension 0 of f32[<=3] cannot have size 4"},
      {"f32[<=3](-1) {}", "dimension 0 of f32[<=3] cannot have size -1"},
      {"f32[<=3,2](1,1) {{1}}", "dimension 1 of f32[<=3,2] cannot have size 1"},
      {"f32[<=3,2](1) {{1, 2}}", "too few sizes for f32[<=3,2]"},
      {"f32[<=3](1,2) {1}", "too many sizes for f32[<=3]"},
      {"f32[<=3](2) {1}", "too few elements in dimension 0 of f32[2]"},
      {"f32[<=3](1) {1, 2}", "too many elements in dimension 0 of f32[1]"},
      // A short text does not ask for much memory.
      {"f32[<=1000000000](1) {1}", "elided constants of more than 256 MiB"},
  };
  for (const auto& test : tests) {
    const auto literal = ParseLiteral(test.text);
    ASSERT_FALSE(literal.ok()) << test.text;
    EXPECT_NE(literal.status().message().find(test.error), std::string::npos)
        << literal.status().message();
  }
}

TEST(Literal, EmptyArrayHasStorageOfItsOwn) {
  Literal literal(Shape(F32, {0, 3}));
  EXPECT_FALSE(literal.is_view());
  EXPECT_EQ(literal.data<float>().size(), 0u);
  EXPECT_EQ(literal, literal.ToRowMajor());
}

TEST(Literal, CreateRefusesWhatDoesNotFit) {
  const auto huge = Literal::Create(Shape(F32, {i64{1} << 50}));
  EXPECT_EQ(huge.status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(huge.status().message().starts_with("a value of 4 PiB does not fit into the "));
  EXPECT_EQ(Literal::Create(Shape(F32, {-1})).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Literal::CreateUninitialized(Shape(F32, {i64{1} << 62})).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(Literal::Create(*ParseShape("(f32[10], token[])")).ok());
}

TEST(Literal, CopiesShareUntilOneIsWritten) {
  Literal a = Literal::Array<float>(F32, {2}, std::vector<float>{1, 2});
  EXPECT_TRUE(a.is_unique());
  Literal b = a;
  EXPECT_EQ(a.bytes(), b.bytes());
  EXPECT_FALSE(b.is_unique());
  b.mutable_data<float>()[0] = 5;
  EXPECT_NE(a.bytes(), b.bytes());
  EXPECT_EQ(a.ToString(), "{1, 2}");
  EXPECT_EQ(b.ToString(), "{5, 2}");
  EXPECT_TRUE(a.is_unique());
  const std::byte* bytes = a.bytes();
  EXPECT_EQ(a.mutable_bytes(), bytes);
}

TEST(Literal, AnotherTypeIsAlignedWhereTheViewIsNot) {
  alignas(8) std::uint8_t bytes[17] = {};
  for (size_t i = 0; i < 17; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  const auto address = [](const Literal& literal) {
    return reinterpret_cast<std::uintptr_t>(literal.bytes());
  };
  for (size_t offset = 0; offset < 9; ++offset) {
    const Literal view = Literal::View(Shape(U8, {8}), bytes + offset);
    const Literal number = view.WithShape(Shape(S64));
    EXPECT_EQ(address(number) % 8, 0u) << offset;
    EXPECT_EQ(std::memcmp(number.bytes(), bytes + offset, 8), 0) << offset;
    EXPECT_EQ(address(number) == address(view), offset % 8 == 0) << offset;
    EXPECT_EQ(address(view.WithShape(Shape(S8, {2, 4}))), address(view)) << offset;
  }
}

TEST(Literal, ViewBorrowsAndIsCopiedBeforeWriting) {
  const float values[] = {1, 2, 3, 4};
  Literal view = Literal::View(Shape(F32, {2, 2}), values);
  EXPECT_TRUE(view.is_view());
  EXPECT_EQ(static_cast<const void*>(view.bytes()), values);
  view.Set<float>(Dims{1, 0}, 9);
  EXPECT_FALSE(view.is_view());
  EXPECT_EQ(view.ToString(), "{ { 1, 2 }, { 9, 4 } }");
  EXPECT_EQ(values[2], 3);
}

TEST(Literal, LayoutsChangeTheOrderOfStorageOnly) {
  const Literal row_major = Parse("s32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  const Literal column_major = row_major.Relayout(MinorToMajor({0, 1}));
  EXPECT_EQ(column_major.shape().ToStringWithLayout(), "s32[2,3]{0,1}");
  EXPECT_EQ(column_major.data<std::int32_t>()[1], 4);
  EXPECT_EQ(column_major.Get<std::int32_t>(Dims{0, 2}), 3);
  EXPECT_EQ(row_major.Get<std::int32_t>(Dims{0, 2}), 3);
  EXPECT_EQ(column_major.ToString(), row_major.ToString());
  EXPECT_EQ(column_major, row_major);
  EXPECT_EQ(column_major.Hash(), row_major.Hash());
  EXPECT_TRUE(SameValue(column_major, row_major));
  EXPECT_EQ(column_major.ToRowMajor().bytes()[4], std::byte{2});
  // Where the order of the elements does not change, neither does the storage.
  const Literal line = Parse("s32[1,3] {{1, 2, 3}}");
  EXPECT_EQ(line.Relayout(MinorToMajor({1, 0})).bytes(), line.bytes());
}

TEST(Literal, EveryLayoutOfEverySizeOfElementReadsTheSame) {
  std::mt19937 random(5);
  for (ElementType type : {U8, F16, F32, C64, C128}) {
    Literal literal(Shape(type, {2, 3, 4}));
    for (i64 i = 0; i < literal.num_bytes(); ++i) {
      literal.mutable_bytes()[i] = static_cast<std::byte>(random() & 63);
    }
    Dims order = {0, 1, 2};
    do {
      const Literal other = literal.Relayout(MinorToMajor(order));
      EXPECT_EQ(other, literal);
      EXPECT_EQ(other.ToRowMajor().ToString(), literal.ToString());
      for (Dims next = {0, 1, 2}; std::ranges::next_permutation(next).found;) {
        EXPECT_EQ(other.Relayout(MinorToMajor(next)), literal);
      }
    } while (std::ranges::next_permutation(order).found);
  }
}

TEST(Literal, ToRowMajorReachesIntoTuples) {
  const Literal inner = Parse("s32[2,2] {{1, 2}, {3, 4}}").Relayout(MinorToMajor({0, 1}));
  const Literal tuple = Literal::Tuple({inner, Literal::Tuple({inner})});
  EXPECT_EQ(tuple.shape().ToStringWithLayout(), "(s32[2,2]{0,1}, (s32[2,2]{0,1}))");
  EXPECT_EQ(tuple.ToRowMajor().shape().ToStringWithLayout(), "(s32[2,2]{1,0}, (s32[2,2]{1,0}))");
  EXPECT_EQ(tuple.ToRowMajor(), tuple);
}

TEST(Literal, WithShapeSharesStorage) {
  const Literal literal = Parse("s32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  const Literal reshaped = literal.WithShape(Shape(U32, {6}));
  EXPECT_EQ(reshaped.bytes(), literal.bytes());
  EXPECT_EQ(reshaped.ToString(), "{1, 2, 3, 4, 5, 6}");
}

TEST(Literal, EqualityIsBitForBitAndSameValueForgivesNan) {
  const Literal quiet = Parse("f32[2] {nan, 1}");
  const Literal payload = Parse("f32[2] {-nan(0x7), 1}");
  EXPECT_FALSE(quiet == payload);
  EXPECT_TRUE(SameValue(quiet, payload));
  EXPECT_FALSE(SameValue(quiet, Parse("f32[2] {1, 1}")));
  EXPECT_FALSE(SameValue(Parse("f32[] 0"), Parse("f32[] -0")));
  EXPECT_FALSE(SameValue(Parse("f32[] 0"), Parse("s32[] 0")));
  EXPECT_FALSE(SameValue(Parse("f32[1] {0}"), Parse("f32[] 0")));
  EXPECT_TRUE(SameValue(Parse("c64[] (nan, 1)"), Parse("c64[] (-nan, 1)")));
  EXPECT_FALSE(SameValue(Parse("c64[] (nan, 1)"), Parse("c64[] (nan, nan)")));
  EXPECT_TRUE(SameValue(Parse("(f16[], s32[]) (nan, 2)"), Parse("(f16[], s32[]) (-nan, 2)")));
  EXPECT_TRUE(SameValue(Parse("f8e4m3fn[] nan"), Parse("f8e4m3fn[] -nan")));
  EXPECT_FALSE(Parse("(s32[], s32[]) (1, 2)") == Parse("(s32[], s32[]) (1, 3)"));
}

TEST(Literal, HashSeesValuesAndShape) {
  EXPECT_EQ(Parse("s32[2] {1, 2}").Hash(), Parse("s32[2] {1, 2}").Hash());
  EXPECT_NE(Parse("s32[2] {1, 2}").Hash(), Parse("s32[2] {1, 3}").Hash());
  EXPECT_NE(Parse("s32[2] {1, 2}").Hash(), Parse("u32[2] {1, 2}").Hash());
  EXPECT_NE(Parse("s32[2] {1, 2}").Hash(), Parse("s32[1,2] {{1, 2}}").Hash());
  EXPECT_NE(Parse("(s32[], s32[]) (1, 2)").Hash(), Parse("(s32[], s32[]) (2, 1)").Hash());
}

TEST(Literal, FirstDifferenceNamesPlaceCountAndDistance) {
  const Literal a = Parse("(s32[], f32[2,2]) (1, {{1, 2}, {nan, 4}})");
  EXPECT_EQ(FirstDifference(a, a), std::nullopt);
  const Literal nan_only = Parse("(s32[], f32[2,2]) (1, {{1, 2}, {-nan, 4}})");
  EXPECT_EQ(FirstDifference(a, nan_only), std::nullopt);
  const auto difference =
      FirstDifference(a, Parse("(s32[], f32[2,2]) (1, {{1, 2.00000024}, {nan, 4.00000095}})"));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->ToString(),
            "leaf {1} element {0,1}: 2 against 2.00000024; 2 elements differ, by up to 2 ulp");
  EXPECT_EQ(FirstDifference(Parse("s32[] 1"), Parse("s32[] 2"))->ToString(),
            "element {}: 1 against 2; 1 element differs");
  EXPECT_EQ(FirstDifference(Parse("f32[1] {nan}"), Parse("f32[1] {2}"))->ToString(),
            "element {0}: nan against 2; 1 element differs, NaN against a number");
  EXPECT_EQ(FirstDifference(Parse("f32[] 1"), Parse("f32[1] {1}"))->ToString(),
            "shapes differ: f32[] against f32[1]");
  // -0 and +0 differ as bits, but by no distance.
  EXPECT_EQ(FirstDifference(Parse("f32[] 0"), Parse("f32[] -0"))->max_ulp, 0u);
}

TEST(Literal, UlpDistanceCountsThroughZero) {
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  const auto distance = [&](float a, float b) { return UlpDistance(kF32Format, bits(a), bits(b)); };
  EXPECT_EQ(distance(1, 1), 0u);
  EXPECT_EQ(distance(1, std::nextafter(1.0f, 2.0f)), 1u);
  EXPECT_EQ(distance(0.0f, -0.0f), 0u);
  EXPECT_EQ(distance(1e-45f, -1e-45f), 2u);
  EXPECT_EQ(distance(std::numeric_limits<float>::max(), HUGE_VALF), 1u);
  EXPECT_EQ(distance(std::nanf(""), -std::nanf("")), 0u);
  EXPECT_EQ(distance(std::nanf(""), 1), ~std::uint64_t{0});
  EXPECT_EQ(distance(HUGE_VALF, -HUGE_VALF), 2ull * 0x7f800000);
  EXPECT_EQ(UlpDistance(kF64Format, std::bit_cast<std::uint64_t>(HUGE_VAL),
                        std::bit_cast<std::uint64_t>(-HUGE_VAL)),
            2 * 0x7ff0000000000000u);
}

TEST(LiteralText, PrintsAsItReads) {
  for (std::string_view text : {
           "s32[] -3",
           "pred[] true",
           "pred[3]{0} {1, 0, 1}",
           "f32[]{:S(2)} 1",
           "f32[2]{0} {1, -0}",
           "f32[0]{0} {}",
           "f32[2,0]{1,0} { {}, {} }",
           "f32[0,2]{1,0} {  }",
           "f32[2,1]{1,0} { {1}, {2} }",
           "f32[2,2]{1,0} { { 1, 2 }, { 3, 4 } }",
           "s8[1,2,2]{2,1,0} { { { 1, 2 }, { 3, 4 } } }",
           "s8[1,1,2,2]{3,2,1,0} { { /*i0=0*/ { /*i1=0*/ { 1, 2 }, { 3, 4 } } } }",
           "c64[2]{0} {(1, -2), (nan, inf)}",
           "(s32[], (f32[2]{0}, pred[]), ()) ( 1, ( {1, 2}, false ), (  ) )",
           "(token[], s32[]) ( token, 1 )",
           "f32[5]{0} {1e-10, 1e+30, 0.1, 0.333333343, 123456}",
           "f64[4]{0} {0.1, 0.33333333333333331, 1e+300, 4.94065645841247e-324}",
           "f32[6]{0} {nan, -nan, nan(0x1), -nan(0x200000), inf, -inf}",
           "f64[2]{0} {nan(0xfffffffffffff), nan}",
           "f16[4]{0} {65504, 0.099976, 5.9605e-08, nan(0x1)}",
           "bf16[4]{0} {3.39e+38, 0.1001, 9.184e-41, -nan(0x41)}",
           "f8e5m2[4]{0} {5.7e+04, 1.5e-05, -inf, nan(0x1)}",
           "f8e4m3[3]{0} {240, inf, nan(0x7)}",
           "f8e4m3fn[4]{0} {448, 0.00195, -nan, -0}",
           "f8e4m3b11fnuz[3]{0} {30, -30, -nan}",
           "f4e2m1fn[4]{0} {6, -0.5, -0, 1.5}",
           "f6e3m2fn[2]{0} {28, 0.062}",
           "f6e2m3fn[2]{0} {7.5, 0.125}",
           "f8e8m0fnu[4]{0} {5.9e-39, 1.7e+38, 1, nan}",
           "s4[3]{0} {-8, 7, 0}",
           "u1[2]{0} {0, 1}",
           "s1[2]{0} {0, -1}",
           "u64[1]{0} {18446744073709551615}",
           "s64[1]{0} {-9223372036854775808}",
       }) {
    const Literal literal = Parse(text);
    EXPECT_EQ(StrCat(literal.shape().ToStringWithLayout(), " ", literal.ToString()),
              text.starts_with("f32[]{:S(2)}") ? "f32[] 1" : text);
  }
}

TEST(LiteralText, ReadsWhatPeopleWrite) {
  const struct {
    std::string_view text, value;
  } kCases[] = {
      {"f32[2] {1 2}", "{1, 2}"},  // commas are optional
      {"f32[2] {1, 2,}", "{1, 2}"},
      {"f32[2] 1, 2", "{1, 2}"},  // flat, without braces
      {"f32[2,2] 1 2 3 4", "{ { 1, 2 }, { 3, 4 } }"},
      {"f32[2] {/*i0=0*/1, /*i0=1*/ 2}", "{1, 2}"},
      {"f32[3] {5., -.5e3, 0x1}", ""},  // no hexadecimal
      {"f32[2] {5., -.5e3}", "{5, -500}"},
      {"f32[1] {100000000000000000000}", "{1e+20}"},
      {"f32[2] {0.0, -0.0}", "{0, -0}"},
      {"c64[] (-0, 1e-3)", "(-0, 0.001)"},
      {"s32[2] {-0, 7}", "{0, 7}"},
      {"u8[1] {-0}", "{0}"},
      {"pred[4] {true, false, 1, 0}", "{1, 0, 1, 0}"},
      {"pred[] 1", "true"},
      {"f8e4m3fnuz[1] {-0}", "{0}"},
      {"f64[1] {1e-400}", "{0}"},
      {"s32[2]{0:T(256)} {1, 2}", "{1, 2}"},
      {"s32[2,2]{0,1} {{1, 2}, {3, 4}}", "{ { 1, 2 }, { 3, 4 } }"},
      {"(s32[], f32[1]) (1 {2})", "( 1, {2} )"},
  };
  for (const auto& test : kCases) {
    const auto literal = ParseLiteral(test.text);
    EXPECT_EQ(literal.ok() ? literal->ToString() : "", test.value) << test.text;
  }
}

TEST(LiteralText, ReadsRowMajorWhateverTheLayout) {
  EXPECT_EQ(Parse("s32[2,2]{0,1} {{1, 2}, {3, 4}}").shape().ToStringWithLayout(), "s32[2,2]{1,0}");
}

TEST(LiteralText, ErrorsNamePositionAndReason) {
  const struct {
    std::string_view text, error;
  } kCases[] = {
      {"f32[2] {1}", "literal 1:10: too few elements in dimension 0 of f32[2]"},
      {"f32[2] {1, 2, 3}", "literal 1:15: too many elements in dimension 0 of f32[2]"},
      {"f32[2,2] {{1, 2}, {3}}", "literal 1:21: too few elements in dimension 1 of f32[2,2]"},
      {"f32[2,2] {{1, 2}}", "literal 1:17: too few elements in dimension 0 of f32[2,2]"},
      {"f32[2,2] {1, 2}", "literal 1:11: expected '{'"},
      {"f32[2] {{1, 2}}", "literal 1:9: expected a value of f32"},
      {"f32[2] {1, 2", "literal 1:13: expected a value of f32 before the end of the text"},
      {"f32[1] {x}", "literal 1:9: expected a value of f32"},
      {"f32[1] {.5}", "literal 1:9: expected a value of f32"},
      {"f32[1] {true}", "literal 1:9: expected a value of f32"},
      {"f32[] 1 2", "literal 1:9: unexpected text after the literal"},
      {"f32[2] {...} 1", "literal 1:14: unexpected text after the literal"},
      {"f32[] {...}", "literal 1:7: expected a value of f32"},
      {"s32[] 1.5", "literal 1:7: 1.5 is not an integer, as s32 needs"},
      {"s32[] 1e3", "literal 1:7: 1e3 is not an integer, as s32 needs"},
      {"s32[] nan", "literal 1:7: nan is not an integer, as s32 needs"},
      {"s32[] true", "literal 1:7: expected a value of s32"},
      {"s8[] 128", "literal 1:6: 128 is out of the range of s8"},
      {"s8[] -129", "literal 1:6: -129 is out of the range of s8"},
      {"u8[] 256", "literal 1:6: 256 is out of the range of u8"},
      {"u8[] -1", "literal 1:6: -1 is out of the range of u8"},
      {"s4[] 8", "literal 1:6: 8 is out of the range of s4"},
      {"u2[] 4", "literal 1:6: 4 is out of the range of u2"},
      {"s1[] 1", "literal 1:6: 1 is out of the range of s1"},
      {"u64[] 18446744073709551616",
       "literal 1:7: 18446744073709551616 is out of the range of u64"},
      {"u64[] -1", "literal 1:7: -1 is out of the range of u64"},
      {"s64[] 9223372036854775808", "literal 1:7: 9223372036854775808 is out of the range of s64"},
      {"pred[] 2", "literal 1:8: 2 is neither true (1) nor false (0)"},
      {"pred[] yes", "literal 1:8: yes is neither true (1) nor false (0)"},
      {"pred[] {", "literal 1:8: expected true or false"},
      {"f32[] 1e39", "literal 1:7: 1e39 is out of the range of f32"},
      {"f64[] -1e309", "literal 1:7: -1e309 is out of the range of f64"},
      {"f16[] 65520", "literal 1:7: 65520 is out of the range of f16"},
      {"bf16[] 3.4e38", "literal 1:8: 3.4e38 is out of the range of bf16"},
      {"f8e4m3fn[] 465", "literal 1:12: 465 is out of the range of f8e4m3fn"},
      {"f8e4m3fn[] inf", "literal 1:12: inf is out of the range of f8e4m3fn"},
      {"f4e2m1fn[] 6.5", "literal 1:12: 6.5 is out of the range of f4e2m1fn"},
      {"f4e2m1fn[] nan", "literal 1:12: nan is not a value of f4e2m1fn"},
      {"f8e8m0fnu[] 0", "literal 1:13: 0 is out of the range of f8e8m0fnu"},
      {"f8e8m0fnu[] -1", "literal 1:13: -1 is out of the range of f8e8m0fnu"},
      {"f32[] nan(0x0)", "literal 1:7: nan(0x0) is not a value of f32"},
      {"f32[] nan(0x800000)", "literal 1:7: nan(0x800000) is not a value of f32"},
      {"f8e4m3fn[] nan(0x7)", "literal 1:12: nan(0x7) is not a value of f8e4m3fn"},
      {"c64[] 1", "literal 1:7: expected '('"},
      {"c64[] (1)", "literal 1:9: expected ','"},
      {"(s32[], s32[]) (1)", "literal 1:18: too few elements for (s32[], s32[])"},
      {"(s32[]) (1, 2)", "literal 1:13: too many elements for (s32[])"},
      {"(s32[]) (1", "literal 1:11: expected ')' before the end of the text"},
      {"(s32[]) 1", "literal 1:9: expected '('"},
      {"token[] 1", "literal 1:9: expected 'token'"},
      {"f32[1000000000000] {1}", "literal 1:20: too few elements for f32[1000000000000]"},
      {"f32[1000000000000] 1", "literal 1:20: too few elements for f32[1000000000000]"},
      {"f32[?] {1}", "literal 1:8: too few elements for f32[?]"},
      {"f32[1000000000000] {...}", "literal 1:24: elided constants of more than 256 MiB"},
      {"(f32[60000000], f32[60000000]) {...}",
       "literal 1:32: the elements are left out; a value needs all of them"},
  };
  for (const auto& test : kCases) {
    const auto literal = ParseLiteral(test.text);
    const std::string message = literal.ok() ? "accepted" : literal.status().message();
    EXPECT_EQ(message.substr(0, message.find('\n')), test.error) << test.text;
  }
}

// As a constant of a program, whose reader asks the scanner what was left out.
Literal ParseElided(std::string_view text) {
  Scanner scanner(text, "literal");
  const Shape shape = *ParseShape(scanner);
  StatusOr<Literal> literal = ParseLiteral(scanner, shape);
  EXPECT_TRUE(literal.ok()) << text;
  EXPECT_EQ(scanner.TakeElided(), std::min(text.find("{...}"), text.find("{ ... }"))) << text;
  EXPECT_EQ(scanner.TakeElided(), std::nullopt) << text;
  return *std::move(literal);
}

TEST(LiteralText, ElidedElementsCountThroughTheStorage) {
  EXPECT_EQ(ParseElided("u32[3] {...}").ToString(), "{0, 1, 2}");
  EXPECT_EQ(ParseElided("u8[9] {...}").ToString(), "{0, 0, 0, 0, 1, 0, 0, 0, 2}");
  EXPECT_EQ(ParseElided("pred[9] {...}").ToString(), "{0, 0, 0, 0, 1, 0, 0, 0, 0}");
  EXPECT_EQ(ParseElided("s64[2] {...}").ToString(), "{4294967296, 12884901890}");
  EXPECT_EQ(ParseElided("(u32[2], (s16[2])) { ... }").ToString(), "( {0, 1}, ( {0, 0} ) )");
  // Sub-byte elements stay within their type.
  const Literal s4 = ParseElided("s4[64] {...}");
  for (std::int8_t value : s4.data<std::int8_t>()) EXPECT_TRUE(value >= -8 && value <= 7);
  EXPECT_EQ(s4, Parse(StrCat("s4[64] ", s4.ToString())));
}

TEST(LiteralText, EmptyArraysOfManyBracesAreElided) {
  EXPECT_EQ(Literal(Shape(F32, {i64{1} << 40, 0})).ToString(), "{...}");
  EXPECT_EQ(Parse("f32[1099511627776,0] {...}").num_elements(), 0);
}

class EveryType : public testing::TestWithParam<ElementType> {};

// Random bits, all of them for narrow types, through text and back.
TEST_P(EveryType, RoundTripsThroughText) {
  const ElementTypeInfo& info = Info(GetParam());
  std::mt19937_64 random(11);
  const i64 n = info.bits <= 16 ? i64{1} << info.bits : 20000;
  Literal literal(Shape(info.type, {n}));
  std::byte* out = literal.mutable_bytes();
  for (i64 i = 0; i < n; ++i, out += info.bytes) {
    std::uint64_t bits[2] = {info.bits <= 16 ? static_cast<std::uint64_t>(i) : random(), random()};
    if (info.type == PRED) bits[0] &= 1;
    if (IsSigned(info.type)) {
      const int spare = 64 - info.bits;
      bits[0] = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits[0] << spare) >> spare);
    }
    std::memcpy(out, bits, info.bytes);
  }
  const std::string text = literal.ToString();
  const Literal again = Parse(StrCat(literal.shape().ToString(), " ", text));
  EXPECT_EQ(again.ToString(), text);
  const auto difference = FirstDifference(again, literal);
  EXPECT_FALSE(difference) << difference->ToString();
  // NaN payloads survive where there are any.
  if (HasInfinity(info.format) || !HasNan(info.format)) {
    EXPECT_TRUE(again == literal);
  }
}

INSTANTIATE_TEST_SUITE_P(LiteralText, EveryType, testing::ValuesIn(ArrayTypes()),
                         [](const auto& info) { return std::string(Name(info.param)); });

TEST(LiteralText, AMillionElementsReadAndPrintInLinearTime) {
  Literal literal(Shape(F32, {1000, 1000}));
  std::mt19937 random(3);
  for (float& x : literal.mutable_data<float>()) x = static_cast<float>(random()) / 77.0f;
  const std::string text = literal.ToString();
  EXPECT_EQ(Parse("f32[1000,1000] " + text), literal);
}

TEST(LiteralText, DeepBracesEndInADiagnostic) {
  const std::string text = "f32[1] " + std::string(1000000, '{');
  const auto literal = ParseLiteral(text);
  EXPECT_TRUE(literal.status().message().starts_with("literal 1:9: expected a value of f32\n"));
}

}  // namespace
}  // namespace axle
