#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kStochasticConvertCases;

// clang-format off
static const OpCase kRows[] = {
    {"away from zero if random is below the fraction", {"f32[5] {2.25, 2.25, -2.25, -2.25, 2}", "u32[5] {1073741824, 1073741823, 1073741824, 1073741823, 0}"}, "",
     "s32[5] {2, 3, -2, -3, 2}"},
    {"scalar", {"f32[] 0.5", "u32[] 0"}, "", "s32[] 1"},
    {"one element", {"f64[1] {-1.5}", "u64[1] {18446744073709551615}"}, "", "s64[1] {-1}"},
    {"no elements", {"f32[0] {}", "u32[0] {}"}, "", "s32[0] {}"},
    {"limits", {"f32[6] {inf, -inf, 3e9, -3e9, 2147483648, nan}", "u32[6] {0, 0, 0, 0, 0, 0}"}, "",
     "s32[6] {2147483647, -2147483648, 2147483647, -2147483648, 2147483647, 0}"},
    {"limits of s8", {"f32[6] {127.5, 126.5, -127.5, -128.5, -128, 127}", "u32[6] {0, 0, 0, 0, 0, 0}"}, "", "s8[6] {127, 127, -128, -128, -128, 127}"},
    {"zeros and tiny values", {"f32[4] {-0.0, 1e-45, -1e-9, -1e-9}", "u32[4] {0, 0, 0, 5}"}, "", "s8[4] {0, 0, -1, 0}"},
    {"f64 to s64", {"f64[4] {0.5, 0.5, 9.3e18, -9223372036854775808}", "u64[4] {9223372036854775807, 9223372036854775808, 0, 0}"}, "",
     "s64[4] {1, 0, 9223372036854775807, -9223372036854775808}"},
    {"f16 to s16", {"f16[4] {1.5, 1.5, 65504, nan}", "u16[4] {32767, 32768, 0, 0}"}, "", "s16[4] {2, 1, 32767, 0}"},
    {"bf16 to s32", {"bf16[3] {1.5, -1.5, 3e9}", "u16[3] {32767, 32767, 0}"}, "", "s32[3] {2, -2, 2147483647}"},
    {"f8e5m2 to s4", {"f8e5m2[5] {2.5, 2.5, 7, -7, -57344}", "u8[5] {127, 128, 0, 0, 0}"}, "", "s4[5] {3, 2, 7, -7, -8}"},
    {"f4e2m1fn to s2", {"f4e2m1fn[4] {0.5, 0.5, 6, -1.5}", "u4[4] {7, 8, 0, 0}"}, "", "s2[4] {1, 0, 1, -2}"},
    {"keeps dynamic dimensions", {"f32[<=3]", "u32[<=3]"}, "", Infers("s8[<=3]")},
    {"random is unsigned", {"f32[3]", "s32[3]"}, "",
     Error("stochastic-convert: random must be an unsigned integer; operand f32[3], random s32[3]", "s8[3]")},
    {"operand is a float", {"s32[3]", "u32[3]"}, "",
     Error("stochastic-convert: operand must be a float; operand s32[3], random u32[3]", "s8[3]")},
    {"as many bits", {"f32[3]", "u16[3]"}, "",
     Error("stochastic-convert: random must have as many bits as operand: 16, not 32; operand f32[3], random u16[3]", "s8[3]")},
    {"dimensions agree", {"f32[3]", "u32[]"}, "",
     Error("stochastic-convert: operands must have the same dimensions; operand f32[3], random u32[]", "s8[3]")},
    {"to signed integers only", {"f32[3]", "u32[3]"}, "",
     ErrorOf(StatusCode::kUnimplemented, "stochastic-convert: converts to signed integers only, not to bf16; operand f32[3], random u32[3]", "bf16[3]")},
    {"to arrays only", {"f32[3]", "u32[3]"}, "",
     Error("stochastic-convert: cannot convert to token[]; operand f32[3], random u32[3]", "token[]")},
    {"arrays only", {"(f32[3])", "u32[3]"}, "",
     Error("stochastic-convert: expected an array, not (f32[3]); operand (f32[3]), random u32[3]", "s8[3]")},
};
// clang-format on
const CaseTable kStochasticConvertCases = {"stochastic-convert", kRows};

}  // namespace axle
