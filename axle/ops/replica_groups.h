// Participants of a collective: what the ids in its replica groups count, whether the groups are
// legal, and the exchange of values between the devices of a group. Groups are kept in the form in
// which they were written; only the group of one device is ever listed.
#pragma once
#include <optional>

#include "axle/ops/op_def.h"

namespace axle {

enum class GroupMode : std::uint8_t {
  kCrossReplica,              // ids are replicas; devices of one partition meet
  kCrossPartition,            // ids are partitions; devices of one replica meet
  kCrossReplicaAndPartition,  // ids are replicas, each with all of its partitions
  kFlattenedId,               // ids are devices: replica * num_partitions + partition
};

// The attributes of a collective, whichever struct they are in.
struct Collective {
  const Instruction& inst;
  std::optional<i64> channel_id;
  const ReplicaGroups& groups;
  GroupMode mode = GroupMode::kCrossReplica;
};

// With a channel: devices of all partitions, listed as replicas or as devices.
inline GroupMode ModeWithDeviceIds(std::optional<i64> channel_id, bool use_global_device_ids) {
  if (!channel_id) return GroupMode::kCrossReplica;
  return use_global_device_ids ? GroupMode::kFlattenedId : GroupMode::kCrossReplicaAndPartition;
}
// For ops without use_global_device_ids.
inline GroupMode ModeOfChannel(std::optional<i64> channel_id) {
  return channel_id ? GroupMode::kCrossPartition : GroupMode::kCrossReplica;
}

// How many ids a module has for a mode, and their name in messages: "replicas".
i64 NumIds(const Instruction& inst, GroupMode mode);
std::string_view IdsText(GroupMode mode);

enum GroupRules : unsigned {
  kStrictGroups = 0,  // each id in exactly one group, groups of one size
  kUnequalGroups = 1,
  kPartialGroups = 2,  // some ids may be in no group
};
Status CheckReplicaGroups(const Collective& collective, unsigned rules = kStrictGroups);
// The groups name no ids that the program is not compiled for. After CheckReplicaGroups.
Status CheckGroupsExist(const Collective& collective);
// For rows: the same for the collective that an instruction is.
template <auto kMake>
Status CheckGroupsExist(const Instruction& inst) {
  return CheckGroupsExist(kMake(inst));
}
// The error for an `id` that the program is not compiled for; `what` names the attribute.
Status NoSuchId(const Instruction& inst, std::string_view what, i64 id, GroupMode mode);
// An error if ids are to be devices without a channel.
Status CheckDeviceIds(const Instruction& inst, std::optional<i64> channel_id,
                      bool use_global_device_ids);
// An error if the channel is a negative one.
Status CheckChannel(const Instruction& inst, std::optional<i64> channel_id);

// How many ids each group lists; nothing without groups, or where groups name axes that their mesh
// does not have. Groups of lists may differ: it is the largest one.
std::optional<i64> ListedGroupSize(const ReplicaGroups& groups);
// The number of devices of the first group, in any mode. The groups are legal.
StatusOr<i64> GroupSize(const Collective& collective);

// Whether the groups list each device of the program, alone. After CheckGroupsExist.
bool EachIsAlone(const Collective& collective);

DeviceContext& DeviceOf(const EvalContext& context);

// The devices of the group that `device` is in, in the order of the group; empty if it is in none.
StatusOr<Dims> Participants(const Collective& collective, const DeviceContext& device);
// The devices with these ids, beside `device` (kCrossReplica or kCrossPartition only).
StatusOr<Dims> DevicesOf(const Instruction& inst, GroupMode mode, const Dims& ids,
                         const DeviceContext& device);

// DeviceContext::Rendezvous::instruction: it stays the same while passes copy the instruction.
std::uint64_t RendezvousId(const Instruction& inst);
StatusOr<std::vector<Literal>> Exchange(const Instruction& inst, std::optional<i64> channel_id,
                                        const Dims& participants, Literal value,
                                        const EvalContext& context);

// The values of all devices of the group, and the position of this device among them.
struct GroupValues {
  std::vector<Literal> values;
  i64 position = 0;
};
StatusOr<GroupValues> ExchangeInGroup(const Collective& collective, Literal value,
                                      const EvalContext& context);

}  // namespace axle
