// Slices, sorting, loops and pooling.
#include "axle/lib/slicing.h"

#include "axle/lib/arithmetic.h"
#include "axle/lib/comparators.h"
#include "axle/lib/constants.h"
#include "axle/lib/loops.h"
#include "axle/lib/pooling.h"
#include "axle/lib/sorting.h"
#include "tests/lib/lib_test.h"

namespace axle {
namespace {

using Ops = std::vector<XlaOp>;

constexpr std::string_view k23 = "s32[2,3] {{1, 2, 3}, {4, 5, 6}}";

TEST(Slicing, InMinorDims) {
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return SliceInMinorDims(p[0], {1}, {3}); }, {k23}),
            "s32[2,2] { { 2, 3 }, { 5, 6 } }");
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  return SliceInMinorDims(p[0], {-1, 0}, {2, -1});
                },
                {k23}),
            "s32[1,2] { { 4, 5 } }");
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  return SliceInMinorDims(p[0], {0}, {1, 2});
                },
                {k23}),
            "slice in minor dims: start has 1 elements but end 2; operand s32[2,3]");
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  return SliceInMinorDims(p[0], {0, 0, 0}, {1, 1, 2});
                },
                {k23}),
            "slice in minor dims: start has 3 elements but the operand 2 dimensions; operand "
            "s32[2,3]");
}

TEST(Slicing, Updates) {
  const std::string_view update = "s32[1,2] {{7, 8}}";
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  return UpdateSlice(p[0], p[1], {1, 1});
                },
                {k23, update}),
            "s32[2,3] { { 1, 2, 3 }, { 4, 7, 8 } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return UpdateSliceInMinorDims(p[0], p[1], {1}); },
                   {k23, update}),
            "s32[2,3] { { 1, 7, 8 }, { 4, 5, 6 } }");
  EXPECT_EQ(
      Result([](XlaBuilder&, Ops p) { return DynamicUpdateSliceInMinorDims(p[0], p[1], {p[2]}); },
             {k23, update, "s32[] 1"}),
      "s32[2,3] { { 1, 7, 8 }, { 4, 5, 6 } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return UpdateSlice(p[0], p[1], {1}); }, {k23, update}),
            "update slice: start has 1 elements but the operand 2 dimensions; operand s32[2,3]");
}

TEST(Slicing, Dynamic) {
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return DynamicSliceInMinorDims(p[0], {p[1]}, {2}); },
                   {k23, "u8[] 1"}),
            "s32[2,2] { { 2, 3 }, { 5, 6 } }");
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  return DynamicStridedSlice(p[0], {p[1], p[1]}, {1, 3}, {1, 2});
                },
                {k23, "s32[] 1"}),
            "s32[1,2] { { 4, 6 } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return DynamicSliceInMinorDims(p[0], {p[1]}, {}); },
                   {k23, "u8[] 1"}),
            "dynamic slice in minor dims: starts has 1 elements but sizes 0; operand s32[2,3]");
}

