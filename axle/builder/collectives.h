// The builder's functions for collectives, with XLA's names. Included by xla_builder.h.
#pragma once
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "axle/builder/channel_handle.h"
#include "axle/builder/xla_op.h"
#include "axle/ops/attributes.h"

namespace axle {

// Devices that take part in a collective together, in the order that counts.
class ReplicaGroup {
 public:
  ReplicaGroup() = default;
  ReplicaGroup(std::initializer_list<i64> ids) : replica_ids_(ids) {}
  void add_replica_ids(i64 id) { replica_ids_.push_back(id); }
  i64 replica_ids_size() const { return static_cast<i64>(replica_ids_.size()); }
  i64 replica_ids(i64 i) const { return replica_ids_[i]; }
  const Dims& replica_ids() const { return replica_ids_; }

 private:
  Dims replica_ids_;
};

using ReplicaGroupList = ArraySlice<ReplicaGroup>;
// The groups of a collective in any form: lists, an iota, or the axes of a mesh.
class CollectiveDeviceList {
 public:
  CollectiveDeviceList() = default;  // one group of everything
  explicit CollectiveDeviceList(ReplicaGroupList replica_groups);
  explicit CollectiveDeviceList(ReplicaGroups groups) : groups_(std::move(groups)) {}
  // The devices 0, 1, ... in num_groups x group_size; or as an array of dimensions `reshape` that
  // is transposed first.
  static StatusOr<CollectiveDeviceList> Iota(i64 num_groups, i64 group_size, Dims reshape = {},
                                             Dims transpose = {});
  const ReplicaGroups& groups() const { return groups_; }

 private:
  ReplicaGroups groups_;
};

using OptionalChannel = std::optional<ChannelHandle>;

// The fold of all participants' operands, on each of them. The elements of a tuple are reduced one
// by one. No group at all is one of everything. `shape_with_layout` is the shape of the result,
// with the layout that it must have.
XlaOp AllReduce(XlaOp operand, const XlaComputation& computation,
                ReplicaGroupList replica_groups = {}, const OptionalChannel& channel_id = {},
                const std::optional<Shape>& shape_with_layout = {},
                std::optional<bool> use_global_device_ids = {},
                Location location = std::source_location::current());
XlaOp AllReduceTuple(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                     ReplicaGroupList replica_groups = {}, const OptionalChannel& channel_id = {},
                     const std::optional<Shape>& shape_with_layout = {},
                     std::optional<bool> use_global_device_ids = {},
                     Location location = std::source_location::current());

// AllReduce with an addition, of pred with an or.
XlaOp CrossReplicaSum(XlaOp operand, ReplicaGroupList replica_groups = {},
                      Location location = std::source_location::current());
// Entry i is the number of the group that replica i is in; all groups are of one size.
XlaOp CrossReplicaSum(XlaOp operand, std::initializer_list<i64> replica_group_ids,
                      Location location = std::source_location::current());
XlaOp CrossReplicaSum(XlaOp operand, const std::vector<i64>& replica_group_ids,
                      Location location = std::source_location::current());

// The operands of all `shard_count` participants, side by side along a dimension.
XlaOp AllGather(XlaOp operand, i64 all_gather_dimension, i64 shard_count,
                ReplicaGroupList replica_groups = {}, const OptionalChannel& channel_id = {},
                const std::optional<Layout>& layout = {},
                std::optional<bool> use_global_device_ids = {},
                Location location = std::source_location::current());
XlaOp AllGatherTuple(ArraySlice<XlaOp> operands, i64 all_gather_dimension, i64 shard_count,
                     ReplicaGroupList replica_groups = {}, const OptionalChannel& channel_id = {},
                     const std::optional<Layout>& layout = {},
                     std::optional<bool> use_global_device_ids = {},
                     Location location = std::source_location::current());

// AllReduce, of which each of `shard_count` participants keeps its part.
XlaOp ReduceScatter(XlaOp operand, const XlaComputation& computation, i64 scatter_dimension,
                    i64 shard_count, ReplicaGroupList replica_groups = {},
                    const OptionalChannel& channel_id = {},
                    const std::optional<Layout>& layout = {},
                    std::optional<bool> use_global_device_ids = {},
                    Location location = std::source_location::current());

// Cuts the operand along split_dimension into one part per participant; the parts that arrive stand
// side by side along concat_dimension.
XlaOp AllToAll(XlaOp operand, i64 split_dimension, i64 concat_dimension, i64 split_count,
               ReplicaGroupList replica_groups = {}, const std::optional<Layout>& layout = {},
               const OptionalChannel& channel_id = {},
               Location location = std::source_location::current());
// Operand i goes to participant i; the result is the tuple of what arrives.
XlaOp AllToAllTuple(ArraySlice<XlaOp> operands, ReplicaGroupList replica_groups = {},
                    const std::optional<Layout>& layout = {},
                    const OptionalChannel& channel_id = {},
                    Location location = std::source_location::current());

// The operand of the source that the pairs {source, target} name for this device, or zeros.
XlaOp CollectivePermute(XlaOp operand, const std::vector<std::pair<i64, i64>>& source_target_pairs,
                        const OptionalChannel& channel_id = {},
                        Location location = std::source_location::current());
XlaOp MultiCollectivePermute(ArraySlice<XlaOp> operands,
                             const std::vector<std::pair<i64, i64>>& source_target_pairs,
                             const OptionalChannel& channel_id = {},
                             Location location = std::source_location::current());

// The operand of the first participant of the group. Of several operands, a tuple; with
// has_dynamic_root the last one is s32, and has for each of the others the position of the
// participant whose operand it is.
XlaOp CollectiveBroadcast(XlaOp operand, ReplicaGroupList replica_groups,
                          const OptionalChannel& channel_id = {},
                          Location location = std::source_location::current());
XlaOp CollectiveBroadcast(ArraySlice<XlaOp> operands, ReplicaGroupList replica_groups,
                          const OptionalChannel& channel_id = {}, bool has_dynamic_root = false,
                          Location location = std::source_location::current());

// Rows of `input`, sent to each participant's copy of `output`.
XlaOp RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                     XlaOp output_offsets, XlaOp recv_sizes, ReplicaGroupList replica_groups = {},
                     const OptionalChannel& channel_id = {},
                     Location location = std::source_location::current());

