#include "axle/codegen/kernel_table.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <thread>

#include "axle/codegen/small_key.h"
#include "axle/codegen/small_lowering.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// Kernels that are compiled together: fewer modules cost less, more can be compiled at a time.
constexpr size_t kMostKernelsPerModule = 16;

bool IsSame(const LoopKernelSpec& a, const LoopKernelSpec& b) {
  return a.inputs == b.inputs && a.form == b.form && a.folds == b.folds && a.lanes == b.lanes &&
         a.in_order == b.in_order && a.streams == b.streams && *a.program == *b.program;
}
bool IsSame(const MergeKernelSpec& a, const MergeKernelSpec& b) {
  return a.other_bytes == b.other_bytes && *a.less == *b.less;
}

}  // namespace

void KernelTable::Kernel::Emit(const JitTarget& target, const std::string& name,
                               llvm::Module& module) const {
  if (loop) {
    EmitLoopKernel(*loop, target, name, module);
  } else if (merge) {
    EmitMergeKernel(*merge, target, name, module);
  } else {
    EmitSmallKernel(*small, *schedule, target, name, module);
  }
}

void KernelTable::Kernel::SetAddress(void* address) {
  for (const auto& plan : plans) plan->kernel = reinterpret_cast<LoopKernel*>(address);
  for (const auto& plan : small_plans) plan->kernel = reinterpret_cast<SmallKernel*>(address);
}

std::string KernelTable::NameOf(size_t k) {
  return StrCat("kernel", k);
}

template <typename Spec>
void KernelTable::AddLoop(std::optional<Spec> Kernel::*kind, const LaneProgram& program, Spec spec,
                          std::shared_ptr<LoopPlan> plan) {
  std::vector<size_t>& same_hash = by_hash_[program.Hash()];
  const auto same = std::ranges::find_if(same_hash, [&](size_t k) {
    const std::optional<Spec>& other = kernels_[k].*kind;
    return other && IsSame(*other, spec);
  });
  of_plan_[plan.get()] = same == same_hash.end() ? kernels_.size() : *same;
  if (same != same_hash.end()) {
    kernels_[*same].plans.push_back(std::move(plan));
    return;
  }
  same_hash.push_back(kernels_.size());
  Kernel& kernel = kernels_.emplace_back();
  kernel.*kind = std::move(spec);
  kernel.plans = {std::move(plan)};
}

void KernelTable::Add(LoopKernelSpec spec, std::shared_ptr<LoopPlan> plan) {
  const LaneProgram& program = *spec.program;
  AddLoop(&Kernel::loop, program, std::move(spec), std::move(plan));
}

void KernelTable::Add(MergeKernelSpec spec, std::shared_ptr<LoopPlan> plan) {
  const LaneProgram& program = *spec.less;
  AddLoop(&Kernel::merge, program, std::move(spec), std::move(plan));
}

void KernelTable::Add(Region region, const Schedule& schedule, std::shared_ptr<SmallPlan> plan) {
  const auto [same, is_new] = by_key_.emplace(KeyOf(region, schedule), kernels_.size());
  of_plan_[plan.get()] = same->second;
  if (is_new) kernels_.push_back({.small = std::move(region), .schedule = &schedule});
  kernels_[same->second].small_plans.push_back(std::move(plan));
}

Status KernelTable::CompileModule(Jit& jit, size_t begin, size_t end) {
  Jit::NewModule module = jit.MakeModule(StrCat("kernels", begin));
  for (size_t k = begin; k < end; ++k) {
    kernels_[k].Emit(jit.target(), NameOf(k), *module.module);
  }
  AXLE_TRY(jit.Add(std::move(module)));
  for (size_t k = begin; k < end; ++k) {
    AXLE_ASSIGN(void* const address, jit.Lookup(NameOf(k)));
    kernels_[k].SetAddress(address);
  }
  return {};
}

Status KernelTable::Compile(Jit& jit, int num_threads, Limits* limits) {
  const size_t count = kernels_.size(), most_threads = static_cast<size_t>(num_threads);
  const size_t per_module =
      std::clamp<size_t>((count + most_threads - 1) / most_threads, 1, kMostKernelsPerModule);
  const size_t num_modules = (count + per_module - 1) / per_module;
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  Status status;  // the first that is not OK
  const auto fail = [&](Status why) {
    const std::lock_guard lock(mutex);
    if (status.ok()) status = std::move(why);
    next = num_modules;
  };
  // Only the thread that was asked looks at the limits.
  const auto work = [&](Limits* own_limits) {
    for (size_t m; (m = next++) < num_modules;) {
      const size_t end = std::min(count, (m + 1) * per_module);
      try {
        Status made = own_limits == nullptr ? Status() : own_limits->CheckNow();
        if (made.ok()) made = CompileModule(jit, m * per_module, end);
        if (!made.ok()) return fail(std::move(made));
      } catch (const std::bad_alloc&) {
        return fail(ResourceExhausted("compile: no memory for kernels"));
      }
      if (own_limits != nullptr) {
        own_limits->Progress(static_cast<double>(end) / static_cast<double>(count));
      }
    }
  };
  std::vector<std::thread> others;
  others.reserve(most_threads);
  for (size_t t = 1; t < std::min(most_threads, num_modules); ++t) {
    try {
      others.emplace_back(work, nullptr);
    } catch (const std::exception&) {  // no thread, or no memory for one
      break;                           // fewer do it too
    }
  }
  work(limits);
  for (std::thread& other : others) other.join();
  return status;
}

}  // namespace axle
