#include "axle/core/float_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace axle {
namespace {

// Unsigned bits that know only what a lane of a program can do, and check what it must not do:
// shifts past the width. Comparisons give a Condition, which only Select takes.
struct Condition {
  bool value;
};
template <typename T>
struct Checked {
  T bits;
  template <typename N>
  Checked Like(N value) const {
    return {static_cast<T>(value)};
  }
};
template <typename T>
T Number(Checked<T> x) {
  return x.bits;
}
template <typename T>
T Number(std::uint64_t x) {
  EXPECT_EQ(static_cast<T>(x), x) << "a number that does not fit the lane";
  return static_cast<T>(x);
}
template <typename T>
T Shift(T count) {
  EXPECT_LT(count, sizeof(T) * 8) << "shift past the width";
  return count;
}
#define CHECKED_BINARY(op, Result, expression)        \
  template <typename T>                               \
  Result operator op(Checked<T> a, Checked<T> b) {    \
    const T x = a.bits, y = b.bits;                   \
    return {expression};                              \
  }                                                   \
  template <typename T>                               \
  Result operator op(Checked<T> a, std::uint64_t b) { \
    return a op Checked<T>{Number<T>(b)};             \
  }                                                   \
  template <typename T>                               \
  Result operator op(std::uint64_t a, Checked<T> b) { \
    return Checked<T>{Number<T>(a)} op b;             \
  }
CHECKED_BINARY(+, Checked<T>, static_cast<T>(x + y))
CHECKED_BINARY(-, Checked<T>, static_cast<T>(x - y))
CHECKED_BINARY(&, Checked<T>, static_cast<T>(x& y))
CHECKED_BINARY(|, Checked<T>, static_cast<T>(x | y))
CHECKED_BINARY(<<, Checked<T>, static_cast<T>(x << Shift(y)))
CHECKED_BINARY(>>, Checked<T>, static_cast<T>(x >> Shift(y)))
CHECKED_BINARY(<, Condition, x < y)
CHECKED_BINARY(==, Condition, x == y)
#undef CHECKED_BINARY
template <typename T>
Checked<T> Select(Condition condition, Checked<T> a, Checked<T> b) {
  return condition.value ? a : b;
}

std::vector<ElementType> NarrowFloats() {
  std::vector<ElementType> types;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (IsNarrowFloat(info.type)) types.push_back(info.type);
  }
  return types;
}

class NarrowFloat : public testing::TestWithParam<ElementType> {
 protected:
  FloatFormat format() const { return Info(GetParam()).format; }
};

TEST_P(NarrowFloat, WideningAndRoundingGiveThePatternBack) {
  for (std::uint32_t pattern = 0; pattern < (1u << format().bits()); ++pattern) {
    const float narrow = WidenToF32(format(), pattern);
    const double wide = WidenToF64(format(), pattern);
    ASSERT_EQ(std::isnan(narrow), IsNanBits(format(), pattern)) << pattern;
    ASSERT_EQ(std::isnan(wide), IsNanBits(format(), pattern)) << pattern;
    ASSERT_EQ(std::isfinite(narrow), IsFiniteBits(format(), pattern)) << pattern;
    if (std::isnan(narrow)) {
      ASSERT_TRUE(IsNanBits(format(), RoundF32To(format(), narrow))) << pattern;
      ASSERT_TRUE(IsNanBits(format(), RoundF64To(format(), wide))) << pattern;
      continue;
    }
    ASSERT_EQ(static_cast<double>(narrow), wide) << pattern;
    ASSERT_EQ(std::signbit(narrow), std::signbit(wide)) << pattern;
    ASSERT_EQ(RoundF32To(format(), narrow), pattern);
    ASSERT_EQ(RoundF64To(format(), wide), pattern);
  }
}

// The path through 32 bits against the one through 64, which convert_test checks in full.
TEST_P(NarrowFloat, F32RoundsAsTheSameF64) {
  const auto check = [&](std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    const std::uint32_t from_f32 = RoundF32To(format(), value);
    const std::uint64_t from_f64 = RoundF64To(format(), static_cast<double>(value));
    if (std::isnan(value) && format().nan != NanEncoding::kNone) {
      return IsNanBits(format(), from_f32) && IsNanBits(format(), from_f64);
    }
    return from_f32 == from_f64 && from_f32 < (std::uint64_t{1} << format().bits());
  };
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4093) {
    ASSERT_TRUE(check(static_cast<std::uint32_t>(bits))) << bits;
  }
  // All f32 whose low 13 bits are at or beside a half of anything.
  for (std::uint32_t high = 0; high < (1u << 16); ++high) {
    for (std::uint32_t low :
         {0u, 1u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      ASSERT_TRUE(check(high << 16 | low)) << (high << 16 | low);
    }
  }
}

