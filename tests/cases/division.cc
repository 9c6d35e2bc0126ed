#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kDivideCases, kRemainderCases;

// clang-format off
static const OpCase kDivideRows[] = {
    {"divides", {"f32[3] {1, 2, -3}", "f32[3] {3, 4, 2}"}, "", "f32[3] {0.333333343, 0.5, -1.5}"},
    {"scalars", {"s32[] 7", "s32[] 2"}, "", "s32[] 3"},
    {"one element", {"f64[1] {1}", "f64[1] {3}"}, "", "f64[1] {0.33333333333333331}"},
    {"no elements", {"s32[0] {}", "s32[0] {}"}, "", "s32[0] {}"},
    {"integers truncate towards zero", {"s32[4] {7, -7, 7, -7}", "s32[4] {2, 2, -2, -2}"}, "", "s32[4] {3, -3, -3, 3}"},
    {"N12 signed division by zero is -1", {"s32[3] {5, -5, 0}", "s32[3] {0, 0, 0}"}, "", "s32[3] {-1, -1, -1}"},
    {"N12 unsigned division by zero is the maximum", {"u8[2] {5, 0}", "u8[2] {0, 0}"}, "", "u8[2] {255, 255}"},
    {"N12 the least integer by -1", {"s32[2] {-2147483648, 2147483647}", "s32[2] {-1, -1}"}, "", "s32[2] {-2147483648, -2147483647}"},
    {"the least s64 by -1", {"s64[2] {-9223372036854775808, 9}", "s64[2] {-1, 0}"}, "", "s64[2] {-9223372036854775808, -1}"},
    {"u64 is unsigned", {"u64[2] {18446744073709551615, 1}", "u64[2] {2, 0}"}, "", "u64[2] {9223372036854775807, 18446744073709551615}"},
    {"s8", {"s8[3] {-128, 100, -100}", "s8[3] {-1, 7, 7}"}, "", "s8[3] {-128, 14, -14}"},
    {"s4 in four bits", {"s4[4] {-8, 7, 5, -8}", "s4[4] {-1, 2, 0, 3}"}, "", "s4[4] {-8, 3, -1, -2}"},
    {"u4 in four bits", {"u4[3] {15, 9, 3}", "u4[3] {4, 0, 4}"}, "", "u4[3] {3, 15, 0}"},
    {"s1", {"s1[4] {-1, -1, 0, 0}", "s1[4] {-1, 0, -1, 0}"}, "", "s1[4] {-1, -1, 0, -1}"},
    {"floats by zero", {"f32[5] {1, -1, 0, 1, -0.0}", "f32[5] {0, 0, 0, -0.0, 5}"}, "", "f32[5] {inf, -inf, nan, -inf, -0.0}"},
    {"NaN and infinities", {"f32[4] {nan, inf, inf, 1}", "f32[4] {1, inf, 2, -inf}"}, "", "f32[4] {nan, nan, inf, -0.0}"},
    {"N1 subnormal quotients are kept", {"f32[1] {1e-38}", "f32[1] {1000}"}, "", "f32[1] {9.99966804e-42}"},
    {"bf16 rounds once", {"bf16[2] {1, 2}", "bf16[2] {3, 3}"}, "", "bf16[2] {0.33398438, 0.66796875}"},
    {"f8e8m0fnu rounds to a power of two", {"f8e8m0fnu[2] {8, 1}", "f8e8m0fnu[2] {2, 4}"}, "", "f8e8m0fnu[2] {4, 0.25}"},
    {"complex", {"c64[2] {(1, 2), (1, 0)}", "c64[2] {(3, 4), (0, 2)}"}, "", "c64[2] {(0.44, 0.08), (0, -0.5)}"},
    {"complex by zero", {"c64[2] {(1, -2), (0, 0)}", "c64[2] {(0, 0), (0, 0)}"}, "", "c64[2] {(inf, -inf), (nan, nan)}"},
    {"complex by a negative zero", {"c64[1] {(1, -2)}", "c64[1] {(-0.0, 0)}"}, "", "c64[1] {(-inf, inf)}"},
    {"complex infinity by finite", {"c64[1] {(inf, 1)}", "c64[1] {(1, 1)}"}, "", "c64[1] {(inf, -inf)}"},
    {"complex finite by infinity", {"c64[1] {(1, 1)}", "c64[1] {(inf, inf)}"}, "", "c64[1] {(0, 0)}"},
    {"complex NaN by zero", {"c64[2] {(nan, nan), (nan, 1)}", "c64[2] {(0, 0), (0, 0)}"}, "", "c64[2] {(nan, nan), (nan, inf)}"},
    {"complex infinity with NaN by finite", {"c64[2] {(inf, nan), (nan, -inf)}", "c64[2] {(1, 0), (0, 2)}"}, "", "c64[2] {(inf, nan), (-inf, nan)}"},
    {"complex finite by infinity with NaN", {"c64[2] {(1, 1), (-1, 2)}", "c64[2] {(inf, nan), (nan, -inf)}"}, "", "c64[2] {(0, 0), (-0.0, -0.0)}"},
    {"complex infinity by infinity", {"c64[1] {(inf, 0)}", "c64[1] {(inf, inf)}"}, "", "c64[1] {(nan, nan)}"},
    {"c128", {"c128[3] {(1, 2), (1e300, 1e300), (1, -1)}", "c128[3] {(3, 4), (1e300, 1e300), (0, 0)}"}, "", "c128[3] {(0.44, 0.08), (1, 0), (inf, -inf)}"},
    {"f8e4m3fnuz by zero is NaN", {"f8e4m3fnuz[2] {1, 3}", "f8e4m3fnuz[2] {0, 2}"}, "", "f8e4m3fnuz[2] {nan, 1.5}"},
    {"f4e2m1fn by zero saturates", {"f4e2m1fn[3] {1, -3, 6}", "f4e2m1fn[3] {0, 0, 4}"}, "", "f4e2m1fn[3] {6, -6, 1.5}"},
    {"f16", {"f16[2] {1, 65504}", "f16[2] {3, 0.5}"}, "", "f16[2] {0.33325195, inf}"},
    {"complex without overflow", {"c64[1] {(1e30, 1e30)}", "c64[1] {(1e30, 1e30)}"}, "", "c64[1] {(1, 0)}"},
    {"not for pred", {"pred[3]", "pred[3]"}, "",
     Error("divide: takes integers, floats and complex numbers only; lhs pred[3], rhs pred[3]")},
};
const CaseTable kDivideCases = {"divide", kDivideRows};

