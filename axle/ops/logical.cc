// and, or, xor, not.
//
// They take integers and pred. A pred lane holds 0 or 1, so that the bitwise primitive gives the
// logical result for the three binary ones. The complement of a pred cannot be bitwise, since ~1 is
// not 0; it has a primitive of its own.
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kAndDef, kNotDef, kOrDef, kXorDef;

const OpDef kAndDef = {
    .opcode = Opcode::kAnd,
    .text = "and",
    .summary = "Conjunction of each pair of elements: bitwise for integers, logical for pred.",
    .semantics = "Not for floats and complex numbers.",
    .source = "XLA And; StableHLO and",
    .operands = kBinaryOperands,
    .traits = kCommutative,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kBits>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return x[0] & x[1]; },
};

const OpDef kOrDef = {
    .opcode = Opcode::kOr,
    .text = "or",
    .summary = "Disjunction of each pair of elements: bitwise for integers, logical for pred.",
    .semantics = "Not for floats and complex numbers.",
    .source = "XLA Or; StableHLO or",
    .operands = kBinaryOperands,
    .traits = kCommutative,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kBits>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return x[0] | x[1]; },
};

const OpDef kXorDef = {
    .opcode = Opcode::kXor,
    .text = "xor",
    .summary = "Exclusive or of each pair of elements: bitwise for integers, logical for pred.",
    .semantics = "Not for floats and complex numbers.",
    .source = "XLA Xor; StableHLO xor",
    .operands = kBinaryOperands,
    .traits = kCommutative,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kBits>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return x[0] ^ x[1]; },
};

const OpDef kNotDef = {
    .opcode = Opcode::kNot,
    .text = "not",
    .summary = "Complement of each element: bitwise for integers, logical for pred.",
    .semantics = "Not for floats and complex numbers.",
    .source = "XLA Not; StableHLO not",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kBits>,
    .emit = [](const Instruction&,
               std::span<const Lane> x) { return x[0].type() == LaneType::kPred ? !x[0] : ~x[0]; },
};

}  // namespace axle
