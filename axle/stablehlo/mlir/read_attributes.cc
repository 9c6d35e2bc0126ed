// Attributes and locations. Structures and enums of StableHLO and CHLO are read by their rows in
// dialect.cc; attributes of other dialects are kept as their text.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "axle/core/convert.h"
#include "axle/core/number_text.h"
#include "axle/core/strings.h"
#include "axle/stablehlo/mlir/printer.h"
#include "axle/stablehlo/mlir/reader.h"

namespace axle::mlir {

StatusOr<std::uint64_t> ParseMlirFloat(ElementType type, std::string_view token) {
  auto bits = ParseFloat(Info(type), token);
  if (bits.ok() || Info(type).format.is_signed) return bits;
  // A type without a zero takes its smallest number, whose bits are 0.
  const double value = ParseDouble(token);
  return value >= 0 && value < 1 ? StatusOr<std::uint64_t>(std::uint64_t{0}) : bits;
}

const Attribute* Reader::MakeInt(i64 value, std::string_view type) {
  const Type* of = type == "index"  ? module_.Get({.kind = TypeKind::kIndex})
                   : type == "ui64" ? module_.Element(U64)
                   : type == "ui32" ? module_.Element(U32)
                   : type == "i32"  ? module_.Element(S32)
                                    : module_.Element(S64);
  return module_.NewAttribute({.kind = AttributeKind::kInteger, .type = of, .integer = value});
}

const Attribute* Reader::MakeInts(const Dims& values) {
  const Type* type = module_.Tensor({static_cast<i64>(values.size())}, module_.Element(S64));
  Literal literal =
      Literal::Array<i64>(S64, {static_cast<i64>(values.size())}, std::span<const i64>(values));
  return module_.NewAttribute({.kind = AttributeKind::kElements,
                               .type = type,
                               .mnemonic = "array",
                               .literal = module_.Keep(std::move(literal))});
}

const Attribute* Reader::MakeText(AttributeKind kind, std::string_view text) {
  return module_.NewAttribute({.kind = kind, .text = module_.Text(text)});
}

const Attribute* Reader::MakeEnum(std::string_view mnemonic, std::string_view value) {
  return module_.NewAttribute({.kind = AttributeKind::kEnum,
                               .text = module_.Text(value),
                               .mnemonic = module_.Text(mnemonic)});
}

const Attribute* Reader::MakeType(const Type* type) {
  return module_.NewAttribute({.kind = AttributeKind::kType, .type = type});
}

const Attribute* Reader::MakeBool(bool value) {
  return module_.NewAttribute({.kind = AttributeKind::kBool, .integer = value ? 1 : 0});
}

const Attribute* Reader::MakeArray(const std::vector<const Attribute*>& elements) {
  return module_.NewAttribute({.kind = AttributeKind::kArray, .elements = module_.Copy(elements)});
}

StatusOr<const Attribute*> Reader::MakeFields(AttributeKind kind, std::string_view mnemonic,
                                              std::vector<NamedAttribute> fields, size_t position) {
  std::ranges::sort(fields, {}, &NamedAttribute::name);
  const auto twice = std::ranges::adjacent_find(fields, {}, &NamedAttribute::name);
  if (twice != fields.end()) {
    return lexer_.ErrorAt(position, StrCat("the attribute \"", twice->name, "\" is given twice"));
  }
  return module_.NewAttribute({.kind = kind, .mnemonic = mnemonic, .fields = module_.Copy(fields)});
}

StatusOr<std::string_view> Reader::ReadString() {
  bool escaped = false;
  AXLE_ASSIGN(const std::string_view raw, lexer_.RawString(escaped));
  if (!escaped) return raw;
  const std::optional<std::string> text = Unescape(raw);
  if (!text) return Error("the string has an escape that is none of \\n, \\t, \\\\, \\\" and \\2A");
  return module_.Text(*text);
}

StatusOr<std::string_view> Reader::ReadSymbol() {
  AXLE_TRY(lexer_.Expect("@"));
  std::string joined;
  std::string_view name;
  for (bool first = true;; first = false) {
    if (lexer_.Here() == '"') {
      AXLE_ASSIGN(name, ReadString());
    } else {
      name = lexer_.Suffix();
      if (name.empty()) return lexer_.Expected("a name behind '@'");
    }
    const size_t end = lexer_.position();
    const bool more = lexer_.Consume("::") && lexer_.Consume('@');
    if (!more) lexer_.Rewind(end);
    if (first && !more) return name;
    joined += (first ? "" : "::") + std::string(name);
    if (!more) return module_.Text(joined);
  }
}

StatusOr<Dims> Reader::ReadInts() {
  Dims values;
  AXLE_TRY(lexer_.Expect("["));
  if (lexer_.Consume(']')) return values;
  do {
    i64 value = kDynamic;
    if (!lexer_.Consume('?')) {
      AXLE_ASSIGN(value, lexer_.Integer());
    }
    values.push_back(value);
  } while (lexer_.Consume(','));
  AXLE_TRY(lexer_.Expect("]"));
  return values;
}

// "a": 1, b: the entries of {...} or of properties, up to the bracket.
Status Reader::ReadEntries(std::vector<NamedAttribute>& entries) {
  AXLE_TRY(lexer_.Expect("{"));
  if (lexer_.Consume('}')) return {};
  do {
    std::string_view name;
    if (lexer_.Peek() == '"') {
      AXLE_ASSIGN(name, ReadString());
    } else {
      name = lexer_.Word();
      if (name.empty()) return lexer_.Expected("the name of an attribute");
    }
    const Attribute* value = nullptr;
    if (lexer_.Consume('=')) {
      AXLE_ASSIGN(value, ReadAttribute());
    } else {
      value = module_.NewAttribute({.kind = AttributeKind::kUnit});
    }
    entries.push_back({name, value});
  } while (lexer_.Consume(','));
  return lexer_.Expect("}");
}

Status Reader::ReadOptionalDictionary(std::vector<NamedAttribute>& attributes) {
  return lexer_.Peek() == '{' ? ReadEntries(attributes) : Status();
}

StatusOr<const Attribute*> Reader::ReadAttribute() {
  AXLE_TRY(lexer_.Enter());
  ++size_;
  auto attribute = ReadAttributeHere();
  lexer_.Leave();
  return attribute;
}

StatusOr<const Attribute*> Reader::ReadAttributeHere() {
  const char next = lexer_.Peek();
  switch (next) {
    case '"': {
      AXLE_ASSIGN(const std::string_view text, ReadString());
      Attribute string{.kind = AttributeKind::kString, .text = text};
      if (lexer_.Consume(':')) {
        AXLE_ASSIGN(string.type, ReadType());
      }
      return module_.NewAttribute(string);
    }
    case '@': {
      AXLE_ASSIGN(const std::string_view name, ReadSymbol());
      return module_.NewAttribute({.kind = AttributeKind::kSymbol, .text = name});
    }
    case '[':
      return ReadArrayAttribute();
    case '{': {
      const size_t position = lexer_.position();
      std::vector<NamedAttribute> entries;
      AXLE_TRY(ReadEntries(entries));
      return MakeFields(AttributeKind::kDictionary, {}, std::move(entries), position);
    }
    case '#':
      return ReadDialectAttribute();
    case '(':
    case '!': {
      AXLE_ASSIGN(const Type* type, ReadType());
      return MakeType(type);
    }
    default:
      return next == '-' || IsDigit(next) ? ReadNumberAttribute() : ReadWordAttribute();
  }
}

StatusOr<const Attribute*> Reader::ReadArrayAttribute() {
  AXLE_TRY(lexer_.Expect("["));
  std::vector<const Attribute*> elements;
  if (!lexer_.Consume(']')) {
    do {
      AXLE_ASSIGN(const Attribute* element, ReadAttribute());
      elements.push_back(element);
    } while (lexer_.Consume(','));
    AXLE_TRY(lexer_.Expect("]"));
  }
  return MakeArray(elements);
}

StatusOr<const Attribute*> Reader::ReadWordAttribute() {
  const std::string_view word = lexer_.PeekWord();
  const size_t begin = lexer_.position();
  if (word.empty()) return lexer_.Expected("an attribute");
  if (word == "true" || word == "false") return lexer_.Word(), MakeBool(word == "true");
  if (word == "unit") {
    return lexer_.Word(), module_.NewAttribute({.kind = AttributeKind::kUnit});
  }
  if (word == "dense" || word == "dense_resource") return ReadElements();
  if (word == "array") return ReadDenseArray();
  if (word == "loc") {
    AXLE_ASSIGN(const Location* location, ReadOptionalLocation());
    return module_.NewAttribute({.kind = AttributeKind::kLocation, .location = location});
  }
  for (const std::string_view other :
       {"affine_map", "affine_set", "sparse", "strided", "distinct", "opaque"}) {
    if (word != other) continue;
    lexer_.Word();
    if (lexer_.Consume('[')) AXLE_TRY(lexer_.Balanced().status());
    AXLE_TRY(lexer_.Expect("<"));
    AXLE_TRY(lexer_.Balanced().status());
    if (other == "sparse" && lexer_.Consume(':')) AXLE_TRY(ReadType().status());
    return OtherText(begin);
  }
  AXLE_ASSIGN(const Type* type, ReadType());
  return MakeType(type);
}

// The text from `begin` to here, on one line.
StatusOr<const Attribute*> Reader::OtherText(size_t begin) {
  const std::string_view text = lexer_.Slice(begin, lexer_.position());
  if (text.find_first_of("\n\t\r/") == text.npos) {
    return module_.NewAttribute({.kind = AttributeKind::kOther, .text = text});
  }
  std::string flat;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!quoted && text.substr(i).starts_with("//")) i = std::min(text.find('\n', i), text.size());
    if (i >= text.size()) break;
    if (quoted || !IsSpace(text[i])) {
      flat += text[i];
      if (quoted && text[i] == '\\' && i + 1 < text.size())
        flat += text[++i];
      else if (text[i] == '"')
        quoted = !quoted;
    } else if (!flat.empty() && flat.back() != ' ') {
      flat += ' ';
    }
  }
  return MakeText(AttributeKind::kOther, flat);
}

