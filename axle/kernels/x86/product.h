// The blocked matrix product. Columns are taken in groups whose packed panels fit the second-level
// cache together with a block of rows; within a group, k is taken in slices:
//
//   for each group of columns, for each slice of k:
//     pack the slice of the columns into panels [k][columns], as wide as a register tile
//     for each block of rows: pack the rows (or read them in place), then
//       for each panel, for each register tile: multiply and add to the sums
//
// A slice is one of the parts of docs/numerics.md N5, or several: each result takes its products in
// increasing k, and the sum of a part is added to that of the parts before it (in the tile order
// the chain continues), so blocking does not show in the bits. Sums of a long k come in groups of
// parts, which a tree joins (group_tree.h). Sums are kept in the result itself if it has their type
// and its columns are adjacent, otherwise in scratch memory, where a block's results are finished
// before the next block begins. Small operands skip packing (MultiplyInPlace); few rows with large
// columns stream the columns (StreamColumns).
#pragma once
#include "axle/kernels/dot.h"
#include "axle/kernels/x86/families.h"
#include "axle/kernels/x86/group_tree.h"

namespace axle::AXLE_ISA {

template <typename Family>
class Product {
 public:
  using Packed = typename Family::Packed;
  using Element = typename Family::Element;  // as loaded
  using Sum = typename Family::Sum;
  static constexpr i64 kLanes = kLanesOf<Sum>;
  static constexpr i64 kParts = Family::kParts;
  static constexpr i64 kUnit = Family::kUnit;

  Product(const RunContext* run, const DotPlan& plan, void* const* buffers)
      : run_(run),
        plan_(plan),
        buffers_(buffers),
        rows_(plan.row_operand, plan.sum, Family::SumBytes(plan), buffers),
        columns_(plan.column_operand, plan.sum, Family::SumBytes(plan), buffers),
        result_(static_cast<unsigned char*>(buffers[2])),
        groups_(reinterpret_cast<Sum*>(static_cast<unsigned char*>(buffers[3]) + plan.groups_at),
                plan.group_size) {
    auto* scratch = static_cast<unsigned char*>(buffers[3]);
    panels_ = reinterpret_cast<Packed*>(scratch + plan.panels_at);
    row_block_ = reinterpret_cast<Packed*>(scratch + plan.row_block_at);
    sums_ = reinterpret_cast<Sum*>(scratch + plan.sums_at);
    row_offsets_ = reinterpret_cast<i64*>(scratch + plan.offsets_at);
    row_depth_ = row_offsets_ + plan.block_rows;
    column_depth_ = row_depth_ + plan.block_depth;
    column_offsets_ = column_depth_ + plan.block_depth;
  }

  // The results of rows [m0, m1) and columns [n0, n1) of batch element `batch`.
  int Run(i64 batch, i64 m0, i64 m1, i64 n0, i64 n1) {
    rows_.MoveTo(buffers_, OffsetOf(plan_.batch, &RoleDim::row_stride, batch));
    columns_.MoveTo(buffers_, OffsetOf(plan_.batch, &RoleDim::column_stride, batch));
    batch_result_ = OffsetOf(plan_.batch, &RoleDim::result_stride, batch);
    if constexpr (Family::kStreams) {
      if (plan_.streams_columns) return StreamColumns(m0, m1, n0, n1);
    }
    if constexpr (Family::kInPlace) {
      if (plan_.rows_in_place && plan_.columns_in_place && plan_.store == StoreKind::kInPlace) {
        if (plan_.depth.total > plan_.group_depth) return MultiplyGroupsInPlace(m0, m1, n0, n1);
        MultiplyInPlace(m0, m1, n0, n1, 0, plan_.depth.total);
        return kKernelOk;
      }
    }
    for (i64 n = n0; n < n1; n += plan_.block_columns) {
      const i64 width = Min(plan_.block_columns, n1 - n);
      for (i64 m = m0; m < m1; m += plan_.sum_rows) {
        const int status = RunColumns(m, Min(m1, m + plan_.sum_rows), n, width);
        if (status != kKernelOk) return status;
      }
    }
    return kKernelOk;
  }

 private:
  // How the part that begins at k is combined with the sums so far.
  SumMode ModeAt(i64 k) const {
    if (k % plan_.group_depth == 0) return SumMode::kBegin;
    return Family::kAddsParts ? SumMode::kAdd : SumMode::kContinue;
  }
  Sum* SumsInPlace(i64 m, i64 n) const {
    return reinterpret_cast<Sum*>(result_) + batch_result_ + m * plan_.result_row_stride + n;
  }
  // Called where a part ends at k: joins sums with those of other groups where it ends one.
  void EndPart(i64 k, Sum* sums, i64 row_step, i64 rows, i64 columns) {
    const i64 depth = plan_.depth.total;
    if (depth <= plan_.group_depth || (k % plan_.group_depth != 0 && k < depth)) return;
    const typename Family::Mode mode;
    groups_.Add(sums, row_step, rows, columns, k >= depth);
  }

