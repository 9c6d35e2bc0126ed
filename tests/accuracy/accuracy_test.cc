// Every function of floats against its row's promise, and the promise against N3: at most 1.5 ulp
// in f32 and 2 ulp in f64. A sample of all f32 here; all of them are axle_accuracy's job
// (docs/accuracy.md).
#include "tests/accuracy/accuracy.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>

#include "axle/ops/op_def.h"

namespace axle {

void PrintTo(const UnaryFunction& function, std::ostream* out) {
  *out << function.op;
}
void PrintTo(const BinaryFunction& function, std::ostream* out) {
  *out << function.op;
}

namespace {

struct Promise {
  double f32 = 0.5, f64 = 0.5;
};

// "<= 1.0 ulp f32, <= 1.0 ulp f64", or "correctly rounded".
Promise PromiseOf(std::string_view op) {
  const std::string accuracy(FindOpDef(op)->accuracy);
  Promise promise;
  if (accuracy.starts_with("correctly rounded")) return promise;
  const int fields =
      std::sscanf(accuracy.c_str(), "<= %lf ulp f32, <= %lf ulp f64", &promise.f32, &promise.f64);
  EXPECT_EQ(fields, 2) << op << ": " << accuracy;
  return promise;
}

template <typename T>
void ExpectWithin(const Worst& worst, double promise) {
  char text[160];
  std::snprintf(text, sizeof text, "%.4f ulp at (%a, %a): %a", worst.ulp, worst.x, worst.y,
                worst.actual);
  EXPECT_LE(worst.ulp, promise) << text;
  EXPECT_LE(promise, (std::is_same_v<T, float> ? 1.5 : 2)) << "N3";
}

class AccuracyTest : public testing::TestWithParam<UnaryFunction> {};

TEST_P(AccuracyTest, RowDefinesTheFunctionMeasured) {
  EXPECT_EQ(ProgramOfRow(GetParam().op, F32, 1), ProgramOf(GetParam().lane, LaneType::kF32));
  EXPECT_EQ(ProgramOfRow(GetParam().op, F64, 1), ProgramOf(GetParam().lane, LaneType::kF64));
}

TEST_P(AccuracyTest, ReferencesAreNearlyExact) {
  Random random(2);
  for (int i = 0; i < 3000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random.Next());
    const double value = RandomDouble(random);
    for (float x : {std::bit_cast<float>(bits), static_cast<float>(value)}) {
      ASSERT_LE(ReferenceUlpError(GetParam(), x), 1e-6) << x;
    }
    ASSERT_LE(ReferenceUlpError(GetParam(), value), 0.01) << value;
  }
}

TEST_P(AccuracyTest, F32) {
  Measurement<float> measurement(GetParam());
  measurement.Run(InterestingValues<float>());
  constexpr std::uint64_t kStride = 509, kEnd = std::uint64_t{1} << 32;
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits < kEnd;) {
    for (x.clear(); x.size() < 65536 && bits < kEnd; bits += kStride) {
      x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    }
    measurement.Run(x);
  }
  ExpectWithin<float>(measurement.worst(), PromiseOf(GetParam().op).f32);
}

