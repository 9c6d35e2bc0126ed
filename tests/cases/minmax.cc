#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kClampCases, kMaximumCases, kMinimumCases;

// clang-format off
static const OpCase kMaximumRows[] = {
    {"the larger one", {"f32[3] {1, 5, -3}", "f32[3] {2, 4, -4}"}, "", "f32[3] {2, 5, -3}"},
    {"scalars", {"s32[] -1", "s32[] 1"}, "", "s32[] 1"},
    {"one element", {"bf16[1] {1}", "bf16[1] {2}"}, "", "bf16[1] {2}"},
    {"no elements", {"f32[0,3] {}", "f32[0,3] {}"}, "", "f32[0,3] {}"},
    {"signed integers", {"s8[3] {-128, 127, -1}", "s8[3] {127, -128, 0}"}, "", "s8[3] {127, 127, 0}"},
    {"unsigned integers", {"u8[2] {255, 0}", "u8[2] {1, 128}"}, "", "u8[2] {255, 128}"},
    {"s4", {"s4[2] {-8, 7}", "s4[2] {7, -1}"}, "", "s4[2] {7, 7}"},
    {"pred is or", {"pred[4] {0, 0, 1, 1}", "pred[4] {0, 1, 0, 1}"}, "", "pred[4] {0, 1, 1, 1}"},
    {"NaN on either side", {"f32[4] {nan, 1, nan, inf}", "f32[4] {1, nan, nan, 2}"}, "", "f32[4] {nan, nan, nan, inf}"},
    {"-0 is smaller than +0", {"f32[4] {-0.0, 0, -0.0, -1}", "f32[4] {0, -0.0, -0.0, -0.0}"}, "", "f32[4] {0, 0, -0.0, -0.0}"},
    {"-0 in f16", {"f16[2] {-0.0, 0}", "f16[2] {0, -0.0}"}, "", "f16[2] {0, 0}"},
    {"infinities", {"f64[2] {-inf, inf}", "f64[2] {1, 1}"}, "", "f64[2] {1, inf}"},
    {"subnormals", {"f32[2] {1e-45, -1e-45}", "f32[2] {0, 0}"}, "", "f32[2] {1.40129846e-45, 0}"},
    {"f64: -0 and NaN", {"f64[3] {-0.0, nan, 5e-324}", "f64[3] {0, 1, 0}"}, "", "f64[3] {0, nan, 5e-324}"},
    {"f8e4m3fnuz", {"f8e4m3fnuz[3] {-1, nan, 240}", "f8e4m3fnuz[3] {0, 1, 1}"}, "", "f8e4m3fnuz[3] {0, nan, 240}"},
    {"f8e8m0fnu", {"f8e8m0fnu[3] {0.5, nan, 4}", "f8e8m0fnu[3] {2, 1, 1}"}, "", "f8e8m0fnu[3] {2, nan, 4}"},
    {"f4e2m1fn", {"f4e2m1fn[3] {-0.0, -6, 1.5}", "f4e2m1fn[3] {0, 6, 1}"}, "", "f4e2m1fn[3] {0, 6, 1.5}"},
    {"u4", {"u4[2] {15, 0}", "u4[2] {1, 8}"}, "", "u4[2] {15, 8}"},
    {"not for complex numbers", {"c64[1]", "c64[1]"}, "",
     Error("maximum: complex numbers have no order; select by comparisons of their real and imaginary parts; lhs c64[1], rhs c64[1]")},
};
const CaseTable kMaximumCases = {"maximum", kMaximumRows};

static const OpCase kMinimumRows[] = {
    {"the smaller one", {"f32[3] {1, 5, -3}", "f32[3] {2, 4, -4}"}, "", "f32[3] {1, 4, -4}"},
    {"scalars", {"s32[] -1", "s32[] 1"}, "", "s32[] -1"},
    {"one element", {"f64[1] {inf}", "f64[1] {2}"}, "", "f64[1] {2}"},
    {"no elements", {"u8[0] {}", "u8[0] {}"}, "", "u8[0] {}"},
    {"signed integers", {"s32[2] {-2147483648, 1}", "s32[2] {2147483647, 0}"}, "", "s32[2] {-2147483648, 0}"},
    {"unsigned integers", {"u32[2] {4294967295, 5}", "u32[2] {1, 2147483648}"}, "", "u32[2] {1, 5}"},
    {"pred is and", {"pred[4] {0, 0, 1, 1}", "pred[4] {0, 1, 0, 1}"}, "", "pred[4] {0, 0, 0, 1}"},
    {"NaN on either side", {"f32[4] {nan, 1, nan, -inf}", "f32[4] {1, nan, nan, 2}"}, "", "f32[4] {nan, nan, nan, -inf}"},
    {"-0 is smaller than +0", {"f32[4] {-0.0, 0, 0, 1}", "f32[4] {0, -0.0, 0, 0}"}, "", "f32[4] {-0.0, -0.0, 0, 0}"},
    {"f8e5m2", {"f8e5m2[3] {-inf, nan, 2}", "f8e5m2[3] {1, 1, 1.5}"}, "", "f8e5m2[3] {-inf, nan, 1.5}"},
    {"u64", {"u64[2] {18446744073709551615, 5}", "u64[2] {1, 9223372036854775808}"}, "", "u64[2] {1, 5}"},
    {"s2", {"s2[3] {-2, 1, 0}", "s2[3] {1, -1, 1}"}, "", "s2[3] {-2, -1, 0}"},
    {"bf16: -0 and NaN", {"bf16[3] {-0.0, nan, 3}", "bf16[3] {0, 1, 2}"}, "", "bf16[3] {-0.0, nan, 2}"},
    {"not for complex numbers", {"c64[1]", "c64[1]"}, "",
     Error("minimum: complex numbers have no order; select by comparisons of their real and imaginary parts; lhs c64[1], rhs c64[1]")},
    {"types agree", {"s32[1]", "u32[1]"}, "",
     Error("minimum: operands have different element types s32 and u32; lhs s32[1], rhs u32[1]")},
};
const CaseTable kMinimumCases = {"minimum", kMinimumRows};

