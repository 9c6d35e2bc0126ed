// How runs become lanes. In the canonical order, element r of a chunk belongs to lane r mod L. So a
// chunk is a matrix of L columns, and its lanes are what a fold of columns makes of it: a kernel of
// that form adds the elements, L at a time, to L accumulators in memory. Where a run begins or ends
// inside of such a row, the kernel gets the part of the row, and the accumulators of that part:
//
//   lanes      0 1 2 3 4 5 6 7      runs of 11 elements, L = 8
//              a a a a a a a a      the first run: a row,
//              a a a b b b b b      and a part; the second one: a part
//              b b b b b b c c      and another one
//
// At the end of a chunk the lanes are joined by halving, and chunks are put together as in
// fold_step.cc. Of a few long results, threads take parts, which are whole subtrees of the tree of
// chunks; one thread joins them afterwards, as if they were chunks.
#include "axle/codegen/steps/run_fold_step.h"

#include <algorithm>
#include <cstring>

#include "axle/codegen/steps/fold_partials.h"
#include "axle/ops/canonical_sum.h"

namespace axle {
namespace {

// The most lanes; as many for folds that any order is right for.
constexpr i64 kMostLanes = 64;
// Parts of results: a power of two of chunks, which takes some ten microseconds. So many results
// are enough for all threads as they are.
constexpr i64 kPartElements = 32 * kSumChunk;
constexpr i64 kManyResults = 64;

i64 PartsPerResult(const FoldShape& shape) {
  if (shape.num_results() >= kManyResults) return 1;
  return (shape.reduced + kPartElements - 1) / kPartElements;
}

class Folder {
 public:
  Folder(const RunFoldPlan& plan, void* const* buffers)
      : plan_(plan), loop_(*plan.loop), rank_(loop_.sizes.size()), buffers_(buffers) {
    SetLoopBounds(loop_, buffers, pointers_);
    for (size_t f = 0; f < plan.folds.size() && loop_.is_checked; ++f) {
      SetBounds(pointers_, loop_.offsets.size(), plan.num_plain + f, lanes_[f],
                plan.lanes * plan.folds[f].bytes);
    }
  }

  // The elements of a result, or of a part of it.
  int Run(i64 tile, LimitClock& clock) {
    const i64 part = tile % plan_.parts_per_result;
    const i64 first = part * kPartElements;
    const i64 last = plan_.parts_per_result == 1
                         ? plan_.num_reduced
                         : std::min(plan_.num_reduced, first + kPartElements);
    SetResult(tile / plan_.parts_per_result, first / plan_.run);
    std::vector<Partials> partials = NoPartials();
    i64 in_run = first % plan_.run;
    for (i64 r = first, count; r < last; r += count) {
      if (clock.IsOver()) return kKernelStopped;
      const i64 in_chunk = r % kSumChunk;
      if (in_chunk == 0) BeginChunk();
      count = std::min({plan_.run - in_run, last - r, kSumChunk - in_chunk});
      Add(in_run, in_chunk % plan_.lanes, count);
      clock.Did(count);
      in_run += count;
      if (in_run == plan_.run) {
        NextRun();
        in_run = 0;
      }
      const i64 end = r + count;
      if (end % kSumChunk == 0 || end == last) EndChunk(partials);
    }
    for (size_t f = 0; f < plan_.folds.size(); ++f) {
      std::byte* const to =
          plan_.parts_per_result == 1 ? at_[plan_.num_plain + f] : PartAt(f, tile);
      std::memcpy(to, partials[f].Finish(), static_cast<size_t>(plan_.folds[f].bytes));
    }
    return kKernelOk;
  }

  // A result, of its parts. They are subtrees of the tree of chunks.
  void Join(i64 result) {
    SetResult(result, /*first_run=*/0);
    std::vector<Partials> partials = NoPartials();
    for (size_t f = 0; f < plan_.folds.size(); ++f) {
      const auto bytes = static_cast<size_t>(plan_.folds[f].bytes);
      for (i64 part = 0; part < plan_.parts_per_result; ++part) {
        std::memcpy(partials[f].next(), PartAt(f, result * plan_.parts_per_result + part), bytes);
        partials[f].Added();
      }
      std::memcpy(at_[plan_.num_plain + f], partials[f].Finish(), bytes);
    }
  }

