#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kExponentialMinusOneCases;

static const OpCase kExponentialMinusOneRows[] = {
    {"values",
     {"f32[7] {0.5, 1, -1, 5, 1e-3, -0.34, 80}"},
     "",
     "f32[7] {0.6487213, 1.7182819, -0.63212055, 147.41316, 0.0010005002, -0.28822967, "
     "5.5406225e+34}",
     {.within_ulp = 1}},
    {"limits", {"f32[5] {inf, -inf, nan, 89, -104}"}, "", "f32[5] {inf, -1, nan, inf, -1}"},
    {"keeps zeros and subnormals",
     {"f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
     "",
     "f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
    {"f64 keeps zeros and subnormals",
     {"f64[4] {0, -0.0, 5e-324, -1e-100}"},
     "",
     "f64[4] {0, -0.0, 5e-324, -1e-100}"},
    {"f64 limits", {"f64[5] {inf, -inf, nan, 710, -746}"}, "", "f64[5] {inf, -1, nan, inf, -1}"},
    {"f64",
     {"f64[7] {0.5, 1, -1, 5, 1e-9, -0.34, 700}"},
     "",
     "f64[7] {0.6487212707001282, 1.7182818284590453, -0.6321205588285577, 147.4131591025766, "
     "1.0000000005000001e-09, -0.2882296772373903, 1.0142320547350045e+304}",
     {.within_ulp = 1}},
    {"bf16 rounds once",
     {"bf16[4] {1, -1, 2.5, 0.125}"},
     "",
     "bf16[4] {1.72, -0.633, 11.2, 0.133}"},
    {"f16 rounds once",
     {"f16[4] {1, -1, 2.5, 0.125}"},
     "",
     "f16[4] {1.719, -0.6323, 11.18, 0.1332}"},
    {"scalar", {"f32[] 1"}, "", "f32[] 1.7182819", {.within_ulp = 1}},
    {"one element", {"f32[1] {-1}"}, "", "f32[1] {-0.63212055}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("exponential-minus-one: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("exponential-minus-one: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kExponentialMinusOneCases = {"exponential-minus-one", kExponentialMinusOneRows};

}  // namespace axle
