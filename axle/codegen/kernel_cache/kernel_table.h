// The kernels of a module: each different one is in the table once, whatever arrays it runs on.
// kernel_compiler.h fills in their code.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "axle/codegen/kernel_cache/kernel_key.h"
#include "axle/codegen/schedule/regions.h"
#include "axle/codegen/spec/jit_target.h"
#include "axle/codegen/spec/kernel_spec.h"
#include "axle/codegen/steps/loop_step.h"
#include "axle/codegen/steps/small_step.h"

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

  // `plan` is a LoopPlan or a SmallPlan.
  std::string NameFor(const void* plan) const { return NameOf(of_plan_.at(plan)); }
  static std::string NameOf(size_t k);

  struct Kernel {
    std::optional<LoopKernelSpec> loop = {};  // or:
    std::optional<MergeKernelSpec> merge = {};
    std::optional<Region> small = {};
    KernelKey key = {};
    const Schedule* schedule = nullptr;
    void* address = nullptr;  // of its code
    std::vector<std::shared_ptr<LoopPlan>> plans = {};
    std::vector<std::shared_ptr<SmallPlan>> small_plans = {};

    // The level at which it is compiled.
    int CodegenLevel(const JitTarget& target) const;
    void SetAddress(void* code);
  };
  std::span<Kernel> kernels() { return kernels_; }
  std::span<const Kernel> kernels() const { return kernels_; }

 private:
  // The kernel with this key and of this kind, a new one or one that was there.
  Kernel& FindOrAdd(KernelKey key, bool is_light, const void* plan);

  std::deque<LaneProgram> programs_;
  std::vector<Kernel> kernels_;
  std::unordered_map<const void*, size_t> of_plan_;
  std::unordered_map<std::string, size_t> by_key_;
};

}  // namespace axle
