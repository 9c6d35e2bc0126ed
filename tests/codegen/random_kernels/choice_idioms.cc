// Comparisons of integers, and what is chosen or computed by them.
#include "tests/codegen/random_kernels/idioms.h"

namespace axle {
namespace {

Term Increased(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term less = g.Ordered(x, y);
  const Term step = g.Percent(50) ? Like(x, 1) : g.Special(x);
  return Select(less, x + step, g.Percent(50) ? x : y);
}

Term ByPred(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term number = Resized(x.type(), g.Condition(x.num_elements()));
  switch (g.random().Below(4)) {
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
Term PartOf(ProgramGenerator& g, const Term& x) {
  if (g.Percent(50)) return Resized(static_cast<LaneType>(g.random().Between(1, 8)), x);
  return x & LowBits(static_cast<int>(g.random().Between(1, BitsOf(x.type()))));
}

Term PartCompared(ProgramGenerator& g, const Term& part) {
  const Term number = Like(part, g.random().Below(3));
  if (g.Percent(65)) return g.Ordered(part, number);
  switch (g.random().Below(3)) {
    case 0:
      return part == number;
    case 1:
      return LogicalRight(part, 1) == 0;
    default:
      return (part & ~std::uint64_t{1}) == 0;
  }
}

// A choice between a number and a constant, by what some of its bits are.
Term ChosenByPart(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term compared = PartCompared(g, PartOf(g, x));
  const Term other = g.Percent(75) ? Like(x, g.random().Of({1, 1, 1, 0, -1})) : y;
  const Term number = g.Percent(80) ? x : g.Percent(50) ? x + 1 : x - 1;
  return g.Percent(50) ? Select(compared, number, other) : Select(compared, other, number);
}

Term ByTwoComparisons(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term first = g.Ordered(x, y);
  const Term z = g.Percent(50) ? x : g.Value(x.type(), x.num_elements());
  const Term second = g.Ordered(z, g.Percent(50) ? g.Special(x) : y);
  const Primitive join = g.random().Of({Primitive::kAnd, Primitive::kOr, Primitive::kXor});
  return Select(Apply2(join, first, second), x, y);
}

Term BySign(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term compared = g.Ordered(x, Like(x, g.Percent(50) ? 0 : -1));
  switch (g.random().Below(5)) {
    case 0:
      return Select(compared, Like(x, -1), 0);
    case 1:
      return Select(compared, Like(x, 1), g.Special(x));
    case 2:
      return Select(compared, y, 0);
    case 3:
      return Select(compared, -1, y);
    default:
      return Select(compared, -x, x);
  }
}

Term GreaterOrOther(ProgramGenerator& g, const Term& x, const Term& y) {
  const Term less = g.Ordered(x, y);
  return Select(less, Max(x, y), g.Percent(50) ? x : Min(x, y));
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
