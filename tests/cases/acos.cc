#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAcosCases;

static const OpCase kAcosRows[] = {
    {"values",
     {"f32[6] {0.5, -0.3, 0.9, -0.99, 0.001, 0.99999994}"},
     "",
     "f32[6] {1.0471976, 1.875489, 0.45102686, 3.0000532, 1.5697963, 0.00034526698}",
     {.within_ulp = 1}},
    {"limits and NaN beyond",
     {"f32[7] {1, -1, 1.0000001, -2, inf, -inf, nan}"},
     "",
     "f32[7] {0, 3.1415927, nan, nan, nan, nan, nan}"},
    {"zeros",
     {"f32[3] {0, -0.0, 1e-45}"},
     "",
     "f32[3] {1.5707964, 1.5707964, 1.5707964}",
     {.degenerate = true}},
    {"f64",
     {"f64[6] {0.5, -0.3, 0.9, -0.9999, 1e-09, 0.9999999999999999}"},
     "",
     "f64[6] {1.0471975511965979, 1.8754889808102941, 0.45102681179626236, 3.127450400112281, "
     "1.5707963257948967, 1.4901161193847656e-08}",
     {.within_ulp = 1}},
    {"f64 limits, zeros, and NaN beyond",
     {"f64[9] {1, -1, 0, -0.0, 1.0000000000000002, -2, inf, -inf, nan}"},
     "",
     "f64[9] {0, 3.141592653589793, 1.5707963267948966, 1.5707963267948966, nan, nan, nan, nan, "
     "nan}"},
    {"bf16 rounds once",
     {"bf16[4] {0.5, -0.3, 0.9, -1}"},
     "",
     "bf16[4] {1.05, 1.875, 0.455, 3.14}"},
    {"f16 rounds once", {"f16[4] {0.5, -0.3, 0.9, -1}"}, "", "f16[4] {1.047, 1.876, 0.4512, 3.14}"},
    {"scalar", {"f32[] 0.5"}, "", "f32[] 1.0471976", {.within_ulp = 1}},
    {"one element", {"f32[1] {-0.3}"}, "", "f32[1] {1.875489}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("acos: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("acos: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kAcosCases = {"acos", kAcosRows};

}  // namespace axle
