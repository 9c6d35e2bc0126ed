// The builder's functions for collectives, with XLA's names. The header is included by
// xla_builder.h, which states what holds for all of the builder's functions.
//
// What their arguments mean:
//
//   replica_groups  who takes part together; none is one group of everything. The ids are replicas.
//                   With a channel, those of AllReduce, AllGather and ReduceScatter are replicas
//                   with all their partitions, those of the others partitions; with a channel and
//                   use_global_device_ids, devices: replica * partitions + partition. Each id is
//                   there exactly once; for CollectiveBroadcast, at most once
//   channel_id      its handle, above 0; 0 or none: no channel. The type is not looked at
//   layout          of the result, as in shape_with_layout; one of another rank is left out
//   shard_count     the size of the groups, as split_count is; it is above 0
//
// Rules that depend on the number of devices are checked at Compile.
#pragma once
#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "axle/builder/channel_handle.h"
#include "axle/builder/xla_op.h"

namespace axle {

struct ReplicaGroups;  // ops/attributes/attributes.h

// Devices that take part in a collective together, in the order of their positions in the group.
class ReplicaGroup {
 public:
  ReplicaGroup() = default;
  ReplicaGroup(std::initializer_list<i64> ids) : replica_ids_(ids) {}
  explicit ReplicaGroup(Dims ids) : replica_ids_(std::move(ids)) {}
  // Adds an id at the end; the number of ids; id i, which must exist; all ids.
  void add_replica_ids(i64 id) { replica_ids_.push_back(id); }
  i64 replica_ids_size() const { return static_cast<i64>(replica_ids_.size()); }
  i64 replica_ids(i64 i) const { return replica_ids_[i]; }
  const Dims& replica_ids() const { return replica_ids_; }

 private:
  Dims replica_ids_;
};

// Groups as the functions below accept them: in braces, as any list of ReplicaGroup, or as vectors
// of numbers in a vector, which are copied. It is a type for parameters only, as ArraySlice is.
class ReplicaGroupList : public ArraySlice<ReplicaGroup> {
 public:
  ReplicaGroupList() = default;
  // NOLINTBEGIN(google-explicit-constructor): an argument converts
  ReplicaGroupList(std::initializer_list<ReplicaGroup> groups) : ArraySlice<ReplicaGroup>(groups) {}
  template <typename Groups>
  requires std::convertible_to<const Groups&, std::span<const ReplicaGroup>> ReplicaGroupList(
      const Groups& groups)
      : ArraySlice<ReplicaGroup>(Span(groups)) {}
  ReplicaGroupList(const std::vector<Dims>& lists);
  // NOLINTEND(google-explicit-constructor)

 private:
  explicit ReplicaGroupList(std::shared_ptr<const std::vector<ReplicaGroup>> own)
      : ArraySlice<ReplicaGroup>(Span(*own)), own_(std::move(own)) {}

  std::shared_ptr<const std::vector<ReplicaGroup>>
      own_;  // copies of groups that were given as lists of numbers
};

// The groups of a collective in any form: lists, an iota, or the axes of a mesh.
class CollectiveDeviceList {
 public:
  CollectiveDeviceList() = default;  // one group of everything
  // The groups are lists, of any form, and are copied.
  explicit CollectiveDeviceList(ReplicaGroupList replica_groups);
  explicit CollectiveDeviceList(ReplicaGroups groups);
  // The groups have the devices 0, 1, ... in num_groups x group_size; or in an array of dimensions
  // `reshape` that is transposed first. Errors: INVALID_ARGUMENT if a number is below 1, the lists
  // have a different number of devices, or `transpose` is not a permutation.
  static StatusOr<CollectiveDeviceList> Iota(i64 num_groups, i64 group_size, Dims reshape = {},
                                             Dims transpose = {});
  // The groups in the form in which they were given.
  const ReplicaGroups& groups() const;

