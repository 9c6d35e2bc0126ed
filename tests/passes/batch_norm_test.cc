// Batch norms become sums and arithmetic that give the same bits.
#include <limits>

#include "axle/core/convert.h"
#include "tests/passes/passes_test.h"

namespace axle {
namespace {

TEST(BatchNorm, Training) {
  EXPECT_EQ(After(R"(HloModule m
ENTRY e {
  x = bf16[2,3,5] parameter(0)
  s = bf16[3] parameter(1)
  ROOT r = (bf16[2,3,5], bf16[3], bf16[3]) batch-norm-training(x, s, s), epsilon=0.5, feature_index=1
})",
                  {"batch-norm", "cse"}),
            R"(sum.1 {
  parameter.1 = f32[] parameter(0)
  parameter.2 = f32[] parameter(1)
  ROOT add.1 = f32[] add(parameter.1, parameter.2)
}

ENTRY e {
  x = bf16[2,3,5]{2,1,0} parameter(0)
  s = bf16[3]{0} parameter(1)
  convert.1 = f32[2,3,5]{2,1,0} convert(x)
  convert.2 = f32[3]{0} convert(s)
  constant.1 = f32[] constant(0)
  reduce.1 = f32[3]{0} reduce(convert.1, constant.1), dimensions={0,2}, to_apply=sum.1
  constant.2 = f32[] constant(10)
  broadcast.1 = f32[3]{0} broadcast(constant.2), dimensions={}
  divide.1 = f32[3]{0} divide(reduce.1, broadcast.1)
  broadcast.2 = f32[2,3,5]{2,1,0} broadcast(divide.1), dimensions={1}
  subtract.1 = f32[2,3,5]{2,1,0} subtract(convert.1, broadcast.2)
  multiply.1 = f32[2,3,5]{2,1,0} multiply(subtract.1, subtract.1)
  reduce.2 = f32[3]{0} reduce(multiply.1, constant.1), dimensions={0,2}, to_apply=sum.1
  divide.2 = f32[3]{0} divide(reduce.2, broadcast.1)
  constant.5 = f32[] constant(0.5)
  broadcast.4 = f32[3]{0} broadcast(constant.5), dimensions={}
  add.2 = f32[3]{0} add(divide.2, broadcast.4)
  sqrt.1 = f32[3]{0} sqrt(add.2)
  divide.3 = f32[3]{0} divide(convert.2, sqrt.1)
  broadcast.5 = f32[2,3,5]{2,1,0} broadcast(divide.3), dimensions={1}
  multiply.2 = f32[2,3,5]{2,1,0} multiply(subtract.1, broadcast.5)
  broadcast.6 = f32[2,3,5]{2,1,0} broadcast(convert.2), dimensions={1}
  add.3 = f32[2,3,5]{2,1,0} add(multiply.2, broadcast.6)
  convert.4 = bf16[2,3,5]{2,1,0} convert(add.3)
  convert.5 = bf16[3]{0} convert(divide.1)
  convert.6 = bf16[3]{0} convert(divide.2)
  ROOT tuple.1 = (bf16[2,3,5]{2,1,0}, bf16[3]{0}, bf16[3]{0}) tuple(convert.4, convert.5, convert.6)
}
)");
}

TEST(BatchNorm, Inference) {
  EXPECT_EQ(After(R"(HloModule m
ENTRY e {
  x = f64[2,3] parameter(0)
  s = f64[2] parameter(1)
  ROOT r = f64[2,3] batch-norm-inference(x, s, s, s, s), epsilon=0.1, feature_index=0
})",
                  {"batch-norm"}),
            R"(ENTRY e {
  x = f64[2,3]{1,0} parameter(0)
  s = f64[2]{0} parameter(1)
  broadcast.1 = f64[2,3]{1,0} broadcast(s), dimensions={0}
  subtract.1 = f64[2,3]{1,0} subtract(x, broadcast.1)
  constant.1 = f64[] constant(0.10000000149011612)
  broadcast.2 = f64[2]{0} broadcast(constant.1), dimensions={}
  add.1 = f64[2]{0} add(s, broadcast.2)
  sqrt.1 = f64[2]{0} sqrt(add.1)
  divide.1 = f64[2]{0} divide(s, sqrt.1)
  broadcast.3 = f64[2,3]{1,0} broadcast(divide.1), dimensions={0}
  multiply.1 = f64[2,3]{1,0} multiply(subtract.1, broadcast.3)
  broadcast.4 = f64[2,3]{1,0} broadcast(s), dimensions={0}
  ROOT add.2 = f64[2,3]{1,0} add(multiply.1, broadcast.4)
}
)");
}