StatusOr<const Attribute*> Reader::ReadNumberAttribute() {
  const std::string_view token = lexer_.Number();
  const size_t position = lexer_.token();
  if (token.empty()) return lexer_.Expected("a number");
  const Type* type = nullptr;
  if (lexer_.Consume(':')) {
    AXLE_ASSIGN(type, ReadType());
  } else {
    type = module_.Element(token.find('.') == token.npos ? S64 : F64);
  }
  return NumberOf(token, position, type);
}

namespace {

// The 64 bits of a number of so many bits: hexadecimal or decimal. Nothing if it does not fit.
std::optional<i64> IntegerBits(std::string_view token, int bits, bool is_unsigned) {
  const bool negative = token.starts_with('-');
  std::string_view digits = token.substr(negative ? 1 : 0);
  const int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const char* end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, magnitude, base);
  if (error != std::errc() || last != end) return std::nullopt;
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  if (negative ? magnitude > (is_unsigned ? 0 : top) : magnitude > top - 1 + top) {
    return std::nullopt;
  }
  std::uint64_t value = negative ? ~magnitude + 1 : magnitude;
  // Signless numbers may be written as unsigned ones.
  if (!is_unsigned && bits < 64 && (value & top) != 0) value |= ~(top - 1 + top);
  return static_cast<i64>(value);
}

}  // namespace

