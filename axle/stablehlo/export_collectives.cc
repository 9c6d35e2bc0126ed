// Exchanges of values between devices.
#include <algorithm>
#include <map>
#include <numeric>

#include "axle/core/strings.h"
#include "axle/ops/replica_groups.h"
#include "axle/stablehlo/export_functions.h"

namespace axle::stablehlo {
namespace {

i64 DeviceAt(const DeviceMesh& mesh, i64 position) {
  if (mesh.maximal_device) return *mesh.maximal_device;
  if (!mesh.device_ids.empty()) return mesh.device_ids[static_cast<size_t>(position)];
  return mesh.iota ? mesh.iota->device(position) : position;
}

// Devices that differ along the axes only are a group, the first axis slowest.
std::vector<Dims> MeshGroups(const DeviceMesh& mesh, const std::vector<MeshAxisRef>& refs) {
  if (mesh.maximal_device) return {{*mesh.maximal_device}};
  Dims axis_strides(mesh.axes.size(), 1);
  for (size_t i = mesh.axes.size(); i-- > 1;) {
    axis_strides[i - 1] = axis_strides[i] * mesh.axes[i].size;
  }
  i64 count = mesh.axes.empty() ? 1 : axis_strides[0] * mesh.axes[0].size;
  i64 group_size = 1;
  Dims sizes, strides;
  for (const MeshAxisRef& ref : refs) {
    const i64 axis_size = mesh.axes[static_cast<size_t>(ref.axis)].size;
    const i64 size = ref.size == 0 ? axis_size : ref.size;
    sizes.push_back(size);
    strides.push_back(axis_strides[static_cast<size_t>(ref.axis)] *
                      (axis_size / (ref.pre_size * size)));
    group_size *= size;
  }
  // By the position of the first member.
  std::map<i64, Dims> groups;
  for (i64 position = 0; position < count; ++position) {
    i64 first = position, rank = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const i64 digit = position / strides[i] % sizes[i];
      first -= digit * strides[i];
      rank = rank * sizes[i] + digit;
    }
    Dims& group = groups[first];
    group.resize(static_cast<size_t>(group_size));
    group[static_cast<size_t>(rank)] = DeviceAt(mesh, position);
  }
  std::vector<Dims> result;
  for (auto& [first, group] : groups) result.push_back(std::move(group));
  return result;
}

std::vector<Dims> GroupsOf(const ReplicaGroups& groups) {
  if (groups.mesh) return MeshGroups(*groups.mesh, groups.axes);
  if (!groups.iota) return groups.groups;
  std::vector<Dims> result;
  for (i64 g = 0; g < groups.num_groups; ++g) {
    Dims& group = result.emplace_back();
    for (i64 k = 0; k < groups.group_size; ++k) {
      group.push_back(groups.iota->device(g * groups.group_size + k));
    }
  }
  return result;
}

// A row for each group; -1 fills up short ones.
void AddGroups(const std::vector<Dims>& groups, Attributes& attributes) {
  size_t width = 0;
  for (const Dims& group : groups) width = std::max(width, group.size());
  Dims ids;
  for (const Dims& group : groups) {
    ids.insert(ids.end(), group.begin(), group.end());
    ids.resize(ids.size() + width - group.size(), -1);
  }
  attributes.Matrix("replica_groups", static_cast<i64>(groups.size()), static_cast<i64>(width),
                    ids);
}

// Channel 0 of StableHLO is none.
Status AddChannel(const Spot& spot, std::optional<i64> channel, Attributes& attributes) {
  if (!channel) return {};
  if (*channel <= 0) {
    return spot.Unsupported("channel 0 is none in StableHLO; number the channels from 1");
  }
  attributes.Int("channel_id", *channel);
  return {};
}

StatusOr<Attributes> CollectiveAttributes(const Spot& spot, std::optional<i64> channel,
                                          const std::vector<Dims>& groups) {
  Attributes attributes = spot.attributes();
  AXLE_TRY(AddChannel(spot, channel, attributes));
  AddGroups(groups, attributes);
  return attributes;
}

StatusOr<Attributes> CollectiveAttributes(const Spot& spot, std::optional<i64> channel,
                                          const ReplicaGroups& groups) {
  return CollectiveAttributes(spot, channel, GroupsOf(groups));
}

}  // namespace

StatusOr<Bundle*> ExportAllReduce(const Spot& spot) {
  const AllReduceAttrs& attrs = spot.inst().attrs<AllReduceAttrs>();
  AXLE_ASSIGN(Attributes attributes,
              CollectiveAttributes(spot, attrs.channel_id, attrs.replica_groups));
  attributes.UnitIf("use_global_device_ids", attrs.use_global_device_ids);
  const Shape& shape = spot.inst().shape();
  mlir::Operation* op = spot.Add("stablehlo.all_reduce", spot.operands(), spot.TypesOf(shape),
                                 std::move(attributes), 1);
  AXLE_TRY(spot.AddBody(*op, 0, *spot.inst().callees()[0]));
  return spot.ResultsAs(shape, *op);
}

