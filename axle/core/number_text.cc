#include "axle/core/number_text.h"

#include <bit>
#include <charconv>
#include <limits>

#include "axle/core/float_environment.h"
#include "axle/core/float_format.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// A decimal number's digits without leading zeros, and the power of ten of the first one.
struct Decimal {
  std::string digits;  // empty: zero
  i64 exponent = 0;
};

Decimal ReadDecimal(std::string_view token) {
  Decimal decimal;
  if (token.starts_with('-')) token.remove_prefix(1);
  const size_t mark = std::min(token.find_first_of("eE"), token.size());
  bool point = false;
  for (char c : token.substr(0, mark)) {
    if (c == '.') {
      point = true;
      continue;
    }
    if (c == '0' && decimal.digits.empty()) {
      decimal.exponent -= point;
      continue;
    }
    decimal.digits += c;
    decimal.exponent += !point;
  }
  --decimal.exponent;  // the first digit stands for 10^0 in "1"
  if (mark == token.size()) return decimal;
  std::string_view exponent = token.substr(mark + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  i64 value = 0;
  const auto [end, error] =
      std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
  constexpr i64 kHuge = i64{1} << 60;
  if (error != std::errc() || value > kHuge || value < -kHuge) {
    value = exponent.starts_with('-') ? -kHuge : kHuge;
  }
  decimal.exponent += value;
  return decimal;
}

// The sign of |token| - value, exactly. `value` is finite and positive.
int CompareMagnitude(std::string_view token, double value) {
  // 767 significant digits hold every f64 exactly.
  char text[800];
  const auto [end, error] =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific, 766);
  Decimal a = ReadDecimal(token);
  Decimal b = ReadDecimal({text, static_cast<size_t>(end - text)});
  if (a.digits.empty()) return -1;
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  const size_t size = std::max(a.digits.size(), b.digits.size());
  a.digits.resize(size, '0');
  b.digits.resize(size, '0');
  return a.digits.compare(b.digits);
}

// The nearest T; what from_chars calls out of range becomes infinity or zero.
template <typename T>
T NearestNative(std::string_view token) {
  const ScopedFloatEnvironment environment;  // from_chars multiplies in the current mode
  T value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error == std::errc::result_out_of_range) {
    const Decimal decimal = ReadDecimal(token);
    value =
        decimal.digits.empty() || decimal.exponent < 0 ? T{0} : std::numeric_limits<T>::infinity();
    if (token.starts_with('-')) value = -value;
  }
  return value;
}

std::uint64_t Neighbour(std::uint64_t magnitude, int step) {
  return magnitude == 0 && step < 0 ? 0 : magnitude + step;
}

// The magnitude of a decimal number in a format narrower than f64, rounded once.
//
// The nearest f64 lies so close that it rounds to the same value, unless it is just where the
// format's rounding changes: then its two f64 neighbours round differently, and the exact decimal
// expansion says on which side the text is. The places where rounding changes are f64 values
// themselves, so there is never one strictly between the text's value and the chosen f64.
std::uint64_t NearestNarrow(const FloatFormat& format, std::string_view token) {
  const auto nearest =
      std::bit_cast<std::uint64_t>(NearestNative<double>(token)) & MagnitudeMask(kF64Format);
  if (nearest >= InfinityBits(kF64Format)) return OverflowBits(format) & MagnitudeMask(format);
  const auto round = [&](std::uint64_t f64) { return RoundToFormat(kF64Format, format, f64); };
  const std::uint64_t below = Neighbour(nearest, -1);
  const std::uint64_t above = Neighbour(nearest, +1);
  if (round(below) == round(above)) return round(nearest);
  if (nearest == 0) return round(ReadDecimal(token).digits.empty() ? nearest : above);
  const int side = CompareMagnitude(token, std::bit_cast<double>(nearest));
  return round(side < 0 ? below : side > 0 ? above : nearest);
}

