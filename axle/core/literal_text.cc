// The text of literals: printing and reading. Numbers themselves are number_text.h's.
#include <bit>
#include <charconv>
#include <cstring>

#include "axle/core/float_format.h"
#include "axle/core/literal.h"
#include "axle/core/number_text.h"
#include "axle/core/scanner.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

template <typename T>
T Load(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

void AppendInteger(ElementType type, const std::byte* element, std::string& out) {
  DispatchElementType(type, [&]<ElementType kType>() {
    if constexpr (std::is_integral_v<StorageOf<kType>> && kType != PRED) {
      char text[24];
      const auto value = Load<StorageOf<kType>>(element);
      const auto result = std::to_chars(text, text + sizeof(text), value);
      out.append(text, result.ptr - text);
    }
  });
}

// Arrays of pred print 1 and 0, a single pred prints as a word.
void AppendElement(ElementType type, const std::byte* element, bool in_array, std::string& out) {
  const ElementTypeInfo& info = Info(type);
  const auto part = [&](int index) {
    const int bytes = Info(PartOf(type)).bytes;
    std::uint64_t bits = 0;
    std::memcpy(&bits, element + index * bytes, bytes);
    AppendFloat(info, bits, out);
  };
  if (type == PRED) {
    const bool value = Load<std::uint8_t>(element) != 0;
    out += in_array ? (value ? "1" : "0") : (value ? "true" : "false");
  } else if (IsComplex(type)) {
    out += "(";
    part(0);
    out += ", ";
    part(1);
    out += ")";
  } else if (IsFloating(type)) {
    part(0);
  } else {
    AppendInteger(type, element, out);
  }
}

// An empty array with this many inner braces is printed as elided instead.
constexpr i64 kMaxEmptyBraces = i64{1} << 16;

// The printed form of an array is XLA's: the braces of a vector touch its elements, those of the
// last dimension of anything larger touch them only if there are none or one, and above rank 3 the
// dimensions between the first and the last say where they are.
class ArrayPrinter {
 public:
  ArrayPrinter(const Literal& literal, std::string& out)
      : shape_(literal.shape()), next_(literal.bytes()), out_(out) {}

  void Print(i64 dim, i64 position) {
    const i64 rank = shape_.rank();
    if (dim == rank) {
      AppendElement(shape_.type(), next_, rank > 0, out_);
      next_ += Info(shape_.type()).bytes;
      return;
    }
    const bool innermost = dim + 1 == rank;
    const bool touches = rank == 1 || (innermost && shape_.dim(dim) <= 1);
    out_ += '{';
    const bool is_placed = !innermost && rank > 3 && dim > 0;
    if (is_placed) StrAppend(out_, " /*i", dim - 1, "=", position, "*/");
    if (!touches && !(is_placed && shape_.dim(dim) == 0)) out_ += ' ';
    for (i64 i = 0; i < shape_.dim(dim); ++i) {
      if (i > 0) out_ += ", ";
      Print(dim + 1, i);
    }
    if (!touches) out_ += ' ';
    out_ += '}';
  }

 private:
  const Shape& shape_;
  const std::byte* next_;
  std::string& out_;
};

void AppendLiteral(const Literal& literal, std::string& out) {
  const Shape& shape = literal.shape();
  if (shape.is_tuple()) {
    out += "( ";
    for (bool first = true; const Literal& element : literal.elements()) {
      if (!first) out += ", ";
      first = false;
      AppendLiteral(element, out);
    }
    out += " )";
  } else if (!shape.is_array()) {
    out += Name(shape.type());
  } else if (!shape.is_static()) {
    StrAppend(out, "(", Join(literal.sizes(), ","), ") ");
    AppendLiteral(literal.ValidPart(), out);
  } else {
    i64 braces = 1;
    for (i64 size : shape.dims()) {
      if (size == 0) break;
      braces = CheckedMul(braces, size).value_or(kMaxEmptyBraces + 1);
    }
    if (shape.num_elements() == 0 && braces > kMaxEmptyBraces) {
      out += "{...}";
      return;
    }
    const Literal row_major = literal.ToRowMajor();
    ArrayPrinter(row_major, out).Print(0, 0);
  }
}

}  // namespace

std::string Literal::ToString() const {
  std::string out;
  AppendLiteral(*this, out);
  return out;
}

