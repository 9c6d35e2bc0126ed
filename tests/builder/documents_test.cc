// The C++ of XLA's operation documents as it stands there, in each of its spellings: it compiles,
// and gives what the documents say.
#include <algorithm>

#include "axle/axle.h"
#include "axle/computation_builder.h"
#include "axle/ops/op_def.h"
#include "tests/builder/built.h"

namespace documents {
namespace {

using namespace axle;  // NOLINT(google-build-using-namespace): as the documents' programs do

int* const client_ = nullptr;

// The value of a computation without parameters, or of these.
std::string ValueOf(const StatusOr<XlaComputation>& computation,
                    std::vector<Literal> arguments = {}) {
  const StatusOr<Literal> result = EvaluateBuilt(computation, arguments);
  return result.ok() ? result->ToStringWithShape() : result.status().ToString();
}

Literal Input() {
  Array2D<float> values(4, 6);
  values.FillIota(-3);
  return LiteralUtil::CreateR2FromArray2D(values);
}
constexpr std::string_view kMaxima = "f32[2,2] { { 5, 8 }, { 17, 20 } }";

TEST(Documents, MaxReduceWindowWithComputationBuilder) {
  Computation max;
  {
    ComputationBuilder builder(client_, "max");
    auto y = builder.Parameter(0, ShapeUtil::MakeShape(F32, {}), "y");
    auto x = builder.Parameter(1, ShapeUtil::MakeShape(F32, {}), "x");
    builder.Max(y, x);
    max = builder.Build().ConsumeValueOrDie();
  }

  ComputationBuilder builder(client_, "reduce_window_2x3");
  auto shape = ShapeUtil::MakeShape(F32, {4, 6});
  auto input = builder.Parameter(0, shape, "input");
  builder.ReduceWindow(input, *max,
                       /*init_val=*/builder.ConstantLiteral(LiteralUtil::MinValue(F32)),
                       /*window_dimensions=*/{2, 3},
                       /*window_stride_dimensions=*/{2, 3}, Padding::kValid);
  EXPECT_EQ(ValueOf(builder.Build(), {Input()}), kMaxima);
}

TEST(Documents, MaxReduceWindowWithXlaBuilder) {
  XlaComputation max;
  {
    XlaBuilder builder(client_, "max");
    auto y = builder.Parameter(0, ShapeUtil::MakeShape(F32, {}), "y");
    auto x = builder.Parameter(1, ShapeUtil::MakeShape(F32, {}), "x");
    builder.Max(y, x);
    max = builder.Build().ConsumeValueOrDie();
  }

  XlaBuilder builder(client_, "reduce_window_2x3");
  auto shape = ShapeUtil::MakeShape(F32, {4, 6});
  auto input = builder.Parameter(0, shape, "input");
  builder.ReduceWindow(input, *max,
                       /*init_val=*/builder.ConstantLiteral(LiteralUtil::MinValue(F32)),
                       /*window_dimensions=*/{2, 3},
                       /*window_stride_dimensions=*/{2, 3}, Padding::kValid);
  EXPECT_EQ(ValueOf(builder.Build(), {Input()}), kMaxima);
}

TEST(Documents, MaxReduceWindowAsOfToday) {
  XlaComputation max;
  {
    XlaBuilder builder(client_, "max");
    auto y = builder.Parameter(0, ShapeUtil::MakeShape(F32, {}), "y");
    auto x = builder.Parameter(1, ShapeUtil::MakeShape(F32, {}), "x");
    builder.Max(y, x);
    max = builder.Build().value();
  }

  XlaBuilder builder(client_, "reduce_window_2x3");
  auto shape = ShapeUtil::MakeShape(F32, {4, 6});
  auto input = builder.Parameter(0, shape, "input");
  builder.ReduceWindow(input, /*init_val=*/builder.ConstantLiteral(LiteralUtil::MinValue(F32)),
                       *max,
                       /*window_dimensions=*/{2, 3},
                       /*window_stride_dimensions=*/{2, 3}, Padding::kValid);
  EXPECT_EQ(ValueOf(builder.Build(), {Input()}), kMaxima);
}

TEST(Documents, AllToAll) {
  XlaBuilder b("alltoall");
  auto x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {4, 16}), "x");
  AllToAll(x, /*split_dimension=*/1, /*concat_dimension=*/0, /*split_count=*/4);
  const XlaComputation built = b.Build().value();
  EXPECT_EQ(built.GetProgramShape()->result.ToString(), "f32[16,4]");
  EXPECT_TRUE(VerifyModule(built.module()).ok());
}