TEST_P(NarrowFloat, SequencesKeepToWhatLanesCanDo) {
  const FloatFormat f = format();
  for (std::uint32_t high = 0; high < (1u << 16); high += 3) {
    const std::uint32_t bits = high << 16 | 0x8000;
    const std::uint32_t rounded = RoundToFormat(kF32Format, f, bits);
    ASSERT_EQ(RoundToFormat(kF32Format, f, Checked<std::uint32_t>{bits}).bits, rounded) << bits;
    const std::uint64_t wide = std::uint64_t{bits} << 32 | 0x10000001;
    ASSERT_EQ(RoundToFormat(kF64Format, f, Checked<std::uint64_t>{wide}).bits,
              RoundToFormat(kF64Format, f, wide))
        << wide;
    ASSERT_EQ(WidenFromFormat(f, kF32Format, Checked<std::uint32_t>{rounded}).bits,
              WidenFromFormat(f, kF32Format, rounded))
        << rounded;
    ASSERT_EQ(WidenFromFormat(f, kF64Format, Checked<std::uint64_t>{rounded}).bits,
              WidenFromFormat(f, kF64Format, std::uint64_t{rounded}))
        << rounded;
  }
}

INSTANTIATE_TEST_SUITE_P(FloatFormat, NarrowFloat, testing::ValuesIn(NarrowFloats()),
                         [](const auto& info) { return std::string(Name(info.param)); });

TEST(FloatFormat, F64RoundsToF32AsTheHardwareDoes) {
  for (std::uint64_t i = 0; i < 4000000; ++i) {
    const std::uint64_t bits = i * 0x9e3779b97f4a7c15u;
    const auto value = std::bit_cast<double>(bits);
    const auto expected = static_cast<float>(value);
    const auto result = std::bit_cast<float>(
        static_cast<std::uint32_t>(RoundToFormat(kF64Format, kF32Format, bits)));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(result));
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(expected), std::bit_cast<std::uint32_t>(result));
    }
  }
}

TEST(FloatFormat, F32WidensToF64AsTheHardwareDoes) {
  for (std::uint64_t i = 0; i < (std::uint64_t{1} << 32); i += 997) {
    const auto bits = static_cast<std::uint32_t>(i);
    const auto value = std::bit_cast<float>(bits);
    const double result = WidenToF64(kF32Format, bits);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(result));
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(static_cast<double>(value)),
                std::bit_cast<std::uint64_t>(result));
    }
  }
}

TEST(FloatFormat, SubnormalsSurviveTheRoundTrip) {
  for (int exponent = -149; exponent < -126; ++exponent) {
    const float x = std::ldexp(1.0f, exponent);
    EXPECT_EQ(WidenToF32(kBF16Format, RoundF32To(kBF16Format, x)), exponent < -133 ? 0 : x);
  }
  EXPECT_EQ(RoundF64To(kF32Format, 1e-45), 1u);
}

TEST(FloatFormat, ReferenceExamples) {
  const auto to = [](ElementType type, double x) {
    return WidenToF64(Info(type).format, RoundF64To(Info(type).format, x));
  };
  EXPECT_EQ(to(F8E4M3FN, 464), 448);
  EXPECT_TRUE(std::isnan(to(F8E4M3FN, 464.001)));
  EXPECT_EQ(to(F8E5M2, 61439), 57344);
  EXPECT_EQ(to(F8E5M2, 61440), HUGE_VAL);
  EXPECT_TRUE(std::isnan(to(F8E4M3FNUZ, 248)));
  EXPECT_EQ(to(F8E4M3FNUZ, 247.9), 240);
  EXPECT_FALSE(std::signbit(to(F8E4M3FNUZ, -0.0)));
  EXPECT_EQ(to(F4E2M1FN, 1e9), 6);
  EXPECT_EQ(to(F4E2M1FN, -HUGE_VAL), -6);
  EXPECT_EQ(RoundF64To(Info(F4E2M1FN).format, std::nan("")), 8u);  // -0
  EXPECT_EQ(to(F8E8M0FNU, 2.5), 2);
  EXPECT_EQ(to(F8E8M0FNU, 3), 4);
  EXPECT_TRUE(std::isnan(to(F8E8M0FNU, 0)));
  EXPECT_TRUE(std::isnan(to(F8E8M0FNU, -1)));
  EXPECT_TRUE(std::isnan(to(F8E8M0FNU, 1.5 * std::ldexp(1.0, 127))));
  EXPECT_EQ(to(F8E8M0FNU, 1e-300), std::ldexp(1.0, -127));
  EXPECT_EQ(to(F16, 65519.99), 65504);
  EXPECT_EQ(to(F16, 65520), HUGE_VAL);
}

}  // namespace
}  // namespace axle
