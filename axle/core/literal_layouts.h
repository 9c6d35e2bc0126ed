// A value in the layouts that a shape asks for, tuples included. Literal::Relayout is for one
// array.
#pragma once
#include "axle/core/literal.h"

namespace axle {

// The same value, each of its arrays in the layout that `shape`, with which it is Compatible, has
// for it. Arrays stay as they are where `shape` has no layout or a tiled one. Arrays that are in
// that layout already share their memory with the result. Throws std::bad_alloc as Relayout does.
Literal InLayoutsOf(Literal value, const Shape& shape);
// Whether it, or any array in it, has a layout of its own. Without one, it is row-major.
bool AnyHasLayout(const std::vector<Shape>& elements);
inline bool HasLayout(const Shape& shape) {
  return shape.layout() != nullptr || (!shape.elements().empty() && AnyHasLayout(shape.elements()));
}

}  // namespace axle
