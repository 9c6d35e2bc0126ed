// The two generators of random bits, as blocks: a function of a key and a counter each. Both are
// defined by their papers (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3") and by
// known answers; nothing here remembers anything.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "axle/core/run_state.h"

namespace axle {

constexpr std::uint32_t LowWord(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}
constexpr std::uint32_t HighWord(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}
constexpr std::uint64_t JoinWords(std::uint32_t low, std::uint32_t high) {
  return low | std::uint64_t{high} << 32;
}

// Threefry-2x32 with 20 rounds.
constexpr std::array<std::uint32_t, 2> ThreeFryBlock(std::uint64_t key, std::uint64_t counter) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const std::uint32_t k0 = LowWord(key), k1 = HighWord(key);
  const std::uint32_t keys[3] = {k0, k1, 0x1BD11BDAu ^ k0 ^ k1};
  std::uint32_t a = LowWord(counter) + keys[0], b = HighWord(counter) + keys[1];
  for (std::uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      a += b;
      b = std::rotl(b, rotation) ^ a;
    }
    a += keys[(group + 1) % 3];
    b += keys[(group + 2) % 3] + (group + 1);
  }
  return {a, b};
}

// Philox-4x32 with 10 rounds.
constexpr std::array<std::uint32_t, 4> PhiloxBlock(std::uint64_t key, Counter128 counter) {
  std::array<std::uint32_t, 4> c = {LowWord(counter.low), HighWord(counter.low),
                                    LowWord(counter.high), HighWord(counter.high)};
  std::uint32_t k0 = LowWord(key), k1 = HighWord(key);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{c[0]} * 0xD2511F53u;
    const std::uint64_t p1 = std::uint64_t{c[2]} * 0xCD9E8D57u;
    c = {HighWord(p1) ^ c[1] ^ k0, LowWord(p1), HighWord(p0) ^ c[3] ^ k1, LowWord(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

}  // namespace axle
