#include "axle/builder/index_util.h"

#include <algorithm>

namespace axle {
namespace {

bool IsArrayWithElements(const Shape& shape) {
  return shape.is_array() && CheckShape(shape).ok();
}

}  // namespace

bool IndexUtil::IndexInBounds(const Shape& shape, ArraySlice<i64> index) {
  return shape.is_array() && std::ranges::equal(index, shape.dims(),
                                                [](i64 i, i64 size) { return i >= 0 && i < size; });
}

i64 IndexUtil::MultidimensionalIndexToLinearIndex(const Shape& shape, ArraySlice<i64> multi_index) {
  if (!IsArrayWithElements(shape) || !IndexInBounds(shape, multi_index)) return -1;
  const Dims strides = LayoutStrides(shape);
  i64 linear = 0;
  for (size_t d = 0; d < strides.size(); ++d) linear += multi_index[d] * strides[d];
  return linear;
}

i64 IndexUtil::MultidimensionalIndexToLinearIndex(const Shape& shape,
                                                  ArraySlice<i64> minor_to_major,
                                                  ArraySlice<i64> multi_index) {
  Shape ordered(shape.type(), shape.dims());
  Layout layout;
  layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  if (minor_to_major.size() != shape.dims().size()) return -1;
  ordered.set_layout(std::move(layout));
  return MultidimensionalIndexToLinearIndex(ordered, multi_index);
}

Dims IndexUtil::LinearIndexToMultidimensionalIndex(const Shape& shape, i64 linear_index) {
  if (!IsArrayWithElements(shape)) return {};
  if (linear_index < 0 || linear_index >= shape.num_elements()) return {};
  Dims index(shape.dims().size());
  for (i64 d : shape.LayoutOrDefault().minor_to_major) {
    index[static_cast<size_t>(d)] = linear_index % shape.dim(d);
    linear_index /= shape.dim(d);
  }
  return index;
}

i64 IndexUtil::GetDimensionStride(const Shape& shape, i64 dimension) {
  if (!IsArrayWithElements(shape) || dimension < 0 || dimension >= shape.rank()) return -1;
  return LayoutStrides(shape)[static_cast<size_t>(dimension)];
}

bool IndexUtil::BumpIndices(const Shape& shape, std::span<i64> indices) {
  if (indices.size() != shape.dims().size()) return false;
  for (size_t d = indices.size(); d-- > 0;) {
    if (++indices[d] < shape.dims()[d]) return true;
    indices[d] = 0;
  }
  return false;
}

int IndexUtil::CompareIndices(ArraySlice<i64> lhs, ArraySlice<i64> rhs) {
  const auto order =
      std::lexicographical_compare_three_way(lhs.begin(), lhs.end(), rhs.begin(), rhs.end());
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

}  // namespace axle
