// CPUID by the compiler's builtin, which also checks that the operating system saves the registers.

#include "axle/kernels/instruction_set.h"

namespace axle {

InstructionSet HostInstructionSet() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool is_v4 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0;
  if (is_v4) return InstructionSet::kX86V4;
#endif
  return InstructionSet::kX86V3;
}

}  // namespace axle
