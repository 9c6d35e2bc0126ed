// Tests run lane programs alone with this: one kernel per serial number of a program, compiled when
// it is first run.
#include "axle/codegen/llvm/lane_jit.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "axle/core/strings.h"

namespace axle {

StatusOr<std::unique_ptr<LaneJit>> LaneJit::Create(const JitTarget& target) {
  AXLE_ASSIGN(std::unique_ptr<Jit> jit, Jit::Create(target));
  return std::unique_ptr<LaneJit>(new LaneJit(std::move(jit)));
}

Status LaneJit::Run(const LaneProgram& program, std::span<const void* const> inputs,
                    std::span<void* const> outputs, i64 count) {
  LoopKernel*& kernel = kernels_[program.serial];
  if (kernel == nullptr) {
    const std::string name = StrCat("lanes", program.serial);
    Jit::NewModule module = jit_->MakeModule(name);
    EmitLoopKernel({&program, std::vector<InnerStride>(program.inputs.size())}, jit_->target(),
                   name, *module.module);
    AXLE_TRY(jit_->Add(std::move(module)));
    AXLE_ASSIGN(void* const address, jit_->Lookup(name));
    kernel = reinterpret_cast<LoopKernel*>(address);
  }
  std::vector<void*> pointers;
  for (const void* input : inputs) pointers.push_back(const_cast<void*>(input));
  pointers.insert(pointers.end(), outputs.begin(), outputs.end());
  const std::vector<i64> strides(pointers.size());
  kernel(pointers.data(), count, 1, strides.data(), strides.data());
  return jit_->status();
}

}  // namespace axle
