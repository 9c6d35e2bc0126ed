// Every primitive with every type it has, against plain C++ on one element at a time.
#include "axle/emit/executor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "axle/emit/lane_builder.h"

namespace axle {
namespace {

// clang-format off
template <typename T> constexpr LaneType kLaneType = LaneType::kPred;
template <> constexpr LaneType kLaneType<std::uint8_t> = LaneType::kU8;
template <> constexpr LaneType kLaneType<std::uint16_t> = LaneType::kU16;
template <> constexpr LaneType kLaneType<std::uint32_t> = LaneType::kU32;
template <> constexpr LaneType kLaneType<std::uint64_t> = LaneType::kU64;
template <> constexpr LaneType kLaneType<std::int8_t> = LaneType::kS8;
template <> constexpr LaneType kLaneType<std::int16_t> = LaneType::kS16;
template <> constexpr LaneType kLaneType<std::int32_t> = LaneType::kS32;
template <> constexpr LaneType kLaneType<std::int64_t> = LaneType::kS64;
template <> constexpr LaneType kLaneType<float> = LaneType::kF32;
template <> constexpr LaneType kLaneType<double> = LaneType::kF64;
// clang-format on

template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

// std::vector<bool> is not an array.
template <typename T>
struct Array {
  explicit Array(size_t size) : values(new T[size]()), size(size) {}
  T& operator[](size_t i) { return values[i]; }
  const T& operator[](size_t i) const { return values[i]; }
  std::unique_ptr<T[]> values;
  size_t size;
};

constexpr size_t kCount = 3 * kBlockSize + 37;  // ends in the middle of a block

// Values that meet every special case with each other, then random patterns.
template <typename T>
T Sample(size_t i, unsigned stream, std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, bool>) {
    return (i >> stream & 1) != 0;
  } else {
    using Limits = std::numeric_limits<T>;
    std::vector<T> special;
    if constexpr (kIsFloat<T>) {
      special = {T(0),
                 T(-0.0),
                 T(1),
                 T(-1),
                 T(0.5),
                 T(-2.5),
                 T(3.5),
                 T(7),
                 Limits::max(),
                 Limits::lowest(),
                 Limits::min(),
                 Limits::denorm_min(),
                 -Limits::denorm_min(),
                 Limits::infinity(),
                 -Limits::infinity(),
                 Limits::quiet_NaN(),
                 T(1e9),
                 T(-0.3)};
    } else {
      special = {T(0),
                 T(1),
                 T(2),
                 T(-1),
                 T(7),
                 Limits::max(),
                 Limits::min(),
                 T(Limits::max() - 1),
                 T(Limits::max() / 2),
                 T(100)};
    }
    const size_t place = stream == 0 ? i : i / special.size();
    if (i < special.size() * special.size()) return special[place % special.size()];
    const std::uint64_t bits = random();
    if constexpr (kIsFloat<T>) {
      if (bits % 4 != 0) return static_cast<T>(static_cast<double>(static_cast<i64>(bits)) * 1e-17);
    }
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
}

template <typename T>
Array<T> Samples(unsigned stream) {
  std::mt19937_64 random(stream + 1);
  Array<T> samples(kCount);
  for (size_t i = 0; i < kCount; ++i) samples[i] = Sample<T>(i, stream, random);
  return samples;
}

template <typename T>
bool SameBits(T a, T b) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// Runs the program with both executors, on all elements and on the first few.
template <typename Result>
void ExpectResults(const LaneProgram& program, std::vector<const void*> inputs,
                   const std::vector<i64>& input_bytes, const Array<Result>& expected) {
  BlockExecutor block;
  for (const i64 count :
       {i64{1}, i64{3}, kBlockSize - 1, kBlockSize, kBlockSize + 1, static_cast<i64>(kCount)}) {
    Array<Result> actual(kCount + 1);
    actual[count] = Result(1);
    void* output = actual.values.get();
    const Status status = block.Run(program, inputs, {&output, 1}, count);
    ASSERT_TRUE(status.ok()) << status.message();
    for (i64 i = 0; i < count; ++i) {
      ASSERT_TRUE(SameBits(actual[i], expected[i]))
          << "element " << i << ": " << +actual[i] << ", not " << +expected[i] << "\n"
          << program.ToString();
    }
    ASSERT_TRUE(SameBits(actual[count], Result(1))) << "writes past the end";
  }
  ScalarExecutor scalar(program);
  for (size_t i = 0; i < kCount; ++i) {
    Result actual;
    void* output = &actual;
    scalar.Run(inputs, {&output, 1});
    ASSERT_TRUE(SameBits(actual, expected[i])) << "scalar, element " << i << "\n"
                                               << program.ToString();
    for (size_t k = 0; k < inputs.size(); ++k) {
      inputs[k] = static_cast<const std::byte*>(inputs[k]) + input_bytes[k];
    }
  }
}

template <typename T, typename Result>
void CheckUnary(
    std::function<Lane(Lane)> lane, std::function<Result(T)> plain,
    std::function<T(T)> sanitize = [](T x) { return x; }) {
  Array<T> x = Samples<T>(0);
  for (size_t i = 0; i < kCount; ++i) x[i] = sanitize(x[i]);
  Array<Result> expected(kCount);
  for (size_t i = 0; i < kCount; ++i) expected[i] = plain(x[i]);
  LaneBuilder builder;
  const Lane result = lane(builder.Input(kLaneType<T>));
  ExpectResults<Result>(std::move(builder).Finish({&result, 1}), {x.values.get()}, {sizeof(T)},
                        expected);
}

template <typename T, typename Result>
void CheckBinary(
    std::function<Lane(Lane, Lane)> lane, std::function<Result(T, T)> plain,
    std::function<T(T, T)> sanitize = [](T, T y) { return y; }) {
  Array<T> x = Samples<T>(0), y = Samples<T>(1);
  for (size_t i = 0; i < kCount; ++i) y[i] = sanitize(x[i], y[i]);
  Array<Result> expected(kCount);
  for (size_t i = 0; i < kCount; ++i) expected[i] = plain(x[i], y[i]);
  LaneBuilder builder;
  const Lane a = builder.Input(kLaneType<T>), b = builder.Input(kLaneType<T>);
  const Lane result = lane(a, b);
  ExpectResults<Result>(std::move(builder).Finish({&result, 1}), {x.values.get(), y.values.get()},
                        {sizeof(T), sizeof(T)}, expected);
}

using Int = __int128;

template <typename T>
class AllTypes : public testing::Test {};
using AllTypeList =
    testing::Types<bool, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(AllTypes, AllTypeList);

TYPED_TEST(AllTypes, Comparisons) {
  using T = TypeParam;
  CheckBinary<T, bool>([](Lane a, Lane b) { return a == b; }, [](T a, T b) { return a == b; });
  CheckBinary<T, bool>([](Lane a, Lane b) { return a < b; }, [](T a, T b) { return a < b; });
  CheckBinary<T, bool>([](Lane a, Lane b) { return a <= b; }, [](T a, T b) { return a <= b; });
  CheckBinary<T, bool>([](Lane a, Lane b) { return a > b; }, [](T a, T b) { return a > b; });
  CheckBinary<T, bool>([](Lane a, Lane b) { return a != b; }, [](T a, T b) { return !(a == b); });
}

TYPED_TEST(AllTypes, MinAndMax) {
  using T = TypeParam;
  const auto pick = [](T a, T b, bool larger) -> T {
    if (a != a) return a;
    if (b != b) return b;
    if constexpr (kIsFloat<T>) {
      if (a == b && std::signbit(a) != std::signbit(b)) return std::signbit(a) == larger ? b : a;
    }
    return (a < b) == larger ? b : a;
  };
  CheckBinary<T, T>([](Lane a, Lane b) { return Min(a, b); },
                    [&](T a, T b) { return pick(a, b, false); });
  CheckBinary<T, T>([](Lane a, Lane b) { return Max(a, b); },
                    [&](T a, T b) { return pick(a, b, true); });
}

TYPED_TEST(AllTypes, SelectConstantAndCopy) {
  using T = TypeParam;
  CheckBinary<T, T>([](Lane a, Lane b) { return Select(a < b, a, b); },
                    [](T a, T b) { return a < b ? a : b; });
  CheckUnary<T, T>([](Lane a) { return a; }, [](T a) { return a; });
  CheckUnary<T, T>([](Lane a) { return a.Like(1); }, [](T) { return T(1); });
}

TYPED_TEST(AllTypes, Arithmetic) {
  using T = TypeParam;
  if constexpr (std::is_same_v<T, bool>) {
    CheckBinary<T, T>([](Lane a, Lane b) { return a + b; }, [](T a, T b) { return a || b; });
    CheckBinary<T, T>([](Lane a, Lane b) { return a * b; }, [](T a, T b) { return a && b; });
  } else if constexpr (kIsFloat<T>) {
    CheckBinary<T, T>([](Lane a, Lane b) { return a + b; }, [](T a, T b) { return a + b; });
    CheckBinary<T, T>([](Lane a, Lane b) { return a - b; }, [](T a, T b) { return a - b; });
    CheckBinary<T, T>([](Lane a, Lane b) { return a * b; }, [](T a, T b) { return a * b; });
    CheckBinary<T, T>([](Lane a, Lane b) { return a / b; }, [](T a, T b) { return a / b; });
    CheckBinary<T, T>([](Lane a, Lane b) { return a % b; },
                      [](T a, T b) { return std::fmod(a, b); });
    CheckBinary<T, T>([](Lane a, Lane b) { return Fma(a, b, a); },
                      [](T a, T b) { return std::fma(a, b, a); });
    CheckUnary<T, T>([](Lane a) { return -a; },
                     [](T a) { return std::copysign(a, std::signbit(a) ? T(1) : T(-1)); });
  } else {
    const auto divisor = [](T a, T b) {
      const bool overflows =
          std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == T(-1);
      return b == 0 || overflows ? T(3) : b;
    };
    CheckBinary<T, T>([](Lane a, Lane b) { return a + b; },
                      [](T a, T b) { return static_cast<T>(Int{a} + Int{b}); });
    CheckBinary<T, T>([](Lane a, Lane b) { return a - b; },
                      [](T a, T b) { return static_cast<T>(Int{a} - Int{b}); });
    CheckBinary<T, T>([](Lane a, Lane b) { return a * b; },
                      [](T a, T b) {
                        return static_cast<T>(static_cast<unsigned __int128>(a) *
                                              static_cast<unsigned __int128>(b));
                      });
    CheckBinary<T, T>([](Lane a, Lane b) { return a / b; },
                      [](T a, T b) { return static_cast<T>(Int{a} / Int{b}); }, divisor);
    CheckBinary<T, T>([](Lane a, Lane b) { return a % b; },
                      [](T a, T b) { return static_cast<T>(Int{a} - Int{a} / Int{b} * Int{b}); },
                      divisor);
    CheckUnary<T, T>([](Lane a) { return -a; }, [](T a) { return static_cast<T>(-Int{a}); });
  }
  if constexpr (std::is_signed_v<T>) {
    CheckUnary<T, T>([](Lane a) { return Abs(a); },
                     [](T a) {
                       if constexpr (kIsFloat<T>)
                         return std::fabs(a);
                       else
                         return static_cast<T>(a < 0 ? -Int{a} : Int{a});
                     });
  }
}

template <typename T>
class Integers : public testing::Test {};
using IntegerList = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
                                   std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Integers, IntegerList);

// Bit by bit, with a function of two bits.
template <typename T>
T Bitwise(T a, T b, bool (*fn)(bool, bool)) {
  T result = 0;
  for (size_t bit = 0; bit < sizeof(T) * 8; ++bit) {
    if (fn(a >> bit & 1, b >> bit & 1))
      result = static_cast<T>(result | T(std::uint64_t{1} << bit));
  }
  return result;
}

TYPED_TEST(Integers, Bits) {
  using T = TypeParam;
  constexpr int kBits = sizeof(T) * 8;
  CheckBinary<T, T>(
      [](Lane a, Lane b) { return a & b; },
      [](T a, T b) { return Bitwise<T>(a, b, [](bool p, bool q) { return p && q; }); });
  CheckBinary<T, T>(
      [](Lane a, Lane b) { return a | b; },
      [](T a, T b) { return Bitwise<T>(a, b, [](bool p, bool q) { return p || q; }); });
  CheckBinary<T, T>(
      [](Lane a, Lane b) { return a ^ b; },
      [](T a, T b) { return Bitwise<T>(a, b, [](bool p, bool q) { return p != q; }); });
  CheckUnary<T, T>([](Lane a) { return ~a; }, [](T a) { return static_cast<T>(-Int{a} - 1); });
  const auto count = [](T, T b) { return static_cast<T>(static_cast<std::uint64_t>(b) % kBits); };
  CheckBinary<T, T>([](Lane a, Lane b) { return a << b; },
                    [](T a, T b) {
                      return static_cast<T>(static_cast<unsigned __int128>(a)
                                            << static_cast<int>(b));
                    },
                    count);
  CheckBinary<T, T>(
      [](Lane a, Lane b) { return a >> b; },
      [](T a, T b) {
        const Int power = Int{1} << static_cast<int>(b), quotient = Int{a} / power;
        return static_cast<T>(quotient * power > Int{a} ? quotient - 1 : quotient);  // floor
      },
      count);
  CheckUnary<T, T>([](Lane a) { return Clz(a); },
                   [](T a) {
                     T zeros = 0;
                     for (int bit = kBits - 1; bit >= 0 && (a >> bit & 1) == 0; --bit) ++zeros;
                     return zeros;
                   });
  CheckUnary<T, T>([](Lane a) { return Popcount(a); },
                   [](T a) {
                     T ones = 0;
                     for (int bit = 0; bit < kBits; ++bit)
                       ones = static_cast<T>(ones + (a >> bit & 1));
                     return ones;
                   });
  CheckBinary<T, T>([](Lane a, Lane b) { return MulHigh(a, b); },
                    [](T a, T b) {
                      if constexpr (std::is_signed_v<T>)
                        return static_cast<T>((Int{a} * Int{b}) >> kBits);
                      else
                        return static_cast<T>((static_cast<unsigned __int128>(a) * b) >> kBits);
                    });
}

TEST(Executor, PredBits) {
  CheckBinary<bool, bool>([](Lane a, Lane b) { return a & b; },
                          [](bool a, bool b) { return a && b; });
  CheckBinary<bool, bool>([](Lane a, Lane b) { return a | b; },
                          [](bool a, bool b) { return a || b; });
  CheckBinary<bool, bool>([](Lane a, Lane b) { return a ^ b; },
                          [](bool a, bool b) { return a != b; });
  CheckUnary<bool, bool>([](Lane a) { return !a; }, [](bool a) { return !a; });
}

template <typename T>
class Floats : public testing::Test {};
using FloatList = testing::Types<float, double>;
TYPED_TEST_SUITE(Floats, FloatList);

TYPED_TEST(Floats, Rounding) {
  using T = TypeParam;
  CheckUnary<T, T>([](Lane a) { return Sqrt(a); }, [](T a) { return std::sqrt(a); });
  CheckUnary<T, T>([](Lane a) { return Floor(a); }, [](T a) { return std::floor(a); });
  CheckUnary<T, T>([](Lane a) { return Ceil(a); }, [](T a) { return std::ceil(a); });
  CheckUnary<T, T>([](Lane a) { return Trunc(a); }, [](T a) { return std::trunc(a); });
  CheckUnary<T, T>([](Lane a) { return Rint(a); }, [](T a) { return std::nearbyint(a); });
}

TYPED_TEST(Floats, TimesPowerOfTwo) {
  using T = TypeParam;
  constexpr int kBias = std::numeric_limits<T>::max_exponent - 1, kMost = 2 * kBias - 8;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  Array<T> x = Samples<T>(0), n = Samples<T>(1), expected(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    const int number = static_cast<int>(i);
    int exponent = 0;
    if (std::isfinite(x[i])) x[i] = std::frexp(x[i], &exponent) * T(i % 3 == 0 ? 4 : 1);
    n[i] = std::isfinite(n[i]) ? std::trunc(std::fmod(n[i], T(kMost + 1))) : T(number % kMost);
    if (i % 2 == 0) n[i] = T(-kBias - number % (kDigits + 4));  // a subnormal result
    expected[i] = std::ldexp(x[i], static_cast<int>(n[i]));
  }
  LaneBuilder builder;
  const Lane a = builder.Input(kLaneType<T>), b = builder.Input(kLaneType<T>);
  const Lane result = TimesPowerOfTwo(a, b);
  ExpectResults<T>(std::move(builder).Finish({&result, 1}), {x.values.get(), n.values.get()},
                   {sizeof(T), sizeof(T)}, expected);
}

TYPED_TEST(Floats, Conversions) {
  using T = TypeParam;
  // Values that fit: the primitive promises nothing for others.
  const auto in_range = [](double limit) {
    return [limit](T a) { return a > -limit && a < limit ? a : T(41.75); };
  };
  CheckUnary<T, std::int32_t>([](Lane a) { return ToInt(LaneType::kS32, a); },
                              [](T a) { return static_cast<std::int32_t>(std::trunc(a)); },
                              in_range(2147483000.0));
  CheckUnary<T, std::int64_t>([](Lane a) { return ToInt(LaneType::kS64, a); },
                              [](T a) { return static_cast<std::int64_t>(std::trunc(a)); },
                              in_range(9e18));
  CheckUnary<T, std::uint64_t>([](Lane a) { return ToInt(LaneType::kU64, a); },
                               [](T a) { return static_cast<std::uint64_t>(std::trunc(a)); },
                               [](T a) { return a > T(-1) && a < T(1.8e19) ? a : T(1e19); });
  CheckUnary<T, float>([](Lane a) { return FloatToFloat(LaneType::kF32, a); },
                       [](T a) { return static_cast<float>(a); });
  CheckUnary<T, double>([](Lane a) { return FloatToFloat(LaneType::kF64, a); },
                        [](T a) { return static_cast<double>(a); });
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  CheckUnary<T, Bits>([](Lane a) { return BitsOf(a); }, [](T a) { return std::bit_cast<Bits>(a); });
}

TYPED_TEST(Integers, Conversions) {
  using T = TypeParam;
  // Through the 64-bit significand of long double, which holds every integer: one rounding.
  CheckUnary<T, float>([](Lane a) { return ToFloat(LaneType::kF32, a); },
                       [](T a) { return static_cast<float>(static_cast<long double>(a)); });
  CheckUnary<T, double>([](Lane a) { return ToFloat(LaneType::kF64, a); },
                        [](T a) { return static_cast<double>(static_cast<long double>(a)); });
  CheckUnary<T, std::int8_t>([](Lane a) { return Resize(LaneType::kS8, a); },
                             [](T a) { return static_cast<std::int8_t>(Int{a} & 0xff); });
  CheckUnary<T, std::uint16_t>([](Lane a) { return Resize(LaneType::kU16, a); },
                               [](T a) { return static_cast<std::uint16_t>(Int{a} & 0xffff); });
  CheckUnary<T, std::int32_t>([](Lane a) { return Resize(LaneType::kS32, a); },
                              [](T a) { return static_cast<std::int32_t>(Int{a}); });
  CheckUnary<T, std::uint64_t>([](Lane a) { return Resize(LaneType::kU64, a); },
                               [](T a) { return static_cast<std::uint64_t>(Int{a}); });
}

TEST(Executor, PredConversions) {
  CheckUnary<bool, std::int32_t>([](Lane a) { return Resize(LaneType::kS32, a); },
                                 [](bool a) { return a ? 1 : 0; });
  CheckUnary<bool, double>([](Lane a) { return ToFloat(LaneType::kF64, a); },
                           [](bool a) { return a ? 1.0 : 0.0; });
}

TEST(Executor, ComplexPartsAreReadAndWritten) {
  // (re, im) -> (im * 2, re) and re + im.
  LaneBuilder builder;
  const int input = builder.AddInput({LaneType::kF32, 2});
  const Lane re = builder.Part(input, 0), im = builder.Part(input, 1);
  const LaneProgram program =
      std::move(builder).Finish(std::vector<Lane>{im * 2.0f, re, re + im},
                                std::vector<LaneArray>{{LaneType::kF32, 2}, {LaneType::kF32}});
  std::vector<float> x(2 * kCount), expected(2 * kCount), sums(kCount);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  for (size_t i = 0; i < kCount; ++i) {
    expected[2 * i] = x[2 * i + 1] * 2;
    expected[2 * i + 1] = x[2 * i];
    sums[i] = x[2 * i] + x[2 * i + 1];
  }
  BlockExecutor executor;
  for (bool in_place : {false, true}) {
    std::vector<float> source = x, result(2 * kCount), sum(kCount);
    void* outputs[] = {in_place ? source.data() : result.data(), sum.data()};
    const void* inputs[] = {source.data()};
    ASSERT_TRUE(executor.Run(program, inputs, outputs, kCount).ok());
    EXPECT_TRUE((in_place ? source : result) == expected) << in_place;
    EXPECT_TRUE(sum == sums);
  }
  ScalarExecutor scalar(program);
  float pair[] = {3, 5}, sum = 0;
  const void* inputs[] = {pair};
  void* outputs[] = {pair, &sum};
  scalar.Run(inputs, outputs);
  EXPECT_EQ(pair[0], 10);
  EXPECT_EQ(pair[1], 3);
  EXPECT_EQ(sum, 8);
}

// Numbers of both types, of elements with one part and with two, in several blocks.
template <typename Number>
void ExpectElementsByNumber() {
  constexpr i64 kSize = 11;
  float table[kSize];
  double pairs[2 * kSize];
  for (i64 k = 0; k < kSize; ++k) {
    table[k] = static_cast<float>(k) + 0.5F;
    pairs[2 * k] = static_cast<double>(k);
    pairs[2 * k + 1] = -static_cast<double>(k) - 0.25;
  }
  std::vector<Number> numbers(kCount);
  for (size_t i = 0; i < kCount; ++i) numbers[i] = static_cast<Number>(i * i % kSize);
  LaneBuilder b;
  const int first = b.AddInput({LaneType::kF32}), second = b.AddInput({LaneType::kF64, 2});
  const Lane number = b.Input(kLaneType<Number>);
  const Lane results[] = {b.Element(first, 0, number), b.Element(second, 1, number)};
  const LaneProgram program = std::move(b).Finish(results);
  std::vector<float> one(kCount);
  std::vector<double> two(kCount);
  const void* const inputs[] = {table, pairs, numbers.data()};
  void* const outputs[] = {one.data(), two.data()};
  ASSERT_TRUE(BlockExecutor().Run(program, inputs, outputs, kCount).ok());
  ScalarExecutor scalar(program);
  for (size_t i = 0; i < kCount; ++i) {
    const auto k = static_cast<size_t>(numbers[i]);
    EXPECT_EQ(one[i], table[k]) << i;
    EXPECT_EQ(two[i], pairs[2 * k + 1]) << i;
    float element = 0;
    double part = 0;
    const void* const at[] = {table, pairs, &numbers[i]};
    void* const to[] = {&element, &part};
    scalar.Run(at, to);
    EXPECT_EQ(element, one[i]) << i;
    EXPECT_EQ(part, two[i]) << i;
  }
}
TEST(Executor, ElementsByNumber) {
  ExpectElementsByNumber<std::int32_t>();
  ExpectElementsByNumber<std::int64_t>();
}

TEST(Executor, OutputsMayBeInputs) {
  // Swaps its inputs, and gives their sum twice.
  LaneBuilder builder;
  const Lane a = builder.Input(LaneType::kS32), b = builder.Input(LaneType::kS32);
  const Lane sum = a + b;
  const LaneProgram program = std::move(builder).Finish(std::vector<Lane>{b, a, sum, sum});
  std::vector<std::int32_t> x(kCount), y(kCount), s(kCount), t(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    x[i] = static_cast<int>(i);
    y[i] = static_cast<int>(10000 * i);
  }
  const std::vector<std::int32_t> old_x = x, old_y = y;
  BlockExecutor executor;
  ScalarExecutor scalar(program);
  const void* inputs[] = {x.data(), y.data()};
  void* outputs[] = {x.data(), y.data(), s.data(), t.data()};
  ASSERT_TRUE(executor.Run(program, inputs, outputs, kCount).ok());
  EXPECT_TRUE(x == old_y && y == old_x);
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(s[i], 10001 * static_cast<int>(i));
    ASSERT_EQ(t[i], s[i]);
  }
  scalar.Run(inputs, outputs);
  EXPECT_EQ(x[0], old_x[0]);
  void* apart[] = {s.data(), t.data(), x.data(), y.data()};
  const void* from[] = {old_x.data(), old_y.data()};
  ASSERT_TRUE(executor.Run(program, from, apart, kCount).ok());
  EXPECT_TRUE(s == old_y && t == old_x);
  EXPECT_EQ(x[7], 70007);
}

