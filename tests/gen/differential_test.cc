// The interpreter against itself behind the passes and against native code, on random modules and
// on all that ever failed.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/gen/check.h"
#include "axle/gen/generate.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "tests/paths.h"

namespace axle {
namespace {

#ifdef AXLE_HAS_CODEGEN
constexpr bool kHasNative = true;
#else
constexpr bool kHasNative = false;
#endif

// AXLE_SEED in the environment, or always the same.
std::uint64_t Seed() {
  const char* text = std::getenv("AXLE_SEED");
  return text == nullptr ? 20261122 : std::strtoull(text, nullptr, 10);
}

// Checks `count` modules; their outcomes by name.
std::map<std::string_view, int> CheckMany(const Checker& checker, std::uint64_t first,
                                          std::uint64_t count) {
  std::map<std::string_view, int> outcomes;
  for (std::uint64_t i = first; i < first + count; ++i) {
    auto generated = GenerateModule(Seed(), i);
    EXPECT_TRUE(generated.ok()) << generated.status().ToString();
    if (!generated.ok()) continue;
    const std::shared_ptr<const Module> module = *std::move(generated);
    const CheckResult result = checker.Check(module);
    ++outcomes[OutcomeName(result.outcome)];
    EXPECT_FALSE(IsFailure(result.outcome))
        << result.message << "\nrepro: axle check --random=1 --seed " << Seed() << " --first " << i
        << "\n"
        << Print(*module);
  }
  for (const auto& [name, n] : outcomes) std::printf("  %s: %d\n", std::string(name).c_str(), n);
  return outcomes;
}

TEST(Differential, PassesKeepEveryBit) {
  std::printf("AXLE_SEED=%llu\n", static_cast<unsigned long long>(Seed()));
  const auto checker = Checker::Create({.native = false});
  ASSERT_TRUE(checker.ok()) << checker.status().ToString();
  const auto outcomes = CheckMany(**checker, 0, 1500);
  EXPECT_GT(outcomes.at("equal"), 1350) << "too many modules show nothing";
}

TEST(Differential, NativeCodeGivesTheInterpretersBits) {
  if (!kHasNative) GTEST_SKIP() << "built without LLVM";
  std::printf("AXLE_SEED=%llu\n", static_cast<unsigned long long>(Seed()));
  const auto checker = Checker::Create({.passes = false,
                                        .isas = {NativeIsa::kAvx2, NativeIsa::kAvx512},
                                        .levels = {0, 2},
                                        .repeats = 2,
                                        .concurrent = true});
  ASSERT_TRUE(checker.ok()) << checker.status().ToString();
  ASSERT_FALSE((*checker)->isas().empty());
  const auto outcomes = CheckMany(**checker, 1500, 400);
  EXPECT_GE(outcomes.at("equal"), 10) << "native code runs next to nothing";
}

// Every module for which something once gave other bits. A new one is a file.
TEST(Differential, WhatOnceFailedIsRight) {
  const auto checker = Checker::Create({.native = kHasNative,
                                        .isas = {NativeIsa::kAvx2, NativeIsa::kAvx512},
                                        .levels = {0, 1, 2},
                                        .seeds = 10,
                                        .repeats = 2});
  ASSERT_TRUE(checker.ok()) << checker.status().ToString();
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourceFolder() / "tests/data/found")) {
    SCOPED_TRACE(entry.path().string());
    const auto text = ReadFile(entry.path().string(), i64{1} << 20);
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    auto parsed = Parse(*text);
    ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
    const std::shared_ptr<const Module> module = *std::move(parsed);
    EXPECT_EQ(Print(*module), *text) << "must be as `axle print` writes it";
    const CheckResult result = (*checker)->Check(module);
    EXPECT_FALSE(IsFailure(result.outcome)) << result.message;
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace axle
