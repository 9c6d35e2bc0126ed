// Conversions against an implementation of its own: formats decoded from their definition into long
// double (which holds every value of every type here), targets found by search among all patterns.
#include "axle/core/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <vector>

#include "axle/core/float_format.h"
#include "axle/core/strings.h"
#include "tests/paths.h"

namespace axle {
namespace {

using Real = long double;

// The float formats once more, from their published definitions: bits of exponent and mantissa,
// bias, and which patterns are special.
enum class Special { kIeee, kOnlyAllOnesIsNan, kOnlyMinusZeroIsNan, kNothing };
struct Format {
  ElementType type;
  int exponent, mantissa, bias;
  Special special;
};
constexpr Format kFormats[] = {
    {F16, 5, 10, 15, Special::kIeee},
    {BF16, 8, 7, 127, Special::kIeee},
    {F8E5M2, 5, 2, 15, Special::kIeee},
    {F8E4M3, 4, 3, 7, Special::kIeee},
    {F8E3M4, 3, 4, 3, Special::kIeee},
    {F8E4M3FN, 4, 3, 7, Special::kOnlyAllOnesIsNan},
    {F8E4M3B11FNUZ, 4, 3, 11, Special::kOnlyMinusZeroIsNan},
    {F8E5M2FNUZ, 5, 2, 16, Special::kOnlyMinusZeroIsNan},
    {F8E4M3FNUZ, 4, 3, 8, Special::kOnlyMinusZeroIsNan},
    {F4E2M1FN, 2, 1, 1, Special::kNothing},
    {F6E3M2FN, 3, 2, 3, Special::kNothing},
    {F6E2M3FN, 2, 3, 1, Special::kNothing},
};

const Format* FormatOf(ElementType type) {
  for (const Format& format : kFormats) {
    if (format.type == type) return &format;
  }
  return nullptr;
}

int WidthOf(const Format& f) {
  return 1 + f.exponent + f.mantissa;
}

Real Decode(const Format& f, unsigned pattern) {
  const int sign = (pattern >> (f.exponent + f.mantissa)) & 1;
  const int exponent = (pattern >> f.mantissa) & ((1 << f.exponent) - 1);
  const int mantissa = pattern & ((1 << f.mantissa) - 1);
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const int top = (1 << f.exponent) - 1;
  if (f.special == Special::kIeee && exponent == top) {
    if (mantissa != 0) return nan;
    return (sign ? -1 : 1) * std::numeric_limits<Real>::infinity();
  }
  if (f.special == Special::kOnlyAllOnesIsNan && exponent == top &&
      mantissa == (1 << f.mantissa) - 1) {
    return nan;
  }
  if (f.special == Special::kOnlyMinusZeroIsNan && sign == 1 && exponent == 0 && mantissa == 0) {
    return nan;
  }
  const Real magnitude = exponent == 0 ? std::ldexp(Real(mantissa), 1 - f.bias - f.mantissa)
                                       : std::ldexp(Real((1 << f.mantissa) + mantissa),
                                                    exponent - f.bias - f.mantissa);
  return sign ? -magnitude : magnitude;
}

// The finite magnitudes of a format in order; a magnitude's place in the list is its pattern.
const std::vector<Real>& Magnitudes(const Format& f) {
  static std::map<ElementType, std::vector<Real>> lists;
  std::vector<Real>& list = lists[f.type];
  if (list.empty()) {
    for (unsigned p = 0; p < (1u << (WidthOf(f) - 1)); ++p) {
      const Real value = Decode(f, p);
      if (std::isfinite(value)) list.push_back(value);
    }
  }
  return list;
}

// Nearest pattern, ties to the even one. Beyond the largest value the list goes on by one more
// step.
unsigned EncodeNearest(const Format& f, Real x) {
  const std::vector<Real>& list = Magnitudes(f);
  const bool negative = std::signbit(x);
  const unsigned sign = negative ? 1u << (WidthOf(f) - 1) : 0;
  const unsigned nan =
      f.special == Special::kIeee ? ((1u << f.exponent) - 1) << f.mantissa | 1u << (f.mantissa - 1)
      : f.special == Special::kOnlyAllOnesIsNan ? (1u << (f.exponent + f.mantissa)) - 1
                                                : 1u << (WidthOf(f) - 1);
  if (std::isnan(x)) return nan;
  const Real magnitude = std::abs(x);
  const Real last = list.back();
  const Real beyond = last + (last - list[list.size() - 2]);
  const auto largest = static_cast<unsigned>(list.size() - 1);
  const bool overflow =
      magnitude > (last + beyond) / 2 || (magnitude == (last + beyond) / 2 && largest % 2 == 1);
  if (overflow || (f.special == Special::kNothing && magnitude >= last)) {
    switch (f.special) {
      case Special::kIeee:
        return sign | ((1u << f.exponent) - 1) << f.mantissa;
      case Special::kNothing:
        return sign | largest;
      default:
        return nan | sign;
    }
  }
  if (magnitude >= last) return sign | largest;
  const auto above =
      static_cast<unsigned>(std::upper_bound(list.begin(), list.end(), magnitude) - list.begin());
  const unsigned below = above - 1;
  const Real to_below = magnitude - list[below];
  const Real to_above = list[above] - magnitude;
  unsigned nearest = to_below < to_above ? below : to_above < to_below ? above : (below & ~1u);
  if (to_below == to_above && below % 2 == 1) nearest = above;
  if (nearest == 0 && f.special == Special::kOnlyMinusZeroIsNan) return 0;
  return sign | nearest;
}

unsigned EncodePowerOfTwo(Real x) {
  if (!(x > 0) || x >= 1.5L * std::ldexp(1.0L, 127)) return 0xff;
  for (int exponent = -127; exponent <= 127; ++exponent) {
    if (x < 1.5L * std::ldexp(1.0L, exponent)) return static_cast<unsigned>(exponent + 127);
  }
  return 0xff;
}

// A value of any type: its real part, and its imaginary part if it has one.
struct Value {
  Real real;
  Real imag = 0;
};

template <typename T>
T Load(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

Value ReadElement(ElementType type, const std::byte* p) {
  switch (type) {
    case PRED:
    case U1:
    case U2:
    case U4:
    case U8:
      return {Real(Load<std::uint8_t>(p))};
    case S1:
    case S2:
    case S4:
    case S8:
      return {Real(Load<std::int8_t>(p))};
    case S16:
      return {Real(Load<std::int16_t>(p))};
    case S32:
      return {Real(Load<std::int32_t>(p))};
    case S64:
      return {Real(Load<std::int64_t>(p))};
    case U16:
      return {Real(Load<std::uint16_t>(p))};
    case U32:
      return {Real(Load<std::uint32_t>(p))};
    case U64:
      return {Real(Load<std::uint64_t>(p))};
    case F32:
      return {Real(Load<float>(p))};
    case F64:
      return {Real(Load<double>(p))};
    case C64:
      return {Real(Load<float>(p)), Real(Load<float>(p + 4))};
    case C128:
      return {Real(Load<double>(p)), Real(Load<double>(p + 8))};
    case F8E8M0FNU: {
      const int exponent = Load<std::uint8_t>(p);
      if (exponent == 255) return {std::numeric_limits<Real>::quiet_NaN()};
      return {std::ldexp(1.0L, exponent - 127)};
    }
    default:
      break;
  }
  const Format* format = FormatOf(type);
  return {Decode(*format, WidthOf(*format) == 16 ? Load<std::uint16_t>(p) : Load<std::uint8_t>(p))};
}

bool IsFloatLike(ElementType type) {
  return IsFloating(type) || IsComplex(type);
}

// The integer of the target type, as 64 bits in two's complement.
std::uint64_t ToInteger(ElementType from, ElementType to, Real x) {
  const int bits = Info(to).bits;
  const bool is_signed = IsSigned(to);
  const Real lowest = is_signed ? -std::ldexp(1.0L, bits - 1) : 0.0L;
  const Real highest = std::ldexp(1.0L, is_signed ? bits - 1 : bits) - 1;
  if (IsFloatLike(from)) {
    if (std::isnan(x)) return 0;
    const Real cut = std::clamp(std::trunc(x), lowest, highest);
    return cut < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(cut))
                   : static_cast<std::uint64_t>(cut);
  }
  // Modulo 2^bits into the target's range.
  std::uint64_t value = x < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x))
                              : static_cast<std::uint64_t>(x);
  if (bits < 64) value %= std::uint64_t{1} << bits;
  if (is_signed && bits < 64 && value >> (bits - 1) != 0) value -= std::uint64_t{1} << bits;
  return value;
}

