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
#include <optional>

#include "axle/codegen/steps/loop_step.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/lanes/reducer.h"
#include "axle/ops/reduce_kernels.h"

namespace axle {

// A reduction whose operand is [rows, reduced, columns], row-major: `reduced` elements that are
// `columns` apart become one.
struct FoldShape {
  i64 rows = 1, reduced = 1, columns = 1;
  // If there are more groups of dimensions: the factors of ResultAccess. `columns` are those behind
  // the last reduced one, `rows` all others that are kept.
  std::vector<AccessFactor> groups = {};
  i64 num_results() const { return rows * columns; }
  bool operator==(const FoldShape&) const = default;
};

struct Fold {
  ReducerKind kind;
  ElementType type;  // of the operand
  // kGeneral: this fold and the next ones are the accumulators of one reducer, which the first of
  // them has; and what this one starts from, an input of the region unless it is negative.
  std::shared_ptr<const LaneProgram> reducer = nullptr;
  i64 init_input = -1;
  std::uint64_t init_bits = 0;
  // Of a known kind: whether it starts from init_bits, and so gives the value of the reduction.
  bool has_init = false;
  // A complex sum is two sums, which the loop has as folds of their own.
  int num_parts() const { return IsComplex(type) ? 2 : 1; }
};

// The form in which `inst`, a reduction, can be compiled; nothing if it has none. A fold for each
// operand: one of a known kind, or any number of kind kGeneral.
struct FoldOf {
  FoldShape shape;
  std::vector<Fold> folds;
};
std::optional<FoldOf> FindFold(const Instruction& inst);

// Which result each position of the operand belongs to.
Access ResultAccess(const FoldShape& shape);
// Whether a loop over positions split into `sizes` can fold: unless it is staged, the reduced
// elements and the columns are dimensions of their own.
bool FoldFits(const FoldShape& shape, bool is_staged, const Dims& sizes);
// Whether a loop with this fold is one of staged_fold_step.h.
bool IsStaged(const FoldShape& shape, const Fold& fold);
bool IsStaged(const FoldShape& shape, std::span<const Fold> folds);

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
// The most bytes of a value of a fold that has partial results, and the most dimensions of a loop
// with folds.
inline constexpr i64 kMostFoldBytes = 8;
inline constexpr size_t kMaxFoldRank = 32;
// Columns that are folded at a time, so that their accumulators stay in the first-level cache.
inline constexpr i64 kColumnsPerTile = 1024;

// In which order a fold takes its elements.
enum class FoldOrder : std::uint8_t {
  kAny,     // it is exact
  kLanes,   // the canonical order, in several lanes
  kChunks,  // likewise, one after the other inside a chunk; there are several chunks
  kLeft,    // one after the other
};
FoldOrder OrderOf(const FoldShape& shape, const Fold& fold);
// Whether one loop can do both: their orders are the same, or go together.
bool CanFoldTogether(const FoldShape& shape, const Fold& a, const Fold& b);
// Scratch memory that one call of a step with so many folds needs, if it is not staged.
i64 FoldScratchBytes(const FoldShape& shape, size_t num_folds);

// In which of the two forms of kernels a loop with these folds is compiled.
FoldForm FormOf(const FoldShape& shape, std::span<const Fold> folds);
// How the kernel is compiled; `spec` has its program. The order of sums along rows is the canonical
// one, or with Rounding::kFast whatever suits vectors.
void SetFoldForm(LoopKernelSpec& spec, const FoldShape& shape, std::span<const Fold> folds,
                 Rounding rounding);
// `sizes` and `operands` as for PlanLoop, those of the folds included; `spec` after SetFoldForm.
std::shared_ptr<FoldPlan> PlanFold(const FoldShape& shape, std::span<const Fold> folds,
                                   const LoopKernelSpec& spec, const Dims& sizes,
                                   std::span<const LoopOperand> operands);

// As of a LoopPlan; `rows` divides shape.rows.
void TileByRows(FoldPlan& plan, i64 rows);
RowSizes RowSizesOf(const FoldPlan& plan);

// The KernelFunction of fold steps. Buffers: inputs, outputs, folds, scratch memory if there is
// any.
int RunFold(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
