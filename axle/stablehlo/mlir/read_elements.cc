// dense<...>, dense_resource<...> and array<...>: attributes of many numbers. The type stands
// behind the elements, so these are stepped over first, then read with their type known.
//
// Elements that are all the same become one (a splat), so that dense<[1, 1]> and dense<1> are one
// tree. The memory for elements is asked for only where the text is long enough to hold them.
#include <charconv>
#include <cstring>

#include "axle/core/strings.h"
#include "axle/stablehlo/mlir/reader.h"

namespace axle::mlir {
namespace {

// The text of the elements of one type, read into memory.
class ElementText {
 public:
  ElementText(std::string_view text, const Type* type)
      : text_(text),
        of_(type->of),
        element_(ElementOf(*type)),
        info_(Info(element_)),
        part_(Info(PartOf(element_))) {}

  // What is wrong, and where in the text.
  const std::string& error() const { return error_; }
  size_t position() const { return pos_; }

  char Peek() {
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (IsSpace(c)) {
        ++pos_;
      } else if (text_.substr(pos_, 2) == "//") {
        pos_ = std::min(text_.find('\n', pos_), text_.size());
      } else {
        return c;
      }
    }
    return '\0';
  }
  bool Consume(char c) {
    if (Peek() != c) return false;
    ++pos_;
    return true;
  }
  bool AtEnd() { return Peek() == '\0' && pos_ == text_.size(); }
  bool Fail(std::string what) {
    error_ = std::move(what);
    return false;
  }

  // One element; `out` has the size of one.
  bool Element(std::byte* out) {
    if (info_.type_class != TypeClass::kComplex) return Number(info_, out);
    const bool bracket = Consume('(');
    if (!bracket) return Fail("expected a complex number, (real, imaginary)");
    if (!Number(part_, out)) return false;
    if (!Consume(',')) return Fail("expected ',' between the parts of a complex number");
    if (!Number(part_, out + part_.bytes)) return false;
    return Consume(')') || Fail("expected ')' behind a complex number");
  }

  // [[a, b], [c, d]] of these dimensions.
  bool List(const Dims& dims, std::byte* out) {
    Dims counts(dims.size(), 0);
    size_t depth = 0;
    do {
      if (Consume('[')) {
        if (depth == dims.size()) return Fail(Shape(dims, "the list is nested deeper than"));
        if (depth > 0 && counts[depth - 1] == dims[depth - 1]) {
          return Fail(Shape(dims, "too many lists for"));
        }
        counts[depth++] = 0;
        if (Peek() != ']') continue;
      } else {
        if (depth != dims.size()) return Fail(Shape(dims, "the list is not nested as deep as"));
        if (counts[depth - 1] == dims[depth - 1]) return Fail(Shape(dims, "too many elements for"));
        if (!Element(out)) return false;
        out += info_.bytes;
        ++counts[depth - 1];
      }
      while (depth > 0 && Consume(']')) {
        if (counts[depth - 1] != dims[depth - 1]) {
          --pos_;
          return Fail(Shape(dims, StrCat(counts[depth - 1], " elements in a list do not fit")));
        }
        if (--depth > 0) ++counts[depth - 1];
      }
      if (depth > 0 && !Consume(',')) return Fail("expected ',' or ']' in a list of elements");
    } while (depth > 0);
    return true;
  }

  bool Number(const ElementTypeInfo& info, std::byte* out) {
    const char first = Peek();
    if (IsAlpha(first)) return Word(info, out);
    size_t end = pos_ + (first == '-' ? 1 : 0);
    bool is_hex = false, is_decimal = false;
    if (text_.substr(end).starts_with("0x")) {
      is_hex = true;
      end += 2;
      while (end < text_.size() && HexDigit(text_[end]) >= 0) ++end;
    } else {
      for (; end < text_.size(); ++end) {
        const char c = text_[end];
        if (IsDigit(c)) continue;
        if (c != '.' && c != 'e' && c != 'E' &&
            !((c == '+' || c == '-') && end > pos_ && (text_[end - 1] | 32) == 'e')) {
          break;
        }
        is_decimal = true;
      }
    }
    const std::string_view token = text_.substr(pos_, end - pos_);
    if (token.empty() || token == "-") return Fail("expected an element");
    const bool is_float = info.type_class == TypeClass::kFloat;
    const bool ok = is_float && !is_hex ? Float(info, token, is_decimal, out)
                                        : Integer(info, token, is_hex, is_decimal, out);
    if (ok) pos_ = end;
    return ok;
  }

 private:
  std::string Shape(const Dims& dims, std::string_view what) const {
    return StrCat(what, " tensor<", Join(dims, "x"), dims.empty() ? "" : "x", of_->ToString(), ">");
  }

