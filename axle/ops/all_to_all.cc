// all-to-all, ragged-all-to-all: every device of a group gives every other one a part of its array.
//
// The array form cuts its operand into one block per device and concatenates what it receives; the
// tuple form sends operand i to device i. The ragged form sends a run of rows to each device, whose
// offsets and sizes are operands: sizes and offsets of the sender decide, and rows that do not
// exist are an error at run time.
#include "axle/emit/index_map.h"
#include "axle/ops/collective_meeting.h"
#include "axle/ops/collective_parts.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/replica_groups.h"

namespace axle {

extern const OpDef kAllToAllDef, kRaggedAllToAllDef;

namespace {

constexpr OperandSpec kOperands[] = {{"operand", kVariadic}};
constexpr AttrSpec kAttrs[] = {
    Attr<&AllToAllAttrs::channel_id>("channel_id", {.field = 26}, Presence::kOptional),
    Attr<&AllToAllAttrs::replica_groups>("replica_groups", {.field = 87}, Presence::kPrinted),
    Attr<&AllToAllAttrs::constrain_layout>("constrain_layout", {.field = 56}, Presence::kOptional),
    Attr<&AllToAllAttrs::dimensions>("dimensions", {.field = 14}, Presence::kOptional),
};

// With `dimensions`: one operand, cut into as many parts as the group has devices.
// The group size must divide the dimension.
StatusOr<Shape> InferArrayForm(const Instruction& inst, i64 group_size) {
  const AllToAllAttrs& attrs = inst.attrs<AllToAllAttrs>();
  if (inst.num_operands() != 1) {
    return OpError(inst, StrCat("with dimensions, takes 1 operand, not ", inst.num_operands()));
  }
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  AXLE_ASSIGN(const i64 dim, OneDimension(inst, attrs.dimensions, operand));
  if (!operand.is_static()) {
    return OpError(inst, "dynamic dimensions cannot be split");
  }
  if (operand.dim(dim) % group_size == 0) return operand;
  return OpError(inst, StrCat("dimension ", dim, " has size ", operand.dim(dim),
                              ", which the group size ", group_size, " does not divide"));
}

// There are two forms: with `dimensions`, one array is split along a dimension; without, there is
// an operand for each member of the group, and the result is a tuple of what the members sent.
StatusOr<Shape> InferAllToAll(const Instruction& inst) {
  AXLE_TRY(CheckReplicaGroups(CollectiveOf(inst)));
  AXLE_ASSIGN(const i64 group_size, GroupSize(CollectiveOf(inst)));
  if (!inst.attrs<AllToAllAttrs>().dimensions.empty()) return InferArrayForm(inst, group_size);
  if (inst.num_operands() != group_size) {
    return OpError(
        inst, StrCat("has ", inst.num_operands(), " operands but groups of size ", group_size));
  }
  Shape result;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    AXLE_TRY(ExpectArray(inst, i));
    const Shape& operand = inst.operand(i)->shape();
    if (!Compatible(operand, inst.operand(0)->shape())) {
      return OpError(inst, StrCat("operands must have one shape, but operand ", i, " is ",
                                  operand.ToString()));
    }
    result.AddElement(operand);
  }
  return result;
}

// The exchange gives every device all operands of its group, of which it takes its own parts.
StatusOr<Literal> EvalAllToAll(const Instruction& inst, std::span<Literal> operands,
                               const EvalContext& context) {
  const Dims& dimensions = inst.attrs<AllToAllAttrs>().dimensions;
  AXLE_ASSIGN(GroupValues group, ExchangeInGroup(CollectiveOf(inst), TupleOf(operands), context));
  const auto count = static_cast<i64>(group.values.size());
  if (dimensions.empty()) {
    std::vector<Literal> results;
    for (const Literal& value : group.values) results.push_back(value.element(group.position));
    return Literal::Tuple(std::move(results));
  }
  const i64 dim = dimensions[0];
  const i64 size = inst.shape().dim(dim) / count;
  AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(inst.shape().WithoutLayout()));
  for (i64 k = 0; k < count; ++k) {
    AXLE_TRY(context.Check());
    CopyBlock(group.values[k].element(0), group.position * size, size, dim, k * size, result);
  }
  return result;
}

// --- ragged-all-to-all --------------------------------------------------------------------------

constexpr OperandSpec kRaggedOperands[] = {{"input"},      {"output"},         {"input_offsets"},
                                           {"send_sizes"}, {"output_offsets"}, {"recv_sizes"}};
constexpr AttrSpec kRaggedAttrs[] = {
    Attr<&RaggedAllToAllAttrs::channel_id>("channel_id", {.field = 26}, Presence::kOptional),
    Attr<&RaggedAllToAllAttrs::replica_groups>("replica_groups", {.field = 87}, Presence::kPrinted),
    Attr<&RaggedAllToAllAttrs::dimensions>("dimensions", {}, Presence::kOptional),
};

// The rows are always those of dimension 0.
void DropDimensions(std::span<Instruction* const>, void* attrs) {
  static_cast<RaggedAllToAllAttrs*>(attrs)->dimensions.clear();
}

