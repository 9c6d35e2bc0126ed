#include "axle/builder/collectives.h"

#include <algorithm>
#include <map>

#include "axle/builder/emit.h"
#include "axle/core/strings.h"
#include "axle/ops/replica_groups.h"

namespace axle {
namespace {

// Every function of this file begins with it: it returns the builder, unless an operand is invalid.
XlaBuilder* ReadyBuilder(ArraySlice<XlaOp> operands) {
  XlaBuilder* builder = operands.empty() ? nullptr : operands[0].builder_or_null();
  if (builder == nullptr || !builder->first_error().ok()) return nullptr;
  const bool valid = std::ranges::all_of(operands, [](const XlaOp& op) { return op.valid(); });
  return valid ? builder : nullptr;
}

// Returns the result for operands that ReadyBuilder refuses: the handle of an error that is
// recorded already, or that Append finds.
XlaOp NotReady(Opcode opcode, ArraySlice<XlaOp> operands, const Location& location) {
  for (const XlaOp& operand : operands) {
    if (operand.builder_or_null() != nullptr) {
      return AppendTo(operand.builder_or_null(), {.opcode = opcode, .operands = operands},
                      location);
    }
  }
  return {};
}

// Makes the message "all-gather: <what>; operand f32[2]".
XlaOp Fail(Opcode opcode, ArraySlice<XlaOp> operands, std::string_view what,
           const Location& location, StatusCode code = StatusCode::kInvalidArgument) {
  std::string message = StrCat(GetOpDef(opcode).text, ": ", what);
  for (const XlaOp& operand : operands) {
    message += StrCat(&operand == operands.data() ? "; " : ", ", "operand ",
                      operand.instruction()->shape().ToString());
  }
  return operands[0].builder()->ReportError(Status(code, std::move(message)), location);
}

// Returns the elements of a tuple, or the operand alone.
std::vector<XlaOp> Elements(XlaOp operand, const Location& location) {
  const Shape shape = operand.instruction()->shape();
  if (!shape.is_tuple()) return {operand};
  std::vector<XlaOp> elements;
  for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
    elements.push_back(GetTupleElement(operand, i, location));
  }
  return elements;
}

Shape ShapeOf(ArraySlice<XlaOp> operands) {
  std::vector<Shape> shapes;
  for (const XlaOp& operand : operands) {
    shapes.push_back(operand.instruction()->shape().WithoutLayout());
  }
  return shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
}

// Checks a count of parts, `name`, against groups that list ids. Returns what is wrong; "" if it is
// right, or there are no lists. Where the ids are replicas with their partitions, each partition is
// a participant.
std::string CheckCount(std::string_view name, i64 count, const ReplicaGroups& groups,
                       GroupMode mode) {
  const std::optional<i64> listed = ListedGroupSize(groups);
  if (!listed || *listed < 1 || count < 1) return "";
  const bool fits =
      mode == GroupMode::kCrossReplicaAndPartition ? count % *listed == 0 : count == *listed;
  if (fits) return "";
  return StrCat(name, " is ", count, ", but a group of replica_groups has ", *listed, " ",
                IdsText(mode));
}

// Gives every array of `shape` this layout, where there is one.
Shape WithLayout(Shape shape, const std::optional<Layout>& layout) {
  if (!layout) return shape;
  if (!shape.is_tuple()) {
    if (static_cast<i64>(layout->minor_to_major.size()) == shape.rank()) shape.set_layout(*layout);
    return shape;
  }
  std::vector<Shape> elements;
  for (const Shape& element : shape.elements()) elements.push_back(WithLayout(element, layout));
  return Shape::Tuple(std::move(elements));
}

XlaOp EmitAllReduce(ArraySlice<XlaOp> operands, bool as_tuple, const XlaComputation& computation,
                    AllReduceAttrs attrs, const Shape& declared, const Location& location) {
  constexpr Opcode kOp = Opcode::kAllReduce;
  const ElementType type = operands[0].instruction()->shape().type();
  for (const XlaOp& operand : operands) {
    if (operand.instruction()->shape().type() == type) continue;
    return Fail(kOp, operands, "all elements of a tuple must have one element type", location,
                StatusCode::kUnimplemented);
  }
  const XlaComputation* const called[] = {&computation};
  const bool is_pair = as_tuple && operands.size() == 1;  // a tuple of one stays one
  const XlaOp result =
      AppendTo(operands[0].builder(),
               {.opcode = kOp,
                .operands = operands,
                .attrs = Block(kOp, std::move(attrs)),
                .called = called,
                .declared = is_pair && declared.is_tuple() && declared.num_tuple_elements() == 1
                                ? declared.element(0)
                                : declared},
               location);
  return is_pair && result.valid() ? Tuple(result.builder_or_null(), {&result, 1}, location)
                                   : result;
}

// Makes the computation (to_apply) of CrossReplicaSum.
StatusOr<XlaComputation> SumOf(ElementType type) {
  XlaBuilder b("sum");
  const XlaOp x = Parameter(&b, 0, Shape(type), "x"), y = Parameter(&b, 1, Shape(type), "y");
  if (type == PRED) {
    Or(x, y);
  } else {
    Add(x, y);
  }
  return b.Build();
}

// Checks a dimension and a number of parts.
std::string CheckParts(const Shape& shape, i64 dimension, i64 count) {
  if (!shape.is_array()) return "operand must be an array";
  if (dimension < 0 || dimension >= shape.rank()) {
    return StrCat("dimension ", dimension, " must be in [0, ", shape.rank(), ")");
  }
  return count > 0 ? "" : StrCat("shard_count is ", count, ", must be > 0");
}

}  // namespace

