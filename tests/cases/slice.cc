#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kDynamicSliceCases, kDynamicUpdateSliceCases, kSliceCases;

// clang-format off
static const OpCase kSliceRows[] = {
    {"at run-time sizes", {"s32[<=6](3) {1, 2, 3}"}, "slice={[0:6:2]}", "s32[<=3](2) {1, 3}"},
    {"behind the run-time size", {"s32[<=6](3) {1, 2, 3}"}, "slice={[4:6]}", "s32[<=2](0) {}"},
    {"range", {"s32[5] {0, 1, 2, 3, 4}"}, "slice={[2:4]}", "s32[2] {2, 3}"},
    {"range with stride", {"s32[6] {0, 1, 2, 3, 4, 5}"}, "slice={[1:6:2]}", "s32[3] {1, 3, 5}"},
    {"last one short", {"s32[6] {0, 1, 2, 3, 4, 5}"}, "slice={[0:5:4]}", "s32[2] {0, 4}"},
    {"stride beyond the end", {"s32[3] {1, 2, 3}"}, "slice={[1:3:9223372036854775807]}", "s32[1] {2}"},
    {"two dimensions", {"s32[4,3] {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}"}, "slice={[2:4], [1:3]}", "s32[2,2] {{7, 8}, {10, 11}}"},
    {"everything", {"f32[2] {1, 2}"}, "slice={[0:2]}", "f32[2] {1, 2}"},
    {"scalar", {"f32[] 1"}, "slice={}", "f32[] 1"},
    {"nothing", {"f32[3] {1, 2, 3}"}, "slice={[2:2]}", "f32[0] {}"},
    {"nothing of nothing", {"f32[0] {}"}, "slice={[0:0]}", "f32[0] {}"},
    {"dynamic", {"f32[<=3,<=3]"}, "slice={[0:2], [0:1]}", Infers("f32[<=2,1]")},
    {"start is not negative", {"f32[3]"}, "slice={[-1:2]}",
     Error("slice: dimension 0: [-1:2:1]: start must be >= 0; operand f32[3]")},
    {"limit is in range", {"f32[3]"}, "slice={[1:4]}",
     Error("slice: dimension 0: [1:4:1]: limit must be <= 3; operand f32[3]")},
    {"start is not beyond limit", {"f32[3]"}, "slice={[2:1]}",
     Error("slice: dimension 0: [2:1:1]: limit must be >= start; operand f32[3]")},
    {"stride is positive", {"f32[3]"}, "slice={[0:2:0]}",
     Error("slice: dimension 0: [0:2:0]: stride must be >= 1; operand f32[3]")},
    {"one range per dimension", {"f32[3,3]"}, "slice={[0:2]}",
     Error("slice: slice has 1 dimensions but operand has rank 2; operand f32[3,3]")},
};
const CaseTable kSliceCases = {"slice", kSliceRows};

static const OpCase kDynamicSliceRows[] = {
    {"at run-time sizes", {"s32[<=3,3](2,3) {{1, 2, 3}, {4, 5, 6}}", "s32[] 1", "s32[] 1"}, "dynamic_slice_sizes={3,2}", "s32[<=3,2](2,2) {{2, 3}, {5, 6}}"},
    {"vector", {"s32[5] {0, 1, 2, 3, 4}", "s32[] 2"}, "dynamic_slice_sizes={2}", "s32[2] {2, 3}"},
    {"matrix", {"s32[4,3] {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}", "s32[] 2", "s32[] 1"}, "dynamic_slice_sizes={2,2}", "s32[2,2] {{7, 8}, {10, 11}}"},
    {"older form: indices in one array", {"s32[2,3] {{0, 1, 2}, {3, 4, 5}}", "s32[2] {1, 1}"}, "dynamic_slice_sizes={1,2}", "s32[1,2] {{4, 5}}"},
    {"older form of rank 1", {"s32[3] {0, 1, 2}", "u8[1] {1}"}, "dynamic_slice_sizes={1}", "s32[1] {1}"},
    {"N12 clamps to the end", {"s32[5] {0, 1, 2, 3, 4}", "s32[] 4"}, "dynamic_slice_sizes={3}", "s32[3] {2, 3, 4}"},
    {"N12 clamps to the beginning", {"s32[5] {0, 1, 2, 3, 4}", "s32[] -7"}, "dynamic_slice_sizes={3}", "s32[3] {0, 1, 2}"},
    {"extreme indices", {"s32[3] {0, 1, 2}", "s64[] -9223372036854775808"}, "dynamic_slice_sizes={1}", "s32[1] {0}"},
    {"unsigned indices are not negative", {"s32[3] {0, 1, 2}", "u64[] 18446744073709551615"}, "dynamic_slice_sizes={2}", "s32[2] {1, 2}"},
    {"u8 indices", {"s32[3] {0, 1, 2}", "u8[] 255"}, "dynamic_slice_sizes={1}", "s32[1] {2}"},
    {"s4 indices", {"s32[3] {0, 1, 2}", "s4[] -8"}, "dynamic_slice_sizes={1}", "s32[1] {0}"},
    {"scalar", {"f32[] 1"}, "dynamic_slice_sizes={}", "f32[] 1"},
    {"nothing", {"f32[3] {1, 2, 3}", "s32[] 1"}, "dynamic_slice_sizes={0}", "f32[0] {}"},
    {"dynamic where the whole dimension is taken", {"f32[<=3,<=3]", "s32[]", "s32[]"}, "dynamic_slice_sizes={3,2}", Infers("f32[<=3,2]")},
    {"sizes fit", {"f32[3]", "s32[]"}, "dynamic_slice_sizes={4}",
     Error("dynamic-slice: dynamic_slice_sizes[0] is 4, must be in 0..3; operand f32[3], start_indices s32[]")},
    {"sizes are not negative", {"f32[3]", "s32[]"}, "dynamic_slice_sizes={-1}",
     Error("dynamic-slice: dynamic_slice_sizes[0] is -1, must be in 0..3; operand f32[3], start_indices s32[]")},
    {"one size per dimension", {"f32[3]", "s32[]"}, "dynamic_slice_sizes={1,1}",
     Error("dynamic-slice: dynamic_slice_sizes has 2 entries but operand has rank 1; operand f32[3], start_indices s32[]")},
    {"one index per dimension", {"f32[3,3]", "s32[]"}, "dynamic_slice_sizes={1,1}",
     Error("dynamic-slice: there are 1 start_indices but operand has rank 2; operand f32[3,3], start_indices s32[]")},
    {"older form: one index per dimension", {"f32[3,3]", "s32[3]"}, "dynamic_slice_sizes={1,1}",
     Error("dynamic-slice: there are 3 start_indices but operand has rank 2; operand f32[3,3], start_indices s32[3]")},
    {"indices are integers", {"f32[3]", "f32[]"}, "dynamic_slice_sizes={1}",
     Error("dynamic-slice: start_indices must be integers, not f32; operand f32[3], start_indices f32[]")},
    {"indices are scalars", {"f32[3,3]", "s32[]", "s32[1]"}, "dynamic_slice_sizes={1,1}",
     Error("dynamic-slice: start_indices must be scalars or one array of rank 1; operand f32[3,3], start_indices.0 s32[], start_indices.1 s32[1]")},
    {"indices have one type", {"f32[3,3]", "s32[]", "s64[]"}, "dynamic_slice_sizes={1,1}",
     Error("dynamic-slice: start_indices must all have the same type; operand f32[3,3], start_indices.0 s32[], start_indices.1 s64[]")},
};
const CaseTable kDynamicSliceCases = {"dynamic-slice", kDynamicSliceRows};

