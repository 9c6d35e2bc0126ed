// Operations that move elements.
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"

namespace axle::stablehlo {

Status ConvertConcatenate(const Site& site) {
  AXLE_ASSIGN(const i64 dimension, site.Int("dimension"));
  return site.Return(site.Add(Opcode::kConcatenate, site.operands(), DimensionsAttrs{{dimension}}));
}

Status ConvertReverse(const Site& site) {
  AXLE_ASSIGN(Dims dimensions, site.Ints("dimensions"));
  return site.Return(
      site.Add(Opcode::kReverse, site.operands(), DimensionsAttrs{std::move(dimensions)}));
}

Status ConvertTranspose(const Site& site) {
  AXLE_ASSIGN(Dims permutation, site.Ints("permutation"));
  return site.Return(
      site.Add(Opcode::kTranspose, site.operands(), DimensionsAttrs{std::move(permutation)}));
}

Status ConvertSlice(const Site& site) {
  AXLE_ASSIGN(const Dims starts, site.Ints("start_indices"));
  AXLE_ASSIGN(const Dims limits, site.Ints("limit_indices"));
  AXLE_ASSIGN(const Dims strides, site.Ints("strides", Dims(starts.size(), 1)));
  SliceConfig slice(starts.size());
  for (size_t d = 0; d < starts.size(); ++d) slice[d] = {starts[d], limits[d], strides[d]};
  return site.Return(site.Add(Opcode::kSlice, site.operands(), SliceAttrs{std::move(slice)}));
}

Status ConvertDynamicSlice(const Site& site) {
  AXLE_ASSIGN(Dims sizes, site.Ints("slice_sizes"));
  return site.Return(
      site.Add(Opcode::kDynamicSlice, site.operands(), DynamicSliceAttrs{std::move(sizes)}));
}

Status ConvertPad(const Site& site) {
  AXLE_ASSIGN(const Dims low, site.Ints("edge_padding_low"));
  AXLE_ASSIGN(const Dims high, site.Ints("edge_padding_high"));
  AXLE_ASSIGN(const Dims interior, site.Ints("interior_padding", Dims(low.size(), 0)));
  PaddingConfig padding(low.size());
  for (size_t d = 0; d < low.size(); ++d) padding[d] = {low[d], high[d], interior[d]};
  return site.Return(site.Add(Opcode::kPad, site.operands(), PadAttrs{std::move(padding)}));
}

Status ConvertGather(const Site& site) {
  AXLE_ASSIGN(Dims sizes, site.Ints("slice_sizes"));
  return GatherWith(site, std::move(sizes));
}

Status GatherWith(const Site& site, Dims slice_sizes) {
  GatherAttrs attrs;
  attrs.slice_sizes = std::move(slice_sizes);
  AXLE_ASSIGN(attrs.offset_dims, site.Ints("offset_dims", {}));
  AXLE_ASSIGN(attrs.collapsed_slice_dims, site.Ints("collapsed_slice_dims", {}));
  AXLE_ASSIGN(attrs.start_index_map, site.Ints("start_index_map", {}));
  AXLE_ASSIGN(attrs.operand_batching_dims, site.Ints("operand_batching_dims", {}));
  AXLE_ASSIGN(attrs.start_indices_batching_dims, site.Ints("start_indices_batching_dims", {}));
  AXLE_ASSIGN(attrs.index_vector_dim, site.Int("index_vector_dim", 0));

  AXLE_ASSIGN(attrs.indices_are_sorted, site.Bool("indices_are_sorted", false));
  return site.Return(site.Add(Opcode::kGather, site.operands(0, 2), std::move(attrs)));
}

// Rows of the operand along `dim`, picked by indices; the first batch_dims dimensions of both are
// one. A gather whose other dimensions are whole slices.
Status ConvertTorchIndexSelect(const Site& site) {
  AXLE_ASSIGN(const i64 dim, site.Int("dim"));
  AXLE_ASSIGN(const i64 num_batch, site.Int("batch_dims"));
  const Shape& operand = site.operand(0)->shape();
  const Shape& index = site.operand(1)->shape();
  if (num_batch < 0 || num_batch > dim || dim >= operand.rank() || num_batch > index.rank()) {
    return site.Error("batch_dims is at most dim and the rank of the index, dim a dimension");
  }
  GatherAttrs attrs;
  attrs.slice_sizes = operand.dims();
  attrs.index_vector_dim = index.rank();
  for (i64 d = 0; d < num_batch; ++d) {
    attrs.operand_batching_dims.push_back(d);
    attrs.start_indices_batching_dims.push_back(d);
    attrs.slice_sizes[static_cast<size_t>(d)] = 1;
  }
  attrs.collapsed_slice_dims = {dim};
  attrs.start_index_map = {dim};
  attrs.slice_sizes[static_cast<size_t>(dim)] = 1;
  // The result is operand[..dim], index[num_batch..], operand[dim+1..].
  const i64 num_index = index.rank() - num_batch;
  for (i64 d = num_batch; d < dim; ++d) attrs.offset_dims.push_back(d);
  for (i64 d = dim + 1; d < operand.rank(); ++d) attrs.offset_dims.push_back(d - 1 + num_index);
  return site.Return(site.Add(Opcode::kGather, site.operands(), std::move(attrs)));
}

Status ConvertGetTupleElement(const Site& site) {
  AXLE_ASSIGN(const i64 index, site.Int("index"));
  return site.Return(site.Element(site.operand(0), index));
}

Status ConvertGetDimensionSize(const Site& site) {
  AXLE_ASSIGN(const i64 dimension, site.Int("dimension"));
  return site.Return(
      site.Add(Opcode::kGetDimensionSize, site.operands(), DimensionsAttrs{{dimension}}));
}

Status ConvertSetDimensionSize(const Site& site) {
  AXLE_ASSIGN(const i64 dimension, site.Int("dimension"));
  // The result may be static: where the size is that of the dimension.
  AXLE_ASSIGN(const Shape shape, site.ResultShape());
  return site.Return(site.Add(Opcode::kSetDimensionSize, site.operands(),
                              DimensionsAttrs{{dimension}}, {}, shape));
}

}  // namespace axle::stablehlo
