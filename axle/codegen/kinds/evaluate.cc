// The kind of what has no compiled form of its own: the evaluator of its row runs.
#include <memory>

#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/schedule/region_kinds.h"
#include "axle/codegen/steps/evaluate_step.h"
#include "axle/core/strings.h"

namespace axle {

extern const RegionKindDef kEvaluateRegion;

namespace {

void AddRecord(RecordWriter& writer, Region& region) {
  const Instruction& inst = *region.instructions[0];
  auto evaluate = std::make_shared<EvaluatePlan>(EvaluatePlan{&inst, {}});
  for (const HloComputation* callee : inst.callees()) {
    CompiledComputation& compiled = writer.planner.computations().Applied(*callee);
    // A sort compares one by one.
    if (GetOpDef(inst).lowering != Lowering::kSort) writer.planner.LoopOf(compiled);
    evaluate->callees.push_back(&compiled);
  }
  writer.program.SetKernel(writer.program.AddRecord(writer.Places(), writer.name), &RunEvaluate,
                           std::move(evaluate));
}

}  // namespace

const RegionKindDef kEvaluateRegion = {
    .kind = RegionKind::kEvaluate,
    .engine = "evaluator",
    .why_alone =
        [](const Instruction& inst) {
          return StrCat("\"", inst.name(), "\" is not compiled: it runs in the evaluator of ",
                        GetOpDef(inst).text);
        },
    .add_record = AddRecord,
};

}  // namespace axle