std::string Literal::ToStringWithShape() const {
  const bool sizes_follow = shape_.is_array() && !shape_.is_static();
  return StrCat(shape_.ToString(), sizes_follow ? "" : " ", ToString());
}

std::string Literal::ShapeToString() const {
  if (shape_.is_tuple()) {
    return StrCat("(", Join(elements_, ", ", [](const Literal& e) { return e.ShapeToString(); }),
                  ")");
  }
  if (!shape_.is_array() || shape_.is_static()) return shape_.ToString();
  return StrCat(shape_.ToString(), "(", Join(sizes(), ","), ")");
}

std::string ElementToString(ElementType type, const void* element) {
  std::string out;
  AppendElement(type, static_cast<const std::byte*>(element), false, out);
  return out;
}

namespace {

class ElementReader {
 public:
  ElementReader(Scanner& scanner, ElementType type) : scanner_(scanner), info_(Info(type)) {}

  Status Read(std::byte* element) {
    switch (info_.type_class) {
      case TypeClass::kPred:
        return ReadPred(element);
      case TypeClass::kSigned:
        return ReadInteger<std::int64_t>(element);
      case TypeClass::kUnsigned:
        return ReadInteger<std::uint64_t>(element);
      case TypeClass::kFloat:
        return ReadFloat(element);
      default:
        break;
    }
    AXLE_TRY(scanner_.Expect("("));
    AXLE_TRY(ReadFloat(element));
    AXLE_TRY(scanner_.Expect(","));
    AXLE_TRY(ReadFloat(element + info_.bytes / 2));
    return scanner_.Expect(")");
  }

 private:
  Status ReadPred(std::byte* element) {
    const std::string_view word = scanner_.Word();
    const std::string_view token = word.empty() ? scanner_.NumberToken() : word;
    const bool value = token == "true" || token == "1";
    if (!value && token != "false" && token != "0") {
      return token.empty() ? scanner_.Expected("true or false")
                           : scanner_.Error(StrCat(token, " is neither true (1) nor false (0)"));
    }
    *element = std::byte{value};
    return {};
  }

  // Little endian: the low bytes of the value are its storage in every integer type.
  template <typename Wide>
  Status ReadInteger(std::byte* element) {
    const std::string_view token = scanner_.NumberToken();
    if (token.empty()) return scanner_.Expected(StrCat("a value of ", info_.text));
    Wide value = 0;
    const std::string_view digits =
        std::is_unsigned_v<Wide> && token == "-0" ? token.substr(1) : token;
    const char* const first = digits.data();
    const char* const last = first + digits.size();
    const auto [end, error] = std::from_chars(first, last, value);
    if (token.find_first_not_of("-0123456789") != token.npos) {
      return scanner_.Error(StrCat(token, " is not an integer, as ", info_.text, " needs"));
    }
    const int spare = 64 - info_.bits;
    if (error != std::errc() || end != last ||
        static_cast<Wide>(static_cast<std::uint64_t>(value) << spare) >> spare != value) {
      return scanner_.Error(StrCat(token, " is out of the range of ", info_.text));
    }
    std::memcpy(element, &value, info_.bytes);
    return {};
  }

  Status ReadFloat(std::byte* element) {
    const std::string_view token = scanner_.NumberToken();
    if (token.empty()) return scanner_.Expected(StrCat("a value of ", info_.text));
    const auto bits = ParseFloat(info_, token);
    if (!bits.ok()) return scanner_.Error(bits.status().message());
    std::memcpy(element, &*bits, IsComplex(info_.type) ? info_.bytes / 2 : info_.bytes);
    return {};
  }

