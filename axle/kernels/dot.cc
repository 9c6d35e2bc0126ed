// Plans of products: which operand is the rows', how large tiles and blocks are, what is read and
// written in place. Nothing here shows in the bits of a result.
#include "axle/kernels/dot.h"

#include <algorithm>

#include "axle/kernels/x86/entries.h"

namespace axle {
namespace {

// Measured on a server core of 2023 (48 KB and 2 MB of cache); kernels on others differ by a few
// percent.
constexpr i64 kBlockDepth = 512;
constexpr i64 kBlockRows = 144;
constexpr i64 kBlockColumns = 576;
constexpr i64 kSumRows = 240;               // whose sums are kept apart from the result
constexpr i64 kFirstLevelBytes = 32 << 10;  // of packed columns
constexpr i64 kInPlaceBytes = 600 << 10;    // of columns that are not packed
constexpr i64 kTileWork = 1 << 20;          // multiplications of a tile, at least
constexpr i64 kCanonicalWork = 1 << 16;  // likewise in the canonical order, which waits for memory
constexpr i64 kCanonicalChunk = 4096;    // elements, of ops/canonical_sum.h

const FamilyEntry& Entry(DotFamily family, InstructionSet instruction_set) {
  const auto i = static_cast<int>(family);
  return instruction_set == InstructionSet::kX86V4 ? isa_v4::kFamilies[i] : isa_v3::kFamilies[i];
}

// Appends a dimension, as a part of the one before where it goes on from it. False if there are too
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
// The distance of one element to the next where all have the same, else -1.
i64 StepOf(const RoleDims& role, i64 RoleDim::*stride) {
  if (role.count == 0) return 0;
  const RoleDim& last = role.dims[role.count - 1];
  i64 step = last.*stride;
  for (int d = role.count - 1; d > 0; --d) {
    if (role.dims[d - 1].*stride != role.dims[d].size * (role.dims[d].*stride)) return -1;
  }
  return step;
}

LoadKind LoadKindOf(ElementType type, ElementType factor, ElementType sum, DotFamily family) {
  if (family == DotFamily::kF32 || family == DotFamily::kTile) {
    if (type != factor) return LoadKind::kConvert;
    if (type == F32) return LoadKind::kSame;
    if (type == BF16) return LoadKind::kBF16;
    return type == F16 ? LoadKind::kF16 : LoadKind::kConvert;
  }
  const bool is_whole = IsIntegral(type) && IsIntegral(sum);
  switch (family) {
    case DotFamily::kPred:
      return type == PRED ? LoadKind::kU8 : LoadKind::kConvert;
    case DotFamily::kI16:
      // The bits that are cut off do not matter.
      if (is_whole && Info(type).bytes == 1) {
        return IsSigned(type) ? LoadKind::kS8 : LoadKind::kU8;
      }
      return is_whole && Info(type).bytes == 2 ? LoadKind::kSame : LoadKind::kConvert;
    case DotFamily::kI32:
    case DotFamily::kPairs:
      if (!is_whole || Info(type).bytes > 4) return LoadKind::kConvert;
      if (Info(type).bytes == 1) return IsSigned(type) ? LoadKind::kS8 : LoadKind::kU8;
      if (Info(type).bytes == 4) return LoadKind::kSame;
      if (family == DotFamily::kPairs) return LoadKind::kSame;
      return IsSigned(type) ? LoadKind::kS16 : LoadKind::kU16;
    default:
      return type == sum ? LoadKind::kSame : LoadKind::kConvert;
  }
}

// Can pairs of products of these be added up with 16-bit factors?
bool IsShort(ElementType type) {
  return IsIntegral(type) && (Info(type).bytes == 1 || type == S16);
}

DotFamily FamilyOf(const DotDescription& dot) {
  if (dot.order == DotOrder::kTile) return DotFamily::kTile;
  switch (dot.sum) {
    case F32:
      return DotFamily::kF32;
    case F64:
      return DotFamily::kF64;
    case C64:
      return DotFamily::kC64;
    case C128:
      return DotFamily::kC128;
    case PRED:
      return DotFamily::kPred;
    default:
      break;
  }
  if (Info(dot.sum).bytes <= 2) return DotFamily::kI16;
  if (Info(dot.sum).bytes == 8) return DotFamily::kI64;
  return IsShort(dot.lhs) && IsShort(dot.rhs) ? DotFamily::kPairs : DotFamily::kI32;
}

StoreKind StoreKindOf(const DotDescription& dot) {
  if (dot.sum == dot.result && !IsSubByte(dot.sum) && Info(dot.sum).bytes > 1) {
    return StoreKind::kSame;
  }
  if (dot.sum == F32 && dot.result == BF16) return StoreKind::kBF16;
  if (dot.sum == F32 && dot.result == F16) return StoreKind::kF16;
  return StoreKind::kConvert;
}

// The time of one step of k over all results, in cycles: two vector multiplications in each, at
// least four for every tile, whose sums wait for themselves; panels that do not stay in the
// first-level cache are loaded anew for every tile.
double CyclesPerStep(const FamilyEntry& entry, int vectors, i64 rows, i64 columns, i64 depth) {
  const i64 whole = (columns + entry.lanes - 1) / entry.lanes;
  const auto panel = [&](i64 across) {
    const i64 most = entry.max_rows[across - 1];
    const i64 tiles = (rows + most - 1) / most, height = (rows + tiles - 1) / tiles;
    const i64 bytes =
        std::min(depth, kBlockDepth) * across * entry.lanes * entry.parts * entry.packed_bytes;
    const double load =
        bytes > kFirstLevelBytes
            ? 2.7 * static_cast<double>(across * entry.lanes * entry.parts * entry.packed_bytes) /
                  64
            : 0;
    const auto tile = [&](i64 high) {
      return std::max({static_cast<double>(high * across) / 2, 4.0, load});
    };
    return static_cast<double>(tiles - 1) * tile(height) + tile(rows - (tiles - 1) * height);
  };
  const i64 rest = whole % vectors;
  return static_cast<double>(whole / vectors) * panel(vectors) + (rest > 0 ? panel(rest) : 0);
}

void ChooseTile(const FamilyEntry& entry, DotPlan& plan) {
  double best = 0;
  plan.vectors = 1;
  for (int vectors = 1; vectors <= 4; ++vectors) {
    if (entry.max_rows[vectors - 1] == 0) continue;
    const double cycles = CyclesPerStep(entry, vectors, std::max<i64>(1, plan.rows.total),
                                        std::max<i64>(1, plan.columns.total), plan.depth.total);
    if (vectors > 1 && cycles >= best) continue;
    best = cycles;
    plan.vectors = vectors;
  }
}

i64 RoundUp(i64 x, i64 unit) {
  return (x + unit - 1) / unit * unit;
}

// Equal parts of at most `most`, multiples of `unit`.
i64 EvenPart(i64 total, i64 most, i64 unit) {
  const i64 parts = std::max<i64>(1, (total + most - 1) / most);
  return std::max(unit, RoundUp((total + parts - 1) / parts, unit));
}

void ChooseInPlace(const FamilyEntry& entry, DotPlan& plan) {
  if (!entry.in_place) return;
  const i64 m = plan.rows.total, n = plan.columns.total, k = plan.depth.total;
  const i64 panel = plan.vectors * entry.lanes, bytes = entry.packed_bytes;
  const i64 most = entry.max_rows[plan.vectors - 1];
  const RoleDim &row = plan.rows.dims[0], &depth = plan.depth.dims[0];
  if (plan.row_operand.load == LoadKind::kSame && AreOneStep(plan.rows) && AreOneStep(plan.depth)) {
    const bool is_small = m * k * bytes <= 16 << 10;
    // Packed rows are read once per panel.
    const bool is_read_along =
        depth.row_stride <= 1 && (n <= 2 * panel || m * k * bytes <= 256 << 10);
    plan.rows_in_place =
        is_small || is_read_along || (row.row_stride <= 1 && m <= most && n <= panel);
  }
  const bool side_by_side = plan.columns.count == 0 ||
                            (plan.columns.count == 1 && plan.columns.dims[0].column_stride == 1);
  if (plan.column_operand.load == LoadKind::kSame && side_by_side && AreOneStep(plan.depth) &&
      plan.rows_in_place && plan.store == StoreKind::kInPlace) {
    const i64 step = depth.column_stride * bytes;
    // Steps of a large power of two fall on the same few lines of the first-level cache.
    const bool collides = k >= 64 && step % 512 == 0 && m >= 3 * most;
    plan.columns_in_place = n * k * bytes <= kInPlaceBytes && !collides;
  }
}

void ChooseBlocks(const FamilyEntry& entry, DotPlan& plan) {
  const i64 m = plan.rows.total, n = plan.columns.total, k = plan.depth.total;
  const i64 panel = plan.vectors * entry.lanes, most = entry.max_rows[plan.vectors - 1];
  const bool in_place = plan.store == StoreKind::kInPlace;
  plan.block_depth = EvenPart(k, kBlockDepth, std::max(4, entry.unit));
  plan.block_columns = EvenPart(n, std::max(panel, kBlockColumns / panel * panel), panel);
  plan.block_rows = EvenPart(m, in_place ? kBlockRows : kSumRows, std::clamp<i64>(m, 1, most));
  plan.sum_rows = in_place ? std::max<i64>(1, m) : plan.block_rows;

  plan.tile_columns = std::max<i64>(1, std::min(n, 2 * panel));
  const i64 row_work = std::max<i64>(1, k) * plan.tile_columns;
  plan.tile_rows = RoundUp(std::max<i64>(1, kTileWork / row_work), most);
  if (plan.tile_rows >= m) {
    plan.tile_rows = std::max<i64>(1, m);
    const i64 column_work = std::max<i64>(1, k) * plan.tile_rows;
    plan.tile_columns = std::min(std::max<i64>(1, n), RoundUp(kTileWork / column_work + 1, panel));
  }
  plan.num_row_tiles = (m + plan.tile_rows - 1) / plan.tile_rows;
  plan.num_column_tiles = (n + plan.tile_columns - 1) / plan.tile_columns;
  plan.by_rows = m > n;
}

// Parts of scratch memory, one behind the other.
class Scratch {
 public:
  i64 Add(i64 bytes) {
    const i64 begin = end_;
    end_ += RoundUp(bytes, 64);
    return begin;
  }
  i64 end() const { return end_; }

