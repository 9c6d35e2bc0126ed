// Worked examples of XLA's conversions between types, of values and of bits.
#include "tests/builder/worked.h"

namespace axle {
namespace {

std::string Converted(std::string_view x, PrimitiveType type) {
  return ResultOf([&](XlaOp operand) { return ConvertElementType(operand, type); }, x);
}
std::string Bits(std::string_view x, PrimitiveType type) {
  return ResultOf([&](XlaOp operand) { return BitcastConvertType(operand, type); }, x);
}

TEST(WorkedConversions, ToAndFromPred) {
  EXPECT_EQ(Converted("f32[4] {0,-0.0,nan,0.5}", PRED), "pred[4] {0,0,1,1}");
  EXPECT_EQ(Converted("c64[2] {(0,3),(1,0)}", PRED), "pred[2] {0,1}");
  EXPECT_EQ(Converted("pred[2] {0,1}", S32), "s32[2] {0,1}");
  EXPECT_EQ(Converted("pred[2] {0,1}", BF16), "bf16[2] {0,1}");
  EXPECT_EQ(Converted("f8e8m0fnu[1] {5.877472e-39}", PRED), "pred[1] {1}");
}

TEST(WorkedConversions, Integers) {
  EXPECT_EQ(Converted("s32[3] {0,1,2}", F32), "f32[3] {0,1,2}");
  EXPECT_EQ(Converted("s32[3] {300,-1,128}", S8), "s8[3] {44,-1,-128}");
  EXPECT_EQ(Converted("s8[2] {-1,5}", U32), "u32[2] {4294967295,5}");
  EXPECT_EQ(Converted("u8[1] {255}", S32), "s32[1] {255}");
  EXPECT_EQ(Converted("s32[1] {70000}", F16), "f16[1] {inf}");
  EXPECT_EQ(Converted("s64[1] {16777217}", F32), "f32[1] {16777216}");
  EXPECT_EQ(Converted("u64[1] {18446744073709551615}", F32), "f32[1] {1.84467441e+19}");
}

TEST(WorkedConversions, FloatsToIntegers) {
  EXPECT_EQ(Converted("f32[5] {2.5,-2.5,nan,3e9,-3e9}", S32),
            "s32[5] {2,-2,0,2147483647,-2147483648}");
  EXPECT_EQ(Converted("f32[4] {-1,300,inf,-inf}", U8), "u8[4] {0,255,255,0}");
  EXPECT_EQ(Converted("f32[3] {100,-100,-2.5}", S4), "s4[3] {7,-8,-2}");
  EXPECT_EQ(Converted("f32[2] {100,-1}", U2), "u2[2] {3,0}");
  EXPECT_EQ(Converted("f4e2m1fn[2] {6,-6}", S32), "s32[2] {6,-6}");
}

TEST(WorkedConversions, FloatsToNarrowFloats) {
  EXPECT_EQ(Converted("f32[3] {464,464.0001,1e9}", F8E4M3FN), "f8e4m3fn[3] {448,nan,nan}");
  EXPECT_EQ(ResultOf([](XlaOp x) { return ConvertElementType(ConvertElementType(x, F8E5M2), F32); },
                     "f32[3] {61439,61440,-inf}"),
            "f32[3] {57344,inf,-inf}");
  EXPECT_EQ(Converted("f32[3] {247,248,inf}", F8E4M3FNUZ), "f8e4m3fnuz[3] {240,nan,nan}");
  EXPECT_EQ(Converted("f32[3] {100,-100,inf}", F4E2M1FN), "f4e2m1fn[3] {6,-6,6}");
  EXPECT_EQ(Converted("f32[1] {-0.0}", F8E5M2FNUZ), "f8e5m2fnuz[1] {0}");
  EXPECT_EQ(Converted("f32[2] {70000,1e-7}", F16), "f16[2] {inf,1.1921e-07}");
  EXPECT_EQ(Converted("f32[4] {3,2.9,0,-1}", F8E8M0FNU), "f8e8m0fnu[4] {4,2,nan,nan}");
  // Once from f64: by way of f32 it would be a tie, and even.
  EXPECT_EQ(Converted("f64[1] {1.00048828125000001}", F16), "f16[1] {1}");
}

TEST(WorkedConversions, Complex) {
  EXPECT_EQ(Converted("f32[1] {2}", C64), "c64[1] {(2,0)}");
  EXPECT_EQ(Converted("c64[1] {(1,2)}", C128), "c128[1] {(1,2)}");
  EXPECT_EQ(Converted("c64[1] {(1.5,2)}", F32), "f32[1] {1.5}");
}

TEST(WorkedConversions, Refused) {
  EXPECT_TRUE(ShapeOf([](XlaOp x) { return ConvertElementType(x, S32); }, "(f32[])")
                  .starts_with("INVALID_ARGUMENT: convert:"));
}

TEST(WorkedConversions, BitsOfAnotherWidth) {
  EXPECT_EQ(Bits("f32[] 1", F16), "f16[2] {0,1.875}");
  EXPECT_EQ(Bits("s32[1] {16909184}", S8), "s8[1,4] {{-128,3,2,1}}");
  EXPECT_EQ(Bits("f16[2] {0,1.875}", F32), "f32[] 1");
  EXPECT_EQ(Bits("f32[1] {-0.0}", U32), "u32[1] {2147483648}");
  EXPECT_EQ(Bits("u8[1] {33}", U4), "u4[1,2] {{1,2}}");  // the low half first
  EXPECT_EQ(Bits("c64[1,2] {{(1,2),(3,4)}}", C128).substr(0, 7), "c128[1]");
  const auto to = [](PrimitiveType type) {
    return [type](XlaOp x) { return BitcastConvertType(x, type); };
  };
  EXPECT_EQ(ShapeOf(to(F16), "f32[10]"), "f16[10,2]");
  EXPECT_EQ(ShapeOf(to(F16), "f32[]"), "f16[2]");
  EXPECT_EQ(ShapeOf(to(F32), "f16[10,2]"), "f32[10]");
  EXPECT_EQ(ShapeOf(to(C128), "c64[3,2]"), "c128[3]");
  EXPECT_TRUE(ShapeOf(to(F32), "f16[10,3]").starts_with("INVALID_ARGUMENT: bitcast-convert:"));
  EXPECT_TRUE(ShapeOf(to(F32), "f16[]").starts_with("INVALID_ARGUMENT: bitcast-convert:"));
  EXPECT_TRUE(ShapeOf(to(F32), "c64[2]").starts_with("INVALID_ARGUMENT: bitcast-convert:"));
}

TEST(WorkedConversions, BitsOfTenNumbers) {
  const std::string wide = "f32[10] {1,2.25,3.5,4.75,6,7.25,8.5,9.75,11,12.25}";
  const std::string narrow = Bits(wide, F16);
  EXPECT_EQ(narrow.substr(0, narrow.find("},{0,2.375")),
            "f16[10,2] {{0,1.875},{0,2.0312},{0,2.1875},{0,2.2969");
  EXPECT_EQ(Bits(narrow, F32), wide);
}

}  // namespace
}  // namespace axle
