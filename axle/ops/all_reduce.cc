// all-reduce, its asynchronous pair, and reduce-scatter: folds the values of a group of devices.
//
// Reducers that are one known operation are folded by a binary tree over the positions in the group
// (docs/numerics.md N9), sums and products of narrow floats as f32; any other reducer folds from
// the left, in the order of the group.
#include <algorithm>
#include <bit>

#include "axle/core/convert.h"
#include "axle/ops/collective_meeting.h"
#include "axle/ops/collective_parts.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/lanes/reducer.h"
#include "axle/ops/reduce_kernels.h"
#include "axle/ops/replica_groups.h"
#include "axle/ops/scalar_callee.h"

namespace axle {

extern const OpDef kAllReduceDef, kAllReduceDoneDef, kAllReduceStartDef, kReduceScatterDef;

namespace {

constexpr OperandSpec kOperands[] = {{"operand", kVariadic}};
constexpr CalleeSpec kCallees[] = {{"to_apply"}};
constexpr AttrSpec kAllReduceAttrs[] = {
    Attr<&AllReduceAttrs::channel_id>("channel_id", {.field = 26}, Presence::kOptional),
    Attr<&AllReduceAttrs::replica_groups>("replica_groups", {.field = 87}, Presence::kPrinted),
    Attr<&AllReduceAttrs::constrain_layout>("constrain_layout", {.field = 56}, Presence::kOptional),
    Attr<&AllReduceAttrs::use_global_device_ids>("use_global_device_ids", {.field = 71},
                                                 Presence::kOptional),
    Attr<&AllReduceAttrs::mode>("mode", {}, Presence::kOptional),
};
constexpr AttrSpec kReduceScatterAttrs[] = {
    Attr<&ReduceScatterAttrs::channel_id>("channel_id", {.field = 26}, Presence::kOptional),
    Attr<&ReduceScatterAttrs::replica_groups>("replica_groups", {.field = 87}, Presence::kPrinted),
    Attr<&ReduceScatterAttrs::constrain_layout>("constrain_layout", {.field = 56},
                                                Presence::kOptional),
    Attr<&ReduceScatterAttrs::use_global_device_ids>("use_global_device_ids", {.field = 71},
                                                     Presence::kOptional),
    Attr<&ReduceScatterAttrs::dimensions>("dimensions", {.field = 14}),
    Attr<&ReduceScatterAttrs::mode>("mode", {}, Presence::kOptional),
};

// The mode follows from the channel and use_global_device_ids. The attribute is accepted and
// dropped, so that modules that state it equal those that do not.
template <typename Attrs>
void DropMode(std::span<Instruction* const>, void* attrs) {
  static_cast<Attrs*>(attrs)->mode = CollectiveMode::kUnset;
}

// How to_apply folds the operands.
enum class Fold : std::uint8_t {
  kElements,  // two scalars to one, of the operands' type or another float type
  kArrays,    // two whole operands to one: it takes their shape
  kUnclear,   // a function of two values and one of their type, but of none that fits the operands
  kNone,
};

// XLA accepts reducers of scalars and of whole arrays. Scalars of another float type are accepted,
// and the operands are converted to it.
Fold FoldOf(const Instruction& inst) {
  const HloComputation& callee = *inst.callee(0);
  const Shape& root = callee.root()->shape();
  if (!root.is_array() || callee.parameters().size() != 2) return Fold::kNone;
  for (const Instruction* p : callee.parameters()) {
    if (!Compatible(p->shape(), root)) return Fold::kNone;
  }
  bool is_whole = true, is_element = root.is_scalar();
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    const Shape& operand = inst.operand(i)->shape();
    is_whole = is_whole && Compatible(operand, root);
    const bool fits =
        operand.type() == root.type() || (IsFloating(operand.type()) && IsFloating(root.type()));
    is_element = is_element && fits;
  }
  if (is_element) return Fold::kElements;
  return is_whole ? Fold::kArrays : Fold::kUnclear;
}

// Operands are arrays, and the reducer is a function of two values and gives one of their shape.
// The check of the reducer names the shapes that it would need.
Status CheckOperands(const Instruction& inst) {
  if (inst.num_operands() == 0) return OpError(inst, "needs at least one operand");
  for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(ExpectArray(inst, i));
  if (FoldOf(inst) != Fold::kNone) return {};
  const Shape& root = inst.callee(0)->root()->shape();
  const Shape scalar(root.is_array() ? root.type() : inst.operand(0)->shape().type());
  const std::vector<Shape> parameters(2, scalar);
  return CheckCallee(inst, 0, parameters, scalar);
}

StatusOr<Shape> InferAllReduce(const Instruction& inst) {
  AXLE_TRY(CheckOperands(inst));
  const AllReduceAttrs& attrs = inst.attrs<AllReduceAttrs>();
  AXLE_TRY(CheckDeviceIds(inst, attrs.channel_id, attrs.use_global_device_ids));
  AXLE_TRY(CheckReplicaGroups(CollectiveOf(inst), kUnequalGroups));
  std::vector<Shape> results;
  for (i64 i = 0; i < inst.num_operands(); ++i) results.push_back(inst.operand(i)->shape());
  return ResultOf(std::move(results));
}

// Folds the values of all participants for one operand. The order of additions is a part of the
// semantics: a tree for known operations, from the left for all others.
class GroupFold {
 public:
  GroupFold(const Instruction& inst, const EvalContext& context)
      : context_(context), reducer_(inst, context), type_(inst.callee(0)->root()->shape().type()) {
    if (const LaneProgram* lanes = reducer_.lanes()) {
      const ReducerKind kind = ClassifyReducer(*lanes, {&type_, 1})[0];
      is_tree_ = kind != ReducerKind::kGeneral;
      // FindFoldKernel folds narrow floats in f32, so that the values stay f32 between the devices
      // and are rounded once at the end.
      if (IsNarrowFloat(type_) && IsSumOrProduct(kind, type_)) {
        as_f32_ = FindFoldKernel(kind, type_).fold;
      }
    }
  }

