#include "axle/codegen/steps/contraction_steps.h"

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

ContractionStep PlanDotStep(const Instruction& inst, InstructionSet instruction_set,
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
  convolution.types = ProductTypesOf(inst);
  const DotKernel dot = PlanConvolutionAsDot(convolution, instruction_set);
  if (dot.reason.empty()) return StepOf(dot);
  return StepOf(PlanConvolution(convolution, instruction_set));
}

}  // namespace

std::optional<Dims> StridesInPlace(const Instruction& inst, i64 i, const Access& access) {
  const Shape& shape = inst.operand(i)->shape();
  if (!IsDot(inst) || shape.num_elements() == 0) return std::nullopt;
  const std::optional<Dims> strides = StridesAlong(access, shape.dims());
  if (!strides) return std::nullopt;
  // Each matrix is read along memory in one direction or the other; a kernel would read the lines
  // of a batch that is there once more for each matrix.
  const auto& attrs = inst.attrs<DotAttrs>();
  const Dims& batch = i == 0 ? attrs.lhs_batch_dims : attrs.rhs_batch_dims;
  bool has_neighbours = false;
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == 1) continue;
    if ((*strides)[d] <= 0) return std::nullopt;
    has_neighbours |= (*strides)[d] == 1 && std::ranges::find(batch, d) == batch.end();
  }
  return has_neighbours ? strides : std::nullopt;
}

std::optional<Dims> StridesOfResult(const Instruction& inst, const Instruction& user,
                                    const Dims* user_strides) {
  const Shape &result = inst.shape(), &wanted = user.shape();
  const auto index_map = GetOpDef(user).index_map;
  if (!IsDot(inst) || index_map == nullptr || result.num_elements() == 0) return std::nullopt;
  const IndexMap map = index_map(user);
  if (map.size() != 1 || map[0].relinearize || !map[0].offsets.empty()) return std::nullopt;
  const IndexPiece& piece = map[0];
  const Dims wanted_strides =
      user_strides != nullptr ? *user_strides : RowMajorStrides(wanted.dims());
  Dims strides(result.rank(), 0);
  i64 innermost = -1;
  for (i64 d = 0; d < wanted.rank(); ++d) {
    const IndexPiece::Dim& dim = piece.dims[d];
    if (wanted.dim(d) == 1) continue;
    const bool is_all = dim.begin == 0 && dim.step == 1 && dim.count == wanted.dim(d) &&
                        dim.source_dim != kNoSourceDim && dim.source_step == 1 &&
                        piece.source_begin[dim.source_dim] == 0 &&
                        result.dim(dim.source_dim) == dim.count;
    if (!is_all || strides[dim.source_dim] != 0) return std::nullopt;
    strides[dim.source_dim] = wanted_strides[d];
    innermost = dim.source_dim;
  }
  if (wanted.num_elements() != result.num_elements()) return std::nullopt;
  // Kernels write rows or columns of a matrix along memory.
  const auto& attrs = inst.attrs<DotAttrs>();
  const auto num_batch = static_cast<i64>(attrs.lhs_batch_dims.size());
  const Dims lhs_free =
      FreeDims(inst.operand(0)->shape(), attrs.lhs_batch_dims, attrs.lhs_contracting_dims);
  const i64 num_lhs = num_batch + static_cast<i64>(lhs_free.size());
  const auto last = [&](i64 begin, i64 end) {
    while (end > begin && result.dim(end - 1) == 1) --end;
    return end > begin ? end - 1 : -1;
  };
  const bool is_along = innermost >= 0 && (innermost == last(num_batch, num_lhs) ||
                                           innermost == last(num_lhs, result.rank()));
  return is_along ? std::optional(strides) : std::nullopt;
}

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

ContractionStep PlanContraction(const Instruction& inst, InstructionSet instruction_set,
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