bool SameFloat(Real expected, Real actual) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  return expected == actual && std::signbit(expected) == std::signbit(actual);
}

// The element that a conversion should give, compared with the one it gave; "" if they agree.
std::string Check(ElementType from, const std::byte* source, ElementType to,
                  const std::byte* target) {
  const Value x = ReadElement(from, source);
  const Value y = ReadElement(to, target);
  bool same = true;
  Real expected = 0;
  if (to == PRED) {
    expected = x.real != 0 || std::isnan(x.real) ? 1 : 0;
    same = y.real == expected && Load<std::uint8_t>(target) <= 1;
  } else if (IsIntegral(to)) {
    const std::uint64_t value = ToInteger(from, to, x.real);
    expected = IsSigned(to) ? Real(static_cast<std::int64_t>(value)) : Real(value);
    same = y.real == expected;
  } else if (to == F32 || to == C64) {
    expected = static_cast<float>(x.real);
    same =
        SameFloat(expected, y.real) && (to == F32 || SameFloat(static_cast<float>(x.imag), y.imag));
  } else if (to == F64 || to == C128) {
    expected = static_cast<double>(x.real);
    same = SameFloat(expected, y.real) &&
           (to == F64 || SameFloat(static_cast<double>(x.imag), y.imag));
  } else if (to == F8E8M0FNU) {
    const unsigned pattern = EncodePowerOfTwo(x.real);
    expected = pattern;
    same = Load<std::uint8_t>(target) == pattern;
  } else {
    const Format& format = *FormatOf(to);
    const unsigned actual =
        WidthOf(format) == 16 ? Load<std::uint16_t>(target) : Load<std::uint8_t>(target);
    const unsigned pattern = EncodeNearest(format, x.real);
    expected = Decode(format, pattern);
    same = std::isnan(expected) ? std::isnan(Decode(format, actual)) : actual == pattern;
    if (std::isnan(x.real) && format.special == Special::kNothing) same = true;  // unspecified
  }
  if (same) return "";
  return StrCat(Name(from), " ", ElementToString(from, source), " to ", Name(to), " gave ",
                ElementToString(to, target), ", expected ", std::to_string(expected));
}

