// collective-permute with its asynchronous pair, and collective-broadcast: arrays as they are, from
// one device to another.
//
// Every device that a pair names takes part in one exchange, also those that only send; a device
// that no pair names does not wait for the others. The in-place form cuts a slice out of the input,
// sends it, and writes the received slice into the output at clamped start indices.
#include <algorithm>
#include <optional>

#include "axle/emit/index_map.h"
#include "axle/emit/strided_copy.h"
#include "axle/ops/collective_meeting.h"
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

// In place: (input, output, input_start_indices, output_start_indices). Input and output are
// arrays, or tuples of them; then so are the start indices.
bool IsInPlace(const Instruction& inst) {
  return !inst.attrs<CollectivePermuteAttrs>().slice_sizes.empty();
}

bool IsTupleOfTuples(const Shape& shape) {
  return shape.is_tuple() && shape.num_tuple_elements() > 0 && shape.element(0).is_tuple();
}

// How often a device may be a source or a target: as often as there are start indices of an array,
// each a tuple, which XLA counts in this way.
i64 NumUses(const Instruction& inst) {
  if (!IsInPlace(inst) || inst.num_operands() != 4) return 1;
  const Shape& input = inst.operand(0)->shape();
  const Shape* starts = &inst.operand(2)->shape();
  if (input.is_tuple() && IsTupleOfTuples(*starts)) starts = &starts->element(0);
  return std::max<i64>(starts->num_tuple_elements(), 1);
}

// Sorted lists of ids find repetitions in n log n steps. Ids must exist only if the module has more
// than one replica or partition.
Status CheckPairs(const Instruction& inst) {
  const CollectivePermuteAttrs& attrs = inst.attrs<CollectivePermuteAttrs>();
  AXLE_TRY(CheckChannel(inst, attrs.channel_id));
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
    const size_t uses = static_cast<size_t>(NumUses(inst));
    for (size_t i = uses; i < ids->size(); ++i) {
      if ((*ids)[i] != (*ids)[i - uses]) continue;
      const std::string often = uses == 1 ? "twice" : StrCat("more than ", uses, " times");
      return OpError(inst, StrCat(what, " ", (*ids)[i], " is ", often, " in source_target_pairs"));
    }
  }
  return {};
}

// Run when the number of devices is known.
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

// Start indices of a slice of an array: a tuple of one integer per dimension.
bool AreStarts(const Shape& starts, const Shape& array) {
  bool fits = starts.is_tuple() && starts.num_tuple_elements() == array.rank();
  for (i64 d = 0; fits && d < array.rank(); ++d) {
    fits = starts.element(d).is_scalar() && IsIntegral(starts.element(d).type());
  }
  return fits;
}

// The same of one slice, or of several in a tuple.
Status CheckStarts(const Instruction& inst, std::string_view name, const Shape& starts,
                   const Shape& array) {
  bool fits = AreStarts(starts, array);
  if (IsTupleOfTuples(starts)) {
    fits = std::ranges::all_of(starts.elements(),
                               [&](const Shape& part) { return AreStarts(part, array); });
  }
  if (fits) return {};
  return OpError(inst, StrCat(name, "_start_indices must be ", array.rank(),
                              " scalar integers, not ", starts.ToString()));
}

// Input or output, which are operand `i`, with their start indices, operand 2 + i.
// Several arrays in a tuple have a tuple of start indices each.
Status CheckBuffers(const Instruction& inst, i64 i) {
  const std::string_view name = i == 0 ? "input" : "output";
  const Shape &buffers = inst.operand(i)->shape(), &starts = inst.operand(2 + i)->shape();
  if (!buffers.is_tuple()) {
    AXLE_TRY(ExpectArray(inst, i));
    return CheckStarts(inst, name, starts, buffers);
  }
  if (!starts.is_tuple() || starts.num_tuple_elements() != buffers.num_tuple_elements()) {
    return OpError(inst, StrCat(name, "_start_indices must be a tuple of ",
                                buffers.num_tuple_elements(), " tuples, not ", starts.ToString()));
  }
  for (i64 b = 0; b < buffers.num_tuple_elements(); ++b) {
    if (!buffers.element(b).is_array()) {
      return OpError(inst, StrCat(name, " must be an array or a tuple of arrays"));
    }
    AXLE_TRY(CheckStarts(inst, name, starts.element(b), buffers.element(b)));
  }
  return {};
}

// Array `b` of input or output.
const Shape& BufferOf(const Instruction& inst, i64 operand, i64 b) {
  const Shape& shape = inst.operand(operand)->shape();
  return shape.is_tuple() ? shape.element(b) : shape;
}