extern "C" void myfunc(void* out, void** in) {
  float(&x)[2] = *static_cast<float(*)[2]>(in[0]);
  float(&y)[2][3] = *static_cast<float(*)[2][3]>(in[1]);
  EXPECT_EQ(1, x[0]);
  EXPECT_EQ(2, x[1]);
  EXPECT_EQ(10, y[0][0]);
  EXPECT_EQ(60, y[1][2]);
  float(&z)[3][3] = *static_cast<float(*)[3][3]>(out);
  for (auto& row : z) std::fill_n(row, 3, 0.0f);
  z[0][0] = x[1] + y[1][0];
}

TEST(Documents, CustomCallOfThreeByThree) {
  XlaBuilder b("do_it");
  auto x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2}), "x");
  auto y = Parameter(&b, 1, ShapeUtil::MakeShape(F32, {2, 3}), "y");
  CustomCall(&b, "myfunc", {x, y}, ShapeUtil::MakeShape(F32, {3, 3}));
  const auto client = Client::Create();
  ASSERT_TRUE(client.ok());
  ASSERT_TRUE((*client)->RegisterCustomCall("myfunc", myfunc).ok());
  const auto executable = (*client)->Compile(b.Build().value());
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  const std::vector<Literal> arguments = {
      LiteralUtil::CreateR1<float>({1, 2}),
      LiteralUtil::CreateR2<float>({{10, 20, 30}, {40, 50, 60}})};
  const auto result = (*executable)->Execute(arguments);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->ToStringWithShape(), "f32[3,3] { { 42, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }");
}

TEST(Documents, DotDimensionNumbersByOneNumberEach) {
  DotDimensionNumbers dnums;
  dnums.add_lhs_contracting_dimensions(1);
  dnums.add_rhs_contracting_dimensions(1);
  XlaBuilder b("dot");
  auto lhs = ConstantR2<float>(&b, {{1, 2, 3}, {4, 5, 6}});
  auto rhs = ConstantR2<float>(&b, {{1, 1, 1}, {2, 2, 2}});
  DotGeneral(lhs, rhs, dnums);
  EXPECT_EQ(ValueOf(b.Build()), "f32[2,2] { { 6, 12 }, { 15, 30 } }");
  EXPECT_EQ(dnums.lhs_contracting_dimensions_size(), 1);
  EXPECT_EQ(dnums.lhs_contracting_dimensions(0), 1);
  EXPECT_EQ(dnums.lhs_contracting_dimensions(), Dims{1});
}

