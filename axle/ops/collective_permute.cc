// collective-permute with its asynchronous pair, and collective-broadcast: arrays as they are, from
// one device to another.
#include <algorithm>
#include <optional>

#include "axle/emit/strided_copy.h"
#include "axle/ops/collective_parts.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/replica_groups.h"

namespace axle {

extern const OpDef kCollectiveBroadcastDef, kCollectivePermuteDef, kCollectivePermuteDoneDef,
    kCollectivePermuteStartDef;

namespace {

constexpr OperandSpec kOperands[] = {{"operand", kVariadic}};
constexpr AttrSpec kPermuteAttrs[] = {
    Attr<&CollectivePermuteAttrs::channel_id>("channel_id", {.field = 26}, Presence::kOptional),
    Attr<&CollectivePermuteAttrs::source_target_pairs>("source_target_pairs", {.field = 52}),
    Attr<&CollectivePermuteAttrs::slice_sizes>("slice_sizes", {.field = 20}, Presence::kOptional),
};

// In place: (input, output, input_start_indices, output_start_indices).
bool IsInPlace(const Instruction& inst) {
  return !inst.attrs<CollectivePermuteAttrs>().slice_sizes.empty();
}

Status CheckPairs(const Instruction& inst) {
  const CollectivePermuteAttrs& attrs = inst.attrs<CollectivePermuteAttrs>();
  if (attrs.channel_id < 0) {
    return OpError(inst, StrCat("channel_id is ", attrs.channel_id, ", must be > 0"));
  }
  const GroupMode mode = ModeOfChannel(attrs.channel_id);
  const i64 count = NumIds(inst, mode);
  Dims sources, targets;
  for (const auto& [source, target] : attrs.source_target_pairs) {
    sources.push_back(source);
    targets.push_back(target);
  }
  for (const auto& [what, ids] : {std::pair("source", &sources), std::pair("target", &targets)}) {
    std::ranges::sort(*ids);
    for (i64 id : *ids) {
      if (id < 0) return OpError(inst, StrCat(what, " ", id, " must be >= 0"));
      if (id < count || count == 1) continue;
      return OpError(
          inst, StrCat(what, " ", id, " must be below ", count, ", the number of ", IdsText(mode)));
    }
    const auto twice = std::ranges::adjacent_find(*ids);
    if (twice == ids->end()) continue;
    return OpError(inst, StrCat(what, " ", *twice, " is twice in source_target_pairs"));
  }
  return {};
}

Status CheckPairsExist(const Instruction& inst) {
  const CollectivePermuteAttrs& attrs = inst.attrs<CollectivePermuteAttrs>();
  const GroupMode mode = ModeOfChannel(attrs.channel_id);
  const i64 count = NumIds(inst, mode);
  for (const auto& [source, target] : attrs.source_target_pairs) {
    const i64 last = std::max(source, target);
    if (last >= count) return NoSuchId(inst, "source_target_pairs", last, mode);
  }
  return {};
}

// Start indices of the slice that is sent or received: a tuple of one scalar per dimension.
Status CheckStarts(const Instruction& inst, i64 operand, const Shape& array) {
  const Shape& starts = inst.operand(operand)->shape();
  bool fits = starts.is_tuple() && starts.num_tuple_elements() == array.rank();
  for (i64 d = 0; fits && d < array.rank(); ++d) fits = starts.element(d) == Shape(S32);
  if (fits) return {};
  return OpError(inst, StrCat(operand == 2 ? "input" : "output", "_start_indices must be ",
                              array.rank(), " scalars of s32, not ", starts.ToString()));
}

StatusOr<std::vector<Shape>> InferInPlace(const Instruction& inst) {
  const DimsList& slice_sizes = inst.attrs<CollectivePermuteAttrs>().slice_sizes;
  if (inst.num_operands() != 4) {
    return OpError(inst, StrCat("with slice_sizes, takes 4 operands (input, output, "
                                "input_start_indices, output_start_indices), not ",
                                inst.num_operands()));
  }
  AXLE_TRY(ExpectArray(inst, 0));
  AXLE_TRY(ExpectArray(inst, 1));
  if (slice_sizes.size() != 1) {
    return OpError(inst, StrCat("moves ", slice_sizes.size(), " slices at once, not 1"),
                   StatusCode::kUnimplemented);
  }
  const Shape &input = inst.operand(0)->shape(), &output = inst.operand(1)->shape();
  AXLE_TRY(CheckStarts(inst, 2, input));
  AXLE_TRY(CheckStarts(inst, 3, output));
  const Dims& sizes = slice_sizes[0];
  bool fits = input.type() == output.type() && input.rank() == output.rank() &&
              static_cast<i64>(sizes.size()) == input.rank();
  for (i64 d = 0; fits && d < input.rank(); ++d) {
    fits = sizes[d] >= 0 && sizes[d] <= input.dim(d) && sizes[d] <= output.dim(d);
  }
  if (fits) return std::vector<Shape>{output};
  return OpError(
      inst, StrCat("a slice of sizes {", Join(sizes, ","), "} must fit into input and output"));
}

// What arrives, one array per operand.
StatusOr<std::vector<Shape>> InferReceived(const Instruction& inst) {
  AXLE_TRY(CheckPairs(inst));
  if (IsInPlace(inst)) return InferInPlace(inst);
  if (inst.num_operands() == 0) return OpError(inst, "needs at least one operand");
  std::vector<Shape> shapes;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    AXLE_TRY(ExpectArray(inst, i));
    shapes.push_back(inst.operand(i)->shape());
  }
  return shapes;
}

StatusOr<Shape> InferPermute(const Instruction& inst) {
  AXLE_ASSIGN(std::vector<Shape> shapes, InferReceived(inst));
  return ResultOf(std::move(shapes));
}

// The value of the device that sends to this one; nothing if none does.
StatusOr<std::optional<Literal>> Receive(const Instruction& inst, Literal value,
                                         const EvalContext& context) {
  const CollectivePermuteAttrs& attrs = inst.attrs<CollectivePermuteAttrs>();
  const GroupMode mode = ModeOfChannel(attrs.channel_id);
  const DeviceContext& device = DeviceOf(context);
  const i64 own = mode == GroupMode::kCrossReplica ? device.replica_id() : device.partition_id();
  Dims ids;
  i64 from = -1;
  for (const auto& [source, target] : attrs.source_target_pairs) {
    ids.push_back(source);
    ids.push_back(target);
    if (target == own) from = source;
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  if (!std::ranges::binary_search(ids, own)) return std::optional<Literal>();
  AXLE_ASSIGN(const Dims participants, DevicesOf(inst, mode, ids, device));
  AXLE_ASSIGN(std::vector<Literal> values,
              Exchange(inst, attrs.channel_id, participants, std::move(value), context));
  if (from < 0) return std::optional<Literal>();
  return std::optional(std::move(values[std::ranges::lower_bound(ids, from) - ids.begin()]));
}

// Start indices, clamped so that the slice fits.
Dims Starts(const Literal& indices, const Dims& sizes, const Shape& array) {
  Dims starts;
  for (i64 d = 0; d < array.rank(); ++d) {
    const i64 start = indices.element(d).data<std::int32_t>()[0];
    starts.push_back(std::clamp<i64>(start, 0, array.dim(d) - sizes[d]));
  }
  return starts;
}

// Copies a box of these sizes, all of them > 0.
void CopyBox(const Literal& from, const Dims& from_starts, const Dims& sizes, const Dims& to_starts,
             Literal& to) {
  const i64 bytes = Info(from.shape().type()).bytes;
  const Dims from_strides = RowMajorStrides(from.shape().dims());
  const Dims to_strides = RowMajorStrides(to.shape().dims());
  i64 from_begin = 0, to_begin = 0;
  std::vector<StridedDim> dims;
  for (size_t d = 0; d < sizes.size(); ++d) {
    from_begin += from_starts[d] * from_strides[d] * bytes;
    to_begin += to_starts[d] * to_strides[d] * bytes;
    dims.push_back({sizes[d], to_strides[d] * bytes, from_strides[d] * bytes});
  }
  StridedCopy(MergeStridedDims(dims), to.mutable_bytes() + to_begin, from.bytes() + from_begin,
              bytes);
}

StatusOr<Literal> PermuteInPlace(const Instruction& inst, std::span<Literal> operands,
                                 const EvalContext& context) {
  const Dims& sizes = inst.attrs<CollectivePermuteAttrs>().slice_sizes[0];
  const Shape slice_shape(operands[0].shape().type(), sizes);
  AXLE_ASSIGN(Literal slice, Literal::CreateUninitialized(slice_shape));
  const Dims origin(sizes.size(), 0);
  if (slice.num_elements() > 0) {
    CopyBox(operands[0], Starts(operands[2], sizes, operands[0].shape()), sizes, origin, slice);
  }
  AXLE_ASSIGN(const std::optional<Literal> received, Receive(inst, std::move(slice), context));
  Literal result = std::move(operands[1]);
  if (received && received->num_elements() > 0) {
    CopyBox(*received, origin, sizes, Starts(operands[3], sizes, result.shape()), result);
  }
  return result;
}

StatusOr<std::vector<Literal>> Permute(const Instruction& inst, std::span<Literal> operands,
                                       const EvalContext& context) {
  if (IsInPlace(inst)) {
    AXLE_ASSIGN(Literal result, PermuteInPlace(inst, operands, context));
    return std::vector<Literal>{std::move(result)};
  }
  AXLE_ASSIGN(std::optional<Literal> received, Receive(inst, TupleOf(operands), context));
  if (received) return std::move(received->mutable_elements());
  std::vector<Literal> zeros;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    AXLE_ASSIGN(zeros.emplace_back(), Literal::Create(inst.operand(i)->shape().WithoutLayout()));
  }
  return zeros;
}

StatusOr<Literal> EvalPermute(const Instruction& inst, std::span<Literal> operands,
                              const EvalContext& context) {
  AXLE_ASSIGN(std::vector<Literal> results, Permute(inst, operands, context));
  return ResultOf(std::move(results));
}

// (operand, result, contexts...): what the contexts are is up to the program.
StatusOr<Shape> InferStart(const Instruction& inst) {
  AXLE_ASSIGN(std::vector<Shape> received, InferReceived(inst));
  std::vector<Shape> given;
  for (size_t i = 0; i < received.size(); ++i) given.push_back(inst.operand(i)->shape());
  Shape result = Shape::Tuple({ResultOf(std::move(given)), ResultOf(std::move(received))});
  for (i64 i = 2; i < inst.shape().num_tuple_elements(); ++i) {
    result.AddElement(inst.shape().element(i));
  }
  return result;
}

StatusOr<Literal> EvalStart(const Instruction& inst, std::span<Literal> operands,
                            const EvalContext& context) {
  std::vector<Literal> given(operands.begin(),
                             IsInPlace(inst) ? operands.begin() + 1 : operands.end());
  AXLE_ASSIGN(std::vector<Literal> results, Permute(inst, operands, context));
  std::vector<Literal> parts = {ResultOf(std::move(given)), ResultOf(std::move(results))};
  for (i64 i = 2; i < inst.shape().num_tuple_elements(); ++i) {
    AXLE_ASSIGN(parts.emplace_back(), Literal::Create(inst.shape().element(i).WithoutLayout()));
  }
  return Literal::Tuple(std::move(parts));
}

StatusOr<Shape> InferDone(const Instruction& inst) {
  constexpr Opcode kStart = Opcode::kCollectivePermuteStart;
  AXLE_TRY(CheckStartedBy(inst, {&kStart, 1}));
  return inst.operand(0)->shape().element(1);
}

StatusOr<Literal> EvalDone(const Instruction&, std::span<Literal> operands, const EvalContext&) {
  return std::move(operands[0].mutable_elements()[1]);
}

// --- collective-broadcast -----------------------------------------------------------------------

constexpr AttrSpec kBroadcastAttrs[] = {
    Attr<&CollectiveBroadcastAttrs::channel_id>("channel_id", {.field = 26}, Presence::kOptional),
    Attr<&CollectiveBroadcastAttrs::replica_groups>("replica_groups", {.field = 87},
                                                    Presence::kPrinted),
    Attr<&CollectiveBroadcastAttrs::has_dynamic_root>("has_dynamic_root", {.field = 100},
                                                      Presence::kPrinted),
};

Collective MakeBroadcast(const Instruction& inst) {
  const CollectiveBroadcastAttrs& attrs = inst.attrs<CollectiveBroadcastAttrs>();
  return {inst, attrs.channel_id, attrs.replica_groups, ModeOfChannel(attrs.channel_id)};
}

StatusOr<Shape> InferBroadcast(const Instruction& inst) {
  const bool has_root = inst.attrs<CollectiveBroadcastAttrs>().has_dynamic_root;
  const i64 n = inst.num_operands() - (has_root ? 1 : 0);
  if (n < 1) return OpError(inst, "needs at least one operand");
  AXLE_TRY(CheckReplicaGroups(MakeBroadcast(inst), kUnequalGroups | kPartialGroups));
  std::vector<Shape> results;
  for (i64 i = 0; i < n; ++i) {
    AXLE_TRY(ExpectArray(inst, i));
    results.push_back(inst.operand(i)->shape());
  }
  if (has_root && !Compatible(inst.operand(n)->shape(), Shape(S32, {n}))) {
    return OpError(inst, StrCat("the last operand, which gives the roots, must be s32[", n, "]"));
  }
  return ResultOf(std::move(results));
}

StatusOr<Literal> EvalBroadcast(const Instruction& inst, std::span<Literal> operands,
                                const EvalContext& context) {
  const bool has_root = inst.attrs<CollectiveBroadcastAttrs>().has_dynamic_root;
  const size_t n = operands.size() - (has_root ? 1 : 0);
  const Collective collective = MakeBroadcast(inst);
  AXLE_ASSIGN(const Dims participants, Participants(collective, DeviceOf(context)));
  std::vector<Literal> results;
  if (participants.empty()) {
    for (size_t i = 0; i < n; ++i) {
      AXLE_ASSIGN(results.emplace_back(), Literal::Create(operands[i].shape()));
    }
    return ResultOf(std::move(results));
  }
  AXLE_ASSIGN(const GroupValues group,
              ExchangeInGroup(collective, TupleOf(operands.first(n)), context));
  const auto count = static_cast<i64>(group.values.size());
  for (size_t i = 0; i < n; ++i) {
    const i64 root = has_root ? operands[n].data<std::int32_t>()[i] : 0;
    if (root < 0 || root >= count) {
      return OpError(inst, StrCat("root ", root, " must be in [0, ", count, ")"));
    }
    results.push_back(group.values[root].element(static_cast<i64>(i)));
  }
  return ResultOf(std::move(results));
}

}  // namespace