 private:
  i64 StrideOf(size_t operand, size_t dim) const { return loop_.strides[operand * rank_ + dim]; }

  std::vector<Partials> NoPartials() {
    std::vector<Partials> partials;
    for (size_t f = 0; f < plan_.folds.size(); ++f) {
      partials.emplace_back(plan_.folds[f], chunks_[f], 1);
    }
    return partials;
  }

  std::byte* PartAt(size_t f, i64 tile) const {
    auto* const scratch = static_cast<std::byte*>(buffers_[loop_.offsets.size()]);
    return scratch + (static_cast<i64>(f) * plan_.num_tiles() + tile) * kMaxFoldBytes;
  }

  // Goes to the first element of a run of a result.
  void SetResult(i64 result, i64 first_run) {
    for (size_t i = 0; i < loop_.offsets.size(); ++i) {
      i64 offset = loop_.offsets[i], rest = result;
      for (size_t k = plan_.kept.size(); k-- > 0 && rest > 0;) {
        const size_t d = plan_.kept[k];
        offset += rest % loop_.sizes[d] * StrideOf(i, d);
        rest /= loop_.sizes[d];
      }
      rest = first_run;
      for (size_t k = plan_.reduced.size() - 1; k-- > 0;) {
        const size_t d = plan_.reduced[k];
        index_[k] = rest % loop_.sizes[d];
        offset += index_[k] * StrideOf(i, d);
        rest /= loop_.sizes[d];
      }
      at_[i] = static_cast<std::byte*>(buffers_[i]) + offset;
    }
  }

  // Behind the last run it goes back to the first one.
  void NextRun() {
    for (size_t k = plan_.reduced.size() - 1; k-- > 0;) {
      const size_t d = plan_.reduced[k];
      const i64 size = loop_.sizes[d];
      const bool is_over = ++index_[k] == size;
      for (size_t i = 0; i < plan_.num_plain; ++i) {
        at_[i] += is_over ? (1 - size) * StrideOf(i, d) : StrideOf(i, d);
      }
      if (!is_over) return;
      index_[k] = 0;
    }
  }

  void BeginChunk() {
    for (size_t f = 0; f < plan_.folds.size(); ++f) {
      FillIdentity(plan_.folds[f], lanes_[f], plan_.lanes);
    }
  }

  // `count` elements of the run, from `first` on; the first one belongs to lane `lane`.
  void Add(i64 first, i64 lane, i64 count) {
    for (size_t i = 0; i < plan_.num_plain; ++i) {
      pointers_[i] = at_[i] + first * loop_.inner_strides[i];
    }
    if (lane > 0) {
      const i64 head = std::min(count, plan_.lanes - lane);
      AddRows(lane, head, 1);
      count -= head;
    }
    if (count >= plan_.lanes) AddRows(0, plan_.lanes, count / plan_.lanes);
    if (count % plan_.lanes > 0) AddRows(0, count % plan_.lanes, 1);
  }
  void AddRows(i64 lane, i64 width, i64 rows) {
    for (size_t f = 0; f < plan_.folds.size(); ++f) {
      pointers_[plan_.num_plain + f] = lanes_[f] + lane * plan_.folds[f].bytes;
    }
    loop_.kernel(pointers_, width, rows, loop_.outer_strides.data(), loop_.inner_strides.data());
    for (size_t i = 0; i < plan_.num_plain; ++i) {
      pointers_[i] = static_cast<std::byte*>(pointers_[i]) + width * rows * loop_.inner_strides[i];
    }
  }

