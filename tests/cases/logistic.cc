#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kLogisticCases;

static const OpCase kLogisticRows[] = {
    {"values",
     {"f32[7] {1, -1, 5, -5, 0.001, -40, 12}"},
     "",
     "f32[7] {0.7310586, 0.26894143, 0.9933072, 0.006692851, 0.50025, 4.248354e-18, 0.99999386}",
     {.within_ulp = 1}},
    {"limits", {"f32[5] {inf, -inf, nan, 20, -104}"}, "", "f32[5] {1, 0, nan, 1, 0}"},
    {"0 gives a half", {"f32[3] {0, -0.0, 1e-45}"}, "", "f32[3] {0.5, 0.5, 0.5}"},
    {"f64 limits",
     {"f64[6] {inf, -inf, nan, 40, -746, -0.0}"},
     "",
     "f64[6] {1, 0, nan, 1, 0, 0.5}"},
    {"small and subnormal results keep their digits",
     {"f32[4] {-80, -88.5, -95, -103}"},
     "",
     "f32[4] {1.8048513e-35, 3.672302e-39, 5.521e-42, 1e-45}",
     {.within_ulp = 1}},
    {"f64 subnormal results",
     {"f64[2] {-710, -740.5}"},
     "",
     "f64[2] {4.47628622567513e-309, 2.5e-322}",
     {.within_ulp = 1}},
    {"f64",
     {"f64[7] {1, -1, 5, -5, 0.001, -400, 30}"},
     "",
     "f64[7] {0.7310585786300049, 0.2689414213699951, 0.9933071490757152, 0.0066928509242848554, "
     "0.5002499999791666, 1.9151695967140057e-174, 0.9999999999999064}",
     {.within_ulp = 1}},
    {"bf16 rounds once", {"bf16[4] {1, -1, 2.5, -5}"}, "", "bf16[4] {0.73, 0.27, 0.926, 0.00668}"},
    {"f16 rounds once", {"f16[4] {1, -1, 2.5, -5}"}, "", "f16[4] {0.731, 0.269, 0.9243, 0.00669}"},
    {"scalar", {"f32[] -1"}, "", "f32[] 0.26894143", {.within_ulp = 1}},
    {"one element", {"f32[1] {5}"}, "", "f32[1] {0.9933072}", {.within_ulp = 1}},
    {"empty", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"no integers",
     {"s32[1]"},
     "",
     Error("logistic: takes floats and complex numbers only; operand s32[1]")},
    {"no pred",
     {"pred[]"},
     "",
     Error("logistic: takes floats and complex numbers only; operand pred[]")},
};
const CaseTable kLogisticCases = {"logistic", kLogisticRows};

}  // namespace axle
