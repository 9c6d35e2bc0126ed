#include "axle/codegen/schedule/dot_form.h"

#include <algorithm>

#include "axle/core/product_parts.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/blocked_dot.h"
#include "axle/ops/canonical_sum.h"
#include "axle/ops/contraction.h"

namespace axle {
namespace {

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

i64 Product(const std::vector<DotDim>& dims) {
  i64 total = 1;
  for (const DotDim& dim : dims) total *= dim.size;
  return total;
}

// The indices of one operand, dims[0] slowest.
std::vector<i64> Elements(std::initializer_list<const std::vector<DotDim>*> roles,
                          i64 DotDim::*stride) {
  std::vector<i64> elements = {0};
  for (const auto* dims : roles) {
    for (const DotDim& dim : *dims) {
      std::vector<i64> wider;
      for (const i64 element : elements) {
        for (i64 k = 0; k < dim.size; ++k) wider.push_back(element + k * dim.*stride);
      }
      elements = std::move(wider);
    }
  }
  return elements;
}

}  // namespace

ProductTypes ProductTypesOf(const Instruction& inst) {
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

ContractionStrides RowMajor(const Instruction& inst) {
  return {RowMajorStrides(inst.operand(0)->shape().dims()),
          RowMajorStrides(inst.operand(1)->shape().dims()), RowMajorStrides(inst.shape().dims())};
}

DotForm DotFormOf(const Instruction& inst, const ContractionStrides& strides) {
  const auto& attrs = inst.attrs<DotAttrs>();
  const Shape &lhs = inst.operand(0)->shape(), &rhs = inst.operand(1)->shape();
  const auto& [lhs_strides, rhs_strides, result_strides] = strides;
  const Dims lhs_free = FreeDims(lhs, attrs.lhs_batch_dims, attrs.lhs_contracting_dims);
  const Dims rhs_free = FreeDims(rhs, attrs.rhs_batch_dims, attrs.rhs_contracting_dims);
  DotForm dot;
  size_t d = 0;  // of the result
  for (size_t i = 0; i < attrs.lhs_batch_dims.size(); ++i, ++d) {
    const i64 l = attrs.lhs_batch_dims[i], r = attrs.rhs_batch_dims[i];
    dot.batch.push_back({lhs.dim(l), lhs_strides[l], rhs_strides[r], result_strides[d]});
  }
  for (i64 l : lhs_free) dot.rows.push_back({lhs.dim(l), lhs_strides[l], 0, result_strides[d++]});
  for (i64 r : rhs_free) {
    dot.columns.push_back({rhs.dim(r), 0, rhs_strides[r], result_strides[d++]});
  }
  for (size_t i = 0; i < attrs.lhs_contracting_dims.size(); ++i) {
    const i64 l = attrs.lhs_contracting_dims[i], r = attrs.rhs_contracting_dims[i];
    dot.depth.push_back({lhs.dim(l), lhs_strides[l], rhs_strides[r], 0});
  }
  dot.types = ProductTypesOf(inst);
  const bool has_canonical = IsFloating(dot.types.sum) || IsComplex(dot.types.sum);
  if (dot.types.order == DotOrder::kChain && has_canonical &&
      ((Product(rhs, rhs_free) == 1 && ContractsLast(lhs, attrs.lhs_contracting_dims)) ||
       (Product(lhs, lhs_free) == 1 && ContractsLast(rhs, attrs.rhs_contracting_dims)))) {
    dot.types.order = DotOrder::kCanonical;
    dot.lanes = SumLanes(Product(lhs, attrs.lhs_contracting_dims), 1, dot.types.sum);
  }
  return dot;
}

std::optional<SmallDot> FindSmallDot(const Instruction& inst) {
  constexpr i64 kMostProducts = 512;
  static_assert(kMostProducts <= kOnePartElements);  // one chain
  if (!IsDot(inst) || !inst.shape().is_static()) return std::nullopt;
  const ElementType type = inst.shape().type();
  for (i64 i = 0; i < 2; ++i) {
    const Shape& operand = inst.operand(i)->shape();
    if (operand.type() != type || !operand.is_static()) return std::nullopt;
    if (operand.num_elements() > kMostSmallDotElements) return std::nullopt;
  }
  if ((type != F32 && type != F64) || inst.shape().num_elements() > kMostSmallDotElements) {
    return std::nullopt;
  }
  const DotForm dot = DotFormOf(inst, RowMajor(inst));
  const i64 depth = Product(dot.depth), num_results = inst.shape().num_elements();
  if (num_results * depth == 0 || num_results * depth > kMostProducts || dot.lanes > 1) {
    return std::nullopt;
  }
  return SmallDot{
      .num_rows = Product(dot.batch) * Product(dot.rows),
      .num_columns = Product(dot.columns),
      .depth = depth,
      .is_canonical = dot.types.order == DotOrder::kCanonical,
      .rows_per_batch = Product(dot.rows),
      .lhs_elements = Elements({&dot.batch, &dot.rows, &dot.depth}, &DotDim::lhs_stride),
      .rhs_elements = Elements({&dot.batch, &dot.depth, &dot.columns}, &DotDim::rhs_stride)};
}

}  // namespace axle
