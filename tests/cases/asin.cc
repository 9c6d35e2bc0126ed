#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAsinCases;

static const OpCase kAsinRows[] = {
    {"values",
     {"f32[6] {0.5, -0.3, 0.9, -0.99, 0.001, 0.70710677}"},
     "",
     "f32[6] {0.5235988, -0.30469266, 1.1197695, -1.4292569, 0.0010000002, 0.7853981}",
     {.within_ulp = 1}},
    {"limits and NaN beyond",
     {"f32[7] {1, -1, 1.0000001, -2, inf, -inf, nan}"},
     "",
     "f32[7] {1.5707964, -1.5707964, nan, nan, nan, nan, nan}"},
    {"keeps zeros and subnormals",
     {"f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
     "",
     "f32[5] {0, -0.0, 1e-45, -1e-45, 1e-20}"},
    {"f64 zeros and subnormals",
     {"f64[5] {0, -0.0, 5e-324, -5e-324, 1e-200}"},
     "",
     "f64[5] {0, -0.0, 5e-324, -5e-324, 1e-200}"},
    {"f64",
     {"f64[6] {0.5, -0.3, 0.9, -0.9999, 1e-09, 0.7071067811865476}"},
     "",
     "f64[6] {0.5235987755982989, -0.3046926540153975, 1.1197695149986342, -1.5566540733173846, "
     "1e-09, 0.7853981633974484}",
     {.within_ulp = 1}},
    {"f64 limits and NaN beyond",
     {"f64[7] {1, -1, 1.0000000000000002, -2, inf, -inf, nan}"},
     "",
     "f64[7] {1.5707963267948966, -1.5707963267948966, nan, nan, nan, nan, nan}"},
    {"bf16 rounds once",
     {"bf16[4] {0.5, -0.3, 0.9, 1}"},
     "",
     "bf16[4] {0.523, -0.305, 1.12, 1.57}"},
    {"f16 rounds once",
     {"f16[4] {0.5, -0.3, 0.9, 1}"},
     "",
     "f16[4] {0.5234, -0.3047, 1.119, 1.57}"},
    {"scalar", {"f32[] 0.5"}, "", "f32[] 0.5235988", {.within_ulp = 1}},
    {"one element", {"f32[1] {-0.3}"}, "", "f32[1] {-0.30469266}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("asin: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("asin: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kAsinCases = {"asin", kAsinRows};

}  // namespace axle
