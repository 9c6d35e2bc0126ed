// What is applied to elements may call and branch: no evaluator runs it.
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

class BranchesTest : public StepTest {
 protected:
  void ExpectSame(const std::string& entry) {
    static constexpr std::string_view kComputations = R"(HloModule m
near { p = (f32[], f32[]) parameter(0)  x = f32[] get-tuple-element(p), index=0
  y = f32[] get-tuple-element(p), index=1  d = f32[] subtract(y, x)  h = f32[] constant(0.25)
  s = f32[] multiply(d, h)  ROOT r = f32[] add(x, s) }
far { p = (f32[], f32[]) parameter(0)  x = f32[] get-tuple-element(p), index=0
  y = f32[] get-tuple-element(p), index=1  ROOT r = f32[] maximum(x, y) }
step { x = f32[] parameter(0)  y = f32[] parameter(1)  t = (f32[], f32[]) tuple(x, y)
  c = pred[] compare(x, y), direction=LT
  ROOT r = f32[] conditional(c, t, t), true_computation=near, false_computation=far }
called { x = f32[] parameter(0)  y = f32[] parameter(1)  a = f32[] call(x, y), to_apply=step
  ROOT r = f32[] call(a, y), to_apply=step }
key { x = f32[] parameter(0)  ROOT k = f32[] negate(x) }
same { x = f32[] parameter(0)  ROOT k = f32[] copy(x) }
before { x = f32[] parameter(0)  y = f32[] parameter(1)  h = f32[] constant(1)
  a = pred[] compare(x, h), direction=GT  b = pred[] compare(y, h), direction=GT
  k = f32[] conditional(a, x, x), true_computation=key, false_computation=same
  l = f32[] conditional(b, y, y), true_computation=key, false_computation=same
  ROOT r = pred[] compare(k, l), direction=LT }
below { s = (f32[], s32[]) parameter(0)  n = s32[] get-tuple-element(s), index=1
  l = s32[] constant(4)  ROOT r = pred[] compare(n, l), direction=LT }
root { s = (f32[], s32[]) parameter(0)  x = f32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1  h = f32[] constant(0.5)  y = f32[] multiply(x, h)
  i = s32[] constant(1)  m = s32[] add(n, i)  ROOT r = (f32[], s32[]) tuple(y, m) }
looped { x = f32[] parameter(0)  y = f32[] parameter(1)  d = f32[] subtract(y, x)
  z = s32[] constant(0)  s = (f32[], s32[]) tuple(d, z)
  w = (f32[], s32[]) while(s), condition=below, body=root
  e = f32[] get-tuple-element(w), index=0  ROOT r = f32[] add(x, e) }
ENTRY e {
)";
    ExpectSameBits(StrCat(kComputations, entry, "\n}\n"), seed_++, /*special_every=*/64,
                   [](const CompileReport& report) {
                     for (const CompileReport::Program& program : report.programs) {
                       for (const CompileReport::Record& record : program.records) {
                         EXPECT_NE(record.kind, "evaluate");
                       }
                     }
                   });
  }

 private:
  std::uint32_t seed_ = 1;
};

TEST_P(BranchesTest, AreAppliedByCompiledCode) {
  for (const std::string_view f : {"step", "called"}) {
    for (const i64 n : {1, 2, 7, 31, 1009}) {
      const std::string line = StrCat("f32[", n, "]"), rows = StrCat("f32[", n, ",5]");
      const std::string x = StrCat("  x = ", line, " parameter(0)\n"),
                        y = StrCat("  y = ", rows, " parameter(1)\n  z = f32[] parameter(2)\n");
      if (n > 1) {
        ExpectSame(StrCat(x, y, "  a = f32[] reduce(x, z), dimensions={0}, to_apply=", f,
                          "\n  b = ", line, " reduce(y, z), dimensions={1}, to_apply=", f,
                          "\n  ROOT r = (f32[], ", line, ") tuple(a, b)"));
        ExpectSame(StrCat(x, y, "  ROOT r = ", rows, " reduce-window(y, z), window={size=2x3 ",
                          "pad=1_0x1_1}, to_apply=", f));
      }
      ExpectSame(StrCat(x, y, "  i = s32[", n, ",1] parameter(3)\n  ROOT r = ", line,
                        " scatter(x, i, x), update_window_dims={}, inserted_window_dims={0}, "
                        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=",
                        f));
    }
  }
  for (const i64 n : {2, 7, 31, 1009}) {
    ExpectSame(StrCat("  x = f32[3,", n, "] parameter(0)\n  ROOT r = f32[3,", n,
                      "] sort(x), dimensions={1}, to_apply=before"));
  }
}

TEST_P(BranchesTest, LoopsAreAppliedByLoops) {
  run_passes_ = true;
  for (const i64 n : {1, 2, 31, 1009}) {
    const std::string rows = StrCat("f32[", n, ",5]");
    for (const std::string_view f : {"step", "looped"}) {
      const std::string parameters = StrCat("  x = ", rows, " parameter(0)  y = ", rows,
                                            " parameter(1)  z = f32[] parameter(2)\n");
      ExpectSame(
          StrCat(parameters, "  ROOT r = ", rows, " map(x, y), dimensions={0,1}, to_apply=", f));
      ExpectSame(StrCat(parameters, "  a = f32[5] reduce(x, z), dimensions={0}, to_apply=", f,
                        "\n  b = f32[", n, "] reduce(y, z), dimensions={1}, to_apply=", f,
                        "\n  c = f32[] reduce(y, z), dimensions={0,1}, to_apply=", f,
                        "\n  ROOT r = (f32[5], f32[", n, "], f32[]) tuple(a, b, c)"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codegen, BranchesTest, kStepParameters, StepParameterName);

}  // namespace
}  // namespace axle
