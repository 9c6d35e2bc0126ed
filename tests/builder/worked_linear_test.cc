// Worked examples of XLA's batch normalisation, linear algebra, Fourier transforms and
// random numbers.
#include "tests/builder/worked.h"

namespace axle {
namespace {

using O = XlaOp;

bool Refused(const std::string& text) {
  return text.starts_with("INVALID_ARGUMENT:");
}

// --- batch normalisation ------------------------------------------------------------------------

constexpr std::string_view kX = "f32[2,2] {{1,2},{3,4}}";
constexpr std::string_view kOnes = "f32[2] {1,1}", kZeros = "f32[2] {0,0}";

TEST(WorkedBatchNorm, Training) {
  const auto norm = [](O x, O scale, O offset) {
    return BatchNormTraining(x, scale, offset, 0, 1);
  };
  EXPECT_EQ(ResultOf(norm, kX, kOnes, kZeros),
            "(f32[2,2],f32[2],f32[2]) ({{-1,-1},{1,1}},{2,3},{1,1})");
  EXPECT_EQ(ResultOf(norm, kX, "f32[2] {2,3}", kOnes),
            "(f32[2,2],f32[2],f32[2]) ({{-1,-2},{3,4}},{2,3},{1,1})");
  EXPECT_EQ(ResultOf(norm, "f32[0,2] {}", kOnes, kZeros),
            "(f32[0,2],f32[2],f32[2]) ({},{nan,nan},{nan,nan})");
  EXPECT_TRUE(Refused(ShapeOf(norm, "s32[2,2]", "s32[2]", "s32[2]")));
  EXPECT_TRUE(Refused(ShapeOf(norm, "f32[2,2]", "f32[3]", "f32[3]")));
}

TEST(WorkedBatchNorm, Inference) {
  const auto norm = [](O x, O scale, O offset, O mean, O variance) {
    return BatchNormInference(x, scale, offset, mean, variance, 0, 1);
  };
  EXPECT_EQ(ResultOf(norm, kX, kOnes, kZeros, "f32[2] {2,3}", kOnes), "f32[2,2] {{-1,-1},{1,1}}");
  EXPECT_EQ(ResultOf(norm, kX, "f32[2] {2,3}", kOnes, "f32[2] {2,3}", kOnes),
            "f32[2,2] {{-1,-2},{3,4}}");
}

TEST(WorkedBatchNorm, Grad) {
  const auto grad = [](O x, O scale, O mean, O variance, O gradient) {
    return BatchNormGrad(x, scale, mean, variance, gradient, 0, 1);
  };
  EXPECT_EQ(ResultOf(grad, kX, kOnes, "f32[2] {2,3}", kOnes, "f32[2,2] {{1,0},{0,0}}"),
            "(f32[2,2],f32[2],f32[2]) ({{0,0},{0,0}},{-1,0},{1,0})");
  EXPECT_TRUE(Refused(ShapeOf(grad, "f32[2,2]", "f32[2]", "f32[2]", "f32[2]", "f32[2,3]")));
}

// --- linear algebra -----------------------------------------------------------------------------

TEST(WorkedLinear, Cholesky) {
  const auto cholesky = [](bool lower) { return [lower](O a) { return Cholesky(a, lower); }; };
  EXPECT_EQ(ResultOf(cholesky(true), "f32[2,2] {{4,2},{2,5}}"), "f32[2,2] {{2,0},{1,2}}");
  EXPECT_EQ(ResultOf(cholesky(false), "f32[2,2] {{4,2},{2,5}}"), "f32[2,2] {{2,1},{0,2}}");
  EXPECT_EQ(ResultOf(cholesky(true), "f32[2,2] {{1,2},{2,1}}"), "f32[2,2] {{nan,nan},{nan,nan}}");
  EXPECT_EQ(ResultOf(cholesky(true), "f32[1,1] {{0}}"), "f32[1,1] {{0}}");
  EXPECT_EQ(ResultOf(cholesky(true), "f32[2,2] {{0,0},{0,1}}"), "f32[2,2] {{nan,nan},{nan,nan}}");
  // The other triangle is not read.
  EXPECT_EQ(ResultOf(cholesky(true), "f32[2,2] {{4,nan},{2,5}}"), "f32[2,2] {{2,0},{1,2}}");
  EXPECT_EQ(ResultOf(cholesky(true), "c64[2,2] {{(4,0),(0,-2)},{(0,2),(5,0)}}"),
            "c64[2,2] {{(2,0),(0,0)},{(0,1),(2,0)}}");
  EXPECT_EQ(ResultOf(cholesky(true), "c64[1,1] {{(-1,0)}}"), "c64[1,1] {{(nan,0)}}");
  EXPECT_TRUE(Refused(ShapeOf(cholesky(true), "f32[2,3]")));
  EXPECT_TRUE(Refused(ShapeOf(cholesky(true), "f32[2]")));
}

TEST(WorkedLinear, TriangularSolve) {
  const auto solve = [](bool left, bool lower, TransposeOption transpose, bool unit = false) {
    return [=](O a, O b) { return TriangularSolve(a, b, left, lower, unit, transpose); };
  };
  const auto plain = TransposeOption::kNoTranspose, transposed = TransposeOption::kTranspose;
  EXPECT_EQ(ResultOf(solve(true, true, plain), "f32[2,2] {{2,9},{1,4}}", "f32[2,1] {{2},{9}}"),
            "f32[2,1] {{1},{2}}");
  EXPECT_EQ(ResultOf(solve(true, true, transposed), "f32[2,2] {{2,9},{1,4}}", "f32[2,1] {{4},{8}}"),
            "f32[2,1] {{1},{2}}");
  EXPECT_EQ(ResultOf(solve(false, true, plain), "f32[2,2] {{2,9},{1,4}}", "f32[1,2] {{4,8}}"),
            "f32[1,2] {{1,2}}");
  EXPECT_EQ(ResultOf(solve(true, true, plain), "f32[2,2] {{0,0},{1,4}}", "f32[2,1] {{2},{9}}"),
            "f32[2,1] {{inf},{-inf}}");
  EXPECT_EQ(
      ResultOf(solve(true, true, plain, true), "f32[2,2] {{nan,0},{1,nan}}", "f32[2,1] {{2},{9}}"),
      "f32[2,1] {{2},{7}}");
  EXPECT_TRUE(Refused(ShapeOf(solve(true, true, plain), "f32[2,2]", "f32[3,1]")));
}

// --- Fourier transforms -------------------------------------------------------------------------

TEST(WorkedLinear, Fft) {
  const auto fft = [](FftType type, i64 length) {
    return [=](O x) { return Fft(x, type, {length}); };
  };
  EXPECT_EQ(ResultOf(fft(FftType::kFft, 4), "c64[4] {(1,0),(2,0),(3,0),(4,0)}"),
            "c64[4] {(10,0),(-2,2),(-2,0),(-2,-2)}");
  EXPECT_EQ(ResultOf(fft(FftType::kIfft, 4), "c64[4] {(10,0),(-2,2),(-2,0),(-2,-2)}"),
            "c64[4] {(1,0),(2,0),(3,0),(4,0)}");
  EXPECT_EQ(ResultOf(fft(FftType::kRfft, 4), "f32[4] {1,2,3,4}"), "c64[3] {(10,0),(-2,2),(-2,0)}");
  EXPECT_EQ(ResultOf(fft(FftType::kIrfft, 4), "c64[3] {(10,0),(-2,2),(-2,0)}"), "f32[4] {1,2,3,4}");
  EXPECT_EQ(ResultOf(fft(FftType::kIrfft, 4), "c64[3] {(10,7),(-2,2),(-2,8)}"), "f32[4] {1,2,3,4}");
  EXPECT_EQ(ShapeOf(fft(FftType::kRfft, 16), "f32[16]"), "c64[9]");
  EXPECT_EQ(ShapeOf(fft(FftType::kRfft, 17), "f32[17]"), "c64[9]");
  EXPECT_TRUE(Refused(ShapeOf(fft(FftType::kFft, 3), "c64[4]")));
  EXPECT_TRUE(Refused(ShapeOf(fft(FftType::kFft, 4), "f32[4]")));
}

// Bins of a period of five in sixteen and seventeen numbers, to 1e-5.
TEST(WorkedLinear, RfftOfEvenAndOddLengths) {
  const auto bin = [](i64 length, i64 k, float re, float im) {
    const auto near = [=](XlaBuilder* b) {
      const O x = ConvertElementType(Rem(Iota(b, S32, length), ConstantR0(b, 5)), F32);
      const O spectrum = Reshape(Slice(Fft(x, FftType::kRfft, {length}), {k}, {k + 1}), {});
      const O expected = Complex(ConstantR0(b, re), ConstantR0(b, im));
      return Lt(Abs(spectrum - expected), ConstantR0(b, 1e-5f));
    };
    return ResultOf(near) == "pred[] true";
  };
  EXPECT_TRUE(bin(16, 0, 30, 0));
  EXPECT_TRUE(bin(16, 3, -13.068348f, 3.2483025f));
  EXPECT_TRUE(bin(16, 8, 2, 0));
  EXPECT_FALSE(bin(16, 8, 2.001f, 0));
  EXPECT_TRUE(bin(17, 0, 31, 0));
  EXPECT_TRUE(bin(17, 3, -11.5342655f, -3.6303856f));
  EXPECT_TRUE(bin(17, 8, -1.0946993f, 0.5992601f));
}

// --- random numbers -----------------------------------------------------------------------------

auto Bits(RandomAlgorithm algorithm, const Shape& shape) {
  return [=](O state) { return RngBitGenerator(algorithm, state, shape); };
}

TEST(WorkedRandom, ThreeFry) {
  const auto bits = [](const Shape& shape) { return Bits(RandomAlgorithm::kThreeFry, shape); };
  EXPECT_EQ(ResultOf(bits(Shape(U32, {2})), "u64[2] {0,0}"),
            "(u64[2],u32[2]) ({0,1},{1797259609,2579123966})");
  EXPECT_EQ(ResultOf(bits(Shape(U32, {5})), "u64[2] {42,7}"),
            "(u64[2],u32[5]) ({42,10},{2642642533,3437982737,356970675,1736384518,4222757798})");
  EXPECT_EQ(ResultOf(bits(Shape(U64, {2})), "u64[2] {42,7}"),
            "(u64[2],u64[2]) ({42,9},{14766023422270211685,7457714718447694003})");
  EXPECT_EQ(ResultOf(bits(Shape(U32, {3, 4})), "u64[2] {42,7}"),
            "(u64[2],u32[3,4]) ({42,13},{{2642642533,3437982737,356970675,1736384518},{4222757798,"
            "1010817143,563344011,4074627445},{653491321,3185375099,2676170827,896844053}})");
}

TEST(WorkedRandom, Philox) {
  const auto bits = [](const Shape& shape) { return Bits(RandomAlgorithm::kPhilox, shape); };
  EXPECT_EQ(ResultOf(bits(Shape(U32, {4})), "u64[3] {0,0,0}"),
            "(u64[3],u32[4]) ({0,1,0},{1713891541,3781805453,3159862348,2600524760})");
  EXPECT_EQ(ResultOf(bits(Shape(U32, {6})), "u64[3] {42,7,9}"),
            "(u64[3],u32[6]) ({42,9,9},{4151367164,999626888,3987458082,3312483252,2698840385,"
            "900517438})");
  EXPECT_EQ(ResultOf(bits(Shape(U64, {3})), "u64[3] {42,7,9}"),
            "(u64[3],u64[3]) ({42,9,9},{4293364796313622012,14227007239875184674,"
            "3867692948386548033})");
  EXPECT_EQ(ResultOf(bits(Shape(U32, {6})), "u64[2] {42,7}"),
            "(u64[2],u32[6]) ({42,9},{1436477672,1015822685,1056814300,3113490754,1193696974,"
            "489625878})");
  EXPECT_EQ(ResultOf(Bits(RandomAlgorithm::kDefault, Shape(F32, {1})), "u64[2] {42,7}"),
            "(u64[2],u32[1]) ({42,8},{1436477672})");
  EXPECT_TRUE(Refused(ShapeOf(bits(Shape(PRED, {1})), "u64[2]")));
  EXPECT_TRUE(Refused(ShapeOf(bits(Shape(U32, {1})), "u32[2]")));
}

TEST(WorkedRandom, Bernoulli) {
  const auto drawn = [](O mean) { return RngBernoulli(mean, Shape(U32, {3})); };
  EXPECT_EQ(ResultOf(drawn, "f32[] 0"), "u32[3] {0,0,0}");
  EXPECT_EQ(ResultOf(drawn, "f32[] 1"), "u32[3] {1,1,1}");
  EXPECT_EQ(ResultOf(drawn, "f32[] nan"), "u32[3] {0,0,0}");
}

TEST(WorkedRandom, IntervalsOfOneValue) {
  const auto drawn = [](const Shape& shape) {
    return [shape](O a, O b) { return RngUniform(a, b, shape); };
  };
  EXPECT_EQ(ResultOf(drawn(Shape(S32, {3})), "s32[] 4", "s32[] 5"), "s32[3] {4,4,4}");
  EXPECT_EQ(ResultOf(drawn(Shape(PRED, {2})), "pred[] false", "pred[] true"), "pred[2] {0,0}");
  EXPECT_EQ(ResultOf(drawn(Shape(F32, {2})), "f32[] 2", "f32[] 2"), "f32[2] {2,2}");
  const auto normal = [](O mu, O sigma) { return RngNormal(mu, sigma, Shape(F32, {2})); };
  EXPECT_EQ(ResultOf(normal, "f32[] 3", "f32[] 0"), "f32[2] {3,3}");
}

}  // namespace
}  // namespace axle
