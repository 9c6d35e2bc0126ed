// Sums, differences, products and quotients of integers.
#include "tests/codegen/random_kernels/idioms.h"

namespace axle {
namespace {

Term Half(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term different = x ^ y;
  const Term half = g.Percent(50) ? LogicalRight(different, 1) : ArithmeticRight(different, 1);
  return g.Percent(50) ? (x & y) + half : (x | y) - half;
}

Term AbsoluteDifference(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term difference = x - y;
  if (IsSigned(x.type())) return Abs(difference);
  const Term sign = ArithmeticRight(difference, BitsOf(x.type()) - 1);
  return g.Percent(50) ? (difference ^ sign) - sign : (x ^ sign) - sign;
}

Term GreaterLessSmaller(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term less = g.Ordered(x, y);
  return g.Percent(50) ? Select(less, x - y, y - x) : Select(less, y - x, x - y);
}

Term DifferenceOrZero(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term less = g.Ordered(x, y);
  return g.Percent(50) ? Select(less, 0, x - y) : Select(less, x - y, 0);
}

Term SumWithCarry(ProgramGenerator& g, const Term& x, const Term& y) {
  const LaneType bits = UnsignedOf(x.type());
  const Term sum = x + y;
  const Term carry = Cast(bits, sum) < Cast(bits, g.Percent(50) ? x : y);
  return g.Percent(50) ? Select(carry, -1, sum) : Resized(x.type(), carry) + y;
}

Term SumWithOverflow(ProgramGenerator& g, const Term& x, const Term& y) {
  const LaneType number = SignedOf(x.type());
  const Term difference = x - y;
  const Term overflow = (x ^ y) & (x ^ difference);
  if (g.Percent(50)) return Select(Cast(number, difference) < 0, x, overflow);
  return Select(Cast(number, overflow) < 0, g.Special(x), difference);
}

// By a number for which there are shifts and sums instead.
Term TimesConstant(ProgramGenerator& g, const Term& x, const Term&) {
  const std::uint64_t power = std::uint64_t{1} << g.random().Below(BitsOf(x.type()));
  const i64 k = g.random().Below(4);
  return x * (k == 0 ? power + 1 : k == 1 ? power - 1 : g.SpecialBits(x.type()) | 1);
}

Term QuotientByConstant(ProgramGenerator& g, const Term& x, const Term&) {
  std::uint64_t divisor = g.SpecialBits(x.type());
  if (divisor == 0 || divisor == LowBits(BitsOf(x.type()))) divisor = 3;
  const Term quotient = g.Percent(50) ? x / divisor : x % divisor;
  return g.Percent(40) ? quotient == g.random().Below(8) : quotient;
}

// HLO's rules for the quotients that the primitive does not have.
Term Quotient(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term zero = y == 0;
  const Term minus_one = IsSigned(x.type()) ? y == -1 : zero;
  const Term divisor = Select(zero | minus_one, 1, y);
  const Term quotient = g.Percent(50) ? x / divisor : x % divisor;
  return Select(zero, -1, Select(minus_one, -x, quotient));
}

Term SumOfProducts(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term z = g.Value(x.type(), x.num_elements());
  return x * y + z * g.AnyLike(z);
}

Term RoundedProduct(ProgramGenerator& g, const Term& x, const Term& y) {
  const i64 bits = BitsOf(x.type());
  const i64 count = g.random().Below(bits);
  const std::uint64_t mask = LowBits(static_cast<int>(g.random().Between(1, bits)));
  return LogicalRight(LogicalRight(x * y, count) + 1, 1) & mask;
}

Term Saturated(ProgramGenerator& g, const Term& x, const Term&) {
  const Term low = g.Special(x);
  const Term high = g.Special(x);
  return Min(Max(x, low), high);
}

constexpr Idiom kIdioms[] = {
    &Half,
    &AbsoluteDifference,
    &GreaterLessSmaller,
    &DifferenceOrZero,
    &SumWithCarry,
    &SumWithOverflow,
    &TimesConstant,
    &QuotientByConstant,
    &QuotientByConstant,
    &Quotient,
    &SumOfProducts,
    &RoundedProduct,
    &Saturated,
    [](ProgramGenerator&, const Term& x, const Term& y) { return Max(x, y) - Min(x, y); },
    [](ProgramGenerator&, const Term& x, const Term& y) { return MulHigh(x, y); },
};

}  // namespace

std::span<const Idiom> IntegerArithmeticIdioms() {
  return kIdioms;
}

}  // namespace axle
