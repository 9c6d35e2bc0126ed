// Select steps: select-and-scatters. A compiled loop goes through the windows of a slab
// (window_walk.h), one window position after the other, with the value that each window keeps and
// where it is; then the sources of the slab go to where their windows' values are, one after the
// other, in the order of numerics.md N7. Sums and products of narrow floats are f32 until a tile is
// done.
#pragma once
#include <memory>
#include <optional>

#include "axle/codegen/steps/loop_step.h"
#include "axle/codegen/steps/window_walk.h"
#include "axle/core/kernel.h"
#include "axle/emit/lane_program.h"
#include "axle/ir/module.h"
#include "axle/ops/reduce_kernels.h"

namespace axle {

struct SelectPlan {
  WindowShape window;
  ElementType type = F32;
  i64 element_bytes = 1;
  i64 num_elements = 1, num_sources = 1;
  // A tile is so many slabs, whose windows show nothing but this many elements.
  i64 slabs_per_tile = 1, elements_per_tile = 1;
  i64 num_tiles = 1;
  i64 scratch_bytes = 0;  // scratch memory of one call
  // SelectLoop on rows of neighbours, and on elements that are not neighbours, if there are any;
  // the caller fills them in.
  std::shared_ptr<LoopPlan> loop, apart;
  // How sources are joined with what they come to, if that is known; otherwise by this loop, on
  // one of them at a time, the caller's to fill in.
  std::optional<FoldKernel> fold;
  bool is_wide = false;  // results are f32 in scratch memory first
  std::shared_ptr<LoopPlan> scatter;
};

// The arrays of SelectLoop. Inputs are the values that are kept; their offsets, s32, negative if
// there is none yet; the next values; and their offset, which is the same for a row. Outputs are
// the first two again.
inline constexpr size_t kNumSelectArrays = 6;
// `select` is the computation that says which one is kept.
LaneProgram SelectLoop(const LaneProgram& select);

// The plan of a select-and-scatter of static shapes. Null if it has no such form.
std::shared_ptr<SelectPlan> PlanSelect(const Instruction& inst, const LaneProgram& scatter);

// The KernelFunction of select steps. Buffers: operand, source, init value, result, scratch memory.
int RunSelect(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
