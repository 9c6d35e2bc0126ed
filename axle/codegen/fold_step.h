// Fold steps: compiled reductions with a known reducer, and whatever is computed on the way. A fold
// gives one value per result element, in the type in which the reduction is computed; joining it
// with the init and rounding is elementwise code on the results (LaneCompiler::AddFold).
//
// Only the order of numerics.md, "canonical order of long sums", decides about bits: the lanes of a
// chunk are in the compiled code, chunks are put together here.
#pragma once
#include <memory>
#include <optional>

#include "axle/codegen/loop_step.h"
#include "axle/ops/reduce_kernels.h"
#include "axle/ops/reducer.h"

namespace axle {

// A reduction whose operand is [rows, reduced, columns], row-major: `reduced` elements that are
// `columns` apart become one.
struct FoldShape {
  i64 rows = 1, reduced = 1, columns = 1;
  i64 num_results() const { return rows * columns; }
  bool operator==(const FoldShape&) const = default;
};

struct Fold {
  ReducerKind kind;
  ElementType type;  // of the operand
};

// The form in which `inst`, a reduction, can be compiled; nothing if it has none.
struct FoldOf {
  FoldShape shape;
  Fold fold;
};
std::optional<FoldOf> FindFold(const Instruction& inst);

// Which result each position of the operand belongs to.
Access ResultAccess(const FoldShape& shape);
// Whether a loop over positions split into `sizes` can fold: the reduced elements and the columns
// are dimensions of their own.
bool FoldFits(const FoldShape& shape, const Dims& sizes);

// A LoopPlan whose last operands are folds.
struct FoldPlan {
  std::shared_ptr<LoopPlan> loop;
  FoldShape shape;
  FoldForm form;
  struct Part {
    i64 bytes;  // of a value
    FoldFn join = nullptr;
    std::uint64_t identity;
  };
  std::vector<Part> folds;
  i64 num_tiles = 1;
};

// Folds of one loop.
inline constexpr size_t kMaxFolds = 8;
// Whether one loop can do both: their order of lanes is the same, or one of them has none.
bool CanFoldTogether(const FoldShape& shape, const Fold& a, const Fold& b);
// Scratch memory that one call of a step with so many folds needs.
i64 FoldScratchBytes(const FoldShape& shape, size_t num_folds);

// How the kernel of a loop with these folds is compiled; `spec` has its program and inputs.
void SetFoldForm(LoopKernelSpec& spec, const FoldShape& shape, std::span<const Fold> folds);
// `sizes` and `operands` as for PlanLoop, those of the folds included; `spec` after SetFoldForm.
std::shared_ptr<FoldPlan> PlanFold(const FoldShape& shape, std::span<const Fold> folds,
                                   const LoopKernelSpec& spec, const Dims& sizes,
                                   std::span<const LoopOperand> operands);

// As of a LoopPlan; `rows` divides shape.rows.
void TileByRows(FoldPlan& plan, i64 rows);

// The KernelFunction of fold steps. Buffers: inputs, outputs, folds, scratch memory if there is
// any.
int RunFold(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
