// A dot by roles. With lhs: f32[8,4,16], rhs: f32[8,16,5], batch dimension 0 of both, and
// contracting dimensions 2 and 1, the form has (size; strides in lhs, rhs, result)
//
//   batch {8; 64, 80, 20}   rows {4; 16, 0, 5}   columns {5; 0, 1, 1}   depth {16; 1, 5, 0}
//
// The order of sums (docs/numerics.md N5) is chosen from the shapes as they stand in the program: a
// product with a vector, along dimensions that are last in the other operand, has the canonical
// order, others a chain. Strides, which come from fused transposes, have no say in it, so that
// fusion changes no bits.
//
// StridesInPlace and StridesOfResult decide which transposes a dot absorbs. An operand is read
// through a view if one of its matrix dimensions still runs along memory; a batch dimension there
// would make a kernel read each cache line once per matrix. A result is written where its only
// user, a transpose, wants it if rows or columns of each matrix still lie along memory.
//
// FindSmallDot lists the elements that meet, for dots of at most 512 products that small regions
// unroll. It refuses dots whose order has lanes; at this depth all others are one chain.
#include "axle/codegen/schedule/dot_form.h"

#include <algorithm>

#include "axle/core/product_parts.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/blocked_dot.h"
#include "axle/ops/canonical_sum.h"
#include "axle/ops/contraction.h"
#include "axle/ops/op_def.h"

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
  size_t d = 0;  // dimension of the result
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
  constexpr i64 kMaxProducts = 512;
  static_assert(kMaxProducts <= kOnePartElements);  // one chain
  if (!IsDot(inst) || !inst.shape().is_static()) return std::nullopt;
  const ElementType type = inst.shape().type();
  for (i64 i = 0; i < 2; ++i) {
    const Shape& operand = inst.operand(i)->shape();
    if (operand.type() != type || !operand.is_static()) return std::nullopt;
    if (operand.num_elements() > kMaxSmallDotElements) return std::nullopt;
  }
  if ((type != F32 && type != F64) || inst.shape().num_elements() > kMaxSmallDotElements) {
    return std::nullopt;
  }
  const DotForm dot = DotFormOf(inst, RowMajor(inst));
  const i64 depth = Product(dot.depth), num_results = inst.shape().num_elements();
  if (num_results * depth == 0 || num_results * depth > kMaxProducts || dot.lanes > 1) {
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

std::optional<Dims> StridesInPlace(const Instruction& inst, i64 i, const Access& access) {
  const Shape& shape = inst.operand(i)->shape();
  if (!IsDot(inst) || shape.num_elements() == 0) return std::nullopt;
  const std::optional<Dims> strides = StridesAlong(access, shape.dims());
  if (!strides) return std::nullopt;
  // Each matrix is read along memory in one direction or the other; a kernel would read the lines
  // of a batch that is there once more for each matrix.
  const auto& attrs = inst.attrs<DotAttrs>();
  const Dims& batch = i == 0 ? attrs.lhs_batch_dims : attrs.rhs_batch_dims;
  // A vector is read in the order of its contracting dimensions, whatever they are in memory.
  const Dims& contracting = i == 0 ? attrs.lhs_contracting_dims : attrs.rhs_contracting_dims;
  const bool is_vector = Product(shape, FreeDims(shape, batch, contracting)) == 1;
  i64 fastest = -1;
  for (const i64 d : contracting) fastest = shape.dim(d) != 1 ? d : fastest;
  if (is_vector && fastest >= 0 && (*strides)[fastest] != 1) return std::nullopt;
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

}  // namespace axle