TEST(BatchNorm, OneReducerForEachType) {
  const std::string after = After(R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f64[2,3] parameter(1)
  s = f32[3] parameter(2)
  t = f64[3] parameter(3)
  a = (f32[2,3], f32[3], f32[3]) batch-norm-training(x, s, s), epsilon=0.5, feature_index=1
  b = (f64[2,3], f64[3], f64[3]) batch-norm-training(y, t, t), epsilon=0.5, feature_index=1
  c = (f32[2,3], f32[3], f32[3]) batch-norm-grad(x, s, s, s, x), epsilon=0.5, feature_index=1
  ROOT r = ((f32[2,3], f32[3], f32[3]), (f64[2,3], f64[3], f64[3]), (f32[2,3], f32[3], f32[3])) tuple(a, b, c)
})",
                                  {"batch-norm"});
  EXPECT_EQ(after.find("batch-norm"), std::string::npos);
  EXPECT_NE(after.find("sum.2 {"), std::string::npos);
  EXPECT_EQ(after.find("sum.3 {"), std::string::npos);
}

// The module before, after the pass, and after all of them.
struct Forms {
  explicit Forms(const std::string& text) {
    auto module = Parse(text);
    EXPECT_TRUE(module.ok()) << module.status().ToString();
    if (!module.ok()) return;
    auto once = RunPipeline(**module, {.passes = {FindPass("batch-norm")}, .verify_each = true});
    auto all = RunPipeline(**module, {.verify_each = true});
    EXPECT_TRUE(once.ok() && all.ok()) << once.status().ToString() << all.status().ToString();
    if (!once.ok() || !all.ok()) return;
    EXPECT_EQ(Print(**once).find("batch-norm-"), std::string::npos);
    for (auto* form : {&module, &once, &all}) forms.push_back(*std::move(*form));
  }

  void ExpectSameBits(const std::vector<Literal>& arguments) const {
    if (forms.empty()) return;
    const auto expected = Evaluate(*forms[0], arguments);
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    for (size_t i = 1; i < forms.size(); ++i) {
      const auto result = Evaluate(*forms[i], arguments);
      ASSERT_TRUE(result.ok()) << result.status().ToString();
      const auto difference = FirstDifference(*expected, *result);
      EXPECT_FALSE(difference) << difference->ToString();
    }
  }

  std::vector<std::unique_ptr<Module>> forms;
};

// Numbers of different sizes; every `special`-th is a zero, an infinity, a NaN or near the ends.
Literal Numbers(const Shape& shape, std::uint32_t seed, std::uint32_t special) {
  constexpr float kSpecial[] = {0,
                                -0.0F,
                                std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN(),
                                -std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::denorm_min(),
                                std::numeric_limits<float>::max(),
                                -1e-30F};
  Literal wide{Shape(F32, shape.dims())};
  std::uint32_t state = seed;
  for (float& x : wide.mutable_data<float>()) {
    state = state * 1664525 + 1013904223;
    x = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-29F;
    if (special != 0 && state % special == 0) x = kSpecial[state >> 24 & 7];
  }
  return *Convert(wide, shape.type());
}

constexpr std::string_view kTypes[] = {"f32",      "f64",        "f16",        "bf16",
                                       "f8e5m2",   "f8e4m3",     "f8e4m3fn",   "f8e4m3b11fnuz",
                                       "f8e3m4",   "f8e5m2fnuz", "f8e4m3fnuz", "f4e2m1fn",
                                       "f6e3m2fn", "f6e2m3fn",   "f8e8m0fnu"};
struct Sizes {
  std::vector<i64> dims;
  int feature;
};
const Sizes kSizes[] = {
    {{7}, 0},          {{1}, 0},           {{0}, 0},       {{1, 1}, 0},    {{1, 5}, 0},
    {{5, 1}, 0},       {{5, 1}, 1},        {{3, 17}, 0},   {{3, 17}, 1},   {{600, 2}, 1},
    {{2, 600}, 0},     {{2, 3, 5}, 0},     {{2, 3, 5}, 1}, {{2, 3, 5}, 2}, {{40, 16, 1}, 1},
    {{5000, 1}, 1},    {{0, 3}, 0},        {{0, 3}, 1},    {{3, 0}, 0},    {{2, 0, 3}, 2},
    {{2, 4, 3, 3}, 1}, {{2, 3, 3, 20}, 3},
};

