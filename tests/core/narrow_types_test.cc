#include "axle/core/narrow_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "axle/builder/literal_util.h"
#include "axle/core/convert.h"
#include "axle/core/literal.h"

namespace axle {
namespace {

static_assert(!std::is_aggregate_v<bfloat16> && !std::is_convertible_v<float, bfloat16>);
static_assert(!std::is_convertible_v<bfloat16, float>);
static_assert(std::is_trivially_copyable_v<half> && sizeof(half) == 2 && sizeof(s4) == 1);
static_assert(bfloat16(1.5f).bits() == 0x3fc0);
static_assert(static_cast<float>(half(1.5f)) == 1.5f);
static_assert(std::is_same_v<float8_e5m2, StorageOf<F8E5M2>>);

// Calls fn.template operator()<kType>() for each narrow float.
template <typename Fn>
void ForEachNarrowFloat(Fn fn) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!IsNarrowFloat(info.type)) continue;
    DispatchElementType(info.type, [&]<ElementType kType>() {
      if constexpr (IsNarrowFloat(kType)) fn.template operator()<kType>();
    });
  }
}

bool SameNumber(double a, double b) {
  return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
}

TEST(NarrowTypes, ConvertAsTheOpDoes) {
  std::mt19937_64 random(1);
  ForEachNarrowFloat([&]<ElementType kType>() {
    using T = StorageOf<kType>;
    SCOPED_TRACE(Name(kType));
    for (int i = 0; i < 20000; ++i) {
      // Numbers around those of the type, halves between two of them, and any pattern.
      double value = std::bit_cast<double>(random());
      if (i % 3 == 0)
        value = static_cast<double>(T::FromBits(static_cast<typename T::Bits>(random())));
      if (i % 3 == 1)
        value = std::ldexp(static_cast<double>(random() % 4096) - 2048,
                           static_cast<int>(random() % 40) - 25);
      T expected;
      ConvertElements(F64, &value, kType, &expected, 1);
      ASSERT_TRUE(SameNumber(static_cast<double>(T(value)), static_cast<double>(expected)))
          << value;
      const auto narrow = static_cast<float>(value);
      ConvertElements(F32, &narrow, kType, &expected, 1);
      ASSERT_TRUE(SameNumber(static_cast<double>(T(narrow)), static_cast<double>(expected)))
          << narrow;
      const auto integer = static_cast<i64>(random() >> (random() % 64)) * (i % 2 == 0 ? 1 : -1);
      ConvertElements(S64, &integer, kType, &expected, 1);
      ASSERT_TRUE(SameNumber(static_cast<double>(T(integer)), static_cast<double>(expected)))
          << integer;
      i64 truncated = 0;
      ConvertElements(kType, &expected, S64, &truncated, 1);
      ASSERT_EQ(static_cast<i64>(expected), truncated);
      ASSERT_TRUE(SameNumber(static_cast<float>(expected), static_cast<double>(expected)));
    }
  });
}

TEST(NarrowTypes, CompareAsNumbers) {
  const float values[] = {-INFINITY, -2, -0.5f, -0.0f, 0, 0.5f, 1, 2, INFINITY, NAN};
  for (const float a : values) {
    for (const float b : values) {
      EXPECT_EQ(bfloat16(a) == bfloat16(b), a == b);
      EXPECT_EQ(half(a) != half(b), a != b);
      EXPECT_EQ(float8_e5m2(a) < float8_e5m2(b), a < b);
      EXPECT_EQ(bfloat16(a) >= bfloat16(b), a >= b);
    }
  }
  EXPECT_LT(s4(-8), s4(7));
  EXPECT_EQ(u4(15), u4(31));
}

