// Loops as steps, for the kinds kLoop and kRows: which form a loop has, its kernel, its plan.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "axle/codegen/kernel_cache/kernel_table.h"
#include "axle/codegen/schedule/loop_pattern.h"
#include "axle/codegen/schedule/sub_views.h"
#include "axle/codegen/steps/rows_step.h"
#include "axle/core/kernel.h"

namespace axle {

// A loop, with folds or without, as a record or a part of one.
struct LoopRecord {
  KernelFunction function = nullptr;
  std::shared_ptr<const void> plan;
  const LoopPlan* loop = nullptr;  // the loop inside of `plan`
  i64 num_tiles = 1;
  double nanoseconds = 0;
  KernelFunction join = nullptr;  // runs once, with the same plan, after all tiles
};

// The loops of one computation.
class LoopRecords {
 public:
  // All live until the kernels are compiled, but for `sub_views`.
  LoopRecords(const Schedule& schedule, const SubViews& sub_views, Rounding rounding,
              bool is_checked, KernelTable& kernels)
      : schedule_(schedule),
        sub_views_(sub_views),
        rounding_(rounding),
        is_checked_(is_checked),
        kernels_(kernels) {}

  // Moves the program out of a region of kind kLoop. `may_stream`: nobody needs its outputs in the
  // caches.
  LoopRecord MakeLoop(Region& region, bool may_stream) { return Make(region, may_stream, 0); }

  // The loops of a region of kind kRows, in order.
  struct Rows {
    std::shared_ptr<RowsPlan> plan;
    std::vector<LoopRecord> loops;  // owns what the plan points at
  };
  Rows MakeRows(Region& region, bool may_stream);

 private:
  // With `rows`, the number of tiles is a multiple of it.
  LoopRecord Make(Region& region, bool may_stream, i64 rows);
  void FetchAhead(const Region& region, const LoopPlan& plan, std::span<const LoopOperand> operands,
                  LoopKernelSpec& spec) const;
  i64 PassedBytesOf(const Region& region, const LoopPlan& plan,
                    std::span<const LoopOperand> operands) const;
  void CheckMemory(LoopPlan& plan, const Region& region, std::span<const Access> outputs) const;
  void PutBeside(const Region& region, GroupedLoop& groups) const;
  void CheckBeside(LoopPlan& plan, const Region& region, const LoopPattern& pattern) const;

  const Schedule& schedule_;
  const SubViews& sub_views_;
  const Rounding rounding_;
  const bool is_checked_;
  KernelTable& kernels_;
};

// Scratch memory of one call of a loop's step.
i64 LoopScratchBytes(const Region& region);
// Scratch memory that all calls of it share. A step has one of the two at most.
i64 LoopSharedBytes(const Region& region);
// The sizes of the arrays that a region reads and writes, inputs first.
Dims MemoryBytes(const Schedule& schedule, const Region& region);

}  // namespace axle