  // `values` are row-major arrays of one shape.
  // All values have one shape, which ExchangeInGroup has checked.
  StatusOr<Literal> Run(std::vector<Literal> values) {
    const ElementType type = values[0].shape().type();
    for (Literal& value : values) {
      if (type != type_) {
        AXLE_ASSIGN(value, Convert(value, type_));
      }
      if (as_f32_ != nullptr) {
        AXLE_ASSIGN(value, Convert(value, F32));
      }
    }
    values_ = std::move(values);
    if (is_tree_) {
      AXLE_TRY(FoldTree(0, values_.size()));
    } else {
      for (size_t i = 1; i < values_.size(); ++i) AXLE_TRY(Join(0, i));
    }
    Literal result = std::move(values_[0]);
    if (as_f32_ != nullptr) {
      AXLE_ASSIGN(result, Convert(result, type_));
    }
    if (type != type_) return Convert(result, type);
    return result;
  }

 private:
  // How many elements are folded between two checks of the limits.
  static constexpr i64 kSlice = 1 << 16;

  // Value `first` becomes the fold of `count` values from it on: the first half, which is the
  // largest power of two below the count, with the second one.
  Status FoldTree(size_t first, size_t count) {
    if (count <= 1) return {};
    const size_t half = std::bit_floor(count - 1);
    AXLE_TRY(FoldTree(first, half));
    AXLE_TRY(FoldTree(first + half, count - half));
    return Join(first, first + half);
  }

