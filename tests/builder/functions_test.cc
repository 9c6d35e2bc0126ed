// What the builder's functions of each kind make.
#include "axle/ops/attributes/attributes.h"
#include "tests/builder/built.h"

namespace axle {
namespace {

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

TEST(XlaBuilder, LiteralsOutliveTheMemoryThatTheyWereViewsOf) {
  std::vector<float> memory = {1, 2};
  XlaBuilder b("views");
  const Literal view = Literal::View(Shape(F32, {2}), memory.data());
  const XlaOp constant = ConstantLiteral(&b, view);
  const XlaOp pair = ConstantLiteral(&b, Literal::Tuple({view}));
  const XlaOp call = CustomCall(&b, "f", {}, Shape(F32), "", false, {}, &view);
  memory = {8, 9};
  EXPECT_EQ(b.ComputeConstant(constant)->ToString(), "{1, 2}");
  EXPECT_EQ(b.ComputeConstant(pair)->ToString(), "( {1, 2} )");
  EXPECT_EQ(call.instruction()->attrs<CustomCallAttrs>().literal->ToString(), "{1, 2}");
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

TEST(XlaBuilder, PaddingListsOfDifferentLengthsAreNotReadPastTheirEnd) {
  EXPECT_EQ(MakePadding(Dims{4, 4}, Dims{2}, Dims{1, 1}, Padding::kSame).size(), 1u);
  EXPECT_EQ(MakePadding(Dims{5}, Dims{3}, Dims{INT64_MAX}, Padding::kSame)[0],
            (std::pair<i64, i64>{0, 0}));
  EXPECT_EQ(MakePadding(Dims{5}, Dims{INT64_MAX}, Dims{1}, Padding::kSame)[0],
            (std::pair<i64, i64>{INT64_MAX / 2, INT64_MAX / 2}));
  EXPECT_EQ(MakePadding(Dims{5}, Dims{INT64_MIN}, Dims{1}, Padding::kSame)[0],
            (std::pair<i64, i64>{0, 0}));
  EXPECT_EQ(MakePadding(Dims{0}, Dims{3}, Dims{2}, Padding::kSame)[0], (std::pair<i64, i64>{0, 1}));
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

TEST(XlaBuilder, RandomBitsHaveAnUnsignedType) {
  XlaBuilder b("random");
  const XlaOp state = Param(b, 0, "u64[2]");
  RngBitGenerator(RandomAlgorithm::kThreeFry, state, Shape(F32, {3}));
  EXPECT_EQ(RunBuilt(b, {"u64[2] {42, 7}"}),
            "(u64[2], u32[3]) ( {42, 9}, {2642642533, 3437982737, 356970675} )");
}

TEST(XlaBuilder, RandomBitsOfATypeWithoutUnsignedTwin) {
  XlaBuilder b("random");
  const XlaOp state = Param(b, 0, "u64[2]");
  EXPECT_FALSE(RngBitGenerator(RandomAlgorithm::kPhilox, state, Shape(C128, {3})).valid());
  EXPECT_NE(b.first_error().message().find("unsigned integers, not c128[3]"), std::string::npos);
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

}  // namespace
}  // namespace axle