  Scanner& scanner_;
  const ElementTypeInfo& info_;
};

// What stands in for elements that the text leaves out: the words 0, 1, 2, ... over the storage,
// each byte cut to a value of the type.
void FillElided(Literal& literal) {
  const ElementTypeInfo& info = Info(literal.shape().type());
  std::byte* bytes = literal.mutable_bytes();
  const i64 size = literal.num_bytes();
  const int bits = info.type == PRED ? 1 : std::min(info.bits, 8);
  const std::uint32_t mask = static_cast<std::uint32_t>(LowBits(bits)) * 0x01010101u;
  for (i64 begin = 0; begin < size; begin += 4) {
    const std::uint32_t word = static_cast<std::uint32_t>(begin / 4) & mask;
    std::memcpy(bytes + begin, &word, std::min<i64>(4, size - begin));
  }
  if (!IsSigned(info.type) || bits == 8) return;
  for (std::int8_t& value : literal.MutableUncheckedData<std::int8_t>()) {
    value = static_cast<std::int8_t>(static_cast<std::int8_t>(value << (8 - bits)) >> (8 - bits));
  }
}

// Reads the nested braces of an array from dimension `dim` on.
Status ReadArray(Scanner& scanner, const Shape& shape, i64 dim, ElementReader& reader,
                 std::byte*& next) {
  if (dim == shape.rank()) {
    AXLE_TRY(reader.Read(next));
    next += Info(shape.type()).bytes;
    return {};
  }
  i64 count = 0;
  const auto error = [&](std::string_view what) {
    return scanner.Error(StrCat(what, " elements in dimension ", dim, " of ", shape.ToString()));
  };
  AXLE_TRY(scanner.Expect("{"));
  while (!scanner.Consume("}")) {
    if (count == shape.dim(dim) && !scanner.AtEnd()) return error("too many");
    AXLE_TRY(ReadArray(scanner, shape, dim + 1, reader, next));
    ++count;
    scanner.Consume(",");
  }
  return count == shape.dim(dim) ? Status() : error("too few");
}

bool ConsumeElided(Scanner& scanner) {
  const size_t begin = scanner.position();
  if (scanner.Consume("{") && scanner.Consume("...") && scanner.Consume("}")) return true;
  scanner.Rewind(begin);
  return false;
}

StatusOr<Literal> ReadTuple(Scanner& scanner, const Shape& shape) {
  std::vector<Literal> elements;
  const auto count = [&] { return static_cast<i64>(elements.size()); };
  AXLE_TRY(scanner.List("(", ")", [&]() -> Status {
    if (count() == shape.num_tuple_elements()) {
      return scanner.AtEnd() ? scanner.Expect(")")
                             : scanner.Error(StrCat("too many elements for ", shape.ToString()));
    }
    AXLE_ASSIGN(Literal element, ParseLiteral(scanner, shape.element(count())));
    elements.push_back(std::move(element));
    return {};
  }));
  if (count() < shape.num_tuple_elements()) {
    return scanner.Error(StrCat("too few elements for ", shape.ToString()));
  }
  return Literal::Tuple(std::move(elements));
}

// "(5,3)" in front of an array with dynamic dimensions; without it the array is full.
StatusOr<Dims> ReadSizes(Scanner& scanner, const Shape& shape) {
  if (!scanner.Peek("(")) return shape.dims();
  Dims sizes;
  AXLE_TRY(scanner.List("(", ")", [&]() -> Status {
    AXLE_ASSIGN(const i64 size, scanner.Integer());
    const i64 d = static_cast<i64>(sizes.size());
    if (d == shape.rank()) return scanner.Error(StrCat("too many sizes for ", shape.ToString()));
    if (size < 0 || size > shape.dim(d) || (size != shape.dim(d) && !shape.is_dynamic(d))) {
      return scanner.Error(
          StrCat("dimension ", d, " of ", shape.ToString(), " cannot have size ", size));
    }
    sizes.push_back(size);
    return {};
  }));
  if (static_cast<i64>(sizes.size()) < shape.rank()) {
    return scanner.Error(StrCat("too few sizes for ", shape.ToString()));
  }
  return sizes;
}

// An array whose text has run-time sizes: the text is of the valid part.
StatusOr<Literal> ReadDynamic(Scanner& scanner, const Shape& shape) {
  AXLE_ASSIGN(Dims sizes, ReadSizes(scanner, shape));
  AXLE_ASSIGN(const Literal valid, ParseLiteral(scanner, Shape(shape.type(), std::move(sizes))));
  // The text does not bound what padding takes.
  AXLE_TRY(scanner.ChargeElided(shape.num_bytes() - valid.num_bytes()));
  return Literal::Padded(valid, shape);
}

}  // namespace