TEST(BatchNorm, GivesTheSameBits) {
  std::uint32_t seed = 1;
  for (const std::string_view type : kTypes) {
    for (const Sizes& sizes : kSizes) {
      const i64 features = sizes.dims[sizes.feature];
      const std::string array = StrCat(type, "[", Join(sizes.dims, ","), "]");
      const std::string line = StrCat(type, "[", features, "]");
      const std::string three = StrCat("(", array, ", ", line, ", ", line, ")");
      // Also one that is not there as a float, and none.
      const std::string_view epsilon = seed % 3 == 0 ? "0" : seed % 3 == 1 ? "0.001" : "3";
      const std::string text = StrCat(
          "HloModule m\nENTRY e {\n  x = ", array, " parameter(0)\n  g = ", array,
          " parameter(1)\n  s = ", line, " parameter(2)\n  o = ", line,
          " parameter(3)\n  m = ", line, " parameter(4)\n  v = ", line,
          " parameter(5)\n  t = ", three, " batch-norm-training(x, s, o), epsilon=", epsilon,
          ", feature_index=", sizes.feature, "\n  i = ", array,
          " batch-norm-inference(x, s, o, m, v), epsilon=", epsilon,
          ", feature_index=", sizes.feature, "\n  d = ", three,
          " batch-norm-grad(x, s, m, v, g), epsilon=", epsilon, ", feature_index=", sizes.feature,
          "\n  ROOT r = (", three, ", ", array, ", ", three, ") tuple(t, i, d)\n}");
      SCOPED_TRACE(text);
      const Forms forms(text);
      if (forms.forms.empty()) return;
      for (const std::uint32_t special : {0, 2, 9}) {
        std::vector<Literal> arguments;
        for (const Instruction* parameter : forms.forms[0]->entry()->parameters()) {
          arguments.push_back(Numbers(parameter->shape().WithoutLayout(), ++seed, special));
        }
        forms.ExpectSameBits(arguments);
      }
      // Sums of nothing but -0 are +0.
      std::vector<Literal> zeros;
      for (const Instruction* parameter : forms.forms[0]->entry()->parameters()) {
        Literal zero{Shape(F32, parameter->shape().dims())};
        for (float& x : zero.mutable_data<float>()) x = -0.0F;
        zeros.push_back(*Convert(zero, parameter->shape().type()));
      }
      forms.ExpectSameBits(zeros);
    }
  }
}

// In a loop's body, in what a map applies, with layouts of results.
TEST(BatchNorm, WhereverItStands) {
  EXPECT_EQ(AfterWithSameBits(R"(HloModule m
f { p = f32[] parameter(0)  x = f32[1] reshape(p)
  n = f32[1] batch-norm-inference(x, x, x, x, x), epsilon=1, feature_index=0
  ROOT r = f32[] reshape(n) }
less { s = (s32[], f32[4,3]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[4,3]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)  j = s32[] add(i, one)
  x = f32[4,3] get-tuple-element(s), index=1  o = f32[3] constant({1, 2, 3})
  t = (f32[4,3], f32[3], f32[3]) batch-norm-training(x, o, o), epsilon=0.25, feature_index=1
  y = f32[4,3] get-tuple-element(t), index=0
  ROOT r = (s32[], f32[4,3]) tuple(j, y) }
ENTRY e {
  x = f32[4,3]{0,1} parameter(0)
  m = f32[4,3] map(x), dimensions={0,1}, to_apply=f
  z = s32[] constant(0)
  s = (s32[], f32[4,3]) tuple(z, m)
  w = (s32[], f32[4,3]) while(s), condition=less, body=body
  y = f32[4,3] get-tuple-element(w), index=1
  o = f32[3] constant({1, 2, 3})
  ROOT r = (f32[4,3]{0,1}, f32[3]{0}, f32[3]{0}) batch-norm-training(y, o, o), epsilon=0.25, feature_index=1
})",
                              "batch-norm")
                .find("batch-norm-training"),
            std::string::npos);
}

TEST(BatchNorm, LeavesTheRest) {
  for (const std::string_view line : {
           "r = (f32[4,2], f32[2], f32[2]) batch-norm-training(x, s, s), epsilon=1, "
           "feature_index=1, frontend_attributes={a=\"b\"}",
           "r = f32[4,2] batch-norm-inference(x, s, s, s, s), epsilon=1, feature_index=1, "
           "sharding={replicated}",
           "r = (f32[<=4,2], f32[2], f32[2]) batch-norm-grad(d, s, s, s, d), epsilon=1, "
           "feature_index=1",
       }) {
    SCOPED_TRACE(line);
    const std::string text = StrCat(R"(HloModule m
ENTRY e {
  x = f32[4,2] parameter(0)
  d = f32[<=4,2] parameter(1)
  s = f32[2] parameter(2)
  ROOT )",
                                    line, "\n}");
    EXPECT_EQ(After(text, {"batch-norm", "dce"}), After(text, {"dce"}));
  }
  // What a reduction applies.
  const std::string applied = R"(HloModule m
f { a = f32[] parameter(0)  b = f32[] parameter(1)  x = f32[1] reshape(b)
  n = f32[1] batch-norm-inference(x, x, x, x, x), epsilon=1, feature_index=0
  c = f32[] reshape(n)  ROOT r = f32[] maximum(a, c) }
ENTRY e {
  x = f32[4] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=f
})";
  EXPECT_EQ(After(applied, {"batch-norm", "dce"}), After(applied, {"dce"}));
}

}  // namespace
}  // namespace axle
