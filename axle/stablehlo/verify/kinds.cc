// The types that an operand or result may have; rules.h has the notation.
#include <algorithm>
#include <unordered_map>

#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {
namespace {

using mlir::OperandSyntax;
using mlir::Type;
using mlir::TypeKind;

struct Kind {
  std::string_view elements;  // letters of elements
  std::string_view others;    // letters of types that are no tensors
  i64 rank = -1;              // -1: any
  bool is_static = false;     // `=`
  bool is_bounded = false;    // `<`
  bool unranked = false;      // `*`
};

struct Kinds {
  std::vector<Kind> operands, results;
};

struct LetterText {
  char letter;
  std::string_view text;
};

constexpr LetterText kLetters[] = {
    {'p', "i1"},
    {'i', "integers"},
    {'s', "signed integers"},
    {'u', "unsigned integers"},
    {'f', "floats"},
    {'g', "f32 or f64"},
    {'c', "complex numbers"},
    {'q', "numbers quantized per tensor"},
    {'a', "numbers quantized per axis"},
    {'w', "i32"},
    {'y', "ui32"},
    {'x', "indices"},
    {'T', "a token"},
    {'U', "a tuple"},
    {'M', "a buffer"},
    {'V', "a future"},
};

std::string_view LetterTextOf(char letter) {
  return std::ranges::find(kLetters, letter, &LetterText::letter)->text;
}

Kind ReadKind(std::string_view word) {
  Kind kind;
  for (bool more = true; more && !word.empty();) {
    const char c = word.front();
    more = c == '*' || c == '=' || c == '<' || (c >= '0' && c <= '9');
    if (!more) break;
    if (c == '*') kind.unranked = true;
    if (c == '=') kind.is_static = true;
    if (c == '<') kind.is_bounded = true;
    if (c >= '0' && c <= '9') kind.rank = c - '0';
    word.remove_prefix(1);
  }
  const size_t end = std::min(word.find_first_of("TUMV"), word.size());
  kind.elements = word.substr(0, end);
  kind.others = word.substr(end);
  return kind;
}

Kinds ReadKinds(std::string_view text) {
  Kinds kinds;
  bool is_result = false;
  while (!text.empty()) {
    const size_t blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (word == "->") {
      is_result = true;
    } else {
      (is_result ? kinds.results : kinds.operands).push_back(ReadKind(word));
    }
  }
  return kinds;
}

const Kinds& KindsOf(const Rule& rule) {
  static const std::unordered_map<std::string_view, Kinds> all = [] {
    std::unordered_map<std::string_view, Kinds> made;
    for (const Rule& each : AllRules()) made.emplace(each.name, ReadKinds(each.kinds));
    return made;
  }();
  return all.at(rule.name);
}

bool FitsLetter(const Type& element, char letter) {
  if (element.kind == TypeKind::kQuantized) {
    return letter == (element.quantization.axis < 0 ? 'q' : 'a');
  }
  if (element.kind == TypeKind::kIndex) return letter == 'x';
  if (element.kind != TypeKind::kElement) return false;
  const ElementType type = element.element;
  // One bit is what i1 has; integers have at least two.
  const bool is_integer = IsIntegral(type) && Info(type).bits > 1;
  switch (letter) {
    case 'p':
      return type == PRED;
    case 'i':
      return is_integer;
    case 's':
      return is_integer && IsSigned(type);
    case 'u':
      return is_integer && IsUnsigned(type);
    case 'f':
      return IsFloating(type);
    case 'g':
      return type == F32 || type == F64;
    case 'c':
      return IsComplex(type);
    case 'w':
      return type == S32;
    case 'y':
      return type == U32;
    default:
      return false;
  }
}

bool HasElement(const Type& type, const Kind& kind) {
  return std::ranges::any_of(kind.elements,
                             [&](char letter) { return FitsLetter(*type.of, letter); });
}

// Every open dimension has a bound, and there is one at most.
bool HasOneBound(const Type& tensor) {
  const auto is_bound = [](i64 bound) { return !IsOpenSize(bound); };
  return std::ranges::count_if(tensor.dims, IsOpenSize) == 1 &&
         std::ranges::count_if(tensor.bounds, is_bound) == 1;
}

bool HasOther(const Kind& kind, char letter) {
  return kind.others.find(letter) != std::string_view::npos;
}

bool Fits(const Type& type, const Kind& kind) {
  switch (type.kind) {
    case TypeKind::kToken:
      return HasOther(kind, 'T');
    case TypeKind::kFuture:
      return HasOther(kind, 'V');
    case TypeKind::kTuple:
      return HasOther(kind, 'U');
    case TypeKind::kBuffer:
      return HasOther(kind, 'M');
    case TypeKind::kUnranked:
      return kind.unranked && HasElement(type, kind);
    case TypeKind::kTensor:
      if (!HasElement(type, kind)) return false;
      if (kind.rank >= 0 && RankOf(type) != kind.rank) return false;
      if (kind.is_static) return type.is_static_tensor();
      return !kind.is_bounded || type.is_static_tensor() || HasOneBound(type);
    default:
      return false;
  }
}

std::string KindText(const Kind& kind) {
  std::vector<std::string> choices;
  if (!kind.elements.empty()) {
    std::string text = "a ";
    if (kind.is_static) text += "static ";
    text += kind.rank == 0 ? "scalar" : "tensor";
    if (kind.rank > 0) text += StrCat(" of rank ", kind.rank);
    if (kind.is_bounded) text += ", static or with one bound,";
    text += " of ";
    for (size_t i = 0; i < kind.elements.size(); ++i) {
      if (i > 0) text += i + 1 == kind.elements.size() ? " or " : ", ";
      text += LetterTextOf(kind.elements[i]);
    }
    choices.push_back(std::move(text));
  }
  for (const char letter : kind.others) choices.emplace_back(LetterTextOf(letter));
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += choices[i];
  }
  return text;
}

Status Check(const Subject& op, const Type& type, const Kind& kind, std::string_view what, size_t i,
             std::string_view name) {
  if (!Fits(type, kind)) {
    return op.Error(what, " ", i, " (", name, ") is ", type.ToString(), ", not ", KindText(kind));
  }
  return CheckQuantization(op, type, StrCat(what, " ", i));
}

}  // namespace

Status VerifyKinds(const Subject& op, const Rule& rule) {
  const Kinds& kinds = KindsOf(rule);
  for (size_t position = 0; position < kinds.operands.size(); ++position) {
    const auto [begin, end] = op.Group(position);
    for (size_t i = begin; i < end; ++i) {
      AXLE_TRY(Check(op, op.operand(i), kinds.operands[position], "operand", i,
                     op.row().operands[position].name));
    }
  }
  // Results with several names are of one kind, or each name is one result.
  for (size_t i = 0; i < op.num_results() && !kinds.results.empty(); ++i) {
    const size_t position = std::min(i, kinds.results.size() - 1);
    AXLE_TRY(Check(op, op.result(i), kinds.results[position], "result", i,
                   op.row().results[position].name));
  }
  return {};
}

}  // namespace axle::stablehlo