// Whether one slice of each array moves; what several of an array mean is not known.
bool MovesOneOfEach(const Instruction& inst) {
  const CollectivePermuteAttrs& attrs = inst.attrs<CollectivePermuteAttrs>();
  const Shape& input = inst.operand(0)->shape();
  const i64 count = input.is_tuple() ? input.num_tuple_elements() : 1;
  if (std::ssize(attrs.slice_sizes) != count) return false;
  for (const i64 operand : {2, 3}) {
    const Shape& starts = inst.operand(operand)->shape();
    for (i64 b = 0; b < count; ++b) {
      if (IsTupleOfTuples(input.is_tuple() ? starts.element(b) : starts)) return false;
    }
  }
  Dims sources, targets;
  for (const auto& [source, target] : attrs.source_target_pairs) {
    sources.push_back(source);
    targets.push_back(target);
  }
  for (Dims* ids : {&sources, &targets}) {
    std::ranges::sort(*ids);
    if (std::ranges::adjacent_find(*ids) != ids->end()) return false;
  }
  return true;
}

// The result has the shape of the output, whatever is sent.
StatusOr<std::vector<Shape>> InferInPlace(const Instruction& inst) {
  const DimsList& slice_sizes = inst.attrs<CollectivePermuteAttrs>().slice_sizes;
  if (inst.num_operands() != 4) {
    return OpError(inst, StrCat("with slice_sizes, takes 4 operands (input, output, "
                                "input_start_indices, output_start_indices), not ",
                                inst.num_operands()));
  }
  const Shape &input = inst.operand(0)->shape(), &output = inst.operand(1)->shape();
  if (input.is_tuple() != output.is_tuple() ||
      input.num_tuple_elements() != output.num_tuple_elements()) {
    return OpError(inst, "input and output must be two arrays, or tuples of as many arrays");
  }
  AXLE_TRY(CheckBuffers(inst, 0));
  AXLE_TRY(CheckBuffers(inst, 1));
  if (!MovesOneOfEach(inst)) return std::vector<Shape>{output};
  for (i64 b = 0; b < std::ssize(slice_sizes); ++b) {
    const Shape &from = BufferOf(inst, 0, b), &to = BufferOf(inst, 1, b);
    const Dims& sizes = slice_sizes[b];
    bool fits = from.type() == to.type() && from.rank() == to.rank() &&
                static_cast<i64>(sizes.size()) == from.rank();
    for (i64 d = 0; fits && d < from.rank(); ++d) {
      fits = sizes[d] >= 0 && sizes[d] <= from.dim(d) && sizes[d] <= to.dim(d);
    }
    if (fits) continue;
    return OpError(
        inst, StrCat("a slice of sizes {", Join(sizes, ","), "} must fit into input and output"));
  }
  return std::vector<Shape>{output};
}

bool IsOfArrays(const Shape& shape) {
  return shape.is_tuple() ? std::ranges::all_of(shape.elements(), IsOfArrays) : shape.is_array();
}

// The values that arrive, one per operand: an array, or arrays in a tuple, which travel as one.
StatusOr<std::vector<Shape>> InferReceived(const Instruction& inst) {
  AXLE_TRY(CheckPairs(inst));
  if (IsInPlace(inst)) return InferInPlace(inst);
  if (inst.num_operands() == 0) return OpError(inst, "needs at least one operand");
  std::vector<Shape> shapes;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    if (!IsOfArrays(inst.operand(i)->shape())) AXLE_TRY(ExpectArray(inst, i));
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
  AXLE_ASSIGN(const CollectiveMeeting meeting, MeetingOf(inst, DeviceOf(context)));
  if (meeting.participants.empty()) return std::optional<Literal>();
  AXLE_ASSIGN(std::vector<Literal> values,
              Exchange(inst, inst.attrs<CollectivePermuteAttrs>().channel_id, meeting.participants,
                       std::move(value), context));
  if (meeting.source < 0) return std::optional<Literal>();
  return std::optional(std::move(values[static_cast<size_t>(meeting.source)]));
}

// Start indices, clamped so that the slice fits.
Dims Starts(const Literal& indices, const Dims& sizes, const Shape& array) {
  Dims starts;
  for (i64 d = 0; d < array.rank(); ++d) {
    const i64 start = IndexValue(indices.element(d), 0);
    starts.push_back(std::clamp<i64>(start, 0, array.dim(d) - sizes[d]));
  }
  return starts;
}

// Copies a box of these sizes, all of them > 0.
// Strides of both arrays describe the box; adjacent dimensions are merged where both are
// contiguous, so that the copy runs over as few loops as possible.
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

// The arrays of a value; and the value again.
std::vector<Literal> TakeBuffers(Literal value) {
  if (value.shape().is_tuple()) return std::move(value.mutable_elements());
  std::vector<Literal> buffers;
  buffers.push_back(std::move(value));
  return buffers;
}

