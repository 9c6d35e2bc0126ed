// KernelEmulator: kernels of a processor that this machine does not have, as functions of this one.
// For tests: bits may not depend on the processor. codegen/emulation/ implements it.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "axle/codegen/spec/jit_target.h"
#include "axle/codegen/spec/kernel_operands.h"
#include "axle/core/status.h"

namespace axle {

class KernelEmulator {
 public:
  // A module, and what LLVM's compiler program (llc) is told besides the target.
  struct Code {
    std::string llvm_ir;
    std::vector<std::string> llc_options;
  };
  struct Function {
    std::string name;
    KernelOperands operands;
  };

  virtual ~KernelEmulator() = default;
  // The machine code of a module, for people.
  virtual StatusOr<std::string> Assembly(const Code& code) const = 0;
  // Compiles and loads a module. Gives a handle for each of the functions, which is valid as long
  // as the emulator. Any number of threads at a time.
  virtual StatusOr<std::vector<const void*>> Load(const Code& code,
                                                  std::span<const Function> functions) = 0;
  // Calls a loaded function with its arguments as numbers, and gives what it returns.
  using RunFunction = std::uint64_t(const void* handle, const std::uint64_t* arguments);
  virtual RunFunction* run() const = 0;
  // The first error of a call: kernels that cannot run do nothing.
  virtual Status status() const = 0;
};

}  // namespace axle