  // values[a] = f(values[a], values[b])
  // In slices, so that the limits are checked while large arrays are folded.
  Status Join(size_t a, size_t b) {
    const i64 bytes = Info(values_[a].shape().type()).bytes;
    const i64 count = values_[a].num_elements();
    std::byte* out = values_[a].mutable_bytes();
    const std::byte* in = values_[b].bytes();
    for (i64 begin = 0; begin < count; begin += kSlice) {
      AXLE_TRY(context_.Check());
      if (as_f32_ != nullptr) {
        as_f32_(out + begin * bytes, in + begin * bytes, std::min(kSlice, count - begin), 1, 0);
        continue;
      }
      const void* const inputs[] = {out + begin * bytes, in + begin * bytes};
      void* const outputs[] = {out + begin * bytes};
      AXLE_TRY(reducer_.Run(inputs, outputs, std::min(kSlice, count - begin)));
    }
    values_[b] = Literal();
    return {};
  }

  const EvalContext& context_;
  ScalarCallee reducer_;
  ElementType type_;  // that the reducer computes in
  bool is_tree_ = false;
  FoldFn as_f32_ = nullptr;  // of sums and products of narrow floats
  std::vector<Literal> values_;
};

// `group` says who took part; its values have been consumed.
struct Reduced {
  std::vector<Literal> results;  // one per operand
  GroupValues group;             // without the values
};

// Folds from the left, in the order of the group: one call of to_apply for each device but the
// first.
// Arrays are passed whole, so that the function may mix their elements.
StatusOr<std::vector<Literal>> FoldArrays(std::vector<Literal> tuples, const EvalContext& context) {
  std::vector<Literal> results = std::move(tuples[0].mutable_elements());
  for (Literal& tuple : std::span(tuples).subspan(1)) {
    for (size_t i = 0; i < results.size(); ++i) {
      AXLE_TRY(context.Step());
      Literal arguments[] = {std::move(results[i]), std::move(tuple.mutable_elements()[i])};
      AXLE_ASSIGN(results[i], context.callee().Call(arguments));
    }
  }
  return results;
}

// The values of the group are exchanged once for all operands and then folded operand by operand,
// so that a tuple costs one round of communication.
StatusOr<Reduced> ReduceInGroup(const Collective& collective, std::span<Literal> operands,
                                const EvalContext& context) {
  Reduced reduced;
  AXLE_ASSIGN(reduced.group, ExchangeInGroup(collective, TupleOf(operands), context));
  std::vector<Literal> tuples = std::move(reduced.group.values);
  const Fold how = FoldOf(collective.inst);
  // A group of one device has nothing to fold: its operand is the result whatever the reducer is.
  if (tuples.size() == 1 && how != Fold::kElements) {
    reduced.results = std::move(tuples[0].mutable_elements());
    reduced.group.values.resize(1);
    return reduced;
  }
  if (how == Fold::kArrays) {
    reduced.group.values.resize(tuples.size());
    AXLE_ASSIGN(reduced.results, FoldArrays(std::move(tuples), context));
    return reduced;
  }
  if (how != Fold::kElements) {
    const Shape& root = collective.inst.callee(0)->root()->shape();
    return OpError(collective.inst,
                   StrCat("to_apply is of ", root.ToString(),
                          ", which is no way to fold these operands; give it two scalars of "
                          "their type"),
                   StatusCode::kUnimplemented);
  }
  GroupFold fold(collective.inst, context);
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<Literal> values;
    for (Literal& tuple : tuples) values.push_back(std::move(tuple.mutable_elements()[i]));
    reduced.group.values.resize(tuples.size());
    AXLE_ASSIGN(reduced.results.emplace_back(), fold.Run(std::move(values)));
  }
  return reduced;
}

StatusOr<Literal> EvalAllReduce(const Instruction& inst, std::span<Literal> operands,
                                const EvalContext& context) {
  AXLE_ASSIGN(Reduced reduced, ReduceInGroup(CollectiveOf(inst), operands, context));
  return ResultOf(std::move(reduced.results));
}

StatusOr<Shape> InferDone(const Instruction& inst) {
  constexpr Opcode kStart = Opcode::kAllReduceStart;
  AXLE_TRY(CheckStartedBy(inst, {&kStart, 1}));
  return inst.operand(0)->shape();
}

