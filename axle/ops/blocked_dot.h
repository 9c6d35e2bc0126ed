// Products of matrices with any strides, in the orders of docs/numerics.md N5: the common part of
// dot, ragged-dot and scaled-dot.
#pragma once
#include "axle/ops/contraction.h"

namespace axle {

// One operand: where its elements are, along the dimensions of each role, in elements from `bytes`.
// A part of an operand is a side with fewer offsets.
struct DotSide {
  // `literal` must outlive the side. Dimensions that are in none of the lists have one element, the
  // first.
  DotSide(const Literal& literal, const Dims& batch_dims, const Dims& free_dims,
          const Dims& contracting_dims);

  const std::byte* bytes;
  Dims batch, free, contracting;
  bool contracts_last = false;  // the last dimension whose size is not 1
};

// The dimensions of `shape` that are in neither list, in increasing order.
Dims FreeDims(const Shape& shape, const Dims& batch, const Dims& contracting);

// The checks and the result of DotGeneral on operands 0 and 1.
StatusOr<Shape> InferDotGeneral(const Instruction& inst, const DotAttrs& attrs);

// results[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, n, k], every one in the order of N5; the
// sides are of factors of `contraction` and have as many batch and contracted elements. `order` is
// BlockAccumulator::OrderFor of the factors.
Status BlockedDot(const Contraction& contraction, ProductOrder order, const DotSide& lhs,
                  const DotSide& rhs, std::byte* results, const EvalContext& context);

// The exception of N5: one side has one row, and the other one's elements are contracted along
// memory. Every result is then a long sum in the canonical order.
bool IsCanonical(const Contraction& contraction, const DotSide& lhs, const DotSide& rhs);
Status CanonicalDot(ElementType type, const DotSide& lhs, const DotSide& rhs, std::byte* results,
                    const EvalContext& context);

// DotGeneral of two literals into `result`, a shape of the contraction's result type.
StatusOr<Literal> DotGeneral(const DotAttrs& attrs, const Literal& lhs, const Literal& rhs,
                             const Shape& result, const EvalContext& context);

}  // namespace axle
