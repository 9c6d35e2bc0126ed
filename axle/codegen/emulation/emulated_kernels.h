// EmulatedKernels: kernels of another processor, as functions of this one. A call moves the memory
// that the kernel touches (spec/kernel_operands.h) to an emulator and what it wrote back;
// everything around kernels is this machine's own code. For tests.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "axle/codegen/emulation/emulator.h"
#include "axle/codegen/spec/kernel_emulator.h"

namespace axle {

class EmulatedKernels : public KernelEmulator {
 public:
  // `llc` is LLVM's compiler program. FAILED_PRECONDITION names the tool that is not there.
  static StatusOr<std::unique_ptr<KernelEmulator>> Create(const JitTarget& target,
                                                          const std::string& llc);
  ~EmulatedKernels() override;

  StatusOr<std::string> Assembly(const Code& code) const override;
  StatusOr<std::vector<const void*>> Load(const Code& code,
                                          std::span<const Function> functions) override;
  RunFunction* run() const override { return &RunHandle; }
  Status status() const override;

 private:
  struct Kernel {
    EmulatedKernels* owner;
    std::string name;
    KernelOperands operands;
    std::uint64_t address;  // in the guest
  };
  EmulatedKernels(const JitTarget& target, std::shared_ptr<Emulator> emulator)
      : target_(target), emulator_(std::move(emulator)) {}
  Status Compile(const Code& code, const std::string& folder, const std::string& kind) const;
  static std::uint64_t RunHandle(const void* handle, const std::uint64_t* arguments);
  StatusOr<std::uint64_t> Run(const Kernel& kernel, const std::uint64_t* arguments);

  const JitTarget target_;
  const std::shared_ptr<Emulator> emulator_;
  std::string compiler_, linker_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<const Kernel>> kernels_;
  std::vector<std::uint64_t> libraries_;
  Status status_;
};

}  // namespace axle
