// RunState: what one run of a module remembers between two executions of the same instruction: the
// counters of its random ops. A new run starts from nothing, so that its results are a function of
// the module, its inputs and the seed. Not thread-safe: one run, one thread.
#pragma once
#include <cstdint>
#include <unordered_map>

namespace axle {

// A 128-bit counter; arithmetic is modulo 2^128.
struct Counter128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Counter128&) const = default;
};
inline Counter128 operator+(Counter128 a, std::uint64_t n) {
  const std::uint64_t low = a.low + n;
  return {low, a.high + (low < n ? 1 : 0)};
}

class RunState {
 public:
  // The counter of `key` as it is, which begins at `initial`; then adds `delta` to it.
  Counter128 Advance(std::uint64_t key, Counter128 initial, std::uint64_t delta) {
    Counter128& counter = counters_.try_emplace(key, initial).first->second;
    const Counter128 before = counter;
    counter = counter + delta;
    return before;
  }

 private:
  std::unordered_map<std::uint64_t, Counter128> counters_;
};

}  // namespace axle