const OpDef kCollectivePermuteDef = {
    .opcode = Opcode::kCollectivePermute,
    .text = "collective-permute",
    .summary = "Each device gets the operands of the device that a list names for it.",
    .semantics =
        "For a pair {source, target} the target gets what the source has; a device that is no "
        "target gets zeros. No source and no target is there twice; a device may be its own "
        "source. The numbers are replicas, or partitions with a channel, and exist, except that "
        "there is no upper bound where the module has only one. Several operands travel together "
        "and give a tuple. With slice_sizes the operands are input, output, and tuples of start "
        "indices for each: a slice of the source's input is written into the target's output, at "
        "places that are clamped so that it fits; the result is output, which stays as it is on "
        "a device that is no target.",
    .source = "XLA CollectivePermute; StableHLO collective_permute",
    .operands = kOperands,
    .attrs = Schema<CollectivePermuteAttrs>(kPermuteAttrs),
    .traits = kSideEffect | kMixedPrecision,
    .lowering = Lowering::kCollective,
    .infer = InferPermute,
    .check_devices = CheckPairsExist,
    .eval = EvalPermute,
};

const OpDef kCollectivePermuteStartDef = {
    .opcode = Opcode::kCollectivePermuteStart,
    .text = "collective-permute-start",
    .summary = "Begins a collective-permute that collective-permute-done finishes.",
    .semantics =
        "Takes what collective-permute takes and gives a tuple of operand, result and any further "
        "elements that the program states, which are zeros. Operand and result are tuples if there "
        "are several operands. Nothing but one collective-permute-done reads it.",
    .source = "XLA's HLO collective-permute-start",
    .operands = kOperands,
    .attrs = Schema<CollectivePermuteAttrs>(kPermuteAttrs),
    .declared_shape = true,
    .traits = kSideEffect | kMixedPrecision,
    .lowering = Lowering::kCollective,
    .infer = InferStart,
    .check_uses = CheckReadBy<Opcode::kCollectivePermuteDone>,
    .check_devices = CheckPairsExist,
    .eval = EvalStart,
};

