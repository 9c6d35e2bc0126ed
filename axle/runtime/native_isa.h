// NativeIsa: the instruction sets of native code.
#pragma once
#include <cstdint>
#include <iterator>
#include <string_view>

namespace axle {

// The instruction sets that code is made for; kAuto is the best one that the CPU has. The bits of
// results do not depend on it. For tests: kV2, which has no AVX, and a function for each fused
// multiply-add; and kAarch64, whose kernels run in an emulator if this is another machine.
enum class NativeIsa : std::uint8_t { kAuto, kV2, kAvx2, kAvx512, kAarch64 };
inline constexpr NativeIsa kNativeIsas[] = {NativeIsa::kAuto, NativeIsa::kV2, NativeIsa::kAvx2,
                                            NativeIsa::kAvx512, NativeIsa::kAarch64};
inline constexpr int kNumNativeIsas = static_cast<int>(std::size(kNativeIsas));
// "auto", "v2", "avx2", "avx512", "aarch64".
constexpr std::string_view Name(NativeIsa isa) {
  constexpr std::string_view kNames[] = {"auto", "v2", "avx2", "avx512", "aarch64"};
  return kNames[static_cast<int>(isa)];
}

}  // namespace axle
