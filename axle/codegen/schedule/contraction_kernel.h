// dot and convolution as calls of the library's kernels (axle/kernels/): whether there is a kernel
// for an instruction, and its plan.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "axle/codegen/schedule/access.h"
#include "axle/codegen/schedule/dot_form.h"
#include "axle/core/kernel.h"
#include "axle/ir/module.h"
#include "axle/kernels/instruction_set.h"

namespace axle {

// `strides`, or those of the dot as it stands, with a result that lies where the elements of
// `written`, which is the dot or that user of it, are by this access; nothing if no kernel writes
// there.
std::optional<ContractionStrides> StridesInto(const Instruction& inst, const Instruction& written,
                                              const std::optional<ContractionStrides>& strides,
                                              const Access& access);

// One kernel, with its buffers {lhs, rhs, result, scratch}.
struct ContractionKernel {
  KernelFunction function = nullptr;
  std::vector<std::byte> plan;  // the plan that `function` takes; copied freely
  i64 num_tiles = 0;            // any split of them gives the same bits
  i64 scratch_bytes = 0;        // for each concurrent call
  std::string_view reason;      // why there is no kernel; empty if there is one
};

// `inst` is a verified instruction whose row has Lowering::kDot or kConvolution. All arrays are
// row-major, or those of a dot where `strides` say. Whether there is a kernel is the same for all
// instruction sets.
ContractionKernel PlanContraction(const Instruction& inst, InstructionSet instruction_set,
                                  const ContractionStrides* strides = nullptr);

}  // namespace axle