std::vector<ElementType> ArrayTypes() {
  std::vector<ElementType> types;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (IsArrayType(info.type)) types.push_back(info.type);
  }
  return types;
}

void CheckAll(ElementType from, const std::byte* source, i64 n) {
  const i64 from_bytes = Info(from).bytes;
  for (ElementType to : ArrayTypes()) {
    const i64 to_bytes = Info(to).bytes;
    std::vector<std::byte> target(n * to_bytes);
    ConvertElements(from, source, to, target.data(), n);
    int failures = 0;
    for (i64 i = 0; i < n && failures < 5; ++i) {
      if (from == to) continue;
      const std::string error =
          Check(from, source + i * from_bytes, to, target.data() + i * to_bytes);
      if (!error.empty()) {
        ADD_FAILURE() << error;
        ++failures;
      }
    }
    if (from == to) {
      EXPECT_EQ(0, std::memcmp(source, target.data(), n * from_bytes));
    }
  }
}

template <typename T>
void CheckAll(ElementType from, const std::vector<T>& values) {
  CheckAll(from, reinterpret_cast<const std::byte*>(values.data()),
           static_cast<i64>(values.size()));
}

// Every value of a type of at most 16 bits.
class EveryPattern : public testing::TestWithParam<ElementType> {};

TEST_P(EveryPattern, ConvertsToEveryType) {
  const ElementType type = GetParam();
  const int bits = type == PRED ? 1 : Info(type).bits;
  std::vector<std::uint8_t> narrow;
  std::vector<std::uint16_t> wide;
  for (unsigned p = 0; p < (1u << bits); ++p) {
    wide.push_back(static_cast<std::uint16_t>(p));
    const int spare = 8 - std::min(bits, 8);
    narrow.push_back(static_cast<std::uint8_t>(
        IsSigned(type) ? static_cast<std::int8_t>(p << spare) >> spare : static_cast<int>(p)));
  }
  if (Info(type).bytes == 2) return CheckAll(type, wide);
  CheckAll(type, narrow);
}

