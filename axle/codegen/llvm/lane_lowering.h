// Lane programs to loops with explicit vectors in LLVM IR.
#pragma once
#include <string>

#include "axle/codegen/spec/jit_target.h"
#include "axle/codegen/spec/kernel_spec.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace axle {

// Adds the function `name` to `module`. For each row: a main loop over whole vectors and, where
// rows may need it, one masked tail.
void EmitLoopKernel(const LoopKernelSpec& spec, const JitTarget& target, const std::string& name,
                    llvm::Module& module);

}  // namespace axle
