// The peak of the matrix unit: four independent tiles, operands in registers.
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/baselines/vector_kernels.h"

namespace axle::baselines {
namespace {

// As the instruction ldtilecfg reads it: eight tiles of 16 rows of 64 bytes.
struct TileConfig {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// In memory: g++ 12 does not know that the instruction reads more than a pointer's size of it.
const TileConfig kConfig;

}  // namespace

bool HasTiles() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  constexpr unsigned kWanted = 1U << 22 | 1U << 24 | 1U << 25;  // bf16, tiles, int8
  if ((edx & kWanted) != kWanted) return false;
  constexpr long kRequest = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

void TileBf16(long steps) {
  _tile_loadconfig(&kConfig);
  for (long i = 0; i < steps; ++i) {
    _tile_dpbf16ps(0, 4, 5);
    _tile_dpbf16ps(1, 4, 6);
    _tile_dpbf16ps(2, 4, 7);
    _tile_dpbf16ps(3, 5, 6);
  }
  _tile_release();
}

void TileS8(long steps) {
  _tile_loadconfig(&kConfig);
  for (long i = 0; i < steps; ++i) {
    _tile_dpbssd(0, 4, 5);
    _tile_dpbssd(1, 4, 6);
    _tile_dpbssd(2, 4, 7);
    _tile_dpbssd(3, 5, 6);
  }
  _tile_release();
}

}  // namespace axle::baselines
