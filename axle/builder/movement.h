// The builder's functions that move elements or change sizes, with XLA's names.
// Included by xla_builder.h.
#pragma once
#include <optional>
#include <vector>

#include "axle/builder/dimension_numbers.h"
#include "axle/builder/xla_op.h"
#include "axle/ops/attributes.h"

namespace axle {

// New dimensions `broadcast_sizes` in front: [sizes..., dims...].
XlaOp Broadcast(XlaOp operand, ArraySlice<i64> broadcast_sizes,
                Location location = std::source_location::current());
// [out_dims]: operand dimension i goes to result dimension broadcast_dimensions[i]; size 1 expands.
XlaOp BroadcastInDim(XlaOp operand, ArraySlice<i64> out_dims, ArraySlice<i64> broadcast_dimensions,
                     Location location = std::source_location::current());
// The same elements in row-major order as [dimensions].
XlaOp Reshape(XlaOp operand, ArraySlice<i64> dimensions,
              Location location = std::source_location::current());
// As older programs have it: transposed by `dimensions`, a permutation, first.
XlaOp Reshape(XlaOp operand, ArraySlice<i64> dimensions, ArraySlice<i64> new_sizes,
              Location location = std::source_location::current());
// The same as `shape`, whose dynamic dimensions must be those that follow from the operand.
XlaOp Reshape(const Shape& shape, XlaOp operand,
              Location location = std::source_location::current());
// Where a dynamic dimension becomes several, inferred_dimension is the one that is dynamic; -1: the
// most major one that has more than one element.
XlaOp ReshapeWithInferredDimension(XlaOp operand, ArraySlice<i64> new_sizes, i64 inferred_dimension,
                                   Location location = std::source_location::current());
// Neighbouring dimensions, in increasing order, as one; of at most one dimension the operand.
XlaOp Collapse(XlaOp operand, ArraySlice<i64> dimensions,
               Location location = std::source_location::current());
// Result dimension i is operand dimension permutation[i].
XlaOp Transpose(XlaOp operand, ArraySlice<i64> permutation,
                Location location = std::source_location::current());
XlaOp Rev(XlaOp operand, ArraySlice<i64> dimensions,
          Location location = std::source_location::current());
XlaOp Slice(XlaOp operand, ArraySlice<i64> start_indices, ArraySlice<i64> limit_indices,
            ArraySlice<i64> strides = {}, Location location = std::source_location::current());
XlaOp SliceInDim(XlaOp operand, i64 start_index, i64 limit_index, i64 stride, i64 dimension,
                 Location location = std::source_location::current());
XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding,
          Location location = std::source_location::current());
// The same along one dimension.
XlaOp PadInDim(XlaOp operand, XlaOp padding_value, i64 dimension, i64 low, i64 high,
               Location location = std::source_location::current());
XlaOp ConcatInDim(XlaBuilder* builder, ArraySlice<XlaOp> operands, i64 dimension,
                  Location location = std::source_location::current());
// Start indices are integer scalars, one per dimension, or the elements of one array, and are
// clamped so that the slice fits.
XlaOp DynamicSlice(XlaOp operand, ArraySlice<XlaOp> start_indices, ArraySlice<i64> slice_sizes,
                   Location location = std::source_location::current());
XlaOp DynamicSlice(XlaOp operand, XlaOp start_indices, ArraySlice<i64> slice_sizes,
                   Location location = std::source_location::current());
XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, XlaOp start_indices,
                         Location location = std::source_location::current());
XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, ArraySlice<XlaOp> start_indices,
                         Location location = std::source_location::current());

// Slices of `operand`, one for each vector of start_indices, clamped so that they fit.
XlaOp Gather(XlaOp operand, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
             ArraySlice<i64> slice_sizes, bool indices_are_sorted = false,
             Location location = std::source_location::current());

// The same from flat lists. index_vector_dim is the last dimension of start_indices by default.
// Programs of 2018 call the lists output_window_dims, elided_window_dims, window_bounds and
// gather_dims_to_operand_dims.
XlaOp Gather(XlaOp operand, XlaOp start_indices, ArraySlice<i64> offset_dims,
             ArraySlice<i64> collapsed_slice_dims, ArraySlice<i64> slice_sizes,
             ArraySlice<i64> start_index_map, std::optional<i64> index_vector_dim = std::nullopt,
             bool indices_are_sorted = false, Location location = std::source_location::current());

// Puts windows of `updates` into the operand, combined with what is there by the computation.
XlaOp Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates,
              const XlaComputation& update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false, Location location = std::source_location::current());
// n operands at once, with a computation of 2n scalars; the result is a tuple if n > 1.
XlaOp Scatter(ArraySlice<XlaOp> operands, XlaOp scatter_indices, ArraySlice<XlaOp> updates,
              const XlaComputation& update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false, Location location = std::source_location::current());
// The same from flat lists.
XlaOp Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates,
              const XlaComputation& update_computation, i64 index_vector_dim,
              ArraySlice<i64> update_window_dims, ArraySlice<i64> inserted_window_dims,
              ArraySlice<i64> scatter_dims_to_operand_dims, bool indices_are_sorted = false,
              bool unique_indices = false, Location location = std::source_location::current());
XlaOp Scatter(ArraySlice<XlaOp> operands, XlaOp scatter_indices, ArraySlice<XlaOp> updates,
              const XlaComputation& update_computation, i64 index_vector_dim,
              ArraySlice<i64> update_window_dims, ArraySlice<i64> inserted_window_dims,
              ArraySlice<i64> scatter_dims_to_operand_dims, bool indices_are_sorted = false,
              bool unique_indices = false, Location location = std::source_location::current());

// The run-time size of a dimension, s32[]; of a static one, a constant.
XlaOp GetDimensionSize(XlaOp operand, i64 dimension,
                       Location location = std::source_location::current());
// Makes a dimension dynamic: its size becomes `size`, s32[], clamped to [0, bound].
XlaOp SetDimensionSize(XlaOp operand, XlaOp size, i64 dimension,
                       Location location = std::source_location::current());
// Makes a dimension static: its size is the bound again, and what was padding is in the buffer.
XlaOp RemoveDynamicDimension(XlaOp operand, i64 dimension,
                             Location location = std::source_location::current());
// The elements in row-major order as [new_size_bounds], dimension d with dim_sizes[d] of them where
// dims_are_dynamic[d].
XlaOp DynamicReshape(XlaOp operand, ArraySlice<XlaOp> dim_sizes, ArraySlice<i64> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic,
                     Location location = std::source_location::current());

}  // namespace axle