std::vector<ElementType> NarrowTypes() {
  std::vector<ElementType> types = ArrayTypes();
  std::erase_if(types, [](ElementType type) { return Info(type).bits > 16; });
  return types;
}

INSTANTIATE_TEST_SUITE_P(Convert, EveryPattern, testing::ValuesIn(NarrowTypes()),
                         [](const auto& info) { return std::string(Name(info.param)); });

// Where rounding decides: every value of every narrow format, the midpoints between neighbours, and
// what lies just beside them.
std::vector<double> RoundingBoundaries() {
  std::vector<double> values;
  for (const Format& format : kFormats) {
    const std::vector<Real>& list = Magnitudes(format);
    const size_t step = std::max<size_t>(list.size() / 2048, 1);
    for (size_t i = 0; i < list.size(); ++i) {
      if (i % step != 0 && i > 64 && i + 64 < list.size()) continue;
      const Real next = i + 1 < list.size() ? list[i + 1] : list[i] + (list[i] - list[i - 1]);
      for (Real boundary : {list[i], (list[i] + next) / 2}) {
        const auto x = static_cast<double>(boundary);
        for (double y : {x, std::nextafter(x, 1e308), std::nextafter(x, -1e308)}) {
          values.push_back(y);
          values.push_back(-y);
        }
      }
    }
  }
  for (int exponent = -130; exponent <= 128; ++exponent) {
    for (double mantissa : {1.0, 1.25, 1.5, std::nextafter(1.5, 0.0), 1.75}) {
      values.push_back(std::ldexp(mantissa, exponent));
    }
  }
  for (double x :
       {0.0, -0.0, 0.5, 1.5, 2.5, 3e9, 9.3e18, 1.8446744073709552e19, 1e19, 1e39, 1e300, 5e-324,
        2.2250738585072014e-308, 1e-45, 0.99999999999999989, HUGE_VAL, std::nan("")}) {
    values.push_back(x);
    values.push_back(-x);
  }
  for (int bits : {1, 2, 4, 7, 8, 15, 16, 31, 32, 63, 64}) {
    const double power = std::ldexp(1.0, bits);
    for (double x : {power, power - 1, power - 0.5, power + 1, power + 0.5,
                     std::nextafter(power, 0.0), std::nextafter(power, 1e308)}) {
      values.push_back(x);
      values.push_back(-x);
    }
  }
  return values;
}

TEST(Convert, F64RoundsOnceAtEveryBoundary) {
  std::vector<double> values = RoundingBoundaries();
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) values.push_back(std::bit_cast<double>(random()));
  CheckAll(F64, values);
}

TEST(Convert, F32RoundsOnceAtEveryBoundary) {
  std::vector<float> values;
  for (double x : RoundingBoundaries()) {
    const auto y = static_cast<float>(x);
    for (float z : {y, std::nextafter(y, 1e38f), std::nextafter(y, -1e38f)}) values.push_back(z);
  }
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i)
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  CheckAll(F32, values);
}

