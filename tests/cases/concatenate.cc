#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kConcatenateCases;

// clang-format off
static const OpCase kRows[] = {
    {"run-time sizes leave no holes", {"s32[<=3](1) {1}", "s32[2] {2, 3}", "s32[<=3](0) {}", "s32[<=3](2) {4, 5}"}, "dimensions={0}", "s32[<=11](5) {1, 2, 3, 4, 5}"},
    {"vectors", {"s32[2] {2, 3}", "s32[2] {4, 5}", "s32[2] {6, 7}"}, "dimensions={0}", "s32[6] {2, 3, 4, 5, 6, 7}"},
    {"rows", {"f32[3,2] {{1, 2}, {3, 4}, {5, 6}}", "f32[1,2] {{7, 8}}"}, "dimensions={0}", "f32[4,2] {{1, 2}, {3, 4}, {5, 6}, {7, 8}}"},
    {"columns", {"s32[2,1] {{1}, {2}}", "s32[2,2] {{3, 4}, {5, 6}}"}, "dimensions={1}", "s32[2,3] {{1, 3, 4}, {2, 5, 6}}"},
    {"one operand", {"f32[1] {1}"}, "dimensions={0}", "f32[1] {1}"},
    {"the same operand twice over", {"pred[1] {1}", "pred[1] {1}"}, "dimensions={0}", "pred[2] {1, 1}"},
    {"empty operands give nothing", {"f32[0] {}", "f32[2] {1, 2}", "f32[0] {}"}, "dimensions={0}", "f32[2] {1, 2}"},
    {"nothing at all", {"f32[0,2] {}", "f32[0,2] {}"}, "dimensions={0}", "f32[0,2] {}"},
    {"complex", {"c128[1] {(1, 2)}", "c128[1] {(3, 4)}"}, "dimensions={0}", "c128[2] {(1, 2), (3, 4)}"},
    {"dynamic along the dimension", {"f32[2]", "f32[<=3]"}, "dimensions={0}", Infers("f32[<=5]")},
    {"dynamic elsewhere if all are", {"f32[1,<=3]", "f32[1,<=3]"}, "dimensions={0}", Infers("f32[2,<=3]")},
    {"static elsewhere if one is", {"f32[1,<=3]", "f32[1,3]"}, "dimensions={0}", Infers("f32[2,3]")},
    {"at least one operand", {}, "dimensions={0}", Error("concatenate: needs at least one operand")},
    {"dimension in range", {"f32[3]", "f32[3]"}, "dimensions={1}",
     Error("concatenate: dimensions has 1, which is not a dimension of rank 1; operand.0 f32[3], operand.1 f32[3]")},
    {"no scalars", {"f32[]", "f32[]"}, "dimensions={0}",
     Error("concatenate: dimensions has 0, which is not a dimension of rank 0; operand.0 f32[], operand.1 f32[]")},
    {"one dimension", {"f32[2,2]", "f32[2,2]"}, "dimensions={0,1}",
     Error("concatenate: dimensions names 2 dimensions, not 1; operand.0 f32[2,2], operand.1 f32[2,2]")},
    {"other sizes agree", {"f32[2,3]", "f32[2,4]"}, "dimensions={0}",
     Error("concatenate: operand 1 has size 4 in dimension 1, not 3; operand.0 f32[2,3], operand.1 f32[2,4]")},
    {"ranks agree", {"f32[2,3]", "f32[3]"}, "dimensions={0}",
     Error("concatenate: operands have different ranks 2 and 1; operand.0 f32[2,3], operand.1 f32[3]")},
    {"types agree", {"f32[3]", "s32[3]"}, "dimensions={0}",
     Error("concatenate: operands have different element types f32 and s32; operand.0 f32[3], operand.1 s32[3]")},
    {"sizes fit", {"s8[576460752303423487]", "s8[576460752303423487]"}, "dimensions={0}",
     Error("concatenate: shape s8[1152921504606846974] has too many elements; operand.0 s8[576460752303423487], operand.1 s8[576460752303423487]")},
};
// clang-format on
const CaseTable kConcatenateCases = {"concatenate", kRows};

}  // namespace axle
