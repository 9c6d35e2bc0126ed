// Random programs as LLVM IR, by the emitters that compile Axle's modules.
#pragma once
#include <string>

#include "axle/codegen/llvm/jit.h"
#include "tests/codegen/random_kernels/program.h"

namespace axle {

// Of few elements: gets the addresses of the inputs, of the results, and of one array of u64 with
// the numbers from 0 to kMaxTurns: code does not know how often a loop turns.
using SmallRandomKernel = void(void* const* pointers);
void EmitSmallProgram(const RandomProgram& program, const JitTarget& target,
                      const std::string& name, llvm::Module& module);

// A LoopKernel.
void EmitLoopProgram(const RandomProgram& program, const JitTarget& target, const std::string& name,
                     llvm::Module& module);

}  // namespace axle
