// Shifts, masks and counts of bits.
#include "tests/codegen/random_kernels/idioms.h"

namespace axle {
namespace {

i64 AnyCount(ProgramGenerator& g, const Term& x) {
  return g.random().Below(BitsOf(x.type()));
}
// Below the number of bits, whatever x is.
Term Count(const Term& x) {
  return x & (BitsOf(x.type()) - 1);
}

Term Shifted(ProgramGenerator& g, const Term& x) {
  const i64 count = AnyCount(g, x);
  return g.Percent(50) ? x << count : LogicalRight(x, count);
}

// A rotation, or nearly one.
Term Funnel(ProgramGenerator& g, const Term& x, const Term& y) {
  const i64 count = AnyCount(g, x);
  const int bits = BitsOf(x.type());
  const Term high = x << count;
  const Term low = LogicalRight(g.Percent(70) ? x : y, (bits - count) % bits);
  const Primitive join =
      g.random().Of({Primitive::kOr, Primitive::kOr, Primitive::kAdd, Primitive::kXor});
  return Apply2(join, high, low);
}

Term Rotated(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term count = Count(y);
  return (x << count) | LogicalRight(g.Percent(70) ? x : y, Count(-count));
}

Term LowestBit(ProgramGenerator& g, const Term& x, const Term&) {
  const Term less = x - 1;
  switch (g.random().Below(5)) {
    case 0:
      return x & less;
    case 1:
      return x ^ less;
    case 2:
      return x & -x;
    case 3:
      return ~x & less;
    default:
      return (x & less) == 0;
  }
}

Term OneBit(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term bit = Like(x, 1) << Count(y);
  switch (g.random().Below(4)) {
    case 0:
      return (x & bit) == 0;
    case 1:
      return x | bit;
    case 2:
      return x & ~bit;
    default:
      return x ^ bit;
  }
}

Term LeadingZeros(ProgramGenerator& g, const Term& x, const Term& y) {
  if (g.Percent(50)) return Clz(g.Percent(50) ? x : x & y);
  return Select(x == 0, g.Special(x), Clz(x));
}

Term NumBits(ProgramGenerator& g, const Term& x, const Term& y) {
  Term count = Popcount(g.Percent(50) ? x : x & y);
  switch (g.random().Below(4)) {
    case 0:
      return count == 1;
    case 1:
      return count < 2;
    case 2:
      return 1 < count;
    default:
      return count;
  }
}

// HLO's rule for counts that the primitive does not have.
Term ShiftOrZero(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term count = Cast(UnsignedOf(y.type()), y);
  const Term shifted = g.Percent(50) ? x << Count(y) : LogicalRight(x, Count(y));
  return Select(count < BitsOf(x.type()), shifted, 0);
}

Term BytesSwapped(ProgramGenerator& g, const Term& x, const Term&) {
  const int count = 8 % BitsOf(x.type());
  const Term low = x & 0xff;
  const Term high = LogicalRight(x, count) & 0xff;
  return (low << count) | (g.Percent(60) ? high : high << AnyCount(g, x));
}

Term Merged(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term mask = g.Special(x);
  if (g.Percent(30)) return ((x ^ y) & mask) ^ y;
  const Primitive join = g.random().Of({Primitive::kOr, Primitive::kXor, Primitive::kAdd});
  return Apply2(join, x & mask, y & ~mask);
}

Term SomeShifts(ProgramGenerator& g, const Term& x, const Term&) {
  Term shifted = Shifted(g, x);
  if (g.Percent(50)) shifted = Shifted(g, shifted);
  if (g.Percent(50)) shifted = shifted & g.Special(x);
  return g.Percent(40) ? shifted == g.Special(x) : shifted;
}

constexpr Idiom kIdioms[] = {
    &Funnel,
    &Rotated,
    &LowestBit,
    &OneBit,
    &LeadingZeros,
    &NumBits,
    &ShiftOrZero,
    &BytesSwapped,
    &Merged,
    &SomeShifts,
    &SomeShifts,
    [](ProgramGenerator&, const Term& x, const Term&) {
      const Term sign = ArithmeticRight(x, BitsOf(x.type()) - 1);
      return (x ^ sign) - sign;
    },
};

}  // namespace

std::span<const Idiom> BitIdioms() {
  return kIdioms;
}

}  // namespace axle
