// Constants, reducers and comparators by element type.
#include "axle/lib/constants.h"

#include "axle/lib/arithmetic.h"
#include "axle/lib/comparators.h"
#include "tests/lib/lib_test.h"

namespace axle {
namespace {

using Ops = std::vector<XlaOp>;

TEST(Constants, OfEachType) {
  const auto constant = [](XlaOp (*make)(XlaBuilder*, PrimitiveType, Location),
                           PrimitiveType type) {
    return Result(
        [&](XlaBuilder& b, Ops) { return make(&b, type, std::source_location::current()); });
  };
  EXPECT_EQ(constant(Zero, C64), "c64[] (0, 0)");
  EXPECT_EQ(constant(One, BF16), "bf16[] 1");
  EXPECT_EQ(constant(One, PRED), "pred[] true");
  EXPECT_EQ(constant(MinValue, F32), "f32[] -inf");
  EXPECT_EQ(constant(MaxValue, S8), "s8[] 127");
  EXPECT_EQ(constant(MinFiniteValue, F16), "f16[] -65504");
  EXPECT_EQ(constant(MaxFiniteValue, F16), "f16[] 65504");
  EXPECT_EQ(constant(Epsilon, F64), "f64[] 2.2204460492503131e-16");
  EXPECT_EQ(constant(MinPositiveNormalValue, F64), "f64[] 2.2250738585072014e-308");
  EXPECT_EQ(constant(NanValue, F32), "f32[] nan");
  EXPECT_EQ(constant(MinValue, C64), "min value: takes a real type, got c64");
  EXPECT_EQ(constant(Zero, TOKEN), "zero: takes an array type, got token");
  EXPECT_EQ(constant(Epsilon, S32), "epsilon: takes a float type, got s32");
  EXPECT_EQ(constant(NanValue, S32), "nan value: takes a float or complex type, got s32");
}

TEST(Constants, OfValues) {
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) { return ConstantR0WithType(&b, BF16, 1.00390625); }),
            "bf16[] 1");
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) { return ConstantR0WithType(&b, S8, 3.0); }), "s8[] 3");
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) { return ConstantR0WithType(&b, U32, -1); }),
            "constant: -1 is out of the range of u32, 0 to 4294967295");
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) { return ConstantR0WithType(&b, S8, 3.5); }),
            "constant: 3.5 is not an integer, as s8 needs");
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) {
              return ConstantR0WithType(&b, F32, std::complex<float>(1, 2));
            }),
            "constant: (1, 2) is complex, and f32 is not");
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) { return ConstantR0WithType(&b, TUPLE, 1); }),
            "constant: cannot make a scalar tuple of s32[] 1");
}

TEST(Constants, LikeAnOperand) {
  EXPECT_EQ(
      Result([](XlaBuilder&, Ops p) { return p[0] * ScalarLike(p[0], 0.5); }, {"f16[2] {1, 3}"}),
      "f16[2] {0.5, 1.5}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return FullLike(p[0], 7); }, {"u8[1,2] {{1, 3}}"}),
            "u8[1,2] { { 7, 7 } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return FullLike(p[0], 7); }, {"s32[<=3](2) {1, 3}"}),
            "s32[<=3](2) {7, 7}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return IotaLike(p[0], 1); }, {"u8[1,2] {{1, 3}}"}),
            "u8[1,2] { { 0, 1 } }");
  EXPECT_EQ(
      Result([](XlaBuilder&, Ops p) { return IotaLike(p[0], 0, F32); }, {"s32[<=3](2) {1, 3}"}),
      "f32[<=3](2) {0, 1}");
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) {
              return ZerosLike(Tuple(&b, {One(&b, S32), ConstantR1<float>(&b, {1, 2})}));
            }),
            "(s32[], f32[2]) ( 0, {0, 0} )");
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) {
              return Zeros(&b, Shape(F32, {0, 2}));
            }),
            "f32[0,2] {  }");
}