StatusOr<Literal> EvalDone(const Instruction&, std::span<Literal> operands, const EvalContext&) {
  return std::move(operands[0]);
}

// The result is one of `group_size` equal blocks of the operand along the named dimension.
StatusOr<Shape> InferReduceScatter(const Instruction& inst) {
  AXLE_TRY(CheckOperands(inst));
  const ReduceScatterAttrs& attrs = inst.attrs<ReduceScatterAttrs>();
  AXLE_TRY(CheckDeviceIds(inst, attrs.channel_id, attrs.use_global_device_ids));
  const Collective collective = CollectiveOf(inst);
  AXLE_TRY(CheckReplicaGroups(collective));
  AXLE_ASSIGN(const i64 group_size, GroupSize(collective));
  std::vector<Shape> results;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    const Shape& operand = inst.operand(i)->shape();
    AXLE_ASSIGN(const i64 dim, OneDimension(inst, attrs.dimensions, operand));
    const Shape* declared = DeclaredPart(inst.shape(), i, inst);
    const i64 size = operand.dim(dim);
    // With one device the declared shape decides, because the program may be written for more
    // devices than it is checked with.
    i64 shard = declared != nullptr ? declared->dim(dim) : size / group_size;
    if (group_size > 1 && size % group_size != 0) {
      return OpError(inst, StrCat("dimension ", dim, " has size ", size, ", which the group size ",
                                  group_size, " does not divide"));
    }
    if (group_size > 1) shard = size / group_size;
    if (shard < 0 || (shard == 0 ? size != 0 : size % shard != 0)) {
      return OpError(inst, StrCat("dimension ", dim, " has size ", size,
                                  ", which is no multiple of the result's ", shard));
    }
    results.push_back(WithDim(operand, dim, shard));
  }
  return ResultOf(std::move(results));
}

// The group size is only known for the devices of the run.
Status CheckScatterDevices(const Instruction& inst) {
  const Collective collective = CollectiveOf(inst);
  AXLE_TRY(CheckGroupsExist(collective));
  AXLE_ASSIGN(const i64 group_size, GroupSize(collective));
  return group_size == 1 ? CheckAloneUnchanged(inst, inst.shape()) : Status();
}

// Each device folds whole operands and keeps its block: simple and equal in bits to all-reduce
// followed by a slice.
StatusOr<Literal> EvalReduceScatter(const Instruction& inst, std::span<Literal> operands,
                                    const EvalContext& context) {
  const Collective collective = CollectiveOf(inst);
  AXLE_ASSIGN(Reduced reduced, ReduceInGroup(collective, operands, context));
  const i64 dim = inst.attrs<ReduceScatterAttrs>().dimensions[0];
  const auto count = static_cast<i64>(reduced.group.values.size());
  for (Literal& value : reduced.results) {
    const i64 i = &value - reduced.results.data();
    const Shape& operand = inst.operand(i)->shape();
    const Shape result = (inst.num_operands() > 1 ? inst.shape().element(i) : inst.shape());
    if (result.dim(dim) * count != operand.dim(dim)) {
      return OpError(inst, StrCat("gives ", count, " shards of ", result.ToString(),
                                  ", which are not the operand"));
    }
    AXLE_ASSIGN(value, BlockOf(value, dim, result.dim(dim) * reduced.group.position,
                               result.WithoutLayout()));
  }
  return ResultOf(std::move(reduced.results));
}

}  // namespace

