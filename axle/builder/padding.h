// Padding: how the builder's functions of windows may be asked to pad.
#pragma once
#include <utility>
#include <vector>

#include "axle/core/array_slice.h"
#include "axle/core/element_type.h"
#include "axle/ops/attributes.h"

namespace axle {

enum class Padding { kSame, kValid };
// low and high padding per dimension of a window (00-conventions section 7 of the reference).
std::vector<std::pair<i64, i64>> MakePadding(ArraySlice<i64> input_dimensions,
                                             ArraySlice<i64> window_dimensions,
                                             ArraySlice<i64> window_strides, Padding padding);

// A PaddingConfig of {low, high} per dimension; of as many zeros.
PaddingConfig MakeEdgePaddingConfig(ArraySlice<std::pair<i64, i64>> padding);
PaddingConfig MakeNoPaddingConfig(i64 rank);
// Of {low, high, interior} per dimension.
PaddingConfig MakePaddingConfig(ArraySlice<PaddingDim> padding);

}  // namespace axle
