#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kSinhCases;

static const OpCase kSinhRows[] = {
    {"values",
     {"f32[7] {0.5, -1, 3, -2e+01, 0.001, 0.35, 89.4}"},
     "",
     "f32[7] {0.5210953, -1.1752012, 10.017875, -2.425826e+08, 0.0010000002, 0.35718971, "
     "3.3488627e+38}",
     {.within_ulp = 1}},
    {"limits", {"f32[5] {inf, -inf, nan, 89.5, -100}"}, "", "f32[5] {inf, -inf, nan, inf, -inf}"},
    {"keeps zeros and subnormals",
     {"f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
     "",
     "f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
    {"f64 zeros and subnormals",
     {"f64[5] {0, -0.0, 5e-324, -5e-324, 1e-200}"},
     "",
     "f64[5] {0, -0.0, 5e-324, -5e-324, 1e-200}"},
    {"f64",
     {"f64[7] {0.5, -1, 3, -20, 1e-09, 0.35, 710.4}"},
     "",
     "f64[7] {0.5210953054937474, -1.1752011936438014, 10.017874927409903, -242582597.70489514, "
     "1e-09, 0.3571897294372719, 1.6663642832806494e+308}",
     {.within_ulp = 1}},
    {"f64 limits",
     {"f64[5] {inf, -inf, nan, 710.5, -1000}"},
     "",
     "f64[5] {inf, -inf, nan, inf, -inf}"},
    {"bf16 rounds once", {"bf16[4] {0.5, -1, 3, -5}"}, "", "bf16[4] {0.52, -1.17, 1e+01, -74}"},
    {"f16 rounds once", {"f16[4] {0.5, -1, 3, -5}"}, "", "f16[4] {0.521, -1.175, 10.016, -74.2}"},
    {"scalar", {"f32[] 0.5"}, "", "f32[] 0.5210953", {.within_ulp = 1}},
    {"one element", {"f32[1] {-1}"}, "", "f32[1] {-1.1752012}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("sinh: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("sinh: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kSinhCases = {"sinh", kSinhRows};

}  // namespace axle
