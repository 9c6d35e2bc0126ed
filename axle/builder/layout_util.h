// LayoutUtil: XLA's names for functions that make and inspect layouts.
//
//   LayoutUtil::MakeLayout({0, 1})              column-major
//   LayoutUtil::Minor(layout, 0)                the dimension whose neighbours touch
//
// The functions are static and have no state, so that any thread may call them. A shape always has
// a layout here: row-major unless another one was set. Making a layout checks nothing;
// ValidateLayoutForShape does.
#pragma once
#include <string>

#include "axle/core/array_slice.h"
#include "axle/core/shape.h"

namespace axle {

class LayoutUtil {
 public:
  // Makes a layout from the dimensions, most minor first, and tiles as in {1,0:T(8,128)}.
  static Layout MakeLayout(ArraySlice<i64> minor_to_major, ArraySlice<Dims> tiles = {});
  // Makes a layout from the dimensions, most major first.
  static Layout MakeLayoutFromMajorToMinor(ArraySlice<i64> major_to_minor);
  // Return {rank-1, .., 0}, row-major, which is the default; and {0, .., rank-1}. A negative rank
  // counts as 0.
  static Layout MakeDescendingLayout(i64 rank);
  static Layout MakeAscendingLayout(i64 rank);
  static Layout GetDefaultLayoutForRank(i64 rank) { return MakeDescendingLayout(rank); }
  static Layout GetDefaultLayoutForR2() { return MakeDescendingLayout(2); }
  static Layout GetDefaultLayoutForR3() { return MakeDescendingLayout(3); }
  static Layout GetDefaultLayoutForR4() { return MakeDescendingLayout(4); }
  static Layout GetDefaultLayoutForShape(const Shape& shape) {
    return MakeDescendingLayout(shape.rank());
  }
  // Set row-major layouts for the shape and its elements. The first two do the same here.
  static void SetToDefaultLayout(Shape* shape) { *shape = shape->WithoutLayout(); }
  static void ClearLayout(Shape* shape) { *shape = shape->WithoutLayout(); }
  static Shape GetWithDefaultLayout(const Shape& shape) { return shape.WithoutLayout(); }
  // Copies the layouts of `from` to `to`. Errors: INVALID_ARGUMENT, with `to` unchanged, if trees
  // or ranks differ.
  static Status CopyLayoutBetweenShapes(const Shape& from, Shape* to);

  // Compares everything, including tiles.
  static bool Equal(const Layout& a, const Layout& b) { return a == b; }
  static bool LayoutsInShapesEqual(const Shape& a, const Shape& b);  // same trees, same layouts
  // Returns the text of HLO: {1,0:T(8,128)}.
  static std::string HumanString(const Layout& layout) { return layout.ToString(); }
  // Returns true always: a shape without an explicit layout is row-major.
  static bool HasLayout(const Shape&) { return true; }
  // Returns whether it is an array whose elements are adjacent in memory, untiled.
  static bool IsDenseArray(const Shape& shape) {
    return shape.is_array() && (shape.layout() == nullptr || shape.layout()->tiles.empty());
  }
  // Return whether minor_to_major is 0, 1, 2, ... (Minor), or descends to 0 (Major).
  static bool IsMonotonicWithDim0Minor(const Layout& layout);
  static bool IsMonotonicWithDim0Major(const Layout& layout);

  // Return the dimensions, most minor first; for a layout, a reference into it.
  static const Dims& MinorToMajor(const Layout& layout) { return layout.minor_to_major; }
  static Dims MinorToMajor(const Shape& shape) { return shape.LayoutOrDefault().minor_to_major; }
  // Return the dimension that is n-th from the most minor or the most major; -1 if there is none.
  static i64 Minor(const Layout& layout, i64 physical_dimension_number);
  static i64 Major(const Layout& layout, i64 physical_dimension_number);
  // Returns a list whose element d is the number of dimensions that are more major than dimension
  // d. `layout` must be valid.
  static Dims MakeLogicalToPhysical(const Layout& layout);

  // Errors: INVALID_ARGUMENT if a layout does not fit its array, or the shape is invalid
  // (CheckShape).
  static Status ValidateLayoutInShape(const Shape& shape) { return CheckShape(shape); }
  static Status ValidateLayoutForShape(const Layout& layout, const Shape& shape);
};

}  // namespace axle
