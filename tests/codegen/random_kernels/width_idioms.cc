// Integers that become narrower or wider on the way.
#include "tests/codegen/random_kernels/idioms.h"

namespace axle {
namespace {

LaneType AnyWidth(ProgramGenerator& g) {
  return static_cast<LaneType>(g.random().Between(1, 8));
}

Term Through(LaneType type, const Term& x) {
  return Resized(x.type(), Resized(type, x));
}

Term ShiftedRight(ProgramGenerator& g, const Term& x, i64 most) {
  const i64 count = g.random().Below(most);
  return g.Percent(50) ? LogicalRight(x, count) : ArithmeticRight(x, count);
}

// A product of two numbers that have fewer bits than it has.
Term NarrowProduct(ProgramGenerator& g, const Term& x, const Term& y) {
  const LaneType narrow = AnyWidth(g);
  const LaneType other = g.Percent(70) ? narrow : AnyWidth(g);
  const Term product = Through(narrow, x) * Through(other, y);
  const Term shifted = ShiftedRight(g, product, BitsOf(x.type()));
  return g.Percent(70) ? Resized(AnyWidth(g), shifted) : shifted;
}

// A sum, a difference or a product with all of its bits, of which some are taken.
Term WideResult(ProgramGenerator& g, const Term& x, const Term& y) {
  if (BytesOf(x.type()) == 8) return ShiftedRight(g, x, 64);
  const auto wide = static_cast<LaneType>(static_cast<int>(x.type()) + 1);
  const Primitive primitive =
      g.random().Of({Primitive::kAdd, Primitive::kAdd, Primitive::kSub, Primitive::kMul});
  Term result = Apply2(primitive, Resized(wide, x), Resized(wide, y));
  if (g.Percent(30)) result = result + 1;
  if (g.Percent(30)) result = LogicalRight(result, 1);
  if (g.Percent(40)) result = ShiftedRight(g, result, BitsOf(wide));
  return g.Percent(70) ? Resized(x.type(), result) : result;
}

Term PackedWithSaturation(ProgramGenerator& g, const Term& x, const Term&) {
  const int bits = BitsOf(x.type());
  const i64 limit = i64{1} << (bits / 2 - 1);
  Term bounded = IsSigned(x.type()) ? Min(Max(x, -limit), limit - 1) : Min(x, LowBits(bits / 2));
  if (bits == 8) return bounded;
  const auto narrow = static_cast<LaneType>(static_cast<int>(UnsignedOf(x.type())) - 1);
  return Resized(g.Percent(50) ? narrow : SignedOf(narrow), bounded);
}

Term NarrowHigh(ProgramGenerator& g, const Term& x, const Term& y) {
  return Resized(AnyWidth(g), MulHigh(x, y));
}

Term NarrowBounded(ProgramGenerator& g, const Term& x, const Term&) {
  const Term low = g.Special(x);
  const Term high = g.Special(x);
  return Resized(AnyWidth(g), Min(Max(x, low), high));
}

// A number that is a late one now and then, and what is made of it.
Term LateNumber(ProgramGenerator& g, const Term& x, const Term&) {
  Term zero = g.LateZero(x.type(), x.num_elements());
  switch (g.random().Below(5)) {
    case 0:
      return ~zero;
    case 1:
      return zero | g.Special(x);
    case 2:
      return ShiftedRight(g, ~zero, BitsOf(x.type()));
    case 3:
      return g.is_small() ? Stored(zero) : -zero;
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
    [](ProgramGenerator& g, const Term& x, const Term&) { return Through(AnyWidth(g), x); },
};

}  // namespace

std::span<const Idiom> WidthIdioms() {
  return kIdioms;
}

}  // namespace axle
