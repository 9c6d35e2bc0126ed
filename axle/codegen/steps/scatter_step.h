// Scatter steps: the updates of an element one after the other, in the order of numerics.md N7,
// each window as rows of neighbours; a tile is a part of the result. A known computation runs in
// C++ loops, any other straight-line code as its compiled loop. Sums and products of narrow floats
// keep the elements that they touch as f32 in scratch memory (axle/ops/touched_elements.h).
#pragma once
#include <memory>
#include <optional>

#include "axle/codegen/steps/loop_step.h"
#include "axle/core/kernel.h"
#include "axle/emit/lane_program.h"
#include "axle/ir/module.h"
#include "axle/ops/reduce_kernels.h"
#include "axle/ops/touched_elements.h"

namespace axle {

// Steps and offsets are in elements.
struct ScatterPlan {
  // Positions of index vectors: along this dimension the next one, with the next window of updates.
  // Batching dimensions of the operand move with it, as far as the operand reaches.
  struct BatchDim {
    i64 count, limit;
    i64 update_step, index_step, operand_step;
  };
  // An entry of an index vector: a multiple of `stride` in the operand, in [0, max] or the window
  // is left out.
  struct Entry {
    i64 offset, stride, max;
  };
  struct WindowDim {
    i64 count, operand_step, update_step;
  };
  std::vector<BatchDim> batch;  // at least one
  std::vector<Entry> entries;
  ElementType index_type;
  std::vector<WindowDim> window;  // a window is so many rows ...
  i64 row = 1;                    // ... of so many neighbours
  i64 window_elements = 1;
  bool is_empty = false;  // no updates
  // A tile applies the updates of its part of the result, which no window leaves: so many units of
  // so many elements, shared by the tiles.
  i64 num_tiles = 1, num_units = 0, unit = 1;
  double nanoseconds = 0;
  struct Array {
    i64 element_bytes, bytes, update_bytes;
  };
  std::vector<Array> arrays;  // by operand

  enum class How : std::uint8_t { kOverwrite, kFold, kWideFold, kLoop };
  How how = How::kLoop;
  FoldKernel fold;                 // kFold, kWideFold
  TouchedPlan touched;             // kWideFold
  i64 scratch_bytes = 0;           // scratch memory of one call
  std::shared_ptr<LoopPlan> loop;  // kLoop: of the computation on rows; the caller's to fill in
};

// How a computation of one value of this type and one more is done to arrays, if it is known and
// there are loops for that: on the values as they are stored, or of sums and products of narrow
// floats on f32.
std::optional<FoldKernel> UpdateFold(const LaneProgram& computation, ElementType type);

// `inst` is a scatter of static shapes, `computation` what it applies. Null if it has no such form.
std::shared_ptr<ScatterPlan> PlanScatter(const Instruction& inst, const LaneProgram& computation);

// The KernelFunction of scatter steps: operands, indices, updates, then the results, which may be
// where the operands are, and scratch memory.
int RunScatter(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
