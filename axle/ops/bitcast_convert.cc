// bitcast-convert: the same bits as elements of another type.
//
// Between types of one width it is a lane program on the stored bits. Between widths an element is
// split into parts or parts are joined, the first part in the low bits. Types of a byte or more are
// already stored in this order, so that only the shape changes; types of less than a byte and pred,
// which occupy a whole byte, are repacked (SplitOrJoin).
#include <algorithm>
#include <cstring>

#include "axle/core/float_format.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kBitcastConvertDef;

namespace {

// The result follows from the ratio of the widths: a new last dimension with the parts, or the last
// dimension disappears.
StatusOr<Shape> InferBitcastConvert(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  if (!inst.shape().is_array()) {
    return OpError(inst, StrCat("cannot convert to ", inst.shape().ToString()));
  }
  Shape result = inst.operand(0)->shape();
  const ElementType from = result.type(), to = inst.shape().type();
  const i64 from_bits = Info(from).bits, to_bits = Info(to).bits;
  if (IsComplex(from) != IsComplex(to)) {
    return OpError(inst, StrCat("takes complex numbers to complex numbers only, not ", Name(from),
                                " to ", Name(to)));
  }
  if (std::max(from_bits, to_bits) % std::min(from_bits, to_bits) != 0) {
    return OpError(inst, StrCat("the widths of ", Name(from), " and ", Name(to), ", ", from_bits,
                                " and ", to_bits, " bits, are not multiples of each other"));
  }
  if (from_bits > to_bits) result.AppendDim(from_bits / to_bits);
  if (from_bits < to_bits) {
    const i64 ratio = to_bits / from_bits, last = result.rank() - 1;
    if (last < 0 || result.dim(last) != ratio || result.is_dynamic(last)) {
      return OpError(inst, StrCat("the last dimension must have size ", ratio, ", as many ",
                                  Name(from), " as make one ", Name(to)));
    }
    result.DeleteDim(last);
  }
  return result.WithType(to);
}

// Elements of fewer than 8 bits lie in a byte, signed ones extended; a pred is 0 or 1.
Lane EmitBitcastConvert(const Instruction& inst, std::span<const Lane> operands) {
  const ElementType to = inst.shape().type();
  const Lane x = operands[0];
  const LaneType storage = StorageType(to);
  if (x.type() == LaneType::kPred)
    return to == PRED ? x : Bitcast(storage, Resize(LaneType::kU8, x));
  if (to == PRED) return x != 0;
  if (!IsSubByte(to)) return Bitcast(storage, x);
  const int unused = 8 - Info(to).bits;
  return (Bitcast(storage, x) << unused) >> unused;
}

// The bits of an element that lies in a byte, as they are stored.
// Wraps to the width of the type and extends by its signedness, which is how elements of less than
// a byte are stored.
std::uint8_t Stored(ElementType type, std::uint64_t bits) {
  if (type == PRED) return (bits & 0xff) != 0;
  const int unused = 8 - Info(type).bits;
  const auto top = static_cast<std::uint8_t>(bits << unused);
  return static_cast<std::uint8_t>(IsSigned(type) ? static_cast<std::int8_t>(top) >> unused
                                                  : top >> unused);
}

// One type has elements of fewer bits than a byte: `ratio` narrow elements are one wide one, the
// first of them in the low bits.
// One loop for both directions; `num_wide` counts the wide elements.
void SplitOrJoin(ElementType from, const std::byte* source, ElementType to, std::byte* target,
                 i64 num_wide) {
  const bool split = Info(from).bits > Info(to).bits;
  const ElementType wide = split ? from : to, narrow = split ? to : from;
  const int bits = Info(narrow).bits, ratio = Info(wide).bits / bits;
  const auto wide_bytes = static_cast<size_t>(Info(wide).bytes);
  for (i64 i = 0; i < num_wide; ++i) {
    std::uint64_t pattern = 0;
    if (split) std::memcpy(&pattern, source + i * wide_bytes, wide_bytes);
    for (int j = 0; j < ratio; ++j) {
      const i64 at = i * ratio + j;
      if (split) {
        target[at] = std::byte{Stored(narrow, pattern >> (j * bits))};
      } else {
        const std::uint64_t element = std::to_integer<std::uint64_t>(source[at]) & LowBits(bits);
        pattern |= element << (j * bits);
      }
    }
    if (split) continue;
    if (wide_bytes == 1) pattern = Stored(wide, pattern);
    std::memcpy(target + i * wide_bytes, &pattern, wide_bytes);
  }
}

// Runs conversions between types of different widths; others are lane programs.
StatusOr<Literal> EvalBitcastConvert(const Instruction& inst, std::span<Literal> operands,
                                     const EvalContext& context) {
  const Literal& operand = operands[0];
  // Both arrays hold the same bits: the one with fewer elements has the wide ones.
  const Shape shape = inst.shape().WithoutLayout();
  const ElementType from = operand.shape().type(), to = shape.type();
  const i64 num_wide = std::min(operand.num_elements(), shape.num_elements());
  if (!IsSubByte(from) && !IsSubByte(to) && from != PRED && to != PRED) {
    return operand.WithShape(shape);  // the bytes are the same
  }
  AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(shape));
  constexpr i64 kSlice = 1 << 16;  // elements between looks at the clock
  const i64 step_from = num_wide == 0 ? 0 : operand.num_bytes() / num_wide;
  const i64 step_to = num_wide == 0 ? 0 : result.num_bytes() / num_wide;
  std::byte* target = result.mutable_bytes();
  for (i64 i = 0; i < num_wide; i += kSlice) {
    AXLE_TRY(context.Check());
    SplitOrJoin(from, operand.bytes() + i * step_from, to, target + i * step_to,
                std::min(kSlice, num_wide - i));
  }
  return result;
}

}  // namespace

const OpDef kBitcastConvertDef = {
    .opcode = Opcode::kBitcastConvert,
    .text = "bitcast-convert",
    .summary = "The bits of the elements, taken as elements of another type.",
    .semantics =
        "Between types of one width the dimensions stay. A type of fewer bits gets a new last "
        "dimension with the parts of each element, the lowest bits first; to a type of more bits, "
        "the last dimension must hold the parts of one element and goes away. A pred has 8 bits "
        "here and is true unless all of them are 0; s4 has 4, c64 has 64. Complex numbers go to "
        "complex numbers only.",
    .source = "XLA BitcastConvertType; StableHLO bitcast_convert",
    .operands = kUnaryOperands,
    .declared_shape = true,
    .lowering = Lowering::kElementwise,
    .infer = InferBitcastConvert,
    .emit = EmitBitcastConvert,
    .emit_complex = [](const Instruction&, std::span<const ComplexLane> x) { return x[0]; },
    .in_stored_form = [](const Instruction&) { return true; },
    .eval = EvalBitcastConvert,
};

}  // namespace axle
