#include "axle/builder/movement.h"

#include <cstring>
#include <limits>
#include <numeric>

#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {

XlaOp Broadcast(XlaOp operand, ArraySlice<i64> broadcast_sizes, Location location) {
  if (!operand.valid()) return Emit(Opcode::kBroadcast, {operand}, location, DimensionsAttrs{});
  const Shape& shape = operand.instruction()->shape();
  Dims result = ToDims(broadcast_sizes), dims(shape.rank());
  result.insert(result.end(), shape.dims().begin(), shape.dims().end());
  std::iota(dims.begin(), dims.end(), static_cast<i64>(broadcast_sizes.size()));
  return Emit(Opcode::kBroadcast, {operand}, location, DimensionsAttrs{dims}, {},
              Shape(shape.type(), result));
}

XlaOp BroadcastInDim(XlaOp operand, ArraySlice<i64> out_dims, ArraySlice<i64> broadcast_dimensions,
                     Location location) {
  const Dims dims = ToDims(broadcast_dimensions), result = ToDims(out_dims);
  if (!operand.valid()) return Emit(Opcode::kBroadcast, {operand}, location, DimensionsAttrs{dims});
  const Shape& shape = operand.instruction()->shape();
  const auto fail = [&](std::string_view what) {
    return Fail({operand}, StrCat("broadcast: ", what, "; operand ", shape.ToString()), location);
  };
  if (static_cast<i64>(dims.size()) != shape.rank()) {
    return fail(StrCat("broadcast_dimensions has ", dims.size(), " entries but operand has rank ",
                       shape.rank()));
  }
  for (i64 i = 0; i < shape.rank(); ++i) {
    if (dims[i] < 0 || dims[i] >= static_cast<i64>(result.size())) {
      return fail(
          StrCat("broadcast_dimensions has ", dims[i], " but the result has rank ", result.size()));
    }
    if (i > 0 && dims[i] <= dims[i - 1]) return fail("broadcast_dimensions must increase");
    if (shape.dim(i) != 1 && shape.dim(i) != result[dims[i]]) {
      return fail(StrCat("operand dimension ", i, " has size ", shape.dim(i),
                         " but result dimension ", dims[i], " has size ", result[dims[i]]));
    }
  }
  return Expand(operand, dims, result, location);
}

XlaOp Reshape(XlaOp operand, ArraySlice<i64> dimensions, Location location) {
  Shape declared;
  if (operand.valid()) declared = Shape(operand.instruction()->shape().type(), ToDims(dimensions));
  return Emit(Opcode::kReshape, {operand}, location, ReshapeAttrs{}, {}, declared);
}

XlaOp Reshape(XlaOp operand, ArraySlice<i64> dimensions, ArraySlice<i64> new_sizes,
              Location location) {
  return Reshape(Transpose(operand, dimensions, location), new_sizes, location);
}

XlaOp Reshape(const Shape& shape, XlaOp operand, Location location) {
  return Emit(Opcode::kReshape, {operand}, location, ReshapeAttrs{}, {}, shape.WithoutLayout());
}

XlaOp ReshapeWithInferredDimension(XlaOp operand, ArraySlice<i64> new_sizes, i64 inferred_dimension,
                                   Location location) {
  Shape declared;
  if (operand.valid()) declared = Shape(operand.instruction()->shape().type(), ToDims(new_sizes));
  return Emit(Opcode::kReshape, {operand}, location, ReshapeAttrs{inferred_dimension}, {},
              declared);
}

XlaOp Collapse(XlaOp operand, ArraySlice<i64> dimensions, Location location) {
  if (!operand.valid()) return Emit(Opcode::kReshape, {operand}, location, ReshapeAttrs{});
  const Shape& shape = operand.instruction()->shape();
  const auto fail = [&](std::string_view what) {
    return Fail({operand}, StrCat("reshape: ", what, "; operand ", shape.ToString()), location);
  };
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= shape.rank()) {
      return fail(StrCat("no dimension ", dimensions[i], " to collapse"));
    }
    if (i > 0 && dimensions[i] != dimensions[i - 1] + 1) {
      return fail(StrCat("dimensions to collapse must be in consecutive order, not {",
                         Join(dimensions, ","), "}"));
    }
  }
  if (dimensions.size() <= 1) return operand;
  Dims sizes = shape.dims();
  for (size_t i = 1; i < dimensions.size(); ++i) {
    sizes[dimensions[0]] *= sizes[dimensions[i]];  // no more elements than the operand has
  }
  sizes.erase(sizes.begin() + dimensions[1], sizes.begin() + dimensions.back() + 1);
  return Reshape(operand, sizes, location);
}

