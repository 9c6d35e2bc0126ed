// Copies a box of elements between two arrays of any strides: what index maps, windows and
// gathers of rows come down to once their indices are addresses.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "axle/core/element_type.h"

namespace axle {

// One dimension of the box: a count and two distances in bytes, either of which may be 0 or
// negative.
struct StridedDim {
  i64 count;
  i64 to_step;
  i64 from_step;
};

// Merges neighbouring dimensions that are one run on both sides, so that the inner loop is long.
// The result is never empty.
std::vector<StridedDim> MergeStridedDims(std::span<const StridedDim> dims);

// to[sum k_d * to_step_d] = from[sum k_d * from_step_d], outermost dimension first; `dims` is not
// empty and the arrays do not overlap.
void StridedCopy(std::span<const StridedDim> dims, std::byte* to, const std::byte* from,
                 i64 element_bytes);

}  // namespace axle
