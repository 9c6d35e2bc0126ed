// Bytes are those of the values that a step reads and writes, each once; a step that passes values
// on has none.
#include "axle/eval/plan.h"
#include "axle/ir/source_place.h"
#include "axle/ops/work.h"

namespace axle {
namespace {

std::string_view KindOf(PlanStep::Kind kind) {
  switch (kind) {
    case PlanStep::Kind::kLanes:
      return "elementwise";
    case PlanStep::Kind::kIndexMap:
      return "move";
    case PlanStep::Kind::kElement:
      return "element";
    case PlanStep::Kind::kEval:
    case PlanStep::Kind::kDynamic:
      return "evaluate";
  }
  return "";
}

i64 BytesOf(const HloComputation& computation, std::uint32_t value) {
  return computation.instructions()[value]->shape().num_bytes();
}

void CountBytes(const HloComputation& computation, const PlanStep& step, StepDescription& to) {
  to.bytes_read = to.bytes_written = 0;
  if (MovesNothing(*step.inst)) return;
  for (const PlanOperand& operand : step.operands) {
    to.bytes_read += BytesOf(computation, operand.value);
  }
  for (const std::uint32_t result : step.results) to.bytes_written += BytesOf(computation, result);
}

StepGroupDescription Describe(const HloComputation& computation, const Plan& plan) {
  StepGroupDescription group = {&plan, std::string(computation.name()), {}};
  for (const PlanStep& step : plan.steps) {
    std::span<const Instruction* const> instructions = step.run;
    if (instructions.empty()) instructions = {&step.inst, 1};
    StepDescription& to = group.steps.emplace_back();
    to.name = instructions.back()->name();
    to.kind = KindOf(step.kind);
    to.engine = "interpreter";
    for (const Instruction* inst : instructions) {
      to.ops.push_back(
          {std::string(inst->name()), std::string(GetOpDef(*inst).text), SourcePlace(*inst)});
    }
    CountBytes(computation, step, to);
    to.flops = step.inst->callees().empty() || !MovesNothing(*step.inst)
                   ? FlopsOfAll(instructions)
                   : 0;  // that of the computations that it calls
  }
  return group;
}

}  // namespace

std::vector<StepGroupDescription> PlanCache::DescribeSteps() {
  const std::lock_guard lock(mutex_);
  std::vector<StepGroupDescription> groups;
  for (const auto& [computation, plan] : plans_) {
    if (plan != nullptr) groups.push_back(Describe(*computation, *plan));
  }
  return groups;
}

}  // namespace axle
