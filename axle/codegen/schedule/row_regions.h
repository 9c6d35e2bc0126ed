// Row regions: loops and folds over the same rows, like those of a softmax or a layer norm, that
// run one after the other over a block of rows that stays in the cache. Each of them computes what
// it does on its own, in the same order.
#pragma once
#include "axle/codegen/schedule/regions.h"

namespace axle {

// Puts loops of a schedule together into regions of kind kRows. Arrays that only loops of one such
// region read become its locals. Blocks are so small that `num_threads` threads have several each.
void MakeRowRegions(Schedule& schedule, int num_threads);

}  // namespace axle
