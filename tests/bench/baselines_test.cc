// The hand-written kernels that benchmarks compare with compute what they say, in each instruction
// set of this machine.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "bench/baselines/scalar_loops.h"
#include "bench/baselines/vector_kernels.h"

namespace axle::baselines {
namespace {

constexpr long kRows = 64, kColumns = 192, kSize = kRows * kColumns;

std::vector<const VectorKernels*> All() {
  std::vector<const VectorKernels*> all;
  for (const char* isa : {"avx2", "avx512"}) {
    if (const VectorKernels* kernels = VectorKernelsOf(isa)) all.push_back(kernels);
  }
  return all;
}

// Kernels store to aligned memory.
struct alignas(64) Floats {
  float values[kSize];
};

std::vector<Floats> Numbers(float low, float high) {
  std::vector<Floats> numbers(1);
  unsigned state = 1;
  for (float& x : numbers[0].values) {
    state = state * 1664525U + 1013904223U;
    x = low + (high - low) * static_cast<float>(state >> 8) / 16777216.0F;
  }
  return numbers;
}

// In units of the last place of the f32 nearest to `expected`.
double Ulps(float got, double expected) {
  int exponent = 0;
  std::frexp(expected, &exponent);
  return std::fabs(got - expected) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

void ExpectFunction(void (*kernel)(const float*, float*, long), float low, float high, double bound,
                    const std::function<double(double)>& exact) {
  const auto x = Numbers(low, high);
  std::vector<Floats> out(1);
  kernel(x[0].values, out[0].values, kSize);
  double worst = 0;
  for (long i = 0; i < kSize; ++i) {
    worst = std::max(worst, Ulps(out[0].values[i], exact(x[0].values[i])));
  }
  EXPECT_LT(worst, bound);
  EXPECT_GT(worst, 0.1);  // the function was called
}

TEST(Baselines, Functions) {
  for (const VectorKernels* kernels : All()) {
    SCOPED_TRACE(kernels->isa);
    const auto exp = [](double x) { return std::exp(x); };
    const auto tanh = [](double x) { return std::tanh(x); };
    ExpectFunction(kernels->exp, -80, 80, 1.5, exp);
    ExpectFunction(kernels->exp, -1, 1, 1.5, exp);
    for (const float range : {0.1F, 0.7F, 3.0F, 20.0F}) {
      ExpectFunction(kernels->tanh, -range, range, 1.5, tanh);
    }
    // 1 + tanh cancels for negative x, whoever computes it.
    ExpectFunction(kernels->gelu, 0, 5, 4, [](double x) {
      return 0.5 * x *
             (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
    });
  }
}

TEST(Baselines, Rows) {
  const auto x = Numbers(-2, 2);
  for (const VectorKernels* kernels : All()) {
    SCOPED_TRACE(kernels->isa);
    std::vector<Floats> softmax(1), norm(1), sums(1), columns(1);
    kernels->softmax(x[0].values, softmax[0].values, kRows, kColumns);
    kernels->layer_norm(x[0].values, norm[0].values, kRows, kColumns);
    kernels->row_sums(x[0].values, sums[0].values, kRows, kColumns);
    kernels->column_sums(x[0].values, columns[0].values, kRows, kColumns);
    for (long r = 0; r < kRows; ++r) {
      const float* row = x[0].values + r * kColumns;
      double sum = 0, squares = 0, exponentials = 0;
      for (long c = 0; c < kColumns; ++c) {
        sum += row[c];
        exponentials += std::exp(static_cast<double>(row[c]));
      }
      const double mean = sum / kColumns;
      for (long c = 0; c < kColumns; ++c) squares += (row[c] - mean) * (row[c] - mean);
      EXPECT_NEAR(sums[0].values[r], sum, 1e-4);
      for (long c = 0; c < kColumns; ++c) {
        const long i = r * kColumns + c;
        ASSERT_NEAR(softmax[0].values[i], std::exp(row[c]) / exponentials, 1e-7);
        ASSERT_NEAR(norm[0].values[i], (row[c] - mean) / std::sqrt(squares / kColumns + 1e-5),
                    1e-5);
      }
    }
    for (long c = 0; c < kColumns; ++c) {
      double sum = 0;
      for (long r = 0; r < kRows; ++r) sum += x[0].values[r * kColumns + c];
      ASSERT_NEAR(columns[0].values[c], sum, 1e-4);
    }
  }
}

TEST(Baselines, Movement) {
  const auto x = Numbers(-2, 2), y = Numbers(3, 7);
  for (const VectorKernels* kernels : All()) {
    SCOPED_TRACE(kernels->isa);
    std::vector<Floats> turned(1), copied(1), sum(1);
    kernels->transpose(x[0].values, turned[0].values, kRows, kColumns);
    kernels->copy(x[0].values, copied[0].values, kSize);
    kernels->triad(x[0].values, y[0].values, sum[0].values, kSize);
    for (long r = 0; r < kRows; ++r) {
      for (long c = 0; c < kColumns; ++c) {
        const long i = r * kColumns + c;
        ASSERT_EQ(turned[0].values[c * kRows + r], x[0].values[i]);
        ASSERT_EQ(copied[0].values[i], x[0].values[i]);
        ASSERT_EQ(sum[0].values[i], x[0].values[i] + 0.5F * y[0].values[i]);
      }
    }
  }
}

TEST(Baselines, Conversions) {
  auto x = Numbers(-1000, 1000);
  const float infinity = std::numeric_limits<float>::infinity();
  const float special[] = {
      0.0F,   -0.0F,   infinity,    -infinity,  std::nanf(""),
      1e-40F, 3.4e38F, 1.00390625F, 1.01171875F};  // two ties, one up and one down
  std::memcpy(x[0].values, special, sizeof(special));
  for (const VectorKernels* kernels : All()) {
    SCOPED_TRACE(kernels->isa);
    std::vector<Bf16> narrow(kSize);
    std::vector<Floats> wide(1);
    kernels->f32_to_bf16(x[0].values, narrow.data(), kSize);
    kernels->bf16_to_f32(narrow.data(), wide[0].values, kSize);
    EXPECT_EQ(narrow[0], 0x0000);
    EXPECT_EQ(narrow[1], 0x8000);
    EXPECT_EQ(narrow[2], 0x7f80);
    EXPECT_EQ(narrow[3], 0xff80);
    EXPECT_TRUE(std::isnan(wide[0].values[4]));
    EXPECT_EQ(narrow[5], 0x0001);  // 1e-40 is 0.00109 x 2^-126, and the last bit 2^-133
    EXPECT_EQ(narrow[6], 0x7f80);
    EXPECT_EQ(wide[0].values[7], 1.0F);
    EXPECT_EQ(wide[0].values[8], 1.015625F);
    for (long i = 9; i < kSize; ++i) {
      const double step = std::ldexp(1.0, std::ilogb(x[0].values[i]) - 7);
      ASSERT_LE(std::fabs(wide[0].values[i] - x[0].values[i]), step / 2);
    }
    std::vector<std::int8_t> bytes(kSize);
    for (long i = 0; i < kSize; ++i) bytes[i] = static_cast<std::int8_t>(i * 37);
    kernels->s8_to_f32(bytes.data(), wide[0].values, kSize);
    for (long i = 0; i < kSize; ++i) ASSERT_EQ(wide[0].values[i], static_cast<float>(bytes[i]));
  }
}

TEST(Baselines, Loops) {
  EXPECT_NEAR(Newton(2, 20), std::sqrt(2.0F), 1e-6);
  EXPECT_EQ(Count(1000), 1000);
  const float state[3] = {1, 2, 3}, rows[6] = {0.5F, 0.25F, 1, 0, 1, 2};
  float last[3], states[6];
  Scan3(state, rows, last, states, 2);
  EXPECT_FLOAT_EQ(states[0], 0.9F * 1 + 0.5F);
  EXPECT_FLOAT_EQ(states[1], 0.7F * 2 + 1 * 0.25F);
  EXPECT_FLOAT_EQ(states[2], 0.5F * 3 + 2 * 1);
  EXPECT_FLOAT_EQ(states[3], 0.9F * states[0]);
  EXPECT_EQ(last[2], states[5]);
  double identity[36] = {}, out[36];
  for (int i = 0; i < 6; ++i) identity[7 * i] = 1;
  Chain6(identity, out, 2);
  for (int i = 0; i < 36; ++i) EXPECT_NEAR(out[i], identity[i] * 0.16, 1e-15);
}

}  // namespace
}  // namespace axle::baselines
