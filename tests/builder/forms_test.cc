// Builder functions that are other forms of one op: they make what the general one makes.
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "tests/builder/built.h"

namespace axle {
namespace {

// The last instruction with its operands' names as they are, or the error without its place.
std::string Line(XlaBuilder& b) {
  const auto computation = b.Build();
  if (!computation.ok()) {
    const std::string text = computation.status().ToString();
    return text.substr(0, text.rfind(" at "));
  }
  const PrintOptions options = {.style = PrintOptions::Style::kShort};
  const std::string text = Print(computation->module(), options);
  const auto reread = Parse(text);
  EXPECT_TRUE(reread.ok()) << reread.status().message() << "\n" << text;
  const std::string line = Print(*computation->module().entry()->root(), options);
  return line.substr(line.find(" = ") + 3);
}

TEST(BuilderForms, Reshape) {
  XlaBuilder b("m");
  const XlaOp x = Param(b, 0, "f32[4,2,3]"), d = Param(b, 1, "f32[<=6]");
  EXPECT_EQ(b.GetShape(Collapse(x, Dims{0, 1, 2}))->ToString(), "f32[24]");
  EXPECT_EQ(b.GetShape(Collapse(x, Dims{0, 1}))->ToString(), "f32[8,3]");
  EXPECT_EQ(b.GetShape(Collapse(x, Dims{1, 2}))->ToString(), "f32[4,6]");
  EXPECT_EQ(Collapse(x, Dims{1}), x);
  EXPECT_EQ(Collapse(x, Dims{}), x);
  EXPECT_EQ(b.GetShape(Reshape(*ParseShape("f32[<=2,3]"), d))->ToString(), "f32[<=2,3]");
  EXPECT_EQ(b.GetShape(ReshapeWithInferredDimension(d, Dims{2, 3}, 1))->ToString(), "f32[2,<=3]");
  EXPECT_EQ(Line(b), "f32[2,<=3]{1,0} reshape(p1), inferred_dimension=1");
}

TEST(BuilderForms, CollapseTakesNeighbours) {
  XlaBuilder b("m");
  Collapse(Param(b, 0, "f32[4,2,3]"), Dims{0, 2});
  EXPECT_EQ(Line(b),
            "INVALID_ARGUMENT: reshape: dimensions to collapse must be in consecutive order, not "
            "{0,2}; operand f32[4,2,3]");
  XlaBuilder beyond("m");
  Collapse(Param(beyond, 0, "f32[4]"), Dims{1});
  EXPECT_EQ(Line(beyond), "INVALID_ARGUMENT: reshape: no dimension 1 to collapse; operand f32[4]");
}

TEST(BuilderForms, Movement) {
  XlaBuilder b("m");
  const XlaOp x = Param(b, 0, "s32[2,3]"), zero = ConstantR0<std::int32_t>(&b, 0);
  const XlaOp starts = ConstantR1<std::int32_t>(&b, {1, 1});
  const XlaOp update = ConstantR2<std::int32_t>(&b, {{8, 9}});
  Tuple(&b, std::vector<XlaOp>{PadInDim(x, zero, 1, 1, -1), Slice(x, Dims{0, 1}, Dims{1, 3}),
                               DynamicSlice(x, starts, Dims{1, 2}),
                               DynamicUpdateSlice(x, update, starts)});
  EXPECT_EQ(RunBuilt(b, {"s32[2,3] {{1,2,3},{4,5,6}}"}),
            "(s32[2,3], s32[1,2], s32[1,2], s32[2,3]) ( { { 0, 1, 2 }, { 0, 4, 5 } }, "
            "{ { 2, 3 } }, { { 5, 6 } }, { { 1, 2, 3 }, { 4, 8, 9 } } )");
  XlaBuilder beyond("m");
  PadInDim(Param(beyond, 0, "f32[4]"), ConstantR0<float>(&beyond, 0), 1, 0, 0);
  EXPECT_EQ(Line(beyond), "INVALID_ARGUMENT: pad: no dimension 1; operand f32[4]");
}

// (a, b, x, y) -> (a + x, b - y)
XlaComputation SumAndDifference() {
  XlaBuilder b("both");
  const XlaOp a = Param(b, 0, "f32[]"), c = Param(b, 1, "f32[]");
  const XlaOp x = Param(b, 2, "f32[]"), y = Param(b, 3, "f32[]");
  return *b.Build(Tuple(&b, std::vector<XlaOp>{Add(a, x), Sub(c, y)}));
}

TEST(BuilderForms, SeveralOperands) {
  const XlaComputation both = SumAndDifference();
  XlaBuilder b("m");
  const XlaOp x = Param(b, 0, "f32[4]"), zero = ConstantR0<float>(&b, 0);
  const XlaOp indices = ConstantR2<std::int32_t>(&b, {{2}, {2}});
  const XlaOp updates = ConstantR1<float>(&b, {10, 20});
  const std::vector<XlaOp> values = {x, x}, inits = {zero, zero};
  Tuple(&b, std::vector<XlaOp>{
                ReduceWindow(values, inits, both, Dims{2}, Dims{2}, Padding::kValid),
                ReduceWindowWithGeneralPadding(values, inits, both, Dims{2}, Dims{1}, {}, Dims{2},
                                               std::vector<std::pair<i64, i64>>{{0, 1}}),
                Scatter(values, indices, std::vector<XlaOp>{updates, updates}, both,
                        {.update_window_dims = {},
                         .inserted_window_dims = {0},
                         .scatter_dims_to_operand_dims = {0},
                         .index_vector_dim = 1})});
  EXPECT_EQ(RunBuilt(b, {"f32[4] {1, 2, 3, 4}"}),
            "((f32[2], f32[2]), (f32[3], f32[3]), (f32[4], f32[4])) ( ( {3, 7}, {-3, -7} ), "
            "( {4, 6, 3}, {-4, -6, -3} ), ( {1, 2, 33, 4}, {1, 2, -27, 4} ) )");
}

TEST(BuilderForms, SelectAndScatterWithGeneralPadding) {
  const XlaComputation add = AddF32();
  const XlaComputation ge = Scalar2("ge", F32, [](XlaOp x, XlaOp y) { return Ge(x, y); });
  XlaBuilder b("m");
  const XlaOp x = Param(b, 0, "f32[3]"), source = Param(b, 1, "f32[4]");
  SelectAndScatterWithGeneralPadding(x, ge, Dims{2}, Dims{1},
                                     std::vector<std::pair<i64, i64>>{{1, 1}}, source,
                                     ConstantR0<float>(&b, 0), add);
  EXPECT_EQ(RunBuilt(b, {"f32[3] {1, 3, 2}", "f32[4] {1, 10, 100, 1000}"}),
            "f32[3] {1, 110, 1000}");
}

// --- convolutions of one dimension --------------------------------------------------------------

TEST(BuilderForms, ConvolutionsOfOneDimension) {
  const std::vector<std::pair<i64, i64>> kNone = {{0, 0}}, kCropped = {{-1, 0}};
  const ConvolutionDimensionNumbers last = {"b0f", "0io", "b0f"};
  XlaBuilder b("m");
  const XlaOp x = Param(b, 0, "f32[1,1,5]"), k = Param(b, 1, "f32[1,1,3]");
  const XlaOp x_last = Reshape(x, Dims{1, 5, 1}), k_last = Reshape(k, Dims{3, 1, 1});
  const Dims one = {1};
  const auto flat = [](XlaOp op) {
    return Reshape(op, Dims{op.instruction()->shape().num_elements()});
  };
  Tuple(&b, std::vector<XlaOp>{
                flat(Conv(x, k, Dims{2}, Padding::kSame)),
                flat(ConvWithGeneralPadding(x, k, one, kCropped)),
                flat(ConvWithGeneralPadding(x, k, one, kNone, Dims{2}, one)),
                flat(ConvWithGeneralPadding(x, k, one, kNone, one, Dims{2})),
                flat(ConvWithGeneralDimensions(x_last, k_last, one, Padding::kSame, last)),
                flat(ConvGeneral(x_last, k_last, one, kNone, last)),
                flat(ConvGeneralDilated(x_last, k_last, one, kNone, {}, {}, last, 1, 1, nullptr,
                                        F64, {true}))});
  EXPECT_EQ(RunBuilt(b, {"f32[1,1,5] {{{1, 2, 3, 4, 5}}}", "f32[1,1,3] {{{10, 20, 30}}}"}),
            "(f32[3], f32[2], f32[7], f32[1], f32[5], f32[3], f64[3]) ( {80, 200, 140}, "
            "{200, 260}, {70, 40, 110, 60, 150, 80, 190}, {220}, {80, 140, 200, 260, 140}, "
            "{140, 200, 260}, {100, 160, 220} )");
}

TEST(BuilderForms, ConvolutionHints) {
  XlaBuilder b("m");
  const XlaOp x = Param(b, 0, "f32[1,4,5]"), k = Param(b, 1, "f32[4,1,3]");
  const PrecisionConfig config = {.operand_precision = {Precision::kHighest, Precision::kDefault}};
  Conv(x, k, Dims{1}, Padding::kValid, 4, 1, &config, F64);
  EXPECT_EQ(Line(b),
            "f64[1,4,3]{2,1,0} convolution(p0, p1), window={size=3}, dim_labels=bf0_oi0->bf0, "
            "feature_group_count=4, operand_precision={highest,default}");
}

TEST(BuilderForms, ConvolutionErrors) {
  const auto error = [](auto build) {
    XlaBuilder b("m");
    build(Param(b, 0, "f32[1,1,5]"), Param(b, 1, "f32[1,1,3]"));
    return Line(b);
  };
  EXPECT_EQ(error([](XlaOp x, XlaOp k) {
              Conv(x, k, Dims{1, 1}, Padding::kSame);
            }),
            "INVALID_ARGUMENT: convolution: 2 window_strides need operands of that rank plus 2; "
            "lhs f32[1,1,5], rhs f32[1,1,3]");
  EXPECT_EQ(error([](XlaOp x, XlaOp k) {
              ConvGeneralDilated(x, k, Dims{1}, {}, {}, {}, {"bf0", "oi0", "bf0"}, 1, 1, nullptr,
                                 {}, {true, false});
            }),
            "INVALID_ARGUMENT: convolution: window has 1 dimensions but window_reversal has 2");
  EXPECT_EQ(error([](XlaOp x, XlaOp k) {
              ConvWithGeneralDimensions(x, k, Dims{1}, Padding::kSame, {"bf0", "oi", "bf0"});
            }),
            "INVALID_ARGUMENT: convolution: dimension numbers \"oi\" do not fit rhs f32[1,1,3]");
}

// Padding follows from the strides, so that none is not stride 1.
TEST(BuilderForms, PaddingNeedsStrides) {
  const XlaComputation add = AddF32();
  const XlaComputation ge = Scalar2("ge", F32, [](XlaOp x, XlaOp y) { return Ge(x, y); });
  const auto error = [](auto build) {
    XlaBuilder b("m");
    build(Param(b, 0, "f32[1,1,5]"), Param(b, 1, "f32[1,1,3]"), Param(b, 2, "f32[]"));
    return Line(b);
  };
  EXPECT_EQ(error([&](XlaOp x, XlaOp, XlaOp init) {
              ReduceWindow(x, init, add, Dims{1, 1, 3}, Dims{}, Padding::kSame);
            }),
            "INVALID_ARGUMENT: reduce-window: window has 3 dimensions but window_strides has 0");
  EXPECT_EQ(error([&](XlaOp x, XlaOp, XlaOp init) {
              SelectAndScatter(x, ge, Dims{1, 1, 3}, Dims{}, Padding::kSame, x, init, add);
            }),
            "INVALID_ARGUMENT: select-and-scatter: window has 3 dimensions but window_strides has "
            "0");
  EXPECT_EQ(error([](XlaOp x, XlaOp k, XlaOp) {
              ConvWithGeneralDimensions(x, k, Dims{}, Padding::kSame, {"bf0", "oi0", "bf0"});
            }),
            "INVALID_ARGUMENT: convolution: window has 1 dimensions but window_strides has 0");
}

// --- dynamic dimensions: padding that follows the run-time size ---------------------------------

TEST(BuilderForms, SamePaddingOfDynamicDimensions) {
  const XlaComputation add = AddF32();
  const XlaComputation ge = Scalar2("ge", F32, [](XlaOp x, XlaOp y) { return Ge(x, y); });
  XlaBuilder b("m");
  const XlaOp x = Param(b, 0, "f32[<=6]"), zero = ConstantR0<float>(&b, 0);
  const XlaOp windows = ReduceWindow(x, zero, add, Dims{3}, Dims{2}, Padding::kSame);
  Tuple(&b, std::vector<XlaOp>{windows, SelectAndScatter(x, ge, Dims{3}, Dims{2}, Padding::kSame,
                                                         windows, zero, add)});
  // Six elements would be padded by one at the end, five by one on both sides.
  EXPECT_EQ(RunBuilt(b, {"f32[<=6](5) {1, 2, 4, 8, 16}"}),
            "(f32[<=3], f32[<=6]) ( (3) {3, 14, 24}, (5) {0, 3, 0, 14, 24} )");
  const XlaOp y = Param(b, 0, "f32[<=6,4]"), none = ConstantR0<float>(&b, 0);
  ReduceWindow(y, none, add, Dims{1, 3}, Dims{1, 1}, Padding::kSame);
  EXPECT_EQ(b.Build()->module().entry()->root()->opcode(), Opcode::kReduceWindow);
  ReduceWindow(Param(b, 0, "f32[<=6,4]"), ConstantR0<float>(&b, 0), add, Dims{0, 3}, Dims{1, 1},
               Padding::kSame);
  EXPECT_FALSE(b.first_error().ok());
}

TEST(BuilderForms, DynamicConvForward) {
  const ConvolutionDimensionNumbers numbers = {"bf0", "oi0", "bf0"};
  XlaBuilder b("m");
  const XlaOp x = Param(b, 0, "f32[1,1,<=6]"), k = Param(b, 1, "f32[1,1,3]");
  const auto same = MakePadding(Dims{6}, Dims{3}, Dims{2}, Padding::kSame);
  Tuple(&b, std::vector<XlaOp>{DynamicConvForward(x, k, Dims{2}, same, {}, {}, numbers, 1, 1,
                                                  nullptr, PaddingType::kSame),
                               DynamicConvForward(x, k, Dims{2}, {}, {}, {}, numbers, 1, 1, nullptr,
                                                  PaddingType::kValid)});
  EXPECT_EQ(RunBuilt(b, {"f32[1,1,<=6](1,1,5) {{{1, 2, 3, 4, 5}}}", "f32[1,1,3] {{{10, 20, 30}}}"}),
            "(f32[1,1,<=3], f32[1,1,<=2]) ( (1,1,3) { { { 80, 200, 140 } } }, "
            "(1,1,2) { { { 140, 260 } } } )");
}

// --- collectives --------------------------------------------------------------------------------

TEST(BuilderForms, DeviceLists) {
  const CollectiveDeviceList iota = *CollectiveDeviceList::Iota(2, 4, {4, 2}, {1, 0});
  const CollectiveDeviceList plain = *CollectiveDeviceList::Iota(1, 2);
  ReplicaGroups along;
  along.mesh =
      DeviceMesh{.axes = {{"x", 2}, {"y", 4}}, .device_ids = {}, .iota = {}, .maximal_device = {}};
  along.axes = {{.axis = 1}};
  const CollectiveDeviceList mesh(along);
  const auto line = [](auto build) {
    XlaBuilder b("m");
    build(b, Param(b, 0, "f32[8]"));
    return Line(b);
  };
  EXPECT_EQ(line([&](XlaBuilder&, XlaOp x) { AllReduceWithDeviceList(x, AddF32(), iota); }),
            "f32[8]{0} all-reduce(p0), replica_groups=[2,4]<=[4,2]T(1,0), to_apply=add");
  EXPECT_EQ(line([&](XlaBuilder&, XlaOp x) { AllGatherWithDeviceList(x, 0, 4, mesh); }),
            "f32[32]{0} all-gather(p0), replica_groups=mesh['x'=2,'y'=4] {'y'}, dimensions={0}");
  EXPECT_EQ(
      line([&](XlaBuilder&, XlaOp x) { ReduceScatterWithDeviceList(x, AddF32(), 0, 2, plain); }),
      "f32[4]{0} reduce-scatter(p0), replica_groups=[1,2]<=[2], dimensions={0}, to_apply=add");
  EXPECT_EQ(line([&](XlaBuilder&, XlaOp x) { AllToAllWithDeviceList(x, 0, 0, 2, plain); }),
            "f32[8]{0} all-to-all(p0), replica_groups=[1,2]<=[2], dimensions={0}");
  EXPECT_EQ(line([&](XlaBuilder&, XlaOp x) {
              AllToAllTupleWithDeviceList(std::vector<XlaOp>{x, x}, plain);
            }),
            "(f32[8]{0}, f32[8]{0}) all-to-all(p0, p0), replica_groups=[1,2]<=[2]");
  EXPECT_EQ(line([&](XlaBuilder&, XlaOp x) { CollectiveBroadcastWithDeviceList(x, plain); }),
            "f32[8]{0} collective-broadcast(p0), replica_groups=[1,2]<=[2]");
}

TEST(BuilderForms, DeviceListsThatMakeNoSense) {
  EXPECT_EQ(CollectiveDeviceList::Iota(2, 4, {4, 3}).status().message(),
            "iota: 2 groups of 4 are not the devices of [4,3]T(0,1)");
  EXPECT_FALSE(CollectiveDeviceList::Iota(2, 4, {4, 2}, {0, 0}).ok());
  EXPECT_FALSE(CollectiveDeviceList::Iota(0, 0).ok());
  EXPECT_FALSE(CollectiveDeviceList::Iota(i64{1} << 40, i64{1} << 40).ok());
}

TEST(BuilderForms, BroadcastOfSeveralOperands) {
  XlaBuilder b("m");
  const XlaOp x = Param(b, 0, "f32[2]"), root = Param(b, 1, "s32[1]");
  const std::vector<ReplicaGroup> groups = {{0, 1}};
  CollectiveBroadcast(std::vector<XlaOp>{x, root}, groups, {}, /*has_dynamic_root=*/true);
  EXPECT_EQ(Line(b),
            "f32[2]{0} collective-broadcast(p0, p1), replica_groups={{0,1}}, "
            "has_dynamic_root=true");
}

TEST(BuilderForms, BuildPartitionId) {
  XlaBuilder b("m");
  BuildPartitionId(&b, Shape(U32));
  EXPECT_EQ(Line(b), "u32[] partition-id()");
  XlaBuilder wrong("m");
  BuildPartitionId(&wrong, Shape(S32));
  EXPECT_EQ(Line(wrong), "INVALID_ARGUMENT: partition-id: gives u32[], not s32[]");
}

}  // namespace
}  // namespace axle
