// The rows of the functions of one float, and of power. Their formulas are in transcendental_*.cc;
// the accuracies are what tests/accuracy/ measures (docs/accuracy.md), rounded up.
//
// A row names the emitter of its function and documents the special values. A complex function is a
// different emitter of the same row; its accuracy is stated per part or for the larger part.
#include "axle/ops/elementwise.h"
#include "axle/ops/lanes/complex_math.h"
#include "axle/ops/lanes/lane_math.h"

namespace axle {

extern const OpDef kCosineDef, kErfDef, kExponentialDef, kExponentialMinusOneDef, kLogDef,
    kLogPlusOneDef, kLogisticDef, kPowerDef, kRsqrtDef, kSineDef, kSqrtDef, kTanhDef;

const OpDef kExponentialDef = {
    .opcode = Opcode::kExponential,
    .text = "exponential",
    .summary = "e to the power of each element.",
    .semantics =
        "exp(-inf) is 0. Results below the normal range are subnormal, not 0. Complex: e^x "
        "times (cos y, sin y), finite wherever the product is; a zero imaginary part stays "
        "zero, and a real part of -inf gives 0 even where the angle is infinite.",
    .source = "XLA Exp; StableHLO exponential",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 1.0 ulp f32, <= 1.0 ulp f64; complex: <= 0.6 ulp c64, <= 0.8 ulp c128 in each "
        "part",
    .errors = ErrorPropagation::kExponential,
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Exp(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexExp(z[0]); },
};

const OpDef kExponentialMinusOneDef = {
    .opcode = Opcode::kExponentialMinusOne,
    .text = "exponential-minus-one",
    .summary = "e to the power of each element, less 1, without cancellation near 0.",
    .semantics =
        "Keeps -0; -inf gives -1. Complex: e^z - 1, also where the two terms of its real part "
        "cancel; a zero imaginary part stays zero.",
    .source = "XLA Expm1; StableHLO exponential_minus_one",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 1.3 ulp f32, <= 1.5 ulp f64; complex: <= 0.6 ulp c64, <= 0.8 ulp c128 of the "
        "larger part",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return ExpMinusOne(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexExpMinusOne(z[0]); },
};

const OpDef kLogDef = {
    .opcode = Opcode::kLog,
    .text = "log",
    .summary = "Natural logarithm of each element.",
    .semantics =
        "The logarithm of either zero is -inf, of a negative number NaN. Complex: (log |z|, "
        "the angle of z), the angle as atan2 gives it, so that the sign of a zero imaginary "
        "part chooses the side of the cut along the negative axis; log |z| is exact near |z| "
        "= 1 and neither overflows nor underflows.",
    .source = "XLA Log; StableHLO log",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.9 ulp f32, <= 0.9 ulp f64; complex: <= 0.6 ulp c64, <= 1.2 ulp c128 in each "
        "part",
    .errors = ErrorPropagation::kLog,
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Log(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexLog(z[0]); },
};

const OpDef kLogPlusOneDef = {
    .opcode = Opcode::kLogPlusOne,
    .text = "log-plus-one",
    .summary = "Natural logarithm of 1 plus each element, without cancellation near 0.",
    .semantics =
        "Keeps -0; -1 gives -inf, anything less NaN. Complex: (log |1 + z|, the angle of 1 + "
        "z), without cancellation near 0 and on the circle |1 + z| = 1.",
    .source = "XLA Log1p; StableHLO log_plus_one",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 1.5 ulp f32, <= 1.4 ulp f64; complex: <= 0.6 ulp c64, <= 1.3 ulp c128 in each "
        "part",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return LogPlusOne(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexLogPlusOne(z[0]); },
};

const OpDef kTanhDef = {
    .opcode = Opcode::kTanh,
    .text = "tanh",
    .summary = "Hyperbolic tangent of each element.",
    .semantics =
        "Keeps -0; infinities give 1 of their sign. Complex: zero parts stay zero, and an "
        "infinite real part gives 1 of its sign at any angle.",
    .source = "XLA Tanh; StableHLO tanh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 1.3 ulp f32, <= 1.3 ulp f64; complex: <= 0.6 ulp c64, <= 1.2 ulp c128 in each "
        "part",
    .errors = ErrorPropagation::kLipschitz,
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Tanh(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexTanh(z[0]); },
};

const OpDef kLogisticDef = {
    .opcode = Opcode::kLogistic,
    .text = "logistic",
    .summary = "1 / (1 + exp(-x)) of each element x.",
    .semantics =
        "-inf gives 0 and inf gives 1. Small results keep their relative accuracy. Complex: 1 "
        "/ (1 + e^-z), with the same limits of the real part at any angle.",
    .source = "XLA Logistic; StableHLO logistic",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 1.2 ulp f32, <= 1.1 ulp f64; complex: <= 0.6 ulp c64, <= 0.8 ulp c128 of the "
        "larger part",
    .errors = ErrorPropagation::kLipschitz,
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Logistic(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexLogistic(z[0]); },
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
    .errors = ErrorPropagation::kLipschitz,
    .infer = InferElementwise<kFloats>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Erf(x[0]); },
};

