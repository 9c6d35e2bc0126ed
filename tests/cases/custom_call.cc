#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kCustomCallCases;

constexpr char kComparators[] = R"(
first_greater { a = f32[] parameter(0)  b = f32[] parameter(1)  i = s32[] parameter(2)  j = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GT }
)";

// clang-format off
static const OpCase kCustomCallRows[] = {
    {"identity of an array", {"f32[2,2] {{1, 2}, {3, 4}}"}, "custom_call_target=\"Sharding\"", "f32[2,2] {{1, 2}, {3, 4}}"},
    {"identity of a tuple", {"(f32[], s32[2]) (1, {2, 3})"}, "custom_call_target=\"MoveToHost\"", "(f32[], s32[2]) (1, {2, 3})"},
    {"no elements", {"s32[0,3] {}"}, "custom_call_target=\"SPMDFullToShardShape\"", "s32[0,3] {}"},
    {"sub-byte elements", {"s4[3] {-8, 0, 7}"}, "custom_call_target=\"SPMDShardToFullShape\"", "s4[3] {-8, 0, 7}"},
    {"complex elements", {"c64[2] {(1, 2), (3, -4)}"}, "custom_call_target=\"MoveToDevice\"", "c64[2] {(1, 2), (3, -4)}"},
    {"layouts change no value", {"f32[2,2] {{1, 2}, {3, 4}}"}, "custom_call_target=\"LayoutConstraint\", operand_layout_constraints={f32[2,2]{0,1}}", "f32[2,2] {{1, 2}, {3, 4}}"},
    {"a buffer is zeros", {}, "custom_call_target=\"AllocateBuffer\"", "s32[2] {0, 0}"},
    {"all attributes", {"f32[] 3"}, "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f, feature_group_count=2, batch_group_count=3, operand_precision={high}, padding_type=PADDING_SAME, custom_call_target=\"annotate_device_placement\", operand_layout_constraints={f32[]}, custom_call_has_side_effect=true, literal=s32[2]{0} {1, 2}, output_to_operand_aliasing={{}: (0, {})}, schedule=SCHEDULE_EARLIEST, api_version=API_VERSION_TYPED_FFI, called_computations={sum, product}, backend_config={a = 1 : i64}", "f32[] 3"},
    {"one computation", {"f32[] 3"}, "custom_call_target=\"Sharding\", to_apply=sum", "f32[] 3"},
    {"enumerations in small letters", {"f32[] 3"}, "custom_call_target=\"Sharding\", schedule=schedule_latest, api_version=api_version_status_returning", "f32[] 3"},
    {"a literal in its layout", {"f32[] 3"}, "custom_call_target=\"Sharding\", literal=s32[2,2]{0,1} {{1, 2}, {3, 4}}", "f32[] 3"},
    {"a target of any characters", {"f32[] 3"}, "custom_call_target=\"do \\\"it\\\"\\377\"", Infers("f32[]")},
    {"dynamic result", {}, "custom_call_target=\"f\"", Infers("f32[<=3]")},
    {"TopK", {"f32[2,4] {{3, 1, 4, 1}, {5, 9, 2, 6}}"}, "custom_call_target=\"TopK\", called_computations={first_greater}", "(f32[2,2], s32[2,2]) ({{4, 3}, {9, 6}}, {{2, 0}, {1, 3}})"},
    {"TopK keeps the order of equals", {"f32[5] {1, 2, 1, 2, 1}"}, "custom_call_target=\"TopK\", called_computations={first_greater}", "(f32[4], s32[4]) ({2, 2, 1, 1}, {1, 3, 0, 2})"},
    {"TopK of no lines", {"f32[0,3] {}"}, "custom_call_target=\"TopK\", called_computations={first_greater}", "(f32[0,1], s32[0,1]) ({}, {})"},
    {"TopK of none", {"f32[3] {1, 2, 3}"}, "custom_call_target=\"TopK\", called_computations={first_greater}", "(f32[0], s32[0]) ({}, {})"},
    {"ApproxTopK", {"f32[3,2] {{1, 6}, {5, 2}, {3, 4}}", "s32[3,2] {{0, 1}, {2, 3}, {4, 5}}", "f32[] -inf", "s32[] -1"},
     "custom_call_target=\"ApproxTopK\", called_computations={first_greater}, backend_config={aggregate_to_topk = true, is_fallback = true, reduction_dim = 0 : i64, top_k = 2 : i64, recall_target = 0.95 : f32}",
     "(f32[2,2], s32[2,2]) ({{5, 6}, {3, 4}}, {{2, 1}, {4, 5}})"},
    {"scalars before the matrix", {"s32[] 1", "s32[] 1", "s32[] 2", "f32[2,2] {{4, 7}, {2, 5}}"}, "custom_call_target=\"lapack_spotrf\"", "(f32[2,2], s32[]) ({{2, 7}, {1, 2}}, 0)"},
    {"scalars before two matrices", {"s32[] 1", "s32[] 1", "s32[] 0", "s32[] 0", "s32[] 2", "s32[] 1", "s32[] 1", "f64[] 1", "f64[2,2] {{2, 9}, {1, 4}}", "f64[2,1] {{2}, {9}}"}, "custom_call_target=\"blas_dtrsm\"", "f64[2,1] {{1}, {2}}"},
    {"results to work in are zeros", {"s32[] 1", "s32[] 2", "s32[] 2", "s32[] 1", "f64[2,2] {{1, 2}, {0, 3}}"}, "custom_call_target=\"lapack_dgeqrf\"", "(f64[2,2], f64[2], s32[], f64[1]) ({{1, 2}, {0, 3}}, {0, 0}, 0, {0})"},
    {"reserved targets", {"f32[2]"}, "custom_call_target=\"$f\"",
     Error("custom-call: target \"$f\" begins with '$', which is reserved; operand f32[2]", "f32[]")},
    {"needs a target", {}, "", Error("\"custom-call\" needs custom_call_target=...", "f32[]")},
    {"unspecified api version", {}, "custom_call_target=\"f\", api_version=API_VERSION_UNSPECIFIED",
     Error("unknown custom-call api version \"API_VERSION_UNSPECIFIED\"; it is one of: API_VERSION_ORIGINAL, API_VERSION_STATUS_RETURNING, API_VERSION_STATUS_RETURNING_UNIFIED, API_VERSION_TYPED_FFI", "f32[]")},
    {"two forms of computations", {}, "custom_call_target=\"f\", to_apply=sum, called_computations={sum}",
     Error("\"called_computations\" cannot stand beside \"to_apply\"", "f32[]")},
    {"feature groups are counted from 1", {"f32[2]"}, "custom_call_target=\"f\", feature_group_count=0",
     Error("custom-call: feature_group_count is 0, must be >= 1; operand f32[2]", "f32[]")},
    {"batch groups are counted from 1", {"f32[2]"}, "custom_call_target=\"f\", batch_group_count=-1",
     Error("custom-call: batch_group_count is -1, must be >= 1; operand f32[2]", "f32[]")},
    {"number of layout constraints", {"f32[2]", "f32[]"}, "custom_call_target=\"f\", operand_layout_constraints={f32[2]{0}}",
     Error("custom-call: operand_layout_constraints has 1 shapes but there are 2 operands; operand.0 f32[2], operand.1 f32[]", "f32[]")},
    {"shapes of layout constraints", {"f32[2]"}, "custom_call_target=\"f\", operand_layout_constraints={f32[3]{0}}",
     Error("custom-call: operand_layout_constraints 0 is f32[3] but operand 0 is f32[2]; operand f32[2]", "f32[]")},
    {"aliasing of the result", {"f32[2]"}, "custom_call_target=\"f\", output_to_operand_aliasing={{1}: (0, {})}",
     Error("custom-call: output_to_operand_aliasing names {1} of the result, which is (f32[2]); operand f32[2]", "(f32[2])")},
    {"aliasing of operands", {"f32[2]"}, "custom_call_target=\"f\", output_to_operand_aliasing={{0}: (1, {})}",
     Error("custom-call: output_to_operand_aliasing names operand 1 but there are 1; operand f32[2]", "(f32[2])")},
    {"aliasing of parts of operands", {"f32[2]"}, "custom_call_target=\"f\", output_to_operand_aliasing={{0}: (0, {0})}",
     Error("custom-call: output_to_operand_aliasing names {0} of operand 0, which is f32[2]; operand f32[2]", "(f32[2])")},
    {"aliasing of other shapes", {"f32[2]"}, "custom_call_target=\"f\", output_to_operand_aliasing={{}: (0, {})}",
     Error("custom-call: output_to_operand_aliasing puts s32[2] at {} in the place of f32[2]; operand f32[2]", "s32[2]")},
    {"Pin makes a buffer of an array", {"f32[2]"}, "custom_call_target=\"Pin\", output_to_operand_aliasing={{}: (0, {})}", Infers("b(f32[2])")},
    {"Unpin gives it back", {"b(f32[2,3])"}, "custom_call_target=\"Unpin\", output_to_operand_aliasing={{}: (0, {})}", Infers("f32[2,3]{0,1}")},
    {"Pin of other shapes", {"f32[2]"}, "custom_call_target=\"Pin\", output_to_operand_aliasing={{}: (0, {})}",
     Error("custom-call: output_to_operand_aliasing puts b(f32[3]) at {} in the place of f32[2]; operand f32[2]", "b(f32[3])")},
    {"aliasing of a buffer", {"f32[2]"}, "custom_call_target=\"f\", output_to_operand_aliasing={{}: (0, {})}",
     Error("custom-call: output_to_operand_aliasing puts b(f32[2]) at {} in the place of f32[2]; operand f32[2]", "b(f32[2])")},
    {"aliasing twice", {"f32[2]"}, "custom_call_target=\"f\", output_to_operand_aliasing={{}: (0, {}), {}: (0, {})}",
     Error("custom-call: output_to_operand_aliasing has {} twice; operand f32[2]", "f32[2]")},
};
// clang-format on
const CaseTable kCustomCallCases = {"custom-call", kCustomCallRows, kComparators};

}  // namespace axle
