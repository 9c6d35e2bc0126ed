#include "tools/axle/value_text.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle::tool {
namespace {

std::string ElementText(const Literal& value, i64 index) {
  const ElementType type = value.shape().type();
  const std::byte* element = value.bytes() + index * Info(type).bytes;
  if (type == PRED && value.shape().rank() > 0) return *element != std::byte{0} ? "1" : "0";
  return ElementToString(type, element);
}

// Writes row-major arrays without run-time sizes. What is left out is between the edges.
class ArrayText {
 public:
  ArrayText(const Literal& value, bool full) : value_(value), shape_(value.shape()) {
    elides_ = !full && value.num_elements() > kShownElements;
    strides_.assign(shape_.rank(), 1);
    for (i64 d = shape_.rank() - 2; d >= 0; --d) strides_[d] = strides_[d + 1] * shape_.dim(d + 1);
  }

  std::string Print() {
    if (shape_.rank() >= 2) Measure(0, 0);
    Print(0, 0);
    return std::move(out_);
  }

 private:
  // Calls `element` for each shown position along a dimension, `gap` where some are left out.
  template <typename Element, typename Gap>
  void Walk(i64 dim, Element element, Gap gap) {
    const i64 size = shape_.dim(dim);
    for (i64 i = 0; i < size; ++i) {
      if (elides_ && size > 2 * kShownEdge && i == kShownEdge) {
        gap();
        i = size - kShownEdge;
      }
      element(i);
    }
  }

  void Measure(i64 dim, i64 index) {
    if (dim == shape_.rank()) {
      width_ = std::max(width_, ElementText(value_, index).size());
      return;
    }
    Walk(
        dim, [&](i64 i) { Measure(dim + 1, index + i * strides_[dim]); }, [] {});
  }

  void Print(i64 dim, i64 index) {
    if (dim == shape_.rank()) {
      const std::string text = ElementText(value_, index);
      if (text.size() < width_) out_.append(width_ - text.size(), ' ');
      out_ += text;
      return;
    }
    const bool is_row = dim + 1 == shape_.rank();
    const std::string line = is_row ? "" : StrCat("\n", std::string(2 * (dim + 1), ' '));
    const std::string_view separator = is_row ? ", " : ",";
    const bool has_space = is_row && shape_.rank() > 1;
    bool first = true;
    out_ += has_space ? "{ " : "{";
    const auto separate = [&] {
      if (!first) out_ += separator;
      out_ += line;
      first = false;
    };
    Walk(
        dim,
        [&](i64 i) {
          separate();
          Print(dim + 1, index + i * strides_[dim]);
        },
        [&] {
          separate();
          out_ += "...";
        });
    if (!is_row) StrAppend(out_, "\n", std::string(2 * dim, ' '));
    out_ += has_space ? " }" : "}";
  }

  const Literal& value_;
  const Shape& shape_;
  bool elides_ = false;
  std::vector<i64> strides_;
  size_t width_ = 0;
  std::string out_;
};

// The digits that HLO text has, which are JSON's but for a few forms.
void AppendJsonFloat(const std::string& text, std::string& out) {
  if (text.find("nan") != text.npos) {
    out += "\"nan\"";  // without sign and payload
  } else if (text.find("inf") != text.npos) {
    StrAppend(out, "\"", text, "\"");
  } else if (text == "-0") {
    out += "-0.0";  // "-0" would be the integer
  } else {
    out += text;
  }
}

void AppendJsonElement(const Literal& value, i64 index, std::string& out) {
  const ElementType type = value.shape().type();
  const std::byte* element = value.bytes() + index * Info(type).bytes;
  const std::string text = ElementToString(type, element);
  if (IsComplex(type)) {  // (re, im)
    const size_t comma = text.find(", ");
    out += '[';
    AppendJsonFloat(text.substr(1, comma - 1), out);
    out += ',';
    AppendJsonFloat(text.substr(comma + 2, text.size() - comma - 3), out);
    out += ']';
  } else if (IsFloating(type)) {
    AppendJsonFloat(text, out);
  } else {
    out += text;
  }
}

}  // namespace

std::string ValueText(const Literal& value, bool full) {
  const Literal literal = value.ValidPart().ToRowMajor();
  if (literal.shape().rank() == 0 || literal.num_elements() == 0) return literal.ToString();
  return ArrayText(literal, full).Print();
}

void AppendJson(const Literal& value, std::string& out) {
  const Literal literal = value.ValidPart().ToRowMajor();
  const Shape& shape = literal.shape();
  const i64 rank = shape.rank();
  // Dimensions inside of one without elements are not there: [] for f32[0,3].
  i64 depth = 0;
  while (depth < rank && (depth == 0 || shape.dim(depth - 1) > 0)) ++depth;
  std::vector<i64> position(depth, 0);
  i64 index = 0, d = 0;
  // Opens brackets down to the elements, closes those of dimensions that are through.
  while (true) {
    if (d == depth && depth == rank) {
      AppendJsonElement(literal, index++, out);
    } else if (d < depth && position[d] < shape.dim(d)) {
      out += position[d] == 0 ? "[" : ",";
      ++d;
      continue;
    } else if (d < depth) {
      if (position[d] == 0) out += '[';
      out += ']';
      position[d] = 0;
    }
    if (d == 0) return;
    ++position[--d];
  }
}

}  // namespace axle::tool
