// Conversions between f16 and f32 in loops: which operations they stand for, and their bits against
// the interpreter for all values of f16, and for values of f32 around all of them.
#include "axle/codegen/llvm/half_conversions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "axle/core/float_format.h"
#include "axle/emit/lane_builder.h"
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

JitTarget TargetOf(NativeIsa isa) {
  return {.isa = isa, .codegen_level = 1, .vector_bytes = isa == NativeIsa::kV2 ? 16 : 32};
}

// x * x of an array of f16.
LaneProgram Square() {
  const FloatFormat& half = Info(F16).format;
  LaneBuilder builder;
  const Lane bits = Resize(LaneType::kU32, builder.Input(LaneType::kU16));
  const Lane x = Bitcast(LaneType::kF32, WidenFromFormat(half, kF32Format, bits));
  const Lane rounded = RoundToFormat(kF32Format, half, BitsOf(x * x));
  return std::move(builder).Finish({{Resize(LaneType::kU16, rounded)}});
}

TEST(HalfConversions, AreFound) {
  const LaneProgram program = Square();
  const HalfConversions conversions(program, TargetOf(NativeIsa::kAvx2));
  int count = 0;
  for (size_t op = 0; op < program.code.size(); ++op) count += conversions.IsConversion(op) ? 1 : 0;
  EXPECT_EQ(count, 2);
  // To u32, widen, to f32, multiply, to u32, round, to u16.
  EXPECT_EQ(conversions.num_needed(), 7);
  EXPECT_GT(program.num_operations(), 40);
}

TEST(HalfConversions, NeedInstructions) {
  const LaneProgram program = Square();
  const HalfConversions conversions(program, TargetOf(NativeIsa::kV2));
  EXPECT_EQ(conversions.num_needed(), program.num_operations());
  EXPECT_FALSE(conversions.IsConversion(program.code.size() - 2));
}

TEST(HalfConversions, OfOtherTypesAreNone) {
  LaneBuilder builder;
  const Lane x = builder.Input(LaneType::kF32);
  const Lane rounded = RoundToFormat(kF32Format, Info(BF16).format, BitsOf(x));
  const LaneProgram program = std::move(builder).Finish({{Resize(LaneType::kU16, rounded)}});
  const HalfConversions conversions(program, TargetOf(NativeIsa::kAvx512));
  EXPECT_EQ(conversions.num_needed(), program.num_operations());
}

class HalfBits : public StepTest {
 protected:
  // The results of both engines on these elements, NaNs as one value.
  void Compare(const std::string& text, const Literal& argument) {
    std::vector<Literal> results;
    for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kNative}) {
      CompileOptions options;
      options.engine = engine;
      options.isa = std::get<0>(GetParam());
      const auto executable = client_->Compile(text, options);
      ASSERT_TRUE(executable.ok()) << executable.status().message();
      auto result = (*executable)->Execute({argument});
      ASSERT_TRUE(result.ok()) << result.status().message();
      results.push_back(*std::move(result));
    }
    const auto difference = FirstDifference(results[0], results[1]);
    EXPECT_FALSE(difference) << difference->ToString();
  }
};

TEST_P(HalfBits, AllValues) {
  Literal all{Shape(F16, {65536})};
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    std::memcpy(static_cast<std::byte*>(all.mutable_bytes()) + 2 * bits, &pattern, 2);
  }
  Compare("ENTRY e { x = f16[65536] parameter(0) ROOT r = f32[65536] convert(x) }", all);
  Compare("ENTRY e { x = f16[65536] parameter(0) ROOT r = f16[65536] multiply(x, x) }", all);
}

// Each value of f16 as f32, the value halfway to the next one, and their neighbours.
TEST_P(HalfBits, ValuesBetween) {
  Literal between{Shape(F32, {6 * 65536})};
  auto next = between.mutable_data<float>().begin();
  for (std::uint32_t half = 0; half < 65536; ++half) {
    const auto bits = WidenFromFormat(Info(F16).format, kF32Format, half);
    for (const std::uint32_t from : {bits, bits + 0x1000}) {
      for (const std::uint32_t distance : {0u, 1u, ~0u}) {
        *next++ = std::bit_cast<float>(from + distance);
      }
    }
  }
  Compare("ENTRY e { x = f32[393216] parameter(0) ROOT r = f16[393216] convert(x) }", between);
  // Subnormals of f16 are this much smaller.
  Compare(
      "ENTRY e { x = f32[393216] parameter(0) c = f32[] constant(6.103515625e-05) "
      "s = f32[393216] broadcast(c), dimensions={} y = f32[393216] multiply(x, s) "
      "ROOT r = f16[393216] convert(y) }",
      between);
}

INSTANTIATE_TEST_SUITE_P(All, HalfBits, kStepParameters, StepParameterName);

}  // namespace
}  // namespace axle
