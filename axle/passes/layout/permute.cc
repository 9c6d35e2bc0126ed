#include "axle/passes/layout/permute.h"

#include <algorithm>
#include <numeric>

#include "axle/ops/canonical_sum.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/passes/facts.h"

namespace axle {
namespace {

template <typename Attrs>
AttrBlock BlockOf(const Instruction& inst, Attrs attrs) {
  return {GetOpDef(inst).attrs, std::make_shared<const Attrs>(std::move(attrs))};
}

// One entry per dimension, in order.
template <typename List>
List InOrder(const List& list, const Order& order) {
  List permuted;
  for (const i64 d : order) permuted.push_back(list[static_cast<size_t>(d)]);
  return permuted;
}

using AttrsFn = AttrBlock (*)(const Instruction& inst, const Order& order, const Order& operand);

AttrBlock Same(const Instruction& inst, const Order&, const Order&) {
  return inst.attr_block();
}

// A set of dimensions.
AttrBlock Renumbered(const Instruction& inst, const Order& order, const Order&) {
  const Order at = Inverse(order);
  Dims dims;
  for (const i64 d : inst.attrs<DimensionsAttrs>().dimensions) {
    dims.push_back(at[static_cast<size_t>(d)]);
  }
  std::ranges::sort(dims);
  return BlockOf(inst, DimensionsAttrs{std::move(dims)});
}

// Dimension i of the operand is dimension dimensions[i] of the result.
AttrBlock RenumberedBoth(const Instruction& inst, const Order& order, const Order& operand) {
  const Dims& dims = inst.attrs<DimensionsAttrs>().dimensions;
  return BlockOf(inst, DimensionsAttrs{Composed(Inverse(order), Composed(dims, operand))});
}

// Ops that take other orders, beside those that are elementwise.
struct PermuteRule {
  Opcode opcode;
  PermuteForm form;
  AttrsFn attrs;
};
constexpr PermuteRule kRules[] = {
    {Opcode::kBroadcast, PermuteForm::kSource, RenumberedBoth},
    {Opcode::kConcatenate, PermuteForm::kAlike, Renumbered},
    {Opcode::kConvolution, PermuteForm::kConvolution, nullptr},
    {Opcode::kIota, PermuteForm::kSource,
     [](const Instruction& inst, const Order& order, const Order&) {
       const i64 d = inst.attrs<IotaAttrs>().iota_dimension;
       return BlockOf(inst, IotaAttrs{Inverse(order)[static_cast<size_t>(d)]});
     }},
    {Opcode::kPad, PermuteForm::kAlike,
     [](const Instruction& inst, const Order& order, const Order&) {
       return BlockOf(inst, PadAttrs{InOrder(inst.attrs<PadAttrs>().padding, order)});
     }},
    {Opcode::kReduce, PermuteForm::kFold, Renumbered},
    {Opcode::kReduceWindow, PermuteForm::kAlike,
     [](const Instruction& inst, const Order& order, const Order&) {
       return BlockOf(inst, WindowAttrs{InOrder(inst.attrs<WindowAttrs>().window, order)});
     }},
    {Opcode::kReverse, PermuteForm::kAlike, Renumbered},
    {Opcode::kSlice, PermuteForm::kAlike,
     [](const Instruction& inst, const Order& order, const Order&) {
       return BlockOf(inst, SliceAttrs{InOrder(inst.attrs<SliceAttrs>().slice, order)});
     }},
    {Opcode::kTranspose, PermuteForm::kRename, nullptr},
};
constexpr PermuteRule kElementwiseRule = {Opcode::kAdd, PermuteForm::kAlike, Same};

const PermuteRule* FindRule(const Instruction& inst) {
  const auto* const rule = std::ranges::find(kRules, inst.opcode(), &PermuteRule::opcode);
  if (rule != std::end(kRules)) return rule;
  return IsElementwise(inst) ? &kElementwiseRule : nullptr;
}

bool IsIn(const Dims& dims, i64 d) {
  return std::ranges::find(dims, d) != dims.end();
}

// Elements that are folded together, and the kept ones right of the last of them.
struct FoldSizes {
  i64 count = 1, columns = 1;
};
FoldSizes SizesOf(const Instruction& fold, const Order& order) {
  const Shape& operand = fold.operand(0)->shape();
  FoldSizes sizes;
  for (const i64 d : Essential(operand, order)) {
    if (IsIn(fold.attrs<DimensionsAttrs>().dimensions, d)) {
      sizes = {sizes.count * operand.dim(d), 1};
    } else {
      sizes.columns *= operand.dim(d);
    }
  }
  return sizes;
}

}  // namespace

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

Order Composed(const Order& outer, const Order& inner) {
  return InOrder(outer, inner);
}

Shape Permuted(const Shape& shape, const Order& order) {
  return Shape(shape.type(), InOrder(shape.dims(), order));
}

Order Essential(const Shape& shape, const Order& order) {
  Order essential;
  for (const i64 d : order) {
    if (shape.dim(d) != 1) essential.push_back(d);
  }
  return essential;
}

PermuteForm PermuteFormOf(const Instruction& inst) {
  const PermuteRule* rule = FindRule(inst);
  if (rule == nullptr || !inst.shape().is_array()) return PermuteForm::kNone;
  if (rule->form == PermuteForm::kAlike || rule->form == PermuteForm::kFold) {
    const bool is_fold = rule->form == PermuteForm::kFold;
    const i64 rank = (is_fold ? inst.operand(0)->shape() : inst.shape()).rank();
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      const Shape& operand = inst.operand(i)->shape();
      if (!operand.is_array() || (operand.rank() != 0 && operand.rank() != rank)) {
        return PermuteForm::kNone;
      }
    }
  }
  return rule->form;
}

