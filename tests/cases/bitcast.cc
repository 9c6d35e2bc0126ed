#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kBitcastCases, kBitcastConvertCases, kCopyCases;

// clang-format off
static const OpCase kCopyRows[] = {
    {"the operand", {"f32[3] {1, -0.0, inf}"}, "", "f32[3] {1, -0.0, inf}"},
    {"scalar", {"s32[] 7"}, "", "s32[] 7"},
    {"one element", {"u8[1] {255}"}, "", "u8[1] {255}"},
    {"no elements", {"f32[2,0] {{}, {}}"}, "", "f32[2,0] {{}, {}}"},
    {"NaN payloads are kept", {"f16[3] {nan(0x1), -nan(0x3), 1}"}, "", "f16[3] {nan(0x1), -nan(0x3), 1}", {.exact_nan = true}},
    {"s4", {"s4[2] {-8, 7}"}, "", "s4[2] {-8, 7}"},
    {"pred", {"pred[2] {1, 0}"}, "", "pred[2] {1, 0}"},
    {"complex", {"c128[2] {(1, nan), (-0.0, 3)}"}, "", "c128[2] {(1, nan), (-0.0, 3)}"},
    {"another layout is no other value", {"f32[2,3]{0,1} {{1, 2, 3}, {4, 5, 6}}"}, "", "f32[2,3] {{1, 2, 3}, {4, 5, 6}}"},
    {"a tuple", {"(f32[], (s32[2], pred[0])) (1, ({2, 3}, {}))"}, "", "(f32[], (s32[2], pred[0])) (1, ({2, 3}, {}))"},
    {"keeps dynamic dimensions", {"f32[<=3]"}, "", Infers("f32[<=3]")},
    {"one operand", {"f32[]", "f32[]"}, "", Error("copy: has 2 operands but takes (operand); operand f32[], operand 1 f32[]")},
};
const CaseTable kCopyCases = {"copy", kCopyRows};

