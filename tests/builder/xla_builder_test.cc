// XlaBuilder: what it makes, what it refuses and where it says the mistake is.
#include "axle/builder/xla_builder.h"

#include <gtest/gtest.h>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

Literal Value(std::string_view text) {
  auto literal = ParseLiteral(text);
  EXPECT_TRUE(literal.ok()) << text << ": " << literal.status().message();
  return literal.ok() ? *literal : Literal();
}

// The result of what was built, as text without the shape.
std::string RunBuilt(XlaBuilder& builder, std::vector<std::string_view> arguments = {}) {
  StatusOr<XlaComputation> computation = builder.Build();
  if (!computation.ok()) return computation.status().ToString();
  std::vector<Literal> literals;
  for (std::string_view argument : arguments) literals.push_back(Value(argument));
  // What the builder made is a module like any other: it prints, and reads back to the same text.
  const std::string text = Print(computation->module());
  const auto reread = Parse(text);
  EXPECT_TRUE(reread.ok()) << reread.status().message() << "\n" << text;
  if (reread.ok()) {
    EXPECT_EQ(Print(**reread), text);
  }
  StatusOr<Literal> result = Evaluate(computation->module(), literals);
  if (!result.ok()) return result.status().ToString();
  std::string out = result->shape().ToString() + " " + result->ToString();
  for (size_t at; (at = out.find("/*index=")) != out.npos;) {
    out.erase(at, out.find("*/", at) + 2 - at);
  }
  return out;
}

XlaOp Param(XlaBuilder& b, i64 number, std::string_view shape) {
  return Parameter(&b, number, *ParseShape(shape), StrCat("p", number));
}

XlaComputation Scalar2(std::string_view name, PrimitiveType type, XlaOp (*function)(XlaOp, XlaOp)) {
  XlaBuilder b(name);
  const XlaOp x = Parameter(&b, 0, Shape(type), "x"), y = Parameter(&b, 1, Shape(type), "y");
  auto computation = b.Build(function(x, y));
  EXPECT_TRUE(computation.ok()) << computation.status().message();
  return *computation;
}
XlaComputation AddF32() {
  return Scalar2("add", F32, [](XlaOp x, XlaOp y) { return Add(x, y); });
}

TEST(XlaBuilder, AxpyRuns) {
  XlaBuilder b("axpy");
  const XlaOp x = Param(b, 0, "f32[3]"), y = Param(b, 1, "f32[3]");
  Add(Mul(ConstantR0<float>(&b, 2), x), y);
  EXPECT_EQ(RunBuilt(b, {"f32[3] {1, 2, 3}", "f32[3] {10, 20, 30}"}), "f32[3] {12, 24, 36}");
}

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

TEST(XlaBuilder, DotContractsTheSecondDimensionOfAMatrix) {
  XlaBuilder b("dot");
  const XlaOp x = Param(b, 0, "f32[2,3,4]"), y = Param(b, 1, "f32[3,5]"), v = Param(b, 2, "f32[2]");
  EXPECT_EQ(b.GetShape(Dot(x, y))->ToString(), "f32[2,4,5]");
  EXPECT_EQ(b.GetShape(Dot(v, x))->ToString(), "f32[3,4]");
  const PrecisionConfig config = {{Precision::kHighest, Precision::kDefault},
                                  DotAlgorithm::kDotF32F32F32};
  const XlaOp dot = Dot(x, y, &config, F64);
  EXPECT_EQ(b.GetShape(dot)->ToString(), "f64[2,4,5]");
  EXPECT_EQ(dot.instruction()->attrs<DotAttrs>().algorithm, DotAlgorithm::kDotF32F32F32);
}

TEST(XlaBuilder, RaggedAndScaledDot) {
  XlaBuilder b("dots");
  const XlaOp x = Param(b, 0, "f32[3,1]"), y = Param(b, 1, "f32[2,1,1]"), g = Param(b, 2, "s32[2]");
  const XlaOp scale = Param(b, 3, "f32[3,1]"), one = ConstantR0<float>(&b, 1);
  const XlaOp ragged = RaggedDot(x, y, g, {{{1}, {1}}, {0}, {0}});
  Tuple(&b, std::vector<XlaOp>{ragged, ScaledDot(x, x, scale, one, {{0}, {0}})});
  EXPECT_EQ(RunBuilt(b, {"f32[3,1] {{1}, {2}, {3}}", "f32[2,1,1] {{{1}}, {{10}}}", "s32[2] {1, 1}",
                         "f32[3,1] {{1}, {10}, {100}}"}),
            "(f32[3,1], f32[1,1]) ( { {1}, {20}, {0} }, { {941} } )");
}

