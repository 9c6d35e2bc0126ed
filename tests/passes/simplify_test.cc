// What rules do together, and where they must not be applied.
#include <algorithm>
#include <array>

#include "axle/client/arguments.h"
#include "axle/eval/evaluate.h"
#include "tests/passes/passes_test.h"

namespace axle {
namespace {

TEST(Simplify, OneWalkFollowsAChain) {
  EXPECT_EQ(After(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  one = f32[] constant(1)
  ones = f32[2,2] broadcast(one), dimensions={}
  flat = f32[4] reshape(ones)
  a = f32[4] multiply(x, flat)
  b = f32[4] negate(a)
  c = f32[4] copy(b)
  d = f32[4] negate(c)
  t = (f32[4], f32[4]) tuple(d, x)
  ROOT r = f32[4] get-tuple-element(t), index=0
})",
                  {"simplify"}),
            R"(ENTRY e {
  ROOT x = f32[4]{0} parameter(0)
}
)");
}

TEST(Simplify, WhatIsMadeTakesIdMetadataAndOrigins) {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  x = f32[4,3] parameter(0)
  t = f32[3,4] transpose(x), dimensions={1,0}
  u = f32[12] reshape(t), metadata={op_name="inner"}
  ROOT v = f32[6,2] reshape(u), metadata={op_name="outer"}
})");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto after = RunPipeline(**module, {.passes = {FindPass("simplify")}});
  ASSERT_TRUE(after.ok());
  const Instruction& root = *(*after)->entry()->root();
  EXPECT_EQ(root.name(), "reshape.1");
  EXPECT_EQ(root.metadata().op_name, "outer");
  EXPECT_EQ(root.id(), (*module)->entry()->root()->id());
  ASSERT_NE(root.extras(), nullptr);
  const std::vector<OpId> origins = {root.id(), (*module)->entry()->root()->operand(0)->id()};
  EXPECT_EQ(root.extras()->origins, origins);
}

// a * 1 + b is not the sum that a + b is: it folds from the left, as it does without passes.
TEST(Simplify, LeavesReducersAlone) {
  constexpr std::string_view kText = R"(sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  one = f32[] constant(1)
  c = f32[] multiply(b, one)
  unread = f32[] sine(a)
  ROOT s = f32[] add(a, c)
}

ENTRY e {
  x = f32[64]{0} parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[] reduce(x, zero), dimensions={0}, to_apply=sum
}
)";
  EXPECT_EQ(After(StrCat("HloModule m\n\n", kText), {"dce", "cse", "simplify"}), kText);
}

// Each line is a rule's pattern but for one thing.
TEST(Simplify, LeavesAloneWhatItMayNotTouch) {
  for (const std::string_view line : {
           "ROOT r = f32[2,3]{0,1} copy(x)",
           "ROOT r = f32[2,3] copy(x), sharding={replicated}",
           "ROOT r = f32[2,3] copy(x), frontend_attributes={keep=\"1\"}",
           "ROOT r = f32[2,3] copy(x), backend_config=\"b\"",
           "ROOT r = f32[2,3] copy(x), control-predecessors={n}",
           "c = f32[2,3] copy(x)  ROOT r = f32[2,3] sine(c), control-predecessors={c}",
           "ROOT r = f32[2,3] add(x, zeros)",
           "ROOT r = f32[2,3] multiply(x, zeros)",
           "ROOT r = f32[2,3] subtract(x, x)",
           "ROOT r = pred[2,3] compare(x, x), direction=EQ",
           "ROOT r = c64[2,3] multiply(z, ones)",
           "h = f16[2,3] convert(x)  ROOT r = f32[2,3] convert(h)",
           "ROOT r = f32[<=2,3] copy(d)",
           // The bits of -0 are the NaN of this type, and 2^-127 of the other one has no bit set.
           "n8 = f8e4m3fnuz[2] constant({nan, nan})  ROOT r = f8e4m3fnuz[2] add(m, n8)",
           "t8 = f8e8m0fnu[2] constant({5.87747e-39, 5.87747e-39})  "
           "ROOT r = f8e8m0fnu[2] add(o, t8)",
       }) {
    SCOPED_TRACE(line);
    const std::string text = StrCat(R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  z = c64[2,3] parameter(1)
  d = f32[<=2,3] parameter(2)
  n = f32[] parameter(3)
  m = f8e4m3fnuz[2] parameter(4)
  o = f8e8m0fnu[2] parameter(5)
  zero = f32[] constant(0)
  zeros = f32[2,3] broadcast(zero), dimensions={}
  one = c64[] constant((1, 0))
  ones = c64[2,3] broadcast(one), dimensions={}
  )",
                                    line, "\n}");
    EXPECT_EQ(After(text, {"simplify", "dce"}), After(text, {"dce"}));
  }
}

