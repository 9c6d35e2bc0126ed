// Random distributions: the bits are the op's, and the numbers are in range and spread as they
// should be.
#include "axle/lib/prng.h"

#include <cmath>

#include "axle/lib/constants.h"
#include "axle/ops/random_bits.h"
#include "tests/lib/lib_test.h"

namespace axle {
namespace {

using Ops = std::vector<XlaOp>;

XlaOp Both(const RngOutput& output) {
  return Tuple(output.value.builder(), {output.value, output.state});
}

TEST(Prng, BitsAreThoseOfTheOp) {
  const Shape shape(F32, {3, 2});
  const auto of_op = [&](RandomAlgorithm algorithm, i64 words) {
    return [=](XlaBuilder& b, Ops p) {
      const XlaOp both = RngBitGenerator(algorithm, p[0], shape);
      XlaOp state = SliceInDim(GetTupleElement(both, 0), 1, 1 + words, 1, 0);
      if (words == 1) state = Reshape(state, {});
      return Tuple(&b, {GetTupleElement(both, 1), state});
    };
  };
  const std::string three_fry =
      Result([&](XlaBuilder&, Ops p) { return Both(ThreeFryBitGenerator(p[0], p[1], shape)); },
             {"u64[] 7", "u64[] 18446744073709551615"});
  EXPECT_EQ(three_fry,
            Result(of_op(RandomAlgorithm::kThreeFry, 1), {"u64[2] {7, 18446744073709551615}"}));
  EXPECT_EQ(three_fry.substr(0, 19), "(u32[3,2], u64[]) (");
  EXPECT_EQ(Result([&](XlaBuilder&, Ops p) { return Both(PhiloxBitGenerator(p[0], p[1], shape)); },
                   {"u64[] 7", "u64[2] {18446744073709551615, 5}"}),
            Result(of_op(RandomAlgorithm::kPhilox, 2), {"u64[3] {7, 18446744073709551615, 5}"}));
}

TEST(Prng, ScramblesKeys) {
  const auto words = PhiloxBlock(0x02461e293ec8f720, Counter128{42, 0});
  const auto join = [](std::uint64_t low, std::uint64_t high) { return low | high << 32; };
  EXPECT_EQ(Result(
                [](XlaBuilder& b, Ops p) {
                  const auto [state, key] = ScramblePhiloxKey(p[0]);
                  return Tuple(&b, {state, key});
                },
                {"u64[] 42"}),
            StrCat("(u64[2], u64[]) ( {0, ", join(words[2], words[3]), "}, ",
                   join(words[0], words[1]), " )"));
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return ScramblePhiloxKey(p[0]).first; }, {"u32[] 42"}),
            "scramble philox key: takes u64[]; operand u32[]");
}

// The numbers of a distribution as doubles.
std::vector<double> Sample(const std::function<RngOutput(XlaBuilder&, XlaOp, XlaOp)>& make) {
  XlaBuilder b("sample");
  const XlaOp key = ConstantR0<std::uint64_t>(&b, 3), state = ConstantR0<std::uint64_t>(&b, 1);
  const auto computation = b.Build(ConvertElementType(make(b, key, state).value, F64));
  EXPECT_TRUE(computation.ok()) << computation.status().message();
  if (!computation.ok()) return {};
  const auto result = Evaluate(computation->module(), std::vector<Literal>());
  EXPECT_TRUE(result.ok());
  if (!result.ok()) return {};
  return {result->data<double>().begin(), result->data<double>().end()};
}

struct Moments {
  double mean = 0, variance = 0, least = 1e300, greatest = -1e300;
};
Moments MomentsOf(const std::vector<double>& sample) {
  Moments m;
  const auto n = static_cast<double>(sample.size());
  for (double x : sample) {
    m.mean += x / n;
    m.least = std::min(m.least, x);
    m.greatest = std::max(m.greatest, x);
  }
  for (double x : sample) m.variance += (x - m.mean) * (x - m.mean) / n;
  return m;
}

TEST(Prng, UniformFloats) {
  for (PrimitiveType type : {F16, BF16, F32, F64}) {
    const Moments m = MomentsOf(Sample([&](XlaBuilder& b, XlaOp key, XlaOp state) {
      return UniformFloatingPointDistribution(
          key, state, ThreeFryBitGenerator, ConstantR0WithType(&b, type, -2),
          ConstantR0WithType(&b, type, 2), Shape(type, {64, 101}));
    }));
    EXPECT_GE(m.least, -2);
    EXPECT_LT(m.greatest, 2);
    EXPECT_NEAR(m.mean, 0, 0.05) << Name(type);
    EXPECT_NEAR(m.variance, 16.0 / 12, 0.05) << Name(type);
  }
}