TEST(Convert, ComplexGivesItsRealPartOrBothParts) {
  std::vector<std::complex<double>> values;
  std::vector<std::complex<float>> singles;
  for (double x : {0.0, -0.0, 1.5, -2.5, 1e300, 70000.0, HUGE_VAL, std::nan("")}) {
    for (double y : {0.0, -0.0, 3.25, 1e-300, std::nan("")}) {
      values.emplace_back(x, y);
      singles.emplace_back(static_cast<float>(x), static_cast<float>(y));
    }
  }
  CheckAll(C128, values);
  CheckAll(C64, singles);
}

template <typename T>
std::vector<T> IntegerBoundaries() {
  std::vector<T> values = {T{0}, T{1}, T{2}, std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::min()};
  std::mt19937_64 random(3);
  for (int bit = 0; bit < std::numeric_limits<T>::digits; ++bit) {
    const T power = T{1} << bit;
    for (int other = 0; other < bit; ++other) {
      // Halves of every format, and one more or less far below.
      const T half = power + (T{1} << other);
      for (T x : {half, static_cast<T>(half - 1), static_cast<T>(half + 1)}) {
        values.push_back(x);
        if (std::is_signed_v<T>) values.push_back(static_cast<T>(0 - x));
      }
    }
    values.push_back(static_cast<T>(random()));
  }
  return values;
}

TEST(Convert, WideIntegersRoundOnceToEveryFloat) {
  CheckAll(S64, IntegerBoundaries<std::int64_t>());
  CheckAll(U64, IntegerBoundaries<std::uint64_t>());
  CheckAll(S32, IntegerBoundaries<std::int32_t>());
  CheckAll(U32, IntegerBoundaries<std::uint32_t>());
}

TEST(Convert, IntegerBeyond53BitsDoesNotRoundTwice) {
  // 2^60 + 2^52 is half way between two bf16 values; one more decides upwards.
  const std::int64_t above_half = (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
  bfloat16 result;
  ConvertElements(S64, &above_half, BF16, &result, 1);
  EXPECT_EQ(ElementToString(BF16, &result), "1.162e+18");
  const std::int64_t half = above_half - 1;
  ConvertElements(S64, &half, BF16, &result, 1);
  EXPECT_EQ(ElementToString(BF16, &result), "1.153e+18");
}

TEST(Convert, AnyPredByteThatIsNotZeroIsTrue) {
  const std::uint8_t bytes[] = {0, 1, 2, 255};
  std::int32_t result[4];
  ConvertElements(PRED, bytes, S32, result, 4);
  EXPECT_EQ(std::vector<std::int32_t>(result, result + 4), (std::vector<std::int32_t>{0, 1, 1, 1}));
}

TEST(Convert, LiteralKeepsDimensionsAndLayout) {
  const auto literal = ParseLiteral("f32[2,3] {{1.5, 2.5, -3.5}, {4, 5, 300}}");
  ASSERT_TRUE(literal.ok());
  Layout column_major;
  column_major.minor_to_major = {0, 1};
  const auto result = Convert(literal->Relayout(column_major), S8);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->shape().ToStringWithLayout(), "s8[2,3]{0,1}");
  EXPECT_EQ(result->ToString(), "{ { 1, 2, -3 }, { 4, 5, 127 } }");
}

TEST(Convert, RefusesWhatIsNotAnArray) {
  EXPECT_EQ(Convert(Literal(), F32).status().message(),
            "convert: () to f32 is not a conversion between arrays");
  EXPECT_EQ(Convert(Literal(Shape(F32)), TOKEN).status().message(),
            "convert: f32[] to token is not a conversion between arrays");
}

