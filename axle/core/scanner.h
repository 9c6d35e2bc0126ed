// Reads tokens of HLO text. It knows characters, not grammar; white space and comments are skipped.
// It lives in core because shapes, literals and attribute values each own their spelling.
//
// Every error names line and column and shows the line with a caret. Making one costs a walk over
// the text before it: build an Error only to return it, never as an answer to "is it there?" (that
// is what Peek, Consume and the functions that return "" are for).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

class Scanner {
 public:
  // `label` opens every message: "hlo text 1:5: expected '('". Both texts must outlive the scanner.
  explicit Scanner(std::string_view text, std::string_view label = "hlo text")
      : text_(text), label_(label) {}

  bool AtEnd();
  // True if the next token starts with `token`; Consume also steps over it.
  bool Peek(std::string_view token);
  bool PeekAdjacent(std::string_view token) const { return text_.substr(pos_).starts_with(token); }
  bool Consume(std::string_view token);
  Status Expect(std::string_view token);
  // The next character that is neither space nor comment; '\0' at the end.
  char PeekChar();

  // An identifier, with or without '%'; "" if there is none. A word is consumed as a whole.
  std::string_view Word();
  std::string_view PeekWord();
  bool ConsumeWord(std::string_view word);
  StatusOr<std::string_view> Name(std::string_view what);
  // The identifier of "name=value" with the '=' directly behind it, both consumed; "" and nothing
  // consumed if the next token is anything else. `x = y` is an instruction, not an attribute.
  std::string_view AttributeName();

  StatusOr<bool> Bool();    // true or false
  StatusOr<i64> Integer();  // anything outside i64 is an error
  // Also takes 2^63..2^64-1, as the two's complement of their 64 bits.
  StatusOr<i64> IntegerBits();
  StatusOr<float> Number();   // decimal, inf or nan, rounded once
  StatusOr<double> Double();  // the same in f64
  // The characters of the next number: 1, -2, 5., -.5e3, inf, -nan, nan(0x7f); "" if there is none.
  std::string_view NumberToken();

  bool PeekString();               // a quotation mark of either kind is next
  StatusOr<std::string> String();  // "..." or '...', unescaped
  // From '{' to the '}' that balances it, both included, exactly as written: JSON and anything else
  // whose braces balance. Braces in "strings" do not count.
  StatusOr<std::string_view> Braces();
  // Steps over one attribute value, whatever it is, and returns it: up to a comma, space or closing
  // bracket outside of its own brackets and strings.
  std::string_view SkipValue();

  StatusOr<std::string_view> DimLabels();    // b01f_01io->b01f
  StatusOr<std::vector<i64>> JoinedSizes();  // 3x3; a single integer too
  // 0_0x1_1x-1_2: for each dimension its two numbers, or three with an interior.
  StatusOr<std::vector<std::vector<i64>>> JoinedPads();

  // Calls `element` for each element of "{a, b, ...}"; commas are optional, as in XLA.
  template <typename Fn>
  Status List(std::string_view open, std::string_view close, Fn element) {
    AXLE_TRY(Expect(open));
    AXLE_TRY(Enter());
    while (!Consume(close)) {
      AXLE_TRY(element());
      Consume(",");
    }
    Leave();
    return {};
  }
  // For readers that recurse without List: Enter fails when the nesting is deeper than kMaxDepth.
  Status Enter() { return ++depth_ > kMaxDepth ? Error("nested too deeply") : Status(); }
  void Leave() { --depth_; }
  static constexpr int kMaxDepth = 128;

  // An error at the token read last, or at a position.
  Status Error(std::string_view what) const { return ErrorAt(token_, what); }
  Status ErrorAt(size_t position, std::string_view what) const;
  // Error("expected ...") at the next token; says so when the text ends there.
  Status Expected(std::string_view what);

  // Where the last token began, and where the next read begins. Rewind goes back to such a place.
  size_t token_position() const { return token_; }
  size_t position() const { return pos_; }
  void Rewind(size_t position) { pos_ = token_ = position; }
  // The text between two positions, as written.
  std::string_view Slice(size_t begin, size_t end) const {
    return text_.substr(begin, end - begin);
  }

  // Characters that are left: an upper bound for the elements that can follow.
  i64 remaining() const { return static_cast<i64>(text_.size() - pos_); }
  // For values that take more memory than text, as an elided constant does: RESOURCE_EXHAUSTED when
  // one text asks for more than kMaxElidedBytes of them together.
  Status ChargeElided(i64 bytes);
  static constexpr i64 kMaxElidedBytes = i64{256} << 20;
  // What is left of them, for who charges in parts.
  i64& elided_budget() { return elided_budget_; }
  // Readers of values note where the text leaves elements out; whoever knows what the value is for
  // takes the first such place since the last call, and with it the note.
  void NoteElided(size_t position) {
    if (!first_elided_) first_elided_ = position;
  }
  std::optional<size_t> TakeElided() { return std::exchange(first_elided_, std::nullopt); }

 private:
  void SkipSpace();
  bool ConsumeJoint(char joint);
  char At(size_t pos) const { return pos < text_.size() ? text_[pos] : '\0'; }

  std::string_view text_;
  std::string_view label_;
  size_t pos_ = 0;
  size_t token_ = 0;  // where the last token began
  int depth_ = 0;
  i64 elided_budget_ = kMaxElidedBytes;
  std::optional<size_t> first_elided_;
};

}  // namespace axle
