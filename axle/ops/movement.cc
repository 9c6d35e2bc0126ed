// Ops that permute or repeat elements along dimensions: broadcast, reshape, transpose, reverse.
//
// Static forms are index maps: a broadcast reads no source dimension where it repeats, a transpose
// renames dimensions, a reverse steps backwards, and a reshape reads the same linear position
// (relinearize). A dynamic reshape is decided group by group: a group is a smallest set of
// neighbouring dimensions whose sizes multiply to the same number on both sides.
#include <algorithm>
#include <numeric>

#include "axle/ops/dim_order.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kBroadcastDef, kReshapeDef, kReverseDef, kTransposeDef;

namespace {

constexpr AttrSpec kDimensionsAttrs[] = {
    Attr<&DimensionsAttrs::dimensions>("dimensions", {.field = 14}),
};
// XLA's reader takes a broadcast of a scalar without them.
constexpr AttrSpec kBroadcastAttrs[] = {
    Attr<&DimensionsAttrs::dimensions>("dimensions", {.field = 14}, Presence::kPrinted),
};
constexpr AttrSpec kReshapeAttrs[] = {
    ListedAttr<&ReshapeAttrs::inferred_dimension>("inferred_dimension", {.field = 14},
                                                  Presence::kOptional),
};

const Dims& Dimensions(const Instruction& inst) {
  return inst.attrs<DimensionsAttrs>().dimensions;
}

Dims Identity(i64 rank) {
  Dims dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

// Operand dimension i is result dimension dimensions[i].
// The declared shape gives the sizes of the repeated dimensions.
StatusOr<Shape> InferBroadcast(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  const Dims& dimensions = Dimensions(inst);
  if (!inst.shape().is_array()) {
    return OpError(inst, StrCat("gives an array, not ", inst.shape().ToString()));
  }
  Shape result(operand.type(), inst.shape().dims());
  if (static_cast<i64>(dimensions.size()) != operand.rank()) {
    return OpError(inst, StrCat("dimensions names ", dimensions.size(),
                                " dimensions but operand has rank ", operand.rank()));
  }
  AXLE_TRY(CheckDims(inst, "dimensions", dimensions, result.rank()));
  for (i64 i = 0; i < operand.rank(); ++i) {
    const i64 d = dimensions[i];
    if (operand.dim(i) != result.dim(d)) {
      return OpError(inst, StrCat("operand dimension ", i, " has size ", operand.dim(i),
                                  " but result dimension ", d, " has size ", result.dim(d)));
    }
    if (operand.is_dynamic(i)) result.set_dynamic(d, true);
  }
  return result;
}

// The repeated dimensions have static sizes; the others take the run-time sizes of the operand.
StatusOr<Literal> EvalBroadcastDynamic(const Instruction& inst, std::span<Literal> operands,
                                       const EvalContext& context) {
  Shape result(inst.shape().type(), inst.shape().dims());
  for (i64 i = 0; i < operands[0].shape().rank(); ++i) {
    result.set_dim(Dimensions(inst)[i], operands[0].size(i));
  }
  operands[0] = operands[0].ValidPart();
  AXLE_ASSIGN(const Substitute substitute, Substitute::Create(inst, operands, &result));
  AXLE_ASSIGN(const Literal value, substitute.Evaluate(operands, context));
  return PutIntoBounds(inst, value);
}

// Dimensions that no operand dimension maps to have no source: all their positions read the same
// element.
IndexMap BroadcastMap(const Instruction& inst) {
  Dims source(inst.shape().rank(), kNoSourceDim);
  const Dims& dimensions = Dimensions(inst);
  for (size_t i = 0; i < dimensions.size(); ++i) source[dimensions[i]] = static_cast<i64>(i);
  return {WholeResult(inst.shape(), 0, inst.operand(0)->shape().rank(), source)};
}

// Operand dimensions [from, from_end) and the result dimensions [to, to_end) that they become.
struct ReshapeGroup {
  i64 from, from_end, to, to_end;
};

// Splits both shapes into the smallest groups of neighbouring dimensions with equal products.
std::vector<ReshapeGroup> ReshapeGroups(const Shape& operand, const Shape& result) {
  std::vector<ReshapeGroup> groups;
  i64 from = 0, to = 0;
  while (from < operand.rank() || to < result.rank()) {
    i64 from_end = from, to_end = to, from_size = 1, to_size = 1;
    if (from_end < operand.rank()) from_size = operand.dim(from_end++);
    if (to_end < result.rank()) to_size = result.dim(to_end++);
    // The smaller product takes the next dimension until both are equal. The products are equal at
    // the end, since the number of elements is.
    while (from_size != to_size) {
      // The smaller side grows, or the one that can.
      const bool can_from = from_end < operand.rank(), can_to = to_end < result.rank();
      if (!can_from && !can_to) break;
      if (can_from && (from_size < to_size || !can_to)) {
        from_size *= operand.dim(from_end++);
      } else {
        to_size *= result.dim(to_end++);
      }
    }
    groups.push_back({from, from_end, to, to_end});
    from = from_end;
    to = to_end;
  }
  return groups;
}

// The result dimension that takes over the dynamic operand dimension of a group; -1 if there is
// none.
i64 DynamicTarget(const Shape& result, const ReshapeGroup& group, const ReshapeAttrs& attrs) {
  const auto [from, from_end, to, to_end] = group;
  const i64 inferred = attrs.inferred_dimension;
  if (to_end - to == 1) return to;
  if (from_end - from > 1) return -1;
  if (inferred >= to && inferred < to_end) return inferred;
  for (i64 d = to; d < to_end; ++d) {
    if (result.dim(d) != 1) return d;
  }
  return to;
}

// Hands the dynamic dimensions over, group by group.
Status InferReshapedDynamic(const Instruction& inst, Shape& result) {
  const Shape& operand = inst.operand(0)->shape();
  for (const ReshapeGroup& group : ReshapeGroups(operand, result)) {
    for (i64 d = group.from; d < group.from_end; ++d) {
      if (!operand.is_dynamic(d)) continue;
      const i64 target = DynamicTarget(result, group, inst.attrs<ReshapeAttrs>());
      if (target < 0) {
        return OpError(inst, StrCat("dynamic dimension ", d, " is merged and split at once"),
                       StatusCode::kUnimplemented);
      }
      if (target < result.rank()) result.set_dynamic(target, true);
    }
  }
  return {};
}

// The elements of a group are compacted, and its dynamic result dimension takes what the others
// leave.
StatusOr<Literal> EvalReshapeDynamic(const Instruction& inst, std::span<Literal> operands,
                                     const EvalContext& context) {
  const Shape& operand = inst.operand(0)->shape();
  Shape result(inst.shape().type(), inst.shape().dims());
  for (const ReshapeGroup& group : ReshapeGroups(operand, result)) {
    i64 elements = 1, others = 1, bound = 1;
    for (i64 d = group.from; d < group.from_end; ++d) {
      elements *= operands[0].size(d);
      bound *= operand.dim(d);
    }
    if (elements == bound) continue;
    const i64 target = DynamicTarget(result, group, inst.attrs<ReshapeAttrs>());
    if (target >= group.to_end) continue;  // no dimension is left of it
    for (i64 d = group.to; d < group.to_end; ++d) {
      if (d != target) others *= result.dim(d);
    }
    if (elements % others != 0) {
      return OpError(inst, StrCat("operand has run-time size ", operands[0].size(group.from),
                                  " in dimension ", group.from, ", must be a multiple of ", others,
                                  " for result ", inst.shape().ToString()));
    }
    result.set_dim(target, elements / others);
  }
  operands[0] = operands[0].ValidPart();
  AXLE_ASSIGN(const Substitute substitute, Substitute::Create(inst, operands, &result));
  AXLE_ASSIGN(const Literal value, substitute.Evaluate(operands, context));
  return PutIntoBounds(inst, value);
}

// The declared result gives the sizes; the element type is the operand's.
StatusOr<Shape> InferReshape(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  if (!inst.shape().is_array()) {
    return OpError(inst, StrCat("gives an array, not ", inst.shape().ToString()));
  }
  Shape result(operand.type(), inst.shape().dims());
  if (operand.num_elements() != result.num_elements()) {
    return OpError(inst, StrCat("operand has ", operand.num_elements(), " elements but ",
                                result.ToString(), " has ", result.num_elements()));
  }
  const i64 inferred = inst.attrs<ReshapeAttrs>().inferred_dimension;
  if (inferred < -1 || inferred >= result.rank()) {
    return OpError(inst, StrCat("inferred_dimension is ", inferred,
                                ", which is not a dimension of ", result.ToString()));
  }
  if (!operand.is_static()) AXLE_TRY(InferReshapedDynamic(inst, result));
  return result;
}

// Result dimension i is operand dimension dimensions[i].
StatusOr<Shape> InferTranspose(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  const Dims& dimensions = Dimensions(inst);
  if (!std::ranges::is_permutation(dimensions, Identity(operand.rank()))) {
    return OpError(inst, StrCat("dimensions {", Join(dimensions, ","),
                                "} is not a permutation of the operand's dimensions"));
  }
  Shape result(operand.type());
  for (i64 d : dimensions) result.AppendDim(operand.dim(d), operand.is_dynamic(d));
  return result;
}

StatusOr<Shape> InferReverse(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  AXLE_TRY(CheckDims(inst, "dimensions", Dimensions(inst), operand.rank()));
  return operand;
}

// Reversed dimensions start at their last element and step by -1.
IndexMap ReverseMap(const Instruction& inst) {
  const Shape& shape = inst.shape();
  IndexPiece piece = WholeResult(shape, 0, shape.rank(), Identity(shape.rank()));
  for (i64 d : Dimensions(inst)) {
    piece.source_begin[d] = shape.dim(d) - 1;
    piece.dims[d].source_step = -1;
  }
  return {piece};
}

}  // namespace

// Dimension i of the operand is dimension dimensions[i] of the result.
static AttrBlock RenumberedBroadcast(const Instruction& inst, const Order& order,
                                     const Order& operand) {
  const Dims& dims = inst.attrs<DimensionsAttrs>().dimensions;
  return BlockOf(inst, DimensionsAttrs{Composed(Inverse(order), Composed(dims, operand))});
}

const OpDef kBroadcastDef = {
    .opcode = Opcode::kBroadcast,
    .text = "broadcast",
    .summary = "Repeats the operand along the result dimensions that `dimensions` does not name.",
    .semantics =
        "Operand dimension i becomes result dimension dimensions[i], of the same size, dynamic if "
        "it is. The dimensions may be in any order: the operand is then transposed as well.",
    .source = "XLA Broadcast and BroadcastInDim; StableHLO broadcast_in_dim",
    .operands = kUnaryOperands,
    .attrs = Schema<DimensionsAttrs>(kBroadcastAttrs),
    .declared_shape = true,
    .lowering = Lowering::kIndexMap,
    .infer = InferBroadcast,
    .index_map = BroadcastMap,
    .eval_dynamic = EvalBroadcastDynamic,
    .permute = {PermuteForm::kSource, RenumberedBroadcast},
};

const OpDef kReshapeDef = {
    .opcode = Opcode::kReshape,
    .text = "reshape",
    .summary = "The same elements in row-major order, under other dimensions.",
    .semantics =
        "Both shapes have the same number of elements. A dynamic dimension may be merged into one "
        "dimension or split into several: then `inferred_dimension`, else the first one whose size "
        "is not 1, is dynamic. Elements are taken without the padding, so a run-time size that is "
        "split must be a multiple of the other sizes; merging and splitting a dynamic dimension at "
        "once is UNIMPLEMENTED.",
    .source = "XLA Reshape; StableHLO reshape",
    .operands = kUnaryOperands,
    .attrs = Schema<ReshapeAttrs>(kReshapeAttrs),
    .declared_shape = true,
    .lowering = Lowering::kIndexMap,
    .infer = InferReshape,
    .index_map = [](const Instruction&) -> IndexMap {
      IndexPiece everything;
      everything.relinearize = true;
      return {everything};
    },
    .eval_dynamic = EvalReshapeDynamic,
};

const OpDef kTransposeDef = {
    .opcode = Opcode::kTranspose,
    .text = "transpose",
    .summary = "Result dimension i is operand dimension dimensions[i].",
    .semantics = "dimensions is a permutation of all dimensions.",
    .source = "XLA Transpose; StableHLO transpose",
    .operands = kUnaryOperands,
    .attrs = Schema<DimensionsAttrs>(kDimensionsAttrs),
    .lowering = Lowering::kIndexMap,
    .infer = InferTranspose,
    .index_map = [](const Instruction& inst) -> IndexMap {
      return {WholeResult(inst.shape(), 0, inst.shape().rank(), Dimensions(inst))};
    },
    .permute = {PermuteForm::kRename},
};

const OpDef kReverseDef = {
    .opcode = Opcode::kReverse,
    .text = "reverse",
    .summary = "The elements in opposite order along each of `dimensions`.",
    .semantics = "No dimension is named twice; with none named, the operand itself.",
    .source = "XLA Rev; StableHLO reverse",
    .operands = kUnaryOperands,
    .attrs = Schema<DimensionsAttrs>(kDimensionsAttrs),
    .lowering = Lowering::kIndexMap,
    .infer = InferReverse,
    .index_map = ReverseMap,
    .permute = {PermuteForm::kAlike, RenumberedDimensions},
};

}  // namespace axle
