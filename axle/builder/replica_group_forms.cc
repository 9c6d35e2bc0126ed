// Implements collectives whose groups are lists by those that accept any form.
#include "axle/builder/collectives.h"
#include "axle/core/scanner.h"
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"

namespace axle {

namespace {

std::shared_ptr<const std::vector<ReplicaGroup>> Groups(const std::vector<Dims>& lists) {
  auto groups = std::make_shared<std::vector<ReplicaGroup>>();
  for (const Dims& list : lists) groups->emplace_back(list);
  return groups;
}

}  // namespace

ReplicaGroupList::ReplicaGroupList(const std::vector<Dims>& lists)
    : ReplicaGroupList(Groups(lists)) {}

CollectiveDeviceList::CollectiveDeviceList(ReplicaGroupList replica_groups) {
  ReplicaGroups groups;
  for (const ReplicaGroup& group : replica_groups) groups.groups.push_back(group.replica_ids());
  groups_ = std::make_shared<const ReplicaGroups>(std::move(groups));
}

CollectiveDeviceList::CollectiveDeviceList(ReplicaGroups groups)
    : groups_(std::make_shared<const ReplicaGroups>(std::move(groups))) {}

const ReplicaGroups& CollectiveDeviceList::groups() const {
  static const ReplicaGroups kEverything;
  return groups_ == nullptr ? kEverything : *groups_;
}

StatusOr<CollectiveDeviceList> CollectiveDeviceList::Iota(i64 num_groups, i64 group_size,
                                                          Dims reshape, Dims transpose) {
  if (reshape.empty()) reshape = {num_groups, group_size};
  if (transpose.empty()) {
    for (size_t d = 0; d < reshape.size(); ++d) transpose.push_back(static_cast<i64>(d));
  }
  // The reader of HLO text checks the lists and brings them into their one form.
  const std::string text = StrCat("[", Join(reshape, ","), "]T(", Join(transpose, ","), ")");
  Scanner scanner(text, "iota");
  ReplicaGroups groups;
  AXLE_ASSIGN(groups.iota, ParseIotaDevices(scanner));
  if (num_groups < 1 || group_size < 1 ||
      CheckedMul(num_groups, group_size) != groups.iota->size()) {
    return InvalidArgument(
        StrCat("iota: ", num_groups, " groups of ", group_size, " are not the devices of ", text));
  }
  groups.num_groups = num_groups;
  groups.group_size = group_size;
  return CollectiveDeviceList(std::move(groups));
}

XlaOp AllReduce(XlaOp operand, const XlaComputation& computation, ReplicaGroupList replica_groups,
                const OptionalChannel& channel_id, const std::optional<Shape>& shape_with_layout,
                std::optional<bool> use_global_device_ids, Location location) {
  return AllReduceWithDeviceList(operand, computation, CollectiveDeviceList(replica_groups),
                                 channel_id, shape_with_layout, use_global_device_ids, location);
}

XlaOp AllReduceTuple(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                     ReplicaGroupList replica_groups, const OptionalChannel& channel_id,
                     const std::optional<Shape>& shape_with_layout,
                     std::optional<bool> use_global_device_ids, Location location) {
  return AllReduceTupleWithDeviceList(operands, computation, CollectiveDeviceList(replica_groups),
                                      channel_id, shape_with_layout, use_global_device_ids,
                                      location);
}

XlaOp AllGather(XlaOp operand, i64 all_gather_dimension, i64 shard_count,
                ReplicaGroupList replica_groups, const OptionalChannel& channel_id,
                const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids,
                Location location) {
  return AllGatherWithDeviceList(operand, all_gather_dimension, shard_count,
                                 CollectiveDeviceList(replica_groups), channel_id, layout,
                                 use_global_device_ids, location);
}

XlaOp AllGatherTuple(ArraySlice<XlaOp> operands, i64 all_gather_dimension, i64 shard_count,
                     ReplicaGroupList replica_groups, const OptionalChannel& channel_id,
                     const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids,
                     Location location) {
  return AllGatherTupleWithDeviceList(operands, all_gather_dimension, shard_count,
                                      CollectiveDeviceList(replica_groups), channel_id, layout,
                                      use_global_device_ids, location);
}

XlaOp ReduceScatter(XlaOp operand, const XlaComputation& computation, i64 scatter_dimension,
                    i64 shard_count, ReplicaGroupList replica_groups,
                    const OptionalChannel& channel_id, const std::optional<Layout>& layout,
                    std::optional<bool> use_global_device_ids, Location location) {
  return ReduceScatterWithDeviceList(operand, computation, scatter_dimension, shard_count,
                                     CollectiveDeviceList(replica_groups), channel_id, layout,
                                     use_global_device_ids, location);
}

XlaOp AllToAll(XlaOp operand, i64 split_dimension, i64 concat_dimension, i64 split_count,
               ReplicaGroupList replica_groups, const std::optional<Layout>& layout,
               const OptionalChannel& channel_id, Location location) {
  return AllToAllWithDeviceList(operand, split_dimension, concat_dimension, split_count,
                                CollectiveDeviceList(replica_groups), layout, channel_id, location);
}

XlaOp AllToAllTuple(ArraySlice<XlaOp> operands, ReplicaGroupList replica_groups,
                    const std::optional<Layout>& layout, const OptionalChannel& channel_id,
                    Location location) {
  return AllToAllTupleWithDeviceList(operands, CollectiveDeviceList(replica_groups), layout,
                                     channel_id, location);
}

XlaOp CollectiveBroadcast(XlaOp operand, ReplicaGroupList replica_groups,
                          const OptionalChannel& channel_id, Location location) {
  return CollectiveBroadcastWithDeviceList(operand, CollectiveDeviceList(replica_groups),
                                           channel_id, location);
}

XlaOp RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                     XlaOp output_offsets, XlaOp recv_sizes, ReplicaGroupList replica_groups,
                     const OptionalChannel& channel_id, Location location) {
  return RaggedAllToAllWithDeviceList(input, input_offsets, send_sizes, output, output_offsets,
                                      recv_sizes, CollectiveDeviceList(replica_groups), channel_id,
                                      location);
}

XlaOp CollectiveBroadcast(ArraySlice<XlaOp> operands, ReplicaGroupList replica_groups,
                          const OptionalChannel& channel_id, bool has_dynamic_root,
                          Location location) {
  return CollectiveBroadcastWithDeviceList(operands, CollectiveDeviceList(replica_groups),
                                           channel_id, has_dynamic_root, location);
}

}  // namespace axle
