// all-gather and its asynchronous pair: puts the arrays of a group of devices side by side.
//
// The result of device j of a group of n is cut into n blocks along the gathered dimension, and
// block k is the operand of device k. ExchangeInGroup (replica_groups.h) brings the operands of all
// devices of the group to each of them; what remains is to copy n blocks. The start op computes the
// result at once, and the done op takes it out of the tuple.
#include "axle/ops/collective_meeting.h"
#include "axle/ops/collective_parts.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/replica_groups.h"

namespace axle {

extern const OpDef kAllGatherDef, kAllGatherDoneDef, kAllGatherStartDef;

namespace {

// Several operands are gathered by one instruction; `dimensions` is the same for all.
constexpr OperandSpec kOperands[] = {{"operand", kVariadic}};
constexpr AttrSpec kAttrs[] = {
    Attr<&AllGatherAttrs::channel_id>("channel_id", {.field = 26}, Presence::kOptional),
    Attr<&AllGatherAttrs::replica_groups>("replica_groups", {.field = 87}, Presence::kPrinted),
    Attr<&AllGatherAttrs::constrain_layout>("constrain_layout", {.field = 56}, Presence::kOptional),
    Attr<&AllGatherAttrs::dimensions>("dimensions", {.field = 14}),
    Attr<&AllGatherAttrs::use_global_device_ids>("use_global_device_ids", {.field = 71},
                                                 Presence::kOptional),
};

// `declared` is the shape that the program states for the gathered value. It says how many parts
// there are where the group has one device, because the number of devices is known only when the
// program is compiled for them.
StatusOr<Shape> InferGathered(const Instruction& inst, const Shape& declared) {
  if (inst.num_operands() == 0) return OpError(inst, "needs at least one operand");
  const AllGatherAttrs& attrs = inst.attrs<AllGatherAttrs>();
  AXLE_TRY(CheckDeviceIds(inst, attrs.channel_id, attrs.use_global_device_ids));
  AXLE_TRY(CheckReplicaGroups(CollectiveOf(inst)));
  AXLE_ASSIGN(const i64 group_size, GroupSize(CollectiveOf(inst)));
  std::vector<Shape> results;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    AXLE_TRY(ExpectArray(inst, i));
    const Shape& operand = inst.operand(i)->shape();
    AXLE_ASSIGN(const i64 dim, OneDimension(inst, attrs.dimensions, operand));
    const i64 size = operand.dim(dim);
    // Sizes come from the program, so that the product is checked.
    const auto gathered = CheckedMul(size, group_size);
    if (!gathered) return OpError(inst, StrCat("dimension ", dim, " would be too large"));
    i64 result = *gathered;
    if (const Shape* part = DeclaredPart(declared, i, inst); part != nullptr && group_size == 1) {
      result = part->dim(dim);
      if (result < 0 || (size == 0 ? result != 0 : result % size != 0)) {
        return OpError(inst, StrCat("dimension ", dim, " of the result has size ", result,
                                    ", which is no multiple of the operand's ", size));
      }
    }
    results.push_back(WithDim(operand, dim, result));
  }
  return ResultOf(std::move(results));
}

StatusOr<Shape> InferAllGather(const Instruction& inst) {
  return InferGathered(inst, inst.shape());
}

// `gathered` is the shape of what is gathered.
// A group of one device cannot change the shape; larger groups have been checked by inference.
Status CheckGatherDevices(const Instruction& inst, const Shape& gathered) {
  AXLE_TRY(CheckGroupsExist(CollectiveOf(inst)));
  AXLE_ASSIGN(const i64 group_size, GroupSize(CollectiveOf(inst)));
  return group_size == 1 ? CheckAloneUnchanged(inst, gathered) : Status();
}

// One exchange brings all operands of an instruction as a tuple; each of them is then gathered on
// its own.
StatusOr<std::vector<Literal>> Gather(const Instruction& inst, std::span<Literal> operands,
                                      const Shape& result, const EvalContext& context) {
  const i64 dim = inst.attrs<AllGatherAttrs>().dimensions[0];
  const i64 n = inst.num_operands();
  AXLE_ASSIGN(const GroupValues group,
              ExchangeInGroup(CollectiveOf(inst), TupleOf(operands), context));
  std::vector<Literal> results;
  for (i64 i = 0; i < n; ++i) {
    const Shape& shape = n > 1 ? result.element(i) : result;
    const i64 size = inst.operand(i)->shape().dim(dim);
    const auto count = static_cast<i64>(group.values.size());
    // A module may have been verified without devices; the sizes are compared with the group that
    // really exists.
    if (size * count != shape.dim(dim)) {
      return OpError(inst, StrCat("the group is of ", count, " devices, whose parts are not ",
                                  shape.ToString()));
    }
    AXLE_ASSIGN(Literal gathered, Literal::CreateUninitialized(shape.WithoutLayout()));
    for (i64 k = 0; k < count; ++k) {
      AXLE_TRY(context.Check());
      CopyBlock(group.values[k].element(i), 0, size, dim, k * size, gathered);
    }
    results.push_back(std::move(gathered));
  }
  return results;
}

StatusOr<Literal> EvalAllGather(const Instruction& inst, std::span<Literal> operands,
                                const EvalContext& context) {
  AXLE_ASSIGN(std::vector<Literal> results, Gather(inst, operands, inst.shape(), context));
  return ResultOf(std::move(results));
}

// The start op gives (operand, result), or ((operands...), (results...)) if there are several.
StatusOr<Shape> InferStart(const Instruction& inst) {
  const bool states_result = inst.shape().is_tuple() && inst.shape().num_tuple_elements() == 2;
  AXLE_ASSIGN(Shape result, InferGathered(inst, states_result ? inst.shape().element(1) : Shape()));
  std::vector<Shape> operands;
  for (i64 i = 0; i < inst.num_operands(); ++i) operands.push_back(inst.operand(i)->shape());
  return Shape::Tuple({ResultOf(std::move(operands)), std::move(result)});
}

StatusOr<Literal> EvalStart(const Instruction& inst, std::span<Literal> operands,
                            const EvalContext& context) {
  std::vector<Literal> given(operands.begin(), operands.end());
  AXLE_ASSIGN(std::vector<Literal> results,
              Gather(inst, operands, inst.shape().element(1), context));
  return Literal::Tuple({ResultOf(std::move(given)), ResultOf(std::move(results))});
}

// The done op must read the start op directly; the shape is the second element of its result.
StatusOr<Shape> InferDone(const Instruction& inst) {
  constexpr Opcode kStart = Opcode::kAllGatherStart;
  AXLE_TRY(CheckStartedBy(inst, {&kStart, 1}));
  return inst.operand(0)->shape().element(1);
}

StatusOr<Literal> EvalDone(const Instruction&, std::span<Literal> operands, const EvalContext&) {
  return std::move(operands[0].mutable_elements()[1]);
}

}  // namespace

