// Run folds: folds along rows whose reduced elements do not lie along one dimension of the loop,
// but in several long runs, one behind the other. Every array is read where it is:
//
//   sum over all i, j of x[i] * y[j]     the run of i = 0, then that of i = 1, ...
//
// The order of elements, and so the bits, are those of folds of rows (fold_step.h).
#pragma once
#include <memory>
#include <span>

#include "axle/codegen/steps/fold_step.h"

namespace axle {

struct RunFoldPlan {
  // The strides of the last two dimensions are those of the kernel: its rows are `lanes` neighbours
  // of a run, and its columns the lanes, into which it folds.
  std::shared_ptr<LoopPlan> loop;
  // Dimensions of the loop. The last reduced one is the last of all, the run.
  std::vector<size_t> kept, reduced;
  i64 num_reduced = 1, run = 1;
  i64 lanes = 1;
  size_t num_plain = 0;               // inputs, and outputs that are not folded
  std::vector<FoldPlan::Part> folds;  // the last operands of the loop
  // A tile is a result, or a part of one: some chunks. Then the tiles leave what they have folded
  // in the scratch memory, and JoinRunFold puts that together.
  i64 num_results = 1, parts_per_result = 1;
  i64 num_tiles() const { return num_results * parts_per_result; }
};

// `sizes` and `operands` as for PlanFold, of folds whose path is kRuns; sets the form of
// `spec`, which has its program and how its inputs are read. With `has_parts`, threads share few
// results.
std::shared_ptr<RunFoldPlan> PlanRunFold(const FoldShape& shape, std::span<const Fold> folds,
                                         const Dims& sizes, std::span<const LoopOperand> operands,
                                         bool has_parts, LoopKernelSpec& spec);
// The scratch memory that all tiles have together; 0 if a tile is a result.
i64 RunFoldPartBytes(const FoldShape& shape, size_t num_folds);

// The KernelFunctions of run folds. Buffers: inputs, outputs, folds, scratch memory if there is
// any. The second one comes after all tiles of the first.
int RunRunFold(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);
int JoinRunFold(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