// One element of a test vector: a number, "inf", "-inf", "nan" or "nan:0x<bits>".
void StorePart(ElementType type, const nlohmann::json& json, std::byte* out) {
  const ElementTypeInfo& info = Info(type);
  if (!IsFloating(type)) {
    const std::uint64_t bits = json.is_number_unsigned()
                                   ? json.get<std::uint64_t>()
                                   : static_cast<std::uint64_t>(json.get<std::int64_t>());
    std::memcpy(out, &bits, info.bytes);
    return;
  }
  std::uint64_t bits = NanBits(info.format);
  if (json.is_number()) {
    bits = RoundF64To(info.format, json.get<double>());
  } else if (const auto text = json.get<std::string>(); text.find("inf") != text.npos) {
    bits = InfinityBits(info.format) | (text[0] == '-' ? SignBit(info.format) : 0);
  } else if (text.starts_with("nan:")) {
    bits = std::stoull(text.substr(4), nullptr, 16);
  }
  std::memcpy(out, &bits, info.bytes);
}

Literal ReadVector(const nlohmann::json& json) {
  Literal literal(*ParseShape(json["shape"].get<std::string>()));
  const ElementType type = literal.shape().type();
  const i64 part_bytes = Info(PartOf(type)).bytes;
  std::byte* out = literal.mutable_bytes();
  for (const nlohmann::json& element : json["data"]) {
    StorePart(PartOf(type), IsComplex(type) ? element[0] : element, out);
    if (IsComplex(type)) StorePart(PartOf(type), element[1], out + part_bytes);
    out += Info(type).bytes;
  }
  return literal;
}

TEST(Convert, GivesTheReferenceVectors) {
  std::ifstream file(SourceFolder() / "tests/data/vectors/convert.json");
  ASSERT_TRUE(file);
  int checked = 0;
  for (const nlohmann::json& vector : nlohmann::json::parse(file)) {
    // Only the single conversions; a few vectors are larger modules.
    const auto hlo = vector["hlo"].get<std::string>();
    if (vector["inputs"].size() != 1 || hlo.find("ROOT r = ") == hlo.npos ||
        hlo.find("convert(a)\n}") == hlo.npos || hlo.find("parameter(0)\n  ROOT") == hlo.npos) {
      continue;
    }
    const Literal expected = ReadVector(vector["outputs"][0]);
    const auto result = Convert(ReadVector(vector["inputs"][0]), expected.shape().type());
    ASSERT_TRUE(result.ok());
    const auto difference = FirstDifference(*result, expected);
    EXPECT_FALSE(difference) << vector["name"] << ": " << difference->ToString();
    ++checked;
  }
  EXPECT_GT(checked, 300);
}

// A number as text of a type spells it; whole numbers without a point.
std::string Spelling(const Literal& number, ElementType type) {
  std::string text = number.ToString();
  if (number.shape().type() == F64 && IsIntegral(type)) {
    const auto value = number.data<double>()[0];
    if (std::trunc(value) == value && value >= -0x1p63 && value < 0x1p64) {
      text =
          value < 0 ? StrCat(static_cast<i64>(value)) : StrCat(static_cast<std::uint64_t>(value));
    }
  }
  return IsComplex(type) ? StrCat("(", text, ", 0)") : text;
}

