// Custom calls on values with dynamic dimensions, and convolutions of which more than a spatial
// dimension is dynamic.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "axle/runtime/host_device.h"
#include "tests/eval/result_of.h"

namespace axle {
namespace {

TEST(DynamicCalls, PadToStaticAndBack) {
  EXPECT_EQ(Result(R"(
    x = s32[<=3,2] parameter(0)
    ROOT r = (s32[3,2], s32[], s32[]) custom-call(x), custom_call_target="PadToStatic")",
                   {"s32[<=3,2](2,2) {{1, 2}, {3, 4}}"}),
            "(s32[3,2], s32[], s32[]) ( { { 1, 2 }, { 3, 4 }, { 0, 0 } }, 2, 2 )");
  constexpr std::string_view kBack = R"(
    x = s32[3,2] parameter(0)  n = s32[] parameter(1)  two = s32[] constant(2)
    ROOT r = s32[<=3,2] custom-call(x, n, two), custom_call_target="SliceToDynamic")";
  const std::string_view x = "s32[3,2] {{1, 2}, {3, 4}, {5, 6}}";
  EXPECT_EQ(Result(kBack, {x, "s32[] 2"}), "s32[<=3,2](2,2) { { 1, 2 }, { 3, 4 } }");
  EXPECT_EQ(Result(kBack, {x, "s32[] -1"}), "s32[<=3,2](0,2) {  }");
  EXPECT_EQ(Result(kBack, {x, "s32[] 9"}), "s32[<=3,2](3,2) { { 1, 2 }, { 3, 4 }, { 5, 6 } }");
}

TEST(DynamicCalls, SetBoundIsTheValue) {
  EXPECT_EQ(Result(R"(x = s32[] parameter(0)
    ROOT r = s32[] custom-call(x), custom_call_target="SetBound", literal=s32[] 8)",
                   {"s32[] 5"}),
            "s32[] 5");
}

TEST(DynamicCalls, ShapesOfPadToStaticAndSliceToDynamic) {
  EXPECT_EQ(Result(R"(x = s32[<=3] parameter(0)
    ROOT r = (s32[3]) custom-call(x), custom_call_target="PadToStatic")",
                   {"s32[<=3](1) {1}"}),
            "INVALID_ARGUMENT: custom-call: \"PadToStatic\": gives (s32[3], s32[]), not (s32[3]); "
            "operand s32[<=3]");
  EXPECT_EQ(Result(R"(x = s32[3] parameter(0)  n = s32[] constant(2)
    ROOT r = s32[3] custom-call(x, n), custom_call_target="SliceToDynamic")",
                   {"s32[3] {1, 2, 3}"}),
            "INVALID_ARGUMENT: custom-call: \"SliceToDynamic\": the size of dimension 0 is 2 but "
            "the result s32[3] has it static; operand.0 s32[3], operand.1 s32[]");
  EXPECT_EQ(Result(R"(x = s32[3] parameter(0)
    ROOT r = s32[<=3] custom-call(x), custom_call_target="SliceToDynamic")",
                   {"s32[3] {1, 2, 3}"}),
            "INVALID_ARGUMENT: custom-call: \"SliceToDynamic\": takes 2 operands, not 1; operand "
            "s32[3]");
  EXPECT_EQ(Result(R"(x = s32[3] parameter(0)  n = f32[] constant(2)
    ROOT r = s32[<=3] custom-call(x, n), custom_call_target="SliceToDynamic")",
                   {"s32[3] {1, 2, 3}"}),
            "INVALID_ARGUMENT: custom-call: \"SliceToDynamic\": the size of dimension 0 must be "
            "s32[], not f32[]; operand.0 s32[3], operand.1 f32[]");
  EXPECT_EQ(Result(R"(x = s32[3] parameter(0)  n = s32[] constant(2)
    ROOT r = s32[<=4] custom-call(x, n), custom_call_target="SliceToDynamic")",
                   {"s32[3] {1, 2, 3}"}),
            "INVALID_ARGUMENT: custom-call: \"SliceToDynamic\": gives s32[3] with dynamic "
            "dimensions, not s32[<=4]; operand.0 s32[3], operand.1 s32[]");
}

