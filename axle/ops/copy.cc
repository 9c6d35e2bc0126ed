// copy: the operand again.
//
// An array is copied as an elementwise op of its stored form; a tuple or a token is moved as a
// whole. The bits of narrow floats are not interpreted.
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kCopyDef;

const OpDef kCopyDef = {
    .opcode = Opcode::kCopy,
    .text = "copy",
    .summary = "The operand, bit for bit.",
    .semantics =
        "It may be of any shape, tuples and tokens included. What a copy is for, another layout "
        "or a buffer of its own, is no part of the value.",
    .source = "XLA Copy",
    .operands = kUnaryOperands,
    .traits = kHandsOn,
    .lowering = Lowering::kElementwise,
    .errors = ErrorPropagation::kLipschitz,
    .infer = [](const Instruction& inst) -> StatusOr<Shape> { return inst.operand(0)->shape(); },
    .emit = [](const Instruction&, std::span<const Lane> x) { return x[0]; },
    .emit_complex = [](const Instruction&, std::span<const ComplexLane> x) { return x[0]; },
    .in_stored_form = [](const Instruction&) { return true; },
    // Copies of tuples and tokens come here.
    .eval = [](const Instruction&, std::span<Literal> operands,
               const EvalContext&) -> StatusOr<Literal> { return std::move(operands[0]); },
};

}  // namespace axle
