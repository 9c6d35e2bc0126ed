// The builder's functions that move elements or change sizes, with XLA's names. The header is
// included by xla_builder.h, which states what holds for all of the builder's functions.
//
// The operand is an array of any element type, which is also that of the result; sizes, indices and
// padding count elements.
#pragma once
#include <initializer_list>
#include <optional>
#include <vector>

#include "axle/builder/dimension_numbers.h"
#include "axle/builder/xla_op.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

// Adds new dimensions `broadcast_sizes` in front: [sizes..., dims...]. docs/ops/broadcast.md.
XlaOp Broadcast(XlaOp operand, ArraySlice<i64> broadcast_sizes,
                Location location = std::source_location::current());
// Returns [out_dims]: operand dimension i becomes result dimension broadcast_dimensions[i], of its
// size or of any size if its own is 1; broadcast_dimensions increase, one for each dimension of the
// operand.
XlaOp BroadcastInDim(XlaOp operand, ArraySlice<i64> out_dims, ArraySlice<i64> broadcast_dimensions,
                     Location location = std::source_location::current());
// Returns the same elements in row-major order as [dimensions], which has the same number of
// elements. docs/ops/reshape.md, also for dynamic dimensions.
XlaOp Reshape(XlaOp operand, ArraySlice<i64> dimensions,
              Location location = std::source_location::current());
// The form of older programs: the operand is first transposed by `dimensions`, a permutation.
XlaOp Reshape(XlaOp operand, ArraySlice<i64> dimensions, ArraySlice<i64> new_sizes,
              Location location = std::source_location::current());
// The same as `shape`, whose dynamic dimensions must be those that follow from the operand.
XlaOp Reshape(const Shape& shape, XlaOp operand,
              Location location = std::source_location::current());
// If a dynamic dimension is split, inferred_dimension is the dynamic one of its parts; with -1 it
// is the most major one that has more than one element.
XlaOp ReshapeWithInferredDimension(XlaOp operand, ArraySlice<i64> new_sizes, i64 inferred_dimension,
                                   Location location = std::source_location::current());
// Merges neighbouring dimensions, listed in increasing order, into one in the place of the first.
// With at most one dimension in the list, returns the operand.
XlaOp Collapse(XlaOp operand, ArraySlice<i64> dimensions,
               Location location = std::source_location::current());
// Result dimension i is operand dimension permutation[i]. docs/ops/transpose.md.
XlaOp Transpose(XlaOp operand, ArraySlice<i64> permutation,
                Location location = std::source_location::current());
// Returns [dims] in opposite order along `dimensions`, each named once. docs/ops/reverse.md.
XlaOp Rev(XlaOp operand, ArraySlice<i64> dimensions,
          Location location = std::source_location::current());
// Takes every stride-th element of each dimension from start on, before limit: [ceil((limit -
// start) / stride), ..]. Lists have an entry per dimension, 0 <= start <= limit <= size; without
// strides, these are 1. docs/ops/slice.md.
XlaOp Slice(XlaOp operand, ArraySlice<i64> start_indices, ArraySlice<i64> limit_indices,
            ArraySlice<i64> strides = {}, Location location = std::source_location::current());
// The same along one dimension; the others stay whole.
XlaOp SliceInDim(XlaOp operand, i64 start_index, i64 limit_index, i64 stride, i64 dimension,
                 Location location = std::source_location::current());
// Puts `interior` elements of padding_value, [], between neighbours of each dimension and low and
// high ones at its ends, where negative numbers crop: [size + low + high + max(size - 1, 0) *
// interior, ..]. There is one entry per dimension. docs/ops/pad.md.
XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding,
          Location location = std::source_location::current());
// The same along one dimension, without interior padding.
XlaOp PadInDim(XlaOp operand, XlaOp padding_value, i64 dimension, i64 low, i64 high,
               Location location = std::source_location::current());
// Joins the operands, at least one, one after another along a dimension, whose sizes add up; the
// other sizes are equal. docs/ops/concatenate.md.
XlaOp ConcatInDim(XlaBuilder* builder, ArraySlice<XlaOp> operands, i64 dimension,
                  Location location = std::source_location::current());
