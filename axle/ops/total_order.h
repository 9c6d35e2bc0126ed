// The total order of floats: -NaN < -inf < finite < -0 < +0 < finite < +inf < +NaN, NaNs by
// payload; f8e8m0fnu by its byte; in formats whose only NaN is the pattern of -0 (FNUZ), NaN comes
// first. Comparisons of type TOTALORDER mean it, and sort and topk order by it.
//
// A template over "unsigned bits", so that host code and lane programs run the same lines.
#pragma once
#include "axle/core/float_format.h"
#include "axle/emit/lane_builder.h"

namespace axle {

// Maps patterns of the format to unsigned numbers in the same order; equal only for equal patterns.
template <typename Bits>
Bits TotalOrderKey(const FloatFormat& format, const Bits& bits) {
  using Number = NumberFor<Bits>;
  if (!format.is_signed) return bits;
  const auto sign = static_cast<Number>(SignBit(format));
  const auto all = static_cast<Number>(SignBit(format) | MagnitudeMask(format));
  const Bits positive = bits | sign;
  if (format.nan != NanEncoding::kNegativeZero) return Select(sign <= bits, bits ^ all, positive);
  const Bits negative = (ConstantLike(bits, 0) - bits) & all;
  return Select(bits == sign, ConstantLike(bits, 0), Select(sign <= bits, negative, positive));
}

}  // namespace axle
