// EmulatedKernels: kernels of another processor, as functions of this one. A call moves the memory
// that the kernel touches (kernel_operands.h) to an emulator and what it wrote back; everything
// around kernels is this machine's own code. For tests.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "axle/codegen/emulation/emulator.h"
#include "axle/codegen/llvm/jit.h"
#include "axle/codegen/llvm/kernel_operands.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace axle {

class EmulatedKernels {
 public:
  // FAILED_PRECONDITION names the tool that is not there.
  static StatusOr<std::unique_ptr<EmulatedKernels>> Create(const JitTarget& target);
  ~EmulatedKernels();

  // Compiles and loads the functions of `kernels`, and adds functions of the same names and types
  // to `host` that call them. Any number of threads at a time.
  Status Add(const llvm::Module& kernels, llvm::Module& host);
  // The machine code of a module, for people.
  StatusOr<std::string> Assembly(const llvm::Module& kernels) const;

  // The first error of a call: kernels that cannot run do nothing.
  Status status() const;

 private:
  struct Kernel {
    EmulatedKernels* owner;
    std::string name;
    KernelOperands operands;
    std::uint64_t address;  // there
  };
  EmulatedKernels(const JitTarget& target, std::shared_ptr<Emulator> emulator)
      : target_(target), emulator_(std::move(emulator)) {}
  Status Compile(const llvm::Module& kernels, const std::string& folder,
                 const std::string& kind) const;
  void AddCaller(const Kernel& kernel, const llvm::Module& kernels, llvm::Module& host) const;
  // What the functions of `host` call.
  static std::uint64_t Run(const Kernel* kernel, const std::uint64_t* arguments);
  StatusOr<std::uint64_t> Run(const Kernel& kernel, const std::uint64_t* arguments);

  const JitTarget target_;
  const std::shared_ptr<Emulator> emulator_;
  std::string compiler_, linker_;
  mutable std::mutex mutex_;  // of what follows
  std::vector<std::unique_ptr<const Kernel>> kernels_;
  std::vector<std::uint64_t> libraries_;
  Status status_;
};

}  // namespace axle
