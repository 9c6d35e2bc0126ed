#include "axle/core/shape.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "axle/core/check.h"
#include "axle/core/scanner.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr i64 kMaxI64 = std::numeric_limits<i64>::max();

// A comment after every fifth element of a printed tuple, as XLA has it.
constexpr i64 kIndexCommentInterval = 5;

// The product of sizes that are positive; saturates.
i64 SaturatingMul(i64 a, i64 b) {
  i64 product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMaxI64 : product;
}

size_t Mix(size_t hash, std::uint64_t value) {
  // The multiplier of splitmix64; the shift brings high bits back down.
  const std::uint64_t mixed = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return mixed ^ (mixed >> 32);
}

std::string DimText(const Shape& shape, i64 d) {
  if (shape.dim(d) == kUnboundedSize) return "?";
  return StrCat(shape.is_dynamic(d) ? "<=" : "", shape.dim(d));
}

std::string Print(const Shape& shape, bool with_layout) {
  if (shape.is_tuple()) {
    std::string out = "(";
    for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
      if (i > 0) out += ", ";
      if (i > 0 && i % kIndexCommentInterval == 0) StrAppend(out, "/*index=", i, "*/");
      out += Print(shape.element(i), with_layout);
    }
    return out + ")";
  }
  if (shape.type() == BUFFER && shape.num_tuple_elements() == 1) {
    return StrCat("b(", Print(shape.element(0), with_layout), ")");
  }
  std::string out = StrCat(Name(shape.type()), "[");
  for (i64 d = 0; d < shape.rank(); ++d) StrAppend(out, d > 0 ? "," : "", DimText(shape, d));
  out += "]";
  if (with_layout && shape.is_array()) out += shape.LayoutOrDefault().ToString();
  return out;
}

}  // namespace

std::optional<i64> CheckedMul(i64 a, i64 b) {
  i64 product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return {};
  return product;
}

std::optional<i64> CheckedAdd(i64 a, i64 b) {
  i64 sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return {};
  return sum;
}

Layout Layout::RowMajor(i64 rank) {
  Layout layout;
  layout.minor_to_major.resize(rank);
  for (i64 i = 0; i < rank; ++i) layout.minor_to_major[i] = rank - 1 - i;
  return layout;
}

bool Layout::is_default() const {
  return *this == RowMajor(static_cast<i64>(minor_to_major.size()));
}

std::string Layout::ToString() const {
  std::string parts;
  if (!tiles.empty()) {
    parts += "T";
    for (const Dims& tile : tiles) {
      const auto text = [](i64 size) {
        return size == kCombineTileDim ? std::string("*") : std::to_string(size);
      };
      StrAppend(parts, "(", Join(tile, ",", text), ")");
    }
  }
  if (tail_padding_alignment != 1) StrAppend(parts, "L(", tail_padding_alignment, ")");
  if (index_type != PRIMITIVE_TYPE_INVALID) StrAppend(parts, "#(", Name(index_type), ")");
  if (pointer_type != PRIMITIVE_TYPE_INVALID) StrAppend(parts, "*(", Name(pointer_type), ")");
  if (element_size_in_bits != 0) StrAppend(parts, "E(", element_size_in_bits, ")");
  if (memory_space != 0) StrAppend(parts, "S(", memory_space, ")");
  if (!split_configs.empty()) {
    parts += "SC";
    for (const auto& [dim, indices] : split_configs) {
      StrAppend(parts, "(", dim, ":", Join(indices, ","), ")");
    }
  }
  if (dynamic_shape_metadata_prefix_bytes != 0) {
    StrAppend(parts, "M(", dynamic_shape_metadata_prefix_bytes, ")");
  }
  if (minor_to_major.empty() && parts.empty()) return "";
  return StrCat("{", Join(minor_to_major, ","), parts.empty() ? "" : ":", parts, "}");
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.elements_ = std::move(elements);
  return shape;
}

Shape Shape::Buffer(Shape array) {
  Shape shape(BUFFER);
  shape.elements_.push_back(std::move(array));
  return shape;
}

bool Shape::is_static() const {
  return dynamic_.empty() && std::ranges::all_of(elements_, &Shape::is_static);
}

void Shape::StopAtDim(i64 d) const {
  CheckFailed(__FILE__, __LINE__, StrCat("there is no dimension ", d, " of ", ToString()));
}

void Shape::StopAtElement(i64 i) const {
  CheckFailed(__FILE__, __LINE__, StrCat("there is no element ", i, " of ", ToString()));
}

