#include "axle/core/literal_layouts.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace axle {

Literal InLayoutsOf(Literal value, const Shape& shape) {
  if (!shape.is_tuple()) {
    const bool has_one =
        shape.is_array() && shape.layout() != nullptr && shape.layout()->tiles.empty();
    return has_one ? value.Relayout(*shape.layout()) : value;
  }
  std::vector<Literal> elements = std::move(value.mutable_elements());
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = InLayoutsOf(std::move(elements[i]), shape.element(static_cast<i64>(i)));
  }
  return Literal::Tuple(std::move(elements));
}

bool AnyHasLayout(const std::vector<Shape>& elements) {
  return std::ranges::any_of(elements, HasLayout);
}

}  // namespace axle
