// The kinds of padding that the builder's functions for windows accept.
#pragma once
#include <utility>
#include <vector>

#include "axle/core/array_slice.h"
#include "axle/core/element_type.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

// kValid: no padding. kSame: as much padding as makes ceil(size / stride) windows fit; if it is
// odd, the high side gets the larger half.
enum class Padding { kSame, kValid };
// Returns low and high padding, in elements, per dimension of a window, as XLA's MakePadding does,
// with as many entries as the shortest list. Strides below 1 count as 1.
std::vector<std::pair<i64, i64>> MakePadding(ArraySlice<i64> input_dimensions,
                                             ArraySlice<i64> window_dimensions,
                                             ArraySlice<i64> window_strides, Padding padding);

// Makes a PaddingConfig of {low, high} elements per dimension; or of zeros for `rank` dimensions,
// at most kMaxRank + 1.
PaddingConfig MakeEdgePaddingConfig(ArraySlice<std::pair<i64, i64>> padding);
PaddingConfig MakeNoPaddingConfig(i64 rank);
// Makes a PaddingConfig of {low, high, interior} elements per dimension.
PaddingConfig MakePaddingConfig(ArraySlice<PaddingDim> padding);

}  // namespace axle
