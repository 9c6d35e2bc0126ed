#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAddCases, kMultiplyCases, kNegateCases, kSubtractCases;

// clang-format off
static const OpCase kAddRows[] = {
    {"at run-time sizes", {"s32[<=2,3](1,3) {{1, 2, 3}}", "s32[2,<=3](2,2) {{10, 20}, {30, 40}}"}, "", "s32[<=2,<=3](1,2) {{11, 22}}"},
    {"adds", {"f32[3] {1, 2, 3}", "f32[3] {10, 20, -3}"}, "", "f32[3] {11, 22, 0}"},
    {"scalars", {"f32[] 1.5", "f32[] 2"}, "", "f32[] 3.5"},
    {"one element", {"f64[1,1] {{0.1}}", "f64[1,1] {{0.2}}"}, "", "f64[1,1] {{0.30000000000000004}}"},
    {"no elements", {"f32[2,0] {{}, {}}", "f32[2,0] {{}, {}}"}, "", "f32[2,0] {{}, {}}"},
    {"matrices", {"s32[2,2] {{1, 2}, {3, 4}}", "s32[2,2] {{10, 20}, {30, 40}}"}, "", "s32[2,2] {{11, 22}, {33, 44}}"},
    {"integers wrap", {"s32[2] {2147483647, -2147483648}", "s32[2] {1, -1}"}, "", "s32[2] {-2147483648, 2147483647}"},
    {"wide integers wrap", {"u64[1] {18446744073709551615}", "u64[1] {2}"}, "", "u64[1] {1}"},
    {"narrow integers wrap", {"s8[2] {127, -128}", "s8[2] {1, -1}"}, "", "s8[2] {-128, 127}"},
    {"s4 wraps in four bits", {"s4[2] {7, -8}", "s4[2] {1, -1}"}, "", "s4[2] {-8, 7}"},
    {"u2 wraps in two bits", {"u2[2] {3, 2}", "u2[2] {1, 1}"}, "", "u2[2] {0, 3}"},
    {"s1 holds 0 and -1", {"s1[3] {-1, -1, 0}", "s1[3] {-1, 0, -1}"}, "", "s1[3] {0, -1, -1}"},
    {"pred is or", {"pred[4] {0, 0, 1, 1}", "pred[4] {0, 1, 0, 1}"}, "", "pred[4] {0, 1, 1, 1}"},
    {"N1 subnormals are kept", {"f32[1] {1e-45}", "f32[1] {1e-45}"}, "", "f32[1] {2.80259693e-45}"},
    {"N2 bf16 rounds once, ties to even", {"bf16[2] {256, 256}", "bf16[2] {1, 3}"}, "", "bf16[2] {256, 260}"},
    {"f16 overflows to infinity", {"f16[2] {65504, 65504}", "f16[2] {15, 16}"}, "", "f16[2] {65504, inf}"},
    {"f8e4m3fn has no infinity", {"f8e4m3fn[2] {448, 448}", "f8e4m3fn[2] {16, 32}"}, "", "f8e4m3fn[2] {448, nan}"},
    {"f4e2m1fn saturates", {"f4e2m1fn[2] {6, 1}", "f4e2m1fn[2] {6, 0.5}"}, "", "f4e2m1fn[2] {6, 1.5}"},
    {"zeros keep IEEE signs", {"f32[3] {-0.0, -0.0, 1}", "f32[3] {-0.0, 0, -1}"}, "", "f32[3] {-0.0, 0, 0}"},
    {"NaN and infinities", {"f32[3] {nan, inf, inf}", "f32[3] {1, 1, -inf}"}, "", "f32[3] {nan, inf, nan}"},
    {"complex", {"c64[2] {(1, 2), (inf, 0)}", "c64[2] {(10, -3), (1, nan)}"}, "", "c64[2] {(11, -1), (inf, nan)}"},
    {"dynamic where an operand is", {"f32[<=2,3]", "f32[2,<=3]"}, "", Infers("f32[<=2,<=3]")},
    {"dimensions agree", {"f32[2]", "f32[3]"}, "",
     Error("add: operands must have the same dimensions; lhs f32[2], rhs f32[3]")},
    {"ranks agree", {"f32[3]", "f32[2,3]"}, "",
     Error("add: operands must have the same dimensions; lhs f32[3], rhs f32[2,3]")},
    {"no implicit broadcast", {"f32[2,1]", "f32[1,3]"}, "",
     ErrorOf(StatusCode::kFailedPrecondition, "add: operands must have the same dimensions; lhs f32[2,1], rhs f32[1,3]")},
    {"types agree", {"f32[1]", "s32[1]"}, "",
     Error("add: operands have different element types f32 and s32; lhs f32[1], rhs s32[1]")},
    {"no mixed precision", {"f32[1]", "bf16[1]"}, "",
     Error("add: mixed precision: operands of f32 and bf16; lhs f32[1], rhs bf16[1]")},
    {"arrays only", {"(f32[3])", "f32[3]"}, "",
     Error("add: expected an array, not (f32[3]); lhs (f32[3]), rhs f32[3]")},
    {"two operands", {"f32[]"}, "", Error("add: has 1 operands but takes (lhs, rhs); lhs f32[]")},
};
const CaseTable kAddCases = {"add", kAddRows};