bool KeepsBits(const Instruction& inst, const Order& order) {
  // Dimensions along which elements are taken one after the other stay in their order.
  const Shape& operand = inst.operand(0)->shape();
  if (Is(inst, Opcode::kReduceWindow)) {
    const Window& window = inst.attrs<WindowAttrs>().window;
    Dims along = order;
    std::erase_if(along, [&](i64 d) { return window[static_cast<size_t>(d)].size == 1; });
    return std::ranges::is_sorted(along);
  }
  if (!Is(inst, Opcode::kReduce)) return true;
  const Dims& dims = inst.attrs<DimensionsAttrs>().dimensions;
  Dims along = Essential(operand, order);
  const bool is_row = !along.empty() && IsIn(dims, along.back());
  std::erase_if(along, [&](i64 d) { return !IsIn(dims, d); });
  if (!std::ranges::is_sorted(along)) return false;
  const Order written = Identity(operand.rank());
  const Order before = Essential(operand, written);
  if (is_row != (!before.empty() && IsIn(dims, before.back()))) return false;
  const FoldSizes old_sizes = SizesOf(inst, written), sizes = SizesOf(inst, order);
  return SumLanes(old_sizes.count, old_sizes.columns, operand.type()) ==
         SumLanes(sizes.count, sizes.columns, operand.type());
}

Order FoldedOrder(const Instruction& inst, const Order& operand) {
  const Dims& dims = inst.attrs<DimensionsAttrs>().dimensions;
  Dims number(operand.size(), -1);  // in the result
  i64 next = 0;
  for (size_t d = 0; d < operand.size(); ++d) {
    if (!IsIn(dims, static_cast<i64>(d))) number[d] = next++;
  }
  Order order;
  for (const i64 d : operand) {
    if (number[static_cast<size_t>(d)] >= 0) order.push_back(number[static_cast<size_t>(d)]);
  }
  return order;
}

AttrBlock PermutedAttrs(const Instruction& inst, const Order& order, const Order& operand) {
  return FindRule(inst)->attrs(inst, order, operand);
}

std::string PermutedLabels(const std::string& labels, const Order& order) {
  return InOrder(labels, order);
}

AttrBlock PermutedConvolution(const Instruction& inst, const Order& lhs, const Order& rhs,
                              const Order& output) {
  auto attrs = inst.attrs<ConvolutionAttrs>();
  attrs.dim_labels.lhs = PermutedLabels(attrs.dim_labels.lhs, lhs);
  attrs.dim_labels.rhs = PermutedLabels(attrs.dim_labels.rhs, rhs);
  attrs.dim_labels.output = PermutedLabels(attrs.dim_labels.output, output);
  return BlockOf(inst, std::move(attrs));
}

}  // namespace axle
