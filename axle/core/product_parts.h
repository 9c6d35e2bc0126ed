// How long sums of products are cut up, so that their error does not grow with their length
// (docs/numerics.md N5 and N6). Contracted elements are counted as window positions, each with its
// inner elements; a dot has one position. Up to 512 elements are one part; of more, neighbours make
// up even parts, and so many parts a group. What happens inside of them, and how groups are joined,
// is the matter of the interpreter and of the kernels, which share these numbers.
#pragma once
#include <algorithm>

#include "axle/core/element_type.h"

namespace axle {

inline constexpr i64 kOnePartElements = 512;  // that are not cut up

struct PartRule {
  i64 part_elements;  // at most, if there are more than kOnePartElements; at most 512
  i64 group_parts;
};
inline constexpr PartRule kChainParts = {256, 64};          // each a chain of its own
inline constexpr PartRule kTileParts = {512, 8};            // of a group, a chain of blocks
inline constexpr PartRule kAnyParts = {512, i64{1} << 40};  // of sums that no order changes

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
constexpr ProductParts PartsOf(const PartRule& rule, i64 num_positions, i64 num_elements,
                               i64 unit) {
  const i64 filled = RoundUpTo(std::max<i64>(1, num_elements), unit);
  if (filled > kOnePartElements) {
    return {1, EvenPart(num_elements, rule.part_elements, std::max<i64>(4, unit))};
  }
  const i64 most =
      num_positions <= kOnePartElements / filled ? num_positions : rule.part_elements / filled;
  return {EvenPart(num_positions, std::max<i64>(1, most), 1), std::max<i64>(1, num_elements)};
}

}  // namespace axle