// The same under the name that XLA's documents use.
XlaOp Concatenate(XlaBuilder* builder, ArraySlice<XlaOp> operands, i64 dimension,
                  Location location = std::source_location::current());
// Returns [slice_sizes] of the operand from start_indices on: integer scalars of one type, one per
// dimension, or the elements of one array [rank]. They are clamped so that the slice fits; slice
// sizes are no larger than the operand's. docs/ops/dynamic-slice.md.
XlaOp DynamicSlice(XlaOp operand, ArraySlice<XlaOp> start_indices, ArraySlice<i64> slice_sizes,
                   Location location = std::source_location::current());
XlaOp DynamicSlice(XlaOp operand, XlaOp start_indices, ArraySlice<i64> slice_sizes,
                   Location location = std::source_location::current());
// The same with a list in braces; {} is the empty index, for a scalar.
XlaOp DynamicSlice(XlaOp operand, std::initializer_list<XlaOp> start_indices,
                   ArraySlice<i64> slice_sizes,
                   Location location = std::source_location::current());
// Returns the operand with `update`, which has its rank and no larger sizes, written at
// start_indices, which are as above. docs/ops/dynamic-update-slice.md.
XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, XlaOp start_indices,
                         Location location = std::source_location::current());
XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, ArraySlice<XlaOp> start_indices,
                         Location location = std::source_location::current());
XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, std::initializer_list<XlaOp> start_indices,
                         Location location = std::source_location::current());

// Returns slices of `operand`, one for each vector of start_indices, clamped so that they fit.
//
//   start_indices  integers; vectors extend along index_vector_dim, which may be its rank:
//                  each element is then a vector
//   slice_sizes    one per dimension of the operand; 0 or 1 in collapsed and batching ones
//   result         the sizes of slices that are not collapsed or batching at offset_dims, the
//                  dimensions of start_indices but index_vector_dim at the others
//
// indices_are_sorted is a promise that changes nothing. docs/ops/gather.md.
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

// Returns the operand with windows of `updates` applied, one for each vector of scatter_indices:
// each element x becomes update_computation(x, update), in row-major order of the updates. A window
// that is partly outside is skipped whole, as XLA does it; its documents leave that open.
//
//   scatter_indices     integers; vectors as in Gather
//   updates             of the operand's type: windows at update_window_dims, the dimensions of
//                       scatter_indices but index_vector_dim at the others
//   update_computation  (T[], T[]) -> T[]
//
// indices_are_sorted and unique_indices are promises that change nothing. docs/ops/scatter.md.
XlaOp Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates,
              const XlaComputation& update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false, Location location = std::source_location::current());
// The same for n operands of the same dimensions, with a computation of n elements and n updates
// that returns n elements; the results of the computation and of the op are tuples if n > 1.
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

// Returns the run-time size of a dimension, s32[]; for a static one, a constant. The bound must fit
// into s32, here and below. docs/ops/get-dimension-size.md.
XlaOp GetDimensionSize(XlaOp operand, i64 dimension,
                       Location location = std::source_location::current());
// Makes a dimension dynamic: its size becomes `size`, s32[], clamped to [0, bound].
// docs/ops/set-dimension-size.md.
XlaOp SetDimensionSize(XlaOp operand, XlaOp size, i64 dimension,
                       Location location = std::source_location::current());
// Makes a dimension static: its size is the bound again, and the result includes the padding.
XlaOp RemoveDynamicDimension(XlaOp operand, i64 dimension,
                             Location location = std::source_location::current());
// Returns the elements in row-major order as [new_size_bounds]; dimension d has the run-time size
// dim_sizes[d], s32[], where dims_are_dynamic[d]. The lists have one length. It is an error of the
// run if the sizes do not give exactly the number of elements, or exceed a bound.
// docs/ops/dynamic-reshape.md.
XlaOp DynamicReshape(XlaOp operand, ArraySlice<XlaOp> dim_sizes, ArraySlice<i64> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic,
                     Location location = std::source_location::current());

}  // namespace axle
