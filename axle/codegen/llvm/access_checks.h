// Checked code, for tests: before each load and store, kernels ask whether it stays inside the
// memory of the operand that it goes to. What does not goes elsewhere instead, and the run fails.
//
// Checks are put into the finished IR of a kernel: whoever writes IR cannot forget one, and the
// lanes that a mask leaves in count, whatever they were meant to be.
#pragma once
#include <cstddef>
#include <span>
#include <utility>

#include "axle/codegen/spec/checked_kernel.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace axle {

// A kernel whose argument `pointers` has the pointers of its operands, and whose other arguments
// are tables of ours. `constants` are blocks with fixed addresses that it reads, with their sizes.
struct CheckedKernel {
  unsigned pointers;
  size_t num_operands;
  std::span<const std::pair<const std::byte*, i64>> constants = {};
};
// Runs of the kernel fail if there is an access to unknown memory.
void AddAccessChecks(llvm::Function& function, const CheckedKernel& kernel, AccessChecks& checks);

}  // namespace axle
