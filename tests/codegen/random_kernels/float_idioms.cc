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

Term Compared(Drawing& d, const Term& x, const Term& y) {
  const Primitive primitive = d.random().Of({Primitive::kEq, Primitive::kLt, Primitive::kLe});
  const Term compared = Apply2(primitive, x, y, /*gives_pred=*/true);
  return d.Percent(30) ? !compared : compared;
}

Term Arithmetic(Drawing& d, const Term& x, const Term& y) {
  return Apply2(d.random().Of(kBinary), x, y);
}
Term Rounding(Drawing& d, const Term& x, const Term&) {
  return Apply(d.random().Of(kUnary), x.type(), {x});
}
Term FusedProduct(Drawing& d, const Term& x, const Term& y) {
  return Apply(Primitive::kFma, x.type(), {x, y, d.AnyLike(x)});
}

Term Chosen(Drawing& d, const Term& x, const Term& y) {
  const Term compared = Compared(d, x, y);
  const Term on_true = d.Percent(50) ? x : y;
  return Select(compared, on_true, d.Percent(50) ? x : y);
}
Term ComparedAsInteger(Drawing& d, const Term& x, const Term& y) {
  const LaneType type = d.AnyInteger();
  return Resized(type, Compared(d, x, y));
}
Term ByPred(Drawing& d, const Term& x, const Term&) {
  const Term condition = d.Condition(x.num_elements());
  switch (d.random().Below(3)) {
    case 0:
      return FloatOf(x.type(), condition);
    case 1:
      return Select(condition, x, 0.0);
    default:
      return x * FloatOf(x.type(), condition);
  }
}

Term SomeBits(Drawing& d, const Term& x, const Term&) {
  const std::uint64_t sign = SignBit(x.type());
  const std::uint64_t mask = d.random().Of({~sign, sign, d.SpecialBits(UnsignedOf(x.type()))});
  const Term bits = FloatBits(x) & mask;
  return d.Percent(50) ? FloatFrom(x.type(), bits) : bits;
}
Term SignOfOther(Drawing&, const Term& x, const Term& y) {
  const std::uint64_t sign = SignBit(x.type());
  return FloatFrom(x.type(), (FloatBits(x) & ~sign) | (FloatBits(y) & sign));
}
Term SignChanged(Drawing& d, const Term& x, const Term&) {
  const std::uint64_t sign = SignBit(x.type());
  return FloatFrom(x.type(), d.Percent(50) ? FloatBits(x) ^ sign : FloatBits(x) | sign);
}
Term FromBits(Drawing& d, const Term& x, const Term&) {
  const Term bits = d.Value(UnsignedOf(x.type()), x.num_elements());
  const bool is_upper = x.type() == LaneType::kF32 && d.Percent(50);  // those of a bf16
  return FloatFrom(x.type(), is_upper ? bits << 16 : bits);
}
// To bf16, for f32.
Term RoundedToUpperHalf(Drawing& d, const Term& x, const Term&) {
  const Term bits = FloatBits(x);
  const Term rounded = bits + ((LogicalRight(bits, 16) & 1) + 0x7fff);
  const Term upper = LogicalRight(rounded, 16) & 0xffff;
  return d.Percent(50) ? Resized(LaneType::kU16, upper) : FloatFrom(x.type(), upper << 16);
}

// HLO's conversion: saturated, and 0 for a NaN.
Term ToInteger(Drawing& d, const Term& x, const Term&) {
  const auto type = static_cast<LaneType>(d.random().Between(1, 8));
  const bool is_signed = IsSigned(type);
  const LaneType through = BytesOf(type) < 4 ? LaneType::kS32 : type;
  const int bits = BitsOf(type) - (is_signed ? 1 : 0);
  const double bound = std::ldexp(1.0, bits);
  const Term fits = (Like(x, is_signed ? -bound : 0.0) <= x) & (x < bound);
  const Term number = Resized(type, Apply(Primitive::kToInt, through, {Select(fits, x, 0.0)}));
  const Term end = Select(0.0 < x, Like(number, LowBits(bits)), is_signed ? ~LowBits(bits) : 0);
  return Select(fits | !(x == x), number, end);
}
Term FromInteger(Drawing& d, const Term& x, const Term&) {
  const LaneType type = d.AnyInteger();
  return FloatOf(x.type(), d.Value(type, x.num_elements()));
}
Term OtherPrecision(Drawing&, const Term& x, const Term&) {
  const LaneType other = x.type() == LaneType::kF32 ? LaneType::kF64 : LaneType::kF32;
  return Apply(Primitive::kFloatToFloat, other, {x});
}

Term Scaled(Drawing& d, const Term& x, const Term& y) {
  if (d.Percent(10)) return x % y;
  const Term size = Abs(x);
  const Term fits = (0.25 <= size) & (size <= 4.0);
  const Term mantissa = Select(fits, x, d.Percent(50) ? 0.0 : 1.0);
  const LaneType type = d.AnyInteger();
  const Term number = Resized(LaneType::kS32, d.Value(type, x.num_elements()));
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
    [](Drawing&, const Term& x, const Term&) { return Select(x < 0.0, -x, x); },
};

}  // namespace

std::span<const Idiom> FloatIdioms() {
  return kIdioms;
}

}  // namespace axle
