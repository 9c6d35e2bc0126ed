// The exact elementwise ops on all patterns of the small types, against definitions written here
// with the host's doubles and wide integers; magnitudes of complex numbers against long double.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "axle/core/float_format.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

// The op on whole arrays of one size; `attrs` begins with ", ".
Literal RunOp(std::string_view op, const Shape& result, std::vector<Literal> operands,
              std::string_view attrs = "") {
  std::string text = "HloModule m\nENTRY e {\n", names;
  for (size_t i = 0; i < operands.size(); ++i) {
    StrAppend(text, "  p", i, " = ", operands[i].shape().ToString(), " parameter(", i, ")\n");
    StrAppend(names, i == 0 ? "p" : ", p", i);
  }
  StrAppend(text, "  ROOT r = ", result.ToString(), " ", op, "(", names, ")", attrs, "\n}\n");
  const auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return Literal();
  const auto value = Evaluate(**module, operands);
  EXPECT_TRUE(value.ok()) << value.status().message();
  return value.ok() ? *value : Literal();
}

// The stored bytes of element i, zero-extended.
std::uint64_t BitsAt(const Literal& literal, i64 i) {
  std::uint64_t bits = 0;
  const auto bytes = static_cast<size_t>(Info(literal.shape().type()).bytes);
  std::memcpy(&bits, literal.bytes() + i * static_cast<i64>(bytes), bytes);
  return bits;
}

Literal FromBits(ElementType type, const std::vector<std::uint64_t>& patterns) {
  Literal literal(Shape(type, {static_cast<i64>(patterns.size())}));
  const auto bytes = static_cast<size_t>(Info(type).bytes);
  std::byte* to = literal.mutable_bytes();
  for (size_t i = 0; i < patterns.size(); ++i) {
    std::memcpy(to + i * bytes, &patterns[i], bytes);
  }
  return literal;
}

std::vector<std::uint64_t> AllPatterns(int bits) {
  std::vector<std::uint64_t> patterns(std::uint64_t{1} << bits);
  for (size_t i = 0; i < patterns.size(); ++i) patterns[i] = i;
  return patterns;
}

std::vector<ElementType> SmallFloats() {
  std::vector<ElementType> types;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.type_class == TypeClass::kFloat && info.bits <= 16) types.push_back(info.type);
  }
  return types;
}

double ValueOf(ElementType type, std::uint64_t bits) {
  return WidenToF64(Info(type).format, bits);
}

void ExpectFloatFunction(std::string_view op, const std::function<double(double)>& function) {
  for (ElementType type : SmallFloats()) {
    const FloatFormat& format = Info(type).format;
    const auto patterns = AllPatterns(format.bits());
    const Literal operand = FromBits(type, patterns);
    const Literal result = RunOp(op, operand.shape(), {operand});
    for (std::uint64_t bits : patterns) {
      const std::uint64_t expected = RoundF64To(format, function(ValueOf(type, bits)));
      const std::uint64_t actual = BitsAt(result, static_cast<i64>(bits));
      if (IsNanBits(format, expected) && IsNanBits(format, actual)) continue;
      ASSERT_EQ(actual, expected) << op << " of " << Name(type) << " pattern " << bits;
    }
  }
}

TEST(ExactElementwise, FunctionsOfAllSmallFloats) {
  ExpectFloatFunction("ceil", [](double x) { return std::ceil(x); });
  ExpectFloatFunction("floor", [](double x) { return std::floor(x); });
  ExpectFloatFunction("round-nearest-afz", [](double x) { return std::round(x); });
  ExpectFloatFunction("round-nearest-even", [](double x) { return std::nearbyint(x); });
  ExpectFloatFunction("abs", [](double x) { return std::fabs(x); });
  ExpectFloatFunction("sign", [](double x) { return x > 0 ? 1 : x < 0 ? -1 : x; });
}