XlaOp AllReduceTupleWithDeviceList(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                                   const CollectiveDeviceList& device_list,
                                   const OptionalChannel& channel_id,
                                   const std::optional<Shape>& shape_with_layout,
                                   std::optional<bool> use_global_device_ids, Location location) {
  constexpr Opcode kOp = Opcode::kAllReduce;
  if (ReadyBuilder(operands) == nullptr) return NotReady(kOp, operands, location);
  Shape declared = ShapeOf(operands);
  if (shape_with_layout) {
    const Shape expected = operands.size() == 1 ? Shape::Tuple({declared}) : declared;
    if (!Compatible(*shape_with_layout, expected)) {
      return Fail(kOp, operands,
                  StrCat("shape_with_layout is ", shape_with_layout->ToString(), ", not ",
                         expected.ToString()),
                  location);
    }
    declared = *shape_with_layout;
  }
  return EmitAllReduce(operands, true, computation,
                       {.channel_id = ToChannel(channel_id),
                        .replica_groups = device_list.groups(),
                        .constrain_layout = shape_with_layout.has_value(),
                        .use_global_device_ids = use_global_device_ids.value_or(false)},
                       declared, location);
}

XlaOp AllReduceWithDeviceList(XlaOp operand, const XlaComputation& computation,
                              const CollectiveDeviceList& device_list,
                              const OptionalChannel& channel_id,
                              const std::optional<Shape>& shape_with_layout,
                              std::optional<bool> use_global_device_ids, Location location) {
  constexpr Opcode kOp = Opcode::kAllReduce;
  const ArraySlice<XlaOp> one(&operand, 1);
  if (ReadyBuilder(one) == nullptr) return NotReady(kOp, one, location);
  const Shape shape = operand.instruction()->shape();
  if (shape.is_tuple()) {
    if (shape.num_tuple_elements() == 0) {
      return Fail(kOp, one, "a tuple without elements", location, StatusCode::kUnimplemented);
    }
    return AllReduceTupleWithDeviceList(Elements(operand, location), computation, device_list,
                                        channel_id, shape_with_layout, use_global_device_ids,
                                        location);
  }
  Shape declared = shape.WithoutLayout();
  if (shape_with_layout) {
    if (!Compatible(*shape_with_layout, shape)) {
      return Fail(kOp, one,
                  StrCat("shape_with_layout is ", shape_with_layout->ToString(), ", not ",
                         shape.ToString()),
                  location);
    }
    declared = *shape_with_layout;
  }
  return EmitAllReduce(one, false, computation,
                       {.channel_id = ToChannel(channel_id),
                        .replica_groups = device_list.groups(),
                        .constrain_layout = shape_with_layout.has_value(),
                        .use_global_device_ids = use_global_device_ids.value_or(false)},
                       declared, location);
}

