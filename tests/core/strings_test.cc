#include "axle/core/strings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace axle {
namespace {

TEST(Strings, StrCatTakesTextNumbersAndBools) {
  EXPECT_EQ(StrCat("a", std::string("b"), std::string_view("c"), 'd', -1, 2u, true, 0.1, 0.1f),
            "abcd-12true0.10.1");
  EXPECT_EQ(StrCat(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(StrCat(1e30, " ", -HUGE_VAL, " ", std::nan("")), "1e+30 -inf nan");
}

TEST(Strings, JoinPutsTheSeparatorBetween) {
  EXPECT_EQ(Join(std::vector<int>{}, ","), "");
  EXPECT_EQ(Join(std::vector<int>{1, 2, 3}, ", "), "1, 2, 3");
  EXPECT_EQ(Join(std::vector<int>{1, 2}, "x", [](int i) { return StrCat("<", i, ">"); }),
            "<1>x<2>");
}

TEST(Strings, ClosestMatchFindsTypingErrorsOnly) {
  constexpr std::string_view kNames[] = {"dimensions", "dynamic_slice_sizes", "f32", "f16", "s8"};
  EXPECT_EQ(ClosestMatch("dimension", kNames), "dimensions");
  EXPECT_EQ(ClosestMatch("f23", kNames), "f32");
  EXPECT_EQ(ClosestMatch("dynamic-slice-sizes", kNames), "dynamic_slice_sizes");
  EXPECT_EQ(ClosestMatch("banana", kNames), std::nullopt);
  EXPECT_EQ(ClosestMatch("q", kNames), std::nullopt);
  EXPECT_EQ(ClosestMatch("", kNames), std::nullopt);
  EXPECT_EQ(ClosestMatch(std::string(1000000, 'x'), kNames), std::nullopt);
  EXPECT_EQ(DidYouMean("f23", kNames), " (did you mean \"f32\"?)");
  EXPECT_EQ(DidYouMean("banana", kNames), "");
}

TEST(Strings, HumanBytesRoundsDown) {
  EXPECT_EQ(HumanBytes(0), "0 B");
  EXPECT_EQ(HumanBytes(1023), "1023 B");
  EXPECT_EQ(HumanBytes(1024), "1 KiB");
  EXPECT_EQ(HumanBytes(1536), "1.5 KiB");
  EXPECT_EQ(HumanBytes(2047), "1.9 KiB");
  EXPECT_EQ(HumanBytes(std::int64_t{3} << 30), "3 GiB");
  EXPECT_EQ(HumanBytes(std::numeric_limits<std::int64_t>::max()), "7.9 EiB");
}

TEST(Strings, CEscapeRoundTripsEveryByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  const std::string escaped = CEscape(all);
  for (char c : escaped) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
  EXPECT_EQ(*CUnescape(escaped), all);
  EXPECT_EQ(CEscape("a\"b'c\\d\n\r\t\x01\xff"), R"(a\"b\'c\\d\n\r\t\001\377)");
}

TEST(Strings, CUnescapeTakesShortOctalsAndHex) {
  EXPECT_EQ(*CUnescape(R"(\0)"), std::string(1, '\0'));
  EXPECT_EQ(*CUnescape(R"(\1019)"), "A9");
  EXPECT_EQ(*CUnescape(R"(\x41g)"), "Ag");
  EXPECT_EQ(*CUnescape(R"(\a\b\f\v\?)"), "\a\b\f\v?");
  EXPECT_EQ(CUnescape("\\").status().message(), "string ends in a backslash");
  EXPECT_EQ(CUnescape(R"(\x100)").status().message(), "escape of more than one byte in a string");
}

TEST(Strings, PrintableTextKeepsUtf8AndTabs) {
  EXPECT_EQ(PrintableText("a\tb\n\x1b\x7f"), "a\tb???");
  EXPECT_EQ(PrintableText("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  // Overlong forms, surrogates, lone continuations and cut sequences are no UTF-8.
  EXPECT_EQ(PrintableText("\xc0\x80"), "??");
  EXPECT_EQ(PrintableText("\xed\xa0\x80"), "???");
  EXPECT_EQ(PrintableText("\xf4\x90\x80\x80"), "????");
  EXPECT_EQ(PrintableText("x\x80y\xe2\x82"), "x?y??");
}

TEST(Strings, LowerCaseChangesAsciiOnly) {
  EXPECT_EQ(LowerCase("AbZ_9\xc3\x84"), "abz_9\xc3\x84");
}

}  // namespace
}  // namespace axle
