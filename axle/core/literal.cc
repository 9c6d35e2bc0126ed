#include "axle/core/literal.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "axle/core/check.h"
#include "axle/core/float_format.h"
#include "axle/core/storage.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// For code that cannot report a failure: storage, or the exception that every container throws.
// The entries of the library turn it into RESOURCE_EXHAUSTED.
std::shared_ptr<std::byte> AllocateOrThrow(i64 bytes, bool zeroed, std::byte** data) {
  std::shared_ptr<std::byte> owner = AllocateStorage(bytes, zeroed, data);
  if (owner == nullptr) throw std::bad_alloc();
  return owner;
}

// Calls fn(a, b) with the linear positions of each element in two orders of the same dimensions, in
// row-major order of the dimensions.
template <typename Fn>
void ForEachPair(const Dims& dims, const Dims& a_strides, const Dims& b_strides, Fn fn) {
  const auto walk = [&](const auto& self, size_t d, i64 a, i64 b) -> void {
    if (d == dims.size()) return fn(a, b);
    for (i64 i = 0; i < dims[d]; ++i) self(self, d + 1, a + i * a_strides[d], b + i * b_strides[d]);
  };
  if (std::ranges::find(dims, 0) == dims.end()) walk(walk, 0, 0, 0);
}

// Copies the elements of a box of these sizes between two arrays.
void CopyBox(ElementType type, const Dims& sizes, std::byte* to, const Dims& to_strides,
             const std::byte* from, const Dims& from_strides) {
  DispatchBytes(Info(type).bytes, [&]<typename Bits>() {
    const auto* source = reinterpret_cast<const Bits*>(from);
    auto* target = reinterpret_cast<Bits*>(to);
    ForEachPair(sizes, from_strides, to_strides, [&](i64 f, i64 t) { target[t] = source[f]; });
  });
}

Dims IndexOf(const Dims& dims, i64 linear) {
  Dims index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = linear % dims[d];
    linear /= dims[d];
  }
  return index;
}

}  // namespace

void Literal::Allocate(bool zeroed) {
  if (shape_.is_array()) {
    owner_ = AllocateOrThrow(shape_.num_bytes(), zeroed, &data_);
    return;
  }
  for (const Shape& shape : shape_.elements()) {
    Literal& element = elements_.emplace_back();
    element.shape_ = shape;
    element.Allocate(zeroed);
  }
}

Literal::Literal(const Shape& shape) : shape_(shape) {
  const Status status = CheckShape(shape);
  AXLE_CHECK(status.ok(), StrCat("there is no literal of such a shape: ", status.message()));
  Allocate(true);
}

Literal Literal::Uninitialized(const Shape& shape) {
  const Status status = CheckShape(shape);
  AXLE_CHECK(status.ok(), StrCat("there is no literal of such a shape: ", status.message()));
  Literal literal;
  literal.shape_ = shape;
  literal.Allocate(false);
  return literal;
}

StatusOr<Literal> Literal::CreateWith(const Shape& shape, bool zeroed) {
  AXLE_TRY(CheckShape(shape));
  AXLE_TRY(CheckStorage(shape.num_bytes()));
  try {
    Literal literal;
    literal.shape_ = shape;
    literal.Allocate(zeroed);
    return literal;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(StrCat("no memory for a value of ", HumanBytes(shape.num_bytes())));
  }
}

StatusOr<Literal> Literal::Create(const Shape& shape) {
  return CreateWith(shape, true);
}

StatusOr<Literal> Literal::CreateUninitialized(const Shape& shape) {
  return CreateWith(shape, false);
}

StatusOr<Literal> Literal::CreateUninitializedArray(const Shape& checked_shape, i64 num_bytes) {
  AXLE_TRY(CheckStorage(num_bytes));
  StatusOr<Literal> literal = Literal();
  try {
    literal->shape_ = checked_shape;
    literal->owner_ = AllocateOrThrow(num_bytes, false, &literal->data_);
  } catch (const std::bad_alloc&) {
    literal = ResourceExhausted(StrCat("no memory for a value of ", HumanBytes(num_bytes)));
  }
  return literal;
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  Literal tuple;
  for (const Literal& element : elements) tuple.shape_.AddElement(element.shape());
  tuple.elements_ = std::move(elements);
  return tuple;
}

