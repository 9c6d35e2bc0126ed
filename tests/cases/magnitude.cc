#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAbsCases, kSignCases;

// clang-format off
static const OpCase kAbsRows[] = {
    {"magnitude", {"f32[4] {1, -2, 0.5, -0.25}"}, "", "f32[4] {1, 2, 0.5, 0.25}"},
    {"scalar", {"s64[] -5"}, "", "s64[] 5"},
    {"one element", {"f64[1] {-inf}"}, "", "f64[1] {inf}"},
    {"no elements", {"bf16[0] {}"}, "", "bf16[0] {}"},
    {"the least integer is its own magnitude", {"s32[3] {-2147483648, -2147483647, 7}"}, "", "s32[3] {-2147483648, 2147483647, 7}"},
    {"s64", {"s64[2] {-9223372036854775808, -9223372036854775807}"}, "", "s64[2] {-9223372036854775808, 9223372036854775807}"},
    {"s16", {"s16[3] {-32768, -1, 32767}"}, "", "s16[3] {-32768, 1, 32767}"},
    {"s8", {"s8[3] {-128, -127, 5}"}, "", "s8[3] {-128, 127, 5}"},
    {"s4 in four bits", {"s4[3] {-8, -7, 7}"}, "", "s4[3] {-8, 7, 7}"},
    {"s2 in two bits", {"s2[4] {-2, -1, 0, 1}"}, "", "s2[4] {-2, 1, 0, 1}"},
    {"s1", {"s1[2] {-1, 0}"}, "", "s1[2] {-1, 0}"},
    {"zeros and infinities lose their sign, NaN stays", {"f32[5] {0, -0.0, inf, -inf, -nan}"}, "", "f32[5] {0, 0, inf, inf, nan}"},
    {"subnormals", {"f32[2] {-1e-45, 1e-39}"}, "", "f32[2] {1e-45, 1e-39}"},
    {"f16", {"f16[3] {-65504, -6e-8, nan}"}, "", "f16[3] {65504, 6e-8, nan}"},
    {"bf16", {"bf16[3] {-3e38, 1, -inf}"}, "", "bf16[3] {3e38, 1, inf}"},
    {"f8e4m3fn", {"f8e4m3fn[3] {-448, -nan, -0.0}"}, "", "f8e4m3fn[3] {448, nan, 0}"},
    {"f8e5m2fnuz", {"f8e5m2fnuz[3] {-57344, nan, 0}"}, "", "f8e5m2fnuz[3] {57344, nan, 0}"},
    {"f4e2m1fn", {"f4e2m1fn[3] {-6, -0.5, 3}"}, "", "f4e2m1fn[3] {6, 0.5, 3}"},
    {"f8e8m0fnu", {"f8e8m0fnu[3] {0.5, 4, nan}"}, "", "f8e8m0fnu[3] {0.5, 4, nan}"},
    {"complex", {"c64[3] {(3, -4), (0, -2), (-0.0, 0)}"}, "", "f32[3] {5, 2, 0}"},
    {"c64 is rounded well", {"c64[2] {(1, 1), (2, -3)}"}, "", "f32[2] {1.41421354, 3.60555124}"},
    {"c64 neither overflows nor underflows", {"c64[4] {(1e30, 1e30), (1e-45, 1e-45), (3e38, 1e38), (3e38, 3e38)}"}, "",
     "f32[4] {1.41421351e+30, 1.40129846e-45, 3.16227774e+38, inf}"},
    {"c128", {"c128[4] {(3, 4), (1, -1), (2, 3), (-0.0, -7)}"}, "", "f64[4] {5, 1.4142135623730951, 3.605551275463989, 7}"},
    {"c128 neither overflows nor underflows", {"c128[5] {(1e300, 1e300), (5e-324, 5e-324), (1.7e308, 3e307), (1e-310, 3e-310), (1e160, 3e150)}"}, "",
     "f64[5] {1.4142135623730952e300, 5e-324, 1.7262676501632067e308, 3.1622776601684e-310, 1e160}"},
    {"an infinite part wins over NaN", {"c64[4] {(inf, nan), (nan, -inf), (nan, 1), (-inf, 3)}"}, "", "f32[4] {inf, inf, nan, inf}"},
    {"an infinite part wins over NaN in c128", {"c128[4] {(inf, nan), (nan, -inf), (1, nan), (5, -inf)}"}, "", "f64[4] {inf, inf, nan, inf}"},
    {"keeps dynamic dimensions", {"c64[<=3,2]"}, "", Infers("f32[<=3,2]")},
    {"not for unsigned integers", {"u32[3]"}, "",
     Error("abs: takes signed integers, floats and complex numbers only; operand u32[3]")},
    {"not for pred", {"pred[3]"}, "",
     Error("abs: takes signed integers, floats and complex numbers only; operand pred[3]")},
    {"arrays only", {"(f32[3])"}, "", Error("abs: expected an array, not (f32[3]); operand (f32[3])")},
};
const CaseTable kAbsCases = {"abs", kAbsRows};

