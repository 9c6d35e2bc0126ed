// The instruction sets that kernels are compiled for. A plan is made for one of them, which its
// caller names; it never changes a result.
#pragma once
#include <cstdint>

namespace axle {

enum class InstructionSet : std::uint8_t {
  kX86V3,  // x86-64-v3, the baseline of the library: AVX2, FMA
  kX86V4,  // and AVX-512 F, BW, CD, DQ, VL
};

// The largest one that this processor, with this operating system, has. Thread-safe.
InstructionSet HostInstructionSet();

}  // namespace axle