XlaOp Transpose(XlaOp operand, ArraySlice<i64> permutation, Location location) {
  return Emit(Opcode::kTranspose, {operand}, location, DimensionsAttrs{ToDims(permutation)});
}

XlaOp Rev(XlaOp operand, ArraySlice<i64> dimensions, Location location) {
  return Emit(Opcode::kReverse, {operand}, location, DimensionsAttrs{ToDims(dimensions)});
}

XlaOp Slice(XlaOp operand, ArraySlice<i64> start_indices, ArraySlice<i64> limit_indices,
            ArraySlice<i64> strides, Location location) {
  if (limit_indices.size() != start_indices.size() ||
      (!strides.empty() && strides.size() != start_indices.size())) {
    return Fail({operand},
                StrCat("slice: ", start_indices.size(), " start_indices, ", limit_indices.size(),
                       " limit_indices and ", strides.size(), " strides must be as many"),
                location);
  }
  SliceConfig slice;
  for (size_t d = 0; d < start_indices.size(); ++d) {
    slice.push_back({start_indices[d], limit_indices[d], strides.empty() ? 1 : strides[d]});
  }
  return Emit(Opcode::kSlice, {operand}, location, SliceAttrs{std::move(slice)});
}

XlaOp SliceInDim(XlaOp operand, i64 start_index, i64 limit_index, i64 stride, i64 dimension,
                 Location location) {
  if (!operand.valid()) return Emit(Opcode::kSlice, {operand}, location, SliceAttrs{});
  const Shape& shape = operand.instruction()->shape();
  if (dimension < 0 || dimension >= shape.rank()) {
    return Fail({operand},
                StrCat("slice: no dimension ", dimension, "; operand ", shape.ToString()),
                location);
  }
  SliceConfig slice;
  for (i64 size : shape.dims()) slice.push_back({0, size, 1});
  slice[dimension] = {start_index, limit_index, stride};
  return Emit(Opcode::kSlice, {operand}, location, SliceAttrs{std::move(slice)});
}

XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding, Location location) {
  return Emit(Opcode::kPad, {operand, padding_value}, location, PadAttrs{padding});
}

XlaOp PadInDim(XlaOp operand, XlaOp padding_value, i64 dimension, i64 low, i64 high,
               Location location) {
  PaddingConfig padding;
  if (operand.valid()) {
    const Shape& shape = operand.instruction()->shape();
    if (dimension < 0 || dimension >= shape.rank()) {
      return Fail({operand, padding_value},
                  StrCat("pad: no dimension ", dimension, "; operand ", shape.ToString()),
                  location);
    }
    padding.resize(shape.rank());
    padding[dimension] = {low, high, 0};
  }
  return Pad(operand, padding_value, padding, location);
}

XlaOp ConcatInDim(XlaBuilder* builder, ArraySlice<XlaOp> operands, i64 dimension,
                  Location location) {
  return AppendTo(builder,
                  {.opcode = Opcode::kConcatenate,
                   .operands = operands,
                   .attrs = Block(Opcode::kConcatenate, DimensionsAttrs{{dimension}})},
                  location);
}

XlaOp Concatenate(XlaBuilder* builder, ArraySlice<XlaOp> operands, i64 dimension,
                  Location location) {
  return ConcatInDim(builder, operands, dimension, location);
}

XlaOp DynamicSlice(XlaOp operand, ArraySlice<XlaOp> start_indices, ArraySlice<i64> slice_sizes,
                   Location location) {
  std::vector<XlaOp> operands = {operand};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return Emit(Opcode::kDynamicSlice, operands, location, DynamicSliceAttrs{ToDims(slice_sizes)});
}

XlaOp DynamicSlice(XlaOp operand, XlaOp start_indices, ArraySlice<i64> slice_sizes,
                   Location location) {
  return Emit(Opcode::kDynamicSlice, {operand, start_indices}, location,
              DynamicSliceAttrs{ToDims(slice_sizes)});
}