static const OpCase kSignRows[] = {
    {"signs", {"f32[4] {3, -2, 0.5, -1e-45}"}, "", "f32[4] {1, -1, 1, -1}"},
    {"scalar", {"s64[] -5"}, "", "s64[] -1"},
    {"one element", {"f64[1] {-inf}"}, "", "f64[1] {-1}"},
    {"no elements", {"s8[0] {}"}, "", "s8[0] {}"},
    {"integers", {"s32[4] {-2147483648, 0, 2147483647, 1}"}, "", "s32[4] {-1, 0, 1, 1}"},
    {"s4", {"s4[3] {-8, 7, 0}"}, "", "s4[3] {-1, 1, 0}"},
    {"s1", {"s1[2] {-1, 0}"}, "", "s1[2] {-1, 0}"},
    {"zeros keep their sign, NaN stays", {"f32[5] {0, -0.0, inf, -inf, nan}"}, "", "f32[5] {0, -0.0, 1, -1, nan}"},
    {"f16", {"f16[4] {-65504, 6e-8, -0.0, nan}"}, "", "f16[4] {-1, 1, -0.0, nan}"},
    {"bf16", {"bf16[3] {3e38, -inf, 0}"}, "", "bf16[3] {1, -1, 0}"},
    {"f8e4m3b11fnuz", {"f8e4m3b11fnuz[3] {-30, nan, 0}"}, "", "f8e4m3b11fnuz[3] {-1, nan, 0}"},
    {"f4e2m1fn", {"f4e2m1fn[4] {-6, 0.5, -0.0, 0}"}, "", "f4e2m1fn[4] {-1, 1, -0.0, 0}"},
    {"f8e8m0fnu", {"f8e8m0fnu[4] {0.5, 4, nan, 2}"}, "", "f8e8m0fnu[4] {1, 1, nan, 1}"},
    {"complex direction", {"c64[4] {(3, 4), (1, -1), (0, -2), (-5, -0.0)}"}, "",
     "c64[4] {(0.6, 0.8), (0.707106769, -0.707106769), (0, -1), (-1, -0.0)}"},
    {"complex zeros", {"c64[3] {(0, 0), (-0.0, -0.0), (-0.0, 7)}"}, "", "c64[3] {(0, 0), (0, 0), (-0.0, 1)}"},
    {"c64 at the ends of the range", {"c64[2] {(3e38, 3e38), (1e-45, -1e-45)}"}, "", "c64[2] {(0.707106769, 0.707106769), (0.707106769, -0.707106769)}"},
    {"c128 at the ends of the range", {"c128[3] {(1.7e308, 1.7e308), (5e-324, -5e-324), (2, 3)}"}, "",
     "c128[3] {(0.7071067811865476, 0.7071067811865476), (0.7071067811865476, -0.7071067811865476), (0.5547001962252291, 0.8320502943378437)}", {.within_ulp = 1}},
    {"complex infinities and NaN", {"c64[4] {(inf, -3), (-2, inf), (nan, 1), (inf, nan)}"}, "",
     "c64[4] {(nan, -0.0), (-0.0, nan), (nan, nan), (nan, nan)}"},
    {"c128 infinities and NaN", {"c128[4] {(inf, -3), (-2, inf), (nan, 1), (-inf, inf)}"}, "",
     "c128[4] {(nan, -0.0), (-0.0, nan), (nan, nan), (nan, nan)}"},
    {"not for unsigned integers", {"u8[3]"}, "",
     Error("sign: takes signed integers, floats and complex numbers only; operand u8[3]")},
    {"not for pred", {"pred[3]"}, "",
     Error("sign: takes signed integers, floats and complex numbers only; operand pred[3]")},
};
const CaseTable kSignCases = {"sign", kSignRows};
// clang-format on

}  // namespace axle
