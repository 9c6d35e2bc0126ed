// StableSort: std::stable_sort without its temporary buffer, which clang refuses as deprecated in
// libstdc++ 12. A merge sort: safe with any `less`, also one that NaNs confuse.
#pragma once
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace axle {

// Sorts by `less`; elements of which neither is less keep their order.
template <typename T, typename Less>
void StableSort(std::vector<T>& values, Less less) {
  const size_t size = values.size();
  std::vector<T> merged;
  for (size_t width = 1; width < size; width *= 2) {
    merged.clear();
    merged.reserve(size);
    for (size_t begin = 0; begin < size; begin += 2 * width) {
      const auto at = [&](size_t i) {
        return std::make_move_iterator(values.begin() + std::min(i, size));
      };
      std::merge(at(begin), at(begin + width), at(begin + width), at(begin + 2 * width),
                 std::back_inserter(merged), less);
    }
    std::swap(values, merged);
  }
}

}  // namespace axle
