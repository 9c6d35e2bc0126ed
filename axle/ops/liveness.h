// Which instructions of a computation have to run.
#pragma once
#include <vector>

#include "axle/ir/module.h"

namespace axle {

// By Instruction::index(): what the root needs, and what may do more than compute its value, with
// its operands. Calls count as such, whatever they call.
std::vector<bool> LiveInstructions(const HloComputation& computation);

}  // namespace axle
