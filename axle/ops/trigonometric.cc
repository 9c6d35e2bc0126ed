// The rows of tan, of the hyperbolic and the inverse functions, and of cbrt. Their formulas are in
// transcendental_*.cc; the accuracies are what tests/accuracy/ measures (docs/accuracy.md), rounded
// up.
//
// A row names the emitter that appends the function to a lane program (lanes/lane_math.h) and
// documents its special values. The same emitter serves every engine and every float type: narrow
// floats are computed as f32 and rounded once. The branch cuts of the complex functions are those
// of C99.
#include "axle/ops/elementwise.h"
#include "axle/ops/lanes/complex_math.h"
#include "axle/ops/lanes/lane_math.h"

namespace axle {

extern const OpDef kAcosDef, kAcoshDef, kAsinDef, kAsinhDef, kAtan2Def, kAtanhDef, kCbrtDef,
    kCoshDef, kSinhDef, kTanDef;

const OpDef kTanDef = {
    .opcode = Opcode::kTan,
    .text = "tan",
    .summary = "Tangent of each element, in radians.",
    .semantics =
        "Any finite argument is reduced exactly. Keeps -0; infinities give NaN. Complex: zero "
        "parts stay zero, and an infinite imaginary part gives (0, 1) with its sign.",
    .source = "XLA Tan; StableHLO tan",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.9 ulp f32, <= 0.9 ulp f64; complex: <= 0.6 ulp c64, <= 1.2 ulp c128 in each "
        "part",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Tan(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexTan(z[0]); },
};

const OpDef kAtan2Def = {
    .opcode = Opcode::kAtan2,
    .text = "atan2",
    .summary = "Angle of the point (rhs, lhs) from the first axis, in radians, from -pi to pi.",
    .semantics =
        "The first operand is the ordinate, the second the abscissa, as in C's atan2. The "
        "result has the sign of lhs, zeros included: a zero beside a positive rhs or +0 gives "
        "a zero, beside a negative rhs or -0 it gives pi. Infinities count as equally long: "
        "two of them give an odd multiple of pi/4. NaN in either operand gives NaN. Complex: "
        "-i log((rhs + i lhs) / sqrt(lhs^2 + rhs^2)), which is NaN at the origin and for "
        "infinite operands.",
    .source = "XLA Atan2; StableHLO atan2; C's atan2",
    .operands = kBinaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.6 ulp f32, <= 0.8 ulp f64; complex: <= 0.6 ulp c64, <= 1.9 ulp c128 of the "
        "larger part, for parts within a factor of 2^500",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Atan2(x[0], x[1]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexAtan2(z[0], z[1]); },
};

const OpDef kAcosDef = {
    .opcode = Opcode::kAcos,
    .text = "acos",
    .summary = "Inverse cosine of each element, from 0 to pi.",
    .semantics =
        "1 gives +0. Beyond -1 and 1 the result is NaN. Complex: real parts from 0 to pi; "
        "cuts along the real axis beyond -1 and 1, where the sign of a zero imaginary part "
        "chooses the side.",
    .source = "XLA acos; C's acos",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.6 ulp f32, <= 0.7 ulp f64; complex: <= 0.6 ulp c64, <= 2 ulp c128 in each "
        "part",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Acos(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexAcos(z[0]); },
};

const OpDef kAsinDef = {
    .opcode = Opcode::kAsin,
    .text = "asin",
    .summary = "Inverse sine of each element, from -pi/2 to pi/2.",
    .semantics =
        "Keeps -0. Beyond -1 and 1 the result is NaN. Complex: real parts from -pi/2 to pi/2; "
        "cuts along the real axis beyond -1 and 1, where the sign of a zero imaginary part "
        "chooses the side.",
    .source = "XLA asin; C's asin",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.6 ulp f32, <= 0.7 ulp f64; complex: <= 0.6 ulp c64, <= 2 ulp c128 in each "
        "part",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Asin(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexAsin(z[0]); },
};

const OpDef kSinhDef = {
    .opcode = Opcode::kSinh,
    .text = "sinh",
    .summary = "Hyperbolic sine of each element.",
    .semantics =
        "Keeps -0 and infinities. Complex: (sinh x cos y, cosh x sin y), finite wherever the "
        "products are; zero parts stay zero.",
    .source = "XLA sinh; C's sinh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.8 ulp f32, <= 0.8 ulp f64; complex: <= 0.6 ulp c64, <= 0.8 ulp c128 in each "
        "part",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Sinh(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexSinh(z[0]); },
};

const OpDef kCoshDef = {
    .opcode = Opcode::kCosh,
    .text = "cosh",
    .summary = "Hyperbolic cosine of each element.",
    .semantics =
        "Both infinities give inf. Complex: (cosh x cos y, sinh x sin y), finite wherever the "
        "products are.",
    .source = "XLA cosh; C's cosh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.7 ulp f32, <= 0.7 ulp f64; complex: <= 0.6 ulp c64, <= 0.9 ulp c128 in each "
        "part",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Cosh(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexCosh(z[0]); },
};

const OpDef kAsinhDef = {
    .opcode = Opcode::kAsinh,
    .text = "asinh",
    .summary = "Inverse hyperbolic sine of each element.",
    .semantics =
        "Keeps -0 and infinities. Complex: imaginary parts from -pi/2 to pi/2; cuts along the "
        "imaginary axis beyond -i and i, where the sign of a zero real part chooses the side.",
    .source = "XLA asinh; C's asinh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.6 ulp f32, <= 0.6 ulp f64; complex: <= 0.6 ulp c64, <= 2 ulp c128 in each "
        "part",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Asinh(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexAsinh(z[0]); },
};

const OpDef kAcoshDef = {
    .opcode = Opcode::kAcosh,
    .text = "acosh",
    .summary = "Inverse hyperbolic cosine of each element, not negative.",
    .semantics =
        "1 gives +0, inf gives inf. Below 1 the result is NaN. Complex: real parts that are "
        "not negative; a cut along the real axis below 1, where the sign of a zero imaginary "
        "part chooses the side.",
    .source = "XLA acosh; C's acosh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.6 ulp f32, <= 0.6 ulp f64; complex: <= 0.6 ulp c64, <= 2 ulp c128 in each "
        "part",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Acosh(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexAcosh(z[0]); },
};

const OpDef kAtanhDef = {
    .opcode = Opcode::kAtanh,
    .text = "atanh",
    .summary = "Inverse hyperbolic tangent of each element.",
    .semantics =
        "Keeps -0. -1 and 1 give infinities of their sign, anything beyond NaN. Complex: "
        "imaginary parts from -pi/2 to pi/2; cuts along the real axis beyond -1 and 1, where "
        "the sign of a zero imaginary part chooses the side.",
    .source = "XLA atanh; C's atanh",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .accuracy =
        "<= 0.6 ulp f32, <= 0.6 ulp f64; complex: <= 0.6 ulp c64, <= 2 ulp c128 in each "
        "part",
    .infer = InferElementwise<kFloatsOrComplexes>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Atanh(x[0]); },
    .emit_complex = [](const Instruction&,
                       std::span<const ComplexLane> z) { return ComplexAtanh(z[0]); },
};

// There is no complex form: a complex number has three cube roots, and XLA defines none of them.
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
