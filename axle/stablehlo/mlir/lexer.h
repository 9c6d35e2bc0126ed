// Reads the tokens of MLIR text. It knows characters, not grammar; white space and // comments are
// skipped. Errors are as those of core/scanner.h: line, column, the line with a caret. Making one
// costs a walk over the text before it, so one is made only to be returned.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle::mlir {

class Lexer {
 public:
  // Both texts outlive the lexer.
  Lexer(std::string_view text, std::string_view label) : text_(text), label_(label) {}

  bool AtEnd() {
    SkipSpace();
    return pos_ == text_.size();
  }
  // The next character that is neither space nor comment; '\0' at the end.
  char Peek() {
    SkipSpace();
    return At(pos_);
  }
  // The next token starts with this punctuation; Consume also steps over it. '-' alone does not
  // tell "->" apart: ask for "->" first.
  bool Peek(std::string_view token) {
    SkipSpace();
    return text_.substr(pos_).starts_with(token);
  }
  bool Consume(char token) {
    if (Peek() != token || pos_ == text_.size()) return false;
    ++pos_;
    return true;
  }
  bool Consume(std::string_view token) {
    if (!Peek(token)) return false;
    pos_ += token.size();
    return true;
  }
  Status Expect(std::string_view token);

  // A word: letters, digits, '_', '$', '.', not beginning with a digit. "" if there is none.
  std::string_view Word();
  std::string_view PeekWord();
  bool ConsumeWord(std::string_view word);
  Status ExpectWord(std::string_view word);
  // What may stand behind '%', '^', '#', '!' or '@', directly here: digits, or a word in which '-'
  // counts too. "" if there is none.
  std::string_view Suffix();

  // Digits without a sign, directly here or behind space: what fits into u64.
  StatusOr<std::uint64_t> Digits();
  // A decimal number with an optional '-': what fits into i64.
  StatusOr<i64> Integer();
  // The characters of the next number: 1, -2, 1.5e-3, 0x7F; "" if there is none.
  std::string_view Number();

  // "..." without its quotation marks, escapes as they are. Whether there are any is told.
  StatusOr<std::string_view> RawString(bool& escaped);

  // Everything up to the closing bracket that belongs to an opening one already read, which is
  // stepped over; brackets in strings do not count. The text between them.
  StatusOr<std::string_view> Balanced();

  // Enter fails when what nests is deeper than kMaxDepth.
  Status Enter() {
    if (++depth_ > kMaxDepth) return Error("nested too deeply");
    deepest_ = std::max(deepest_, depth_);
    return {};
  }
  void Leave() { --depth_; }
  // How deep what was read since `outer` was taken nests, in itself; the larger of the two is
  // what counts for what is around it.
  //
  //   const int outer = lexer.BeginDepth();
  //   ...
  //   depth = lexer.EndDepth(outer);
  int BeginDepth() { return std::exchange(deepest_, depth_); }
  int EndDepth(int outer) {
    const int depth = deepest_ - depth_;
    deepest_ = std::max(deepest_, outer);
    return depth;
  }
  // What stands here nests so deep, though its text is elsewhere.
  Status Reach(int depth) {
    if (depth_ + depth > kMaxDepth) return Error("nested too deeply");
    deepest_ = std::max(deepest_, depth_ + depth);
    return {};
  }
  static constexpr int kMaxDepth = 128;

  // An error at the token read last, or at a position.
  Status Error(std::string_view what) const { return ErrorAt(token_, what); }
  Status ErrorAt(size_t position, std::string_view what) const;
  // "expected ..." at the next token.
  Status Expected(std::string_view what);

  size_t token() const { return token_; }  // where the token read last began
  size_t position() const { return pos_; }
  void Rewind(size_t position) { pos_ = token_ = position; }
  std::string_view Slice(size_t begin, size_t end) const {
    return text_.substr(begin, end - begin);
  }
  std::string_view text() const { return text_; }
  // The character directly here, which may be a space.
  char Here() const { return At(pos_); }
  void Skip(size_t count) { pos_ += count; }

 private:
  void SkipSpace() {
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        ++pos_;
      } else if (c == '/' && At(pos_ + 1) == '/') {
        pos_ = std::min(text_.find('\n', pos_), text_.size());
      } else {
        break;
      }
    }
    token_ = pos_;
  }
  char At(size_t pos) const { return pos < text_.size() ? text_[pos] : '\0'; }

  std::string_view text_;
  std::string_view label_;
  size_t pos_ = 0;
  size_t token_ = 0;
  int depth_ = 0;
  int deepest_ = 0;
};

// The bytes of a string between quotation marks: \n, \t, \\, \" and two hexadecimal digits. Nothing
// if there is another escape.
std::optional<std::string> Unescape(std::string_view text);
// The inverse, as MLIR prints it: \0A for what is not printable.
std::string Escape(std::string_view bytes);
// Whether a name may stand without quotation marks, as a word.
bool IsWord(std::string_view name);
inline constexpr auto kHexDigits = [] {
  std::array<signed char, 256> digits;
  digits.fill(-1);
  for (int i = 0; i < 10; ++i) digits[static_cast<size_t>('0' + i)] = static_cast<signed char>(i);
  for (int i = 0; i < 6; ++i) {
    digits[static_cast<size_t>('a' + i)] = static_cast<signed char>(10 + i);
    digits[static_cast<size_t>('A' + i)] = static_cast<signed char>(10 + i);
  }
  return digits;
}();
// -1 if it is none.
constexpr int HexDigit(char c) {
  return kHexDigits[static_cast<unsigned char>(c)];
}

}  // namespace axle::mlir