TEST(Executor, ManyProgramsTakeTurns) {
  // More than the executor keeps plans of.
  std::vector<LaneProgram> programs;
  for (int i = 0; i < 20; ++i) {
    LaneBuilder builder;
    const Lane x = builder.Input(LaneType::kS32);
    const Lane result = x * i + 1;
    programs.push_back(std::move(builder).Finish({&result, 1}));
  }
  BlockExecutor executor;
  std::int32_t x = 3, y = 0;
  const void* input = &x;
  void* output = &y;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(executor.Run(programs[i], {&input, 1}, {&output, 1}, 1).ok());
      EXPECT_EQ(y, 3 * i + 1);
    }
  }
}

TEST(Executor, NothingToDo) {
  LaneBuilder builder;
  const Lane x = builder.Input(LaneType::kF32);
  const LaneProgram program = std::move(builder).Finish({&x, 1});
  const void* input = nullptr;
  void* output = nullptr;
  EXPECT_TRUE(BlockExecutor().Run(program, {&input, 1}, {&output, 1}, 0).ok());
}

TEST(Executor, TypesThatAPrimitiveDoesNotHaveAreAnError) {
  LaneBuilder builder;
  const Lane x = builder.Input(LaneType::kS32);
  const Lane result = Sqrt(x);
  const LaneProgram program = std::move(builder).Finish({&result, 1});
  std::int32_t value = 4;
  const void* input = &value;
  void* output = &value;
  EXPECT_EQ(BlockExecutor().Run(program, {&input, 1}, {&output, 1}, 1).code(),
            StatusCode::kInternal);
}

TEST(Executor, FloatRemainderIsExact) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t a = random(), b = random();
    const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
    ASSERT_TRUE(SameBits(FloatRemainder(x, y), std::fmod(x, y))) << x << " " << y;
    const auto u = std::bit_cast<float>(static_cast<std::uint32_t>(a));
    const auto v = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    ASSERT_TRUE(SameBits(FloatRemainder(u, v), std::fmod(u, v))) << u << " " << v;
  }
}

}  // namespace
}  // namespace axle
