// Sort steps: sorts, line by line, with two compiled loops. One computes the keys, which are all
// that the comparator computes from the elements of one side alone (axle/ops/lanes/comparator.h).
// The other one merges them (merge_lowering.h), together with positions if an operand is no key.
#pragma once
#include <memory>
#include <vector>

#include "axle/codegen/spec/kernel_spec.h"
#include "axle/codegen/steps/loop_step.h"
#include "axle/core/kernel.h"
#include "axle/ir/module.h"
#include "axle/ops/lanes/comparator.h"

namespace axle {

struct SortPlan {
  // A line is `size` elements, `step` apart.
  i64 size = 1, step = 1, num_lines = 1;
  SplitComparator comparator;
  MergeKernelSpec merge_spec;  // its program is the comparator's
  static constexpr size_t kNoKey = static_cast<size_t>(-1);
  struct Operand {
    i64 element_bytes;
    size_t key = kNoKey;  // the key that its elements are
  };
  std::vector<Operand> operands;
  // The loop that makes the keys, if there are any, and the merges; the caller's to fill in.
  std::shared_ptr<LoopPlan> keys, merge;
  i64 scratch_bytes = 0;  // scratch memory of one call

  bool has_positions() const { return !merge_spec.other_bytes.empty(); }
  // Elements that are put into their places, in all merges.
  double num_steps() const;
};

// The plan of a sort of static shapes. Null if there is nothing to sort, or too much for a loop.
std::shared_ptr<SortPlan> PlanSort(const Instruction& inst, const LaneProgram& comparator);

// The KernelFunction of sort steps; a tile is a line. Buffers: operands, results, which may be
// where the operands are, scratch memory.
int RunSort(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
