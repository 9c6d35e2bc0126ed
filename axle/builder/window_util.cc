#include "axle/builder/window_util.h"

#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attr_kinds.h"

namespace axle::window_util {

Window MakeWindow(ArraySlice<i64> sizes) {
  return MakeWindow(sizes, {});
}

Window MakeWindow(ArraySlice<i64> sizes, ArraySlice<i64> strides) {
  Window window(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    window[d].size = sizes[d];
    if (d < strides.size()) window[d].stride = strides[d];
  }
  return window;
}

PaddingConfig MakeSymmetricPadding(ArraySlice<i64> sizes) {
  PaddingConfig padding;
  for (i64 size : sizes) padding.push_back({size, size, 0});
  return padding;
}

std::string ToString(const Window& window) {
  const std::string text = AttrTraits<Window>::Print(window);
  return text.substr(1, text.size() - 2);
}

std::string ToString(const WindowDim& dim) {
  return ToString(Window{dim});
}

bool HasStride(const Window& window) {
  return std::ranges::any_of(window, [](const WindowDim& dim) { return dim.stride != 1; });
}

bool HasPadding(const Window& window) {
  return std::ranges::any_of(
      window, [](const WindowDim& dim) { return dim.pad_low != 0 || dim.pad_high != 0; });
}

bool HasSymmetricPadding(const Window& window) {
  return std::ranges::all_of(window,
                             [](const WindowDim& dim) { return dim.pad_low == dim.pad_high; });
}

bool HasSymmetricPadding(const PaddingConfig& padding) {
  return std::ranges::all_of(padding, [](const PaddingDim& dim) { return dim.low == dim.high; });
}

bool HasNegativePadding(const Window& window) {
  return std::ranges::any_of(
      window, [](const WindowDim& dim) { return dim.pad_low < 0 || dim.pad_high < 0; });
}

bool HasBaseDilation(const Window& window) {
  return std::ranges::any_of(window, [](const WindowDim& dim) { return dim.base_dilation != 1; });
}

bool HasWindowDilation(const Window& window) {
  return std::ranges::any_of(window, [](const WindowDim& dim) { return dim.window_dilation != 1; });
}

bool HasDilation(const Window& window) {
  return HasBaseDilation(window) || HasWindowDilation(window);
}

bool HasWindowReversal(const Window& window) {
  return std::ranges::any_of(window, &WindowDim::reversal);
}

bool AllOrNoneReversed(const Window& window) {
  return !HasWindowReversal(window) || std::ranges::all_of(window, &WindowDim::reversal);
}

bool HasOverlappingWindow(const Window& window) {
  return std::ranges::any_of(window, [](const WindowDim& dim) { return dim.size > dim.stride; });
}

bool IsTrivialWindowDimension(const WindowDim& dim) {
  return dim.size == 1 && dim.stride == 1 && dim.pad_low == 0 && dim.pad_high == 0 &&
         dim.window_dilation == 1 && dim.base_dilation == 1;
}

i64 DilatedBound(i64 bound, i64 dilation) {
  if (bound <= 0) return 0;
  const auto holes = CheckedMul(bound - 1, std::max<i64>(dilation, 1));
  return holes ? CheckedAdd(*holes, 1).value_or(INT64_MAX) : INT64_MAX;
}

i64 StridedBound(i64 bound, i64 window_size, i64 stride) {
  if (bound <= 0 || window_size > bound) return 0;
  const i64 steps = (bound - std::max<i64>(window_size, 0)) / std::max<i64>(stride, 1);
  return CheckedAdd(steps, 1).value_or(INT64_MAX);
}

}  // namespace axle::window_util
