// Values with dynamic dimensions through the interpreter: every op sees what is there and nothing
// of the padding.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "tests/eval/result_of.h"

namespace axle {
namespace {

TEST(Dynamic, SumsOfThePrefix) {
  constexpr std::string_view kText = R"(
    x = f32[10] parameter(0)  n = s32[] parameter(1)  zero = f32[] constant(0)
    d = f32[<=10] set-dimension-size(x, n), dimensions={0}
    ROOT r = f32[] reduce(d, zero), dimensions={0}, to_apply=sum)";
  const auto run = [&](std::string_view n) {
    return Result(kText, {"f32[10] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}", n});
  };
  EXPECT_EQ(run("s32[] 5"), "f32[] 15");
  EXPECT_EQ(run("s32[] 6"), "f32[] 21");
  EXPECT_EQ(run("s32[] 0"), "f32[] 0");
  EXPECT_EQ(run("s32[] -3"), "f32[] 0");
  EXPECT_EQ(run("s32[] 100"), "f32[] 55");
  EXPECT_EQ(Result(R"(
    x = f32[<=10] parameter(0)  one = f32[] constant(1)
    ROOT r = f32[] reduce(x, one), dimensions={0}, to_apply=product)",
                   {"f32[<=10](5) {1, 2, 3, 4, 5}"}),
            "f32[] 120");
}

TEST(Dynamic, LibraryOperationsLeavePaddingOut) {
  EXPECT_EQ(Result(R"(
    x = f32[<=3,2] parameter(0)  s = f32[2] parameter(1)
    ROOT r = (f32[<=3,2], f32[2], f32[2]) batch-norm-training(x, s, s), epsilon=0, feature_index=1)",
                   {"f32[<=3,2](2,2) {{1, 2}, {3, 4}}", "f32[2] {1, 4}"}),
            "(f32[<=3,2], f32[2], f32[2]) ( (2,2) { { 0, 0 }, { 2, 8 } }, {2, 3}, {1, 1} )");
  EXPECT_EQ(Result(R"(
    x = f32[<=3,2,2] parameter(0)
    ROOT r = f32[<=3,2,2] cholesky(x), lower=true)",
                   {"f32[<=3,2,2](1,2,2) {{{4, 2}, {2, 5}}}"}),
            "f32[<=3,2,2](1,2,2) { { { 2, 0 }, { 1, 2 } } }");
  EXPECT_EQ(Result(R"(
    x = c64[<=3,2] parameter(0)
    ROOT r = c64[<=3,2] fft(x), fft_type=FFT, fft_length={2})",
                   {"c64[<=3,2](1,2) {{(1, 0), (2, 0)}}"}),
            "c64[<=3,2](1,2) { { (3, 0), (-1, 0) } }");
}

TEST(Dynamic, SizesCanGrowAgain) {
  EXPECT_EQ(Result(R"(
    x = s32[4] parameter(0)  two = s32[] constant(2)  four = s32[] constant(4)
    d = s32[<=4] set-dimension-size(x, two), dimensions={0}
    n = s32[] get-dimension-size(d), dimensions={0}
    whole = s32[4] set-dimension-size(d, four), dimensions={0}
    ROOT r = (s32[<=4], s32[], s32[4]) tuple(d, n, whole))",
                   {"s32[4] {1, 2, 3, 4}"}),
            "(s32[<=4], s32[], s32[4]) ( (2) {1, 2}, 2, {1, 2, 3, 4} )");
}

TEST(Dynamic, Elementwise) {
  EXPECT_EQ(Result(R"(
    x = f32[<=4] parameter(0)  y = f32[<=4] parameter(1)  z = f32[4] parameter(2)
    s = f32[<=4] add(x, y)
    ROOT r = f32[<=4] multiply(s, z))",
                   {"f32[<=4](2) {1, 2}", "f32[<=4](2) {10, 20}", "f32[4] {2, 3, 4, 5}"}),
            "f32[<=4](2) {22, 66}");
  EXPECT_EQ(Result(R"(
    p = pred[] parameter(0)  x = f32[<=4] parameter(1)  c = f32[] constant(7)
    y = f32[4] broadcast(c), dimensions={}
    s = f32[<=4] select(p, x, y)
    one = f32[] constant(1)
    ROOT r = f32[<=4] clamp(one, s, c))",
                   {"pred[] true", "f32[<=4](3) {0, 2, 9}"}),
            "f32[<=4](3) {1, 2, 7}");
  EXPECT_EQ(Result("x = f32[<=4] parameter(0)  ROOT r = s32[<=4] convert(x)", {"f32[<=4](0) {}"}),
            "s32[<=4](0) {}");
  EXPECT_EQ(Result("x = f32[<=4] parameter(0)  ROOT r = f32[<=4] map(x), to_apply=twice",
                   {"f32[<=4](2) {1, 2}"}),
            "f32[<=4](2) {2, 4}");
}

