// The builder's functions that move elements or change sizes, with XLA's names.
// Included by xla_builder.h.
#pragma once
#include <vector>

#include "axle/builder/xla_builder.h"

namespace axle {

// New dimensions `broadcast_sizes` in front: [sizes..., dims...].
XlaOp Broadcast(XlaOp operand, std::span<const i64> broadcast_sizes,
                Location location = Location::current());
// [out_dims]: operand dimension i goes to result dimension broadcast_dimensions[i]; size 1 expands.
XlaOp BroadcastInDim(XlaOp operand, std::span<const i64> out_dims,
                     std::span<const i64> broadcast_dimensions,
                     Location location = Location::current());
// The same elements in row-major order as [dimensions].
XlaOp Reshape(XlaOp operand, std::span<const i64> dimensions,
              Location location = Location::current());
// The same as `shape`, whose dynamic dimensions must be those that follow from the operand.
XlaOp Reshape(const Shape& shape, XlaOp operand, Location location = Location::current());
// Where a dynamic dimension becomes several, inferred_dimension is the one that is dynamic; -1: the
// most major one that has more than one element.
XlaOp ReshapeWithInferredDimension(XlaOp operand, std::span<const i64> new_sizes,
                                   i64 inferred_dimension, Location location = Location::current());
// Neighbouring dimensions, in increasing order, as one; of at most one dimension the operand.
XlaOp Collapse(XlaOp operand, std::span<const i64> dimensions,
               Location location = Location::current());
// Result dimension i is operand dimension permutation[i].
XlaOp Transpose(XlaOp operand, std::span<const i64> permutation,
                Location location = Location::current());
XlaOp Rev(XlaOp operand, std::span<const i64> dimensions, Location location = Location::current());
XlaOp Slice(XlaOp operand, std::span<const i64> start_indices, std::span<const i64> limit_indices,
            std::span<const i64> strides = {}, Location location = Location::current());
XlaOp SliceInDim(XlaOp operand, i64 start_index, i64 limit_index, i64 stride, i64 dimension,
                 Location location = Location::current());
XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding,
          Location location = Location::current());
// The same along one dimension.
XlaOp PadInDim(XlaOp operand, XlaOp padding_value, i64 dimension, i64 low, i64 high,
               Location location = Location::current());
XlaOp ConcatInDim(XlaBuilder* builder, std::span<const XlaOp> operands, i64 dimension,
                  Location location = Location::current());
// Start indices are integer scalars, one per dimension, or the elements of one array, and are
// clamped so that the slice fits.
XlaOp DynamicSlice(XlaOp operand, std::span<const XlaOp> start_indices,
                   std::span<const i64> slice_sizes, Location location = Location::current());
XlaOp DynamicSlice(XlaOp operand, XlaOp start_indices, std::span<const i64> slice_sizes,
                   Location location = Location::current());
XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, XlaOp start_indices,
                         Location location = Location::current());
XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, std::span<const XlaOp> start_indices,
                         Location location = Location::current());

struct GatherDimensionNumbers {
  Dims offset_dims;
  Dims collapsed_slice_dims;
  Dims start_index_map;
  i64 index_vector_dim = 0;
  Dims operand_batching_dims = {};
  Dims start_indices_batching_dims = {};
};
XlaOp Gather(XlaOp operand, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
             std::span<const i64> slice_sizes, bool indices_are_sorted = false,
             Location location = Location::current());

struct ScatterDimensionNumbers {
  Dims update_window_dims;
  Dims inserted_window_dims;
  Dims scatter_dims_to_operand_dims;
  i64 index_vector_dim = 0;
  Dims input_batching_dims = {};
  Dims scatter_indices_batching_dims = {};
};
XlaOp Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates,
              const XlaComputation& update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false, Location location = Location::current());
// n operands at once, with a computation of 2n scalars; the result is a tuple if n > 1.
XlaOp Scatter(std::span<const XlaOp> operands, XlaOp scatter_indices,
              std::span<const XlaOp> updates, const XlaComputation& update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false, Location location = Location::current());

// The run-time size of a dimension, s32[]; of a static one, a constant.
XlaOp GetDimensionSize(XlaOp operand, i64 dimension, Location location = Location::current());
// Makes a dimension dynamic: its size becomes `size`, s32[], clamped to [0, bound].
XlaOp SetDimensionSize(XlaOp operand, XlaOp size, i64 dimension,
                       Location location = Location::current());
// Makes a dimension static: its size is the bound again, and what was padding is in the buffer.
XlaOp RemoveDynamicDimension(XlaOp operand, i64 dimension, Location location = Location::current());
// The elements in row-major order as [new_size_bounds], dimension d with dim_sizes[d] of them where
// dims_are_dynamic[d].
XlaOp DynamicReshape(XlaOp operand, std::span<const XlaOp> dim_sizes,
                     std::span<const i64> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic,
                     Location location = Location::current());

}  // namespace axle