TEST(ExactElementwise, IsFiniteOfAllSmallFloats) {
  for (ElementType type : SmallFloats()) {
    const auto patterns = AllPatterns(Info(type).format.bits());
    const Literal operand = FromBits(type, patterns);
    const Literal result = RunOp("is-finite", operand.shape().WithType(PRED), {operand});
    for (std::uint64_t bits : patterns) {
      ASSERT_EQ(BitsAt(result, static_cast<i64>(bits)) != 0, std::isfinite(ValueOf(type, bits)))
          << Name(type) << " pattern " << bits;
    }
  }
}

// Rounds to a multiple of 2^place, halves to even.
double RoundAt(double x, int place) {
  return std::ldexp(std::nearbyint(std::ldexp(x, -place)), place);
}

// By arithmetic: the place of the last kept bit, then the range of the exponent.
double Reduced(const FloatFormat& own, double x, int exponent_bits, int mantissa_bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = std::ilogb(x);
  const bool keeps_range = exponent_bits >= own.exponent_bits;
  if (own.nan == NanEncoding::kIeee) exponent = std::max(exponent, 1 - own.bias);
  double rounded = mantissa_bits >= own.mantissa_bits ? x : RoundAt(x, exponent - mantissa_bits);
  // Without mantissa bits the even neighbour of 1.5 * 2^exponent has an even exponent field; all
  // biases at hand are odd.
  if (mantissa_bits == 0 && std::fabs(x) == std::ldexp(1.5, exponent)) {
    rounded = std::copysign(std::ldexp(1.0, exponent % 2 == 0 ? exponent + 1 : exponent), x);
  }
  if (keeps_range) return rounded;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (std::fabs(rounded) >= std::ldexp(1.0, bias + 1)) return std::copysign(INFINITY, x);
  if (std::fabs(rounded) < std::ldexp(1.0, 1 - bias)) return std::copysign(0.0, x);
  return rounded;
}

TEST(ExactElementwise, ReducePrecisionOfAllSmallFloats) {
  for (ElementType type : SmallFloats()) {
    const FloatFormat& format = Info(type).format;
    const auto patterns = AllPatterns(format.bits());
    const Literal operand = FromBits(type, patterns);
    for (int exponent_bits = 2; exponent_bits <= format.exponent_bits; ++exponent_bits) {
      for (int mantissa_bits = 0; mantissa_bits <= format.mantissa_bits; ++mantissa_bits) {
        const std::string attrs =
            StrCat(", exponent_bits=", exponent_bits, ", mantissa_bits=", mantissa_bits);
        const Literal result = RunOp("reduce-precision", operand.shape(), {operand}, attrs);
        for (std::uint64_t bits : patterns) {
          const double value = ValueOf(type, bits);
          const std::uint64_t expected =
              RoundF64To(format, Reduced(format, value, exponent_bits, mantissa_bits));
          const std::uint64_t actual = BitsAt(result, static_cast<i64>(bits));
          if (IsNanBits(format, expected) && IsNanBits(format, actual)) continue;
          ASSERT_EQ(actual, expected) << Name(type) << attrs << " of " << value;
        }
      }
    }
  }
}

// Sign and magnitude: the keys of IEEE's totalOrder.
std::int64_t TotalOrderKeyOf(const FloatFormat& format, std::uint64_t bits) {
  if (!format.is_signed) return static_cast<std::int64_t>(bits);
  const auto magnitude = static_cast<std::int64_t>(bits & MagnitudeMask(format));
  const bool is_negative = (bits & SignBit(format)) != 0;
  if (format.nan != NanEncoding::kNegativeZero) return is_negative ? ~magnitude : magnitude;
  if (bits == SignBit(format)) return INT64_MIN;  // the NaN
  return is_negative ? ~(magnitude - 1) : magnitude;
}