  // Small operands: no copies, all of a group's parts [k0, k1) at once.
  void MultiplyInPlace(i64 m0, i64 m1, i64 n0, i64 n1, i64 k0, i64 k1) {
    const i64 row_step = plan_.rows.dims[0].row_stride;
    const i64 row_depth = plan_.depth.dims[0].row_stride;
    const i64 column_depth = plan_.depth.dims[0].column_stride;
    const auto* a = static_cast<const Packed*>(rows_.At(0));
    const auto* b = static_cast<const Packed*>(columns_.At(0));
    const i64 panel = plan_.vectors * kLanes, part = Family::kAddsParts ? plan_.part_depth : k1;
    for (i64 n = n0; n < n1; n += panel) {
      const i64 width = Min(panel, n1 - n), vectors = CeilDivide(width, kLanes);
      const i64 last = width - (vectors - 1) * kLanes;
      const i64 most = Family::kMaxRows[vectors - 1], height = TileHeight(m1 - m0, most);
      for (i64 m = m0; m < m1; m += height) {
        const i64 rows = Min(height, m1 - m);
        const TileFunction tile = Family::Tiles(plan_).functions[vectors - 1][rows - 1];
        i64 k = k0;
        do {
          tile(Min(part, k1 - k), a + m * row_step + k * row_depth, row_step, row_depth,
               b + n + k * column_depth, column_depth, SumsInPlace(m, n), plan_.result_row_stride,
               last,
               k == k0              ? SumMode::kBegin
               : Family::kAddsParts ? SumMode::kAdd
                                    : SumMode::kContinue);
          k += part;
        } while (k < k1);
      }
    }
  }
  int MultiplyGroupsInPlace(i64 m0, i64 m1, i64 n0, i64 n1) {
    const i64 depth = plan_.depth.total;
    for (i64 n = n0; n < n1; n += plan_.block_columns) {
      const i64 width = Min(plan_.block_columns, n1 - n);
      for (i64 m = m0; m < m1; m += plan_.sum_rows) {
        const i64 height = Min(plan_.sum_rows, m1 - m);
        groups_.Clear();
        for (i64 k = 0; k < depth; k += plan_.group_depth) {
          if (IsStopped(run_)) return kKernelStopped;
          const i64 end = Min(depth, k + plan_.group_depth);
          MultiplyInPlace(m, m + height, n, n + width, k, end);
          EndPart(end, SumsInPlace(m, n), plan_.result_row_stride, height, width);
        }
      }
    }
    return kKernelOk;
  }

  // Few rows, and columns larger than a cache: each step of k is read along memory, once. The sums
  // of a part after the first of a group are kept apart until they are complete.
  int StreamColumns(i64 m0, i64 m1, i64 n0, i64 n1) {
    const i64 row_step = plan_.rows.dims[0].row_stride, depth = plan_.depth.total;
    const i64 row_depth = plan_.depth.dims[0].row_stride;
    const i64 column_depth = plan_.depth.dims[0].column_stride;
    const auto* a = static_cast<const Packed*>(rows_.At(0)) + m0 * row_step;
    for (i64 n = n0; n < n1; n += plan_.stream_columns) {
      const auto* b = static_cast<const Packed*>(columns_.At(0)) + n;
      const i64 width = Min(plan_.stream_columns, n1 - n);
      Sum* const c = SumsInPlace(m0, n);
      groups_.Clear();
      for (i64 k = 0; k < depth; k += plan_.part_depth) {
        if (IsStopped(run_)) return kKernelStopped;
        const i64 count = Min(plan_.part_depth, depth - k);
        const bool begins = ModeAt(k) == SumMode::kBegin;
        Family::Stream(m1 - m0, count, a + k * row_depth, row_step, row_depth, b + k * column_depth,
                       column_depth, begins ? c : sums_,
                       begins ? plan_.result_row_stride : plan_.stream_row, width);
        if (!begins) {
          JoinSums<Sum, true>(sums_, plan_.stream_row, c, plan_.result_row_stride, m1 - m0, width);
        }
        EndPart(k + count, c, plan_.result_row_stride, m1 - m0, width);
      }
    }
    return kKernelOk;
  }

