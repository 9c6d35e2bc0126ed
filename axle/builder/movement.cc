#include "axle/builder/movement.h"

#include <cstring>
#include <limits>
#include <numeric>

#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {

XlaOp Broadcast(XlaOp operand, std::span<const i64> broadcast_sizes, Location location) {
  if (!operand.valid()) return Emit(Opcode::kBroadcast, {operand}, location, DimensionsAttrs{});
  const Shape& shape = operand.instruction()->shape();
  Dims result = ToDims(broadcast_sizes), dims(shape.rank());
  result.insert(result.end(), shape.dims().begin(), shape.dims().end());
  std::iota(dims.begin(), dims.end(), static_cast<i64>(broadcast_sizes.size()));
  return Emit(Opcode::kBroadcast, {operand}, location, DimensionsAttrs{dims}, {},
              Shape(shape.type(), result));
}

XlaOp BroadcastInDim(XlaOp operand, std::span<const i64> out_dims,
                     std::span<const i64> broadcast_dimensions, Location location) {
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

XlaOp Reshape(XlaOp operand, std::span<const i64> dimensions, Location location) {
  Shape declared;
  if (operand.valid()) declared = Shape(operand.instruction()->shape().type(), ToDims(dimensions));
  return Emit(Opcode::kReshape, {operand}, location, ReshapeAttrs{}, {}, declared);
}

XlaOp Reshape(const Shape& shape, XlaOp operand, Location location) {
  return Emit(Opcode::kReshape, {operand}, location, ReshapeAttrs{}, {}, shape.WithoutLayout());
}

XlaOp ReshapeWithInferredDimension(XlaOp operand, std::span<const i64> new_sizes,
                                   i64 inferred_dimension, Location location) {
  Shape declared;
  if (operand.valid()) declared = Shape(operand.instruction()->shape().type(), ToDims(new_sizes));
  return Emit(Opcode::kReshape, {operand}, location, ReshapeAttrs{inferred_dimension}, {},
              declared);
}

XlaOp Collapse(XlaOp operand, std::span<const i64> dimensions, Location location) {
  if (!operand.valid()) return operand;
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

XlaOp Transpose(XlaOp operand, std::span<const i64> permutation, Location location) {
  return Emit(Opcode::kTranspose, {operand}, location, DimensionsAttrs{ToDims(permutation)});
}

XlaOp Rev(XlaOp operand, std::span<const i64> dimensions, Location location) {
  return Emit(Opcode::kReverse, {operand}, location, DimensionsAttrs{ToDims(dimensions)});
}

XlaOp Slice(XlaOp operand, std::span<const i64> start_indices, std::span<const i64> limit_indices,
            std::span<const i64> strides, Location location) {
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

XlaOp ConcatInDim(XlaBuilder* builder, std::span<const XlaOp> operands, i64 dimension,
                  Location location) {
  return builder->Append({.opcode = Opcode::kConcatenate,
                          .operands = operands,
                          .attrs = Block(Opcode::kConcatenate, DimensionsAttrs{{dimension}})},
                         location);
}

XlaOp DynamicSlice(XlaOp operand, std::span<const XlaOp> start_indices,
                   std::span<const i64> slice_sizes, Location location) {
  std::vector<XlaOp> operands = {operand};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return Emit(Opcode::kDynamicSlice, operands, location, DynamicSliceAttrs{ToDims(slice_sizes)});
}

XlaOp DynamicSlice(XlaOp operand, XlaOp start_indices, std::span<const i64> slice_sizes,
                   Location location) {
  return Emit(Opcode::kDynamicSlice, {operand, start_indices}, location,
              DynamicSliceAttrs{ToDims(slice_sizes)});
}

XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, XlaOp start_indices, Location location) {
  return Emit(Opcode::kDynamicUpdateSlice, {operand, update, start_indices}, location);
}

XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, std::span<const XlaOp> start_indices,
                         Location location) {
  std::vector<XlaOp> operands = {operand, update};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return Emit(Opcode::kDynamicUpdateSlice, operands, location);
}

XlaOp Gather(XlaOp operand, XlaOp start_indices, const GatherDimensionNumbers& dn,
             std::span<const i64> slice_sizes, bool indices_are_sorted, Location location) {
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

XlaOp Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates,
              const XlaComputation& update_computation, const ScatterDimensionNumbers& dn,
              bool indices_are_sorted, bool unique_indices, Location location) {
  return Scatter(std::span<const XlaOp>(&operand, 1), scatter_indices,
                 std::span<const XlaOp>(&updates, 1), update_computation, dn, indices_are_sorted,
                 unique_indices, location);
}

XlaOp Scatter(std::span<const XlaOp> operands, XlaOp scatter_indices,
              std::span<const XlaOp> updates, const XlaComputation& update_computation,
              const ScatterDimensionNumbers& dn, bool indices_are_sorted, bool unique_indices,
              Location location) {
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

XlaOp GetDimensionSize(XlaOp operand, i64 dimension, Location location) {
  if (operand.valid()) {
    const Shape& shape = operand.instruction()->shape();
    constexpr i64 kMax = std::numeric_limits<std::int32_t>::max();
    if (shape.is_array() && dimension >= 0 && dimension < shape.rank() &&
        !shape.is_dynamic(dimension) && shape.dim(dimension) <= kMax) {
      return ConstantR0(operand.builder(), static_cast<std::int32_t>(shape.dim(dimension)),
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
  if (!operand.valid()) return operand;
  Shape declared = operand.instruction()->shape();
  i64 bound = 0;
  if (dimension >= 0 && dimension < declared.rank()) {
    declared.set_dynamic(dimension, false);
    bound = declared.dim(dimension);
  }
  // A bound beyond s32 is an error of the op.
  const XlaOp size = ConstantR0(operand.builder(), static_cast<std::int32_t>(bound), location);
  return Emit(Opcode::kSetDimensionSize, {operand, size}, location, DimensionsAttrs{{dimension}},
              {}, declared);
}

XlaOp DynamicReshape(XlaOp operand, std::span<const XlaOp> dim_sizes,
                     std::span<const i64> new_size_bounds,
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
