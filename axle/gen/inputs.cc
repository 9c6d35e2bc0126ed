// Each array has one style of elements: moderate numbers, small integers with many equals, special
// values (NaN, infinities, zeros of both signs, subnormals, extremes), a mixture, random bits, or
// every exponent equally often. The bits are computed here and not by the C++ library, so they are
// the same on every machine.

#include "axle/gen/inputs.h"

#include <cstring>

#include "axle/core/convert.h"
#include "axle/core/float_environment.h"
#include "axle/core/float_format.h"

namespace axle {
namespace {

// One style per array rather than per element: NaNs everywhere would hide all other differences.
enum class Style : std::uint8_t { kModerate, kSmallIntegers, kSpecials, kMixed, kBits, kWide };

// Neighbours of the places where a format changes: zero, subnormals, the least normal number, one,
// the largest number, infinity and NaN.
std::uint64_t SpecialFloat(const FloatFormat& format, Random& random) {
  const std::uint64_t sign = random.Percent(50) ? SignBit(format) : 0;
  const std::uint64_t smallest_normal = std::uint64_t{1} << format.mantissa_bits;
  const std::uint64_t one = static_cast<std::uint64_t>(format.bias) << format.mantissa_bits;
  // NaN and zero appear twice, as the cases that most often have rules of their own.
  const std::uint64_t bits = random.Of<std::uint64_t>(
      {0, 0, 1, 2, smallest_normal - 1, smallest_normal, smallest_normal + 1, one, one + 1, one - 1,
       FirstNonFinite(format) - 1, FirstNonFinite(format), NanBits(format), NanBits(format)});
  return (bits | sign) & LowBits(format.bits());
}

std::int64_t SpecialInteger(int bits, Random& random) {
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);  // wraps, as the least number does
  return static_cast<std::int64_t>(random.Of<std::uint64_t>(
      {0, 1, ~std::uint64_t{0}, 2, top, top - 1, top + 1, ~std::uint64_t{1},
       static_cast<std::uint64_t>(bits), static_cast<std::uint64_t>(bits) - 1}));
}

// The bits of one number.
std::uint64_t FloatBits(const FloatFormat& format, Style style, Random& random) {
  switch (style) {
    case Style::kModerate: {
      const double fraction = random.Fraction() * 2 - 1;
      return RoundF64To(format, fraction * random.Of({0.5, 1.0, 3.0, 10.0}));
    }
    case Style::kSmallIntegers:
      return RoundF64To(format, static_cast<double>(random.Between(-3, 3)));
    case Style::kSpecials:
      return SpecialFloat(format, random);
    case Style::kMixed:
      return random.Percent(25) ? SpecialFloat(format, random)
                                : RoundF64To(format, random.Fraction() * 4 - 2);
    case Style::kBits:
      return random.Bits() & LowBits(format.bits());
    // A uniform magnitude below the first non-finite one makes all exponents equally frequent.
    case Style::kWide: {  // every exponent as often; no NaN
      const std::uint64_t magnitude = random.Bits() % FirstNonFinite(format);
      return magnitude | (random.Percent(50) ? SignBit(format) : 0);
    }
  }
  return 0;
}

std::int64_t IntegerValue(int bits, Style style, Random& random) {
  switch (style) {
    case Style::kModerate:
      return random.Between(-10, 100);
    case Style::kSmallIntegers:
      return random.Between(-2, 5);
    case Style::kSpecials:
      return SpecialInteger(bits, random);
    case Style::kMixed:
      return random.Percent(25) ? SpecialInteger(bits, random) : random.Between(-9, 9);
    case Style::kBits:
    case Style::kWide:
      break;
  }
  // A shift by a random amount makes short and long integers equally frequent.
  return static_cast<std::int64_t>(random.Bits() >> random.Below(64));
}

// Fills `count` elements. Floats are written as bits, complex numbers as pairs of them; integers
// are converted from s64, which wraps.
void Fill(ElementType type, Style style, Random& random, std::byte* to, i64 count) {
  const ElementTypeInfo& info = Info(type);
  if (info.type_class == TypeClass::kFloat || info.type_class == TypeClass::kComplex) {
    const int parts = info.type_class == TypeClass::kComplex ? 2 : 1;
    const int bytes = info.bytes / parts;
    for (i64 i = 0; i < count * parts; ++i) {
      const std::uint64_t bits = FloatBits(info.format, style, random);
      std::memcpy(to + i * bytes, &bits, static_cast<size_t>(bytes));
    }
    return;
  }
  for (i64 i = 0; i < count; ++i) {
    const std::int64_t value =
        type == PRED ? random.Below(2) : IntegerValue(info.bits, style, random);
    ConvertElements(S64, &value, type, to + i * info.bytes, 1);
  }
}

}  // namespace

Literal DrawLiteral(const Shape& shape, Random& random) {
  Literal literal(shape.WithoutLayout());
  if (shape.is_tuple()) {
    for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
      literal.mutable_elements()[i] = DrawLiteral(shape.element(i), random);
    }
  } else if (shape.is_array() && shape.num_elements() > 0) {
    const Style style = random.Of({Style::kModerate, Style::kModerate, Style::kSmallIntegers,
                                   Style::kSpecials, Style::kMixed, Style::kBits, Style::kWide});
    Fill(shape.type(), style, random, literal.mutable_bytes(), shape.num_elements());
  }
  return literal;
}

// The random numbers depend on the seed and the position of the parameter alone, so that removing a
// parameter of a reduced module does not change the arguments before it.
std::vector<Literal> DrawArguments(const HloComputation& entry, std::uint64_t seed) {
  const ScopedFloatEnvironment environment;
  std::vector<Literal> arguments;
  for (size_t p = 0; p < entry.parameters().size(); ++p) {
    Random random(seed, p);
    arguments.push_back(DrawLiteral(entry.parameters()[p]->shape(), random));
  }
  return arguments;
}

}  // namespace axle
