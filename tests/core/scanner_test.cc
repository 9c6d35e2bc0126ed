#include "axle/core/scanner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "axle/core/strings.h"

namespace axle {
namespace {

// The first line of an error, which holds position and reason.
std::string FirstLine(const Status& status) {
  return status.message().substr(0, status.message().find('\n'));
}

TEST(Scanner, SkipsSpaceAndBothKindsOfComments) {
  Scanner scanner(" \t\r\n// line { \n a /* block\n } */ b // end");
  EXPECT_EQ(scanner.Word(), "a");
  EXPECT_EQ(scanner.Word(), "b");
  EXPECT_TRUE(scanner.AtEnd());
}

TEST(Scanner, FormFeedIsNotSpace) {
  Scanner scanner("\fa");
  EXPECT_EQ(scanner.Word(), "");
  EXPECT_FALSE(scanner.AtEnd());
}

TEST(Scanner, WordsHoldDotsAndHyphensButNoArrow) {
  Scanner scanner("all-reduce.12 %x.1->y a- b-> _c 1d");
  EXPECT_EQ(scanner.Word(), "all-reduce.12");
  EXPECT_EQ(scanner.Word(), "x.1");
  EXPECT_TRUE(scanner.Consume("->"));
  EXPECT_EQ(scanner.Word(), "y");
  EXPECT_EQ(scanner.Word(), "a-");
  EXPECT_EQ(scanner.Word(), "b");
  EXPECT_TRUE(scanner.Consume("->"));
  EXPECT_EQ(scanner.PeekWord(), "_c");
  EXPECT_FALSE(scanner.ConsumeWord("_"));
  EXPECT_TRUE(scanner.ConsumeWord("_c"));
  EXPECT_EQ(scanner.Word(), "");
}

TEST(Scanner, ColonBehindANameIsAToken) {
  Scanner scanner("p0: f32[2]");
  EXPECT_EQ(scanner.Word(), "p0");
  EXPECT_TRUE(scanner.PeekAdjacent(":"));
  EXPECT_TRUE(scanner.Consume(":"));
  EXPECT_EQ(scanner.Word(), "f32");
}

TEST(Scanner, AttributeNameNeedsItsEqualsSign) {
  Scanner scanner("dims={1} x = y %z=1");
  EXPECT_EQ(scanner.AttributeName(), "dims");
  EXPECT_EQ(scanner.SkipValue(), "{1}");
  EXPECT_EQ(scanner.AttributeName(), "");
  EXPECT_EQ(scanner.Word(), "x");
  EXPECT_TRUE(scanner.Consume("="));
  EXPECT_EQ(scanner.Word(), "y");
  EXPECT_EQ(scanner.AttributeName(), "");
  EXPECT_EQ(scanner.Word(), "z");
}

TEST(Scanner, NumberTokensEndWhereTheNumberEnds) {
  const struct {
    std::string_view text, token;
  } kCases[] = {
      {"1", "1"},
      {"-2,", "-2"},
      {"5.}", "5."},
      {"-.5e3", "-.5e3"},
      {"1e-5x", "1e-5"},
      {"1e+", "1"},
      {"1E5", "1E5"},
      {"1.5.2", "1.5"},
      {".5", ""},
      {"-", ""},
      {"-.", ""},
      {"+1", ""},
      {"inf", "inf"},
      {"-inf)", "-inf"},
      {"nan", "nan"},
      {"-nan", "-nan"},
      {"nan(0x7f)", "nan(0x7f)"},
      {"nan(0x)", "nan"},
      {"nan(1)", "nan"},
      {"info", ""},
      {"nan.1", ""},
      {"x1", ""},
      {"3x3", "3"},
      {"0_0", "0"},
  };
  for (const auto& test : kCases) {
    Scanner scanner(test.text);
    EXPECT_EQ(scanner.NumberToken(), test.token) << test.text;
    EXPECT_EQ(scanner.remaining(), static_cast<i64>(test.text.size() - test.token.size()));
  }
}

TEST(Scanner, NumbersRoundOnceAndLeaveTheRangeToInfinityOrZero) {
  EXPECT_EQ(*Scanner("0.1").Number(), 0.1f);
  EXPECT_EQ(*Scanner("1e-05").Double(), 1e-5);
  // Half way between two floats and a bit more: through f64 it would round to even.
  EXPECT_EQ(*Scanner("1.000000059604644775390625000000001").Number(), 1.00000012f);
  EXPECT_EQ(*Scanner("1e400").Double(), HUGE_VAL);
  EXPECT_EQ(*Scanner("-1e400").Double(), -HUGE_VAL);
  EXPECT_EQ(*Scanner("1e-400").Double(), 0.0);
  EXPECT_TRUE(std::signbit(*Scanner("-1e-400").Double()));
  EXPECT_EQ(*Scanner("1e99999999999999999999").Number(), HUGE_VALF);
  EXPECT_EQ(*Scanner("0e99999999999999999999").Number(), 0.0f);
  EXPECT_TRUE(std::isnan(*Scanner("nan").Number()));
  EXPECT_EQ(*Scanner("-inf").Number(), -HUGE_VALF);
}

TEST(Scanner, StringsTakeBothQuotesAndCEscapes) {
  Scanner scanner(R"("do \"it\"\n" 'a "b"' "\101\x41\\\t\0" "two
lines")");
  EXPECT_EQ(*scanner.String(), "do \"it\"\n");
  EXPECT_TRUE(scanner.PeekString());
  EXPECT_EQ(*scanner.String(), "a \"b\"");
  EXPECT_EQ(*scanner.String(), std::string("AA\\\t\0", 5));
  EXPECT_EQ(*scanner.String(), "two\nlines");
  EXPECT_FALSE(scanner.PeekString());
}

TEST(Scanner, BracesAreKeptAsWritten) {
  Scanner scanner(R"( {"a": {"}": "\"}"}, "n":[1]}  x)");
  EXPECT_EQ(*scanner.Braces(), R"({"a": {"}": "\"}"}, "n":[1]})");
  EXPECT_EQ(scanner.Word(), "x");
}

