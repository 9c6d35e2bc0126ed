// ceil, floor, round-nearest-afz, round-nearest-even: to integral values. is-finite.
//
// The first four are primitives or short formulas of primitives. Narrow floats are computed in f32
// and rounded back.
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kCeilDef, kFloorDef, kIsFiniteDef, kRoundNearestAfzDef, kRoundNearestEvenDef;

namespace {

// x - Trunc(x) is exact. An infinity gives NaN there, compares false, and stays.
Lane RoundHalfAway(Lane x) {
  const Lane truncated = Trunc(x);
  const Lane away = truncated + Select(x < 0.0f, x.Like(-1), x.Like(1));
  return Select(Abs(x - truncated) >= 0.5f, away, truncated);
}

StatusOr<Shape> InferIsFinite(const Instruction& inst) {
  AXLE_ASSIGN(const Shape operand, SameShape(inst, kFloats));
  return operand.WithType(PRED);
}

}  // namespace

const OpDef kCeilDef = {
    .opcode = Opcode::kCeil,
    .text = "ceil",
    .summary = "The smallest integral value that is not below each element.",
    .semantics =
        "Values between -1 and 0 give -0; zeros, infinities and NaN stay. In a type without -0 "
        "the zero is +0.",
    .source = "XLA Ceil; StableHLO ceil; IEEE 754 roundToIntegralTowardPositive",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kFloats>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Ceil(x[0]); },
};

const OpDef kFloorDef = {
    .opcode = Opcode::kFloor,
    .text = "floor",
    .summary = "The largest integral value that is not above each element.",
    .semantics =
        "Zeros, infinities and NaN stay. f8e8m0fnu has no zero, so its values below 1 give NaN.",
    .source = "XLA Floor; StableHLO floor; IEEE 754 roundToIntegralTowardNegative",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kFloats>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Floor(x[0]); },
};

const OpDef kRoundNearestAfzDef = {
    .opcode = Opcode::kRoundNearestAfz,
    .text = "round-nearest-afz",
    .summary = "The integral value nearest to each element, halves away from zero.",
    .semantics =
        "0.5 gives 1 and -2.5 gives -3. A zero result keeps the sign of the element; infinities "
        "and NaN stay.",
    .source = "XLA Round; StableHLO round_nearest_afz; C's round",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kFloats>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return RoundHalfAway(x[0]); },
};

const OpDef kRoundNearestEvenDef = {
    .opcode = Opcode::kRoundNearestEven,
    .text = "round-nearest-even",
    .summary = "The integral value nearest to each element, halves to the even one.",
    .semantics =
        "0.5 gives 0, 1.5 and 2.5 give 2. A zero result keeps the sign of the element; infinities "
        "and NaN stay.",
    .source = "XLA RoundNearestEven; StableHLO round_nearest_even",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kFloats>,
    .emit = [](const Instruction&, std::span<const Lane> x) { return Rint(x[0]); },
};

const OpDef kIsFiniteDef = {
    .opcode = Opcode::kIsFinite,
    .text = "is-finite",
    .summary = "Whether each element is neither an infinity nor NaN.",
    .semantics =
        "The result is pred. Every element of a type without infinities and NaN is finite.",
    .source = "XLA IsFinite; StableHLO is_finite",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferIsFinite,
    .emit = [](const Instruction&,
               std::span<const Lane> x) { return Abs(x[0]) < x[0].Like(__builtin_inf()); },
};

}  // namespace axle