static const OpCase kDynamicUpdateSliceRows[] = {
    {"an update smaller than its bound", {"s32[4] {1, 2, 3, 4}", "s32[<=2](1) {9}", "s32[] 3"}, "", "s32[4] {1, 2, 9, 4}"},
    {"an update of a whole dynamic dimension", {"s32[<=4](3) {1, 2, 3}", "s32[<=4](2) {8, 9}", "s32[] 3"}, "", "s32[<=4](2) {8, 9}"},
    {"static where a static update replaces everything", {"f32[<=2]", "f32[2]", "s32[]"}, "", Infers("f32[2]")},
    {"vector", {"s32[5] {0, 1, 2, 3, 4}", "s32[2] {5, 6}", "s32[] 2"}, "", "s32[5] {0, 1, 5, 6, 4}"},
    {"matrix", {"s32[4,3] {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}", "s32[3,2] {{12, 13}, {14, 15}, {16, 17}}", "s32[] 1", "s32[] 1"}, "",
     "s32[4,3] {{0, 1, 2}, {3, 12, 13}, {6, 14, 15}, {9, 16, 17}}"},
    {"older form: indices in one array", {"s32[2,2] {{0, 1}, {2, 3}}", "s32[1,1] {{9}}", "s32[2] {1, 0}"}, "", "s32[2,2] {{0, 1}, {9, 3}}"},
    {"N12 clamps to the end", {"s32[4] {0, 1, 2, 3}", "s32[2] {8, 9}", "s32[] 100"}, "", "s32[4] {0, 1, 8, 9}"},
    {"N12 clamps to the beginning", {"s32[4] {0, 1, 2, 3}", "s32[2] {8, 9}", "s32[] -2147483648"}, "", "s32[4] {8, 9, 2, 3}"},
    {"everything", {"f32[2] {1, 2}", "f32[2] {3, 4}", "s32[] 1"}, "", "f32[2] {3, 4}"},
    {"nothing", {"f32[2] {1, 2}", "f32[0] {}", "s32[] 1"}, "", "f32[2] {1, 2}"},
    {"scalar", {"f32[] 1", "f32[] 2"}, "", "f32[] 2"},
    {"one element", {"c64[1] {(1, 2)}", "c64[1] {(3, 4)}", "u8[] 0"}, "", "c64[1] {(3, 4)}"},
    {"dynamic as the operand", {"f32[<=3]", "f32[2]", "s32[]"}, "", Infers("f32[<=3]")},
    {"update fits", {"f32[3]", "f32[4]", "s32[]"}, "",
     Error("dynamic-update-slice: update dimension 0 has size 4, must be <= 3; operand f32[3], update f32[4], start_indices s32[]")},
    {"types agree", {"f32[3]", "s32[1]", "s32[]"}, "",
     Error("dynamic-update-slice: operands have different element types f32 and s32; operand f32[3], update s32[1], start_indices s32[]")},
    {"ranks agree", {"f32[3]", "f32[1,1]", "s32[]"}, "",
     Error("dynamic-update-slice: update has rank 2 but operand has rank 1; operand f32[3], update f32[1,1], start_indices s32[]")},
    {"one index per dimension", {"f32[3]", "f32[1]", "s32[]", "s32[]"}, "",
     Error("dynamic-update-slice: there are 2 start_indices but operand has rank 1; operand f32[3], update f32[1], start_indices.0 s32[], start_indices.1 s32[]")},
    {"indices are integers", {"f32[3]", "f32[1]", "pred[]"}, "",
     Error("dynamic-update-slice: start_indices must be integers, not pred; operand f32[3], update f32[1], start_indices pred[]")},
};
const CaseTable kDynamicUpdateSliceCases = {"dynamic-update-slice", kDynamicUpdateSliceRows};
// clang-format on

}  // namespace axle
