// Types. Those of tensors whose text has no inner brackets are looked up by that text.
#include "axle/core/strings.h"
#include "axle/stablehlo/mlir/reader.h"

namespace axle::mlir {
namespace {

const std::unordered_map<std::string, ElementType>& ElementNames() {
  static const std::unordered_map<std::string, ElementType> names = [] {
    std::unordered_map<std::string, ElementType> made;
    for (const ElementTypeInfo& info : kElementTypes) {
      if (info.bytes == 0 || info.type == S1 || info.type == U1) continue;
      made.emplace(Type{.kind = TypeKind::kElement, .element = info.type}.ToString(), info.type);
    }
    return made;
  }();
  return names;
}

// i128, si8, f80 and the like: types of MLIR whose values nothing here can hold.
bool IsOtherScalar(std::string_view word) {
  if (word == "tf32" || word == "f80" || word == "f128") return true;
  for (const std::string_view prefix : {"i", "si", "ui"}) {
    if (!word.starts_with(prefix) || word.size() == prefix.size()) continue;
    const std::string_view digits = word.substr(prefix.size());
    if (digits.find_first_not_of("0123456789") == digits.npos) return true;
  }
  return false;
}

}  // namespace

StatusOr<const Type*> Reader::ReadType() {
  AXLE_TRY(lexer_.Enter());
  ++size_;
  const char next = lexer_.Peek();
  auto type = next == '(' ? ReadFunctionType() : next == '!' ? ReadDialectType() : ReadNamedType();
  lexer_.Leave();
  return type;
}

Status Reader::ReadTypes(std::vector<const Type*>& types) {
  do {
    AXLE_ASSIGN(const Type* type, ReadType());
    types.push_back(type);
  } while (lexer_.Consume(','));
  return {};
}

Status Reader::ReadTypeList(std::string_view close, std::vector<const Type*>& types) {
  if (lexer_.Consume(close)) return {};
  AXLE_TRY(ReadTypes(types));
  return lexer_.Expect(close);
}

Status Reader::ReadResultTypes(std::vector<const Type*>& results) {
  if (lexer_.Consume('(')) return ReadTypeList(")", results);
  AXLE_ASSIGN(const Type* type, ReadType());
  results.push_back(type);
  return {};
}

Status Reader::ReadSignature(std::vector<const Type*>& inputs, std::vector<const Type*>& results) {
  AXLE_TRY(lexer_.Expect("("));
  AXLE_TRY(ReadTypeList(")", inputs));
  AXLE_TRY(lexer_.Expect("->"));
  return ReadResultTypes(results);
}

StatusOr<const Type*> Reader::ReadFunctionType() {
  Type type{.kind = TypeKind::kFunction};
  AXLE_TRY(ReadSignature(type.inputs, type.results));
  return module_.Get(std::move(type));
}

StatusOr<const Type*> Reader::TypeText(size_t begin) {
  return module_.Get(
      {.kind = TypeKind::kOther, .text = std::string(lexer_.Slice(begin, lexer_.position()))});
}

StatusOr<const Type*> Reader::ReadNamedType() {
  const std::string_view word = lexer_.Word();
  const size_t begin = lexer_.token();
  if (word.empty()) return lexer_.Expected("a type");
  if (word == "tensor" || word == "memref") {
    const std::string_view text = lexer_.text();
    const size_t close = text.find('>', lexer_.position());
    // Without inner brackets; a short text, for the search to be short.
    if (close == text.npos || close - begin > 128 ||
        text.substr(lexer_.position() + 1, close - lexer_.position() - 1)
                .find_first_of("<,\"/\n") != text.npos) {
      return ReadShaped(word == "tensor" ? TypeKind::kTensor : TypeKind::kBuffer);
    }
    const Type*& known = types_[text.substr(begin, close + 1 - begin)];
    if (known != nullptr) {
      lexer_.Rewind(close + 1);
      return known;
    }
    AXLE_ASSIGN(known, ReadShaped(word == "tensor" ? TypeKind::kTensor : TypeKind::kBuffer));
    return known;
  }
  if (word == "tuple") {
    Type type{.kind = TypeKind::kTuple};
    AXLE_TRY(lexer_.Expect("<"));
    AXLE_TRY(ReadTypeList(">", type.inputs));
    return module_.Get(std::move(type));
  }
  if (word == "complex") {
    AXLE_TRY(lexer_.Expect("<"));
    AXLE_ASSIGN(const Type* part, ReadType());
    if (part->kind != TypeKind::kElement || (part->element != F32 && part->element != F64)) {
      return Error(StrCat("complex<", part->ToString(), "> is not supported, only f32 and f64"));
    }
    AXLE_TRY(lexer_.Expect(">"));
    return module_.Element(part->element == F32 ? C64 : C128);
  }
  if (word == "index") return module_.Get({.kind = TypeKind::kIndex});
  if (word == "none") return module_.Get({.kind = TypeKind::kNone});
  if (word == "vector") {
    AXLE_TRY(lexer_.Expect("<"));
    AXLE_TRY(lexer_.Balanced().status());
    return TypeText(begin);
  }
  const auto found = ElementNames().find(std::string(word));
  if (found != ElementNames().end()) return module_.Element(found->second);
  if (IsOtherScalar(word)) return TypeText(begin);
  return lexer_.ErrorAt(begin, StrCat("\"", word, "\" is no type"));
}

// 4x?x up to the element type.
StatusOr<Dims> Reader::ReadDimensions(bool& unranked) {
  Dims dims;
  unranked = lexer_.Consume('*');
  if (unranked) {
    if (lexer_.Here() != 'x') return lexer_.Expected("'x' behind '*'");
    lexer_.Skip(1);
    return dims;
  }
  for (char next = lexer_.Peek(); IsDigit(next) || next == '?'; next = lexer_.Peek()) {
    if (next == '?') {
      lexer_.Skip(1);
      dims.push_back(kDynamic);
    } else {
      i64 size = 0;
      for (; IsDigit(lexer_.Here()); lexer_.Skip(1)) {
        if (__builtin_mul_overflow(size, i64{10}, &size) ||
            __builtin_add_overflow(size, i64{lexer_.Here() - '0'}, &size)) {
          return Error("the size of a dimension does not fit into 64 bits");
        }
      }
      dims.push_back(size);
    }
    if (lexer_.Here() != 'x') return lexer_.Expected("'x' behind the size of a dimension");
    lexer_.Skip(1);
  }
  return dims;
}

StatusOr<const Type*> Reader::ReadShaped(TypeKind kind) {
  AXLE_TRY(lexer_.Expect("<"));
  Type type{.kind = kind};
  bool unranked = false;
  AXLE_ASSIGN(type.dims, ReadDimensions(unranked));
  if (unranked) type.kind = TypeKind::kUnranked;
  AXLE_ASSIGN(type.of, ReadType());
  if (lexer_.Consume(',')) AXLE_TRY(ReadEncoding(type));
  AXLE_TRY(lexer_.Expect(">"));
  if (unranked && kind == TypeKind::kBuffer) {
    return module_.Get({.kind = TypeKind::kOther,
                        .text = StrCat("memref<*x", type.of->ToString(),
                                       type.text.empty() ? "" : ", ", type.text, ">")});
  }
  return module_.Get(std::move(type));
}

// #stablehlo.bounds<?, 8>, #stablehlo.type_extensions<bounds = [?, 8]>, or anything as text.
Status Reader::ReadEncoding(Type& type) {
  lexer_.Peek();
  const size_t begin = lexer_.position();
  if (lexer_.Peek() == '#' && type.is_tensor()) {
    lexer_.Skip(1);
    const std::string_view name = lexer_.Suffix();
    const bool is_extension = name == "stablehlo.type_extensions";
    if (is_extension || name == "stablehlo.bounds") {
      AXLE_TRY(lexer_.Expect("<"));
      if (is_extension) {
        AXLE_TRY(lexer_.ExpectWord("bounds"));
        AXLE_TRY(lexer_.Expect("="));
        AXLE_ASSIGN(type.bounds, ReadInts());
      } else if (lexer_.Peek() != '>') {
        do {
          i64 bound = kDynamic;
          if (!lexer_.Consume('?')) {
            AXLE_ASSIGN(bound, lexer_.Integer());
          }
          type.bounds.push_back(bound);
        } while (lexer_.Consume(','));
      }
      AXLE_TRY(lexer_.Expect(">"));
      if (type.bounds.size() == type.dims.size()) return {};
      return lexer_.ErrorAt(
          begin, StrCat(type.bounds.size(), " bounds for ", type.dims.size(), " dimensions"));
    }
    if (name.find('.') == name.npos && lexer_.Here() != '<') {
      AXLE_ASSIGN(Alias * alias, UseAlias(StrCat("#", name), begin));
      // What stands there is the encoding.
      const size_t end = lexer_.position();
      lexer_.Rewind(alias->value);
      AXLE_TRY(lexer_.Enter());
      AXLE_TRY(ReadEncoding(type));
      lexer_.Leave();
      lexer_.Rewind(end);
      return {};
    }
    lexer_.Rewind(begin);
  }
  do {  // a layout and a memory space of buffers
    AXLE_ASSIGN(const Attribute* attribute, ReadAttribute());
    StrAppend(type.text, type.text.empty() ? "" : ", ", attribute->ToString());
  } while (lexer_.Consume(','));
  return {};
}

StatusOr<const Type*> Reader::ReadDialectType() {
  const size_t begin = lexer_.position();
  lexer_.Skip(1);
  const std::string_view name = lexer_.Suffix();
  if (name == "stablehlo.token" || name == "mhlo.token") {
    return module_.Get({.kind = TypeKind::kToken});
  }
  if (name == "stablehlo.future") {
    Type type{.kind = TypeKind::kFuture};
    AXLE_TRY(lexer_.Expect("<"));
    AXLE_TRY(ReadTypeList(">", type.inputs));
    return module_.Get(std::move(type));
  }
  if (name == "quant.uniform") return ReadQuantized();
  if (name.find('.') != name.npos || lexer_.Here() == '<') {
    if (name.empty()) return lexer_.ErrorAt(begin, "expected the name of a type behind '!'");
    if (lexer_.Here() == '<') {
      lexer_.Skip(1);
      AXLE_TRY(lexer_.Balanced().status());
    }
    return TypeText(begin);
  }
  AXLE_ASSIGN(Alias * alias, UseAlias(lexer_.Slice(begin, lexer_.position()), begin));
  return alias->type;
}

// i8<-128:127> or u8.
Status Reader::ReadStorage(Quantization& quantization) {
  const std::string_view word = lexer_.Word();
  const size_t begin = lexer_.token();
  if (word.empty()) return lexer_.Expected("the type in which values are stored, such as i8");
  const bool is_short = word.starts_with('u') && !word.starts_with("ui");
  const std::string name = is_short ? StrCat("ui", word.substr(1)) : std::string(word);
  const auto found = ElementNames().find(name);
  const bool known =
      found != ElementNames().end() && IsIntegral(found->second) && Info(found->second).bits <= 32;
  if (!known) return lexer_.ErrorAt(begin, StrCat("values cannot be stored as ", word));
  quantization.storage = found->second;
  const int bits = Info(found->second).bits;
  const bool is_signed = IsSigned(found->second);
  quantization.storage_min = is_signed ? -(i64{1} << (bits - 1)) : 0;
  quantization.storage_max = is_signed ? (i64{1} << (bits - 1)) - 1 : (i64{1} << bits) - 1;
  if (!lexer_.Consume('<')) return {};
  const size_t range = lexer_.token();
  AXLE_ASSIGN(const i64 low, lexer_.Integer());
  AXLE_TRY(lexer_.Expect(":"));
  AXLE_ASSIGN(const i64 high, lexer_.Integer());
  AXLE_TRY(lexer_.Expect(">"));
  if (low < quantization.storage_min || high > quantization.storage_max || low > high) {
    return lexer_.ErrorAt(range, StrCat("the range ", low, ":", high, " is not within ", word));
  }
  quantization.storage_min = low;
  quantization.storage_max = high;
  return {};
}

// 0.5 or 0.5:3
Status Reader::ReadScale(Quantization& quantization) {
  const std::string_view token = lexer_.Number();
  if (token.empty()) return lexer_.Expected("a scale");
  AXLE_ASSIGN(const Attribute* scale, NumberOf(token, lexer_.token(), module_.Element(F64)));
  quantization.scales.push_back(scale->number);
  i64 zero_point = 0;
  if (lexer_.Consume(':')) {
    AXLE_ASSIGN(zero_point, lexer_.Integer());
  }
  quantization.zero_points.push_back(zero_point);
  return {};
}

StatusOr<const Type*> Reader::ReadQuantized() {
  Type type{.kind = TypeKind::kQuantized};
  Quantization& quantization = type.quantization;
  AXLE_TRY(lexer_.Expect("<"));
  AXLE_TRY(ReadStorage(quantization));
  AXLE_TRY(lexer_.Expect(":"));
  AXLE_ASSIGN(const Type* expressed, ReadType());
  if (expressed->kind != TypeKind::kElement || !IsFloating(expressed->element)) {
    return Error("the expressed type of a quantized type is a float");
  }
  quantization.expressed = expressed->element;
  const auto sub_channels = [&] {
    return Unimplemented(
        lexer_.Error("quantization of sub-channels, with scales for blocks, is not supported")
            .message());
  };
  if (lexer_.Consume(':')) {
    if (lexer_.Peek() == '{') return sub_channels();
    AXLE_ASSIGN(quantization.axis, lexer_.Integer());
    if (quantization.axis < 0) return Error("the axis of a quantized type is negative");
  }
  AXLE_TRY(lexer_.Expect(","));
  if (quantization.axis < 0) {
    AXLE_TRY(ReadScale(quantization));
  } else {
    AXLE_TRY(lexer_.Expect("{"));
    if (lexer_.Peek() == '{') return sub_channels();
    do {
      AXLE_TRY(ReadScale(quantization));
    } while (lexer_.Consume(','));
    AXLE_TRY(lexer_.Expect("}"));
  }
  AXLE_TRY(lexer_.Expect(">"));
  return module_.Get(std::move(type));
}

}  // namespace axle::mlir