TEST(Dynamic, SizesThatDisagree) {
  const std::string_view x = "f32[<=4](2) {1, 2}", y = "f32[<=4](3) {1, 2, 3}";
  EXPECT_EQ(
      Result("x = f32[<=4] parameter(0)  y = f32[<=4] parameter(1)  ROOT r = f32[<=4] add(x, y)",
             {x, y}),
      "INVALID_ARGUMENT: add: dimension 0 has run-time size 2 in operand 0 but 3 in operand 1; "
      "lhs f32[<=4], rhs f32[<=4]");
  EXPECT_EQ(Result(R"(x = f32[<=4] parameter(0)  y = f32[<=4] parameter(1)
                   ROOT r = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0})",
                   {x, y}),
            "INVALID_ARGUMENT: dot: contracting dimension lhs 0 has run-time size 2 but rhs 0 has "
            "run-time size 3; lhs f32[<=4], rhs f32[<=4]");
  EXPECT_EQ(
      Result(R"(x = f32[<=4,2] parameter(0)  y = f32[<=4,1] parameter(1)
                   ROOT r = f32[<=4,3] concatenate(x, y), dimensions={1})",
             {"f32[<=4,2](1,2) {{1, 2}}", "f32[<=4,1](2,1) {{1}, {2}}"}),
      "INVALID_ARGUMENT: concatenate: at run time, on (f32[1,2], f32[2,1]): operand 1 has size "
      "2 in dimension 0, not 1; operand.0 f32[<=4,2], operand.1 f32[<=4,1]");
  EXPECT_EQ(
      Result(R"(x = f32[<=4] parameter(0)  ROOT r = (f32[3], s32[3]) topk(x), k=3, largest=true)",
             {x}),
      "INVALID_ARGUMENT: topk: at run time, on (f32[2]): k is 3, more than the 2 elements of the "
      "last "
      "dimension; operand f32[<=4]");
}

