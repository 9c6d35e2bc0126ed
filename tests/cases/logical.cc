#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAndCases, kOrCases;

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
// clang-format on

}  // namespace axle
