// Whether primitives are defined for what they are to be computed of (emit/primitives.def).
#pragma once
#include "axle/emit/primitives.h"

namespace axle {

// For all elements of the operands in `args`.
bool IsDefined(const LaneProgram& program, const LaneOp& op, const StepArgs& args);

}  // namespace axle