  // Rows [m0, m1), whose sums are all kept, of a group of columns.
  int RunColumns(i64 m0, i64 m1, i64 n, i64 width) {
    const i64 depth = plan_.depth.total;
    const bool in_place = plan_.store == StoreKind::kInPlace;
    groups_.Clear();
    i64 k = 0;
    do {
      const i64 count = Min(plan_.block_depth, depth - k);
      FillOffsets(plan_.depth, &RoleDim::row_stride, k, count, row_depth_);
      FillOffsets(plan_.depth, &RoleDim::column_stride, k, count, column_depth_);
      PackColumns(n, width, count);
      for (i64 m = m0; m < m1; m += plan_.block_rows) {
        if (IsStopped(run_)) return kKernelStopped;
        const i64 height = Min(plan_.block_rows, m1 - m);
        MultiplyBlock(LoadRows(m, height, k, count), m, height, n, width, count, ModeAt(k));
      }
      EndPart(k + count, in_place ? SumsInPlace(m0, n) : sums_,
              in_place ? plan_.result_row_stride : SumRow(width), m1 - m0,
              in_place ? width : SumRow(width));
      k += plan_.block_depth;
    } while (k < depth);
    if (!in_place) Finish(m0, m1 - m0, n, width);
    return kKernelOk;
  }

  i64 PanelWidth() const { return plan_.vectors * kLanes; }
  // The row pitch of sums in scratch memory.
  i64 SumRow(i64 width) const { return RoundUp(width, kLanes) * kParts; }

  // Panels one after the other, each as wide as its vectors.
  void PackColumns(i64 n, i64 width, i64 count) {
    FillOffsets(plan_.columns, &RoleDim::column_stride, n, width, column_offsets_);
    const i64 padded = RoundUp(count, kUnit);
    Packed* panel = panels_;
    if constexpr (Family::kCopiesPanels) {
      if (width > 1 && AreNeighbours(column_offsets_, width)) {
        return CopyPanels(columns_, column_offsets_[0], width, PanelWidth(), column_depth_, count,
                          padded, panels_);
      }
    }
    for (i64 j = 0; j < width; j += PanelWidth()) {
      const i64 columns = Min(PanelWidth(), width - j), lanes = RoundUp(columns, kLanes);
      PackPanel<Family>(columns_, column_offsets_ + j, columns, lanes, column_depth_, count, panel);
      panel += padded * lanes * kParts;
    }
  }

  RowBlock LoadRows(i64 m, i64 height, i64 k, i64 count) {
    const RoleDim &row = plan_.rows.dims[0], &depth = plan_.depth.dims[0];
    if (plan_.rows_in_place) {
      return {rows_.At(m * row.row_stride + k * depth.row_stride), row.row_stride,
              depth.row_stride};
    }
    FillOffsets(plan_.rows, &RoleDim::row_stride, m, height, row_offsets_);
    const RowBlock block =
        PackRows<Family>(rows_, row_offsets_, height, row_depth_, count, row_block_);
    return block;
  }

  void MultiplyBlock(const RowBlock& block, i64 m, i64 height, i64 n, i64 width, i64 count,
                     SumMode sum_mode) {
    const i64 padded = RoundUp(count, kUnit), part = plan_.part_depth;
    const bool in_place = plan_.store == StoreKind::kInPlace;
    const i64 sum_step = in_place ? plan_.result_row_stride : SumRow(width);
    Sum* sums = in_place ? SumsInPlace(m, n) : sums_;
    const Packed* panel = panels_;
    const typename Family::Mode mode;
    for (i64 j = 0; j < width; j += PanelWidth()) {
      const i64 columns = Min(PanelWidth(), width - j), vectors = CeilDivide(columns, kLanes);
      const i64 last = in_place ? columns - (vectors - 1) * kLanes : kLanes;
      const i64 tile = TileHeight(height, Family::kMaxRows[vectors - 1]);
      const TileTable& tiles = Family::Tiles(plan_);
      for (i64 i = 0; i < height; i += tile) {
        const i64 rows = Min(tile, height - i);
        if (sum_mode == SumMode::kContinue)
          PrefetchSums(sums, i + rows, Min(tile, height - i - rows), sum_step, j, vectors);
        const TileFunction multiply = tiles.functions[vectors - 1][rows - 1];
        const auto* a = static_cast<const Element*>(Family::RowAt(block, i));
        Sum* const c = sums + i * sum_step + j * kParts;
        const i64 row = vectors * kLanes * kParts;
        if constexpr (Family::kAddsParts) {
          multiply(Min(part, padded), a, block.row_step, block.depth_step, panel, row, c, sum_step,
                   last, sum_mode);
          for (i64 k = part; k < padded; k += part) {
            multiply(Min(part, padded - k), a + k * block.depth_step, block.row_step,
                     block.depth_step, panel + k * row, row, c, sum_step, last, SumMode::kAdd);
          }
        } else {
          multiply(padded, a, block.row_step, block.depth_step, panel, row, c, sum_step, last,
                   sum_mode);
        }
      }
      panel += padded * vectors * kLanes * kParts;
    }
  }

