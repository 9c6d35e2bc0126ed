// The rows of the functions of one float, and of power. Their formulas are in transcendental_*.cc;
// the accuracies are what tests/accuracy/ measures (docs/accuracy.md), rounded up.
#include "axle/ops/elementwise.h"
#include "axle/ops/lane_math.h"

namespace axle {

extern const OpDef kCosineDef, kErfDef, kExponentialDef, kExponentialMinusOneDef, kLogDef,
    kLogPlusOneDef, kLogisticDef, kPowerDef, kRsqrtDef, kSineDef, kSqrtDef, kTanhDef;

const OpDef kExponentialDef = {
    .opcode = Opcode::kExponential,
    .text = "exponential",
    .summary = "e to the power of each element.",
    .semantics = "exp(-inf) is 0. Results below the normal range are subnormal, not 0.",
    .source = "XLA Exp; StableHLO exponential",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 1.0 ulp f32, <= 1.0 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Exp(x[0]); },
};

const OpDef kExponentialMinusOneDef = {
    .opcode = Opcode::kExponentialMinusOne,
    .text = "exponential-minus-one",
    .summary = "e to the power of each element, less 1, without cancellation near 0.",
    .semantics = "Keeps -0; -inf gives -1.",
    .source = "XLA Expm1; StableHLO exponential_minus_one",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 1.3 ulp f32, <= 1.5 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return ExpMinusOne(x[0]); },
};

const OpDef kLogDef = {
    .opcode = Opcode::kLog,
    .text = "log",
    .summary = "Natural logarithm of each element.",
    .semantics = "The logarithm of either zero is -inf, of a negative number NaN.",
    .source = "XLA Log; StableHLO log",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.9 ulp f32, <= 0.9 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Log(x[0]); },
};

const OpDef kLogPlusOneDef = {
    .opcode = Opcode::kLogPlusOne,
    .text = "log-plus-one",
    .summary = "Natural logarithm of 1 plus each element, without cancellation near 0.",
    .semantics = "Keeps -0; -1 gives -inf, anything less NaN.",
    .source = "XLA Log1p; StableHLO log_plus_one",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 1.5 ulp f32, <= 1.4 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return LogPlusOne(x[0]); },
};

const OpDef kTanhDef = {
    .opcode = Opcode::kTanh,
    .text = "tanh",
    .summary = "Hyperbolic tangent of each element.",
    .semantics = "Keeps -0; infinities give 1 of their sign.",
    .source = "XLA Tanh; StableHLO tanh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.8 ulp f32, <= 1.1 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Tanh(x[0]); },
};

const OpDef kLogisticDef = {
    .opcode = Opcode::kLogistic,
    .text = "logistic",
    .summary = "1 / (1 + exp(-x)) of each element x.",
    .semantics = "-inf gives 0 and inf gives 1. Small results keep their relative accuracy.",
    .source = "XLA Logistic; StableHLO logistic",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 1.2 ulp f32, <= 1.1 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Logistic(x[0]); },
};

const OpDef kErfDef = {
    .opcode = Opcode::kErf,
    .text = "erf",
    .summary = "Error function of each element.",
    .semantics = "Keeps -0; infinities give 1 of their sign. Not for complex numbers.",
    .source = "XLA Erf",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 1.0 ulp f32, <= 1.1 ulp f64",
    .infer = InferElementwise<kFloats>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Erf(x[0]); },
};

const OpDef kSqrtDef = {
    .opcode = Opcode::kSqrt,
    .text = "sqrt",
    .summary = "Square root of each element.",
    .semantics = "Keeps -0; the root of a negative number is NaN.",
    .source = "XLA Sqrt; StableHLO sqrt",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "correctly rounded",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Sqrt(x[0]); },
};

const OpDef kRsqrtDef = {
    .opcode = Opcode::kRsqrt,
    .text = "rsqrt",
    .summary = "1 divided by the square root of each element.",
    .semantics = "A zero gives an infinity of its sign, inf gives 0, a negative number NaN.",
    .source = "XLA Rsqrt; StableHLO rsqrt",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 1.5 ulp f32, <= 1.5 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Rsqrt(x[0]); },
};

const OpDef kSineDef = {
    .opcode = Opcode::kSine,
    .text = "sine",
    .summary = "Sine of each element, in radians.",
    .semantics = "Any finite argument is reduced exactly. Keeps -0; infinities give NaN.",
    .source = "XLA Sin; StableHLO sine",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.9 ulp f32, <= 0.8 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Sin(x[0]); },
};

const OpDef kCosineDef = {
    .opcode = Opcode::kCosine,
    .text = "cosine",
    .summary = "Cosine of each element, in radians.",
    .semantics = "Any finite argument is reduced exactly. Infinities give NaN.",
    .source = "XLA Cos; StableHLO cosine",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.9 ulp f32, <= 0.8 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Cos(x[0]); },
};

const OpDef kPowerDef = {
    .opcode = Opcode::kPower,
    .text = "power",
    .summary = "Each element of lhs to the power of the element of rhs.",
    .semantics =
        "Floats follow C's pow: 1^y and x^0 are 1 even where the other is NaN, a negative finite "
        "base with a non-integer exponent gives NaN, zeros and infinities keep their sign under "
        "odd integer exponents. Integers are computed modulo 2^N; a negative exponent gives 1 for "
        "base 1, 1 or -1 for base -1, and 0 for any other base.",
    .source = "XLA Pow; StableHLO power",
    .operands = kBinaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.6 ulp f32, <= 1.1 ulp f64",
    .infer = InferElementwise<kNumbers>,
    .emit =
        [](const Instruction&, std::span<const Lane> x) {
          return IsFloat(x[0].type()) ? Power(x[0], x[1]) : IntegerPower(x[0], x[1]);
        },
};

}  // namespace axle
