#include "axle/builder/layout_util.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle {
namespace {

Status CopyLayouts(const Shape& from, Shape& to) {
  if (from.is_tuple() != to.is_tuple() || from.rank() != to.rank() ||
      from.num_tuple_elements() != to.num_tuple_elements()) {
    return InvalidArgument(StrCat("copy layout: shapes ", from.ToString(), " and ", to.ToString(),
                                  " have different trees or ranks"));
  }
  if (!to.is_tuple()) {
    to.ClearLayout();
    if (from.layout() != nullptr) to.set_layout(*from.layout());
    return {};
  }
  std::vector<Shape> elements = to.elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    AXLE_TRY(CopyLayouts(from.elements()[i], elements[i]));
  }
  to = Shape::Tuple(std::move(elements));
  return {};
}

}  // namespace

Layout LayoutUtil::MakeLayout(ArraySlice<i64> minor_to_major, ArraySlice<Dims> tiles) {
  Layout layout;
  layout.minor_to_major.assign(minor_to_major.begin(), minor_to_major.end());
  layout.tiles.assign(tiles.begin(), tiles.end());
  return layout;
}

Layout LayoutUtil::MakeLayoutFromMajorToMinor(ArraySlice<i64> major_to_minor) {
  Layout layout;
  layout.minor_to_major.assign(major_to_minor.rbegin(), major_to_minor.rend());
  return layout;
}

Layout LayoutUtil::MakeDescendingLayout(i64 rank) {
  return Layout::RowMajor(std::max<i64>(rank, 0));
}

Layout LayoutUtil::MakeAscendingLayout(i64 rank) {
  return MakeLayoutFromMajorToMinor(MakeDescendingLayout(rank).minor_to_major);
}

Status LayoutUtil::CopyLayoutBetweenShapes(const Shape& from, Shape* to) {
  Shape copy = *to;
  AXLE_TRY(CopyLayouts(from, copy));
  *to = std::move(copy);
  return {};
}

bool LayoutUtil::LayoutsInShapesEqual(const Shape& a, const Shape& b) {
  if (a.is_tuple() != b.is_tuple() || a.rank() != b.rank()) return false;
  return a.LayoutOrDefault() == b.LayoutOrDefault() &&
         std::ranges::equal(a.elements(), b.elements(), LayoutsInShapesEqual);
}

bool LayoutUtil::IsMonotonicWithDim0Minor(const Layout& layout) {
  return std::ranges::is_sorted(layout.minor_to_major);
}

bool LayoutUtil::IsMonotonicWithDim0Major(const Layout& layout) {
  return std::ranges::is_sorted(layout.minor_to_major, std::greater<>());
}

i64 LayoutUtil::Minor(const Layout& layout, i64 physical_dimension_number) {
  const auto rank = static_cast<i64>(layout.minor_to_major.size());
  if (physical_dimension_number < 0 || physical_dimension_number >= rank) return -1;
  return layout.minor_to_major[static_cast<size_t>(physical_dimension_number)];
}

i64 LayoutUtil::Major(const Layout& layout, i64 physical_dimension_number) {
  const auto rank = static_cast<i64>(layout.minor_to_major.size());
  if (physical_dimension_number < 0) return -1;
  return Minor(layout, rank - 1 - physical_dimension_number);
}

Dims LayoutUtil::MakeLogicalToPhysical(const Layout& layout) {
  const size_t rank = layout.minor_to_major.size();
  Dims physical(rank, -1);
  for (size_t i = 0; i < rank; ++i) {
    const i64 dim = layout.minor_to_major[rank - 1 - i];
    if (dim >= 0 && dim < static_cast<i64>(rank)) {
      physical[static_cast<size_t>(dim)] = static_cast<i64>(i);
    }
  }
  return physical;
}

Status LayoutUtil::ValidateLayoutForShape(const Layout& layout, const Shape& shape) {
  Shape with_layout = shape;
  with_layout.set_layout(layout);
  // set_layout drops a row-major layout, whatever its rank.
  if (layout.minor_to_major.size() != shape.dims().size()) {
    return InvalidArgument(StrCat("layout names ", layout.minor_to_major.size(),
                                  " dimensions but the shape has rank ", shape.rank()));
  }
  return CheckShape(with_layout);
}

}  // namespace axle