TEST(Slicing, Torch) {
  const auto gather = [](i64 dim) {
    return [dim](XlaBuilder&, Ops p) { return TorchGather(p[0], p[1], dim); };
  };
  EXPECT_EQ(Result(gather(1), {k23, "s32[2,2] {{2, 0}, {1, 1}}"}),
            "s32[2,2] { { 3, 1 }, { 5, 5 } }");
  EXPECT_EQ(Result(gather(-2), {k23, "s64[1,3] {{1, 0, 1}}"}), "s32[1,3] { { 4, 2, 6 } }");
  EXPECT_EQ(
      Result(gather(0), {k23, "s64[1,4] {{1, 0, 1, 1}}"}),
      "torch gather: index must be integral, of the operand's rank and not larger than it but "
      "in dimension 0; operand s32[2,3], index s64[1,4]");
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  return TorchScatterDense(p[0], p[1], p[2], 1,
                                           [](XlaOp x, XlaOp y) { return x + y; });
                },
                {k23, "s32[2,2] {{0, 0}, {2, 9}}", "s32[2,2] {{10, 20}, {30, 40}}"}),
            "s32[2,3] { { 31, 2, 3 }, { 4, 5, 36 } }");
  // s8 holds the indices, but not the positions of 200 rows.
  const auto last_two = [](XlaOp x) { return SliceInDim(x, 198, 200, 1, 0); };
  const auto rows = [](XlaBuilder& b) { return Iota(&b, Shape(S32, {200, 2}), 0); };
  const auto zeros = [](XlaBuilder& b) { return Zeros(&b, Shape(S8, {200, 1})); };
  EXPECT_EQ(Result([&](XlaBuilder& b, Ops) { return last_two(TorchGather(rows(b), zeros(b), 1)); }),
            "s32[2,1] { {198}, {199} }");
  EXPECT_EQ(Result([&](XlaBuilder& b, Ops) {
              return last_two(TorchScatterDense(rows(b), zeros(b), Zeros(&b, Shape(S32, {200, 1})),
                                                1, [](XlaOp, XlaOp y) { return y; }));
            }),
            "s32[2,2] { { 0, 198 }, { 0, 199 } }");
  EXPECT_EQ(Result([&](XlaBuilder& b, Ops) {
              return TorchScatterDense(rows(b), zeros(b), zeros(b), 1,
                                       [](XlaOp, XlaOp) { return XlaOp(); });
            }),
            "build: the root is an empty handle");
  const auto select = [](i64 dim, i64 batch_dims) {
    return [=](XlaBuilder&, Ops p) { return TorchIndexSelect(p[0], p[1], dim, batch_dims); };
  };
  EXPECT_EQ(Result(select(1, 0), {k23, "s32[2] {2, 0}"}), "s32[2,2] { { 3, 1 }, { 6, 4 } }");
  EXPECT_EQ(Result(select(0, 0), {k23, "s32[3] {1, 1, 0}"}),
            "s32[3,3] { { 4, 5, 6 }, { 4, 5, 6 }, { 1, 2, 3 } }");
  EXPECT_EQ(Result(select(1, 1), {k23, "s32[2,2] {{2, 0}, {1, 1}}"}),
            "s32[2,2] { { 3, 1 }, { 5, 5 } }");
  EXPECT_EQ(
      Result(select(0, 1), {k23, "s32[2] {2, 0}"}),
      "torch index select: index must be integral and agree in the first 1 dimensions, before "
      "dimension 0; operand s32[2,3], index s32[2]");
}

TEST(Slicing, BroadcastTo) {
  const auto to = [](Dims dims) {
    return [dims](XlaBuilder&, Ops p) { return BroadcastTo(p[0], dims); };
  };
  EXPECT_EQ(Result(to({2, 2}), {"s32[] 7"}), "s32[2,2] { { 7, 7 }, { 7, 7 } }");
  EXPECT_EQ(Result(to({2, 3}), {k23}), "s32[2,3] { { 1, 2, 3 }, { 4, 5, 6 } }");
  EXPECT_EQ(Result(to({2, 1, 2}), {"s32[1,1] {{7}}"}), "s32[2,1,2] { { { 7, 7 } }, { { 7, 7 } } }");
  EXPECT_EQ(Result(to({2, 4}), {"s32[2,1] {{7}, {8}}"}),
            "s32[2,4] { { 7, 7, 7, 7 }, { 8, 8, 8, 8 } }");
  EXPECT_EQ(Result(to({4, 6}), {k23}),
            "s32[4,6] { { 1, 2, 3, 1, 2, 3 }, { 4, 5, 6, 4, 5, 6 }, { 1, 2, 3, 1, 2, 3 }, "
            "{ 4, 5, 6, 4, 5, 6 } }");
  EXPECT_EQ(Result(to({0, 3}), {k23}), "s32[0,3] {  }");
  EXPECT_EQ(Result(to({2, 4}), {k23}), "broadcast to: s32[2,3] does not fit [2,4]");
  EXPECT_EQ(Result(to({3}), {k23}), "broadcast to: s32[2,3] does not fit [3]");
  EXPECT_EQ(Result(to({-1}), {"s32[] 7"}), "broadcast to: s32[] does not fit [-1]");
  EXPECT_EQ(Result(to({3}), {"s32[<=3](2) {1, 3}"}),
            "broadcast to: takes a static array; operand s32[<=3]");
}

