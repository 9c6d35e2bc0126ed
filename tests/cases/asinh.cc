#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAsinhCases;

static const OpCase kAsinhRows[] = {
    {"values",
     {"f32[7] {0.5, -1, 3, -2e+01, 0.001, 1e+20, 3e+38}"},
     "",
     "f32[7] {0.4812118, -0.8813736, 1.8184465, -3.689504, 0.0009999999, 46.74485, 89.28999}",
     {.within_ulp = 1}},
    {"limits", {"f32[4] {inf, -inf, nan, 0}"}, "", "f32[4] {inf, -inf, nan, 0}"},
    {"keeps zeros and subnormals",
     {"f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
     "",
     "f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
    {"f64 zeros and subnormals",
     {"f64[5] {0, -0.0, 5e-324, -5e-324, 1e-200}"},
     "",
     "f64[5] {0, -0.0, 5e-324, -5e-324, 1e-200}"},
    {"f64",
     {"f64[7] {0.5, -1, 3, -20, 1e-09, 1e+20, 1.7e+308}"},
     "",
     "f64[7] {0.48121182505960347, -0.881373587019543, 1.8184464592320668, -3.6895038689889055, "
     "1e-09, 46.74484904044086, 710.4199840737881}",
     {.within_ulp = 1}},
    {"f64 limits", {"f64[4] {inf, -inf, nan, 0}"}, "", "f64[4] {inf, -inf, nan, 0}"},
    {"bf16 rounds once",
     {"bf16[4] {0.5, -1, 3, -2e+01}"},
     "",
     "bf16[4] {0.48, -0.883, 1.82, -3.69}"},
    {"f16 rounds once",
     {"f16[4] {0.5, -1, 3, -2e+01}"},
     "",
     "f16[4] {0.4812, -0.8813, 1.818, -3.69}"},
    {"scalar", {"f32[] 0.5"}, "", "f32[] 0.4812118", {.within_ulp = 1}},
    {"one element", {"f32[1] {-1}"}, "", "f32[1] {-0.8813736}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("asinh: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("asinh: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kAsinhCases = {"asinh", kAsinhRows};

}  // namespace axle