namespace {

// The C++ type to ask for, for messages.
std::string CppType(ElementType type) {
  switch (Info(type).type_class) {
    case TypeClass::kPred:
      return "bool";
    case TypeClass::kComplex:
      return type == C64 ? "std::complex<float>" : "std::complex<double>";
    case TypeClass::kSigned:
    case TypeClass::kUnsigned:
      if (IsSubByte(type)) break;
      return StrCat("std::", Info(type).type_class == TypeClass::kSigned ? "int" : "uint",
                    8 * Info(type).bytes, "_t");
    case TypeClass::kFloat:
      if (type == F32 || type == F64) return type == F32 ? "float" : "double";
      break;
    default:
      break;
  }
  return StrCat("the type of ", Name(type), " in core/narrow_types.h");
}

}  // namespace

void Literal::StopAtType(std::string_view function, std::string_view type) const {
  CheckFailed(__FILE__, __LINE__,
              StrCat(function, "<", type, "> of a literal of ", ShapeToString(),
                     shape_.is_array() ? ", whose elements are " : ", which is no array",
                     shape_.is_array() ? CppType(shape_.type()) : ""));
}

void Literal::StopAtElement(i64 i) const {
  CheckFailed(__FILE__, __LINE__,
              StrCat("there is no element ", i, " of a literal of ", ShapeToString()));
}

void Literal::StopAtCount(size_t num_values) const {
  CheckFailed(__FILE__, __LINE__,
              StrCat("a literal of ", ShapeToString(), " is made of ", num_elements(),
                     " values, not of ", num_values));
}

Literal Literal::View(const Shape& shape, const void* data) {
  AXLE_CHECK(shape.is_array(), StrCat("View: ", shape.ToString(), " is not the shape of an array"));
  AXLE_CHECK(data != nullptr || shape.num_bytes() == 0,
             StrCat("View: the data of ", shape.ToString(), " is null"));
  Literal view;
  view.shape_ = shape;
  // Never written through: mutable_bytes copies first.
  view.data_ = static_cast<std::byte*>(const_cast<void*>(data));
  return view;
}

const Literal& Literal::at(ArraySlice<i64> path) const {
  const Literal* literal = this;
  for (const i64 i : path) literal = &literal->element(i);
  return *literal;
}

void Literal::OwnStorage() {
  if (is_view()) mutable_bytes();
  for (Literal& element : elements_) element.OwnStorage();
}

std::byte* Literal::mutable_bytes() {
  if (is_unique() || data_ == nullptr) return data_;
  std::byte* copy = nullptr;
  std::shared_ptr<std::byte> owner = AllocateOrThrow(num_bytes(), false, &copy);
  if (num_bytes() > 0) std::memcpy(copy, data_, num_bytes());
  owner_ = std::move(owner);
  data_ = copy;
  return data_;
}

i64 Literal::LinearIndex(std::span<const i64> index) const {
  bool is_there = static_cast<i64>(index.size()) == shape_.rank();
  for (size_t d = 0; is_there && d < index.size(); ++d) {
    is_there = 0 <= index[d] && index[d] < shape_.dims()[d];
  }
  AXLE_CHECK(is_there, StrCat("there is no element {", Join(index, ","), "} of a literal of ",
                              ShapeToString()));
  const Dims strides = LayoutStrides(shape_);
  i64 linear = 0;
  for (size_t d = 0; d < index.size(); ++d) linear += index[d] * strides[d];
  return linear;
}

void Literal::SetSize(i64 d, i64 size) {
  AXLE_CHECK(size == shape_.dim(d) || shape_.is_dynamic(d),
             StrCat("dimension ", d, " of ", ShapeToString(), " cannot have the size ", size,
                    ": it is static"));
  SetSizeBeforeFlags(d, size);
}

void Literal::SetSizeBeforeFlags(i64 d, i64 size) {
  AXLE_CHECK(0 <= size && size <= shape_.dim(d),
             StrCat("dimension ", d, " of ", ShapeToString(), " cannot have the size ", size));
  if (sizes_.empty()) sizes_ = shape_.dims();
  sizes_[d] = size;
  if (sizes_ == shape_.dims()) sizes_.clear();
}