XlaOp DynamicSlice(XlaOp operand, std::initializer_list<XlaOp> start_indices,
                   ArraySlice<i64> slice_sizes, Location location) {
  return DynamicSlice(operand, ArraySlice<XlaOp>(start_indices), slice_sizes, location);
}

XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, XlaOp start_indices, Location location) {
  return Emit(Opcode::kDynamicUpdateSlice, {operand, update, start_indices}, location);
}

XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, ArraySlice<XlaOp> start_indices,
                         Location location) {
  std::vector<XlaOp> operands = {operand, update};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return Emit(Opcode::kDynamicUpdateSlice, operands, location);
}

XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, std::initializer_list<XlaOp> start_indices,
                         Location location) {
  return DynamicUpdateSlice(operand, update, ArraySlice<XlaOp>(start_indices), location);
}

XlaOp Gather(XlaOp operand, XlaOp start_indices, const GatherDimensionNumbers& dn,
             ArraySlice<i64> slice_sizes, bool indices_are_sorted, Location location) {
  return Emit(Opcode::kGather, {operand, start_indices}, location,
              GatherAttrs{.offset_dims = dn.offset_dims,
                          .collapsed_slice_dims = dn.collapsed_slice_dims,
                          .start_index_map = dn.start_index_map,
                          .operand_batching_dims = dn.operand_batching_dims,
                          .start_indices_batching_dims = dn.start_indices_batching_dims,
                          .index_vector_dim = dn.index_vector_dim,
                          .slice_sizes = ToDims(slice_sizes),
                          .indices_are_sorted = indices_are_sorted});
}

XlaOp Gather(XlaOp operand, XlaOp start_indices, ArraySlice<i64> offset_dims,
             ArraySlice<i64> collapsed_slice_dims, ArraySlice<i64> slice_sizes,
             ArraySlice<i64> start_index_map, std::optional<i64> index_vector_dim,
             bool indices_are_sorted, Location location) {
  GatherDimensionNumbers numbers = {.offset_dims = ToDims(offset_dims),
                                    .collapsed_slice_dims = ToDims(collapsed_slice_dims),
                                    .start_index_map = ToDims(start_index_map)};
  if (index_vector_dim) {
    numbers.index_vector_dim = *index_vector_dim;
  } else if (start_indices.valid()) {
    numbers.index_vector_dim = start_indices.instruction()->shape().rank() - 1;
  }
  return Gather(operand, start_indices, numbers, slice_sizes, indices_are_sorted, location);
}

XlaOp Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates,
              const XlaComputation& update_computation, const ScatterDimensionNumbers& dn,
              bool indices_are_sorted, bool unique_indices, Location location) {
  return Scatter(ArraySlice<XlaOp>(&operand, 1), scatter_indices, ArraySlice<XlaOp>(&updates, 1),
                 update_computation, dn, indices_are_sorted, unique_indices, location);
}

XlaOp Scatter(ArraySlice<XlaOp> operands, XlaOp scatter_indices, ArraySlice<XlaOp> updates,
              const XlaComputation& update_computation, const ScatterDimensionNumbers& dn,
              bool indices_are_sorted, bool unique_indices, Location location) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.push_back(scatter_indices);
  all.insert(all.end(), updates.begin(), updates.end());
  return Emit(Opcode::kScatter, all, location,
              ScatterAttrs{.update_window_dims = dn.update_window_dims,
                           .inserted_window_dims = dn.inserted_window_dims,
                           .scatter_dims_to_operand_dims = dn.scatter_dims_to_operand_dims,
                           .input_batching_dims = dn.input_batching_dims,
                           .scatter_indices_batching_dims = dn.scatter_indices_batching_dims,
                           .index_vector_dim = dn.index_vector_dim,
                           .indices_are_sorted = indices_are_sorted,
                           .unique_indices = unique_indices},
              {&update_computation});
}

