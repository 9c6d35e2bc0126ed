// The memory that a kernel touches: for an emulator, which runs it where that memory is not.
#pragma once
#include <vector>

#include "axle/codegen/spec/kernel_spec.h"

namespace axle {

struct KernelOperand {
  enum class Row : std::uint8_t {
    kNeighbours,  // `bytes` for each position of a row
    kOne,         // `bytes` for the row
    kApart,       // `bytes` for each position, as far apart as the call says
    kTable,       // any of the array, whose bounds the call has (checked_kernel.h)
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
}  // namespace axle
