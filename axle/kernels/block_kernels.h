// The innermost work of linear algebra (linalg/block_kernels.h) for each instruction set.
#pragma once
#include "axle/kernels/instruction_set.h"
#include "axle/linalg/block_kernels.h"

namespace axle {

// Null where they are not compiled for this architecture.
template <typename T>
const BlockKernels<T>* BlockKernelsOf(InstructionSet instruction_set);

}  // namespace axle
