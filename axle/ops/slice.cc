// slice, dynamic-slice, dynamic-update-slice: boxes of an array.
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kDynamicSliceDef, kDynamicUpdateSliceDef, kSliceDef;

namespace {

constexpr AttrSpec kSliceAttrs[] = {Attr<&SliceAttrs::slice>("slice", {.field = 17})};

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

// The box of sizes `sizes` starts at the start indices, moved so far that it fits.
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
    if (update.is_dynamic(d) && update.dim(d) == result.dim(d)) result.set_dynamic(d, true);
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

}  // namespace

const OpDef kSliceDef = {
    .opcode = Opcode::kSlice,
    .text = "slice",
    .summary = "Every stride-th element from start up to, not including, limit in each dimension.",
    .semantics =
        "0 <= start <= limit <= size and stride >= 1. A dynamic dimension stays dynamic unless one "
        "element is left of it.",
    .source = "XLA Slice; StableHLO slice",
    .operands = kUnaryOperands,
    .attrs = Schema<SliceAttrs>(kSliceAttrs),
    .lowering = Lowering::kIndexMap,
    .infer = InferSlice,
    .index_map = SliceMap,
};

const OpDef kDynamicSliceDef = {
    .opcode = Opcode::kDynamicSlice,
    .text = "dynamic-slice",
    .summary = "The box of size `dynamic_slice_sizes` that begins at start_indices.",
    .semantics =
        "Start indices are clamped to 0 <= start <= size - dynamic_slice_sizes[d], so that the box "
        "lies in the operand. There is one scalar per dimension, of one integer type, or one array "
        "that holds them all.",
    .source = "XLA DynamicSlice; StableHLO dynamic_slice",
    .operands = kDynamicSliceOperands,
    .attrs = Schema<DynamicSliceAttrs>(kDynamicSliceAttrs),
    .lowering = Lowering::kIndexMap,
    .infer = InferDynamicSlice,
    .index_map = DynamicSliceMap,
};

const OpDef kDynamicUpdateSliceDef = {
    .opcode = Opcode::kDynamicUpdateSlice,
    .text = "dynamic-update-slice",
    .summary = "The operand with the box at start_indices replaced by update.",
    .semantics =
        "Start indices are clamped to 0 <= start <= operand size - update size and may be scalars "
        "or one array, as in dynamic-slice. An empty update changes nothing.",
    .source = "XLA DynamicUpdateSlice; StableHLO dynamic_update_slice",
    .operands = kUpdateOperands,
    .lowering = Lowering::kIndexMap,
    .infer = InferDynamicUpdateSlice,
    .index_map = DynamicUpdateSliceMap,
};

}  // namespace axle