  bool Word(const ElementTypeInfo& info, std::byte* out) {
    const bool value = text_.substr(pos_).starts_with("true");
    if (!value && !text_.substr(pos_).starts_with("false")) return Fail("expected an element");
    if (info.type != PRED) return Fail(StrCat("true and false are no ", of_->ToString()));
    *out = static_cast<std::byte>(value);
    pos_ += value ? 4 : 5;
    return true;
  }

  bool Float(const ElementTypeInfo& info, std::string_view token, bool is_decimal, std::byte* out) {
    if (!is_decimal) {
      return Fail(StrCat("an integer of a float type; write ", token, ".0"));
    }
    const char* end = token.data() + token.size();
    if (info.type == F32) {
      float value = 0;
      const auto [last, error] = std::from_chars(token.data(), end, value);
      if (error == std::errc() && last == end) return std::memcpy(out, &value, 4), true;
    } else if (info.type == F64) {
      double value = 0;
      const auto [last, error] = std::from_chars(token.data(), end, value);
      if (error == std::errc() && last == end) return std::memcpy(out, &value, 8), true;
    }
    const auto bits = ParseMlirFloat(info.type, token);
    if (!bits.ok()) return Fail(bits.status().message());
    std::memcpy(out, &*bits, static_cast<size_t>(info.bytes));
    return true;
  }

  // Of integers, and the bits of floats.
  bool Integer(const ElementTypeInfo& info, std::string_view token, bool is_hex, bool is_decimal,
               std::byte* out) {
    const int bits = info.type == PRED ? 1 : info.bits;
    const bool negative = token.front() == '-';
    std::string_view digits = token.substr(negative ? 1 : 0);
    if (is_hex) digits.remove_prefix(2);
    std::uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto [last, error] = std::from_chars(digits.data(), end, value, is_hex ? 16 : 10);
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    const bool is_unsigned = info.type_class != TypeClass::kSigned;
    const std::uint64_t most = negative ? (is_unsigned ? 0 : top) : top - 1 + top;
    if (is_decimal || last != end || error != std::errc() || value > most) {
      return Fail(StrCat(token, " is no value of ", of_->ToString()));
    }
    if (negative) value = ~value + 1;
    // Signless numbers may be written as unsigned ones; storage is extended by the sign.
    if (info.type_class == TypeClass::kSigned && bits < 64 && (value & top) != 0) {
      value |= ~(top - 1 + top);
    }
    std::memcpy(out, &value, static_cast<size_t>(info.bytes));
    return true;
  }

