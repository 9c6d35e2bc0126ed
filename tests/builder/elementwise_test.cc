// The builder's elementwise functions, and how they broadcast.
#include "tests/builder/built.h"

namespace axle {
namespace {

TEST(XlaBuilder, OperatorsAreTheFunctions) {
  XlaBuilder b("ops");
  const XlaOp x = Param(b, 0, "s32[2]"), y = Param(b, 1, "s32[2]");
  Tuple(&b, std::vector<XlaOp>{x + y, x - y, x * y, x / y, x % y, -x, x & y, x | y});
  EXPECT_EQ(
      RunBuilt(b, {"s32[2] {7, -7}", "s32[2] {2, 2}"}),
      "(s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2]) ( {9, -5}, {5, -9}, {14, "
      "-14}, {3, -3}, {1, -1}, {-7, 7}, {2, 0}, {7, -5} )");
}

TEST(XlaBuilder, BitOperatorsAreTheFunctions) {
  XlaBuilder b("bits");
  const XlaOp x = Param(b, 0, "s32[2]"), y = Param(b, 1, "s32[2]");
  const XlaOp u = BitcastConvertType(x, U32), one = ConstantR0<std::uint32_t>(&b, 1);
  Tuple(&b, std::vector<XlaOp>{x ^ y, ~x, x << y, x >> y, u >> Broadcast(one, Dims{2})});
  EXPECT_EQ(RunBuilt(b, {"s32[2] {7, -8}", "s32[2] {2, 1}"}),
            "(s32[2], s32[2], s32[2], s32[2], u32[2]) ( {5, -7}, {-8, 7}, {28, -16}, {1, -4}, {3, "
            "2147483644} )");
}

TEST(XlaBuilder, ShiftsByOperatorTakeIntegersOnly) {
  XlaBuilder b("bits");
  const XlaOp x = Param(b, 0, "f32[2]");
  x >> x;
  EXPECT_TRUE(b.first_error().message().starts_with("operator>>: takes integers only, not f32"))
      << b.first_error().message();
}

TEST(XlaBuilder, VariadicAndOrFoldFromTheRight) {
  XlaBuilder b("logic");
  const XlaOp x = Param(b, 0, "u8[]"), y = Param(b, 1, "u8[]"), z = Param(b, 2, "u8[]");
  Tuple(&b, std::vector<XlaOp>{And(x, y, z), Or(x, y, z, y)});
  EXPECT_EQ(RunBuilt(b, {"u8[] 7", "u8[] 14", "u8[] 28"}), "(u8[], u8[]) ( 4, 31 )");
}

TEST(XlaBuilder, ComplexNumbersAndTheirParts) {
  XlaBuilder b("complex");
  const XlaOp x = Param(b, 0, "f32[2]"), z = Complex(x, x);
  Tuple(&b, std::vector<XlaOp>{Conj(z), Conj(x), ConvertElementType(z, S32)});
  EXPECT_EQ(RunBuilt(b, {"f32[2] {1, -3}"}),
            "(c64[2], c64[2], s32[2]) ( {(1, -1), (-3, 3)}, {(1, -0), (-3, -0)}, {1, -3} )");
}

TEST(XlaBuilder, ConversionsOfBits) {
  XlaBuilder b("conversions");
  const XlaOp x = Param(b, 0, "f32[2]"), random = Param(b, 1, "u32[2]");
  Tuple(&b, std::vector<XlaOp>{ReducePrecision(x, 8, 0), StochasticConvertType(x, random, S8),
                               BitcastConvertType(x, U16)});
  EXPECT_EQ(RunBuilt(b, {"f32[2] {1.5, -2.5}", "u32[2] {0, 4294967295}"}),
            "(f32[2], s8[2], u16[2,2]) ( {2, -2}, {2, -2}, { { 0, 16320 }, { 0, 49184 } } )");
}

TEST(XlaBuilder, TotalOrderOfFloatsAndOfOtherTypes) {
  XlaBuilder b("order");
  const XlaOp x = Param(b, 0, "f32[2]"), i = Param(b, 1, "s32[2]");
  const XlaOp zero = ConstantR1<float>(&b, {0, 0}), none = ConstantR1<std::int32_t>(&b, {0, 0});
  Tuple(&b, std::vector<XlaOp>{LtTotalOrder(x, zero), EqTotalOrder(x, zero), Eq(x, zero),
                               GeTotalOrder(i, none)});
  EXPECT_EQ(RunBuilt(b, {"f32[2] {-0.0, nan}", "s32[2] {-1, 0}"}),
            "(pred[2], pred[2], pred[2], pred[2]) ( {1, 0}, {0, 0}, {1, 0}, {0, 1} )");
}

TEST(XlaBuilder, ComparisonsAndConversion) {
  XlaBuilder b("compare");
  const XlaOp x = Param(b, 0, "f32[3]"), y = ConstantR0<float>(&b, 2);
  Tuple(&b,
        std::vector<XlaOp>{Eq(x, y), Ne(x, y), Ge(x, y), Gt(x, y), Le(x, y), Lt(x, y),
                           Compare(x, y, {}, ComparisonDirection::kLt, ComparisonType::kTotalOrder),
                           ConvertElementType(x, S32)});
  EXPECT_EQ(
      RunBuilt(b, {"f32[3] {1, 2, nan}"}),
      "(pred[3], pred[3], pred[3], pred[3], pred[3], pred[3], pred[3], s32[3]) ( {0, 1, 0}, {1, 0, "
      "1}, {0, 1, 0}, {0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {1, 0, 0}, {1, 2, 0} )");
}

TEST(XlaBuilder, SelectAndClampBroadcastScalarsOnly) {
  XlaBuilder b("select");
  const XlaOp p = Param(b, 0, "pred[3]"), x = Param(b, 1, "f32[3]"),
              zero = ConstantR0<float>(&b, 0);
  Tuple(&b, std::vector<XlaOp>{Select(p, x, zero), Select(p, zero, x), Select(p, zero, zero),
                               Clamp(zero, x, ConstantR0<float>(&b, 2)), Clamp(x, zero, x)});
  EXPECT_EQ(RunBuilt(b, {"pred[3] {1, 0, 1}", "f32[3] {-1, 2, 3}"}),
            "(f32[3], f32[3], f32[3], f32[3], f32[3]) ( {-1, 0, 3}, {0, 2, 0}, {0, 0, 0}, {0, 2, "
            "2}, {-1, "
            "2, 3} )");
}

TEST(XlaBuilder, SelectOfTuplesIsAConditional) {
  XlaBuilder b("select");
  const XlaOp p = Param(b, 0, "pred[]"), x = Param(b, 1, "(f32[], s32[2])");
  const XlaOp y = Param(b, 2, "(f32[], s32[2])");
  Select(p, x, y);
  EXPECT_EQ(RunBuilt(b, {"pred[] 0", "(f32[], s32[2]) (1, {2, 3})", "(f32[], s32[2]) (4, {5, 6})"}),
            "(f32[], s32[2]) ( 4, {5, 6} )");
  XlaBuilder mixed("select");
  const XlaOp q = Param(mixed, 0, "pred[]"), z = Param(mixed, 1, "(f32[])");
  Select(q, z, Param(mixed, 2, "(s32[])"));
  EXPECT_EQ(mixed.first_error().code(), StatusCode::kInvalidArgument);
}

// Implicit broadcasting: the cases of https://openxla.org/xla/broadcasting.
struct BroadcastCase {
  std::string_view what, lhs, rhs;
  Dims dims;
  std::string expect;
};

TEST(XlaBuilder, BinaryOpsBroadcast) {
  const BroadcastCase kCases[] = {
      {"row",
       "f32[2,3] {{1,2,3},{4,5,6}}",
       "f32[3] {7,8,9}",
       {1},
       "f32[2,3] { { 8, 10, 12 }, { 11, 13, 15 } }"},
      {"scalar",
       "f32[2,3] {{1,2,3},{4,5,6}}",
       "f32[] 7",
       {},
       "f32[2,3] { { 8, 9, 10 }, { 11, 12, 13 } }"},
      {"column",
       "f32[3] {7,8,9}",
       "f32[3,3] {{0,0,0},{0,0,0},{0,0,0}}",
       {0},
       "f32[3,3] { { 7, 7, 7 }, { 8, 8, 8 }, { 9, 9, 9 } }"},
      {"both ways",
       "f32[4] {1,2,3,4}",
       "f32[1,2] {{5,6}}",
       {0},
       "f32[4,2] { { 6, 7 }, { 7, 8 }, { 8, 9 }, { 9, 10 } }"},
      {"equal ranks, size 1",
       "f32[2,1] {{1},{2}}",
       "f32[1,3] {{10,20,30}}",
       {},
       "f32[2,3] { { 11, 21, 31 }, { 12, 22, 32 } }"},
      {"size 0 against 1", "f32[0] {}", "f32[1] {1}", {}, "f32[0] {}"},
      {"three dimensions",
       "f32[1,2] {{1,2}}",
       "f32[2,3,1] {{{1},{2},{3}},{{4},{5},{6}}}",
       {1, 2},
       "f32[2,3,2] { { { 2, 3 }, { 3, 4 }, { 4, 5 } }, { { 5, 6 }, { 6, 7 }, { 7, 8 } } }"},
  };
  for (const BroadcastCase& c : kCases) {
    SCOPED_TRACE(c.what);
    XlaBuilder b("broadcast");
    const XlaOp x = Parameter(&b, 0, Value(c.lhs).shape(), "x");
    const XlaOp y = Parameter(&b, 1, Value(c.rhs).shape(), "y");
    Add(x, y, c.dims);
    EXPECT_EQ(RunBuilt(b, {c.lhs, c.rhs}), c.expect);
  }
}

TEST(XlaBuilder, ImpossibleBroadcastsNameTheRule) {
  const struct {
    std::string_view lhs, rhs;
    Dims dims;
    std::string_view what;
  } kCases[] = {
      {"f32[3]", "f32[2,3]", {0}, "sizes 3 and 2 of dimension 0 do not broadcast"},
      {"f32[3]", "f32[2,3]", {}, "operands must have equal rank, or broadcast_dimensions"},
      {"f32[2,3]",
       "f32[2,3,4]",
       {1, 0},
       "broadcast_dimensions {1,0} must increase and be dimensions of the larger operand"},
      {"f32[3]",
       "f32[2,3]",
       {2},
       "broadcast_dimensions {2} must increase and be dimensions of the larger operand"},
      {"f32[7,2,5]", "f32[7,2,6]", {}, "sizes 5 and 6 of dimension 2 do not broadcast"},
      {"f32[]", "f32[3]", {0}, "a scalar takes no broadcast_dimensions"},
      {"f32[2,3]",
       "f32[2,3]",
       {1, 0},
       "broadcast_dimensions of operands of one rank must be 0, 1, ..."},
      {"f32[3]",
       "f32[2,3]",
       {0, 1},
       "broadcast_dimensions has 2 entries but the smaller operand has rank 1"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    XlaBuilder b("broadcast");
    const XlaOp x = Param(b, 0, c.lhs), y = Param(b, 1, c.rhs);
    const int line = __LINE__ + 1;
    Add(x, y, c.dims);
    EXPECT_EQ(b.first_error().message(), StrCat("add: ", c.what, "; lhs ", c.lhs, ", rhs ", c.rhs,
                                                " at ", __FILE__, ":", line));
  }
}

TEST(XlaBuilder, BroadcastForms) {
  XlaBuilder b("broadcast");
  const XlaOp x = Param(b, 0, "f32[2]");
  Tuple(&b, std::vector<XlaOp>{Broadcast(x, Dims{3}), BroadcastInDim(x, Dims{2, 3}, Dims{0}),
                               BroadcastInDim(Reshape(x, Dims{2, 1}), Dims{2, 2}, Dims{0, 1})});
  EXPECT_EQ(
      RunBuilt(b, {"f32[2] {1, 2}"}),
      "(f32[3,2], f32[2,3], f32[2,2]) ( { { 1, 2 }, { 1, 2 }, { 1, 2 } }, { { 1, 1, 1 }, { 2, 2, 2 "
      "} }, { { 1, 1 }, { 2, 2 } } )");
}

}  // namespace
}  // namespace axle
