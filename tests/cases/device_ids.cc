#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kPartitionIdCases, kReplicaIdCases;

// clang-format off
static const OpCase kReplicaRows[] = {
    {"of one", {}, "", "u32[] 0"},
    {"no elements", {}, "", "u32[0] {}", {.body = "i = u32[] replica-id() ROOT r = u32[0] broadcast(i), dimensions={}"}},
    {"takes no operands", {"s32[]"}, "", Error("replica-id: has 1 operands but takes (); operand 0 s32[]")},
    {"u32 always", {}, "", Error("\"replica-id\" has shape u32[], not s32[]", "s32[]")},
};
const CaseTable kReplicaIdCases = {"replica-id", kReplicaRows};

static const OpCase kPartitionRows[] = {
    {"of one", {}, "", "u32[] 0"},
    {"no elements", {}, "", "u32[0] {}", {.body = "i = u32[] partition-id() ROOT r = u32[0] broadcast(i), dimensions={}"}},
    {"takes no operands", {"s32[]"}, "", Error("partition-id: has 1 operands but takes (); operand 0 s32[]")},
    {"u32 always", {}, "", Error("\"partition-id\" has shape u32[], not u64[]", "u64[]")},
};
const CaseTable kPartitionIdCases = {"partition-id", kPartitionRows};
// clang-format on

}  // namespace axle
