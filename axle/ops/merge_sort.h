// The sort behind sort: a bottom-up merge sort, stable, safe for any comparator. Its behaviour for
// a comparator that is no order (a < b on NaNs, say) is part of the definition of sort, so every
// engine runs these steps: runs of 1, 2, 4, ... adjacent elements are merged; an element of the
// right run goes first only if less(right, left); when one run is used up, the rest of the other
// follows. At most n comparisons in each of ceil(log2 n) passes.
#pragma once
#include <algorithm>
#include <numeric>
#include <vector>

#include "axle/core/status.h"
#include "axle/emit/callee.h"

namespace axle {

// Sorts `order`, a list of positions, by less(i, j): position i goes strictly before position j.
// `check` is asked now and then; an error ends the sort.
template <typename Less, typename CheckFn>
Status MergeSort(std::vector<i64>& order, Less&& less, CheckFn&& check) {
  constexpr i64 kCheckEvery = 1 << 14;  // merged elements
  const auto size = static_cast<i64>(order.size());
  std::vector<i64> merged(order.size());
  i64 until_check = kCheckEvery;
  for (i64 width = 1; width < size; width *= 2) {
    for (i64 begin = 0; begin < size; begin += 2 * width) {
      const i64 middle = std::min(begin + width, size), end = std::min(begin + 2 * width, size);
      i64 left = begin, right = middle, to = begin;
      while (left < middle && right < end) {
        merged[to++] = less(order[right], order[left]) ? order[right++] : order[left++];
        if (--until_check <= 0) {
          AXLE_TRY(check());
          until_check = kCheckEvery;
        }
      }
      std::copy(order.begin() + left, order.begin() + middle, merged.begin() + to);
      std::copy(order.begin() + right, order.begin() + end, merged.begin() + to + (middle - left));
    }
    order.swap(merged);
    AXLE_TRY(check());
  }
  return {};
}

}  // namespace axle
