#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kGatherCases;

static const OpCase kRows[] = {
    {"at run-time sizes",
     {"s32[<=4,2](3,2) {{1, 2}, {3, 4}, {5, 6}}", "s32[<=3](2) {2, 0}"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,2}",
     "s32[<=3,2](2,2) {{5, 6}, {1, 2}}"},
    {"rows",
     {"f32[3,3] {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}", "s32[2] {0, 2}"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     "f32[2,3] {{1, 2, 3}, {7, 8, 9}}"},
    {"starts are clamped",
     {"f32[3,2] {{1, 2}, {3, 4}, {5, 6}}", "s32[4] {5, -1, 2147483647, -2147483648}"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,2}",
     "f32[4,2] {{5, 6}, {1, 2}, {5, 6}, {1, 2}}"},
    {"the whole slice is clamped",
     {"s32[3,4] {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}", "s32[2,2] {{2, 3}, {1, 1}}"},
     "offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, "
     "slice_sizes={2,2}",
     "s32[2,2,2] {{{6, 7}, {10, 11}}, {{5, 6}, {9, 10}}}"},
    {"a slice of part of a row",
     {"s32[2,4] {{0, 1, 2, 3}, {4, 5, 6, 7}}", "s64[2] {1, 0}"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,2}",
     "s32[2,2] {{4, 5}, {0, 1}}"},
    {"start_index_map in another order",
     {"s32[3,4] {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}", "s32[2,2] {{3, 0}, {1, 2}}"},
     "offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={1,0}, index_vector_dim=1, "
     "slice_sizes={1,1}",
     "s32[2] {3, 9}"},
    {"index vectors along dimension 0",
     {"s32[3,4] {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}", "s32[2,3] {{0, 1, 2}, {3, 2, 1}}"},
     "offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=0, "
     "slice_sizes={1,1}",
     "s32[3] {3, 6, 9}"},
    {"offset dimension first",
     {"s32[2,3] {{0, 1, 2}, {3, 4, 5}}", "s32[4] {2, 0, 1, 2}"},
     "offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, "
     "slice_sizes={2,1}",
     "s32[2,4] {{2, 0, 1, 2}, {5, 3, 4, 5}}"},
    {"offset dimensions on both sides of a batch dimension",
     {"s32[2,2,2] {{{0, 1}, {2, 3}}, {{4, 5}, {6, 7}}}", "s32[2,1] {{1}, {0}}"},
     "offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, "
     "slice_sizes={2,1,2}",
     "s32[2,2,2] {{{2, 3}, {0, 1}}, {{6, 7}, {4, 5}}}"},
    {"two batch dimensions",
     {"s32[3] {10, 20, 30}", "s32[2,2,1] {{{0}, {2}}, {{1}, {0}}}"},
     "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, "
     "slice_sizes={1}",
     "s32[2,2] {{10, 30}, {20, 10}}"},
    {"batching dimensions",
     {"s32[2,3] {{0, 1, 2}, {3, 4, 5}}", "s32[2,2,1] {{{2}, {0}}, {{1}, {9}}}"},
     "offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}",
     "s32[2,2] {{2, 0}, {4, 5}}"},
    {"batching dimension that is not the first of the indices",
     {"s32[2,3] {{0, 1, 2}, {3, 4, 5}}", "s32[3,2] {{2, 0}, {1, 1}, {0, 2}}"},
     "offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={1}, index_vector_dim=2, slice_sizes={1,1}",
     "s32[3,2] {{2, 3}, {1, 4}, {0, 5}}"},
    {"batching positions beyond the operand are clamped",
     {"s32[2,3] {{0, 1, 2}, {3, 4, 5}}", "s32[4] {2, 0, 1, 2}"},
     "offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}",
     "s32[4] {2, 3, 4, 5}"},
    {"a batching dimension of size 1 is read from every position",
     {"s32[1,3] {{5, 6, 7}}", "s32[4] {2, 0, 1, 2}"},
     "offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}",
     "s32[4] {7, 5, 6, 7}"},
    {"a scalar index",
     {"f32[3] {nan, inf, -0.0}", "s32[] 1"},
     "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=0, "
     "slice_sizes={1}",
     "f32[] inf"},
    {"nothing to choose by",
     {"s32[2] {1, 2}", "s32[3,0] {{}, {}, {}}"},
     "offset_dims={1}, collapsed_slice_dims={}, start_index_map={}, index_vector_dim=1, "
     "slice_sizes={2}",
     "s32[3,2] {{1, 2}, {1, 2}, {1, 2}}"},
    {"elements keep their bits",
     {"f32[4] {nan(0x400001), -nan, -0.0, -inf}", "s32[4] {3, 2, 1, 0}"},
     "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1}",
     "f32[4] {-inf, -0.0, -nan, nan(0x400001)}",
     {.exact_nan = true}},
    {"unsigned indices are not negative",
     {"s32[3] {1, 2, 3}", "u64[2] {18446744073709551615, 1}"},
     "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1}",
     "s32[2] {3, 2}"},
    {"8-bit indices",
     {"pred[3] {true, false, true}", "u8[3] {255, 1, 0}"},
     "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1}, indices_are_sorted=true",
     "pred[3] {true, false, true}"},
    {"complex elements",
     {"c64[2] {(1, 2), (3, 4)}", "s8[2] {-128, 127}"},
     "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1}",
     "c64[2] {(1, 2), (3, 4)}"},
    {"size 1",
     {"s4[1,1] {{-8}}", "s32[1] {7}"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,1}",
     "s4[1,1] {{-8}}"},
    {"no indices",
     {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[0] {}"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     "f32[0,3] {}"},
    {"slices of nothing",
     {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[2] {0, 1}"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,0}",
     "f32[2,0] {{}, {}}"},
    {"an operand without elements gives zeros",
     {"f32[0,2] {}", "s32[2] {0, 1}"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={0,2}",
     "f32[2,2] {{0, 0}, {0, 0}}",
     {.degenerate = true}},
    {"a collapsed dimension of slice size 0",
     {"f32[2] {1, 2}", "s32[3] {0, 1, 2}"},
     "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={0}",
     "f32[3] {1, 2, 2}"},
    {"an array",
     {"(f32[2])", "s32[2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     Error("gather: expected an array, not (f32[2]); operand (f32[2]), start_indices s32[2]")},
    {"indices are an array",
     {"f32[2,3]", "(s32[2])"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     Error("gather: expected an array, not (s32[2]); operand f32[2,3], start_indices (s32[2])")},
    {"indices are integers",
     {"f32[3,3]", "f32[2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     Error("gather: indices must be integers, not f32; operand f32[3,3], start_indices f32[2]")},
    {"pred is no index",
     {"s32[3,3]", "pred[2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     Error("gather: indices must be integers, not pred; operand s32[3,3], start_indices pred[2]")},
    {"index_vector_dim's range",
     {"f32[3,3]", "s32[2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, "
     "slice_sizes={1,3}",
     Error("gather: index_vector_dim is 2, must be in [0, 1]; operand f32[3,3], start_indices "
           "s32[2]")},
    {"offset_dims ascend",
     {"f32[3,3,3]", "s32[2]"},
     "offset_dims={2,1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,3,3}",
     Error("gather: offset_dims {2,1} must be in ascending order; operand f32[3,3,3], "
           "start_indices s32[2]")},
    {"offset_dims are distinct",
     {"f32[3,3,3]", "s32[2]"},
     "offset_dims={1,1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,3,3}",
     Error("gather: offset_dims has 1 twice; operand f32[3,3,3], start_indices s32[2]")},
    {"offset_dims are in the result",
     {"f32[3,3]", "s32[2]"},
     "offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     Error("gather: offset_dims has 2, which is not a dimension of rank 2; operand f32[3,3], "
           "start_indices s32[2]")},
    {"start_index_map has one entry per index",
     {"f32[3,3]", "s32[2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0,1}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     Error("gather: start_index_map has 2 entries but index vectors have 1; operand f32[3,3], "
           "start_indices s32[2]")},
    {"start_index_map's range",
     {"f32[3,3]", "s32[2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={2}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     Error("gather: start_index_map has 2, which is not a dimension of rank 2; operand f32[3,3], "
           "start_indices s32[2]")},
    {"start_index_map is distinct",
     {"f32[3,3]", "s32[2,2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0,0}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     Error("gather: start_index_map has 0 twice; operand f32[3,3], start_indices s32[2,2]")},
    {"collapsed_slice_dims' range",
     {"f32[3,3]", "s32[2]"},
     "offset_dims={1}, collapsed_slice_dims={-1}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     Error("gather: collapsed_slice_dims has -1, which is not a dimension of rank 2; operand "
           "f32[3,3], start_indices s32[2]")},
    {"collapsed_slice_dims ascend",
     {"f32[3,3]", "s32[2]"},
     "offset_dims={}, collapsed_slice_dims={1,0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,1}",
     Error("gather: collapsed_slice_dims {1,0} must be in ascending order; operand f32[3,3], "
           "start_indices s32[2]")},
    {"as many batching dimensions on both sides",
     {"f32[3,3]", "s32[3,1]"},
     "offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
     "index_vector_dim=1, slice_sizes={1,1}",
     Error("gather: operand_batching_dims has 1 entries but start_indices_batching_dims has 0; "
           "operand f32[3,3], start_indices s32[3,1]")},
    {"operand_batching_dims ascend",
     {"f32[3,3]", "s32[3,3,0]"},
     "offset_dims={}, collapsed_slice_dims={}, start_index_map={}, operand_batching_dims={1,0}, "
     "start_indices_batching_dims={0,1}, index_vector_dim=2, slice_sizes={1,1}",
     Error("gather: operand_batching_dims {1,0} must be in ascending order; operand f32[3,3], "
           "start_indices s32[3,3,0]")},
    {"start_indices_batching_dims' range",
     {"f32[3,3]", "s32[3,1]"},
     "offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={2}, index_vector_dim=1, slice_sizes={1,1}",
     Error("gather: start_indices_batching_dims has 2, which is not a dimension of rank 2; operand "
           "f32[3,3], start_indices s32[3,1]")},
    {"index vectors are no batch",
     {"f32[3,3]", "s32[3,1]"},
     "offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={1}, index_vector_dim=1, slice_sizes={1,1}",
     Error("gather: dimension 1 is in start_indices_batching_dims but is the index_vector_dim; "
           "operand f32[3,3], start_indices s32[3,1]")},
    {"a dimension is collapsed or batching",
     {"f32[3,3]", "s32[3,1]"},
     "offset_dims={}, collapsed_slice_dims={0}, start_index_map={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}",
     Error("gather: dimension 0 is in collapsed_slice_dims and in operand_batching_dims; operand "
           "f32[3,3], start_indices s32[3,1]")},
    {"a dimension is indexed or batching",
     {"f32[3,3]", "s32[3,1]"},
     "offset_dims={}, collapsed_slice_dims={1}, start_index_map={0}, operand_batching_dims={0}, "
     "start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}",
     Error("gather: dimension 0 is in start_index_map and in operand_batching_dims; operand "
           "f32[3,3], start_indices s32[3,1]")},
    {"one slice size per dimension",
     {"f32[3,3]", "s32[2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1}",
     Error("gather: slice_sizes has 1 entries but operand has rank 2; operand f32[3,3], "
           "start_indices s32[2]")},
    {"every operand dimension has a role",
     {"f32[3,3]", "s32[2]"},
     "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,3}",
     Error("gather: operand has rank 2 but there are 0 offset_dims, 1 collapsed_slice_dims and 0 "
           "operand_batching_dims; operand f32[3,3], start_indices s32[2]")},
    {"slices are no larger than the operand",
     {"f32[3,3]", "s32[2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,4}",
     Error("gather: slice size of dimension 1 is 4, must be in [0, 3]; operand f32[3,3], "
           "start_indices s32[2]")},
    {"slice sizes are not negative",
     {"f32[3,3]", "s32[2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,-1}",
     Error("gather: slice size of dimension 1 is -1, must be in [0, 3]; operand f32[3,3], "
           "start_indices s32[2]")},
    {"collapsed dimensions have slice size 1",
     {"f32[3,3]", "s32[2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={2,3}",
     Error("gather: slice size of collapsed dimension 0 is 2, must be 0 or 1; operand f32[3,3], "
           "start_indices s32[2]")},
    {"batching dimensions have slice size 1",
     {"f32[3,3]", "s32[3,1]"},
     "offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
     "start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={2,1}",
     Error("gather: slice size of batching dimension 0 is 2, must be 0 or 1; operand f32[3,3], "
           "start_indices s32[3,1]")},
    {"dynamic where a dimension is taken whole",
     {"f32[<=3,<=4]", "s32[<=5,2]"},
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0,1}, index_vector_dim=1, "
     "slice_sizes={1,4}",
     Infers("f32[<=5,<=4]")},
};
const CaseTable kGatherCases = {"gather", kRows};

}  // namespace axle
