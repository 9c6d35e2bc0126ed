// XlaBuilder: what it makes, what it refuses and where it says the mistake is.
#include "axle/ops/op_def.h"
#include "tests/builder/built.h"

namespace axle {
namespace {

TEST(XlaBuilder, AxpyRuns) {
  XlaBuilder b("axpy");
  const XlaOp x = Param(b, 0, "f32[3]"), y = Param(b, 1, "f32[3]");
  Add(Mul(ConstantR0<float>(&b, 2), x), y);
  EXPECT_EQ(RunBuilt(b, {"f32[3] {1, 2, 3}", "f32[3] {10, 20, 30}"}), "f32[3] {12, 24, 36}");
}

TEST(XlaBuilder, TheFirstErrorIsKeptWithTheCallersLine) {
  XlaBuilder b("errors");
  const XlaOp x = Param(b, 0, "f32[2]"), y = Param(b, 1, "s32[2]");
  const int line = __LINE__ + 1;
  const XlaOp bad = Add(x, y);
  EXPECT_FALSE(bad.valid());
  EXPECT_FALSE(Exp(bad).valid());
  EXPECT_FALSE(Exp(y).valid());  // a second mistake, which is not the first
  EXPECT_EQ(b.first_error().ToString(),
            StrCat("INVALID_ARGUMENT: add: operands have different element types f32 and s32; lhs "
                   "f32[2], rhs s32[2] at ",
                   __FILE__, ":", line));
  EXPECT_EQ(b.Build().status().message(), b.first_error().message());
  EXPECT_EQ(b.GetShape(x).status().message(), b.first_error().message());
}

TEST(XlaBuilder, OperatorsKnowTheirLineToo) {
  XlaBuilder b("errors");
  const XlaOp x = Param(b, 0, "f32[2]"), y = Param(b, 1, "f32[3]");
  const int line = __LINE__ + 1;
  x* y;
  EXPECT_EQ(
      b.first_error().message(),
      StrCat("multiply: sizes 2 and 3 of dimension 0 do not broadcast; lhs f32[2], rhs f32[3] at ",
             __FILE__, ":", line));
}

TEST(XlaBuilder, HandlesOfAnotherBuilderAreRefused) {
  XlaBuilder b("one"), other("two");
  const XlaOp x = Param(b, 0, "f32[]"), y = Param(other, 0, "f32[]");
  const int line = __LINE__ + 1;
  Max(x, y);
  EXPECT_EQ(
      b.first_error().message(),
      StrCat("maximum: operand 1 is of builder \"two\", not of \"one\" at ", __FILE__, ":", line));
  EXPECT_TRUE(other.first_error().ok());
  EXPECT_FALSE(other.Build(x).ok());
}

TEST(XlaBuilder, EmptyHandlesAndEmptyBuilders) {
  EXPECT_FALSE(Add(XlaOp(), XlaOp()).valid());
  XlaBuilder b("empty");
  const Status status = b.Build().status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(status.message().starts_with("build: computation \"empty\" has no op at "))
      << status.message();
  Add(Param(b, 0, "f32[]"), XlaOp());
  EXPECT_TRUE(b.first_error().message().starts_with("add: operand 1 is an empty handle at "))
      << b.first_error().message();
}

TEST(XlaBuilder, ParametersAreNumberedWithoutGaps) {
  XlaBuilder b("parameters");
  Param(b, 0, "f32[]");
  Param(b, 2, "f32[]");
  EXPECT_FALSE(b.Build().ok());
  XlaBuilder twice("parameters");
  Param(twice, 0, "f32[]");
  Param(twice, 0, "f32[]");
  EXPECT_FALSE(twice.Build().ok());
}

TEST(XlaBuilder, AnImpossibleShapeIsAnErrorNotACrash) {
  XlaBuilder b("shapes");
  Parameter(&b, 0, Shape(F32, {i64{1} << 40, i64{1} << 40}), "x");
  EXPECT_FALSE(b.first_error().ok());
  XlaBuilder negative("shapes");
  Parameter(&negative, 0, Shape(F32, {-1}), "x");
  EXPECT_FALSE(negative.first_error().ok());
}

TEST(XlaBuilder, AFailedComputationIsAnErrorWhereItIsCalled) {
  XlaBuilder b("calls");
  const XlaOp x = Param(b, 0, "f32[2]");
  Reduce(x, ConstantR0<float>(&b, 0), XlaComputation(), Dims{0});
  EXPECT_TRUE(
      b.first_error().message().starts_with("reduce: a called computation failed to build at "))
      << b.first_error().message();
}

TEST(XlaBuilder, AnArrayOfOneValueBecomesABroadcastScalar) {
  XlaBuilder b("constant");
  const XlaOp c = ConstantR2<float>(&b, {{5, 5}, {5, 5}});
  EXPECT_EQ(GetOpDef(*c.instruction()).text, "broadcast");
  EXPECT_EQ(RunBuilt(b), "f32[2,2] { { 5, 5 }, { 5, 5 } }");
  XlaBuilder other("constant");
  EXPECT_EQ(GetOpDef(*ConstantR1<float>(&other, {0.0f, -0.0f}).instruction()).text, "constant");
}

TEST(XlaBuilder, ConstantsOfEveryForm) {
  XlaBuilder b("constants");
  Tuple(&b, std::vector<XlaOp>{
                ConstantR0<std::int64_t>(&b, -1), ConstantR1<bool>(&b, {true, false}),
                ConstantR1<std::uint8_t>(&b, 3, 7), ConstantLiteral(&b, LiteralUtil::MinValue(F32)),
                ConstantLiteral(&b, LiteralUtil::MaxValue(S8))});
  EXPECT_EQ(RunBuilt(b),
            "(s64[], pred[2], u8[3], f32[], s8[]) ( -1, {1, 0}, {7, 7, 7}, -inf, 127 )");
}

TEST(LiteralUtil, ExtremesOfEveryType) {
  const struct {
    PrimitiveType type;
    std::string_view least, greatest;
  } kCases[] = {{PRED, "false", "true"},
                {S4, "-8", "7"},
                {U4, "0", "15"},
                {S64, "-9223372036854775808", "9223372036854775807"},
                {U64, "0", "18446744073709551615"},
                {BF16, "-inf", "inf"},
                {F8E4M3FN, "-448", "448"},
                {F4E2M1FN, "-6", "6"},
                {F8E5M2FNUZ, "-5.7e+04", "5.7e+04"}};
  for (const auto& c : kCases) {
    EXPECT_EQ(LiteralUtil::MinValue(c.type).ToString(), c.least) << Name(c.type);
    EXPECT_EQ(LiteralUtil::MaxValue(c.type).ToString(), c.greatest) << Name(c.type);
    EXPECT_EQ(LiteralUtil::One(c.type).ToString(), c.type == PRED ? "true" : "1") << Name(c.type);
  }
}

TEST(XlaBuilder, OneComputationServesManyCalls) {
  XlaBuilder b("sums");
  const XlaComputation add = AddF32();
  const XlaOp x = Param(b, 0, "f32[2,3]"), zero = ConstantR0<float>(&b, 0);
  Tuple(&b, std::vector<XlaOp>{Reduce(x, zero, add, Dims{0}), Reduce(x, zero, add, Dims{1}),
                               ReduceAll(x, zero, add)});
  StatusOr<XlaComputation> computation = b.Build();
  ASSERT_TRUE(computation.ok()) << computation.status().message();
  EXPECT_EQ(computation->module().computations().size(), 2u);  // the entry and one copy of add
  const Literal x_value = Value("f32[2,3] {{1,2,3},{4,5,6}}");
  const auto result = Evaluate(computation->module(), {&x_value, 1});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->ToString(), "( {5, 7, 9}, {6, 15}, 21 )");
}

TEST(XlaBuilder, NamesAreMadeUniqueAndLegal) {
  XlaBuilder first("f"), second("f");
  Neg(Param(first, 0, "f32[]"));
  const XlaOp x = Param(second, 0, "f32[]");
  Add(x, x);
  const XlaComputation f = *first.Build(), g = *second.Build();
  XlaBuilder b("f");
  const XlaOp p = Parameter(&b, 0, Shape(F32), "my weight [0]");
  const XlaOp q = Parameter(&b, 1, Shape(F32), "my weight [0]");
  const XlaOp r = Parameter(&b, 2, Shape(F32), "f32");
  Tuple(&b, std::vector<XlaOp>{Call(&b, f, std::vector<XlaOp>{p}),
                               Call(&b, g, std::vector<XlaOp>{q}), r});
  EXPECT_EQ(RunBuilt(b, {"f32[] 1", "f32[] 2", "f32[] 3"}), "(f32[], f32[], f32[]) ( -1, 4, 3 )");
}

TEST(XlaBuilder, TheBuilderIsEmptyAfterBuild) {
  XlaBuilder b("again");
  Exp(Param(b, 0, "f32[]"));
  EXPECT_TRUE(b.Build().ok());
  EXPECT_FALSE(b.Build().ok());
  Neg(Param(b, 0, "f32[]"));
  EXPECT_EQ(RunBuilt(b, {"f32[] 3"}), "f32[] -3");
}

}  // namespace
}  // namespace axle
