// Convolutions as compiled kernels: general windows, strides, padding, dilation of both sides,
// reversal, groups, any layout through strides. Results have the bits of docs/numerics.md N6,
// whatever the instruction set and however tiles are distributed over calls.
//
// Used as PlanDot (axle/kernels/dot.h); buffers are {lhs, rhs, result, scratch}.
#pragma once
#include <span>
#include <string_view>

#include "axle/core/kernel.h"
#include "axle/kernels/contraction_plan.h"
#include "axle/kernels/dot.h"
#include "axle/kernels/instruction_set.h"

namespace axle {

// One spatial dimension. Output o and window position w meet in lhs at (o * stride + w *
// rhs_dilation - pad_low) / lhs_dilation, if that is a whole number and below lhs_size, and else
// nowhere.
struct ConvolutionDim {
  i64 window = 1, stride = 1, pad_low = 0, lhs_dilation = 1, rhs_dilation = 1;
  bool is_reversed = false;  // position w means element window - 1 - w of rhs
  i64 lhs_size = 1, output_size = 1;
  i64 lhs_stride = 0, rhs_stride = 0, output_stride = 0;  // between elements, of each array
};

// Strides are in elements.
struct ConvolutionDescription {
  std::span<const ConvolutionDim> spatial;
  i64 batch = 1, lhs_batch_stride = 0, output_batch_stride = 0;               // of the result
  i64 input_features = 1, lhs_feature_stride = 0, rhs_input_stride = 0;       // of a group
  i64 output_features = 1, rhs_output_stride = 0, output_feature_stride = 0;  // of a group
  i64 groups = 1, lhs_group_stride = 0;
  ProductTypes types = {};
};

struct ConvolutionPlan : ProductPlan {
  int num_spatial = 0;
  ConvolutionDim spatial[kMaxRoleDims];
  i64 batch = 1, lhs_batch_stride = 0, output_batch_stride = 0;
  i64 input_features = 1, lhs_feature_stride = 0, rhs_input_stride = 0;
  i64 output_features = 1, rhs_output_stride = 0, output_feature_stride = 0;
  i64 groups = 1, lhs_group_stride = 0;

  i64 rows = 1;  // of one group: outputs and batch elements
  // Contracted elements are counted as [outer positions][inner]: window positions and input
  // features; in the tile order with few features, positions of all but the last dimension, and the
  // rest.
  bool is_flat = false;
  i64 num_positions = 1, inner = 1;
  // A slice is a part of core/product_parts.h: some positions with all of inner, or one position
  // with some of it.
  i64 slice_positions = 1, slice_inner = 1;
  i64 num_slices = 1, group_slices = 1;
  i64 depth = 1;              // of a slice, filled up
  bool keeps_panels = false;  // of all slices, for all rows
  i64 tile_rows = 1, tile_columns = 1, num_row_tiles = 1, num_column_tiles = 1;
  i64 panels_at = 0, row_block_at = 0, sums_at = 0, offsets_at = 0, scratch_bytes = 0;
  i64 slice_sums_at = 0, groups_at = 0;
  i64 group_size = 0;  // sums of one group that waits for others
  // Lines of outputs (x86/lines.h) are cut into segments; a tile is some of a group's.
  i64 segment_outputs = 1, line_segments = 1, num_segments = 1, tile_segments = 1;
};

struct ConvolutionKernel {
  ConvolutionPlan plan;
  KernelFunction function = nullptr;
  i64 num_tiles = 0;
  i64 scratch_bytes = 0;
  std::string_view reason;  // why there is no kernel; empty if there is one
};

// A convolution whose window covers a single place of lhs is a matrix product: returns its kernel,
// or the reason why it is none; call PlanConvolution then.
DotKernel PlanConvolutionAsDot(const ConvolutionDescription& convolution,
                               InstructionSet instruction_set);

ConvolutionKernel PlanConvolution(const ConvolutionDescription& convolution,
                                  InstructionSet instruction_set);

}  // namespace axle
