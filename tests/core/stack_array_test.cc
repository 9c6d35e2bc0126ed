#include "axle/core/stack_array.h"

#include <gtest/gtest.h>

namespace axle {
namespace {

// Counts those that live; not trivial in any way.
struct Counted {
  Counted() { ++live; }
  ~Counted() { --live; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  int value = 7;
  static inline int live = 0;
};

TEST(StackArray, HasAsManyValuesAsItSays) {
  for (const size_t size : {0, 1, 3, 4, 5, 100}) {
    {
      const StackArray<Counted, 4> array(size);
      EXPECT_EQ(array.size(), size);
      EXPECT_EQ(Counted::live, static_cast<int>(size));
      for (const Counted& counted : array) EXPECT_EQ(counted.value, 7);
      EXPECT_EQ(array.end() - array.begin(), static_cast<std::ptrdiff_t>(size));
      const auto* const here = reinterpret_cast<const std::byte*>(&array);
      const auto* const data = reinterpret_cast<const std::byte*>(array.data());
      const bool is_inside = data >= here && data < here + sizeof(array);
      EXPECT_EQ(is_inside, size <= 4);
    }
    EXPECT_EQ(Counted::live, 0);
  }
}

}  // namespace
}  // namespace axle