TEST(Dynamic, Movement) {
  const std::string_view x = "s32[<=3,2](2,2) {{1, 2}, {3, 4}}";
  const auto run = [&](std::string_view root) {
    return Result(StrCat("x = s32[<=3,2] parameter(0)  ROOT r = ", root), {x});
  };
  EXPECT_EQ(run("s32[2,<=3] transpose(x), dimensions={1,0}"),
            "s32[2,<=3](2,2) { { 1, 3 }, { 2, 4 } }");
  EXPECT_EQ(run("s32[<=3,2] reverse(x), dimensions={0,1}"),
            "s32[<=3,2](2,2) { { 4, 3 }, { 2, 1 } }");
  EXPECT_EQ(run("s32[2,<=3,2] broadcast(x), dimensions={1,2}"),
            "s32[2,<=3,2](2,2,2) { { { 1, 2 }, { 3, 4 } }, { { 1, 2 }, { 3, 4 } } }");
  EXPECT_EQ(run("s32[<=6] reshape(x)"), "s32[<=6](4) {1, 2, 3, 4}");
  EXPECT_EQ(run("s32[<=3,1,2] reshape(x)"), "s32[<=3,1,2](2,1,2) { { { 1, 2 } }, { { 3, 4 } } }");
  EXPECT_EQ(run("s32[<=3,4] concatenate(x, x), dimensions={1}"),
            "s32[<=3,4](2,4) { { 1, 2, 1, 2 }, { 3, 4, 3, 4 } }");
  EXPECT_EQ(run("s32[<=6,2] concatenate(x, x), dimensions={0}"),
            "s32[<=6,2](4,2) { { 1, 2 }, { 3, 4 }, { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(run("s32[<=3,1] slice(x), slice={[0:3], [1:2]}"), "s32[<=3,1](2,1) { {2}, {4} }");
  EXPECT_EQ(run("s32[<=2,2] slice(x), slice={[1:3], [0:2]}"), "s32[<=2,2](1,2) { { 3, 4 } }");
  EXPECT_EQ(run("s32[1,2] slice(x), slice={[1:2], [0:2]}"), "s32[1,2] { { 3, 4 } }");
}

TEST(Dynamic, ReshapeSplits) {
  const auto run = [](std::string_view result, std::string_view attrs, std::string_view x) {
    return Result(StrCat("x = s32[<=6] parameter(0)  ROOT r = ", result, " reshape(x)", attrs),
                  {x});
  };
  EXPECT_EQ(run("s32[<=3,2]", "", "s32[<=6](4) {1, 2, 3, 4}"),
            "s32[<=3,2](2,2) { { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(run("s32[3,<=2]", ", inferred_dimension=1", "s32[<=6](3) {1, 2, 3}"),
            "s32[3,<=2](3,1) { {1}, {2}, {3} }");
  EXPECT_EQ(run("s32[1,<=6]", "", "s32[<=6](3) {1, 2, 3}"), "s32[1,<=6](1,3) { { 1, 2, 3 } }");
  EXPECT_EQ(run("s32[<=3,2]", "", "s32[<=6](3) {1, 2, 3}"),
            "INVALID_ARGUMENT: reshape: operand has run-time size 3 in dimension 0, must be a "
            "multiple of 2 for result s32[<=3,2]; operand s32[<=6]");
}

TEST(Dynamic, SlicesAndPads) {
  const auto slice = [](std::string_view result, std::string_view range, std::string_view x) {
    return Result(
        StrCat("x = s32[<=6] parameter(0)  ROOT r = ", result, " slice(x), slice={", range, "}"),
        {x});
  };
  EXPECT_EQ(slice("s32[<=3]", "[0:6:2]", "s32[<=6](3) {1, 2, 3}"), "s32[<=3](2) {1, 3}");
  EXPECT_EQ(slice("s32[<=3]", "[1:4]", "s32[<=6](5) {1, 2, 3, 4, 5}"), "s32[<=3](3) {2, 3, 4}");
  EXPECT_EQ(slice("s32[<=2]", "[4:6]", "s32[<=6](3) {1, 2, 3}"), "s32[<=2](0) {}");
  const auto pad = [](std::string_view result, std::string_view padding, std::string_view x) {
    return Result(StrCat("x = s32[<=4] parameter(0)  v = s32[] constant(9)  ROOT r = ", result,
                         " pad(x, v), padding=", padding),
                  {x});
  };
  EXPECT_EQ(pad("s32[<=7]", "1_2", "s32[<=4](2) {1, 2}"), "s32[<=7](5) {9, 1, 2, 9, 9}");
  EXPECT_EQ(pad("s32[<=7]", "0_0_1", "s32[<=4](2) {1, 2}"), "s32[<=7](3) {1, 9, 2}");
  EXPECT_EQ(pad("s32[<=4]", "0_0", "s32[<=4](0) {}"), "s32[<=4](0) {}");
  EXPECT_EQ(pad("s32[<=3]", "2_-3", "s32[<=4](2) {1, 2}"), "s32[<=3](1) {9}");
  EXPECT_EQ(pad("s32[<=1]", "-3_0", "s32[<=4](2) {1, 2}"), "s32[<=1](0) {}");
}

TEST(Dynamic, StartsAreClampedByTheBound) {
  EXPECT_EQ(Result(R"(
    x = s32[<=4,3] parameter(0)  i = s32[] parameter(1)
    ROOT r = s32[<=4,2] dynamic-slice(x, i, i), dynamic_slice_sizes={4,2})",
                   {"s32[<=4,3](2,3) {{1, 2, 3}, {4, 5, 6}}", "s32[] 1"}),
            "s32[<=4,2](2,2) { { 2, 3 }, { 5, 6 } }");
  EXPECT_EQ(Result(R"(
    x = s32[<=4] parameter(0)  i = s32[] parameter(1)
    ROOT r = s32[1] dynamic-slice(x, i), dynamic_slice_sizes={1})",
                   {"s32[<=4](3) {1, 2, 3}", "s32[] 2"}),
            "s32[1] {3}");
  EXPECT_EQ(Result(R"(
    x = s32[<=4] parameter(0)  i = s32[] parameter(1)
    ROOT r = s32[2] dynamic-slice(x, i), dynamic_slice_sizes={2})",
                   {"s32[<=4](3) {1, 2, 3}", "s32[] 0"}),
            "UNIMPLEMENTED: dynamic-slice: takes a part of dynamic dimension 0; operand s32[<=4], "
            "start_indices s32[]");
  // The update would be clamped to 3 by its run-time size.
  EXPECT_EQ(Result(R"(
    x = s32[4] parameter(0)  u = s32[<=2] parameter(1)  i = s32[] parameter(2)
    ROOT r = s32[4] dynamic-update-slice(x, u, i))",
                   {"s32[4] {1, 2, 3, 4}", "s32[<=2](1) {9}", "s32[] 3"}),
            "s32[4] {1, 2, 9, 4}");
  EXPECT_EQ(Result(R"(
    x = s32[<=4] parameter(0)  u = s32[2] parameter(1)  i = s32[] parameter(2)
    ROOT r = s32[<=4] dynamic-update-slice(x, u, i))",
                   {"s32[<=4](3) {1, 2, 3}", "s32[2] {8, 9}", "s32[] 2"}),
            "s32[<=4](3) {1, 2, 8}");
  EXPECT_EQ(Result(R"(
    x = s32[<=4] parameter(0)  u = s32[<=4] parameter(1)  i = s32[1] parameter(2)
    ROOT r = s32[<=4] dynamic-update-slice(x, u, i))",
                   {"s32[<=4](3) {1, 2, 3}", "s32[<=4](2) {8, 9}", "s32[1] {2}"}),
            "s32[<=4](2) {8, 9}");
}

