// The register tiles of one instruction set, for the file that is compiled for it: most of what
// there is to compile, and once only.
#pragma once
#include "axle/kernels/x86/families.h"

namespace axle::AXLE_ISA {

// NOLINTBEGIN(misc-definitions-in-headers): for one source file
extern const TileTable kTileTables[] = {
    MakeTileTable<ChainFamily<float, FusedChain>>(),
    MakeTileTable<ChainFamily<double, FusedChain>>(),
    MakeTileTable<ComplexFamily<float>>(),
    MakeTileTable<ComplexFamily<double>>(),
    MakeTileTable<ChainFamily<std::uint16_t, FusedChain>>(),
    MakeTileTable<ChainFamily<std::uint32_t, FusedChain>>(),
    MakeTileTable<ChainFamily<std::uint64_t, FusedChain>>(),
    MakeTileTable<ChainFamily<std::uint16_t, OrOfAnds>>(),
    MakeTileTable<PairFamily>(),
    MakeTileTable<TileFamily>(),
};
extern const TileTable kFlippedC64Tiles = MakeTileTable<ComplexTiles<float, true>>();
extern const TileTable kFlippedC128Tiles = MakeTileTable<ComplexTiles<double, true>>();
// NOLINTEND(misc-definitions-in-headers)

}  // namespace axle::AXLE_ISA