// ceil(n / stride) windows, of a size that shows where each one begins.
TEST(DynamicCalls, SamePaddingFollowsTheSize) {
  constexpr std::string_view kWindows = R"(
    x = f32[<=6] parameter(0)  zero = f32[] constant(0)
    ROOT r = f32[<=3] custom-call(x, zero), window={size=3 stride=2 pad=0_1},
        called_computations={sum}, custom_call_target="DynamicReduceWindowSamePadding")";
  EXPECT_EQ(Result(kWindows, {"f32[<=6](6) {1, 2, 4, 8, 16, 32}"}), "f32[<=3](3) {7, 28, 48}");
  EXPECT_EQ(Result(kWindows, {"f32[<=6](5) {1, 2, 4, 8, 16}"}), "f32[<=3](3) {3, 14, 24}");
  EXPECT_EQ(Result(kWindows, {"f32[<=6](1) {1}"}), "f32[<=3](1) {1}");
  EXPECT_EQ(Result(kWindows, {"f32[<=6](0) {}"}), "f32[<=3](0) {}");
  constexpr std::string_view kScatter = R"(
    x = f32[<=6] parameter(0)  s = f32[<=3] parameter(1)  zero = f32[] constant(0)
    ROOT r = f32[<=6] custom-call(x, s, zero), window={size=3 stride=2 pad=0_1},
        called_computations={ge, sum}, custom_call_target="DynamicSelectAndScatterSamePadding")";
  EXPECT_EQ(Result(kScatter, {"f32[<=6](5) {9, 2, 4, 8, 1}", "f32[<=3](3) {10, 20, 40}"}),
            "f32[<=6](5) {10, 0, 0, 60, 0}");
  EXPECT_EQ(Result(kScatter, {"f32[<=6](6) {9, 2, 4, 8, 1, 1}", "f32[<=3](3) {10, 20, 40}"}),
            "f32[<=6](6) {10, 0, 0, 20, 40, 0}");
  EXPECT_EQ(Result(kScatter, {"f32[<=6](0) {}", "f32[<=3](0) {}"}), "f32[<=6](0) {}");
}

// Whichever of the operands has the run-time size.
TEST(DynamicCalls, SamePaddingOfSeveralOperands) {
  for (const char* operands : {"d, q", "q, d"}) {
    const auto module = Parse(StrCat(R"(
add2 { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] parameter(2)  d = f32[] parameter(3)
  e = f32[] add(a, c)  f = f32[] add(b, d)  ROOT t = (f32[], f32[]) tuple(e, f) }
ENTRY main { q = f32[6] constant({1, 2, 3, 4, 5, 6})  n = s32[] constant(5)
  d = f32[<=6] set-dimension-size(q, n), dimensions={0}  z = f32[] constant(0)
  ROOT c = (f32[<=3], f32[<=3]) custom-call()",
                                     operands, R"(, z, z), window={size=3 stride=2 pad=0_1},
    called_computations={add2}, custom_call_target="DynamicReduceWindowSamePadding" })"));
    ASSERT_TRUE(module.ok()) << module.status().message();
    const auto result = Evaluate(**module, {});
    ASSERT_TRUE(result.ok()) << result.status().message();
    for (const Literal& sums : result->elements()) {
      EXPECT_EQ(sums.ToString(), "(3) {3, 9, 9}") << operands;
    }
  }
}

TEST(DynamicCalls, ConvolutionForward) {
  const auto run = [](std::string_view padding, std::string_view result, std::string_view x) {
    return Result(
        StrCat("x = f32[1,1,<=6] parameter(0)  k = f32[1,1,3] constant({{{10, 20, 30}}})\n",
               "ROOT r = ", result, " custom-call(x, k), window={size=3 stride=2 pad=0_1}, ",
               "dim_labels=bf0_oi0->bf0, ", padding,
               "custom_call_target=\"DynamicConvolutionForward\""),
        {x});
  };
  const std::string_view x = "f32[1,1,<=6](1,1,5) {{{1, 2, 3, 4, 5}}}";
  EXPECT_EQ(run("padding_type=PADDING_SAME, ", "f32[1,1,<=3]", x),
            "f32[1,1,<=3](1,1,3) { { { 80, 200, 140 } } }");
  EXPECT_EQ(run("padding_type=PADDING_VALID, ", "f32[1,1,<=2]", x),
            "f32[1,1,<=2](1,1,2) { { { 140, 260 } } }");
  EXPECT_EQ(run("", "f32[1,1,<=3]", x),
            "INVALID_ARGUMENT: custom-call: \"DynamicConvolutionForward\": needs "
            "padding_type=PADDING_VALID or PADDING_SAME; operand.0 f32[1,1,<=6], operand.1 "
            "f32[1,1,3]");
  EXPECT_EQ(run("padding_type=PADDING_SAME, ", "f32[1,1,<=2]", x),
            "INVALID_ARGUMENT: custom-call: \"DynamicConvolutionForward\": custom-call: dimension "
            "2 of the result f32[1,1,<=2] would have run-time size 3; operand.0 f32[1,1,<=6], "
            "operand.1 f32[1,1,3]; operand.0 f32[1,1,<=6], operand.1 f32[1,1,3]");
}