XlaOp CrossReplicaSum(XlaOp operand, ReplicaGroupList replica_groups, Location location) {
  const ArraySlice<XlaOp> one(&operand, 1);
  if (ReadyBuilder(one) == nullptr) return NotReady(Opcode::kAllReduce, one, location);
  const Shape shape = operand.instruction()->shape();
  const bool has_elements = shape.is_tuple() && shape.num_tuple_elements() > 0;
  const ElementType type = has_elements ? shape.element(0).type() : shape.type();
  // The errors of other types are those of AllReduce.
  StatusOr<XlaComputation> sum = SumOf(IsArrayType(type) ? type : F32);
  if (!sum.ok()) return operand.builder()->ReportError(sum.status(), location);
  return AllReduce(operand, *sum, replica_groups, {}, {}, {}, location);
}

template <std::same_as<std::vector<i64>> Ids>
XlaOp CrossReplicaSum(XlaOp operand, const Ids& replica_group_ids, Location location) {
  const ArraySlice<XlaOp> one(&operand, 1);
  if (ReadyBuilder(one) == nullptr) return NotReady(Opcode::kAllReduce, one, location);
  std::map<i64, ReplicaGroup> by_number;
  for (size_t i = 0; i < replica_group_ids.size(); ++i) {
    by_number[replica_group_ids[i]].add_replica_ids(static_cast<i64>(i));
  }
  std::vector<ReplicaGroup> groups;
  for (auto& [number, group] : by_number) {
    if (!groups.empty() && group.replica_ids_size() != groups[0].replica_ids_size()) {
      return Fail(
          Opcode::kAllReduce, one,
          StrCat("replica_group_ids put ", groups[0].replica_ids_size(),
                 " replicas into one group and ", group.replica_ids_size(), " into group ", number),
          location);
    }
    groups.push_back(std::move(group));
  }
  return CrossReplicaSum(operand, ReplicaGroupList(groups), location);
}

template XlaOp CrossReplicaSum(XlaOp operand, const std::vector<i64>& replica_group_ids,
                               Location location);

XlaOp CrossReplicaSum(XlaOp operand, std::initializer_list<i64> replica_group_ids,
                      Location location) {
  return CrossReplicaSum(operand, std::vector<i64>(replica_group_ids), location);
}

XlaOp AllGatherTupleWithDeviceList(ArraySlice<XlaOp> operands, i64 all_gather_dimension,
                                   i64 shard_count, const CollectiveDeviceList& device_list,
                                   const OptionalChannel& channel_id,
                                   const std::optional<Layout>& layout,
                                   std::optional<bool> use_global_device_ids, Location location) {
  constexpr Opcode kOp = Opcode::kAllGather;
  XlaBuilder* builder = ReadyBuilder(operands);
  if (builder == nullptr) return NotReady(kOp, operands, location);
  const GroupMode mode =
      ModeWithDeviceIds(ToChannel(channel_id), use_global_device_ids.value_or(false));
  std::vector<Shape> shapes;
  for (const XlaOp& operand : operands) {
    Shape shape = operand.instruction()->shape().WithoutLayout();
    std::string error = CheckParts(shape, all_gather_dimension, shard_count);
    if (error.empty()) error = CheckCount("shard_count", shard_count, device_list.groups(), mode);
    const auto size =
        error.empty() ? CheckedMul(shape.dim(all_gather_dimension), shard_count) : std::nullopt;
    if (error.empty() && !size) error = "the result would be too large";
    if (!error.empty()) {
      return Fail(kOp, operands, error, location);
    }
    shape.set_dim(all_gather_dimension, *size);
    shapes.push_back(std::move(shape));
  }
  const Shape declared = shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
  return AppendTo(builder,
                  {.opcode = kOp,
                   .operands = operands,
                   .attrs = Block(kOp, AllGatherAttrs{.channel_id = ToChannel(channel_id),
                                                      .replica_groups = device_list.groups(),
                                                      .constrain_layout = layout.has_value(),
                                                      .dimensions = {all_gather_dimension},
                                                      .use_global_device_ids =
                                                          use_global_device_ids.value_or(false)}),
                   .declared = WithLayout(declared, layout)},
                  location);
}

