// The kernels of a module: each different one is compiled once, whatever arrays it runs on, by
// several threads at a time.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "axle/codegen/jit.h"
#include "axle/codegen/loop_step.h"
#include "axle/codegen/merge_lowering.h"
#include "axle/codegen/small_step.h"
#include "axle/core/limits.h"

namespace axle {

class KernelTable {
 public:
  // Fills in plan->kernel when all are compiled. What `spec` points at lives until then, and so
  // does `schedule`, of which `region` is a part.
  void Add(LoopKernelSpec spec, std::shared_ptr<LoopPlan> plan);
  void Add(MergeKernelSpec spec, std::shared_ptr<LoopPlan> plan);
  void Add(Region region, const Schedule& schedule, std::shared_ptr<SmallPlan> plan);
  // A program that a spec may point at: it lives as long as the table.
  const LaneProgram& Keep(LaneProgram program) {
    return programs_.emplace_back(std::move(program));
  }

  // The same code for any number of threads. Errors: CANCELLED, DEADLINE_EXCEEDED.
  Status Compile(Jit& jit, int num_threads, Limits* limits);

  // `plan` is a LoopPlan or a SmallPlan.
  std::string NameFor(const void* plan) const { return NameOf(of_plan_.at(plan)); }

 private:
  struct Kernel {
    std::optional<LoopKernelSpec> loop = {};  // or:
    std::optional<MergeKernelSpec> merge = {};
    std::optional<Region> small = {};
    const Schedule* schedule = nullptr;
    std::vector<std::shared_ptr<LoopPlan>> plans = {};
    std::vector<std::shared_ptr<SmallPlan>> small_plans = {};

    int CodegenLevel(const JitTarget& target) const;
    void Emit(const JitTarget& target, const std::string& name, llvm::Module& module) const;
    void SetAddress(void* address);
  };
  // What is compiled together.
  struct Batch {
    int codegen_level;
    std::vector<size_t> kernels = {};
  };
  static std::string NameOf(size_t k);
  // Gives the spec of the kernel, a new one or one that was there.
  template <typename Spec>
  Spec& AddLoop(std::optional<Spec> Kernel::*kind, const LaneProgram& program, Spec spec,
                std::shared_ptr<LoopPlan> plan);
  std::vector<Batch> Batches(const JitTarget& target, size_t num_threads) const;
  Status CompileBatch(Jit& jit, const Batch& batch);

  std::deque<LaneProgram> programs_;
  std::vector<Kernel> kernels_;
  std::unordered_map<const void*, size_t> of_plan_;
  std::unordered_map<std::uint64_t, std::vector<size_t>> by_hash_;  // of loops and merges
  std::unordered_map<std::string, size_t> by_key_;                  // of small regions
};

}  // namespace axle
