// Quotients in loops that may round as they like (Rounding::kFast).
#pragma once
#include <span>

#include "axle/codegen/spec/kernel_spec.h"

namespace axle {

// `program` with a product in the place of each kAnyQuotient whose reciprocal serves a whole row or
// several quotients. `inputs`: how they are read along the row.
LaneProgram WithReciprocals(const LaneProgram& program, std::span<const InnerStride> inputs);

}  // namespace axle
