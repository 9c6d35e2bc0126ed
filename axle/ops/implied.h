// Instructions that front ends add without being told to by the name of an op: HLO text writes
// t#1 for an element of t, and a file of one instruction leaves its parameters out.
#pragma once
#include "axle/ir/module.h"

namespace axle {

// `tuple` must have an element of this index.
Instruction* AddTupleElement(HloComputation& computation, Instruction* tuple, i64 index,
                             std::string_view name);
Instruction* AddParameter(HloComputation& computation, i64 number, const Shape& shape,
                          std::string_view name);

}  // namespace axle
