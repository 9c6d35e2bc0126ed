// Kernels that run in an emulator, as functions of this machine.
#pragma once
#include "axle/codegen/spec/kernel_emulator.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace axle {

// Loads `code`, which is that of `kernels`, into the emulator, and adds to `host` functions of the
// same names and types that call its kernels there.
Status AddEmulated(const KernelEmulator::Code& code, const llvm::Module& kernels,
                   KernelEmulator& emulator, llvm::Module& host);

}  // namespace axle
