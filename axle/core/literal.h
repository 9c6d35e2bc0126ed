// Literal: a dense host value: an array of any element type and untiled layout, or a tuple.
//
// Copies share their storage (reference counted); mutable_data() makes it unique first, so a
// literal behaves as a value. View() borrows memory that the caller keeps alive. Elements lie in
// the order of the shape's layout; everything inside the library is row-major, and ToRowMajor()
// is called where values come in. Sub-byte types have one byte per element.
//
// A dimension that the shape flags dynamic has a run-time size, at most the size of the shape, its
// bound. Storage and data() are of the bound; the elements behind the run-time size are padding,
// which no comparison, hash or text of the literal shows. A new literal is full:
//
//   Literal literal(Shape f32[<=10]);  literal.SetSize(0, 5);   f32[<=10](5) { ... }
//
// Thread safety: as std::string; copies in different threads may share storage.
//
// What takes an index, a path, a dimension or a C++ type wants one that is there: what returns a
// Status or StatusOr returns INVALID_ARGUMENT if it is not, everything else prints both and ends
// the program (AXLE_CHECK), in every build. UncheckedData is for code that has checked. What copies
// elements without saying StatusOr throws std::bad_alloc without memory.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "axle/core/array_slice.h"
#include "axle/core/narrow_types.h"
#include "axle/core/shape.h"

namespace axle {

class Literal {
 public:
  Literal() = default;  // the empty tuple
  // Zeros, full; tuples recursively. The shape is one that CheckShape accepts, or the program ends.
  explicit Literal(const Shape& shape);
  // The same. Errors: INVALID_ARGUMENT as CheckShape; RESOURCE_EXHAUSTED without memory.
  static StatusOr<Literal> Create(const Shape& shape);
  // The two above with unspecified contents, for code that writes every element.
  static Literal Uninitialized(const Shape& shape);
  static StatusOr<Literal> CreateUninitialized(const Shape& shape);
  // The latter for an array whose shape CheckShape has accepted, and whose num_bytes() are known.
  static StatusOr<Literal> CreateUninitializedArray(const Shape& checked_shape, i64 num_bytes);
  // Of these elements, none of them copied.
  static Literal Tuple(std::vector<Literal> elements);
  // An array that borrows `data`: shape.num_bytes() bytes, not null unless those are 0, aligned for
  // the element type and in the order of the shape's layout. They outlive every copy of the literal
  // and are never written to.
  static Literal View(const Shape& shape, const void* data);
  // [dims] of row-major values, as many as that has elements. T is the StorageOf `type`.
  template <typename T>
  static Literal Array(ElementType type, Dims dims, std::span<const T> values) {
    Literal literal = Uninitialized(Shape(type, std::move(dims)));
    const std::span<T> elements = literal.mutable_data<T>();
    if (elements.size() != values.size()) literal.StopAtCount(values.size());
    std::copy(values.begin(), values.end(), elements.begin());
    return literal;
  }
  template <typename T>
  static Literal Scalar(ElementType type, T value) {
    return Array<T>(type, {}, std::span<const T>(&value, 1));
  }

  // Of a tuple, the shape has a copy of those of its elements: whoever writes to mutable_elements
  // leaves their shapes as they are.
  const Shape& shape() const { return shape_; }
  const std::vector<Literal>& elements() const { return elements_; }  // of a tuple
  std::vector<Literal>& mutable_elements() { return elements_; }
  const Literal& element(i64 i) const {
    if (static_cast<size_t>(i) >= elements_.size()) [[unlikely]]
      StopAtElement(i);
    return elements_[static_cast<size_t>(i)];
  }
  // The literal at a path of tuple indices.
  const Literal& at(ArraySlice<i64> path) const;