const OpDef kAllGatherDef = {
    .opcode = Opcode::kAllGather,
    .text = "all-gather",
    .summary = "Puts the operands of a group of devices side by side.",
    .semantics =
        "Along `dimensions` the result has the operand of the device at position j of the group as "
        "its part j; every device of the group gets all of it. Several operands are gathered one "
        "by one and give a tuple. The result's shape is stated: its size is the operand's times "
        "the size of the groups, which is not checked where that is 1. `replica_groups` list "
        "replicas without a channel, replicas with all their partitions with a channel, and "
        "devices with a channel and use_global_device_ids; no group at all is one of everything. "
        "Every id is in one group, and groups are of one size.",
    .source = "XLA AllGather; StableHLO all_gather",
    .operands = kOperands,
    .attrs = Schema<AllGatherAttrs>(kAttrs),
    .declared_shape = true,
    .traits = kSideEffect | kMixedPrecision,
    .has_side_effect = MeetsOthers,
    .lowering = Lowering::kCollective,
    .infer = InferAllGather,
    .check_devices = [](const Instruction& inst) { return CheckGatherDevices(inst, inst.shape()); },
    .eval = EvalAllGather,
};

const OpDef kAllGatherStartDef = {
    .opcode = Opcode::kAllGatherStart,
    .text = "all-gather-start",
    .summary = "Begins an all-gather that all-gather-done finishes.",
    .semantics =
        "Takes what all-gather takes and gives the pair of operand and result, each a tuple if "
        "there are several operands. Nothing but one all-gather-done reads it.",
    .source = "XLA's HLO all-gather-start",
    .operands = kOperands,
    .attrs = Schema<AllGatherAttrs>(kAttrs),
    .declared_shape = true,
    .traits = kSideEffect | kMixedPrecision,
    .lowering = Lowering::kCollective,
    .infer = InferStart,
    .check_uses = CheckReadBy<Opcode::kAllGatherDone>,
    .check_devices =
        [](const Instruction& inst) { return CheckGatherDevices(inst, inst.shape().element(1)); },
    .eval = EvalStart,
};

const OpDef kAllGatherDoneDef = {
    .opcode = Opcode::kAllGatherDone,
    .text = "all-gather-done",
    .summary = "The result of the all-gather that an all-gather-start began.",
    .semantics = "The operand is the all-gather-start itself.",
    .source = "XLA's HLO all-gather-done",
    .operands = kUnaryOperands,
    .traits = kMixedPrecision,
    .lowering = Lowering::kCollective,
    .infer = InferDone,
    .eval = EvalDone,
};

}  // namespace axle
