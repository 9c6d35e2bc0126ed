// Exchanges of values between devices. Channel 0 of StableHLO is none.
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"

namespace axle::stablehlo {
namespace {

StatusOr<std::optional<i64>> ChannelOf(const Site& site) {
  AXLE_ASSIGN(const i64 id, site.Int("channel_id", 0));
  if (id <= 0) return std::optional<i64>();
  return std::optional<i64>(id);
}

// A matrix with one group in each row; -1 fills up short ones.
StatusOr<ReplicaGroups> GroupsOf(const Site& site) {
  ReplicaGroups result;
  const mlir::Attribute* groups = site.Find("replica_groups");
  if (groups == nullptr) return site.Error("attribute \"replica_groups\" is missing");
  if (groups->kind != mlir::AttributeKind::kElements || groups->type == nullptr ||
      groups->type->dims.size() != 2) {
    return site.Error("replica_groups of this form have no form here; use a list of groups",
                      StatusCode::kUnimplemented);
  }
  AXLE_ASSIGN(const Dims ids, site.Ints("replica_groups"));
  const auto width = static_cast<size_t>(groups->type->dims[1]);
  for (size_t begin = 0; width > 0 && begin + width <= ids.size(); begin += width) {
    Dims group;
    for (size_t i = begin; i < begin + width; ++i) {
      if (ids[i] != -1) group.push_back(ids[i]);
    }
    result.groups.push_back(std::move(group));
  }
  return result;
}

}  // namespace

Status ConvertAllReduce(const Site& site) {
  AllReduceAttrs attrs;
  AXLE_ASSIGN(attrs.channel_id, ChannelOf(site));
  AXLE_ASSIGN(attrs.replica_groups, GroupsOf(site));
  AXLE_ASSIGN(attrs.use_global_device_ids, site.Bool("use_global_device_ids", false));
  AXLE_ASSIGN(HloComputation* const body, site.Body(0));
  return site.ReturnAll(site.Add(Opcode::kAllReduce, site.operands(), std::move(attrs), {body}));
}

// The sum, of the older operation that has no body.
Status ConvertCrossReplicaSum(const Site& site) {
  AllReduceAttrs attrs;
  AXLE_ASSIGN(attrs.replica_groups, GroupsOf(site));
  AXLE_ASSIGN(
      HloComputation* const sum,
      site.converter().Combiner(site, Opcode::kAdd, Shape(site.operand(0)->shape().type())));
  return site.Return(site.Add(Opcode::kAllReduce, site.operands(), std::move(attrs), {sum}));
}

Status ConvertAllGather(const Site& site) {
  AllGatherAttrs attrs;
  AXLE_ASSIGN(attrs.channel_id, ChannelOf(site));
  AXLE_ASSIGN(attrs.replica_groups, GroupsOf(site));
  AXLE_ASSIGN(const i64 dimension, site.Int("all_gather_dim"));
  attrs.dimensions = {dimension};
  AXLE_ASSIGN(attrs.use_global_device_ids, site.Bool("use_global_device_ids", false));
  AXLE_ASSIGN(const Shape shape, site.TupleOfResults());
  return site.ReturnAll(site.Add(Opcode::kAllGather, site.operands(), std::move(attrs), {}, shape));
}

Status ConvertReduceScatter(const Site& site) {
  ReduceScatterAttrs attrs;
  AXLE_ASSIGN(attrs.channel_id, ChannelOf(site));
  AXLE_ASSIGN(attrs.replica_groups, GroupsOf(site));
  AXLE_ASSIGN(const i64 dimension, site.Int("scatter_dimension"));
  attrs.dimensions = {dimension};
  AXLE_ASSIGN(attrs.use_global_device_ids, site.Bool("use_global_device_ids", false));
  AXLE_ASSIGN(HloComputation* const body, site.Body(0));
  AXLE_ASSIGN(const Shape shape, site.ResultShape());
  return site.Return(
      site.Add(Opcode::kReduceScatter, site.operands(), std::move(attrs), {body}, shape));
}

namespace {

// HLO splits and concatenates along one dimension. For two, the parts become a dimension of their
// own, which is exchanged and then merged into the other one.
StatusOr<Instruction*> AllToAllAcross(const Site& site, AllToAllAttrs attrs, Instruction* operand,
                                      i64 split, i64 concat, i64 count) {
  const Dims dims = operand->shape().dims();
  if (dims[static_cast<size_t>(split)] % count != 0) {
    return site.Error(StrCat("dimension ", split, " of ", operand->shape().ToString(),
                             " is not a multiple of split_count ", count));
  }
  Dims parted;
  for (i64 d = 0; d < static_cast<i64>(dims.size()); ++d) {
    const i64 size = dims[static_cast<size_t>(d)];
    if (d == split) {
      parted.push_back(count);
      parted.push_back(size / count);
    } else {
      parted.push_back(size);
    }
  }
  AXLE_ASSIGN(Instruction* const parts, site.Reshape(operand, parted));
  attrs.dimensions = {split};
  AXLE_ASSIGN(Instruction* const exchanged, site.Add(Opcode::kAllToAll, {parts}, std::move(attrs)));
  // Now the dimension `split` numbers the sender; it goes in front of `concat`.
  const i64 at = concat > split ? concat + 1 : concat;  // where concat is in `parted`
  Dims permutation;
  for (i64 d = 0; d < static_cast<i64>(parted.size()); ++d) {
    if (d == at) permutation.push_back(split);
    if (d != split) permutation.push_back(d);
  }
  AXLE_ASSIGN(Instruction* const moved,
              site.Add(Opcode::kTranspose, {exchanged}, DimensionsAttrs{std::move(permutation)}));
  Dims result = dims;
  result[static_cast<size_t>(split)] /= count;
  result[static_cast<size_t>(concat)] *= count;
  return site.Reshape(moved, result);
}

}  // namespace

Status ConvertAllToAll(const Site& site) {
  AllToAllAttrs attrs;
  AXLE_ASSIGN(attrs.channel_id, ChannelOf(site));
  AXLE_ASSIGN(attrs.replica_groups, GroupsOf(site));
  AXLE_ASSIGN(const i64 split, site.Int("split_dimension"));
  AXLE_ASSIGN(const i64 concat, site.Int("concat_dimension"));
  AXLE_ASSIGN(const i64 count, site.Int("split_count"));
  for (size_t i = 0; i < site.num_operands(); ++i) {
    Instruction* operand = site.operand(i);
    if (split != concat) {
      AXLE_TRY(site.Return(AllToAllAcross(site, attrs, operand, split, concat, count), i));
      continue;
    }
    attrs.dimensions = {split};
    AXLE_TRY(site.Return(site.Add(Opcode::kAllToAll, {operand}, attrs), i));
  }
  return {};
}

Status ConvertCollectivePermute(const Site& site) {
  CollectivePermuteAttrs attrs;
  AXLE_ASSIGN(attrs.channel_id, ChannelOf(site));
  AXLE_ASSIGN(attrs.source_target_pairs, site.Pairs("source_target_pairs", -1));
  return site.Return(site.Add(Opcode::kCollectivePermute, site.operands(), std::move(attrs)));
}

Status ConvertCollectiveBroadcast(const Site& site) {
  CollectiveBroadcastAttrs attrs;
  AXLE_ASSIGN(attrs.channel_id, ChannelOf(site));
  AXLE_ASSIGN(attrs.replica_groups, GroupsOf(site));
  AXLE_ASSIGN(const bool has_dynamic_root, site.Bool("has_dynamic_root", false));
  if (has_dynamic_root) attrs.has_dynamic_root = TriState::kTrue;
  return site.ReturnAll(site.Add(Opcode::kCollectiveBroadcast, site.operands(), std::move(attrs)));
}

}  // namespace axle::stablehlo