TEST(Dynamic, GatherAndScatter) {
  EXPECT_EQ(Result(R"(
    x = s32[<=4,2] parameter(0)  i = s32[<=3] parameter(1)
    ROOT r = s32[<=3,2] gather(x, i), offset_dims={1}, collapsed_slice_dims={0},
        start_index_map={0}, index_vector_dim=1, slice_sizes={1,2})",
                   {"s32[<=4,2](3,2) {{1, 2}, {3, 4}, {5, 6}}", "s32[<=3](2) {2, 0}"}),
            "s32[<=3,2](2,2) { { 5, 6 }, { 1, 2 } }");
  EXPECT_EQ(Result(R"(
    x = s32[<=4,2] parameter(0)  i = s32[2] parameter(1)
    ROOT r = s32[2,<=4] gather(x, i), offset_dims={1}, collapsed_slice_dims={1},
        start_index_map={1}, index_vector_dim=1, slice_sizes={4,1})",
                   {"s32[<=4,2](3,2) {{1, 2}, {3, 4}, {5, 6}}", "s32[2] {1, 0}"}),
            "s32[2,<=4](2,3) { { 2, 4, 6 }, { 1, 3, 5 } }");
  constexpr std::string_view kScatter = R"(
    x = s32[<=4] parameter(0)  i = s32[<=3] parameter(1)  u = s32[3] parameter(2)
    ROOT r = s32[<=4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0},
        scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum_s32)";
  EXPECT_EQ(
      Result(kScatter, {"s32[<=4](3) {10, 20, 30}", "s32[<=3](2) {2, 0}", "s32[3] {1, 2, 3}"}),
      "s32[<=4](3) {12, 20, 31}");
}

TEST(Dynamic, Sort) {
  EXPECT_EQ(
      Result("x = f32[<=4] parameter(0)  ROOT r = f32[<=4] sort(x), dimensions={0}, to_apply=less",
             {"f32[<=4](3) {3, 1, 2}"}),
      "f32[<=4](3) {1, 2, 3}");
}

