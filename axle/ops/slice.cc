// slice, dynamic-slice, dynamic-update-slice: boxes of an array.
//
// All three are index maps. slice has static coordinates; the dynamic forms add an offset that is
// read at run time and clamped so that the box lies inside of the array. dynamic-update-slice is a
// map of two pieces: the whole operand, and the update over it.
#include <algorithm>

#include "axle/ops/dim_order.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kDynamicSliceDef, kDynamicUpdateSliceDef, kSliceDef;

namespace {

constexpr AttrSpec kSliceAttrs[] = {Attr<&SliceAttrs::slice>("slice", {.field = 17})};

// 0 <= start <= limit <= size, and a positive stride.
StatusOr<Shape> InferSlice(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  const SliceConfig& slice = inst.attrs<SliceAttrs>().slice;
  if (static_cast<i64>(slice.size()) != operand.rank()) {
    return OpError(inst, StrCat("slice has ", slice.size(), " dimensions but operand has rank ",
                                operand.rank()));
  }
  Shape result(operand.type());
  for (i64 d = 0; d < operand.rank(); ++d) {
    const auto& [start, limit, stride] = slice[d];
    const auto fail = [&, &start = start, &limit = limit, &stride = stride](std::string_view rule) {
      return OpError(inst,
                     StrCat("dimension ", d, ": [", start, ":", limit, ":", stride, "]: ", rule));
    };
    if (stride < 1) return fail("stride must be >= 1");
    if (start < 0) return fail("start must be >= 0");
    if (limit < start) return fail("limit must be >= start");
    if (limit > operand.dim(d)) return fail(StrCat("limit must be <= ", operand.dim(d)));
    const i64 size = (limit - start) / stride + ((limit - start) % stride != 0);
    result.AppendDim(size, operand.is_dynamic(d) && size != 1);
  }
  return result;
}

// The piece reads every stride-th element from the start.
IndexMap SliceMap(const Instruction& inst) {
  const SliceConfig& slice = inst.attrs<SliceAttrs>().slice;
  IndexPiece piece;
  for (i64 d = 0; d < inst.shape().rank(); ++d) {
    piece.dims.push_back(
        {.count = inst.shape().dim(d), .source_dim = d, .source_step = slice[d].stride});
    piece.source_begin.push_back(slice[d].start);
  }
  return {piece};
}

// The range of a dynamic dimension ends where the elements do. A dimension of which one element is
// taken is static again, so that element is read wherever it is, in padding too.
StatusOr<Literal> EvalSliceDynamic(const Instruction& inst, std::span<Literal> operands,
                                   const EvalContext& context) {
  SliceAttrs attrs = inst.attrs<SliceAttrs>();
  Dims sizes = operands[0].sizes();
  for (i64 d = 0; d < inst.shape().rank(); ++d) {
    if (!inst.shape().is_dynamic(d)) {
      sizes[d] = operands[0].shape().dim(d);
      continue;
    }
    SliceDim& range = attrs.slice[d];
    range.limit = std::min(range.limit, sizes[d]);
    range.start = std::min(range.start, range.limit);
  }
  operands[0] = FirstElements(operands[0], sizes);
  AXLE_ASSIGN(const Substitute substitute, Substitute::Create(inst, attrs, operands));
  AXLE_ASSIGN(const Literal result, substitute.Evaluate(operands, context));
  return PutIntoBounds(inst, result);
}

constexpr OperandSpec kDynamicSliceOperands[] = {{"operand"}, {"start_indices", kVariadic}};
constexpr AttrSpec kDynamicSliceAttrs[] = {
    Attr<&DynamicSliceAttrs::dynamic_slice_sizes>("dynamic_slice_sizes", {.field = 20}),
};
constexpr OperandSpec kUpdateOperands[] = {{"operand"}, {"update"}, {"start_indices", kVariadic}};

// One start index per dimension: scalars from operand `first` on, or (the older form) the elements
// of one array there.
bool IsVectorForm(const Instruction& inst, i64 first) {
  return inst.num_operands() == first + 1 && inst.operand(first)->shape().rank() == 1;
}

// Start indices are one scalar per dimension, or, in an older form of HLO, one vector.
Status CheckStartIndices(const Instruction& inst, i64 first) {
  const i64 rank = inst.operand(0)->shape().rank(), count = inst.num_operands() - first;
  for (i64 i = first; i < inst.num_operands(); ++i) {
    AXLE_TRY(ExpectArray(inst, i));
    const Shape& index = inst.operand(i)->shape();
    if (!IsIntegral(index.type())) {
      return OpError(inst, StrCat("start_indices must be integers, not ", Name(index.type())));
    }
    if (!IsVectorForm(inst, first) && !index.is_scalar()) {
      return OpError(inst, "start_indices must be scalars or one array of rank 1");
    }
    if (index.type() != inst.operand(first)->shape().type()) {
      return OpError(inst, "start_indices must all have the same type");
    }
  }
  const i64 given = IsVectorForm(inst, first) ? inst.operand(first)->shape().dim(0) : count;
  if (given == rank) return {};
  return OpError(inst, StrCat("there are ", given, " start_indices but operand has rank ", rank));
}

// The offsets of a box of these sizes, one per dimension, clamped so that the box fits.
std::vector<DynamicOffset> StartOffsets(const Instruction& inst, i64 first, const Dims& sizes,
                                        DynamicOffset::Side side) {
  const Shape& operand = inst.operand(0)->shape();
  std::vector<DynamicOffset> offsets;
  for (i64 d = 0; d < operand.rank(); ++d) {
    DynamicOffset& offset = offsets.emplace_back();
    offset.side = side;
    offset.dim = d;
    offset.max = operand.dim(d) - sizes[d];
    const bool vector = IsVectorForm(inst, first);
    offset.operand = static_cast<int>(vector ? first : first + d);
    if (!vector) continue;
    offset.index = {d};
    offset.index_from = {kNoSourceDim};
  }
  return offsets;
}

// A slice of the whole dimension keeps it dynamic: the clamped start is 0 then. Size 1 is excluded,
// as in XLA.
StatusOr<Shape> InferDynamicSlice(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  AXLE_TRY(CheckStartIndices(inst, 1));
  const Shape& operand = inst.operand(0)->shape();
  const Dims& sizes = inst.attrs<DynamicSliceAttrs>().dynamic_slice_sizes;
  if (static_cast<i64>(sizes.size()) != operand.rank()) {
    return OpError(inst, StrCat("dynamic_slice_sizes has ", sizes.size(),
                                " entries but operand has rank ", operand.rank()));
  }
  Shape result(operand.type());
  for (i64 d = 0; d < operand.rank(); ++d) {
    if (sizes[d] < 0 || sizes[d] > operand.dim(d)) {
      return OpError(inst, StrCat("dynamic_slice_sizes[", d, "] is ", sizes[d], ", must be in 0..",
                                  operand.dim(d)));
    }
    const bool whole = sizes[d] == operand.dim(d) && sizes[d] != 1;
    result.AppendDim(sizes[d], whole && operand.is_dynamic(d));
  }
  return result;
}

// The box begins at zero; the offsets move it.
IndexMap DynamicSliceMap(const Instruction& inst) {
  const Shape& result = inst.shape();
  IndexPiece piece;
  for (i64 d = 0; d < result.rank(); ++d) {
    piece.dims.push_back({.count = result.dim(d), .source_dim = d});
  }
  piece.source_begin = Dims(result.rank(), 0);
  piece.offsets = StartOffsets(inst, 1, result.dims(), DynamicOffset::Side::kSource);
  return {piece};
}

// Starts are clamped by the bounds, so that a slice of a whole dimension is at its beginning.
StatusOr<Literal> EvalDynamicSliceDynamic(const Instruction& inst, std::span<Literal> operands,
                                          const EvalContext& context) {
  const Dims sizes = operands[0].sizes();
  for (i64 d = 0; d < inst.shape().rank(); ++d) {
    if (!inst.operand(0)->shape().is_dynamic(d) || inst.shape().is_dynamic(d)) continue;
    if (inst.shape().dim(d) <= 1) continue;
    return OpError(inst, StrCat("takes a part of dynamic dimension ", d),
                   StatusCode::kUnimplemented);
  }
  operands[0] = WholeBuffer(operands[0]);
  for (Literal& index : operands.subspan(1)) index = WholeBuffer(index);
  AXLE_ASSIGN(const Substitute substitute, Substitute::Create(inst, operands));
  AXLE_ASSIGN(Literal result, substitute.Evaluate(operands, context));
  for (i64 d = 0; d < inst.shape().rank(); ++d) {
    if (inst.shape().is_dynamic(d)) result.SetSizeBeforeFlags(d, sizes[d]);
  }
  return result;
}

// The update may not be larger than the operand in any dimension.
StatusOr<Shape> InferDynamicUpdateSlice(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  AXLE_TRY(ExpectArray(inst, 1));
  Shape result = inst.operand(0)->shape();
  const Shape& update = inst.operand(1)->shape();
  if (update.type() != result.type()) {
    return OpError(inst, StrCat("operands have different element types ", Name(result.type()),
                                " and ", Name(update.type())));
  }
  if (update.rank() != result.rank()) {
    return OpError(
        inst, StrCat("update has rank ", update.rank(), " but operand has rank ", result.rank()));
  }
  AXLE_TRY(CheckStartIndices(inst, 2));
  for (i64 d = 0; d < result.rank(); ++d) {
    if (update.dim(d) > result.dim(d)) {
      return OpError(inst, StrCat("update dimension ", d, " has size ", update.dim(d),
                                  ", must be <= ", result.dim(d)));
    }
    if (update.dim(d) == result.dim(d)) result.set_dynamic(d, update.is_dynamic(d));
  }
  return result;
}

IndexMap DynamicUpdateSliceMap(const Instruction& inst) {
  const Shape &operand = inst.operand(0)->shape(), &update = inst.operand(1)->shape();
  const Dims origin(operand.rank(), 0);
  IndexPiece piece = WholeOperand(update, 1, origin);
  piece.offsets = StartOffsets(inst, 2, update.dims(), DynamicOffset::Side::kResult);
  return {WholeOperand(operand, 0, origin), piece};
}

// Only what the update really has is written, at a place that the bounds clamp. Where it replaces a
// whole dimension, its size is that of the result.
StatusOr<Literal> EvalDynamicUpdateSliceDynamic(const Instruction& inst,
                                                std::span<Literal> operands, const EvalContext&) {
  const Shape &operand = inst.operand(0)->shape(), &update = inst.operand(1)->shape();
  const bool vector = IsVectorForm(inst, 2);
  Dims sizes = operands[0].sizes(), begin(operand.rank());
  for (i64 d = 0; d < operand.rank(); ++d) {
    const i64 start = IndexValue(operands[vector ? 2 : 2 + d], vector ? d : 0);
    begin[d] = std::clamp<i64>(start, 0, operand.dim(d) - update.dim(d));
    if (update.dim(d) == operand.dim(d)) sizes[d] = operands[1].size(d);
  }
  operands[0] = WholeBuffer(operands[0]);
  operands[1] = operands[1].ValidPart();
  const IndexMap map = {WholeOperand(operand, 0, Dims(operand.rank(), 0)),
                        WholeOperand(operands[1].shape(), 1, begin)};
  AXLE_ASSIGN(Literal result, EvaluateIndexMap(map, inst.shape(), operands.first(2)));
  for (i64 d = 0; d < operand.rank(); ++d) result.SetSizeBeforeFlags(d, sizes[d]);
  return result;
}

}  // namespace

