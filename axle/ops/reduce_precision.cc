// reduce-precision: rounds to a format of fewer bits and stays in the type.
//
// The work is done on the bit pattern: rounding the mantissa by an integer addition, whose carry
// moves into the exponent, and then limiting the exponent to the range of the target format. Types
// without an infinity are rounded as f32 first and converted back.
#include "axle/core/float_format.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kReducePrecisionDef;

namespace {

constexpr AttrSpec kReducePrecisionAttrs[] = {
    Attr<&ReducePrecisionAttrs::exponent_bits>("exponent_bits", {.field = 18}),
    Attr<&ReducePrecisionAttrs::mantissa_bits>("mantissa_bits", {.field = 19}),
};

StatusOr<Shape> InferReducePrecision(const Instruction& inst) {
  AXLE_ASSIGN(const Shape operand, SameShape(inst, kFloats));
  const auto& [exponent_bits, mantissa_bits] = inst.attrs<ReducePrecisionAttrs>();
  if (exponent_bits < 1) {
    return OpError(inst, StrCat("exponent_bits is ", exponent_bits, ", must be >= 1"));
  }
  if (mantissa_bits < 0) {
    return OpError(inst, StrCat("mantissa_bits is ", mantissa_bits, ", must be >= 0"));
  }
  return operand;
}

// Whether the pattern of the type can be rounded where it is: it has an infinity for what a carry
// makes too large. The other types are rounded as f32.
bool HasOwnInfinity(const Instruction& inst) {
  return HasInfinity(Info(inst.shape().type()).format);
}

// To nearest even at mantissa bit `kept`. A carry moves into the exponent, as it should.
Lane RoundMantissa(const FloatFormat& format, i64 kept, Lane bits) {
  const auto dropped = static_cast<std::uint64_t>(format.mantissa_bits - kept);
  const std::uint64_t half = (std::uint64_t{1} << (dropped - 1)) - 1;
  const Lane odd = (bits >> dropped) & 1;
  return (bits + half + odd) & (~LowBits(static_cast<int>(dropped)) & LowBits(format.bits()));
}

// Exponents above the range become infinity; those below it, subnormals included, a zero.
Lane LimitExponent(const FloatFormat& format, i64 exponent_bits, Lane bits) {
  const auto bias = (std::uint64_t{1} << (exponent_bits - 1)) - 1;
  const auto own_bias = static_cast<std::uint64_t>(format.bias);
  const Lane exponent = bits & InfinityBits(format), sign = bits & SignBit(format);
  const Lane limited = Select(exponent > ((own_bias + bias) << format.mantissa_bits),
                              sign | InfinityBits(format), bits);
  return Select(exponent <= ((own_bias - bias) << format.mantissa_bits), sign, limited);
}

// NaN is kept as it is: rounding its payload could make an infinity of it.
Lane EmitReducePrecision(const Instruction& inst, std::span<const Lane> operands) {
  const Lane x = operands[0];
  const FloatFormat& own = Info(inst.shape().type()).format;
  const FloatFormat& format = HasOwnInfinity(inst) ? own : kF32Format;
  const auto& [exponent_bits, mantissa_bits] = inst.attrs<ReducePrecisionAttrs>();
  const Lane bits = BitsOf(x);
  Lane rounded = bits;
  if (mantissa_bits < own.mantissa_bits) rounded = RoundMantissa(format, mantissa_bits, rounded);
  if (exponent_bits < own.exponent_bits) rounded = LimitExponent(format, exponent_bits, rounded);
  const Lane is_nan = (bits & MagnitudeMask(format)) > InfinityBits(format);
  return Bitcast(x.type(), Select(is_nan, bits, rounded));
}

}  // namespace

const OpDef kReducePrecisionDef = {
    .opcode = Opcode::kReducePrecision,
    .text = "reduce-precision",
    .summary = "Each element rounded to a float format of fewer bits, in the type that it has.",
    .semantics =
        "The format has `exponent_bits` (at least 1) and `mantissa_bits` (at least 0), is biased "
        "by 2^(exponent_bits - 1) - 1, has infinities and NaN and no subnormals. The mantissa is "
        "rounded to nearest even; what is then too large becomes infinity, what is below the "
        "smallest normal number a zero, both of the element's sign. A number of bits that is not "
        "below the type's own changes nothing: so subnormals of the type stay if all exponent "
        "bits do. NaN stays. Types without infinity are rounded as f32 and converted back. "
        "XLA's library takes exponent bits first, as HLO text and the builder here do; XLA's "
        "documents name the mantissa first.",
    .source = "XLA ReducePrecision; StableHLO reduce_precision",
    .operands = kUnaryOperands,
    .attrs = Schema<ReducePrecisionAttrs>(kReducePrecisionAttrs),
    .lowering = Lowering::kElementwise,
    .accuracy = "correctly rounded",
    .infer = InferReducePrecision,
    .emit = EmitReducePrecision,
    .in_stored_form = HasOwnInfinity,
};

}  // namespace axle
