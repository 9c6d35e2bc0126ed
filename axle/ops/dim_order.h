// Dimensions of an array in another order: {2, 0, 1} has the elements of [a,b,c] lie as those of
// [c,a,b] do. Rows say with it how their attributes are written for such arrays (OpDef::permute).
#pragma once
#include <algorithm>
#include <memory>
#include <utility>

#include "axle/ops/op_def.h"

namespace axle {

// The dimensions of an array as they lie in memory, the slowest first. {0, 1, ...} is as written.
using Order = Dims;

Order Identity(i64 rank);
bool IsIdentity(const Order& order);
Order Inverse(const Order& order);
// outer[inner[0]], outer[inner[1]], ...
Order Composed(const Order& outer, const Order& inner);
// [dims] in this order.
Shape Permuted(const Shape& shape, const Order& order);
// Without dimensions of one element, which lie anywhere: arrays of one shape in orders that are
// then equal are the same bytes.
Order Essential(const Shape& shape, const Order& order);

// A list with one entry per dimension, in this order.
template <typename List>
List InOrder(const List& list, const Order& order) {
  List permuted;
  for (const i64 d : order) permuted.push_back(list[static_cast<size_t>(d)]);
  return permuted;
}

// Attributes of the struct that the op of `inst` has.
template <typename Attrs>
AttrBlock BlockOf(const Instruction& inst, Attrs attrs) {
  return {GetOpDef(inst).attrs, std::make_shared<const Attrs>(std::move(attrs))};
}

// PermutedAttrsFn of ops whose attributes are a set of dimensions, DimensionsAttrs.
AttrBlock RenumberedDimensions(const Instruction& inst, const Order& order, const Order& operand);

}  // namespace axle