TEST(ConvertNumber, TakesWhatTextOfTheTypeMaySpell) {
  std::vector<Literal> numbers;
  for (const double value : {0.0,
                             1.0,
                             -1.0,
                             2.0,
                             0.5,
                             -0.5,
                             1.5,
                             6.0,
                             6.5,
                             7.5,
                             8.0,
                             28.0,
                             29.0,
                             127.0,
                             127.5,
                             128.0,
                             -128.0,
                             -129.0,
                             255.0,
                             256.0,
                             448.0,
                             464.0,
                             465.0,
                             57344.0,
                             65519.0,
                             65520.0,
                             0x1p31,
                             0x1p32,
                             -0x1p31,
                             0x1p53,
                             0x1p63,
                             -0x1p63,
                             0x1p64,
                             1e-50,
                             -1e-50,
                             5e-324,
                             3.4e38,
                             1e39,
                             -1e39,
                             1e308,
                             double{INFINITY},
                             -double{INFINITY},
                             double{NAN}}) {
    numbers.push_back(*Literal::Create(Shape(F64)));
    numbers.back().mutable_data<double>()[0] = value;
  }
  for (const i64 value : {i64{0}, i64{1}, i64{-1}, i64{3}, i64{-8}, i64{300}, i64{70000}, INT64_MAX,
                          INT64_MIN, i64{1} << 32}) {
    numbers.push_back(*Literal::Create(Shape(S64)));
    numbers.back().mutable_data<i64>()[0] = value;
  }
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1} << 63, UINT64_MAX}) {
    numbers.push_back(*Literal::Create(Shape(U64)));
    numbers.back().mutable_data<std::uint64_t>()[0] = value;
  }
  int taken = 0, refused = 0;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (!IsArrayType(info.type)) continue;
    for (const Literal& number : numbers) {
      const std::string text = StrCat(info.text, "[] ", Spelling(number, info.type));
      const StatusOr<Literal> converted = ConvertNumber(number, info.type);
      const StatusOr<Literal> read = ParseLiteral(text);
      ASSERT_EQ(converted.ok(), read.ok())
          << text << ": " << converted.status().ToString() << "; " << read.status().ToString();
      (converted.ok() ? taken : refused) += 1;
      if (!converted.ok()) {
        EXPECT_EQ(converted.status().code(), StatusCode::kInvalidArgument);
        continue;
      }
      EXPECT_EQ(converted->ToStringWithShape(), read->ToStringWithShape()) << text;
    }
  }
  EXPECT_GT(taken, 400);
  EXPECT_GT(refused, 400);
}

TEST(ConvertNumber, SaysWhatIsWrong) {
  const auto error = [](std::string_view number, ElementType type) {
    const StatusOr<Literal> converted = ConvertNumber(*ParseLiteral(number), type);
    return converted.ok() ? converted->ToStringWithShape() : converted.status().message();
  };
  EXPECT_EQ(error("s32[] 300", S8), "300 is out of the range of s8, -128 to 127");
  EXPECT_EQ(error("s64[] -1", U32), "-1 is out of the range of u32, 0 to 4294967295");
  EXPECT_EQ(error("u64[] 9223372036854775808", S64),
            "9223372036854775808 is out of the range of s64, -9223372036854775808 to "
            "9223372036854775807");
  EXPECT_EQ(error("f32[] 2147483648", S32),
            "2.14748365e+09 is out of the range of s32, -2147483648 to 2147483647");
  EXPECT_EQ(error("f64[] 0.5", S32), "0.5 is not an integer, as s32 needs");
  EXPECT_EQ(error("f64[] 3", S32), "s32[] 3");
  EXPECT_EQ(error("f64[] -0", U8), "u8[] 0");
  EXPECT_EQ(error("f32[] nan", U8), "nan is not an integer, as u8 needs");
  EXPECT_EQ(error("s32[] 2", PRED), "2 is neither true (1) nor false (0)");
  EXPECT_EQ(error("pred[] true", S1), "true is out of the range of s1, -1 to 0");
  EXPECT_EQ(error("s32[] 100000", F16), "100000 is out of the range of f16");
  EXPECT_EQ(error("f32[] inf", F8E4M3FN), "inf is out of the range of f8e4m3fn");
  EXPECT_EQ(error("f32[] nan", F4E2M1FN), "nan is not a value of f4e2m1fn");
  EXPECT_EQ(error("f64[] 1e300", C64), "1e+300 is out of the range of c64");
  EXPECT_EQ(error("c64[] (1, 0)", F32), "(1, 0) is complex, and f32 is not");
  EXPECT_EQ(error("c64[] (1, 2)", C128), "c128[] (1, 2)");
  EXPECT_EQ(error("s32[1] {2}", F32), "cannot make a scalar f32 of s32[1] {2}");
}

}  // namespace
}  // namespace axle
