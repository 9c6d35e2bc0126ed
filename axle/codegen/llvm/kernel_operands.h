// The operands of a kernel (spec/kernel_operands.h) as metadata of its function.
#pragma once
#include <optional>

#include "axle/codegen/schedule/regions.h"
#include "axle/codegen/spec/kernel_operands.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace axle {

// The operands of a small region of `schedule`.
KernelOperands OperandsOf(const Region& region, const Schedule& schedule);

void SetKernelOperands(llvm::Function& function, const KernelOperands& operands);
// Null for a function that is no kernel.
std::optional<KernelOperands> GetKernelOperands(const llvm::Function& function);

}  // namespace axle
