// Shifts, bit counts and mulhi: integers as patterns of N bits, N being the width of the type. A
// sub-byte integer lies in a byte, extended by its signedness, so these definitions look at N bits
// of it; what they give is wrapped by LaneCompiler.
//
// A shift count is an operand and may be anything, while the primitives are defined for counts
// below the width only. Each definition therefore masks the count and selects the result for counts
// that are too large.
#include "axle/core/float_format.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kCountLeadingZerosDef, kMulhiDef, kPopcntDef, kShiftLeftDef,
    kShiftRightArithmeticDef, kShiftRightLogicalDef;

namespace {

int WidthOf(const Instruction& inst) {
  return Info(inst.shape().type()).bits;
}

// The low N bits, unsigned.
Lane Pattern(Lane x, int width) {
  const Lane bits = Bitcast(UnsignedOf(x.type()), x);
  return width == BitsOf(x.type()) ? bits : bits & LowBits(width);
}

// The low N bits as a signed number.
Lane SignedValue(Lane x, int width) {
  const Lane value = Bitcast(SignedOf(x.type()), x);
  const int unused = BitsOf(x.type()) - width;
  return unused == 0 ? value : (value << unused) >> unused;
}

// The result of a shift whose count may be anything; beyond the width all bits are gone.
Lane UnlessPastWidth(Lane shifted, Lane count, int width) {
  return Select(count < static_cast<std::uint64_t>(width), shifted, shifted.Like(0));
}
// A count that the primitives take; only its use for counts below the width matters.
Lane SafeCount(Lane count) {
  return count & (BitsOf(count.type()) - 1);
}

Lane EmitShiftLeft(const Instruction& inst, std::span<const Lane> operands) {
  const int width = WidthOf(inst);
  const Lane bits = Pattern(operands[0], width), count = Pattern(operands[1], width);
  return Bitcast(operands[0].type(), UnlessPastWidth(bits << SafeCount(count), count, width));
}

Lane EmitShiftRightLogical(const Instruction& inst, std::span<const Lane> operands) {
  const int width = WidthOf(inst);
  const Lane bits = Pattern(operands[0], width), count = Pattern(operands[1], width);
  return Bitcast(operands[0].type(), UnlessPastWidth(bits >> SafeCount(count), count, width));
}

// A count of N - 1 leaves copies of the sign bit only, as every larger count does, so that the
// count is clamped and no select is needed.
Lane EmitShiftRightArithmetic(const Instruction& inst, std::span<const Lane> operands) {
  const int width = WidthOf(inst);
  const Lane value = SignedValue(operands[0], width);
  const Lane count = Min(Pattern(operands[1], width), static_cast<std::uint64_t>(width - 1));
  return Bitcast(operands[0].type(), value >> Bitcast(value.type(), count));
}

// The primitive counts in the machine type; the zeros above the N bits are subtracted.
Lane EmitCountLeadingZeros(const Instruction& inst, std::span<const Lane> operands) {
  const int width = WidthOf(inst);
  const Lane zeros = Clz(Pattern(operands[0], width));
  return Bitcast(operands[0].type(), zeros - (BitsOf(zeros.type()) - width));
}

Lane EmitPopcnt(const Instruction& inst, std::span<const Lane> operands) {
  return Bitcast(operands[0].type(), Popcount(Pattern(operands[0], WidthOf(inst))));
}

// The product of two sub-byte integers fits in a byte.
// Wider products use the primitive for the upper half.
Lane EmitMulhi(const Instruction& inst, std::span<const Lane> operands) {
  const Lane x = operands[0], y = operands[1];
  const int width = WidthOf(inst);
  return width < 8 ? (x * y) >> width : MulHigh(x, y);
}

}  // namespace

const OpDef kShiftLeftDef = {
    .opcode = Opcode::kShiftLeft,
    .text = "shift-left",
    .summary = "Each element of lhs moved left by as many bits as rhs says.",
    .semantics =
        "Zeros come in on the right. rhs is read as an unsigned number of the width of the type; "
        "from that width on, so for every negative count too, the result is 0. Integers only.",
    .source = "XLA ShiftLeft; StableHLO shift_left",
    .operands = kBinaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kIntegers>,
    .emit = EmitShiftLeft,
};

const OpDef kShiftRightArithmeticDef = {
    .opcode = Opcode::kShiftRightArithmetic,
    .text = "shift-right-arithmetic",
    .summary = "Each element of lhs moved right by as many bits as rhs says, its sign repeated.",
    .semantics =
        "lhs is taken as signed, also if its type is not: copies of its highest bit come in. rhs "
        "is read as an unsigned number of the width of the type; from that width on, so for every "
        "negative count too, the result is all copies of the highest bit. Integers only.",
    .source = "XLA ShiftRightArithmetic; StableHLO shift_right_arithmetic",
    .operands = kBinaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kIntegers>,
    .emit = EmitShiftRightArithmetic,
};

const OpDef kShiftRightLogicalDef = {
    .opcode = Opcode::kShiftRightLogical,
    .text = "shift-right-logical",
    .summary = "Each element of lhs moved right by as many bits as rhs says, filled with zeros.",
    .semantics =
        "Zeros come in on the left, also if the type is signed. rhs is read as an unsigned number "
        "of the width of the type; from that width on, so for every negative count too, the "
        "result is 0. Integers only.",
    .source = "XLA ShiftRightLogical; StableHLO shift_right_logical",
    .operands = kBinaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kIntegers>,
    .emit = EmitShiftRightLogical,
};

const OpDef kCountLeadingZerosDef = {
    .opcode = Opcode::kCountLeadingZeros,
    .text = "count-leading-zeros",
    .summary = "How many zeros stand before the highest one bit of each element.",
    .semantics =
        "Of an N-bit type; N for 0. The result has the type of the operand, so it wraps where "
        "that cannot hold it (s2: two zeros are -2). Integers only.",
    .source = "XLA Clz; StableHLO count_leading_zeros",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kIntegers>,
    .emit = EmitCountLeadingZeros,
};

const OpDef kPopcntDef = {
    .opcode = Opcode::kPopcnt,
    .text = "popcnt",
    .summary = "How many bits of each element are one.",
    .semantics =
        "Of the N bits of the type. The result has the type of the operand, so it wraps where "
        "that cannot hold it (s2: two ones are -2). Integers only.",
    .source = "XLA PopulationCount; StableHLO popcnt",
    .operands = kUnaryOperands,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kIntegers>,
    .emit = EmitPopcnt,
};

const OpDef kMulhiDef = {
    .opcode = Opcode::kMulhi,
    .text = "mulhi",
    .summary = "The upper half of the product of each pair of elements.",
    .semantics =
        "Of the exact product of two N-bit integers, which has 2N bits, bits N to 2N - 1; signed "
        "for signed types. Integers only.",
    .source = "XLA Mulhi",
    .operands = kBinaryOperands,
    .traits = kCommutative,
    .lowering = Lowering::kElementwise,
    .infer = InferElementwise<kIntegers>,
    .emit = EmitMulhi,
};

}  // namespace axle
