// Fold steps: compiled reductions, and whatever is computed on the way. A fold with a known reducer
// gives one value per result element, in the type in which the reduction is computed; joining it
// with the init and rounding is elementwise code on the results (LaneCompiler::AddFold), unless it
// can start from the init. Any other reducer is code of the loop and starts from its init.
//
// Only the order of numerics.md, N4 and "canonical order of long sums", decides about bits: the
// lanes of a chunk are in the compiled code, chunks are put together here. Folds whose elements are
// not in memory in the order that this takes are staged: staged_fold_step.h.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "axle/codegen/schedule/fold.h"
#include "axle/codegen/steps/loop_step.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/reduce_kernels.h"

namespace axle {

// A LoopPlan whose last operands are folds.
struct FoldPlan {
  std::shared_ptr<LoopPlan> loop;
  FoldShape shape;
  FoldForm form;
  struct Part {
    i64 bytes;  // bytes of a value
    FoldFn join = nullptr;
    std::uint64_t identity;
  };
  std::vector<Part> folds;
  i64 num_tiles = 1;
};

// How the kernel is compiled; `spec` has its program. The order of sums along rows is the canonical
// one, or with Rounding::kFast whatever suits vectors.
void SetFoldForm(LoopKernelSpec& spec, const FoldShape& shape, std::span<const Fold> folds,
                 FoldPath path, Rounding rounding);
// `sizes` and `operands` as for PlanLoop, those of the folds included; `spec` after SetFoldForm.
std::shared_ptr<FoldPlan> PlanFold(const FoldShape& shape, std::span<const Fold> folds,
                                   const LoopKernelSpec& spec, const Dims& sizes,
                                   std::span<const LoopOperand> operands);

// Like TileByRows and RowSizesOf of a LoopPlan; `rows` divides shape.rows.
void TileByRows(FoldPlan& plan, i64 rows);
RowSizes RowSizesOf(const FoldPlan& plan);

// The KernelFunction of fold steps. Buffers: inputs, outputs, folds, scratch memory if there is
// any.
int RunFold(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
