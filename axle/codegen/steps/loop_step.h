// Loop steps: a compiled loop over any number of dimensions. The two innermost are in the compiled
// code, the others are walked here.
#pragma once
#include <memory>
#include <vector>

#include "axle/codegen/schedule/access.h"
#include "axle/codegen/spec/checked_kernel.h"
#include "axle/codegen/spec/kernel_spec.h"
#include "axle/core/kernel.h"

namespace axle {

// The pointers that a loop gets if it is checked.
inline constexpr size_t kMaxLoopPointers = NumCheckedPointers(kMaxLoopOperands);
// Positions between two looks at the limits.
inline constexpr i64 kSlicePositions = i64{1} << 20;
// When to look. Asked before each part, so that what is complete is never thrown away.
class LimitClock {
 public:
  explicit LimitClock(const RunContext* run) : run_(run) {}
  bool IsOver() {
    if (since_look_ < kSlicePositions) return false;
    since_look_ = 0;
    return run_->stopped(run_);
  }
  void Did(i64 positions) { since_look_ += positions; }

 private:
  const RunContext* run_;
  i64 since_look_ = 0;
};

// A loop with its sizes, strides and tiles. Operands are inputs, then outputs.
struct LoopPlan {
  LoopKernel* kernel = nullptr;
  Dims sizes;     // outermost first, at least two; the last one counts groups of a grouped loop
  i64 group = 1;  // positions of a group
  // By operand and dimension, in bytes. The strides of operand i are [i * sizes.size(), ...).
  Dims strides;
  Dims outer_strides, inner_strides;  // strides of the last two dimensions, by operand
  Dims offsets;                       // where the first position is, by operand
  i64 rows_per_tile = 1;
  i64 positions_per_tile = 0;  // for a loop with one row
  i64 num_tiles = 1;
  bool is_checked = false;  // the kernel is (spec/checked_kernel.h)
  Dims memory_bytes;        // sizes of the buffers, if it is checked
  size_t num_streamed = 0;  // number of outputs, the last operands, that the kernel streams
};

struct LoopOperand {
  Access access;
  i64 element_bytes;
};

// Runs one row of neighbours: no operand has strides.
inline void RunOneRow(const LoopPlan& plan, void* const* pointers, i64 count) {
  static constexpr i64 kNoStrides[kMaxLoopOperands] = {};
  plan.kernel(pointers, count, 1, kNoStrides, kNoStrides);
}

// How the inputs are read along the last dimension of `sizes`.
std::vector<InnerStride> InnerStrides(std::span<const Access* const> inputs, const Dims& sizes);

// `kernel` is filled in when it has been compiled. `sizes` are CommonSizes of the accesses; those
// behind the first `num_dims` are inside of groups.
std::shared_ptr<LoopPlan> PlanLoop(const Dims& sizes, std::span<const LoopOperand> operands,
                                   size_t num_dims);
inline std::shared_ptr<LoopPlan> PlanLoop(const Dims& sizes,
                                          std::span<const LoopOperand> operands) {
  return PlanLoop(sizes, operands, sizes.size());
}

// Whether the outputs, the last `num_outputs` operands, are better written past the caches: each is
// larger than they are, or what the loop passes over is, and its rows begin where
// LoopKernelSpec::streams wants them. `passed_bytes`: of the arrays that it reads and writes in one
// pass; 0 if that is not all of them.
bool IsWorthStreaming(const LoopPlan& plan, std::span<const LoopOperand> operands,
                      size_t num_outputs, i64 passed_bytes);

// The bytes that a loop reads or writes of the array of operand `i`, each element once.
i64 PassedBytes(const LoopPlan& plan, std::span<const LoopOperand> operands, size_t i);

// Makes the number of tiles a multiple of `rows`, which the number of positions is: equal parts of
// the tiles are then equal parts of the positions. The sizes must have that boundary, or be one
// row.
void TileByRows(LoopPlan& plan, i64 rows);

// The sizes of the rows that RunLoop calls the kernel with, whatever its tiles are.
RowSizes RowSizesOf(const LoopPlan& plan);

// Sets what a checked kernel finds behind the pointers of its operands: the bounds of the buffers.
void SetLoopBounds(const LoopPlan& plan, void* const* buffers, void** pointers);

// Calls the kernel for groups of whole rows.
int RunRows(const RunContext* run, const LoopPlan& plan, void* const* buffers, i64 begin, i64 end);

// The KernelFunction of loop steps; its plan is a LoopPlan. Tiles are groups of rows, or parts of
// the only one.
int RunLoop(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
