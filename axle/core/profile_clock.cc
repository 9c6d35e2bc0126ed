// The rate of the time stamp counter comes from two readings of it and of the system's clock: when
// the library is loaded, and when somebody asks, at least a millisecond later. The error is then
// below one in ten thousand, and becomes smaller with the time between them.
#include "axle/core/profile_clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace axle {
namespace {

// Whether the counter goes on at the same rate whatever the processor does.
bool HasConstantCounter() {
#if defined(__x86_64__)
  constexpr unsigned kPowerLeaf = 0x80000007, kInvariantBit = 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(kPowerLeaf, &a, &b, &c, &d) != 0 && ((d >> kInvariantBit) & 1) != 0;
#else
  return false;
#endif
}

struct Reading {
  std::chrono::steady_clock::time_point time;
  std::uint64_t ticks;

  static Reading Take() { return {std::chrono::steady_clock::now(), ProfileClock::Now()}; }
};

}  // namespace

const bool ProfileClock::has_counter_ = HasConstantCounter();

namespace {

const Reading first_reading = Reading::Take();

}  // namespace

double ProfileClock::NanosecondsPerTick() {
  if (!has_counter_) return 1;
  Reading now = Reading::Take();
  while (now.time - first_reading.time < std::chrono::milliseconds(1)) now = Reading::Take();
  const std::chrono::duration<double, std::nano> passed = now.time - first_reading.time;
  return passed.count() / static_cast<double>(now.ticks - first_reading.ticks);
}

}  // namespace axle