TEST(ExactElementwise, TotalOrderOfAllPairsOfByteFloats) {
  for (ElementType type : SmallFloats()) {
    const FloatFormat& format = Info(type).format;
    if (format.bits() > 8) continue;
    std::vector<std::uint64_t> left, right;
    for (std::uint64_t x : AllPatterns(format.bits())) {
      for (std::uint64_t y : AllPatterns(format.bits())) {
        left.push_back(x);
        right.push_back(y);
      }
    }
    const Literal lhs = FromBits(type, left), rhs = FromBits(type, right);
    for (std::string_view direction : {"LT", "GE", "EQ"}) {
      const Literal result = RunOp("compare", lhs.shape().WithType(PRED), {lhs, rhs},
                                   StrCat(", direction=", direction, ", type=TOTALORDER"));
      for (size_t i = 0; i < left.size(); ++i) {
        const std::int64_t x = TotalOrderKeyOf(format, left[i]),
                           y = TotalOrderKeyOf(format, right[i]);
        const bool expected = direction == "LT" ? x < y : direction == "GE" ? x >= y : x == y;
        ASSERT_EQ(BitsAt(result, static_cast<i64>(i)) != 0, expected)
            << Name(type) << " " << direction << " " << left[i] << " " << right[i];
      }
    }
  }
}

// What is stored for an integer modulo 2^N.
std::uint64_t StoredInteger(ElementType type, std::int64_t value) {
  const int unused = 64 - Info(type).bits;
  const auto top = static_cast<std::uint64_t>(value) << unused;
  const auto extended = IsSigned(type)
                            ? static_cast<std::uint64_t>(static_cast<std::int64_t>(top) >> unused)
                            : top >> unused;
  return extended & LowBits(8 * Info(type).bytes);
}

using IntegerFunction = std::function<std::int64_t(std::int64_t x, std::int64_t y, int width)>;

// `function` gets signed or unsigned values as the type says.
void ExpectIntegerFunction(std::string_view op, int arity, const IntegerFunction& function) {
  for (ElementType type : {S1, U1, S2, U2, S4, U4, S8, U8}) {
    const int width = Info(type).bits;
    std::vector<std::int64_t> left, right;
    const std::int64_t least = IsSigned(type) ? -(std::int64_t{1} << (width - 1)) : 0;
    const std::int64_t count = std::int64_t{1} << width;
    for (std::int64_t x = least; x < least + count; ++x) {
      for (std::int64_t y = least; y < least + (arity == 1 ? 1 : count); ++y) {
        left.push_back(x);
        right.push_back(y);
      }
    }
    std::vector<std::uint64_t> lhs, rhs;
    for (size_t i = 0; i < left.size(); ++i) {
      lhs.push_back(StoredInteger(type, left[i]));
      rhs.push_back(StoredInteger(type, right[i]));
    }
    std::vector<Literal> operands = {FromBits(type, lhs)};
    if (arity == 2) operands.push_back(FromBits(type, rhs));
    const Literal result = RunOp(op, operands[0].shape(), operands);
    for (size_t i = 0; i < left.size(); ++i) {
      ASSERT_EQ(BitsAt(result, static_cast<i64>(i)),
                StoredInteger(type, function(left[i], right[i], width)))
          << op << " of " << Name(type) << " " << left[i] << ", " << right[i];
    }
  }
}

TEST(ExactElementwise, IntegerFunctionsOfAllPairsUpToAByte) {
  const auto pattern = [](std::int64_t x, int width) {
    return static_cast<std::uint64_t>(x) & LowBits(width);
  };
  const auto count_of = [&](std::int64_t y, int width) {
    return std::min<std::uint64_t>(pattern(y, width), 63);
  };
  ExpectIntegerFunction("shift-left", 2, [&](std::int64_t x, std::int64_t y, int width) {
    return static_cast<std::int64_t>(pattern(y, width) >= static_cast<std::uint64_t>(width)
                                         ? 0
                                         : pattern(x, width) << count_of(y, width));
  });
  ExpectIntegerFunction("shift-right-logical", 2, [&](std::int64_t x, std::int64_t y, int width) {
    return static_cast<std::int64_t>(pattern(x, width) >> count_of(y, width));
  });
  ExpectIntegerFunction(
      "shift-right-arithmetic", 2, [&](std::int64_t x, std::int64_t y, int width) {
        const bool is_negative = (pattern(x, width) >> (width - 1)) != 0;
        const auto value =
            static_cast<std::int64_t>(pattern(x, width) | (is_negative ? ~LowBits(width) : 0));
        return value >> count_of(y, width);
      });
  ExpectIntegerFunction("mulhi", 2,
                        [](std::int64_t x, std::int64_t y, int width) { return (x * y) >> width; });
  ExpectIntegerFunction("xor", 2, [](std::int64_t x, std::int64_t y, int) { return x ^ y; });
  ExpectIntegerFunction("not", 1, [](std::int64_t x, std::int64_t, int) { return ~x; });
  ExpectIntegerFunction("popcnt", 1, [&](std::int64_t x, std::int64_t, int width) {
    return static_cast<std::int64_t>(__builtin_popcountll(pattern(x, width)));
  });
  ExpectIntegerFunction("count-leading-zeros", 1, [&](std::int64_t x, std::int64_t, int width) {
    std::int64_t zeros = 0;
    while (zeros < width && (pattern(x, width) >> (width - 1 - zeros) & 1) == 0) ++zeros;
    return zeros;
  });
}