static const OpCase kClampRows[] = {
    {"at run-time sizes", {"f32[] 1", "f32[<=4](3) {0, 2, 9}", "f32[] 7"}, "", "f32[<=4](3) {1, 2, 7}"},
    {"scalar bounds", {"f32[] 0", "f32[5] {2, 10, -5, 1, 10}", "f32[] 3"}, "", "f32[5] {2, 3, 0, 1, 3}"},
    {"scalars", {"s32[] 0", "s32[] -1", "s32[] 6"}, "", "s32[] 0"},
    {"one element", {"s32[1] {0}", "s32[1] {9}", "s32[1] {6}"}, "", "s32[1] {6}"},
    {"no elements", {"f32[] 0", "f32[0] {}", "f32[] 3"}, "", "f32[0] {}"},
    {"array bounds", {"s32[3] {0, 5, -9}", "s32[3] {-1, 5, 9}", "s32[3] {6, 6, 0}"}, "", "s32[3] {0, 5, 0}"},
    {"one bound of each kind", {"s32[2] {0, 3}", "s32[2] {-1, 9}", "s32[] 5"}, "", "s32[2] {0, 5}"},
    {"max wins over min", {"s32[] 5", "s32[3] {0, 4, 9}", "s32[] 1"}, "", {"s32[3] {1, 1, 1}"}},
    {"extreme integers", {"s8[] -128", "s8[3] {-128, 0, 127}", "s8[] 127"}, "", "s8[3] {-128, 0, 127}"},
    {"unsigned", {"u8[] 100", "u8[3] {255, 0, 150}", "u8[] 200"}, "", "u8[3] {200, 100, 150}"},
    {"pred", {"pred[] 0", "pred[2] {0, 1}", "pred[] 1"}, "", "pred[2] {0, 1}"},
    {"NaN in the operand", {"f32[] 0", "f32[3] {nan, inf, -inf}", "f32[] 3"}, "", "f32[3] {nan, 3, 0}"},
    {"NaN in a bound", {"f32[2] {nan, 0}", "f32[2] {1, 1}", "f32[2] {3, nan}"}, "", "f32[2] {nan, nan}"},
    {"zeros", {"f32[] -0.0", "f32[2] {-1, 0}", "f32[] 0"}, "", "f32[2] {-0.0, 0}"},
    {"bf16", {"bf16[] 0", "bf16[2] {-1, 1.5}", "bf16[] 1"}, "", "bf16[2] {0, 1}"},
    {"dynamic", {"f32[]", "f32[<=4]", "f32[]"}, "", Infers("f32[<=4]")},
    {"bounds have operand's dimensions", {"f32[2]", "f32[3]", "f32[3]"}, "",
     Error("clamp: min must be a scalar or have the dimensions of operand; min f32[2], operand f32[3], max f32[3]")},
    {"max too", {"f32[]", "f32[3]", "f32[1]"}, "",
     Error("clamp: max must be a scalar or have the dimensions of operand; min f32[], operand f32[3], max f32[1]")},
    {"types agree", {"s32[3]", "f32[3]", "f32[3]"}, "",
     Error("clamp: operands have different element types f32 and s32; min s32[3], operand f32[3], max f32[3]")},
    {"not for complex numbers", {"c64[]", "c64[]", "c64[]"}, "",
     Error("clamp: takes pred, integers and floats only; min c64[], operand c64[], max c64[]")},
    {"arrays only", {"f32[]", "(f32[])", "f32[]"}, "",
     Error("clamp: expected an array, not (f32[]); min f32[], operand (f32[]), max f32[]")},
};
const CaseTable kClampCases = {"clamp", kClampRows};
// clang-format on

}  // namespace axle
