// Window arithmetic (https://openxla.org/xla/operation_semantics#reducewindow): the common part of
// reduce-window, select-and-scatter and convolution.
//
// Along one dimension, output o and window position w meet at p = o * stride + w * window_dilation
// - pad_low in the dilated base. There is an operand element at p if p is a multiple of
// base_dilation and p / base_dilation is below the operand's size; everything else is padding or a
// hole. Seen from one window position, the outputs that meet an element are an arithmetic
// progression, and so are the elements: a tap. Evaluators walk taps, not outputs.
#pragma once
#include <vector>

#include "axle/ops/op_def.h"

namespace axle {

// The number of outputs along dimension `d`, for messages, of a window over `operand_size`
// elements. Errors: size or stride or dilation below 1, more cropped than there is, sizes beyond 64
// bits.
StatusOr<i64> WindowOutputSize(const Instruction& inst, const WindowDim& window, i64 d,
                               i64 operand_size);

// The same for every dimension of an operand whose window has one entry per dimension; dynamic
// dimensions stay dynamic. `type` is the result's element type.
StatusOr<Shape> WindowOutputShape(const Instruction& inst, const Window& window,
                                  const Shape& operand, ElementType type);

// Output output_begin + k * output_step meets element operand_begin + k * operand_step, 0 <= k <
// count. Steps are at least 1.
struct WindowTap {
  i64 position = 0;  // in the window
  i64 count = 0;
  i64 output_begin = 0;
  i64 output_step = 1;
  i64 operand_begin = 0;
  i64 operand_step = 1;
};

// The window positions that meet an element for some output, in increasing order. Takes time in
// proportion to the smaller of the window and the pairs (output, element), whatever the padding:
// ask only where there are results and elements, a dimension beside a zero may have any size.
// RESOURCE_EXHAUSTED if there are more than kMaxTaps or they do not fit beside what `limits` has.
inline constexpr i64 kMaxTaps = i64{1} << 27;
StatusOr<std::vector<WindowTap>> WindowTaps(const WindowDim& window, i64 operand_size,
                                            i64 output_size, Limits* limits = nullptr);

// The part of a tap whose outputs are in [begin, end), counted from `begin`.
WindowTap ClipTap(const WindowTap& tap, i64 begin, i64 end);

// How a window runs along a dimension as a scan: no strides, no dilation, at least as large as the
// operand, padded so that output o sees the elements up to o, or from o on (numerics.md N8).
enum class Cumulative : std::uint8_t { kNo, kForward, kReverse };
Cumulative CumulativeKind(const WindowDim& window, i64 operand_size);

}  // namespace axle
