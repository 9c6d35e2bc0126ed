#include "axle/codegen/evaluate_step.h"

#include <new>

#include "axle/core/strings.h"
#include "axle/ops/dynamic.h"

namespace axle {
namespace {

class CompiledCallee : public Callee {
 public:
  CompiledCallee(const CompiledComputation& compiled, HostRun& run)
      : compiled_(compiled), run_(run) {}

  StatusOr<Literal> Call(std::span<Literal> args) override {
    AXLE_TRY(run_.limits == nullptr ? Status() : run_.limits->Step());
    return RunOnLiterals(compiled_, args, run_);
  }
  const LaneProgram* lanes() override { return compiled_.lanes ? &*compiled_.lanes : nullptr; }

 private:
  const CompiledComputation& compiled_;
  HostRun& run_;
};

// Values that outlive the step, in a queue of the device, must not be views of the frame.
bool MayKeepOperands(const Instruction& inst) {
  return HasSideEffect(inst) || GetOpDef(inst).lowering == Lowering::kCollective;
}

StatusOr<Literal> Evaluate(const EvaluatePlan& plan, std::span<Literal> operands, HostRun& run) {
  std::vector<CompiledCallee> callees;
  callees.reserve(plan.callees.size());
  std::vector<Callee*> pointers;
  for (const CompiledComputation* callee : plan.callees) {
    pointers.push_back(&callees.emplace_back(*callee, run));
  }
  const EvalContext context = {pointers, run.executor(), run.limits, run.device, &run.state};
  if (IsDynamic(*plan.inst)) return EvaluateDynamic(*plan.inst, operands, context);
  return GetOpDef(*plan.inst).eval(*plan.inst, operands, context);
}

}  // namespace

int RunEvaluate(const RunContext* context, const void* data, void* const* buffers, i64, i64) {
  // Every run of this library is a HostRun.
  auto& run = *const_cast<HostRun*>(static_cast<const HostRun*>(context));
  const auto& plan = *static_cast<const EvaluatePlan*>(data);
  const Instruction& inst = *plan.inst;
  try {
    std::vector<Literal> operands;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      operands.push_back(ViewOfBlocks(inst.operand(i)->shape(), buffers));
      if (MayKeepOperands(inst)) operands.back().OwnStorage();
    }
    StatusOr<Literal> result = Evaluate(plan, operands, run);
    if (result.ok()) {
      CopyToBlocks(*result, inst.shape(), buffers);
      return kKernelOk;
    }
    run.status = result.status();
  } catch (const std::bad_alloc&) {
    run.status = ResourceExhausted(StrCat("execute: no memory for \"", inst.name(), "\""));
  }
  return kKernelFailed;
}

}  // namespace axle
