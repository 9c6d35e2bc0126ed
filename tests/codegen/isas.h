// Instruction sets that tests ask for.
#pragma once
#include "axle/codegen/choose_target.h"
#include "axle/codegen/llvm/jit.h"

namespace axle {

// OK if code for it runs here, in an emulator if need be; or why it does not.
inline Status CanRun(NativeIsa isa) {
  AXLE_ASSIGN(const JitTarget target, ChooseTarget(isa, 0));
  return Jit::Create(target).status();
}

}  // namespace axle

// In a test or its SetUp: skips it, with the reason.
#define AXLE_SKIP_UNLESS_IT_RUNS(isa)              \
  if (const Status why = CanRun(isa); !why.ok()) { \
    GTEST_SKIP() << why.message();                 \
  }
