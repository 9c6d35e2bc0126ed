#include "axle/builder/asynchronous.h"

#include "axle/builder/emit.h"
#include "axle/core/strings.h"
#include "axle/ops/async.h"

namespace axle {
namespace {

// Returns one shape alone, or the tuple of several.
Shape OneOrTuple(std::vector<Shape> shapes) {
  return shapes.size() == 1 ? std::move(shapes[0]) : Shape::Tuple(std::move(shapes));
}

// Returns the shapes without layouts; empty if a handle is empty.
std::vector<Shape> ShapesOf(ArraySlice<XlaOp> operands) {
  std::vector<Shape> shapes;
  for (const XlaOp& operand : operands) {
    if (operand.valid()) shapes.push_back(operand.instruction()->shape().WithoutLayout());
  }
  return shapes;
}

}  // namespace

XlaOp AsyncStart(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
                 Location location) {
  Shape result;
  if (computation.valid()) {
    result = computation.module().entry()->root()->shape().WithoutLayout();
  }
  const XlaComputation* const called[] = {&computation};
  return AppendTo(
      builder,
      {.opcode = Opcode::kAsyncStart,
       .operands = operands,
       .attrs = Block(Opcode::kAsyncStart, AsyncStartAttrs{}),
       .called = called,
       .declared = Shape::Tuple({Shape::Tuple(ShapesOf(operands)), result, Shape(U32)})},
      location);
}

XlaOp AsyncUpdate(XlaOp operand, Location location) {
  return Emit(Opcode::kAsyncUpdate, {operand}, location, AsyncUpdateAttrs{});
}

XlaOp AsyncDone(XlaOp operand, Location location) {
  return Emit(Opcode::kAsyncDone, {operand}, location, AsyncDoneAttrs{});
}

XlaOp AllReduceStart(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                     ReplicaGroupList replica_groups, const OptionalChannel& channel_id,
                     std::optional<bool> use_global_device_ids, Location location) {
  return Emit(Opcode::kAllReduceStart, operands, location,
              AllReduceAttrs{.channel_id = ToChannel(channel_id),
                             .replica_groups = CollectiveDeviceList(replica_groups).groups(),
                             .use_global_device_ids = use_global_device_ids.value_or(false)},
              {&computation});
}

XlaOp AllReduceDone(XlaOp operand, Location location) {
  return Emit(Opcode::kAllReduceDone, {operand}, location);
}

XlaOp AllGatherStart(ArraySlice<XlaOp> operands, i64 all_gather_dimension, i64 shard_count,
                     ReplicaGroupList replica_groups, const OptionalChannel& channel_id,
                     std::optional<bool> use_global_device_ids, Location location) {
  // Infers the result with AllGatherTuple, which also reports what is wrong with the operands.
  const auto gather = [&](ArraySlice<XlaOp> parts) {
    return AllGatherTuple(parts, all_gather_dimension, shard_count, replica_groups, channel_id, {},
                          use_global_device_ids, location);
  };
  const StatusOr<Shape> gathered = ShapeIfBuilt(operands, gather);
  if (!gathered.ok()) return ReportTo(BuilderOf(operands), gathered.status(), location);
  return Emit(Opcode::kAllGatherStart, operands, location,
              AllGatherAttrs{.channel_id = ToChannel(channel_id),
                             .replica_groups = CollectiveDeviceList(replica_groups).groups(),
                             .dimensions = {all_gather_dimension},
                             .use_global_device_ids = use_global_device_ids.value_or(false)},
              {}, Shape::Tuple({OneOrTuple(ShapesOf(operands)), *gathered}));
}

XlaOp AllGatherDone(XlaOp operand, Location location) {
  return Emit(Opcode::kAllGatherDone, {operand}, location);
}

XlaOp CollectivePermuteStart(ArraySlice<XlaOp> operands,
                             const std::vector<std::pair<i64, i64>>& source_target_pairs,
                             const OptionalChannel& channel_id, Location location) {
  const Shape shape = OneOrTuple(ShapesOf(operands));
  return Emit(Opcode::kCollectivePermuteStart, operands, location,
              CollectivePermuteAttrs{.channel_id = ToChannel(channel_id),
                                     .source_target_pairs = source_target_pairs,
                                     .slice_sizes = {}},
              {}, Shape::Tuple({shape, shape}));
}

XlaOp CollectivePermuteDone(XlaOp operand, Location location) {
  return Emit(Opcode::kCollectivePermuteDone, {operand}, location);
}

XlaOp CopyStart(XlaOp operand, Location location) {
  return Emit(Opcode::kCopyStart, {operand}, location, CopyStartAttrs{});
}

XlaOp CopyDone(XlaOp operand, Location location) {
  return Emit(Opcode::kCopyDone, {operand}, location);
}

XlaOp AddDependency(XlaOp operand, XlaOp token, Location location) {
  return Emit(Opcode::kAddDependency, {operand, token}, location);
}

XlaOp Bitcast(XlaOp operand, const Shape& shape, Location location) {
  return Emit(Opcode::kBitcast, {operand}, location, NoAttrs{}, {}, shape);
}

XlaOp Fusion(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
             FusionKind kind, Location location) {
  const XlaComputation* const called[] = {&computation};
  return AppendTo(
      builder,
      {.opcode = Opcode::kFusion,
       .operands = operands,
       .attrs = Block(Opcode::kFusion, FusionAttrs{.kind = kind, .output_to_operand_aliasing = {}}),
       .called = called},
      location);
}

}  // namespace axle
