#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kDynamicReshapeCases, kGetDimensionSizeCases, kSetDimensionSizeCases;

// clang-format off
static const OpCase kGetDimensionSizeRows[] = {
    {"run-time size", {"f32[<=10](5) {1, 2, 3, 4, 5}"}, "dimensions={0}", "s32[] 5"},
    {"full", {"f32[<=3] {1, 2, 3}"}, "dimensions={0}", "s32[] 3"},
    {"nothing", {"f32[<=3](0) {}"}, "dimensions={0}", "s32[] 0"},
    {"bound of 0", {"f32[<=0] {}"}, "dimensions={0}", "s32[] 0"},
    {"static dimension", {"f32[3] {1, 2, 3}"}, "dimensions={0}", "s32[] 3"},
    {"static dimension beside a dynamic one", {"pred[<=4,2](1,2) {{1, 0}}"}, "dimensions={1}", "s32[] 2"},
    {"inner dimension", {"u8[2,<=4](2,3) {{1, 2, 3}, {4, 5, 6}}"}, "dimensions={1}", "s32[] 3"},
    {"complex", {"c64[<=2](1) {(1, 2)}"}, "dimensions={0}", "s32[] 1"},
    {"one dimension", {"f32[2,2]"}, "dimensions={0,1}",
     Error("get-dimension-size: dimensions names 2 dimensions, not 1; operand f32[2,2]")},
    {"dimension exists", {"f32[<=3]"}, "dimensions={1}",
     Error("get-dimension-size: dimensions has 1, which is not a dimension of rank 1; operand f32[<=3]")},
    {"dimension is not negative", {"f32[3]"}, "dimensions={-1}",
     Error("get-dimension-size: dimensions has -1, which is not a dimension of rank 1; operand f32[3]")},
    {"scalars have no dimension", {"f32[]"}, "dimensions={0}",
     Error("get-dimension-size: dimensions has 0, which is not a dimension of rank 0; operand f32[]")},
    {"size fits into s32", {"s8[<=2147483648]"}, "dimensions={0}",
     Error("get-dimension-size: dimension 0 has size 2147483648, which does not fit into s32; operand s8[<=2147483648]")},
    {"arrays only", {"(f32[3])"}, "dimensions={0}",
     Error("get-dimension-size: expected an array, not (f32[3]); operand (f32[3])")},
};
const CaseTable kGetDimensionSizeCases = {"get-dimension-size", kGetDimensionSizeRows};

