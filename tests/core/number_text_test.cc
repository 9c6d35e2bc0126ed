#include "axle/core/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <charconv>
#include <clocale>
#include <cmath>

#include "axle/core/float_format.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// Exactly, in scientific notation.
std::string ExactDecimal(double value) {
  char text[800];
  char* end =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific, 766).ptr;
  return std::string(text, end);
}

// A decimal number far less than one unit of the last place above or below an exact one.
std::string JustAbove(std::string decimal) {
  return decimal.insert(decimal.find('e'), "000000001");
}
std::string JustBelow(std::string decimal) {
  size_t at = decimal.find_last_not_of('0', decimal.find('e') - 1);
  if (decimal[at] == '.') --at;  // "1.000e5": borrow from the first digit
  decimal[at] = static_cast<char>(decimal[at] - 1);
  for (++at; decimal[at] != 'e'; ++at) {
    if (decimal[at] != '.') decimal[at] = '9';
  }
  return decimal;
}

class NarrowText : public testing::TestWithParam<ElementType> {};

TEST_P(NarrowText, RoundsOnceAtEveryMidpoint) {
  const ElementTypeInfo& info = Info(GetParam());
  const FloatFormat& f = info.format;
  const std::uint64_t last = FirstNonFinite(f) - 1;
  const std::uint64_t step = f.mantissa_bits > 5 ? 37 : 1;
  for (std::uint64_t lower = 0; lower < last; lower += step) {
    const double a = WidenToF64(f, lower);
    const double b = WidenToF64(f, lower + 1);
    const std::string middle = ExactDecimal(f.is_signed ? a + (b - a) / 2 : a * 1.5);
    const std::uint64_t even = !f.is_signed || lower % 2 == 1 ? lower + 1 : lower;
    const auto half = ParseFloat(info, middle);
    const auto above = ParseFloat(info, JustAbove(middle));
    const auto below = ParseFloat(info, JustBelow(middle));
    ASSERT_TRUE(half.ok() && above.ok() && below.ok()) << middle;
    ASSERT_EQ(*half, even) << middle;
    ASSERT_EQ(*above, lower + 1) << middle;
    ASSERT_EQ(*below, lower) << middle;
    if (!f.is_signed) continue;
    const auto negative = ParseFloat(info, "-" + JustAbove(middle));
    ASSERT_TRUE(negative.ok());
    ASSERT_EQ(*negative, SignBit(f) | (lower + 1)) << middle;
  }
}

TEST_P(NarrowText, RangeEndsHalfAStepBeyondTheLargestValue) {
  const ElementTypeInfo& info = Info(GetParam());
  const FloatFormat& f = info.format;
  const std::uint64_t last = FirstNonFinite(f) - 1;
  const double largest = WidenToF64(f, last);
  const double step = largest - WidenToF64(f, last - 1);
  EXPECT_EQ(*ParseFloat(info, ExactDecimal(largest)), last);
  if (f.nan == NanEncoding::kNone) {
    // No room at all: what is larger would saturate.
    EXPECT_FALSE(ParseFloat(info, JustAbove(ExactDecimal(largest))).ok());
    return;
  }
  const std::string half = ExactDecimal(f.is_signed ? largest + step / 2 : largest * 1.5);
  EXPECT_EQ(*ParseFloat(info, JustBelow(half)), last);
  EXPECT_EQ(ParseFloat(info, half).ok(), f.is_signed && last % 2 == 0);
  EXPECT_FALSE(ParseFloat(info, JustAbove(half)).ok());
}

std::vector<ElementType> NarrowFloats() {
  std::vector<ElementType> types;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (IsNarrowFloat(info.type)) types.push_back(info.type);
  }
  return types;
}
INSTANTIATE_TEST_SUITE_P(NumberText, NarrowText, testing::ValuesIn(NarrowFloats()),
                         [](const auto& info) { return std::string(Name(info.param)); });

TEST(NumberText, F32RoundsOnceAtMidpoints) {
  for (std::uint32_t lower = 0; lower < 0x7f7fffff; lower += 1000003) {
    const double middle = (static_cast<double>(std::bit_cast<float>(lower)) +
                           static_cast<double>(std::bit_cast<float>(lower + 1))) /
                          2;
    const std::string text = ExactDecimal(middle);
    ASSERT_EQ(*ParseFloat(Info(F32), text), lower + lower % 2);
    ASSERT_EQ(*ParseFloat(Info(F32), JustAbove(text)), lower + 1);
    ASSERT_EQ(*ParseFloat(Info(F32), JustBelow(text)), lower);
  }
}

TEST(NumberText, F64ReadsItsExactDecimals) {
  for (std::uint64_t i = 1; i < 5000; ++i) {
    const std::uint64_t bits = (i * 0x9e3779b97f4a7c15u) >> 1;
    const auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(*ParseFloat(Info(F64), ExactDecimal(value)), bits);
  }
  EXPECT_EQ(ParseDouble("2.2250738585072011e-308"), 2.2250738585072011e-308);
  EXPECT_EQ(ParseDouble("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(ParseDouble("9007199254740993.000000000000000000000000001"), 9007199254740994.0);
}

TEST(NumberText, TakesNumbersOfAnyLength) {
  const std::string zeros(100000, '0');
  EXPECT_EQ(ParseDouble("1" + zeros), HUGE_VAL);
  EXPECT_EQ(ParseDouble("0." + zeros + "1"), 0.0);
  EXPECT_EQ(ParseDouble("0." + zeros + "1e100001"), 1.0);
  EXPECT_EQ(ParseDouble("1" + zeros + "e-100000"), 1.0);
  EXPECT_EQ(*ParseFloat(Info(F16), "1.00048828125" + zeros), 0x3c00u);
  EXPECT_EQ(*ParseFloat(Info(F16), "1.00048828125" + zeros + "1"), 0x3c01u);
}

TEST(NumberText, HostRoundingModeAndLocaleDoNotMatter) {
  const char* old_locale = std::setlocale(LC_ALL, nullptr);
  const std::string restore = old_locale != nullptr ? old_locale : "C";
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, locale) == nullptr) continue;
    for (int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      const std::uint64_t tenth = *ParseFloat(Info(F32), "0.1");
      const std::uint64_t third = *ParseFloat(Info(BF16), "0.3333");
      const double large = ParseDouble("123456789012345678");
      std::string text;
      AppendFloat(Info(F32), tenth, text);
      AppendFloat(Info(F64), std::bit_cast<std::uint64_t>(1 / 3.0), text);
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(tenth, 0x3dcccccdu);
      EXPECT_EQ(third, 0x3eabu);
      EXPECT_EQ(large, 123456789012345680.0);
      EXPECT_EQ(text.substr(0, 8), "0.10.333") << text;
    }
  }
  std::setlocale(LC_ALL, restore.c_str());
}

}  // namespace
}  // namespace axle
