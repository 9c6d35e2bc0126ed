// Branches and calls write results into the places of their arguments: no array is copied.
#include <algorithm>

#include "tests/codegen/step_test.h"

namespace axle {
namespace {

constexpr i64 kBytes = 4 * 5000;

class InPlaceBranchesTest : public StepTest {
 protected:
  // A loop of 9 turns over (i, a f32[5000], b f32[5000]); `turn` makes a1 and b1 of them.
  static std::string Loop(std::string_view branches, std::string_view turn) {
    return StrCat("HloModule m\n", branches, R"(
body {
  s = (s32[], f32[5000], f32[5000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[5000] get-tuple-element(s), index=1
  b = f32[5000] get-tuple-element(s), index=2
  one = s32[] constant(1)
  two = s32[] constant(2)
  bit = s32[] and(i, one)
  odd = pred[] compare(bit, one), direction=EQ
)",
                  turn, R"(
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[5000], f32[5000]) tuple(j, a1, b1)
}
cond {
  s = (s32[], f32[5000], f32[5000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(9)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  a = f32[5000] parameter(0)
  b = f32[5000] parameter(1)
  z = s32[] constant(0)
  t = (s32[], f32[5000], f32[5000]) tuple(z, a, b)
  ROOT w = (s32[], f32[5000], f32[5000]) while(t), condition=cond, body=body
}
)");
  }

  // The arrays that have memory beside arguments and results, at most.
  void ExpectArrays(const std::string& text, i64 most) {
    ExpectSameBits(text, seed_++, /*special_every=*/64, [&](const CompileReport& report) {
      i64 bytes = 0;
      for (const CompileReport::Program& program : report.programs) {
        bytes = std::max(bytes, program.frame_bytes);
        if (most == 0) {
          EXPECT_EQ(program.num_copies, 0) << program.name;
        }
      }
      EXPECT_LT(bytes, (most + 1) * kBytes);
      if (most > 0) {
        EXPECT_GE(bytes, most * kBytes);
      }
    });
  }

 private:
  std::uint32_t seed_ = 1;
};

constexpr std::string_view kStore = R"(
store {
  a = f32[5000] parameter(0)
  u = f32[1] slice(a), slice={[7:8]}
  v = f32[1] negate(u)
  i = s32[] constant(5)
  ROOT r = f32[5000] dynamic-update-slice(a, v, i)
}
same { ROOT a = f32[5000] parameter(0) }
)";

TEST_P(InPlaceBranchesTest, OneStoresAndOneDoesNothing) {
  ExpectArrays(Loop(kStore,
                    "a1 = f32[5000] conditional(odd, a, a), true_computation=store, "
                    "false_computation=same\n b1 = f32[5000] copy(b)"),
               0);
  ExpectArrays(
      Loop(kStore,
           "a1 = f32[5000] conditional(i, a, a, a), branch_computations={same, store, "
           "same}\n b1 = f32[5000] conditional(i, b, b), branch_computations={store, same}"),
      0);
}

TEST_P(InPlaceBranchesTest, TuplesWithMoreThanTheResult) {
  ExpectArrays(Loop(R"(
f {
  p = (f32[5000], s32[], f32[5000]) parameter(0)
  a = f32[5000] get-tuple-element(p), index=0
  i = s32[] get-tuple-element(p), index=1
  b = f32[5000] get-tuple-element(p), index=2
  u = f32[1] dynamic-slice(b, i), dynamic_slice_sizes={1}
  c = f32[5000] dynamic-update-slice(a, u, i)
  ROOT t = (f32[5000], s32[]) tuple(c, i)
}
g {
  p = (f32[5000], s32[], f32[5000]) parameter(0)
  q = (f32[5000], s32[], f32[5000]) opt-barrier(p)
  a = f32[5000] get-tuple-element(q), index=0
  i = s32[] get-tuple-element(p), index=1
  j = s32[] negate(i)
  ROOT t = (f32[5000], s32[]) tuple(a, j)
}
)",
                    R"(
  p = (f32[5000], s32[], f32[5000]) tuple(a, i, b)
  c = (f32[5000], s32[]) conditional(odd, p, p), true_computation=f, false_computation=g
  a1 = f32[5000] get-tuple-element(c), index=0
  b1 = f32[5000] copy(b)
)"),
               0);
}

TEST_P(InPlaceBranchesTest, BranchesInBranchesAndLoops) {
  ExpectArrays(Loop(StrCat(kStore, R"(
inner {
  a = f32[5000] parameter(0)
  i = s32[] constant(1)
  ROOT c = f32[5000] conditional(i, a, a), branch_computations={same, store}
}
turn {
  s = (s32[], f32[5000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[5000] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  u = f32[1] dynamic-slice(a, j), dynamic_slice_sizes={1}
  b = f32[5000] dynamic-update-slice(a, u, i)
  ROOT t = (s32[], f32[5000]) tuple(j, b)
}
below {
  s = (s32[], f32[5000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT
}
loops {
  a = f32[5000] parameter(0)
  z = s32[] constant(0)
  s = (s32[], f32[5000]) tuple(z, a)
  w = (s32[], f32[5000]) while(s), condition=below, body=turn
  ROOT r = f32[5000] get-tuple-element(w), index=1
}
)"),
                    "a1 = f32[5000] conditional(odd, a, a), true_computation=inner, "
                    "false_computation=loops\n b1 = f32[5000] copy(b)"),
               0);
}

// What is read later, or in two places, is not written over.
TEST_P(InPlaceBranchesTest, ValuesThatAreNeededLater) {
  ExpectArrays(Loop(kStore,
                    "c = f32[5000] conditional(odd, a, a), true_computation=store, "
                    "false_computation=same\n a1 = f32[5000] add(a, c)\n b1 = f32[5000] copy(b)"),
               1);
  for (const std::string_view result : {"(c, a)", "(a, c)", "(a, b)", "(c, b)"}) {
    const std::string text = Loop(
        StrCat("f {\n  p = (f32[5000], f32[5000]) parameter(0)\n"
               "  a = f32[5000] get-tuple-element(p), index=0\n"
               "  b = f32[5000] get-tuple-element(p), index=1\n  u = f32[1] slice(b), "
               "slice={[3:4]}\n  i = s32[] constant(5)\n  c = f32[5000] dynamic-update-slice(a, u, "
               "i)\n  d = f32[1] slice(c), slice={[5:6]}\n  ROOT t = (f32[5000], f32[5000]) tuple",
               result,
               "\n}\ng {\n  p = (f32[5000], f32[5000]) parameter(0)\n"
               "  a = f32[5000] get-tuple-element(p), index=0\n"
               "  b = f32[5000] get-tuple-element(p), index=1\n"
               "  ROOT t = (f32[5000], f32[5000]) tuple(b, a)\n}\n"),
        R"(
  p = (f32[5000], f32[5000]) tuple(a, b)
  twice = (f32[5000], f32[5000]) tuple(a, a)
  c = (f32[5000], f32[5000]) conditional(i, p, twice, p), branch_computations={f, f, g}
  a1 = f32[5000] get-tuple-element(c), index=0
  b1 = f32[5000] get-tuple-element(c), index=1
)");
    ExpectSameBits(text, 77, /*special_every=*/64, [](const CompileReport&) {});
  }
}

INSTANTIATE_TEST_SUITE_P(Codegen, InPlaceBranchesTest, kStepParameters, StepParameterName);

}  // namespace
}  // namespace axle
