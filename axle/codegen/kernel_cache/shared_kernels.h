// Kernels of programs that are alive in this process: a program whose kernels others have is ready
// without compiling. A model is compiled several times: for training and for evaluation, for the
// last batch, which is smaller, and step by step while it is written.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axle/codegen/kernel_cache/kernel_table.h"
#include "axle/codegen/spec/machine_code.h"

namespace axle {

// Code of several compilations.
class JoinedCode : public MachineCode {
 public:
  void Add(std::shared_ptr<const MachineCode> part);
  Status status() const override;

 private:
  std::vector<std::shared_ptr<const MachineCode>> parts_;  // each once
};

// What tells kernels apart that were compiled in this process: the key, the target, and what was
// known of the rows. Nothing if the kernel may not be shared: of a constant that lies in its
// program.
std::optional<std::string> SharedKeyOf(const KernelTable::Kernel& kernel, const JitTarget& target);

struct SharedKernel {
  void* address;
  std::shared_ptr<const MachineCode> code;  // that the address is in
};

// Thread-safe. Nothing if no program has it any more.
std::optional<SharedKernel> FindSharedKernel(const std::string& key);
// Does not keep the code alive. The first one with a key remains.
void ShareKernel(const std::string& key, void* address,
                 const std::shared_ptr<const MachineCode>& code);
// Of those that programs have.
size_t NumSharedKernels();

}  // namespace axle
