// What a small region computes, as text: equal keys mean the same code.
#pragma once
#include <string>

#include "axle/codegen/small_regions.h"

namespace axle {

std::string KeyOf(const Region& region, const Schedule& schedule);

}  // namespace axle
