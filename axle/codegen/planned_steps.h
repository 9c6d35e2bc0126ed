// Steps that are planned before memory is, because their plans say how much scratch memory they
// want, or that there is no such step and an evaluator is to do it: contractions, scatters, sorts
// and windows.
#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "axle/codegen/kernel_cache/kernel_table.h"
#include "axle/codegen/schedule/regions.h"
#include "axle/codegen/steps/compiled_computations.h"
#include "axle/core/kernel.h"
#include "axle/kernels/instruction_set.h"

namespace axle {

struct PlannedStep {
  KernelFunction function = nullptr;  // null: there is no such step
  std::shared_ptr<const void> plan = nullptr;
  i64 num_tiles = 1;
  i64 scratch_bytes = 0;  // of each call that runs at a time
  double nanoseconds = 0;
  std::vector<std::shared_ptr<const LoopPlan>> loops = {};  // compiled code that it runs, in order
  std::string_view reason = "";                             // why there is no such step, if known
};

class StepPlanner {
 public:
  StepPlanner(const CompiledComputations& computations, KernelTable& kernels,
              InstructionSet instruction_set, bool is_checked)
      : computations_(computations),
        kernels_(kernels),
        instruction_set_(instruction_set),
        is_checked_(is_checked) {}

  // Nothing for regions that are planned later. What they apply is compiled by now.
  std::optional<PlannedStep> Plan(const Region& region);
  // Of a contraction whose result lies where the elements of a part are by this access.
  PlannedStep PlanContractionInto(const Region& region, const Access& access) const;

  // The loop of a computation of scalars over arrays, or null: it is no straight-line code, or of
  // too many arrays.
  std::shared_ptr<LoopPlan> LoopOf(CompiledComputation& computation);

 private:
  PlannedStep MakeContraction(const Instruction& inst, const ContractionStrides* strides) const;
  PlannedStep MakeScatter(const Instruction& inst);
  PlannedStep MakeSort(const Instruction& inst);
  PlannedStep MakeWindow(const Instruction& inst);
  PlannedStep MakeSelect(const Instruction& inst);
  // A kernel for steps that say themselves on what it runs.
  template <typename Spec = LoopKernelSpec>
  std::shared_ptr<LoopPlan> NewLoop(Spec spec);

  const CompiledComputations& computations_;
  KernelTable& kernels_;
  const InstructionSet instruction_set_;
  const bool is_checked_;
};

}  // namespace axle
