#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kSelectCases;

// clang-format off
static const OpCase kRows[] = {
    {"at run-time sizes", {"pred[<=3](2) {1, 0}", "s32[3] {1, 2, 3}", "s32[<=3](2) {4, 5}"}, "", "s32[<=3](2) {1, 5}"},
    {"selects", {"pred[4] {1, 0, 0, 1}", "s32[4] {1, 2, 3, 4}", "s32[4] {100, 200, 300, 400}"}, "", "s32[4] {1, 200, 300, 4}"},
    {"one pred for all", {"pred[] 1", "f32[4] {1, 2, 3, 4}", "f32[4] {5, 6, 7, 8}"}, "", "f32[4] {1, 2, 3, 4}"},
    {"one pred for all of a matrix", {"pred[] 0", "s8[1,2] {{1, 127}}", "s8[1,2] {{-128, 5}}"}, "", "s8[1,2] {{-128, 5}}"},
    {"scalars", {"pred[] 0", "f64[] 1", "f64[] 2"}, "", "f64[] 2"},
    {"one element", {"pred[1] {1}", "u64[1] {18446744073709551615}", "u64[1] {0}"}, "", "u64[1] {18446744073709551615}"},
    {"no elements", {"pred[0] {}", "f32[0] {}", "f32[0] {}"}, "", "f32[0] {}"},
    {"the other element has no influence", {"pred[3] {1, 1, 0}", "f32[3] {1, -0.0, nan}", "f32[3] {nan, inf, -inf}"}, "", "f32[3] {1, -0.0, -inf}"},
    {"NaN payloads are kept", {"pred[2] {1, 0}", "f32[2] {nan(0x123), 1}", "f32[2] {1, -nan(0x7)}"}, "",
     "f32[2] {nan(0x123), -nan(0x7)}", {.exact_nan = true}},
    {"NaN payloads of f16 are kept", {"pred[3] {1, 0, 1}", "f16[3] {nan(0x1), 1, -nan(0x3ff)}", "f16[3] {1, -nan(0x7), 1}"}, "",
     "f16[3] {nan(0x1), -nan(0x7), -nan(0x3ff)}", {.exact_nan = true}},
    {"NaN payloads of bf16 are kept", {"pred[1] {1}", "bf16[1] {nan(0x1)}", "bf16[1] {1}"}, "", "bf16[1] {nan(0x1)}", {.exact_nan = true}},
    {"NaN payloads of f8e5m2 are kept", {"pred[2] {1, 0}", "f8e5m2[2] {nan(0x1), 1}", "f8e5m2[2] {1, -nan(0x3)}"}, "",
     "f8e5m2[2] {nan(0x1), -nan(0x3)}", {.exact_nan = true}},
    {"pred", {"pred[2] {1, 0}", "pred[2] {0, 0}", "pred[2] {1, 1}"}, "", "pred[2] {0, 1}"},
    {"s4", {"pred[2] {1, 0}", "s4[2] {-8, 1}", "s4[2] {1, 7}"}, "", "s4[2] {-8, 7}"},
    {"f4e2m1fn", {"pred[2] {1, 0}", "f4e2m1fn[2] {-0.0, 1}", "f4e2m1fn[2] {1, 6}"}, "", "f4e2m1fn[2] {-0.0, 6}"},
    {"complex", {"pred[2] {1, 0}", "c64[2] {(1, 2), (3, 4)}", "c64[2] {(5, 6), (7, nan)}"}, "", "c64[2] {(1, 2), (7, nan)}"},
    {"one pred for complex numbers", {"pred[] 0", "c128[1] {(1, 2)}", "c128[1] {(5, 6)}"}, "", "c128[1] {(5, 6)}"},
    {"dynamic where an operand is", {"pred[<=3]", "f32[3]", "f32[3]"}, "", Infers("f32[<=3]")},
    {"pred is a pred", {"s32[3]", "f32[3]", "f32[3]"}, "",
     Error("select: pred must be pred[] or pred[3]; pred s32[3], on_true f32[3], on_false f32[3]")},
    {"pred has the dimensions", {"pred[2]", "f32[3]", "f32[3]"}, "",
     Error("select: pred must be pred[] or pred[3]; pred pred[2], on_true f32[3], on_false f32[3]")},
    {"branches agree", {"pred[3]", "f32[3]", "f32[2]"}, "",
     Error("select: operands must have the same dimensions; pred pred[3], on_true f32[3], on_false f32[2]")},
    {"no scalar branch", {"pred[3]", "f32[3]", "f32[]"}, "",
     Error("select: operands must have the same dimensions; pred pred[3], on_true f32[3], on_false f32[]")},
    {"types agree", {"pred[3]", "f32[3]", "s32[3]"}, "",
     Error("select: operands have different element types f32 and s32; pred pred[3], on_true f32[3], on_false s32[3]")},
    {"no tuples", {"pred[]", "(f32[])", "(f32[])"}, "",
     Error("select: expected an array, not (f32[]); pred pred[], on_true (f32[]), on_false (f32[])")},
    {"no mixed precision", {"pred[3]", "f32[3]", "f16[3]"}, "",
     Error("select: mixed precision: operands of f32 and f16; pred pred[3], on_true f32[3], on_false f16[3]")},
};
// clang-format on
const CaseTable kSelectCases = {"select", kRows};

}  // namespace axle