// Transposed factors in every order: bits stay, and so does the transpose where it has to.
TEST(Simplify, DotsReadTransposedFactorsWhereTheyAre) {
  const auto dims = [](const Dims& values) { return StrCat("{", Join(values, ","), "}"); };
  const Dims sizes = {2, 5, 3, 64};
  int num_left = 0, num_gone = 0;
  Dims order = {0, 1, 2, 3};
  do {
    Dims turned, back(4);
    for (size_t d = 0; d < 4; ++d) {
      turned.push_back(sizes[order[d]]);
      back[order[d]] = static_cast<i64>(d);
    }
    // 0 is a batch dimension, 1 and 2 are free, 3 is contracted; a vector has 3 alone.
    const Dims result = back[1] < back[2] ? Dims{2, 5, 3, 4} : Dims{2, 3, 5, 4};
    for (const bool is_left : {true, false}) {
      const std::string t = StrCat("lhs_batch_dims={", back[0], "}, lhs_contracting_dims={",
                                   back[3], "}, rhs_batch_dims={0}, rhs_contracting_dims={1}");
      const std::string u = StrCat("rhs_batch_dims={", back[0], "}, rhs_contracting_dims={",
                                   back[3], "}, lhs_batch_dims={0}, lhs_contracting_dims={1}");
      const Dims mirrored = {2, 4, result[1], result[2]};
      const std::string text =
          StrCat("HloModule m\nENTRY e {\n  x = f32[", Join(sizes, ","), "] parameter(0)\n",
                 "  y = f32[2,64,4] parameter(1)\n  t = f32[", Join(turned, ","),
                 "] transpose(x), dimensions=", dims(order), "\n  ROOT r = f32[",
                 Join(is_left ? result : mirrored, ","), "] dot(", is_left ? "t, y), " : "y, t), ",
                 is_left ? t : u, "\n}\n");
      const auto module = Parse(text);
      ASSERT_TRUE(module.ok()) << module.status().ToString();
      const auto after = RunPipeline(**module, {.passes = {FindPass("simplify"), FindPass("dce")}});
      ASSERT_TRUE(after.ok());
      const bool is_gone = (*after)->num_instructions() == 3;
      EXPECT_EQ(is_gone, back[1] < back[2] || order == (Dims{0, 1, 2, 3})) << text;
      ++(is_gone ? num_gone : num_left);
      const std::vector<Literal> arguments = {*FakeLiteral(Shape(F32, sizes), "random:1", 0),
                                              *FakeLiteral(Shape(F32, {2, 64, 4}), "random:1", 1)};
      EXPECT_EQ(*Evaluate(**module, arguments), *Evaluate(**after, arguments)) << text;
    }
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(num_left, 24);
  EXPECT_EQ(num_gone, 24);
  // Which way a product of a matrix and a vector is summed depends on what its last dimension is.
  for (const char* line : {"ROOT r = f32[5] dot(t, v), lhs_contracting_dims={1}, "
                           "rhs_contracting_dims={0}",
                           "ROOT r = f32[5] dot(v, t), lhs_contracting_dims={0}, "
                           "rhs_contracting_dims={1}"}) {
    const std::string text = StrCat(
        "ENTRY e {\n  x = f32[64,5]{1,0} parameter(0)\n  v = f32[64]{0} parameter(1)\n"
        "  t = f32[5,64]{1,0} transpose(x), dimensions={1,0}\n  ",
        line, "\n}\n");
    EXPECT_NE(After(StrCat("HloModule m\n", text), {"simplify", "dce"}).find("transpose("),
              std::string::npos);
  }
}

TEST(Simplify, ChoosesTheBranchThatRuns) {
  for (const auto& [index, type, branches, chosen] : std::vector<std::array<std::string_view, 4>>{
           {"true", "pred", "true_computation=up, false_computation=down", "up"},
           {"false", "pred", "true_computation=up, false_computation=down", "down"},
           {"0", "s32", "branch_computations={up, down}", "up"},
           {"1", "s32", "branch_computations={up, down}", "down"},
           {"2", "s32", "branch_computations={up, down}", "down"},
           {"-1", "s32", "branch_computations={up, down}", "down"},
       }) {
    const std::string after =
        After(StrCat(R"(HloModule m
up { x = f32[] parameter(0)  ROOT y = f32[] ceil(x) }
down { x = f32[] parameter(0)  ROOT y = f32[] floor(x) }
ENTRY e {
  x = f32[] parameter(0)
  i = )",
                     type, "[] constant(", index, ")\n  ROOT r = f32[] conditional(i, x, x), ",
                     branches, "\n}"),
              {"simplify"});
    EXPECT_NE(after.find(StrCat("call(x), to_apply=", chosen)), std::string::npos) << index << "\n"
                                                                                   << after;
  }
}

// Without groups it depends on the number of devices, which may be that of the run only later.
TEST(Simplify, CollectivesOfOneDevice) {
  const auto is_gone = [](std::string_view head, std::string_view attributes) {
    const std::string after = After(
        StrCat("HloModule m", head,
               "\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n"
               "ENTRY e { x = f32[4] parameter(0) ROOT r = f32[4] all-reduce(x), ",
               attributes, ", to_apply=sum }"),
        {"simplify", "dce"});
    return after == "ENTRY e {\n  ROOT x = f32[4]{0} parameter(0)\n}\n";
  };
  constexpr std::string_view kTwo = ", replica_count=2",
                             kFour = ", replica_count=2, num_partitions=2";
  EXPECT_TRUE(is_gone("", "replica_groups={{0}}"));
  EXPECT_TRUE(is_gone("", "replica_groups=[1,1]<=[1]"));
  EXPECT_FALSE(is_gone("", "replica_groups={}"));
  EXPECT_FALSE(is_gone("", "replica_groups={{0},{1}}"));  // for two replicas, which are not stated
  EXPECT_TRUE(is_gone(kTwo, "replica_groups={{1},{0}}"));
  EXPECT_TRUE(is_gone(kTwo, "replica_groups=[2,1]<=[2]"));
  EXPECT_FALSE(is_gone(kTwo, "replica_groups={{0,1}}"));
  EXPECT_TRUE(is_gone(kFour, "replica_groups={{0},{1}}"));
  EXPECT_FALSE(is_gone(kFour, "channel_id=1, replica_groups={{0},{1}}"));  // with all partitions
  EXPECT_TRUE(
      is_gone(kFour, "channel_id=1, use_global_device_ids=true, replica_groups=[4,1]<=[4]"));
}

TEST(Simplify, TakesTuplesOfDynamicValuesApart) {
  EXPECT_EQ(After(R"(HloModule m
ENTRY e {
  d = f32[<=2] parameter(0)
  t = (f32[<=2], f32[<=2]) tuple(d, d)
  ROOT r = f32[<=2] get-tuple-element(t), index=1
})",
                  {"simplify"}),
            "ENTRY e {\n  ROOT d = f32[<=2]{0} parameter(0)\n}\n");
}

}  // namespace
}  // namespace axle
