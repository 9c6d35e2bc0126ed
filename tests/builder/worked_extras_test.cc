// Worked examples of operations that older documents of XLA do not name, and of what documents of
// different years spell or say differently.
#include "axle/computation_builder.h"
#include "axle/lib/math.h"
#include "tests/builder/worked.h"

namespace axle {
namespace {

using O = XlaOp;

bool Refused(const std::string& text) {
  return text.starts_with("INVALID_ARGUMENT:");
}

// --- operations that no seed names --------------------------------------------------------------

TEST(WorkedExtras, Mulhi) {
  const auto mulhi = [](O x, O y) { return Mulhi(x, y); };
  EXPECT_EQ(ResultOf(mulhi, "u32[1] {4294967295}", "u32[1] {4294967295}"), "u32[1] {4294967294}");
  EXPECT_EQ(ResultOf(mulhi, "s8[3] {-1,-128,127}", "s8[3] {1,-128,127}"), "s8[3] {-1,64,63}");
  EXPECT_TRUE(ShapeOf(mulhi, "f32[]", "f32[]").find("mulhi:") != std::string::npos);
}

// Rows by their group, and rows behind all groups 0.
TEST(WorkedExtras, RaggedDot) {
  const auto dot = [](O x, O y, O sizes) {
    RaggedDotDimensionNumbers numbers = {.dot_dimension_numbers = {{1}, {1}}};
    numbers.add_lhs_ragged_dimensions(0);
    numbers.add_rhs_group_dimensions(0);
    return RaggedDot(x, y, sizes, numbers);
  };
  EXPECT_EQ(
      ResultOf(dot, "f32[4,1] {{1},{2},{3},{4}}", "f32[2,1,1] {{{10}},{{100}}}", "s32[2] {1,2}"),
      "f32[4,1] {{10},{200},{300},{0}}");
}

TEST(WorkedExtras, ScaledDot) {
  const auto dot = [](O x, O y, O scale) {
    const O one = ConstantR0<float>(x.builder(), 1);
    return ScaledDot(x, y, scale, one,
                     {.lhs_contracting_dimensions = {1},
                      .rhs_contracting_dimensions = {0},
                      .lhs_batch_dimensions = {},
                      .rhs_batch_dimensions = {}});
  };
  EXPECT_EQ(
      ResultOf(dot, "f32[1,4] {{1,2,3,4}}", "f32[4,1] {{1},{1},{1},{1}}", "f32[1,2] {{10,100}}"),
      "f32[1,1] {{730}}");
}

// Reversed, the steps go from the end and the outputs stay where they belong.
TEST(WorkedExtras, Scan) {
  XlaBuilder step("step");
  const O sum = Param(step, 0, "s32[]") + Param(step, 1, "s32[]");
  const XlaComputation running = *step.Build(Tuple(&step, {sum, sum}));
  const auto scan = [&](bool reverse) {
    return [&running, reverse](O x, O init) { return Scan({x}, {init}, running, 0, 3, reverse); };
  };
  EXPECT_EQ(ResultOf(scan(false), "s32[3] {1,2,3}", "s32[] 10"), "(s32[3],s32[]) ({11,13,16},16)");
  EXPECT_EQ(ResultOf(scan(true), "s32[3] {1,2,3}", "s32[] 10"), "(s32[3],s32[]) ({16,15,13},16)");
}

TEST(WorkedExtras, StochasticConvert) {
  const auto convert = [](O x, O random) { return StochasticConvertType(x, random, S8); };
  EXPECT_EQ(ResultOf(convert, "f32[4] {inf,-inf,nan,300}", "u32[4] {0,0,0,0}"),
            "s8[4] {127,-128,0,127}");
  EXPECT_EQ(ResultOf(convert, "f32[3] {2.25,2.25,-2.25}", "u32[3] {1073741824,1073741823,0}"),
            "s8[3] {2,3,-3}");
}

TEST(WorkedExtras, DynamicReshape) {
  const auto reshape = [](O x, O rows) {
    return DynamicReshape(x, {rows, ConstantR0(x.builder(), 2)}, {3, 2}, {true, false});
  };
  EXPECT_EQ(ResultOf(reshape, "s32[<=6](4) {1,2,3,4}", "s32[] 2"), "s32[<=3,2] (2,2){{1,2},{3,4}}");
}

TEST(WorkedExtras, InverseAndHyperbolicFunctions) {
  EXPECT_EQ(ResultOf([](O x) { return Acos(x); }, "f32[3] {1,2,-2}"), "f32[3] {0,nan,nan}");
  EXPECT_EQ(ResultOf([](O x) { return Acosh(x); }, "f32[2] {1,0.5}"), "f32[2] {0,nan}");
  EXPECT_EQ(ResultOf([](O x) { return Asin(x); }, "f32[2] {-0.0,2}"), "f32[2] {-0,nan}");
  EXPECT_EQ(ResultOf([](O x) { return Asinh(x); }, "f32[2] {-0.0,inf}"), "f32[2] {-0,inf}");
  EXPECT_EQ(ResultOf([](O x) { return Atanh(x); }, "f32[3] {0,1,2}"), "f32[3] {0,inf,nan}");
  EXPECT_EQ(ResultOf([](O x) { return Cosh(x); }, "f32[2] {0,-inf}"), "f32[2] {1,inf}");
  EXPECT_EQ(ResultOf([](O x) { return Sinh(x); }, "f32[2] {-0.0,-inf}"), "f32[2] {-0,-inf}");
  EXPECT_EQ(ResultOf([](O x) { return IsNegZero(x); }, "f32[2] {0,-0.0}"), "pred[2] {0,1}");
}

TEST(WorkedExtras, PartitionId) {
  EXPECT_EQ(ResultOf([](XlaBuilder* b) { return BuildPartitionId(b, Shape(U32)); }), "u32[] 0");
}

// --- what older documents spell differently -----------------------------------------------------

TEST(WorkedLegacy, LogicalOpsTakePredOnly) {
  const std::string_view x = "pred[4] {0,0,1,1}", y = "pred[4] {0,1,0,1}";
  EXPECT_EQ(ResultOf([](O p, O q) { return LogicalAnd(p, q); }, x, y), "pred[4] {0,0,0,1}");
  EXPECT_EQ(ResultOf([](O p, O q) { return LogicalOr(p, q); }, x, y), "pred[4] {0,1,1,1}");
  EXPECT_EQ(ResultOf([](O p) { return LogicalNot(p); }, x), "pred[4] {1,1,0,0}");
  EXPECT_TRUE(Refused(ShapeOf([](O p, O q) { return LogicalAnd(p, q); }, "s32[]", "s32[]")));
  EXPECT_TRUE(Refused(ShapeOf([](O p) { return LogicalNot(p); }, "s32[]")));
}

TEST(WorkedLegacy, OrdersOfArguments) {
  ComputationBuilder b(static_cast<int*>(nullptr), "clamp");
  const auto operand = b.ConstantR1<std::int32_t>({-1, 5, 9});
  b.Clamp(operand, b.ConstantR0<std::int32_t>(0), b.ConstantR0<std::int32_t>(6));
  EXPECT_EQ(Compact(*EvaluateBuilt(b.Build())), "s32[3] {0,5,6}");
  const auto min = [](bool computation_first) {
    return [=](O x, O init) {
      const XlaComputation f = Scalar2("min", F32, [](O p, O q) { return Min(p, q); });
      return computation_first ? ReduceWindow(x, f, init, {3}, {2}, Padding::kValid)
                               : ReduceWindow(x, init, f, {3}, {2}, Padding::kValid);
    };
  };
  for (const bool computation_first : {true, false}) {
    EXPECT_EQ(ResultOf(min(computation_first), "f32[5] {10000,1000,100,10,1}", "f32[] inf"),
              "f32[2] {100,1}");
  }
}

TEST(WorkedLegacy, NamesOf2018) {
  const auto gather = [](O x, O gather_indices) {
    return Gather(x, gather_indices, /*output_window_dims=*/{1}, /*elided_window_dims=*/{0},
                  /*window_bounds=*/{1, 2}, /*gather_dims_to_operand_dims=*/{0});
  };
  EXPECT_EQ(ResultOf(gather, "s32[3,2] {{1,2},{3,4},{5,6}}", "s32[1,1] {{2}}"), "s32[1,2] {{5,6}}");
}

TEST(WorkedLegacy, ExtremesOfTypes) {
  const auto min = [](PrimitiveType type) { return LiteralUtil::MinValue(type).ToString(); };
  EXPECT_EQ(min(F32), "-inf");
  EXPECT_EQ(min(S32), "-2147483648");
  EXPECT_EQ(min(U8), "0");
  EXPECT_EQ(min(PRED), "false");
  EXPECT_EQ(min(F8E4M3FN), "-448");
  EXPECT_EQ(LiteralUtil::MaxValue(BF16).ToString(), "inf");
  EXPECT_EQ(LiteralUtil::MinFiniteValue(F16).ToString(), "-65504");
  EXPECT_EQ(LiteralUtil::MaxFiniteValue(F8E5M2).ToString(), "5.7e+04");
}

// The text of the documents that XLA reads; the same with a shape before the name is refused.
TEST(WorkedLegacy, BitcastConvertAsText) {
  constexpr std::string_view kHead =
      "HloModule m\nENTRY e { %input = f32[10]{0} parameter(0) ROOT ";
  constexpr std::string_view kLine =
      "%output = f16[10,2]{1,0} bitcast-convert(f32[10]{0} %input) }";
  EXPECT_TRUE(Parse(StrCat(kHead, kLine)).ok());
  EXPECT_FALSE(Parse(StrCat(kHead, "f16[10,2]{1,0} ", kLine)).ok());
}

// --- where XLA disagrees with itself ------------------------------------------------------------

TEST(WorkedChoices, SubnormalsAreKept) {
  const auto twice = [](O x) { return x + x; };
  EXPECT_EQ(ResultOf(twice, "f32[1] {1e-45}"), "f32[1] {2.8026e-45}");
  EXPECT_EQ(ResultOf(twice, "f64[1] {5e-324}"), "f64[1] {9.88131291682493e-324}");
  EXPECT_EQ(ResultOf([](O x) { return Gt(x, Sub(x, x)); }, "bf16[1] {1e-40}"), "pred[1] {1}");
}

TEST(WorkedChoices, NoOrderOfComplexNumbers) {
  EXPECT_NE(ShapeOf([](O x, O y) { return Max(x, y); }, "c64[]", "c64[]"), "c64[]");
  EXPECT_NE(ShapeOf([](O x, O y) { return Lt(x, y); }, "c64[]", "c64[]"), "pred[]");
  EXPECT_NE(ShapeOf([](O x) { return Clamp(x, x, x); }, "c64[]"), "c64[]");
  EXPECT_NE(ShapeOf([](O x, O y) { return Rem(x, y); }, "c64[]", "c64[]"), "c64[]");
}

}  // namespace
}  // namespace axle