// Of an element type or index.
StatusOr<const Attribute*> Reader::NumberOf(std::string_view token, size_t position,
                                            const Type* type) {
  const bool is_index = type->kind == TypeKind::kIndex;
  const bool is_other = type->kind == TypeKind::kOther;
  if (type->kind != TypeKind::kElement && !is_index && !is_other) {
    return lexer_.ErrorAt(position, StrCat("a number of the type ", type->ToString()));
  }
  const ElementType element = type->kind == TypeKind::kElement ? type->element : S64;
  const ElementTypeInfo& info = Info(element);
  if (info.type_class == TypeClass::kFloat) {
    if (token.find('.') == token.npos && token.find("0x") == token.npos) {
      return lexer_.ErrorAt(position, StrCat("an integer of the float type ", type->ToString(),
                                             "; write ", token, ".0"));
    }
    std::uint64_t bits = 0;
    if (token.find("0x") != token.npos) {
      const std::optional<i64> value = IntegerBits(token, info.bits, true);
      if (!value) {
        return lexer_.ErrorAt(position, StrCat(token, " has more bits than ", type->ToString()));
      }
      bits = static_cast<std::uint64_t>(*value);
    } else {
      auto parsed = ParseMlirFloat(element, token);
      if (!parsed.ok()) return lexer_.ErrorAt(position, parsed.status().message());
      bits = *parsed;
    }
    double number = 0;
    ConvertElements(element, &bits, F64, &number, 1);
    return module_.NewAttribute({.kind = AttributeKind::kFloat,
                                 .type = type,
                                 .integer = static_cast<i64>(bits),
                                 .number = number});
  }
  if (token.find('.') != token.npos || info.type_class == TypeClass::kComplex) {
    return lexer_.ErrorAt(position, StrCat(token, " is no number of the type ", type->ToString()));
  }
  const int bits = element == PRED ? 1 : info.bits;
  const std::optional<i64> value = IntegerBits(token, bits, IsUnsigned(element));
  if (!value) {
    return lexer_.ErrorAt(position, StrCat(token, " is out of the range of ", type->ToString()));
  }
  if (element == PRED) return MakeBool(*value != 0);
  return module_.NewAttribute({.kind = AttributeKind::kInteger, .type = type, .integer = *value});
}