void Shape::set_dynamic(i64 d, bool dynamic) {
  const size_t checked = Checked(d);
  if (dynamic_.empty() && !dynamic) return;
  dynamic_.resize(dims_.size());
  dynamic_[checked] = dynamic;
  // No flags and all flags off are one state, so that equality is plain.
  if (std::ranges::find(dynamic_, true) == dynamic_.end()) dynamic_.clear();
}

void Shape::DeleteDim(i64 d) {
  Checked(d);
  layout_ = nullptr;
  dims_.erase(dims_.begin() + d);
  if (dynamic_.empty()) return;
  dynamic_.erase(dynamic_.begin() + d);
  if (std::ranges::find(dynamic_, true) == dynamic_.end()) dynamic_.clear();
}

void Shape::AddElement(Shape element) {
  elements_.push_back(std::move(element));
}

void Shape::AppendDim(i64 size, bool dynamic) {
  layout_ = nullptr;
  dims_.push_back(size);
  if (!dynamic_.empty()) dynamic_.push_back(false);
  set_dynamic(rank() - 1, dynamic);
}

void Shape::set_layout(Layout layout) {
  layout_ = layout.is_default() ? nullptr : std::make_shared<const Layout>(std::move(layout));
}

Shape Shape::WithoutLayout() const {
  Shape shape = *this;
  shape.layout_ = nullptr;
  for (Shape& element : shape.elements_) element = element.WithoutLayout();
  return shape;
}

Shape Shape::WithType(ElementType type) const {
  Shape shape = *this;
  shape.type_ = type;
  return shape;
}

i64 Shape::num_elements() const {
  // A zero decides, wherever it stands.
  if (std::ranges::find(dims_, 0) != dims_.end()) return 0;
  i64 count = 1;
  for (i64 size : dims_) count = size < 0 ? kMaxI64 : SaturatingMul(count, size);
  return count;
}

i64 Shape::num_bytes() const {
  if (is_array()) return SaturatingMul(num_elements(), Info(type_).bytes);
  i64 bytes = 0;
  for (const Shape& element : elements_) {
    bytes = CheckedAdd(bytes, element.num_bytes()).value_or(kMaxI64);
  }
  return bytes;
}

bool Shape::operator==(const Shape& other) const {
  const bool same_layout =
      layout_ == other.layout_ || (layout_ && other.layout_ && *layout_ == *other.layout_);
  return type_ == other.type_ && same_layout && dims_ == other.dims_ &&
         dynamic_ == other.dynamic_ && elements_ == other.elements_;
}

std::string Shape::ToString() const {
  return Print(*this, false);
}
std::string Shape::ToStringWithLayout() const {
  return Print(*this, true);
}

size_t Shape::Hash() const {
  size_t hash = Mix(static_cast<size_t>(type_), dims_.size());
  for (i64 d = 0; d < rank(); ++d) {
    hash = Mix(hash, static_cast<std::uint64_t>(dims_[d]) * 2 + is_dynamic(d));
  }
  hash = Mix(hash, elements_.size());
  for (const Shape& element : elements_) hash = Mix(hash, element.Hash());
  if (layout_ == nullptr) return hash;
  for (i64 dim : layout_->minor_to_major) hash = Mix(hash, static_cast<std::uint64_t>(dim));
  return Mix(Mix(hash, layout_->tiles.size()), static_cast<std::uint64_t>(layout_->memory_space));
}

namespace {

// Same tree and sizes, with `leaves` to compare two arrays of the same sizes.
template <typename Leaves>
bool EqualTrees(const Shape& a, const Shape& b, const Leaves& leaves) {
  if (a.is_array() != b.is_array() || (!a.is_array() && a.type() != b.type())) return false;
  return a.dims() == b.dims() && leaves(a, b) &&
         std::ranges::equal(a.elements(), b.elements(), [&](const Shape& x, const Shape& y) {
           return EqualTrees(x, y, leaves);
         });
}

}  // namespace

bool CompatibleElements(const std::vector<Shape>& a, const std::vector<Shape>& b) {
  return std::ranges::equal(a, b, Compatible);
}

bool CompatibleIgnoringFpPrecision(const Shape& a, const Shape& b) {
  return EqualTrees(a, b, [](const Shape& x, const Shape& y) {
    return x.type() == y.type() || (IsFloating(x.type()) && IsFloating(y.type()));
  });
}

bool SameDims(const Shape& a, const Shape& b) {
  return a.dims() == b.dims();
}