TEST(NarrowTypes, LimitsAreThoseOfTheFormat) {
  ForEachNarrowFloat([&]<ElementType kType>() {
    using T = StorageOf<kType>;
    using Limits = std::numeric_limits<T>;
    SCOPED_TRACE(Name(kType));
    const auto number = [](const Literal& literal) {
      return static_cast<double>(literal.data<T>()[0]);
    };
    EXPECT_EQ(static_cast<double>(Limits::max()), number(LiteralUtil::MaxFiniteValue(kType)));
    EXPECT_EQ(static_cast<double>(Limits::lowest()), number(LiteralUtil::MinFiniteValue(kType)));
    EXPECT_EQ(static_cast<double>(Limits::min()),
              number(*LiteralUtil::MinPositiveNormalValue(kType)));
    EXPECT_EQ(static_cast<double>(Limits::epsilon()), number(*LiteralUtil::Epsilon(kType)));
    EXPECT_EQ(Limits::has_quiet_NaN, LiteralUtil::NanValue(kType).ok());
    if (Limits::has_quiet_NaN) {
      EXPECT_TRUE(std::isnan(static_cast<double>(Limits::quiet_NaN())));
    }
    EXPECT_EQ(Limits::has_infinity,
              std::isinf(static_cast<double>(T(std::numeric_limits<double>::infinity()))));
    // What the standard says of the exponents, by the numbers themselves.
    EXPECT_EQ(std::ldexp(1.0, Limits::min_exponent - 1), static_cast<double>(Limits::min()));
    EXPECT_LT(static_cast<double>(Limits::max()), std::ldexp(1.0, Limits::max_exponent));
    EXPECT_GE(static_cast<double>(Limits::max()), std::ldexp(1.0, Limits::max_exponent - 1));
    EXPECT_EQ(Limits::max_exponent10,
              static_cast<int>(std::floor(std::log10(static_cast<double>(Limits::max())))));
    EXPECT_EQ(Limits::min_exponent10,
              static_cast<int>(std::ceil(std::log10(static_cast<double>(Limits::min())))));
    EXPECT_EQ(Limits::max_digits10,
              static_cast<int>(std::ceil(Limits::digits * std::log10(2.0) + 1)));
    EXPECT_EQ(Limits::digits10,
              static_cast<int>(std::floor((Limits::digits - 1) * std::log10(2.0))));
  });
  EXPECT_EQ(static_cast<int>(std::numeric_limits<s4>::min()), -8);
  EXPECT_EQ(static_cast<int>(std::numeric_limits<u2>::max()), 3);
  EXPECT_EQ(static_cast<int>(std::numeric_limits<s1>::min()), -1);
}

TEST(NarrowTypes, IntegersWrapAndSaturateAsTheOpDoes) {
  for (int value = -300; value <= 300; ++value) {
    const auto number = static_cast<double>(value) + 0.5;
    const auto check = [&]<ElementType kType>() {
      StorageOf<kType> expected = 0;
      ConvertElements(S32, &value, kType, &expected, 1);
      EXPECT_EQ(static_cast<int>(NarrowInteger<kType>(value)), static_cast<int>(expected)) << value;
      ConvertElements(F64, &number, kType, &expected, 1);
      EXPECT_EQ(static_cast<int>(NarrowInteger<kType>(number)), static_cast<int>(expected))
          << number;
    };
    check.operator()<S4>();
    check.operator()<U4>();
    check.operator()<S2>();
    check.operator()<U2>();
    check.operator()<S1>();
    check.operator()<U1>();
  }
}

TEST(NarrowTypes, AreTheElementsOfLiterals) {
  const Literal half_literal = LiteralUtil::CreateR1<half>({half(1.5f), half(-2.0)});
  EXPECT_EQ(half_literal.ToStringWithShape(), "f16[2] {1.5, -2}");
  EXPECT_EQ(half_literal.data<half>()[1], half(-2));
  const Literal small = LiteralUtil::CreateR1<s4>({s4(-8), s4(7)});
  EXPECT_EQ(small.ToStringWithShape(), "s4[2] {-8, 7}");
  EXPECT_EQ(small.data<std::int8_t>()[0], -8);
  EXPECT_EQ(small.Get<s4>(Dims{1}), s4(7));
  EXPECT_TRUE(IsElementOf<long long>(S64) && IsElementOf<std::int64_t>(S64));
  EXPECT_FALSE(IsElementOf<std::uint8_t>(PRED) || IsElementOf<half>(BF16) || IsElementOf<s4>(S2));
}

}  // namespace
}  // namespace axle