// #alias, #stablehlo<...>, #stablehlo.gather<...>, #sdy.sharding<...>.
StatusOr<const Attribute*> Reader::ReadDialectAttribute() {
  const size_t begin = lexer_.position();
  lexer_.Skip(1);
  const std::string_view name = lexer_.Suffix();
  const bool angle = lexer_.Here() == '<';
  if (name.empty()) return lexer_.ErrorAt(begin, "expected a name behind '#'");
  const size_t dot = name.find('.');
  if (dot == name.npos && !angle) {
    AXLE_ASSIGN(Alias * alias, UseAlias(lexer_.Slice(begin, lexer_.position()), begin));
    return alias->attribute;
  }
  const std::string_view dialect = name.substr(0, dot);
  if (dialect == "stablehlo" || dialect == "chlo") {
    if (dot != name.npos) return ReadOwnAttribute(name.substr(dot + 1), begin, false);
    lexer_.Skip(1);
    const std::string_view mnemonic = lexer_.Word();
    return ReadOwnAttribute(mnemonic, begin, true);
  }
  if (angle) {
    lexer_.Skip(1);
    const std::string_view word = lexer_.PeekWord();
    if (dot == name.npos && !EnumValues(word).empty() && EnumDialect(word) == dialect) {
      lexer_.Word();
      return ReadOwnAttribute(word, begin, true);
    }
    AXLE_TRY(lexer_.Balanced().status());
  }
  return OtherText(begin);
}

// Behind the mnemonic; `enclosed`: in #stablehlo<mnemonic ...>, whose bracket closes at the end.
StatusOr<const Attribute*> Reader::ReadOwnAttribute(std::string_view mnemonic, size_t begin,
                                                    bool enclosed) {
  const Attribute* result = nullptr;
  if (!EnumValues(mnemonic).empty()) {
    const bool bracket = lexer_.Consume('<');
    AXLE_ASSIGN(result, ReadEnum(mnemonic));
    if (bracket) AXLE_TRY(lexer_.Expect(">"));
    if (enclosed) AXLE_TRY(lexer_.Expect(">"));
    return result;
  }
  if (const StructSyntax* syntax = FindStruct(mnemonic); syntax != nullptr) {
    AXLE_ASSIGN(result, ReadStruct(*syntax));
    if (enclosed) AXLE_TRY(lexer_.Expect(">"));
    return result;
  }
  if (enclosed) {
    AXLE_TRY(lexer_.Balanced().status());
  } else if (lexer_.Here() == '<') {
    lexer_.Skip(1);
    AXLE_TRY(lexer_.Balanced().status());
  }
  return OtherText(begin);
}

StatusOr<const Attribute*> Reader::ReadEnum(std::string_view mnemonic) {
  const std::string_view value = lexer_.Word();
  const std::span<const std::string_view> values = EnumValues(mnemonic);
  if (value.empty() || std::ranges::find(values, value) == values.end()) {
    const std::string what = StrCat("expected one of ", Join(values, ", "), " for ", mnemonic);
    return value.empty() ? lexer_.Expected(what.substr(9)) : Error(what);
  }
  return MakeEnum(mnemonic, value);
}

