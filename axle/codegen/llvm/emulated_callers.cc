// How a kernel of another processor is called from this one: the module that is compiled for this
// machine gets, under the kernel's name and type, a function that stores its arguments as numbers
// in a list and calls the emulator with the handle and that list. Code around kernels does not
// notice. Handle and emulator are addresses in the code, which is why the emulator lives as long as
// the Jit.
#include "axle/codegen/llvm/emulated_callers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "axle/codegen/llvm/kernel_operands.h"

namespace axle {
namespace {

// Adds a function like `kernel` that calls run(handle, its arguments as numbers).
void AddCaller(const llvm::Function& kernel, KernelEmulator::RunFunction* run, const void* handle,
               llvm::Module& host) {
  llvm::IRBuilder<> b(host.getContext());
  const llvm::FunctionType* there = kernel.getFunctionType();
  std::vector<llvm::Type*> types;
  for (const llvm::Type* type : there->params()) {
    types.push_back(type->isPointerTy() ? static_cast<llvm::Type*>(b.getPtrTy()) : b.getInt64Ty());
  }
  const bool gives_nothing = there->getReturnType()->isVoidTy();
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(gives_nothing ? b.getVoidTy() : b.getInt32Ty(), types, false),
      llvm::Function::ExternalLinkage, kernel.getName(), host);
  b.SetInsertPoint(llvm::BasicBlock::Create(host.getContext(), "entry", function));
  llvm::Value* list =
      b.CreateAlloca(b.getInt64Ty(), b.getInt32(static_cast<unsigned>(types.size())));
  for (llvm::Argument& argument : function->args()) {
    llvm::Value* number =
        argument.getType()->isPointerTy() ? b.CreatePtrToInt(&argument, b.getInt64Ty()) : &argument;
    b.CreateStore(number, b.CreateConstGEP1_64(b.getInt64Ty(), list, argument.getArgNo()));
  }
  const auto pointer = [&](std::uintptr_t address) {
    return b.CreateIntToPtr(b.getInt64(address), b.getPtrTy());
  };
  llvm::Value* result =
      b.CreateCall(llvm::FunctionType::get(b.getInt64Ty(), {b.getPtrTy(), b.getPtrTy()}, false),
                   pointer(reinterpret_cast<std::uintptr_t>(run)),
                   {pointer(reinterpret_cast<std::uintptr_t>(handle)), list});
  if (gives_nothing) {
    b.CreateRetVoid();
  } else {
    b.CreateRet(b.CreateTrunc(result, b.getInt32Ty()));
  }
}

}  // namespace

Status AddEmulated(const KernelEmulator::Code& code, const llvm::Module& kernels,
                   KernelEmulator& emulator, llvm::Module& host) {
  std::vector<KernelEmulator::Function> functions;
  for (const llvm::Function& function : kernels) {
    std::optional<KernelOperands> operands = GetKernelOperands(function);
    if (operands) functions.push_back({function.getName().str(), *std::move(operands)});
  }
  AXLE_ASSIGN(const std::vector<const void*> handles, emulator.Load(code, functions));
  for (size_t i = 0; i < functions.size(); ++i) {
    AddCaller(*kernels.getFunction(functions[i].name), emulator.run(), handles[i], host);
  }
  return {};
}

}  // namespace axle
