// Integers that become narrower or wider on the way.
#include "tests/codegen/random_kernels/idioms.h"

namespace axle {
namespace {

LaneType AnyWidth(Drawing& d) {
  return static_cast<LaneType>(d.random().Between(1, 8));
}

Term Through(LaneType type, const Term& x) {
  return Resized(x.type(), Resized(type, x));
}

Term ShiftedRight(Drawing& d, const Term& x, i64 most) {
  const i64 count = d.random().Below(most);
  return d.Percent(50) ? LogicalRight(x, count) : ArithmeticRight(x, count);
}

// A product of two numbers that have fewer bits than it has.
Term NarrowProduct(Drawing& d, const Term& x, const Term& y) {
  const LaneType narrow = AnyWidth(d);
  const LaneType other = d.Percent(70) ? narrow : AnyWidth(d);
  const Term product = Through(narrow, x) * Through(other, y);
  const Term shifted = ShiftedRight(d, product, BitsOf(x.type()));
  return d.Percent(70) ? Resized(AnyWidth(d), shifted) : shifted;
}

// A sum, a difference or a product with all of its bits, of which some are taken.
Term WideResult(Drawing& d, const Term& x, const Term& y) {
  if (BytesOf(x.type()) == 8) return ShiftedRight(d, x, 64);
  const auto wide = static_cast<LaneType>(static_cast<int>(x.type()) + 1);
  const Primitive primitive =
      d.random().Of({Primitive::kAdd, Primitive::kAdd, Primitive::kSub, Primitive::kMul});
  Term result = Apply2(primitive, Resized(wide, x), Resized(wide, y));
  if (d.Percent(30)) result = result + 1;
  if (d.Percent(30)) result = LogicalRight(result, 1);
  if (d.Percent(40)) result = ShiftedRight(d, result, BitsOf(wide));
  return d.Percent(70) ? Resized(x.type(), result) : result;
}

Term PackedWithSaturation(Drawing& d, const Term& x, const Term&) {
  const int bits = BitsOf(x.type());
  const i64 limit = i64{1} << (bits / 2 - 1);
  Term bounded = IsSigned(x.type()) ? Min(Max(x, -limit), limit - 1) : Min(x, LowBits(bits / 2));
  if (bits == 8) return bounded;
  const auto narrow = static_cast<LaneType>(static_cast<int>(UnsignedOf(x.type())) - 1);
  return Resized(d.Percent(50) ? narrow : SignedOf(narrow), bounded);
}

Term NarrowHigh(Drawing& d, const Term& x, const Term& y) {
  return Resized(AnyWidth(d), MulHigh(x, y));
}

Term NarrowBounded(Drawing& d, const Term& x, const Term&) {
  const Term low = d.Special(x);
  const Term high = d.Special(x);
  return Resized(AnyWidth(d), Min(Max(x, low), high));
}

// A number that is a late one now and then, and what is made of it.
Term LateNumber(Drawing& d, const Term& x, const Term&) {
  Term zero = d.LateZero(x.type(), x.num_elements());
  switch (d.random().Below(5)) {
    case 0:
      return ~zero;
    case 1:
      return zero | d.Special(x);
    case 2:
      return ShiftedRight(d, ~zero, BitsOf(x.type()));
    case 3:
      return d.is_small() ? Stored(zero) : -zero;
    default:
      return zero;
  }
}

constexpr Idiom kIdioms[] = {
    &NarrowProduct,
    &NarrowProduct,
    &WideResult,
    &WideResult,
    &PackedWithSaturation,
    &NarrowHigh,
    &NarrowBounded,
    &LateNumber,
    &LateNumber,
    &LateNumber,
    [](Drawing& d, const Term& x, const Term&) { return Through(AnyWidth(d), x); },
};

}  // namespace

std::span<const Idiom> WidthIdioms() {
  return kIdioms;
}

}  // namespace axle
