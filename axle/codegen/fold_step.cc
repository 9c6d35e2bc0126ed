#include "axle/codegen/fold_step.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "axle/ops/canonical_sum.h"
#include "axle/ops/lane_compiler.h"

namespace axle {
namespace {

// Columns that are folded at a time, so that their accumulators stay in the first-level cache.
constexpr i64 kColumnsPerTile = 1024;
constexpr i64 kMostFoldBytes = 8;    // of a value
constexpr size_t kMaxFoldRank = 32;  // of a loop with folds
// Positions between two looks at the limits.
constexpr i64 kSlicePositions = i64{1} << 20;

bool IsCanonical(const Fold& fold) {
  return (fold.kind == ReducerKind::kAdd || fold.kind == ReducerKind::kMultiply) &&
         IsFloating(fold.type);
}

// Merged dimensions: [rows, reduced, columns], or nothing if they alternate more often.
std::optional<FoldShape> ShapeOf(const Shape& operand, const Dims& dimensions) {
  std::vector<std::pair<bool, i64>> groups;
  for (i64 d = 0; d < operand.rank(); ++d) {
    if (operand.dim(d) == 1) continue;
    const bool is_reduced = std::ranges::find(dimensions, d) != dimensions.end();
    if (!groups.empty() && groups.back().first == is_reduced) {
      groups.back().second *= operand.dim(d);
    } else {
      groups.emplace_back(is_reduced, operand.dim(d));
    }
  }
  FoldShape shape;
  if (!groups.empty() && !groups.back().first) {
    shape.columns = groups.back().second;
    groups.pop_back();
  }
  if (groups.empty()) return std::nullopt;
  shape.reduced = groups.back().second;
  groups.pop_back();
  if (!groups.empty()) {
    shape.rows = groups.back().second;
    groups.pop_back();
  }
  return groups.empty() ? std::optional(shape) : std::nullopt;
}

// Partial results of one fold of columns. A binary tree of chunks has one per bit of their number,
// and the next one.
i64 PartialBytes(const FoldShape& shape) {
  const i64 chunks = (shape.reduced + kSumChunk - 1) / kSumChunk;
  const auto partials = static_cast<i64>(std::bit_width(static_cast<std::uint64_t>(chunks))) + 1;
  return partials * std::min(shape.columns, kColumnsPerTile) * kMostFoldBytes;
}

}  // namespace

bool CanFoldTogether(const FoldShape& shape, const Fold& a, const Fold& b) {
  if (shape.columns > 1 || !IsCanonical(a) || !IsCanonical(b)) return true;
  return SumLanes(shape.reduced, 1, a.type) == SumLanes(shape.reduced, 1, b.type);
}

std::optional<FoldOf> FindFold(const Instruction& inst) {
  const Shape& result = inst.shape();
  if (!result.is_array() || inst.num_operands() != 2) return std::nullopt;
  const Shape& operand = inst.operand(0)->shape();
  const ElementType type = operand.type();
  const bool same_types = type == result.type() && type == inst.operand(1)->shape().type();
  if (!same_types || IsComplex(type) || (IsSubByte(type) && !IsFloating(type)) ||
      operand.num_elements() == 0) {
    return std::nullopt;
  }
  const std::optional<LaneProgram> reducer = CompileScalarComputation(*inst.callee(0));
  if (!reducer) return std::nullopt;
  const ReducerKind kind = ClassifyReducer(*reducer, {&type, 1})[0];
  if (kind == ReducerKind::kGeneral) return std::nullopt;
  const auto shape = ShapeOf(operand, inst.attrs<DimensionsAttrs>().dimensions);
  if (!shape) return std::nullopt;
  const Fold fold{kind, type};
  // A few columns side by side whose sums have lanes.
  if (shape->columns > 1 && IsCanonical(fold) &&
      SumLanes(shape->reduced, shape->columns, type) > 1) {
    return std::nullopt;
  }
  return FoldOf{*shape, fold};
}

Access ResultAccess(const FoldShape& shape) {
  Access access;
  const auto add = [&](i64 size, i64 stride) {
    if (size > 1) access.factors.push_back({size, stride});
  };
  add(shape.rows, shape.columns);
  add(shape.reduced, 0);
  add(shape.columns, 1);
  return access;
}

bool FoldFits(const FoldShape& shape, const Dims& sizes) {
  const size_t rank = sizes.size();
  if (rank == 0 || rank > kMaxFoldRank) return false;
  if (shape.columns == 1) return sizes[rank - 1] == shape.reduced;
  return rank >= 2 && sizes[rank - 1] == shape.columns && sizes[rank - 2] == shape.reduced;
}

void SetFoldForm(LoopKernelSpec& spec, const FoldShape& shape, std::span<const Fold> folds) {
  spec.form = shape.columns == 1 ? FoldForm::kRows : FoldForm::kColumns;
  const LaneArray* output = &spec.program->outputs[spec.program->outputs.size() - folds.size()];
  for (const Fold& fold : folds) {
    const LaneType type = (output++)->type;
    spec.folds.push_back({PrimitiveOf(fold.kind), IdentityBits(fold.kind, type)});
    if (spec.form != FoldForm::kRows) continue;
    // What is exact in any order does as the others.
    const i64 lanes = SumLanes(shape.reduced, 1, fold.type);
    if (IsCanonical(fold) || spec.lanes == 0) {
      spec.in_order = lanes == 1 && IsCanonical(fold);
      spec.lanes = static_cast<int>(std::max<i64>(lanes, 16));
    }
  }
}

i64 FoldScratchBytes(const FoldShape& shape, size_t num_folds) {
  if (shape.columns == 1 || shape.reduced <= kSumChunk) return 0;
  return static_cast<i64>(num_folds) * PartialBytes(shape);
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

namespace {

// Partial results of chunks, as canonical_sum.h's ChunkTree keeps them, in memory of the caller's.
class Partials {
 public:
  Partials(const FoldPlan::Part& fold, std::byte* memory, i64 width)
      : fold_(fold), memory_(memory), width_(width) {}
  // Where the next chunk's result goes.
  std::byte* next() const { return memory_ + used_ * bytes(); }
  void Added() {
    ++used_;
    ++count_;
    for (i64 n = count_; n % 2 == 0; n /= 2) JoinLastTwo();
  }
  const std::byte* Finish() {
    while (used_ > 1) JoinLastTwo();
    return memory_;
  }
  i64 bytes() const { return width_ * fold_.bytes; }

 private:
  void JoinLastTwo() {
    --used_;
    fold_.join(memory_ + (used_ - 1) * bytes(), memory_ + used_ * bytes(), width_, 1, 0);
  }

  const FoldPlan::Part& fold_;
  std::byte* memory_;
  i64 width_;
  i64 used_ = 0, count_ = 0;
};

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

// One row of more than a chunk.
void FoldLongRow(const FoldPlan& plan, void* const* buffers, i64 row) {
  const LoopPlan& loop = *plan.loop;
  const size_t num_operands = loop.offsets.size(), num_folds = plan.folds.size();
  i64 index[kMaxFoldRank];
  void* pointers[kMaxLoopOperands];
  void* results[kMaxLoopOperands];
  IndexOf(loop, 1, row, {index, loop.sizes.size()});
  PointersAt(loop, buffers, {index, loop.sizes.size()}, pointers);
  std::copy(pointers + num_operands - num_folds, pointers + num_operands, results);
  // One partial result per bit of the number of chunks.
  alignas(64) std::byte memory[kMaxFolds][64 * kMostFoldBytes];
  std::vector<Partials> partials;
  for (size_t f = 0; f < num_folds; ++f) partials.emplace_back(plan.folds[f], memory[f], 1);
  for (i64 begin = 0; begin < plan.shape.reduced; begin += kSumChunk) {
    for (size_t f = 0; f < num_folds; ++f) {
      pointers[num_operands - num_folds + f] = partials[f].next();
    }
    const i64 count = std::min(kSumChunk, plan.shape.reduced - begin);
    loop.kernel(pointers, count, 1, loop.outer_strides.data(), loop.inner_strides.data());
    for (Partials& partial : partials) partial.Added();
    for (size_t i = 0; i < num_operands - num_folds; ++i) {
      pointers[i] = static_cast<std::byte*>(pointers[i]) + count * loop.inner_strides[i];
    }
  }
  for (size_t f = 0; f < num_folds; ++f) {
    std::memcpy(results[f], partials[f].Finish(), static_cast<size_t>(plan.folds[f].bytes));
  }
}

void FillIdentity(const FoldPlan::Part& fold, std::byte* to, i64 width) {
  DispatchBytes(static_cast<int>(fold.bytes), [&]<typename T>() {
    if constexpr (sizeof(T) <= sizeof(fold.identity)) {
      std::fill_n(reinterpret_cast<T*>(to), width, static_cast<T>(fold.identity));
    }
  });
}

// `width` columns of one row, from column `column` on.
void FoldColumns(const FoldPlan& plan, void* const* buffers, i64 row, i64 column, i64 width) {
  const LoopPlan& loop = *plan.loop;
  const size_t num_operands = loop.offsets.size(), num_folds = plan.folds.size();
  const size_t first_fold = num_operands - num_folds;
  i64 index[kMaxFoldRank];
  void* pointers[kMaxLoopOperands];
  IndexOf(loop, 2, row, {index, loop.sizes.size()});
  index[loop.sizes.size() - 1] = column;
  PointersAt(loop, buffers, {index, loop.sizes.size()}, pointers);
  if (plan.shape.reduced <= kSumChunk) {
    for (size_t f = 0; f < num_folds; ++f) {
      FillIdentity(plan.folds[f], static_cast<std::byte*>(pointers[first_fold + f]), width);
    }
    loop.kernel(pointers, width, plan.shape.reduced, loop.outer_strides.data(),
                loop.inner_strides.data());
    return;
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
    for (size_t f = 0; f < num_folds; ++f) {
      FillIdentity(plan.folds[f], partials[f].next(), width);
      pointers[first_fold + f] = partials[f].next();
    }
    const i64 count = std::min(kSumChunk, plan.shape.reduced - begin);
    loop.kernel(pointers, width, count, loop.outer_strides.data(), loop.inner_strides.data());
    for (Partials& partial : partials) partial.Added();
    for (size_t i = 0; i < first_fold; ++i) {
      pointers[i] = static_cast<std::byte*>(pointers[i]) + count * loop.outer_strides[i];
    }
  }
  for (size_t f = 0; f < num_folds; ++f) {
    std::memcpy(results[f], partials[f].Finish(), static_cast<size_t>(partials[f].bytes()));
  }
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
  i64 since_look = 0;
  for (i64 tile = begin; tile < end; ++tile) {
    if (plan.form == FoldForm::kRows) {
      FoldLongRow(plan, buffers, tile);
      since_look += shape.reduced;
    } else {
      const i64 column = tile % blocks * kColumnsPerTile;
      const i64 width = std::min(kColumnsPerTile, shape.columns - column);
      FoldColumns(plan, buffers, tile / blocks, column, width);
      since_look += shape.reduced * width;
    }
    if (since_look < kSlicePositions) continue;
    if (tile + 1 < end && run->stopped(run)) return kKernelStopped;
    since_look = 0;
  }
  return kKernelOk;
}

}  // namespace axle