XlaOp AllGatherWithDeviceList(XlaOp operand, i64 all_gather_dimension, i64 shard_count,
                              const CollectiveDeviceList& device_list,
                              const OptionalChannel& channel_id,
                              const std::optional<Layout>& layout,
                              std::optional<bool> use_global_device_ids, Location location) {
  const ArraySlice<XlaOp> one(&operand, 1);
  if (ReadyBuilder(one) == nullptr) return NotReady(Opcode::kAllGather, one, location);
  const std::vector<XlaOp> operands = Elements(operand, location);
  if (operands.empty()) {
    return Fail(Opcode::kAllGather, one, "a tuple without elements", location,
                StatusCode::kUnimplemented);
  }
  return AllGatherTupleWithDeviceList(operands, all_gather_dimension, shard_count, device_list,
                                      channel_id, layout, use_global_device_ids, location);
}

XlaOp ReduceScatterWithDeviceList(XlaOp operand, const XlaComputation& computation,
                                  i64 scatter_dimension, i64 shard_count,
                                  const CollectiveDeviceList& device_list,
                                  const OptionalChannel& channel_id,
                                  const std::optional<Layout>& layout,
                                  std::optional<bool> use_global_device_ids, Location location) {
  constexpr Opcode kOp = Opcode::kReduceScatter;
  const ArraySlice<XlaOp> one(&operand, 1);
  XlaBuilder* builder = ReadyBuilder(one);
  if (builder == nullptr) return NotReady(kOp, one, location);
  const std::vector<XlaOp> operands = Elements(operand, location);
  if (operands.empty()) {
    return Fail(kOp, one, "a tuple without elements", location, StatusCode::kUnimplemented);
  }
  const GroupMode mode =
      ModeWithDeviceIds(ToChannel(channel_id), use_global_device_ids.value_or(false));
  std::vector<Shape> shapes;
  for (const XlaOp& element : operands) {
    Shape shape = element.instruction()->shape().WithoutLayout();
    std::string error = CheckParts(shape, scatter_dimension, shard_count);
    if (error.empty()) error = CheckCount("shard_count", shard_count, device_list.groups(), mode);
    if (error.empty() && shape.dim(scatter_dimension) % shard_count != 0) {
      error = StrCat("dimension ", scatter_dimension, " has size ", shape.dim(scatter_dimension),
                     ", which shard_count ", shard_count, " does not divide");
    }
    if (!error.empty()) {
      return Fail(kOp, operands, error, location);
    }
    shape.set_dim(scatter_dimension, shape.dim(scatter_dimension) / shard_count);
    shapes.push_back(std::move(shape));
  }
  const Shape declared = shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
  const XlaComputation* const called[] = {&computation};
  return AppendTo(builder,
                  {.opcode = kOp,
                   .operands = operands,
                   .attrs = Block(kOp, ReduceScatterAttrs{.channel_id = ToChannel(channel_id),
                                                          .replica_groups = device_list.groups(),
                                                          .constrain_layout = layout.has_value(),
                                                          .use_global_device_ids =
                                                              use_global_device_ids.value_or(false),
                                                          .dimensions = {scatter_dimension}}),
                   .called = called,
                   .declared = WithLayout(declared, layout)},
                  location);
}

