// Which instructions of a computation have to run.
#pragma once
#include <vector>

#include "axle/ir/module.h"

namespace axle {

// By Instruction::index(): true for the instructions that the root needs, and for those that may do
// more than compute their value, with their operands. A call counts as one of these, whatever it
// calls.
std::vector<bool> LiveInstructions(const HloComputation& computation);

}  // namespace axle
