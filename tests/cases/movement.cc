#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kBroadcastCases, kReshapeCases, kReverseCases, kTransposeCases;

// clang-format off
static const OpCase kBroadcastRows[] = {
    {"at run-time sizes", {"s32[<=3](2) {1, 2}"}, "dimensions={1}", "s32[2,<=3](2,2) {{1, 2}, {1, 2}}"},
    {"rows", {"f32[2] {1, 2}"}, "dimensions={1}", "f32[3,2] {{1, 2}, {1, 2}, {1, 2}}"},
    {"columns", {"f32[2] {1, 2}"}, "dimensions={0}", "f32[2,3] {{1, 1, 1}, {2, 2, 2}}"},
    {"scalar", {"f32[] 2"}, "dimensions={}", "f32[2,3] {{2, 2, 2}, {2, 2, 2}}", {.degenerate = true}},
    {"scalar without dimensions", {"pred[] true"}, "", "pred[2] {1, 1}"},
    {"scalar to scalar", {"s32[] 2"}, "dimensions={}", "s32[] 2"},
    {"one element", {"s32[1] {5}"}, "dimensions={1}", "s32[1,1] {{5}}"},
    {"to no elements", {"f32[2] {1, 2}"}, "dimensions={1}", "f32[0,2] {}"},
    {"of no elements", {"f32[0] {}"}, "dimensions={0}", "f32[0,2] {}"},
    {"transposes in passing", {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}"}, "dimensions={1,0}", "s32[3,2] {{1, 4}, {2, 5}, {3, 6}}"},
    {"around the middle", {"s32[2] {1, 2}"}, "dimensions={1}", "s32[2,2,2] {{{1, 1}, {2, 2}}, {{1, 1}, {2, 2}}}"},
    {"complex", {"c128[2] {(1, 2), (3, 4)}"}, "dimensions={1}", "c128[1,2] {{(1, 2), (3, 4)}}"},
    {"NaN payloads are kept", {"f16[1] {nan(0x1)}"}, "dimensions={1}", "f16[1,1] {{nan(0x1)}}", {.exact_nan = true}},
    {"dynamic dimensions follow", {"f32[<=3]"}, "dimensions={1}", Infers("f32[2,<=3]")},
    {"sizes agree", {"f32[2]"}, "dimensions={0}",
     Error("broadcast: operand dimension 0 has size 2 but result dimension 0 has size 3; operand f32[2]", "f32[3]")},
    {"size 1 is no exception", {"f32[1]"}, "dimensions={0}",
     Error("broadcast: operand dimension 0 has size 1 but result dimension 0 has size 3; operand f32[1]", "f32[3]")},
    {"dimensions are in range", {"f32[3]"}, "dimensions={2}",
     Error("broadcast: dimensions has 2, which is not a dimension of rank 2; operand f32[3]", "f32[2,3]")},
    {"dimensions are named once", {"f32[3,3]"}, "dimensions={1,1}",
     Error("broadcast: dimensions has 1 twice; operand f32[3,3]", "f32[3,3]")},
    {"one per operand dimension", {"f32[3]"}, "dimensions={0,1}",
     Error("broadcast: dimensions names 2 dimensions but operand has rank 1; operand f32[3]", "f32[2,3]")},
    {"arrays only", {"token[]"}, "dimensions={}",
     Error("broadcast: expected an array, not token[]; operand token[]", "f32[2]")},
};
const CaseTable kBroadcastCases = {"broadcast", kBroadcastRows};

static const OpCase kReshapeRows[] = {
    {"at run-time sizes", {"s32[<=2,2](1,2) {{1, 2}}"}, "", "s32[<=4](2) {1, 2}"},
    {"run-time sizes split", {"s32[<=6](4) {1, 2, 3, 4}"}, "", "s32[<=3,2](2,2) {{1, 2}, {3, 4}}"},
    {"row-major", {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}"}, "", "s32[3,2] {{1, 2}, {3, 4}, {5, 6}}"},
    {"flattens", {"f32[2,2] {{1, 2}, {3, 4}}"}, "", "f32[4] {1, 2, 3, 4}"},
    {"to a scalar", {"f32[1,1] {{5}}"}, "", "f32[] 5"},
    {"from a scalar", {"f32[] 5"}, "", "f32[1,1] {{5}}"},
    {"no elements", {"f32[0,3] {}"}, "", "f32[2,0] {{}, {}}"},
    {"collapse the first two", {"s32[2,2,3] {{{10, 11, 12}, {15, 16, 17}}, {{20, 21, 22}, {25, 26, 27}}}"}, "",
     "s32[4,3] {{10, 11, 12}, {15, 16, 17}, {20, 21, 22}, {25, 26, 27}}"},
    {"s4", {"s4[2,2] {{-8, 7}, {0, 1}}"}, "", "s4[4] {-8, 7, 0, 1}"},
    {"a dynamic dimension splits", {"f32[<=6]"}, "", Infers("f32[<=2,3]")},
    {"where inferred_dimension says", {"f32[<=6]"}, "inferred_dimension=1", Infers("f32[2,<=3]")},
    {"dynamic dimensions merge", {"f32[<=2,3]"}, "", Infers("f32[<=6]")},
    {"a dynamic dimension passes by", {"f32[<=2,2,3]"}, "", Infers("f32[<=2,6]")},
    {"no split and merge at once", {"f32[<=2,3]"}, "",
     ErrorOf(StatusCode::kUnimplemented, "reshape: dynamic dimension 0 is merged and split at once; operand f32[<=2,3]", "f32[3,<=2]")},
    {"element counts agree", {"f32[3]"}, "",
     Error("reshape: operand has 3 elements but f32[2,2] has 4; operand f32[3]", "f32[2,2]")},
    {"inferred_dimension is in range", {"f32[4]"}, "inferred_dimension=2",
     Error("reshape: inferred_dimension is 2, which is not a dimension of f32[2,2]; operand f32[4]", "f32[2,2]")},
};
const CaseTable kReshapeCases = {"reshape", kReshapeRows};

static const OpCase kTransposeRows[] = {
    {"at run-time sizes", {"s32[<=3,2](1,2) {{1, 2}}"}, "dimensions={1,0}", "s32[2,<=3](2,1) {{1}, {2}}"},
    {"matrix", {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}"}, "dimensions={1,0}", "s32[3,2] {{1, 4}, {2, 5}, {3, 6}}"},
    {"cycle", {"s32[1,2,3] {{{1, 2, 3}, {4, 5, 6}}}"}, "dimensions={2,0,1}", "s32[3,1,2] {{{1, 4}}, {{2, 5}}, {{3, 6}}}"},
    {"identity", {"f64[2,2] {{1, 2}, {3, 4}}"}, "dimensions={0,1}", "f64[2,2] {{1, 2}, {3, 4}}"},
    {"scalar", {"f32[] 1"}, "dimensions={}", "f32[] 1"},
    {"one element", {"u8[1,1] {{255}}"}, "dimensions={1,0}", "u8[1,1] {{255}}"},
    {"no elements", {"f32[2,0] {{}, {}}"}, "dimensions={1,0}", "f32[0,2] {}"},
    {"complex", {"c64[1,2] {{(1, 2), (3, 4)}}"}, "dimensions={1,0}", "c64[2,1] {{(1, 2)}, {(3, 4)}}"},
    {"dynamic dimensions follow", {"f32[<=2,3]"}, "dimensions={1,0}", Infers("f32[3,<=2]")},
    {"not a permutation", {"f32[1,2]"}, "dimensions={1,1}",
     Error("transpose: dimensions {1,1} is not a permutation of the operand's dimensions; operand f32[1,2]")},
    {"one per dimension", {"f32[1,2]"}, "dimensions={0}",
     Error("transpose: dimensions {0} is not a permutation of the operand's dimensions; operand f32[1,2]")},
};
const CaseTable kTransposeCases = {"transpose", kTransposeRows};

static const OpCase kReverseRows[] = {
    {"at run-time sizes", {"s32[<=5](3) {1, 2, 3}"}, "dimensions={0}", "s32[<=5](3) {3, 2, 1}"},
    {"vector", {"s32[4] {1, 2, 3, 4}"}, "dimensions={0}", "s32[4] {4, 3, 2, 1}"},
    {"one dimension", {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}"}, "dimensions={1}", "s32[2,3] {{3, 2, 1}, {6, 5, 4}}"},
    {"both dimensions", {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}"}, "dimensions={1,0}", "s32[2,3] {{6, 5, 4}, {3, 2, 1}}"},
    {"no dimension", {"f32[2] {1, 2}"}, "dimensions={}", "f32[2] {1, 2}"},
    {"scalar", {"f32[] 1"}, "dimensions={}", "f32[] 1"},
    {"one element", {"bf16[1] {1}"}, "dimensions={0}", "bf16[1] {1}"},
    {"no elements", {"f32[0,2] {}"}, "dimensions={0,1}", "f32[0,2] {}"},
    {"keeps dynamic dimensions", {"f32[<=3]"}, "dimensions={0}", Infers("f32[<=3]")},
    {"named once", {"f32[3]"}, "dimensions={0,0}", Error("reverse: dimensions has 0 twice; operand f32[3]")},
    {"in range", {"f32[3]"}, "dimensions={2}",
     Error("reverse: dimensions has 2, which is not a dimension of rank 1; operand f32[3]")},
};
const CaseTable kReverseCases = {"reverse", kReverseRows};
// clang-format on

}  // namespace axle
