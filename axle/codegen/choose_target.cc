// kAuto takes AVX-512 if the CPU has F, BW, CD, DQ and VL, else AVX2; on AArch64 there is one
// instruction set. core/processor.h has checked before that there is AVX2.
#include "axle/codegen/choose_target.h"

#include "axle/codegen/emulation/emulated_kernels.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

bool HasAvx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
#else
  return false;
#endif
}

}  // namespace

StatusOr<JitTarget> ChooseTarget(NativeIsa isa, int codegen_level) {
  if (codegen_level < 0 || codegen_level > 2) {
    return InvalidArgument(StrCat("native: codegen level ", codegen_level, " is not 0, 1 or 2"));
  }
  if (isa == NativeIsa::kAuto) {
    isa = JitTarget::kIsAarch64 ? NativeIsa::kAarch64
          : HasAvx512()         ? NativeIsa::kAvx512
                                : NativeIsa::kAvx2;
  }
  if (JitTarget::kIsAarch64 && isa != NativeIsa::kAarch64) {
    return FailedPrecondition("native: this CPU is AArch64 and runs AArch64 code only");
  }
  if (isa == NativeIsa::kAvx512 && !HasAvx512()) {
    return FailedPrecondition("native: this CPU does not have AVX-512 (F, BW, CD, DQ, VL)");
  }
  const int vector_bytes = isa == NativeIsa::kAvx512 ? 64 : isa == NativeIsa::kAvx2 ? 32 : 16;
  JitTarget target{isa, codegen_level, vector_bytes};
  if (target.is_emulated()) target.emulate = &EmulatedKernels::Create;
  return target;
}

}  // namespace axle
