// An instruction on arrays whose dimensions stand in another order. The elements and
// the bits of each are the same; only where they lie differs.
#pragma once
#include <optional>
#include <string>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/dim_order.h"
#include "axle/ops/op_def.h"

namespace axle {

// How the instruction takes other orders: what its row says, kNone for shapes that do not.
PermuteForm PermuteFormOf(const Instruction& inst);

// Whether kAlike and kFold keep their bits, and kFold its kind of loop, with their (first) operand
// in this order. The order of a fold's or window's elements is that of the dimensions it goes
// along; a sum's depends on what is left of and right of them besides (docs/numerics.md, N4, N8).
bool KeepsBits(const Instruction& inst, const Order& order);

// The order of the result of a kFold instruction.
Order FoldedOrder(const Instruction& inst, const Order& operand);

// PermuteRule::attrs of its row.
AttrBlock PermutedAttrs(const Instruction& inst, const Order& order, const Order& operand);
// Attributes of a convolution whose arrays lie in these orders.
AttrBlock PermutedConvolution(const Instruction& inst, const Order& lhs, const Order& rhs,
                              const Order& output);
// "b01f": the labels of dimensions in this order.
std::string PermutedLabels(const std::string& labels, const Order& order);

}  // namespace axle