const OpDef kCollectivePermuteDoneDef = {
    .opcode = Opcode::kCollectivePermuteDone,
    .text = "collective-permute-done",
    .summary = "The result of the collective-permute that a collective-permute-start began.",
    .semantics = "The operand is the collective-permute-start itself.",
    .source = "XLA's HLO collective-permute-done",
    .operands = kUnaryOperands,
    .traits = kMixedPrecision,
    .lowering = Lowering::kCollective,
    .infer = InferDone,
    .eval = EvalDone,
};

const OpDef kCollectiveBroadcastDef = {
    .opcode = Opcode::kCollectiveBroadcast,
    .text = "collective-broadcast",
    .summary = "Every device of a group gets the operands of one of them.",
    .semantics =
        "That is the first one of the group, or, with has_dynamic_root, the one at the position "
        "that the last operand gives for each of the others; a position that does not exist is an "
        "error when the program runs. A device in no group gets zeros. `replica_groups` list "
        "replicas, or partitions with a channel; no id is there twice. Several operands give a "
        "tuple.",
    .source = "XLA CollectiveBroadcast; StableHLO collective_broadcast",
    .operands = kOperands,
    .attrs = Schema<CollectiveBroadcastAttrs>(kBroadcastAttrs),
    .traits = kSideEffect,
    .lowering = Lowering::kCollective,
    .infer = InferBroadcast,
    .check_devices = CheckGroupsExist<MakeBroadcast>,
    .eval = EvalBroadcast,
};

}  // namespace axle
