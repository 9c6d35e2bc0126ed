#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kErfCases;

static const OpCase kErfRows[] = {
    {"values",
     {"f32[7] {0.5, -0.5, 1, 0.99999, -1.5, 3, 1e-3}"},
     "",
     "f32[7] {0.5204999, -0.5204999, 0.8427008, 0.8426966, -0.96610516, 0.9999779, 0.0011283788}",
     {.within_ulp = 1}},
    {"limits", {"f32[5] {inf, -inf, nan, 4, -4}"}, "", "f32[5] {1, -1, nan, 1, -1}"},
    {"keeps zeros", {"f32[2] {0, -0.0}"}, "", "f32[2] {0, -0.0}"},
    {"f64 limits and zeros",
     {"f64[6] {inf, -inf, nan, 6, 0, -0.0}"},
     "",
     "f64[6] {1, -1, nan, 1, 0, -0.0}"},
    {"subnormals",
     {"f32[3] {1e-45, 1e-40, -1e-39}"},
     "",
     "f32[3] {1e-45, 1.12837e-40, -1.128379e-39}",
     {.within_ulp = 1}},
    {"f64",
     {"f64[7] {0.5, -0.5, 1, 0.99999, -1.5, 5, 1e-9}"},
     "",
     "f64[7] {0.5204998778130465, -0.5204998778130465, 0.8427007929497149, 0.8426966418332298, "
     "-0.9661051464753108, 0.9999999999984626, 1.1283791670955127e-09}",
     {.within_ulp = 1}},
    {"bf16 rounds once", {"bf16[4] {0.5, -0.5, 1, 2}"}, "", "bf16[4] {0.52, -0.52, 0.844, 0.996}"},
    {"f16 rounds once", {"f16[4] {0.5, -0.5, 1, 2}"}, "", "f16[4] {0.5205, -0.5205, 0.843, 0.995}"},
    {"scalar", {"f32[] -0.5"}, "", "f32[] -0.5204999", {.within_ulp = 1}},
    {"one element", {"f32[1] {1}"}, "", "f32[1] {0.8427008}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers", {"s32[1]"}, "", Error("erf: takes floats only; operand s32[1]")},
    {"no pred", {"pred[]"}, "", Error("erf: takes floats only; operand pred[]")},
    {"no complex numbers", {"c64[2]"}, "", Error("erf: takes floats only; operand c64[2]")},
};
const CaseTable kErfCases = {"erf", kErfRows};

}  // namespace axle