TEST(Dynamic, ReduceKeepsSizesOfKeptDimensions) {
  EXPECT_EQ(Result(R"(x = f32[<=3,<=4] parameter(0)  zero = f32[] constant(0)
    ROOT r = f32[<=3] reduce(x, zero), dimensions={1}, to_apply=sum)",
                   {"f32[<=3,<=4](2,3) {{1, 2, 3}, {4, 5, 6}}"}),
            "f32[<=3](2) {6, 15}");
  EXPECT_EQ(Result(R"(x = f32[<=3,<=4] parameter(0)  zero = f32[] constant(100)
    ROOT r = f32[<=4] reduce(x, zero), dimensions={0}, to_apply=difference)",
                   {"f32[<=3,<=4](2,3) {{1, 2, 3}, {4, 5, 6}}"}),
            "f32[<=4](3) {95, 93, 91}");
  // One component is a sum in the canonical order, the other is not.
  EXPECT_EQ(Result(R"(x = f32[<=4] parameter(0)  zero = f32[] constant(0)
    ROOT r = (f32[], f32[]) reduce(x, x, zero, zero), dimensions={0}, to_apply=both)",
                   {"f32[<=4](3) {1, 2, 4}"}, R"(
both { a = f32[] parameter(0)  b = f32[] parameter(1)  x = f32[] parameter(2)
  y = f32[] parameter(3)  s = f32[] add(a, x)  t = f32[] subtract(b, y)
  ROOT r = (f32[], f32[]) tuple(s, t) })"),
            "(f32[], f32[]) ( 7, -7 )");
}

TEST(Dynamic, Windows) {
  EXPECT_EQ(Result(R"(x = f32[<=6] parameter(0)  zero = f32[] constant(0)
    ROOT r = f32[<=3] reduce-window(x, zero), window={size=2 stride=2}, to_apply=sum)",
                   {"f32[<=6](5) {1, 2, 3, 4, 5}"}),
            "f32[<=3](2) {3, 7}");
  EXPECT_EQ(Result(R"(x = f32[<=6] parameter(0)  s = f32[<=3] parameter(1)  zero = f32[] constant(0)
    ROOT r = f32[<=6] select-and-scatter(x, s, zero), window={size=2 stride=2}, select=ge,
        scatter=sum)",
                   {"f32[<=6](5) {1, 2, 4, 3, 5}", "f32[<=3](2) {10, 20}"}),
            "f32[<=6](5) {0, 10, 20, 0, 0}");
  EXPECT_EQ(Result(R"(x = f32[1,<=5,1] parameter(0)  k = f32[2,1,1] parameter(1)
    ROOT r = f32[1,<=5,1] convolution(x, k), window={size=2 pad=0_1}, dim_labels=b0f_0io->b0f)",
                   {"f32[1,<=5,1](1,3,1) {{{1}, {2}, {3}}}", "f32[2,1,1] {{{1}}, {{10}}}"}),
            "f32[1,<=5,1](1,3,1) { { {21}, {32}, {3} } }");
  EXPECT_EQ(Result(R"(x = f32[1,2,<=3] parameter(0)  k = f32[1,3,1] parameter(1)
    ROOT r = f32[1,2,1] convolution(x, k), window={size=1}, dim_labels=b0f_0io->b0f)",
                   {"f32[1,2,<=3](1,2,2) {{{1, 2}, {3, 4}}}", "f32[1,3,1] {{{1}, {10}, {inf}}}"}),
            "f32[1,2,1] { { {21}, {43} } }");
}

TEST(Dynamic, Dot) {
  EXPECT_EQ(Result(R"(x = f32[<=3,<=4] parameter(0)  y = f32[4,2] parameter(1)
    ROOT r = f32[<=3,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
                   {"f32[<=3,<=4](2,2) {{1, 2}, {3, 4}}",
                    "f32[4,2] {{1, 2}, {3, 4}, {inf, nan}, {5, 6}}"}),
            "f32[<=3,2](2,2) { { 7, 10 }, { 15, 22 } }");
  EXPECT_EQ(Result(R"(x = s32[2,3] parameter(0)  y = s32[<=2,3] parameter(1)
    ROOT r = s32[<=2] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1},
        rhs_contracting_dims={1})",
                   {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[<=2,3](1,3) {{1, 1, 1}}"}),
            "s32[<=2](1) {6}");
}

TEST(Dynamic, ControlFlowPassesSizesOn) {
  // Drops the last element until three are left.
  EXPECT_EQ(Result(R"(
    x = f32[<=8] parameter(0)  i = s32[] constant(0)
    t = (f32[<=8], s32[]) tuple(x, i)
    ROOT r = (f32[<=8], s32[]) while(t), condition=goes_on, body=shrink)",
                   {"f32[<=8](6) {1, 2, 3, 4, 5, 6}"}, R"(
goes_on { t = (f32[<=8], s32[]) parameter(0)  x = f32[<=8] get-tuple-element(t), index=0
  n = s32[] get-dimension-size(x), dimensions={0}  three = s32[] constant(3)
  ROOT r = pred[] compare(n, three), direction=GT }
shrink { t = (f32[<=8], s32[]) parameter(0)  x = f32[<=8] get-tuple-element(t), index=0
  i = s32[] get-tuple-element(t), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
  n = s32[] get-dimension-size(x), dimensions={0}  m = s32[] subtract(n, one)
  y = f32[<=8] set-dimension-size(x, m), dimensions={0}
  ROOT r = (f32[<=8], s32[]) tuple(y, j) })"),
            "(f32[<=8], s32[]) ( (3) {1, 2, 3}, 3 )");
  // A branch that gives a static value, and a call.
  constexpr std::string_view kBranches = R"(
cut { x = f32[<=3] parameter(0)  ROOT r = f32[<=3] negate(x) }
whole { x = f32[<=3] parameter(0)  ROOT c = f32[3] constant({7, 8, 9}) })";
  constexpr std::string_view kConditional = R"(
    p = pred[] parameter(0)  x = f32[<=3] parameter(1)
    c = f32[<=3] conditional(p, x, x), true_computation=cut, false_computation=whole
    ROOT r = f32[<=3] call(c), to_apply=cut)";
  EXPECT_EQ(Result(kConditional, {"pred[] true", "f32[<=3](1) {4}"}, kBranches), "f32[<=3](1) {4}");
  EXPECT_EQ(Result(kConditional, {"pred[] false", "f32[<=3](1) {4}"}, kBranches),
            "f32[<=3](3) {-7, -8, -9}");
}