  // A lane without elements still is the identity, which changes nothing.
  void EndChunk(std::span<Partials> partials) {
    for (size_t f = 0; f < plan_.folds.size(); ++f) {
      const FoldPlan::Part& fold = plan_.folds[f];
      for (i64 half = plan_.lanes / 2; half > 0; half /= 2) {
        fold.join(lanes_[f], lanes_[f] + half * fold.bytes, half, 1, 0);
      }
      std::memcpy(partials[f].next(), lanes_[f], static_cast<size_t>(fold.bytes));
      partials[f].Added();
    }
  }

  const RunFoldPlan& plan_;
  const LoopPlan& loop_;
  const size_t rank_;
  void* const* buffers_;
  i64 index_[kMaxFoldRank];  // of the run, by reduced dimension
  std::byte* at_[kMaxLoopOperands];
  void* pointers_[kMaxLoopPointers];
  alignas(64) std::byte lanes_[kMaxFolds][kMostLanes * kMaxFoldBytes];
  // One partial result per bit of the number of chunks.
  alignas(64) std::byte chunks_[kMaxFolds][64 * kMaxFoldBytes];
};

}  // namespace

std::shared_ptr<RunFoldPlan> PlanRunFold(const FoldShape& shape, std::span<const Fold> folds,
                                         const Dims& sizes, std::span<const LoopOperand> operands,
                                         bool has_parts, LoopKernelSpec& spec) {
  auto plan = std::make_shared<RunFoldPlan>();
  plan->loop = PlanLoop(sizes, operands);
  plan->num_reduced = shape.reduced;
  plan->num_plain = operands.size() - folds.size();
  plan->num_results = shape.num_results();
  if (has_parts) plan->parts_per_result = PartsPerResult(shape);
  const size_t rank = plan->loop->sizes.size();
  for (size_t d = 0; d < rank; ++d) {
    const bool is_kept = plan->loop->strides[plan->num_plain * rank + d] != 0;
    if (plan->loop->sizes[d] > 1) (is_kept ? plan->kept : plan->reduced).push_back(d);
  }
  plan->run = plan->loop->sizes.back();
  plan->lanes = std::ranges::none_of(folds, IsCanonical) ? kMostLanes : 0;
  SetFoldForm(spec, shape, folds, FoldPath::kRuns, Rounding::kStrict);
  for (size_t f = 0; f < folds.size(); ++f) {
    const Fold& fold = folds[f];
    const i64 bytes = operands[plan->num_plain + f].element_bytes;
    plan->folds.push_back(
        {bytes, FindFoldKernel(fold.kind, fold.type).fold, spec.folds[f].identity});
    // A fold that is exact in any order takes the lanes of the others.
    if (IsCanonical(fold)) plan->lanes = SumLanes(shape.reduced, shape.columns, fold.type);
    plan->loop->inner_strides[plan->num_plain + f] = bytes;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool is_plain = i < plan->num_plain;
    plan->loop->outer_strides[i] = is_plain ? plan->lanes * plan->loop->inner_strides[i] : 0;
  }
  spec.row_sizes = {.are_whole = false, .most = plan->lanes};
  return plan;
}

i64 RunFoldPartBytes(const FoldShape& shape, size_t num_folds) {
  const i64 parts = PartsPerResult(shape);
  if (parts == 1) return 0;
  return static_cast<i64>(num_folds) * shape.num_results() * parts * kMaxFoldBytes;
}

int RunRunFold(const RunContext* run, const void* data, void* const* buffers, i64 begin, i64 end) {
  Folder folder(*static_cast<const RunFoldPlan*>(data), buffers);
  LimitClock clock(run);
  for (i64 tile = begin; tile < end; ++tile) {
    if (const int result = folder.Run(tile, clock); result != kKernelOk) return result;
  }
  return kKernelOk;
}

int JoinRunFold(const RunContext*, const void* data, void* const* buffers, i64, i64) {
  const auto& plan = *static_cast<const RunFoldPlan*>(data);
  Folder folder(plan, buffers);
  for (i64 result = 0; result < plan.num_results; ++result) folder.Join(result);
  return kKernelOk;
}

}  // namespace axle
