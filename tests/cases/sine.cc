#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kSineCases;

static const OpCase kSineRows[] = {
    {"values",
     {"f32[7] {0.5, 1, -2, 3.1415927, 1e-3, 100, -1e6}"},
     "",
     "f32[7] {0.47942555, 0.84147096, -0.9092974, -8.742278e-08, 0.0009999999, -0.50636566, "
     "0.3499935}",
     {.within_ulp = 1}},
    {"infinities give NaN", {"f32[4] {inf, -inf, nan, 0}"}, "", "f32[4] {nan, nan, nan, 0}"},
    {"keeps zeros and subnormals",
     {"f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
     "",
     "f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
    {"f64 infinities and zeros",
     {"f64[5] {inf, nan, 0, -0.0, 5e-324}"},
     "",
     "f64[5] {nan, nan, 0, -0.0, 5e-324}"},
    {"huge arguments",
     {"f32[5] {1e10, 1e22, 3.4028235e38, -2e30, 1.7e16}"},
     "",
     "f32[5] {-0.48750603, -0.7340815, -0.5218765, -0.9677587, -0.12171262}",
     {.within_ulp = 1}},
    {"f64 huge arguments",
     {"f64[5] {1e22, 1e300, 1.7976931348623157e308, -1e17, 5.319372648326541e+255}"},
     "",
     "f64[5] {-0.8522008497671888, -0.8178819121159085, 0.004961954789184062, 0.4645301048353727, "
     "1}",
     {.within_ulp = 1}},
    {"f64",
     {"f64[7] {0.5, 1, -2, 3.141592653589793, 1e-9, 100, -1e6}"},
     "",
     "f64[7] {0.479425538604203, 0.8414709848078965, -0.9092974268256817, 1.2246467991473532e-16, "
     "1e-09, -0.5063656411097588, 0.34999350217129294}",
     {.within_ulp = 1}},
    {"bf16 rounds once", {"bf16[4] {0.5, 1, -2, 100}"}, "", "bf16[4] {0.479, 0.84, -0.91, -0.508}"},
    {"f16 rounds once",
     {"f16[4] {0.5, 1, -2, 100}"},
     "",
     "f16[4] {0.4795, 0.8413, -0.909, -0.5063}"},
    {"scalar", {"f32[] 1"}, "", "f32[] 0.84147096", {.within_ulp = 1}},
    {"one element", {"f32[1] {-2}"}, "", "f32[1] {-0.9092974}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("sine: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("sine: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kSineCases = {"sine", kSineRows};

}  // namespace axle
