// Random: the numbers that modules and inputs are drawn from: a function of the seed alone, the
// same on every machine (which the distributions of <random> are not). Not thread-safe; copies go
// on apart.
#pragma once
#include <cstdint>
#include <iterator>

#include "axle/core/element_type.h"

namespace axle {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // A stream of its own for each (seed, index).
  Random(std::uint64_t seed, std::uint64_t index) : state_(Mix(seed) ^ Mix(~index)) {}

  std::uint64_t Bits() {
    state_ += 0x9e3779b97f4a7c15u;
    return Mix(state_);
  }
  // Uniform in [0, n) and in [low, high]; n > 0, low <= high.
  i64 Below(i64 n) { return static_cast<i64>(Bits() % static_cast<std::uint64_t>(n)); }
  i64 Between(i64 low, i64 high) { return low + Below(high - low + 1); }
  bool Percent(i64 percent) { return Below(100) < percent; }
  // Uniform in [0, 1).
  double Fraction() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }
  // An element of a list that is not empty.
  template <typename List>
  const auto& Of(const List& list) {
    return *(std::begin(list) + Below(static_cast<i64>(std::size(list))));
  }
  template <typename T>
  const T& Of(std::initializer_list<T> list) {
    return *(list.begin() + Below(static_cast<i64>(list.size())));
  }
  template <typename List>
  void Shuffle(List& list) {
    for (i64 i = static_cast<i64>(list.size()) - 1; i > 0; --i) {
      std::swap(list[i], list[Below(i + 1)]);
    }
  }

 private:
  static std::uint64_t Mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  std::uint64_t state_;
};

}  // namespace axle