// Cut, exchange, write. All slices travel as one tuple; a device that receives nothing returns its
// output unchanged.
StatusOr<Literal> PermuteInPlace(const Instruction& inst, std::span<Literal> operands,
                                 const EvalContext& context) {
  if (!MovesOneOfEach(inst)) {
    return OpError(inst,
                   "several slices of an array at once, or a device that is a source or a target "
                   "twice; write one collective-permute for each",
                   StatusCode::kUnimplemented);
  }
  const bool is_tuple = inst.operand(0)->shape().is_tuple();
  const DimsList& slice_sizes = inst.attrs<CollectivePermuteAttrs>().slice_sizes;
  const std::vector<Literal> inputs = TakeBuffers(operands[0]);
  std::vector<Literal> outputs = TakeBuffers(std::move(operands[1])), slices;
  const auto starts = [&](i64 operand, size_t b, const Shape& array) {
    const Literal& all = operands[operand];
    return Starts(is_tuple ? all.element(static_cast<i64>(b)) : all, slice_sizes[b], array);
  };
  for (size_t b = 0; b < inputs.size(); ++b) {
    const Dims& sizes = slice_sizes[b];
    AXLE_ASSIGN(Literal slice,
                Literal::CreateUninitialized(Shape(inputs[b].shape().type(), sizes)));
    if (slice.num_elements() > 0) {
      CopyBox(inputs[b], starts(2, b, inputs[b].shape()), sizes, Dims(sizes.size(), 0), slice);
    }
    slices.push_back(std::move(slice));
  }
  AXLE_ASSIGN(std::optional<Literal> received,
              Receive(inst, Literal::Tuple(std::move(slices)), context));
  for (size_t b = 0; received && b < outputs.size(); ++b) {
    const Literal& slice = received->element(static_cast<i64>(b));
    const Dims& sizes = slice_sizes[b];
    if (slice.num_elements() == 0) continue;
    CopyBox(slice, Dims(sizes.size(), 0), sizes, starts(3, b, outputs[b].shape()), outputs[b]);
  }
  return is_tuple ? Literal::Tuple(std::move(outputs)) : std::move(outputs[0]);
}

// Without a sender the result is zeros, as XLA defines it.
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
// The first element repeats what is sent, the second is what arrives. The contexts have shapes that
// only the program knows.
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

// The state has the operands, the results and contexts without a meaning here, which are zeros. The
// exchange is complete when the start op returns.
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
    StatedBoolAttr<&CollectiveBroadcastAttrs::has_dynamic_root>("has_dynamic_root", {.field = 100}),
};

// The attribute has three states, so that a stated "false" is printed again.
bool HasRoot(const Instruction& inst) {
  return inst.attrs<CollectiveBroadcastAttrs>().has_dynamic_root == TriState::kTrue;
}

// The last operand may give the roots at run time, one per array that is broadcast.
StatusOr<Shape> InferBroadcast(const Instruction& inst) {
  const bool has_root = HasRoot(inst);
  const i64 n = inst.num_operands() - (has_root ? 1 : 0);
  if (n < 1) return OpError(inst, "needs at least one operand");
  AXLE_TRY(CheckReplicaGroups(CollectiveOf(inst), kUnequalGroups | kPartialGroups));
  std::vector<Shape> results;
  for (i64 i = 0; i < n; ++i) {
    AXLE_TRY(ExpectArray(inst, i));
    results.push_back(inst.operand(i)->shape());
  }
  if (has_root) {
    const Shape& roots = inst.operand(n)->shape();
    if (!roots.is_array() || roots.num_elements() != n || !roots.is_static()) {
      return OpError(inst,
                     StrCat("the last operand, which gives the roots, must have ", n, " elements"));
    }
  }
  return ResultOf(std::move(results));
}

// Devices outside of all groups get zeros. With a dynamic root, each operand has its own root
// within the group.
StatusOr<Literal> EvalBroadcast(const Instruction& inst, std::span<Literal> operands,
                                const EvalContext& context) {
  const bool has_root = HasRoot(inst);
  const size_t n = operands.size() - (has_root ? 1 : 0);
  if (has_root && !IsIntegral(operands[n].shape().type())) {
    return OpError(inst, "the last operand, which gives the roots, must be integers, such as s32",
                   StatusCode::kUnimplemented);
  }
  const Collective collective = CollectiveOf(inst);
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
    const i64 root = has_root ? IndexValue(operands[n], static_cast<i64>(i)) : 0;
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
        "and give a tuple; an operand may be a tuple of arrays. With slice_sizes the operands are "
        "input, output, and tuples of start indices for each, integers of any type: a slice of the "
        "source's input is written into the target's output, at "
        "places that are clamped so that it fits; the result is output, which stays as it is on "
        "a device that is no target. Input and output may be tuples of arrays, each with a slice. "
        "Several start indices of one array let a device be a source and a target as often; that "
        "is read, and UNIMPLEMENTED when the program runs.",
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
        "that the last operand gives for each of the others, as integers of any type (one of "
        "another "
        "type is UNIMPLEMENTED when the program runs); a position that does not exist is an "
        "error when the program runs. A device in no group gets zeros. `replica_groups` list "
        "replicas, or partitions with a channel; no id is there twice. Several operands give a "
        "tuple.",
    .source = "XLA CollectiveBroadcast; StableHLO collective_broadcast",
    .operands = kOperands,
    .attrs = Schema<CollectiveBroadcastAttrs>(kBroadcastAttrs),
    .traits = kSideEffect,
    .lowering = Lowering::kCollective,
    .infer = InferBroadcast,
    .check_devices = CheckGroupsExist<CollectiveOf>,
    .eval = EvalBroadcast,
};

}  // namespace axle