XlaOp Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates,
              const XlaComputation& update_computation, i64 index_vector_dim,
              ArraySlice<i64> update_window_dims, ArraySlice<i64> inserted_window_dims,
              ArraySlice<i64> scatter_dims_to_operand_dims, bool indices_are_sorted,
              bool unique_indices, Location location) {
  return Scatter(ArraySlice<XlaOp>(&operand, 1), scatter_indices, ArraySlice<XlaOp>(&updates, 1),
                 update_computation, index_vector_dim, update_window_dims, inserted_window_dims,
                 scatter_dims_to_operand_dims, indices_are_sorted, unique_indices, location);
}

XlaOp Scatter(ArraySlice<XlaOp> operands, XlaOp scatter_indices, ArraySlice<XlaOp> updates,
              const XlaComputation& update_computation, i64 index_vector_dim,
              ArraySlice<i64> update_window_dims, ArraySlice<i64> inserted_window_dims,
              ArraySlice<i64> scatter_dims_to_operand_dims, bool indices_are_sorted,
              bool unique_indices, Location location) {
  const ScatterDimensionNumbers numbers = {
      .update_window_dims = ToDims(update_window_dims),
      .inserted_window_dims = ToDims(inserted_window_dims),
      .scatter_dims_to_operand_dims = ToDims(scatter_dims_to_operand_dims),
      .index_vector_dim = index_vector_dim};
  return Scatter(operands, scatter_indices, updates, update_computation, numbers,
                 indices_are_sorted, unique_indices, location);
}

XlaOp GetDimensionSize(XlaOp operand, i64 dimension, Location location) {
  if (operand.valid()) {
    const Shape& shape = operand.instruction()->shape();
    constexpr i64 kMax = std::numeric_limits<std::int32_t>::max();
    if (shape.is_array() && dimension >= 0 && dimension < shape.rank() &&
        !shape.is_dynamic(dimension) && shape.dim(dimension) <= kMax) {
      return ConstantR0(operand.builder_or_null(), static_cast<std::int32_t>(shape.dim(dimension)),
                        location);
    }
  }
  return Emit(Opcode::kGetDimensionSize, {operand}, location, DimensionsAttrs{{dimension}});
}

XlaOp SetDimensionSize(XlaOp operand, XlaOp size, i64 dimension, Location location) {
  Shape declared = operand.valid() ? operand.instruction()->shape() : Shape();
  if (dimension >= 0 && dimension < declared.rank()) declared.set_dynamic(dimension, true);
  return Emit(Opcode::kSetDimensionSize, {operand, size}, location, DimensionsAttrs{{dimension}},
              {}, declared);
}

XlaOp RemoveDynamicDimension(XlaOp operand, i64 dimension, Location location) {
  if (!operand.valid()) {
    return Emit(Opcode::kSetDimensionSize, {operand, operand}, location, DimensionsAttrs{});
  }
  Shape declared = operand.instruction()->shape();
  i64 bound = 0;
  if (dimension >= 0 && dimension < declared.rank()) {
    declared.set_dynamic(dimension, false);
    bound = declared.dim(dimension);
  }
  // A bound beyond s32 is an error of the op.
  const XlaOp size =
      ConstantR0(operand.builder_or_null(), static_cast<std::int32_t>(bound), location);
  return Emit(Opcode::kSetDimensionSize, {operand, size}, location, DimensionsAttrs{{dimension}},
              {}, declared);
}

XlaOp DynamicReshape(XlaOp operand, ArraySlice<XlaOp> dim_sizes, ArraySlice<i64> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic, Location location) {
  std::vector<XlaOp> operands = {operand};
  operands.insert(operands.end(), dim_sizes.begin(), dim_sizes.end());
  if (dims_are_dynamic.size() != new_size_bounds.size()) {
    return Fail({operand},
                StrCat("dynamic-reshape: there are ", new_size_bounds.size(),
                       " new_size_bounds but ", dims_are_dynamic.size(), " dims_are_dynamic"),
                location);
  }
  const ElementType type = operand.valid() ? operand.instruction()->shape().type() : F32;
  Shape declared(type, ToDims(new_size_bounds));
  for (size_t d = 0; d < dims_are_dynamic.size(); ++d) {
    declared.set_dynamic(static_cast<i64>(d), dims_are_dynamic[d]);
  }
  return Emit(Opcode::kDynamicReshape, operands, location, NoAttrs{}, {}, declared);
}

}  // namespace axle
