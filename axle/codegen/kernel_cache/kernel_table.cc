// How kernels are shared: the table maps keys to kernels, and a kernel that is added again only
// gets one more plan to fill in. What is known of the rows of all users is joined (RowSizes::Join),
// so that the one function is right for each of them.
#include "axle/codegen/kernel_cache/kernel_table.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle {
namespace {

// The longest lane program of a light loop. Its speed is that of memory: instructions that are
// chosen and ordered with care, at more than twice the cost, change it by a few percent
// (bench_codegen on a Xeon: 0.4 of the time to compile, the same time to run).
constexpr size_t kMaxLightOperations = 24;
// Elements by number may be short rows of a table, whose addresses take as long as the elements.
bool ReadsByNumber(const LaneProgram& program) {
  return std::ranges::any_of(program.code,
                             [](const LaneOp& op) { return op.primitive == Primitive::kElement; });
}
// A quotient by what is the same along a row has branches (llvm/uniform_quotient.h), and O0 keeps
// all values in memory from one block to the next: that takes twice the time of a loop that reads
// and writes 1,048,576 elements.
bool DividesByUniform(const LoopKernelSpec& spec) {
  std::vector<bool> is_uniform;
  for (const LaneOp& op : spec.program->code) {
    const auto is_same = [&](LaneId operand) { return is_uniform[operand]; };
    if (op.primitive == Primitive::kInput) {
      const InnerStride stride = spec.inputs[op.input()];
      is_uniform.push_back(stride == InnerStride::kOne || stride == InnerStride::kUniform);
      continue;
    }
    is_uniform.push_back(std::ranges::all_of(op.taken(), is_same));
    if (op.primitive == Primitive::kDiv && IsFloat(op.type) && !is_uniform.back() &&
        is_uniform[op.operands[1]]) {
      return true;
    }
  }
  return false;
}
bool IsLight(const LoopKernelSpec& spec) {
  return spec.form == FoldForm::kNone && !ReadsByNumber(*spec.program) && !DividesByUniform(spec) &&
         (spec.is_brief || (spec.passes_once && spec.program->code.size() <= kMaxLightOperations));
}

}  // namespace

// At level 1, light loops are compiled at O0 and other kernels at O1; at levels 0 and 2 all kernels
// are compiled alike. But functions of few elements are never compiled at O0, where LLVM may
// recurse without end on their shuffles (shuffle_recursion.ll).
int KernelTable::Kernel::CodegenLevel(const JitTarget& target) const {
  if (small) return std::max(target.codegen_level, 1);
  return target.codegen_level == 1 && loop && IsLight(*loop) ? 0 : target.codegen_level;
}

void KernelTable::Kernel::SetAddress(void* code) {
  address = code;
  for (const auto& plan : plans) plan->kernel = reinterpret_cast<LoopKernel*>(address);
  for (const auto& plan : small_plans) plan->kernel = reinterpret_cast<SmallKernel*>(address);
}

std::string KernelTable::NameOf(size_t k) {
  return StrCat("kernel", k);
}

KernelTable::Kernel& KernelTable::FindOrAdd(KernelKey key, bool is_light, const void* plan) {
  const auto [same, is_new] =
      by_key_.emplace(StrCat(is_light ? "light" : "", key.text), kernels_.size());
  of_plan_[plan] = same->second;
  if (is_new) kernels_.emplace_back().key = std::move(key);
  return kernels_[same->second];
}

void KernelTable::Add(LoopKernelSpec spec, std::shared_ptr<LoopPlan> plan) {
  Kernel& kernel = FindOrAdd(KeyOf(spec), IsLight(spec), plan.get());
  const RowSizes sizes = kernel.loop ? kernel.loop->row_sizes.Join(spec.row_sizes) : spec.row_sizes;
  if (!kernel.loop) kernel.loop = std::move(spec);
  kernel.loop->row_sizes = sizes;
  kernel.plans.push_back(std::move(plan));
}

void KernelTable::Add(MergeKernelSpec spec, std::shared_ptr<LoopPlan> plan) {
  Kernel& kernel = FindOrAdd(KeyOf(spec), false, plan.get());
  if (!kernel.merge) kernel.merge = std::move(spec);
  kernel.plans.push_back(std::move(plan));
}

void KernelTable::Add(Region region, const Schedule& schedule, std::shared_ptr<SmallPlan> plan) {
  Kernel& kernel = FindOrAdd(KeyOf(region, schedule), false, plan.get());
  if (!kernel.small) {
    kernel.small = std::move(region);
    kernel.schedule = &schedule;
  }
  kernel.small_plans.push_back(std::move(plan));
}

}  // namespace axle