 private:
  i64 end_ = 0;
};

// Of the canonical order: tiles of rows.
void ChooseRows(DotPlan& plan) {
  const i64 k = std::max<i64>(1, plan.depth.total);
  const bool is_along = AreOneStep(plan.depth);
  const RoleDim& depth = plan.depth.dims[0];
  plan.rows_in_place =
      plan.row_operand.load == LoadKind::kSame && is_along && depth.row_stride <= 1;
  plan.columns_in_place =
      plan.column_operand.load == LoadKind::kSame && is_along && depth.column_stride <= 1;
  plan.tile_rows = std::max<i64>(1, std::min(plan.rows.total, RoundUp(kCanonicalWork / k + 1, 8)));
  plan.num_row_tiles = (plan.rows.total + plan.tile_rows - 1) / plan.tile_rows;
  plan.num_column_tiles = 1;
}

i64 PlanCanonicalScratch(const FamilyEntry& entry, DotPlan& plan) {
  const i64 chunk = std::min(kCanonicalChunk, std::max<i64>(1, plan.depth.total));
  const i64 bytes = entry.packed_bytes * entry.parts;
  Scratch scratch;
  plan.panels_at = scratch.Add(plan.columns_in_place ? 0 : plan.depth.total * bytes);
  plan.row_block_at = scratch.Add(plan.rows_in_place ? 0 : 8 * kCanonicalChunk * bytes);
  plan.offsets_at = scratch.Add(chunk * static_cast<i64>(sizeof(i64)));
  return scratch.end();
}

i64 PlanScratch(const FamilyEntry& entry, DotPlan& plan) {
  Scratch scratch;
  const i64 depth = RoundUp(plan.block_depth, entry.unit);
  const i64 width = RoundUp(plan.block_columns, entry.lanes) * entry.parts;
  const bool is_direct = plan.rows_in_place && plan.columns_in_place;
  if (is_direct && plan.store == StoreKind::kInPlace) return 0;
  plan.panels_at = scratch.Add(depth * width * entry.packed_bytes);
  plan.row_block_at =
      scratch.Add((RoundUp(depth, 16) + 16) * plan.block_rows * entry.packed_bytes * entry.parts);
  plan.sums_at =
      scratch.Add(plan.store == StoreKind::kInPlace ? 0 : plan.sum_rows * width * entry.sum_bytes);
  plan.offsets_at = scratch.Add((plan.block_rows + 2 * plan.block_depth + plan.block_columns) *
                                static_cast<i64>(sizeof(i64)));
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
#if !defined(__x86_64__)
  return refuse("there are no kernels for this processor's architecture");
#endif
  plan.family = FamilyOf(dot);
  const FamilyEntry& entry = Entry(plan.family, instruction_set);
  const bool is_canonical = dot.order == DotOrder::kCanonical;
  kernel.function = is_canonical ? entry.canonical : entry.dot;
  if (kernel.function == nullptr) return refuse("there is no kernel for this type");
  // Columns are the side whose elements are neighbours; where neither's are, or both's, the larger.
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
  // Of the canonical order, the side with one element is the vector.
  const i64 few = entry.lanes / 2;
  plan.is_flipped = is_canonical
                        ? num_rhs != 1
                        : num_rhs <= few && num_lhs > num_rhs && (lhs_is_along || !rhs_is_along);
  const bool fits =
      SetDims(dot.batch, plan.is_flipped, plan.batch) &&
      SetDims(plan.is_flipped ? dot.rhs_free : dot.lhs_free, plan.is_flipped, plan.rows) &&
      SetDims(plan.is_flipped ? dot.lhs_free : dot.rhs_free, plan.is_flipped, plan.columns) &&
      SetDims(dot.contracting, plan.is_flipped, plan.depth);
  if (!fits) return refuse("more than 8 dimensions of one role lie apart");
  if (!IsCountable(plan)) return refuse("the products cannot be counted in 64 bits");

  const auto operand = [&](bool is_rhs) {
    const ElementType type = is_rhs ? dot.rhs : dot.lhs;
    const ElementType factor = is_rhs ? dot.rhs_factor : dot.lhs_factor;
    return OperandPlan{is_rhs ? 1 : 0, type, factor, Info(type).bytes,
                       LoadKindOf(type, factor, dot.sum, plan.family)};
  };
  plan.row_operand = operand(plan.is_flipped);
  plan.column_operand = operand(!plan.is_flipped);
  plan.sum = dot.sum;
  plan.result = dot.result;
  plan.result_bytes = Info(dot.result).bytes;
  plan.store = StoreKindOf(dot);
  if (is_canonical) {
    plan.lanes = dot.lanes;
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
  ChooseTile(entry, plan);
  ChooseInPlace(entry, plan);
  ChooseBlocks(entry, plan);
  kernel.scratch_bytes = PlanScratch(entry, plan);
  kernel.num_tiles = plan.batch.total * plan.num_row_tiles * plan.num_column_tiles;
  return kernel;
}

}  // namespace axle