namespace {

StatusOr<Bundle*> AllGatherAs(const Spot& spot, const Shape& shape) {
  const AllGatherAttrs& attrs = spot.inst().attrs<AllGatherAttrs>();
  const auto is_empty = [&](i64 i) {
    return spot.inst().operand(i)->shape().dim(attrs.dimensions[0]) == 0;
  };
  // One operation for operands [begin, end).
  const auto gather = [&](i64 begin, i64 end, const Shape& result) -> StatusOr<Bundle*> {
    AXLE_ASSIGN(Attributes attributes,
                CollectiveAttributes(spot, attrs.channel_id, attrs.replica_groups));
    attributes.UnitIf("use_global_device_ids", attrs.use_global_device_ids)
        .Int("all_gather_dim", attrs.dimensions[0]);
    mlir::Operation* op = spot.Add("stablehlo.all_gather", spot.operands(begin, end),
                                   spot.TypesOf(result), std::move(attributes));
    return spot.ResultsAs(result, *op);
  };
  const i64 count = spot.inst().num_operands();
  bool any_empty = false;
  for (i64 i = 0; i < count; ++i) any_empty = any_empty || is_empty(i);
  if (!any_empty) return gather(0, count, shape);
  // StableHLO gathers nothing along a dimension of size 0: the result is the operand.
  if (!shape.is_tuple()) return spot.bundle(0);
  std::vector<Bundle*> results;
  for (i64 i = 0; i < count; ++i) {
    if (is_empty(i)) {
      results.push_back(spot.bundle(i));
    } else {
      AXLE_ASSIGN(Bundle* const result, gather(i, i + 1, shape.element(i)));
      results.push_back(result);
    }
  }
  return spot.exporter().NewList(shape, std::move(results));
}

StatusOr<Bundle*> CollectivePermuteAs(const Spot& spot, const Shape& shape) {
  const CollectivePermuteAttrs& attrs = spot.inst().attrs<CollectivePermuteAttrs>();
  if (!attrs.slice_sizes.empty()) {
    return spot.Unsupported(
        "StableHLO does not permute in place; slice, and use "
        "dynamic-update-slice");
  }
  Dims pairs;
  for (const auto& [source, target] : attrs.source_target_pairs) {
    pairs.push_back(source);
    pairs.push_back(target);
  }
  // One operation for each array.
  Values arrays, results;
  for (i64 i = 0; i < spot.inst().num_operands(); ++i) {
    spot.exporter().AppendLeaves(spot.bundle(i), spot.block(),
                                 spot.exporter().locations().Of(spot.inst()), arrays);
  }
  for (mlir::Value* array : arrays) {
    Attributes attributes = spot.attributes();
    AXLE_TRY(AddChannel(spot, attrs.channel_id, attributes));
    attributes.Matrix("source_target_pairs", static_cast<i64>(attrs.source_target_pairs.size()), 2,
                      pairs);
    mlir::Operation* op =
        spot.Add("stablehlo.collective_permute", {array}, {array->type}, std::move(attributes));
    results.push_back(&op->results[0]);
  }
  size_t next = 0;
  return spot.exporter().FromLeaves(shape, results, next);
}

// (operands, result, ...) of a collective that is begun.
Bundle* Started(const Spot& spot, Bundle* result) {
  const Shape& shape = spot.inst().shape();
  std::vector<Bundle*> operands;
  for (i64 i = 0; i < spot.inst().num_operands(); ++i) operands.push_back(spot.bundle(i));
  const bool is_one = Compatible(shape.element(0), spot.inst().operand(0)->shape());
  Bundle* first = shape.element(0).is_tuple() && !is_one
                      ? spot.exporter().NewList(shape.element(0), std::move(operands))
                      : operands[0];
  std::vector<Bundle*> elements = {first, result};
  for (i64 i = 2; i < shape.num_tuple_elements(); ++i) {
    elements.push_back(spot.exporter().NewBundle({.shape = &shape.element(i)}));
  }
  return spot.exporter().NewList(shape, std::move(elements));
}

}  // namespace

StatusOr<Bundle*> ExportAllGather(const Spot& spot) {
  return AllGatherAs(spot, spot.inst().shape());
}

StatusOr<Bundle*> ExportAllGatherStart(const Spot& spot) {
  AXLE_ASSIGN(Bundle* const result, AllGatherAs(spot, spot.inst().shape().element(1)));
  return Started(spot, result);
}

StatusOr<Bundle*> ExportCollectivePermute(const Spot& spot) {
  return CollectivePermuteAs(spot, spot.inst().shape());
}

StatusOr<Bundle*> ExportCollectivePermuteStart(const Spot& spot) {
  AXLE_ASSIGN(Bundle* const result, CollectivePermuteAs(spot, spot.inst().shape().element(1)));
  return Started(spot, result);
}

