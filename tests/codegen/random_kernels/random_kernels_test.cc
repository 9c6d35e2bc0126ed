// Random kernels: native code gives the interpreter's bits, and where it does not, that is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "axle/codegen/choose_target.h"
#include "tests/codegen/isas.h"
#include "tests/codegen/random_kernels/compare.h"
#include "tests/codegen/random_kernels/generate.h"
#include "tests/codegen/random_kernels/reduce.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kNumPrograms = kAddressSanitizer ? 16 : 48;

std::uint64_t FreshSeed() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                    std::chrono::microseconds(1));
}

std::vector<RandomProgram> Programs(std::uint64_t seed, KernelForm form) {
  std::vector<RandomProgram> programs;
  for (std::uint64_t i = 0; i < kNumPrograms; ++i) programs.push_back(Generate(seed, i, form));
  return programs;
}

void ExpectEqual(std::uint64_t seed, KernelForm form, NativeIsa isa, int level) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const std::vector<RandomProgram> programs = Programs(seed, form);
  const auto target = ChooseTarget(isa, level);
  ASSERT_TRUE(target.ok()) << target.status().message();
  const auto compiled = CompiledPrograms::Create(programs, *target);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  for (size_t i = 0; i < programs.size(); ++i) {
    const Comparison comparison = Compare(programs[i], compiled->function(i), InputStream(seed, i));
    EXPECT_TRUE(comparison.is_defined) << programs[i].ToString();
    EXPECT_TRUE(comparison.is_equal)
        << programs[i].ToString() << comparison.difference << "repro: axle_random_kernels --seed "
        << seed << " --first " << i << " --count 1 --form " << Name(form) << " --isa " << Name(isa)
        << " --levels " << level;
  }
}

void ExpectEqualOnAll(KernelForm form) {
  int num_isas = 0;
  for (const NativeIsa isa : {NativeIsa::kV2, NativeIsa::kAvx2, NativeIsa::kAvx512}) {
    if (!CanRun(isa).ok()) continue;
    ++num_isas;
    for (const int level : {0, 1, 2}) {
      if (form == KernelForm::kSmall && level == 0) continue;  // would be level 1
      ExpectEqual(kSeed, form, isa, level);
      ExpectEqual(FreshSeed(), form, isa, level);
    }
  }
  if (num_isas == 0) GTEST_SKIP() << "code for x86 does not run here";
}

// FNV-1a, of what the first programs print.
std::uint64_t HashOfPrograms(KernelForm form) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::uint64_t i = 0; i < 256; ++i) {
    for (const char c : Generate(kSeed, i, form).ToString()) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  return hash;
}

// Not on the compiler that made the generator. Who changes it puts the new hashes here.
TEST(RandomKernels, ProgramsDependOnTheSeedAlone) {
  EXPECT_EQ(HashOfPrograms(KernelForm::kSmall), 7422726418018916369u);
  EXPECT_EQ(HashOfPrograms(KernelForm::kLoop), 5725538465951205232u);
}

TEST(RandomKernels, SmallOnesGiveTheInterpretersBits) {
  ExpectEqualOnAll(KernelForm::kSmall);
}

TEST(RandomKernels, LoopsGiveTheInterpretersBits) {
  ExpectEqualOnAll(KernelForm::kLoop);
}

// With differences for sums, as a wrong code generator might have it.
RandomProgram Wrong(RandomProgram program) {
  for (KernelOp& op : program.ops) {
    if (op.primitive == Primitive::kAdd && op.type != LaneType::kPred) {
      op.primitive = Primitive::kSub;
    }
  }
  return program;
}

// Whether the wrong kernel of a program gives other bits.
bool Differs(const RandomProgram& program) {
  const RandomProgram wrong = Wrong(program);
  const auto target = ChooseTarget(NativeIsa::kAuto, 1);
  const auto compiled = CompiledPrograms::Create({&wrong, 1}, *target);
  if (!compiled.ok()) return false;
  const Comparison comparison = Compare(program, compiled->function(0), InputStream(kSeed, 0));
  return comparison.is_defined && !comparison.is_equal;
}

TEST(RandomKernels, AWrongKernelIsFound) {
  AXLE_SKIP_UNLESS_IT_RUNS(NativeIsa::kAuto);
  for (const KernelForm form : {KernelForm::kSmall, KernelForm::kLoop}) {
    const std::vector<RandomProgram> programs = Programs(kSeed, form);
    const auto found = std::find_if(programs.begin(), programs.end(), &Differs);
    ASSERT_NE(found, programs.end()) << "no wrong program gives other bits";
    // The operands and the sum.
    const RandomProgram reduced = Reduced(*found, &Differs);
    EXPECT_LE(reduced.ops.size(), 3u) << reduced.ToString();
    EXPECT_EQ(reduced.ops.back().primitive, Primitive::kAdd) << reduced.ToString();
  }
}

}  // namespace
}  // namespace axle
