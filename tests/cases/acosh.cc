#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAcoshCases;

static const OpCase kAcoshRows[] = {
    {"values",
     {"f32[7] {1.5, 2, 3, 2e+01, 1.0000001, 1e+20, 3e+38}"},
     "",
     "f32[7] {0.9624236, 1.316958, 1.7627472, 3.6882539, 0.00048828125, 46.74485, 89.28999}",
     {.within_ulp = 1}},
    {"limits and NaN below 1",
     {"f32[8] {inf, -inf, nan, 1, 0.99999994, 0, -0.0, -1e20}"},
     "",
     "f32[8] {inf, nan, nan, 0, nan, nan, nan, nan}"},
    {"f64",
     {"f64[7] {1.5, 2, 3, 20, 1.0000000000000002, 1e+20, 1.7e+308}"},
     "",
     "f64[7] {0.9624236501192069, 1.3169578969248166, 1.762747174039086, 3.6882538673612966, "
     "2.1073424255447017e-08, 46.74484904044086, 710.4199840737881}",
     {.within_ulp = 1}},
    {"f64 limits and NaN below 1",
     {"f64[8] {inf, -inf, nan, 1, 0.9999999999999999, 0, -0.0, -1e200}"},
     "",
     "f64[8] {inf, nan, nan, 0, nan, nan, nan, nan}"},
    {"bf16 rounds once", {"bf16[4] {1.5, 2, 3, 2e+01}"}, "", "bf16[4] {0.96, 1.32, 1.766, 3.69}"},
    {"f16 rounds once", {"f16[4] {1.5, 2, 3, 2e+01}"}, "", "f16[4] {0.9624, 1.317, 1.763, 3.688}"},
    {"scalar", {"f32[] 1.5"}, "", "f32[] 0.9624236", {.within_ulp = 1}},
    {"one element", {"f32[1] {2}"}, "", "f32[1] {1.316958}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("acosh: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("acosh: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kAcoshCases = {"acosh", kAcoshRows};

}  // namespace axle
