// Precompiled kernels are found by binary search among keys that begin with the instruction set and
// the level.
#include "axle/codegen/kernel_cache/precompiled.h"

#include <algorithm>

namespace axle {

std::string PrecompiledKeyOf(NativeIsa isa, int codegen_level, std::string_view kernel_key) {
  std::string key = {static_cast<char>(isa), static_cast<char>(codegen_level)};
  key += kernel_key;
  return key;
}

void* FindPrecompiledKernel(NativeIsa isa, int codegen_level, std::string_view kernel_key) {
  const std::span<const PrecompiledKernel> precompiled = PrecompiledKernels();
  const std::string key = PrecompiledKeyOf(isa, codegen_level, kernel_key);
  const auto found = std::ranges::lower_bound(precompiled, key, {}, &PrecompiledKernel::key);
  if (found == precompiled.end() || found->key != key) return nullptr;
  return reinterpret_cast<void*>(found->code);
}

}  // namespace axle