StatusOr<Literal> ElidedLiteral(const Shape& shape, i64& budget) {
  // Storage of so many bytes and more is mapped, and zeros before anybody reads it.
  constexpr i64 kMapped = i64{2} << 20, kMost = i64{64} << 30;
  if (!shape.is_tuple()) {
    const i64 bytes = shape.num_bytes();
    if (bytes > budget) {
      if (bytes >= kMapped && bytes <= kMost) return Literal::Create(shape.WithoutLayout());
      return ResourceExhausted(
          StrCat("elided constants of more than ", HumanBytes(Scanner::kMaxElidedBytes)));
    }
    budget -= bytes;
    AXLE_ASSIGN(Literal literal, Literal::CreateUninitialized(shape.WithoutLayout()));
    if (shape.is_array()) FillElided(literal);
    return literal;
  }
  std::vector<Literal> elements;
  for (const Shape& element : shape.elements()) {
    AXLE_ASSIGN(Literal literal, ElidedLiteral(element, budget));
    elements.push_back(std::move(literal));
  }
  return Literal::Tuple(std::move(elements));
}

StatusOr<Literal> ParseConstant(Scanner& scanner, const Shape& shape) {
  const char next = scanner.PeekChar();
  const bool is_first_alone = shape.is_array() && shape.is_static() && shape.rank() > 0 &&
                              shape.num_elements() > 0 && next != '{' && next != ')';
  if (!is_first_alone) return ParseLiteral(scanner, shape);
  // A few bytes of text ask for a whole array.
  AXLE_TRY(scanner.ChargeElided(shape.num_bytes()));
  AXLE_ASSIGN(Literal literal, Literal::Create(shape.WithoutLayout()));
  ElementReader reader(scanner, shape.type());
  AXLE_TRY(reader.Read(literal.mutable_bytes()));
  return literal;
}

StatusOr<Literal> ParseLiteral(Scanner& scanner, const Shape& shape) {
  if (shape.is_array() && !shape.is_static()) return ReadDynamic(scanner, shape);
  scanner.PeekChar();
  const size_t begin = scanner.position();
  if ((shape.is_tuple() || (shape.is_array() && shape.rank() > 0)) && ConsumeElided(scanner)) {
    if (shape.num_bytes() > 0) scanner.NoteElided(begin);
    StatusOr<Literal> elided = ElidedLiteral(shape, scanner.elided_budget());
    if (elided.ok()) return elided;
    return Status(elided.status().code(), scanner.Error(elided.status().message()).message());
  }
  if (shape.is_tuple()) return ReadTuple(scanner, shape);
  if (!shape.is_array()) {
    if (scanner.ConsumeWord(Name(shape.type()))) return Literal(shape);
    return scanner.Expected(StrCat("'", Name(shape.type()), "'"));
  }
  // Before allocating: a few bytes of text must not ask for a terabyte.
  if (shape.num_elements() > scanner.remaining()) {
    scanner.AtEnd();
    return scanner.Error(StrCat("too few elements for ", shape.ToString()));
  }
  AXLE_ASSIGN(Literal literal, Literal::CreateUninitialized(shape.WithoutLayout()));
  ElementReader reader(scanner, shape.type());
  std::byte* next = literal.mutable_bytes();
  AXLE_TRY(ReadArray(scanner, shape, 0, reader, next));
  return literal;
}

StatusOr<Literal> ParseLiteral(std::string_view text) {
  Scanner scanner(text, "literal");
  AXLE_ASSIGN(const Shape shape, ParseShape(scanner));
  const bool flat =
      shape.is_array() && shape.rank() > 0 && shape.is_static() && scanner.PeekChar() != '{';
  Literal literal;
  if (!flat) {
    AXLE_ASSIGN(literal, ParseLiteral(scanner, shape));
  } else {
    if (shape.num_elements() > scanner.remaining()) {
      return scanner.Error(StrCat("too few elements for ", shape.ToString()));
    }
    AXLE_ASSIGN(literal, Literal::CreateUninitialized(shape.WithoutLayout()));
    ElementReader reader(scanner, shape.type());
    std::byte* element = literal.mutable_bytes();
    for (i64 i = 0; i < shape.num_elements(); ++i) {
      AXLE_TRY(reader.Read(element));
      element += Info(shape.type()).bytes;
      scanner.Consume(",");
    }
  }
  if (!scanner.AtEnd()) return scanner.Error("unexpected text after the literal");
  if (const auto elided = scanner.TakeElided()) {
    return scanner.ErrorAt(*elided, "the elements are left out; a value needs all of them");
  }
  return literal;
}

}  // namespace axle