TEST(XlaBuilder, ScanStacksOutputs) {
  XlaBuilder step("step");
  const XlaOp c = Param(step, 0, "s32[]");
  Tuple(&step, std::vector<XlaOp>{c, Add(c, ConstantR0<std::int32_t>(&step, 2))});
  const auto computation = step.Build();
  ASSERT_TRUE(computation.ok()) << computation.status().message();
  XlaBuilder b("scan");
  const XlaOp init = Param(b, 0, "s32[]");
  Scan({}, std::vector<XlaOp>{init}, *computation, 0, 3);
  EXPECT_EQ(RunBuilt(b, {"s32[] 5"}), "(s32[3], s32[]) ( {5, 7, 9}, 11 )");
}

TEST(XlaBuilder, ScanSizeAgreesWithTheInputs) {
  XlaBuilder b("scan");
  const XlaOp x = Param(b, 0, "f32[4]"), init = Param(b, 1, "f32[]");
  Scan(std::vector<XlaOp>{x}, std::vector<XlaOp>{init}, AddF32(), 0, 3);
  EXPECT_TRUE(b.first_error().message().starts_with(
      "scan: scan_dimension_size is 3 but dimension 0 of f32[4] has size 4"))
      << b.first_error().message();
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
  EXPECT_EQ(mixed.first_error().code(), StatusCode::kInternal);
}

// --- implicit broadcasting: the rows of the reference's table ------------------------------------

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

// --- errors -------------------------------------------------------------------------------------

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
  EXPECT_EQ(status.code(), StatusCode::kInternal);
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

// --- constants ----------------------------------------------------------------------------------

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

// --- called computations ------------------------------------------------------------------------

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

TEST(XlaBuilder, PaddingListsOfDifferentLengthsAreNotReadPastTheirEnd) {
  EXPECT_EQ(MakePadding(Dims{4, 4}, Dims{2}, Dims{1, 1}, Padding::kSame).size(), 1u);
  EXPECT_EQ(MakePadding(Dims{5}, Dims{3}, Dims{INT64_MAX}, Padding::kSame)[0],
            (std::pair<i64, i64>{0, 0}));
}

TEST(XlaBuilder, TheBuilderIsEmptyAfterBuild) {
  XlaBuilder b("again");
  Exp(Param(b, 0, "f32[]"));
  EXPECT_TRUE(b.Build().ok());
  EXPECT_FALSE(b.Build().ok());
  Neg(Param(b, 0, "f32[]"));
  EXPECT_EQ(RunBuilt(b, {"f32[] 3"}), "f32[] -3");
}

TEST(XlaBuilder, ControlFlow) {
  const Shape state = Shape::Tuple({Shape(S32), Shape(F32)});
  XlaBuilder condition("condition");
  Lt(GetTupleElement(Parameter(&condition, 0, state, "s"), 0),
     ConstantR0<std::int32_t>(&condition, 5));
  XlaBuilder body("body");
  const XlaOp s = Parameter(&body, 0, state, "s");
  const XlaOp i = GetTupleElement(s, 0), x = GetTupleElement(s, 1);
  Tuple(&body, std::vector<XlaOp>{Add(i, ConstantR0<std::int32_t>(&body, 1)), Add(x, x)});
  const XlaComputation c = *condition.Build(), bo = *body.Build();

  XlaBuilder negate("negate"), twice("twice");
  Neg(Param(negate, 0, "f32[]"));
  const XlaOp t = Param(twice, 0, "f32[]");
  Add(t, t);
  const XlaComputation n = *negate.Build(), tw = *twice.Build();

  XlaBuilder b("control");
  const XlaOp p = Param(b, 0, "pred[]"), v = Param(b, 1, "f32[]");
  const XlaOp init = Tuple(&b, std::vector<XlaOp>{ConstantR0<std::int32_t>(&b, 0), v});
  const XlaComputation* const branches[] = {&n, &tw};
  Tuple(&b, std::vector<XlaOp>{
                While(c, bo, init), Conditional(p, v, n, v, tw),
                Conditional(ConstantR0<std::int32_t>(&b, 1), branches, std::vector<XlaOp>{v, v}),
                Call(&b, n, std::vector<XlaOp>{v}),
                Map(&b, std::vector<XlaOp>{Broadcast(v, Dims{2})}, n, Dims{0})});
  EXPECT_EQ(
      RunBuilt(b, {"pred[] true", "f32[] 1.5"}),
      "((s32[], f32[]), f32[], f32[], f32[], f32[2]) ( ( 5, 48 ), -1.5, 3, -1.5, {-1.5, -1.5} )");
}

