// layout: chooses the memory layout of arrays, and puts transposes where that
// changes. Values are row-major in their dimensions, so an array in another order is an array of
// other dimensions, and the ops on it are written for those.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

StatusOr<std::unique_ptr<Module>> ChooseLayouts(const Module& module, PassContext& context);

}  // namespace axle