TEST(Documents, DotGeneralOfBatches) {
  DotDimensionNumbers dnums;
  dnums.add_lhs_contracting_dimensions(2);
  dnums.add_rhs_contracting_dimensions(1);
  dnums.add_lhs_batch_dimensions(0);
  dnums.add_rhs_batch_dimensions(0);
  XlaBuilder b("dot");
  auto lhs = ConstantR3<float>(&b, {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
  auto rhs = ConstantR3<float>(&b, {{{1, 0}, {0, 1}}, {{1, 0}, {0, 1}}});
  DotGeneral(lhs, rhs, dnums);
  EXPECT_EQ(ValueOf(b.Build()), "f32[2,2,2] { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } } }");
}

// The documents' array of 24: {{10,11,12},{15,16,17}}, ...
XlaOp V(XlaBuilder* b) {
  return ConstantR3<float>(b, {{{10, 11, 12}, {15, 16, 17}},
                               {{20, 21, 22}, {25, 26, 27}},
                               {{30, 31, 32}, {35, 36, 37}},
                               {{40, 41, 42}, {45, 46, 47}}});
}

TEST(Documents, ReshapeInBothForms) {
  XlaBuilder b("reshape");
  auto v = V(&b);
  auto one = ConstantR2<float>(&b, {{5}});
  auto five = ConstantR0<float>(&b, 5);
  Tuple(&b, {Slice(Reshape(v, {0, 1, 2}, {24}), {20}, {24}),
             Slice(Reshape(v, {1, 2, 0}, {24}), {0}, {4}), Reshape(one, {0, 1}, {}),
             Reshape(five, {}, {1, 1}), Slice(Reshape(v, {24}), {0}, {2}), Reshape(one, {}),
             Reshape(five, {1, 1})});
  EXPECT_EQ(ValueOf(b.Build()),
            "(f32[4], f32[4], f32[], f32[1,1], f32[2], /*index=5*/f32[], f32[1,1]) ( {42, 45, 46, "
            "47}, {10, "
            "20, 30, 40}, 5, { {5} }, {10, 11}, 5, { {5} } )");
}

TEST(Documents, SlicesWithAndWithoutStrides) {
  XlaBuilder builder("slice");
  auto a = ConstantR1<float>(&builder, {0, 1, 2, 3, 4});
  auto b = ConstantR2<float>(&builder, {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}});
  Tuple(&builder, {Slice(a, {2}, {4}), Slice(b, {2, 1}, {4, 3})});
  EXPECT_EQ(ValueOf(builder.Build()), "(f32[2], f32[2,2]) ( {2, 3}, { { 7, 8 }, { 10, 11 } } )");
}

TEST(Documents, DynamicSlicesTakeOneIndexArrayOrScalars) {
  XlaBuilder b("dynamic");
  auto a = ConstantR1<float>(&b, {0, 1, 2, 3, 4});
  auto s = ConstantR1<std::int32_t>(&b, {2});
  auto u = ConstantR1<float>(&b, {5, 6});
  auto two = ConstantR0<std::int32_t>(&b, 2);
  Tuple(&b, {DynamicSlice(a, s, {2}), DynamicUpdateSlice(a, u, s), DynamicSlice(a, {two}, {2}),
             DynamicUpdateSlice(a, u, {two})});
  EXPECT_EQ(
      ValueOf(b.Build()),
      "(f32[2], f32[5], f32[2], f32[5]) ( {2, 3}, {0, 1, 5, 6, 4}, {2, 3}, {0, 1, 5, 6, 4} )");
}

TEST(Documents, ClampInBothOrders) {
  XlaBuilder b("clamp");
  auto operand = ConstantR1<std::int32_t>(&b, {-1, 5, 9});
  auto min = ConstantR0<std::int32_t>(&b, 0), max = ConstantR0<std::int32_t>(&b, 6);
  b.Clamp(min, operand, max);
  EXPECT_EQ(ValueOf(b.Build()), "s32[3] {0, 5, 6}");
  ComputationBuilder older("clamp");
  older.Clamp(older.ConstantR1<std::int32_t>({-1, 5, 9}), older.ConstantR0<std::int32_t>(0),
              older.ConstantR0<std::int32_t>(6));
  EXPECT_EQ(ValueOf(older.Build()), "s32[3] {0, 5, 6}");
}

TEST(Documents, WhileCountsToAThousand) {
  const Shape state =
      ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S32, {}), ShapeUtil::MakeShape(F32, {10})});
  XlaComputation condition, body;
  {
    XlaBuilder b("condition");
    auto prev = Parameter(&b, 0, state, "prev");
    Lt(GetTupleElement(prev, 0), ConstantR0<std::int32_t>(&b, 1000));
    condition = b.Build().value();
  }
  {
    XlaBuilder b("body");
    auto prev = Parameter(&b, 0, state, "prev");
    auto iteration = GetTupleElement(prev, 0) + ConstantR0<std::int32_t>(&b, 1);
    auto weights = GetTupleElement(prev, 1) + ConstantR1<float>(&b, 10, 1.0f);
    Tuple(&b, {iteration, weights});
    body = b.Build().value();
  }
  XlaBuilder b("while");
  auto init = Tuple(&b, {ConstantR0<std::int32_t>(&b, 0), ConstantR1<float>(&b, 10, 0.0f)});
  GetTupleElement(While(condition, body, init), 1);
  EXPECT_EQ(ValueOf(b.Build()),
            "f32[10] {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}");
}