StatusOr<const Attribute*> Reader::ReadStruct(const StructSyntax& syntax) {
  lexer_.Peek();
  const size_t position = lexer_.position();
  std::vector<NamedAttribute> fields;
  if (syntax.mnemonic == "sub_axis_info" && lexer_.Consume('(')) {
    AXLE_ASSIGN(const i64 before, lexer_.Integer());
    AXLE_TRY(lexer_.Expect(")"));
    AXLE_ASSIGN(const i64 size, lexer_.Integer());
    fields = {{"pre_size", MakeInt(before)}, {"size", MakeInt(size)}};
    return MakeFields(AttributeKind::kStruct, syntax.mnemonic, std::move(fields), position);
  }
  AXLE_TRY(lexer_.Expect("<"));
  AXLE_TRY(lexer_.Enter());
  if (syntax.mnemonic == "conv" && !lexer_.ConsumeWord("raw")) {
    if (lexer_.Peek() == '[') {
      AXLE_TRY(ReadConvolutionDimensions(fields));
      AXLE_TRY(lexer_.Expect(">"));
      lexer_.Leave();
      return MakeFields(AttributeKind::kStruct, syntax.mnemonic, std::move(fields), position);
    }
  }
  while (lexer_.Peek() != '>') {
    const std::string_view name = lexer_.Word();
    if (name.empty()) return lexer_.Expected("the name of a field or '>'");
    const auto field = std::ranges::find(syntax.fields, name, &FieldSyntax::name);
    if (field == syntax.fields.end()) {
      return Error(
          StrCat("#", syntax.dialect, ".", syntax.mnemonic, " has no field \"", name, "\""));
    }
    AXLE_TRY(lexer_.Expect("="));
    AXLE_ASSIGN(const Attribute* value, ReadField(*field));
    // What is written by being left out is left out.
    const std::optional<Dims> list = Ints(*value);
    const bool is_default = field->fallback == "[]"  ? list && list->empty()
                            : field->fallback == "0" ? Int(*value) == 0
                                                     : false;
    if (!is_default) fields.push_back({field->name, value});
    if (!lexer_.Consume(',')) break;
  }
  AXLE_TRY(lexer_.Expect(">"));
  lexer_.Leave();
  if (syntax.mnemonic == "result_accuracy") AddAccuracyDefaults(fields);
  for (const FieldSyntax& field : syntax.fields) {
    if (!field.required ||
        std::ranges::find(fields, field.name, &NamedAttribute::name) != fields.end()) {
      continue;
    }
    return lexer_.ErrorAt(position, StrCat("#", syntax.dialect, ".", syntax.mnemonic,
                                           " needs the field \"", field.name, "\""));
  }
  return MakeFields(AttributeKind::kStruct, syntax.mnemonic, std::move(fields), position);
}

// As bytecode has it: all fields are there.
void Reader::AddAccuracyDefaults(std::vector<NamedAttribute>& fields) {
  const auto missing = [&](std::string_view name) {
    return std::ranges::find(fields, name, &NamedAttribute::name) == fields.end();
  };
  for (const std::string_view name : {"atol", "rtol"}) {
    if (!missing(name)) continue;
    fields.push_back({name, module_.NewAttribute(
                                {.kind = AttributeKind::kFloat, .type = module_.Element(F64)})});
  }
  if (missing("ulps")) fields.push_back({"ulps", MakeInt(0)});
}

StatusOr<const Attribute*> Reader::ReadField(const FieldSyntax& field) {
  if (field.kind == "float") {
    const std::string_view token = lexer_.Number();
    if (token.empty()) return lexer_.Expected("a number");
    const size_t position = lexer_.token();
    const std::string text =
        token.find('.') == token.npos ? StrCat(token, ".0") : std::string(token);
    return NumberOf(text, position, module_.Element(F64));
  }
  if (field.kind == "structs") {  // [<name = "x", size = 2>, ...] of mesh axes
    std::vector<const Attribute*> elements;
    AXLE_TRY(lexer_.Expect("["));
    while (lexer_.Peek() != ']') {
      AXLE_ASSIGN(const Attribute* element, ReadOfKind("mesh_axis"));
      elements.push_back(element);
      if (!lexer_.Consume(',')) break;
    }
    AXLE_TRY(lexer_.Expect("]"));
    return MakeArray(elements);
  }
  lexer_.Peek();
  const size_t position = lexer_.position();
  AXLE_ASSIGN(const Attribute* value, ReadOfKind(field.kind));
  std::string unused;
  const bool is_free = field.kind == "any" || field.kind == "array";
  if (is_free || AppendOfKind(value, field.kind, "stablehlo", unused)) return value;
  return lexer_.ErrorAt(position,
                        StrCat("the field \"", field.name, "\" is no ", value->ToString()));
}

// A number of this scalar type, which may stand behind it.
StatusOr<const Attribute*> Reader::ReadTyped(std::string_view type) {
  const std::string_view token = lexer_.Number();
  const size_t position = lexer_.token();
  if (token.empty()) return lexer_.Expected("a number");
  const bool is_float = type == "f64";
  const Type* of = is_float         ? module_.Element(F64)
                   : type == "ui64" ? module_.Element(U64)
                   : type == "ui32" ? module_.Element(U32)
                   : type == "i32"  ? module_.Element(S32)
                                    : module_.Element(S64);
  const size_t end = lexer_.position();
  if (lexer_.Consume(':')) {
    const std::string_view word = lexer_.PeekWord();
    if (word.empty() || word == "tensor" || word == "tuple" || word == "memref") {
      lexer_.Rewind(end);
    } else {
      AXLE_ASSIGN(of, ReadType());
    }
  }
  return NumberOf(token, position, of);
}