TEST(Scanner, SkipValueStopsOutsideOfBracketsAndStrings) {
  Scanner scanner(R"({a, {b c}} [1,2]<=[2]T(1,0) "x, y" f{'}'} end))");
  EXPECT_EQ(scanner.SkipValue(), "{a, {b c}}");
  EXPECT_EQ(scanner.SkipValue(), "[1,2]<=[2]T(1,0)");
  EXPECT_EQ(scanner.SkipValue(), "\"x, y\"");
  EXPECT_EQ(scanner.SkipValue(), "f{'}'}");
  EXPECT_EQ(scanner.SkipValue(), "end");
  EXPECT_EQ(scanner.SkipValue(), "");
  EXPECT_TRUE(scanner.Consume(")"));
}

TEST(Scanner, ReadsDimLabelsSizesAndPads) {
  EXPECT_EQ(*Scanner("b01f_01io->b01f, x").DimLabels(), "b01f_01io->b01f");
  EXPECT_EQ(*Scanner("bf_io->bf").DimLabels(), "bf_io->bf");
  EXPECT_EQ(*Scanner("?01bf_0i1o->b?01f").DimLabels(), "?01bf_0i1o->b?01f");
  EXPECT_EQ(*Scanner("3x4x5 x").JoinedSizes(), (std::vector<i64>{3, 4, 5}));
  EXPECT_EQ(*Scanner("7").JoinedSizes(), (std::vector<i64>{7}));
  EXPECT_EQ(*Scanner("0_0x1_-1x-1_2_3").JoinedPads(),
            (std::vector<std::vector<i64>>{{0, 0}, {1, -1}, {-1, 2, 3}}));
}

TEST(Scanner, ListTakesOptionalCommas) {
  Scanner scanner("{1, 2 3,4}");
  std::vector<i64> values;
  ASSERT_TRUE(scanner
                  .List("{", "}",
                        [&]() -> Status {
                          AXLE_ASSIGN(const i64 value, scanner.Integer());
                          values.push_back(value);
                          return {};
                        })
                  .ok());
  EXPECT_EQ(values, (std::vector<i64>{1, 2, 3, 4}));
}

TEST(Scanner, IntegersFillTheirRange) {
  EXPECT_EQ(*Scanner("9223372036854775807").Integer(), INT64_MAX);
  EXPECT_EQ(*Scanner("-9223372036854775808").Integer(), INT64_MIN);
  EXPECT_EQ(*Scanner("18446744073709551615").IntegerBits(), -1);
  EXPECT_EQ(*Scanner("-1").IntegerBits(), -1);
}

TEST(Scanner, RewindReadsAgain) {
  Scanner scanner("a b c");
  EXPECT_EQ(scanner.Word(), "a");
  const size_t here = scanner.position();
  EXPECT_EQ(scanner.Word(), "b");
  scanner.Rewind(here);
  EXPECT_EQ(scanner.Word(), "b");
  EXPECT_EQ(scanner.Slice(here, scanner.position()), " b");
}

