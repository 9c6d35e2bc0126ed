// RunLink: what one run of a program knows of the other processes that take part in it.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "axle/core/status.h"
#include "axle/distributed/transport.h"

namespace axle {

// What tells messages of one instruction apart: the same in all processes.
inline std::uint64_t HashOfNumbers(std::span<const std::int64_t> numbers, std::uint64_t seed) {
  std::uint64_t hash = seed ^ (numbers.size() * 0x9e3779b97f4a7c15u);
  for (const std::int64_t number : numbers) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  }
  return hash;
}

struct RunLink {
  std::shared_ptr<Transport> transport;
  std::uint64_t processes = 0;      // a hash of those that take part
  std::uint64_t run = 0;            // among the runs of the same processes
  std::uint64_t program = 0;        // a hash of the program and of who runs it
  std::span<const int> process_of;  // by number of the device in the run; outlives this

  int self() const { return transport->process_id(); }
  bool IsHere(std::int64_t device) const {
    return process_of[static_cast<size_t>(device)] == self();
  }
};

}  // namespace axle