TEST(Dynamic, BuiltInCustomCallsPassPaddingOnOrRefuseIt) {
  const std::string_view x = "f32[<=3](2) {1, 2}";
  EXPECT_EQ(Result(R"(x = f32[<=3] parameter(0)
                   ROOT r = f32[<=3] custom-call(x), custom_call_target="Sharding")",
                   {x}),
            "f32[<=3](2) {1, 2}");
  EXPECT_EQ(Result(R"(x = f32[<=3] parameter(0)
                   ROOT r = (f32[2], s32[2]) custom-call(x), custom_call_target="TopK",
                     called_computations={first_greater})",
                   {x}, R"(
first_greater { a = f32[] parameter(0)  b = f32[] parameter(1)  i = s32[] parameter(2)
  j = s32[] parameter(3)  ROOT r = pred[] compare(a, b), direction=GT })"),
            "UNIMPLEMENTED: custom-call: \"TopK\": operand 0 is f32[<=3](2), which is not full; "
            "operand f32[<=3]");
}

TEST(Dynamic, ScanHasStepsOfOneNumberAndSlicesOfOneSize) {
  EXPECT_EQ(Result(R"(x = s32[<=3] parameter(0)  y = s32[<=3] parameter(1)
                   ROOT r = (s32[<=3]) scan(x, y), dimensions={0}, num_carries=0, to_apply=sums)",
                   {"s32[<=3](2) {1, 2}", "s32[<=3](3) {1, 2, 3}"}, R"(
sums { x = s32[] parameter(0)  y = s32[] parameter(1)  s = s32[] add(x, y)
  ROOT r = (s32[]) tuple(s) })"),
            "INVALID_ARGUMENT: scan: dimension 0 has run-time size 2 in input 0 but 3 in input 1; "
            "operand.0 s32[<=3], operand.1 s32[<=3]");
  EXPECT_EQ(Result(R"(n = s32[2] parameter(0)
                   ROOT r = (f32[2,<=3]) scan(n), dimensions={0}, num_carries=0, to_apply=cut)",
                   {"s32[2] {1, 3}"}, R"(
cut { n = s32[] parameter(0)  c = f32[3] constant({7, 8, 9})
  d = f32[<=3] set-dimension-size(c, n), dimensions={0}  ROOT r = (f32[<=3]) tuple(d) })"),
            "INVALID_ARGUMENT: scan: to_apply gives outputs of run-time sizes 1 and 3; operand "
            "s32[2]");
}

