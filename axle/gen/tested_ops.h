// Tested operations: what random modules are about, and what the cells of the coverage are: an op
// on an element type.
#pragma once
#include <span>
#include <string_view>

#include "axle/ops/op_def.h"

namespace axle {

struct TestedOp {
  const OpDef* op;
  ElementType type;
};

// Every drawn op with every type that it takes; ops vary fastest.
std::span<const TestedOp> TestedOps();
// Those of them that compilers make code of themselves, other code in each setting.
std::span<const TestedOp> TestedOpsOfSettings();
// Whether the op is drawn in each setting.
bool HasSettings(const OpDef& def);

// Why there are no modules about this op on this type: the row's own error message, or the reason
// why the op is not drawn. "" if there are.
std::string_view WhyEmpty(Opcode op, ElementType type);

// What instructions, cells and inputs are of: the type of the first operand, or of the operands
// behind a pred that chooses between them, or of the result.
ElementType CoveredType(const Instruction& inst);

// The element types of arrays.
std::span<const ElementType> CoveredTypes();

}  // namespace axle
