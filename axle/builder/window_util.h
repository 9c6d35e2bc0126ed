// window_util: XLA's names for the windows of reduce-window, select-and-scatter and convolution.
// MakePadding (padding.h) computes how windows are padded.
//
// The functions are pure, so that any thread may call them.
#pragma once
#include <string>

#include "axle/core/array_slice.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle::window_util {

// Makes a window of these sizes with stride 1, no padding and no dilation.
Window MakeWindow(ArraySlice<i64> sizes);
// The same with strides; missing ones are 1.
Window MakeWindow(ArraySlice<i64> sizes, ArraySlice<i64> strides);
// Makes low and high padding of sizes[d] for dimension d.
PaddingConfig MakeSymmetricPadding(ArraySlice<i64> sizes);

// Returns size=2x3 stride=1x2 pad=0_0x1_1, the text of HLO without braces.
std::string ToString(const Window& window);
std::string ToString(const WindowDim& dim);

// Return whether some dimension has a stride that is not 1, padding that is not 0, and so on.
bool HasStride(const Window& window);
bool HasPadding(const Window& window);
bool HasSymmetricPadding(const Window& window);  // low == high everywhere
bool HasSymmetricPadding(const PaddingConfig& padding);
bool HasNegativePadding(const Window& window);
bool HasBaseDilation(const Window& window);
bool HasWindowDilation(const Window& window);
bool HasDilation(const Window& window);  // either of the two
bool HasWindowReversal(const Window& window);
// Return whether all dimensions are reversed, or none.
bool AllOrNoneReversed(const Window& window);
// Returns whether the size is larger than the stride along some dimension.
bool HasOverlappingWindow(const Window& window);
// Returns whether the dimension has size 1, stride 1, no padding and no dilation.
bool IsTrivialWindowDimension(const WindowDim& dim);

// Returns the size of a dimension of `bound` elements with dilation - 1 holes between neighbours; 0
// if `bound` is 0. It saturates at INT64_MAX. `dilation` is at least 1.
i64 DilatedBound(i64 bound, i64 dilation);
// Returns the number of windows of this size and stride that fit within `bound` elements.
// `window_size` is at least 0, and `stride` at least 1.
i64 StridedBound(i64 bound, i64 window_size, i64 stride);

}  // namespace axle::window_util