TEST(Dynamic, ArgumentsAndResults) {
  constexpr std::string_view kIdentity = "ROOT x = f32[<=4] parameter(0)";
  EXPECT_EQ(Result(kIdentity, {"f32[<=4](2) {1, 2}"}), "f32[<=4](2) {1, 2}");
  EXPECT_EQ(Result(kIdentity, {"f32[4] {1, 2, 3, 4}"}), "f32[<=4](4) {1, 2, 3, 4}");
  EXPECT_EQ(Result("ROOT x = f32[4] parameter(0)", {"f32[<=4](2) {1, 2}"}),
            "INVALID_ARGUMENT: execute: argument 0 is f32[<=4](2) but \"main\" expects f32[4] for "
            "parameter 0 \"x\"");
  EXPECT_EQ(
      Result("x = (f32[<=4], s32[]) parameter(0)  ROOT r = f32[<=4] get-tuple-element(x), index=0",
             {"(f32[<=4], s32[]) ((3) {1, 2, 3}, 7)"}),
      "f32[<=4](3) {1, 2, 3}");
  // A computation of static parameters takes no padding.
  EXPECT_EQ(
      Result("x = f32[<=4] parameter(0)  ROOT r = f32[4] call(x), to_apply=f",
             {"f32[<=4](2) {1, 2}"}, "f { y = f32[4] parameter(0)  ROOT r = f32[4] negate(y) }"),
      "INVALID_ARGUMENT: execute: parameter 0 \"y\" of \"f\" is f32[4] but gets f32[<=4](2) at "
      "run time");
}

// The canonical order of numerics.md for a sum of one row, elements numbered among `bound`.
template <typename T>
T CanonicalSum(const std::vector<T>& values, i64 bound, i64 lanes) {
  std::vector<T> chunks;
  for (i64 begin = 0; begin < bound; begin += 4096) {
    std::vector<T> lane(lanes, T(-0.0));
    for (i64 r = begin; r < std::min(bound, begin + 4096); ++r) {
      if (r < static_cast<i64>(values.size())) lane[r % lanes] += values[r];
    }
    for (i64 half = lanes / 2; half > 0; half /= 2) {
      for (i64 i = 0; i < half; ++i) lane[i] += lane[i + half];
    }
    chunks.push_back(lane[0]);
  }
  const std::function<T(size_t, size_t)> tree = [&](size_t first, size_t count) {
    if (count == 1) return chunks[first];
    const size_t half = std::bit_floor(count - 1);
    return tree(first, half) + tree(first + half, count - half);
  };
  return T(0) + tree(0, chunks.size());
}

template <typename T>
std::vector<T> RandomValues(i64 count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values;
  for (i64 i = 0; i < count; ++i) {
    values.push_back(static_cast<T>(std::ldexp(1.0 + random() % 1000003, random() % 20) *
                                    (random() % 2 == 0 ? 1 : -1)));
  }
  return values;
}

// An array of the bounds that holds `valid` in front and `garbage` elsewhere.
template <typename T>
Literal WithGarbage(const Shape& shape, const Literal& valid, T garbage) {
  Literal literal(shape);
  for (T& element : literal.mutable_data<T>()) element = garbage;
  const Dims sizes = valid.shape().dims();
  Dims index(sizes.size());
  for (i64 i = 0; i < valid.num_elements(); ++i) {
    i64 rest = i;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) index[d] = rest % sizes[d];
    literal.Set<T>(index, valid.data<T>()[i]);
  }
  for (size_t d = 0; d < sizes.size(); ++d) literal.SetSize(static_cast<i64>(d), sizes[d]);
  return literal;
}

// Elements are numbered in the shape of the bounds, padding is skipped: the same size gives other
// bits under another bound.
template <typename T>
void CheckCanonicalSums(ElementType type, std::string_view reducer, i64 long_lanes) {
  struct {
    i64 bound, size, lanes;
  } cases[] = {{15, 9, 1},
               {16, 9, 16},
               {600, 500, long_lanes},
               {511, 500, 16},
               {4096, 20, long_lanes},
               {9000, 5000, long_lanes},
               {20000, 8192, long_lanes},
               {600, 0, long_lanes}};
  for (const auto& c : cases) {
    const std::vector<T> values = RandomValues<T>(c.size, static_cast<unsigned>(c.bound));
    const Literal valid = Literal::Array<T>(type, {c.size}, std::span<const T>(values));
    Shape shape(type, {c.bound});
    shape.set_dynamic(0, true);
    const auto actual = ResultOf(
        StrCat("x = ", shape.ToString(), " parameter(0)  zero = ", Name(type), "[] constant(0)\n",
               "ROOT r = ", Name(type), "[] reduce(x, zero), dimensions={0}, to_apply=", reducer),
        std::vector{WithGarbage<T>(shape, valid, std::numeric_limits<T>::quiet_NaN())});
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    EXPECT_EQ(actual->template data<T>()[0], CanonicalSum(values, c.bound, c.lanes))
        << c.size << " of " << c.bound;
  }
}

