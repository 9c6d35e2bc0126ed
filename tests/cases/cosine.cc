#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kCosineCases;

static const OpCase kCosineRows[] = {
    {"values",
     {"f32[7] {0.5, 1, -2, 1.5707964, 1e-3, 100, -1e6}"},
     "",
     "f32[7] {0.87758255, 0.5403023, -0.41614684, -4.371139e-08, 0.9999995, 0.8623189, 0.93675214}",
     {.within_ulp = 1}},
    {"infinities give NaN", {"f32[4] {inf, -inf, nan, 0}"}, "", "f32[4] {nan, nan, nan, 1}"},
    {"even", {"f32[3] {0, -0.0, 1e-45}"}, "", "f32[3] {1, 1, 1}"},
    {"f64 infinities and zeros", {"f64[4] {inf, nan, 0, -0.0}"}, "", "f64[4] {nan, nan, 1, 1}"},
    {"huge arguments",
     {"f32[5] {1e10, 1e22, 3.4028235e38, -2e30, 1.7e16}"},
     "",
     "f32[5] {0.87311965, 0.67906135, 0.853021, -0.2518792, 0.9925654}",
     {.within_ulp = 1}},
    {"f64 huge arguments",
     {"f64[5] {1e22, 1e300, 1.7976931348623157e308, -1e17, 5.319372648326541e+255}"},
     "",
     "f64[5] {0.523214785395139, -0.5753861119575491, -0.9999876894265599, -0.8855573282976307, "
     "-4.687165924254628e-19}",
     {.within_ulp = 1}},
    {"f64",
     {"f64[7] {0.5, 1, -2, 1.5707963267948966, 1e-9, 100, -1e6}"},
     "",
     "f64[7] {0.8775825618903728, 0.5403023058681398, -0.4161468365471424, 6.123233995736766e-17, "
     "1, 0.8623188722876839, 0.9367521275331447}",
     {.within_ulp = 1}},
    {"bf16 rounds once", {"bf16[4] {0.5, 1, -2, 100}"}, "", "bf16[4] {0.88, 0.54, -0.416, 0.863}"},
    {"f16 rounds once",
     {"f16[4] {0.5, 1, -2, 100}"},
     "",
     "f16[4] {0.8774, 0.5405, -0.4163, 0.8623}"},
    {"scalar", {"f32[] 1"}, "", "f32[] 0.5403023", {.within_ulp = 1}},
    {"one element", {"f32[1] {-2}"}, "", "f32[1] {-0.41614684}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("cosine: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("cosine: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kCosineCases = {"cosine", kCosineRows};

}  // namespace axle
