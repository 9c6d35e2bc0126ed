// Products of matrices that lie anywhere in memory (dot, and whatever can be seen as one), as
// compiled kernels. Results have the bits of docs/numerics.md N5, whatever the instruction set and
// however tiles are spread over calls.
//
//   DotDescription dot = ...;
//   const DotKernel kernel = PlanDot(dot, HostInstructionSet());
//   if (!kernel.reason.empty()) ...  // says why there is none
//   void* buffers[] = {lhs, rhs, result, scratch};  // scratch_bytes of memory, per concurrent call
//   kernel.function(run, &kernel.plan, buffers, 0, kernel.num_tiles);
#pragma once
#include <span>
#include <string_view>

#include "axle/core/kernel.h"
#include "axle/kernels/contraction_plan.h"
#include "axle/kernels/instruction_set.h"

namespace axle {

// One dimension, in elements of each array; a stride is 0 where an array lacks it.
struct DotDim {
  i64 size = 1;
  i64 lhs_stride = 0, rhs_stride = 0, result_stride = 0;
};

// The dimensions of each role in the order in which results and products are counted, last fastest.
struct DotDescription {
  std::span<const DotDim> batch, lhs_free, rhs_free, contracting;
  ProductTypes types = {};
  i64 lanes = 1;  // of the canonical order
};

struct DotPlan : ProductPlan {
  RoleDims batch, rows, columns, depth;
  bool rows_in_place = false;  // row factors are read where they are
  bool columns_in_place = false;
  bool streams_columns = false;  // few rows: columns are read along memory, once
  bool by_rows = false;          // the columns of tiles are the faster ones
  bool is_canonical = false;     // products come in the canonical order
  i64 batch_tile = 1;            // tiny matrices of a tile
  i64 tile_rows = 1, tile_columns = 1, num_row_tiles = 1, num_column_tiles = 1;
  // Depths of parts and groups of parts (core/product_parts.h); a block is a whole number of parts
  // deep.
  i64 part_depth = 1, group_depth = 1;
  i64 block_depth = 1, block_rows = 1, block_columns = 1;  // of packed operands
  i64 stream_columns = 1, stream_row = 1;  // columns streamed at once; row pitch of their sums
  i64 sum_rows =
      1;          // rows whose sums are kept at once; block_rows unless sums are kept in the result
  i64 lanes = 1;  // of the canonical order
  i64 result_row_stride = 0;  // where sums are kept in the result
  // Parts of scratch memory, in bytes from its begin.
  i64 panels_at = 0, row_block_at = 0, sums_at = 0, offsets_at = 0, groups_at = 0;
  i64 group_size = 0;  // sums of one group that waits for others
};

struct DotKernel {
  DotPlan plan;
  KernelFunction function = nullptr;
  i64 num_tiles = 0;
  i64 scratch_bytes = 0;
  std::string_view reason;  // why there is no kernel; empty if there is one
};

DotKernel PlanDot(const DotDescription& dot, InstructionSet instruction_set);

}  // namespace axle
