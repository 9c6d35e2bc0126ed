// replica-id, partition-id: which device runs the program.
//
// The device comes from the context of the run. A run without devices is replica 0 and partition 0.
//
// Both are u32 scalars. They are not constants: a program is compiled once and runs on all devices.
#include "axle/ops/replica_groups.h"

namespace axle {

extern const OpDef kPartitionIdDef, kReplicaIdDef;

namespace {

StatusOr<Shape> InferId(const Instruction&) {
  return Shape(U32);
}

StatusOr<Literal> EvalReplicaId(const Instruction&, std::span<Literal>,
                                const EvalContext& context) {
  return Literal::Scalar<std::uint32_t>(U32,
                                        static_cast<std::uint32_t>(DeviceOf(context).replica_id()));
}

StatusOr<Literal> EvalPartitionId(const Instruction&, std::span<Literal>,
                                  const EvalContext& context) {
  return Literal::Scalar<std::uint32_t>(
      U32, static_cast<std::uint32_t>(DeviceOf(context).partition_id()));
}

}  // namespace

const OpDef kReplicaIdDef = {
    .opcode = Opcode::kReplicaId,
    .text = "replica-id",
    .summary = "The number of the replica that runs the program, below replica_count.",
    .semantics =
        "All replicas run the same module; only this number and what they are given tell them "
        "apart. It is 0 in a program of one replica.",
    .source = "XLA ReplicaId; StableHLO replica_id",
    .lowering = Lowering::kCollective,
    .infer = InferId,
    .eval = EvalReplicaId,
};

const OpDef kPartitionIdDef = {
    .opcode = Opcode::kPartitionId,
    .text = "partition-id",
    .summary = "The number of the partition that runs the program, below num_partitions.",
    .semantics =
        "A replica is num_partitions devices with one program. Device replica * num_partitions + "
        "partition is the one that groups of flattened ids mean. It is 0 in a program of one "
        "partition.",
    .source = "XLA PartitionId; StableHLO partition_id",
    .lowering = Lowering::kCollective,
    .infer = InferId,
    .eval = EvalPartitionId,
};

}  // namespace axle
