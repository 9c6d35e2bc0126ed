// Sizes that a program leaves open: f32[?,4]. Such a program is read and printed. It is compiled
// for the shapes of its arguments, from which all other sizes follow.
#pragma once
#include <memory>
#include <span>

#include "axle/ir/module.h"

namespace axle {

struct OpDef;  // ops/op_def.h

// Whether a size of the shape, or of a part of it, is open.
bool HasOpenSize(const Shape& shape);
// Whether the rule of an op cannot be asked because a size of its operands is open; the rule of
// get-tuple-element always can. For an instruction, its own shape counts too.
bool HaveOpenSize(const OpDef& def, std::span<Instruction* const> operands);
bool HasOpenSize(const Instruction& inst);
bool HasOpenSize(const Module& module);

// INVALID_ARGUMENT at the first open size, which says what gives it.
Status CheckSizesAreKnown(const Instruction& inst);
Status CheckSizesAreKnown(const Module& module);

// The program for arguments of these shapes, one for each parameter of the entry: every shape
// follows from them by the rules of the rows. A computation that is called with several sizes is
// there once for each. Names are kept; those of further copies get a number. Errors:
// INVALID_ARGUMENT if the shapes do not fit the parameters, a rule refuses the sizes, or a size
// does not follow from the arguments, with the instruction; RESOURCE_EXHAUSTED for too many copies.
StatusOr<std::unique_ptr<Module>> ForArgumentShapes(const Module& module,
                                                    std::span<const Shape> arguments);

}  // namespace axle
