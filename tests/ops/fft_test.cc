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
  for (i64 n : {101, 202, 257, 505, 509}) {
    EXPECT_LE(Error<float>(n), 1e-7) << n;
    EXPECT_LE(Error<double>(n), 4e-15) << n;
  }
}

// The real numbers of a line, or n / 2 + 1 elements of a spectrum, through a transform of n.
template <typename From, typename To>
std::vector<To> RealFft(std::string_view kind, const ElementType (&types)[2], i64 n,
                        std::span<const From> x, i64 size) {
  const auto count = static_cast<i64>(x.size());
  const auto module = Parse(StrCat("HloModule m\nENTRY e {\n  p = ", Name(types[0]), "[", count,
                                   "] parameter(0)\n  ROOT r = ", Name(types[1]), "[", size,
                                   "] fft(p), fft_type=", kind, ", fft_length={", n, "}\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status().message();
  const Literal argument = Literal::View(Shape(types[0], {count}), x.data());
  const auto result = Evaluate(**module, {&argument, 1});
  EXPECT_TRUE(result.ok()) << result.status().message();
  const auto values = result->template data<To>();
  return {values.begin(), values.end()};
}

// The largest errors of RFFT, against the transform of complex numbers in f64, and of the way there
// and back, relative to the largest values.
template <typename T>
std::pair<double, double> RealErrors(i64 n) {
  const ElementType real = sizeof(T) == 4 ? F32 : F64, complex = sizeof(T) == 4 ? C64 : C128;
  std::vector<T> x;
  std::vector<std::complex<double>> wide;
  for (const std::complex<T>& value : Random<T>(n)) {
    x.push_back(value.real());
    wide.emplace_back(value.real());
  }
  const auto y = RealFft<T, std::complex<T>>("RFFT", {real, complex}, n, x, n / 2 + 1);
  const auto expected = Fft<double>(wide);
  double error = 0, largest = 0;
  for (i64 k = 0; k <= n / 2; ++k) {
    error = std::max(error, std::abs(std::complex<double>(y[k]) - expected[k]));
    largest = std::max(largest, std::abs(expected[k]));
  }
  const auto back = RealFft<std::complex<T>, T>("IRFFT", {complex, real}, n, y, n);
  double back_error = 0;
  for (i64 j = 0; j < n; ++j) {
    back_error = std::max(back_error, std::abs(static_cast<double>(back[j] - x[j])));
  }
  return {error / largest, back_error};
}

TEST(Fft, RealLines) {
  for (i64 n :
       {1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 31, 36, 62, 64, 74, 101, 202, 360, 509, 1000, 1018}) {
    const auto [error, back] = RealErrors<float>(n);
    EXPECT_LE(error, 3e-7) << n;
    EXPECT_LE(back, 6e-7) << n;
    const auto [wide_error, wide_back] = RealErrors<double>(n);
    EXPECT_LE(wide_error, 4e-15) << n;
    EXPECT_LE(wide_back, 4e-15) << n;
  }
}

// Primes whose butterflies are summed directly, in f64.
TEST(Fft, RadicesInF64) {
  for (i64 n : {37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 148, 185, 37 * 31}) {
    EXPECT_LE(Error<float>(n), 1e-7) << n;
    EXPECT_LE(Error<double>(n), 2e-15) << n;
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
