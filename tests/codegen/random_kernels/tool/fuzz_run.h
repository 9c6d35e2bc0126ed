// A fuzz run for random programs whose kernels give other bits than the interpreter, or that LLVM
// cannot compile.
#pragma once
#include <vector>

#include "axle/codegen/llvm/jit.h"
#include "tests/codegen/random_kernels/program.h"

namespace axle {

struct FuzzOptions {
  std::uint64_t seed = 0;
  std::uint64_t first = 0;              // index of the first program
  std::uint64_t count = 0;              // programs
  double seconds = 0;                   // ends it earlier, if not 0
  std::vector<KernelForm> forms = {};   // in turn, if there are two
  std::vector<JitTarget> targets = {};  // one is drawn for each few programs
};

struct FuzzTotals {
  std::uint64_t kernels = 0, values = 0, differences = 0, crashes = 0;
};

// Prints what is found, reduced. Programs are compiled and run in a process of their own, so that
// the fuzz run goes on where that ends.
FuzzTotals RunFuzzer(const FuzzOptions& options);

}  // namespace axle