TEST(DynamicCalls, WhatDoesNotRun) {
  for (std::string_view target : {"DynamicConvolutionInputGrad", "DynamicConvolutionKernelGrad",
                                  "MhloDynamicBroadcastInDim", "MhloDynamicReshape"}) {
    EXPECT_EQ(Result(StrCat("x = f32[<=3] parameter(0)  ROOT r = f32[<=3] custom-call(x), "
                            "custom_call_target=\"",
                            target, "\""),
                     {"f32[<=3](1) {1}"}),
              StrCat("UNIMPLEMENTED: custom-call: \"", target,
                     "\": is known by name only; operand f32[<=3]"));
  }
  EXPECT_EQ(Result("low = f32[] constant(0)  ROOT r = f32[<=3] rng(low, low), "
                   "distribution=rng_uniform",
                   {}),
            "UNIMPLEMENTED: rng: does not run with dynamic dimensions; result f32[<=3]; a f32[], "
            "b f32[]");
}

TEST(DynamicCalls, RegisteredFunctionsGetTheBounds) {
  HostDevice device;
  const auto count = [](void* out, const void** in) {
    const auto* x = static_cast<const float*>(in[0]);
    *static_cast<float*>(out) = x[0] + x[1] + x[2];
  };
  ASSERT_TRUE(device.custom_calls().Register("count", count).ok());
  const auto run = [&](std::string_view result) {
    const auto module =
        Parse(StrCat("HloModule m\nENTRY e { x = f32[<=3] parameter(0)  ROOT r = ", result,
                     " custom-call(x), custom_call_target=\"count\" }"));
    EXPECT_TRUE(module.ok()) << module.status().message();
    Literal x = *ParseLiteral("f32[<=3] {1, 2, 4}");
    x.SetSize(0, 1);
    const auto value = Evaluate(**module, {&x, 1}, {.device = &device});
    return value.ok() ? value->ToStringWithShape() : value.status().ToString();
  };
  EXPECT_EQ(run("f32[]"), "f32[] 7");
  EXPECT_EQ(run("f32[<=1]"),
            "UNIMPLEMENTED: custom-call: \"count\": cannot give a result with dynamic dimensions; "
            "operand f32[<=3]");
}

// --- convolutions -------------------------------------------------------------------------------

struct ConvolutionCase {
  std::string_view lhs, rhs, result, attrs;
};

// `literal` with run-time sizes; what is behind them is `padding`.
Literal Sized(Literal literal, const Dims& sizes, float padding) {
  const Shape shape = literal.shape();
  Dims index(sizes.size());
  const auto data = literal.mutable_data<float>();
  for (i64 i = 0; i < literal.num_elements(); ++i) {
    i64 rest = i;
    bool valid = true;
    for (size_t d = sizes.size(); d-- > 0; rest /= shape.dim(static_cast<i64>(d))) {
      valid = valid && rest % shape.dim(static_cast<i64>(d)) < sizes[d];
    }
    if (!valid) data[i] = padding;
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (shape.is_dynamic(static_cast<i64>(d))) literal.SetSize(static_cast<i64>(d), sizes[d]);
  }
  return literal;
}

