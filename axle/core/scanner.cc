#include "axle/core/scanner.h"

#include <algorithm>
#include <charconv>

#include "axle/core/number_text.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

bool IsWordStart(char c) {
  return IsAlpha(c) || c == '_';
}
bool IsWordPart(char c) {
  return IsAlnum(c) || c == '_' || c == '.' || c == '-';
}

// The longest part of a line that is shown in a message.
constexpr size_t kShownColumns = 120;

constexpr size_t kMaxMessage = 2000;

bool IsUtf8Continuation(char c) {
  return (static_cast<std::uint8_t>(c) & 0xc0) == 0x80;
}

// The line with a caret under `column`, cut to kShownColumns around it. A tab stays a tab in both
// lines, so that the caret is right whatever a tab means on the terminal.
std::string ShowLine(std::string_view line, size_t column) {
  size_t begin = 0;
  size_t end = line.size();
  if (line.size() > kShownColumns) {
    begin = column > kShownColumns / 2 ? column - kShownColumns / 2 : 0;
    begin = std::min(begin, line.size() - kShownColumns);
    end = begin + kShownColumns;
    while (begin < column && IsUtf8Continuation(line[begin])) ++begin;
    while (end < line.size() && end > column && IsUtf8Continuation(line[end])) --end;
  }
  const std::string_view left = begin > 0 ? "..." : "";
  const std::string_view right = end < line.size() ? "..." : "";
  std::string caret(left.size(), ' ');
  for (char c : line.substr(begin, column - begin)) {
    if (!IsUtf8Continuation(c)) caret += c == '\t' ? '\t' : ' ';
  }
  return StrCat("\n", left, PrintableText(line.substr(begin, end - begin)), right, "\n", caret,
                "^");
}

}  // namespace

// Stops at an unterminated comment and at a NUL byte: neither starts a token, so the next read
// fails there, and ErrorAt says what is wrong.
void Scanner::SkipSpace() {
  while (pos_ < text_.size()) {
    const std::string_view rest = text_.substr(pos_, 2);
    if (IsSpace(rest.front())) {
      ++pos_;
    } else if (rest == "//") {
      pos_ = std::min(text_.find('\n', pos_), text_.size());
    } else if (const size_t end = rest == "/*" ? text_.find("*/", pos_ + 2) : text_.npos;
               end != text_.npos) {
      pos_ = end + 2;
    } else {
      break;
    }
  }
  token_ = pos_;
}

bool Scanner::AtEnd() {
  SkipSpace();
  return pos_ == text_.size();
}

char Scanner::PeekChar() {
  SkipSpace();
  return At(pos_);
}

bool Scanner::Peek(std::string_view token) {
  SkipSpace();
  return text_.substr(pos_).starts_with(token);
}

bool Scanner::Consume(std::string_view token) {
  if (!Peek(token)) return false;
  pos_ += token.size();
  return true;
}

Status Scanner::Expect(std::string_view token) {
  return Consume(token) ? Status() : Expected(StrCat("'", token, "'"));
}

std::string_view Scanner::Word() {
  SkipSpace();
  size_t begin = pos_;
  if (At(begin) == '%') ++begin;
  if (!IsWordStart(At(begin))) return {};
  size_t end = begin;
  while (end < text_.size() && IsWordPart(text_[end])) ++end;
  // "a->b": the arrow is not part of the word.
  if (text_[end - 1] == '-' && At(end) == '>') --end;
  pos_ = end;
  return text_.substr(begin, end - begin);
}

std::string_view Scanner::PeekWord() {
  const size_t begin = pos_;
  const std::string_view word = Word();
  pos_ = begin;
  return word;
}

bool Scanner::ConsumeWord(std::string_view word) {
  const size_t begin = pos_;
  if (Word() == word) return true;
  pos_ = begin;
  return false;
}

StatusOr<std::string_view> Scanner::Name(std::string_view what) {
  const std::string_view word = Word();
  if (word.empty()) return Expected(what);
  return word;
}

std::string_view Scanner::AttributeName() {
  const size_t begin = pos_;
  const std::string_view name = Word();
  if (!name.empty() && At(token_) != '%' && At(pos_) == '=') {
    ++pos_;
    return name;
  }
  pos_ = begin;
  return {};
}

