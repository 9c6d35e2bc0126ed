// Copies of strided boxes against a loop over their positions.
#include "axle/emit/strided_copy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "axle/core/strings.h"

namespace axle {
namespace {

// Offsets of the elements of a box in the array that is written, and in the one that is read.
void Copy(std::span<const StridedDim> dims, std::byte* to, const std::byte* from, size_t bytes) {
  if (dims.empty()) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (i64 k = 0; k < dims[0].count; ++k) {
    Copy(dims.subspan(1), to + k * dims[0].to_step, from + k * dims[0].from_step, bytes);
  }
}

i64 Extent(std::span<const StridedDim> dims, i64 StridedDim::*step, i64 bytes) {
  for (const StridedDim& dim : dims) bytes += (dim.count - 1) * (dim.*step);
  return bytes;
}

void ExpectSame(std::span<const StridedDim> dims, i64 bytes) {
  const i64 from_size = Extent(dims, &StridedDim::from_step, bytes);
  const i64 to_size = Extent(dims, &StridedDim::to_step, bytes);
  std::vector<std::byte> from(static_cast<size_t>(from_size));
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + i / 251);
  constexpr size_t kBehind = 64;  // nothing may be written there
  std::vector<std::byte> to(static_cast<size_t>(to_size) + kBehind, std::byte{0xA5}), expected = to;
  Copy(dims, expected.data(), from.data(), static_cast<size_t>(bytes));
  StridedCopy(dims, to.data(), from.data(), bytes);
  EXPECT_TRUE(to == expected) << "elements of " << bytes << " bytes, "
                              << Join(dims, " ", [](const StridedDim& dim) {
                                   return StrCat("{", dim.count, ", ", dim.to_step, ", ",
                                                 dim.from_step, "}");
                                 });
}

// What repeats itself: blocks below and above what stays in a cache.
TEST(StridedCopy, Broadcasts) {
  for (const i64 bytes : {1, 2, 4, 8, 16}) {
    for (const i64 inner : {1, 3, 8, 20, 700, 5000}) {
      for (const i64 outer : {2, 3, 5, 1000}) {
        if (inner * outer > 1'000'000) continue;
        const i64 row = inner * bytes;
        ExpectSame(std::vector<StridedDim>{{outer, row, 0}, {inner, bytes, bytes}}, bytes);
        ExpectSame(std::vector<StridedDim>{{outer, row, bytes}, {inner, bytes, 0}}, bytes);
        // Rows that lie apart.
        ExpectSame(std::vector<StridedDim>{{outer, row + bytes, 0}, {inner, bytes, bytes}}, bytes);
        ExpectSame(std::vector<StridedDim>{{outer, row, 0}, {inner, bytes, 2 * bytes}}, bytes);
        ExpectSame(
            std::vector<StridedDim>{{3, outer * row, row}, {outer, row, 0}, {inner, bytes, bytes}},
            bytes);
      }
    }
  }
}

TEST(StridedCopy, RandomBoxes) {
  std::mt19937 random(1);
  const auto below = [&](i64 n) {
    return static_cast<i64>(random() % static_cast<std::uint64_t>(n));
  };
  for (int round = 0; round < 2000; ++round) {
    const i64 bytes = i64{1} << below(5);
    std::vector<StridedDim> dims(static_cast<size_t>(1 + below(4)));
    i64 to_step = bytes;
    for (size_t d = dims.size(); d-- > 0;) {
      const i64 count = 1 + below(12);
      if (below(4) == 0) to_step += bytes * below(3);
      dims[d] = {count, to_step, below(3) == 0 ? 0 : bytes * (1 + below(40))};
      to_step *= count;
    }
    ExpectSame(dims, bytes);
  }
}

}  // namespace
}  // namespace axle
