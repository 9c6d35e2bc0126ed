// The floating-point mode in which all of Axle computes: round to nearest even, subnormals kept, no
// traps. Every entry into the library that computes, reads or prints numbers makes one of these
// (numerics.md N1), so that a host's own mode neither changes a bit nor is changed.
#pragma once
#include <cstdint>

namespace axle {

class ScopedFloatEnvironment {
 public:
  ScopedFloatEnvironment();   // sets the default mode of this thread
  ~ScopedFloatEnvironment();  // restores the caller's, exception flags included
  ScopedFloatEnvironment(const ScopedFloatEnvironment&) = delete;
  ScopedFloatEnvironment& operator=(const ScopedFloatEnvironment&) = delete;

 private:
  std::uint64_t saved_ = 0;
};

}  // namespace axle