StatusOr<bool> Scanner::Bool() {
  if (ConsumeWord("true")) return true;
  if (ConsumeWord("false")) return false;
  return Expected("true or false");
}

StatusOr<i64> Scanner::Integer() {
  SkipSpace();
  i64 value = 0;
  const auto [end, error] =
      std::from_chars(text_.data() + pos_, text_.data() + text_.size(), value);
  if (error == std::errc::invalid_argument) return Expected("an integer");
  if (error != std::errc()) return Error("integer does not fit into 64 bits");
  pos_ = end - text_.data();
  return value;
}

StatusOr<i64> Scanner::IntegerBits() {
  SkipSpace();
  if (!IsDigit(At(pos_))) return Integer();
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text_.data() + pos_, text_.data() + text_.size(), value);
  if (error != std::errc()) return Error("integer does not fit into 64 bits");
  pos_ = end - text_.data();
  return static_cast<i64>(value);
}

std::string_view Scanner::NumberToken() {
  SkipSpace();
  const size_t begin = pos_;
  size_t at = begin + (At(begin) == '-' ? 1 : 0);
  const auto digits = [&] {
    const size_t first = at;
    while (IsDigit(At(at))) ++at;
    return at > first;
  };
  if (IsAlpha(At(at))) {
    const std::string_view rest = text_.substr(at);
    if (!rest.starts_with("inf") && !rest.starts_with("nan")) return {};
    at += 3;
    if (rest.starts_with("nan(0x")) {
      const size_t close = rest.find_first_not_of("0123456789abcdefABCDEF", 6);
      if (close != rest.npos && close > 6 && rest[close] == ')') at += close + 1 - 3;
    } else if (IsWordPart(At(at))) {
      return {};  // "info", "nan.1"
    }
  } else {
    const bool whole = digits();
    if (!whole && at == begin) return {};  // ".5" has no sign and no digit
    bool fraction = false;
    if (At(at) == '.' && (whole || IsDigit(At(at + 1)))) {
      ++at;
      digits();
      fraction = true;
    }
    if (!whole && !fraction) return {};
    if (At(at) == 'e' || At(at) == 'E') {
      const size_t exponent = at++;
      if (At(at) == '+' || At(at) == '-') ++at;
      if (!digits()) at = exponent;
    }
  }
  pos_ = at;
  return text_.substr(begin, at - begin);
}

StatusOr<float> Scanner::Number() {
  const std::string_view token = NumberToken();
  if (token.empty()) return Expected("a number");
  return ParseSingle(token);
}

StatusOr<double> Scanner::Double() {
  const std::string_view token = NumberToken();
  if (token.empty()) return Expected("a number");
  return ParseDouble(token);
}

bool Scanner::PeekString() {
  const char c = PeekChar();
  return c == '"' || c == '\'';
}

StatusOr<std::string> Scanner::String() {
  if (!PeekString()) return Expected("a string in quotation marks");
  const char quote = text_[pos_];
  const size_t begin = pos_ + 1;
  const char stops[] = {quote, '\\'};
  size_t end = begin;
  while ((end = text_.find_first_of({stops, 2}, end)) != text_.npos && text_[end] == '\\') end += 2;
  if (end == text_.npos) return Error("unterminated string");
  auto value = CUnescape(text_.substr(begin, end - begin));
  if (!value.ok()) return Error(value.status().message());
  pos_ = end + 1;
  return value;
}

StatusOr<std::string_view> Scanner::Braces() {
  if (!Peek("{")) return Expected("'{'");
  i64 depth = 0;
  bool quoted = false;
  for (size_t at = pos_; at < text_.size(); ++at) {
    const char c = text_[at];
    if (quoted && c == '\\') {
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == '{') {
      ++depth;
    } else if (!quoted && c == '}' && --depth == 0) {
      const std::string_view braces = text_.substr(pos_, at + 1 - pos_);
      pos_ = at + 1;
      return braces;
    }
  }
  return Error(quoted ? "unterminated string between braces" : "'{' without its '}'");
}

