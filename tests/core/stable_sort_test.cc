#include "axle/core/stable_sort.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

namespace axle {
namespace {

TEST(StableSort, EqualElementsKeepTheirOrder) {
  for (int size : {0, 1, 2, 3, 7, 8, 9, 100}) {
    std::vector<std::pair<int, int>> values;
    for (int i = 0; i < size; ++i) values.emplace_back(i * 37 % 5, i);
    auto expected = values;
    std::sort(expected.begin(), expected.end());  // by key, then by position
    StableSort(values, [](const auto& a, const auto& b) { return a.first < b.first; });
    EXPECT_EQ(values, expected) << size;
  }
}

TEST(StableSort, MovesElementsAndBearsNaN) {
  std::vector<std::unique_ptr<double>> values;
  for (double x : {3.0, std::numeric_limits<double>::quiet_NaN(), 1.0, 2.0}) {
    values.push_back(std::make_unique<double>(x));
  }
  StableSort(values, [](const auto& a, const auto& b) { return *a < *b; });
  EXPECT_EQ(values.size(), 4u);
  for (const auto& value : values) EXPECT_NE(value, nullptr);
}

}  // namespace
}  // namespace axle
