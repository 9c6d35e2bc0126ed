// Precompiled kernels: those that lie in the library, compiled when it was built, by the code that
// compiles them at run time. A module that needs no others starts without LLVM. tools/precompile/
// chooses them.
#pragma once
#include <span>
#include <string_view>

#include "axle/codegen/llvm/jit.h"

namespace axle {

struct PrecompiledKernel {
  std::string_view key;  // PrecompiledKeyOf
  void (*code)();        // cast to the type that its plan calls
};

// Sorted by key. Made by PrecompiledWriter; empty where the library was built without.
std::span<const PrecompiledKernel> PrecompiledKernels();

// The key of a kernel whose KernelKey is portable and has this text.
std::string PrecompiledKeyOf(NativeIsa isa, int codegen_level, std::string_view kernel_key);

// Null if it is not precompiled.
void* FindPrecompiledKernel(NativeIsa isa, int codegen_level, std::string_view kernel_key);

}  // namespace axle
