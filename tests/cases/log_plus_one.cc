#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kLogPlusOneCases;

static const OpCase kLogPlusOneRows[] = {
    {"values",
     {"f32[8] {0.5, 2, -0.5, 1e-3, -1e-3, 3e38, -0.9999999, 0.42}"},
     "",
     "f32[8] {0.4054651, 1.0986123, -0.6931472, 0.0009995004, -0.0010005004, 88.59685, -15.942385, "
     "0.35065687}",
     {.within_ulp = 1}},
    {"limits",
     {"f32[6] {inf, -inf, nan, -1, -1.0000001, -5}"},
     "",
     "f32[6] {inf, nan, nan, -inf, nan, nan}"},
    {"keeps zeros and subnormals",
     {"f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
     "",
     "f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
    {"f64 limits and zeros",
     {"f64[7] {inf, nan, -1, -2, 0, -0.0, 5e-324}"},
     "",
     "f64[7] {inf, nan, -inf, nan, 0, -0.0, 5e-324}"},
    {"f64",
     {"f64[7] {0.5, 2, -0.5, 1e-9, 1.7e308, -0.9999999, 0.42}"},
     "",
     "f64[7] {0.4054651081081644, 1.0986122886681098, -0.6931471805599453, 9.999999995e-10, "
     "709.7268368932282, -16.118095651484676, 0.35065687161316933}",
     {.within_ulp = 1}},
    {"bf16 rounds once", {"bf16[4] {0.5, 3, -0.5, 100}"}, "", "bf16[4] {0.406, 1.38, -0.69, 4.62}"},
    {"f16 rounds once",
     {"f16[4] {0.5, 3, -0.5, 100}"},
     "",
     "f16[4] {0.4055, 1.387, -0.6934, 4.613}"},
    {"scalar", {"f32[] 2"}, "", "f32[] 1.0986123", {.within_ulp = 1}},
    {"one element", {"f32[1] {-0.5}"}, "", "f32[1] {-0.6931472}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("log-plus-one: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("log-plus-one: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kLogPlusOneCases = {"log-plus-one", kLogPlusOneRows};

}  // namespace axle