TEST(Documents, ConditionalInBothForms) {
  const auto unary = [](XlaOp (*function)(XlaOp)) {
    XlaBuilder b("branch");
    function(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {}), "x"));
    return b.Build().value();
  };
  const XlaComputation negate = unary([](XlaOp x) { return Neg(x); });
  const XlaComputation twice = unary([](XlaOp x) { return x + x; });
  XlaBuilder b("conditional");
  auto x = ConstantR0<float>(&b, 3), y = ConstantR0<float>(&b, 4);
  auto no = ConstantR0(&b, false);
  auto index = ConstantR0<std::int32_t>(&b, 7);  // out of range: the last branch
  Tuple(&b, {Conditional(no, x, negate, y, twice), Conditional(index, {&twice, &negate}, {x, y})});
  EXPECT_EQ(ValueOf(b.Build()), "(f32[], f32[]) ( 8, -4 )");
}

TEST(Documents, VariadicReduceFindsTheGreatestAndItsPlace) {
  XlaComputation argmax;
  {
    XlaBuilder b("argmax");
    auto max = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {}), "max");
    auto argument = Parameter(&b, 1, ShapeUtil::MakeShape(S32, {}), "argmax");
    auto value = Parameter(&b, 2, ShapeUtil::MakeShape(F32, {}), "value");
    auto place = Parameter(&b, 3, ShapeUtil::MakeShape(S32, {}), "place");
    auto is_greater = Gt(value, max);
    Tuple(&b, {Select(is_greater, value, max), Select(is_greater, place, argument)});
    argmax = b.Build().value();
  }
  XlaBuilder b("reduce");
  auto values = ConstantR2<float>(&b, {{1, 9, 2}, {8, 3, 4}});
  auto places = Iota(&b, ShapeUtil::MakeShape(S32, {2, 3}), 1);
  Reduce(&b, {values, places},
         {ConstantLiteral(&b, LiteralUtil::MinValue(F32)), ConstantR0<std::int32_t>(&b, -1)},
         argmax, {1});
  EXPECT_EQ(ValueOf(b.Build()), "(f32[2], s32[2]) ( {9, 8}, {1, 0} )");
}