// Each way in which reading fails, with its whole first line.
TEST(Scanner, ErrorsNamePositionAndReason) {
  using Read = std::function<Status(Scanner&)>;
  const struct {
    std::string_view text;
    Read read;
    std::string_view error;
  } kCases[] = {
      {"  [", [](Scanner& s) { return s.Expect("("); }, "hlo text 1:3: expected '('"},
      {"a\n  ", [](Scanner& s) { return s.Word(), s.Expect("("); },
       "hlo text 1:2: expected '(' before the end of the text"},
      {"", [](Scanner& s) { return s.Expect("("); },
       "hlo text 1:1: expected '(' before the end of the text"},
      {"\n\n x", [](Scanner& s) { return s.Integer().status(); },
       "hlo text 3:2: expected an integer"},
      {"9223372036854775808", [](Scanner& s) { return s.Integer().status(); },
       "hlo text 1:1: integer does not fit into 64 bits"},
      {"-9223372036854775809", [](Scanner& s) { return s.IntegerBits().status(); },
       "hlo text 1:1: integer does not fit into 64 bits"},
      {"18446744073709551616", [](Scanner& s) { return s.IntegerBits().status(); },
       "hlo text 1:1: integer does not fit into 64 bits"},
      {"{", [](Scanner& s) { return s.Name("a computation").status(); },
       "hlo text 1:1: expected a computation"},
      {"yes", [](Scanner& s) { return s.Bool().status(); }, "hlo text 1:1: expected true or false"},
      {".5", [](Scanner& s) { return s.Number().status(); }, "hlo text 1:1: expected a number"},
      {"x", [](Scanner& s) { return s.String().status(); },
       "hlo text 1:1: expected a string in quotation marks"},
      {" \"abc", [](Scanner& s) { return s.String().status(); },
       "hlo text 1:2: unterminated string"},
      {"'abc\\'", [](Scanner& s) { return s.String().status(); },
       "hlo text 1:1: unterminated string"},
      {"\"\\q\"", [](Scanner& s) { return s.String().status(); },
       "hlo text 1:1: unknown escape \\q in a string"},
      {"\"\\x\"", [](Scanner& s) { return s.String().status(); },
       "hlo text 1:1: \\x without hexadecimal digits in a string"},
      {"\"\\777\"", [](Scanner& s) { return s.String().status(); },
       "hlo text 1:1: escape of more than one byte in a string"},
      {"{ {} ", [](Scanner& s) { return s.Braces().status(); },
       "hlo text 1:1: '{' without its '}'"},
      {"{ \"}", [](Scanner& s) { return s.Braces().status(); },
       "hlo text 1:1: unterminated string between braces"},
      {"a /* b", [](Scanner& s) { return s.Word(), s.Expect("="); },
       "hlo text 1:3: comment without its '*/'"},
      {"b01f_01io", [](Scanner& s) { return s.DimLabels().status(); },
       "hlo text 1:1: expected dimension labels like b01f_01io->b01f"},
      {"0x1_1", [](Scanner& s) { return s.JoinedPads().status(); },
       "hlo text 1:1: expected two or three numbers joined by '_'"},
  };
  for (const auto& test : kCases) {
    Scanner scanner(test.text);
    EXPECT_EQ(FirstLine(test.read(scanner)), test.error) << test.text;
  }
}

TEST(Scanner, NulByteIsNamed) {
  const std::string text("ab\0cd", 5);
  Scanner scanner(text);
  EXPECT_EQ(scanner.Word(), "ab");
  EXPECT_FALSE(scanner.AtEnd());
  EXPECT_EQ(scanner.Expect("=").message(), "hlo text 1:3: NUL byte\nab?cd\n  ^");
}

TEST(Scanner, CaretStandsUnderTheToken) {
  Scanner scanner("one\n\ttwo = three!\r\nfour", "my file");
  while (!scanner.Peek("!")) scanner.Consume("=") ? void() : void(scanner.Word());
  EXPECT_EQ(scanner.Error("stop").message(), "my file 2:13: stop\n\ttwo = three!\n\t           ^");
}

TEST(Scanner, CaretCountsCharactersOfUtf8NotBytes) {
  Scanner scanner("/* \xc3\xa4\xc3\xb6 */ !");
  EXPECT_EQ(scanner.Expect("x").message(),
            "hlo text 1:12: expected 'x'\n/* \xc3\xa4\xc3\xb6 */ !\n         ^");
}

TEST(Scanner, BytesThatAreNotTextAreShownAsQuestionMarks) {
  Scanner scanner("/*\xff\x1b[2J*/ !");
  EXPECT_EQ(scanner.Expect("x").message(), "hlo text 1:11: expected 'x'\n/*??[2J*/ !\n          ^");
}

TEST(Scanner, LongLinesAreCutAroundTheCaret) {
  const std::string text = std::string(1000, 'a') + " ! " + std::string(1000, 'b');
  Scanner scanner(text);
  scanner.Word();
  const std::string message = scanner.Expect("x").message();
  EXPECT_EQ(message, "hlo text 1:1002: expected 'x'\n..." + std::string(59, 'a') + " ! " +
                         std::string(58, 'b') + "...\n" + std::string(63, ' ') + "^");
}

TEST(Scanner, NestingIsLimited) {
  const std::string text(1000000, '{');
  Scanner scanner(text);
  std::function<Status()> read = [&] { return scanner.List("{", "}", read); };
  EXPECT_EQ(FirstLine(read()), "hlo text 1:129: nested too deeply");
}

TEST(Scanner, MillionsOfTokensTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 1000000; ++i) text += "/**/x ";
  Scanner scanner(text);
  i64 words = 0;
  while (!scanner.Word().empty()) ++words;
  EXPECT_EQ(words, 1000000);
}

TEST(Scanner, ElidedBytesOfOneTextAreLimited) {
  Scanner scanner("x");
  EXPECT_TRUE(scanner.ChargeElided(Scanner::kMaxElidedBytes - 1).ok());
  EXPECT_TRUE(scanner.ChargeElided(1).ok());
  const Status status = scanner.ChargeElided(1);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(FirstLine(status), "hlo text 1:1: elided constants of more than 256 MiB");
}

}  // namespace
}  // namespace axle
