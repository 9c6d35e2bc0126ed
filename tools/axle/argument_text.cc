#include "tools/axle/argument_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "axle/core/npz.h"
#include "axle/core/scanner.h"
#include "axle/core/strings.h"
#include "axle/ops/open_sizes.h"

namespace axle::tool {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr const char* kUnpaired = "its brackets or braces do not pair up";
constexpr std::string_view kNoBroadcast = "; nothing is broadcast";

// Steps over one element: a word or number, a NaN with its payload, or a complex number in
// parentheses, whose parts may have payloads.
size_t ElementEnd(std::string_view text, size_t begin) {
  size_t end = std::min(text.find_first_of(" \t\r\n,{}(", begin), text.size());
  if (end == text.size() || text[end] != '(') return std::max(end, begin + 1);
  for (int depth = 0; end < text.size();) {
    depth += text[end] == '(';
    depth -= text[end] == ')';
    ++end;
    if (depth == 0) break;
  }
  return end;
}

// The sizes that nested braces have, by the first group of each depth; nothing if they do not
// balance. Whether all groups are alike is for the reader of the literal.
std::optional<Dims> NestedSizes(std::string_view text) {
  std::vector<i64> sizes;
  std::vector<bool> is_counted;  // the first group of this depth is through
  size_t depth = 0;
  const auto count = [&] {
    if (depth > 0 && !is_counted[depth - 1]) ++sizes[depth - 1];
  };
  for (size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("/*")) {
      const size_t end = text.find("*/", i + 2);
      if (end == text.npos) return {};
      i = end + 2;
    } else if (text[i] == '{') {
      count();
      if (++depth > sizes.size()) {
        sizes.push_back(0);
        is_counted.push_back(false);
      }
      ++i;
    } else if (text[i] == '}') {
      if (depth == 0) return {};
      is_counted[--depth] = true;
      ++i;
    } else if (text[i] == ',' || kSpace.find(text[i]) != kSpace.npos) {
      ++i;
    } else {
      count();
      i = ElementEnd(text, i);
    }
  }
  if (depth != 0) return {};
  return Dims(sizes.begin(), sizes.end());
}

i64 CountElements(std::string_view text) {
  i64 count = 0;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ',' || kSpace.find(text[i]) != kSpace.npos) {
      ++i;
      continue;
    }
    ++count;
    i = ElementEnd(text, i);
  }
  return count;
}

Status AllRead(Scanner& scanner) {
  return scanner.AtEnd() ? Status() : scanner.Error("unexpected text after the value");
}

// Sizes that values of this shape can have: those of `shape`, or less where it is dynamic.
bool SizesFit(const Dims& sizes, const Shape& shape) {
  if (static_cast<i64>(sizes.size()) != shape.rank()) return false;
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == kUnboundedSize) continue;
    if (shape.is_dynamic(d) ? sizes[d] > shape.dim(d) : sizes[d] != shape.dim(d)) return false;
  }
  return true;
}

// All elements between braces, of sizes that fit.
StatusOr<Literal> ParseNested(const std::string& text, const Shape& shape) {
  const std::optional<Dims> sizes = NestedSizes(text);
  if (!sizes) return InvalidArgument(kUnpaired);
  const bool is_empty = shape.is_static() && shape.num_elements() == 0;
  constexpr size_t kMaxPrintedRank = 64;
  if (!is_empty && !SizesFit(*sizes, shape)) {
    return InvalidArgument(StrCat("the value is ",
                                  sizes->size() > kMaxPrintedRank
                                      ? StrCat(sizes->size(), " levels deep")
                                      : StrCat(Name(shape.type()), "[", Join(*sizes, ","), "]"),
                                  " but the program expects ", shape.ToString(), kNoBroadcast));
  }
  Scanner scanner(text, "value");
  const Shape given = !is_empty ? Shape(shape.type(), *sizes) : Shape(shape.type(), shape.dims());
  AXLE_ASSIGN(Literal literal, ParseLiteral(scanner, given));
  AXLE_TRY(AllRead(scanner));
  return literal;
}

