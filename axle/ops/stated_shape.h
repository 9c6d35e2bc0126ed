// Shapes that programs state and nobody looks at.
#pragma once
#include "axle/ops/op_def.h"

namespace axle {

// Whether an instruction of this op has the shape that its row infers even where a program states
// another one. XLA reads send, recv, their dones and outfeed so: programs that its tools have
// changed state old shapes there.
bool IgnoresStatedShape(const OpDef& def);

}  // namespace axle
