#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kCompareCases;

// clang-format off
static const OpCase kRows[] = {
    {"EQ", {"f32[3] {1, 2, 3}", "f32[3] {3, 2, 1}"}, "direction=EQ", "pred[3] {0, 1, 0}"},
    {"NE", {"f32[3] {1, 2, 3}", "f32[3] {3, 2, 1}"}, "direction=NE", "pred[3] {1, 0, 1}"},
    {"GE", {"f32[3] {1, 2, 3}", "f32[3] {3, 2, 1}"}, "direction=GE", "pred[3] {0, 1, 1}"},
    {"GT", {"f32[3] {1, 2, 3}", "f32[3] {3, 2, 1}"}, "direction=GT", "pred[3] {0, 0, 1}"},
    {"LE", {"f32[3] {1, 2, 3}", "f32[3] {3, 2, 1}"}, "direction=LE", "pred[3] {1, 1, 0}"},
    {"LT", {"f32[3] {1, 2, 3}", "f32[3] {3, 2, 1}"}, "direction=LT", "pred[3] {1, 0, 0}"},
    {"scalars", {"s32[] 1", "s32[] 2"}, "direction=LT", "pred[] 1"},
    {"one element", {"f16[1] {1}", "f16[1] {1}"}, "direction=EQ", "pred[1] {1}"},
    {"no elements", {"f32[0] {}", "f32[0] {}"}, "direction=EQ", "pred[0] {}"},
    {"NaN is in no relation", {"f32[3] {nan, 1, nan}", "f32[3] {nan, nan, 1}"}, "direction=GE", "pred[3] {0, 0, 0}"},
    {"NaN does not equal itself", {"f32[2] {nan, 1}", "f32[2] {nan, 1}"}, "direction=EQ", "pred[2] {0, 1}"},
    {"NaN in NE", {"f32[2] {nan, 1}", "f32[2] {nan, 1}"}, "direction=NE", "pred[2] {1, 0}"},
    {"zeros are equal", {"f32[2] {0, 1}", "f32[2] {-0.0, 2}"}, "direction=EQ", "pred[2] {1, 0}"},
    {"infinities", {"f32[3] {-inf, inf, inf}", "f32[3] {-3e38, inf, 3e38}"}, "direction=GT", "pred[3] {0, 0, 1}"},
    {"subnormals", {"f32[2] {1e-45, 0}", "f32[2] {0, 1e-45}"}, "direction=GT", "pred[2] {1, 0}"},
    {"signed integers", {"s32[3] {-1, 3, -2147483648}", "s32[3] {1, 3, 2147483647}"}, "direction=LT", "pred[3] {1, 0, 1}"},
    {"unsigned integers", {"u32[2] {4294967295, 0}", "u32[2] {1, 1}"}, "direction=GT", "pred[2] {1, 0}"},
    {"u64", {"u64[2] {18446744073709551615, 1}", "u64[2] {9223372036854775807, 2}"}, "direction=GT", "pred[2] {1, 0}"},
    {"s4", {"s4[2] {-8, 7}", "s4[2] {7, -8}"}, "direction=LT", "pred[2] {1, 0}"},
    {"pred: false is below true", {"pred[4] {0, 0, 1, 1}", "pred[4] {0, 1, 0, 1}"}, "direction=LT", "pred[4] {0, 1, 0, 0}"},
    {"f8", {"f8e4m3fn[3] {448, nan, -1}", "f8e4m3fn[3] {240, nan, 1}"}, "direction=GT", "pred[3] {1, 0, 0}"},
    {"complex EQ", {"c64[3] {(1, 2), (1, 2), (0, nan)}", "c64[3] {(1, 2), (1, 3), (0, nan)}"}, "direction=EQ", "pred[3] {1, 0, 0}"},
    {"complex NE", {"c64[3] {(1, 2), (1, 2), (0, nan)}", "c64[3] {(1, 2), (1, 3), (0, nan)}"}, "direction=NE", "pred[3] {0, 1, 1}"},
    {"an implied type is no other op", {"s32[2] {1, 2}", "s32[2] {2, 1}"}, "direction=LT, type=SIGNED", "pred[2] {1, 0}"},
    {"total order of f32", {"f32[7] {-nan, -inf, -1, -0.0, 0, 1, inf}", "f32[7] {-inf, -1, -0.0, 0, 1, inf, nan}"},
     "direction=LT, type=TOTALORDER", {"pred[7] {1, 1, 1, 1, 1, 1, 1}"}, {.degenerate = true}},
    {"total order: equal only if the bits are", {"f32[4] {nan, 0, -nan, nan(0x1)}", "f32[4] {nan, -0.0, nan, nan(0x2)}"},
     "direction=EQ, type=TOTALORDER", "pred[4] {1, 0, 0, 0}"},
    {"total order: NaNs by payload", {"f32[2] {nan(0x1), -nan(0x1)}", "f32[2] {nan(0x2), -nan(0x2)}"},
     "direction=LT, type=TOTALORDER", "pred[2] {1, 0}"},
    {"total order of f64", {"f64[4] {-nan, -0.0, inf, nan}", "f64[4] {-inf, 0, nan, nan}"}, "direction=GE, type=TOTALORDER", "pred[4] {0, 0, 0, 1}"},
    {"total order of f16: NaNs by payload", {"f16[4] {nan(0x1), nan(0x1), -0.0, 1}", "f16[4] {nan(0x2), nan(0x201), 0, inf}"},
     "direction=LT, type=TOTALORDER", {"pred[4] {1, 1, 1, 1}"}, {.degenerate = true}},
    {"total order of bf16", {"bf16[4] {-nan, -1, -0.0, inf}", "bf16[4] {-inf, -2, 0, nan}"}, "direction=LT, type=TOTALORDER", "pred[4] {1, 0, 1, 1}"},
    {"total order of f8e4m3fnuz: NaN comes first", {"f8e4m3fnuz[4] {nan, -240, -1, 0}", "f8e4m3fnuz[4] {-240, -1, 0, 240}"},
     "direction=LT, type=TOTALORDER", {"pred[4] {1, 1, 1, 1}"}, {.degenerate = true}},
    {"total order of f8e8m0fnu is that of the byte", {"f8e8m0fnu[3] {1, nan, 4}", "f8e8m0fnu[3] {2, 4, nan}"},
     "direction=LT, type=TOTALORDER", "pred[3] {1, 0, 1}"},
    {"total order of f4e2m1fn", {"f4e2m1fn[3] {-6, -0.0, 6}", "f4e2m1fn[3] {6, 0, 4}"}, "direction=LT, type=TOTALORDER", "pred[3] {1, 1, 0}"},
    {"keeps dynamic dimensions", {"f32[<=3]", "f32[<=3]"}, "direction=EQ", Infers("pred[<=3]")},
    {"needs a direction", {"f32[]", "f32[]"}, "", Error("\"compare\" needs direction=...")},
    {"unknown direction", {"f32[]", "f32[]"}, "direction=LESS",
     Error("unknown comparison direction \"LESS\"; it is one of: EQ, NE, GE, GT, LE, LT")},
    {"no integer type for floats", {"f32[3]", "f32[3]"}, "direction=LT, type=SIGNED",
     Error("compare: type SIGNED is not for f32, whose type is FLOAT or TOTALORDER; lhs f32[3], rhs f32[3]")},
    {"no total order of integers", {"s32[3]", "s32[3]"}, "direction=LT, type=TOTALORDER",
     Error("compare: type TOTALORDER is not for s32, whose type is SIGNED; lhs s32[3], rhs s32[3]")},
    {"signedness fits", {"s32[3]", "s32[3]"}, "direction=LT, type=UNSIGNED",
     Error("compare: type UNSIGNED is not for s32, whose type is SIGNED; lhs s32[3], rhs s32[3]")},
    {"complex numbers have no order", {"c64[3]", "c64[3]"}, "direction=LT",
     Error("compare: complex numbers have no order: direction is LT, must be EQ or NE; lhs c64[3], rhs c64[3]")},
    {"dimensions agree", {"f32[3]", "f32[]"}, "direction=LT",
     Error("compare: operands must have the same dimensions; lhs f32[3], rhs f32[]")},
};
// clang-format on
const CaseTable kCompareCases = {"compare", kRows};

}  // namespace axle
