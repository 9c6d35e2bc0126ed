// IndexUtil: XLA's names for walking the elements of an array.
//
//   IndexUtil::MultidimensionalIndexToLinearIndex(f32[2,3], {1, 2})   5, row-major
//
// "Linear" is the position in memory by the shape's layout, untiled. Static functions without
// state: any thread. An index that is outside of the shape has no answer: -1, or an empty list.
#pragma once
#include <span>

#include "axle/core/array_slice.h"
#include "axle/core/shape.h"

namespace axle {

class IndexUtil {
 public:
  // The number of elements before the one at `multi_index`, which has an entry per dimension.
  static i64 MultidimensionalIndexToLinearIndex(const Shape& shape, ArraySlice<i64> multi_index);
  // The same for the order of dimensions `minor_to_major`, the most minor one first, instead of the
  // shape's.
  static i64 MultidimensionalIndexToLinearIndex(const Shape& shape, ArraySlice<i64> minor_to_major,
                                                ArraySlice<i64> multi_index);
  // The inverse. The index of a scalar is an empty list too.
  static Dims LinearIndexToMultidimensionalIndex(const Shape& shape, i64 linear_index);
  // The distance, in elements, between neighbours along a dimension in memory.
  static i64 GetDimensionStride(const Shape& shape, i64 dimension);
  // Whether the array has an element at this index.
  static bool IndexInBounds(const Shape& shape, ArraySlice<i64> index);
  // Steps to the next index in row-major order; returns false after the last one, with all indices
  // 0. The size of `indices` is the rank.
  static bool BumpIndices(const Shape& shape, std::span<i64> indices);
  // -1, 0 or 1: which of two indices comes first, the first position deciding.
  static int CompareIndices(ArraySlice<i64> lhs, ArraySlice<i64> rhs);
};

}  // namespace axle