// Every function and operator that takes a number beside an operand.
TEST(Constants, NumbersFitTheOperandsType) {
  const auto refused = [](std::string_view what, auto number, std::string_view operand) {
    using T = decltype(number);
    const std::pair<std::string_view, std::function<XlaOp(XlaOp)>> uses[] = {
        {"like", [&](XlaOp x) { return x + ScalarLike(x, number); }},
        {"full", [&](XlaOp x) { return x + FullLike(x, number); }},
        {"n + x", [&](XlaOp x) { return number + x; }},
        {"x + n", [&](XlaOp x) { return x + number; }},
        {"n - x", [&](XlaOp x) { return number - x; }},
        {"x - n", [&](XlaOp x) { return x - number; }},
        {"n * x", [&](XlaOp x) { return number * x; }},
        {"x * n", [&](XlaOp x) { return x * number; }},
        {"n / x", [&](XlaOp x) { return number / x; }},
        {"x / n", [&](XlaOp x) { return x / number; }},
    };
    for (const auto& [name, use] : uses) {
      EXPECT_EQ(Result([&](XlaBuilder&, Ops p) { return use(p[0]); }, {operand}), what) << name;
    }
    const Literal scalar = LiteralUtil::CreateR0<T>(number);
    EXPECT_EQ(
        Result([&](XlaBuilder& b,
                   Ops p) { return ConstantR0WithType(&b, b.GetShape(p[0])->type(), scalar); },
               {operand}),
        what);
  };
  refused("constant: 300 is out of the range of s8, -128 to 127", 300, "s8[2] {1, 2}");
  refused("constant: -1 is out of the range of u64, 0 to 18446744073709551615", -1L, "u64[1] {1}");
  refused("constant: 0.5 is not an integer, as s32 needs", 0.5, "s32[2] {1, 2}");
  refused("constant: 70000 is out of the range of f16", 70000.0F, "f16[2] {1, 2}");
  refused("constant: 1e+300 is out of the range of f32", 1e300, "f32[] 1");
  // What is rounded is taken, and so is a whole number of a float type.
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return p[0] + 2.0; }, {"s8[1] {1}"}), "s8[1] {3}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return 0.1 * p[0]; }, {"bf16[1] {1}"}),
            "bf16[1] {0.1001}");
  // The first error is kept.
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return p[0] + 300 + 400; }, {"s8[1] {1}"}),
            "constant: 300 is out of the range of s8, -128 to 127");
}

TEST(Constants, MisuseIsAnError) {
  EXPECT_EQ(ScalarLike(XlaOp(), 1), XlaOp());
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) { return FullLike(Tuple(&b, {}), 1); }),
            "full like: takes an array; operand ()");
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) {
              Parameter(&b, 0, Shape(F32), "x") + Parameter(&b, 1, Shape(S32), "y");
              return ZerosLike(XlaOp(&b, nullptr));
            }).substr(0, 4),
            "add:");
}

TEST(Arithmetic, Reducers) {
  const auto reduce = [](XlaComputation (*make)(PrimitiveType, XlaBuilder*, Location),
                         std::string_view init, std::string_view operand) {
    return Result(
        [&](XlaBuilder& b, Ops p) {
          const XlaComputation computation =
              make(p[0].instruction()->shape().type(), &b, std::source_location::current());
          return Reduce(p[1], p[0], computation, {0});
        },
        {init, operand});
  };
  EXPECT_EQ(reduce(CreateScalarAddComputation, "f32[] 0", "f32[3] {1, 2, 3}"), "f32[] 6");
  EXPECT_EQ(reduce(CreateScalarMultiplyComputation, "s32[] 1", "s32[3] {4, 2, 3}"), "s32[] 24");
  EXPECT_EQ(reduce(CreateScalarMaxComputation, "s32[] 1", "s32[3] {4, 2, 3}"), "s32[] 4");
  EXPECT_EQ(reduce(CreateScalarMinComputation, "s32[] 9", "s32[3] {4, 2, 3}"), "s32[] 2");
  EXPECT_EQ(reduce(CreateScalarAndComputation, "s32[] 7", "s32[2] {6, 3}"), "s32[] 2");
  EXPECT_EQ(reduce(CreateScalarOrComputation, "pred[] 0", "pred[2] {0, 1}"), "pred[] true");
  EXPECT_EQ(reduce(CreateScalarIdentityWithZeroComputation, "pred[] 0", "pred[2] {1, 1}"),
            "pred[] true");
  EXPECT_EQ(reduce(CreateScalarIdentityWithZeroComputation, "s8[] 0", "s8[2] {1, 1}"), "s8[] 2");
  EXPECT_EQ(CreateScalarGeComputation(F32, nullptr).GetProgramShape()->result.ToString(), "pred[]");
  EXPECT_FALSE(CreateScalarAndComputation(F32, nullptr).valid());
  EXPECT_EQ(reduce(CreateScalarAndComputation, "f32[] 7", "f32[2] {6, 3}"),
            "and: takes pred and integers only; lhs f32[], rhs f32[]");
}

