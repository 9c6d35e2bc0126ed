// Worked examples of XLA's calls, control flow, tokens and queues, and of dynamic sizes.
#include <algorithm>

#include "axle/runtime/host_device.h"
#include "tests/builder/worked.h"

namespace axle {
namespace {

using O = XlaOp;

// A computation of one parameter.
XlaComputation Of(std::string_view shape, O (*function)(O)) {
  XlaBuilder b("branch");
  auto computation = b.Build(function(Param(b, 0, shape)));
  EXPECT_TRUE(computation.ok()) << computation.status().message();
  return *computation;
}
XlaComputation Negate() {
  return Of("f32[]", [](O x) { return Neg(x); });
}
XlaComputation Twice() {
  return Of("f32[]", [](O x) { return x + x; });
}

// --- calls --------------------------------------------------------------------------------------

TEST(WorkedControl, Call) {
  const XlaComputation add = AddF32();
  EXPECT_EQ(ResultOf(
                [&](XlaBuilder* b, O x, O y) {
                  return Call(b, add, {x, y});
                },
                "f32[] 1", "f32[] 2"),
            "f32[] 3");
  XlaBuilder none("none");
  ConstantR0<float>(&none, 5);
  const XlaComputation five = none.Build().ConsumeValueOrDie();
  EXPECT_EQ(ResultOf([&](XlaBuilder* b) { return Call(b, five, {}); }), "f32[] 5");
  EXPECT_TRUE(ShapeOf([&](XlaBuilder* b, O x) { return Call(b, add, {x}); }, "f32[]")
                  .starts_with("INVALID_ARGUMENT: call:"));
  EXPECT_TRUE(ShapeOf(
                  [&](XlaBuilder* b, O x) {
                    return Call(b, add, {x, x});
                  },
                  "f32[2]")
                  .starts_with("INVALID_ARGUMENT: call:"));
}

TEST(WorkedControl, CompositeCall) {
  const XlaComputation add = AddF32();
  const auto composite = [&](XlaBuilder* b, O x, O y) {
    return CompositeCall(b, add, {x, y}, "foo.bar",
                         "{n = 1 : i32, tensor = dense<1> : tensor<i32>}", 1);
  };
  EXPECT_EQ(ResultOf(composite, "f32[] 1", "f32[] 2"), "f32[] 3");
  const auto computation = BuiltOf(composite, Shape(F32), Shape(F32));
  const std::string text = Print(computation->module());
  for (const std::string_view part :
       {"is_composite=true", "composite.name=\"foo.bar\"", "composite.version=\"1\"",
        "composite.attributes={n = 1 : i32, tensor = dense<1> : tensor<i32>}"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

// The documents' text of a composite call, with blanks around the sign that XLA's reader refuses.
TEST(WorkedControl, CompositeCallAsText) {
  const auto module = Parse(R"(HloModule m
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
ENTRY e { a = f32[] parameter(0)
  ROOT r = f32[] call(a, a), to_apply=add, is_composite=true, frontend_attributes = {
    composite.name="foo.bar", composite.attributes={n = 1 : i32, tensor = dense<1> : tensor<i32>},
    composite.version="1" } })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const Literal one = Value("f32[] 1");
  EXPECT_EQ(Compact(*Evaluate(**module, {&one, 1})), "f32[] 2");
}

// --- conditional and while ----------------------------------------------------------------------

TEST(WorkedControl, ConditionalOfAPredicate) {
  const auto conditional = [](O p, O x, O y) { return Conditional(p, x, Negate(), y, Twice()); };
  EXPECT_EQ(ResultOf(conditional, "pred[] true", "f32[] 3", "f32[] 4"), "f32[] -3");
  EXPECT_EQ(ResultOf(conditional, "pred[] false", "f32[] 3", "f32[] 4"), "f32[] 8");
  EXPECT_TRUE(ShapeOf(conditional, "pred[1]", "f32[]", "f32[]")
                  .starts_with("INVALID_ARGUMENT: conditional:"));
}

// An index of no branch runs the last one.
TEST(WorkedControl, ConditionalOfAnIndex) {
  const auto conditional = [](O index, O x, O y) {
    const XlaComputation negate = Negate(), twice = Twice();
    return Conditional(index, {&negate, &twice}, {x, y});
  };
  EXPECT_EQ(ResultOf(conditional, "s32[] 0", "f32[] 3", "f32[] 4"), "f32[] -3");
  for (const std::string_view index : {"s32[] 1", "s32[] 2", "s32[] -1"}) {
    EXPECT_EQ(ResultOf(conditional, index, "f32[] 3", "f32[] 4"), "f32[] 8") << index;
  }
  EXPECT_TRUE(ShapeOf(conditional, "s64[]", "f32[]", "f32[]")
                  .starts_with("INVALID_ARGUMENT: conditional:"));
}

constexpr std::string_view kState = "(s32[], f32[10])";
XlaComputation Below(O (*limit)(XlaBuilder*)) {
  XlaBuilder b("condition");
  return *b.Build(Lt(GetTupleElement(Param(b, 0, kState), 0), limit(&b)));
}
XlaComputation Step() {
  XlaBuilder b("body");
  const O state = Param(b, 0, kState);
  const O weights = GetTupleElement(state, 1) + ConstantR1<float>(&b, 10, 0.5f);
  return *b.Build(Tuple(&b, {GetTupleElement(state, 0) + ConstantR0(&b, 1), weights}));
}

TEST(WorkedControl, While) {
  const auto loop = [](O (*limit)(XlaBuilder*)) {
    return [limit](O init) { return While(Below(limit), Step(), init); };
  };
  const std::string_view init = "(s32[], f32[10]) (0, {0,0,0,0,0,0,0,0,0,0})";
  EXPECT_EQ(ResultOf(loop([](XlaBuilder* b) { return ConstantR0(b, 1000); }), init),
            "(s32[],f32[10]) (1000,{500,500,500,500,500,500,500,500,500,500})");
  EXPECT_EQ(ResultOf(loop([](XlaBuilder* b) { return ConstantR0(b, 0); }), init),
            "(s32[],f32[10]) (0,{0,0,0,0,0,0,0,0,0,0})");
  EXPECT_TRUE(ShapeOf([](O x) { return While(Negate(), Negate(), x); }, "f32[]")
                  .starts_with("INVALID_ARGUMENT: while:"));
}

// --- barriers and tokens ------------------------------------------------------------------------

TEST(WorkedControl, BarriersAndTokens) {
  EXPECT_EQ(ResultOf([](O x) { return OptimizationBarrier(x); }, "(s32[], f32[1]) (1, {2})"),
            "(s32[],f32[1]) (1,{2})");
  EXPECT_EQ(ShapeOf([](XlaBuilder* b) {
              return AfterAll(b, {CreateToken(b), CreateToken(b)});
            }),
            "token[]");
  EXPECT_TRUE(ShapeOf([](XlaBuilder* b, O x) { return AfterAll(b, {x}); }, "f32[]")
                  .starts_with("INVALID_ARGUMENT: after-all:"));
}

// Arrays take one buffer, tuples one for each element, in the order of the calls.
TEST(WorkedControl, InfeedAndOutfeed) {
  const auto computation = BuiltOf([](XlaBuilder* b) {
    const O first = Infeed(b, *ParseShape("f32[2]{0}"));
    const O pair = Infeed(b, *ParseShape("(s32[], f32[1]{0})"));
    Outfeed(pair, *ParseShape("(s32[], f32[1]{0})"), "");
    return Tuple(b, {first, pair, Infeed(b, *ParseShape("()"))});
  });
  ASSERT_TRUE(computation.ok()) << computation.status().message();
  HostDevice device;
  ASSERT_TRUE(device.TransferToInfeed(Value("f32[2] {1,2}")).ok());
  ASSERT_TRUE(device.TransferToInfeed(Value("(s32[], f32[1]) (3, {4})")).ok());
  const auto result = Evaluate(computation->module(), {}, {.device = &device});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(Compact(*result), "(f32[2],(s32[],f32[1]),()) ({1,2},(3,{4}),())");
  EXPECT_EQ(Compact(*device.TransferFromOutfeed(*ParseShape("(s32[], f32[1])"))),
            "(s32[],f32[1]) (3,{4})");
}

// --- custom calls -------------------------------------------------------------------------------

extern "C" void WorkedSumOfLeaves(void* out, void** in) {
  const auto x = static_cast<const float*>(in[0]), y = static_cast<const float*>(in[1]);
  auto* z = static_cast<float*>(out);
  std::fill_n(z, 9, 0.0f);
  z[0] = x[1] + y[3];  // y[1][0]
}

// Operands are their leaves: a tuple of both makes no difference.
TEST(WorkedControl, CustomCall) {
  HostDevice device;
  ASSERT_TRUE(device.custom_calls().Register("myfunc", WorkedSumOfLeaves).ok());
  const Literal arguments[] = {Value("f32[2] {1,2}"), Value("f32[2,3] {{10,20,30},{40,50,60}}")};
  for (const bool tuple : {false, true}) {
    const auto computation = BuiltOf(
        [tuple](XlaBuilder* b, O x, O y) {
          const Shape z = ShapeUtil::MakeShape(F32, {3, 3});
          return tuple ? CustomCall(b, "myfunc", {Tuple(b, {x, y})}, z)
                       : CustomCall(b, "myfunc", {x, y}, z);
        },
        arguments[0].shape(), arguments[1].shape());
    const auto result = Evaluate(computation->module(), arguments, {.device = &device});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(Compact(*result), "f32[3,3] {{42,0,0},{0,0,0},{0,0,0}}");
  }
  const auto unknown =
      BuiltOf([](XlaBuilder* b) { return CustomCall(b, "nobody", {}, Shape(F32)); });
  EXPECT_EQ(Evaluate(unknown->module(), {}, {.device = &device}).status().code(),
            StatusCode::kNotFound);
}

// --- dynamic sizes ------------------------------------------------------------------------------

TEST(WorkedDynamic, PaddingIsNotReduced) {
  const std::string_view ten = "f32[10] {1,2,3,4,5,6,7,8,9,10}";
  const auto sum = [](XlaBuilder* b, O v, O size) {
    return ReduceAll(SetDimensionSize(v, size, /*dimension=*/0), ConstantR0<float>(b, 0), AddF32());
  };
  EXPECT_EQ(ResultOf(sum, ten, "s32[] 5"), "f32[] 15");
  EXPECT_EQ(ResultOf(sum, ten, "s32[] 6"), "f32[] 21");
  EXPECT_EQ(ResultOf(sum, ten, "s32[] 99"), "f32[] 55");  // clamped to the bound
  const auto product = [](XlaBuilder* b, O v, O size) {
    return ReduceAll(SetDimensionSize(v, size, 0), ConstantR0<float>(b, 1),
                     Scalar2("mul", F32, [](O x, O y) { return Mul(x, y); }));
  };
  EXPECT_EQ(ResultOf(product, ten, "s32[] 5"), "f32[] 120");
}

TEST(WorkedDynamic, SizesAndShapes) {
  const auto size = [](O v, O n) { return GetDimensionSize(SetDimensionSize(v, n, 0), 0); };
  EXPECT_EQ(ResultOf(size, "f32[4] {1,2,3,4}", "s32[] 3"), "s32[] 3");
  EXPECT_EQ(ResultOf(size, "f32[4] {1,2,3,4}", "s32[] 9"), "s32[] 4");
  EXPECT_EQ(ShapeOf([](O v, O n) { return SetDimensionSize(v, n, 0); }, "f32[10]", "s32[]"),
            "f32[<=10]");
  EXPECT_EQ(ShapeOf([](O v) { return RemoveDynamicDimension(v, 0); }, "f32[<=10]"), "f32[10]");
  XlaBuilder b("static");
  EXPECT_EQ(GetDimensionSize(Param(b, 0, "f32[4]"), 0).instruction()->opcode(), Opcode::kConstant);
}

TEST(WorkedDynamic, HowSizesPropagate) {
  const std::string_view x = "f32[<=4](3) {1,2,3}", y = "f32[<=4](1) {7}";
  const auto concatenate = [](XlaBuilder* b, O p, O q) { return ConcatInDim(b, {p, q}, 0); };
  EXPECT_EQ(ResultOf(concatenate, x, y), "f32[<=8] (4){1,2,3,7}");
  EXPECT_EQ(ResultOf([](O p) { return Rev(p, {0}); }, x), "f32[<=4] (3){3,2,1}");
  EXPECT_EQ(ResultOf([](O p) { return Sort(Neg(p)); }, x), "f32[<=4] (3){-3,-2,-1}");
  EXPECT_EQ(ResultOf([](O p) { return Slice(p, {1}, {4}); }, x), "f32[<=3] (2){2,3}");
  EXPECT_EQ(ShapeOf([](O p) { return Slice(p, {1}, {2}); }, "f32[<=4]"), "f32[1]");
  const auto pad = [](XlaBuilder* b, O p) { return PadInDim(p, ConstantR0<float>(b, 0), 0, 1, 1); };
  EXPECT_EQ(ResultOf(pad, x), "f32[<=6] (5){0,1,2,3,0}");
  EXPECT_EQ(ResultOf([](O p) { return Dot(p, p); }, x), "f32[] 14");
}

}  // namespace
}  // namespace axle
