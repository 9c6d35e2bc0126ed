#include "axle/codegen/kernel_table.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <atomic>
#include <exception>
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
// Of the lane program of a light loop. Its speed is that of memory: instructions that are chosen
// and ordered with care, at more than twice the cost, change it by a few percent
// (bench/results/codegen-levels-2026-11-23.md).
constexpr size_t kMostLightOperations = 24;

bool IsLight(const LoopKernelSpec& spec) {
  return spec.form == FoldForm::kNone &&
         (spec.is_brief || (spec.passes_once && spec.program->code.size() <= kMostLightOperations));
}

// Whether one kernel can do for both, if it is one for the rows of both.
bool IsSame(const LoopKernelSpec& a, const LoopKernelSpec& b) {
  return a.inputs == b.inputs && a.form == b.form && a.folds == b.folds && a.lanes == b.lanes &&
         a.in_order == b.in_order && a.streams == b.streams && a.fetches == b.fetches &&
         a.is_brief == b.is_brief && IsLight(a) == IsLight(b) && *a.program == *b.program;
}
bool IsSame(const MergeKernelSpec& a, const MergeKernelSpec& b) {
  return a.other_bytes == b.other_bytes && *a.less == *b.less;
}

}  // namespace

// At level 1 the kind of a kernel decides, at 0 and 2 all are alike.
int KernelTable::Kernel::CodegenLevel(const JitTarget& target) const {
  return target.codegen_level == 1 && loop && IsLight(*loop) ? 0 : target.codegen_level;
}

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
Spec& KernelTable::AddLoop(std::optional<Spec> Kernel::*kind, const LaneProgram& program, Spec spec,
                           std::shared_ptr<LoopPlan> plan) {
  std::vector<size_t>& same_hash = by_hash_[program.Hash()];
  const auto same = std::ranges::find_if(same_hash, [&](size_t k) {
    const std::optional<Spec>& other = kernels_[k].*kind;
    return other && IsSame(*other, spec);
  });
  of_plan_[plan.get()] = same == same_hash.end() ? kernels_.size() : *same;
  if (same != same_hash.end()) {
    kernels_[*same].plans.push_back(std::move(plan));
    return *(kernels_[*same].*kind);
  }
  same_hash.push_back(kernels_.size());
  Kernel& kernel = kernels_.emplace_back();
  kernel.*kind = std::move(spec);
  kernel.plans = {std::move(plan)};
  return *(kernel.*kind);
}

void KernelTable::Add(LoopKernelSpec spec, std::shared_ptr<LoopPlan> plan) {
  const LaneProgram& program = *spec.program;
  const RowSizes sizes = spec.row_sizes;
  LoopKernelSpec& kernel = AddLoop(&Kernel::loop, program, std::move(spec), std::move(plan));
  kernel.row_sizes = kernel.row_sizes.Join(sizes);
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

// What takes longer to compile comes first.
std::vector<KernelTable::Batch> KernelTable::Batches(const JitTarget& target,
                                                     size_t num_threads) const {
  const size_t most = std::clamp<size_t>((kernels_.size() + num_threads - 1) / num_threads, 1,
                                         kMostKernelsPerModule);
  std::vector<Batch> batches;
  for (int level = target.codegen_level; level >= 0; --level) {
    bool is_new = true;
    for (size_t k = 0; k < kernels_.size(); ++k) {
      if (kernels_[k].CodegenLevel(target) != level) continue;
      if (is_new || batches.back().kernels.size() == most) batches.push_back({level});
      is_new = false;
      batches.back().kernels.push_back(k);
    }
  }
  return batches;
}

Status KernelTable::CompileBatch(Jit& jit, const Batch& batch) {
  Jit::NewModule module = jit.MakeModule(StrCat("kernels", batch.kernels[0]), batch.codegen_level);
  for (const size_t k : batch.kernels) {
    kernels_[k].Emit(jit.target(), NameOf(k), *module.module);
  }
  AXLE_TRY(jit.Add(std::move(module)));
  for (const size_t k : batch.kernels) {
    AXLE_ASSIGN(void* const address, jit.Lookup(NameOf(k)));
    kernels_[k].SetAddress(address);
  }
  return {};
}

Status KernelTable::Compile(Jit& jit, int num_threads, Limits* limits) {
  const auto most_threads = static_cast<size_t>(num_threads);
  const std::vector<Batch> batches = Batches(jit.target(), most_threads);
  std::atomic<size_t> next = 0, num_compiled = 0;
  std::mutex mutex;
  Status status;  // the first that is not OK
  const auto fail = [&](Status why) {
    const std::lock_guard lock(mutex);
    if (status.ok()) status = std::move(why);
    next = batches.size();
  };
  // Only the thread that was asked looks at the limits.
  const auto work = [&](Limits* own_limits) {
    for (size_t b; (b = next++) < batches.size();) {
      try {
        Status made = own_limits == nullptr ? Status() : own_limits->CheckNow();
        if (made.ok()) made = CompileBatch(jit, batches[b]);
        if (!made.ok()) return fail(std::move(made));
      } catch (const std::bad_alloc&) {
        return fail(ResourceExhausted("compile: no memory for kernels"));
      } catch (const std::exception& exception) {  // must not leave a thread
        return fail(Internal(StrCat("compile: exception: ", exception.what())));
      }
      num_compiled += batches[b].kernels.size();
      if (own_limits != nullptr) {
        own_limits->Progress(static_cast<double>(num_compiled) /
                             static_cast<double>(kernels_.size()));
      }
    }
  };
  std::vector<std::thread> others;
  others.reserve(most_threads);
  for (size_t t = 1; t < std::min(most_threads, batches.size()); ++t) {
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
