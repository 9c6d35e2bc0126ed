// The loop of a computation is made once, for all steps and evaluators that apply it to arrays.
#include "axle/codegen/kinds/step_planner.h"

namespace axle {

std::shared_ptr<LoopPlan> StepPlanner::LoopOf(CompiledComputation& computation) {
  if (!computation.lanes || computation.lanes_loop) return computation.lanes_loop;
  if (!FitsLoop(*computation.lanes)) return nullptr;
  const std::vector<InnerStride> strides(computation.lanes->inputs.size());
  computation.lanes_loop = NewLoop({&*computation.lanes, strides});
  return computation.lanes_loop;
}

}  // namespace axle
