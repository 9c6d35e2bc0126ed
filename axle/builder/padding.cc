#include "axle/builder/padding.h"

#include <algorithm>

#include "axle/core/shape.h"

namespace axle {

std::vector<std::pair<i64, i64>> MakePadding(ArraySlice<i64> input_dimensions,
                                             ArraySlice<i64> window_dimensions,
                                             ArraySlice<i64> window_strides, Padding padding) {
  std::vector<std::pair<i64, i64>> result;
  const size_t rank =
      std::min({input_dimensions.size(), window_dimensions.size(), window_strides.size()});
  for (size_t d = 0; d < rank; ++d) {
    const i64 n = std::max<i64>(input_dimensions[d], 0);
    const i64 stride = std::max<i64>(window_strides[d], 1);
    // The last of ceil(n / stride) windows has this number of elements left.
    const i64 last = n % stride == 0 ? stride : n % stride;
    const i64 total = std::max<i64>(0, std::max<i64>(window_dimensions[d], 0) - last);
    const bool same = padding == Padding::kSame;
    result.emplace_back(same ? total / 2 : 0, same ? total - total / 2 : 0);
  }
  return result;
}

PaddingConfig MakeEdgePaddingConfig(ArraySlice<std::pair<i64, i64>> padding) {
  PaddingConfig config;
  for (const auto& [low, high] : padding) config.push_back({low, high, 0});
  return config;
}

PaddingConfig MakeNoPaddingConfig(i64 rank) {
  return PaddingConfig(static_cast<size_t>(std::clamp<i64>(rank, 0, kMaxRank + 1)));
}

PaddingConfig MakePaddingConfig(ArraySlice<PaddingDim> padding) {
  return {padding.begin(), padding.end()};
}

}  // namespace axle