static const OpCase kBitcastRows[] = {
    {"row-major: a reshape", {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}"}, "", "f32[3,2] {{1, 2}, {3, 4}, {5, 6}}"},
    {"scalar", {"f32[1,1] {{2}}"}, "", "f32[] 2"},
    {"no elements", {"f32[0,2] {}"}, "", "f32[3,0] {{}, {}, {}}"},
    {"the result's layout: a transpose", {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}"}, "", "f32[3,2]{0,1} {{1, 4}, {2, 5}, {3, 6}}"},
    {"the operand's layout", {"f32[2,3]{0,1} {{1, 2, 3}, {4, 5, 6}}"}, "", "f32[6] {1, 4, 2, 5, 3, 6}"},
    {"another memory", {"f32[3] {1, 2, 3}"}, "", "f32[3,1]{1,0:S(5)} {{1}, {2}, {3}}"},
    {"another type", {"f32[2] {1, -2}"}, "", "s32[2] {1065353216, -1073741824}"},
    {"another width", {"u8[2,4] {{1, 2, 3, 4}, {0, 0, 0, 128}}"}, "", "u32[2] {67305985, 2147483648}"},
    {"sub-byte types stay", {"s4[2,2] {{-8, 7}, {1, 2}}"}, "", "s4[4] {-8, 7, 1, 2}"},
    {"as many bytes", {"f32[2]"}, "",
     Error("bitcast: the result f32[3] has 12 bytes, the operand 8; operand f32[2]", "f32[3]")},
    {"tiles", {"f32[8,128]"}, "",
     ErrorOf(StatusCode::kUnimplemented, "bitcast: to f32[1024]{0:T(1024)} from f32[8,128]{1,0} depends on how elements are packed; operand f32[8,128]", "f32[1024]{0:T(1024)}")},
    {"sub-byte types become no others", {"s4[2]"}, "",
     ErrorOf(StatusCode::kUnimplemented, "bitcast: to u4[2]{0} from s4[2]{0} depends on how elements are packed; operand s4[2]", "u4[2]")},
    {"arrays only", {"(f32[2])"}, "", Error("bitcast: expected an array, not (f32[2]); operand (f32[2])", "f32[2]")},
    {"to arrays only", {"f32[2]"}, "", Error("bitcast: cannot give token[]; operand f32[2]", "token[]")},
};
const CaseTable kBitcastCases = {"bitcast", kBitcastRows};

static const OpCase kBitcastConvertRows[] = {
    {"f32 to s32", {"f32[4] {1, -0.0, inf, nan}"}, "", "s32[4] {1065353216, -2147483648, 2139095040, 2143289344}"},
    {"complex to the same type", {"c64[1] {(nan(0x1), -0.0)}"}, "", "c64[1] {(nan(0x1), -0.0)}", {.exact_nan = true}},
    {"s32 to f32", {"s32[3] {1065353216, -2147483648, 2143289345}"}, "", "f32[3] {1, -0.0, nan(0x400001)}", {.exact_nan = true}},
    {"scalar", {"f64[] 1"}, "", "s64[] 4607182418800017408"},
    {"one element", {"u64[1] {18446744073709551615}"}, "", "s64[1] {-1}"},
    {"no elements", {"f32[0] {}"}, "", "u32[0] {}"},
    {"f16 to bf16", {"f16[2] {1, -2}"}, "", "bf16[2] {0.0078125, -2}"},
    {"f16 to s16", {"f16[3] {nan(0x1), -0.0, 1}"}, "", "s16[3] {31745, -32768, 15360}"},
    {"f8 to u8", {"f8e4m3fn[3] {-448, 1, nan}"}, "", "u8[3] {254, 56, 127}"},
    {"u8 to f8", {"u8[3] {254, 56, 128}"}, "", "f8e4m3fnuz[3] {-224, 0.5, nan}"},
    {"f8 to f8", {"f8e5m2[2] {1, -2}"}, "", "f8e4m3[2] {1.5, -2}"},
    {"s8 to f8e8m0fnu", {"s8[3] {127, -1, -128}"}, "", "f8e8m0fnu[3] {1, nan, 2}"},
    {"s4 to u4", {"s4[3] {-8, 7, -1}"}, "", "u4[3] {8, 7, 15}"},
    {"u4 to s4", {"u4[3] {8, 7, 15}"}, "", "s4[3] {-8, 7, -1}"},
    {"f4e2m1fn to s4", {"f4e2m1fn[3] {-6, 1, -0.0}"}, "", "s4[3] {-1, 2, -8}"},
    {"s4 to f4e2m1fn", {"s4[3] {-1, 2, -8}"}, "", "f4e2m1fn[3] {-6, 1, -0.0}"},
    {"u2 to s2", {"u2[4] {0, 1, 2, 3}"}, "", "s2[4] {0, 1, -2, -1}"},
    {"pred to u8", {"pred[2] {1, 0}"}, "", "u8[2] {1, 0}"},
    {"pred to s8", {"pred[2] {1, 0}"}, "", "s8[2] {1, 0}"},
    {"u8 to pred: any bit is true", {"u8[4] {0, 1, 2, 255}"}, "", "pred[4] {0, 1, 1, 1}"},
    {"to half the width", {"f32[2] {1, -2}"}, "", "f16[2,2] {{0, 1.875}, {0, -2}}"},
    {"a scalar in parts, the low ones first", {"u32[] 67305985"}, "", "u8[4] {1, 2, 3, 4}"},
    {"parts to one, the first are the low ones", {"u8[2,4] {{1, 2, 3, 4}, {0, 0, 0, 128}}"}, "", "u32[2] {67305985, 2147483648}"},
    {"parts to a scalar", {"u16[4] {1, 0, 0, 32768}"}, "", "s64[] -9223372036854775807"},
    {"no elements of parts", {"u8[0,4] {}"}, "", "u32[0] {}"},
    {"s8 to u4: the low half first", {"s8[2] {18, -16}"}, "", "u4[2,2] {{2, 1}, {0, 15}}"},
    {"s8 to s4", {"s8[2] {18, -16}"}, "", "s4[2,2] {{2, 1}, {0, -1}}"},
    {"s4 to s8", {"s4[2,2] {{2, 1}, {0, -1}}"}, "", "s8[2] {18, -16}"},
    {"s4 to s2 and their signs", {"s4[2] {-1, 6}"}, "", "s2[2,2] {{-1, -1}, {-2, 1}}"},
    {"u2 to s4", {"u2[2,2] {{3, 3}, {1, 0}}"}, "", "s4[2] {-1, 1}"},
    {"u1 to u8", {"u1[8] {1, 1, 0, 1, 1, 0, 0, 0}"}, "", "u8[] 27"},
    {"u32 to f4e2m1fn", {"u32[] 1985229336"}, "", "f4e2m1fn[8] {-0.0, 0.5, 1, 1.5, 2, 3, 4, 6}"},
    {"f16 to s4", {"f16[1] {1}"}, "", "s4[1,4] {{0, 0, -4, 3}}"},
    {"pred to u16", {"pred[2,2] {{1, 1}, {0, 1}}"}, "", "u16[2] {257, 256}"},
    {"u16 to pred", {"u16[2] {1, 512}"}, "", "pred[2,2] {{1, 0}, {0, 1}}"},
    {"pred to s4", {"pred[2] {1, 0}"}, "", "s4[2,2] {{1, 0}, {0, 0}}"},
    {"u4 to pred", {"u4[2,2] {{0, 8}, {0, 0}}"}, "", "pred[2] {1, 0}"},
    {"c64 to c128", {"c64[2] {(0, 1.875), (0, 2)}"}, "", "c128[] (1, 2)"},
    {"c128 to c64", {"c128[1] {(1, 2)}"}, "", "c64[1,2] {{(0, 1.875), (0, 2)}}"},
    {"keeps dynamic dimensions", {"f32[<=3]"}, "", Infers("f16[<=3,2]")},
    {"not between real and complex", {"f32[2]"}, "",
     Error("bitcast-convert: takes complex numbers to complex numbers only, not f32 to c64; operand f32[2]", "c64[]")},
    {"nor between complex and real", {"c64[2]"}, "",
     Error("bitcast-convert: takes complex numbers to complex numbers only, not c64 to u64; operand c64[2]", "u64[2]")},
    {"widths are multiples", {"f6e3m2fn[4]"}, "",
     Error("bitcast-convert: the widths of f6e3m2fn and u8, 6 and 8 bits, are not multiples of each other; operand f6e3m2fn[4]", "u8[3]")},
    {"to a wider type the last dimension goes", {"f16[4,3]"}, "",
     Error("bitcast-convert: the last dimension must have size 2, as many f16 as make one f32; operand f16[4,3]", "f32[4]")},
    {"so there must be one", {"u8[]"}, "",
     Error("bitcast-convert: the last dimension must have size 4, as many u8 as make one f32; operand u8[]", "f32[]")},
    {"of a fixed size", {"u8[<=4]"}, "",
     Error("bitcast-convert: the last dimension must have size 4, as many u8 as make one f32; operand u8[<=4]", "f32[]")},
    {"needs a shape", {"f32[1]"}, "", Error("\"bitcast-convert\" needs a shape before it")},
    {"arrays only", {"(f32[2])"}, "", Error("bitcast-convert: expected an array, not (f32[2]); operand (f32[2])", "f32[2]")},
    {"to arrays only", {"f32[2]"}, "", Error("bitcast-convert: cannot convert to token[]; operand f32[2]", "token[]")},
    {"the declared shape is checked", {"f32[2]"}, "", Error("\"bitcast-convert\" has shape f16[2,2], not f16[2]", "f16[2]")},
};
const CaseTable kBitcastConvertCases = {"bitcast-convert", kBitcastConvertRows};
// clang-format on

}  // namespace axle