XlaOp AllToAllWithDeviceList(XlaOp operand, i64 split_dimension, i64 concat_dimension,
                             i64 split_count, const CollectiveDeviceList& device_list,
                             const std::optional<Layout>& layout, const OptionalChannel& channel_id,
                             Location location) {
  constexpr Opcode kOp = Opcode::kAllToAll;
  const ArraySlice<XlaOp> one(&operand, 1);
  XlaBuilder* builder = ReadyBuilder(one);
  if (builder == nullptr) return NotReady(kOp, one, location);
  const Shape shape = operand.instruction()->shape().WithoutLayout();
  if (!shape.is_array()) return Fail(kOp, one, "operand must be an array", location);
  if (split_count <= 0 || !shape.is_static()) {
    return Fail(kOp, one,
                split_count <= 0 ? StrCat("split_count is ", split_count, ", must be > 0")
                                 : "dynamic dimensions cannot be split",
                location);
  }
  for (const auto& [what, d] : {std::pair("split_dimension", split_dimension),
                                std::pair("concat_dimension", concat_dimension)}) {
    if (d >= 0 && d < shape.rank()) continue;
    return Fail(kOp, one, StrCat(what, " is ", d, ", must be in [0, ", shape.rank(), ")"),
                location);
  }
  const i64 size = shape.dim(split_dimension);
  if (size % split_count != 0) {
    return Fail(kOp, one,
                StrCat("split_dimension has size ", size, ", which split_count ", split_count,
                       " does not divide"),
                location);
  }
  const std::string wrong = CheckCount("split_count", split_count, device_list.groups(),
                                       ModeOfChannel(ToChannel(channel_id)));
  if (!wrong.empty()) return Fail(kOp, one, wrong, location);
  ReplicaGroups groups = device_list.groups();
  if (groups == ReplicaGroups()) {
    // A list as XLA has it, unless it would be long.
    constexpr i64 kMaxListed = 1 << 16;
    if (split_count <= kMaxListed) {
      Dims& group = groups.groups.emplace_back();
      for (i64 i = 0; i < split_count; ++i) group.push_back(i);
    } else {
      groups.num_groups = 1;
      groups.group_size = split_count;
      groups.iota = IotaDevices{{split_count}, {0}};
    }
  }
  XlaOp exchanged =
      AppendTo(builder,
               {.opcode = kOp,
                .operands = one,
                .attrs = Block(kOp, AllToAllAttrs{.channel_id = ToChannel(channel_id),
                                                  .replica_groups = std::move(groups),
                                                  .constrain_layout = layout.has_value(),
                                                  .dimensions = {split_dimension}}),
                .declared = WithLayout(shape, layout)},
               location);
  if (split_dimension == concat_dimension || !exchanged.valid()) return exchanged;
  // The parts, now along split_dimension, move in front of the positions of concat_dimension.
  Dims parts, permutation, result = shape.dims();
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (d == split_dimension) parts.push_back(split_count);
    parts.push_back(d == split_dimension ? size / split_count : shape.dim(d));
    if (d == concat_dimension) permutation.push_back(split_dimension);
    permutation.push_back(d >= split_dimension ? d + 1 : d);
  }
  const auto joined = CheckedMul(shape.dim(concat_dimension), split_count);
  if (!joined) return Fail(kOp, one, "the result would be too large", location);
  result[split_dimension] = size / split_count;
  result[concat_dimension] = *joined;
  return Reshape(Transpose(Reshape(exchanged, parts, location), permutation, location), result,
                 location);
}

XlaOp AllToAllTupleWithDeviceList(ArraySlice<XlaOp> operands,
                                  const CollectiveDeviceList& device_list,
                                  const std::optional<Layout>& layout,
                                  const OptionalChannel& channel_id, Location location) {
  constexpr Opcode kOp = Opcode::kAllToAll;
  XlaBuilder* builder = ReadyBuilder(operands);
  if (builder == nullptr) return NotReady(kOp, operands, location);
  std::vector<Shape> shapes;
  for (const XlaOp& operand : operands) {
    shapes.push_back(operand.instruction()->shape().WithoutLayout());
  }
  return AppendTo(builder,
                  {.opcode = kOp,
                   .operands = operands,
                   .attrs = Block(kOp, AllToAllAttrs{.channel_id = ToChannel(channel_id),
                                                     .replica_groups = device_list.groups(),
                                                     .constrain_layout = layout.has_value(),
                                                     .dimensions = {}}),
                   .declared = WithLayout(Shape::Tuple(std::move(shapes)), layout)},
                  location);
}

