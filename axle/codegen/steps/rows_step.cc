// How loops over the same rows run on a few rows at a time. For each block of rows, every step runs
// its own tiles of these rows, in order: the number of tiles of each step is a multiple of the
// number of rows (TileByRows). Steps address arrays from row 0 on. An array that lies in memory for
// one block therefore gets a pointer to where its row 0 would be.
#include "axle/codegen/steps/rows_step.h"

#include <algorithm>
#include <cstdint>

#include "axle/codegen/steps/loop_step.h"

namespace axle {

int RunRowSteps(const RunContext* run, const void* data, void* const* buffers, i64 begin, i64 end) {
  const RowsPlan& plan = *static_cast<const RowsPlan*>(data);
  void* operands[kMaxLoopOperands];
  LimitClock clock(run);
  for (i64 block = begin; block < end; ++block) {
    if (clock.IsOver()) return kKernelStopped;
    const i64 first = block * plan.rows_per_block;
    const i64 last = std::min(plan.rows, first + plan.rows_per_block);
    for (const RowsPlan::Step& step : plan.steps) {
      for (size_t i = 0; i < step.operands.size(); ++i) {
        const RowsPlan::Operand& operand = step.operands[i];
        if (!operand.is_local) {
          operands[i] = buffers[operand.place];
          continue;
        }
        // Where row 0 would be. Steps only touch the rows that there are.
        const auto scratch = reinterpret_cast<std::uintptr_t>(buffers[plan.scratch_place]);
        const i64 to_row_0 = operand.offset - first * operand.row_bytes;
        operands[i] = reinterpret_cast<void*>(scratch + static_cast<std::uintptr_t>(to_row_0));
      }
      const int result = step.function(run, step.plan, operands, first * step.tiles_per_row,
                                       last * step.tiles_per_row);
      if (result != kKernelOk) return result;
    }
    clock.Did((last - first) * plan.positions_per_row);
  }
  return kKernelOk;
}

}  // namespace axle
