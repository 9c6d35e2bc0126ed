// fft against the sum that defines it, for lengths of every kind, and its speed on long lines.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <complex>
#include <random>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

template <typename T>
std::vector<std::complex<T>> Fft(std::span<const std::complex<T>> x) {
  const ElementType type = sizeof(T) == 4 ? C64 : C128;
  const auto n = static_cast<i64>(x.size());
  const std::string shape = StrCat(Name(type), "[", n, "]");
  const auto module =
      Parse(StrCat("HloModule m\nENTRY e {\n  p = ", shape, " parameter(0)\n  ROOT r = ", shape,
                   " fft(p), fft_type=FFT, fft_length={", n, "}\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status().message();
  const Literal argument = Literal::View(Shape(type, {n}), x.data());
  const auto result = Evaluate(**module, {&argument, 1});
  EXPECT_TRUE(result.ok()) << result.status().message();
  const auto values = result->template data<std::complex<T>>();
  return {values.begin(), values.end()};
}

template <typename T>
std::vector<std::complex<T>> Random(i64 n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  std::uniform_real_distribution<T> part(-1, 1);
  std::vector<std::complex<T>> x(static_cast<size_t>(n));
  for (auto& value : x) value = {part(random), part(random)};
  return x;
}

// The largest error relative to the largest result.
template <typename T>
double Error(i64 n) {
  const auto x = Random<T>(n);
  const auto y = Fft<T>(x);
  const long double turn = -2 * std::acos(-1.0L) / static_cast<long double>(n);
  double error = 0, largest = 0;
  for (i64 k = 0; k < n; ++k) {
    std::complex<long double> sum = 0;
    for (i64 j = 0; j < n; ++j) {
      sum += std::complex<long double>(x[j]) *
             std::polar(1.0L, turn * static_cast<long double>(j * k % n));
    }
    error = std::max(error, static_cast<double>(std::abs(sum - std::complex<long double>(y[k]))));
    largest = std::max(largest, static_cast<double>(std::abs(sum)));
  }
  return error / largest;
}

TEST(Fft, IsTheSumThatDefinesIt) {
  for (i64 n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 25, 31, 36, 62, 93, 128, 360, 512, 961}) {
    EXPECT_LE(Error<float>(n), 4e-7) << n;
    EXPECT_LE(Error<double>(n), 1e-15) << n;
  }
}

TEST(Fft, LengthsWithLargePrimes) {
  for (i64 n : {37, 41, 74, 101, 257, 370, 509}) {
    EXPECT_LE(Error<float>(n), 1e-7) << n;
    EXPECT_LE(Error<double>(n), 4e-15) << n;
  }
}

TEST(Fft, LongLinesTakeNLogN) {
  for (i64 n : {1 << 18, 262147 /* prime */}) {
    const auto x = Random<float>(n);
    const auto start = std::chrono::steady_clock::now();
    const auto y = Fft<float>(x);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 5) << n;
    // Parseval's sum.
    double before = 0, after = 0;
    for (i64 i = 0; i < n; ++i) {
      before += std::norm(std::complex<double>(x[i]));
      after += std::norm(std::complex<double>(y[i]));
    }
    EXPECT_NEAR(after / static_cast<double>(n) / before, 1, 1e-6) << n;
  }
}

}  // namespace
}  // namespace axle