// input and output may differ in the number of rows only; offsets and sizes are integers of one
// shape.
StatusOr<Shape> InferRagged(const Instruction& inst) {
  for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(ExpectArray(inst, i));
  AXLE_TRY(CheckReplicaGroups(CollectiveOf(inst)));
  const Shape &input = inst.operand(0)->shape(), &output = inst.operand(1)->shape();
  const Shape& index = inst.operand(2)->shape();
  bool same_rows =
      input.type() == output.type() && input.rank() == output.rank() && input.rank() > 0;
  for (i64 d = 1; same_rows && d < input.rank(); ++d) same_rows = input.dim(d) == output.dim(d);
  if (!same_rows) return OpError(inst, "input and output must be rows of one shape");
  if (!IsIntegral(index.type()) || index.rank() < 1 || index.rank() > 2) {
    return OpError(inst, "offsets and sizes must be integers of rank 1 or 2");
  }
  for (i64 i = 3; i < 6; ++i) {
    if (Compatible(inst.operand(i)->shape(), index)) continue;
    return OpError(inst, "offsets and sizes must have one shape");
  }
  return output;
}

// Operands are rearranged so that only what the peers need travels: input, output offsets, input
// offsets and sizes. The received sizes are not used.
StatusOr<Literal> EvalRagged(const Instruction& inst, std::span<Literal> operands,
                             const EvalContext& context) {
  Literal result = std::move(operands[1]);
  operands[1] = std::move(operands[4]);
  // input, output_offsets, input_offsets, send_sizes
  AXLE_ASSIGN(const GroupValues group,
              ExchangeInGroup(CollectiveOf(inst), TupleOf(operands.first(4)), context));
  const Shape& index = inst.operand(2)->shape();
  const auto count = static_cast<i64>(group.values.size());
  if (index.dim(0) != count) {
    return OpError(inst, StrCat("offsets and sizes are for ", index.dim(0),
                                " devices but the group has ", count));
  }
  // Offsets of rank 2 have several updates per device, one after another in a row.
  const i64 updates = index.rank() == 2 ? index.dim(1) : 1;
  const i64 input_rows = inst.operand(0)->shape().dim(0), rows = result.shape().dim(0);
  for (i64 k = 0; k < count; ++k) {
    const Literal& peer = group.values[k];
    for (i64 u = 0; u < updates; ++u) {
      AXLE_TRY(context.Check());
      const i64 at = group.position * updates + u;
      const i64 from = IndexValue(peer.element(2), at), size = IndexValue(peer.element(3), at);
      const i64 to = IndexValue(peer.element(1), at);
      if (size == 0) continue;
      // Written so that no sum can overflow: from + size <= rows becomes from <= rows - size, for
      // size >= 0.
      if (size < 0 || from < 0 || from > input_rows - size || to < 0 || to > rows - size) {
        return OpError(inst, StrCat("position ", k, " sends ", size, " rows from ", from,
                                    " of its ", input_rows, " to ", to, " of ", rows));
      }
      CopyBlock(peer.element(0), from, size, 0, to, result);
    }
  }
  return result;
}

}  // namespace

const OpDef kAllToAllDef = {
    .opcode = Opcode::kAllToAll,
    .text = "all-to-all",
    .summary = "Every device of a group gives every device of it a part of its array.",
    .semantics =
        "With `dimensions` there is one operand, which is cut along that dimension into as many "
        "parts as the group has devices; the device at position j of the group gets part j of "
        "every device, in the order of the group, along the same dimension. The parts are of equal "
        "size. Without `dimensions` there is one operand for each device of the group, all of one "
        "shape: operand i goes to position i, and the result is the tuple of what was received, in "
        "the order of the group. `replica_groups` list replicas, or partitions with a channel; "
        "every id is in one group, and groups are of one size. With `dimensions` they must be "
        "given.",
    .source = "XLA AllToAll; StableHLO all_to_all",
    .operands = kOperands,
    .attrs = Schema<AllToAllAttrs>(kAttrs),
    .traits = kSideEffect,
    .has_side_effect = MeetsOthers,
    .lowering = Lowering::kCollective,
    .infer = InferAllToAll,
    .check_devices = CheckGroupsExist<CollectiveOf>,
    .eval = EvalAllToAll,
};

const OpDef kRaggedAllToAllDef = {
    .opcode = Opcode::kRaggedAllToAll,
    .text = "ragged-all-to-all",
    .summary = "Every device of a group gives every device of it some rows of its array.",
    .semantics =
        "Rows are what dimension 0 counts. The result is `output` with what the devices of the "
        "group send written into it: the device at position i of the group gets rows "
        "input_offsets[i] to input_offsets[i] + send_sizes[i] of `input`, from its row "
        "output_offsets[i] on. With offsets and sizes of rank 2 there are several such updates for "
        "each device, one per column. recv_sizes is what this device expects, and is not looked "
        "at. Updates are written in the order of the group, so that of two for one row the later "
        "one stays. Rows that do not exist are an error when the program runs. `replica_groups` "
        "are as in all-to-all.",
    .source = "XLA RaggedAllToAll",
    .operands = kRaggedOperands,
    .attrs = Schema<RaggedAllToAllAttrs>(kRaggedAttrs),
    .traits = kSideEffect | kMixedPrecision,  // infer has its own words for it
    .lowering = Lowering::kCollective,
    .infer = InferRagged,
    .canonicalize = DropDimensions,
    .check_devices = CheckGroupsExist<CollectiveOf>,
    .eval = EvalRagged,
};

}  // namespace axle
