// Worked examples of XLA's element-wise operations.
#include "tests/builder/worked.h"

namespace axle {
namespace {

using O = XlaOp;

TEST(WorkedElementwise, DivAndRem) {
  const auto div = [](O x, O y) { return Div(x, y); };
  const auto rem = [](O x, O y) { return Rem(x, y); };
  EXPECT_EQ(ResultOf(div, "s32[4] {7,-7,5,-2147483648}", "s32[4] {2,2,0,-1}"),
            "s32[4] {3,-3,-1,-2147483648}");
  EXPECT_EQ(ResultOf(div, "u8[2] {7,0}", "u8[2] {0,0}"), "u8[2] {255,255}");
  EXPECT_EQ(ResultOf(div, "u4[2] {7,1}", "u4[2] {0,0}"), "u4[2] {15,15}");
  EXPECT_EQ(ResultOf(div, "f32[3] {1,-1,0}", "f32[3] {0,0,0}"), "f32[3] {inf,-inf,nan}");
  EXPECT_EQ(ResultOf(rem, "s32[4] {7,-7,5,-2147483648}", "s32[4] {2,2,0,-1}"), "s32[4] {1,-1,5,0}");
  EXPECT_EQ(ResultOf(rem, "f32[5] {5.5,-4,1,inf,nan}", "f32[5] {-2,2,0,2,1}"),
            "f32[5] {1.5,-0,nan,nan,nan}");
  EXPECT_EQ(ResultOf(rem, "f32[2] {-3,3}", "f32[2] {inf,-0.0}"), "f32[2] {-3,nan}");
}

TEST(WorkedElementwise, ComplexDiv) {
  const auto div = [](O x, O y) { return Div(x, y); };
  EXPECT_EQ(ResultOf(div, "c64[] (1,2)", "c64[] (3,-4)"), "c64[] (-0.2,0.4)");
  EXPECT_EQ(ResultOf(div, "c64[] (1,-2)", "c64[] (-0.0,0)"), "c64[] (-inf,inf)");
  EXPECT_EQ(ResultOf(div, "c64[] (1,2)", "c64[] (inf,inf)"), "c64[] (0,0)");
}

TEST(WorkedElementwise, ArithmeticOfPred) {
  const std::string_view x = "pred[4] {0,0,1,1}", y = "pred[4] {0,1,0,1}";
  EXPECT_EQ(ResultOf([](O a, O b) { return Add(a, b); }, x, y), "pred[4] {0,1,1,1}");
  EXPECT_EQ(ResultOf([](O a, O b) { return Mul(a, b); }, x, y), "pred[4] {0,0,0,1}");
  EXPECT_EQ(ResultOf([](O a, O b) { return Max(a, b); }, x, y), "pred[4] {0,1,1,1}");
  EXPECT_EQ(ResultOf([](O a, O b) { return Min(a, b); }, x, y), "pred[4] {0,0,0,1}");
  EXPECT_EQ(ResultOf([](O a, O b) { return Xor(a, b); }, x, y), "pred[4] {0,1,1,0}");
  EXPECT_TRUE(ShapeOf([](O a, O b) { return Sub(a, b); }, "pred[]", "pred[]")
                  .starts_with("INVALID_ARGUMENT: subtract:"));
}

TEST(WorkedElementwise, ComplexMulHasNoSpecialCases) {
  EXPECT_EQ(ResultOf([](O x, O y) { return Mul(x, y); }, "c64[2] {(1,2),(inf,0)}",
                     "c64[2] {(3,4),(1,0)}"),
            "c64[2] {(-5,10),(inf,nan)}");
}

TEST(WorkedElementwise, MaxAndMin) {
  const auto max = [](O x, O y) { return Max(x, y); };
  const auto min = [](O x, O y) { return Min(x, y); };
  EXPECT_EQ(ResultOf(max, "f32[5] {1,nan,2,-0.0,0}", "f32[5] {2,1,nan,0,-0.0}"),
            "f32[5] {2,nan,nan,0,0}");
  EXPECT_EQ(ResultOf(min, "f32[5] {1,nan,2,-0.0,0}", "f32[5] {2,1,nan,0,-0.0}"),
            "f32[5] {1,nan,nan,-0,-0}");
  EXPECT_EQ(ResultOf(max, "u8[] 255", "u8[] 1"), "u8[] 255");
  EXPECT_EQ(ResultOf(max, "s8[] -1", "s8[] 1"), "s8[] 1");
}

TEST(WorkedElementwise, Pow) {
  const auto pow = [](O x, O y) { return Pow(x, y); };
  EXPECT_EQ(ResultOf(pow, "f32[4] {1,nan,-8,0}", "f32[4] {nan,0,0.5,-3}"), "f32[4] {1,1,nan,inf}");
  EXPECT_EQ(ResultOf(pow, "f32[4] {-0.0,-0.0,-inf,-inf}", "f32[4] {-3,-2,0.5,-0.5}"),
            "f32[4] {-inf,inf,inf,0}");
  EXPECT_EQ(ResultOf(pow, "s32[7] {1,-1,-1,0,2,3,-2}", "s32[7] {-5,-4,-3,-1,-1,4,31}"),
            "s32[7] {1,1,-1,0,0,81,-2147483648}");
  EXPECT_EQ(ResultOf(pow, "s64[] 2", "s64[] 100"), "s64[] 0");  // not 2^36
  EXPECT_EQ(ResultOf(pow, "u8[2] {3,2}", "u8[2] {255,128}"), "u8[2] {171,0}");
  EXPECT_EQ(ResultOf(pow, "c64[3] {(1,0),(nan,1),(0,0)}", "c64[3] {(nan,3),(0,0),(2,0)}"),
            "c64[3] {(1,0),(1,0),(0,0)}");
  EXPECT_EQ(ResultOf(pow, "c64[2] {(inf,0),(inf,0)}", "c64[2] {(2,0),(-2,0)}"),
            "c64[2] {(inf,0),(0,0)}");
}

TEST(WorkedElementwise, Shifts) {
  EXPECT_EQ(
      ResultOf([](O x, O y) { return ShiftLeft(x, y); },
               "s32[8] {305419896,-268431360,1,3,77,1,-3,77}", "s32[8] {4,8,2,7,15,32,100,-1}"),
      "s32[8] {591751040,1048576,4,384,2523136,0,0,0}");
  EXPECT_EQ(
      ResultOf([](O x, O y) { return ShiftRightArithmetic(x, y); },
               "s32[8] {-1842063752,268439552,1,3,77,1,-3,77}", "s32[8] {4,8,2,7,2,32,100,-1}"),
      "s32[8] {-115128985,1048592,0,0,19,0,-1,0}");
  EXPECT_EQ(ResultOf([](O x, O y) { return ShiftRightLogical(x, y); }, "s8[3] {-128,-1,-1}",
                     "s8[3] {7,8,-1}"),
            "s8[3] {1,0,0}");
  EXPECT_EQ(ResultOf([](O x, O y) { return ShiftRightArithmetic(x, y); }, "u8[2] {128,64}",
                     "u8[2] {7,9}"),
            "u8[2] {255,0}");
}

TEST(WorkedElementwise, Atan2AndComplex) {
  const auto atan2 = [](O y, O x) { return Atan2(y, x); };
  EXPECT_EQ(ResultOf(atan2, "f32[5] {0,-0.0,0,1,nan}", "f32[5] {-1,-1,1,0,1}"),
            "f32[5] {3.14159274,-3.14159274,0,1.57079637,nan}");
  EXPECT_EQ(ResultOf([](O re, O im) { return Complex(re, im); }, "f32[2] {1,2}", "f32[] -3"),
            "c64[2] {(1,-3),(2,-3)}");
  EXPECT_TRUE(ShapeOf([](O re, O im) { return Complex(re, im); }, "f16[]", "f16[]")
                  .starts_with("UNIMPLEMENTED: complex:"));
}

// --- comparisons --------------------------------------------------------------------------------

TEST(WorkedElementwise, Comparisons) {
  const std::string_view x = "f32[3] {1,nan,-0.0}", y = "f32[3] {1,nan,0}";
  EXPECT_EQ(ResultOf([](O a, O b) { return Eq(a, b); }, x, y), "pred[3] {1,0,1}");
  EXPECT_EQ(ResultOf([](O a, O b) { return Ne(a, b); }, x, y), "pred[3] {0,1,0}");
  EXPECT_EQ(ResultOf([](O a, O b) { return Ge(a, b); }, x, y), "pred[3] {1,0,1}");
  EXPECT_EQ(ResultOf([](O a, O b) { return EqTotalOrder(a, b); }, x, y), "pred[3] {1,1,0}");
  EXPECT_EQ(ResultOf([](O a, O b) { return LtTotalOrder(a, b); }, x, y), "pred[3] {0,0,1}");
  EXPECT_EQ(ResultOf([](O a, O b) { return Lt(a, b); }, "pred[2] {0,1}", "pred[2] {1,0}"),
            "pred[2] {1,0}");
  EXPECT_EQ(
      ResultOf([](O a, O b) { return Ne(a, b); }, "c64[2] {(1,2),(1,2)}", "c64[2] {(1,2),(1,3)}"),
      "pred[2] {0,1}");
}

// Each element before the next one.
TEST(WorkedElementwise, TotalOrderIsAChain) {
  const auto chain = [](O x) {
    const i64 n = x.instruction()->shape().dims()[0];
    return LtTotalOrder(Slice(x, {0}, {n - 1}), Slice(x, {1}, {n}));
  };
  EXPECT_EQ(ResultOf(chain, "f32[8] {-nan,-inf,-1,-0.0,0,1,inf,nan}"), "pred[7] {1,1,1,1,1,1,1}");
  EXPECT_EQ(ResultOf(chain, "f8e4m3fnuz[6] {nan,-240,-1,0,1,240}"), "pred[5] {1,1,1,1,1}");
  EXPECT_EQ(ResultOf(chain, "f8e8m0fnu[4] {0.5,1,2,nan}"), "pred[3] {1,1,1}");
}

// --- unary --------------------------------------------------------------------------------------

TEST(WorkedElementwise, MagnitudesAndSigns) {
  const auto abs = [](O x) { return Abs(x); };
  EXPECT_EQ(ResultOf(abs, "s8[2] {-128,-5}"), "s8[2] {-128,5}");
  EXPECT_EQ(ResultOf(abs, "f32[3] {-0.0,-2,nan}"), "f32[3] {0,2,nan}");
  EXPECT_EQ(ResultOf(abs, "c64[2] {(3,-4),(inf,nan)}"), "f32[2] {5,inf}");
  const auto sign = [](O x) { return Sign(x); };
  EXPECT_EQ(ResultOf(sign, "s32[3] {-7,0,9}"), "s32[3] {-1,0,1}");
  EXPECT_EQ(ResultOf(sign, "f32[5] {-2,-0.0,0,3,nan}"), "f32[5] {-1,-0,0,1,nan}");
  EXPECT_EQ(ResultOf(sign, "c64[2] {(0,0),(3,-4)}"), "c64[2] {(0,0),(0.6,-0.8)}");
  const auto neg = [](O x) { return Neg(x); };
  EXPECT_EQ(ResultOf(neg, "s8[2] {-128,1}"), "s8[2] {-128,-1}");
  EXPECT_EQ(ResultOf(neg, "u8[2] {1,0}"), "u8[2] {255,0}");
  EXPECT_EQ(ResultOf(neg, "f32[2] {0,-inf}"), "f32[2] {-0,inf}");
}

TEST(WorkedElementwise, Rounding) {
  EXPECT_EQ(ResultOf([](O x) { return Ceil(x); }, "f32[2] {-0.5,1.25}"), "f32[2] {-0,2}");
  EXPECT_EQ(ResultOf([](O x) { return Floor(x); }, "f32[2] {-0.5,1.25}"), "f32[2] {-1,1}");
  EXPECT_EQ(ResultOf([](O x) { return Round(x); }, "f32[3] {0.5,-0.5,2.5}"), "f32[3] {1,-1,3}");
  EXPECT_EQ(ResultOf([](O x) { return RoundNearestEven(x); }, "f32[4] {0.5,-0.5,1.5,2.5}"),
            "f32[4] {0,-0,2,2}");
}

TEST(WorkedElementwise, Bits) {
  EXPECT_EQ(ResultOf([](O x) { return Clz(x); }, "u32[4] {0,1,16,305419896}"),
            "u32[4] {32,31,27,3}");
  EXPECT_EQ(ResultOf([](O x) { return PopulationCount(x); }, "s4[2] {-6,7}"), "s4[2] {2,3}");
  EXPECT_EQ(ResultOf([](O x) { return Not(x); }, "s8[2] {5,-1}"), "s8[2] {-6,0}");
  EXPECT_EQ(ResultOf([](O x) { return Not(x); }, "pred[2] {0,1}"), "pred[2] {1,0}");
}

TEST(WorkedElementwise, FunctionsAtTheirEdges) {
  const auto check = [](O (*f)(O), std::string_view x, std::string_view expected) {
    EXPECT_EQ(ResultOf(f, x), expected);
  };
  check([](O x) { return Cos(x); }, "f32[2] {inf,0}", "f32[2] {nan,1}");
  check([](O x) { return Sin(x); }, "f32[2] {-inf,-0.0}", "f32[2] {nan,-0}");
  check([](O x) { return Tan(x); }, "f32[2] {inf,0}", "f32[2] {nan,0}");
  check([](O x) { return Exp(x); }, "f32[3] {-inf,0,inf}", "f32[3] {0,1,inf}");
  check([](O x) { return Expm1(x); }, "f32[2] {-0.0,1e-10}", "f32[2] {-0,1e-10}");
  check([](O x) { return Log(x); }, "f32[4] {0,-0.0,-1,1}", "f32[4] {-inf,-inf,nan,0}");
  check([](O x) { return Log(x); }, "c64[] (-1,0)", "c64[] (0,3.14159274)");
  check([](O x) { return Log1p(x); }, "f32[3] {-1,-2,0}", "f32[3] {-inf,nan,0}");
  check([](O x) { return Logistic(x); }, "f32[4] {-inf,0,inf,nan}", "f32[4] {0,0.5,1,nan}");
  check([](O x) { return Tanh(x); }, "f32[3] {-inf,-0.0,inf}", "f32[3] {-1,-0,1}");
  check([](O x) { return Erf(x); }, "f32[3] {-inf,0,inf}", "f32[3] {-1,0,1}");
  check([](O x) { return Sqrt(x); }, "f32[3] {-0.0,-1,4}", "f32[3] {-0,nan,2}");
  check([](O x) { return Rsqrt(x); }, "f32[4] {0,-0.0,inf,-1}", "f32[4] {inf,-inf,0,nan}");
  check([](O x) { return Cbrt(x); }, "f32[4] {-8,-0.0,-inf,27}", "f32[4] {-2,-0,-inf,3}");
}

TEST(WorkedElementwise, ComplexSqrt) {
  const auto sqrt = [](O x) { return Sqrt(x); };
  EXPECT_EQ(ResultOf(sqrt, "c64[2] {(0,0),(-4,0)}"), "c64[2] {(0,0),(0,2)}");
  EXPECT_EQ(ResultOf(sqrt, "c64[2] {(nan,inf),(1,-inf)}"), "c64[2] {(inf,inf),(inf,-inf)}");
  EXPECT_EQ(ResultOf(sqrt, "c64[1] {(-inf,-3)}"), "c64[1] {(0,-inf)}");
}

TEST(WorkedElementwise, PartsOfNumbers) {
  EXPECT_EQ(ResultOf([](O x) { return Real(x); }, "c64[] (1,2)"), "f32[] 1");
  EXPECT_EQ(ResultOf([](O x) { return Imag(x); }, "c64[] (1,2)"), "f32[] 2");
  EXPECT_EQ(ResultOf([](O x) { return Real(x); }, "f32[] -0.0"), "f32[] -0");
  EXPECT_EQ(ResultOf([](O x) { return Imag(x); }, "f32[] -3"), "f32[] 0");
  EXPECT_EQ(ResultOf([](O x) { return Conj(x); }, "c64[] (1,2)"), "c64[] (1,-2)");
  EXPECT_EQ(ShapeOf([](O x) { return Conj(x); }, "f64[3]"), "c128[3]");
  EXPECT_EQ(ResultOf([](O x) { return IsFinite(x); }, "f32[4] {1,inf,-inf,nan}"),
            "pred[4] {1,0,0,0}");
}

// --- clamp, select, precision -------------------------------------------------------------------

TEST(WorkedElementwise, Clamp) {
  const auto clamp = [](O min, O x, O max) { return Clamp(min, x, max); };
  EXPECT_EQ(ResultOf(clamp, "s32[] 0", "s32[3] {-1,5,9}", "s32[] 6"), "s32[3] {0,5,6}");
  EXPECT_EQ(ResultOf(clamp, "f32[] 0", "f32[5] {2,10,-5,1,10}", "f32[] 3"), "f32[5] {2,3,0,1,3}");
  EXPECT_EQ(ResultOf(clamp, "f32[] 5", "f32[2] {1,nan}", "f32[] 2"), "f32[2] {2,nan}");
  EXPECT_EQ(ResultOf(clamp, "s32[3] {0,1,2}", "s32[] 1", "s32[3] {0,5,9}"), "s32[3] {0,1,2}");
  EXPECT_EQ(ResultOf(clamp, "pred[] 0", "pred[2] {0,1}", "pred[] 1"), "pred[2] {0,1}");
}

TEST(WorkedElementwise, Select) {
  const auto select = [](O p, O x, O y) { return Select(p, x, y); };
  const std::string_view v1 = "s32[4] {1,2,3,4}", v2 = "s32[4] {100,200,300,400}";
  EXPECT_EQ(ResultOf(select, "pred[4] {1,0,0,1}", v1, v2), "s32[4] {1,200,300,4}");
  EXPECT_EQ(ResultOf(select, "pred[] true", v1, v2), "s32[4] {1,2,3,4}");
  EXPECT_EQ(
      ResultOf(select, "pred[] false", "(s32[], f32[1]) (1, {2})", "(s32[], f32[1]) (3, {4})"),
      "(s32[],f32[1]) (3,{4})");
}

// Exponent bits first, then mantissa bits.
TEST(WorkedElementwise, ReducePrecision) {
  EXPECT_EQ(ResultOf([](O x) { return ReducePrecision(x, 5, 10); },
                     "f32[6] {1.0001,65520,1e-05,-1e-05,inf,-0.0}"),
            "f32[6] {1,inf,0,-0,inf,-0}");
  EXPECT_EQ(ResultOf([](O x) { return ReducePrecision(x, 8, 0); }, "f32[3] {1.5,2.5,nan}"),
            "f32[3] {2,2,nan}");
  EXPECT_EQ(ResultOf([](O x) { return ReducePrecision(x, 11, 52); }, "f32[] 0.1"), "f32[] 0.1");
  EXPECT_TRUE(ShapeOf([](O x) { return ReducePrecision(x, 0, 1); }, "f32[]")
                  .starts_with("INVALID_ARGUMENT: reduce-precision:"));
}

}  // namespace
}  // namespace axle