// Elements without braces, in row-major order.
StatusOr<Literal> ParseFlat(const std::string& text, const Shape& shape) {
  if (text.find_first_of("{}") != text.npos) return InvalidArgument(kUnpaired);
  const i64 count = CountElements(text);
  if (shape.rank() > 1 && HasOpenSize(shape)) {
    return InvalidArgument(StrCat("the program expects ", shape.ToString(),
                                  ", whose sizes are open: nest the values in braces"));
  }
  if (!shape.is_static() && shape.rank() > 1 && count != shape.num_elements()) {
    return InvalidArgument(StrCat("the program expects ", shape.ToString(),
                                  ", whose sizes vary: nest the values in braces"));
  }
  const Dims sizes = shape.is_static() || shape.rank() > 1 ? shape.dims() : Dims{count};
  if (!SizesFit(sizes, shape) || count != Shape(shape.type(), sizes).num_elements()) {
    return InvalidArgument(StrCat(
        count, count == 1 ? " value" : " values", ", but the program expects ", shape.ToString(),
        ", which takes ", shape.is_static() ? "" : "at most ", shape.num_elements(), kNoBroadcast));
  }
  AXLE_ASSIGN(Literal literal, Literal::Create(Shape(shape.type(), sizes)));
  const i64 bytes = Info(shape.type()).bytes;
  Scanner scanner(text, "value");
  for (i64 i = 0; i < count; ++i) {
    AXLE_ASSIGN(const Literal element, ParseLiteral(scanner, Shape(shape.type())));
    std::memcpy(literal.mutable_bytes() + i * bytes, element.bytes(), static_cast<size_t>(bytes));
    scanner.Consume(",");
  }
  AXLE_TRY(AllRead(scanner));
  return literal;
}

// Values without their shape.
StatusOr<Literal> ParseValues(std::string_view values, const Shape& shape) {
  std::string text(values);
  std::ranges::replace(text, '[', '{');
  std::ranges::replace(text, ']', '}');
  const size_t first = text.find_first_not_of(kSpace);
  const bool has_braces = first != text.npos && text[first] == '{';
  if (has_braces) {
    StatusOr<Literal> literal = ParseNested(text, shape);
    const bool has_both = values.find_first_of("{}") != values.npos && text != values;
    if (literal.ok() || text == values || has_both) return literal;
    std::string message = literal.status().message();  // as the value was written
    std::ranges::replace(message, '{', '[');
    std::ranges::replace(message, '}', ']');
    return InvalidArgument(message);
  }
  if (shape.rank() > 0 || CountElements(text) != 1) return ParseFlat(text, shape);
  Scanner scanner(text, "value");
  AXLE_ASSIGN(Literal literal, ParseLiteral(scanner, shape));
  AXLE_TRY(AllRead(scanner));
  return literal;
}

// Text that begins with a shape: a word with a bracket behind it.
bool BeginsWithShape(std::string_view text) {
  const size_t first = std::min(text.find_first_not_of(kSpace), text.size());
  size_t end = first;
  while (end < text.size() && (IsAlnum(text[end]) || text[end] == '_')) ++end;
  return end > first && !IsDigit(text[first]) && end < text.size() && text[end] == '[';
}

// Without the number that XLA puts behind names, "w.1".
std::string_view WithoutNumber(std::string_view name) {
  const size_t point = name.rfind('.');
  const bool is_number = point != name.npos && point > 0 && point + 1 < name.size() &&
                         name.find_first_not_of("0123456789", point + 1) == name.npos;
  return is_number ? name.substr(0, point) : name;
}

}  // namespace

StatusOr<Literal> ParseArgument(std::string_view text, const Shape& shape) {
  if (text.find("...") != text.npos) {
    return InvalidArgument(
        "elements are left out where \"...\" stands, a value needs all of them; `axle run --full` "
        "prints all");
  }
  Literal literal;
  if (!BeginsWithShape(text)) {
    AXLE_ASSIGN(literal, ParseValues(text, shape));
  } else {
    Scanner scanner(text, "value");
    AXLE_ASSIGN(const Shape given, ParseShape(scanner));
    if (!given.is_array()) return InvalidArgument("takes the value of one array");
    if (!given.is_static()) {
      AXLE_ASSIGN(literal, ParseLiteral(text));
    } else {
      const bool fits = given.type() == shape.type() && SizesFit(given.dims(), shape);
      if (!fits) {
        return InvalidArgument(StrCat("the value is ", given.ToString(),
                                      " but the program expects ", shape.ToString()));
      }
      AXLE_ASSIGN(literal, ParseValues(text.substr(scanner.position()), given));
    }
  }
  if (EqualIgnoringLayout(literal.shape(), shape)) return literal;
  if (literal.shape().type() != shape.type() || !literal.shape().is_static() ||
      !SizesFit(literal.shape().dims(), shape)) {
    return InvalidArgument(StrCat("the value is ", literal.shape().ToString(),
                                  " but the program expects ", shape.ToString()));
  }
  return Literal::Padded(literal, WithSizes(shape, literal.shape().dims()).WithoutLayout());
}

