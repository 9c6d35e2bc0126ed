#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kComplexCases, kImagCases, kRealCases;

// clang-format off
static const OpCase kComplexRows[] = {
    {"pairs parts", {"f32[3] {1, -0.0, nan}", "f32[3] {2, 0, -inf}"}, "", "c64[3] {(1, 2), (-0.0, 0), (nan, -inf)}"},
    {"scalars", {"f64[] 1.5", "f64[] -2"}, "", "c128[] (1.5, -2)"},
    {"one element", {"f32[1] {1}", "f32[1] {2}"}, "", "c64[1] {(1, 2)}"},
    {"no elements", {"f64[0] {}", "f64[0] {}"}, "", "c128[0] {}"},
    {"NaN payloads are kept", {"f32[1] {nan(0x123)}", "f32[1] {-nan(0x7)}"}, "", "c64[1] {(nan(0x123), -nan(0x7))}", {.exact_nan = true}},
    {"dynamic where an operand is", {"f32[<=3]", "f32[3]"}, "", Infers("c64[<=3]")},
    {"floats only", {"s32[3]", "s32[3]"}, "", Error("complex: takes floats only; lhs s32[3], rhs s32[3]")},
    {"both are floats", {"f32[3]", "pred[3]"}, "", Error("complex: takes floats only; lhs f32[3], rhs pred[3]")},
    {"not of complex numbers", {"c64[3]", "c64[3]"}, "", Error("complex: takes floats only; lhs c64[3], rhs c64[3]")},
    {"no parts of narrow floats", {"f16[3]", "f16[3]"}, "",
     ErrorOf(StatusCode::kUnimplemented, "complex: there is no complex type with parts of f16; lhs f16[3], rhs f16[3]")},
    {"parts of one type", {"f32[3]", "f64[3]"}, "",
     ErrorOf(StatusCode::kUnimplemented, "complex: the parts must be of one type, f32 or f64; lhs f32[3], rhs f64[3]")},
    {"dimensions agree", {"f32[3]", "f32[1]"}, "",
     ErrorOf(StatusCode::kFailedPrecondition, "complex: operands must have the same dimensions; lhs f32[3], rhs f32[1]")},
    {"arrays only", {"f32[3]", "(f32[3])"}, "",
     Error("complex: expected an array, not (f32[3]); lhs f32[3], rhs (f32[3])")},
};
const CaseTable kComplexCases = {"complex", kComplexRows};

static const OpCase kRealRows[] = {
    {"real parts", {"c64[3] {(1, 2), (-0.0, 3), (nan, inf)}"}, "", "f32[3] {1, -0.0, nan}"},
    {"scalar", {"c128[] (1.5, -2)"}, "", "f64[] 1.5"},
    {"one element", {"c64[1] {(inf, 2)}"}, "", "f32[1] {inf}"},
    {"no elements", {"c64[0] {}"}, "", "f32[0] {}"},
    {"of a float, itself", {"f32[4] {1, -0.0, nan(0x123), -inf}"}, "", "f32[4] {1, -0.0, nan(0x123), -inf}", {.exact_nan = true}},
    {"of a narrow float, its bits", {"f16[3] {nan(0x1), -0.0, 6e-8}"}, "", "f16[3] {nan(0x1), -0.0, 6e-8}", {.exact_nan = true}},
    {"NaN payloads are kept", {"c128[1] {(nan(0x123), 0)}"}, "", "f64[1] {nan(0x123)}", {.exact_nan = true}},
    {"f8e8m0fnu", {"f8e8m0fnu[2] {0.5, nan}"}, "", "f8e8m0fnu[2] {0.5, nan}"},
    {"keeps dynamic dimensions", {"c64[<=3]"}, "", Infers("f32[<=3]")},
    {"not for integers", {"s32[3]"}, "", Error("real: takes floats and complex numbers only; operand s32[3]")},
    {"not for pred", {"pred[3]"}, "", Error("real: takes floats and complex numbers only; operand pred[3]")},
};
const CaseTable kRealCases = {"real", kRealRows};

static const OpCase kImagRows[] = {
    {"imaginary parts", {"c64[3] {(1, 2), (3, -0.0), (inf, nan)}"}, "", "f32[3] {2, -0.0, nan}"},
    {"scalar", {"c128[] (1.5, -2)"}, "", "f64[] -2"},
    {"one element", {"c64[1] {(2, -inf)}"}, "", "f32[1] {-inf}"},
    {"no elements", {"c128[0] {}"}, "", "f64[0] {}"},
    {"of a float, +0", {"f32[4] {1, -0.0, nan, -inf}"}, "", "f32[4] {0, 0, 0, 0}", {.degenerate = true}},
    {"of a narrow float, +0", {"bf16[2] {1, -0.0}"}, "", "bf16[2] {0, 0}"},
    {"of f8e8m0fnu, which has no zero, NaN", {"f8e8m0fnu[2] {0.5, 2}"}, "", "f8e8m0fnu[2] {nan, nan}"},
    {"NaN payloads are kept", {"c64[1] {(0, nan(0x123))}"}, "", "f32[1] {nan(0x123)}", {.exact_nan = true}},
    {"not for integers", {"u8[3]"}, "", Error("imag: takes floats and complex numbers only; operand u8[3]")},
};
const CaseTable kImagCases = {"imag", kImagRows};
// clang-format on

}  // namespace axle
