// The compiler's state that rows of region kinds (schedule/region_kinds.h) plan with: the
// computations that are compiled so far, the table of kernels, and the target of the code.
#pragma once
#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "axle/codegen/kernel_cache/kernel_table.h"
#include "axle/codegen/steps/compiled_computations.h"
#include "axle/codegen/steps/step_time.h"
#include "axle/core/kernel.h"
#include "axle/kernels/instruction_set.h"

namespace axle {

struct PlannedStep {
  KernelFunction function = nullptr;  // null: there is no such step
  std::shared_ptr<const void> plan = nullptr;
  i64 num_tiles = 1;
  i64 scratch_bytes = 0;  // for each call that runs at the same time
  double nanoseconds = 0;
  std::vector<std::shared_ptr<const LoopPlan>> loops = {};  // compiled code that it runs, in order
  std::string_view reason = "";                             // why there is no such step, if known

  // Calls that run at a time.
  i64 NumParts(i64 num_threads) const {
    return IsWorthThreads(nanoseconds) ? std::min(num_threads, num_tiles) : 1;
  }
};

class StepPlanner {
 public:
  StepPlanner(const CompiledComputations& computations, KernelTable& kernels,
              InstructionSet instruction_set, Rounding rounding, bool is_checked, i64 num_threads)
      : computations_(computations),
        kernels_(kernels),
        instruction_set_(instruction_set),
        rounding_(rounding),
        is_checked_(is_checked),
        num_threads_(num_threads) {}

  const CompiledComputations& computations() const { return computations_; }
  KernelTable& kernels() { return kernels_; }
  InstructionSet instruction_set() const { return instruction_set_; }
  Rounding rounding() const { return rounding_; }
  bool is_checked() const { return is_checked_; }
  i64 num_threads() const { return num_threads_; }  // that a run may use

  // The loop of a computation of scalars over arrays, or null: it is no straight-line code, or of
  // too many arrays.
  std::shared_ptr<LoopPlan> LoopOf(CompiledComputation& computation);
  static bool FitsLoop(const LaneProgram& lanes) {
    return lanes.inputs.size() + lanes.outputs.size() <= kMaxLoopOperands;
  }

  // A kernel for steps that say themselves on what it runs. `spec` is of a loop or a merge.
  template <typename Spec = LoopKernelSpec>
  std::shared_ptr<LoopPlan> NewLoop(Spec spec) {
    auto loop = std::make_shared<LoopPlan>();
    loop->is_checked = is_checked_;
    kernels_.Add(std::move(spec), loop);
    return loop;
  }

 private:
  const CompiledComputations& computations_;
  KernelTable& kernels_;
  const InstructionSet instruction_set_;
  const Rounding rounding_;
  const bool is_checked_;
  const i64 num_threads_;
};

}  // namespace axle