StatusOr<Bundle*> ExportCollectiveBroadcast(const Spot& spot) {
  const CollectiveBroadcastAttrs& attrs = spot.inst().attrs<CollectiveBroadcastAttrs>();
  AXLE_ASSIGN(Attributes attributes,
              CollectiveAttributes(spot, attrs.channel_id, attrs.replica_groups));
  attributes.UnitIf("has_dynamic_root", attrs.has_dynamic_root == TriState::kTrue);
  return spot.AddResult("stablehlo.collective_broadcast", spot.operands(), std::move(attributes));
}

// One operation for each operand.
StatusOr<Bundle*> ExportReduceScatter(const Spot& spot) {
  const ReduceScatterAttrs& attrs = spot.inst().attrs<ReduceScatterAttrs>();
  const Shape& shape = spot.inst().shape();
  std::vector<Bundle*> results;
  for (i64 i = 0; i < spot.inst().num_operands(); ++i) {
    // As of all_gather, nothing to scatter is the operand itself.
    if (spot.inst().operand(i)->shape().dim(attrs.dimensions[0]) == 0) {
      results.push_back(spot.bundle(i));
      continue;
    }
    AXLE_ASSIGN(Attributes attributes,
                CollectiveAttributes(spot, attrs.channel_id, attrs.replica_groups));
    attributes.UnitIf("use_global_device_ids", attrs.use_global_device_ids)
        .Int("scatter_dimension", attrs.dimensions[0]);
    const Shape& result = shape.is_tuple() ? shape.element(i) : shape;
    mlir::Operation* op = spot.Add("stablehlo.reduce_scatter", {spot.operand(i)},
                                   spot.TypesOf(result), std::move(attributes), 1);
    AXLE_TRY(spot.AddBody(*op, 0, *spot.inst().callees()[0]));
    results.push_back(spot.Wrap(&op->results[0], result));
  }
  return shape.is_tuple() ? spot.exporter().NewList(shape, std::move(results)) : results[0];
}

namespace {

// One operand for each device of the group: they are stacked, exchanged and taken apart.
StatusOr<Bundle*> AllToAllOfTuple(const Spot& spot, Attributes&& attributes) {
  const Shape& shape = spot.inst().shape();
  const i64 count = spot.inst().num_operands();
  const Shape each = spot.inst().operand(0)->shape().WithoutLayout();
  if (!each.is_static()) return spot.Unsupported("it has dynamic dimensions; use static ones");
  Dims row = {1}, all = {count};
  row.insert(row.end(), each.dims().begin(), each.dims().end());
  all.insert(all.end(), each.dims().begin(), each.dims().end());
  Values rows;
  for (i64 i = 0; i < count; ++i) {
    rows.push_back(spot.Reshape(spot.operand(i), Shape(each.type(), row)));
  }
  Attributes stacking = spot.attributes();
  stacking.Int("dimension", 0);
  const Shape stacked(each.type(), all);
  mlir::Value* value = spot.AddValue("stablehlo.concatenate", rows, stacked, std::move(stacking));
  attributes.Int("split_dimension", 0).Int("concat_dimension", 0).Int("split_count", count);
  value = spot.AddValue("stablehlo.all_to_all", {value}, stacked, std::move(attributes));
  std::vector<Bundle*> results;
  for (i64 i = 0; i < count; ++i) {
    Dims starts(all.size(), 0), limits = all;
    starts[0] = i;
    limits[0] = i + 1;
    Attributes numbers = spot.attributes();
    numbers.Ints("start_indices", starts)
        .Ints("limit_indices", limits)
        .Ints("strides", Dims(all.size(), 1));
    mlir::Value* part =
        spot.AddValue("stablehlo.slice", {value}, Shape(each.type(), row), std::move(numbers));
    results.push_back(spot.Wrap(spot.Reshape(part, each), shape.element(i)));
  }
  return spot.exporter().NewList(shape, std::move(results));
}

}  // namespace

StatusOr<Bundle*> ExportAllToAll(const Spot& spot) {
  const AllToAllAttrs& attrs = spot.inst().attrs<AllToAllAttrs>();
  std::vector<Dims> groups = GroupsOf(attrs.replica_groups);
  if (groups.empty()) {
    // All devices are one group, which StableHLO writes out: groups are as large as split_count.
    Dims& all = groups.emplace_back(
        static_cast<size_t>(NumIds(spot.inst(), ModeOfChannel(attrs.channel_id))));
    std::iota(all.begin(), all.end(), i64{0});
  }
  const auto count = static_cast<i64>(groups[0].size());
  AXLE_ASSIGN(Attributes attributes, CollectiveAttributes(spot, attrs.channel_id, groups));
  if (attrs.dimensions.empty()) return AllToAllOfTuple(spot, std::move(attributes));
  attributes.Int("split_dimension", attrs.dimensions[0])
      .Int("concat_dimension", attrs.dimensions[0])
      .Int("split_count", count);
  return spot.AddResult("stablehlo.all_to_all", spot.operands(), std::move(attributes));
}

}  // namespace axle::stablehlo
