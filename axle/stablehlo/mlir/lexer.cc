#include "axle/stablehlo/mlir/lexer.h"

#include <charconv>

#include "axle/core/scanner.h"
#include "axle/core/strings.h"

namespace axle::mlir {
namespace {

constexpr bool IsWordStart(char c) {
  return IsAlpha(c) || c == '_';
}
constexpr bool IsWordPart(char c) {
  return IsAlnum(c) || c == '_' || c == '$' || c == '.';
}

}  // namespace

Status Lexer::Expect(std::string_view token) {
  return Consume(token) ? Status() : Expected(StrCat("'", token, "'"));
}

std::string_view Lexer::Word() {
  SkipSpace();
  if (!IsWordStart(At(pos_))) return {};
  size_t end = pos_ + 1;
  while (IsWordPart(At(end))) ++end;
  pos_ = end;
  return Slice(token_, end);
}

std::string_view Lexer::PeekWord() {
  const std::string_view word = Word();
  pos_ = token_;
  return word;
}

bool Lexer::ConsumeWord(std::string_view word) {
  if (Word() == word) return true;
  pos_ = token_;
  return false;
}

Status Lexer::ExpectWord(std::string_view word) {
  return ConsumeWord(word) ? Status() : Expected(StrCat("'", word, "'"));
}

std::string_view Lexer::Suffix() {
  size_t end = pos_;
  if (IsDigit(At(end))) {
    while (IsDigit(At(end))) ++end;
  } else {
    while (IsWordPart(At(end)) || (At(end) == '-' && At(end + 1) != '>')) ++end;
  }
  const std::string_view suffix = Slice(pos_, end);
  pos_ = end;
  return suffix;
}

StatusOr<std::uint64_t> Lexer::Digits() {
  SkipSpace();
  std::uint64_t value = 0;
  if (!IsDigit(At(pos_))) return Expected("an integer");
  const auto [end, error] =
      std::from_chars(text_.data() + pos_, text_.data() + text_.size(), value);
  if (error != std::errc()) return Error("the integer does not fit into 64 bits");
  pos_ = static_cast<size_t>(end - text_.data());
  return value;
}

StatusOr<i64> Lexer::Integer() {
  SkipSpace();
  i64 value = 0;
  const auto [end, error] =
      std::from_chars(text_.data() + pos_, text_.data() + text_.size(), value);
  if (error == std::errc::invalid_argument) return Expected("an integer");
  if (error != std::errc()) return Error("the integer does not fit into 64 bits");
  pos_ = static_cast<size_t>(end - text_.data());
  return value;
}

std::string_view Lexer::Number() {
  SkipSpace();
  size_t at = pos_;
  if (At(at) == '-') ++at;
  if (!IsDigit(At(at))) return {};
  if (At(at) == '0' && At(at + 1) == 'x' && HexDigit(At(at + 2)) >= 0) {
    at += 2;
    while (HexDigit(At(at)) >= 0) ++at;
  } else {
    while (IsDigit(At(at))) ++at;
    if (At(at) == '.') {
      ++at;
      while (IsDigit(At(at))) ++at;
      if (At(at) == 'e' || At(at) == 'E') {
        size_t digits = at + 1;
        if (At(digits) == '+' || At(digits) == '-') ++digits;
        if (IsDigit(At(digits))) {
          while (IsDigit(At(digits))) ++digits;
          at = digits;
        }
      }
    }
  }
  pos_ = at;
  return Slice(token_, at);
}

StatusOr<std::string_view> Lexer::RawString(bool& escaped) {
  escaped = false;
  if (Peek() != '"') return Expected("a string in quotation marks");
  const size_t begin = pos_ + 1;
  size_t end = begin;
  for (;; ++end) {
    end = text_.find_first_of("\"\\\n", end);
    if (end == text_.npos || text_[end] == '\n') return Error("the string has no end on its line");
    if (text_[end] == '"') break;
    escaped = true;
    if (++end >= text_.size() || text_[end] == '\n') {
      return Error("the string has no end on its line");
    }
  }
  pos_ = end + 1;
  return Slice(begin, end);
}

StatusOr<std::string_view> Lexer::Balanced() {
  const size_t begin = pos_;
  i64 depth = 1;
  while (pos_ < text_.size()) {
    const char c = text_[pos_];
    if (c == '"') {
      bool escaped = false;
      AXLE_TRY(RawString(escaped).status());
      continue;
    }
    if (c == '/' && At(pos_ + 1) == '/') {
      pos_ = std::min(text_.find('\n', pos_), text_.size());
      continue;
    }
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' && pos_ > begin && text_[pos_ - 1] == '-') {
      ++pos_;
      continue;
    }
    if ((c == '>' || c == ')' || c == ']' || c == '}') && --depth == 0) {
      return Slice(begin, pos_++);
    }
    ++pos_;
  }
  return ErrorAt(begin == 0 ? 0 : begin - 1, "the bracket is never closed");
}

Status Lexer::ErrorAt(size_t position, std::string_view what) const {
  return Scanner(text_, label_).ErrorAt(position, what);
}

Status Lexer::Expected(std::string_view what) {
  const bool at_end = AtEnd();
  return Error(StrCat("expected ", what, at_end ? " before the end of the text" : ""));
}

std::optional<std::string> Unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    const char c = text[i];
    if (c == '"' || c == '\\') {
      out += c;
    } else if (c == 'n' || c == 't') {
      out += c == 'n' ? '\n' : '\t';
    } else if (i + 1 < text.size() && HexDigit(c) >= 0 && HexDigit(text[i + 1]) >= 0) {
      out += static_cast<char>(HexDigit(c) * 16 + HexDigit(text[i + 1]));
      ++i;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::string Escape(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (c == '\\') {
      out += "\\\\";
    } else if (byte >= 0x20 && byte < 0x7f && c != '"') {
      out += c;
    } else {
      out += {'\\', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

bool IsWord(std::string_view name) {
  if (name.empty() || !IsWordStart(name.front())) return false;
  for (const char c : name) {
    if (!IsWordPart(c)) return false;
  }
  return true;
}

}  // namespace axle::mlir