StatusOr<std::uint64_t> ParseNan(const ElementTypeInfo& info, std::string_view token,
                                 bool negative) {
  const FloatFormat& format = info.format;
  const auto refuse = [&] {
    return InvalidArgument(StrCat(token, " is not a value of ", info.text));
  };
  if (!HasNan(format)) return refuse();
  std::uint64_t bits = NanBits(format);
  const size_t hex = token.find("0x");
  if (hex != token.npos) {
    std::uint64_t payload = 0;
    const auto [end, error] =
        std::from_chars(token.data() + hex + 2, token.data() + token.size(), payload, 16);
    if (error != std::errc() || payload == 0 || payload > LowBits(format.mantissa_bits) ||
        !HasInfinity(format)) {
      return refuse();
    }
    bits = InfinityBits(format) | payload;
  }
  return negative ? bits | SignBit(format) : bits;
}

}  // namespace

double ParseDouble(std::string_view token) {
  return NearestNative<double>(token);
}
float ParseSingle(std::string_view token) {
  return NearestNative<float>(token);
}

StatusOr<std::uint64_t> ParseFloat(const ElementTypeInfo& info, std::string_view token) {
  const FloatFormat& format = info.format;
  const bool negative = token.starts_with('-');
  const std::string_view magnitude = token.substr(negative ? 1 : 0);
  if (magnitude.starts_with("nan")) return ParseNan(info, token, negative);
  std::uint64_t bits = 0;
  bool fits = !negative || format.is_signed;
  if (magnitude == "inf") {
    bits = InfinityBits(format);
    fits = fits && HasInfinity(format);
  } else if (format == kF64Format) {
    bits = std::bit_cast<std::uint64_t>(NearestNative<double>(magnitude));
    fits = IsFiniteBits(format, bits);
  } else if (format == kF32Format) {
    bits = std::bit_cast<std::uint32_t>(NearestNative<float>(magnitude));
    fits = IsFiniteBits(format, bits);
  } else {
    bits = NearestNarrow(format, magnitude);
    fits = fits && bits < FirstNonFinite(format);
    // Where overflow saturates, only the comparison shows it.
    if (format.nan == NanEncoding::kNone && bits == MagnitudeMask(format)) {
      fits = CompareMagnitude(magnitude, WidenToF64(format, bits)) <= 0;
    }
  }
  if (!fits) return InvalidArgument(StrCat(token, " is out of the range of ", info.text));
  if (!negative || (bits == 0 && !HasNegativeZero(format))) return bits;
  return bits | SignBit(format);
}

void AppendFloat(const ElementTypeInfo& info, std::uint64_t bits, std::string& out) {
  const FloatFormat& format = info.format;
  const bool negative = format.is_signed && (bits & SignBit(format)) != 0;
  const std::uint64_t magnitude = bits & MagnitudeMask(format);
  if (negative) out += '-';
  if (IsNanBits(format, bits)) {
    out += "nan";
    if (!HasInfinity(format)) return;  // no payload
    if (magnitude == NanBits(format)) return;
    char text[20];
    char* end =
        std::to_chars(text, text + sizeof(text), magnitude & LowBits(format.mantissa_bits), 16).ptr;
    StrAppend(out, "(0x", std::string_view(text, end - text), ")");
    return;
  }
  if (!IsFiniteBits(format, bits)) {
    out += "inf";
    return;
  }
  const double value = WidenToF64(format, magnitude);
  char text[40];
  const auto print = [&](int digits) {
    char* end =
        std::to_chars(text, text + sizeof(text), value, std::chars_format::general, digits).ptr;
    return std::string_view(text, end - text);
  };
  std::string_view shown = print(info.digits);
  if (info.digits < info.max_digits) {
    const bool same = format == kF64Format
                          ? NearestNative<double>(shown) == value
                          : static_cast<double>(NearestNative<float>(shown)) == value;
    if (!same) shown = print(info.max_digits);
  }
  out += shown;
}

}  // namespace axle