StatusOr<Literal> Literal::Reshape(ArraySlice<i64> dims) const {
  const Dims wanted(dims.begin(), dims.end());
  if (!shape_.is_array()) {
    return InvalidArgument(StrCat("reshape: ", ShapeToString(), " is no array"));
  }
  const Shape shape(shape_.type(), wanted);
  AXLE_TRY(CheckShape(shape));
  if (shape.num_elements() != num_elements()) {
    return InvalidArgument(StrCat("reshape: ", ShapeToString(), " has ", num_elements(),
                                  " elements, [", Join(wanted, ","), "] has ",
                                  shape.num_elements()));
  }
  if (is_padded()) {
    return Unimplemented(StrCat("reshape: ", ShapeToString(), " is not full; take its ValidPart"));
  }
  return ToRowMajor().WithShape(shape);
}

std::vector<Literal> Literal::DecomposeTuple() {
  AXLE_CHECK(shape_.is_tuple(), StrCat("DecomposeTuple: ", ShapeToString(), " is no tuple"));
  std::vector<Literal> elements = std::move(elements_);
  *this = Tuple({});
  return elements;
}

bool Literal::is_padded() const {
  return !sizes_.empty() ||
         std::ranges::any_of(elements_, [](const Literal& e) { return e.is_padded(); });
}

Literal Literal::ValidPart() const {
  if (!shape_.is_array()) {
    Literal result = *this;
    for (size_t i = 0; i < elements_.size(); ++i) result.elements_[i] = elements_[i].ValidPart();
    result.CopyElementShapes();
    return result;
  }
  const Shape shape(shape_.type(), sizes());
  if (sizes_.empty()) return ToRowMajor().WithShape(shape);
  Literal result = Uninitialized(shape);
  CopyBox(shape.type(), shape.dims(), result.data_, RowMajorStrides(shape.dims()), data_,
          LayoutStrides(shape_));
  return result;
}

StatusOr<Literal> Literal::Padded(const Literal& valid, const Shape& bound) {
  bool is_padding = valid.shape().is_array() && valid.shape().type() == bound.type() &&
                    valid.shape().rank() == bound.rank() && !valid.is_padded();
  for (i64 d = 0; is_padding && d < bound.rank(); ++d) {
    is_padding = valid.shape().dim(d) <= bound.dim(d);
  }
  if (!is_padding) {
    return InvalidArgument(StrCat("padded: a literal of ", valid.ShapeToString(),
                                  " does not fit into ", bound.ToString()));
  }
  const Shape shape = bound.WithoutLayout();
  if (valid.shape().dims() == bound.dims()) return valid.ToRowMajor().WithShape(shape);
  AXLE_ASSIGN(Literal result, Create(shape));
  CopyBox(shape.type(), valid.shape().dims(), result.data_, RowMajorStrides(shape.dims()),
          valid.data_, LayoutStrides(valid.shape()));
  result.sizes_ = valid.shape().dims();
  return result;
}

void Literal::SetDynamicFlags(const Shape& shape) {
  for (i64 d = 0; d < shape_.rank(); ++d) {
    const bool dynamic = shape.is_dynamic(d) || size(d) != shape_.dim(d);
    if (shape_.is_dynamic(d) != dynamic) shape_.set_dynamic(d, dynamic);
  }
  if (elements_.empty()) return;
  for (size_t i = 0; i < elements_.size(); ++i) {
    elements_[i].SetDynamicFlags(shape.element(static_cast<i64>(i)));
  }
  CopyElementShapes();
}

void Literal::CopyElementShapes() {
  if (!shape_.is_tuple()) return;
  Shape shape;
  for (const Literal& element : elements_) shape.AddElement(element.shape());
  shape_ = std::move(shape);
}

