// The lane programs of `convert` against core/convert.h, which is written on its own: every pair of
// element types, all patterns of 8- and 16-bit types, special and random values of the others.
#include "axle/core/convert.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "axle/core/float_environment.h"
#include "axle/core/float_format.h"
#include "axle/core/strings.h"
#include "axle/ops/lanes/lane_compiler.h"

namespace axle {
namespace {

// Patterns of one part of `bits` bits around which conversions change their result, and random
// ones.
std::vector<std::uint64_t> Patterns(int bits, std::mt19937_64& random) {
  std::vector<std::uint64_t> patterns;
  if (bits <= 16) {
    for (std::uint64_t p = 0; p < std::uint64_t{1} << bits; ++p) patterns.push_back(p);
    return patterns;
  }
  const std::uint64_t mask = LowBits(bits);
  for (int k = 0; k < bits; ++k) {
    for (int l = 0; l <= k; ++l) {  // one or two bits, and the neighbours of that
      const std::uint64_t base = std::uint64_t{1} << k | std::uint64_t{1} << l;
      for (std::uint64_t p : {base - 1, base, base + 1, ~base}) patterns.push_back(p & mask);
    }
  }
  const auto bits_of = [&](double value) {
    return bits == 32 ? std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(value))}
                      : std::bit_cast<std::uint64_t>(value);
  };
  for (int exponent = -160; exponent <= 130; ++exponent) {  // floats beside every power of two
    const double power =
        exponent < -120
            ? 0x1p-120 * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1143) << 52)
            : std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
    for (double factor : {1.0, 1.25, 1.5, 1.0625, 1.03125, 1.00390625, -1.0, -1.5}) {
      const std::uint64_t base = bits_of(power * factor);
      for (std::uint64_t p : {base - 1, base, base + 1}) patterns.push_back(p & mask);
    }
  }
  for (int i = 0; i < 2000; ++i) patterns.push_back(random() >> (random() % 64) & mask);
  for (int i = 0; i < 2000; ++i) patterns.push_back(random() & mask);
  return patterns;
}

std::vector<std::byte> Elements(ElementType type, std::mt19937_64& random, i64& count) {
  const ElementTypeInfo& part = Info(PartOf(type));
  const std::vector<std::uint64_t> patterns = Patterns(type == PRED ? 1 : part.bits, random);
  count = static_cast<i64>(patterns.size()) / (IsComplex(type) ? 2 : 1);
  std::vector<std::byte> bytes(patterns.size() * part.bytes);
  for (size_t i = 0; i < patterns.size(); ++i) {
    std::uint64_t pattern = patterns[i];
    if (IsSigned(type) && (pattern >> (part.bits - 1) & 1) != 0) pattern |= ~LowBits(part.bits);
    std::memcpy(bytes.data() + i * part.bytes, &pattern, part.bytes);
  }
  return bytes;
}

bool IsNan(ElementType type, const std::byte* part) {
  const ElementTypeInfo& info = Info(PartOf(type));
  if (info.type_class != TypeClass::kFloat) return false;
  std::uint64_t bits = 0;
  std::memcpy(&bits, part, info.bytes);
  return IsNanBits(info.format, bits);
}

// `converted` and `expected` hold the same values, but for the payloads of NaNs.
bool SameParts(ElementType type, const std::byte* converted, const std::byte* expected) {
  const i64 bytes = Info(PartOf(type)).bytes;
  for (i64 at = 0; at < Info(type).bytes; at += bytes) {
    if (IsNan(type, converted + at) && IsNan(type, expected + at)) continue;
    if (std::memcmp(converted + at, expected + at, bytes) != 0) return false;
  }
  return true;
}

TEST(ConvertOp, AgreesWithHostConversionsForAllPairsOfTypes) {
  const ScopedFloatEnvironment environment;
  std::mt19937_64 random(7);
  BlockExecutor executor;
  for (const ElementTypeInfo& from : kElementTypes) {
    if (!IsArrayType(from.type)) continue;
    i64 count = 0;
    const std::vector<std::byte> source = Elements(from.type, random, count);
    for (const ElementTypeInfo& to : kElementTypes) {
      if (!IsArrayType(to.type)) continue;
      Module module("m");
      HloComputation* main = module.AddComputation("main");
      Instruction* x = main->Add({.opcode = Opcode::kParameter,
                                  .name = "x",
                                  .shape = Shape(from.type),
                                  .attrs = {GetOpDef(Opcode::kParameter).attrs,
                                            GetOpDef(Opcode::kParameter).attrs.create()}});
      Instruction* const operands[] = {x};
      const Instruction* y = main->Add(
          {.opcode = Opcode::kConvert,
           .name = "y",
           .shape = Shape(to.type),
           .operands = operands,
           .attrs = {GetOpDef(Opcode::kConvert).attrs, GetOpDef(Opcode::kConvert).attrs.create()}});
      LaneCompiler compiler;
      compiler.AddInput(*x);
      ASSERT_TRUE(compiler.Add(*y));
      const LaneProgram program = std::move(compiler).Finish({&y, 1});

      std::vector<std::byte> expected(count * to.bytes), converted(count * to.bytes);
      ConvertElements(from.type, source.data(), to.type, expected.data(), count);
      const void* input = source.data();
      void* output = converted.data();
      ASSERT_TRUE(executor.Run(program, {&input, 1}, {&output, 1}, count).ok());
      i64 different = 0;
      std::string first;
      for (i64 i = 0; i < count; ++i) {
        if (SameParts(to.type, converted.data() + i * to.bytes, expected.data() + i * to.bytes)) {
          continue;
        }
        if (different++ > 0) continue;
        first = StrCat(ElementToString(from.type, source.data() + i * from.bytes), " gives ",
                       ElementToString(to.type, converted.data() + i * to.bytes), ", expected ",
                       ElementToString(to.type, expected.data() + i * to.bytes));
      }
      EXPECT_EQ(different, 0) << from.text << " to " << to.text << ": " << first;
    }
  }
}

}  // namespace
}  // namespace axle
