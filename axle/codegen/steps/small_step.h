// Small steps: run the functions that small regions become.
#pragma once
#include "axle/codegen/spec/kernel_spec.h"
#include "axle/core/kernel.h"

namespace axle {

struct SmallPlan {
  SmallKernel* kernel = nullptr;
  Dims memory_bytes;  // sizes of the buffers, for checked code
};

// The KernelFunction of small steps; its plan is a SmallPlan.
int RunSmall(const RunContext* run, const void* plan, void* const* buffers, i64 begin, i64 end);

}  // namespace axle