TEST_P(AccuracyTest, F64) {
  Measurement<double> measurement(GetParam());
  measurement.Run(InterestingValues<double>());
  Random random(1);
  std::vector<double> x(300'000);
  for (double& value : x) value = RandomDouble(random);
  measurement.Run(x);
  ExpectWithin<double>(measurement.worst(), PromiseOf(GetParam().op).f64);
}

// f32 inside, rounded once (N2), so hardly more than half an ulp.
TEST_P(AccuracyTest, NarrowFloatsAreRoundedOnce) {
  for (ElementType type : {BF16, F16}) {
    EXPECT_LE(MeasureNarrow(GetParam(), type).ulp, 0.501) << Name(type);
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, AccuracyTest, testing::ValuesIn(UnaryFunctions()),
                         [](const auto& info) {
                           std::string name(info.param.op);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

template <typename T>
Worst MeasurePairs(const BinaryFunction& function, PairMaker<T> make_pair, int num_pairs) {
  Measurement<T> measurement(function);
  std::vector<T> x, y;
  for (T first : SpecialValues<T>()) {
    for (T second : SpecialValues<T>()) {
      x.push_back(first);
      y.push_back(second);
    }
  }
  Random random(1);
  for (int i = 0; i < num_pairs; ++i) {
    x.emplace_back();
    y.emplace_back();
    make_pair(random, x.back(), y.back());
  }
  measurement.Run(x, y);
  return measurement.worst();
}

class PairAccuracyTest : public testing::TestWithParam<BinaryFunction> {};

TEST_P(PairAccuracyTest, F32) {
  const Worst worst = MeasurePairs<float>(GetParam(), GetParam().f32_pair, 2'000'000);
  ExpectWithin<float>(worst, PromiseOf(GetParam().op).f32);
}
TEST_P(PairAccuracyTest, F64) {
  const Worst worst = MeasurePairs<double>(GetParam(), GetParam().f64_pair, 500'000);
  ExpectWithin<double>(worst, PromiseOf(GetParam().op).f64);
}
TEST_P(PairAccuracyTest, RowDefinesTheFunctionMeasured) {
  EXPECT_EQ(ProgramOfRow(GetParam().op, F32, 2), ProgramOf(GetParam().lane, LaneType::kF32));
  EXPECT_EQ(ProgramOfRow(GetParam().op, F64, 2), ProgramOf(GetParam().lane, LaneType::kF64));
}

INSTANTIATE_TEST_SUITE_P(Functions, PairAccuracyTest, testing::ValuesIn(BinaryFunctions()),
                         [](const auto& info) { return std::string(info.param.op); });

// x^y by repeated multiplication, with the rules for negative exponents.
template <typename T>
T NaivePower(T x, T y) {
  if (y < 0) {
    if (x == 1) return 1;
    if (x == static_cast<T>(-1)) return y % 2 != 0 ? -1 : 1;
    return 0;
  }
  T result = 1;
  for (int i = 0; i < y; ++i)
    result = static_cast<T>(static_cast<unsigned>(result) * static_cast<unsigned>(x));
  return result;
}

template <typename T>
void ExpectIntegerPowers(LaneType type) {
  std::vector<T> x(65536), y(65536), result(65536);
  for (int i = 0; i < 65536; ++i) {
    x[i] = static_cast<T>(i >> 8);
    y[i] = static_cast<T>(i);
  }
  const void* const inputs[] = {x.data(), y.data()};
  void* const output = result.data();
  BlockExecutor executor;
  ASSERT_TRUE(executor.Run(ProgramOf(IntegerPower, type), inputs, {&output, 1}, 65536).ok());
  for (int i = 0; i < 65536; ++i) {
    ASSERT_EQ(result[i], NaivePower(x[i], y[i])) << +x[i] << " ^ " << +y[i];
  }
}

TEST(IntegerPower, AllPairsOfBytes) {
  ExpectIntegerPowers<std::int8_t>(LaneType::kS8);
  ExpectIntegerPowers<std::uint8_t>(LaneType::kU8);
}

TEST(IntegerPower, LargeExponentsAreExactModulo2ToTheN) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  const std::uint64_t x[] = {3, 3, 0, 2, 2, 0xffffffffffffffff, 5};
  const std::uint64_t y[] = {kTop, kTop + 1, kTop, 63, 64, kTop + 1, 0x123456789abcdef0};
  // Odd numbers to the power of 2^62 are 1; the last from Python's pow(5, 0x123456789abcdef0,
  // 2**64).
  const std::uint64_t expected[] = {1, 3, 0, kTop, 0, 0xffffffffffffffff, 0xfe273e464d78a441};
  std::uint64_t result[7];
  const void* const inputs[] = {x, y};
  void* const output = result;
  BlockExecutor executor;
  ASSERT_TRUE(executor.Run(ProgramOf(IntegerPower, LaneType::kU64), inputs, {&output, 1}, 7).ok());
  for (int i = 0; i < 7; ++i) EXPECT_EQ(result[i], expected[i]) << i;
}

TEST(UlpError, CountsSpacingsAtTheExactValue) {
  const float one_up = std::nextafter(1.0f, 2.0f), least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(UlpError(one_up, 1.0), 1);
  EXPECT_EQ(UlpError(1.0f, 1 - 0x1p-24), 1);  // the spacing below 1
  EXPECT_EQ(UlpError(0.0f, 0x1p-149), 1);
  EXPECT_EQ(UlpError(least, 0x1p-150), 0.5);
  EXPECT_EQ(UlpError(std::numeric_limits<float>::infinity(), 0x1.fffffep127), 1);
  EXPECT_EQ(UlpError(std::numeric_limits<float>::max(), 1e300), 1);
  EXPECT_EQ(UlpError(-0.0f, 0.0), INFINITY);
  EXPECT_EQ(UlpError(1.0f, static_cast<double>(NAN)), INFINITY);
}

}  // namespace
}  // namespace axle