XlaOp MultiCollectivePermute(ArraySlice<XlaOp> operands,
                             const std::vector<std::pair<i64, i64>>& source_target_pairs,
                             const OptionalChannel& channel_id, Location location) {
  constexpr Opcode kOp = Opcode::kCollectivePermute;
  XlaBuilder* builder = ReadyBuilder(operands);
  if (builder == nullptr) return NotReady(kOp, operands, location);
  return AppendTo(
      builder,
      {.opcode = kOp,
       .operands = operands,
       .attrs = Block(kOp, CollectivePermuteAttrs{.channel_id = ToChannel(channel_id),
                                                  .source_target_pairs = source_target_pairs,
                                                  .slice_sizes = {}})},
      location);
}

XlaOp CollectivePermute(XlaOp operand, const std::vector<std::pair<i64, i64>>& source_target_pairs,
                        const OptionalChannel& channel_id, Location location) {
  return MultiCollectivePermute({&operand, 1}, source_target_pairs, channel_id, location);
}

XlaOp CollectiveBroadcastWithDeviceList(XlaOp operand, const CollectiveDeviceList& device_list,
                                        const OptionalChannel& channel_id, Location location) {
  return CollectiveBroadcastWithDeviceList(ArraySlice<XlaOp>(&operand, 1), device_list, channel_id,
                                           false, location);
}

XlaOp CollectiveBroadcastWithDeviceList(ArraySlice<XlaOp> operands,
                                        const CollectiveDeviceList& device_list,
                                        const OptionalChannel& channel_id, bool has_dynamic_root,
                                        Location location) {
  constexpr Opcode kOp = Opcode::kCollectiveBroadcast;
  XlaBuilder* builder = ReadyBuilder(operands);
  if (builder == nullptr) return NotReady(kOp, operands, location);
  return AppendTo(
      builder,
      {.opcode = kOp,
       .operands = operands,
       .attrs =
           Block(kOp, CollectiveBroadcastAttrs{.channel_id = ToChannel(channel_id),
                                               .replica_groups = device_list.groups(),
                                               .has_dynamic_root = has_dynamic_root
                                                                       ? TriState::kTrue
                                                                       : TriState::kUnspecified})},
      location);
}

XlaOp RaggedAllToAllWithDeviceList(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                                   XlaOp output_offsets, XlaOp recv_sizes,
                                   const CollectiveDeviceList& device_list,
                                   const OptionalChannel& channel_id, Location location) {
  constexpr Opcode kOp = Opcode::kRaggedAllToAll;
  const XlaOp operands[] = {input, output, input_offsets, send_sizes, output_offsets, recv_sizes};
  XlaBuilder* builder = ReadyBuilder(operands);
  if (builder == nullptr) return NotReady(kOp, operands, location);
  return AppendTo(builder,
                  {.opcode = kOp,
                   .operands = operands,
                   .attrs = Block(kOp, RaggedAllToAllAttrs{.channel_id = ToChannel(channel_id),
                                                           .replica_groups = device_list.groups(),
                                                           .dimensions = {}})},
                  location);
}

XlaOp ReplicaId(XlaBuilder* builder, Location location) {
  return AppendTo(builder, {.opcode = Opcode::kReplicaId}, location);
}

XlaOp PartitionId(XlaBuilder* builder, Location location) {
  return AppendTo(builder, {.opcode = Opcode::kPartitionId}, location);
}

XlaOp BuildPartitionId(XlaBuilder* builder, const Shape& shape, Location location) {
  if (Compatible(shape, Shape(U32))) return PartitionId(builder, location);
  return ReportTo(builder,
                  InvalidArgument(StrCat("partition-id: gives u32[], not ", shape.ToString())),
                  location);
}

}  // namespace axle
