#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAndCases, kNotCases, kOrCases, kXorCases;

// clang-format off
static const OpCase kAndRows[] = {
    {"pred", {"pred[4] {0, 0, 1, 1}", "pred[4] {0, 1, 0, 1}"}, "", "pred[4] {0, 0, 0, 1}"},
    {"scalars", {"u8[] 12", "u8[] 10"}, "", "u8[] 8"},
    {"one element", {"s64[1] {-1}", "s64[1] {9223372036854775807}"}, "", "s64[1] {9223372036854775807}"},
    {"no elements", {"pred[0] {}", "pred[0] {}"}, "", "pred[0] {}"},
    {"bits", {"s32[3] {12, -1, -2147483648}", "s32[3] {10, 7, 2147483647}"}, "", "s32[3] {8, 7, 0}"},
    {"s4", {"s4[2] {-8, 7}", "s4[2] {-1, 5}"}, "", "s4[2] {-8, 5}"},
    {"not for floats", {"f32[1]", "f32[1]"}, "",
     Error("and: takes pred and integers only; lhs f32[1], rhs f32[1]")},
};
const CaseTable kAndCases = {"and", kAndRows};

static const OpCase kOrRows[] = {
    {"pred", {"pred[4] {0, 0, 1, 1}", "pred[4] {0, 1, 0, 1}"}, "", "pred[4] {0, 1, 1, 1}"},
    {"scalars", {"u8[] 12", "u8[] 10"}, "", "u8[] 14"},
    {"one element", {"u64[1] {18446744073709551614}", "u64[1] {1}"}, "", "u64[1] {18446744073709551615}"},
    {"no elements", {"s32[0] {}", "s32[0] {}"}, "", "s32[0] {}"},
    {"bits", {"s32[3] {12, -8, -2147483648}", "s32[3] {10, 7, 2147483647}"}, "", "s32[3] {14, -1, -1}"},
    {"u2", {"u2[2] {1, 2}", "u2[2] {2, 2}"}, "", "u2[2] {3, 2}"},
    {"not for complex numbers", {"c64[1]", "c64[1]"}, "",
     Error("or: takes pred and integers only; lhs c64[1], rhs c64[1]")},
};
const CaseTable kOrCases = {"or", kOrRows};

static const OpCase kXorRows[] = {
    {"pred", {"pred[4] {0, 0, 1, 1}", "pred[4] {0, 1, 0, 1}"}, "", "pred[4] {0, 1, 1, 0}"},
    {"scalars", {"u8[] 12", "u8[] 10"}, "", "u8[] 6"},
    {"one element", {"u64[1] {18446744073709551615}", "u64[1] {1}"}, "", "u64[1] {18446744073709551614}"},
    {"no elements", {"s32[0] {}", "s32[0] {}"}, "", "s32[0] {}"},
    {"bits", {"s32[3] {12, -8, -2147483648}", "s32[3] {10, 7, 2147483647}"}, "", "s32[3] {6, -1, -1}"},
    {"s4", {"s4[3] {-8, 7, -1}", "s4[3] {-1, 5, 1}"}, "", "s4[3] {7, 2, -2}"},
    {"u2", {"u2[2] {1, 3}", "u2[2] {2, 2}"}, "", "u2[2] {3, 1}"},
    {"not for floats", {"bf16[1]", "bf16[1]"}, "",
     Error("xor: takes pred and integers only; lhs bf16[1], rhs bf16[1]")},
};
const CaseTable kXorCases = {"xor", kXorRows};

static const OpCase kNotRows[] = {
    {"pred", {"pred[2] {0, 1}"}, "", "pred[2] {1, 0}"},
    {"scalar", {"u8[] 12"}, "", "u8[] 243"},
    {"one element", {"u64[1] {0}"}, "", "u64[1] {18446744073709551615}"},
    {"no elements", {"pred[0] {}"}, "", "pred[0] {}"},
    {"bits", {"s32[4] {0, -1, -2147483648, 5}"}, "", "s32[4] {-1, 0, 2147483647, -6}"},
    {"s16", {"s16[2] {-32768, 1}"}, "", "s16[2] {32767, -2}"},
    {"s4 in four bits", {"s4[3] {-8, 7, 0}"}, "", "s4[3] {7, -8, -1}"},
    {"u4 in four bits", {"u4[3] {0, 15, 5}"}, "", "u4[3] {15, 0, 10}"},
    {"u1", {"u1[2] {0, 1}"}, "", "u1[2] {1, 0}"},
    {"not for floats", {"f32[1]"}, "", Error("not: takes pred and integers only; operand f32[1]")},
    {"not for complex numbers", {"c64[1]"}, "", Error("not: takes pred and integers only; operand c64[1]")},
};
const CaseTable kNotCases = {"not", kNotRows};
// clang-format on

}  // namespace axle
