// Worked examples of XLA's reductions, windows and maps.
#include "tests/builder/worked.h"

namespace axle {
namespace {

using O = XlaOp;
using Pairs = std::vector<std::pair<i64, i64>>;

XlaComputation AddS32() {
  return Scalar2("add", S32, [](O x, O y) { return Add(x, y); });
}
XlaComputation GeS32() {
  return Scalar2("ge", S32, [](O x, O y) { return Ge(x, y); });
}
// (x, y) -> 10 x + y: tells in which order it was applied.
XlaComputation Horner() {
  return Scalar2("horner", S32, [](O x, O y) {
    return Add(Mul(x, ConstantR0<std::int32_t>(x.builder(), 10)), y);
  });
}
O Zero(O x) {
  return ConstantR0<std::int32_t>(x.builder(), 0);
}

// --- reduce -------------------------------------------------------------------------------------

auto Sum(Dims dims) {
  return [dims](O x) { return Reduce(x, Zero(x), AddS32(), dims); };
}

TEST(WorkedReductions, Reduce) {
  const std::string_view a =
      "s32[4,2,3] {{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}}}";
  EXPECT_EQ(ResultOf(Sum({0}), a), "s32[2,3] {{4,8,12},{16,20,24}}");
  EXPECT_EQ(ResultOf(Sum({2}), a), "s32[4,2] {{6,15},{6,15},{6,15},{6,15}}");
  EXPECT_EQ(ResultOf(Sum({0, 1}), a), "s32[3] {20,28,36}");
  EXPECT_EQ(ResultOf(Sum({1, 0}), a), "s32[3] {20,28,36}");
  EXPECT_EQ(ResultOf(Sum({0, 1, 2}), a), "s32[] 84");
  EXPECT_EQ(ResultOf([](O x) { return ReduceAll(x, Zero(x), AddS32()); }, a), "s32[] 84");
  EXPECT_EQ(ResultOf(Sum({0}), "s32[2,3] {{1,2,3},{4,5,6}}"), "s32[3] {5,7,9}");
  EXPECT_EQ(ResultOf(Sum({1}), "s32[2,3] {{1,2,3},{4,5,6}}"), "s32[2] {6,15}");
  EXPECT_EQ(ResultOf(Sum({0}), "s32[4] {10,11,12,13}"), "s32[] 46");
  EXPECT_EQ(ResultOf(Sum({0}), "s32[0,2] {}"), "s32[2] {0,0}");
}

TEST(WorkedReductions, InitIsOnTheLeftAndOnce) {
  const auto order = [](O x, O init) { return Reduce(x, init, Horner(), {0}); };
  EXPECT_EQ(ResultOf(order, "s32[3] {1,2,3}", "s32[] 7"), "s32[] 7123");
  const auto none = [](O x, O init) { return Reduce(x, init, AddS32(), {}); };
  EXPECT_EQ(ResultOf(none, "s32[2] {1,2}", "s32[] 7"), "s32[2] {8,9}");
}

TEST(WorkedReductions, ReduceRefused) {
  EXPECT_TRUE(ShapeOf(Sum({1}), "s32[4]").starts_with("INVALID_ARGUMENT: reduce:"));
  EXPECT_TRUE(ShapeOf(Sum({0, 0}), "s32[4]").starts_with("INVALID_ARGUMENT: reduce:"));
}

// value >= max, so that the later of two equal values is taken.
XlaComputation ArgMaxOfPairs() {
  XlaBuilder b("argmax");
  const O max = Param(b, 0, "f32[]"), argument = Param(b, 1, "s32[]");
  const O value = Param(b, 2, "f32[]"), place = Param(b, 3, "s32[]");
  const O later = Ge(value, max);
  return *b.Build(Tuple(&b, {Select(later, value, max), Select(later, place, argument)}));
}

TEST(WorkedReductions, VariadicReduce) {
  const auto argmax = [](XlaBuilder* b, O values) {
    const O none = ConstantLiteral(b, LiteralUtil::MinValue(F32));
    return Reduce(b, {values, Iota(b, S32, 3)}, {none, ConstantR0<std::int32_t>(b, -1)},
                  ArgMaxOfPairs(), {0});
  };
  EXPECT_EQ(ResultOf(argmax, "f32[3] {3,1,3}"), "(f32[],s32[]) (3,2)");
}

// --- windows ------------------------------------------------------------------------------------

TEST(WorkedReductions, ReduceWindow) {
  const auto min = [](Padding padding) {
    return [padding](XlaBuilder* b, O x) {
      return ReduceWindow(x, ConstantLiteral(b, LiteralUtil::MaxValue(F32)),
                          Scalar2("min", F32, [](O y, O z) { return Min(y, z); }), {3}, {2},
                          padding);
    };
  };
  const std::string_view powers = "f32[5] {10000,1000,100,10,1}";
  EXPECT_EQ(ResultOf(min(Padding::kValid), powers), "f32[2] {100,1}");
  EXPECT_EQ(ResultOf(min(Padding::kSame), powers), "f32[3] {1000,10,1}");
  const auto max = [](XlaBuilder* b) {
    const O x = Reshape(Iota(b, F32, 24), {4, 6});
    return ReduceWindow(x, ConstantLiteral(b, LiteralUtil::MinValue(F32)),
                        Scalar2("max", F32, [](O y, O z) { return Max(y, z); }), {2, 3}, {2, 3},
                        Padding::kValid);
  };
  EXPECT_EQ(ResultOf(max), "f32[2,2] {{8,11},{20,23}}");
  const auto sum = [](i64 window) {
    return
        [window](O x) { return ReduceWindow(x, Zero(x), AddS32(), {window}, {1}, Padding::kSame); };
  };
  EXPECT_EQ(ResultOf(sum(3), "s32[4] {1,2,3,4}"), "s32[4] {3,6,9,7}");
  EXPECT_EQ(ResultOf(sum(2), "s32[3] {1,2,3}"), "s32[3] {3,5,3}");
}

// Padding is not combined with init: it is left out.
TEST(WorkedReductions, PaddingOfWindowsIsSkipped) {
  const auto order = [](i64 low, i64 high) {
    return [=](O x, O init) {
      return ReduceWindowWithGeneralPadding(x, init, Horner(), {2}, {1}, {}, {},
                                            Pairs{{low, high}});
    };
  };
  EXPECT_EQ(ResultOf(order(1, 1), "s32[2] {1,2}", "s32[] 7"), "s32[3] {71,712,72}");
  EXPECT_EQ(ResultOf(order(2, 0), "s32[1] {1}", "s32[] 7"), "s32[2] {7,71}");
}

TEST(WorkedReductions, SelectAndScatter) {
  const auto scatter = [](Dims window, Dims strides) {
    return [=](O x, O source) {
      return SelectAndScatter(x, GeS32(), window, strides, Padding::kValid, source, Zero(x),
                              AddS32());
    };
  };
  EXPECT_EQ(ResultOf(scatter({2}, {2}), "s32[4] {1,3,2,5}", "s32[2] {10,20}"),
            "s32[4] {0,10,0,20}");
  EXPECT_EQ(ResultOf(scatter({2}, {1}), "s32[3] {1,9,2}", "s32[2] {2,6}"), "s32[3] {0,8,0}");
  EXPECT_EQ(ResultOf(scatter({2, 3}, {2, 2}),
                     "s32[4,5] {{7,2,5,3,8},{3,8,9,3,4},{1,5,7,5,6},{0,6,2,10,2}}",
                     "s32[2,2] {{2,6},{3,1}}"),
            "s32[4,5] {{0,0,0,0,0},{0,0,8,0,0},{0,0,3,0,0},{0,0,0,1,0}}");
  EXPECT_EQ(ResultOf(scatter({3}, {3}), "s32[3] {4,4,4}", "s32[1] {5}"), "s32[3] {5,0,0}");  // ties
  EXPECT_TRUE(ShapeOf(scatter({2}, {2}), "s32[4]", "s32[3]")
                  .starts_with("INVALID_ARGUMENT: select-and-scatter:"));
}

TEST(WorkedReductions, ScatterTakesTheCurrentValueFirst) {
  const auto scatter = [](O x, O source) {
    return SelectAndScatter(x, GeS32(), {2}, {1}, Padding::kValid, source, Zero(x), Horner());
  };
  EXPECT_EQ(ResultOf(scatter, "s32[3] {1,9,2}", "s32[2] {2,6}"), "s32[3] {0,26,0}");
}

// A window of padding only selects nothing.
TEST(WorkedReductions, SourcesWithoutAnElementAreDropped) {
  const auto scatter = [](O x, O source) {
    return SelectAndScatterWithGeneralPadding(x, GeS32(), {1}, {1}, Pairs{{1, 0}}, source, Zero(x),
                                              AddS32());
  };
  EXPECT_EQ(ResultOf(scatter, "s32[2] {1,2}", "s32[3] {10,20,30}"), "s32[2] {20,30}");
}

TEST(WorkedReductions, NaNsLetLaterElementsThrough) {
  const auto scatter = [](XlaBuilder* b, O x, O source) {
    return SelectAndScatter(x, Scalar2("ge", F32, [](O y, O z) { return Ge(y, z); }), {3}, {3},
                            Padding::kValid, source, ConstantR0<float>(b, 0), AddF32());
  };
  EXPECT_EQ(ResultOf(scatter, "f32[3] {nan,2,1}", "f32[1] {5}"), "f32[3] {0,5,0}");
  EXPECT_EQ(ResultOf(scatter, "f32[3] {2,nan,1}", "f32[1] {5}"), "f32[3] {0,0,5}");
}

// --- map ----------------------------------------------------------------------------------------

TEST(WorkedReductions, Map) {
  const std::string_view x = "s32[2] {1,2}", y = "s32[2] {3,4}";
  EXPECT_EQ(ResultOf(
                [](XlaBuilder* b, O p, O q) {
                  return Map(b, {p, q}, Horner(), Dims{0});
                },
                x, y),
            "s32[2] {13,24}");
  EXPECT_EQ(ResultOf(
                [](XlaBuilder* b, O p, O q) {
                  return Map(b, {p, q}, Horner());
                },
                x, y),
            "s32[2] {13,24}");
  EXPECT_EQ(ResultOf(
                [](XlaBuilder* b, O p, O q) {
                  return Map(b, {p, q}, Horner(), Dims{0});
                },
                x, "s32[] 5"),
            "s32[2] {15,25}");
  // A static operand goes to every call; the oldest form has no dimensions.
  EXPECT_EQ(
      ResultOf([](XlaBuilder* b, O p, O q) { return Map(b, {p}, Horner(), {q}); }, x, "s32[] 5"),
      "s32[2] {15,25}");
  EXPECT_TRUE(ShapeOf(
                  [](XlaBuilder* b, O p) {
                    return Map(b, {p, p}, Horner(), Dims{1});
                  },
                  "s32[2]")
                  .starts_with("INVALID_ARGUMENT: map:"));
}

}  // namespace
}  // namespace axle
