// How reductions in order run. A fold of at most kSumChunk elements is one call of the kernel:
// along rows it stores one value per row, and along columns it joins all rows with accumulators
// that begin as the identity. Longer ones go chunk by chunk; a row of 10,000 elements has chunks of
// 4096, 4096 and 1808:
//
//   p0, p1        joined as soon as both are there: p01
//   p2            waits
//   the end       joins p01 and p2
//
// Each chunk is folded into the next place of a stack (Partials), and the stack is a binary tree in
// the order of docs/numerics.md, with one entry per bit of the number of chunks. A tile is some
// short rows, one long row, or up to kColumnsPerTile columns. A result belongs to one tile, and its
// order is fixed by the shape alone, so neither the number of threads nor the width of vectors
// changes a bit.
#include "axle/codegen/steps/fold_step.h"

#include <algorithm>
#include <cstring>

#include "axle/codegen/steps/fold_partials.h"
#include "axle/ops/canonical_sum.h"

namespace axle {
namespace {

// Bytes of accumulators if the order is free: enough to hide the latency of an operation.
constexpr i64 kFreeLaneBytes = 256;

}  // namespace

// The lanes of a kernel are those of the canonical order if one of its folds has that order, at
// least 16. With fewer lanes in the order itself, elements are joined one after the other
// (in_order). If any order is right, or with kFast, there are as many lanes as hide the latency.
void SetFoldForm(LoopKernelSpec& spec, const FoldShape& shape, std::span<const Fold> folds,
                 FoldPath path, Rounding rounding) {
  spec.form = FormOf(shape, folds, path);
  const bool any_lanes =
      std::ranges::none_of(folds, IsCanonical) ||
      (rounding == Rounding::kFast &&
       std::ranges::none_of(folds, [](const Fold& fold) { return IsComplex(fold.type); }));
  i64 widest = 4;
  for (const Fold& fold : folds) widest = std::max<i64>(widest, Info(fold.type).bytes);
  const i64 free_lanes = kFreeLaneBytes / widest;
  const LaneArray* output = &spec.program->outputs[spec.program->outputs.size() - folds.size()];
  for (const Fold& fold : folds) {
    const LaneType type = (output++)->type;
    if (fold.kind == ReducerKind::kGeneral) {
      spec.folds.push_back({.reducer = fold.reducer.get()});
      continue;
    }
    const std::uint64_t start = fold.has_init ? fold.init_bits : IdentityBits(fold.kind, type);
    spec.folds.push_back({PrimitiveOf(fold.kind), start});
    if (spec.form != FoldForm::kRows) continue;
    if (any_lanes) {
      spec.lanes = static_cast<int>(shape.reduced < free_lanes ? 16 : free_lanes);
      continue;
    }
    // A fold that is exact in any order takes the lanes of the others.
    const i64 lanes = SumLanes(shape.reduced, shape.columns, fold.type);
    if (IsCanonical(fold) || spec.lanes == 0) {
      spec.in_order = lanes == 1 && IsCanonical(fold);
      spec.lanes = static_cast<int>(std::max<i64>(lanes, 16));
    }
  }
}

std::shared_ptr<FoldPlan> PlanFold(const FoldShape& shape, std::span<const Fold> folds,
                                   const LoopKernelSpec& spec, const Dims& sizes,
                                   std::span<const LoopOperand> operands) {
  auto plan = std::make_shared<FoldPlan>();
  plan->loop = PlanLoop(sizes, operands);
  plan->shape = shape;
  plan->form = spec.form;
  for (size_t f = 0; f < folds.size(); ++f) {
    const FoldKernel kernel = FindFoldKernel(folds[f].kind, folds[f].type);
    const LoopOperand& result = operands[operands.size() - folds.size() + f];
    plan->folds.push_back({result.element_bytes, kernel.fold, spec.folds[f].identity});
  }
  if (plan->form == FoldForm::kColumns) {
    plan->num_tiles = shape.rows * ((shape.columns + kColumnsPerTile - 1) / kColumnsPerTile);
  } else {
    plan->num_tiles = shape.reduced > kSumChunk ? shape.rows : plan->loop->num_tiles;
  }
  return plan;
}

void TileByRows(FoldPlan& plan, i64 rows) {
  if (plan.form != FoldForm::kRows || plan.shape.reduced > kSumChunk) return;  // they are so
  TileByRows(*plan.loop, rows);
  plan.num_tiles = plan.loop->num_tiles;
}

RowSizes RowSizesOf(const FoldPlan& plan) {
  constexpr i64 kWhole = RowSizes::kWhole;
  static_assert(kSumChunk % kWhole == 0 && kColumnsPerTile % kWhole == 0);
  const i64 row = plan.form == FoldForm::kColumns ? plan.shape.columns : plan.shape.reduced;
  if (plan.loop->sizes.back() != row) return {};
  return {.are_whole = row % kWhole == 0, .most = row};
}

namespace {

// The pointers of a kernel call at a position, given by its index in each dimension of the loop.
void PointersAt(const LoopPlan& loop, void* const* buffers, std::span<const i64> index,
                void** pointers) {
  const size_t rank = loop.sizes.size();
  for (size_t i = 0; i < loop.offsets.size(); ++i) {
    i64 offset = loop.offsets[i];
    for (size_t d = 0; d < rank; ++d) offset += index[d] * loop.strides[i * rank + d];
    pointers[i] = static_cast<std::byte*>(buffers[i]) + offset;
  }
}

// The index of row `row` of all but the last `inner` dimensions.
void IndexOf(const LoopPlan& loop, size_t inner, i64 row, std::span<i64> index) {
  std::ranges::fill(index, 0);
  for (size_t d = loop.sizes.size() - inner; d-- > 0; row /= loop.sizes[d]) {
    index[d] = row % loop.sizes[d];
  }
}

// Folds one row of more than a chunk.
int FoldLongRow(const FoldPlan& plan, void* const* buffers, i64 row, LimitClock& clock) {
  const LoopPlan& loop = *plan.loop;
  const size_t num_operands = loop.offsets.size(), num_folds = plan.folds.size();
  i64 index[kMaxFoldRank];
  void* pointers[kMaxLoopPointers];
  void* results[kMaxLoopOperands];
  IndexOf(loop, 1, row, {index, loop.sizes.size()});
  PointersAt(loop, buffers, {index, loop.sizes.size()}, pointers);
  SetLoopBounds(loop, buffers, pointers);
  std::copy(pointers + num_operands - num_folds, pointers + num_operands, results);
  // One partial result per bit of the number of chunks.
  alignas(64) std::byte memory[kMaxFolds][64 * kMaxFoldBytes];
  std::vector<Partials> partials;
  for (size_t f = 0; f < num_folds; ++f) partials.emplace_back(plan.folds[f], memory[f], 1);
  for (i64 begin = 0; begin < plan.shape.reduced; begin += kSumChunk) {
    if (clock.IsOver()) return kKernelStopped;
    for (size_t f = 0; f < num_folds; ++f) {
      FoldInto(loop, num_operands - num_folds + f, partials[f], pointers);
    }
    const i64 count = std::min(kSumChunk, plan.shape.reduced - begin);
    loop.kernel(pointers, count, 1, loop.outer_strides.data(), loop.inner_strides.data());
    clock.Did(count);
    for (Partials& partial : partials) partial.Added();
    for (size_t i = 0; i < num_operands - num_folds; ++i) {
      pointers[i] = static_cast<std::byte*>(pointers[i]) + count * loop.inner_strides[i];
    }
  }
  for (size_t f = 0; f < num_folds; ++f) {
    std::memcpy(results[f], partials[f].Finish(), static_cast<size_t>(plan.folds[f].bytes));
  }
  return kKernelOk;
}

// Folds `width` columns of one row, from column `column` on.
int FoldColumns(const FoldPlan& plan, void* const* buffers, i64 row, i64 column, i64 width,
                LimitClock& clock) {
  const LoopPlan& loop = *plan.loop;
  const size_t num_operands = loop.offsets.size(), num_folds = plan.folds.size();
  const size_t first_fold = num_operands - num_folds;
  i64 index[kMaxFoldRank];
  void* pointers[kMaxLoopPointers];
  IndexOf(loop, 2, row, {index, loop.sizes.size()});
  index[loop.sizes.size() - 1] = column;
  PointersAt(loop, buffers, {index, loop.sizes.size()}, pointers);
  SetLoopBounds(loop, buffers, pointers);
  if (plan.shape.reduced <= kSumChunk) {
    for (size_t f = 0; f < num_folds; ++f) {
      FillIdentity(plan.folds[f], static_cast<std::byte*>(pointers[first_fold + f]), width);
    }
    loop.kernel(pointers, width, plan.shape.reduced, loop.outer_strides.data(),
                loop.inner_strides.data());
    clock.Did(plan.shape.reduced * width);
    return kKernelOk;
  }
  auto* scratch = static_cast<std::byte*>(buffers[num_operands]);
  std::vector<Partials> partials;
  void* results[kMaxLoopOperands];
  std::copy(pointers + first_fold, pointers + num_operands, results);
  for (const FoldPlan::Part& fold : plan.folds) {
    partials.emplace_back(fold, scratch, width);
    scratch += PartialBytes(plan.shape);
  }
  for (i64 begin = 0; begin < plan.shape.reduced; begin += kSumChunk) {
    if (clock.IsOver()) return kKernelStopped;
    for (size_t f = 0; f < num_folds; ++f) {
      FillIdentity(plan.folds[f], partials[f].next(), width);
      FoldInto(loop, first_fold + f, partials[f], pointers);
    }
    const i64 count = std::min(kSumChunk, plan.shape.reduced - begin);
    loop.kernel(pointers, width, count, loop.outer_strides.data(), loop.inner_strides.data());
    clock.Did(count * width);
    for (Partials& partial : partials) partial.Added();
    for (size_t i = 0; i < first_fold; ++i) {
      pointers[i] = static_cast<std::byte*>(pointers[i]) + count * loop.outer_strides[i];
    }
  }
  for (size_t f = 0; f < num_folds; ++f) {
    std::memcpy(results[f], partials[f].Finish(), static_cast<size_t>(partials[f].bytes()));
  }
  return kKernelOk;
}

}  // namespace

int RunFold(const RunContext* run, const void* data, void* const* buffers, i64 begin, i64 end) {
  const FoldPlan& plan = *static_cast<const FoldPlan*>(data);
  const FoldShape& shape = plan.shape;
  const bool is_long = shape.reduced > kSumChunk;
  if (plan.form == FoldForm::kRows && !is_long) {
    return RunRows(run, *plan.loop, buffers, begin, end);
  }
  const i64 blocks = (shape.columns + kColumnsPerTile - 1) / kColumnsPerTile;
  LimitClock clock(run);
  for (i64 tile = begin; tile < end; ++tile) {
    if (clock.IsOver()) return kKernelStopped;
    int result = kKernelOk;
    if (plan.form == FoldForm::kRows) {
      result = FoldLongRow(plan, buffers, tile, clock);
    } else {
      const i64 column = tile % blocks * kColumnsPerTile;
      const i64 width = std::min(kColumnsPerTile, shape.columns - column);
      result = FoldColumns(plan, buffers, tile / blocks, column, width, clock);
    }
    if (result != kKernelOk) return result;
  }
  return kKernelOk;
}

}  // namespace axle
