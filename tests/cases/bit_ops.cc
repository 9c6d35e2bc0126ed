#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kCountLeadingZerosCases, kMulhiCases, kPopcntCases, kShiftLeftCases,
    kShiftRightArithmeticCases, kShiftRightLogicalCases;

// clang-format off
static const OpCase kShiftLeftRows[] = {
    {"shifts, and gives 0 past the width", {"s32[8] {305419896, -268431360, 1, 3, 77, 1, -3, 77}", "s32[8] {4, 8, 2, 7, 15, 32, 100, -1}"}, "",
     "s32[8] {591751040, 1048576, 4, 384, 2523136, 0, 0, 0}"},
    {"scalars", {"s32[] 3", "s32[] 4"}, "", "s32[] 48"},
    {"one element", {"u64[1] {1}", "u64[1] {63}"}, "", "u64[1] {9223372036854775808}"},
    {"no elements", {"s32[0] {}", "s32[0] {}"}, "", "s32[0] {}"},
    {"by the width and more", {"u32[5] {1, 1, 1, 3, 4294967295}", "u32[5] {31, 32, 4294967295, 0, 1}"}, "", "u32[5] {2147483648, 0, 0, 3, 4294967294}"},
    {"s64", {"s64[4] {1, -1, 5, 1}", "s64[4] {63, 1, 64, -9223372036854775808}"}, "", "s64[4] {-9223372036854775808, -2, 0, 0}"},
    {"s16", {"s16[3] {1, 3, -1}", "s16[3] {15, 14, 16}"}, "", "s16[3] {-32768, -16384, 0}"},
    {"s8", {"s8[4] {1, 127, -1, 5}", "s8[4] {7, 1, 4, -128}"}, "", "s8[4] {-128, -2, -16, 0}"},
    {"u8", {"u8[4] {1, 255, 255, 5}", "u8[4] {7, 1, 8, 255}"}, "", "u8[4] {128, 254, 0, 0}"},
    {"s4 in four bits", {"s4[5] {1, 7, -1, 1, 3}", "s4[5] {3, 1, 2, 4, -1}"}, "", "s4[5] {-8, -2, -4, 0, 0}"},
    {"u2 in two bits", {"u2[4] {1, 3, 3, 1}", "u2[4] {1, 1, 2, 3}"}, "", "u2[4] {2, 2, 0, 0}"},
    {"s1", {"s1[2] {-1, -1}", "s1[2] {0, -1}"}, "", "s1[2] {-1, 0}"},
    {"not for pred", {"pred[1]", "pred[1]"}, "", Error("shift-left: takes integers only; lhs pred[1], rhs pred[1]")},
    {"not for floats", {"f32[1]", "f32[1]"}, "", Error("shift-left: takes integers only; lhs f32[1], rhs f32[1]")},
    {"types agree", {"s32[1]", "u32[1]"}, "",
     Error("shift-left: operands have different element types s32 and u32; lhs s32[1], rhs u32[1]")},
    {"dimensions agree", {"s32[2]", "s32[]"}, "",
     Error("shift-left: operands must have the same dimensions; lhs s32[2], rhs s32[]")},
};
const CaseTable kShiftLeftCases = {"shift-left", kShiftLeftRows};

static const OpCase kShiftRightArithmeticRows[] = {
    {"shifts, and repeats the sign past the width", {"s32[8] {-1842063752, 268439552, 1, 3, 77, 1, -3, 77}", "s32[8] {4, 8, 2, 7, 2, 32, 100, -1}"}, "",
     "s32[8] {-115128985, 1048592, 0, 0, 19, 0, -1, 0}"},
    {"scalars", {"s32[] -8", "s32[] 1"}, "", "s32[] -4"},
    {"one element", {"s64[1] {-9223372036854775808}", "s64[1] {63}"}, "", "s64[1] {-1}"},
    {"no elements", {"s32[0] {}", "s32[0] {}"}, "", "s32[0] {}"},
    {"unsigned types are taken as signed", {"u32[4] {4294967295, 2147483648, 2147483647, 2147483648}", "u32[4] {4, 31, 30, 32}"}, "",
     "u32[4] {4294967295, 4294967295, 1, 4294967295}"},
    {"u64", {"u64[3] {18446744073709551615, 9223372036854775808, 4}", "u64[3] {64, 1, 1}"}, "", "u64[3] {18446744073709551615, 13835058055282163712, 2}"},
    {"s8", {"s8[4] {-128, 127, -1, -128}", "s8[4] {7, 6, 100, -1}"}, "", "s8[4] {-1, 1, -1, -1}"},
    {"u8", {"u8[4] {128, 127, 255, 64}", "u8[4] {7, 6, 8, 255}"}, "", "u8[4] {255, 1, 255, 0}"},
    {"s4 in four bits", {"s4[5] {-8, 7, -8, 7, 5}", "s4[5] {2, 1, 4, -8, 0}"}, "", "s4[5] {-2, 3, -1, 0, 5}"},
    {"u4 in four bits", {"u4[4] {8, 7, 15, 4}", "u4[4] {2, 1, 15, 9}"}, "", "u4[4] {14, 3, 15, 0}"},
    {"u2 in two bits", {"u2[3] {2, 1, 3}", "u2[3] {1, 1, 2}"}, "", "u2[3] {3, 0, 3}"},
    {"s1", {"s1[3] {-1, -1, 0}", "s1[3] {0, -1, -1}"}, "", "s1[3] {-1, -1, 0}"},
    {"not for complex numbers", {"c64[1]", "c64[1]"}, "",
     Error("shift-right-arithmetic: takes integers only; lhs c64[1], rhs c64[1]")},
};
const CaseTable kShiftRightArithmeticCases = {"shift-right-arithmetic", kShiftRightArithmeticRows};

