// Which results of called computations may take the places of arguments.
#pragma once
#include <cstdint>
#include <vector>

#include "axle/codegen/schedule/regions.h"

namespace axle {

// For a call or a conditional whose inputs and outputs are those of the region: pairs for
// Region::in_place, and ControlRegion::updates.
void FindUpdates(const Schedule& schedule, Region& region);

}  // namespace axle
