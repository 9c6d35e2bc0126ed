// Plans matrix products. Nothing here shows in the bits of a result: the parts of k come from
// core/product_parts.h, blocks are whole parts.
//
// 1. Orientation: columns are the operand whose elements are adjacent along its free dimensions, so
//    that vectors run along them; the sides are swapped (is_flipped) if that is lhs.
// 2. In place or packed: small or few rows are read where they are; columns up to 600 KiB likewise,
//    unless their row pitch maps them to the same cache lines. With at most 8 rows and columns
//    larger than that, the columns are streamed from memory once (streams_columns).
// 3. Sizes: blocks of 144 rows, 512 deep and 576 columns (the panels fit the second-level cache),
//    register tiles by ChooseVectors, and tiles of at least 2^20 multiplications for threads.
//
// Many tiny matrices are multiplied side by side instead (x86/across.h), and so are short rows
// times a vector: each is a matrix of one row then.
//
// The canonical order (a matrix times a vector along its rows) has tiles of rows only. The
// constants were measured on a server core of 2023 (48 KB and 2 MB of cache); other cores differ by
// a few percent.

#include "axle/kernels/dot.h"

#include <algorithm>

#include "axle/core/sum_chunk.h"
#include "axle/kernels/planning.h"

namespace axle {
namespace {

constexpr i64 kBlockRows = 144;
constexpr i64 kBlockDepth = 512;
constexpr i64 kBlockColumns = 576;
constexpr i64 kSumRows = 240;         // rows whose sums are kept in scratch memory
constexpr i64 kGroupBlocks = 8;       // blocks of rows, in place, whose groups of parts are kept
constexpr i64 kStreamedBytes = 4096;  // of a row of sums, so that it stays in the first-level cache
constexpr i64 kInPlaceBytes = 600 << 10;  // of columns that are not packed
constexpr i64 kStreamedRows = 8;          // at most so many: columns are read once, not packed
constexpr i64 kStreamedWork = 1 << 18;    // factors of columns that make a tile
constexpr i64 kTileWork = 1 << 20;        // multiplications of a tile, at least
constexpr i64 kCanonicalWork = 1 << 16;   // likewise in the canonical order, which waits for memory
constexpr i64 kTinyColumns = 8;           // of tiny matrices: a tile would leave most lanes empty
constexpr i64 kTinyElements = 192;        // of all three matrices
constexpr i64 kAcrossMatrices = 256;      // of a tile, a multiple of the lanes of every vector

// Appends a dimension, merged with the one before if the strides allow. False if there are too
// many.
bool Append(RoleDims& role, const RoleDim& dim) {
  role.total *= dim.size;
  if (dim.size == 1) return true;
  if (role.count > 0) {
    RoleDim& last = role.dims[role.count - 1];
    if (last.row_stride == dim.size * dim.row_stride &&
        last.column_stride == dim.size * dim.column_stride &&
        last.result_stride == dim.size * dim.result_stride) {
      const i64 size = last.size * dim.size;
      last = dim;
      last.size = size;
      return true;
    }
  }
  if (role.count == kMaxRoleDims) return false;
  role.dims[role.count++] = dim;
  return true;
}

bool SetDims(std::span<const DotDim> dims, bool is_flipped, RoleDims& role) {
  for (const DotDim& dim : dims) {
    const RoleDim own = {dim.size, is_flipped ? dim.rhs_stride : dim.lhs_stride,
                         is_flipped ? dim.lhs_stride : dim.rhs_stride, dim.result_stride};
    if (!Append(role, own)) return false;
  }
  return true;
}

bool AreOneStep(const RoleDims& role) {
  return role.count <= 1;
}
// The distance from one element to the next if it is the same for all, otherwise -1.
i64 StepOf(const RoleDims& role, i64 RoleDim::*stride) {
  if (role.count == 0) return 0;
  const RoleDim& last = role.dims[role.count - 1];
  i64 step = last.*stride;
  for (int d = role.count - 1; d > 0; --d) {
    if (role.dims[d - 1].*stride != role.dims[d].size * (role.dims[d].*stride)) return -1;
  }
  return step;
}

void ChooseInPlace(const FamilyEntry& entry, DotPlan& plan) {
  if (!entry.in_place) return;
  const i64 m = plan.rows.total, n = plan.columns.total, k = plan.depth.total;
  const i64 panel = plan.vectors * entry.lanes, bytes = entry.packed_bytes;
  const i64 most = entry.max_rows[plan.vectors - 1];
  const RoleDim& depth = plan.depth.dims[0];
  if (plan.row_operand.load == LoadKind::kSame && AreOneStep(plan.rows) && AreOneStep(plan.depth)) {
    const bool is_small = m * k * bytes <= 16 << 10;
    // Packed rows are read once per panel.
    const bool is_read_along =
        depth.row_stride <= 1 && (n <= 2 * panel || m * k * bytes <= 256 << 10);
    plan.rows_in_place = is_small || is_read_along || m <= most;
  }
  const bool side_by_side = plan.columns.count == 0 ||
                            (plan.columns.count == 1 && plan.columns.dims[0].column_stride == 1);
  if (plan.column_operand.load == LoadKind::kSame && side_by_side && AreOneStep(plan.depth) &&
      plan.rows_in_place && plan.store == StoreKind::kInPlace) {
    const i64 step = depth.column_stride * bytes;
    // Row pitches that are multiples of 512 bytes map to few sets of the first-level cache.
    const bool collides = k >= 64 && step % 512 == 0 && m >= 3 * most;
    plan.columns_in_place = n * k * bytes <= kInPlaceBytes && !collides;
    const bool is_float = plan.family == DotFamily::kF32 || plan.family == DotFamily::kF64;
    plan.streams_columns = is_float && !plan.columns_in_place && m <= kStreamedRows && k > 0;
  }
}

void ChooseDepths(const FamilyEntry& entry, const PartRule& rule, DotPlan& plan) {
  const i64 part = PartsOf(rule, 1, plan.depth.total, entry.unit).elements;
  // A power of two, so that a group of parts is some whole blocks.
  i64 parts = 1;
  while (2 * parts * part <= kBlockDepth && 2 * parts <= rule.group_parts) parts *= 2;
  plan.part_depth = part;
  plan.group_depth = part * rule.group_parts;
  plan.block_depth = std::min(part * parts, RoundUpTo(std::max<i64>(1, plan.depth.total), part));
}

void ChooseBlocks(const FamilyEntry& entry, DotPlan& plan) {
  const i64 m = plan.rows.total, n = plan.columns.total, k = plan.depth.total;
  const i64 panel = plan.vectors * entry.lanes, most = entry.max_rows[plan.vectors - 1];
  const bool in_place = plan.store == StoreKind::kInPlace;
  plan.block_columns = EvenPart(n, std::max(panel, kBlockColumns / panel * panel), panel);
  plan.block_rows = EvenPart(m, in_place ? kBlockRows : kSumRows, std::clamp<i64>(m, 1, most));
  plan.sum_rows = in_place ? std::max<i64>(1, m) : plan.block_rows;
  if (in_place && k > plan.group_depth) {
    plan.sum_rows = std::min(plan.sum_rows, kGroupBlocks * plan.block_rows);
  }

  plan.tile_columns = std::max<i64>(1, std::min(n, 2 * panel));
  const i64 row_work = std::max<i64>(1, k) * plan.tile_columns;
  plan.tile_rows = RoundUpTo(std::max<i64>(1, kTileWork / row_work), most);
  if (plan.tile_rows >= m) {
    plan.tile_rows = std::max<i64>(1, m);
    const i64 column_work = std::max<i64>(1, k) * plan.tile_rows;
    plan.tile_columns =
        std::min(std::max<i64>(1, n), RoundUpTo(kTileWork / column_work + 1, panel));
  }
  if (plan.streams_columns) {  // bound by memory: smaller tiles, so that threads share it
    plan.tile_columns = std::min(n, RoundUpTo(std::max<i64>(256, kStreamedWork / k), panel));
    plan.stream_columns = kStreamedBytes / entry.sum_bytes;
    plan.stream_row =
        plan.stream_columns + 64 / entry.sum_bytes;  // each row on cache lines of its own
  }
  plan.num_row_tiles = (m + plan.tile_rows - 1) / plan.tile_rows;
  plan.num_column_tiles = (n + plan.tile_columns - 1) / plan.tile_columns;
  plan.by_rows = m > n;
}

// The canonical order: tiles of rows.
void ChooseRows(DotPlan& plan) {
  const i64 k = std::max<i64>(1, plan.depth.total);
  const bool is_along = AreOneStep(plan.depth);
  const RoleDim& depth = plan.depth.dims[0];
  plan.rows_in_place =
      plan.row_operand.load == LoadKind::kSame && is_along && depth.row_stride <= 1;
  plan.columns_in_place =
      plan.column_operand.load == LoadKind::kSame && is_along && depth.column_stride <= 1;
  plan.tile_rows =
      std::max<i64>(1, std::min(plan.rows.total, RoundUpTo(kCanonicalWork / k + 1, 8)));
  plan.num_row_tiles = (plan.rows.total + plan.tile_rows - 1) / plan.tile_rows;
  plan.num_column_tiles = 1;
}

i64 PlanCanonicalScratch(const FamilyEntry& entry, DotPlan& plan) {
  const i64 chunk = std::min(kSumChunk, std::max<i64>(1, plan.depth.total));
  const i64 bytes = entry.packed_bytes * entry.parts;
  ScratchLayout scratch;
  plan.panels_at = scratch.Add(plan.columns_in_place ? 0 : plan.depth.total * bytes);
  plan.row_block_at = scratch.Add(plan.rows_in_place ? 0 : 8 * kSumChunk * bytes);
  plan.offsets_at = scratch.Add(chunk * static_cast<i64>(sizeof(i64)));
  return scratch.end();
}

i64 PlanScratch(const FamilyEntry& entry, DotPlan& plan) {
  ScratchLayout scratch;
  const i64 depth = RoundUpTo(plan.block_depth, entry.unit);
  const i64 width = RoundUpTo(plan.block_columns, entry.lanes) * entry.parts;
  const bool in_place = plan.store == StoreKind::kInPlace;
  const bool is_direct = plan.rows_in_place && (plan.columns_in_place || plan.streams_columns);
  const i64 num_parts = (plan.depth.total + plan.part_depth - 1) / plan.part_depth;
  const i64 waiting = WaitingGroups(num_parts, plan.group_depth / plan.part_depth);
  const i64 columns = plan.streams_columns ? plan.stream_columns : width;
  plan.group_size = waiting == 0 ? 0 : plan.sum_rows * columns;
  plan.groups_at = scratch.Add(waiting * plan.group_size * entry.sum_bytes);
  if (is_direct && in_place) {
    if (plan.streams_columns && num_parts > 1) {
      plan.sums_at = scratch.Add(plan.rows.total * plan.stream_row * entry.sum_bytes);
    }
    return scratch.end();
  }
  plan.panels_at = scratch.Add(depth * width * entry.packed_bytes);
  plan.row_block_at =
      scratch.Add((RoundUpTo(depth, 16) + 16) * plan.block_rows * entry.packed_bytes * entry.parts);
  plan.sums_at = scratch.Add(in_place ? 0 : plan.sum_rows * width * entry.sum_bytes);
  plan.offsets_at = scratch.Add((plan.block_rows + 2 * plan.block_depth + plan.block_columns) *
                                static_cast<i64>(sizeof(i64)));
  return scratch.end();
}

// Whether matrices are multiplied side by side. Rows that are short sums are matrices then.
bool ChooseAcross(const FamilyEntry& entry, DotPlan& plan) {
  if (entry.across == nullptr || plan.row_operand.load != LoadKind::kSame ||
      plan.column_operand.load != LoadKind::kSame || plan.store != StoreKind::kSame) {
    return false;
  }
  const i64 n = plan.columns.total, k = plan.depth.total;
  const bool is_chain = !plan.is_canonical || plan.lanes == 1;
  if (!is_chain || n == 0 || k == 0 || n > kTinyColumns || k > kTinyElements) return false;
  const auto elements = [&](i64 m) { return m * k + k * n + m * n; };
  if (plan.rows.total <= kTinyElements && elements(plan.rows.total) <= kTinyElements) {
    return plan.batch.total >= entry.lanes;
  }
  if (!plan.is_canonical || plan.rows.total < entry.lanes || elements(1) > kTinyElements)
    return false;
  RoleDims batch = plan.batch;
  for (int d = 0; d < plan.rows.count; ++d) {
    RoleDim dim = plan.rows.dims[d];
    dim.column_stride = 0;
    if (!Append(batch, dim)) return false;
  }
  plan.batch = batch;
  plan.rows = {};
  return true;
}

i64 PlanAcrossScratch(const FamilyEntry& entry, DotPlan& plan) {
  const i64 m = plan.rows.total, n = plan.columns.total, k = plan.depth.total;
  const i64 bytes = entry.lanes * entry.sum_bytes;
  ScratchLayout scratch;
  plan.row_block_at = scratch.Add(m * k * bytes);
  plan.panels_at = scratch.Add(k * n * bytes);
  plan.sums_at = scratch.Add(m * n * bytes);
  plan.offsets_at = scratch.Add((m * k + k * n + m * n) * static_cast<i64>(sizeof(i64)));
  return scratch.end();
}

// Can results of this many elements and operands' work be counted in 64 bits?
bool IsCountable(const DotPlan& plan) {
  i64 all = 1;
  for (const RoleDims* role : {&plan.batch, &plan.rows, &plan.columns, &plan.depth}) {
    if (__builtin_mul_overflow(all, std::max<i64>(1, role->total), &all)) return false;
  }
  return true;
}

}  // namespace

DotKernel PlanDot(const DotDescription& dot, InstructionSet instruction_set) {
  DotKernel kernel;
  DotPlan& plan = kernel.plan;
  const auto refuse = [&](std::string_view reason) {
    kernel.reason = reason;
    return kernel;
  };
  const FamilyEntry* family = FindFamily(FamilyOf(dot.types), instruction_set);
  if (family == nullptr) return refuse("there are no kernels for this processor's architecture");
  const FamilyEntry& entry = *family;
  const bool is_canonical = dot.types.order == DotOrder::kCanonical;
  kernel.function = is_canonical ? entry.canonical : entry.dot;
  // Columns are the side whose elements are adjacent; if both or neither are, the larger one.
  const auto product = [](std::span<const DotDim> dims) {
    i64 total = 1;
    for (const DotDim& dim : dims) total *= dim.size;
    return total;
  };
  const auto last_stride = [](std::span<const DotDim> dims, i64 DotDim::*stride) {
    for (size_t d = dims.size(); d-- > 0;) {
      if (dims[d].size != 1) return dims[d].*stride;
    }
    return i64{0};
  };
  const bool lhs_is_along = last_stride(dot.lhs_free, &DotDim::lhs_stride) == 1;
  const bool rhs_is_along = last_stride(dot.rhs_free, &DotDim::rhs_stride) == 1;
  const i64 num_lhs = product(dot.lhs_free), num_rhs = product(dot.rhs_free);
  const bool result_is_along_lhs = num_rhs > 1 &&
                                   last_stride(dot.lhs_free, &DotDim::result_stride) == 1 &&
                                   last_stride(dot.rhs_free, &DotDim::result_stride) != 1;
  // In the canonical order the side with one free element is the vector.
  const i64 few = entry.lanes / 2;
  const bool is_flipped =
      is_canonical ? num_rhs != 1
                   : result_is_along_lhs ||
                         (num_rhs <= few && num_lhs > num_rhs && (lhs_is_along || !rhs_is_along));
  const bool fits = SetDims(dot.batch, is_flipped, plan.batch) &&
                    SetDims(is_flipped ? dot.rhs_free : dot.lhs_free, is_flipped, plan.rows) &&
                    SetDims(is_flipped ? dot.lhs_free : dot.rhs_free, is_flipped, plan.columns) &&
                    SetDims(dot.contracting, is_flipped, plan.depth);
  if (!fits) return refuse("more than 8 dimensions of one role lie apart");
  if (!IsCountable(plan)) return refuse("the products cannot be counted in 64 bits");

  SetTypes(dot.types, is_flipped, plan);
  plan.is_canonical = is_canonical;
  if (is_canonical) plan.lanes = dot.lanes;
  if (ChooseAcross(entry, plan)) {
    kernel.function = entry.across;
    plan.batch_tile = kAcrossMatrices;
    kernel.scratch_bytes = PlanAcrossScratch(entry, plan);
    kernel.num_tiles = (plan.batch.total + plan.batch_tile - 1) / plan.batch_tile;
    return kernel;
  }
  if (is_canonical) {
    ChooseRows(plan);
    kernel.scratch_bytes = PlanCanonicalScratch(entry, plan);
    kernel.num_tiles = plan.batch.total * plan.num_row_tiles;
    return kernel;
  }
  const i64 row_step = StepOf(plan.rows, &RoleDim::result_stride);
  const i64 column_step = StepOf(plan.columns, &RoleDim::result_stride);
  if (plan.store == StoreKind::kSame && entry.in_place && row_step >= 0 &&
      (column_step == 1 || plan.columns.total == 1)) {
    plan.store = StoreKind::kInPlace;
    plan.result_row_stride = row_step;
  }
  ChooseDepths(entry, PartRuleOf(dot.types), plan);
  plan.vectors =
      ChooseVectors(entry, plan.rows.total, plan.columns.total, plan.depth.total, plan.part_depth);
  ChooseInPlace(entry, plan);
  ChooseBlocks(entry, plan);
  kernel.scratch_bytes = PlanScratch(entry, plan);
  kernel.num_tiles = plan.batch.total * plan.num_row_tiles * plan.num_column_tiles;
  return kernel;
}

}  // namespace axle
