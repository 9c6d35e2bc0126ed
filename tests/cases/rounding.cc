#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kCeilCases, kFloorCases, kIsFiniteCases, kRoundNearestAfzCases,
    kRoundNearestEvenCases;

// clang-format off
static const OpCase kCeilRows[] = {
    {"upwards", {"f32[5] {1.1, -1.1, 2, 0.5, -2.9}"}, "", "f32[5] {2, -1, 2, 1, -2}"},
    {"scalar", {"f64[] 0.1"}, "", "f64[] 1"},
    {"one element", {"f16[1] {2.5}"}, "", "f16[1] {3}"},
    {"no elements", {"f32[0,2] {}"}, "", "f32[0,2] {}"},
    {"zeros keep their sign, -0.5 gives -0", {"f32[4] {0, -0.0, -0.5, -1}"}, "", "f32[4] {0, -0.0, -0.0, -1}"},
    {"NaN and infinities stay", {"f32[4] {nan, inf, -inf, 0.1}"}, "", "f32[4] {nan, inf, -inf, 1}"},
    {"subnormals", {"f32[2] {1e-45, -1e-45}"}, "", "f32[2] {1, -0.0}"},
    {"large values are integral", {"f32[3] {8388607.5, 16777217, -8388608.5}"}, "", "f32[3] {8388608, 16777216, -8388608}"},
    {"f64", {"f64[3] {4503599627370495.5, -0.3, 1e300}"}, "", "f64[3] {4503599627370496, -0.0, 1e300}"},
    {"bf16", {"bf16[3] {1.0078125, -127.5, 300}"}, "", "bf16[3] {2, -127, 300}"},
    {"f8e4m3fn", {"f8e4m3fn[3] {1.125, nan, -0.5}"}, "", "f8e4m3fn[3] {2, nan, -0.0}"},
    {"f8e5m2", {"f8e5m2[3] {1.25, inf, -3.5}"}, "", "f8e5m2[3] {2, inf, -3}"},
    {"fnuz types have no -0", {"f8e4m3fnuz[2] {-0.5, 1.5}"}, "", "f8e4m3fnuz[2] {0, 2}"},
    {"f4e2m1fn", {"f4e2m1fn[4] {0.5, 1.5, -1.5, 6}"}, "", "f4e2m1fn[4] {1, 2, -1, 6}"},
    {"f8e8m0fnu", {"f8e8m0fnu[3] {0.25, 4, nan}"}, "", "f8e8m0fnu[3] {1, 4, nan}"},
    {"keeps dynamic dimensions", {"f32[<=3]"}, "", Infers("f32[<=3]")},
    {"floats only", {"s32[3]"}, "", Error("ceil: takes floats only; operand s32[3]")},
    {"not for complex numbers", {"c64[3]"}, "", Error("ceil: takes floats only; operand c64[3]")},
    {"arrays only", {"(f32[3])"}, "", Error("ceil: expected an array, not (f32[3]); operand (f32[3])")},
};
const CaseTable kCeilCases = {"ceil", kCeilRows};

static const OpCase kFloorRows[] = {
    {"downwards", {"f32[5] {1.9, -1.1, 2, 0.5, -2.9}"}, "", "f32[5] {1, -2, 2, 0, -3}"},
    {"scalar", {"f64[] -0.1"}, "", "f64[] -1"},
    {"one element", {"f16[1] {2.5}"}, "", "f16[1] {2}"},
    {"no elements", {"f64[0] {}"}, "", "f64[0] {}"},
    {"zeros keep their sign", {"f32[4] {0, -0.0, 0.5, -0.5}"}, "", "f32[4] {0, -0.0, 0, -1}"},
    {"NaN and infinities stay", {"f32[4] {nan, inf, -inf, 1.1}"}, "", "f32[4] {nan, inf, -inf, 1}"},
    {"subnormals", {"f32[2] {1e-45, -1e-45}"}, "", "f32[2] {0, -1}"},
    {"large values are integral", {"f32[3] {8388607.5, 16777217, -8388607.5}"}, "", "f32[3] {8388607, 16777216, -8388608}"},
    {"bf16", {"bf16[3] {1.9921875, -127.5, 300}"}, "", "bf16[3] {1, -128, 300}"},
    {"f8e4m3b11fnuz", {"f8e4m3b11fnuz[3] {-0.5, 1.5, nan}"}, "", "f8e4m3b11fnuz[3] {-1, 1, nan}"},
    {"f8e3m4", {"f8e3m4[3] {-15.5, 1.0625, inf}"}, "", "f8e3m4[3] {-inf, 1, inf}"},
    {"f4e2m1fn", {"f4e2m1fn[4] {0.5, 1.5, -1.5, -6}"}, "", "f4e2m1fn[4] {0, 1, -2, -6}"},
    {"f8e8m0fnu has no zero", {"f8e8m0fnu[3] {0.25, 4, nan}"}, "", "f8e8m0fnu[3] {nan, 4, nan}"},
    {"floats only", {"pred[3]"}, "", Error("floor: takes floats only; operand pred[3]")},
};
const CaseTable kFloorCases = {"floor", kFloorRows};

