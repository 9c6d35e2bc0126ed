#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAllToAllCases, kRaggedAllToAllCases;

// clang-format off
// One device: tests/ops/collectives_test.cc has several.
static const OpCase kRows[] = {
    {"alone, the operand stays", {"f32[2] {1, -0.0}"}, "replica_groups={{0}}, dimensions={0}", "f32[2] {1, -0.0}"},
    {"one element", {"s32[1,1] {{127}}"}, "channel_id=2, replica_groups=[1,1]<=[1], dimensions={1}", "s32[1,1] {{127}}"},
    {"no elements", {"f32[2,0] {{}, {}}"}, "replica_groups={{0}}, dimensions={0}", "f32[2,0] {{}, {}}"},
    {"tuple form", {"c64[1] {(1, inf)}"}, "replica_groups={}", "(c64[1]) ({(1, inf)})"},
    {"tuple form of a scalar", {"f32[] nan"}, "replica_groups={{0}}, constrain_layout=true", "(f32[]) (nan)"},
    {"parts", {"f32[4,16]"}, "replica_groups={{0,1,2,3}}, dimensions={1}", Infers("f32[4,16]"), {.module = "replica_count=4"}},
    {"parts of partitions", {"f32[4,16]"}, "channel_id=1, replica_groups={{0,1},{3,2}}, dimensions={0}", Infers("f32[4,16]"), {.module = "num_partitions=4"}},
    {"tuple form of several", {"f32[2]", "f32[2]"}, "replica_groups={}", Infers("(f32[2], f32[2])"), {.module = "replica_count=2"}},
    {"one operand with dimensions", {"f32[2]", "f32[2]"}, "replica_groups={{0,1}}, dimensions={0}",
     Error("all-to-all: with dimensions, takes 1 operand, not 2; operand.0 f32[2], operand.1 f32[2]")},
    {"one group of everything, with dimensions", {"f32[2] {1, 2}"}, "replica_groups={}, dimensions={0}", "f32[2] {1, 2}"},
    {"all replicas divide the dimension", {"f32[6]"}, "replica_groups={}, dimensions={0}",
     Error("all-to-all: dimension 0 has size 6, which the group size 4 does not divide; operand f32[6]"), {.module = "replica_count=4"}},
    {"arrays only", {"(f32[])"}, "replica_groups={{0}}, dimensions={0}", Error("all-to-all: expected an array, not (f32[]); operand (f32[])")},
    {"one dimension", {"f32[2,2]"}, "replica_groups={{0}}, dimensions={0,1}", Error("all-to-all: dimensions names 2 dimensions, not 1; operand f32[2,2]")},
    {"a dimension of the operand", {"f32[2,2]"}, "replica_groups={{0}}, dimensions={2}", Error("all-to-all: dimension 2 must be in [0, 2); operand f32[2,2]")},
    {"parts of one size", {"f32[6]"}, "replica_groups={{0,1,2,3}}, dimensions={0}",
     Error("all-to-all: dimension 0 has size 6, which the group size 4 does not divide; operand f32[6]")},
    {"no dynamic dimension", {"f32[<=6]"}, "replica_groups={{0}}, dimensions={0}", Error("all-to-all: dynamic dimensions cannot be split; operand f32[<=6]")},
    {"V an operand for each device", {"f32[2]", "f32[2]"}, "replica_groups={{0,1,2}}",
     Error("all-to-all: has 2 operands but groups of size 3; operand.0 f32[2], operand.1 f32[2]")},
    {"V an operand for each replica", {"f32[2]", "f32[2]"}, "replica_groups={}",
     Error("all-to-all: has 2 operands but groups of size 1; operand.0 f32[2], operand.1 f32[2]")},
    {"operands of one shape", {"f32[2]", "f32[3]"}, "replica_groups={{0,1}}",
     Error("all-to-all: operands must have one shape, but operand 1 is f32[3]; operand.0 f32[2], operand.1 f32[3]")},
    {"no mixed precision", {"f32[2]", "bf16[2]"}, "replica_groups={{0,1}}",
     Error("all-to-all: mixed precision: operands of f32 and bf16; operand.0 f32[2], operand.1 bf16[2]"), {.module = "replica_count=2"}},
    {"V groups of one size", {"f32[6]"}, "replica_groups={{0},{1,2}}, dimensions={0}",
     Error("all-to-all: replica groups must be of one size, but group 0 has 1 ids and group 1 has 2; operand f32[6]")},
    {"V all partitions", {"f32[6]"}, "channel_id=1, replica_groups={{0}}, dimensions={0}",
     Error("all-to-all: replica_groups list 1 ids but the module has 2 partitions; operand f32[6]"), {.module = "num_partitions=2"}},
    {"channels are positive", {"f32[2]"}, "channel_id=-5, replica_groups={{0}}, dimensions={0}",
     Error("all-to-all: channel_id is -5, must be >= 0; operand f32[2]")},
    {"no flattened ids", {"f32[2]"}, "replica_groups={{0}}, use_global_device_ids=true, dimensions={0}",
     Error("unknown attribute \"use_global_device_ids\" for \"all-to-all\" (it takes: channel_id, replica_groups, constrain_layout, dimensions)")},
};
const CaseTable kAllToAllCases = {"all-to-all", kRows};

