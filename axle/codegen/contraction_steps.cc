#include "axle/codegen/contraction_steps.h"

#include <algorithm>
#include <cstring>

#include "axle/kernels/dot.h"
#include "axle/ops/attributes.h"
#include "axle/ops/blocked_dot.h"
#include "axle/ops/canonical_sum.h"
#include "axle/ops/contraction.h"

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

static_assert(kSumChunk == 4096);  // what kernels were written for

// The last dimension whose size is not 1 is a contracting one.
bool ContractsLast(const Shape& shape, const Dims& contracting) {
  for (i64 d = shape.rank(); d-- > 0;) {
    if (shape.dim(d) != 1) return std::ranges::count(contracting, d) > 0;
  }
  return false;
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

  const Contraction contraction(lhs.type(), rhs.type(), inst.shape().type());
  DotDescription dot = {
      .batch = batch, .lhs_free = rows, .rhs_free = columns, .contracting = depth};
  dot.lhs = lhs.type();
  dot.rhs = rhs.type();
  dot.lhs_factor = contraction.lhs_multiplied;
  dot.rhs_factor = contraction.rhs_multiplied;
  dot.sum = contraction.computed;
  dot.result = inst.shape().type();
  const bool has_canonical = IsFloating(dot.sum) || IsComplex(dot.sum);
  if (contraction.is_tiled) {
    dot.order = DotOrder::kTile;
  } else if (has_canonical &&
             ((Product(rhs, rhs_free) == 1 && ContractsLast(lhs, attrs.lhs_contracting_dims)) ||
              (Product(lhs, lhs_free) == 1 && ContractsLast(rhs, attrs.rhs_contracting_dims)))) {
    dot.order = DotOrder::kCanonical;
    dot.lanes = SumLanes(Product(lhs, attrs.lhs_contracting_dims), 1, dot.sum);
  }
  const DotKernel kernel = PlanDot(dot, instruction_set);
  return StepOf(kernel);
}

ContractionStep Refused(std::string_view reason) {
  ContractionStep step;
  step.reason = reason;
  return step;
}

}  // namespace

ContractionStep PlanContraction(const Instruction& inst, InstructionSet instruction_set) {
  const bool is_static = inst.shape().is_static() && inst.operand(0)->shape().is_static() &&
                         inst.operand(1)->shape().is_static();
  if (!is_static) return Refused("a dimension is dynamic");
  if (inst.opcode() == Opcode::kDot) return PlanDotStep(inst, instruction_set);
  return Refused("there is no kernel for this kind of product");
}

}  // namespace axle
