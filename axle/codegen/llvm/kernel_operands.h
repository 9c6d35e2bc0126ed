// What memory a kernel touches, written into its IR: for whoever runs it where that memory is not
// (emulated_kernels.h).
#pragma once
#include <optional>
#include <vector>

#include "axle/codegen/llvm/lane_lowering.h"
#include "axle/codegen/llvm/merge_lowering.h"
#include "axle/codegen/schedule/regions.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace axle {

struct KernelOperand {
  enum class Row : std::uint8_t {
    kNeighbours,  // `bytes` for each position of a row
    kOne,         // `bytes` for the row
    kApart,       // `bytes` for each position, as far apart as the call says
  };
  Row row = Row::kOne;
  i64 bytes = 0;
  bool is_output = false;
  bool operator==(const KernelOperand&) const = default;
};

struct KernelOperands {
  bool is_loop = false;  // a LoopKernel; or a SmallKernel, whose operands are one row
  std::vector<KernelOperand> operands;
  bool operator==(const KernelOperands&) const = default;
};

KernelOperands OperandsOf(const LoopKernelSpec& spec);
KernelOperands OperandsOf(const MergeKernelSpec& spec);
// Of a small region of `schedule`.
KernelOperands OperandsOf(const Region& region, const Schedule& schedule);

void SetKernelOperands(llvm::Function& function, const KernelOperands& operands);
// Null for a function that is no kernel.
std::optional<KernelOperands> GetKernelOperands(const llvm::Function& function);

}  // namespace axle
