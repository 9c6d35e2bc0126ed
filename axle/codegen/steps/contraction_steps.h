// dot and convolution as calls of prebuilt kernels (axle/kernels/): what is written down when the
// instruction is compiled.
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

// Strides with which `inst` had better read operand `i` by this access than a copy of it in order;
// nothing if it is no dot, or copying is better.
std::optional<Dims> StridesInPlace(const Instruction& inst, i64 i, const Access& access);
// The same of the result that lies as `user`, which reads nothing else, wants it.
// Its row-major strides, or these.
std::optional<Dims> StridesOfResult(const Instruction& inst, const Instruction& user,
                                    const Dims* strides = nullptr);
// `strides`, or those of the dot as it stands, with a result that lies where the elements of
// `written`, which is the dot or that user of it, are by this access; nothing if no kernel writes
// there.
std::optional<ContractionStrides> StridesInto(const Instruction& inst, const Instruction& written,
                                              const std::optional<ContractionStrides>& strides,
                                              const Access& access);

// One kernel, with its buffers {lhs, rhs, result, scratch}.
struct ContractionStep {
  KernelFunction function = nullptr;
  std::vector<std::byte> plan;  // what `function` takes as its plan; copied freely
  i64 num_tiles = 0;            // of all the work; any split of them gives the same bits
  i64 scratch_bytes = 0;        // of each concurrent call
  std::string_view reason;      // why there is no kernel; empty if there is one
};

// `inst` is a verified instruction whose row has Lowering::kDot or kConvolution. All arrays are
// row-major, or those of a dot where `strides` say. Whether there is a kernel is the same for all
// instruction sets.
ContractionStep PlanContraction(const Instruction& inst, InstructionSet instruction_set,
                                const ContractionStrides* strides = nullptr);

}  // namespace axle
