// Staged fold steps: folds whose elements do not lie in memory in the order in which they have to
// be taken, or not where vectors could read them. That is so for several groups of reduced
// dimensions, for a few columns whose sums have lanes, and for reducers of no known kind, which
// take one element of each result after the other: there vectors go along the results.
//
// A tile is a box of neighbouring results. Its elements are copied, a few thousand at a time, to
// where the kernel finds them in order; an array that can be read where it is, is not copied.
// Results of elementwise instructions on the way go back in the same manner.
//
// Few results of a reducer that chooses, as argmax does, leave most lanes empty, and each element
// waits for the one before. But most elements change nothing: a probe takes a block of elements at
// once, each with the accumulators as they are before the block. If none of them changes a bit, the
// elements would not do so one after the other either, and the block is done.
#pragma once
#include <memory>

#include "axle/codegen/steps/fold_step.h"

namespace axle {

struct StagedFoldPlan {
  // Strides of the last two dimensions are those of the kernel's rows.
  std::shared_ptr<LoopPlan> loop;
  FoldForm form;  // kRows: along the reduced elements of a result; kColumns: along results
  // Dimensions of the loop.
  std::vector<size_t> kept, reduced;
  i64 num_reduced = 1;
  // A tile is all of the kept dimensions behind kept[tile_dim], and most_along of that one.
  size_t tile_dim = 0;
  i64 most_along = 1, inner_results = 1;
  i64 num_tiles = 1;
  // Reduced elements of a call of the kernel: at most so many, all in one run of the dimensions
  // from reduced[run_dim] on.
  i64 reduced_per_step = 1, reduced_per_run = 1;
  size_t run_dim = 0;
  bool is_probed = false;   // a tile is one result, and a probe is worth its while
  bool has_chunks = false;  // a result for each chunk, which are put together
  size_t num_inputs = 0;
  // Inputs and outputs that are not folded: where they lie in the scratch memory, or -1 if the
  // kernel takes them where they are.
  Dims staged_at;
  Dims staged_bytes;  // there
  Dims element_bytes;
  // The last operands of the loop. Those of kGeneral have no join, and start from their init.
  std::vector<FoldPlan::Part> parts;
  Dims init_inputs;  // by part: an operand, or -1
  Dims partials_at;  // by part: offset in the scratch memory
  // The probe, or null: its operands are the inputs, then the accumulators, then a pred.
  std::shared_ptr<LoopPlan> probe;
  i64 scratch_bytes = 0;
};

// How the kernel of a loop with these folds, of which some are staged, is compiled, and its plan;
// `spec` has its program. The others as for PlanFold.
std::shared_ptr<StagedFoldPlan> PlanStagedFold(const FoldShape& shape, std::span<const Fold> folds,
                                               const Dims& sizes,
                                               std::span<const LoopOperand> operands,
                                               LoopKernelSpec& spec);

// The program of a probe, if the plan is better off with one; `spec` is that of its loop.
std::optional<LaneProgram> ProbeProgram(const LoopKernelSpec& spec, const StagedFoldPlan& plan);
// Gives the plan a probe, and tells how it is compiled. `program` is to live as long as the kernel.
LoopKernelSpec AddProbe(const LaneProgram& program, StagedFoldPlan& plan);

// An upper bound of StagedFoldPlan::scratch_bytes.
i64 StagedFoldScratchBytes(const FoldShape& shape, std::span<const Fold> folds,
                           const LaneProgram& program);

// The KernelFunction of staged fold steps. Buffers as of RunFold.
int RunStagedFold(const RunContext* run, const void* plan, void* const* buffers, i64 begin,
                  i64 end);

}  // namespace axle