// --- one row per remaining function -------------------------------------------------------------

TEST(XlaBuilder, Movement) {
  XlaBuilder b("movement");
  const XlaOp x = Param(b, 0, "s32[2,3]"), one = ConstantR0<std::int32_t>(&b, 1);
  const XlaOp update = ConstantR2<std::int32_t>(&b, {{8, 9}});
  Tuple(&b, std::vector<XlaOp>{Reshape(x, Dims{6}), Transpose(x, Dims{1, 0}), Rev(x, Dims{1}),
                               Slice(x, Dims{0, 1}, Dims{2, 3}, Dims{1, 1}),
                               SliceInDim(x, 0, 3, 2, 1), Pad(x, one, {{0, 0, 0}, {1, 0, 0}}),
                               ConcatInDim(&b, std::vector<XlaOp>{x, x}, 0),
                               DynamicSlice(x, std::vector<XlaOp>{one, one}, Dims{1, 2}),
                               DynamicUpdateSlice(x, update, std::vector<XlaOp>{one, one}),
                               Iota(&b, S32, 3), Iota(&b, *ParseShape("s32[2,2]"), 0)});
  EXPECT_EQ(
      RunBuilt(b, {"s32[2,3] {{1,2,3},{4,5,6}}"}),
      "(s32[6], s32[3,2], s32[2,3], s32[2,2], s32[2,2], s32[2,4], s32[4,3], s32[1,2], s32[2,3], "
      "s32[3], s32[2,2]) ( {1, 2, 3, 4, 5, 6}, { { 1, 4 }, { 2, 5 }, { 3, 6 } }, { { 3, 2, 1 }, { "
      "6, "
      "5, 4 } }, { { 2, 3 }, { 5, 6 } }, { { 1, 3 }, { 4, 6 } }, { { 1, 1, 2, 3 }, { 1, 4, 5, 6 } "
      "}, "
      "{ { 1, 2, 3 }, { 4, 5, 6 }, { 1, 2, 3 }, { 4, 5, 6 } }, { { 5, 6 } }, { { 1, 2, 3 }, { 4, "
      "8, "
      "9 } }, {0, 1, 2}, { { 0, 0 }, { 1, 1 } } )");
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

TEST(XlaBuilder, DotAndConvolution) {
  XlaBuilder b("dot");
  const XlaOp x = Param(b, 0, "f32[2,2]");
  const XlaOp image = Reshape(x, Dims{1, 1, 2, 2}), kernel = Reshape(x, Dims{1, 1, 2, 2});
  Tuple(&b, std::vector<XlaOp>{Dot(x, x), DotGeneral(x, x, {{0}, {0}}),
                               Conv(image, kernel, Dims{1, 1}, Padding::kValid),
                               Conv(image, kernel, Dims{1, 1}, Padding::kSame)});
  EXPECT_EQ(
      RunBuilt(b, {"f32[2,2] {{1,2},{3,4}}"}),
      "(f32[2,2], f32[2,2], f32[1,1,1,1], f32[1,1,2,2]) ( { { 7, 10 }, { 15, 22 } }, { { 10, 14 }, "
      "{ "
      "14, 20 } }, { { /*i0=0*/ { /*i1=0*/ {30} } } }, { { /*i0=0*/ { /*i1=0*/ { 30, 14 }, { 11, 4 "
      "} } } } )");
}

TEST(XlaBuilder, WindowsGatherScatterSort) {
  XlaBuilder b("windows");
  const XlaComputation add = AddF32();
  const XlaComputation max = Scalar2("max", F32, [](XlaOp x, XlaOp y) { return Max(x, y); });
  const XlaComputation ge = Scalar2("ge", F32, [](XlaOp x, XlaOp y) { return Ge(x, y); });
  const XlaComputation lt = Scalar2("lt", F32, [](XlaOp x, XlaOp y) { return Lt(x, y); });
  const XlaOp x = Param(b, 0, "f32[4]"), zero = ConstantR0<float>(&b, 0);
  const XlaOp lowest = ConstantLiteral(&b, LiteralUtil::MinValue(F32));
  const XlaOp indices = ConstantR2<std::int32_t>(&b, {{2}, {0}});
  const XlaOp source = ConstantR1<float>(&b, {10, 20});
  Tuple(&b, std::vector<XlaOp>{
                ReduceWindow(x, lowest, max, Dims{2}, Dims{2}, Padding::kValid),
                SelectAndScatter(x, ge, Dims{2}, Dims{2}, Padding::kValid, source, zero, add),
                Gather(x, indices,
                       {.offset_dims = {},
                        .collapsed_slice_dims = {0},
                        .start_index_map = {0},
                        .index_vector_dim = 1},
                       Dims{1}),
                Scatter(x, indices, source, add,
                        {.update_window_dims = {},
                         .inserted_window_dims = {0},
                         .scatter_dims_to_operand_dims = {0},
                         .index_vector_dim = 1}),
                Sort(std::vector<XlaOp>{x}, lt), TopK(x, 2, /*largest=*/true)});
  EXPECT_EQ(RunBuilt(b, {"f32[4] {3, 1, 4, 2}"}),
            "(f32[2], f32[4], f32[2], f32[4], f32[4], (f32[2], s32[2])) ( {3, 4}, {10, 0, 20, 0}, "
            "{4, 3}, "
            "{23, 1, 14, 2}, {1, 2, 3, 4}, ( {4, 3}, {2, 0} ) )");
}

TEST(XlaBuilder, RandomBitsHaveAnUnsignedType) {
  XlaBuilder b("random");
  const XlaOp state = Param(b, 0, "u64[2]");
  RngBitGenerator(RandomAlgorithm::kThreeFry, state, Shape(F32, {3}));
  EXPECT_EQ(RunBuilt(b, {"u64[2] {42, 7}"}),
            "(u64[2], u32[3]) ( {42, 9}, {2642642533, 3437982737, 356970675} )");
}

TEST(XlaBuilder, LinearAlgebra) {
  XlaBuilder b("linear");
  const XlaOp a = Param(b, 0, "f32[2,2]"), x = Param(b, 1, "c64[2]");
  const XlaOp ones = ConstantR1<float>(&b, 2, 1), zeros = ConstantR1<float>(&b, 2, 0);
  const XlaOp low = ConstantR0<std::int32_t>(&b, 4), high = ConstantR0<std::int32_t>(&b, 5);
  const XlaOp mu = ConstantR0<float>(&b, 2), sigma = ConstantR0<float>(&b, 0);
  Tuple(&b, std::vector<XlaOp>{
                Cholesky(a, /*lower=*/true),
                TriangularSolve(a, a, /*left_side=*/true, /*lower=*/true, /*unit_diagonal=*/false,
                                TransposeOption::kNoTranspose),
                Fft(x, FftType::kFft, Dims{2}), BatchNormTraining(a, ones, zeros, 0, 1),
                BatchNormInference(a, ones, zeros, zeros, ones, 0, 1),
                BatchNormGrad(a, ones, zeros, ones, a, 0, 1),
                RngUniform(low, high, Shape(S32, {2})), RngNormal(mu, sigma, Shape(F32, {1}))});
  EXPECT_EQ(RunBuilt(b, {"f32[2,2] {{4, 2}, {2, 5}}", "c64[2] {(1, 0), (2, 0)}"}),
            "(f32[2,2], f32[2,2], c64[2], (f32[2,2], f32[2], f32[2]), f32[2,2], "
            "(f32[2,2], f32[2], f32[2]), s32[2], f32[1]) "
            "( { { 2, 0 }, { 1, 2 } }, { { 1, 0.5 }, { 0, 0.8 } }, {(3, 0), (-1, 0)}, "
            "( { { 1, -1 }, { -1, 1 } }, {3, 3.5}, {1, 2.25} ), { { 4, 2 }, { 2, 5 } }, "
            "( { { -39, -30.5 }, { -21, -71 } }, {20, 29}, {6, 7} ), {4, 4}, {2} )");
}

TEST(XlaBuilder, RandomBitsOfATypeWithoutUnsignedTwin) {
  XlaBuilder b("random");
  const XlaOp state = Param(b, 0, "u64[2]");
  EXPECT_FALSE(RngBitGenerator(RandomAlgorithm::kPhilox, state, Shape(C128, {3})).valid());
  EXPECT_NE(b.first_error().message().find("unsigned integers, not c128[3]"), std::string::npos);
}

}  // namespace
}  // namespace axle
