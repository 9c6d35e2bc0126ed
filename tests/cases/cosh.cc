#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kCoshCases;

static const OpCase kCoshRows[] = {
    {"values",
     {"f32[7] {0.5, -1, 3, -2e+01, 0.001, 0.35, 89.4}"},
     "",
     "f32[7] {1.127626, 1.5430807, 10.067662, 2.425826e+08, 1.0000005, 1.0618778, 3.3488627e+38}",
     {.within_ulp = 1}},
    {"limits",
     {"f32[5] {inf, -inf, nan, 89.5, -100}"},
     "",
     "f32[5] {inf, inf, nan, inf, inf}",
     {.degenerate = true}},
    {"zeros give 1", {"f32[3] {0, -0.0, 1e-45}"}, "", "f32[3] {1, 1, 1}"},
    {"f64",
     {"f64[7] {0.5, -1, 3, -20, 0.0001, 0.35, 710.4}"},
     "",
     "f64[7] {1.1276259652063807, 1.5430806348152437, 10.067661995777765, 242582597.70489514, "
     "1.000000005, 1.0618778191559852, 1.6663642832806494e+308}",
     {.within_ulp = 1}},
    {"f64 limits",
     {"f64[7] {inf, -inf, nan, 710.5, -1000, 0, -0.0}"},
     "",
     "f64[7] {inf, inf, nan, inf, inf, 1, 1}"},
    {"bf16 rounds once", {"bf16[4] {0.5, -1, 3, -5}"}, "", "bf16[4] {1.125, 1.55, 10.06, 74}"},
    {"f16 rounds once", {"f16[4] {0.5, -1, 3, -5}"}, "", "f16[4] {1.128, 1.543, 10.07, 74.2}"},
    {"scalar", {"f32[] 0.5"}, "", "f32[] 1.127626", {.within_ulp = 1}},
    {"one element", {"f32[1] {-1}"}, "", "f32[1] {1.5430807}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("cosh: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("cosh: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kCoshCases = {"cosh", kCoshRows};

}  // namespace axle