static const OpCase kRoundNearestAfzRows[] = {
    {"halves away from zero", {"f32[6] {0.5, -0.5, 1.5, 2.5, -2.5, -3.5}"}, "", "f32[6] {1, -1, 2, 3, -3, -4}"},
    {"to the nearest", {"f32[5] {0.4, -0.4, 1.6, -1.4, 7}"}, "", "f32[5] {0, -0.0, 2, -1, 7}"},
    {"scalar", {"f64[] 2.5"}, "", "f64[] 3"},
    {"one element", {"f16[1] {-1.5}"}, "", "f16[1] {-2}"},
    {"no elements", {"bf16[2,0] {{}, {}}"}, "", "bf16[2,0] {{}, {}}"},
    {"just below a half", {"f32[3] {0.49999997, -0.49999997, 0.5}"}, "", "f32[3] {0, -0.0, 1}"},
    {"just below a half in f64", {"f64[2] {0.49999999999999994, 0.5}"}, "", "f64[2] {0, 1}"},
    {"zeros keep their sign", {"f32[3] {0, -0.0, -1e-45}"}, "", "f32[3] {0, -0.0, -0.0}"},
    {"NaN and infinities stay", {"f32[4] {nan, inf, -inf, 0.7}"}, "", "f32[4] {nan, inf, -inf, 1}"},
    {"large odd values stay", {"f32[3] {8388609, -16777215, 4194304.5}"}, "", "f32[3] {8388609, -16777215, 4194305}"},
    {"bf16", {"bf16[3] {0.5, 126.5, -255}"}, "", "bf16[3] {1, 127, -255}"},
    {"f8e5m2fnuz", {"f8e5m2fnuz[3] {-0.25, 2.5, nan}"}, "", "f8e5m2fnuz[3] {0, 3, nan}"},
    {"f8e4m3", {"f8e4m3[3] {1.5, 2.5, -inf}"}, "", "f8e4m3[3] {2, 3, -inf}"},
    {"f4e2m1fn", {"f4e2m1fn[4] {0.5, 1.5, -1.5, 6}"}, "", "f4e2m1fn[4] {1, 2, -2, 6}"},
    {"f8e8m0fnu", {"f8e8m0fnu[3] {0.5, 2, 0.25}"}, "", "f8e8m0fnu[3] {1, 2, nan}"},
    {"floats only", {"u8[3]"}, "", Error("round-nearest-afz: takes floats only; operand u8[3]")},
};
const CaseTable kRoundNearestAfzCases = {"round-nearest-afz", kRoundNearestAfzRows};