static const OpCase kShiftRightLogicalRows[] = {
    {"shifts, and gives 0 past the width", {"s32[8] {-1842063752, 268439552, 1, 3, 77, 1, -3, 77}", "s32[8] {4, 8, 2, 7, 2, 32, 100, -1}"}, "",
     "s32[8] {153306471, 1048592, 0, 0, 19, 0, 0, 0}"},
    {"scalars", {"s32[] -8", "s32[] 1"}, "", "s32[] 2147483644"},
    {"one element", {"s64[1] {-1}", "s64[1] {1}"}, "", "s64[1] {9223372036854775807}"},
    {"no elements", {"u32[0] {}", "u32[0] {}"}, "", "u32[0] {}"},
    {"u32", {"u32[4] {4294967295, 2147483648, 5, 5}", "u32[4] {31, 4, 32, 4294967295}"}, "", "u32[4] {1, 134217728, 0, 0}"},
    {"s16", {"s16[3] {-1, -32768, 5}", "s16[3] {1, 15, 16}"}, "", "s16[3] {32767, 1, 0}"},
    {"s8", {"s8[4] {-128, 127, -1, -1}", "s8[4] {7, 6, 100, -128}"}, "", "s8[4] {1, 1, 0, 0}"},
    {"s4 in four bits", {"s4[5] {-8, 7, -1, -1, -2}", "s4[5] {2, 1, 1, 4, 0}"}, "", "s4[5] {2, 3, 7, 0, -2}"},
    {"s2 in two bits", {"s2[3] {-1, -2, -1}", "s2[3] {1, 0, -2}"}, "", "s2[3] {1, -2, 0}"},
    {"u4 in four bits", {"u4[3] {15, 8, 9}", "u4[3] {1, 3, 7}"}, "", "u4[3] {7, 1, 0}"},
    {"not for pred", {"pred[1]", "pred[1]"}, "", Error("shift-right-logical: takes integers only; lhs pred[1], rhs pred[1]")},
};
const CaseTable kShiftRightLogicalCases = {"shift-right-logical", kShiftRightLogicalRows};

static const OpCase kCountLeadingZerosRows[] = {
    {"counts", {"u32[5] {0, 1, 16, 305419896, 4294967295}"}, "", "u32[5] {32, 31, 27, 3, 0}"},
    {"scalar", {"s32[] 1"}, "", "s32[] 31"},
    {"one element", {"s64[1] {4611686018427387904}"}, "", "s64[1] {1}"},
    {"no elements", {"u8[0] {}"}, "", "u8[0] {}"},
    {"signed integers are patterns", {"s32[4] {-1, -2147483648, 2147483647, 0}"}, "", "s32[4] {0, 0, 1, 32}"},
    {"64 bits", {"u64[4] {0, 1, 18446744073709551615, 4294967296}"}, "", "u64[4] {64, 63, 0, 31}"},
    {"16 bits", {"s16[3] {0, 255, -1}"}, "", "s16[3] {16, 8, 0}"},
    {"8 bits", {"u8[4] {0, 1, 255, 16}"}, "", "u8[4] {8, 7, 0, 3}"},
    {"s4 in four bits", {"s4[4] {0, 1, 7, -8}"}, "", "s4[4] {4, 3, 1, 0}"},
    {"u4 in four bits", {"u4[4] {0, 1, 7, 15}"}, "", "u4[4] {4, 3, 1, 0}"},
    {"s2 wraps", {"s2[4] {0, 1, -2, -1}"}, "", "s2[4] {-2, 1, 0, 0}"},
    {"u2", {"u2[4] {0, 1, 2, 3}"}, "", "u2[4] {2, 1, 0, 0}"},
    {"u1", {"u1[2] {0, 1}"}, "", "u1[2] {1, 0}"},
    {"not for pred", {"pred[1]"}, "", Error("count-leading-zeros: takes integers only; operand pred[1]")},
    {"not for floats", {"f32[1]"}, "", Error("count-leading-zeros: takes integers only; operand f32[1]")},
};
const CaseTable kCountLeadingZerosCases = {"count-leading-zeros", kCountLeadingZerosRows};

