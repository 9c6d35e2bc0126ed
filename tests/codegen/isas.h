// Instruction sets that tests ask for.
#pragma once
#include "axle/runtime/native_engine.h"

namespace axle {

inline bool MachineHas(NativeIsa isa) {
#if defined(__x86_64__)
  return isa != NativeIsa::kAvx512 || __builtin_cpu_supports("avx512dq");
#else
  return isa != NativeIsa::kAvx512;
#endif
}

}  // namespace axle