const OpDef kAllReduceDef = {
    .opcode = Opcode::kAllReduce,
    .text = "all-reduce",
    .summary = "Folds the operands of a group of devices, element by element.",
    .semantics =
        "Every device of a group gets the same result. `to_apply` takes two scalars and gives one. "
        "One that is nothing but an add, multiply, minimum, maximum, and, or is folded by a binary "
        "tree over the positions in the group: the fold of the first half, which is the largest "
        "power of two below the number of devices, with that of the second. Sums and products of "
        "narrow floats are f32 from the first device to the last. Any other folds from the left, "
        "in the order of the group. Several operands are reduced one by one and give a "
        "tuple. Operands of another float type than to_apply's are converted to it and back. If "
        "to_apply takes and gives arrays of the operands' shape, it is called on whole operands, "
        "from the left. One that fits the operands in no such way is UNIMPLEMENTED when a group "
        "of several devices runs. "
        "`replica_groups` list replicas without a channel, replicas with all their partitions with "
        "a channel, and devices with a channel and use_global_device_ids; no group at all is one "
        "of everything. Every id is in one group, and groups may differ in size. A group of one "
        "device leaves the operand as it is.",
    .source = "XLA AllReduce and CrossReplicaSum; StableHLO all_reduce; docs/numerics.md N9",
    .operands = kOperands,
    .attrs = Schema<AllReduceAttrs>(kAllReduceAttrs),
    .callees = kCallees,
    .traits = kSideEffect | kMixedPrecision,
    .has_side_effect = MeetsOthers,
    .lowering = Lowering::kCollective,
    .accuracy = "that of to_apply, in the order of docs/numerics.md N9",
    .infer = InferAllReduce,
    .canonicalize = DropMode<AllReduceAttrs>,
    .check_devices = CheckGroupsExist<CollectiveOf>,
    .eval = EvalAllReduce,
};

const OpDef kAllReduceStartDef = {
    .opcode = Opcode::kAllReduceStart,
    .text = "all-reduce-start",
    .summary = "Begins an all-reduce that all-reduce-done finishes.",
    .semantics =
        "Takes what all-reduce takes and gives a value of the result's shape, which nothing but "
        "one all-reduce-done reads.",
    .source = "XLA's HLO all-reduce-start",
    .operands = kOperands,
    .attrs = Schema<AllReduceAttrs>(kAllReduceAttrs),
    .callees = kCallees,
    .traits = kSideEffect | kMixedPrecision,
    .lowering = Lowering::kCollective,
    .accuracy = "that of all-reduce",
    .infer = InferAllReduce,
    .canonicalize = DropMode<AllReduceAttrs>,
    .check_uses = CheckReadBy<Opcode::kAllReduceDone>,
    .check_devices = CheckGroupsExist<CollectiveOf>,
    .eval = EvalAllReduce,
};

const OpDef kAllReduceDoneDef = {
    .opcode = Opcode::kAllReduceDone,
    .text = "all-reduce-done",
    .summary = "The result of the all-reduce that an all-reduce-start began.",
    .semantics = "The operand is the all-reduce-start itself.",
    .source = "XLA's HLO all-reduce-done",
    .operands = kUnaryOperands,
    .traits = kMixedPrecision,
    .lowering = Lowering::kCollective,
    .infer = InferDone,
    .eval = EvalDone,
    .eval_dynamic = EvalDone,
};

const OpDef kReduceScatterDef = {
    .opcode = Opcode::kReduceScatter,
    .text = "reduce-scatter",
    .summary = "Folds the operands of a group of devices and gives each device its part.",
    .semantics =
        "As all-reduce followed by a slice: along `dimensions` the result is cut into as many "
        "parts as the group has devices, and the device at position j of its group gets part j. "
        "The group size divides the dimension, and all groups are of one size. Several operands "
        "are treated one by one and give a tuple.",
    .source = "XLA ReduceScatter; StableHLO reduce_scatter; docs/numerics.md N9",
    .operands = kOperands,
    .attrs = Schema<ReduceScatterAttrs>(kReduceScatterAttrs),
    .callees = kCallees,
    .declared_shape = true,
    .traits = kSideEffect,
    .has_side_effect = MeetsOthers,
    .lowering = Lowering::kCollective,
    .accuracy = "that of to_apply, in the order of docs/numerics.md N9",
    .infer = InferReduceScatter,
    .canonicalize = DropMode<ReduceScatterAttrs>,
    .check_devices = CheckScatterDevices,
    .eval = EvalReduceScatter,
};

}  // namespace axle