Literal Literal::Relayout(const Layout& layout) const {
  Shape laid_out = shape_;
  laid_out.set_layout(layout);
  // Of a layout that says nothing the shape keeps nothing.
  const bool fits = shape_.is_array() && std::ssize(layout.minor_to_major) == shape_.rank() &&
                    CheckShape(laid_out).ok();
  AXLE_CHECK(fits, StrCat("a literal of ", ShapeToString(), " cannot have the layout {",
                          Join(layout.minor_to_major, ","), "}"));
  Literal result;
  result.shape_ = std::move(laid_out);
  result.sizes_ = sizes_;
  const Dims from = LayoutStrides(shape_);
  const Dims to = LayoutStrides(result.shape_);
  if (from == to) {
    result.owner_ = owner_;
    result.data_ = data_;
    return result;
  }
  result.owner_ = AllocateOrThrow(num_bytes(), false, &result.data_);
  CopyBox(shape_.type(), shape_.dims(), result.data_, to, data_, from);
  return result;
}

Literal Literal::ToRowMajor() const {
  if (shape_.is_array()) {
    return shape_.layout() == nullptr ? *this : Relayout(Layout::RowMajor(shape_.rank()));
  }
  Literal result = *this;
  result.shape_ = shape_.WithoutLayout();
  for (Literal& element : result.elements_) element = element.ToRowMajor();
  return result;
}

Literal Literal::WithShape(const Shape& shape) const {
  AXLE_CHECK(
      shape_.is_array() && shape.is_array() && shape.num_bytes() == num_bytes(),
      StrCat("a literal of ", ShapeToString(), ", which has ", num_bytes(),
             " bytes, cannot be one of ", shape.ToString(), ", which has ", shape.num_bytes()));
  Literal result = *this;
  result.shape_ = shape;
  result.sizes_.clear();
  // What is borrowed is aligned for the type that it was of.
  const auto address = reinterpret_cast<std::uintptr_t>(data_);
  if (shape.is_array() && address % static_cast<size_t>(Info(shape.type()).align) != 0) {
    result.OwnStorage();
  }
  return result;
}

bool Literal::operator==(const Literal& other) const {
  if (!EqualIgnoringLayout(shape_, other.shape_)) return false;
  if (!shape_.is_array()) return elements_ == other.elements_;
  if (sizes_ != other.sizes_) return false;
  if (!sizes_.empty()) return ValidPart() == other.ValidPart();
  if (data_ == other.data_ && LayoutStrides(shape_) == LayoutStrides(other.shape_)) return true;
  const Literal a = ToRowMajor();
  const Literal b = other.ToRowMajor();
  return num_bytes() == 0 || std::memcmp(a.data_, b.data_, num_bytes()) == 0;
}

size_t Literal::Hash() const {
  if (!shape_.is_array()) {
    size_t hash = elements_.size();
    for (const Literal& element : elements_) {
      hash = hash * 0x9e3779b97f4a7c15u + element.Hash();
    }
    return hash;
  }
  if (!sizes_.empty())
    return ValidPart().Hash() * 0x9e3779b97f4a7c15u + shape_.WithoutLayout().Hash();
  return XXH3_64bits_withSeed(ToRowMajor().data_, num_bytes(), shape_.WithoutLayout().Hash());
}

