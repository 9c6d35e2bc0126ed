#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAtanhCases;

static const OpCase kAtanhRows[] = {
    {"values",
     {"f32[6] {0.5, -0.3, 0.9, -0.99, 0.001, 0.99999994}"},
     "",
     "f32[6] {0.54930615, -0.30951962, 1.4722193, -2.646653, 0.0010000004, 8.66434}",
     {.within_ulp = 1}},
    {"limits and NaN beyond",
     {"f32[7] {1, -1, 1.0000001, -2, inf, -inf, nan}"},
     "",
     "f32[7] {inf, -inf, nan, nan, nan, nan, nan}"},
    {"keeps zeros and subnormals",
     {"f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
     "",
     "f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
    {"f64 zeros and subnormals",
     {"f64[5] {0, -0.0, 5e-324, -5e-324, 1e-200}"},
     "",
     "f64[5] {0, -0.0, 5e-324, -5e-324, 1e-200}"},
    {"f64",
     {"f64[6] {0.5, -0.3, 0.9, -0.9999, 1e-09, 0.9999999999999999}"},
     "",
     "f64[6] {0.5493061443340548, -0.30951960420311175, 1.4722194895832204, -4.951718775643098, "
     "1e-09, 18.714973875118524}",
     {.within_ulp = 1}},
    {"f64 limits and NaN beyond",
     {"f64[7] {1, -1, 1.0000000000000002, -2, inf, -inf, nan}"},
     "",
     "f64[7] {inf, -inf, nan, nan, nan, nan, nan}"},
    {"bf16 rounds once",
     {"bf16[4] {0.5, -0.3, 0.9, -0.75}"},
     "",
     "bf16[4] {0.55, -0.31, 1.46, -0.973}"},
    {"f16 rounds once",
     {"f16[4] {0.5, -0.3, 0.9, -0.75}"},
     "",
     "f16[4] {0.5493, -0.3096, 1.472, -0.973}"},
    {"scalar", {"f32[] 0.5"}, "", "f32[] 0.54930615", {.within_ulp = 1}},
    {"one element", {"f32[1] {-0.3}"}, "", "f32[1] {-0.30951962}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("atanh: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("atanh: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kAtanhCases = {"atanh", kAtanhRows};

}  // namespace axle