static const OpCase kSubtractRows[] = {
    {"subtracts", {"f32[3] {1, 2, 3}", "f32[3] {10, 20, -3}"}, "", "f32[3] {-9, -18, 6}"},
    {"scalars", {"s32[] 3", "s32[] 5"}, "", "s32[] -2"},
    {"one element", {"f16[1] {1}", "f16[1] {0.00048828125}"}, "", "f16[1] {0.99951172}"},
    {"no elements", {"s8[0] {}", "s8[0] {}"}, "", "s8[0] {}"},
    {"integers wrap", {"s32[2] {-2147483648, 2147483647}", "s32[2] {1, -1}"}, "", "s32[2] {2147483647, -2147483648}"},
    {"unsigned integers wrap", {"u8[2] {0, 5}", "u8[2] {1, 3}"}, "", "u8[2] {255, 2}"},
    {"u4 wraps in four bits", {"u4[2] {0, 15}", "u4[2] {1, 1}"}, "", "u4[2] {15, 14}"},
    {"equal values give +0", {"f32[3] {1, -0.0, -0.0}", "f32[3] {1, -0.0, 0}"}, "", "f32[3] {0, 0, -0.0}"},
    {"NaN and infinities", {"f32[3] {nan, inf, inf}", "f32[3] {1, inf, -inf}"}, "", "f32[3] {nan, nan, inf}"},
    {"complex", {"c128[1] {(1, 2)}", "c128[1] {(10, -3)}"}, "", "c128[1] {(-9, 5)}"},
    {"not for pred", {"pred[1]", "pred[1]"}, "",
     Error("subtract: takes integers, floats and complex numbers only; lhs pred[1], rhs pred[1]")},
};
const CaseTable kSubtractCases = {"subtract", kSubtractRows};

