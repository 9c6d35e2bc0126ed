#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kCbrtCases;

static const OpCase kCbrtRows[] = {
    {"values",
     {"f32[7] {2, -3, 0.5, 1e+02, 0.001, 1e-40, 3e+38}"},
     "",
     "f32[7] {1.2599211, -1.4422495, 0.7937005, 4.6415887, 0.1, 4.6415806e-14, 6.6943294e+12}",
     {.within_ulp = 1}},
    {"cubes", {"f32[5] {27, -8, 0.125, 1000, -1}"}, "", "f32[5] {3, -2, 0.5, 10, -1}"},
    {"limits and zeros",
     {"f32[5] {inf, -inf, nan, 0, -0.0}"},
     "",
     "f32[5] {inf, -inf, nan, 0, -0.0}"},
    {"f64",
     {"f64[7] {2, -3, 0.5, 100, 1e-09, 5e-324, 1.7e+308}"},
     "",
     "f64[7] {1.2599210498948732, -1.4422495703074083, 0.7937005259840998, 4.641588833612779, "
     "0.001, 1.7031839360032603e-108, 5.539658256754465e+102}",
     {.within_ulp = 1}},
    {"f64 limits and zeros",
     {"f64[6] {inf, -inf, nan, 0, -0.0, -27}"},
     "",
     "f64[6] {inf, -inf, nan, 0, -0.0, -3}"},
    {"bf16 rounds once",
     {"bf16[4] {2, -3, 0.5, 1e+02}"},
     "",
     "bf16[4] {1.26, -1.445, 0.793, 4.66}"},
    {"f16 rounds once", {"f16[4] {2, -3, 0.5, 1e+02}"}, "", "f16[4] {1.26, -1.442, 0.7935, 4.64}"},
    {"scalar", {"f32[] 2"}, "", "f32[] 1.2599211", {.within_ulp = 1}},
    {"one element", {"f32[1] {-3}"}, "", "f32[1] {-1.4422495}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers", {"s32[1]"}, "", Error("cbrt: takes floats only; operand s32[1]")},
    {"no pred", {"pred[]"}, "", Error("cbrt: takes floats only; operand pred[]")},
    {"no complex numbers", {"c64[2]"}, "", Error("cbrt: takes floats only; operand c64[2]")},
};
const CaseTable kCbrtCases = {"cbrt", kCbrtRows};

}  // namespace axle
