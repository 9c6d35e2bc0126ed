// ProfileClock: the clock of profiles. A reading costs about 10 ns where the processor has a time
// stamp counter of constant rate, and about 25 ns where it has not. Thread-safe.
#pragma once
#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace axle {

class ProfileClock {
 public:
  // A reading, in ticks since some point in the past. Readings of two threads can be compared.
  static std::uint64_t Now() {
#if defined(__x86_64__)
    if (has_counter_) return __rdtsc();
#endif
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
  }
  // Returns the nanoseconds of a tick. A call in the first millisecond of the process waits.
  static double NanosecondsPerTick();

 private:
  static const bool has_counter_;
};

}  // namespace axle