std::string_view Scanner::SkipValue() {
  SkipSpace();
  const size_t begin = pos_;
  i64 depth = 0;
  char quote = '\0';
  for (; pos_ < text_.size(); ++pos_) {
    const char c = text_[pos_];
    if (quote != '\0') {
      if (c == '\\') {
        if (pos_ + 1 < text_.size()) ++pos_;
      } else if (c == quote) {
        quote = '\0';
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '(' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ')' || c == ']') {
      if (--depth < 0) break;
    } else if (depth == 0 && (c == ',' || IsSpace(c))) {
      break;
    }
  }
  return text_.substr(begin, pos_ - begin);
}

StatusOr<std::string_view> Scanner::DimLabels() {
  SkipSpace();
  size_t at = pos_;
  const auto part = [&](std::string_view letters) {
    const size_t begin = at;
    while (IsDigit(At(at)) || (At(at) != '\0' && letters.find(At(at)) != letters.npos)) ++at;
    return at - begin >= 2;
  };
  const auto skip = [&](std::string_view token) {
    const bool found = text_.substr(at).starts_with(token);
    if (found) at += token.size();
    return found;
  };
  if (!part("bf?") || !skip("_") || !part("io?") || !skip("->") || !part("bf?")) {
    return Expected("dimension labels like b01f_01io->b01f");
  }
  const std::string_view labels = text_.substr(pos_, at - pos_);
  pos_ = at;
  return labels;
}

// The character that joins two numbers, if a number follows it.
bool Scanner::ConsumeJoint(char joint) {
  const char next = At(pos_ + 1);
  const bool found = At(pos_) == joint && (IsDigit(next) || next == '-');
  if (found) ++pos_;
  return found;
}

StatusOr<std::vector<i64>> Scanner::JoinedSizes() {
  std::vector<i64> sizes;
  do {
    AXLE_ASSIGN(const i64 size, Integer());
    sizes.push_back(size);
  } while (ConsumeJoint('x'));
  return sizes;
}

StatusOr<std::vector<std::vector<i64>>> Scanner::JoinedPads() {
  std::vector<std::vector<i64>> pads;
  do {
    std::vector<i64>& pad = pads.emplace_back();
    do {
      AXLE_ASSIGN(const i64 size, Integer());
      pad.push_back(size);
    } while (pad.size() < 3 && ConsumeJoint('_'));
    if (pad.size() < 2) return Error("expected two or three numbers joined by '_'");
  } while (ConsumeJoint('x'));
  return pads;
}

Status Scanner::Expected(std::string_view what) {
  const bool at_end = AtEnd();
  return Error(StrCat("expected ", what, at_end ? " before the end of the text" : ""));
}

Status Scanner::ChargeElided(i64 bytes) {
  if (bytes <= elided_budget_) return elided_budget_ -= bytes, Status();
  return ResourceExhausted(
      Error(StrCat("elided constants of more than ", HumanBytes(kMaxElidedBytes))).message());
}

Status Scanner::ErrorAt(size_t position, std::string_view what) const {
  if (At(position) == '\0' && position < text_.size()) what = "NUL byte";
  if (text_.substr(position).starts_with("/*")) what = "comment without its '*/'";
  // Names, numbers and shapes in messages can be as long as the text.
  const std::string_view cut = what.size() > kMaxMessage ? "..." : "";
  what = what.substr(0, kMaxMessage);
  if (position >= text_.size()) {
    // At the end the last line with something on it says more than an empty one.
    const size_t last = text_.find_last_not_of(" \t\r\n");
    position = last == text_.npos ? 0 : last + 1;
  }
  const std::string_view before = text_.substr(0, position);
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 == 0
  const size_t column = position - line_begin;
  const i64 line = std::ranges::count(before, '\n') + 1;
  std::string_view shown =
      text_.substr(line_begin, std::min(text_.find('\n', position), text_.size()) - line_begin);
  if (shown.ends_with('\r') && column < shown.size()) shown.remove_suffix(1);
  return InvalidArgument(
      StrCat(label_, " ", line, ":", column + 1, ": ", what, cut, ShowLine(shown, column)));
}

}  // namespace axle
