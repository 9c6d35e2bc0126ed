// Comparisons of integers, and what is chosen or computed by them.
#include "tests/codegen/random_kernels/idioms.h"

namespace axle {
namespace {

Term Increased(Drawing& d, const Term& x, const Term& y) {
  const Term less = d.Ordered(x, y);
  const Term step = d.Percent(50) ? Like(x, 1) : d.Special(x);
  return Select(less, x + step, d.Percent(50) ? x : y);
}

Term ByPred(Drawing& d, const Term& x, const Term& y) {
  const Term number = Resized(x.type(), d.Condition(x.num_elements()));
  switch (d.random().Below(4)) {
    case 0:
      return number * y;
    case 1:
      return -number & y;
    case 2:
      return x + number;
    default:
      return x - number;
  }
}

// Some of the bits of x, as a number of its own.
Term PartOf(Drawing& d, const Term& x) {
  if (d.Percent(50)) return Resized(static_cast<LaneType>(d.random().Between(1, 8)), x);
  return x & LowBits(static_cast<int>(d.random().Between(1, BitsOf(x.type()))));
}

Term PartCompared(Drawing& d, const Term& part) {
  const Term number = Like(part, d.random().Below(3));
  if (d.Percent(65)) return d.Ordered(part, number);
  switch (d.random().Below(3)) {
    case 0:
      return part == number;
    case 1:
      return LogicalRight(part, 1) == 0;
    default:
      return (part & ~std::uint64_t{1}) == 0;
  }
}

// A choice between a number and a constant, by what some of its bits are.
Term ChosenByPart(Drawing& d, const Term& x, const Term& y) {
  const Term compared = PartCompared(d, PartOf(d, x));
  const Term other = d.Percent(75) ? Like(x, d.random().Of({1, 1, 1, 0, -1})) : y;
  const Term number = d.Percent(80) ? x : d.Percent(50) ? x + 1 : x - 1;
  return d.Percent(50) ? Select(compared, number, other) : Select(compared, other, number);
}

Term ByTwoComparisons(Drawing& d, const Term& x, const Term& y) {
  const Term first = d.Ordered(x, y);
  const Term z = d.Percent(50) ? x : d.Value(x.type(), x.num_elements());
  const Term second = d.Ordered(z, d.Percent(50) ? d.Special(x) : y);
  const Primitive join = d.random().Of({Primitive::kAnd, Primitive::kOr, Primitive::kXor});
  return Select(Apply2(join, first, second), x, y);
}

Term BySign(Drawing& d, const Term& x, const Term& y) {
  const Term compared = d.Ordered(x, Like(x, d.Percent(50) ? 0 : -1));
  switch (d.random().Below(5)) {
    case 0:
      return Select(compared, Like(x, -1), 0);
    case 1:
      return Select(compared, Like(x, 1), d.Special(x));
    case 2:
      return Select(compared, y, 0);
    case 3:
      return Select(compared, -1, y);
    default:
      return Select(compared, -x, x);
  }
}

Term GreaterOrOther(Drawing& d, const Term& x, const Term& y) {
  const Term less = d.Ordered(x, y);
  return Select(less, Max(x, y), d.Percent(50) ? x : Min(x, y));
}

constexpr Idiom kIdioms[] = {
    &Increased,    &Increased,    &ByPred,           &ChosenByPart, &ChosenByPart,
    &ChosenByPart, &ChosenByPart, &ByTwoComparisons, &BySign,       &GreaterOrOther,
};

}  // namespace

std::span<const Idiom> ChoiceIdioms() {
  return kIdioms;
}

}  // namespace axle
