// The primitives of lane programs as functions over arrays of elements.
#pragma once
#include <cstdint>

#include "axle/emit/lane_program.h"

namespace axle {

// The arguments of one step: the arrays, an immediate and the number of elements.
struct StepArgs {
  void* result;
  const void* operands[3];
  std::uint64_t immediate;
  i64 count;
};
using StepFn = void (*)(const StepArgs&);

// The function of an operation, or null if the primitive does not have these types.
StepFn FindStep(const LaneProgram& program, const LaneOp& op);

}  // namespace axle
