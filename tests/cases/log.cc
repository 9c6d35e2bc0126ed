#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kLogCases;

static const OpCase kLogRows[] = {
    {"values",
     {"f32[7] {0.5, 2, 10, 0.999, 1.0000001, 3e38, 1e-30}"},
     "",
     "f32[7] {-0.6931472, 0.6931472, 2.3025851, -0.0010004875, 1.1920928e-07, 88.59685, -69.07755}",
     {.within_ulp = 1}},
    {"limits",
     {"f32[7] {inf, -inf, nan, 0, -0.0, -1, -1e-45}"},
     "",
     "f32[7] {inf, nan, nan, -inf, -inf, nan, nan}"},
    {"1 gives +0", {"f32[1] {1}"}, "", "f32[1] {0}"},
    {"f64 limits",
     {"f64[6] {inf, -inf, nan, 0, -0.0, -5e-324}"},
     "",
     "f64[6] {inf, nan, nan, -inf, -inf, nan}"},
    {"subnormals",
     {"f32[3] {1e-45, 1e-40, 1.1754942e-38}"},
     "",
     "f32[3] {-103.27893, -92.10341, -87.33655}",
     {.within_ulp = 1}},
    {"f64 subnormals",
     {"f64[2] {5e-324, 1e-310}"},
     "",
     "f64[2] {-744.4400719213812, -713.8013788281542}",
     {.within_ulp = 1}},
    {"f64",
     {"f64[7] {0.5, 2, 10, 0.999, 1.0000001, 1e308, 1e-300}"},
     "",
     "f64[7] {-0.6931471805599453, 0.6931471805599453, 2.302585092994046, -0.0010005003335835344, "
     "9.999999505838704e-08, 709.1962086421661, -690.7755278982137}",
     {.within_ulp = 1}},
    {"bf16 rounds once", {"bf16[4] {0.5, 3, 10, 100}"}, "", "bf16[4] {-0.69, 1.1, 2.3, 4.6}"},
    {"f16 rounds once", {"f16[4] {0.5, 3, 10, 100}"}, "", "f16[4] {-0.6934, 1.099, 2.303, 4.605}"},
    {"scalar", {"f32[] 2"}, "", "f32[] 0.6931472", {.within_ulp = 1}},
    {"one element", {"f32[1] {10}"}, "", "f32[1] {2.3025851}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("log: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("log: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kLogCases = {"log", kLogRows};

}  // namespace axle