static const OpCase kSetDimensionSizeRows[] = {
    {"cuts", {"s32[5] {1, 2, 3, 4, 5}", "s32[] 2"}, "dimensions={0}", "s32[<=5](2) {1, 2}"},
    {"always dynamic", {"s32[2] {1, 2}", "s32[] 2"}, "dimensions={0}", "s32[<=2](2) {1, 2}"},
    {"bound of 0", {"f32[0,2] {}", "s32[] 1"}, "dimensions={0}", "f32[<=0,2] {}"},
    {"to nothing", {"s32[2] {1, 2}", "s32[] 0"}, "dimensions={0}", "s32[<=2](0) {}"},
    {"above the bound", {"s32[2] {1, 2}", "s32[] 2147483647"}, "dimensions={0}", "s32[<=2](2) {1, 2}"},
    {"below zero", {"s32[2] {1, 2}", "s32[] -1"}, "dimensions={0}", "s32[<=2](0) {}"},
    {"inner dimension", {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[] 1"}, "dimensions={1}", "s32[2,<=3](2,1) {{1}, {4}}"},
    {"second dimension of a dynamic array", {"s32[<=3,2](1,2) {{1, 2}}", "s32[] 1"}, "dimensions={1}", "s32[<=3,<=2](1,1) {{1}}"},
    {"again, smaller", {"s32[<=4](3) {1, 2, 3}", "s32[] 2"}, "dimensions={0}", "s32[<=4](2) {1, 2}"},
    {"sub-byte elements", {"s4[3] {-8, 7, 1}", "s32[] 2"}, "dimensions={0}", "s4[<=3](2) {-8, 7}"},
    {"one dimension", {"f32[2]", "s32[]"}, "dimensions={}",
     Error("set-dimension-size: dimensions names 0 dimensions, not 1; operand f32[2], size s32[]", "f32[<=2]")},
    {"dimension exists", {"f32[2]", "s32[]"}, "dimensions={2}",
     Error("set-dimension-size: dimensions has 2, which is not a dimension of rank 1; operand f32[2], size s32[]", "f32[<=2]")},
    {"size is a scalar", {"f32[2]", "s32[1]"}, "dimensions={0}",
     Error("set-dimension-size: size must be s32[], not s32[1]; operand f32[2], size s32[1]", "f32[<=2]")},
    {"size is s32", {"f32[2]", "s64[]"}, "dimensions={0}",
     Error("set-dimension-size: size must be s32[], not s64[]; operand f32[2], size s64[]", "f32[<=2]")},
    {"static only where the size is known", {"f32[<=2]", "s32[]"}, "dimensions={0}",
     Error("set-dimension-size: the result has static dimension 0, so size must be the constant 2; operand f32[<=2], size s32[]", "f32[2]")},
    {"bound fits into s32", {"s8[2147483648]", "s32[]"}, "dimensions={0}",
     Error("set-dimension-size: dimension 0 has size 2147483648, which does not fit into s32; operand s8[2147483648], size s32[]", "s8[<=2147483648]")},
    {"arrays only", {"()", "s32[]"}, "dimensions={0}",
     Error("set-dimension-size: expected an array, not (); operand (), size s32[]", "f32[<=2]")},
};
const CaseTable kSetDimensionSizeCases = {"set-dimension-size", kSetDimensionSizeRows};

static const OpCase kDynamicReshapeRows[] = {
    {"splits what is there", {"s32[<=6](4) {1, 2, 3, 4}", "s32[] 2", "s32[] 2"}, "", "s32[2,<=3](2,2) {{1, 2}, {3, 4}}"},
    {"the same elements otherwise", {"s32[<=6](4) {1, 2, 3, 4}", "s32[] 1", "s32[] 4"}, "", "s32[<=1,<=6](1,4) {{1, 2, 3, 4}}"},
    {"merges without holes", {"s32[<=2,<=3](2,2) {{1, 2}, {3, 4}}", "s32[] 4"}, "", "s32[<=6](4) {1, 2, 3, 4}"},
    {"static operand", {"s32[4] {1, 2, 3, 4}", "s32[] 2", "s32[] 2"}, "", "s32[<=2,2](2,2) {{1, 2}, {3, 4}}"},
    {"static result", {"s32[<=4] {1, 2, 3, 4}", "s32[] 2", "s32[] 2"}, "", "s32[2,2] {{1, 2}, {3, 4}}"},
    {"nothing", {"f32[<=4](0) {}", "s32[] 2", "s32[] 0"}, "", "f32[<=2,<=2](2,0) {{}, {}}"},
    {"bound of 0", {"f32[<=0] {}", "s32[] 0", "s32[] 2"}, "", "f32[<=0,2] {}"},
    {"to a scalar", {"f32[<=1] {7}"}, "", "f32[] 7"},
    {"one size per dimension", {"f32[<=4]", "s32[]"}, "",
     Error("dynamic-reshape: there are 1 dim_sizes but the result f32[<=2,2] has rank 2; operand f32[<=4], dim_sizes s32[]", "f32[<=2,2]")},
    {"sizes are scalars", {"f32[<=4]", "s32[1]"}, "",
     Error("dynamic-reshape: dim_sizes.0 must be s32[], not s32[1]; operand f32[<=4], dim_sizes s32[1]", "f32[<=4]")},
    {"sizes are s32", {"f32[<=4]", "s32[]", "u32[]"}, "",
     Error("dynamic-reshape: dim_sizes.1 must be s32[], not u32[]; operand f32[<=4], dim_sizes.0 s32[], dim_sizes.1 u32[]", "f32[<=2,2]")},
    {"bounds have the same elements", {"f32[<=4]", "s32[]"}, "",
     Error("dynamic-reshape: operand has 4 elements but f32[<=5] has 5; operand f32[<=4], dim_sizes s32[]", "f32[<=5]")},
    {"arrays only", {"()", "s32[]"}, "",
     Error("dynamic-reshape: expected an array, not (); operand (), dim_sizes s32[]", "f32[<=5]")},
};
const CaseTable kDynamicReshapeCases = {"dynamic-reshape", kDynamicReshapeRows};
// clang-format on

}  // namespace axle
