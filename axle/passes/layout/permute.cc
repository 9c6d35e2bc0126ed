// Rules for one instruction on permuted arrays. Elementwise instructions take any order; other rows
// say how (OpDef::permute). KeepsBits guards floating-point results: the elements of one reduction
// must be visited in the same order, a row reduction must stay one (its innermost dimension is
// reduced), and the number of parallel sums (SumLanes) must not change.

#include "axle/passes/layout/permute.h"

#include <algorithm>

#include "axle/ops/canonical_sum.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/passes/facts.h"

namespace axle {
namespace {

PermuteRule RuleOf(const Instruction& inst) {
  if (IsElementwise(inst)) {
    return {PermuteForm::kAlike, [](const Instruction& elementwise, const Order&, const Order&) {
              return elementwise.attr_block();
            }};
  }
  return GetOpDef(inst).permute;
}

bool IsIn(const Dims& dims, i64 d) {
  return std::ranges::find(dims, d) != dims.end();
}

// The number of elements that are reduced together, and of kept ones inside of the innermost
// reduced dimension.
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

PermuteForm PermuteFormOf(const Instruction& inst) {
  const PermuteForm form = RuleOf(inst).form;
  if (!inst.shape().is_array()) return PermuteForm::kNone;
  if (form == PermuteForm::kAlike || form == PermuteForm::kFold) {
    const bool is_fold = form == PermuteForm::kFold;
    const i64 rank = (is_fold ? inst.operand(0)->shape() : inst.shape()).rank();
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      const Shape& operand = inst.operand(i)->shape();
      if (!operand.is_array() || (operand.rank() != 0 && operand.rank() != rank)) {
        return PermuteForm::kNone;
      }
    }
  }
  return form;
}

bool KeepsBits(const Instruction& inst, const Order& order) {
  // Dimensions along which elements are visited one after the other keep their order.
  const Shape& operand = inst.operand(0)->shape();
  if (GetOpDef(inst).lowering == Lowering::kWindow) {
    const Window& window = inst.attrs<WindowAttrs>().window;
    Dims along = order;
    std::erase_if(along, [&](i64 d) { return window[static_cast<size_t>(d)].size == 1; });
    return std::ranges::is_sorted(along);
  }
  if (GetOpDef(inst).permute.form != PermuteForm::kFold) return true;
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
  return RuleOf(inst).attrs(inst, order, operand);
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