TEST(Sorting, ApproxTopKFindsAll) {
  const auto topk = [](i64 k, bool two) {
    return [=](XlaBuilder& b, Ops p) {
      std::vector<XlaOp> operands = {p[0]}, inits = {Zero(&b, F32)};
      std::vector<PrimitiveType> types = {F32};
      if (two) {
        operands.push_back(IotaLike(p[0], 0, S32));
        inits.push_back(Zero(&b, S32));
        types.push_back(S32);
      }
      return ApproxTopK(&b, operands, inits, k, 0, CreateScalarGtComputation(types, &b));
    };
  };
  EXPECT_EQ(Result(topk(2, true), {"f32[4] {1, 4, 3, 4}"}), "(f32[2], s32[2]) ( {4, 4}, {1, 3} )");
  EXPECT_EQ(Result(topk(1, false), {"f32[4] {1, 4, 3, 4}"}), "(f32[1]) ( {4} )");
  EXPECT_EQ(Result(topk(5, false), {"f32[4] {1, 4, 3, 4}"}),
            "approx topk: top_k is 5, must be in 0..4; operands f32[4]");
  EXPECT_EQ(Result(
                [](XlaBuilder& b, Ops p) {
                  return ApproxTopK(&b, {p[0]}, {p[0]}, 1, 0, CreateScalarGtComputation({F32}, &b),
                                    0.9F, false);
                },
                {"f32[4] {1, 4, 3, 4}"}),
            "approx topk: aggregate_to_topk = false; take true, and as many results as you need");
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) {
              return ApproxTopK(&b, {}, {}, 1, 0, CreateScalarGtComputation({F32}, &b));
            }),
            "approx topk: there are no operands");
}

TEST(Sorting, TopK) {
  const std::string_view values = "f32[2,4] {{1, nan, 3, 3}, {-1, -2, -3, -inf}}";
  EXPECT_EQ(
      Result([](XlaBuilder&, Ops p) { return TopK(p[0], 3); }, {values}),
      "(f32[2,3], s32[2,3]) ( { { nan, 3, 3 }, { -1, -2, -3 } }, { { 1, 2, 3 }, { 0, 1, 2 } } "
      ")");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return TopKWithPartitions(p[0], 0, 2, U8); },
                   {"s8[2] {1, 2}"}),
            "(s8[0], u8[0]) ( {}, {} )");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return TopK(p[0], 5); }, {values}),
            "topk: k is 5, must be in 0..4; operand f32[2,4]");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return TopKWithPartitions(p[0], 1, 0); }, {values}),
            "topk: num_partitions is 0, must be >= 1; operand f32[2,4]");
}

using Values = StatusOr<std::vector<XlaOp>>;

TEST(Loops, ForEachIndex) {
  const auto loop = [](i64 count, PrimitiveType type, size_t results) {
    return [=](XlaBuilder& b, Ops) -> XlaOp {
      const auto body = [=](XlaOp i, ArraySlice<XlaOp> values, XlaBuilder* body_builder) -> Values {
        EXPECT_EQ(i.builder(), body_builder);
        std::vector<XlaOp> next = {values[0] + ConvertElementType(i, S32), values[0]};
        next.resize(results);
        return next;
      };
      const Values last =
          ForEachIndex(count, type, body, {Zero(&b, S32), Zero(&b, S32)}, "sum", &b);
      return b.ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
        if (!last.ok()) return last.status();
        return Tuple(&b, *last);
      });
    };
  };
  EXPECT_EQ(Result(loop(5, S64, 2)), "(s32[], s32[]) ( 10, 6 )");
  EXPECT_EQ(Result(loop(0, S32, 2)), "(s32[], s32[]) ( 0, 0 )");
  EXPECT_EQ(Result(loop(127, S8, 2)), "(s32[], s32[]) ( 8001, 7875 )");
  EXPECT_EQ(Result(loop(128, S8, 2)), "sum: 128 iterations do not fit in s8");
  EXPECT_EQ(Result(loop(-1, S8, 2)), "sum: -1 iterations do not fit in s8");
  EXPECT_EQ(Result(loop(1, F32, 2)), "sum: the type of the index must be integral, got f32");
  EXPECT_EQ(Result(loop(1, S32, 1)), "sum: the body gives 2 values but the loop has 3");
}

