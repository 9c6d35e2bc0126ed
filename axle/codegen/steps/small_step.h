// Small steps: run the functions that small regions become.
#pragma once
#include "axle/codegen/schedule/small_regions.h"
#include "axle/core/kernel.h"

namespace axle {

// What loops in such a function look at: how many times they may still ask whether to go on. Asking
// when nothing is left gives a new number, or a negative one: the run ends.
struct Fuel {
  i64 left;
  i64 (*more)(Fuel* fuel);
};

// Gives kKernelOk or kKernelFailed. Buffers: inputs, then outputs; in checked code, bounds behind
// them (access_checks.h).
using SmallKernel = int(Fuel* fuel, void* const* buffers);

struct SmallPlan {
  SmallKernel* kernel = nullptr;
  Dims memory_bytes;  // of checked code: of the buffers
};

// The KernelFunction of small steps; its plan is a SmallPlan.
int RunSmall(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
