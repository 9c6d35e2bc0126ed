// Keys: the bytes that select the code of a kernel. Kernels with equal keys can share one function.
#pragma once
#include <string>

#include "axle/codegen/llvm/lane_lowering.h"
#include "axle/codegen/llvm/merge_lowering.h"
#include "axle/codegen/schedule/small_regions.h"

namespace axle {

struct KernelKey {
  std::string text;
  bool is_portable = true;  // no address in it: it means the same code in every process
};

// The key among kernels of one level. The sizes of rows are left out: code for all rows is also
// code for some.
KernelKey KeyOf(const LoopKernelSpec& spec);
KernelKey KeyOf(const MergeKernelSpec& spec);
// A small region and the schedule that it is part of.
KernelKey KeyOf(const Region& region, const Schedule& schedule);

}  // namespace axle
