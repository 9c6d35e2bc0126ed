// LiteralUtil: XLA's names for making literals.
#include "axle/builder/literal_util.h"

#include <gtest/gtest.h>

namespace axle {
namespace {

std::string Text(const Literal& literal) {
  return literal.ToStringWithShape();
}
std::string Text(const StatusOr<Literal>& literal) {
  return literal.ok() ? Text(*literal) : literal.status().message();
}

TEST(LiteralUtil, MakesArraysOfLists) {
  EXPECT_EQ(Text(LiteralUtil::CreateR0<float>(2)), "f32[] 2");
  EXPECT_EQ(Text(LiteralUtil::CreateR1<bool>({true, false})), "pred[2] {1, 0}");
  EXPECT_EQ(Text(LiteralUtil::CreateR2<int>({{1, 2}, {3, 4}})), "s32[2,2] { { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(Text(LiteralUtil::CreateR3<int>({{{1, 2}}, {{3, 4}}})),
            "s32[2,1,2] { { { 1, 2 } }, { { 3, 4 } } }");
  EXPECT_EQ(Text(LiteralUtil::CreateR4<int>({{{{1}, {2}}}})),
            "s32[1,1,2,1] { { /*i0=0*/ { /*i1=0*/ {1}, {2} } } }");
  EXPECT_EQ(LiteralUtil::CreateR2<float>({{}, {}}).shape().ToString(), "f32[2,0]");
  EXPECT_EQ(LiteralUtil::CreateR3<float>({}).shape().ToString(), "f32[0,0,0]");
  EXPECT_EQ(Text(LiteralUtil::CreateR2<int>({{1, 2}, {3}, {4, 5, 6}})),
            "s32[3,2] { { 1, 2 }, { 3, 0 }, { 4, 5 } }");
  EXPECT_EQ(Text(LiteralUtil::MakeIdentityR2<float>(2)), "f32[2,2] { { 1, 0 }, { 0, 1 } }");
  EXPECT_EQ(Text(LiteralUtil::MakeIdentityR2<bfloat16>(1)), "bf16[1,1] { {1} }");
  EXPECT_EQ(Text(LiteralUtil::CreateR1U8("ab")), "u8[2] {97, 98}");
  EXPECT_EQ(Text(LiteralUtil::CreateFromDimensions(S8, {2})), "s8[2] {0, 0}");
}

// The limits of each type as LiteralUtil of XLA gives them: infinities where the type has them.
TEST(LiteralUtil, LimitsOfTypes) {
  EXPECT_EQ(Text(LiteralUtil::MinValue(F32)), "f32[] -inf");
  EXPECT_EQ(Text(LiteralUtil::MaxValue(F64)), "f64[] inf");
  EXPECT_EQ(Text(LiteralUtil::MinValue(F8E4M3FN)), "f8e4m3fn[] -448");
  EXPECT_EQ(Text(LiteralUtil::MinValue(S8)), "s8[] -128");
  EXPECT_EQ(Text(LiteralUtil::MinValue(S64)), "s64[] -9223372036854775808");
  EXPECT_EQ(Text(LiteralUtil::MinValue(U16)), "u16[] 0");
  EXPECT_EQ(Text(LiteralUtil::MinValue(PRED)), "pred[] false");
  EXPECT_EQ(Text(LiteralUtil::MaxValue(PRED)), "pred[] true");
  EXPECT_EQ(Text(LiteralUtil::MaxValue(U4)), "u4[] 15");
  EXPECT_EQ(Text(LiteralUtil::MinFiniteValue(F16)), "f16[] -65504");
  EXPECT_EQ(Text(LiteralUtil::MaxFiniteValue(F32)), "f32[] 3.40282347e+38");
  EXPECT_EQ(Text(LiteralUtil::MaxFiniteValue(S32)), "s32[] 2147483647");
  EXPECT_EQ(Text(LiteralUtil::Epsilon(F32)), "f32[] 1.1920929e-07");
  EXPECT_EQ(Text(LiteralUtil::Epsilon(BF16)), "bf16[] 0.007812");
  EXPECT_EQ(Text(LiteralUtil::Epsilon(S32)), "epsilon: takes a float type, got s32");
  EXPECT_EQ(Text(LiteralUtil::MinPositiveNormalValue(F16)), "f16[] 6.1035e-05");
  EXPECT_EQ(Text(LiteralUtil::NanValue(F32)), "f32[] nan");
  EXPECT_EQ(Text(LiteralUtil::NanValue(C64)), "c64[] (nan, 0)");
  EXPECT_EQ(Text(LiteralUtil::NanValue(F4E2M1FN)), "nan value: the type has no NaN, got f4e2m1fn");
  EXPECT_EQ(Text(LiteralUtil::Zero(C64)), "c64[] (0, 0)");
  EXPECT_EQ(Text(LiteralUtil::One(BF16)), "bf16[] 1");
  EXPECT_EQ(LiteralUtil::Zero(TOKEN).shape().ToString(), "()");
}

TEST(LiteralUtil, Elements) {
  Literal literal = LiteralUtil::CreateR2<float>({{1, 5}, {3, -2}});
  EXPECT_EQ(Text(LiteralUtil::MaxElement(literal)), "f32[] 5");
  EXPECT_EQ(Text(LiteralUtil::GetScalarLiteral(literal, {1, 1})), "f32[] -2");
  EXPECT_EQ(Text(LiteralUtil::GetFirstScalarLiteral(literal)), "f32[] 1");
  EXPECT_EQ(Text(LiteralUtil::GetScalarLiteral(literal, {2, 1})),
            "get scalar literal: there is no element {2,1} in f32[2,2]");
  ASSERT_TRUE(LiteralUtil::SetScalarLiteral(literal, {0, 1}, *LiteralUtil::NanValue(F32)).ok());
  EXPECT_EQ(Text(LiteralUtil::MaxElement(literal)), "f32[] nan");
  EXPECT_EQ(LiteralUtil::SetScalarLiteral(literal, {0, 1}, LiteralUtil::One(S32)).message(),
            "set scalar literal: the element is s32[] but the literal is f32[2,2]");
  EXPECT_EQ(Text(LiteralUtil::MaxElement(LiteralUtil::CreateR1<std::uint64_t>({1, ~0ull}))),
            "u64[] 18446744073709551615");
  EXPECT_EQ(Text(LiteralUtil::MaxElement(LiteralUtil::CreateR1<float>({}))),
            "max element: takes an array with elements that have an order, got f32[0]");
}

TEST(LiteralUtil, ConvertsAndReshapes) {
  const Literal pair = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<float>({1, 2}),
                                                   LiteralUtil::CreateR0<int>(7));
  EXPECT_EQ(Text(LiteralUtil::ConvertF32ToF64(pair)), "(f64[2], s32[]) ( {1, 2}, 7 )");
  const Literal row = LiteralUtil::CreateR1<int>({1, 2, 3, 4});
  const Literal one = LiteralUtil::CreateR0<int>(1);
  EXPECT_EQ(LiteralUtil::MakeTuple({&row, &one}).shape().ToString(), "(s32[4], s32[])");
  const auto square = LiteralUtil::ReshapeSlice({2, 2}, {0, 1}, row);
  ASSERT_TRUE(square.ok());
  EXPECT_EQ(square->shape().ToStringWithLayout(), "s32[2,2]{0,1}");
  EXPECT_EQ(square->Get<int>(Dims{0, 1}), 2);
  EXPECT_EQ(Text(LiteralUtil::ReshapeSlice({3}, {}, row)),
            "reshape slice: s32[4] has 4 elements but s32[3] has 3");
}

}  // namespace
}  // namespace axle
