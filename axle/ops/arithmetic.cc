// add, subtract, multiply, negate: operations that are one primitive of a lane program each.
// Complex forms spell out the formula on the parts with separate roundings, which fixes their bits.
//
// `errors` tells the accuracy analysis how an error of the operands becomes one of the result.
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kAddDef, kMultiplyDef, kNegateDef, kSubtractDef;

const OpDef kAddDef = {
    .opcode = Opcode::kAdd,
    .text = "add",
    .summary = "Sum of each pair of elements.",
    .semantics =
        "Integers wrap around, pred is the logical or, floats are rounded to nearest even.",
    .source = "XLA Add; StableHLO add",
    .operands = kBinaryOperands,
    .traits = kCommutative,
    .lowering = Lowering::kElementwise,
    .accuracy = "correctly rounded",
    .errors = ErrorPropagation::kAdd,
    .infer = InferElementwise<kAllTypes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return x[0] + x[1]; },
    .emit_complex = [](const Instruction&, std::span<const ComplexLane> x) -> ComplexLane {
      return {x[0].re + x[1].re, x[0].im + x[1].im};
    },
};

const OpDef kSubtractDef = {
    .opcode = Opcode::kSubtract,
    .text = "subtract",
    .summary = "Difference of each pair of elements, lhs - rhs.",
    .semantics = "Integers wrap around, floats are rounded to nearest even. Not for pred.",
    .source = "XLA Sub; StableHLO subtract",
    .operands = kBinaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "correctly rounded",
    .errors = ErrorPropagation::kAdd,
    .infer = InferElementwise<kNumbers>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return x[0] - x[1]; },
    .emit_complex = [](const Instruction&, std::span<const ComplexLane> x) -> ComplexLane {
      return {x[0].re - x[1].re, x[0].im - x[1].im};
    },
};

const OpDef kMultiplyDef = {
    .opcode = Opcode::kMultiply,
    .text = "multiply",
    .summary = "Product of each pair of elements.",
    .semantics =
        "Integers wrap around, pred is the logical and, floats are rounded to nearest even. "
        "Complex products are (ac - bd, ad + bc), each operation rounded, without special cases "
        "for infinities.",
    .source = "XLA Mul; StableHLO multiply",
    .operands = kBinaryOperands,
    .traits = kCommutative,
    .lowering = Lowering::kElementwise,
    .accuracy = "correctly rounded",
    .errors = ErrorPropagation::kMultiply,
    .infer = InferElementwise<kAllTypes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return x[0] * x[1]; },
    .emit_complex = [](const Instruction&, std::span<const ComplexLane> x) -> ComplexLane {
      const auto [a, b] = x[0];
      const auto [c, d] = x[1];
      return {a * c - b * d, a * d + b * c};
    },
};

const OpDef kNegateDef = {
    .opcode = Opcode::kNegate,
    .text = "negate",
    .summary = "Each element with the opposite sign.",
    .semantics =
        "Integers wrap around (the least one is its own negative), floats flip the sign bit.",
    .source = "XLA Neg; StableHLO negate",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .errors = ErrorPropagation::kLipschitz,
    .infer = InferElementwise<kNumbers>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return -x[0]; },
    .emit_complex = [](const Instruction&, std::span<const ComplexLane> x) -> ComplexLane {
      return {-x[0].re, -x[0].im};
    },
};

}  // namespace axle
