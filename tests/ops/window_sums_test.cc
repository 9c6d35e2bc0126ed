// How far prefix sums and sums of long windows are from the exact ones (docs/numerics.md, "Windows
// and prefix sums"): within the bounds of the page, and much nearer than a fold from the left.
// Which bits they have is in tests/numerics.
#include <gtest/gtest.h>

#include <cmath>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

constexpr double kUnit = 0x1p-24;

// reduce-window of a line of f32 by an add from 0.
std::vector<float> WindowSums(const std::vector<float>& x, std::string_view window, i64 results) {
  const auto module = Parse(StrCat(
      "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) } ",
      "ENTRY e { x = f32[", x.size(), "] parameter(0) z = f32[] constant(0) ROOT r = ", "f32[",
      results, "] reduce-window(x, z), window={", window, "}, to_apply=sum }"));
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  const auto size = static_cast<i64>(x.size());
  const auto sums =
      Evaluate(**module,
               std::vector<Literal>{Literal::Array<float>(F32, {size}, std::span<const float>(x))});
  EXPECT_TRUE(sums.ok()) << sums.status().ToString();
  const std::span<const float> data = sums->data<float>();
  return {data.begin(), data.end()};
}

std::vector<float> PrefixSums(const std::vector<float>& x) {
  const auto n = static_cast<i64>(x.size());
  return WindowSums(x, StrCat("size=", n, " pad=", n - 1, "_0"), n);
}

// In [0, 1), or both sides of 0.
std::vector<float> RandomLine(size_t count, bool is_positive) {
  std::vector<float> x(count);
  std::uint32_t state = 99;
  for (float& element : x) {
    state = state * 1664525 + 1013904223;
    element = static_cast<float>(state >> 8) * 0x1p-24f;
    if (!is_positive) element = 2 * element - 1;
  }
  return x;
}

// The largest error of any prefix sum, in units of the sum of magnitudes.
double LargestError(const std::vector<float>& x) {
  const std::vector<float> sums = PrefixSums(x);
  double exact = 0, magnitudes = 0, largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    exact += static_cast<double>(x[i]);
    magnitudes += std::abs(static_cast<double>(x[i]));
    largest = std::max(largest, std::abs(static_cast<double>(sums[i]) - exact) / magnitudes);
  }
  return largest / kUnit;
}

TEST(WindowSums, PrefixSumsOfAConstant) {
  for (const size_t n : {17, 1000, 100'000}) {
    EXPECT_LT(LargestError(std::vector<float>(n, 0.1f)), 64) << n;
  }
}

TEST(WindowSums, PrefixSumsAreWithinTheBound) {
  for (const size_t n : {17, 257, 100'000}) {
    for (const bool is_positive : {true, false}) {
      const double bound = 16 * (std::log2(static_cast<double>(n)) / 4 + 1);
      EXPECT_LT(LargestError(RandomLine(n, is_positive)), bound) << n << is_positive;
    }
  }
}

// The root mean square of errors, of these sums and of folds from the left.
struct Errors {
  double squares = 0, squares_from_left = 0;
  void Add(float sum, float from_left, double exact) {
    squares += std::pow(static_cast<double>(sum) - exact, 2);
    squares_from_left += std::pow(static_cast<double>(from_left) - exact, 2);
  }
  double gain() const { return std::sqrt(squares_from_left / squares); }
};

TEST(WindowSums, PrefixSumsAreBetterThanOneChain) {
  for (const bool is_positive : {true, false}) {
    const std::vector<float> x = RandomLine(100'000, is_positive);
    const std::vector<float> sums = PrefixSums(x);
    Errors errors;
    float chain = 0;
    double exact = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      exact += static_cast<double>(x[i]);
      chain += x[i];
      errors.Add(sums[i], chain, exact);
    }
    EXPECT_GT(errors.gain(), 8) << is_positive;
  }
}

TEST(WindowSums, LongWindowsAreBetterThanOneChain) {
  constexpr size_t kWindow = 5000, kResults = 1000;
  for (const bool is_positive : {true, false}) {
    const std::vector<float> x = RandomLine(kWindow + kResults - 1, is_positive);
    const std::vector<float> sums = WindowSums(x, StrCat("size=", kWindow), kResults);
    Errors errors;
    for (size_t i = 0; i < kResults; ++i) {
      float chain = 0;
      double exact = 0;
      for (size_t k = i; k < i + kWindow; ++k) {
        exact += static_cast<double>(x[k]);
        chain += x[k];
      }
      errors.Add(sums[i], chain, exact);
    }
    EXPECT_GT(errors.gain(), 4) << is_positive;
  }
}

TEST(WindowSums, ShortWindowsAreOneChain) {
  constexpr size_t kWindow = 512, kResults = 20;
  const std::vector<float> x = RandomLine(kWindow + kResults - 1, true);
  const std::vector<float> sums = WindowSums(x, StrCat("size=", kWindow), kResults);
  for (size_t i = 0; i < kResults; ++i) {
    float chain = 0;
    for (size_t k = i; k < i + kWindow; ++k) chain += x[k];
    EXPECT_EQ(sums[i], chain) << i;
  }
}

}  // namespace
}  // namespace axle
