// The builder's functions for collectives, with XLA's names. Included by xla_builder.h, which has
// the promises of all of the builder's functions.
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
// Rules that need the number of devices are checked at Compile.
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

// Devices that take part in a collective together, in the order that counts.
class ReplicaGroup {
 public:
  ReplicaGroup() = default;
  ReplicaGroup(std::initializer_list<i64> ids) : replica_ids_(ids) {}
  explicit ReplicaGroup(Dims ids) : replica_ids_(std::move(ids)) {}
  // One more at the end; how many; number i, which must be there; all.
  void add_replica_ids(i64 id) { replica_ids_.push_back(id); }
  i64 replica_ids_size() const { return static_cast<i64>(replica_ids_.size()); }
  i64 replica_ids(i64 i) const { return replica_ids_[i]; }
  const Dims& replica_ids() const { return replica_ids_; }

 private:
  Dims replica_ids_;
};

// Groups as the functions below take them: in braces, as any list of ReplicaGroup, or as vectors of
// numbers in a vector, which are copied. For parameters only, as ArraySlice is.
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
  // Lists, copied; any form.
  explicit CollectiveDeviceList(ReplicaGroupList replica_groups);
  explicit CollectiveDeviceList(ReplicaGroups groups);
  // The devices 0, 1, ... in num_groups x group_size; or as an array of dimensions `reshape` that
  // is transposed first. Errors: INVALID_ARGUMENT if a number is below 1, the lists do not have as
  // many devices, or `transpose` is no permutation.
  static StatusOr<CollectiveDeviceList> Iota(i64 num_groups, i64 group_size, Dims reshape = {},
                                             Dims transpose = {});
  // In the form that was given.
  const ReplicaGroups& groups() const;

 private:
  std::shared_ptr<const ReplicaGroups> groups_;  // null: one group of everything
};

using OptionalChannel = std::optional<ChannelHandle>;

// The fold of all participants' operands, on each of them; docs/ops/all-reduce.md,
// docs/numerics.md N9.
//
//   operand      an array, or a tuple of arrays of one element type, which are reduced one by one
//   computation  (T[], T[]) -> T[]
//   result       the operand's shape; of AllReduceTuple a tuple, of one operand too
//
// shape_with_layout is the result's shape, with layouts. Errors: UNIMPLEMENTED for a tuple without
// elements, or of several element types.
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

// AllReduce with an addition, of pred with an or, without a channel.
XlaOp CrossReplicaSum(XlaOp operand, ReplicaGroupList replica_groups = {},
                      Location location = std::source_location::current());
// Entry i is the number of the group that replica i is in; all groups are of one size, and in the
// order of their numbers.
XlaOp CrossReplicaSum(XlaOp operand, std::initializer_list<i64> replica_group_ids,
                      Location location = std::source_location::current());
template <std::same_as<std::vector<i64>> Ids>  // not of braces, which may be groups
XlaOp CrossReplicaSum(XlaOp operand, const Ids& replica_group_ids,
                      Location location = std::source_location::current());

// The operands of all `shard_count` participants, side by side along a dimension;
// docs/ops/all-gather.md.
//
//   operand  [.., D, ..], or a tuple of such, which are gathered one by one
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

// AllReduce, of which each of `shard_count` participants keeps its part, along scatter_dimension;
// docs/ops/reduce-scatter.md.
//
//   operand  [.., D, ..], or a tuple of such; shard_count divides D
//   result   [.., D / shard_count, ..], of a tuple with several elements a tuple
//
// Errors: UNIMPLEMENTED for a tuple without elements.
XlaOp ReduceScatter(XlaOp operand, const XlaComputation& computation, i64 scatter_dimension,
                    i64 shard_count, ReplicaGroupList replica_groups = {},
                    const OptionalChannel& channel_id = {},
                    const std::optional<Layout>& layout = {},
                    std::optional<bool> use_global_device_ids = {},
                    Location location = std::source_location::current());

// Cuts the operand along split_dimension into one part per participant; the parts that arrive stand
// side by side along concat_dimension. docs/ops/all-to-all.md.
//
//   operand  [.., S, .., C, ..], static; split_count divides S. They may be one dimension
//   result   [.., S / split_count, .., C * split_count, ..]
//
// Without groups there is one, {0, .., split_count - 1}.
XlaOp AllToAll(XlaOp operand, i64 split_dimension, i64 concat_dimension, i64 split_count,
               ReplicaGroupList replica_groups = {}, const std::optional<Layout>& layout = {},
               const OptionalChannel& channel_id = {},
               Location location = std::source_location::current());
// Operand i, all of one shape and as many as participants, goes to participant i; the result is the
// tuple of what arrives.
XlaOp AllToAllTuple(ArraySlice<XlaOp> operands, ReplicaGroupList replica_groups = {},
                    const std::optional<Layout>& layout = {},
                    const OptionalChannel& channel_id = {},
                    Location location = std::source_location::current());

// The operand of the source that the pairs {source, target} name for this device, or zeros; of
// several operands a tuple. The numbers are replicas, or partitions with a channel; each is a
// source once at most, and a target once at most. docs/ops/collective-permute.md.
XlaOp CollectivePermute(XlaOp operand, const std::vector<std::pair<i64, i64>>& source_target_pairs,
                        const OptionalChannel& channel_id = {},
                        Location location = std::source_location::current());
XlaOp MultiCollectivePermute(ArraySlice<XlaOp> operands,
                             const std::vector<std::pair<i64, i64>>& source_target_pairs,
                             const OptionalChannel& channel_id = {},
                             Location location = std::source_location::current());

// The operand of the first participant of the group; zeros outside of all groups. Of several
// operands, a tuple; with has_dynamic_root the last one is s32[number of the others], and has for
// each of these the position of the participant whose operand it is.
// docs/ops/collective-broadcast.md.
XlaOp CollectiveBroadcast(XlaOp operand, ReplicaGroupList replica_groups,
                          const OptionalChannel& channel_id = {},
                          Location location = std::source_location::current());
XlaOp CollectiveBroadcast(ArraySlice<XlaOp> operands, ReplicaGroupList replica_groups,
                          const OptionalChannel& channel_id = {}, bool has_dynamic_root = false,
                          Location location = std::source_location::current());

// Rows (positions of dimension 0) of `input`, sent into each participant's copy of `output`, which
// is the result: send_sizes[i] of them from input_offsets[i] on go to participant i, from its row
// output_offsets[i] on. docs/ops/ragged-all-to-all.md.
//
//   input, output  arrays [rows, D1, ..], which differ in the rows only
//   the others     integers, [participants] or [participants, updates], all of one shape
//
// Rows that do not exist are an error of the run. recv_sizes are not looked at.
XlaOp RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                     XlaOp output_offsets, XlaOp recv_sizes, ReplicaGroupList replica_groups = {},
                     const OptionalChannel& channel_id = {},
                     Location location = std::source_location::current());

// The functions above with groups in any form.
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

// The number of the replica or of the partition that runs the program, u32[].
XlaOp ReplicaId(XlaBuilder* builder, Location location = std::source_location::current());
XlaOp PartitionId(XlaBuilder* builder, Location location = std::source_location::current());
// The same under XLA's name; `shape` must be u32[].
XlaOp BuildPartitionId(XlaBuilder* builder, const Shape& shape,
                       Location location = std::source_location::current());

}  // namespace axle
