// Taps. Along one dimension output o meets an element at window position w if o * stride + w *
// window_dilation - pad_low is a multiple of base_dilation and in range. TapAt solves this
// congruence for o: with g = gcd(base, stride), solutions exist if g divides the offset, and are
// one residue class modulo base / g, by the inverse of stride / g. The outputs and the elements are
// then arithmetic progressions. Example: window 3, stride 2, pad 1, 5 elements, 3 outputs: position
// 0 meets outputs 1, 2 at elements 1, 3.
//
// WindowTaps enumerates positions, or, where holes are so many that this is slower, all pairs of
// output and element. Sizes from programs may be near 2^63, so products are computed in 128 bits.

#include "axle/ops/window.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "axle/core/strings.h"

namespace axle {
namespace {

// The products of sizes, strides and dilations, each of which fits into 64 bits, fit into 128.
using Wide = __int128;

// Division towards negative infinity, unlike that of C++: offsets into the padding are negative.
Wide FloorDiv(Wide a, Wide b) {  // b > 0
  return a / b - (a % b < 0 ? 1 : 0);
}
Wide CeilDiv(Wide a, Wide b) {
  return -FloorDiv(-a, b);
}
Wide Modulo(Wide a, Wide b) {  // in [0, b)
  return a - FloorDiv(a, b) * b;
}

// x with a * x == 1 modulo m, for a and m without a common factor.
// The extended algorithm of Euclid; the invariant is a * x == r modulo m.
Wide InverseModulo(Wide a, Wide m) {
  Wide r0 = m, r1 = Modulo(a, m), x0 = 0, x1 = 1;
  while (r1 > 1) {
    const Wide quotient = r0 / r1;
    std::swap(r0 -= quotient * r1, r1);
    std::swap(x0 -= quotient * x1, x1);
  }
  return Modulo(x1, m);
}

// The extent of n elements with dilation - 1 holes between them; nothing if beyond 64 bits.
std::optional<i64> DilatedSize(i64 n, i64 dilation) {
  if (n == 0) return 0;
  const std::optional<i64> reach = CheckedMul(n - 1, dilation);
  return reach ? CheckedAdd(*reach, 1) : std::nullopt;
}

// The outputs that meet an element at one window position, as two arithmetic progressions.
WindowTap TapAt(const WindowDim& window, i64 position, i64 operand_size, i64 output_size) {
  const Wide offset = Wide{position} * window.window_dilation - window.pad_low;
  const Wide base = window.base_dilation, stride = window.stride;
  const Wide common = std::gcd(window.base_dilation, window.stride);
  WindowTap tap = {.position = position};
  // o * stride + offset must be a multiple of base: outputs congruent to one residue modulo step.
  if (offset % common != 0) return tap;
  const Wide step = base / common;
  const Wide residue =
      step == 1
          ? 0
          : Modulo(Modulo(-offset / common, step) * InverseModulo(stride / common, step), step);
  // The range of outputs whose element exists, without the congruence.
  const Wide lowest = std::max<Wide>(0, CeilDiv(-offset, stride));
  const Wide highest =
      std::min<Wide>(output_size - 1, FloorDiv((Wide{operand_size} - 1) * base - offset, stride));
  // The first output of the residue class that is not below `lowest`.
  const Wide first = lowest + Modulo(residue - lowest, step);
  if (first > highest) return tap;
  tap.count = static_cast<i64>((highest - first) / step + 1);
  tap.output_begin = static_cast<i64>(first);
  tap.operand_begin = static_cast<i64>((first * stride + offset) / base);
  // One element needs no steps, and they might not fit.
  if (tap.count > 1) {
    tap.output_step = static_cast<i64>(step);
    tap.operand_step = static_cast<i64>(stride / common);
  }
  return tap;
}

// Checks that so many taps or positions may be held at once.
Status CheckRoom(i64 count, i64 bytes_each, Limits* limits) {
  if (count > kMaxTaps) {
    return ResourceExhausted(
        StrCat("a window shows elements at more than ", kMaxTaps, " positions of one dimension"));
  }
  if (limits == nullptr) return {};
  AXLE_TRY(limits->Reserve(count * bytes_each));
  limits->Release(count * bytes_each);
  return {};
}

}  // namespace

// Every step is checked for overflow: sizes, paddings and dilations come from the program.
StatusOr<i64> WindowOutputSize(const Instruction& inst, const WindowDim& window, i64 d,
                               i64 operand_size) {
  const auto error = [&](std::string_view what, i64 value) {
    return OpError(inst,
                   StrCat("window dimension ", d, " has ", what, " ", value, ", must be >= 1"));
  };
  if (window.size < 1) return error("size", window.size);
  if (window.stride < 1) return error("stride", window.stride);
  if (window.base_dilation < 1) return error("base dilation", window.base_dilation);
  if (window.window_dilation < 1) return error("window dilation", window.window_dilation);
  const std::optional<i64> dilated_base = DilatedSize(operand_size, window.base_dilation);
  const std::optional<i64> dilated_window = DilatedSize(window.size, window.window_dilation);
  std::optional<i64> padding = CheckedAdd(window.pad_low, window.pad_high);
  if (padding && dilated_base) padding = CheckedAdd(*padding, *dilated_base);
  if (!padding || !dilated_base || !dilated_window) {
    return OpError(inst, StrCat("window dimension ", d, " reaches over more than 2^63 elements"));
  }
  const i64 padded_base = *padding;
  if (padded_base < 0) {
    return OpError(inst, StrCat("window dimension ", d, " has padding ", window.pad_low, "_",
                                window.pad_high, ", which crops more than the ", *dilated_base,
                                " elements of the dilated operand"));
  }
  if (padded_base == 0 || *dilated_window > padded_base) return 0;
  return (padded_base - *dilated_window) / window.stride + 1;
}

// The window applies to all dimensions of the operand, one to one.
StatusOr<Shape> WindowOutputShape(const Instruction& inst, const Window& window,
                                  const Shape& operand, ElementType type) {
  const auto rank = static_cast<i64>(window.size());
  if (rank != operand.rank()) {
    return OpError(
        inst, StrCat("window has ", rank, " dimensions but operand has rank ", operand.rank()));
  }
  Shape result = operand.WithoutLayout().WithType(type);
  for (i64 d = 0; d < rank; ++d) {
    AXLE_ASSIGN(const i64 size, WindowOutputSize(inst, window[d], d, operand.dim(d)));
    result.set_dim(d, size);
  }
  return result;
}

// A tap is a window position with the outputs and elements that meet there. Windows may have up to
// 2^63 positions of which few meet an element, so the work is bounded by the number of pairs
// (output, element) as well as by the number of positions; positions come in increasing order
// either way.
StatusOr<std::vector<WindowTap>> WindowTaps(const WindowDim& window, i64 operand_size,
                                            i64 output_size, Limits* limits) {
  std::vector<WindowTap> taps;
  if (operand_size <= 0 || output_size <= 0) return taps;
  const Wide dilation = window.window_dilation;
  // Outside these positions, even the last output is before the first element, or the first output
  // behind the last element.
  const Wide first = std::max<Wide>(
      0, CeilDiv(window.pad_low - (Wide{output_size} - 1) * window.stride, dilation));
  const Wide last = std::min<Wide>(
      Wide{window.size} - 1,
      FloorDiv(window.pad_low + (Wide{operand_size} - 1) * window.base_dilation, dilation));
  const auto add = [&](i64 position) -> Status {
    if (limits != nullptr) AXLE_TRY(limits->Check());
    const WindowTap tap = TapAt(window, position, operand_size, output_size);
    if (tap.count == 0) return {};
    // The bytes are checked against the limit whenever the vector would grow.
    if (taps.size() == taps.capacity()) {
      AXLE_TRY(CheckRoom(2 * static_cast<i64>(taps.size()), sizeof(WindowTap), limits));
    }
    taps.push_back(tap);
    return {};
  };
  // The number of positions is compared with that of pairs (output, element), and the smaller
  // search is done.
  if (last - first < Wide{output_size} * operand_size) {
    for (Wide position = first; position <= last; ++position) {
      AXLE_TRY(add(static_cast<i64>(position)));
    }
    return taps;
  }
  // Mostly holes: ask each output and element where they meet.
  constexpr i64 kBytesPerSetEntry = 48;
  std::set<i64> positions;
  for (i64 o = 0; o < output_size; ++o) {
    AXLE_TRY(CheckRoom(static_cast<i64>(positions.size()), kBytesPerSetEntry, limits));
    for (i64 i = 0; i < operand_size; ++i) {
      if (limits != nullptr) AXLE_TRY(limits->Check());
      const Wide distance =
          Wide{i} * window.base_dilation + window.pad_low - Wide{o} * window.stride;
      if (distance < 0 || distance % dilation != 0) continue;
      if (distance / dilation < window.size)
        positions.insert(static_cast<i64>(distance / dilation));
    }
  }
  for (i64 position : positions) AXLE_TRY(add(position));
  return taps;
}

// Restricts a tap to the outputs of a slab; outputs are then counted from the beginning of the
// slab.
WindowTap ClipTap(const WindowTap& tap, i64 begin, i64 end) {
  WindowTap clipped = tap;
  const i64 skipped =
      tap.output_begin >= begin ? 0 : (begin - tap.output_begin - 1) / tap.output_step + 1;
  const i64 past = tap.output_begin >= end ? 0 : (end - tap.output_begin - 1) / tap.output_step + 1;
  clipped.count = std::max<i64>(0, std::min(tap.count, past) - skipped);
  if (clipped.count == 0) return clipped;
  clipped.output_begin += skipped * tap.output_step - begin;
  clipped.operand_begin += skipped * tap.operand_step;
  return clipped;
}

// A window that covers everything before, or everything after, its position makes a prefix sum.
Cumulative CumulativeKind(const WindowDim& window, i64 operand_size) {
  if (window.stride != 1 || window.base_dilation != 1 || window.window_dilation != 1 ||
      window.size < operand_size) {
    return Cumulative::kNo;
  }
  if (window.pad_low == window.size - 1 && window.pad_high == 0) return Cumulative::kForward;
  if (window.pad_low == 0 && window.pad_high == window.size - 1) return Cumulative::kReverse;
  return Cumulative::kNo;
}

}  // namespace axle
