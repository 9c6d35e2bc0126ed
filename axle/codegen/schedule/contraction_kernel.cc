// How a dot or convolution becomes the description that the kernels of axle/kernels/ plan from:
// sizes and strides by role, without dimension numbers. For a dot, dot_form.h has the roles. For a
// convolution, they are read from its dimension labels here. A convolution whose windows allow it
// is planned as a dot (PlanConvolutionAsDot), any other one as a direct convolution.
//
// At most one of the two group counts is above 1. With feature groups, group g reads the input
// features behind those of group g - 1; with batch groups, it reads the next images: hence the two
// strides in lhs_group_stride.
//
// Plans are plain data. They are copied as bytes, so that all kinds of kernels have one type here.
// A plan without a kernel has a reason, which `axle explain` shows; the instruction then runs in
// its evaluator.
#include "axle/codegen/schedule/contraction_kernel.h"

#include <algorithm>
#include <cstring>

#include "axle/codegen/schedule/dot_form.h"
#include "axle/kernels/convolution.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/blocked_dot.h"
#include "axle/ops/canonical_sum.h"
#include "axle/ops/contraction.h"
#include "axle/ops/convolution.h"

namespace axle {
namespace {

template <typename Kernel>
ContractionKernel StepOf(const Kernel& kernel) {
  ContractionKernel step;
  step.function = kernel.function;
  step.plan.resize(sizeof kernel.plan);
  std::memcpy(step.plan.data(), &kernel.plan, sizeof kernel.plan);
  step.num_tiles = kernel.num_tiles;
  step.scratch_bytes = kernel.scratch_bytes;
  step.reason = kernel.reason;
  return step;
}

ContractionKernel Refused(std::string_view reason) {
  ContractionKernel step;
  step.reason = reason;
  return step;
}

ContractionKernel PlanDotStep(const Instruction& inst, InstructionSet instruction_set,
                              const ContractionStrides& strides) {
  const DotForm dot = DotFormOf(inst, strides);
  return StepOf(PlanDot({.batch = dot.batch,
                         .lhs_free = dot.rows,
                         .rhs_free = dot.columns,
                         .contracting = dot.depth,
                         .types = dot.types,
                         .lanes = dot.lanes},
                        instruction_set));
}

ContractionKernel PlanConvolutionStep(const Instruction& inst, InstructionSet instruction_set) {
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
  convolution.types = ProductTypesOf(inst);
  const DotKernel dot = PlanConvolutionAsDot(convolution, instruction_set);
  if (dot.reason.empty()) return StepOf(dot);
  return StepOf(PlanConvolution(convolution, instruction_set));
}

}  // namespace

// Row by row, a kernel stores runs of elements, so the view must have stride 1 innermost.
std::optional<ContractionStrides> StridesInto(const Instruction& inst, const Instruction& written,
                                              const std::optional<ContractionStrides>& strides,
                                              const Access& access) {
  const auto wanted = StridesAlong(access, written.shape().dims());
  if (!IsDot(inst) || !wanted || access.inner_stride() != 1) return std::nullopt;
  ContractionStrides into = strides ? *strides : RowMajor(inst);
  const auto result = &written == &inst ? wanted : StridesOfResult(inst, written, &*wanted);
  if (!result) return std::nullopt;
  into.result = *result;
  const bool has_kernel = PlanContraction(inst, InstructionSet::kX86V3, &into).reason.empty();
  return has_kernel ? std::optional(into) : std::nullopt;
}

ContractionKernel PlanContraction(const Instruction& inst, InstructionSet instruction_set,
                                  const ContractionStrides* strides) {
  const bool is_static = inst.shape().is_static() && inst.operand(0)->shape().is_static() &&
                         inst.operand(1)->shape().is_static();
  if (!is_static) return Refused("a dimension is dynamic");
  if (IsDot(inst)) {
    return PlanDotStep(inst, instruction_set, strides != nullptr ? *strides : RowMajor(inst));
  }
  if (GetOpDef(inst).lowering == Lowering::kConvolution) {
    return PlanConvolutionStep(inst, instruction_set);
  }
  return Refused("there is no kernel for this kind of product");
}

}  // namespace axle
