// JitTarget: the processor that kernels are compiled for.
#pragma once
#include <memory>
#include <string>

#include "axle/core/status.h"
#include "axle/runtime/native_isa.h"

namespace axle {

class AccessChecks;
class KernelEmulator;

// The target of generated code. Never a guess from the CPU's name: the features come from CPUID.
struct JitTarget {
  NativeIsa isa;      // not kAuto
  int codegen_level;  // 0 to 2, of modules that ask for none of their own
  int vector_bytes;   // the widest register that code should use
  // Set if code is checked: gets what is wrong (checked_kernel.h).
  AccessChecks* checks = nullptr;
  // For tests: false leaves code that LLVM miscompiles (llvm/llvm_workarounds.h) as it is.
  bool works_around_llvm = true;
  // Makes the emulator that runs the code if this machine cannot, given the name of the llc to
  // compile with.
  StatusOr<std::unique_ptr<KernelEmulator>> (*emulate)(const JitTarget& target,
                                                       const std::string& llc) = nullptr;
  bool has_avx512() const { return isa == NativeIsa::kAvx512; }
  bool has_fma() const { return isa != NativeIsa::kV2; }
  // This machine cannot run the code: an emulator does.
  bool is_emulated() const { return isa == NativeIsa::kAarch64 && !kIsAarch64; }

#if defined(__aarch64__)
  static constexpr bool kIsAarch64 = true;
#else
  static constexpr bool kIsAarch64 = false;
#endif
};

}  // namespace axle
