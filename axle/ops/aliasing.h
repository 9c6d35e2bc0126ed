// output_to_operand_aliasing: which parts of a result may take the place of parts of operands. It
// is checked and carried; results and operands are buffers of their own all the same.
#pragma once
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/op_def.h"

namespace axle {

// Whether a buffer, b(f32[8]), may take the place of an array f32[8].
enum class Buffers : std::uint8_t { kDiffer, kAreAsTheirContents };

// An error unless the parts that are named exist in `result`, the shape of the result, and in the
// operands, have one shape each, and no part of the result is there twice.
Status CheckAliasing(const Instruction& inst, const Shape& result, const OperandAliasing& aliasing,
                     Buffers buffers = Buffers::kDiffer);
// The same, with `operands` in the place of the shapes of the operands.
Status CheckAliasing(const Instruction& inst, const Shape& result, const OperandAliasing& aliasing,
                     std::span<const Shape> operands, Buffers buffers);

}  // namespace axle
