// The kernels of a module: each different one is taken from the stock or compiled once, whatever
// arrays it runs on, by several threads at a time.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "axle/codegen/kernel_cache/kernel_key.h"
#include "axle/codegen/kernel_cache/precompiled_writer.h"
#include "axle/codegen/llvm/jit.h"
#include "axle/codegen/llvm/merge_lowering.h"
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

  // The code of what is not in stock; null if nothing is left. The same code for any number of
  // threads. What LLVM needs is reserved from the limits before it begins. Errors: CANCELLED,
  // DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED.
  StatusOr<std::unique_ptr<Jit>> Compile(const JitTarget& target, const NativeOptions& options);
  // Adds those kernels to the stock that are the same in every process.
  Status Stock(StockWriter& writer) const;

  // `plan` is a LoopPlan or a SmallPlan.
  std::string NameFor(const void* plan) const { return NameOf(of_plan_.at(plan)); }

 private:
  struct Kernel {
    std::optional<LoopKernelSpec> loop = {};  // or:
    std::optional<MergeKernelSpec> merge = {};
    std::optional<Region> small = {};
    KernelKey key = {};
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
  // The kernel with this key and of this kind, a new one or one that was there.
  Kernel& FindOrAdd(KernelKey key, bool is_light, const void* plan);
  // Of the kernels that are not in stock, whose addresses are set.
  std::vector<size_t> TakeFromStock(const JitTarget& target, const NativeOptions& options);
  std::vector<Batch> Batches(const JitTarget& target, std::span<const size_t> kernels,
                             size_t num_threads) const;
  // Asked between modules, with the bytes that LLVM will want for the next one; what `done` gives
  // back is what it asked for.
  struct Gate {
    std::function<Status(i64 bytes)> enter;
    std::function<void(i64 bytes)> leave;
  };
  Status CompileBatch(Jit& jit, const Batch& batch, const Gate& gate);
  Status CompileBatches(Jit& jit, std::span<const Batch> batches, size_t num_threads,
                        Limits* limits);

  std::deque<LaneProgram> programs_;
  std::vector<Kernel> kernels_;
  std::unordered_map<const void*, size_t> of_plan_;
  std::unordered_map<std::string, size_t> by_key_;
};

}  // namespace axle
