#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kPadCases;

// clang-format off
static const OpCase kRows[] = {
    {"at run-time sizes", {"s32[<=4](2) {1, 2}", "s32[] 9"}, "padding=1_2_1", "s32[<=10](6) {9, 1, 9, 2, 9, 9}"},
    {"fewer elements than are dropped", {"s32[<=4](2) {1, 2}", "s32[] 9"}, "padding=-3_0", "s32[<=1](0) {}"},
    {"low and high edges", {"f32[2] {1, 2}", "f32[] 9"}, "padding=1_2", "f32[5] {9, 1, 2, 9, 9}"},
    {"interior spreads elements", {"f32[3] {1, 2, 3}", "f32[] 9"}, "padding=0_0_1", "f32[5] {1, 9, 2, 9, 3}"},
    {"edges and interior", {"s32[3] {1, 2, 3}", "s32[] 0"}, "padding=1_2_1", "s32[8] {0, 1, 0, 2, 0, 3, 0, 0}"},
    {"negative low drops elements", {"f32[3] {1, 2, 3}", "f32[] 9"}, "padding=-1_0", "f32[2] {2, 3}"},
    {"negative low drops holes", {"s32[3] {1, 2, 3}", "s32[] 0"}, "padding=-1_0_1", "s32[4] {0, 2, 0, 3}"},
    {"negative low with a high edge", {"s32[3] {1, 2, 3}", "s32[] 9"}, "padding=-1_1_1", "s32[5] {9, 2, 9, 3, 9}"},
    {"negative high drops elements", {"s32[3] {1, 2, 3}", "s32[] 9"}, "padding=1_-2", "s32[2] {9, 1}"},
    {"low drops everything", {"s32[2] {1, 2}", "s32[] 9"}, "padding=-5_6", "s32[3] {9, 9, 9}"},
    {"high drops everything", {"s32[2] {1, 2}", "s32[] 9"}, "padding=5_-4", "s32[3] {9, 9, 9}"},
    {"low drops as much as there can be", {"s32[3] {1, 2, 3}", "s32[] 9"}, "padding=-9223372036854775808_9223372036854775807", "s32[2] {9, 9}"},
    {"nothing", {"f32[2] {1, 2}", "f32[] 9"}, "padding=0_0", "f32[2] {1, 2}"},
    {"no operand elements: interior does not count", {"f32[0] {}", "f32[] 9"}, "padding=1_1_5", "f32[2] {9, 9}"},
    {"one operand element: interior does not count", {"f32[1] {1}", "f32[] 9"}, "padding=1_0_9223372036854775807", "f32[2] {9, 1}"},
    {"scalar", {"f32[] 1", "f32[] 9"}, "", "f32[] 1"},
    {"to no elements", {"f32[2] {1, 2}", "f32[] 9"}, "padding=-1_-1", "f32[0] {}"},
    {"two dimensions", {"s32[1,2] {{1, 2}}", "s32[] 0"}, "padding=1_0x0_1", "s32[2,3] {{0, 0, 0}, {1, 2, 0}}"},
    {"bits are copied", {"f16[1] {nan(0x1)}", "f16[] -nan(0x3)"}, "padding=0_1", "f16[2] {nan(0x1), -nan(0x3)}", {.exact_nan = true}},
    {"keeps dynamic dimensions", {"f32[<=3]", "f32[]"}, "padding=1_1", Infers("f32[<=5]")},
    {"C2 one entry per dimension", {"f32[1]", "f32[]"}, "padding=0_0x0_0",
     Error("pad: padding has 2 dimensions but operand has rank 1; operand f32[1], padding_value f32[]")},
    {"C2 none is none", {"f32[1]", "f32[]"}, "",
     Error("pad: padding has 0 dimensions but operand has rank 1; operand f32[1], padding_value f32[]")},
    {"C3 interior is not negative", {"f32[1]", "f32[]"}, "padding=0_0_-1",
     Error("pad: interior padding of dimension 0 is -1, must be >= 0; operand f32[1], padding_value f32[]")},
    {"C4 no negative size", {"f32[3]", "f32[]"}, "padding=-2_-2",
     Error("pad: dimension 0 would have size -1 (3 + low -2 + high -2 + interior 0); operand f32[3], padding_value f32[]")},
    {"C4 no negative size of wide edges", {"f32[3]", "f32[]"}, "padding=-9223372036854775808_9223372036854775804",
     Error("pad: dimension 0 would have size -1 (3 + low -9223372036854775808 + high 9223372036854775804 + interior 0); operand f32[3], padding_value f32[]")},
    {"C4 no overflow", {"f32[3]", "f32[]"}, "padding=0_0_9223372036854775807",
     Error("pad: dimension 0 would have too many elements; operand f32[3], padding_value f32[]")},
    {"the value is a scalar", {"f32[3]", "f32[1]"}, "padding=1_1",
     Error("pad: padding_value must be a scalar; operand f32[3], padding_value f32[1]")},
    {"types agree", {"f32[3]", "s32[]"}, "padding=1_1",
     Error("pad: operands have different element types f32 and s32; operand f32[3], padding_value s32[]")},
};
// clang-format on
const CaseTable kPadCases = {"pad", kRows};

}  // namespace axle