StatusOr<const Attribute*> Reader::ReadBools() {
  std::vector<bool> values;
  AXLE_TRY(lexer_.Expect("["));
  if (!lexer_.Consume(']')) {
    do {
      const bool value = lexer_.ConsumeWord("true");
      if (!value && !lexer_.ConsumeWord("false")) return lexer_.Expected("true or false");
      values.push_back(value);
    } while (lexer_.Consume(','));
    AXLE_TRY(lexer_.Expect("]"));
  }
  const Dims dims = {static_cast<i64>(values.size())};
  Literal literal(Shape(PRED, dims));
  std::ranges::copy(values, literal.mutable_data<bool>().begin());
  return module_.NewAttribute({.kind = AttributeKind::kElements,
                               .type = module_.Tensor(dims, module_.Element(PRED)),
                               .mnemonic = "array",
                               .literal = module_.Keep(std::move(literal))});
}

StatusOr<const Attribute*> Reader::ReadEnums(std::string_view mnemonic) {
  std::vector<const Attribute*> elements;
  AXLE_TRY(lexer_.Expect("["));
  while (lexer_.Peek() != ']') {
    AXLE_ASSIGN(const Attribute* element, ReadOfKind(mnemonic));
    elements.push_back(element);
    if (!lexer_.Consume(',')) break;
  }
  AXLE_TRY(lexer_.Expect("]"));
  return MakeArray(elements);
}

// <@mesh, [...]> of #sdy.sharding<...>; {"a"} of #sdy<manual_axes{"a"}>, [...] of the list in
// #sdy.sharding_per_value<[...]>.
StatusOr<const Attribute*> Reader::ReadShardy(std::string_view mnemonic) {
  const char next = lexer_.Peek();
  const size_t begin = lexer_.position();
  if (next == '#') return ReadAttribute();
  if (next != '<' && next != '[' && next != '{') {
    return lexer_.Expected(StrCat("a value of #sdy.", mnemonic));
  }
  lexer_.Skip(1);
  AXLE_TRY(lexer_.Balanced().status());
  AXLE_ASSIGN(const Attribute* text, OtherText(begin));
  if (next == '<') return MakeText(AttributeKind::kOther, StrCat("#sdy.", mnemonic, text->text));
  return MakeText(AttributeKind::kOther, mnemonic == "sharding_per_value"
                                             ? StrCat("#sdy.", mnemonic, "<", text->text, ">")
                                             : StrCat("#sdy<", mnemonic, text->text, ">"));
}

StatusOr<const Attribute*> Reader::ReadOfKind(std::string_view kind) {
  const char next = lexer_.Peek();
  const bool plain = next != '#';  // else the whole attribute is written
  if (kind == "int") return ReadTyped("i64");
  if (kind == "ui64" || kind == "ui32" || kind == "i32") return ReadTyped(kind);
  if (kind == "float") return ReadTyped("f64");
  if (kind == "ints" && next == '[') {
    AXLE_ASSIGN(const Dims values, ReadInts());
    return MakeInts(values);
  }
  if (kind == "bools" && next == '[') return ReadBools();
  if (kind == "elements" && plain) return ReadElements();
  if (kind == "string") {
    AXLE_ASSIGN(const std::string_view text, ReadString());
    return module_.NewAttribute({.kind = AttributeKind::kString, .text = text});
  }
  if (kind == "symbol") {
    AXLE_ASSIGN(const std::string_view name, ReadSymbol());
    return module_.NewAttribute({.kind = AttributeKind::kSymbol, .text = name});
  }
  if (kind == "type" && plain) {
    AXLE_ASSIGN(const Type* type, ReadType());
    return MakeType(type);
  }
  if (kind.starts_with("sdy.")) return ReadShardy(kind.substr(4));
  const StructSyntax* syntax = FindStruct(kind);
  const bool is_own = syntax != nullptr || !EnumValues(kind).empty();
  if (!plain) {
    const size_t begin = lexer_.position();
    AXLE_ASSIGN(const Attribute* attribute, ReadAttribute());
    if (!is_own || attribute->mnemonic == kind) return attribute;
    return lexer_.ErrorAt(begin,
                          StrCat("expected an attribute ", kind, ", not ", attribute->ToString()));
  }
  if (syntax != nullptr) return ReadStruct(*syntax);
  if (is_own) return ReadEnum(kind);
  if (kind.ends_with('s') && !EnumValues(kind.substr(0, kind.size() - 1)).empty()) {
    return ReadEnums(kind.substr(0, kind.size() - 1));
  }
  return ReadAttribute();
}

