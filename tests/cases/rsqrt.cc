#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kRsqrtCases;

static const OpCase kRsqrtRows[] = {
    {"values",
     {"f32[5] {2, 3, 0.1, 1e30, 4}"},
     "",
     "f32[5] {0.70710677, 0.57735026, 3.1622777, 1e-15, 0.5}",
     {.within_ulp = 1}},
    {"limits", {"f32[5] {inf, -inf, nan, -1, -1e-45}"}, "", "f32[5] {0, nan, nan, nan, nan}"},
    {"a zero gives an infinity of its sign",
     {"f32[3] {0, -0.0, 4}"},
     "",
     "f32[3] {inf, -inf, 0.5}"},
    {"f64 limits and zeros",
     {"f64[5] {inf, -1, nan, 0, -0.0}"},
     "",
     "f64[5] {0, nan, nan, inf, -inf}"},
    {"subnormals",
     {"f32[2] {1e-45, 1e-40}"},
     "",
     "f32[2] {2.6713738e+22, 1.0000027e+20}",
     {.within_ulp = 1}},
    {"f64 subnormals",
     {"f64[2] {5e-324, 1e-310}"},
     "",
     "f64[2] {4.4989137945431964e+161, 1.0000000000000016e+155}",
     {.within_ulp = 1}},
    {"f64",
     {"f64[5] {2, 3, 0.1, 1e300, 4}"},
     "",
     "f64[5] {0.7071067811865476, 0.5773502691896257, 3.162277660168379, 1e-150, 0.5}",
     {.within_ulp = 1}},
    {"bf16 rounds once", {"bf16[4] {2, 3, 0.1, 100}"}, "", "bf16[4] {0.707, 0.58, 3.16, 0.1}"},
    {"f16 rounds once", {"f16[4] {2, 3, 0.1, 100}"}, "", "f16[4] {0.707, 0.577, 3.162, 0.1}"},
    {"scalar", {"f32[] 3"}, "", "f32[] 0.57735026", {.within_ulp = 1}},
    {"one element", {"f32[1] {0.1}"}, "", "f32[1] {3.1622777}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("rsqrt: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("rsqrt: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kRsqrtCases = {"rsqrt", kRsqrtRows};

}  // namespace axle
