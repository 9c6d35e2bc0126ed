// Arithmetic of permutations.
//
// An order lists the dimensions from the most major one: position i of the permuted shape is
// dimension order[i] of the original. The layout pass composes orders of several instructions and
// compares them without dimensions of size 1, whose position changes no memory.

#include "axle/ops/dim_order.h"

#include <numeric>

#include "axle/ops/attributes/attributes.h"

namespace axle {

Order Identity(i64 rank) {
  Order order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool IsIdentity(const Order& order) {
  return std::ranges::is_sorted(order);
}

Order Inverse(const Order& order) {
  Order inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    inverse[static_cast<size_t>(order[i])] = static_cast<i64>(i);
  }
  return inverse;
}

// Position i of the result is outer[inner[i]].
Order Composed(const Order& outer, const Order& inner) {
  return InOrder(outer, inner);
}

Shape Permuted(const Shape& shape, const Order& order) {
  return Shape(shape.type(), InOrder(shape.dims(), order));
}

// The order without the dimensions of size 1: shapes whose essential orders are equal have the same
// memory order.
Order Essential(const Shape& shape, const Order& order) {
  Order essential;
  for (const i64 d : order) {
    if (shape.dim(d) != 1) essential.push_back(d);
  }
  return essential;
}

// The attribute of an op that names dimensions, after its operand was permuted: dimension d is now
// at position at[d].
AttrBlock RenumberedDimensions(const Instruction& inst, const Order& order, const Order&) {
  const Order at = Inverse(order);
  Dims dims;
  for (const i64 d : inst.attrs<DimensionsAttrs>().dimensions) {
    dims.push_back(at[static_cast<size_t>(d)]);
  }
  std::ranges::sort(dims);
  return BlockOf(inst, DimensionsAttrs{std::move(dims)});
}

}  // namespace axle
