// Compiled batch norms against the interpreter, bit for bit.
#include <algorithm>

#include "tests/codegen/step_test.h"

namespace axle {
namespace {

class BatchNormTest : public StepTest {
 protected:
  BatchNormTest() { run_passes_ = true; }  // which write them as sums and arithmetic

  void ExpectSame(const std::string& text, std::uint32_t seed, bool is_empty) {
    ExpectSameBits(text, seed, /*special_every=*/512, [&](const CompileReport& report) {
      for (const CompileReport::Program& program : report.programs) {
        for (const CompileReport::Record& record : program.records) {
          for (const auto& inst : record.instructions) {
            EXPECT_NE(inst.op.substr(0, 10), "batch-norm");
          }
          EXPECT_TRUE(is_empty || record.engine != "evaluator") << record.name;
        }
      }
    });
  }
};

struct Sizes {
  std::vector<i64> dims;
  int feature;
};
const Sizes kSizes[] = {
    {{7}, 0},         {{1, 1}, 0},          {{0, 3}, 1},          {{3, 0}, 0},
    {{33, 129}, 0},   {{129, 33}, 1},       {{5000, 3}, 1},       {{2, 5, 9, 7}, 1},
    {{3, 17, 31}, 2}, {{8, 16, 56, 56}, 1}, {{8, 28, 28, 40}, 3},
};

std::string Array(std::string_view type, const std::vector<i64>& dims) {
  return StrCat(type, "[", Join(dims, ","), "]");
}

TEST_P(BatchNormTest, NoneIsEvaluated) {
  std::uint32_t seed = 1;
  for (const std::string_view type : {"f32", "bf16", "f64", "f16", "f8e4m3fn"}) {
    for (const Sizes& sizes : kSizes) {
      const i64 features = sizes.dims[sizes.feature];
      const std::string array = Array(type, sizes.dims), line = Array(type, {features});
      const std::string three = StrCat("(", array, ", ", line, ", ", line, ")");
      const std::string attrs = StrCat(", epsilon=0.001, feature_index=", sizes.feature);
      const std::string head =
          StrCat("HloModule m\nENTRY e {\n  x = ", array, " parameter(0)\n  s = ", line,
                 " parameter(1)\n  o = ", line, " parameter(2)\n");
      const std::string more = StrCat("  v = ", line, " parameter(3)\n");
      const bool is_empty = std::ranges::find(sizes.dims, 0) != sizes.dims.end();
      ExpectSame(StrCat(head, "  ROOT r = ", three, " batch-norm-training(x, s, o)", attrs, "\n}"),
                 seed++, is_empty);
      ExpectSame(StrCat(head, more, "  ROOT r = ", array, " batch-norm-inference(x, s, o, o, v)",
                        attrs, "\n}"),
                 seed++, is_empty);
      ExpectSame(StrCat(head, more, "  g = ", array, " parameter(4)\n  ROOT r = ", three,
                        " batch-norm-grad(x, s, o, v, g)", attrs, "\n}"),
                 seed++, is_empty);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codegen, BatchNormTest, kStepParameters, StepParameterName);

}  // namespace
}  // namespace axle
