// Boxes of elements that are made one dimension at a time.
#pragma once
#include <vector>

#include "axle/emit/strided_copy.h"

namespace axle {

// One more dimension inside the others, which is one with the last of them where both are one run.
// Those of a single element are left out.
inline void AppendDim(std::vector<StridedDim>& dims, const StridedDim& dim) {
  if (dim.count == 1) return;
  if (!dims.empty() && dims.back().to_step == dim.count * dim.to_step &&
      dims.back().from_step == dim.count * dim.from_step) {
    dims.back() = {dims.back().count * dim.count, dim.to_step, dim.from_step};
  } else {
    dims.push_back(dim);
  }
}

}  // namespace axle
