#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kExponentialCases;

static const OpCase kExponentialRows[] = {
    {"values",
     {"f32[6] {0.5, 1, -1, 5, -20.25, 80}"},
     "",
     "f32[6] {1.6487212, 2.7182817, 0.36787945, 148.41316, 1.6052281e-09, 5.5406225e+34}",
     {.within_ulp = 1}},
    {"limits", {"f32[5] {inf, -inf, nan, 89, -104}"}, "", "f32[5] {inf, 0, nan, inf, 0}"},
    {"zeros give 1", {"f32[3] {0, -0.0, 1e-45}"}, "", "f32[3] {1, 1, 1}"},
    {"f64 limits", {"f64[5] {inf, -inf, nan, 710, -746}"}, "", "f64[5] {inf, 0, nan, inf, 0}"},
    {"largest finite result",
     {"f32[1] {88.72283}"},
     "",
     "f32[1] {3.4027985e+38}",
     {.within_ulp = 1}},
    {"subnormal results",
     {"f32[3] {-88, -100, -103}"},
     "",
     "f32[3] {6.054601e-39, 3.8e-44, 1e-45}",
     {.within_ulp = 1}},
    {"f64 subnormal results",
     {"f64[3] {-710, -740.5, -744.5}"},
     "",
     "f64[3] {4.47628622567513e-309, 2.5e-322, 5e-324}",
     {.within_ulp = 1}},
    {"f64",
     {"f64[6] {0.5, 1, -1, 5, -20.25, 700}"},
     "",
     "f64[6] {1.6487212707001282, 2.718281828459045, 0.36787944117144233, 148.4131591025766, "
     "1.6052280551856116e-09, 1.0142320547350045e+304}",
     {.within_ulp = 1}},
    {"bf16 rounds once", {"bf16[4] {1, -1, 2.5, -0.0}"}, "", "bf16[4] {2.72, 0.367, 12.2, 1}"},
    {"f16 rounds once", {"f16[4] {1, -1, 2.5, -0.0}"}, "", "f16[4] {2.719, 0.368, 12.18, 1}"},
    {"scalar", {"f32[] 1"}, "", "f32[] 2.7182817", {.within_ulp = 1}},
    {"one element", {"f32[1] {-1}"}, "", "f32[1] {0.36787945}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"complex values",
     {"c64[4] {(0.5, 0.25), (-1, 2), (3, -4), (-0.75, -0.3)}"},
     "",
     "c64[4] {(1.5974665, 0.40790018), (-0.15309186, 0.33451182), (-13.128783, 15.200785), "
     "(0.451269, -0.13959387)}",
     {.within_ulp = 1}},
    {"c128",
     {"c128[4] {(0.5, 0.25), (-1, 2), (3, -4), (-0.75, -0.3)}"},
     "",
     "c128[4] {(1.5974665191199127, 0.40790017007835977), (-0.15309186567422628, "
     "0.33451182923926226), (-13.128783081462158, 15.200784463067954), (0.4512690040759664, "
     "-0.1395938612859292)}",
     {.within_ulp = 1}},
    {"complex limits: zeros stay and an angle that is none leaves them alone",
     {"c64[8] {(0, 0), (0, -0.0), (inf, 0), (-inf, 1), (-inf, inf), (nan, 0), (inf, inf), (-inf, "
      "-2)}"},
     "",
     "c64[8] {(1, 0), (1, -0.0), (inf, 0), (0, 0), (0, 0), (nan, 0), (inf, nan), (-0.0, -0.0)}"},
    {"a small cosine keeps a complex result finite",
     {"c64[3] {(1e+02, 1.5707964), (89, -1.57), (-103, 1.5)}"},
     "",
     "c64[3] {(-1.1750134e+36, inf), (3.5749633e+35, -inf), (0, 1e-45)}",
     {.within_ulp = 1}},
    {"c128: a small cosine keeps the result finite",
     {"c128[3] {(745, 1.5707963267948966), (710, 1.5707), (-700, 3.1)}"},
     "",
     "c128[3] {(2.1695510517620446e+307, inf), (2.151935553074218e+304, inf), "
     "(-9.851149405195348e-305, 4.099718820675073e-306)}",
     {.within_ulp = 1}},
    {"no integers",
     {"s32[1]"},
     "",
     Error("exponential: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("exponential: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kExponentialCases = {"exponential", kExponentialRows};

}  // namespace axle