bool EqualIgnoringLayout(const Shape& a, const Shape& b) {
  return EqualTrees(a, b, [](const Shape& x, const Shape& y) {
    if (x.type() != y.type()) return false;
    for (i64 d = 0; d < x.rank(); ++d) {
      if (x.is_dynamic(d) != y.is_dynamic(d)) return false;
    }
    return true;
  });
}

ElementType HigherPrecision(ElementType a, ElementType b) {
  const auto rank = [](ElementType type) {
    const FloatFormat& format = Info(type).format;
    const bool ieee = format.nan == NanEncoding::kIeee || !format.is_signed;
    const int max_exponent = (1 << format.exponent_bits) - (ieee ? 2 : 1) - format.bias;
    return std::tuple(IsComplex(type), max_exponent, format.mantissa_bits, Info(type).bits,
                      format.is_signed);
  };
  return rank(a) < rank(b) ? b : a;
}

namespace {

Status CheckLayout(const Layout& layout, i64 rank) {
  const Dims& order = layout.minor_to_major;
  if (static_cast<i64>(order.size()) != rank) {
    return InvalidArgument(
        StrCat("layout names ", order.size(), " dimensions but the shape has rank ", rank));
  }
  std::vector<bool> seen(rank);
  for (i64 dim : order) {
    if (dim < 0 || dim >= rank || seen[dim]) {
      return InvalidArgument(StrCat("layout {", Join(order, ","),
                                    "} is not a permutation of the dimensions 0..", rank - 1));
    }
    seen[dim] = true;
  }
  return {};
}

Status CheckArray(const Shape& shape) {
  if (shape.rank() > kMaxRank) {
    return InvalidArgument(StrCat("shape has ", shape.rank(), " dimensions, more than ", kMaxRank));
  }
  // Sizes of 0 count as 1, so that no partial product (a stride) overflows either. 16 bytes is the
  // largest element: converting a value never overflows.
  i64 bytes = 16;
  for (i64 d = 0; d < shape.rank(); ++d) {
    const i64 size = shape.dim(d);
    if (size == kUnboundedSize && shape.is_dynamic(d)) continue;
    if (size < 0) {
      return InvalidArgument(StrCat("size of dimension ", d, " is ", size, ", must be >= 0"));
    }
    const auto product = CheckedMul(bytes, std::max<i64>(size, 1));
    if (!product) {
      return InvalidArgument(StrCat("shape ", shape.ToString(), " has too many elements"));
    }
    bytes = *product;
  }
  return shape.layout() ? CheckLayout(*shape.layout(), shape.rank()) : Status();
}

Status CheckShapeAt(const Shape& shape, int depth) {
  if (shape.is_array()) return CheckArray(shape);
  if (shape.rank() > 0) {
    return InvalidArgument(StrCat(Name(shape.type()), " has no dimensions, got ", shape.rank()));
  }
  if (shape.type() == PRIMITIVE_TYPE_INVALID) return InvalidArgument("shape has no element type");
  if (shape.type() == BUFFER && (shape.num_tuple_elements() != 1 || !shape.element(0).is_array())) {
    return InvalidArgument("buffer shape must hold one array");
  }
  if (depth > kMaxTupleDepth) {
    return InvalidArgument(StrCat("tuples are nested more than ", kMaxTupleDepth, " deep"));
  }
  i64 bytes = 0;
  for (const Shape& element : shape.elements()) {
    AXLE_TRY(CheckShapeAt(element, depth + 1));
    if (element.num_bytes() == kMaxI64) continue;  // holds an unbounded dimension
    const auto sum = CheckedAdd(bytes, element.num_bytes());
    if (!sum) return InvalidArgument("tuple shape has too many elements");
    bytes = *sum;
  }
  return {};
}

}  // namespace

Status CheckShape(const Shape& shape) {
  return CheckShapeAt(shape, 1);
}

Dims RowMajorStrides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

Dims LayoutStrides(const Shape& shape) {
  if (shape.layout() == nullptr) return RowMajorStrides(shape.dims());
  Dims strides(shape.rank(), 1);
  i64 stride = 1;
  for (i64 d : shape.layout()->minor_to_major) {
    strides[d] = stride;
    stride *= shape.dim(d);
  }
  return strides;
}

Dims RowMajorOffsets(const Dims& sizes, const Dims& strides) {
  // The sizes beside a zero may be beyond memory.
  if (std::ranges::find(sizes, 0) != sizes.end()) return {};
  Dims offsets = {0};
  for (size_t d = 0; d < sizes.size(); ++d) {
    Dims wider;
    wider.reserve(offsets.size() * static_cast<size_t>(sizes[d]));
    for (i64 offset : offsets) {
      for (i64 i = 0; i < sizes[d]; ++i) wider.push_back(offset + i * strides[d]);
    }
    offsets = std::move(wider);
  }
  return offsets;
}

