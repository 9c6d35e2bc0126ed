// Window steps: reduce-windows by the compiled loop of what they fold with, which takes one window
// position after the other on the results of a slab (window_walk.h). A window that is a scan along
// one dimension folds each element once: every result is made from the one before it. Sums and
// products of floats are prefix folds in blocks then, and long windows of them are folded in parts
// (axle/ops/prefix_fold.h, window_parts.h); those of narrow floats are f32 until they are done.
#pragma once
#include <memory>
#include <optional>

#include "axle/codegen/steps/loop_step.h"
#include "axle/codegen/steps/window_walk.h"
#include "axle/core/kernel.h"
#include "axle/emit/lane_program.h"
#include "axle/ir/module.h"
#include "axle/ops/prefix_fold.h"
#include "axle/ops/reduce_kernels.h"

namespace axle {

// Arrays of [outer, size, inner], folded along `size`.
struct ScanShape {
  i64 outer = 1, size = 1, inner = 1;
  bool is_reverse = false;
  // How rows of single neighbours are folded, if there is a C++ loop for that
  // (axle/ops/reduce_kernels.h).
  ScanRowsFn rows = nullptr;
  // Otherwise, if rows are short: so many neighbours in `outer`, and elements of each, are put in
  // order at a time, in scratch memory.
  i64 staged_outer = 0, staged_size = 0;
};

// A sum or product whose accumulators are not the results.
struct WindowSum {
  ReducerKind kind;
  ElementType type, computed;  // types of the elements and of the accumulators
  i64 positions;               // positions of a window of more than one part; else 0
  // joins an element with an accumulator, if their types differ
  std::optional<LaneProgram> widening;
};

struct WindowPlan {
  std::optional<PrefixFold> prefix;
  std::optional<ScanShape> scan;  // any other one
  std::optional<WindowSum> sum;   // if it is no scan
  WindowShape window;             // if it is no scan
  struct Array {
    i64 element_bytes, operand_bytes, result_bytes;
  };
  std::vector<Array> arrays;  // by operand
  // Loops of the computation on rows of neighbours, unless a scan has a loop of its own, and on
  // elements that are not neighbours, if there are any. The caller fills them in.
  std::shared_ptr<LoopPlan> loop, apart;
  i64 num_tiles = 1;
  double num_folded = 0;  // elements, each as often as it is folded
  i64 scratch_bytes = 0;  // scratch memory of one call
  bool needs_loop() const { return !prefix && (!scan || scan->rows == nullptr); }
};

// The plan of a reduce-window of static shapes; `computation` is its reducer. Null if it has no
// such form.
std::shared_ptr<WindowPlan> PlanWindow(const Instruction& inst, const LaneProgram& computation);

// The KernelFunction of window steps. Buffers: operands, init values, results, scratch memory.
int RunWindow(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