void Reader::TakeApart(PendingOperation& op, const StructSyntax& syntax, const Attribute& value) {
  for (const FieldSyntax& field : syntax.fields) {
    const Attribute* part = value.Field(field.name);
    if (part == nullptr) continue;
    // A channel has a type only in the operations whose rows say so.
    if (op.syntax != nullptr && op.syntax->FindAttribute(field.attribute) == nullptr) continue;
    op.Set(field.attribute, part);
  }
}

// [b, 0, f] with these letters: where each letter is, and where 0, 1, ... are.
Status Reader::ReadDimensionLabels(std::string_view letters, Dims& spatial, std::span<i64> others) {
  const size_t begin = lexer_.position();
  AXLE_TRY(lexer_.Expect("["));
  std::ranges::fill(others, -1);
  std::vector<std::pair<i64, i64>> found;  // number, place
  i64 place = 0;
  if (lexer_.Peek() != ']') {
    do {
      if (IsDigit(lexer_.Peek())) {
        AXLE_ASSIGN(const i64 number, lexer_.Integer());
        found.emplace_back(number, place++);
        continue;
      }
      if (lexer_.Consume('?')) {
        ++place;
        continue;
      }
      const std::string_view word = lexer_.Word();
      const size_t letter = word.size() == 1 ? letters.find(word[0]) : letters.npos;
      if (letter == letters.npos || others[letter] != -1) {
        return Error(StrCat("expected numbers, and each of the letters ", letters, " once"));
      }
      others[letter] = place++;
    } while (lexer_.Consume(','));
  }
  AXLE_TRY(lexer_.Expect("]"));
  for (size_t i = 0; i < letters.size(); ++i) {
    if (others[i] == -1) {
      return lexer_.ErrorAt(begin, StrCat("the dimension ", letters.substr(i, 1), " is missing"));
    }
  }
  std::ranges::sort(found);
  spatial.assign(found.size(), 0);
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].first != static_cast<i64>(i)) {
      return lexer_.ErrorAt(
          begin, StrCat("expected each of the numbers from 0 to ", found.size() - 1, " once"));
    }
    spatial[i] = found[i].second;
  }
  return {};
}

Status Reader::ReadConvolutionDimensions(std::vector<NamedAttribute>& fields) {
  Dims input, kernel, output;
  i64 in[2], weight[2], out[2];
  AXLE_TRY(ReadDimensionLabels("bf", input, in));
  AXLE_TRY(lexer_.ExpectWord("x"));
  AXLE_TRY(ReadDimensionLabels("io", kernel, weight));
  AXLE_TRY(lexer_.Expect("->"));
  AXLE_TRY(ReadDimensionLabels("bf", output, out));
  fields = {{"input_batch_dimension", MakeInt(in[0])},
            {"input_feature_dimension", MakeInt(in[1])},
            {"input_spatial_dimensions", MakeInts(input)},
            {"kernel_input_feature_dimension", MakeInt(weight[0])},
            {"kernel_output_feature_dimension", MakeInt(weight[1])},
            {"kernel_spatial_dimensions", MakeInts(kernel)},
            {"output_batch_dimension", MakeInt(out[0])},
            {"output_feature_dimension", MakeInt(out[1])},
            {"output_spatial_dimensions", MakeInts(output)}};
  return {};
}

StatusOr<const Location*> Reader::ReadOptionalLocation() {
  if (lexer_.Peek() != 'l' || !lexer_.ConsumeWord("loc")) return nullptr;
  AXLE_TRY(lexer_.Expect("("));
  AXLE_ASSIGN(const Location* location, ReadLocation());
  AXLE_TRY(lexer_.Expect(")"));
  return location;
}

// callsite(a at callsite(b at ...)) may be long, so the chain is not followed by recursion.
StatusOr<const Location*> Reader::ReadLocation() {
  std::vector<const Location*> callees;
  while (lexer_.ConsumeWord("callsite")) {
    AXLE_TRY(lexer_.Expect("("));
    AXLE_ASSIGN(const Location* callee, ReadLocationPart());
    AXLE_TRY(lexer_.ExpectWord("at"));
    callees.push_back(callee);
  }
  AXLE_ASSIGN(const Location* location, ReadLocationPart());
  for (; !callees.empty(); callees.pop_back()) {
    AXLE_TRY(lexer_.Expect(")"));
    const Location* parts[] = {callees.back(), location};
    location =
        module_.NewLocation({.kind = Location::Kind::kCallSite,
                             .children = module_.Copy(std::span<const Location* const>(parts))});
  }
  return location;
}