const OpDef kSliceDef = {
    .opcode = Opcode::kSlice,
    .text = "slice",
    .summary = "Every stride-th element from start up to, not including, limit in each dimension.",
    .semantics =
        "0 <= start <= limit <= size and stride >= 1. A dynamic dimension stays dynamic unless one "
        "element is left of it; at run time its range ends where the elements end, while a single "
        "element is read even from the padding.",
    .source = "XLA Slice; StableHLO slice",
    .operands = kUnaryOperands,
    .attrs = Schema<SliceAttrs>(kSliceAttrs),
    .lowering = Lowering::kIndexMap,
    .infer = InferSlice,
    .index_map = SliceMap,
    .eval_dynamic = EvalSliceDynamic,
    .permute = {PermuteForm::kAlike,
                [](const Instruction& inst, const Order& order, const Order&) {
                  return BlockOf(inst, SliceAttrs{InOrder(inst.attrs<SliceAttrs>().slice, order)});
                }},
};

const OpDef kDynamicSliceDef = {
    .opcode = Opcode::kDynamicSlice,
    .text = "dynamic-slice",
    .summary = "The box of size `dynamic_slice_sizes` that begins at start_indices.",
    .semantics =
        "Start indices are clamped to 0 <= start <= size - dynamic_slice_sizes[d], so that the box "
        "lies in the operand. There is one scalar per dimension, of one integer type, or one array "
        "that holds them all. A dynamic dimension is taken as a whole, and stays dynamic, or one "
        "element of it, which makes it static; other parts of it are UNIMPLEMENTED. Starts are "
        "clamped by its bound.",
    .source = "XLA DynamicSlice; StableHLO dynamic_slice",
    .operands = kDynamicSliceOperands,
    .attrs = Schema<DynamicSliceAttrs>(kDynamicSliceAttrs),
    .lowering = Lowering::kIndexMap,
    .infer = InferDynamicSlice,
    .index_map = DynamicSliceMap,
    .eval_dynamic = EvalDynamicSliceDynamic,
};

const OpDef kDynamicUpdateSliceDef = {
    .opcode = Opcode::kDynamicUpdateSlice,
    .text = "dynamic-update-slice",
    .summary = "The operand with the box at start_indices replaced by update.",
    .semantics =
        "Start indices are clamped to 0 <= start <= operand size - update size and may be scalars "
        "or one array, as in dynamic-slice. An empty update changes nothing. Bounds clamp the "
        "starts, and only elements that a dynamic update has at run time are written. A dimension "
        "that the update replaces as a whole gets the size of the update, dynamic or not; others "
        "keep that of the operand.",
    .source = "XLA DynamicUpdateSlice; StableHLO dynamic_update_slice",
    .operands = kUpdateOperands,
    .lowering = Lowering::kIndexMap,
    .infer = InferDynamicUpdateSlice,
    .index_map = DynamicUpdateSliceMap,
    .eval_dynamic = EvalDynamicUpdateSliceDynamic,
};

}  // namespace axle
