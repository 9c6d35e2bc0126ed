// Plans convolutions. The contracted elements of an output, window positions times input features,
// are cut into slices (the parts of core/product_parts.h, which the bits depend on); everything
// else here is chosen for speed. Four ways, in this order:
//
// 1. The window covers one place of lhs: a matrix product (PlanConvolutionAsDot).
// 2. Depthwise: groups of one output feature, adjacent in memory, no conversions. Vectors run over
//    groups.
// 3. Lines: outputs that are neighbours in the last spatial dimension are neighbours in memory, and
//    so are the elements of lhs that they meet. Vectors run over outputs.
// 4. Blocks: rows are outputs, columns are output features. A tile is at most 240 rows by 512
//    columns. With several row tiles the packed columns of all slices are kept for the next row
//    tile if they fit into 1 MiB (4 MiB for a single panel).
//
// Tiles are the unit that threads share; a convolution with few row tiles and enough work is cut in
// two across the features, for a second thread. Scratch memory is laid out here and its size
// returned with the plan.

#include "axle/kernels/convolution.h"

#include <algorithm>
#include <span>

#include "axle/kernels/planning.h"

namespace axle {
namespace {

constexpr i64 kTileRows = 240;        // outputs per tile; at most kMaxClasses (512) of the kernel
constexpr i64 kTileColumns = 512;     // output features
constexpr i64 kPanelBytes = 1 << 20;  // of packed columns that are kept for all rows
constexpr i64 kTileDepth = 32;        // features of a block of the tile order
constexpr i64 kDepthwiseWork = 1 << 17;  // multiplications of a tile
constexpr i64 kDepthwiseBytes = 8 * 64;  // of sums in registers at once
constexpr i64 kWorkPerTile = 1 << 22;    // multiplications that justify a tile of their own
constexpr i64 kLineWork = 1 << 18;       // multiplications of a tile of lines
constexpr i64 kPackedOutputs = 1024;     // of a tile, that are worth the packing of its columns
constexpr i64 kSegmentOutputs = 2048;    // of a line, at most
constexpr i64 kLineBytes = 24 * 64;      // of sums in registers at once
constexpr i64 kPieceBytes = 5 * static_cast<i64>(sizeof(i64));

void CopyDescription(const ConvolutionDescription& from, ConvolutionPlan& plan) {
  plan.num_spatial = static_cast<int>(from.spatial.size());
  std::ranges::copy(from.spatial, plan.spatial);
  plan.batch = from.batch;
  plan.lhs_batch_stride = from.lhs_batch_stride;
  plan.output_batch_stride = from.output_batch_stride;
  plan.input_features = from.input_features;
  plan.lhs_feature_stride = from.lhs_feature_stride;
  plan.rhs_input_stride = from.rhs_input_stride;
  plan.output_features = from.output_features;
  plan.rhs_output_stride = from.rhs_output_stride;
  plan.output_feature_stride = from.output_feature_stride;
  plan.groups = from.groups;
  plan.lhs_group_stride = from.lhs_group_stride;
}

// False if results or products cannot be counted in 64 bits.
bool Count(ConvolutionPlan& plan) {
  plan.rows = plan.batch;
  i64 all = plan.batch;
  const auto multiply = [&](i64 size) {
    return !__builtin_mul_overflow(all, std::max<i64>(1, size), &all);
  };
  bool fits =
      multiply(plan.input_features) && multiply(plan.output_features) && multiply(plan.groups);
  plan.inner = plan.input_features;
  plan.num_positions = 1;
  for (int s = 0; s < plan.num_spatial; ++s) {
    const ConvolutionDim& dim = plan.spatial[s];
    fits = fits && multiply(dim.output_size) && multiply(dim.window);
    if (!fits) return false;
    plan.rows *= dim.output_size;
    (plan.is_flat && s + 1 == plan.num_spatial ? plan.inner : plan.num_positions) *= dim.window;
  }
  return fits;
}

void ChooseSlices(i64 unit, const PartRule& rule, ConvolutionPlan& plan) {
  const ProductParts part = PartsOf(rule, plan.num_positions, plan.inner, unit);
  plan.slice_positions = part.positions;
  plan.slice_inner = part.elements;
  plan.depth = plan.slice_positions * RoundUpTo(plan.slice_inner, unit);
  plan.num_slices = (plan.num_positions + plan.slice_positions - 1) / plan.slice_positions *
                    ((plan.inner + plan.slice_inner - 1) / plan.slice_inner);
  plan.group_slices = rule.group_parts;
}

void ChooseTiles(const FamilyEntry& entry, ConvolutionPlan& plan) {
  const i64 panel = plan.vectors * entry.lanes;
  plan.tile_rows = EvenPart(plan.rows, kTileRows, 1);
  plan.num_row_tiles = (plan.rows + plan.tile_rows - 1) / plan.tile_rows;
  const i64 slices = plan.num_slices;
  const i64 column_bytes = std::max<i64>(1, slices * plan.depth * entry.parts * entry.packed_bytes);
  i64 most = kTileColumns;
  if (plan.num_row_tiles > 1 && !plan.is_flat) {
    plan.keeps_panels = column_bytes * panel <= 4 * kPanelBytes;
    if (plan.keeps_panels) most = std::clamp<i64>(kPanelBytes / column_bytes, panel, kTileColumns);
  }
  // With few tiles, cut the features in two so that another thread has work.
  const i64 work = plan.tile_rows * plan.inner * plan.num_positions * plan.output_features;
  if (plan.num_row_tiles * plan.groups < 4 && work > 2 * kWorkPerTile) {
    most = std::min(most, std::max<i64>(panel, plan.output_features / 2));
  }
  plan.tile_columns =
      std::min(EvenPart(plan.output_features, std::max(panel, most / panel * panel), panel),
               std::max<i64>(1, plan.output_features));
  plan.num_column_tiles = (plan.output_features + plan.tile_columns - 1) / plan.tile_columns;
  const i64 width = RoundUpTo(plan.tile_columns, entry.lanes) * entry.parts;
  ScratchLayout scratch;
  plan.panels_at =
      scratch.Add((plan.keeps_panels ? slices : 1) * plan.depth * width * entry.packed_bytes);
  plan.row_block_at = scratch.Add((RoundUpTo(plan.depth, 16) + 16) * plan.tile_rows *
                                  entry.packed_bytes * entry.parts);
  const i64 sums_bytes = plan.tile_rows * width * entry.sum_bytes;
  const i64 waiting = WaitingGroups(slices, plan.group_slices);
  plan.sums_at = scratch.Add(sums_bytes);
  plan.slice_sums_at = scratch.Add(slices > 1 ? sums_bytes : 0);
  plan.groups_at = scratch.Add(waiting * sums_bytes);
  plan.group_size = plan.tile_rows * width;
  plan.offsets_at = scratch.Add((plan.tile_rows * (5 + 2 * kMaxRoleDims) + 1 + plan.tile_columns +
                                 2 * plan.depth + plan.slice_positions) *
                                static_cast<i64>(sizeof(i64)));
  plan.scratch_bytes = scratch.end();
}

// Groups of one output feature and few input features, adjacent in memory, without conversions.
bool IsDepthwise(const ConvolutionPlan& plan) {
  return plan.groups >= 8 && plan.slice_inner >= plan.inner && plan.output_features == 1 &&
         plan.lhs_group_stride == 1 && plan.rhs_output_stride == 1 &&
         plan.output_feature_stride == 1 && plan.row_operand.load == LoadKind::kSame &&
         plan.column_operand.load == LoadKind::kSame && plan.store == StoreKind::kSame;
}

void PlanDepthwise(i64 sum_bytes, ConvolutionPlan& plan) {
  const i64 taps = plan.num_positions * plan.inner;
  const i64 work = std::max<i64>(1, plan.groups * taps);
  plan.tile_rows = std::max<i64>(1, std::min(plan.rows, kDepthwiseWork / work));
  plan.num_row_tiles = (plan.rows + plan.tile_rows - 1) / plan.tile_rows;
  ScratchLayout scratch;
  plan.panels_at = scratch.Add(taps * 2 * static_cast<i64>(sizeof(i64)));
  plan.offsets_at = scratch.Add(plan.num_slices * 2 * static_cast<i64>(sizeof(i64)));
  plan.group_size = kDepthwiseBytes / sum_bytes;
  plan.groups_at = scratch.Add(WaitingGroups(plan.num_slices, plan.group_slices) * kDepthwiseBytes);
  plan.scratch_bytes = scratch.end();
}

// Outputs along the last spatial dimension are adjacent, and the elements of lhs that they meet,
// without conversions; they fill most of their vectors.
bool IsAlongLines(i64 lanes, const ConvolutionPlan& plan) {
  if (plan.num_spatial == 0 || plan.slice_inner < plan.inner) return false;
  const ConvolutionDim& last = plan.spatial[plan.num_spatial - 1];
  return last.stride == 1 && last.lhs_dilation == 1 && last.lhs_stride == 1 &&
         last.output_stride == 1 && plan.row_operand.load == LoadKind::kSame &&
         plan.column_operand.load == LoadKind::kSame && plan.store == StoreKind::kSame &&
         4 * last.output_size >= 3 * RoundUpTo(last.output_size, lanes);
}

void PlanLines(const FamilyEntry& entry, ConvolutionPlan& plan) {
  const ConvolutionDim& last = plan.spatial[plan.num_spatial - 1];
  const i64 lines = last.output_size == 0 ? 0 : plan.rows / last.output_size;
  plan.segment_outputs = EvenPart(last.output_size, kSegmentOutputs, 8 * entry.lanes);
  plan.line_segments = (last.output_size + plan.segment_outputs - 1) / plan.segment_outputs;
  plan.num_segments = lines * plan.line_segments;
  const i64 work = std::max<i64>(
      1, plan.segment_outputs * plan.num_positions * plan.inner * plan.output_features);
  const i64 packed = std::min(kPackedOutputs / plan.segment_outputs, plan.num_segments / 8);
  plan.tile_segments = std::max<i64>({1, kLineWork / work, packed});
  plan.num_row_tiles = (plan.num_segments + plan.tile_segments - 1) / plan.tile_segments;
  ScratchLayout scratch;
  plan.panels_at = scratch.Add(plan.num_positions * plan.inner *
                               std::min<i64>(8, plan.output_features) * entry.packed_bytes);
  const i64 outer = last.window == 0 ? 0 : plan.num_positions / last.window;
  plan.offsets_at = scratch.Add((outer + plan.num_slices) * kPieceBytes);
  plan.group_size = kLineBytes / entry.sum_bytes;
  plan.groups_at = scratch.Add(WaitingGroups(plan.num_slices, plan.group_slices) * kLineBytes);
  plan.scratch_bytes = scratch.end();
}

}  // namespace

DotKernel PlanConvolutionAsDot(const ConvolutionDescription& convolution,
                               InstructionSet instruction_set) {
  bool is_product = convolution.spatial.size() < kMaxRoleDims &&
                    (convolution.groups == 1 || convolution.output_features >= 8);
  DotDim rows[kMaxRoleDims] = {
      {convolution.batch, convolution.lhs_batch_stride, 0, convolution.output_batch_stride}};
  size_t num_rows = 1;
  for (const ConvolutionDim& dim : convolution.spatial) {
    is_product = is_product && dim.window == 1 && dim.lhs_dilation == 1 && dim.pad_low == 0 &&
                 dim.output_size > 0 && (dim.output_size - 1) * dim.stride < dim.lhs_size;
    if (!is_product) break;
    rows[num_rows++] = {dim.output_size, dim.stride * dim.lhs_stride, 0, dim.output_stride};
  }
  if (!is_product) {
    DotKernel none;
    none.reason = "the window is more than one place on lhs";
    return none;
  }
  const DotDim groups[] = {{convolution.groups, convolution.lhs_group_stride,
                            convolution.output_features * convolution.rhs_output_stride,
                            convolution.output_features * convolution.output_feature_stride}};
  const DotDim columns[] = {{convolution.output_features, 0, convolution.rhs_output_stride,
                             convolution.output_feature_stride}};
  const DotDim depth[] = {{convolution.input_features, convolution.lhs_feature_stride,
                           convolution.rhs_input_stride, 0}};
  const DotDescription dot = {.batch = groups,
                              .lhs_free = std::span(rows, num_rows),
                              .rhs_free = columns,
                              .contracting = depth,
                              .types = convolution.types};
  return PlanDot(dot, instruction_set);
}

ConvolutionKernel PlanConvolution(const ConvolutionDescription& convolution,
                                  InstructionSet instruction_set) {
  ConvolutionKernel kernel;
  ConvolutionPlan& plan = kernel.plan;
  const auto refuse = [&](std::string_view reason) {
    kernel.reason = reason;
    return kernel;
  };
  const DotFamily family = FamilyOf(convolution.types);
  const FamilyEntry* entry = FindFamily(family, instruction_set);
  if (entry == nullptr) return refuse("there are no kernels for this processor's architecture");
  if (convolution.spatial.size() > kMaxRoleDims) return refuse("more than 8 spatial dimensions");
  CopyDescription(convolution, plan);
  SetTypes(convolution.types, false, plan);
  plan.is_flat = convolution.types.order == DotOrder::kTile && plan.input_features < kTileDepth &&
                 plan.num_spatial > 0;
  if (!Count(plan)) return refuse("the products cannot be counted in 64 bits");
  ChooseSlices(entry->unit, PartRuleOf(convolution.types), plan);
  const ConvolutionEntry& functions = *FindConvolution(family, instruction_set);
  if (functions.depthwise != nullptr && IsDepthwise(plan)) {
    PlanDepthwise(entry->sum_bytes, plan);
    kernel.scratch_bytes = plan.scratch_bytes;
    kernel.num_tiles = plan.num_row_tiles;
    kernel.function = functions.depthwise;
    return kernel;
  }
  if (functions.lines != nullptr && IsAlongLines(entry->lanes, plan)) {
    PlanLines(*entry, plan);
    kernel.scratch_bytes = plan.scratch_bytes;
    kernel.num_tiles = plan.groups * plan.num_row_tiles;
    kernel.function = functions.lines;
    return kernel;
  }
  plan.vectors = ChooseVectors(*entry, std::min(plan.rows, kTileRows), plan.output_features,
                               plan.inner * plan.num_positions, plan.depth);
  ChooseTiles(*entry, plan);
  kernel.scratch_bytes = plan.scratch_bytes;
  kernel.num_tiles = plan.groups * plan.num_column_tiles * plan.num_row_tiles;
  kernel.function = functions.convolution;
  return kernel;
}

}  // namespace axle
