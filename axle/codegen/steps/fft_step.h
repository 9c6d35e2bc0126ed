// Steps of fft: one kernel (axle/kernels/fft.h) for each transformed dimension, one after the
// other. The tables of roots are made with the plan.
#pragma once
#include <memory>
#include <vector>

#include "axle/core/kernel.h"
#include "axle/ir/module.h"
#include "axle/kernels/fft.h"

namespace axle {

// One dimension. Buffers: where the values come from, where they go to, scratch memory.
struct FftDimension {
  FftKernelPlan kernel;
  KernelFunction function = nullptr;
  double nanoseconds = 0;
};

struct FftStep {
  std::vector<FftDimension> dimensions;  // in the order in which they run
  // Of the values that dimensions before the last one leave, if they do not fit into the result.
  i64 between_bytes = 0;
  std::vector<std::shared_ptr<const void>> tables;
};

// `inst` is an fft of static shape. Null: there is nothing to compute, or the tables would be too
// large to keep; then its evaluator makes them for each run.
std::shared_ptr<const FftStep> PlanFftStep(const Instruction& inst, InstructionSet instruction_set);

}  // namespace axle
