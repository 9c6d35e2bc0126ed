// PermuteForm: an instruction on arrays whose dimensions stand in another order. The elements and
// the bits of each are the same; only where they lie differs.
#pragma once
#include <optional>
#include <string>

#include "axle/ops/attributes/attributes.h"
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

// How an op takes other orders.
enum class PermuteForm : std::uint8_t {
  kNone,         // as written only
  kAlike,        // operands and result in one order; scalar operands aside
  kFold,         // a reduction: the result has its operand's order, without some dimensions
  kConvolution,  // each array in an order of its own
  kRename,       // a transpose: nothing but other numbers for dimensions
  kSource,       // made in any order from an operand in any order, or from nothing
};
PermuteForm PermuteFormOf(const Instruction& inst);

// Whether kAlike and kFold keep their bits, and kFold its kind of loop, with their (first) operand
// in this order. The order of a fold's or window's elements is that of the dimensions it goes
// along; a sum's depends on what is left of and right of them besides (docs/numerics.md, N4, N8).
bool KeepsBits(const Instruction& inst, const Order& order);

// Of kFold: the order of the result.
Order FoldedOrder(const Instruction& inst, const Order& operand);

// Attributes of kAlike, kFold and kSource that has its result (kFold: its operand) in `order`; a
// source's operand is in order `operand`.
AttrBlock PermutedAttrs(const Instruction& inst, const Order& order, const Order& operand);
// Attributes of a convolution whose arrays lie in these orders.
AttrBlock PermutedConvolution(const Instruction& inst, const Order& lhs, const Order& rhs,
                              const Order& output);
// "b01f": the labels of dimensions in this order.
std::string PermutedLabels(const std::string& labels, const Order& order);

}  // namespace axle
