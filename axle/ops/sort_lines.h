// The sort of sort.cc, for other ops that order arrays by a computation.
#pragma once
#include <span>
#include <vector>

#include "axle/ops/op_def.h"

namespace axle {

// Checks that callee 0 of `inst` compares elements of these types: (a0, b0, a1, b1, ...) -> pred[].
Status CheckComparator(const Instruction& inst, std::span<const ElementType> types);

// Sorts every line along `dim` of the operands, arrays of one size, by callee 0 of `inst`. Takes
// the operands over.
StatusOr<std::vector<Literal>> SortLines(const Instruction& inst, i64 dim,
                                         std::span<Literal> operands, const EvalContext& context);

}  // namespace axle
