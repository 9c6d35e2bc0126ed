// Rows divided by one number each, against the processor's division: factors of the same divisor
// that are hard to round, and every class of operand for which there is another way.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "tests/codegen/isas.h"

namespace axle {
namespace {

using Parameter = std::tuple<NativeIsa, int>;  // and the codegen level

class UniformQuotientTest : public testing::TestWithParam<Parameter> {
 protected:
  void SetUp() override { AXLE_SKIP_UNLESS_IT_RUNS(std::get<0>(GetParam())); }

  static Literal Run(const std::string& text, const std::vector<Literal>& arguments) {
    const auto& [isa, level] = GetParam();
    const auto client = Client::Create();
    if (!client.ok()) return {};
    const auto executable = (*client)->Compile(
        text, {.engine = EngineKind::kNative, .isa = isa, .codegen_level = level});
    EXPECT_TRUE(executable.ok()) << executable.status().message();
    if (!executable.ok()) return {};
    auto result = (*executable)->Execute(arguments);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? *std::move(result) : Literal();
  }
};

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <typename T>
constexpr int kFractionBits = std::numeric_limits<T>::digits - 1;

template <typename T>
bool Same(T a, T b) {
  return std::bit_cast<BitsOf<T>>(a) == std::bit_cast<BitsOf<T>>(b) || (a != a && b != b);
}

// A fraction near 1, near 2, or anywhere between, times 2^(-spread to spread).
template <typename T>
T Number(std::mt19937_64& random, int spread) {
  const std::uint64_t all = (std::uint64_t{1} << kFractionBits<T>)-1;
  std::uint64_t fraction = random() & all;
  if (random() % 3 == 0) fraction &= 31;
  if (random() % 3 == 0) fraction |= all - 31;
  const T one_to_two = 1 + std::ldexp(static_cast<T>(fraction), -kFractionBits<T>);
  return std::ldexp(one_to_two, static_cast<int>(random() % (2 * spread + 1)) - spread);
}

// Divisors: most within the range of the fast way, some beyond it, and the special ones.
template <typename T>
std::vector<T> Divisors(std::mt19937_64& random, size_t count) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> divisors = {1,
                             -1,
                             0,
                             T(-0.0),
                             Limits::infinity(),
                             Limits::quiet_NaN(),
                             2,
                             3,
                             7,
                             T(10),
                             Limits::max(),
                             Limits::min(),
                             T(1) / 3,
                             Limits::denorm_min(),
                             T(-7),
                             Limits::epsilon()};
  for (const int power : {23, 24, 25, 99, 100, 101}) {
    for (const int sign : {-1, 1}) {
      const T edge = std::ldexp(T(1), sign * power);
      divisors.insert(divisors.end(),
                      {edge, std::nextafter(edge, T(0)), std::nextafter(edge, 2 * edge)});
    }
  }
  while (divisors.size() < count) divisors.push_back(Number<T>(random, 30));
  return divisors;
}

// Dividends: quotients next to the middle of two numbers, random ones, the ends of the range, and,
// in some rows, zeros, infinities, NaNs and subnormals.
template <typename T>
void FillRow(std::mt19937_64& random, T divisor, size_t row, std::span<T> dividends) {
  using Limits = std::numeric_limits<T>;
  const int power = sizeof(T) == 4 ? 101 : 900;
  const T edge = std::ldexp(T(1), power), special[] = {0,
                                                       T(-0.0),
                                                       Limits::infinity(),
                                                       -Limits::infinity(),
                                                       Limits::quiet_NaN(),
                                                       Limits::denorm_min(),
                                                       Limits::max(),
                                                       Limits::min(),
                                                       edge,
                                                       std::nextafter(edge, T(0)),
                                                       1 / edge,
                                                       std::nextafter(1 / edge, T(0)),
                                                       -std::nextafter(1 / edge, T(1))};
  for (size_t i = 0; i < dividends.size(); ++i) {
    const T x = Number<T>(random, 3);
    const long double middle =
        static_cast<long double>(x) * (1 + std::ldexp(1.0L, -kFractionBits<T> - 1));
    dividends[i] = random() % 2 == 0 ? x : static_cast<T>(middle * divisor);
    if (random() % 2 == 0) dividends[i] = -dividends[i];
    if (row % 3 == 1 && random() % 40 == 0) dividends[i] = special[random() % std::size(special)];
    if (row % 3 == 2 && random() % 2 == 0) dividends[i] = special[random() % 2];
  }
}

template <typename T>
struct Rows {
  Rows(size_t rows, size_t columns) : columns(columns), dividends(rows * columns) {
    std::mt19937_64 random(rows * 131 + columns);
    divisors = Divisors<T>(random, rows);
    divisors.resize(rows);
    for (size_t r = 0; r < rows; ++r) {
      FillRow<T>(random, divisors[r], r, std::span(dividends).subspan(r * columns, columns));
    }
  }
  std::vector<Literal> Arguments(ElementType type) const {
    const auto literal = [&](const std::vector<T>& values, const Dims& dims) {
      Literal made{Shape(type, dims)};
      std::ranges::copy(values, made.mutable_data<T>().begin());
      return made;
    };
    const auto rows = static_cast<i64>(divisors.size());
    return {literal(dividends, {rows, static_cast<i64>(columns)}), literal(divisors, {rows})};
  }
  size_t columns;
  std::vector<T> dividends, divisors;
};

template <typename T>
void CheckRows(ElementType type, size_t rows, size_t columns, const auto& run) {
  const Rows<T> in(rows, columns);
  const std::string name = type == F32 ? "f32" : "f64";
  const std::string all = StrCat(name, "[", rows, ",", columns, "]");
  const Literal result =
      run(StrCat("ENTRY e {\n  x = ", all, " parameter(0)\n  y = ", name, "[", rows,
                 "] parameter(1)\n  yb = ", all, " broadcast(y), dimensions={0}\n  ROOT q = ", all,
                 " divide(x, yb)\n}\n"),
          in.Arguments(type));
  const std::span<const T> quotients = result.data<T>();
  ASSERT_EQ(quotients.size(), in.dividends.size());
  for (size_t i = 0; i < quotients.size(); ++i) {
    const T x = in.dividends[i], y = in.divisors[i / columns];
    ASSERT_TRUE(Same(quotients[i], x / y)) << x << " / " << y << ": " << quotients[i] << ", not "
                                           << x / y << ", column " << i % columns;
  }
}

TEST_P(UniformQuotientTest, OfManyRows) {
  CheckRows<float>(F32, 3001, 500, Run);
  CheckRows<double>(F64, 3001, 500, Run);
}

TEST_P(UniformQuotientTest, OfRowsOfAnyLength) {
  for (const size_t columns : {1, 2, 15, 16, 17, 63, 64, 65, 127, 131}) {
    CheckRows<float>(F32, 67, columns, Run);
    CheckRows<double>(F64, 67, columns, Run);
  }
}

// Several divisors in one loop, one of them a constant, and a sum of what comes out.
TEST_P(UniformQuotientTest, InTheMiddleOfALoop) {
  const Rows<float> in(67, 300);
  const std::string text =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "ENTRY e {\n  x = f32[67,300] parameter(0)\n  y = f32[67] parameter(1)\n"
      "  yb = f32[67,300] broadcast(y), dimensions={0}\n  z = f32[67] abs(y)\n"
      "  zb = f32[67,300] broadcast(z), dimensions={0}\n  c = f32[] constant(3)\n"
      "  cb = f32[67,300] broadcast(c), dimensions={}\n  p = f32[67,300] divide(x, yb)\n"
      "  q = f32[67,300] add(p, x)\n  s = f32[67,300] divide(q, zb)\n"
      "  t = f32[67,300] divide(s, cb)\n  zero = f32[] constant(0)\n"
      "  u = f32[67] reduce(t, zero), dimensions={1}, to_apply=add\n"
      "  v = f32[300] reduce(p, zero), dimensions={0}, to_apply=add\n"
      "  ROOT r = (f32[67,300], f32[67], f32[300]) tuple(t, u, v)\n}\n";
  const auto client = Client::Create();
  ASSERT_TRUE(client.ok());
  const auto reference = (*client)->Compile(text, {.engine = EngineKind::kInterpret});
  ASSERT_TRUE(reference.ok()) << reference.status().message();
  const auto expected = (*reference)->Execute(in.Arguments(F32));
  ASSERT_TRUE(expected.ok());
  const auto difference = FirstDifference(*expected, Run(text, in.Arguments(F32)));
  EXPECT_FALSE(difference) << difference->ToString();
}

std::string NameOf(const testing::TestParamInfo<Parameter>& info) {
  const auto& [isa, level] = info.param;
  return StrCat(isa == NativeIsa::kAvx512 ? "avx512" : "avx2", "_level", level);
}

INSTANTIATE_TEST_SUITE_P(Targets, UniformQuotientTest,
                         testing::Combine(testing::Values(NativeIsa::kAvx2, NativeIsa::kAvx512),
                                          testing::Values(0, 1, 2)),
                         NameOf);

}  // namespace
}  // namespace axle
