// The rows of tan, of the hyperbolic and the inverse functions, and of cbrt. Their formulas are in
// transcendental_*.cc; the accuracies are what tests/accuracy/ measures (docs/accuracy.md), rounded
// up.
#include "axle/ops/elementwise.h"
#include "axle/ops/lane_math.h"

namespace axle {

extern const OpDef kAcosDef, kAcoshDef, kAsinDef, kAsinhDef, kAtan2Def, kAtanhDef, kCbrtDef,
    kCoshDef, kSinhDef, kTanDef;

const OpDef kTanDef = {
    .opcode = Opcode::kTan,
    .text = "tan",
    .summary = "Tangent of each element, in radians.",
    .semantics = "Any finite argument is reduced exactly. Keeps -0; infinities give NaN.",
    .source = "XLA Tan; StableHLO tan",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.9 ulp f32, <= 0.9 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Tan(x[0]); },
};

const OpDef kAtan2Def = {
    .opcode = Opcode::kAtan2,
    .text = "atan2",
    .summary = "Angle of the point (rhs, lhs) from the first axis, in radians, from -pi to pi.",
    .semantics =
        "The first operand is the ordinate, the second the abscissa, as in C's atan2. The result "
        "has the sign of lhs, zeros included: a zero beside a positive rhs or +0 gives a zero, "
        "beside a negative rhs or -0 it gives pi. Infinities count as equally long: two of them "
        "give an odd multiple of pi/4. NaN in either operand gives NaN.",
    .source = "XLA Atan2; StableHLO atan2; C's atan2",
    .operands = kBinaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.6 ulp f32, <= 0.8 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Atan2(x[0], x[1]); },
};

const OpDef kAcosDef = {
    .opcode = Opcode::kAcos,
    .text = "acos",
    .summary = "Inverse cosine of each element, from 0 to pi.",
    .semantics = "1 gives +0. Beyond -1 and 1 the result is NaN.",
    .source = "XLA acos; C's acos",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.6 ulp f32, <= 0.7 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Acos(x[0]); },
};

const OpDef kAsinDef = {
    .opcode = Opcode::kAsin,
    .text = "asin",
    .summary = "Inverse sine of each element, from -pi/2 to pi/2.",
    .semantics = "Keeps -0. Beyond -1 and 1 the result is NaN.",
    .source = "XLA asin; C's asin",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.6 ulp f32, <= 0.7 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Asin(x[0]); },
};

const OpDef kSinhDef = {
    .opcode = Opcode::kSinh,
    .text = "sinh",
    .summary = "Hyperbolic sine of each element.",
    .semantics = "Keeps -0 and infinities.",
    .source = "XLA sinh; C's sinh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.8 ulp f32, <= 0.8 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Sinh(x[0]); },
};

const OpDef kCoshDef = {
    .opcode = Opcode::kCosh,
    .text = "cosh",
    .summary = "Hyperbolic cosine of each element.",
    .semantics = "Both infinities give inf.",
    .source = "XLA cosh; C's cosh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.7 ulp f32, <= 0.7 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Cosh(x[0]); },
};

const OpDef kAsinhDef = {
    .opcode = Opcode::kAsinh,
    .text = "asinh",
    .summary = "Inverse hyperbolic sine of each element.",
    .semantics = "Keeps -0 and infinities.",
    .source = "XLA asinh; C's asinh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.6 ulp f32, <= 0.6 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Asinh(x[0]); },
};

const OpDef kAcoshDef = {
    .opcode = Opcode::kAcosh,
    .text = "acosh",
    .summary = "Inverse hyperbolic cosine of each element, not negative.",
    .semantics = "1 gives +0, inf gives inf. Below 1 the result is NaN.",
    .source = "XLA acosh; C's acosh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.6 ulp f32, <= 0.6 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Acosh(x[0]); },
};

const OpDef kAtanhDef = {
    .opcode = Opcode::kAtanh,
    .text = "atanh",
    .summary = "Inverse hyperbolic tangent of each element.",
    .semantics = "Keeps -0. -1 and 1 give infinities of their sign, anything beyond NaN.",
    .source = "XLA atanh; C's atanh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.6 ulp f32, <= 0.6 ulp f64",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Atanh(x[0]); },
};

const OpDef kCbrtDef = {
    .opcode = Opcode::kCbrt,
    .text = "cbrt",
    .summary = "Real cube root of each element.",
    .semantics =
        "The root of a negative number is negative. Keeps zeros, their sign and infinities. Not "
        "for complex numbers.",
    .source = "XLA Cbrt; StableHLO cbrt",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy = "<= 0.6 ulp f32, <= 0.6 ulp f64",
    .infer = InferElementwise<kFloats>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Cbrt(x[0]); },
};

}  // namespace axle