// Groups of features and windows are those of the bounds, so zeros can stand for padding.
TEST(DynamicConvolution, PaddingCountsAsZeros) {
  const ConvolutionCase kCases[] = {
      {"f32[2,4,<=6]", "f32[2,2,6]", "f32[2,3,6]",
       "dim_labels=b0f_0io->b0f, feature_group_count=3"},
      {"f32[2,4,6]", "f32[2,<=2,6]", "f32[2,3,6]",
       "dim_labels=b0f_0io->b0f, feature_group_count=3"},
      {"f32[2,<=6,4]", "f32[6,<=3,2]", "f32[2,6,3]",
       "dim_labels=bf0_oi0->bf0, feature_group_count=2"},
      {"f32[2,<=6,4]", "f32[<=1,6,2]", "f32[2,6,3]",
       "dim_labels=bf0_io0->bf0, feature_group_count=6"},
      {"f32[2,4,<=6]", "f32[2,6,3]", "f32[2,3,3]", "dim_labels=b0f_0io->b0f"},
      {"f32[2,5,2]", "f32[<=2,2,3]", "f32[2,4,3]", "dim_labels=b0f_0io->b0f"},
      {"f32[2,5,2]", "f32[<=2,<=2,3]", "f32[2,4,3]", "dim_labels=b0f_0io->b0f"},
  };
  std::mt19937 random(3);
  for (const ConvolutionCase& c : kCases) {
    for (std::string_view window : {"{size=2}", "{size=2 rhs_reversal=1}"}) {
      const std::string body =
          StrCat("x = ", c.lhs, " parameter(0)  k = ", c.rhs, " parameter(1)  ROOT r = ", c.result,
                 " convolution(x, k), window=", window, ", ", c.attrs);
      SCOPED_TRACE(body);
      std::string static_body = body;
      for (size_t at; (at = static_body.find("<=")) != static_body.npos;) static_body.erase(at, 2);
      for (int repeat = 0; repeat < 30; ++repeat) {
        std::vector<Literal> padded, zeros;
        for (std::string_view text : {c.lhs, c.rhs}) {
          Literal value(*ParseShape(text));
          for (float& x : value.mutable_data<float>()) x = static_cast<float>(random() % 9) - 4;
          Dims sizes = value.shape().dims();
          for (i64 d = 0; d < value.shape().rank(); ++d) {
            if (value.shape().is_dynamic(d)) sizes[d] = static_cast<i64>(random() % (sizes[d] + 1));
          }
          padded.push_back(Sized(value, sizes, repeat % 2 == 0 ? NAN : INFINITY));
          Literal filled = Sized(value, sizes, 0.0f);
          zeros.push_back(filled.WithShape(Shape(F32, value.shape().dims())));
        }
        const auto actual = ResultOf(body, padded), expected = ResultOf(static_body, zeros);
        ASSERT_TRUE(expected.ok()) << expected.status().message();
        ASSERT_TRUE(actual.ok()) << actual.status().message();
        ASSERT_TRUE(SameValue(*actual, *expected))
            << padded[0].ToStringWithShape() << "\n"
            << padded[1].ToStringWithShape() << "\ngives    " << actual->ToString() << "\nexpected "
            << expected->ToString();
      }
    }
  }
}

TEST(DynamicConvolution, PaddingOfTheKernelIsSkipped) {
  // Zeros would make NaN of the infinity.
  for (const auto& [attrs, expected] :
       {std::pair("size=2", "f32[1,2,1] { { {3}, {inf} } }"),
        std::pair("size=2 rhs_reversal=1", "f32[1,2,1] { { {inf}, {6} } }")}) {
    EXPECT_EQ(Result(StrCat("x = f32[1,3,1] parameter(0)  k = f32[<=2,1,1] parameter(1)\n",
                            "ROOT r = f32[1,2,1] convolution(x, k), window={", attrs,
                            "}, dim_labels=b0f_0io->b0f"),
                     {"f32[1,3,1] {{{1}, {inf}, {2}}}", "f32[<=2,1,1](1,1,1) {{{3}}}"}),
              expected);
  }
}

TEST(DynamicConvolution, SizesThatDoNotFit) {
  EXPECT_EQ(Result(R"(x = f32[<=4,3,1] parameter(0)  k = f32[2,1,2] parameter(1)
    ROOT r = f32[<=2,2,2] convolution(x, k), window={size=2}, dim_labels=b0f_0io->b0f,
        batch_group_count=2)",
                   {"f32[<=4,3,1](3,3,1) {{{1}, {2}, {3}}, {{1}, {2}, {3}}, {{1}, {2}, {3}}}",
                    "f32[2,1,2] {{{1, 1}}, {{1, 1}}}"}),
            "INVALID_ARGUMENT: convolution: at run time, on (f32[3,3,1], f32[2,1,2]): "
            "batch_group_count 2 does not divide the 3 batch elements of lhs; lhs f32[<=4,3,1], "
            "rhs f32[2,1,2]");
  EXPECT_EQ(Result(R"(x = f32[1,1,<=3] parameter(0)  k = f32[<=3,1] parameter(1)
    y = f32[1,<=3,1] reshape(k)
    ROOT r = f32[1,1,1] convolution(x, y), window={size=1}, dim_labels=b0f_0io->b0f)",
                   {"f32[1,1,<=3](1,1,2) {{{1, 2}}}", "f32[<=3,1](3,1) {{1}, {2}, {3}}"}),
            "INVALID_ARGUMENT: convolution: lhs has 2 features at run time but rhs has 3; lhs "
            "f32[1,1,<=3], rhs f32[1,<=3,1]");
}

}  // namespace
}  // namespace axle
