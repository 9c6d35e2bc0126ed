#include "axle/core/strings.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>
#include <vector>

namespace axle {
namespace {

template <typename T>
std::string ShortestText(T value) {
  if (value != value) return "nan";  // without the sign that to_chars shows
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

// Insertions, deletions, substitutions and swaps of neighbours that make b of a; one row of the
// table at a time.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last;
  std::vector<size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<size_t> row = {i + 1};
    for (size_t j = 0; j < b.size(); ++j) {
      size_t best = std::min({last[j] + (a[i] != b[j]), last[j + 1] + 1, row[j] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) best = std::min(best, before_last[j - 1] + 1);
      row.push_back(best);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last.back();
}

// The bytes of the UTF-8 sequence at the front of `text`, or 0 if there is none (overlong forms,
// surrogates and code points past U+10FFFF are none).
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;
  if (lead == 0xed && byte(1) > 0x9f) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;
  if (lead == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

constexpr std::pair<char, char> kEscapes[] = {
    {'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'"', '"'},  {'\'', '\''}, {'\\', '\\'},
    {'a', '\a'}, {'b', '\b'}, {'f', '\f'}, {'v', '\v'}, {'?', '?'},
};
constexpr size_t kEscapesToWrite = 6;  // the first of them; the rest are only read

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string ToText(double value) {
  return ShortestText(value);
}
std::string ToText(float value) {
  return ShortestText(value);
}

std::optional<std::string_view> ClosestMatch(std::string_view word,
                                             std::span<const std::string_view> candidates) {
  // Nobody mistypes a name this long, and the distance takes quadratic time.
  if (word.size() > 100) return {};
  std::optional<std::string_view> best;
  size_t best_distance = word.size() / 3 + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > word.size() + best_distance) continue;
    const size_t distance = EditDistance(word, candidate);
    if (distance > best_distance || (best && distance == best_distance)) continue;
    // Nothing in common: a word of one or two letters is near to every other one.
    if (distance >= std::max(word.size(), candidate.size())) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  const auto match = ClosestMatch(word, candidates);
  return match ? StrCat(" (did you mean \"", *match, "\"?)") : "";
}

std::string HumanBytes(std::int64_t bytes) {
  static constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  std::int64_t scale = 1;
  while (unit + 1 < std::size(kUnits) && bytes / scale >= 1024) {
    scale *= 1024;
    ++unit;
  }
  // Tenths, rounded down, so that a limit never looks larger than it is.
  const std::int64_t whole = bytes / scale;
  const auto tenths = static_cast<std::uint64_t>(bytes % scale) * 10 / scale;
  const bool show_tenths = unit > 0 && tenths > 0;
  return StrCat(whole, show_tenths ? StrCat(".", tenths) : "", " ", kUnits[unit]);
}

std::string CEscape(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    const auto* escape =
        std::ranges::find(kEscapes, kEscapes + kEscapesToWrite, c, &std::pair<char, char>::second);
    const auto code = static_cast<std::uint8_t>(c);
    if (escape != kEscapes + kEscapesToWrite) {
      out += {'\\', escape->first};
    } else if (code >= 0x20 && code < 0x7f) {
      out += c;
    } else {
      out += {'\\', static_cast<char>('0' + (code >> 6)), static_cast<char>('0' + (code >> 3 & 7)),
              static_cast<char>('0' + (code & 7))};
    }
  }
  return out;
}

StatusOr<std::string> CUnescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return InvalidArgument("string ends in a backslash");
    const char c = text[i];
    int value = 0;
    if (c >= '0' && c <= '7') {
      size_t end = i;
      for (; end < text.size() && end < i + 3 && text[end] >= '0' && text[end] <= '7'; ++end) {
        value = value * 8 + (text[end] - '0');
      }
      i = end - 1;
    } else if (c == 'x' || c == 'X') {
      size_t end = i + 1;
      for (; end < text.size() && HexValue(text[end]) >= 0 && value <= 0xff; ++end) {
        value = value * 16 + HexValue(text[end]);
      }
      if (end == i + 1) return InvalidArgument("\\x without hexadecimal digits in a string");
      i = end - 1;
    } else {
      const auto* escape = std::ranges::find(kEscapes, c, &std::pair<char, char>::first);
      if (escape == std::end(kEscapes)) {
        return InvalidArgument(StrCat("unknown escape \\", PrintableText({&c, 1}), " in a string"));
      }
      value = static_cast<std::uint8_t>(escape->second);
    }
    if (value > 0xff) return InvalidArgument("escape of more than one byte in a string");
    out += static_cast<char>(value);
  }
  return out;
}

std::string PrintableText(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const char c = text.front();
    const bool control = (static_cast<std::uint8_t>(c) < 0x20 && c != '\t') || c == 0x7f;
    if (length == 0 || control) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string LowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace axle
