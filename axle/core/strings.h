// Building, comparing and escaping short texts: messages, dumps, "did you mean".
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "axle/core/status.h"

namespace axle {

// The shortest text that reads back as the same value ("0.1", "1e+30", "nan"), in any locale.
std::string ToText(double value);
std::string ToText(float value);
inline std::string_view ToText(std::string_view text) {
  return text;
}
inline std::string_view ToText(const char* text) {
  return text;
}
inline std::string_view ToText(const std::string& text) {
  return text;
}
inline std::string_view ToText(bool value) {
  return value ? "true" : "false";
}
inline std::string ToText(char character) {
  return std::string(1, character);
}
template <std::integral T>
std::string ToText(T value) {
  return std::to_string(value);
}

// StrCat("size ", 3) == "size 3".
template <typename... Parts>
std::string StrCat(const Parts&... parts) {
  std::string out;
  (out.append(ToText(parts)), ...);
  return out;
}
template <typename... Parts>
void StrAppend(std::string& out, const Parts&... parts) {
  (out.append(ToText(parts)), ...);
}

// The texts of `range` with `separator` between them; `text` maps an element to its text.
template <typename Range, typename Text>
std::string Join(const Range& range, std::string_view separator, Text text) {
  std::string out;
  for (bool first = true; const auto& element : range) {
    if (!first) out += separator;
    first = false;
    out += text(element);
  }
  return out;
}

template <typename Range>
std::string Join(const Range& range, std::string_view separator) {
  return Join(range, separator, [](const auto& x) { return ToText(x); });
}

// The candidate nearest to `word` by edit distance, if it is near enough to be a typing error.
std::optional<std::string_view> ClosestMatch(std::string_view word,
                                             std::span<const std::string_view> candidates);
// " (did you mean "pad"?)", or "" if no candidate is near.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates);

// "512 B", "1.5 KiB", "3 GiB".
std::string HumanBytes(std::int64_t bytes);

// Text between double quotes of HLO text: \n \r \t \" \' \\ and three octal digits for every byte
// that is not printable ASCII. CUnescape also takes \a \b \f \v \? \xHH and shorter octals.
std::string CEscape(std::string_view bytes);
StatusOr<std::string> CUnescape(std::string_view text);

// The same text with everything that would upset a terminal or a JSON reader (control characters
// but tab, bytes that are not UTF-8) replaced by '?'.
std::string PrintableText(std::string_view text);

// ASCII only, whatever the locale.
constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool IsAlpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool IsAlnum(char c) {
  return IsDigit(c) || IsAlpha(c);
}
constexpr bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
std::string LowerCase(std::string_view text);

}  // namespace axle