TEST(Loops, WhileLoopHelper) {
  const auto loop = [](auto body) {
    return [=](XlaBuilder& b, Ops p) -> XlaOp {
      const auto condition = [](ArraySlice<XlaOp> values, XlaBuilder*) -> StatusOr<XlaOp> {
        return Lt(values[0], ScalarLike(values[0], 100));
      };
      const Values last = WhileLoopHelper(condition, body, p, "doubling", &b);
      return last.ok() ? (*last)[0] : b.ReportError(last.status());
    };
  };
  const auto doubles = [](ArraySlice<XlaOp> values, XlaBuilder*) -> Values {
    return std::vector<XlaOp>{values[0] + values[0]};
  };
  EXPECT_EQ(Result(loop(doubles), {"s32[] 7"}), "s32[] 112");
  EXPECT_EQ(Result(loop([](ArraySlice<XlaOp>, XlaBuilder*) -> Values {
                     return InvalidArgument("no more at nowhere");
                   }),
                   {"s32[] 7"}),
            "no more at nowhere");
  XlaBuilder b("none");
  EXPECT_EQ(WhileLoopHelper(nullptr, nullptr, {}, "none", &b).status().message(),
            "none: there is no builder, condition or body");
  // A mistake in the body is an error of the body's builder.
  EXPECT_EQ(Result(loop([](ArraySlice<XlaOp> values, XlaBuilder* b) -> Values {
                     return std::vector<XlaOp>{values[0] + ConstantR0<float>(b, 1)};
                   }),
                   {"s32[] 7"})
                .substr(0, 4),
            "add:");
}

constexpr std::string_view kImage =
    "f32[1,3,3,1] {{{{1}, {2}, {3}}, {{4}, {5}, {6}}, {{7}, {8}, {9}}}}";

// The elements alone.
std::string Elements(const std::string& text) {
  std::string out;
  for (char c : text.substr(text.find(' '))) {
    if (c != '{' && c != '}' && c != ' ' && c != '*') out += c;
  }
  for (size_t at; (at = out.find("/i")) != out.npos;) out.erase(at, out.find('/', at + 1) + 1 - at);
  return text.substr(0, text.find(' ')) + " " + out;
}

TEST(Pooling, MaxAndAverage) {
  const TensorFormat format(0, 3, {1, 2});
  EXPECT_EQ(Elements(Result(
                [&](XlaBuilder&, Ops p) {
                  return MaxPool(p[0], {1, 2, 2, 1}, {1, 1, 1, 1}, Padding::kValid, format);
                },
                {kImage})),
            "f32[1,2,2,1] 5,6,8,9");
  const auto average = [&](bool counts_include_padding) {
    return Elements(Result(
        [&](XlaBuilder&, Ops p) {
          return AvgPool(p[0], {1, 2, 2, 1}, {1, 2, 2, 1}, {{0, 1}, {0, 1}}, format,
                         counts_include_padding);
        },
        {kImage}));
  };
  EXPECT_EQ(average(true), "f32[1,2,2,1] 3,2.25,3.75,2.25");
  EXPECT_EQ(average(false), "f32[1,2,2,1] 3,4.5,7.5,9");
  EXPECT_EQ(MakeSpatialPadding({1, 3, 3, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}, Padding::kSame, format),
            (std::vector<std::pair<i64, i64>>{{0, 1}, {0, 1}}));
  EXPECT_EQ(Result(
                [&](XlaBuilder&, Ops p) {
                  return AvgPool(p[0], {1, 2, 2, 1}, {1, 1, 1, 1}, {{0, 0}}, format, true);
                },
                {kImage}),
            "avg pool: padding has 1 elements, must have one for each of 2 spatial dimensions; "
            "operand f32[1,3,3,1]");
  EXPECT_EQ(Result(
                [&](XlaBuilder&, Ops p) {
                  return AvgPool(p[0], {1, 2, 0, 1}, {1, 1, 1, 1}, {{0, 0}, {0, 0}}, format, true);
                },
                {kImage}),
            "avg pool: kernel_size and stride of dimension 2 are 0 and 1, must be >= 1; operand "
            "f32[1,3,3,1]");
}

