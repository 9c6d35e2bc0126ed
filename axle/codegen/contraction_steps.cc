#include "axle/codegen/contraction_steps.h"

#include <algorithm>
#include <cstring>

#include "axle/kernels/convolution.h"
#include "axle/kernels/dot.h"
#include "axle/ops/attributes.h"
#include "axle/ops/blocked_dot.h"
#include "axle/ops/canonical_sum.h"
#include "axle/ops/contraction.h"
#include "axle/ops/convolution.h"

namespace axle {
namespace {

template <typename Kernel>
ContractionStep StepOf(const Kernel& kernel) {
  ContractionStep step;
  step.function = kernel.function;
  step.plan.resize(sizeof kernel.plan);
  std::memcpy(step.plan.data(), &kernel.plan, sizeof kernel.plan);
  step.num_tiles = kernel.num_tiles;
  step.scratch_bytes = kernel.scratch_bytes;
  step.reason = kernel.reason;
  return step;
}

ContractionStep Refused(std::string_view reason) {
  ContractionStep step;
  step.reason = reason;
  return step;
}

static_assert(kSumChunk == 4096);  // what kernels were written for

// The last dimension whose size is not 1 is a contracting one.
bool ContractsLast(const Shape& shape, const Dims& contracting) {
  for (i64 d = shape.rank(); d-- > 0;) {
    if (shape.dim(d) != 1) return std::ranges::count(contracting, d) > 0;
  }
  return false;
}

ProductTypes TypesOf(const Instruction& inst) {
  const ElementType lhs = inst.operand(0)->shape().type(), rhs = inst.operand(1)->shape().type();
  const Contraction contraction(lhs, rhs, inst.shape().type());
  ProductTypes types = {.lhs = lhs, .rhs = rhs};
  types.lhs_factor = contraction.lhs_multiplied;
  types.rhs_factor = contraction.rhs_multiplied;
  types.sum = contraction.computed;
  types.result = inst.shape().type();
  types.order = contraction.is_tiled ? DotOrder::kTile : DotOrder::kChain;
  return types;
}

i64 Product(const Shape& shape, const Dims& dims) {
  i64 total = 1;
  for (i64 d : dims) total *= shape.dim(d);
  return total;
}

ContractionStep PlanDotStep(const Instruction& inst, InstructionSet instruction_set) {
  const auto& attrs = inst.attrs<DotAttrs>();
  const Shape &lhs = inst.operand(0)->shape(), &rhs = inst.operand(1)->shape();
  const Dims lhs_strides = RowMajorStrides(lhs.dims()), rhs_strides = RowMajorStrides(rhs.dims());
  const Dims result_strides = RowMajorStrides(inst.shape().dims());
  const Dims lhs_free = FreeDims(lhs, attrs.lhs_batch_dims, attrs.lhs_contracting_dims);
  const Dims rhs_free = FreeDims(rhs, attrs.rhs_batch_dims, attrs.rhs_contracting_dims);
  std::vector<DotDim> batch, rows, columns, depth;
  size_t d = 0;  // of the result
  for (size_t i = 0; i < attrs.lhs_batch_dims.size(); ++i, ++d) {
    const i64 l = attrs.lhs_batch_dims[i], r = attrs.rhs_batch_dims[i];
    batch.push_back({lhs.dim(l), lhs_strides[l], rhs_strides[r], result_strides[d]});
  }
  for (i64 l : lhs_free) rows.push_back({lhs.dim(l), lhs_strides[l], 0, result_strides[d++]});
  for (i64 r : rhs_free) columns.push_back({rhs.dim(r), 0, rhs_strides[r], result_strides[d++]});
  for (size_t i = 0; i < attrs.lhs_contracting_dims.size(); ++i) {
    const i64 l = attrs.lhs_contracting_dims[i], r = attrs.rhs_contracting_dims[i];
    depth.push_back({lhs.dim(l), lhs_strides[l], rhs_strides[r], 0});
  }

  DotDescription dot = {.batch = batch,
                        .lhs_free = rows,
                        .rhs_free = columns,
                        .contracting = depth,
                        .types = TypesOf(inst)};
  const bool has_canonical = IsFloating(dot.types.sum) || IsComplex(dot.types.sum);
  if (dot.types.order == DotOrder::kChain && has_canonical &&
      ((Product(rhs, rhs_free) == 1 && ContractsLast(lhs, attrs.lhs_contracting_dims)) ||
       (Product(lhs, lhs_free) == 1 && ContractsLast(rhs, attrs.rhs_contracting_dims)))) {
    dot.types.order = DotOrder::kCanonical;
    dot.lanes = SumLanes(Product(lhs, attrs.lhs_contracting_dims), 1, dot.types.sum);
  }
  const DotKernel kernel = PlanDot(dot, instruction_set);
  return StepOf(kernel);
}

ContractionStep PlanConvolutionStep(const Instruction& inst, InstructionSet instruction_set) {
  const auto& attrs = inst.attrs<ConvolutionAttrs>();
  const auto roles = FindConvolutionRoles(inst);
  if (!roles.ok()) return Refused("its dimension labels are not valid");
  const Shape &lhs = inst.operand(0)->shape(), &rhs = inst.operand(1)->shape();
  const Dims lhs_strides = RowMajorStrides(lhs.dims()), rhs_strides = RowMajorStrides(rhs.dims());
  const Dims output_strides = RowMajorStrides(inst.shape().dims());
  const Roles &l = roles->lhs, &r = roles->rhs, &o = roles->output;
  std::vector<ConvolutionDim> spatial;
  for (size_t s = 0; s < attrs.window.size(); ++s) {
    const WindowDim& window = attrs.window[s];
    ConvolutionDim& dim = spatial.emplace_back();
    dim.window = window.size;
    dim.stride = window.stride;
    dim.pad_low = window.pad_low;
    dim.lhs_dilation = window.base_dilation;
    dim.rhs_dilation = window.window_dilation;
    dim.is_reversed = window.reversal;
    dim.lhs_size = lhs.dim(l.spatial[s]);
    dim.output_size = inst.shape().dim(o.spatial[s]);
    dim.lhs_stride = lhs_strides[l.spatial[s]];
    dim.rhs_stride = rhs_strides[r.spatial[s]];
    dim.output_stride = output_strides[o.spatial[s]];
  }
  ConvolutionDescription convolution = {};
  convolution.spatial = spatial;
  convolution.batch = inst.shape().dim(o.batch);
  convolution.lhs_batch_stride = lhs_strides[l.batch];
  convolution.output_batch_stride = output_strides[o.batch];
  convolution.groups = std::max(attrs.feature_group_count, attrs.batch_group_count);
  convolution.input_features = rhs.dim(r.batch);
  convolution.lhs_feature_stride = lhs_strides[l.feature];
  convolution.rhs_input_stride = rhs_strides[r.batch];
  convolution.output_features = rhs.dim(r.feature) / convolution.groups;
  convolution.rhs_output_stride = rhs_strides[r.feature];
  convolution.output_feature_stride = output_strides[o.feature];
  convolution.lhs_group_stride = attrs.batch_group_count > 1
                                     ? convolution.batch * convolution.lhs_batch_stride
                                     : convolution.input_features * convolution.lhs_feature_stride;
  convolution.types = TypesOf(inst);
  const DotKernel dot = PlanConvolutionAsDot(convolution, instruction_set);
  if (dot.reason.empty()) return StepOf(dot);
  return StepOf(PlanConvolution(convolution, instruction_set));
}

}  // namespace

ContractionStep PlanContraction(const Instruction& inst, InstructionSet instruction_set) {
  const bool is_static = inst.shape().is_static() && inst.operand(0)->shape().is_static() &&
                         inst.operand(1)->shape().is_static();
  if (!is_static) return Refused("a dimension is dynamic");
  if (IsDot(inst)) return PlanDotStep(inst, instruction_set);
  if (GetOpDef(inst).lowering == Lowering::kConvolution) {
    return PlanConvolutionStep(inst, instruction_set);
  }
  return Refused("there is no kernel for this kind of product");
}

}  // namespace axle
