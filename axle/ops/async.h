// Asynchronous computations: async-start, async-update and async-done, and their short form, in
// which HLO text writes a computation of one op as op-start, op-update and op-done.
#pragma once
#include "axle/ops/op_def.h"

namespace axle {

// The async-start at the head of the chain that `inst`, an async-start or async-update, is in; null
// for other ops.
const Instruction* AsyncStartOf(const Instruction& inst);

}  // namespace axle