TEST(Dynamic, SumsAreNumberedInTheBounds) {
  CheckCanonicalSums<float>(F32, "sum", 64);
  CheckCanonicalSums<double>(F64, "sum_f64", 32);
  // What these cases rest on: the number of lanes matters, for most values.
  int differences = 0;
  for (int seed = 600; seed < 620; ++seed) {
    const std::vector<float> values = RandomValues<float>(500, seed);
    differences += CanonicalSum(values, 600, 64) != CanonicalSum(values, 511, 16);
  }
  EXPECT_GT(differences, 5);
}

TEST(Dynamic, NarrowSumsRoundOnce) {
  EXPECT_EQ(Result(R"(x = bf16[<=40] parameter(0)  zero = bf16[] constant(0)
    ROOT r = bf16[] reduce(x, zero), dimensions={0}, to_apply=sum_bf16)",
                   {"bf16[<=40](3) {256, 1, 1}"}),
            "bf16[] 258");
  EXPECT_EQ(Result(R"(x = f8e4m3fnuz[<=40] parameter(0)  zero = f8e4m3fnuz[] constant(0)
    ROOT r = f8e4m3fnuz[] reduce(x, zero), dimensions={0}, to_apply=sum_f8)",
                   {"f8e4m3fnuz[<=40](3) {16, 1, 1}"}, R"(
sum_f8 { a = f8e4m3fnuz[] parameter(0)  b = f8e4m3fnuz[] parameter(1)
  ROOT r = f8e4m3fnuz[] add(a, b) })"),
            "f8e4m3fnuz[] 18");
}

// A kept dimension of 16 or more makes the sums plain folds, however few are left of it.
TEST(Dynamic, ColumnsAreCountedInTheBounds) {
  for (i64 columns : {15, 16}) {
    const std::vector<float> column = RandomValues<float>(100, 7);
    Literal valid(Shape(F32, {100, 2}));
    for (i64 i = 0; i < 200; ++i) valid.mutable_data<float>()[i] = column[i / 2];
    Shape shape(F32, {100, columns});
    shape.set_dynamic(1, true);
    const auto actual = ResultOf(
        StrCat("x = ", shape.ToString(), " parameter(0)  zero = f32[] constant(0)\n",
               "ROOT r = f32[<=", columns, "] reduce(x, zero), dimensions={0}, to_apply=sum"),
        std::vector{WithGarbage<float>(shape, valid, INFINITY)});
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    EXPECT_EQ(actual->size(0), 2);
    EXPECT_EQ(actual->data<float>()[0], CanonicalSum(column, 100, columns >= 16 ? 1 : 16));
  }
}

// numerics.md N8: a window that the bound exceeds is folded upwards, even if it is a scan of what
// is there.
TEST(Dynamic, WindowDirectionIsThatOfTheBound) {
  const std::vector<float> x = {1e8f, 1, -1e8f, 3, 0.25f};
  const auto expected = [&](bool upwards) {
    std::vector<float> sums;
    for (size_t o = 0; o < x.size(); ++o) {
      float acc = 0;
      for (size_t k = o; k < x.size(); ++k) acc += upwards ? x[k] : x[x.size() - 1 - k + o];
      sums.push_back(acc);
    }
    return Literal::Array<float>(F32, {5}, std::span<const float>(sums));
  };
  ASSERT_NE(expected(true), expected(false));
  for (i64 bound : {10, 8}) {
    Shape shape(F32, {bound});
    shape.set_dynamic(0, true);
    const Literal valid = Literal::Array<float>(F32, {5}, std::span<const float>(x));
    const auto actual =
        ResultOf(StrCat("x = ", shape.ToString(), " parameter(0)  zero = f32[] constant(0)\n",
                        "ROOT r = ", shape.ToString(),
                        " reduce-window(x, zero), window={size=8 pad=0_7}, to_apply=sum"),
                 std::vector{WithGarbage<float>(shape, valid, NAN)});
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    EXPECT_EQ(actual->ValidPart(), expected(bound > 8)) << bound << " " << actual->ToString();
  }
}

}  // namespace
}  // namespace axle