  std::string_view text_;
  const Type* of_;
  ElementType element_;
  const ElementTypeInfo& info_;
  const ElementTypeInfo& part_;
  size_t pos_ = 0;
  std::string error_;
};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Nothing if it does not fit.
std::optional<i64> CountOf(const Dims& dims) {
  i64 count = 1;
  bool is_empty = false;
  for (const i64 dim : dims) {
    if (dim == 0) is_empty = true;
    if (dim != 0 && __builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  }
  return is_empty ? 0 : count;
}

// The bits that a type does not have: those of a sign, or zeros.
void ExtendSubBytes(ElementType type, std::span<std::uint8_t> bytes) {
  const int unused = 8 - Info(type).bits;
  for (std::uint8_t& byte : bytes) {
    const auto shifted = static_cast<std::uint8_t>(byte << unused);
    byte = IsSigned(type) ? static_cast<std::uint8_t>(static_cast<std::int8_t>(shifted) >> unused)
                          : static_cast<std::uint8_t>(shifted >> unused);
  }
}

}  // namespace

const Attribute* Reader::MakeElements(const Type* type, Literal literal) {
  const auto size = static_cast<size_t>(Info(literal.shape().type()).bytes);
  const auto total = static_cast<size_t>(literal.num_bytes());
  bool is_splat = type->dims.empty();
  if (!is_splat && total >= size && size > 0) {
    is_splat = std::memcmp(literal.bytes(), literal.bytes() + size, total - size) == 0;
    if (is_splat) {
      Literal one = Literal::Uninitialized(Shape(literal.shape().type()));
      std::memcpy(one.mutable_bytes(), literal.bytes(), size);
      literal = std::move(one);
    }
  }
  return module_.NewAttribute({.kind = AttributeKind::kElements,
                               .type = type,
                               .literal = module_.Keep(std::move(literal)),
                               .is_splat = is_splat});
}

StatusOr<const Attribute*> Reader::ReadElements() {
  const std::string_view word = lexer_.PeekWord();
  if (word == "dense") return ReadDense();
  if (word == "dense_resource") return ReadDenseResource();
  if (word == "array") return ReadDenseArray();
  if (lexer_.Peek() == '#') {
    AXLE_ASSIGN(const Attribute* attribute, ReadDialectAttribute());
    if (attribute->kind == AttributeKind::kElements) return attribute;
    return Error("expected dense elements");
  }
  return lexer_.Expected("dense<...>");
}

StatusOr<const Attribute*> Reader::ReadDense() {
  lexer_.Word();
  const size_t start = lexer_.token();
  AXLE_TRY(lexer_.Expect("<"));
  const size_t begin = lexer_.position();
  AXLE_ASSIGN(const std::string_view text, lexer_.Balanced());
  AXLE_TRY(lexer_.Expect(":"));
  // Old texts give the sizes of segments as a vector.
  AXLE_ASSIGN(const Type* type,
              lexer_.ConsumeWord("vector") ? ReadShaped(TypeKind::kTensor) : ReadType());
  const ElementType element = type->is_tensor() ? ElementOf(*type) : PRIMITIVE_TYPE_INVALID;
  if (type->is_tensor() && type->of->kind == TypeKind::kOther) return OtherText(start);
  if (!type->is_static_tensor() || element == PRIMITIVE_TYPE_INVALID) {
    return Error(StrCat("elements of ", type->ToString(),
                        "; expected a tensor of numbers with static sizes"));
  }
  const std::string_view trimmed = Trimmed(text);
  if (trimmed.starts_with('"')) {
    return HexElements(type, trimmed.substr(1, trimmed.size() - 2),
                       begin + static_cast<size_t>(trimmed.data() - text.data()));
  }
  const std::optional<i64> count = CountOf(type->dims);
  if (trimmed.empty()) {
    if (count != 0) return lexer_.ErrorAt(begin, StrCat("no elements for ", type->ToString()));
    AXLE_ASSIGN(Literal empty, Literal::Create(Shape(element, type->dims)));
    return MakeElements(type, std::move(empty));
  }
  ElementText elements(text, type);
  const auto failed = [&] { return lexer_.ErrorAt(begin + elements.position(), elements.error()); };
  if (elements.Peek() != '[') {
    Literal one = Literal::Uninitialized(Shape(element));
    if (!elements.Element(one.mutable_bytes())) return failed();
    if (!elements.AtEnd()) elements.Fail("expected '>' behind one element");
    if (!elements.error().empty()) return failed();
    return module_.NewAttribute({.kind = AttributeKind::kElements,
                                 .type = type,
                                 .literal = module_.Keep(std::move(one)),
                                 .is_splat = true});
  }
  if (!count || *count > static_cast<i64>(text.size())) {
    return lexer_.ErrorAt(begin, StrCat("too few elements for ", type->ToString()));
  }
  AXLE_ASSIGN(Literal literal, Literal::CreateUninitialized(Shape(element, type->dims)));
  if (!elements.List(type->dims, literal.mutable_bytes())) return failed();
  if (!elements.AtEnd()) elements.Fail("expected '>' behind the elements");
  if (!elements.error().empty()) return failed();
  return MakeElements(type, std::move(literal));
}

// "0x0000803F": bytes of the elements, or of one for all.
StatusOr<const Attribute*> Reader::HexElements(const Type* type, std::string_view digits,
                                               size_t position) {
  const auto wrong = [&](std::string_view what) { return lexer_.ErrorAt(position, what); };
  if (!digits.starts_with("0x") || digits.size() % 2 != 0) {
    return wrong("expected \"0x\" and two hexadecimal digits for each byte");
  }
  digits.remove_prefix(2);
  const ElementType element = ElementOf(*type);
  const size_t num_bytes = digits.size() / 2;
  const auto size = static_cast<size_t>(Info(element).bytes);
  const std::optional<i64> count = CountOf(type->dims);
  const auto is_count = [&](size_t n) { return count && static_cast<size_t>(*count) == n; };
  const bool packed = element == PRED && count && !is_count(num_bytes) && *count > 0 &&
                      static_cast<size_t>((*count - 1) / 8 + 1) == num_bytes;
  const bool whole = num_bytes % size == 0 && is_count(num_bytes / size);
  const bool splat = !packed && !whole && num_bytes == size;
  if (!packed && !whole && !splat) {
    return wrong(StrCat(num_bytes, " bytes do not make the elements of ", type->ToString()));
  }
  std::vector<std::uint8_t> packed_bytes(packed ? num_bytes : 0);
  AXLE_ASSIGN(Literal literal,
              Literal::CreateUninitialized(splat ? Shape(element) : Shape(element, type->dims)));
  auto* out =
      packed ? packed_bytes.data() : reinterpret_cast<std::uint8_t*>(literal.mutable_bytes());
  for (size_t i = 0; i < num_bytes; ++i) {
    const int high = HexDigit(digits[2 * i]);
    const int low = HexDigit(digits[2 * i + 1]);
    if ((high | low) < 0) return wrong("a character that is no hexadecimal digit");
    out[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  if (packed) {
    const std::span<bool> values = literal.mutable_data<bool>();
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = (packed_bytes[i / 8] >> (i % 8) & 1) != 0;
    }
  } else if (element == PRED) {
    for (size_t i = 0; i < num_bytes; ++i) out[i] = out[i] != 0 ? 1 : 0;
  } else if (IsSubByte(element)) {
    ExtendSubBytes(element, {out, num_bytes});
  }
  if (!splat) return MakeElements(type, std::move(literal));
  return module_.NewAttribute({.kind = AttributeKind::kElements,
                               .type = type,
                               .literal = module_.Keep(std::move(literal)),
                               .is_splat = true});
}

StatusOr<const Attribute*> Reader::ReadDenseResource() {
  lexer_.Word();
  AXLE_TRY(lexer_.Expect("<"));
  std::string_view name;
  if (lexer_.Peek() == '"') {
    AXLE_ASSIGN(name, ReadString());
  } else {
    name = lexer_.Suffix();
  }
  const size_t position = lexer_.token();
  AXLE_TRY(lexer_.Expect(">"));
  AXLE_TRY(lexer_.Expect(":"));
  AXLE_ASSIGN(const Type* type, ReadType());
  if (!type->is_static_tensor() || ElementOf(*type) == PRIMITIVE_TYPE_INVALID) {
    return Error(StrCat("elements of ", type->ToString(),
                        "; expected a tensor of numbers with static sizes"));
  }
  if (name == "__elided__") {
    return module_.NewAttribute({.kind = AttributeKind::kElements, .type = type});
  }
  const auto found = resources_.find(name);
  if (found == resources_.end()) {
    return lexer_.ErrorAt(position, StrCat("the text has no resource \"", name, "\""));
  }
  // The first four bytes are the alignment.
  const std::string_view digits = found->second.digits;
  if (digits.size() < 10 || !digits.starts_with("0x")) {
    return lexer_.ErrorAt(position, StrCat("the resource \"", name,
                                           "\" is no \"0x...\" with at "
                                           "least the four bytes of its alignment"));
  }
  const Attribute*& known = found->second.values[type];
  if (known == nullptr) {
    AXLE_TRY(Charge(static_cast<i64>(digits.size() / 2)));
    AXLE_ASSIGN(known, HexElements(type, std::string("0x").append(digits.substr(10)), position));
  }
  return known;
}

// array<i64: 1, 2>
StatusOr<const Attribute*> Reader::ReadDenseArray() {
  lexer_.Word();
  AXLE_TRY(lexer_.Expect("<"));
  AXLE_ASSIGN(const Type* of, ReadType());
  const ElementType element = ElementOf(*of);
  if (of->kind != TypeKind::kElement || IsComplex(element)) {
    return Error(StrCat("array<> has integers or floats, not ", of->ToString()));
  }
  std::vector<std::byte> bytes;
  size_t count = 0;
  const auto size = static_cast<size_t>(Info(element).bytes);
  const size_t begin = lexer_.position();
  AXLE_ASSIGN(const std::string_view text, lexer_.Balanced());
  const Type scalar{.kind = TypeKind::kTensor, .of = of};
  ElementText elements(text, &scalar);
  if (!elements.AtEnd()) {
    if (!elements.Consume(':')) elements.Fail("expected ':' behind the type of an array");
    while (elements.error().empty()) {
      bytes.resize(bytes.size() + size);
      if (!elements.Element(bytes.data() + size * count++) || elements.AtEnd()) break;
      if (!elements.Consume(',')) elements.Fail("expected ',' between the elements of an array");
    }
    if (!elements.error().empty()) {
      return lexer_.ErrorAt(begin + elements.position(), elements.error());
    }
  }
  const Dims dims = {static_cast<i64>(count)};
  AXLE_ASSIGN(Literal literal, Literal::CreateUninitialized(Shape(element, dims)));
  if (!bytes.empty()) std::memcpy(literal.mutable_bytes(), bytes.data(), bytes.size());
  return module_.NewAttribute({.kind = AttributeKind::kElements,
                               .type = module_.Tensor(dims, of),
                               .mnemonic = "array",
                               .literal = module_.Keep(std::move(literal))});
}

}  // namespace axle::mlir