// The same with groups in any form.
XlaOp AllReduceWithDeviceList(XlaOp operand, const XlaComputation& computation,
                              const CollectiveDeviceList& device_list,
                              const OptionalChannel& channel_id = {},
                              const std::optional<Shape>& shape_with_layout = {},
                              std::optional<bool> use_global_device_ids = {},
                              Location location = std::source_location::current());
XlaOp AllReduceTupleWithDeviceList(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                                   const CollectiveDeviceList& device_list,
                                   const OptionalChannel& channel_id = {},
                                   const std::optional<Shape>& shape_with_layout = {},
                                   std::optional<bool> use_global_device_ids = {},
                                   Location location = std::source_location::current());
XlaOp AllGatherWithDeviceList(XlaOp operand, i64 all_gather_dimension, i64 shard_count,
                              const CollectiveDeviceList& device_list,
                              const OptionalChannel& channel_id = {},
                              const std::optional<Layout>& layout = {},
                              std::optional<bool> use_global_device_ids = {},
                              Location location = std::source_location::current());
XlaOp AllGatherTupleWithDeviceList(ArraySlice<XlaOp> operands, i64 all_gather_dimension,
                                   i64 shard_count, const CollectiveDeviceList& device_list,
                                   const OptionalChannel& channel_id = {},
                                   const std::optional<Layout>& layout = {},
                                   std::optional<bool> use_global_device_ids = {},
                                   Location location = std::source_location::current());
XlaOp ReduceScatterWithDeviceList(XlaOp operand, const XlaComputation& computation,
                                  i64 scatter_dimension, i64 shard_count,
                                  const CollectiveDeviceList& device_list,
                                  const OptionalChannel& channel_id = {},
                                  const std::optional<Layout>& layout = {},
                                  std::optional<bool> use_global_device_ids = {},
                                  Location location = std::source_location::current());
XlaOp AllToAllWithDeviceList(XlaOp operand, i64 split_dimension, i64 concat_dimension,
                             i64 split_count, const CollectiveDeviceList& device_list,
                             const std::optional<Layout>& layout = {},
                             const OptionalChannel& channel_id = {},
                             Location location = std::source_location::current());
XlaOp AllToAllTupleWithDeviceList(ArraySlice<XlaOp> operands,
                                  const CollectiveDeviceList& device_list,
                                  const std::optional<Layout>& layout = {},
                                  const OptionalChannel& channel_id = {},
                                  Location location = std::source_location::current());
XlaOp CollectiveBroadcastWithDeviceList(XlaOp operand, const CollectiveDeviceList& device_list,
                                        const OptionalChannel& channel_id = {},
                                        Location location = std::source_location::current());
XlaOp CollectiveBroadcastWithDeviceList(ArraySlice<XlaOp> operands,
                                        const CollectiveDeviceList& device_list,
                                        const OptionalChannel& channel_id = {},
                                        bool has_dynamic_root = false,
                                        Location location = std::source_location::current());
XlaOp RaggedAllToAllWithDeviceList(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                                   XlaOp output_offsets, XlaOp recv_sizes,
                                   const CollectiveDeviceList& device_list,
                                   const OptionalChannel& channel_id = {},
                                   Location location = std::source_location::current());

XlaOp ReplicaId(XlaBuilder* builder, Location location = std::source_location::current());
XlaOp PartitionId(XlaBuilder* builder, Location location = std::source_location::current());
// The same under XLA's name; `shape` must be u32[].
XlaOp BuildPartitionId(XlaBuilder* builder, const Shape& shape,
                       Location location = std::source_location::current());

}  // namespace axle