ArgumentNames::ArgumentNames(const HloComputation& entry) : entry_(entry) {
  for (const Instruction* parameter : entry.parameters()) {
    const size_t number = first_leaf_.size();
    first_leaf_.push_back(num_leaves_);
    ForEachLeaf(parameter->shape(),
                [&](const Shape& leaf, const Dims&) { num_leaves_ += leaf.is_array() ? 1 : 0; });
    const std::string_view names[] = {parameter->name(), parameter->metadata().op_name};
    for (size_t i = 0; i < std::size(names); ++i) {
      if (names[i].empty()) continue;
      exact_[i].emplace(names[i], number);
      const auto [bare, is_new] = bare_[i].emplace(WithoutNumber(names[i]), number);
      if (!is_new) bare->second.reset();
    }
  }
}

std::optional<size_t> ArgumentNames::Parameter(std::string_view name) const {
  for (const auto* by_name : {&exact_, &bare_}) {
    for (const ByName& names : *by_name) {
      const auto found = names.find(name);
      if (found != names.end() && found->second) return found->second;
    }
  }
  return {};
}

StatusOr<size_t> ArgumentNames::Find(std::string_view key) const {
  if (!key.empty() && key.find_first_not_of("0123456789") == key.npos) {
    size_t index = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (error == std::errc() && index < num_leaves_) return index;
    return InvalidArgument(
        StrCat("the program has ", num_leaves_, " argument arrays, numbered from 0"));
  }
  std::string_view name = key.starts_with("%") ? key.substr(1) : key;
  std::string_view path;
  std::optional<size_t> number = Parameter(name);
  if (const size_t brace = name.rfind('{'); !number && brace != name.npos) {
    path = name.substr(brace);
    name = name.substr(0, brace);
    number = Parameter(name);
  }
  if (!number) {
    std::vector<std::string_view> names;
    for (const auto& by_name : exact_) {
      for (const auto& [other, parameter] : by_name) names.push_back(other);
    }
    return InvalidArgument(StrCat("the program has no parameter of this name",
                                  DidYouMean(name, names), ParameterNames(entry_),
                                  "; arguments are numbered from 0"));
  }
  size_t index = num_leaves_, leaves = 0;
  const Instruction* const found = entry_.parameters()[*number];
  const size_t first = first_leaf_[*number];
  ForEachLeaf(found->shape(), [&](const Shape& leaf, const Dims& at) {
    if (!leaf.is_array()) return;
    if (path.empty() || path == StrCat("{", Join(at, ","), "}")) index = first + leaves;
    ++leaves;
  });
  if (index < num_leaves_ && (leaves == 1 || !path.empty())) return index;
  return InvalidArgument(StrCat(found->name(), " is ", found->shape().ToString(),
                                "; name one array of it, as in ", found->name(), "{0}"));
}

std::string FewNames(std::span<const std::string> names) {
  constexpr size_t kMost = 10;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMost; ++i) {
    StrAppend(text, i == 0 ? "" : ", ", PrintableText(names[i]));
  }
  if (names.size() > kMost) text += ", ...";
  return names.empty() ? "none" : text;
}

std::string ParameterNames(const HloComputation& entry) {
  std::vector<std::string> names;
  for (const Instruction* parameter : entry.parameters()) {
    const std::string_view op_name = parameter->metadata().op_name;
    const bool has_other = !op_name.empty() && op_name != parameter->name();
    names.push_back(has_other ? StrCat(parameter->name(), " (", op_name, ")")
                              : std::string(parameter->name()));
  }
  if (names.empty()) return "; it has no parameters";
  return StrCat("; it has ", FewNames(names));
}

}  // namespace axle::tool
