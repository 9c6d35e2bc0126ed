#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kTanhCases;

static const OpCase kTanhRows[] = {
    {"values",
     {"f32[7] {0.5, -0.5, 1, -3, 1e-3, 0.2, 8}"},
     "",
     "f32[7] {0.46211717, -0.46211717, 0.7615942, -0.9950548, 0.0009999997, 0.19737533, "
     "0.99999976}",
     {.within_ulp = 1}},
    {"limits", {"f32[5] {inf, -inf, nan, 100, -10}"}, "", "f32[5] {1, -1, nan, 1, -1}"},
    {"keeps zeros and subnormals",
     {"f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
     "",
     "f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
    {"f64 limits and zeros",
     {"f64[7] {inf, -inf, nan, 22, 0, -0.0, 5e-324}"},
     "",
     "f64[7] {1, -1, nan, 1, 0, -0.0, 5e-324}"},
    {"f64",
     {"f64[7] {0.5, -0.5, 1, -3, 1e-9, 0.2, 18}"},
     "",
     "f64[7] {0.46211715726000974, -0.46211715726000974, 0.7615941559557649, -0.9950547536867305, "
     "1e-09, 0.197375320224904, 0.9999999999999996}",
     {.within_ulp = 1}},
    {"bf16 rounds once", {"bf16[4] {0.5, -0.5, 1, 3}"}, "", "bf16[4] {0.463, -0.463, 0.76, 0.996}"},
    {"f16 rounds once",
     {"f16[4] {0.5, -0.5, 1, 3}"},
     "",
     "f16[4] {0.4622, -0.4622, 0.7617, 0.995}"},
    {"scalar", {"f32[] -0.5"}, "", "f32[] -0.46211717", {.within_ulp = 1}},
    {"one element", {"f32[1] {1}"}, "", "f32[1] {0.7615942}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("tanh: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("tanh: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kTanhCases = {"tanh", kTanhRows};

}  // namespace axle
