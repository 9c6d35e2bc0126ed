#include "axle/client/analysis.h"

#include <gtest/gtest.h>

#include "axle/client/load.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

MemoryAnalysis Memory(std::string_view text) {
  const auto module = LoadModule(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return AnalyzeMemory(**module);
}

TEST(Analysis, CountsWhatInstructionsDoAndMove) {
  const auto module = *LoadModule(
      "ENTRY e { x = f32[2,3] parameter(0) y = f32[3,4] parameter(1) d = f32[2,4] dot(x, y), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT r = f32[2,4] add(d, d) }");
  const CostAnalysis cost = AnalyzeCost(*module);
  EXPECT_EQ(cost.flops, 2 * 2 * 3 * 4 + 8);
  EXPECT_EQ(cost.bytes_accessed, (8 + 6 + 12) * 4 + (8 + 8 + 8) * 4);
  EXPECT_EQ(cost.instructions, 4);
}

bool IsComplete(std::string_view text) {
  const auto module = LoadModule(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return AnalyzeCost(**module).is_complete;
}

TEST(Analysis, SaysWhetherItsNumbersAreAll) {
  constexpr std::string_view kAdd =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n";
  constexpr std::string_view kNegate =
      "f { p = f32[10] parameter(0) ROOT q = f32[10] negate(p) }\n";
  constexpr std::string_view kCall =
      "ENTRY e { x = f32[10] parameter(0) ROOT c = f32[10] call(x), to_apply=f }";
  EXPECT_TRUE(
      IsComplete("ENTRY e { x = f32[10] parameter(0) y = f32[9] slice(x), slice={[0:9]} "
                 "ROOT d = f32[] dot(y, y), lhs_contracting_dims={0}, "
                 "rhs_contracting_dims={0} }"));
  EXPECT_TRUE(IsComplete(StrCat(kAdd,
                                "ENTRY e { x = f32[10] parameter(0) z = f32[] constant(0) "
                                "ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add }")));
  // A combiner that does more than the one operation that is counted for each element.
  EXPECT_FALSE(IsComplete(
      "f { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] power(a, b) d = f32[] tan(c) "
      "ROOT e = f32[] power(d, a) }\n"
      "ENTRY e { x = f32[10] parameter(0) z = f32[] constant(0) "
      "ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=f }"));
  EXPECT_TRUE(IsComplete(StrCat(kNegate, kCall)));
  // Twice the same, and so 2^n times what is n calls deep.
  EXPECT_FALSE(IsComplete(StrCat(kNegate,
                                 "ENTRY e { x = f32[10] parameter(0) "
                                 "y = f32[10] call(x), to_apply=f "
                                 "ROOT c = f32[10] call(y), to_apply=f }")));
  // Loops, whatever they are in; and work that is not counted.
  constexpr std::string_view kLoop =
      "c { p = f32[10] parameter(0) ROOT t = pred[] constant(true) }\n"
      "b { p = f32[10] parameter(0) ROOT q = f32[10] negate(p) }\n"
      "f { p = f32[10] parameter(0) ROOT w = f32[10] while(p), condition=c, body=b }\n";
  EXPECT_FALSE(IsComplete(StrCat(kLoop, kCall)));
  EXPECT_FALSE(
      IsComplete("ENTRY e { x = f32[10,10] parameter(0) "
                 "ROOT c = f32[10,10] cholesky(x), lower=true }"));
  EXPECT_FALSE(
      IsComplete("ENTRY e { t = token[] after-all() "
                 "ROOT i = (f32[2], token[]) infeed(t) }"));
}

TEST(Analysis, TemporariesLiveToTheirLastUse) {
  // a and b live together, b and c do; then d is the result.
  const MemoryAnalysis memory = Memory(
      "ENTRY e { x = f32[10] parameter(0) a = f32[10] negate(x) b = f32[10] negate(a) "
      "c = f32[10] negate(b) ROOT d = f32[10] negate(c) }");
  EXPECT_EQ(memory.argument_bytes, 40);
  EXPECT_EQ(memory.result_bytes, 40);
  EXPECT_EQ(memory.peak_temporary_bytes, 80);
  EXPECT_EQ(memory.constant_bytes, 0);
}

TEST(Analysis, ATupleKeepsWhatIsInIt) {
  // a is read through the tuple after b has been made and read.
  const MemoryAnalysis memory = Memory(
      "ENTRY e { x = f32[10] parameter(0) a = f32[10] negate(x) t = (f32[10]) tuple(a) "
      "b = f32[10] negate(x) c = f32[10] negate(b) g = f32[10] get-tuple-element(t), index=0 "
      "ROOT d = f32[10] add(c, g) }");
  EXPECT_EQ(memory.peak_temporary_bytes, 120);
  // What the result holds is no temporary.
  EXPECT_EQ(Memory("ENTRY e { x = f32[10] parameter(0) a = f32[10] negate(x) ROOT t = (f32[10]) "
                   "tuple(a) }")
                .peak_temporary_bytes,
            40);
}

TEST(Analysis, CalledComputationsTakeTheirShare) {
  const MemoryAnalysis memory = Memory(
      "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n"
      "f { p = f32[10] parameter(0) q = f32[10] negate(p) ROOT r = f32[10] negate(q) }\n"
      "ENTRY e { x = f32[10] parameter(0) a = f32[10] negate(x) c = f32[10] call(a), to_apply=f "
      "k = f32[10] constant({1,2,3,4,5,6,7,8,9,10}) ROOT r = f32[10] add(c, k) }");
  EXPECT_EQ(memory.peak_temporary_bytes, 120);  // a, c and q
  EXPECT_EQ(memory.constant_bytes, 40);
  EXPECT_EQ(memory.alias_bytes, 40);
}

TEST(Analysis, CallsMayBeNestedDeeperThanTheStack) {
  std::string text = "c0 { x = f32[] parameter(0) y = f32[] negate(x) ROOT r = f32[] negate(y) }\n";
  constexpr int kDepth = 100000;
  for (int i = 1; i < kDepth; ++i) {
    StrAppend(text, "c", i, " { x = f32[] parameter(0) ROOT r = f32[] call(x), to_apply=c", i - 1,
              " }\n");
  }
  StrAppend(text, "ENTRY e { x = f32[] parameter(0) ROOT r = f32[] call(x), to_apply=c", kDepth - 1,
            " }");
  EXPECT_EQ(Memory(text).peak_temporary_bytes, 4);
}

TEST(Analysis, SumsBeyondTheLargestNumberAreThat) {
  std::string parameters, values, sums = "a0 = f32[288230376151711744] copy(v0) ";
  for (int i = 0; i < 9; ++i) {
    StrAppend(parameters, "p", i, " = f32[288230376151711744] parameter(", i, ") ");
    StrAppend(values, "v", i, " = f32[288230376151711744] negate(p", i, ") ");
    StrAppend(sums, "a", i + 1, " = f32[288230376151711744] add(a", i, ", v", i, ") ");
  }
  const MemoryAnalysis memory =
      Memory(StrCat("ENTRY e { ", parameters, values, sums, "ROOT r = f32[] constant(1) }"));
  EXPECT_EQ(memory.argument_bytes, INT64_MAX);
  EXPECT_EQ(memory.peak_temporary_bytes, INT64_MAX);
}

}  // namespace
}  // namespace axle
