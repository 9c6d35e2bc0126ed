#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kSqrtCases;

static const OpCase kSqrtRows[] = {
    {"values",
     {"f32[4] {2, 3, 0.1, 1e30}"},
     "",
     "f32[4] {1.4142135, 1.7320508, 0.31622776, 1e+15}"},
    {"limits", {"f32[5] {inf, -inf, nan, -1, -1e-45}"}, "", "f32[5] {inf, nan, nan, nan, nan}"},
    {"keeps zeros", {"f32[3] {0, -0.0, 4}"}, "", "f32[3] {0, -0.0, 2}"},
    {"f64 limits and zeros",
     {"f64[5] {inf, -1, nan, 0, -0.0}"},
     "",
     "f64[5] {inf, nan, nan, 0, -0.0}"},
    {"subnormals", {"f32[2] {1e-45, 1e-40}"}, "", "f32[2] {3.743392e-23, 9.999973e-21}"},
    {"f64 subnormals",
     {"f64[2] {5e-324, 1e-310}"},
     "",
     "f64[2] {2.2227587494850775e-162, 9.999999999999986e-156}"},
    {"f64",
     {"f64[4] {2, 3, 0.1, 1e300}"},
     "",
     "f64[4] {1.4142135623730951, 1.7320508075688772, 0.31622776601683794, 1e+150}"},
    {"bf16 rounds once", {"bf16[4] {2, 3, 0.1, 100}"}, "", "bf16[4] {1.414, 1.734, 0.316, 1e+01}"},
    {"f16 rounds once", {"f16[4] {2, 3, 0.1, 100}"}, "", "f16[4] {1.414, 1.732, 0.3162, 1e+01}"},
    {"scalar", {"f32[] 3"}, "", "f32[] 1.7320508"},
    {"one element", {"f32[1] {0.1}"}, "", "f32[1] {0.31622776}"},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("sqrt: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("sqrt: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kSqrtCases = {"sqrt", kSqrtRows};

}  // namespace axle
