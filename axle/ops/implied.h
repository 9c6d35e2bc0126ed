// Instructions that front ends add without being told to by the name of an op: HLO text writes
// t#1 for an element of t, a file of one instruction leaves its parameters out, and an operation
// may mix float types.
#pragma once
#include <functional>

#include "axle/ops/op_def.h"

namespace axle {

// `tuple` must have an element of this index.
Instruction* AddTupleElement(HloComputation& computation, Instruction* tuple, i64 index,
                             std::string_view name);
Instruction* AddParameter(HloComputation& computation, i64 number, const Shape& shape,
                          std::string_view name);

// XLA's verifier takes floats of several types as operands where the row of the op wants one. Such
// an operation is computed in a type that holds them all.
//
// That type; nothing where one type is there, or the row takes several.
std::optional<ElementType> MixedFloatType(const OpDef& def, std::span<Instruction* const> operands);

struct MixedInstruction {
  Instruction* computed;  // the operation itself
  Instruction* result;    // of the type that `init` states
};
// Appends `init`, whose operands are of several float types, between conversions to `type` and, if
// `has_shape`, back to the shape that it states, the name of which the last one gets.
// unused_name(x) is x, or x.1, .. Errors: those of InferShape; INVALID_ARGUMENT if the shapes
// differ in more than the type of floats.
StatusOr<MixedInstruction> AddMixed(
    HloComputation& computation, const NewInstruction& init, bool has_shape, ElementType type,
    const std::function<std::string(const std::string&)>& unused_name);

}  // namespace axle