static const OpCase kRaggedRows[] = {
    {"alone, rows move", {"f32[3] {1, 2, 3}", "f32[4] {7, 8, 9, 10}", "s32[1] {1}", "s32[1] {2}", "s32[1] {0}", "s32[1] {2}"},
     "replica_groups={{0}}", "f32[4] {2, 3, 9, 10}"},
    {"rows are arrays", {"s32[2,2] {{1, 2}, {3, 127}}", "s32[2,2] {{0, 0}, {0, 0}}", "s64[1] {1}", "s64[1] {1}", "s64[1] {1}", "s64[1] {1}"},
     "replica_groups={}, dimensions={0}", "s32[2,2] {{0, 0}, {3, 127}}"},
    {"several updates", {"f32[3] {1, 2, 3}", "f32[4] {0, 0, 0, 0}", "s32[1,2] {{2, 0}}", "s32[1,2] {{1, 2}}", "s32[1,2] {{0, 2}}", "s32[1,2] {{1, 2}}"},
     "replica_groups={}", "f32[4] {3, 0, 1, 2}"},
    {"the later update stays", {"f32[2] {1, 2}", "f32[1] {0}", "u8[1,2] {{0, 1}}", "u8[1,2] {{1, 1}}", "u8[1,2] {{0, 0}}", "u8[1,2] {{1, 1}}"},
     "replica_groups={}", "f32[1] {2}"},
    {"nothing is sent", {"f32[1] {1}", "f32[2] {5, 6}", "s32[1] {0}", "s32[1] {0}", "s32[1] {0}", "s32[1] {0}"}, "replica_groups={}", "f32[2] {5, 6}"},
    {"no elements", {"f32[0] {}", "f32[0] {}", "s32[1] {0}", "s32[1] {0}", "s32[1] {0}", "s32[1] {0}"}, "replica_groups={}", "f32[0] {}"},
    {"six operands", {"f32[1]", "f32[1]"}, "replica_groups={}",
     Error("ragged-all-to-all: has 2 operands but takes (input, output, input_offsets, send_sizes, output_offsets, recv_sizes); input f32[1], output f32[1]")},
    {"rows of one shape", {"f32[2,3]", "f32[2,4]", "s32[1]", "s32[1]", "s32[1]", "s32[1]"}, "replica_groups={}",
     Error("ragged-all-to-all: input and output must be rows of one shape; input f32[2,3], output f32[2,4], input_offsets s32[1], send_sizes s32[1], output_offsets s32[1], recv_sizes s32[1]")},
    {"rows of one type", {"f32[2]", "f16[2]", "s32[1]", "s32[1]", "s32[1]", "s32[1]"}, "replica_groups={}",
     Error("ragged-all-to-all: input and output must be rows of one shape; input f32[2], output f16[2], input_offsets s32[1], send_sizes s32[1], output_offsets s32[1], recv_sizes s32[1]")},
    {"V indices are integers", {"f32[2]", "f32[2]", "f32[1]", "f32[1]", "f32[1]", "f32[1]"}, "replica_groups={}",
     Error("ragged-all-to-all: offsets and sizes must be integers of rank 1 or 2; input f32[2], output f32[2], input_offsets f32[1], send_sizes f32[1], output_offsets f32[1], recv_sizes f32[1]")},
    {"V indices have rank 1 or 2", {"f32[2]", "f32[2]", "s32[]", "s32[]", "s32[]", "s32[]"}, "replica_groups={}",
     Error("ragged-all-to-all: offsets and sizes must be integers of rank 1 or 2; input f32[2], output f32[2], input_offsets s32[], send_sizes s32[], output_offsets s32[], recv_sizes s32[]")},
    {"V indices of one shape", {"f32[2]", "f32[2]", "s32[2]", "s32[2]", "s32[1]", "s32[2]"}, "replica_groups={{0,1}}",
     Error("ragged-all-to-all: offsets and sizes must have one shape; input f32[2], output f32[2], input_offsets s32[2], send_sizes s32[2], output_offsets s32[1], recv_sizes s32[2]")},
    {"V no empty group", {"f32[2]", "f32[2]", "s32[1]", "s32[1]", "s32[1]", "s32[1]"}, "replica_groups={{}}",
     Error("ragged-all-to-all: replica group 0 is empty; input f32[2], output f32[2], input_offsets s32[1], send_sizes s32[1], output_offsets s32[1], recv_sizes s32[1]")},
};
const CaseTable kRaggedAllToAllCases = {"ragged-all-to-all", kRaggedRows};
// clang-format on

}  // namespace axle
