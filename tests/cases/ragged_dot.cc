#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kRaggedDotCases, kScaledDotCases;

static constexpr std::string_view kFree =
    "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
    "rhs_group_dims={0}";
static constexpr std::string_view kContracting =
    "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}";
static constexpr std::string_view kBatch =
    "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
    "rhs_contracting_dims={1}, "
    "lhs_ragged_dims={0}";

// clang-format off
static const OpCase kRaggedRows[] = {
    {"rows of a group times its matrix", {"f32[4,2] {{1, 2}, {3, 4}, {5, 6}, {7, 8}}", "f32[2,2,2] {{{1, 0}, {0, 1}}, {{10, 0}, {0, 100}}}", "s32[2] {1, 2}"}, kFree,
     "f32[4,2] {{1, 2}, {30, 400}, {50, 600}, {0, 0}}"},
    {"rows past the sizes are cut off", {"f32[3,1] {{1}, {2}, {3}}", "f32[3,1,1] {{{1}}, {{10}}, {{100}}}", "s32[3] {1, 1, 9}"}, kFree, "f32[3,1] {{1}, {20}, {300}}"},
    {"empty and negative groups", {"f32[3,1] {{1}, {2}, {3}}", "f32[3,1,1] {{{1}}, {{10}}, {{100}}}", "s64[3] {-5, 0, 2}"}, kFree, "f32[3,1] {{100}, {200}, {0}}"},
    {"large unsigned sizes", {"f32[2,1] {{1}, {2}}", "f32[2,1,1] {{{1}}, {{10}}}", "u64[2] {1, 18446744073709551615}"}, kFree, "f32[2,1] {{1}, {20}}"},
    {"small sizes", {"f32[2,1] {{1}, {2}}", "f32[2,1,1] {{{1}}, {{10}}}", "s4[2] {1, 7}"}, kFree, "f32[2,1] {{1}, {20}}"},
    {"no groups", {"f32[2,1] {{1}, {2}}", "f32[0,1,3] {}", "s32[0] {}"}, kFree, "f32[2,3] {{0, 0, 0}, {0, 0, 0}}", {.degenerate = true}},
    {"one element", {"f32[1,1] {{3}}", "f32[1,1,1] {{{-4}}}", "s32[1] {1}"}, kFree, "f32[1,1] {{-12}}"},
    {"no rows", {"f32[0,2] {}", "f32[1,2,3] {{{1, 2, 3}, {4, 5, 6}}}", "s32[1] {5}"}, kFree, "f32[0,3] {}"},
    {"the group dimension may stand anywhere", {"f32[2,2] {{1, 2}, {3, 4}}", "f32[2,2] {{1, 10}, {2, 20}}", "s32[2] {1, 1}"},
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={0}, rhs_group_dims={1}", "f32[2] {5, 110}"},
    {"with batches, groups for all", {"f32[2,2,1] {{{1}, {2}}, {{3}, {4}}}", "f32[2,2,1,1] {{{{1}}, {{5}}}, {{{10}}, {{50}}}}", "s32[2] {1, 1}"},
     "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0}",
     "f32[2,2,1] {{{1}, {20}}, {{15}, {200}}}"},
    {"with batches, groups for each", {"f32[2,2,1] {{{1}, {2}}, {{3}, {4}}}", "f32[2,2,1,1] {{{{1}}, {{5}}}, {{{10}}, {{50}}}}", "s32[2,2] {{1, 1}, {0, 1}}"},
     "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0}",
     "f32[2,2,1] {{{1}, {20}}, {{150}, {0}}}"},
    {"a free dimension before the ragged one and one behind", {"f32[2,2,2,1] {{{{1}, {2}}, {{3}, {4}}}, {{{5}, {6}}, {{7}, {8}}}}", "f32[2,1] {{1}, {10}}", "s32[2,2] {{1, 1}, {2, 0}}"},
     "lhs_contracting_dims={3}, rhs_contracting_dims={1}, lhs_ragged_dims={1}, rhs_group_dims={0}",
     "f32[2,2,2] {{{1, 2}, {30, 40}}, {{5, 6}, {7, 8}}}"},
    {"contracted groups", {"f32[1,4] {{1, 2, 3, 4}}", "f32[4,2] {{1, 10}, {1, 10}, {1, 10}, {1, 10}}", "s32[3] {1, 2, 0}"}, kContracting,
     "f32[3,1,2] {{{1, 10}}, {{5, 50}}, {{0, 0}}}"},
    {"contracted groups of two dimensions", {"f32[1,2,2] {{{1, 2}, {3, 4}}}", "f32[2,2,1] {{{1}, {10}}, {{100}, {1000}}}", "s32[2,2] {{1, 1}, {2, 0}}"},
     "lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}, lhs_ragged_dims={2}", "f32[2,1,1] {{{4301}}, {{20}}}"},
    {"contracted groups with batches", {"f32[2,1,2] {{{1, 2}}, {{3, 4}}}", "f32[2,2,1] {{{1}, {10}}, {{100}, {1000}}}", "s32[2,2] {{1, 1}, {0, 1}}"},
     "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}, lhs_ragged_dims={2}",
     "f32[2,2,1,1] {{{{1}}, {{0}}}, {{{20}}, {{300}}}}"},
    {"batches behind the groups are 0", {"f32[3,1,1] {{{1}}, {{2}}, {{3}}}", "f32[3,1,1] {{{1}}, {{10}}, {{100}}}", "s32[2] {1, 1}"}, kBatch,
     "f32[3,1,1] {{{1}}, {{20}}, {{0}}}"},
    {"batches in two dimensions", {"f32[2,2,1] {{{1}, {2}}, {{3}, {4}}}", "f32[2,2,1] {{{1}, {10}}, {{100}, {1000}}}", "s32[2,1] {{1}, {2}}"},
     "lhs_batch_dims={0,1}, lhs_contracting_dims={2}, rhs_batch_dims={0,1}, rhs_contracting_dims={2}, lhs_ragged_dims={1}",
     "f32[2,2] {{1, 0}, {300, 4000}}"},
    {"N5 the tile order of bf16", {"bf16[1,4] {{1, 5.9604645e-08, 5.9604645e-08, 5.9604645e-08}}", "bf16[1,4,1] {{{1}, {1}, {1}, {1}}}", "s32[1] {1}"}, kFree, "f32[1,1] {{1.00000012}}"},
    {"bf16", {"bf16[2,2] {{1, 2}, {3, 4}}", "bf16[2,2,1] {{{1}, {1}}, {{10}, {10}}}", "s32[2] {1, 1}"}, kFree, "bf16[2,1] {{3}, {70}}"},
    {"f16 is added up in f32", {"f16[2,3] {{200, 200, -200}, {1, 1, 1}}", "f16[1,3,1] {{{2048}, {1}, {2048}}}", "s32[1] {2}"}, kFree, "f16[2,1] {{200}, {4096}}"},
    {"integers wrap", {"s8[2,1] {{100}, {-128}}", "s8[1,1,1] {{{2}}}", "s32[1] {2}"}, kFree, "s8[2,1] {{-56}, {0}}"},
    {"4-bit integers", {"s4[2,1] {{7}, {-8}}", "s4[1,1,1] {{{3}}}", "s32[1] {2}"}, kFree, "s4[2,1] {{5}, {-8}}"},
    {"complex", {"c64[2,1] {{(1, 2)}, {(3, 0)}}", "c64[2,1,1] {{{(0, 1)}}, {{(2, 0)}}}", "s32[2] {1, 1}"}, kFree, "c64[2,1] {{(-2, 1)}, {(6, 0)}}"},
    {"NaN and infinities stay in their groups", {"f32[2,1] {{inf}, {2}}", "f32[2,1,1] {{{0}}, {{-0.0}}}", "s32[2] {1, 1}"}, kFree, "f32[2,1] {{nan}, {0}}"},
    {"dynamic dimensions stay dynamic", {"f32[<=4,2]", "f32[2,2,3]", "s32[2]"}, kFree, Infers("f32[<=4,3]")},
    {"one ragged dimension", {"f32[4,2]", "f32[2,2,3]", "s32[2]"}, "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0,1}, rhs_group_dims={0}",
     Error("ragged-dot: lhs_ragged_dims has 2 dimensions, must have 1; lhs f32[4,2], rhs f32[2,2,3], group_sizes s32[2]")},
    {"a dimension of lhs", {"f32[4,2]", "f32[2,2,3]", "s32[2]"}, "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={2}, rhs_group_dims={0}",
     Error("ragged-dot: lhs_ragged_dims has 2, which is not a dimension of rank 2; lhs f32[4,2], rhs f32[2,2,3], group_sizes s32[2]")},
    {"a free ragged dimension needs a group dimension", {"f32[4,2]", "f32[2,3]", "s32[2]"}, "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={0}",
     Error("ragged-dot: rhs_group_dims has 0 dimensions, must have 1 if the ragged dimension is free; lhs f32[4,2], rhs f32[2,3], group_sizes s32[2]")},
    {"a contracting one has none", {"f32[4,2]", "f32[2,3]", "s32[2]"}, "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}, rhs_group_dims={1}",
     Error("ragged-dot: rhs_group_dims has 1 dimensions, must have 0 if the ragged dimension is contracting; lhs f32[4,2], rhs f32[2,3], group_sizes s32[2]")},
    {"a batch dimension has none", {"f32[4,2]", "f32[4,2]", "s32[2]"},
     "lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
     Error("ragged-dot: rhs_group_dims has 1 dimensions, must have 0 if the ragged dimension is a batch dimension; lhs f32[4,2], rhs f32[4,2], group_sizes s32[2]")},
    {"the group dimension has no other role", {"f32[4,2]", "f32[2,3]", "s32[2]"}, "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={0}, rhs_group_dims={0}",
     Error("ragged-dot: rhs_batch_dims + rhs_contracting_dims + rhs_group_dims has 0 twice; lhs f32[4,2], rhs f32[2,3], group_sizes s32[2]")},
    {"as many groups", {"f32[4,2]", "f32[2,2,3]", "s32[3]"}, kFree,
     Error("ragged-dot: rhs has 2 groups in dimension 0 but group_sizes has 3; lhs f32[4,2], rhs f32[2,2,3], group_sizes s32[3]")},
    {"sizes are integers", {"f32[4,2]", "f32[2,2,3]", "f32[2]"}, kFree,
     Error("ragged-dot: group_sizes must be integers; lhs f32[4,2], rhs f32[2,2,3], group_sizes f32[2]")},
    {"sizes have a dimension", {"f32[4,2]", "f32[2,2,3]", "s32[]"}, kFree,
     Error("ragged-dot: group_sizes must have the dimension of groups; lhs f32[4,2], rhs f32[2,2,3], group_sizes s32[]")},
    {"and those of batches", {"f32[4,2]", "f32[2,2,3]", "s32[4,2]"}, kFree,
     Error("ragged-dot: group_sizes must be [groups]; lhs f32[4,2], rhs f32[2,2,3], group_sizes s32[4,2]")},
    {"and those of free dimensions before", {"f32[3,4,2]", "f32[2,2,3]", "s32[4,2]"}, "lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_ragged_dims={1}, rhs_group_dims={0}",
     Error("ragged-dot: group_sizes must be [groups] or [3,groups]; lhs f32[3,4,2], rhs f32[2,2,3], group_sizes s32[4,2]")},
    {"contracting sizes agree as in dot", {"f32[4,3]", "f32[2,2,3]", "s32[2]"}, kFree,
     Error("ragged-dot: contracting dimension lhs 1 has size 3 but rhs 1 has size 2; lhs f32[4,3], rhs f32[2,2,3], group_sizes s32[2]")},
    {"arrays only", {"f32[4,2]", "(f32[2])", "s32[2]"}, kFree,
     Error("ragged-dot: expected an array, not (f32[2]); lhs f32[4,2], rhs (f32[2]), group_sizes s32[2]")},
};
const CaseTable kRaggedDotCases = {"ragged-dot", kRaggedRows};

static constexpr std::string_view kMatrices = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";

static const OpCase kScaledRows[] = {
    {"blocks have scales", {"f8e4m3fn[2,4] {{1, 2, 3, 4}, {5, 6, 7, 8}}", "f8e4m3fn[4,1] {{1}, {1}, {1}, {1}}", "f8e8m0fnu[2,2] {{1, 2}, {4, 8}}", "f8e8m0fnu[2,1] {{1}, {0.5}}"}, kMatrices,
     "f32[2,1] {{10}, {104}}"},
    {"an unscaled side", {"f32[1,2] {{1, 2}}", "f32[2,1] {{3}, {4}}", "f32[1,2] {{10, 100}}", "f32[] 7"}, kMatrices, "f32[1,1] {{830}}"},
    {"the other side unscaled", {"f32[1,2] {{1, 2}}", "f32[2,1] {{3}, {4}}", "f32[] 7", "f32[1,1] {{10}}"}, kMatrices, "f32[1,1] {{110}}"},
    {"factors are rounded once to the result's type", {"bf16[1,2] {{1.0078125, 1}}", "bf16[2,1] {{1}, {0}}", "bf16[1,1] {{1.0078125}}", "bf16[] 1"}, kMatrices, "bf16[1,1] {{1.015625}}"},
    {"f64", {"f64[1,1] {{0.1}}", "f64[1,1] {{3}}", "f64[1,1] {{3}}", "f64[1,1] {{1}}"}, kMatrices, "f64[1,1] {{0.9000000000000001}}"},
    {"batch", {"f32[2,1,2] {{{1, 2}}, {{3, 4}}}", "f32[2,2,1] {{{1}, {1}}, {{1}, {1}}}", "f32[2,1,1] {{{1}}, {{10}}}", "f32[1,1,1] {{{2}}}"},
     "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}", "f32[2,1,1] {{{6}}, {{140}}}"},
    {"f4 and f8e8m0fnu", {"f4e2m1fn[1,4] {{6, -6, 0.5, 1}}", "f4e2m1fn[4,1] {{1}, {2}, {4}, {6}}", "f8e8m0fnu[1,2] {{2, 0.5}}", "f8e8m0fnu[] 1"}, kMatrices, "f32[1,1] {{-8}}"},
    {"NaN scales", {"f8e5m2[2,2] {{inf, 1}, {-0.0, 1}}", "f8e5m2[2,1] {{1}, {1}}", "f8e8m0fnu[2,1] {{2}, {nan}}", "f8e8m0fnu[] 1"}, kMatrices, "f32[2,1] {{inf}, {nan}}"},
    {"one element", {"f32[1,1] {{3}}", "f32[1,1] {{-4}}", "f32[1,1] {{2}}", "f32[1,1] {{5}}"}, kMatrices, "f32[1,1] {{-120}}"},
    {"no elements", {"f32[2,0] {{}, {}}", "f32[0,1] {}", "f32[2,0] {{}, {}}", "f32[3,1] {{1}, {2}, {3}}"}, kMatrices, "f32[2,1] {{0}, {0}}"},
    {"dynamic dimensions stay dynamic", {"f32[<=2,4]", "f32[4,3]", "f32[1,2]", "f32[]"}, kMatrices, Infers("f32[<=2,3]")},
    {"sizes of scales divide", {"f32[2,4]", "f32[4,3]", "f32[2,3]", "f32[]"}, kMatrices,
     Error("scaled-dot: size 3 of dimension 1 of lhs_scale does not divide 4; lhs f32[2,4], rhs f32[4,3], lhs_scale f32[2,3], rhs_scale f32[]")},
    {"no empty scale of an operand", {"f32[2,4]", "f32[4,3]", "f32[2,1]", "f32[0,3]"}, kMatrices,
     Error("scaled-dot: size 0 of dimension 0 of rhs_scale does not divide 4; lhs f32[2,4], rhs f32[4,3], lhs_scale f32[2,1], rhs_scale f32[0,3]")},
    {"scales have the rank", {"f32[2,4]", "f32[4,3]", "f32[2]", "f32[]"}, kMatrices,
     Error("scaled-dot: lhs_scale must be a scalar or have the rank of lhs, 2; lhs f32[2,4], rhs f32[4,3], lhs_scale f32[2], rhs_scale f32[]")},
    {"one scale is an array", {"f32[2,4]", "f32[4,3]", "f32[]", "f32[]"}, kMatrices,
     Error("scaled-dot: one of the scales at least must not be a scalar; lhs f32[2,4], rhs f32[4,3], lhs_scale f32[], rhs_scale f32[]")},
    {"floats only", {"s8[2,4]", "s8[4,3]", "f32[2,1]", "f32[]"}, kMatrices,
     Error("scaled-dot: takes floats only; lhs s8[2,4], rhs s8[4,3], lhs_scale f32[2,1], rhs_scale f32[]")},
    {"the result is a float", {"f32[2,4]", "f32[4,3]", "f32[2,1]", "f32[]"}, kMatrices,
     Error("scaled-dot: the result is a float, not s32; lhs f32[2,4], rhs f32[4,3], lhs_scale f32[2,1], rhs_scale f32[]", "s32[2,3]")},
    {"sizes agree as in dot", {"f32[2,4]", "f32[3,3]", "f32[2,1]", "f32[]"}, kMatrices,
     Error("scaled-dot: contracting dimension lhs 1 has size 4 but rhs 0 has size 3; lhs f32[2,4], rhs f32[3,3], lhs_scale f32[2,1], rhs_scale f32[]")},
    {"arrays only", {"(f32[])", "f32[4,3]", "f32[2,1]", "f32[]"}, kMatrices,
     Error("scaled-dot: expected an array, not (f32[]); lhs (f32[]), rhs f32[4,3], lhs_scale f32[2,1], rhs_scale f32[]")},
};
const CaseTable kScaledDotCases = {"scaled-dot", kScaledRows};
// clang-format on

}  // namespace axle