static const OpCase kMultiplyRows[] = {
    {"multiplies", {"f32[3] {1, 2, 3}", "f32[3] {10, 20, -3}"}, "", "f32[3] {10, 40, -9}"},
    {"scalars", {"f64[] 0.1", "f64[] 3"}, "", "f64[] 0.30000000000000004"},
    {"one element", {"u16[1] {65535}", "u16[1] {65535}"}, "", "u16[1] {1}"},
    {"no elements", {"f32[0] {}", "f32[0] {}"}, "", "f32[0] {}"},
    {"integers wrap", {"s32[3] {65536, 2147483647, -2147483648}", "s32[3] {65536, 2, -1}"}, "", "s32[3] {0, -2, -2147483648}"},
    {"s64 wraps", {"s64[1] {9223372036854775807}", "s64[1] {3}"}, "", "s64[1] {9223372036854775805}"},
    {"s2 wraps in two bits", {"s2[3] {-2, 1, -2}", "s2[3] {-2, -2, 1}"}, "", "s2[3] {0, -2, -2}"},
    {"pred is and", {"pred[4] {0, 0, 1, 1}", "pred[4] {0, 1, 0, 1}"}, "", "pred[4] {0, 0, 0, 1}"},
    {"N1 subnormals are kept", {"f32[2] {2e-38, 1e-20}", "f32[2] {0.25, 1e-20}"}, "", "f32[2] {5.00000015e-39, 9.99994610e-41}"},
    {"N2 bf16 rounds once", {"bf16[2] {1.0078125, 3}", "bf16[2] {1.0078125, 0.33398438}"}, "", "bf16[2] {1.015625, 1}"},
    {"f8e5m2 overflows to infinity", {"f8e5m2[2] {49152, 2}", "f8e5m2[2] {2, 3}"}, "", "f8e5m2[2] {inf, 6}"},
    {"fnuz types have no -0", {"f8e4m3fnuz[2] {-1, -2}", "f8e4m3fnuz[2] {0, 3}"}, "", "f8e4m3fnuz[2] {0, -6}"},
    {"signs of zeros", {"f32[3] {-0.0, -1, 0}", "f32[3] {2, 0, -3}"}, "", "f32[3] {-0.0, -0.0, -0.0}"},
    {"NaN and infinities", {"f32[3] {nan, inf, inf}", "f32[3] {0, 0, -2}"}, "", "f32[3] {nan, nan, -inf}"},
    {"complex", {"c64[2] {(1, 2), (0, 1)}", "c64[2] {(3, -4), (0, 1)}"}, "", "c64[2] {(11, 2), (-1, 0)}"},
    {"complex infinities have no special case", {"c64[1] {(inf, inf)}", "c64[1] {(1, 1)}"}, "", "c64[1] {(nan, inf)}"},
    {"tokens are not arrays", {"token[]", "token[]"}, "",
     Error("multiply: expected an array, not token[]; lhs token[], rhs token[]")},
};
const CaseTable kMultiplyCases = {"multiply", kMultiplyRows};

static const OpCase kNegateRows[] = {
    {"negates", {"f32[3] {1, -2, 0.5}"}, "", "f32[3] {-1, 2, -0.5}"},
    {"scalar", {"s64[] -5"}, "", "s64[] 5"},
    {"one element", {"f64[1] {inf}"}, "", "f64[1] {-inf}"},
    {"no elements", {"bf16[0] {}"}, "", "bf16[0] {}"},
    {"the least integer is its own negative", {"s32[3] {-2147483648, 2147483647, 0}"}, "", "s32[3] {-2147483648, -2147483647, 0}"},
    {"unsigned integers wrap", {"u8[3] {0, 1, 255}"}, "", "u8[3] {0, 255, 1}"},
    {"s4 in four bits", {"s4[3] {-8, 7, 1}"}, "", "s4[3] {-8, -7, -1}"},
    {"flips the sign of zeros and infinities", {"f32[4] {0, -0.0, inf, -inf}"}, "", "f32[4] {-0.0, 0, -inf, inf}"},
    {"NaN stays", {"f16[2] {nan, 1}"}, "", "f16[2] {nan, -1}"},
    {"fnuz types have no -0", {"f8e5m2fnuz[3] {0, 1, nan}"}, "", "f8e5m2fnuz[3] {0, -1, nan}"},
    {"complex", {"c64[1] {(1, -0.0)}"}, "", "c64[1] {(-1, 0)}"},
    {"not for pred", {"pred[3]"}, "",
     Error("negate: takes integers, floats and complex numbers only; operand pred[3]")},
    {"a size that is left open", {"f32[?]"}, "", Infers("f32[?]")},
};
const CaseTable kNegateCases = {"negate", kNegateRows};
// clang-format on

}  // namespace axle
