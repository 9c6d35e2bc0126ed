// and, or.
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kAndDef, kOrDef;

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

}  // namespace axle