StatusOr<const Location*> Reader::ReadLocationPart() {
  AXLE_TRY(lexer_.Enter());
  StatusOr<const Location*> result = nullptr;
  const char next = lexer_.Peek();
  if (next == '"') {
    result = ReadNameOrFile();
  } else if (next == '#') {
    const size_t begin = lexer_.position();
    AXLE_ASSIGN(const Attribute* attribute, ReadLocationAlias());
    // Locations of dialects are not known by what they say.
    result = attribute->kind == AttributeKind::kLocation ? attribute->location
                                                         : module_.unknown_location();
    if (attribute->kind != AttributeKind::kLocation && attribute->kind != AttributeKind::kOther) {
      return lexer_.ErrorAt(begin, "expected a location");
    }
  } else if (lexer_.ConsumeWord("unknown")) {
    result = module_.unknown_location();
  } else if (lexer_.ConsumeWord("fused")) {
    result = ReadFused();
  } else if (lexer_.PeekWord() == "callsite") {
    result = ReadLocation();
  } else {
    return lexer_.Expected("a location");
  }
  lexer_.Leave();
  return result;
}

// An alias, whose parts are shared, or what a dialect writes.
StatusOr<const Attribute*> Reader::ReadLocationAlias() {
  const size_t begin = lexer_.position();
  lexer_.Skip(1);
  const std::string_view name = lexer_.Suffix();
  if (name.empty() || name.find('.') != name.npos || lexer_.Here() == '<') {
    lexer_.Rewind(begin);
    return ReadDialectAttribute();
  }
  AXLE_ASSIGN(Alias * alias, FindAlias(lexer_.Slice(begin, lexer_.position()), begin));
  AXLE_TRY(lexer_.Reach(alias->metadata_depth));
  metadata_depth_ = std::max(metadata_depth_, alias->metadata_depth);
  return alias->attribute;
}

// "name", "name"(child), "file":1:2, "file":1:2 to :3, "file":1:2 to 3:4.
StatusOr<const Location*> Reader::ReadNameOrFile() {
  AXLE_ASSIGN(const std::string_view text, ReadString());
  if (!lexer_.Consume(':')) {
    Location name{.kind = Location::Kind::kName, .text = text};
    if (lexer_.Consume('(')) {
      AXLE_ASSIGN(const Location* child, ReadLocation());
      AXLE_TRY(lexer_.Expect(")"));
      name.children = module_.Copy(std::span<const Location* const>(&child, 1));
    }
    return module_.NewLocation(name);
  }
  Location file{.kind = Location::Kind::kFile, .text = text};
  AXLE_ASSIGN(file.line, lexer_.Integer());
  AXLE_TRY(lexer_.Expect(":"));
  AXLE_ASSIGN(file.column, lexer_.Integer());
  if (lexer_.ConsumeWord("to")) {
    file.end_line = file.line;
    if (lexer_.Peek() != ':') {
      AXLE_ASSIGN(file.end_line, lexer_.Integer());
    }
    AXLE_TRY(lexer_.Expect(":"));
    AXLE_ASSIGN(file.end_column, lexer_.Integer());
  }
  return module_.NewLocation(file);
}

StatusOr<const Location*> Reader::ReadFused() {
  Location fused{.kind = Location::Kind::kFused};
  if (lexer_.Consume('<')) {
    const int outer = lexer_.BeginDepth();
    AXLE_ASSIGN(fused.metadata, ReadAttribute());
    metadata_depth_ = std::max(metadata_depth_, lexer_.EndDepth(outer));
    AXLE_TRY(lexer_.Expect(">"));
  }
  std::vector<const Location*> parts;
  AXLE_TRY(lexer_.Expect("["));
  while (lexer_.Peek() != ']') {
    AXLE_ASSIGN(const Location* part, ReadLocation());
    parts.push_back(part);
    if (!lexer_.Consume(',')) break;
  }
  AXLE_TRY(lexer_.Expect("]"));
  fused.children = module_.Copy(parts);
  return module_.NewLocation(fused);
}

}  // namespace axle::mlir
