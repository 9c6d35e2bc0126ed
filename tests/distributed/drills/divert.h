// What divert.cc and the drills agree on.
#pragma once
#include <cstdint>

namespace axle {

// Processes of a drill listen at addresses that tell who they are: process p at 127.77.0.(p + 1).
inline constexpr std::uint32_t kRankNetwork = 127U << 24 | 77U << 16;
// The environment variable with the port of the relay, at 127.0.0.1.
inline constexpr const char* kRelayVariable = "AXLE_DRILL_RELAY";
// That with a folder whose files take no bytes, where no disk can be filled.
inline constexpr const char* kFullDiskVariable = "AXLE_DRILL_FULL_DISK";

struct DivertPreface {
  std::uint32_t magic = kMagic;
  std::int32_t from = -1;     // the process that connects
  std::uint32_t address = 0;  // where it wants to go, in the order of this machine
  std::uint32_t port = 0;

  static constexpr std::uint32_t kMagic = 0x41786c52;
};

}  // namespace axle
