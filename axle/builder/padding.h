// The ways in which the builder's functions of windows can be asked to pad.
#pragma once
#include <utility>
#include <vector>

#include "axle/core/array_slice.h"
#include "axle/core/element_type.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

// kValid: none. kSame: as much as makes ceil(size / stride) windows fit, the larger half behind.
enum class Padding { kSame, kValid };
// Low and high padding, in elements, per dimension of a window, as XLA's MakePadding gives it; as
// many as the shortest list has entries. Strides below 1 count as 1.
std::vector<std::pair<i64, i64>> MakePadding(ArraySlice<i64> input_dimensions,
                                             ArraySlice<i64> window_dimensions,
                                             ArraySlice<i64> window_strides, Padding padding);

// A PaddingConfig of {low, high} elements per dimension; or of zeros for `rank` dimensions, at most
// kMaxRank + 1.
PaddingConfig MakeEdgePaddingConfig(ArraySlice<std::pair<i64, i64>> padding);
PaddingConfig MakeNoPaddingConfig(i64 rank);
// A PaddingConfig of {low, high, interior} elements per dimension.
PaddingConfig MakePaddingConfig(ArraySlice<PaddingDim> padding);

}  // namespace axle