TEST(Arithmetic, AnyAndAll) {
  const auto any = [](XlaBuilder&, Ops p) { return Any(p[0]); };
  const auto all = [](XlaBuilder&, Ops p) { return All(p[0]); };
  EXPECT_EQ(Result(any, {"pred[2,2] {{0, 0}, {1, 0}}"}), "pred[] true");
  EXPECT_EQ(Result(any, {"pred[0] {}"}), "pred[] false");
  EXPECT_EQ(Result(all, {"pred[2,2] {{1, 1}, {1, 0}}"}), "pred[] false");
  EXPECT_EQ(Result(any, {"s32[1] {1}"}), "any: takes pred; operand s32[1]");
}

TEST(Arithmetic, ArgMaxAndArgMin) {
  const auto argmax = [](i64 axis) {
    return [axis](XlaBuilder&, Ops p) { return ArgMax(p[0], S32, axis); };
  };
  const auto argmin = [](XlaBuilder&, Ops p) { return ArgMin(p[0], U8, 0); };
  EXPECT_EQ(Result(argmax(1), {"f32[2,3] {{1, 3, 2}, {5, 5, 4}}"}), "s32[2] {1, 0}");
  EXPECT_EQ(Result(argmax(-2), {"f32[2,3] {{1, 3, 2}, {5, 3, 4}}"}), "s32[3] {1, 0, 1}");
  EXPECT_EQ(Result(argmax(0), {"f32[4] {1, nan, 9, nan}"}), "s32[] 1");
  EXPECT_EQ(Result(argmax(0), {"f32[3] {-inf, -inf, -inf}"}), "s32[] 0");
  EXPECT_EQ(Result(argmax(0), {"f32[2] {-0.0, 0.0}"}), "s32[] 0");
  EXPECT_EQ(Result(argmax(0), {"s32[0] {}"}), "s32[] 0");
  EXPECT_EQ(Result(argmin, {"s8[4] {3, -128, 1, -128}"}), "u8[] 1");
  EXPECT_EQ(Result(argmin, {"f32[3] {3, nan, 1}"}), "u8[] 1");
  EXPECT_EQ(Result(argmax(2), {"f32[2,3] {{1, 3, 2}, {5, 5, 4}}"}),
            "argmax: there is no dimension 2; operand f32[2,3]");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return ArgMax(p[0], F32, 0); }, {"f32[1] {1}"}),
            "argmax: takes an integral output type, got f32; operand f32[1]");
  EXPECT_EQ(Result(argmax(0), {"c64[1] {(1, 2)}"}),
            "argmax: takes an array of real numbers; operand c64[1]");
}

TEST(Comparators, SortByKeysInTheTotalOrder) {
  const auto sort = [](auto make) {
    return [make](XlaBuilder& b, Ops p) {
      return Sort(p, make({F32, S32}, &b, std::source_location::current()), 0, true);
    };
  };
  EXPECT_EQ(Result(sort(CreateScalarLtComputation),
                   {"f32[5] {2, nan, -0.0, 0.0, -inf}", "s32[5] {0, 1, 2, 3, 4}"}),
            "(f32[5], s32[5]) ( {-inf, -0, 0, 2, nan}, {4, 2, 3, 0, 1} )");
  EXPECT_EQ(
      Result(sort(CreateScalarGtComputation), {"f32[4] {2, nan, 2, 3}", "s32[4] {0, 1, 2, 3}"}),
      "(f32[4], s32[4]) ( {nan, 3, 2, 2}, {1, 3, 0, 2} )");
}

TEST(Comparators, LaterKeysBreakTies) {
  EXPECT_EQ(Result(
                [](XlaBuilder& b, Ops p) {
                  const XlaComputation comparator = CreateScalarComparisonComputation(
                      "two", {S32, F32, S32}, {LtTotalOrder, std::nullopt, GtTotalOrder}, &b);
                  const XlaOp sorted = Sort(p, comparator, 0);
                  return GetTupleElement(sorted, 2);
                },
                {"s32[4] {2, 1, 2, 1}", "f32[4] {0, 0, 0, 0}", "s32[4] {5, 6, 7, 8}"}),
            "s32[4] {8, 6, 7, 5}");
}

TEST(Comparators, MisuseIsAnError) {
  const auto make = [](std::vector<PrimitiveType> types,
                       std::vector<std::optional<XlaOpGenerator>> generators) {
    return Result([&](XlaBuilder& b, Ops) {
      EXPECT_FALSE(CreateScalarComparisonComputation("c", types, generators, &b).valid());
      return XlaOp();
    });
  };
  EXPECT_EQ(make({F32}, {}), "comparator: 1 operand types but 0 generators");
  EXPECT_EQ(make({F32}, {std::nullopt}), "comparator: no operand has a generator");
  EXPECT_FALSE(CreateScalarLtComputation({}, nullptr).valid());
}

}  // namespace
}  // namespace axle
