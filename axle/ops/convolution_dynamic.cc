// How a convolution runs on operands with dynamic dimensions. By role of the dimension:
//
//   batch of lhs       cut; with batch_group_count, the groups are those of the run-time size
//   spatial of lhs     cut, so that windows end where the elements do
//   spatial of rhs     the window stays that of the bound, and positions without an element are
//                      skipped, so that neither the sizes of the result nor the order of additions
//                      depend on the run-time size
//   input features     zeros on both sides; groups, and blocks of features, are those of the bounds
//   output features    static, says the row
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/contraction.h"
#include "axle/ops/convolution.h"
#include "axle/ops/dynamic.h"

namespace axle {
namespace {

// A part of an array; beside it there are zeros.
struct Box {
  Dims begin, sizes;
};

// The elements of `value`, seen as an array of dimensions `dims`, that are in one of the boxes.
// An index map whose first piece fills the result with zeros and whose other pieces copy the boxes.
StatusOr<Literal> Only(const Literal& value, const Dims& dims, std::span<const Box> boxes) {
  const Shape shape(value.shape().type(), dims);
  IndexMap map = {WholeResult(shape, 1, 0, Dims(shape.rank(), kNoSourceDim))};
  for (const Box& box : boxes) {
    IndexPiece& piece = map.emplace_back();
    for (i64 d = 0; d < shape.rank(); ++d) {
      piece.dims.push_back({.begin = box.begin[d], .count = box.sizes[d], .source_dim = d});
    }
    piece.source_begin = box.begin;
  }
  Literal operands[] = {value.WithShape(shape), Literal(Shape(shape.type()))};
  AXLE_ASSIGN(const Literal kept, EvaluateIndexMap(map, shape, operands));
  return kept.WithShape(value.shape());
}

// Which features have elements: all groups below `full` have `features` of them, and the next one
// has `rest`.
struct Present {
  i64 full, features, rest;
};

// The boxes of them in an array of dimensions `dims`, whose groups are in dimension `group_dim` and
// features in `feature_dim`.
// The first box has the groups that are complete, the second the one that is cut.
std::vector<Box> BoxesOf(const Present& present, const Dims& dims, i64 group_dim, i64 feature_dim) {
  std::vector<Box> boxes(2, {Dims(dims.size(), 0), dims});
  boxes[0].sizes[group_dim] = present.full;
  boxes[0].sizes[feature_dim] = present.features;
  boxes[1].begin[group_dim] = present.full;
  boxes[1].sizes[group_dim] = 1;
  boxes[1].sizes[feature_dim] = present.rest;
  if (present.full == dims[group_dim]) boxes.pop_back();
  return boxes;
}

// Makes input features zero, in arrays of static shape, where lhs or rhs has padding:
// `lhs_features` are there of lhs, and `rhs_features` of each group of rhs.
Status ClearFeatures(const Instruction& inst, const ConvolutionRoles& roles, i64 lhs_features,
                     i64 rhs_features, std::span<Literal> operands) {
  const i64 groups = inst.attrs<ConvolutionAttrs>().feature_group_count;
  Dims lhs = operands[0].shape().dims(), rhs = operands[1].shape().dims();
  const i64 lhs_dim = roles.lhs.feature, rhs_dim = roles.rhs.batch, out_dim = roles.rhs.feature;
  const i64 bound = rhs[rhs_dim];  // of a group
  if (lhs_features == lhs[lhs_dim] && rhs_features == bound) return {};
  for (const Literal& operand : operands) {
    AXLE_TRY(CheckHasZero(inst, operand.shape().type()));
    if (operand.num_elements() == 0) return {};
  }
  // At most one group is cut: the run-time features end inside of it.
  Present present = {0, rhs_features, 0};
  if (lhs_features >= rhs_features) {
    present.full = std::min(groups, (lhs_features - rhs_features) / bound + 1);
  }
  if (present.full < groups) {
    present.rest = std::clamp<i64>(lhs_features - present.full * bound, 0, rhs_features);
  }
  // Dimensions with a feature of all groups become two, the group and what is inside.
  lhs[lhs_dim] = bound;
  lhs.insert(lhs.begin() + lhs_dim, groups);
  AXLE_ASSIGN(operands[0], Only(operands[0], lhs, BoxesOf(present, lhs, lhs_dim, lhs_dim + 1)));
  rhs[out_dim] /= groups;
  rhs.insert(rhs.begin() + out_dim, groups);
  AXLE_ASSIGN(operands[1], Only(operands[1], rhs,
                                BoxesOf(present, rhs, out_dim, rhs_dim + (rhs_dim > out_dim))));
  return {};
}

}  // namespace

// Checks agreement of the run-time sizes, cuts or clears the operands, and runs the static
// convolution on them.
StatusOr<Literal> EvalConvolutionDynamic(const Instruction& inst, std::span<Literal> operands,
                                         const EvalContext& context) {
  AXLE_ASSIGN(const ConvolutionRoles roles, FindConvolutionRoles(inst));
  const i64 lhs_features = operands[0].size(roles.lhs.feature);
  const i64 rhs_features = operands[1].size(roles.rhs.batch);
  if (inst.attrs<ConvolutionAttrs>().feature_group_count == 1 &&
      operands[0].shape().is_dynamic(roles.lhs.feature) &&
      operands[1].shape().is_dynamic(roles.rhs.batch) && lhs_features != rhs_features) {
    return OpError(
        inst, StrCat("lhs has ", lhs_features, " features at run time but rhs has ", rhs_features));
  }
  Dims kernel_sizes;
  for (i64 d : roles.rhs.spatial) kernel_sizes.push_back(operands[1].size(d));
  Dims lhs = operands[0].sizes();
  lhs[roles.lhs.feature] = operands[0].shape().dim(roles.lhs.feature);
  operands[0] = FirstElements(operands[0], lhs);
  operands[1] = WholeBuffer(operands[1]);
  AXLE_TRY(ClearFeatures(inst, roles, lhs_features, rhs_features, operands));
  AXLE_ASSIGN(const Substitute substitute, Substitute::Create(inst, operands));
  AXLE_ASSIGN(const Literal result, Convolve(substitute.inst(), operands, kernel_sizes, context));
  return PutIntoBounds(inst, result);
}

}  // namespace axle
