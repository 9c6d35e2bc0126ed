#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kScatterCases;

static const OpCase kRows[] = {
    {"at run-time sizes",
     {"s32[<=4](3) {10, 20, 30}", "s32[<=3](2) {2, 0}", "s32[3] {1, 2, 3}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum_s32",
     "s32[<=4](3) {12, 20, 31}"},
    {"rows",
     {"f32[3,3] {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}", "s32[2] {0, 2}",
      "f32[2,3] {{10, 20, 30}, {70, 80, 90}}"},
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     "f32[3,3] {{10, 20, 30}, {0, 0, 0}, {70, 80, 90}}"},
    {"repeated rows accumulate",
     {"f32[3,2] {{1, 2}, {3, 4}, {5, 6}}", "s32[2] {1, 1}", "f32[2,2] {{10, 20}, {70, 80}}"},
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     "f32[3,2] {{1, 2}, {83, 104}, {5, 6}}"},
    {"outside the operand: skipped",
     {"s32[4] {1, 2, 3, 4}", "s32[5] {1, -1, 4, 2147483647, -2147483648}",
      "s32[5] {10, 20, 30, 40, 50}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum_s32",
     "s32[4] {1, 12, 3, 4}"},
    {"a window partly outside is skipped whole",
     {"f32[3] {1, 2, 3}", "s32[3,1] {{2}, {1}, {-1}}", "f32[3,2] {{5, 6}, {10, 20}, {7, 8}}"},
     "update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     "f32[3] {1, 12, 23}"},
    {"a window partly outside in two dimensions",
     {"s32[3,3,2] {{{0, 1}, {2, 3}, {4, 5}}, {{6, 7}, {8, 9}, {10, 11}}, {{12, 13}, {14, 15}, {16, "
      "17}}}",
      "s32[1,2] {{0, 2}}", "s32[1,2,2] {{{100, 200}, {300, 400}}}"},
     "update_window_dims={1,2}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0,1}, "
     "index_vector_dim=1, to_apply=sum_s32",
     "s32[3,3,2] {{{0, 1}, {2, 3}, {4, 5}}, {{6, 7}, {8, 9}, {10, 11}}, {{12, 13}, {14, 15}, {16, "
     "17}}}"},
    {"windows of columns, not next to each other in memory",
     {"s32[3,4] {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}", "s32[1,2] {{1, 2}}",
      "s32[1,2,2] {{{10, 20}, {30, 40}}}"},
     "update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, "
     "index_vector_dim=1, to_apply=sum_s32",
     "s32[3,4] {{0, 1, 2, 3}, {4, 5, 16, 27}, {8, 9, 40, 51}}"},
    {"the last of several overwrites",
     {"f32[3] {1, 2, 3}", "s32[3] {1, 1, 2}", "f32[3] {7, 8, 9}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=last",
     "f32[3] {1, 8, 9}"},
    {"to_apply takes the current value first, in the order of the updates",
     {"s32[2] {1, 2}", "s32[3] {1, 0, 1}", "s32[3] {7, 8, 9}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=horner_s32",
     "s32[2] {18, 279}"},
    {"NaN, infinity and signed zeros",
     {"f32[4] {-0.0, 0, inf, 1}", "s32[4] {0, 1, 2, 3}", "f32[4] {-0.0, -0.0, -inf, nan}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, indices_are_sorted=true, unique_indices=true, to_apply=sum",
     "f32[4] {-0.0, 0, nan, nan}"},
    {"integers wrap",
     {"s32[1] {2147483647}", "s32[1] {0}", "s32[1] {1}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum_s32",
     "s32[1] {-2147483648}"},
    {"N7: sums of bf16 are rounded once",
     {"bf16[1] {256}", "s32[2] {0, 0}", "bf16[2] {1, 1}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum_bf16",
     "bf16[1] {258}"},
    {"map in another order",
     {"s32[2,3] {{0, 1, 2}, {3, 4, 5}}", "s32[2,2] {{2, 0}, {0, 1}}", "s32[2] {10, 20}"},
     "update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={1,0}, "
     "index_vector_dim=1, to_apply=sum_s32",
     "s32[2,3] {{0, 1, 12}, {23, 4, 5}}"},
    {"index vectors along dimension 0",
     {"s32[2,3] {{0, 1, 2}, {3, 4, 5}}", "s32[2,2] {{0, 1}, {2, 0}}", "s32[2] {10, 20}"},
     "update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, "
     "index_vector_dim=0, to_apply=sum_s32",
     "s32[2,3] {{0, 1, 12}, {23, 4, 5}}"},
    {"window dimensions first",
     {"s32[3,2] {{0, 1}, {2, 3}, {4, 5}}", "s32[2] {2, 0}", "s32[2,2] {{10, 20}, {30, 40}}"},
     "update_window_dims={0}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum_s32",
     "s32[3,2] {{20, 41}, {2, 3}, {14, 35}}"},
    {"two scatter dimensions",
     {"s32[4] {0, 0, 0, 0}", "s32[2,2,1] {{{0}, {1}}, {{3}, {0}}}", "s32[2,2] {{1, 2}, {3, 4}}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=2, to_apply=horner_s32",
     "s32[4] {14, 2, 0, 3}"},
    {"batching dimensions",
     {"s32[2,3] {{0, 1, 2}, {3, 4, 5}}", "s32[2,2,1] {{{2}, {0}}, {{1}, {3}}}",
      "s32[2,2] {{10, 20}, {30, 40}}"},
     "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
     "input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2, "
     "to_apply=sum_s32",
     "s32[2,3] {{20, 1, 12}, {3, 34, 5}}"},
    {"batching positions beyond the operand are skipped",
     {"s32[2,2] {{0, 1}, {2, 3}}", "s32[3,1] {{1}, {0}, {0}}", "s32[3] {10, 20, 30}"},
     "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
     "input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, "
     "to_apply=sum_s32",
     "s32[2,2] {{0, 11}, {22, 3}}"},
    {"a scalar index",
     {"s32[3] {1, 2, 3}", "s32[] 1", "s32[] 10"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=0, to_apply=sum_s32",
     "s32[3] {1, 12, 3}"},
    {"nothing to choose by: one window",
     {"s32[3] {1, 2, 3}", "s32[0] {}", "s32[2] {10, 20}"},
     "update_window_dims={0}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, "
     "index_vector_dim=0, to_apply=sum_s32",
     "s32[3] {11, 22, 3}"},
    {"unsigned indices are not negative",
     {"u8[3] {1, 2, 255}", "u64[2] {18446744073709551615, 2}", "u8[2] {10, 20}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum_u8",
     "u8[3] {1, 2, 19}"},
    {"complex",
     {"c64[2] {(1, 2), (3, 4)}", "s8[2] {1, -128}", "c64[2] {(10, 20), (30, 40)}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum_c64",
     "c64[2] {(1, 2), (13, 24)}"},
    {"a computation that is no arithmetic is called",
     {"s32[2] {1, 2}", "s32[3] {1, 0, 1}", "s32[3] {7, 8, 9}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=calling",
     "s32[2] {18, 279}"},
    {"two operands, one of which depends on the other",
     {"f32[2] {1, 5}", "s32[2] {-1, -1}", "s32[3] {0, 1, 0}", "f32[3] {2, 3, 4}",
      "s32[3] {10, 11, 12}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=argmax",
     "(f32[2], s32[2]) ({4, 5}, {12, -1})"},
    {"no updates",
     {"f32[2] {1, 2}", "s32[0] {}", "f32[0] {}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     "f32[2] {1, 2}"},
    {"no elements",
     {"f32[0] {}", "s32[2] {0, 1}", "f32[2] {1, 2}"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     "f32[0] {}"},
    {"empty windows",
     {"f32[2,2] {{1, 2}, {3, 4}}", "s32[1] {0}", "f32[1,0] {{}}"},
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     "f32[2,2] {{1, 2}, {3, 4}}"},
    {"arrays",
     {"(f32[3])", "s32[1]", "f32[1]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: expected an array, not (f32[3]); operand (f32[3]), scatter_indices s32[1], "
           "updates f32[1]")},
    {"as many updates as operands",
     {"f32[3]", "s32[1]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: has 2 operands but takes (operand..., scatter_indices, updates...); "
           "operand 0 f32[3], operand 1 s32[1]")},
    {"at least one operand",
     {"s32[1]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: has no operands; scatter_indices s32[1]")},
    {"operands have the same dimensions",
     {"f32[3]", "s32[2]", "s32[1]", "f32[1]", "s32[1]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=argmax",
     Error("scatter: operands must have the same dimensions; operand.0 f32[3], operand.1 s32[2], "
           "scatter_indices s32[1], updates.0 f32[1], updates.1 s32[1]")},
    {"updates have the same dimensions",
     {"f32[3]", "s32[3]", "s32[1]", "f32[1]", "s32[2]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=argmax",
     Error("scatter: updates must have the same dimensions; operand.0 f32[3], operand.1 s32[3], "
           "scatter_indices s32[1], updates.0 f32[1], updates.1 s32[2]")},
    {"updates have the operand's type",
     {"f32[3]", "s32[1]", "s32[1]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: updates must be of f32, the operand's type, not s32; operand f32[3], "
           "scatter_indices s32[1], updates s32[1]")},
    {"no mixed precision",
     {"f32[3]", "s32[1]", "bf16[1]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: mixed precision: operands of f32 and bf16; operand f32[3], scatter_indices "
           "s32[1], updates bf16[1]")},
    {"indices are integers",
     {"f32[3]", "f32[1]", "f32[1]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: indices must be integers, not f32; operand f32[3], scatter_indices f32[1], "
           "updates f32[1]")},
    {"index_vector_dim's range",
     {"f32[3]", "s32[1]", "f32[1]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=-1, to_apply=sum",
     Error("scatter: index_vector_dim is -1, must be in [0, 1]; operand f32[3], scatter_indices "
           "s32[1], updates f32[1]")},
    {"one map entry per index",
     {"f32[3,3]", "s32[2,2]", "f32[2,3]"},
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: scatter_dims_to_operand_dims has 1 entries but index vectors have 2; operand "
           "f32[3,3], scatter_indices s32[2,2], updates f32[2,3]")},
    {"the map's range",
     {"f32[3]", "s32[1]", "f32[1]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={1}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: scatter_dims_to_operand_dims has 1, which is not a dimension of rank 1; "
           "operand f32[3], scatter_indices s32[1], updates f32[1]")},
    {"the map is distinct",
     {"f32[3,3]", "s32[2,2]", "f32[2,3]"},
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0,0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: scatter_dims_to_operand_dims has 0 twice; operand f32[3,3], scatter_indices "
           "s32[2,2], updates f32[2,3]")},
    {"inserted_window_dims ascend",
     {"f32[3,3]", "s32[2,2]", "f32[2]"},
     "update_window_dims={}, inserted_window_dims={1,0}, scatter_dims_to_operand_dims={0,1}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: inserted_window_dims {1,0} must be in ascending order; operand f32[3,3], "
           "scatter_indices s32[2,2], updates f32[2]")},
    {"as many batching dimensions on both sides",
     {"f32[3,3]", "s32[3,1]", "f32[3]"},
     "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
     "scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=sum",
     Error("scatter: input_batching_dims has 0 entries but scatter_indices_batching_dims has 1; "
           "operand f32[3,3], scatter_indices s32[3,1], updates f32[3]")},
    {"updates' rank",
     {"f32[3,3]", "s32[2]", "f32[2]"},
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: updates have rank 1, must be 2 for 1 scatter dimensions and 1 "
           "update_window_dims; operand f32[3,3], scatter_indices s32[2], updates f32[2]")},
    {"update_window_dims ascend",
     {"f32[3,3]", "s32[1]", "f32[3,3]"},
     "update_window_dims={1,0}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=0, to_apply=sum",
     Error("scatter: update_window_dims {1,0} must be in ascending order; operand f32[3,3], "
           "scatter_indices s32[1], updates f32[3,3]")},
    {"update_window_dims' range",
     {"f32[3,3]", "s32[2]", "f32[2,3]"},
     "update_window_dims={2}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: update_window_dims has 2, which is not a dimension of rank 2; operand "
           "f32[3,3], scatter_indices s32[2], updates f32[2,3]")},
    {"every operand dimension has a role",
     {"f32[3,3]", "s32[2]", "f32[2]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: operand has rank 2 but there are 0 update_window_dims, 1 "
           "inserted_window_dims and 0 input_batching_dims; operand f32[3,3], scatter_indices "
           "s32[2], updates f32[2]")},
    {"windows are no larger than the operand",
     {"f32[3,3]", "s32[2]", "f32[2,4]"},
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: update window dimension 1 has size 4, more than 3 of operand dimension 1; "
           "operand f32[3,3], scatter_indices s32[2], updates f32[2,4]")},
    {"one update per index vector",
     {"f32[3,3]", "s32[2]", "f32[3,3]"},
     "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: updates dimension 0 has size 3, must be 2 as in scatter_indices; operand "
           "f32[3,3], scatter_indices s32[2], updates f32[3,3]")},
    {"the reducer's types",
     {"s32[3]", "s32[1]", "s32[1]"},
     "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=sum",
     Error("scatter: to_apply must be (s32[], s32[])->s32[] but \"sum\" is (f32[], "
           "f32[])->f32[]; operand s32[3], scatter_indices s32[1], updates s32[1]")},
};
const CaseTable kScatterCases = {"scatter", kRows, R"(
calling { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] call(a, b), to_apply=horner_s32 }
sum_u8 { a = u8[] parameter(0)  b = u8[] parameter(1)  ROOT r = u8[] add(a, b) }
)"};

}  // namespace axle
