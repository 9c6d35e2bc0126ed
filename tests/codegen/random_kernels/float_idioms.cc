// Floats: arithmetic, rounding, conversions, and their bits.
#include <cmath>

#include "tests/codegen/random_kernels/idioms.h"

namespace axle {
namespace {

constexpr Primitive kBinary[] = {Primitive::kAdd, Primitive::kSub, Primitive::kMul,
                                 Primitive::kDiv, Primitive::kMin, Primitive::kMax};
constexpr Primitive kUnary[] = {Primitive::kSqrt,  Primitive::kFloor, Primitive::kCeil,
                                Primitive::kTrunc, Primitive::kRint,  Primitive::kNeg,
                                Primitive::kAbs};

std::uint64_t SignBit(LaneType type) {
  return std::uint64_t{1} << (BitsOf(type) - 1);
}
Term FloatFrom(LaneType type, const Term& bits) {
  return Cast(type, bits);
}

Term Compared(ProgramGenerator& g, const Term& x, const Term& y) {
  const Primitive primitive = g.random().Of({Primitive::kEq, Primitive::kLt, Primitive::kLe});
  const Term compared = Apply2(primitive, x, y, /*gives_pred=*/true);
  return g.Percent(30) ? !compared : compared;
}

Term Arithmetic(ProgramGenerator& g, const Term& x, const Term& y) {
  return Apply2(g.random().Of(kBinary), x, y);
}
Term Rounding(ProgramGenerator& g, const Term& x, const Term&) {
  return Apply(g.random().Of(kUnary), x.type(), {x});
}
Term FusedProduct(ProgramGenerator& g, const Term& x, const Term& y) {
  return Apply(Primitive::kFma, x.type(), {x, y, g.AnyLike(x)});
}

Term Chosen(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term compared = Compared(g, x, y);
  const Term on_true = g.Percent(50) ? x : y;
  return Select(compared, on_true, g.Percent(50) ? x : y);
}
Term ComparedAsInteger(ProgramGenerator& g, const Term& x, const Term& y) {
  const LaneType type = g.AnyInteger();
  return Resized(type, Compared(g, x, y));
}
Term ByPred(ProgramGenerator& g, const Term& x, const Term&) {
  const Term condition = g.Condition(x.num_elements());
  switch (g.random().Below(3)) {
    case 0:
      return FloatOf(x.type(), condition);
    case 1:
      return Select(condition, x, 0.0);
    default:
      return x * FloatOf(x.type(), condition);
  }
}

Term SomeBits(ProgramGenerator& g, const Term& x, const Term&) {
  const std::uint64_t sign = SignBit(x.type());
  const std::uint64_t mask = g.random().Of({~sign, sign, g.SpecialBits(UnsignedOf(x.type()))});
  const Term bits = FloatBits(x) & mask;
  return g.Percent(50) ? FloatFrom(x.type(), bits) : bits;
}
Term SignOfOther(ProgramGenerator&, const Term& x, const Term& y) {
  const std::uint64_t sign = SignBit(x.type());
  return FloatFrom(x.type(), (FloatBits(x) & ~sign) | (FloatBits(y) & sign));
}
Term SignChanged(ProgramGenerator& g, const Term& x, const Term&) {
  const std::uint64_t sign = SignBit(x.type());
  return FloatFrom(x.type(), g.Percent(50) ? FloatBits(x) ^ sign : FloatBits(x) | sign);
}
Term FromBits(ProgramGenerator& g, const Term& x, const Term&) {
  const Term bits = g.Value(UnsignedOf(x.type()), x.num_elements());
  const bool is_upper = x.type() == LaneType::kF32 && g.Percent(50);  // those of a bf16
  return FloatFrom(x.type(), is_upper ? bits << 16 : bits);
}
// To bf16, for f32.
Term RoundedToUpperHalf(ProgramGenerator& g, const Term& x, const Term&) {
  const Term bits = FloatBits(x);
  const Term rounded = bits + ((LogicalRight(bits, 16) & 1) + 0x7fff);
  const Term upper = LogicalRight(rounded, 16) & 0xffff;
  return g.Percent(50) ? Resized(LaneType::kU16, upper) : FloatFrom(x.type(), upper << 16);
}

// HLO's conversion: saturated, and 0 for a NaN.
Term ToInteger(ProgramGenerator& g, const Term& x, const Term&) {
  const auto type = static_cast<LaneType>(g.random().Between(1, 8));
  const bool is_signed = IsSigned(type);
  const LaneType through = BytesOf(type) < 4 ? LaneType::kS32 : type;
  const int bits = BitsOf(type) - (is_signed ? 1 : 0);
  const double bound = std::ldexp(1.0, bits);
  const Term fits = (Like(x, is_signed ? -bound : 0.0) <= x) & (x < bound);
  const Term number = Resized(type, Apply(Primitive::kToInt, through, {Select(fits, x, 0.0)}));
  const Term end = Select(0.0 < x, Like(number, LowBits(bits)), is_signed ? ~LowBits(bits) : 0);
  return Select(fits | !(x == x), number, end);
}
Term FromInteger(ProgramGenerator& g, const Term& x, const Term&) {
  const LaneType type = g.AnyInteger();
  return FloatOf(x.type(), g.Value(type, x.num_elements()));
}
Term OtherPrecision(ProgramGenerator&, const Term& x, const Term&) {
  const LaneType other = x.type() == LaneType::kF32 ? LaneType::kF64 : LaneType::kF32;
  return Apply(Primitive::kFloatToFloat, other, {x});
}

Term Scaled(ProgramGenerator& g, const Term& x, const Term& y) {
  if (g.Percent(10)) return x % y;
  const Term size = Abs(x);
  const Term fits = (0.25 <= size) & (size <= 4.0);
  const Term mantissa = Select(fits, x, g.Percent(50) ? 0.0 : 1.0);
  const LaneType type = g.AnyInteger();
  const Term number = Resized(LaneType::kS32, g.Value(type, x.num_elements()));
  const Term exponent = FloatOf(x.type(), (number & 127) - 64);
  return Apply(Primitive::kTimesPowerOfTwo, x.type(), {mantissa, exponent});
}

constexpr Idiom kIdioms[] = {
    &Arithmetic,
    &Arithmetic,
    &Arithmetic,
    &Arithmetic,
    &Arithmetic,
    &Rounding,
    &FusedProduct,
    &Chosen,
    &ComparedAsInteger,
    &ByPred,
    &SomeBits,
    &SignOfOther,
    &SignChanged,
    &FromBits,
    &RoundedToUpperHalf,
    &ToInteger,
    &ToInteger,
    &FromInteger,
    &OtherPrecision,
    &Scaled,
    [](ProgramGenerator&, const Term& x, const Term&) { return Select(x < 0.0, -x, x); },
};

}  // namespace

std::span<const Idiom> FloatIdioms() {
  return kIdioms;
}

}  // namespace axle
