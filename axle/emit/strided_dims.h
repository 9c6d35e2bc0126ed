// Strided boxes that are built one dimension at a time.
#pragma once
#include <vector>

#include "axle/emit/strided_copy.h"

namespace axle {

// Adds a dimension inside the others. It is merged with the last one if both are one run; a
// dimension of a single element is left out.
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