namespace {

// The bit pattern of part `part` (1: imaginary) of a floating or complex element.
std::uint64_t PartBits(ElementType type, const std::byte* element, int part = 0) {
  const int bytes = Info(PartOf(type)).bytes;
  std::uint64_t bits = 0;
  std::memcpy(&bits, element + part * bytes, bytes);
  return bits;
}

bool SameElement(ElementType type, const std::byte* a, const std::byte* b) {
  const ElementTypeInfo& info = Info(type);
  if (std::memcmp(a, b, info.bytes) == 0) return true;
  if (!IsFloating(type) && !IsComplex(type)) return false;
  for (int part = 0; part <= (IsComplex(type) ? 1 : 0); ++part) {
    const std::uint64_t x = PartBits(type, a, part);
    const std::uint64_t y = PartBits(type, b, part);
    if (x != y && !(IsNanBits(info.format, x) && IsNanBits(info.format, y))) return false;
  }
  return true;
}

std::uint64_t ElementUlp(ElementType type, const std::byte* a, const std::byte* b) {
  if (!IsFloating(type) && !IsComplex(type)) return 0;
  std::uint64_t ulp = 0;
  for (int part = 0; part <= (IsComplex(type) ? 1 : 0); ++part) {
    ulp = std::max(
        ulp, UlpDistance(Info(type).format, PartBits(type, a, part), PartBits(type, b, part)));
  }
  return ulp;
}

// Calls fn(linear row-major position, element of a, element of b) for every pair that differs,
// until it returns false.
template <typename Fn>
void ForEachDifference(const Literal& a, const Literal& b, Fn fn) {
  const Literal x = a.is_padded() ? a.ValidPart() : a.ToRowMajor();
  const Literal y = b.is_padded() ? b.ValidPart() : b.ToRowMajor();
  if (x.num_bytes() == 0 || std::memcmp(x.bytes(), y.bytes(), x.num_bytes()) == 0) return;
  const i64 bytes = Info(a.shape().type()).bytes;
  for (i64 i = 0; i < x.num_elements(); ++i) {
    const std::byte* p = x.bytes() + i * bytes;
    const std::byte* q = y.bytes() + i * bytes;
    if (!SameElement(a.shape().type(), p, q) && !fn(i, p, q)) return;
  }
}

}  // namespace

bool SameValue(const Literal& a, const Literal& b) {
  if (!EqualIgnoringLayout(a.shape(), b.shape())) return false;
  if (!a.shape().is_array()) return std::ranges::equal(a.elements(), b.elements(), SameValue);
  if (a.sizes() != b.sizes()) return false;
  bool same = true;
  ForEachDifference(a, b, [&](i64, const std::byte*, const std::byte*) { return same = false; });
  return same;
}

std::uint64_t UlpDistance(const FloatFormat& format, std::uint64_t a, std::uint64_t b) {
  const bool a_nan = IsNanBits(format, a);
  const bool b_nan = IsNanBits(format, b);
  if (a_nan || b_nan) return a_nan && b_nan ? 0 : ~std::uint64_t{0};
  const std::uint64_t x = a & MagnitudeMask(format);
  const std::uint64_t y = b & MagnitudeMask(format);
  if (((a ^ b) & SignBit(format)) != 0) return x + y;
  return x < y ? y - x : x - y;
}

std::optional<LiteralDifference> FirstDifference(const Literal& a, const Literal& b) {
  LiteralDifference difference;
  const auto shapes_differ = [&] {
    difference.shapes_differ = true;
    difference.num_different = 1;
    difference.a = a.ShapeToString();
    difference.b = b.ShapeToString();
    return difference;
  };
  if (!Compatible(a.shape(), b.shape())) return shapes_differ();
  if ((a.is_padded() || b.is_padded()) && a.ShapeToString() != b.ShapeToString())
    return shapes_differ();
  ForEachLeaf(a.shape(), [&](const Shape& shape, const Dims& path) {
    if (!shape.is_array()) return;
    ForEachDifference(
        a.at(path), b.at(path), [&](i64 linear, const std::byte* x, const std::byte* y) {
          if (difference.num_different++ == 0) {
            difference.leaf = path;
            difference.index = IndexOf(a.at(path).sizes(), linear);
            difference.a = ElementToString(shape.type(), x);
            difference.b = ElementToString(shape.type(), y);
          }
          difference.max_ulp = std::max(difference.max_ulp, ElementUlp(shape.type(), x, y));
          return true;
        });
  });
  if (difference.num_different == 0) return {};
  return difference;
}

std::string LiteralDifference::ToString() const {
  if (shapes_differ) return StrCat("shapes differ: ", a, " against ", b);
  std::string out;
  if (!leaf.empty()) StrAppend(out, "leaf {", Join(leaf, ","), "} ");
  StrAppend(out, "element {", Join(index, ","), "}: ", a, " against ", b, "; ", num_different,
            num_different == 1 ? " element differs" : " elements differ");
  if (max_ulp == ~std::uint64_t{0}) return out + ", NaN against a number";
  if (max_ulp > 0) StrAppend(out, ", by up to ", max_ulp, " ulp");
  return out;
}

}  // namespace axle
