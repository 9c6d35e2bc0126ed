// gather: slices of the operand at places that index vectors name. It is an index map: offset
// dimensions of the result walk the operand, batch dimensions select an index vector whose entries
// are clamped so that the whole slice is inside. For example, rows {2, 0} of f32[4,8] are a piece
// of [2,8] whose first source coordinate is a DynamicOffset that reads the indices.

#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/index_vectors.h"

namespace axle {

extern const OpDef kGatherDef;

namespace {

constexpr OperandSpec kGatherOperands[] = {{"operand"}, {"start_indices"}};
constexpr AttrSpec kGatherAttrs[] = {
    Attr<&GatherAttrs::offset_dims>("offset_dims", {33, 1}),
    Attr<&GatherAttrs::collapsed_slice_dims>("collapsed_slice_dims", {33, 2}),
    Attr<&GatherAttrs::start_index_map>("start_index_map", {33, 3}),
    Attr<&GatherAttrs::operand_batching_dims>("operand_batching_dims", {33, 5},
                                              Presence::kOptional),
    Attr<&GatherAttrs::start_indices_batching_dims>("start_indices_batching_dims", {33, 6},
                                                    Presence::kOptional),
    Attr<&GatherAttrs::index_vector_dim>("index_vector_dim", {33, 4}),
    Attr<&GatherAttrs::slice_sizes>("slice_sizes", {.field = 34}),
    Attr<&GatherAttrs::indices_are_sorted>("indices_are_sorted", {.field = 67},
                                           Presence::kOptional),
};

// An operand dimension is an offset, a collapsed or a batching dimension, and each needs a slice
// size that fits.
Status CheckSliceSizes(const Instruction& inst) {
  const auto& attrs = inst.attrs<GatherAttrs>();
  const Shape& operand = inst.operand(0)->shape();
  if (static_cast<i64>(attrs.slice_sizes.size()) != operand.rank()) {
    return OpError(inst, StrCat("slice_sizes has ", attrs.slice_sizes.size(),
                                " entries but operand has rank ", operand.rank()));
  }
  const size_t named = attrs.offset_dims.size() + attrs.collapsed_slice_dims.size() +
                       attrs.operand_batching_dims.size();
  if (static_cast<i64>(named) != operand.rank()) {
    return OpError(inst, StrCat("operand has rank ", operand.rank(), " but there are ",
                                attrs.offset_dims.size(), " offset_dims, ",
                                attrs.collapsed_slice_dims.size(), " collapsed_slice_dims and ",
                                attrs.operand_batching_dims.size(), " operand_batching_dims"));
  }
  for (i64 d = 0; d < operand.rank(); ++d) {
    if (attrs.slice_sizes[d] < 0 || attrs.slice_sizes[d] > operand.dim(d)) {
      return OpError(inst, StrCat("slice size of dimension ", d, " is ", attrs.slice_sizes[d],
                                  ", must be in [0, ", operand.dim(d), "]"));
    }
  }
  for (const auto& [name, dims] :
       {std::pair<std::string_view, const Dims&>("collapsed", attrs.collapsed_slice_dims),
        std::pair<std::string_view, const Dims&>("batching", attrs.operand_batching_dims)}) {
    for (i64 d : dims) {
      if (attrs.slice_sizes[d] > 1) {
        return OpError(inst, StrCat("slice size of ", name, " dimension ", d, " is ",
                                    attrs.slice_sizes[d], ", must be 0 or 1"));
      }
    }
  }
  return {};
}

// A batching dimension of the operand may be shorter than that of the indices, see ClampBatch. Each
// such dimension doubles the number of pieces of the map, so that their number is limited.
Status CheckClampedBatches(const Instruction& inst) {
  constexpr i64 kMaxClamped = 12;
  const auto& attrs = inst.attrs<GatherAttrs>();
  i64 clamped = 0;
  for (size_t k = 0; k < attrs.operand_batching_dims.size(); ++k) {
    const i64 size = inst.operand(0)->shape().dim(attrs.operand_batching_dims[k]);
    clamped +=
        size > 1 && size < inst.operand(1)->shape().dim(attrs.start_indices_batching_dims[k]);
  }
  if (clamped <= kMaxClamped) return {};
  return OpError(inst,
                 StrCat("more than ", kMaxClamped,
                        " batching dimensions of operand are shorter than those of start_indices"),
                 StatusCode::kUnimplemented);
}

// The result interleaves batch and offset dimensions: `offset_dims` are positions in the result.
StatusOr<Shape> InferGather(const Instruction& inst) {
  const auto& attrs = inst.attrs<GatherAttrs>();
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  const Shape& indices = inst.operand(1)->shape();
  AXLE_TRY(CheckIndexVectors(
      inst,
      {"start_index_map", attrs.start_index_map, "collapsed_slice_dims", attrs.collapsed_slice_dims,
       "operand_batching_dims", attrs.operand_batching_dims, "start_indices_batching_dims",
       attrs.start_indices_batching_dims, attrs.index_vector_dim},
      operand.rank(), 1));
  const Dims batch_dims = attrs.index_vector_dim < indices.rank()
                              ? RemainingDims(indices.rank(), {attrs.index_vector_dim})
                              : RemainingDims(indices.rank(), {});
  const auto rank = static_cast<i64>(attrs.offset_dims.size() + batch_dims.size());
  AXLE_TRY(CheckAscendingDims(inst, "offset_dims", attrs.offset_dims, rank));
  AXLE_TRY(CheckSliceSizes(inst));
  AXLE_TRY(CheckClampedBatches(inst));
  const Dims walked =
      RemainingDims(operand.rank(), attrs.collapsed_slice_dims, attrs.operand_batching_dims);
  Shape result(operand.type());
  size_t offset = 0, batch = 0;
  for (i64 d = 0; d < rank; ++d) {
    if (offset < attrs.offset_dims.size() && attrs.offset_dims[offset] == d) {
      const i64 from = walked[offset++];
      const i64 size = attrs.slice_sizes[from];
      result.AppendDim(size, operand.is_dynamic(from) && size == operand.dim(from) && size != 1);
    } else {
      const i64 from = batch_dims[batch++];
      result.AppendDim(indices.dim(from), indices.is_dynamic(from));
    }
  }
  return result;
}

// Splits `map` so that along result dimension `dim` the first `limit` positions are pieces of their
// own, and the rest read what the last of them reads: a batching dimension of the operand that is
// shorter than the indices' is clamped like everything else.
void ClampBatch(IndexMap& map, i64 dim, i64 limit) {
  for (size_t i = 0, count = map.size(); i < count; ++i) {
    IndexPiece rest = map[i];
    IndexPiece::Dim& walked = rest.dims[dim];
    rest.source_begin[walked.source_dim] = limit - 1;
    walked.begin = limit;
    walked.count -= limit;
    walked.source_dim = kNoSourceDim;
    for (DynamicOffset& offset : rest.offsets) {
      // Only offsets that depend on this dimension move.
      for (size_t k = 0; k < offset.index.size(); ++k) {
        if (offset.index_from[k] == dim) offset.index[k] += limit;
      }
    }
    map[i].dims[dim].count = limit;
    map.push_back(std::move(rest));
  }
}

// One piece reads the whole result; each index map entry adds a dynamic offset whose source
// coordinate is an element of start_indices.
IndexMap GatherMap(const Instruction& inst) {
  const auto& attrs = inst.attrs<GatherAttrs>();
  const Shape& operand = inst.operand(0)->shape();
  const Shape& indices = inst.operand(1)->shape();
  // Nothing to read: zeros. Nothing to write: no need to cut it up.
  if (operand.num_elements() == 0 || inst.shape().num_elements() == 0) return {};
  const Dims walked =
      RemainingDims(operand.rank(), attrs.collapsed_slice_dims, attrs.operand_batching_dims);
  Dims source_dims(inst.shape().rank(), kNoSourceDim);
  for (size_t k = 0; k < walked.size(); ++k) source_dims[attrs.offset_dims[k]] = walked[k];
  const Dims batch_result_dims = RemainingDims(inst.shape().rank(), attrs.offset_dims);

  // Which result dimension chooses the position along each dimension of the indices.
  Dims chooser;
  for (i64 d = 0, batch = 0; d < indices.rank(); ++d) {
    chooser.push_back(d == attrs.index_vector_dim ? kNoSourceDim : batch_result_dims[batch++]);
  }
  // A batching dimension of size 1 is read at 0 from everywhere, without a cut.
  for (size_t k = 0; k < attrs.operand_batching_dims.size(); ++k) {
    const i64 from = attrs.operand_batching_dims[k];
    if (operand.dim(from) > 1) source_dims[chooser[attrs.start_indices_batching_dims[k]]] = from;
  }
  IndexMap map = {WholeResult(inst.shape(), 0, operand.rank(), source_dims)};
  for (size_t k = 0; k < attrs.start_index_map.size(); ++k) {
    const i64 dim = attrs.start_index_map[k];
    DynamicOffset offset;
    offset.dim = dim;
    offset.operand = 1;
    offset.index = Dims(indices.rank(), 0);
    offset.index_from = chooser;
    if (attrs.index_vector_dim < indices.rank()) {
      offset.index[attrs.index_vector_dim] = static_cast<i64>(k);
    }
    // A collapsed dimension reads one element even where its slice size is 0.
    offset.max = operand.dim(dim) - std::max<i64>(1, attrs.slice_sizes[dim]);
    map[0].offsets.push_back(std::move(offset));
  }
  for (size_t k = 0; k < attrs.operand_batching_dims.size(); ++k) {
    const i64 dim = chooser[attrs.start_indices_batching_dims[k]];
    const i64 limit = operand.dim(attrs.operand_batching_dims[k]);
    if (limit > 1 && inst.shape().dim(dim) > limit) ClampBatch(map, dim, limit);
  }
  return map;
}

// Starts are clamped by the operand's bounds; dynamic batch dimensions have as many slices as there
// are index vectors, and a dimension that slices have as a whole keeps its size.
StatusOr<Literal> EvalGatherDynamic(const Instruction& inst, std::span<Literal> operands,
                                    const EvalContext& context) {
  const auto& attrs = inst.attrs<GatherAttrs>();
  const Dims sizes = operands[0].sizes();
  operands[0] = WholeBuffer(operands[0]);
  operands[1] = operands[1].ValidPart();
  const Dims walked = RemainingDims(operands[0].shape().rank(), attrs.collapsed_slice_dims,
                                    attrs.operand_batching_dims);
  AXLE_ASSIGN(const Substitute substitute, Substitute::Create(inst, operands));
  AXLE_ASSIGN(const Literal slices, substitute.Evaluate(operands, context));
  AXLE_ASSIGN(Literal result, PutIntoBounds(inst, slices));
  for (size_t k = 0; k < walked.size(); ++k) {
    const i64 d = attrs.offset_dims[k];
    if (inst.shape().is_dynamic(d)) result.SetSizeBeforeFlags(d, sizes[walked[k]]);
  }
  return result;
}

}  // namespace

const OpDef kGatherDef = {
    .opcode = Opcode::kGather,
    .text = "gather",
    .summary = "Slices of the operand at the places that index vectors name, put side by side.",
    .semantics =
        "Batch dimensions of the result, those that are not offset_dims, run over the index "
        "vectors of start_indices; offset dimensions run over a slice of slice_sizes. Entry k of "
        "an index vector is where the slice starts in operand dimension start_index_map[k]; an "
        "operand batching dimension starts at the position along its dimension of start_indices; "
        "all others start at 0. Starts are clamped so that the whole slice lies inside the "
        "operand. Collapsed and batching dimensions do not appear in the result. A slice of an "
        "operand without elements is zeros. indices_are_sorted is a promise that changes nothing. "
        "At most 12 batching dimensions of the operand, not counting those of size 1, may be "
        "shorter than theirs of start_indices. Batch dimensions are dynamic where start_indices "
        "is; an offset dimension is dynamic if the slice has the whole of a dynamic dimension and "
        "more than one element. Bounds, not run-time sizes, clamp the starts.",
    .source = "XLA Gather; StableHLO gather",
    .operands = kGatherOperands,
    .attrs = Schema<GatherAttrs>(kGatherAttrs),
    .lowering = Lowering::kIndexMap,
    .infer = InferGather,
    .index_map = GatherMap,
    .eval_dynamic = EvalGatherDynamic,
};

}  // namespace axle
