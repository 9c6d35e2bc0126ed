// The cost model of the layout pass, in bytes. A transpose reads and writes each byte (factor 2; 6
// if runs of adjacent elements are shorter than 8) plus a constant for the call. A convolution that
// cannot read its windows in place gathers every element of every window: gathered_ bytes, times up
// to 7 when elements are gathered one at a time, less when runs are longer. A depthwise convolution
// off its best order costs 15 per gathered byte. The constants were measured on AVX-512 machines;
// only comparisons count. All numbers are clamped to 2^40, so that sums do not overflow.

#include "axle/passes/layout/cost.h"

#include <algorithm>

#include "axle/core/product_parts.h"
#include "axle/ops/blocked_dot.h"

namespace axle {
namespace {

constexpr i64 kCall = 4096;              // the fixed cost of one more kernel call
constexpr i64 kShortRun = 8;             // elements; copies of shorter runs are slower
constexpr i64 kElementCost = 7;          // per byte, if elements are gathered one at a time
constexpr i64 kVectorLanes = 16;         // of outputs, in a kernel along lines
constexpr i64 kDepthwiseCost = 15;       // per gathered byte, if the order is not the best one
constexpr i64 kMaxBytes = i64{1} << 40;  // sums stay far from overflow

i64 Bounded(double bytes) {
  return static_cast<i64>(std::min(bytes, static_cast<double>(kMaxBytes)));
}

// The dimension whose elements are adjacent, or -1.
i64 Innermost(const Shape& shape, const Order& order) {
  const Order essential = Essential(shape, order);
  return essential.empty() ? -1 : essential.back();
}

}  // namespace

i64 MoveCost(const Shape& shape, const Order& from, const Order& to) {
  const Order a = Essential(shape, from), b = Essential(shape, to);
  if (a == b) return 0;
  const i64 run = std::min(shape.dim(a.back()), shape.dim(b.back()));
  const auto bytes = static_cast<double>(std::min(shape.num_bytes(), kMaxBytes));
  return Bounded((run < kShortRun ? 6 : 2) * bytes + kCall);
}

ConvolutionCost::ConvolutionCost(const Instruction& inst)
    : inst_(inst), roles_(*FindConvolutionRoles(inst)) {  // verified
  const auto& attrs = inst.attrs<ConvolutionAttrs>();
  const auto order = [](i64 first, const Dims& spatial, i64 last) {
    Order dims = {first};
    dims.insert(dims.end(), spatial.begin(), spatial.end());
    dims.push_back(last);
    return dims;
  };
  lhs_ = order(roles_.lhs.batch, roles_.lhs.spatial, roles_.lhs.feature);
  output_ = order(roles_.output.batch, roles_.output.spatial, roles_.output.feature);
  rhs_ = roles_.rhs.spatial;
  rhs_.push_back(roles_.rhs.batch);
  rhs_.push_back(roles_.rhs.feature);

  const Shape &lhs = inst.operand(0)->shape(), &rhs = inst.operand(1)->shape();
  const Shape& result = inst.shape();
  is_plain_ = (lhs.type() == F32 || lhs.type() == F64) && lhs.type() == result.type() &&
              rhs.type() == result.type();
  is_depthwise_ = is_plain_ && attrs.feature_group_count >= 8 && attrs.batch_group_count == 1 &&
                  rhs.dim(roles_.rhs.batch) == 1 &&
                  rhs.dim(roles_.rhs.feature) == attrs.feature_group_count;
  double positions = 1;
  for (const WindowDim& window : attrs.window) positions *= static_cast<double>(window.size);
  has_window_ = positions != 1;
  double outputs = static_cast<double>(lhs.dim(roles_.lhs.batch));
  for (const i64 d : roles_.output.spatial) outputs *= static_cast<double>(result.dim(d));
  gathered_ = Bounded(outputs * positions * static_cast<double>(lhs.dim(roles_.lhs.feature)) *
                      Info(lhs.type()).bytes);
}

i64 ConvolutionCost::Read(const Order& lhs, const Order& output) const {
  const auto& attrs = inst_.attrs<ConvolutionAttrs>();
  const Shape& operand = inst_.operand(0)->shape();
  const i64 features = inst_.operand(1)->shape().dim(roles_.rhs.batch);  // of a group
  const i64 innermost = Innermost(operand, lhs);
  const double gathered = static_cast<double>(gathered_);
  const auto in_runs = [&](double cost, double run) {
    return Bounded(gathered * std::min<double>(1 + cost / run, kElementCost));
  };
  if (innermost < 0 || is_depthwise_) return 0;  // depthwise: Write has it all
  if (innermost == roles_.lhs.feature) {
    if ((is_plain_ && features >= 16) || !has_window_) return 0;
    const bool has_row = !attrs.window.empty() && attrs.feature_group_count == 1 &&
                         attrs.window.back().window_dilation == 1;
    return in_runs(24, static_cast<double>(features) *
                           static_cast<double>(has_row ? attrs.window.back().size : 1));
  }
  if (!has_window_) return gathered_;  // a product of matrices, one of them transposed
  if (innermost == roles_.lhs.batch)
    return 0;  // rows of its blocks are neighbours, as in a filter's gradient
  // Adjacent outputs read adjacent elements where all of them have the same window positions.
  const auto spatial = std::ranges::find(roles_.lhs.spatial, innermost);
  const size_t s = static_cast<size_t>(spatial - roles_.lhs.spatial.begin());
  const WindowDim& window = attrs.window[s];
  if (s + 1 != attrs.window.size() || window.stride != 1 || window.base_dilation != 1) {
    return Bounded(gathered * kElementCost);
  }
  const i64 outputs = inst_.shape().dim(roles_.output.spatial[s]);
  const bool fills_vectors = 4 * outputs >= 3 * RoundUpTo(outputs, kVectorLanes);
  if (is_plain_ && fills_vectors && Innermost(inst_.shape(), output) == roles_.output.spatial[s]) {
    return 0;  // vectors of outputs read what they meet (kernels/x86/lines.h)
  }
  const i64 padded = std::max<i64>(0, window.pad_low) + std::max<i64>(0, window.pad_high);
  return in_runs(16, static_cast<double>(std::max<i64>(1, outputs - std::min(outputs, padded))));
}

i64 ConvolutionCost::Write(const Order& output) const {
  const bool is_best = Innermost(inst_.shape(), output) == Innermost(inst_.shape(), output_);
  if (is_depthwise_ && !is_best) return Bounded(static_cast<double>(gathered_) * kDepthwiseCost);
  return is_best ? 0 : MoveCost(inst_.shape(), output_, output);
}

bool DotReadsInPlace(const Instruction& dot, i64 i, const Order& order) {
  const auto& attrs = dot.attrs<DotAttrs>();
  const Dims& batch = i == 0 ? attrs.lhs_batch_dims : attrs.rhs_batch_dims;
  return std::ranges::count(batch, Innermost(dot.operand(i)->shape(), order)) == 0;
}

bool DotWritesInPlace(const Instruction& dot, const Order& order) {
  const auto& attrs = dot.attrs<DotAttrs>();
  const auto num_batch = static_cast<i64>(attrs.lhs_batch_dims.size());
  const i64 num_lhs = num_batch + std::ssize(FreeDims(dot.operand(0)->shape(), attrs.lhs_batch_dims,
                                                      attrs.lhs_contracting_dims));
  const i64 innermost = Innermost(dot.shape(), order);
  const auto last = [&](i64 begin, i64 end) {
    while (end > begin && dot.shape().dim(end - 1) == 1) --end;
    return end > begin ? end - 1 : -1;
  };
  return innermost >= 0 &&
         (innermost == last(num_batch, num_lhs) || innermost == last(num_lhs, dot.shape().rank()));
}

}  // namespace axle
