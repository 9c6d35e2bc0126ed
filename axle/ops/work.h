// The work of instructions, from their shapes alone: for cost analyses and profiles. Thread-safe.
#pragma once
#include <span>

#include "axle/ir/instruction.h"

namespace axle {

// Returns whether the instruction only holds values, passes them on or calls a computation: it
// reads and writes no elements itself.
bool MovesNothing(const Instruction& inst);
// Returns the number of multiplications and additions, by the lowering class: one per result
// element, two per product of a dot or convolution, or one per operand element of a reduction.
// Computations that it calls are counted where they are defined.
double Flops(const Instruction& inst);
// Returns whether the work of the instruction is covered by Flops and the bytes of its operands and
// result; for a call or a conditional, together with those of the called computations.
bool CountsAllWork(const Instruction& inst);
// Returns the Flops of all these instructions, each computed once, or -1 if they do not cover the
// work of one of them.
double FlopsOfAll(std::span<const Instruction* const> instructions);

}  // namespace axle
