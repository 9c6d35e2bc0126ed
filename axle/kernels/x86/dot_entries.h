// The rows of one instruction set, for the file that is compiled for it.
#pragma once
#include "axle/kernels/x86/across.h"
#include "axle/kernels/x86/canonical.h"
#include "axle/kernels/x86/entries.h"
#include "axle/kernels/x86/product.h"

namespace axle::AXLE_ISA {

template <typename Family>
constexpr FamilyEntry EntryOf(KernelFunction canonical = nullptr, KernelFunction across = nullptr) {
  return {.dot = &RunDot<Family>,
          .canonical = canonical,
          .across = across,
          .lanes = static_cast<int>(kLanesOf<typename Family::Sum>),
          .packed_bytes = static_cast<int>(sizeof(typename Family::Packed)),
          .sum_bytes = static_cast<int>(sizeof(typename Family::Sum)),
          .parts = static_cast<int>(Family::kParts),
          .unit = static_cast<int>(Family::kUnit),
          .in_place = Family::kInPlace,
          .max_rows = {Family::kMaxRows[0], Family::kMaxRows[1], Family::kMaxRows[2],
                       Family::kMaxRows[3]}};
}

using FamilyF32 = ChainFamily<float, FusedChain>;
using FamilyF64 = ChainFamily<double, FusedChain>;
using FamilyC64 = ComplexFamily<float>;
using FamilyC128 = ComplexFamily<double>;

// NOLINTNEXTLINE(misc-definitions-in-headers): for one source file
extern const FamilyEntry kFamilies[] = {
    EntryOf<FamilyF32>(&RunCanonical<FamilyF32>, &RunAcross<float>),
    EntryOf<FamilyF64>(&RunCanonical<FamilyF64>, &RunAcross<double>),
    EntryOf<FamilyC64>(&RunCanonical<FamilyC64>),
    EntryOf<FamilyC128>(&RunCanonical<FamilyC128>),
    EntryOf<ChainFamily<std::uint16_t, FusedChain>>(),
    EntryOf<ChainFamily<std::uint32_t, FusedChain>>(),
    EntryOf<ChainFamily<std::uint64_t, FusedChain>>(),
    EntryOf<ChainFamily<std::uint16_t, OrOfAnds>>(),
    EntryOf<PairFamily>(),
    EntryOf<TileFamily>(),
};

}  // namespace axle::AXLE_ISA