// Padding is what lies behind the run-time size.
TEST(Pooling, DynamicSizes) {
  for (std::string_view image : {"f32[2] {4, 6}", "f32[<=4](2) {4, 6}"}) {
    const std::string result = Result(
        [](XlaBuilder&, Ops p) {
          return AvgPool(p[0], {2}, {1}, {{0, 1}}, TensorFormat(0, 0, {0}), false);
        },
        {image});
    EXPECT_EQ(result.substr(result.find('{')), "{5, 6}") << result;
  }
}

// Each result spreads its gradient evenly over its window; the sum over all is kept.
TEST(Pooling, AverageGradient) {
  const TensorFormat format(0, 3, {1, 2});
  const auto gradient = [&](bool counts_include_padding) {
    return Elements(Result(
        [&](XlaBuilder&, Ops p) {
          return AvgPoolGrad(p[0], {1, 3, 3, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}, {{0, 1}, {0, 1}},
                             format, counts_include_padding);
        },
        {"f32[1,2,2,1] {{{{4}, {8}}, {{12}, {16}}}}"}));
  };
  EXPECT_EQ(gradient(true), "f32[1,3,3,1] 1,1,2,1,1,2,3,3,4");
  EXPECT_EQ(gradient(false), "f32[1,3,3,1] 1,1,4,1,1,4,6,6,16");
  EXPECT_EQ(Result(
                [&](XlaBuilder&, Ops p) {
                  return AvgPoolGrad(p[0], {1, 3, 3, 1}, {1, 2, 2, 1}, {1, INT64_MAX, 2, 1},
                                     {{0, 1}, {0, 1}}, format, true);
                },
                {"f32[1,2,2,1] {{{{4}, {8}}, {{12}, {16}}}}"}),
            "avg pool grad: sizes of dimension 1 are too large; operand f32[1,2,2,1]");
  const auto of_size = [&](std::string_view out_backprop) {
    return Result(
        [&](XlaBuilder&, Ops p) {
          return AvgPoolGrad(p[0], {4}, {2}, {2}, {{0, 0}}, TensorFormat(0, 0, {0}), false);
        },
        {out_backprop});
  };
  EXPECT_EQ(of_size("f32[2] {2, 4}"), "f32[4] {1, 1, 2, 2}");
  EXPECT_EQ(of_size("f32[1] {2}"),
            "avg pool grad: dimension 0 has size 1 but the pool of f32[4] has 2 windows; operand "
            "f32[1]");
  // Overlapping windows, by one and padded in front.
  const TensorFormat line(0, 1, {2});
  EXPECT_EQ(Elements(Result(
                [&](XlaBuilder&, Ops p) {
                  return AvgPoolGrad(p[0], {1, 1, 3}, {1, 1, 2}, {1, 1, 1}, {{1, 0}}, line, true);
                },
                {"f32[1,1,3] {{{2, 4, 6}}}"})),
            "f32[1,1,3] 3,5,3");
}

}  // namespace
}  // namespace axle
