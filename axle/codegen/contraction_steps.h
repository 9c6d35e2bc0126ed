// dot and convolution as calls of prebuilt kernels (axle/kernels/): what is written down when the
// instruction is compiled.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "axle/core/kernel.h"
#include "axle/ir/module.h"
#include "axle/kernels/instruction_set.h"

namespace axle {

// One kernel, with its buffers {lhs, rhs, result, scratch}; operands and the result are row-major.
struct ContractionStep {
  KernelFunction function = nullptr;
  std::vector<std::byte> plan;  // what `function` takes as its plan; copied freely
  i64 num_tiles = 0;            // of all the work; any split of them gives the same bits
  i64 scratch_bytes = 0;        // of each concurrent call
  std::string_view reason;      // why there is no kernel; empty if there is one
};

// `inst` is a verified instruction whose row has Lowering::kDot or kConvolution.
ContractionStep PlanContraction(const Instruction& inst, InstructionSet instruction_set);

}  // namespace axle
