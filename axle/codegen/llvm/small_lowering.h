// Small regions to LLVM IR: one function of straight-line code, loops and branches.
#pragma once
#include <string>

#include "axle/codegen/schedule/small_regions.h"
#include "axle/codegen/spec/jit_target.h"
#include "axle/codegen/spec/kernel_spec.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace axle {

// Adds the function `name`, a SmallKernel, to `module`. `schedule` is that of the region, and lives
// as long as the function: its larger constants stay where they are.
void EmitSmallKernel(const Region& region, const Schedule& schedule, const JitTarget& target,
                     const std::string& name, llvm::Module& module);

}  // namespace axle
