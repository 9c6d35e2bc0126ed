// Shape and Layout: value types; ir/ interns them.
//
//   Shape(F32, {2, 3})                      f32[2,3]{1,0}
//   Shape::Tuple({Shape(S32), Shape::Token()})   (s32[], token[])
//
// A shape without an explicit layout is row-major (last dimension fastest), untiled. Equality
// compares everything; Compatible() ignores layouts and dynamic flags, as in XLA.
//
// Making and changing a shape does not check that it is one that there can be: CheckShape does.
// What takes the number of a dimension or of an element ends the program if there is none
// (AXLE_CHECK). Threads: as std::string.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

class Scanner;  // core/scanner.h

using Dims = std::vector<i64>;

// The size of an unbounded dynamic dimension, printed "?".
inline constexpr i64 kUnboundedSize = INT64_MIN;

// How the elements of an array lie in memory. Only minor_to_major is used by the library; the rest
// is carried and printed (and refused where it would have to be honoured).
struct Layout {
  Dims minor_to_major;      // most minor first
  std::vector<Dims> tiles;  // kCombineTileDim is printed "*"
  i64 tail_padding_alignment = 1;
  ElementType index_type = PRIMITIVE_TYPE_INVALID;
  ElementType pointer_type = PRIMITIVE_TYPE_INVALID;
  i64 element_size_in_bits = 0;  // 0: the natural size
  i64 memory_space = 0;
  std::vector<std::pair<i64, Dims>> split_configs;  // dimension, split indices
  i64 dynamic_shape_metadata_prefix_bytes = 0;

  static constexpr i64 kCombineTileDim = INT64_MIN;
  // {rank-1, .., 0}; the rank is not negative.
  static Layout RowMajor(i64 rank);
  // Has nothing but a row-major minor_to_major.
  bool is_default() const;
  bool operator==(const Layout&) const = default;
  std::string ToString() const;  // {1,0:T(8,128)}; "" if there is nothing to say
};

class Shape {
 public:
  Shape() = default;  // the empty tuple
  // An array, [dims], static and row-major.
  explicit Shape(ElementType type, Dims dims = {}) : type_(type), dims_(std::move(dims)) {}
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token() { return Shape(TOKEN); }
  static Shape Opaque() { return Shape(OPAQUE_TYPE); }
  static Shape Buffer(Shape array);  // b(f32[8])

  // Elements, sizes and flags; a tuple has no dimensions, anything but a tuple or buffer no
  // elements().
  ElementType type() const { return type_; }
  bool is_array() const { return IsArrayType(type_); }
  bool is_tuple() const { return type_ == TUPLE; }
  bool is_token() const { return type_ == TOKEN; }
  bool is_scalar() const { return is_array() && dims_.empty(); }
  i64 rank() const { return static_cast<i64>(dims_.size()); }
  const Dims& dims() const { return dims_; }
  i64 dim(i64 d) const { return dims_[Checked(d)]; }  // the bound, if dynamic
  bool is_dynamic(i64 d) const {
    const size_t checked = Checked(d);
    return !dynamic_.empty() && dynamic_[checked];
  }
  bool is_static() const;  // no dynamic dimension here or in any element
  const std::vector<Shape>& elements() const { return elements_; }  // of a tuple or buffer
  i64 num_tuple_elements() const { return static_cast<i64>(elements_.size()); }
  const Shape& element(i64 i) const {
    if (static_cast<size_t>(i) >= elements_.size()) [[unlikely]]
      StopAtElement(i);
    return elements_[static_cast<size_t>(i)];
  }

  // A dimension or an element is changed, dropped, or added behind the last one.
  void set_type(ElementType type) { type_ = type; }
  void set_dim(i64 d, i64 size) { dims_[Checked(d)] = size; }
  void set_dynamic(i64 d, bool dynamic);
  void DeleteDim(i64 d);                           // drops the layout
  void AppendDim(i64 size, bool dynamic = false);  // drops the layout
  void AddElement(Shape element);

  // Null: row-major, untiled.
  const Layout* layout() const { return layout_.get(); }
  Layout LayoutOrDefault() const { return layout_ ? *layout_ : Layout::RowMajor(rank()); }
  void set_layout(Layout layout);
  void ClearLayout() { layout_ = nullptr; }
  // The same with row-major layouts, elements included.
  Shape WithoutLayout() const;
  Shape WithType(ElementType type) const;  // keeps dimensions, dynamic flags and layout

  // The product of the dimensions (bounds of dynamic ones); saturates at INT64_MAX. CheckShape has
  // refused overflow wherever a shape comes from outside.
  i64 num_elements() const;
  // Of a Literal's storage, without padding; tuples sum up. Saturates.
  i64 num_bytes() const;

