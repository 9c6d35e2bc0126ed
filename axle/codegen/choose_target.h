// Which processor kernels are compiled for.
#pragma once
#include "axle/codegen/spec/jit_target.h"

namespace axle {

// The target for these options on this CPU. Errors: INVALID_ARGUMENT for a level that does not
// exist, FAILED_PRECONDITION if the CPU cannot run such code. Code that is to be emulated may still
// lack the tools for it: Jit::Create says so.
StatusOr<JitTarget> ChooseTarget(NativeIsa isa, int codegen_level);

}  // namespace axle
