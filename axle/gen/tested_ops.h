// Tested operations: the operation and element type that a random module is about; also the cells
// of coverage.
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
// The subjects for which a compiler makes the code itself, another code in each setting.
std::span<const TestedOp> TestedOpsOfSettings();
// Whether the op is drawn in each setting.
bool HasSettings(const OpDef& def);

// Why there are no modules about this op on this type: the row's own error message, or the reason
// why the op is not drawn. "" if there are.
std::string_view WhyEmpty(Opcode op, ElementType type);

// The element type that an instruction counts for: that of the first operand, or of the operands
// that a pred chooses between, or of the result if there are no operands.
ElementType CoveredType(const Instruction& inst);

// The element types of arrays.
std::span<const ElementType> CoveredTypes();

}  // namespace axle