TEST(Prng, UniformIntegers) {
  for (PrimitiveType type : {S8, U8, S32, U64, S64}) {
    const double low = IsSigned(type) ? -3 : 2;
    const Moments m = MomentsOf(Sample([&](XlaBuilder& b, XlaOp key, XlaOp state) {
      return UniformIntDistribution(key, state, ThreeFryBitGenerator,
                                    ConstantR0WithType(&b, type, low),
                                    ConstantR0WithType(&b, type, low + 8), Shape(type, {6000}));
    }));
    EXPECT_EQ(m.least, low);
    EXPECT_EQ(m.greatest, low + 7);
    EXPECT_NEAR(m.mean, low + 3.5, 0.1) << Name(type);
    EXPECT_NEAR(m.variance, 63.0 / 12, 0.2) << Name(type);
  }
}

TEST(Prng, NormalFloats) {
  for (PrimitiveType type : {F16, BF16, F32, F64}) {
    const std::vector<double> sample = Sample([&](XlaBuilder& b, XlaOp key, XlaOp) {
      const XlaOp state = ConstantR1<std::uint64_t>(&b, {0, 0});
      return NormalFloatingPointDistribution(key, state, PhiloxBitGenerator, Shape(type, {97, 83}));
    });
    EXPECT_EQ(sample.size(), 97u * 83);
    const Moments m = MomentsOf(sample);
    EXPECT_NEAR(m.mean, 0, 0.05) << Name(type);
    EXPECT_NEAR(m.variance, 1, 0.05) << Name(type);
    EXPECT_GT(m.greatest, 3);
    EXPECT_LT(m.greatest, 6);
  }
}

TEST(Prng, StatesFollow) {
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  const RngOutput first = NormalFloatingPointDistribution(
                      p[0], p[1], ThreeFryBitGenerator, Shape(F32, {5}));
                  return first.state;
                },
                {"u64[] 1", "u64[] 10"}),
            "u64[] 13");
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  return NormalFloatingPointDistribution(p[0], p[1], ThreeFryBitGenerator,
                                                         Shape(F32, {0}))
                      .value;
                },
                {"u64[] 1", "u64[] 10"}),
            "f32[0] {}");
}

TEST(Prng, MisuseIsAnError) {
  const auto uniform = [](const Shape& shape) {
    return [=](XlaBuilder&, Ops p) {
      return UniformFloatingPointDistribution(p[0], p[1], ThreeFryBitGenerator, p[2], p[2], shape)
          .value;
    };
  };
  const std::vector<std::string_view> arguments = {"u64[] 1", "u64[] 2", "f32[] 0"};
  EXPECT_EQ(Result(uniform(Shape(S32, {2})), arguments),
            "uniform distribution: makes f16, bf16, f32 or f64, not s32[2]");
  EXPECT_EQ(Result(uniform(Shape(F64, {2})), arguments),
            "uniform distribution: minval and maxval must be f64[]; minval, maxval f32[], f32[]");
  EXPECT_EQ(Result(uniform(Shape(F32, {-2})), arguments),
            "size of dimension 0 is -2, must be >= 0");
  const auto normal = [&](const Shape& shape) {
    return Result(
        [&](XlaBuilder&, Ops p) {
          return NormalFloatingPointDistribution(p[0], p[1], ThreeFryBitGenerator, shape).value;
        },
        {"u64[] 1", "u64[] 2"});
  };
  EXPECT_EQ(normal(Shape(S4, {2})), "normal distribution: makes f16, bf16, f32 or f64, not s4[2]");
  EXPECT_EQ(normal(Shape(F32, {-2})), "size of dimension 0 is -2, must be >= 0");
  EXPECT_EQ(normal(Shape(F32, {INT64_MAX})),
            "shape f32[9223372036854775807] has too many elements");
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  return UniformIntDistribution(p[0], p[1], ThreeFryBitGenerator, p[2], p[2],
                                                Shape(S4, {2}))
                      .value;
                },
                {"u64[] 1", "u64[] 2", "s4[] 0"}),
            "uniform integer distribution: makes integers of at least 8 bits, not s4[2]");
  EXPECT_EQ(Result([](XlaBuilder&,
                      Ops p) { return PhiloxBitGenerator(p[0], p[1], Shape(F32, {2})).value; },
                   {"u64[] 1", "u64[] 2"}),
            "philox: takes a key u64[] and a state u64[2]; key u64[], state u64[]");
  // Without a place: that of the caller is not known, and no other is of use.
  XlaBuilder b("misuse");
  ThreeFryBitGenerator(Zero(&b, U64), Zero(&b, F32), Shape(F32));
  EXPECT_EQ(b.first_error().message(),
            "threefry: takes a key u64[] and a state u64[]; key u64[], state f32[]");
  const RngOutput none = ThreeFryBitGenerator(XlaOp(), XlaOp(), Shape(F32));
  EXPECT_EQ(none.value, XlaOp());
}

}  // namespace
}  // namespace axle
