// Rows of results of a loop that are folded to one element each, as FoldForm::kRows is.
#pragma once
#include "tests/codegen/random_kernels/reference.h"

namespace axle {

// How the rows of a result of this type are folded.
LoopFold FoldOf(const RandomProgram& program, LaneType type);

// What they are folded to: one element for each row.
Elements FoldedRows(const RandomProgram& program, LaneType type, const Elements& elements);

}  // namespace axle
