// In the place of llvm/ and of what compiles with it, where the library is built without LLVM.
#include "axle/codegen/kernel_cache/kernel_compiler.h"

namespace axle {

const bool kHasKernelCompiler = false;

StatusOr<std::unique_ptr<MachineCode>> CompileKernels(KernelTable&, const JitTarget&,
                                                      const NativeOptions&) {
  return FailedPrecondition("compile: this library was built without LLVM");
}

StatusOr<SavedKernels> SaveKernels(const KernelTable&, const JitTarget&) {
  return FailedPrecondition("compile: this library was built without LLVM");
}

}  // namespace axle