// Random parts over the whole range, near each other more often than not.
template <typename T>
std::vector<T> RandomParts(int least, int most, std::mt19937_64& random) {
  std::vector<T> parts;
  for (int i = 0; i < 40000; ++i) {
    const int exponent = least + static_cast<int>(random() % static_cast<unsigned>(most - least));
    for (int part = 0; part < 2; ++part) {
      const int near = std::min(most - 1, exponent + static_cast<int>(random() % 60) * part);
      const double fraction = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
      parts.push_back(static_cast<T>(std::ldexp((random() & 1) != 0 ? fraction : -fraction, near)));
    }
  }
  return parts;
}

template <typename T>
void ExpectMagnitudes(ElementType complex, int least, int most, double abs_ulp, double sign_ulp) {
  std::mt19937_64 random(11);
  const std::vector<T> parts = RandomParts<T>(least, most, random);
  Literal z(Shape(complex, {static_cast<i64>(parts.size() / 2)}));
  std::memcpy(z.mutable_bytes(), parts.data(), parts.size() * sizeof(T));
  const Literal magnitudes = RunOp("abs", z.shape().WithType(PartOf(complex)), {z});
  const Literal signs = RunOp("sign", z.shape(), {z});
  const T* abs = reinterpret_cast<const T*>(magnitudes.bytes());
  const T* sign = reinterpret_cast<const T*>(signs.bytes());
  // Units in the last place; of subnormal numbers, the place is fixed.
  const auto error = [&](T actual, long double exact) {
    const int place = std::max(std::ilogb(exact), std::numeric_limits<T>::min_exponent - 1) -
                      std::numeric_limits<T>::digits + 1;
    return static_cast<double>(std::fabs(std::ldexp(actual - exact, -place)));
  };
  double worst_abs = 0, worst_sign = 0;
  for (size_t i = 0; i < parts.size(); i += 2) {
    const long double x = parts[i], y = parts[i + 1], exact = std::sqrt(x * x + y * y);
    if (exact <= std::numeric_limits<T>::max()) {
      worst_abs = std::max(worst_abs, error(abs[i / 2], exact));
    }
    worst_sign = std::max({worst_sign, error(sign[i], x / exact), error(sign[i + 1], y / exact)});
  }
  EXPECT_LE(worst_abs, abs_ulp);
  EXPECT_LE(worst_sign, sign_ulp);
}

TEST(ExactElementwise, ComplexMagnitudesAreWithinTheirPromises) {
  ExpectMagnitudes<float>(C64, -149, 128, 0.501, 0.501);
  ExpectMagnitudes<double>(C128, -1074, 1024, 1, 1.5);
}

// |2^(i d)| = 1, also where d log 2 is so many turns that nothing is known of the angle.
TEST(ComplexPower, ManyTurnsStayOnTheCircle) {
  for (double d = 0x1p40; d < 0x1p1023; d *= 5.1) {
    const double base[] = {2, 0}, exponent[] = {0, d};
    const Shape shape(C128, {});
    const Literal result =
        RunOp("power", shape, {Literal::View(shape, base), Literal::View(shape, exponent)});
    const auto* parts = reinterpret_cast<const double*>(result.bytes());
    EXPECT_NEAR(std::hypot(parts[0], parts[1]), 1, 1e-15) << d;
  }
}

}  // namespace
}  // namespace axle