static const OpCase kPopcntRows[] = {
    {"counts", {"u32[5] {0, 1, 16, 305419896, 4294967295}"}, "", "u32[5] {0, 1, 1, 13, 32}"},
    {"scalar", {"s32[] 7"}, "", "s32[] 3"},
    {"one element", {"s64[1] {-1}"}, "", "s64[1] {64}"},
    {"no elements", {"s8[0] {}"}, "", "s8[0] {}"},
    {"signed integers are patterns", {"s32[4] {-1, -2147483648, 2147483647, 0}"}, "", "s32[4] {32, 1, 31, 0}"},
    {"64 bits", {"u64[3] {0, 18446744073709551615, 4294967297}"}, "", "u64[3] {0, 64, 2}"},
    {"16 bits", {"s16[3] {0, 255, -1}"}, "", "s16[3] {0, 8, 16}"},
    {"8 bits", {"s8[4] {0, 127, -1, -128}"}, "", "s8[4] {0, 7, 8, 1}"},
    {"s4 in four bits", {"s4[4] {-6, -1, 7, 0}"}, "", "s4[4] {2, 4, 3, 0}"},
    {"u4 in four bits", {"u4[4] {0, 1, 7, 15}"}, "", "u4[4] {0, 1, 3, 4}"},
    {"s2 wraps", {"s2[4] {0, 1, -2, -1}"}, "", "s2[4] {0, 1, 1, -2}"},
    {"s1 wraps", {"s1[2] {-1, 0}"}, "", "s1[2] {-1, 0}"},
    {"not for pred", {"pred[1]"}, "", Error("popcnt: takes integers only; operand pred[1]")},
    {"not for floats", {"f32[1]"}, "", Error("popcnt: takes integers only; operand f32[1]")},
};
const CaseTable kPopcntCases = {"popcnt", kPopcntRows};

static const OpCase kMulhiRows[] = {
    {"upper half", {"u32[4] {4294967295, 65536, 3, 2147483648}", "u32[4] {4294967295, 65536, 5, 6}"}, "", "u32[4] {4294967294, 1, 0, 3}"},
    {"scalars", {"s32[] 1000000", "s32[] 1000000"}, "", "s32[] 232"},
    {"one element", {"u64[1] {18446744073709551615}", "u64[1] {18446744073709551615}"}, "", "u64[1] {18446744073709551614}"},
    {"no elements", {"s32[0] {}", "s32[0] {}"}, "", "s32[0] {}"},
    {"signed", {"s32[4] {-1, -2147483648, 2147483647, -5}", "s32[4] {1, -2147483648, 2147483647, 3}"}, "", "s32[4] {-1, 1073741824, 1073741823, -1}"},
    {"s64", {"s64[3] {-9223372036854775808, 9223372036854775807, -1}", "s64[3] {-9223372036854775808, 2, 1}"}, "", "s64[3] {4611686018427387904, 0, -1}"},
    {"u16", {"u16[2] {65535, 256}", "u16[2] {65535, 256}"}, "", "u16[2] {65534, 1}"},
    {"s16", {"s16[2] {-32768, -2}", "s16[2] {-32768, 3}"}, "", "s16[2] {16384, -1}"},
    {"s8", {"s8[3] {-128, 127, -1}", "s8[3] {-128, 127, 1}"}, "", "s8[3] {64, 63, -1}"},
    {"u8", {"u8[2] {255, 16}", "u8[2] {255, 16}"}, "", "u8[2] {254, 1}"},
    {"s4", {"s4[3] {-8, 7, -8}", "s4[3] {-8, 7, 7}"}, "", "s4[3] {4, 3, -4}"},
    {"u4", {"u4[2] {15, 4}", "u4[2] {15, 4}"}, "", "u4[2] {14, 1}"},
    {"s2", {"s2[3] {-2, -2, 1}", "s2[3] {-2, 1, 1}"}, "", "s2[3] {1, -1, 0}"},
    {"u2", {"u2[2] {3, 2}", "u2[2] {3, 1}"}, "", "u2[2] {2, 0}"},
    {"s1 and its one negative number", {"s1[3] {-1, -1, 0}", "s1[3] {-1, 0, 0}"}, "", "s1[3] {0, 0, 0}", {.degenerate = true}},
    {"u1", {"u1[3] {1, 1, 0}", "u1[3] {1, 0, 0}"}, "", "u1[3] {0, 0, 0}", {.degenerate = true}},
    {"types agree", {"s32[1]", "u32[1]"}, "",
     Error("mulhi: operands have different element types s32 and u32; lhs s32[1], rhs u32[1]")},
    {"dimensions agree", {"s32[2]", "s32[3]"}, "",
     Error("mulhi: operands must have the same dimensions; lhs s32[2], rhs s32[3]")},
    {"not for floats", {"f32[1]", "f32[1]"}, "", Error("mulhi: takes integers only; lhs f32[1], rhs f32[1]")},
    {"not for pred", {"pred[1]", "pred[1]"}, "", Error("mulhi: takes integers only; lhs pred[1], rhs pred[1]")},
    {"not for complex numbers", {"c64[1]", "c64[1]"}, "", Error("mulhi: takes integers only; lhs c64[1], rhs c64[1]")},
};
const CaseTable kMulhiCases = {"mulhi", kMulhiRows};
// clang-format on

}  // namespace axle
