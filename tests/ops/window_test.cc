// Window arithmetic against brute force: every output and window position asked one by one.
#include "axle/ops/window.h"

#include <gtest/gtest.h>

#include <random>

#include "axle/core/strings.h"

namespace axle {
namespace {

struct Hit {
  i64 position, output, element;
  bool operator==(const Hit&) const = default;
};

// The definition, in its own words.
std::vector<Hit> BruteForce(const WindowDim& window, i64 operand_size, i64 output_size) {
  std::vector<Hit> hits;
  for (i64 w = 0; w < window.size; ++w) {
    for (i64 o = 0; o < output_size; ++o) {
      const i64 p = o * window.stride + w * window.window_dilation - window.pad_low;
      if (p < 0 || p % window.base_dilation != 0) continue;
      if (p / window.base_dilation < operand_size) hits.push_back({w, o, p / window.base_dilation});
    }
  }
  return hits;
}

std::vector<Hit> FromTaps(const std::vector<WindowTap>& taps, i64 begin = 0, i64 end = INT64_MAX) {
  std::vector<Hit> hits;
  for (const WindowTap& tap : taps) {
    const WindowTap clipped = ClipTap(tap, begin, end);
    for (i64 k = 0; k < clipped.count; ++k) {
      hits.push_back({tap.position, begin + clipped.output_begin + k * clipped.output_step,
                      clipped.operand_begin + k * clipped.operand_step});
    }
  }
  return hits;
}

std::string Describe(const WindowDim& w, i64 n) {
  return StrCat("size=", w.size, " stride=", w.stride, " pad=", w.pad_low, "_", w.pad_high,
                " lhs_dilate=", w.base_dilation, " rhs_dilate=", w.window_dilation, " on ", n);
}

TEST(Window, TapsMatchBruteForce) {
  std::mt19937 random(1);
  const auto pick = [&](i64 low, i64 high) {
    return std::uniform_int_distribution<i64>(low, high)(random);
  };
  for (int trial = 0; trial < 20000; ++trial) {
    const i64 n = pick(0, 9);
    const WindowDim window = {pick(1, 6),  pick(1, 7), pick(-4, 6),
                              pick(-4, 6), pick(1, 6), pick(1, 5)};
    const i64 outputs = pick(0, 9);
    const std::vector<Hit> expected = BruteForce(window, n, outputs);
    const std::vector<WindowTap> taps = *WindowTaps(window, n, outputs);
    ASSERT_TRUE(FromTaps(taps) == expected) << Describe(window, n);
    for (const WindowTap& tap : taps) ASSERT_GT(tap.count, 0);
    const i64 begin = pick(0, 9), end = pick(0, 9);
    std::vector<Hit> part;
    for (const Hit& hit : expected) {
      if (hit.output >= begin && hit.output < end) part.push_back(hit);
    }
    ASSERT_TRUE(FromTaps(taps, begin, end) == part) << Describe(window, n) << begin << ":" << end;
  }
}

TEST(Window, HugeDilationsAndPaddingsAreQuick) {
  // Two elements 10^18 apart in a window of 10^18: only the pairs are looked at.
  constexpr i64 kHuge = 1'000'000'000'000'000'000;
  const WindowDim window = {kHuge + 1, 1, 5, 0, kHuge, 1};
  const std::vector<WindowTap> taps = *WindowTaps(window, 2, 1);
  ASSERT_EQ(taps.size(), 1u);
  EXPECT_EQ(taps[0].position, 5);
  const WindowDim padded = {kHuge, 1, kHuge - 1, 0, 1, 1};
  EXPECT_EQ(WindowTaps(padded, 3, 3)->size(), 3u);
}

TEST(Window, TapsAreBounded) {
  // 2^40 positions that each meet an element.
  constexpr i64 kHuge = i64{1} << 40;
  Limits limits;
  limits.set_memory_cap(1 << 20);
  const auto code = [&] { return WindowTaps({kHuge}, kHuge, 1, &limits).status().code(); };
  EXPECT_EQ(code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(limits.live_bytes(), 0);
  limits.Cancel();
  EXPECT_EQ(code(), StatusCode::kCancelled);
}

TEST(Window, CumulativeKinds) {
  EXPECT_EQ(CumulativeKind({4, 1, 3, 0}, 4), Cumulative::kForward);
  EXPECT_EQ(CumulativeKind({4, 1, 0, 3}, 4), Cumulative::kReverse);
  EXPECT_EQ(CumulativeKind({6, 1, 5, 0}, 4), Cumulative::kForward);
  EXPECT_EQ(CumulativeKind({3, 1, 2, 0}, 4), Cumulative::kNo);
  EXPECT_EQ(CumulativeKind({4, 2, 3, 0}, 4), Cumulative::kNo);
  EXPECT_EQ(CumulativeKind({4, 1, 3, 0, 2}, 4), Cumulative::kNo);
  EXPECT_EQ(CumulativeKind({4, 1, 3, 1}, 4), Cumulative::kNo);
}

}  // namespace
}  // namespace axle