namespace {

// "(1,2)": calls `element` at least once.
template <typename Fn>
Status Parenthesized(Scanner& scanner, Fn element) {
  AXLE_TRY(scanner.Expect("("));
  do {
    AXLE_TRY(element());
  } while (scanner.Consume(","));
  return scanner.Expect(")");
}

Status ParseNumber(Scanner& scanner, i64& value) {
  return Parenthesized(scanner, [&]() -> Status {
    AXLE_ASSIGN(value, scanner.Integer());
    return value >= 0 ? Status() : scanner.Error("must be >= 0");
  });
}

Status ParseTypeName(Scanner& scanner, ElementType& type) {
  AXLE_ASSIGN(const std::string_view name, scanner.Name("an element type"));
  type = ElementTypeFromName(name);
  return IsUnsigned(type) ? Status() : scanner.Error("must be an unsigned integer type");
}

// D(D,C+~): the storage of each dimension of a sparse array; read and dropped.
Status SkipDimLevels(Scanner& scanner) {
  return Parenthesized(scanner, [&]() -> Status {
    const std::string_view level = scanner.Word();
    if (level != "D" && level != "C" && level != "S" && level != "H") {
      return scanner.Error("expected a dimension level: D, C, S or H");
    }
    scanner.Consume("+");
    scanner.Consume("~");
    return {};
  });
}

Status ParseTiles(Scanner& scanner, Layout& layout) {
  do {
    Dims& tile = layout.tiles.emplace_back();
    AXLE_TRY(Parenthesized(scanner, [&]() -> Status {
      if (scanner.Consume("*")) return tile.push_back(Layout::kCombineTileDim), Status();
      AXLE_ASSIGN(const i64 size, scanner.Integer());
      tile.push_back(size);
      return size >= 0 ? Status() : scanner.Error("tile size must be >= 0");
    }));
  } while (scanner.Peek("("));
  return {};
}

Status ParseSplitConfigs(Scanner& scanner, i64 rank, Layout& layout) {
  do {
    AXLE_TRY(scanner.Expect("("));
    auto& [dim, indices] = layout.split_configs.emplace_back();
    AXLE_ASSIGN(dim, scanner.Integer());
    if (dim < 0 || dim >= rank) return scanner.Error("no such dimension");
    AXLE_TRY(scanner.Expect(":"));
    do {
      AXLE_ASSIGN(const i64 index, scanner.Integer());
      indices.push_back(index);
    } while (scanner.Consume(","));
    AXLE_TRY(scanner.Expect(")"));
  } while (scanner.Peek("("));
  return {};
}

// What follows the ':' of a layout, in its fixed order.
Status ParseLayoutParts(Scanner& scanner, i64 rank, Layout& layout) {
  if (scanner.ConsumeWord("D")) AXLE_TRY(SkipDimLevels(scanner));
  if (scanner.ConsumeWord("T")) AXLE_TRY(ParseTiles(scanner, layout));
  if (scanner.ConsumeWord("L")) AXLE_TRY(ParseNumber(scanner, layout.tail_padding_alignment));
  for (const auto& [token, type] :
       {std::pair("#", &layout.index_type), std::pair("*", &layout.pointer_type)}) {
    if (!scanner.Consume(token)) continue;
    AXLE_TRY(Parenthesized(scanner, [&, out = type] { return ParseTypeName(scanner, *out); }));
  }
  if (scanner.ConsumeWord("E")) AXLE_TRY(ParseNumber(scanner, layout.element_size_in_bits));
  if (scanner.ConsumeWord("S")) AXLE_TRY(ParseNumber(scanner, layout.memory_space));
  if (scanner.ConsumeWord("SC")) AXLE_TRY(ParseSplitConfigs(scanner, rank, layout));
  if (scanner.PeekWord() == "P") {
    return Unimplemented(
        scanner.Error("physical shapes are not supported in array layouts").message());
  }
  if (scanner.ConsumeWord("M")) {
    AXLE_TRY(ParseNumber(scanner, layout.dynamic_shape_metadata_prefix_bytes));
  }
  return {};
}

// A layout touches its shape and begins with an integer or ':'; any other '{' opens a computation
// or the braces of a literal.
bool LayoutFollows(Scanner& scanner) {
  if (!scanner.PeekAdjacent("{")) return false;
  const size_t begin = scanner.position();
  const bool found = scanner.Consume("{") && (scanner.Peek(":") || IsDigit(scanner.PeekChar()));
  scanner.Rewind(begin);
  return found;
}

Status ParseDim(Scanner& scanner, Shape& shape) {
  if (scanner.Consume("?")) return shape.AppendDim(kUnboundedSize, true), Status();
  const bool dynamic = scanner.Consume("<=");
  AXLE_ASSIGN(const i64 size, scanner.Integer());
  if (size < 0) return scanner.Error(StrCat("dimension size ", size, " must be >= 0"));
  shape.AppendDim(size, dynamic);
  return {};
}

StatusOr<Shape> ParseArray(Scanner& scanner) {
  AXLE_ASSIGN(const std::string_view name, scanner.Name("a shape"));
  const size_t begin = scanner.token_position();
  if (name == "b" && scanner.Peek("(")) {
    AXLE_TRY(scanner.Expect("("));
    AXLE_TRY(scanner.Enter());
    AXLE_ASSIGN(Shape array, ParseArray(scanner));
    scanner.Leave();
    if (!array.is_array()) return scanner.ErrorAt(begin, "buffer shape must hold one array");
    AXLE_TRY(scanner.Expect(")"));
    return Shape::Buffer(std::move(array));
  }
  Shape shape(ElementTypeFromName(name));
  if (name == "token") shape = Shape::Token();
  if (name == "opaque" || name == "opaque_type") shape = Shape::Opaque();
  if (shape.type() == PRIMITIVE_TYPE_INVALID) {
    std::vector<std::string_view> names;
    for (const ElementTypeInfo& info : kElementTypes) {
      if (info.type != TUPLE && info.type != BUFFER) names.push_back(info.text);
    }
    return scanner.Error(StrCat("unknown element type \"", name, "\"", DidYouMean(name, names)));
  }
  AXLE_TRY(scanner.Expect("["));
  while (!scanner.Consume("]")) {
    if (shape.rank() > 0) AXLE_TRY(scanner.Expect(","));
    AXLE_TRY(ParseDim(scanner, shape));
    if (shape.rank() > kMaxRank)
      return scanner.Error(StrCat("more than ", kMaxRank, " dimensions"));
  }
  if (shape.is_array() && LayoutFollows(scanner)) {
    AXLE_ASSIGN(Layout layout, ParseLayout(scanner, shape.rank()));
    shape.set_layout(std::move(layout));
  }
  Status status = CheckShape(shape);
  return status.ok() ? StatusOr<Shape>(std::move(shape)) : scanner.ErrorAt(begin, status.message());
}

StatusOr<Shape> ParseShapeAt(Scanner& scanner, int depth) {
  if (!scanner.Consume("(")) return ParseArray(scanner);
  if (depth > kMaxTupleDepth) {
    return scanner.Error(StrCat("tuples are nested more than ", kMaxTupleDepth, " deep"));
  }
  const size_t begin = scanner.token_position();
  Shape tuple;
  while (!scanner.Consume(")")) {
    if (tuple.num_tuple_elements() > 0) AXLE_TRY(scanner.Expect(","));
    AXLE_ASSIGN(Shape element, ParseShapeAt(scanner, depth + 1));
    tuple.AddElement(std::move(element));
  }
  if (depth > 1) return tuple;
  Status status = CheckShape(tuple);
  return status.ok() ? StatusOr<Shape>(std::move(tuple)) : scanner.ErrorAt(begin, status.message());
}

}  // namespace

StatusOr<Layout> ParseLayout(Scanner& scanner, i64 rank) {
  Layout layout;
  AXLE_TRY(scanner.Expect("{"));
  const size_t begin = scanner.token_position();
  if (IsDigit(scanner.PeekChar())) {
    do {
      AXLE_ASSIGN(const i64 dim, scanner.Integer());
      layout.minor_to_major.push_back(dim);
    } while (scanner.Consume(","));
  }
  if (scanner.Consume(":")) AXLE_TRY(ParseLayoutParts(scanner, rank, layout));
  AXLE_TRY(scanner.Expect("}"));
  Status status = CheckLayout(layout, rank);
  return status.ok() ? StatusOr<Layout>(std::move(layout))
                     : scanner.ErrorAt(begin, status.message());
}

StatusOr<Shape> ParseShape(Scanner& scanner) {
  return ParseShapeAt(scanner, 1);
}

StatusOr<Shape> ParseShape(std::string_view text) {
  Scanner scanner(text, "shape");
  AXLE_ASSIGN(Shape shape, ParseShape(scanner));
  if (!scanner.AtEnd()) return scanner.Error("unexpected text after the shape");
  return shape;
}

}  // namespace axle
