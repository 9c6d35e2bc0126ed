// How long sums of products are cut up, so that their error does not grow with their length
// (docs/numerics.md N5 and N6). Contracted elements are counted as window positions, each with its
// inner elements; a dot has one position. Neighbours make up parts of at most 512 elements, and so
// many parts a group. What happens inside of them, and how groups are joined, is the matter of the
// interpreter and of the kernels, which share these numbers.
#pragma once
#include <algorithm>

#include "axle/core/element_type.h"

namespace axle {

inline constexpr i64 kPartElements = 512;       // at most
inline constexpr i64 kChainGroupParts = 64;     // each a chain of its own
inline constexpr i64 kTileGroupParts = 8;       // through which a chain of blocks runs
inline constexpr i64 kNoGroups = i64{1} << 40;  // of sums that are the same in any order

// `x` up to a multiple of `unit`.
constexpr i64 RoundUpTo(i64 x, i64 unit) {
  return (x + unit - 1) / unit * unit;
}
// `total` in equal parts of at most `most`, a multiple of `unit` each: the size of one.
constexpr i64 EvenPart(i64 total, i64 most, i64 unit) {
  const i64 parts = std::max<i64>(1, (total + most - 1) / most);
  return std::max(unit, RoundUpTo((total + parts - 1) / parts, unit));
}

// A part is some positions with all of their elements, or one position with some of them.
struct ProductParts {
  i64 positions = 1, elements = 1;
};
// `unit`: a position's elements are filled up with zeros to a multiple of it.
constexpr ProductParts PartsOf(i64 num_positions, i64 num_elements, i64 unit) {
  const i64 filled = RoundUpTo(std::max<i64>(1, num_elements), unit);
  if (filled > kPartElements) {
    return {1, EvenPart(num_elements, kPartElements, std::max<i64>(4, unit))};
  }
  return {EvenPart(num_positions, kPartElements / filled, 1), std::max<i64>(1, num_elements)};
}

}  // namespace axle