 private:
  std::shared_ptr<const ReplicaGroups> groups_;  // null: one group of everything
};

using OptionalChannel = std::optional<ChannelHandle>;

// Combines the operands of all participants, on each of them; docs/ops/all-reduce.md,
// docs/numerics.md N9.
//
//   operand      an array, or a tuple of arrays of one element type, which are reduced one by one
//   computation  (T[], T[]) -> T[]
//   result       the operand's shape; of AllReduceTuple a tuple, of one operand too
//
// shape_with_layout is the shape of the result, with layouts. Errors: UNIMPLEMENTED for a tuple
// without elements, or with several element types.
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

// AllReduce without a channel, whose computation is an addition, or for pred an or.
XlaOp CrossReplicaSum(XlaOp operand, ReplicaGroupList replica_groups = {},
                      Location location = std::source_location::current());
// Entry i is the number of the group of replica i. All groups have one size and come in the order
// of their numbers.
XlaOp CrossReplicaSum(XlaOp operand, std::initializer_list<i64> replica_group_ids,
                      Location location = std::source_location::current());
template <std::same_as<std::vector<i64>> Ids>  // not for braces, which may be groups
XlaOp CrossReplicaSum(XlaOp operand, const Ids& replica_group_ids,
                      Location location = std::source_location::current());

// Concatenates the operands of all `shard_count` participants along a dimension;
// docs/ops/all-gather.md.
//
//   operand  [.., D, ..], or a tuple of such arrays, which are gathered one by one
//   result   [.., D * shard_count, ..], of several operands a tuple
//
// Errors: UNIMPLEMENTED for a tuple without elements.
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

// AllReduce after which each of `shard_count` participants keeps its part along scatter_dimension;
// docs/ops/reduce-scatter.md.
//
//   operand  [.., D, ..], or a tuple of such arrays; shard_count divides D
//   result   [.., D / shard_count, ..], of a tuple with several elements a tuple
//
// Errors: UNIMPLEMENTED for a tuple without elements.
XlaOp ReduceScatter(XlaOp operand, const XlaComputation& computation, i64 scatter_dimension,
                    i64 shard_count, ReplicaGroupList replica_groups = {},
                    const OptionalChannel& channel_id = {},
                    const std::optional<Layout>& layout = {},
                    std::optional<bool> use_global_device_ids = {},
                    Location location = std::source_location::current());

// Splits the operand along split_dimension into one part per participant. Each participant
// concatenates the parts that it receives along concat_dimension. docs/ops/all-to-all.md.
//
//   operand  [.., S, .., C, ..], static; split_count divides S; S and C may be one dimension
//   result   [.., S / split_count, .., C * split_count, ..]
//
// Without groups there is one group, {0, .., split_count - 1}.
XlaOp AllToAll(XlaOp operand, i64 split_dimension, i64 concat_dimension, i64 split_count,
               ReplicaGroupList replica_groups = {}, const std::optional<Layout>& layout = {},
               const OptionalChannel& channel_id = {},
               Location location = std::source_location::current());
// Sends operand i to participant i and returns the tuple of the received values. There are as many
// operands as participants, all of one shape.
XlaOp AllToAllTuple(ArraySlice<XlaOp> operands, ReplicaGroupList replica_groups = {},
                    const std::optional<Layout>& layout = {},
                    const OptionalChannel& channel_id = {},
                    Location location = std::source_location::current());

// Returns the operand of the source that the pairs {source, target} name for this device, or zeros;
// for several operands a tuple. The numbers are replicas, or partitions with a channel. Each is a
// source at most once and a target at most once. docs/ops/collective-permute.md.
XlaOp CollectivePermute(XlaOp operand, const std::vector<std::pair<i64, i64>>& source_target_pairs,
                        const OptionalChannel& channel_id = {},
                        Location location = std::source_location::current());
XlaOp MultiCollectivePermute(ArraySlice<XlaOp> operands,
                             const std::vector<std::pair<i64, i64>>& source_target_pairs,
                             const OptionalChannel& channel_id = {},
                             Location location = std::source_location::current());

// Returns the operand of the first participant of the group; zeros on devices outside of all
// groups. For several operands the result is a tuple. With has_dynamic_root the last operand is
// s32[number of the others]: for each of the others, the position of the participant whose operand
// is broadcast. docs/ops/collective-broadcast.md.
XlaOp CollectiveBroadcast(XlaOp operand, ReplicaGroupList replica_groups,
                          const OptionalChannel& channel_id = {},
                          Location location = std::source_location::current());
XlaOp CollectiveBroadcast(ArraySlice<XlaOp> operands, ReplicaGroupList replica_groups,
                          const OptionalChannel& channel_id = {}, bool has_dynamic_root = false,
                          Location location = std::source_location::current());

// Sends rows (positions of dimension 0) of `input` into each participant's copy of `output`, and
// returns that copy: send_sizes[i] rows from input_offsets[i] on go to participant i, from its row
// output_offsets[i] on. docs/ops/ragged-all-to-all.md.
//
//   input, output  arrays [rows, D1, ..], which differ in the rows only
//   the others     integers, [participants] or [participants, updates], all of one shape
//
// Rows that do not exist are an error of the run. recv_sizes are ignored.
XlaOp RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                     XlaOp output_offsets, XlaOp recv_sizes, ReplicaGroupList replica_groups = {},
                     const OptionalChannel& channel_id = {},
                     Location location = std::source_location::current());

// The functions above for groups in any form.
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

// Returns the number of the replica or of the partition that runs the program, u32[].
XlaOp ReplicaId(XlaBuilder* builder, Location location = std::source_location::current());
XlaOp PartitionId(XlaBuilder* builder, Location location = std::source_location::current());
// The same under XLA's name; `shape` must be u32[].
XlaOp BuildPartitionId(XlaBuilder* builder, const Shape& shape,
                       Location location = std::source_location::current());

}  // namespace axle
