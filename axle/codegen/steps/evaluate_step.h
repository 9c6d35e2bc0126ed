// Evaluate steps: an instruction that has no compiled form of its own runs through its row's
// evaluator, on views of the values of the program. `axle explain` names them, so nothing falls
// back in silence.
#pragma once
#include <memory>

#include "axle/codegen/steps/literal_run.h"
#include "axle/core/kernel.h"
#include "axle/ops/op_def.h"

namespace axle {

struct EvaluatePlan {
  const Instruction* inst;
  std::vector<const CompiledComputation*> callees;
};

// The KernelFunction of evaluate steps; the run is a HostRun. Buffers: the blocks of the operands,
// then the blocks of the result.
int RunEvaluate(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
