// Code for the kernels of a table: each is taken from the precompiled ones or compiled, by several
// threads at a time.
#pragma once
#include <memory>

#include "axle/codegen/kernel_cache/kernel_table.h"
#include "axle/codegen/spec/machine_code.h"
#include "axle/runtime/native_engine.h"

namespace axle {

class PrecompiledWriter;

// Whether there is a compiler: not in a library that was built without LLVM.
extern const bool kHasKernelCompiler;

// Fills in all kernels. Those of options.saved are linked, not compiled. Gives the code of those
// that are not precompiled; null if all are. The code
// is the same for any number of threads. What LLVM needs is reserved from the limits before it
// begins. Errors: CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED;
// FAILED_PRECONDITION without a compiler.
StatusOr<std::unique_ptr<MachineCode>> CompileKernels(KernelTable& table, const JitTarget& target,
                                                      const NativeOptions& options);

// The code of those kernels that are the same in every process and that are not precompiled.
StatusOr<SavedKernels> SaveKernels(const KernelTable& table, const JitTarget& target);

// Adds those kernels to the writer that are the same in every process.
Status PrecompileKernels(const KernelTable& table, PrecompiledWriter& writer);

}  // namespace axle
