// KernelFunction: what one record of a compiled program calls, whether it was compiled just in time
// or is one of axle/kernels/.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

// What kernels may ask of the run that calls them: a table of C functions, so that code that knows
// nothing of the library can be given one.
struct RunContext {
  // True once the run was cancelled or is past its deadline: a kernel that works for long looks
  // now and then (about every millisecond) and returns kKernelStopped.
  bool (*stopped)(const RunContext* run) = nullptr;
};

inline constexpr int kKernelOk = 0;
inline constexpr int kKernelStopped = 1;
inline constexpr int kKernelFailed = 2;  // the run holds the status

// Computes the tiles [begin, end) of its work. `plan` is what was worked out when the program was
// compiled, of the kernel's own type; null for kernels that need none. `buffers` are the places of
// its operands and results and, if it asked for scratch memory, last a block that nobody else uses
// during the call. How the tiles are spread over calls and threads never shows in the results.
using KernelFunction = int (*)(const RunContext* run, const void* plan, void* const* buffers,
                               i64 begin, i64 end);

}  // namespace axle