  // Run-time size of dimension d: that of the shape if it is static, or nothing else was set.
  i64 size(i64 d) const {
    const i64 bound = shape_.dim(d);
    return sizes_.empty() ? bound : sizes_[static_cast<size_t>(d)];
  }
  Dims sizes() const { return sizes_.empty() ? shape_.dims() : sizes_; }
  // 0 <= size <= shape().dim(d), and that of a static dimension is shape().dim(d).
  void SetSize(i64 d, i64 size);
  // The same whatever the flags: for operations, whose results get the flags of their shape
  // afterwards (SetDynamicFlags).
  void SetSizeBeforeFlags(i64 d, i64 size);
  // Some array here or in an element is not full.
  bool is_padded() const;
  // The elements that are not padding, row-major, with static shapes; shares storage where there is
  // no padding. Throws std::bad_alloc without memory.
  Literal ValidPart() const;
  // The inverse: the elements of an array, which is full, at the front of `bound`, zeros behind.
  // The run-time sizes are those of `valid`. Errors besides: INVALID_ARGUMENT if one is above that
  // of `bound`, or types or ranks differ.
  static StatusOr<Literal> Padded(const Literal& valid, const Shape& bound);
  // Flags the dimensions as dynamic that `shape`, of the same dimensions, flags, and no others but
  // those that are not full. Tuples recursively.
  void SetDynamicFlags(const Shape& shape);

  // Of the storage: bounds count, not run-time sizes. bytes() is null for a tuple or token, and
  // valid until the literal is written to, assigned or destroyed.
  i64 num_elements() const { return shape_.num_elements(); }
  i64 num_bytes() const { return shape_.num_bytes(); }
  const std::byte* bytes() const { return data_; }
  // Makes the storage unique first (copies it if it is shared or borrowed).
  std::byte* mutable_bytes();
  // Nobody else shares the storage, and it is not borrowed.
  bool is_unique() const { return owner_ != nullptr && owner_.use_count() == 1; }
  // Copies what is borrowed, so that the literal outlives the memory it was a view of.
  void OwnStorage();
  // Is an array that borrows its storage.
  bool is_view() const { return owner_ == nullptr && data_ != nullptr; }
  // The elements of an array in the order of its layout, bounds of them. T is a type of its
  // elements (IsElementOf, core/narrow_types.h): float for f32, bfloat16 for bf16, s4 or
  // std::int8_t for s4. Valid as bytes() is.
  template <typename T>
  std::span<const T> data() const {
    if (!IsElementOf<T>(shape_.type())) [[unlikely]]
      StopAtType("data", ElementName<T>());
    return UncheckedData<T>();
  }
  template <typename T>
  std::span<T> mutable_data() {
    if (!IsElementOf<T>(shape_.type())) [[unlikely]]
      StopAtType("mutable_data", ElementName<T>());
    return MutableUncheckedData<T>();
  }
  // The same with any T that has the size of an element: for code that only moves bits, or that
  // knows the type.
  template <typename T>
  std::span<const T> UncheckedData() const {
    return {reinterpret_cast<const T*>(data_), static_cast<size_t>(num_elements())};
  }
  template <typename T>
  std::span<T> MutableUncheckedData() {
    return {reinterpret_cast<T*>(mutable_bytes()), static_cast<size_t>(num_elements())};
  }
  // The element at a multi-index within the bounds, whatever the layout.
  template <typename T>
  T Get(ArraySlice<i64> index) const {
    return data<T>()[static_cast<size_t>(LinearIndex(index))];
  }
  template <typename T>
  void Set(ArraySlice<i64> index, T value) {
    const auto linear = static_cast<size_t>(LinearIndex(index));
    mutable_data<T>()[linear] = value;
  }

  // The same logical value: an array with another layout, which fits its rank; anything with
  // row-major layouts throughout. Shares storage where nothing has to move.
  Literal Relayout(const Layout& layout) const;
  Literal ToRowMajor() const;
  // The same elements under another shape with as many bytes (reshape, bitcast); shares storage,
  // but for views that are not aligned for the new type. Only for arrays, whose elements are taken
  // in the order in which they lie; the result is full.
  Literal WithShape(const Shape& shape) const;
  // The elements of an array, in row-major order, in other dimensions, row-major too; shares
  // storage where nothing has to move. Errors: INVALID_ARGUMENT if it is no array or has another
  // number of elements, UNIMPLEMENTED if it is not full.
  StatusOr<Literal> Reshape(ArraySlice<i64> dims) const;
  // The elements of a tuple, which is (), the empty one, from then on. Of a tuple only.
  std::vector<Literal> DecomposeTuple();