static const OpCase kRoundNearestEvenRows[] = {
    {"halves to even", {"f32[6] {0.5, -0.5, 1.5, 2.5, -2.5, -3.5}"}, "", "f32[6] {0, -0.0, 2, 2, -2, -4}"},
    {"to the nearest", {"f32[5] {0.6, -0.4, 1.6, -1.4, 7}"}, "", "f32[5] {1, -0.0, 2, -1, 7}"},
    {"scalar", {"f64[] 2.5"}, "", "f64[] 2"},
    {"one element", {"f16[1] {-1.5}"}, "", "f16[1] {-2}"},
    {"no elements", {"f32[0] {}"}, "", "f32[0] {}"},
    {"zeros keep their sign", {"f32[3] {0, -0.0, -1e-45}"}, "", "f32[3] {0, -0.0, -0.0}"},
    {"NaN and infinities stay", {"f32[4] {nan, inf, -inf, 0.7}"}, "", "f32[4] {nan, inf, -inf, 1}"},
    {"large values", {"f32[3] {8388609, 4194304.5, 4194305.5}"}, "", "f32[3] {8388609, 4194304, 4194306}"},
    {"f64", {"f64[3] {4503599627370495.5, 2251799813685248.5, -0.5}"}, "", "f64[3] {4503599627370496, 2251799813685248, -0.0}"},
    {"bf16", {"bf16[3] {0.5, 126.5, -255}"}, "", "bf16[3] {0, 126, -255}"},
    {"f8e4m3fnuz", {"f8e4m3fnuz[3] {-0.5, 2.5, nan}"}, "", "f8e4m3fnuz[3] {0, 2, nan}"},
    {"f4e2m1fn", {"f4e2m1fn[4] {0.5, 1.5, -0.5, 6}"}, "", "f4e2m1fn[4] {0, 2, -0.0, 6}"},
    {"floats only", {"s8[3]"}, "", Error("round-nearest-even: takes floats only; operand s8[3]")},
};
const CaseTable kRoundNearestEvenCases = {"round-nearest-even", kRoundNearestEvenRows};

static const OpCase kIsFiniteRows[] = {
    {"neither NaN nor infinite", {"f32[6] {1, nan, inf, -inf, -0.0, 3.4028235e38}"}, "", "pred[6] {1, 0, 0, 0, 1, 1}"},
    {"scalar", {"f64[] inf"}, "", "pred[] 0"},
    {"one element", {"f16[1] {65504}"}, "", "pred[1] {1}"},
    {"no elements", {"f32[0] {}"}, "", "pred[0] {}"},
    {"subnormals", {"f32[2] {1e-45, nan}"}, "", "pred[2] {1, 0}"},
    {"f64", {"f64[3] {1.7976931348623157e308, -nan, 5e-324}"}, "", "pred[3] {1, 0, 1}"},
    {"f16", {"f16[3] {inf, nan, -65504}"}, "", "pred[3] {0, 0, 1}"},
    {"bf16", {"bf16[3] {-inf, nan, 3e38}"}, "", "pred[3] {0, 0, 1}"},
    {"f8e5m2", {"f8e5m2[3] {inf, nan, 57344}"}, "", "pred[3] {0, 0, 1}"},
    {"f8e4m3", {"f8e4m3[3] {inf, nan, 240}"}, "", "pred[3] {0, 0, 1}"},
    {"f8e3m4", {"f8e3m4[3] {inf, nan, 15.5}"}, "", "pred[3] {0, 0, 1}"},
    {"f8e4m3fn has NaN only", {"f8e4m3fn[3] {448, nan, -0.0}"}, "", "pred[3] {1, 0, 1}"},
    {"f8e4m3b11fnuz has NaN only", {"f8e4m3b11fnuz[3] {30, nan, 0}"}, "", "pred[3] {1, 0, 1}"},
    {"f8e5m2fnuz has NaN only", {"f8e5m2fnuz[3] {57344, nan, 0}"}, "", "pred[3] {1, 0, 1}"},
    {"f8e4m3fnuz has NaN only", {"f8e4m3fnuz[3] {240, nan, 0}"}, "", "pred[3] {1, 0, 1}"},
    {"f8e8m0fnu has NaN only", {"f8e8m0fnu[3] {1.7014118e38, nan, 5.8774718e-39}"}, "", "pred[3] {1, 0, 1}"},
    {"f4e2m1fn is always finite", {"f4e2m1fn[2] {6, -6}"}, "", "pred[2] {1, 1}"},
    {"keeps dynamic dimensions", {"f32[<=3]"}, "", Infers("pred[<=3]")},
    {"floats only", {"s32[3]"}, "", Error("is-finite: takes floats only; operand s32[3]")},
    {"not for complex numbers", {"c64[3]"}, "", Error("is-finite: takes floats only; operand c64[3]")},
};
const CaseTable kIsFiniteCases = {"is-finite", kIsFiniteRows};
// clang-format on

}  // namespace axle
