// ExactFma against the instruction: special values in all combinations, and random ones of all
// sizes, among them sums that cancel and that lie half way between two numbers.
#include "axle/codegen/llvm/exact_fma.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace axle {
namespace {

template <typename T>
class ExactFmaTest : public testing::Test {
 protected:
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Limits = std::numeric_limits<T>;

  void Check(T a, T b, T c) {
    const T expected = std::fma(a, b, c), actual = ExactFma(a, b, c);
    const bool is_same = std::isnan(expected)
                             ? std::isnan(actual)
                             : std::bit_cast<Bits>(expected) == std::bit_cast<Bits>(actual);
    if (is_same || ++wrong_ > kMaxMessages) return;
    ADD_FAILURE() << std::hexfloat << a << " * " << b << " + " << c << " is " << expected
                  << ", not " << actual;
  }
  // Any bits.
  T Any() { return std::bit_cast<T>(static_cast<Bits>(random_())); }
  // Of 2^`exponent`, with a mantissa whose lower bits are often all alike.
  T Near(int exponent) {
    constexpr int kDigits = Limits::digits;
    auto mantissa = static_cast<Bits>(random_() >> (64 - kDigits));
    const int kept = static_cast<int>(random_() % (2 * kDigits));
    if (kept < kDigits) {
      const Bits low = (Bits{1} << kept) - 1;
      mantissa = random_() % 2 == 0 ? mantissa | low : mantissa & ~low;
    }
    mantissa |= Bits{1} << (kDigits - 1);
    const T sign = random_() % 2 == 0 ? T{1} : T{-1};
    return sign * std::ldexp(static_cast<T>(mantissa), exponent - kDigits + 1);
  }
  int Within(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

  static constexpr int kMaxMessages = 5;
  std::mt19937_64 random_{20261122};
  int wrong_ = 0;
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ExactFmaTest, Types);

TYPED_TEST(ExactFmaTest, SpecialValuesInAllCombinations) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T one_up = std::nextafter(T{1}, T{2}), one_down = std::nextafter(T{1}, T{0});
  std::vector<T> values = {T{0},
                           T{1},
                           one_up,
                           one_down,
                           T{2},
                           T{3},
                           Limits::epsilon(),
                           Limits::epsilon() / 2,
                           Limits::epsilon() * Limits::epsilon(),
                           Limits::denorm_min(),
                           3 * Limits::denorm_min(),
                           Limits::min() - Limits::denorm_min(),
                           Limits::min(),
                           Limits::min() * 2,
                           std::sqrt(Limits::min()),
                           std::sqrt(Limits::max()),
                           Limits::max() / 2,
                           std::nextafter(Limits::max(), T{0}),
                           Limits::max(),
                           Limits::infinity(),
                           Limits::quiet_NaN()};
  for (size_t i = 0, n = values.size(); i < n; ++i) values.push_back(-values[i]);
  for (const T a : values) {
    for (const T b : values) {
      for (const T c : values) this->Check(a, b, c);
    }
  }
}

TYPED_TEST(ExactFmaTest, RandomBits) {
  for (int i = 0; i < 300'000; ++i) this->Check(this->Any(), this->Any(), this->Any());
}

// The sum is of numbers that overlap in part, or lie far apart by any number of bits.
TYPED_TEST(ExactFmaTest, SumsAtEveryDistance) {
  constexpr int kDigits = std::numeric_limits<TypeParam>::digits;
  for (int i = 0; i < 400'000; ++i) {
    const int a = this->Within(-30, 30), b = this->Within(-30, 30);
    const int c = a + b + this->Within(-3 * kDigits, 3 * kDigits);
    this->Check(this->Near(a), this->Near(b), this->Near(c));
  }
}

// Results that are subnormal, or would be.
TYPED_TEST(ExactFmaTest, SumsAtTheLowEnd) {
  using Limits = std::numeric_limits<TypeParam>;
  const int least = Limits::min_exponent - 1, range = Limits::digits + 3;
  for (int i = 0; i < 400'000; ++i) {
    const int product = least + this->Within(-range, range);
    const int a = this->Within(least / 2 - 20, least / 2 + 20);
    this->Check(this->Near(a), this->Near(product - a),
                this->Near(least + this->Within(-range, range)));
  }
}

// And at the end where they overflow.
TYPED_TEST(ExactFmaTest, SumsAtTheHighEnd) {
  const int most = std::numeric_limits<TypeParam>::max_exponent - 1;
  for (int i = 0; i < 100'000; ++i) {
    const int a = most / 2 + this->Within(-3, 3), b = most / 2 + this->Within(-3, 3);
    this->Check(this->Near(a), this->Near(b), this->Near(most - this->Within(0, 5)));
  }
}

// c is minus the rounded product, or a neighbour of it: what is left is what rounding lost.
TYPED_TEST(ExactFmaTest, SumsThatCancel) {
  using T = TypeParam;
  for (int i = 0; i < 200'000; ++i) {
    const T a = this->Near(this->Within(-40, 40)), b = this->Near(this->Within(-40, 40));
    const T c = -(a * b);
    this->Check(a, b, c);
    this->Check(a, b, std::nextafter(c, T{0}));
    this->Check(a, b, 2 * c);
  }
}

// Exactly half way between two numbers, and next to it: (2^k + 1) * 2^j + c.
TYPED_TEST(ExactFmaTest, SumsHalfWay) {
  using T = TypeParam;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  for (int i = 0; i < 100'000; ++i) {
    const T c = this->Near(0);
    const T half = std::ldexp(T{1}, -kDigits);
    const T tiny = std::ldexp(T{1}, this->Within(-3 * kDigits, -kDigits - 2));
    for (const T a : {half, -half, 3 * half}) {
      this->Check(a, T{1}, c);
      this->Check(a, 1 + std::numeric_limits<T>::epsilon(), c);
      this->Check(a, 1 - std::numeric_limits<T>::epsilon() / 2, c);
      this->Check(tiny, T{1}, c);
      this->Check(-tiny, T{1}, c);
    }
  }
}

}  // namespace
}  // namespace axle
