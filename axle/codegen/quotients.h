// Quotients in loops that may round as they like (Rounding::kFast), which come as products with a
// reciprocal.
#pragma once
#include <span>

#include "axle/codegen/lane_lowering.h"

namespace axle {

// `program` with quotients again where their divisors differ along a row and divide one value
// alone: only other reciprocals are cheaper than the divisions, one for a row or for several
// values. `inputs`: how they are read along the row.
LaneProgram JoinQuotients(const LaneProgram& program, std::span<const InnerStride> inputs);

}  // namespace axle