  // The names of XLA's Shape.
  ElementType element_type() const { return type_; }
  const Dims& dimensions() const { return dims_; }
  i64 dimensions(i64 d) const { return dim(d); }
  const std::vector<Shape>& tuple_shapes() const { return elements_; }
  const Shape& tuple_shapes(i64 i) const { return element(i); }
  bool IsArray() const { return is_array(); }
  bool IsTuple() const { return is_tuple(); }
  bool IsToken() const { return is_token(); }

  // Everything counts: layouts and dynamic flags too.
  bool operator==(const Shape& other) const;
  // f32[<=2,3], (s32[], f32[2]): without layouts, for messages.
  std::string ToString() const;
  // f32[2,3]{1,0}, as HLO text prints it.
  std::string ToStringWithLayout() const;
  // The same for shapes that are equal.
  size_t Hash() const;

 private:
  // The number of a dimension, which is there.
  size_t Checked(i64 d) const {
    if (static_cast<size_t>(d) >= dims_.size()) [[unlikely]]
      StopAtDim(d);
    return static_cast<size_t>(d);
  }
  [[noreturn]] void StopAtDim(i64 d) const;
  [[noreturn]] void StopAtElement(i64 i) const;

  ElementType type_ = TUPLE;
  Dims dims_;
  std::vector<bool> dynamic_;    // empty: all static
  std::vector<Shape> elements_;  // of a tuple; one of a buffer
  std::shared_ptr<const Layout> layout_;
};

// Same tree, ranks, sizes and element types; layouts and dynamic flags do not count.
bool CompatibleElements(const std::vector<Shape>& a, const std::vector<Shape>& b);
inline bool Compatible(const Shape& a, const Shape& b) {
  const bool has_elements = !a.elements().empty() || !b.elements().empty();
  return a.type() == b.type() && a.dims() == b.dims() &&
         (!has_elements || CompatibleElements(a.elements(), b.elements()));
}
// The same, with all float types as one.
bool CompatibleIgnoringFpPrecision(const Shape& a, const Shape& b);
// The sizes of two arrays, whatever their types.
bool SameDims(const Shape& a, const Shape& b);
// Everything but layouts.
bool EqualIgnoringLayout(const Shape& a, const Shape& b);
// Of two floating types the wider one: by complexity, largest exponent, significand, bits.
ElementType HigherPrecision(ElementType a, ElementType b);

// Overflow-checked arithmetic: nothing if the result does not fit.
std::optional<i64> CheckedMul(i64 a, i64 b);
std::optional<i64> CheckedAdd(i64 a, i64 b);

// INVALID_ARGUMENT if a size is negative, the product of the sizes or the number of bytes overflows
// i64, the layout does not fit the rank, the rank is above kMaxRank, the nesting is deeper than
// kMaxTupleDepth, the type is invalid, or what is no array has dimensions. Sizes of 0 count as 1 in
// the product, so that strides do not overflow either.
Status CheckShape(const Shape& shape);
inline constexpr int kMaxTupleDepth = 100;
inline constexpr i64 kMaxRank = 256;

// Elements between neighbours of each dimension, last dimension fastest; of sizes that CheckShape
// accepts.
Dims RowMajorStrides(const Dims& dims);
// The same for any untiled layout of the shape.
Dims LayoutStrides(const Shape& shape);

// Distances of all positions of a box of these sizes, row-major: {2,2}, {10,1} -> {0,1,10,11}.
Dims RowMajorOffsets(const Dims& sizes, const Dims& strides);

// Calls fn(leaf shape, index path) for every array or token in a shape, depth first.
template <typename Fn>
void ForEachLeaf(const Shape& shape, Fn&& fn) {
  Dims path;
  const auto visit = [&](const auto& self, const Shape& s) -> void {
    if (!s.is_tuple()) return fn(s, static_cast<const Dims&>(path));
    for (i64 i = 0; i < s.num_tuple_elements(); ++i) {
      path.push_back(i);
      self(self, s.element(i));
      path.pop_back();
    }
  };
  visit(visit, shape);
}

// Reads a shape as HLO text spells it; checked by CheckShape. A '{' is taken for a layout only if
// it touches the shape and an integer or ':' follows: f32[2]{0} {1, 2} is a shape with a literal.
// Errors, here and below: INVALID_ARGUMENT, which points at the text; UNIMPLEMENTED for a layout
// with a physical shape.
StatusOr<Shape> ParseShape(Scanner& scanner);
// Reads the braces of a layout for an array of this rank.
StatusOr<Layout> ParseLayout(Scanner& scanner, i64 rank);
// Reads a whole text.
StatusOr<Shape> ParseShape(std::string_view text);

// For std::unordered_map.
struct ShapeHash {
  size_t operator()(const Shape& shape) const { return shape.Hash(); }
};

}  // namespace axle