TEST(Documents, GatherAndScatterFromFlatLists) {
  XlaBuilder b("gather");
  auto operand = ConstantR2<float>(&b, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  auto indices = ConstantR1<std::int32_t>(&b, {0, 2});
  GatherDimensionNumbers old;
  old.add_output_window_dims(0);
  old.add_elided_window_dims(1);
  old.add_gather_dims_to_operand_dims(1);
  old.set_index_vector_dim(1);
  EXPECT_EQ(old.offset_dims(0), 0);
  EXPECT_EQ(old.output_window_dims(0), 0);
  auto columns = Gather(operand, indices, {0}, {1}, {3, 1}, {1}, 1);
  auto pairs = ConstantR2<std::int32_t>(&b, {{0, 1}, {2, 2}});
  auto points = Gather(operand, pairs, {}, {0, 1}, {1, 1}, {0, 1});
  auto scattered = Scatter(operand, pairs, ConstantR1<float>(&b, {10, 20}), AddF32(),
                           /*index_vector_dim=*/1, {}, {0, 1}, {0, 1});
  Tuple(&b, {columns, Gather(operand, indices, old, {3, 1}), points, scattered});
  EXPECT_EQ(
      ValueOf(b.Build()),
      "(f32[3,2], f32[3,2], f32[2], f32[3,3]) ( { { 1, 3 }, { 4, 6 }, { 7, 9 } }, { { 1, 3 }, "
      "{ 4, 6 }, { 7, 9 } }, {2, 9}, { { 1, 12, 3 }, { 4, 5, 6 }, { 7, 8, 29 } } )");
}

TEST(Documents, SortOfKeysAndValues) {
  XlaBuilder b("sort");
  auto keys = ConstantR1<float>(&b, {3, -0.0f, 1, 0});
  auto values = ConstantR1<std::int32_t>(&b, {10, 20, 30, 40});
  Tuple(&b, {Sort(keys), Sort(keys, values), Sort(ConstantR2<float>(&b, {{2, 1}, {0, 3}}), 0)});
  EXPECT_EQ(ValueOf(b.Build()),
            "(f32[4], (f32[4], s32[4]), f32[2,2]) ( {-0, 0, 1, 3}, ( {-0, 0, 1, 3}, {20, 40, 30, "
            "10} ), { { 0, 1 }, { 2, 3 } } )");
}

TEST(Documents, OldNamesOfSmallOps) {
  XlaBuilder b("old");
  auto yes = ConstantR1<bool>(&b, {true, false});
  auto x = ConstantR1<float>(&b, {1, 2});
  auto drawn = [&](float mean) {
    return RngBernoulli(ConstantR0<float>(&b, mean), ShapeUtil::MakeShape(U32, {2}));
  };
  Tuple(&b, {LogicalAnd(yes, LogicalNot(yes)), LogicalOr(yes, LogicalNot(yes)), Iota(&b, S32, 2),
             Map(&b, {x}, AddF32(), {ConstantR0<float>(&b, 5)}), drawn(0), drawn(1),
             CrossReplicaSum(x), CrossReplicaSum(x, {0})});
  EXPECT_EQ(ValueOf(b.Build()),
            "(pred[2], pred[2], s32[2], f32[2], u32[2], /*index=5*/u32[2], f32[2], f32[2]) ( {0, "
            "0}, {1, 1}, {0, 1}, {6, 7}, {0, 0}, {1, 1}, {1, 2}, {1, 2} )");
}

TEST(Documents, HalvesOfTransfers) {
  XlaBuilder b("halves");
  auto x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2}), "x");
  auto sent = HloInstruction::CreateSendDone(HloInstruction::CreateSend(x, /*channel_id=*/1));
  auto context = HloInstruction::CreateRecv(&b, ShapeUtil::MakeShape(F32, {2}), /*channel_id=*/2);
  auto received = HloInstruction::CreateRecvDone(context);
  EXPECT_EQ(b.GetShape(sent)->ToString(), "token[]");
  EXPECT_EQ(b.GetShape(context)->ToString(), "(f32[2], u32[], token[])");
  EXPECT_EQ(b.GetShape(received)->ToString(), "(f32[2], token[])");
  EXPECT_TRUE(b.Build().ok());
  XlaBuilder wrong("wrong");
  HloInstruction::CreateRecvDone(Parameter(&wrong, 0, ShapeUtil::MakeShape(F32, {2}), "x"));
  EXPECT_FALSE(wrong.first_error().ok());
}

TEST(Documents, ConvolutionNumbersAndPaddingByAccessors) {
  ConvolutionDimensionNumbers numbers;
  numbers.set_input_batch_dimension(0);
  numbers.set_input_feature_dimension(3);
  numbers.add_input_spatial_dimensions(1);
  numbers.add_input_spatial_dimensions(2);
  numbers.set_kernel_input_feature_dimension(2);
  numbers.set_kernel_output_feature_dimension(3);
  numbers.add_kernel_spatial_dimensions(0);
  numbers.add_kernel_spatial_dimensions(1);
  numbers.set_output_batch_dimension(0);
  numbers.set_output_feature_dimension(3);
  numbers.add_output_spatial_dimensions(1);
  numbers.add_output_spatial_dimensions(2);
  EXPECT_EQ(numbers, (ConvolutionDimensionNumbers{"b01f", "01io", "b01f"}));
  EXPECT_EQ(numbers.input_spatial_dimensions(1), 2);
  EXPECT_EQ(numbers.kernel_output_feature_dimension(), 3);
  numbers.set_output_batch_dimension(i64{1} << 40);  // no such dimension: the role is lost
  EXPECT_EQ(numbers.output_batch_dimension(), -1);

  PaddingConfig padding;
  PaddingDim* dimension = padding.add_dimensions();
  dimension->set_edge_padding_low(1);
  dimension->set_interior_padding(2);
  EXPECT_EQ(padding, MakePaddingConfig({{1, 0, 2}}));
  EXPECT_EQ(padding.dimensions(0).interior_padding(), 2);
  EXPECT_EQ(MakeNoPaddingConfig(2), MakeEdgePaddingConfig({{0, 0}, {0, 0}}));
}

}  // namespace
}  // namespace documents
