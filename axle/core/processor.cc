// Compiled for plain x86-64 (CMakeLists.txt): nothing here may be a template or an inline function,
// of which the linker might take the copy of another file.
#include "axle/core/processor.h"

namespace axle {

const char* const kProcessorTooOld =
    "this processor is older than x86-64-v3 (it lacks AVX2, FMA or BMI), which axle needs";

bool HasBaselineProcessor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  // Of the level, those that a processor can have apart from each other; an operating system that
  // does not save the wide registers counts as their absence.
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
#else
  return true;
#endif
}

}  // namespace axle
