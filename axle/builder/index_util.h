// IndexUtil: XLA's names for walking the elements of an array.
//
//   IndexUtil::MultidimensionalIndexToLinearIndex(f32[2,3], {1, 2})   5, row-major
//
// "Linear" is the position in memory by the shape's layout, untiled. The functions are static and
// have no state, so that any thread may call them. For an index outside of the shape they return
// -1, or an empty list.
#pragma once
#include <span>

#include "axle/core/array_slice.h"
#include "axle/core/shape.h"

namespace axle {

class IndexUtil {
 public:
  // Returns the number of elements before the one at `multi_index`, which has an entry per
  // dimension.
  static i64 MultidimensionalIndexToLinearIndex(const Shape& shape, ArraySlice<i64> multi_index);
  // The same for the order of dimensions `minor_to_major`, with the most minor one first, instead
  // of that of the shape.
  static i64 MultidimensionalIndexToLinearIndex(const Shape& shape, ArraySlice<i64> minor_to_major,
                                                ArraySlice<i64> multi_index);
  // The inverse. The index of a scalar is also an empty list.
  static Dims LinearIndexToMultidimensionalIndex(const Shape& shape, i64 linear_index);
  // Returns the distance, in elements, between neighbours along a dimension in memory.
  static i64 GetDimensionStride(const Shape& shape, i64 dimension);
  // Returns whether the array has an element at this index.
  static bool IndexInBounds(const Shape& shape, ArraySlice<i64> index);
  // Steps to the next index in row-major order; returns false after the last one, with all indices
  // 0. The size of `indices` is the rank.
  static bool BumpIndices(const Shape& shape, std::span<i64> indices);
  // Compares two indices lexicographically: -1, 0 or 1.
  static int CompareIndices(ArraySlice<i64> lhs, ArraySlice<i64> rhs);
};

}  // namespace axle
