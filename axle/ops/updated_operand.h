// Which ops give an operand with some elements replaced.
#pragma once
#include <optional>

#include "axle/ir/module.h"

namespace axle {

// The number of the operand that the array result of `inst` is but for a few elements: whoever
// computes the result in the place of that operand writes those elements alone. Nothing if the
// result is another value.
std::optional<i64> UpdatedOperand(const Instruction& inst);

}  // namespace axle