static const OpCase kRemainderRows[] = {
    {"sign of the dividend", {"s32[4] {7, -7, 7, -7}", "s32[4] {3, 3, -3, -3}"}, "", "s32[4] {1, -1, 1, -1}"},
    {"scalars", {"f32[] 5.5", "f32[] 2"}, "", "f32[] 1.5"},
    {"one element", {"u32[1] {4294967295}", "u32[1] {10}"}, "", "u32[1] {5}"},
    {"no elements", {"f32[0] {}", "f32[0] {}"}, "", "f32[0] {}"},
    {"N12 modulo zero is the dividend", {"s32[3] {5, -5, 0}", "s32[3] {0, 0, 0}"}, "", "s32[3] {5, -5, 0}"},
    {"N12 the least integer modulo -1 is 0", {"s32[2] {-2147483648, 3}", "s32[2] {-1, -1}"}, "", "s32[2] {0, 0}"},
    {"s64", {"s64[2] {-9223372036854775808, 9223372036854775807}", "s64[2] {-1, 10}"}, "", "s64[2] {0, 7}"},
    {"u64 is unsigned", {"u64[1] {18446744073709551615}", "u64[1] {10}"}, "", "u64[1] {5}"},
    {"s4 in four bits", {"s4[3] {-8, 7, -7}", "s4[3] {-1, 4, 0}"}, "", "s4[3] {0, 3, -7}"},
    {"floats have the dividend's sign", {"f32[4] {5.5, -5.5, 5.5, -5.5}", "f32[4] {2, 2, -2, -2}"}, "", "f32[4] {1.5, -1.5, 1.5, -1.5}"},
    {"zero results keep the sign", {"f32[3] {-4, -0.0, 4}", "f32[3] {2, 5, 2}"}, "", "f32[3] {-0.0, -0.0, 0}"},
    {"floats modulo zero", {"f32[3] {1, 0, -0.0}", "f32[3] {0, -0.0, 0}"}, "", {"f32[3] {nan, nan, nan}"}},
    {"infinities and NaN", {"f32[5] {inf, 1, -1, nan, 1}", "f32[5] {2, inf, -inf, 1, nan}"}, "", "f32[5] {nan, 1, -1, nan, nan}"},
    {"exact over a wide range", {"f32[2] {1e38, 3.3e38}", "f32[2] {7, 11}"}, "", "f32[2] {2, 10}"},
    {"exact f64", {"f64[2] {1e300, 10}", "f64[2] {7, 0.1}"}, "", "f64[2] {1, 0.09999999999999945}"},
    {"bf16 rounds once", {"bf16[1] {10}", "bf16[1] {0.1}"}, "", "bf16[1] {0.09033203125}"},
    {"not for pred", {"pred[3]", "pred[3]"}, "",
     Error("remainder: takes integers and floats only; lhs pred[3], rhs pred[3]")},
    {"not for complex numbers", {"c64[3]", "c64[3]"}, "",
     Error("remainder: takes integers and floats only; lhs c64[3], rhs c64[3]")},
};
const CaseTable kRemainderCases = {"remainder", kRemainderRows};
// clang-format on

}  // namespace axle
