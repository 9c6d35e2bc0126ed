#include "axle/codegen/move_step.h"

#include <cstring>

#include "axle/codegen/literal_run.h"

namespace axle {

std::shared_ptr<const MovePlan> PlanMove(const Region& region, const Schedule& schedule) {
  auto plan = std::make_shared<MovePlan>();
  const Instruction& inst = *region.instructions[0];
  plan->num_operands = region.inputs.size();
  plan->result_bytes = schedule.values[region.outputs[0]].bytes;
  if (!region.map) {
    std::vector<StridedDim> dims;
    const Access& access = region.inputs[0].access;
    i64 to_step = inst.shape().num_elements();
    for (const AccessFactor& factor : access.factors) {
      to_step /= factor.size;
      dims.push_back({factor.size, to_step, factor.stride});
    }
    plan->pieces.emplace_back(dims, access.offset, Info(inst.shape().type()).bytes);
    return plan;
  }
  std::vector<const Shape*> shapes;
  for (i64 i = 0; i < inst.num_operands(); ++i) shapes.push_back(&inst.operand(i)->shape());
  for (const IndexPiece& piece : *region.map)
    plan->pieces.emplace_back(piece, inst.shape(), shapes);
  plan->starts_from_zeros = region.map->empty();
  if (!region.in_place.empty()) plan->whole_operand = static_cast<int>(region.in_place[0].input);
  return plan;
}

int RunMove(const RunContext* context, const void* data, void* const* buffers, i64, i64) {
  auto& run = *const_cast<HostRun*>(static_cast<const HostRun*>(context));
  const auto& plan = *static_cast<const MovePlan*>(data);
  std::byte* const result = static_cast<std::byte*>(buffers[plan.num_operands]);
  if (plan.starts_from_zeros) std::memset(result, 0, static_cast<size_t>(plan.result_bytes));
  for (size_t p = 0; p < plan.pieces.size(); ++p) {
    if (p == 0 && plan.whole_operand >= 0 && buffers[plan.whole_operand] == result) continue;
    run.status = plan.pieces[p].Run(buffers, result, run.limits);
    if (!run.status.ok()) return kKernelFailed;
  }
  return kKernelOk;
}

}  // namespace axle