const OpDef kSqrtDef = {
    .opcode = Opcode::kSqrt,
    .text = "sqrt",
    .summary = "Square root of each element.",
    .semantics =
        "Keeps -0; the root of a negative number is NaN. Complex: the root with a real part "
        "that is not negative, and the sign of the imaginary part of z; 0 gives 0, an "
        "infinite imaginary part gives (inf, that) whatever the real part is, a real part of "
        "inf gives (inf, 0) and one of -inf (0, inf), with the sign of the imaginary part. "
        "Nothing overflows or underflows on the way.",
    .source = "XLA Sqrt; StableHLO sqrt",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "correctly rounded; complex: <= 0.6 ulp c64, <= 0.9 ulp c128 in each part",
    .errors = ErrorPropagation::kSqrt,
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Sqrt(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexSqrt(z[0]); },
};

const OpDef kRsqrtDef = {
    .opcode = Opcode::kRsqrt,
    .text = "rsqrt",
    .summary = "1 divided by the square root of each element.",
    .semantics =
        "A zero gives an infinity of its sign, inf gives 0, a negative number NaN. Complex: 1 "
        "divided by the square root; 0 gives (inf, NaN), and anything infinite 0.",
    .source = "XLA Rsqrt; StableHLO rsqrt",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 1.5 ulp f32, <= 1.5 ulp f64; complex: <= 0.6 ulp c64, <= 0.8 ulp c128 in each "
        "part",
    .errors = ErrorPropagation::kRsqrt,
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Rsqrt(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexRsqrt(z[0]); },
};

const OpDef kSineDef = {
    .opcode = Opcode::kSine,
    .text = "sine",
    .summary = "Sine of each element, in radians.",
    .semantics =
        "Any finite argument is reduced exactly. Keeps -0; infinities give NaN. Complex: (sin "
        "x cosh y, cos x sinh y), finite wherever the products are; zero parts stay zero.",
    .source = "XLA Sin; StableHLO sine",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.9 ulp f32, <= 0.9 ulp f64; complex: <= 0.6 ulp c64, <= 0.8 ulp c128 in each "
        "part",
    .errors = ErrorPropagation::kLipschitz,
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Sin(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexSin(z[0]); },
};

const OpDef kCosineDef = {
    .opcode = Opcode::kCosine,
    .text = "cosine",
    .summary = "Cosine of each element, in radians.",
    .semantics =
        "Any finite argument is reduced exactly. Infinities give NaN. Complex: (cos x cosh y, "
        "-sin x sinh y), finite wherever the products are.",
    .source = "XLA Cos; StableHLO cosine",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.9 ulp f32, <= 0.9 ulp f64; complex: <= 0.6 ulp c64, <= 0.9 ulp c128 in each "
        "part",
    .errors = ErrorPropagation::kLipschitz,
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Cos(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexCos(z[0]); },
};

// One row for three algorithms: floats have a formula of their own, integers have IntegerPower, and
// complex powers go through the logarithm.
const OpDef kPowerDef = {
    .opcode = Opcode::kPower,
    .text = "power",
    .summary = "Each element of lhs to the power of the element of rhs.",
    .semantics =
        "Floats follow C's pow: 1^y and x^0 are 1 even where the other is NaN, a negative "
        "finite base with a non-integer exponent gives NaN, zeros and infinities keep their "
        "sign under odd integer exponents. Integers are computed modulo 2^N; a negative "
        "exponent gives 1 for base 1, 1 or -1 for base -1, and 0 for any other base. Complex: "
        "e^(rhs log lhs), except that a base of 1 or an exponent of 0 gives 1, and that of "
        "real exponents a positive one keeps the bases 0 and (inf, 0), and a negative one "
        "makes (inf, 0) 0. Other powers of zero and of infinite bases are NaN.",
    .source = "XLA Pow; StableHLO power",
    .operands = kBinaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.6 ulp f32, <= 1.2 ulp f64; complex: <= 0.6 ulp c64, <= 0.8 ulp c128 of the "
        "larger part while |rhs| <= 8, more for larger exponents",
    .infer = InferElementwise<kNumbers>,
    .emit =
        [](const Instruction&, std::span<const Lane> x) {
          return IsFloat(x[0].type()) ? Power(x[0], x[1]) : IntegerPower(x[0], x[1]);
        },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexPower(z[0], z[1]); },
};

}  // namespace axle