  // Same shape, and bit for bit the same values in logical order (layouts may differ). Run-time
  // sizes count, padding does not.
  bool operator==(const Literal& other) const;
  // { { 1, 2 }, { 3, 4 } } as HLO text prints it in constant(...); tuples ( a, b ). With dynamic
  // dimensions the run-time sizes come first: (2,3) { ... }.
  std::string ToString() const;
  // f32[2] {1, 2}, f32[<=3](1) {1}: what ParseLiteral(text) reads.
  std::string ToStringWithShape() const;
  // The shape with run-time sizes, for messages: f32[2], (f32[<=3](1), s32[]).
  std::string ShapeToString() const;
  // The same for literals that are equal.
  size_t Hash() const;

 private:
  static StatusOr<Literal> CreateWith(const Shape& shape, bool zeroed);
  void Allocate(bool zeroed);  // the storage of shape_
  i64 LinearIndex(std::span<const i64> index) const;
  [[noreturn]] void StopAtType(std::string_view function, std::string_view type) const;
  [[noreturn]] void StopAtElement(i64 i) const;
  [[noreturn]] void StopAtCount(size_t num_values) const;
  void CopyElementShapes();  // into the shape of a tuple

  Shape shape_;
  Dims sizes_;                        // empty: full
  std::shared_ptr<std::byte> owner_;  // null for views and tuples
  std::byte* data_ = nullptr;
  std::vector<Literal> elements_;
};

// True if equal bit for bit, except that every NaN equals every NaN (numerics.md). For complex
// types in each part.
bool SameValue(const Literal& a, const Literal& b);

// Where two literals of one shape differ: the first leaf and element, and the largest distance.
struct LiteralDifference {
  Dims leaf;                  // path of tuple indices
  Dims index;                 // of the first differing element
  i64 num_different = 0;      // in all leaves
  std::uint64_t max_ulp = 0;  // largest distance of two floats, in units in the last place
  bool shapes_differ = false;
  std::string a, b;  // the first differing elements, or the shapes if those differ
  // "leaf {1} element {0,2}: 1 against 1.0000001; 3 elements differ, by up to 1 ulp".
  std::string ToString() const;
};
// Nothing if they agree, all NaNs being one; layouts and dynamic flags do not count.
std::optional<LiteralDifference> FirstDifference(const Literal& a, const Literal& b);

// Steps between two floats of a format, counted through zero (-0 and +0 are 0 apart); 0 for two
// NaNs, UINT64_MAX if one is a NaN. `a` and `b` are bit patterns.
std::uint64_t UlpDistance(const FloatFormat& format, std::uint64_t a, std::uint64_t b);

// One scalar, which `element` points at, as HLO text prints it: "1", "-inf", "(1, 2)", "true".
std::string ElementToString(ElementType type, const void* element);

// Reads a literal of this shape; the result is row-major. Elements that are elided ("{...}") become
// those of ElidedLiteral, and Scanner::TakeElided tells. Errors: INVALID_ARGUMENT, which points at
// the text; RESOURCE_EXHAUSTED without memory.
StatusOr<Literal> ParseLiteral(Scanner& scanner, const Shape& shape);
// The same for `constant(...)`, where XLA also takes a value without braces for an array: it is the
// first element, and the others are zeros.
StatusOr<Literal> ParseConstant(Scanner& scanner, const Shape& shape);
// What stands where the elements of a value are not known: a fixed counting pattern. It takes
// memory, from `budget` of bytes; beyond that an array of 2 MiB to 64 GiB is zeros that take none
// until somebody reads them. RESOURCE_EXHAUSTED for others, and without memory.
StatusOr<Literal> ElidedLiteral(const Shape& shape, i64& budget);
// Reads "f32[2] {1, 2}"; an array without braces is its elements in row-major order: "f32[2] 1, 2".
// Run-time sizes follow the shape, one for every dimension: "f32[<=10,2](1,2) {{1, 2}}". All
// elements must be there.
StatusOr<Literal> ParseLiteral(std::string_view text);

}  // namespace axle