  // The sums of the next tile were last touched a slice ago.
  static void PrefetchSums(const Sum* sums, i64 row, i64 rows, i64 sum_step, i64 column,
                           i64 vectors) {
    for (i64 i = 0; i < rows; ++i) {
      const Sum* x = sums + (row + i) * sum_step + column * kParts;
      for (i64 v = 0; v < vectors; ++v) __builtin_prefetch(x + v * kLanes * kParts, 1);
    }
  }

  // Sums of a block of rows become results.
  void Finish(i64 m, i64 height, i64 n, i64 width) {
    const i64 sum_row = SumRow(width);
    FillOffsets(plan_.columns, &RoleDim::result_stride, n, width, column_offsets_);
    const bool neighbours = AreNeighbours(column_offsets_, width);
    alignas(64) unsigned char buffer[kRun * 16];
    for (i64 i = 0; i < height; ++i) {
      const i64 row = batch_result_ + OffsetOf(plan_.rows, &RoleDim::result_stride, m + i);
      for (i64 j = 0; j < width; j += kRun) {
        const i64 columns = Min(kRun, width - j);
        const Sum* sums = sums_ + i * sum_row + j * kParts;
        if (neighbours) {
          unsigned char* out = result_ + (row + column_offsets_[j]) * plan_.result_bytes;
          Family::StoreRun(plan_, sums, columns, out);
        } else {
          Family::StoreRun(plan_, sums, columns, buffer);
          ScatterElements(buffer, columns, column_offsets_ + j, plan_.result_bytes,
                          result_ + row * plan_.result_bytes);
        }
      }
    }
  }

  const RunContext* run_;
  const DotPlan& plan_;
  void* const* buffers_;
  Source rows_, columns_;
  unsigned char* result_;
  i64 batch_result_ = 0;
  Packed *panels_, *row_block_;
  Sum* sums_;
  i64 *row_offsets_, *row_depth_, *column_depth_, *column_offsets_;
  GroupTree<Sum> groups_;
};

// The KernelFunction of a family: tiles of each batch element, columns (or rows) of tiles one after
// the other; neighbouring tiles are put together again.
template <typename Family>
int RunDot(const RunContext* run, const void* plan_bytes, void* const* buffers, i64 begin,
           i64 end) {
  const DotPlan& plan = *static_cast<const DotPlan*>(plan_bytes);
  Product<Family> product(run, plan, buffers);
  const i64 across = plan.by_rows ? plan.num_column_tiles : plan.num_row_tiles;
  const i64 per_batch = plan.num_row_tiles * plan.num_column_tiles;
  const auto rectangle = [&](i64 batch, i64 slow0, i64 slow1, i64 fast0, i64 fast1) {
    const i64 r0 = plan.by_rows ? slow0 : fast0, r1 = plan.by_rows ? slow1 : fast1;
    const i64 c0 = plan.by_rows ? fast0 : slow0, c1 = plan.by_rows ? fast1 : slow1;
    return product.Run(batch, r0 * plan.tile_rows, Min(plan.rows.total, r1 * plan.tile_rows),
                       c0 * plan.tile_columns, Min(plan.columns.total, c1 * plan.tile_columns));
  };
  i64 tile = begin;
  while (tile < end) {
    const i64 batch = per_batch == 1 ? tile : tile / per_batch, first = tile - batch * per_batch;
    const i64 last = Min(per_batch, first + end - tile);
    const i64 slow = first / across, fast = first - slow * across;
    i64 next;
    int status;
    if (fast != 0 || last - first < across) {  // a part of one line of tiles
      next = Min(last, (slow + 1) * across);
      status = rectangle(batch, slow, slow + 1, fast, fast + next - first);
    } else {
      const i64 lines = (last - first) / across;
      next = first + lines * across;
      status = rectangle(batch, slow, slow + lines, 0, across);
    }
    if (status != kKernelOk) return status;
    tile += next - first;
  }
  return kKernelOk;
}

}  // namespace axle::AXLE_ISA
