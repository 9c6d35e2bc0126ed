// Programs of public bug reports, each with the right answer, where $AXLE_SHARED has them:
// both engines give it, broken texts are refused, endless loops end by their limit. What is only
// there to be timed is compiled.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "axle/client/arguments.h"
#include "axle/client/client.h"
#include "axle/core/file.h"
#include "tests/paths.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr EngineKind kEngines[] = {EngineKind::kInterpret, EngineKind::kNative};

fs::path ReportsFolder() {
  return SharedFolder() / "cases" / "reports";
}
fs::path SmallestFolder() {
  return SharedFolder() / "cases" / "smallest";
}

// Names of what is in a folder, sorted.
std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

json ReadJson(const fs::path& path) {
  std::ifstream file(path);
  return file ? json::parse(file, nullptr, /*allow_exceptions=*/false) : json();
}

StatusOr<Npz> LoadNpz(const fs::path& path) {
  AXLE_ASSIGN(const std::string bytes, ReadFile(path));
  return ReadNpz(bytes);
}

StatusOr<std::shared_ptr<Executable>> Compile(const fs::path& path, EngineKind engine,
                                              Limits* limits = nullptr) {
  AXLE_ASSIGN(const std::string text, ReadFile(path));
  AXLE_ASSIGN(const auto client, Client::Create({.num_threads = 2}));
  return client->Compile(text, {.engine = engine, .limits = limits});
}

void ExpectRight(const fs::path& folder, const json& meta, EngineKind engine) {
  const auto executable = Compile(folder / "program.hlo.txt", engine);
  if (executable.status().code() == StatusCode::kUnavailable) return;  // a build without it
  if (executable.status().message().find("tiled entry layouts") != std::string::npos) {
    // A known gap: what would have to be honoured is refused.
    EXPECT_EQ(executable.status().code(), StatusCode::kUnimplemented);
    return;
  }
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  if (!fs::exists(folder / "expected.npz")) return;
  const auto inputs = LoadNpz(folder / "inputs.npz");
  ASSERT_TRUE(inputs.ok()) << inputs.status().ToString();
  const auto arguments = ArgumentsFromNpz(*(*executable)->module().entry(), *inputs);
  ASSERT_TRUE(arguments.ok()) << arguments.status().ToString();
  // The interpreter evaluates nested calls without arguments once for each call: case 19 is about
  // that, and it may give up there. Nowhere else.
  Limits limits;
  const bool may_give_up =
      engine == EngineKind::kInterpret && folder.filename() == "19_nested_calls_constant";
  if (may_give_up) limits.set_time_limit(5);
  const auto result = (*executable)->Execute(*arguments, {.limits = &limits});
  if (may_give_up && result.status().code() == StatusCode::kDeadlineExceeded) return;
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  const auto expected = LoadNpz(folder / "expected.npz");
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  const Tolerance tolerance = {.rtol = meta["rtol"], .atol = meta["atol"]};
  const auto leaves = NamedLeaves(*result, "out_");
  EXPECT_EQ(leaves.size(), meta["types_out"].size());
  for (const auto& [name, value] : leaves) {
    const auto right = MemberLiteral(*expected, name, value.shape());
    ASSERT_TRUE(right.ok()) << right.status().ToString();
    const auto difference = FirstDifference(value, *right, tolerance);
    EXPECT_FALSE(difference) << name << ": " << difference->ToString();
  }
}

void ExpectRefused(const fs::path& folder) {
  for (const std::string& name : NamesIn(folder)) {
    if (!name.ends_with(".hlo.txt")) continue;
    for (const EngineKind engine : kEngines) {
      const auto executable = Compile(folder / name, engine);
      EXPECT_FALSE(executable.ok()) << name;
      EXPECT_FALSE(IsBug(executable.status())) << name << ": " << executable.status().ToString();
    }
  }
}

void ExpectEndByLimit(const fs::path& folder) {
  for (const std::string& name : NamesIn(folder)) {
    if (!name.ends_with(".hlo.txt")) continue;
    for (const EngineKind engine : kEngines) {
      const auto executable = Compile(folder / name, engine);
      if (executable.status().code() == StatusCode::kUnavailable) continue;
      ASSERT_TRUE(executable.ok()) << name << ": " << executable.status().ToString();
      std::vector<Literal> arguments;
      for (const Instruction* parameter : (*executable)->module().entry()->parameters()) {
        // Nothing that a loop waits for ever comes of a NaN.
        Literal& value = arguments.emplace_back(parameter->shape().WithoutLayout());
        if (value.shape().type() != F32) continue;
        std::ranges::fill(value.mutable_data<float>(), std::numeric_limits<float>::quiet_NaN());
      }
      Limits limits;
      limits.set_time_limit(0.2);
      const auto result = (*executable)->Execute(arguments, {.limits = &limits});
      EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded)
          << name << ": " << result.status().ToString();
    }
  }
}

class PublicCases : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PublicCases);
TEST_P(PublicCases, GiveTheRightAnswer) {
  const fs::path folder = ReportsFolder() / GetParam();
  const json meta = ReadJson(folder / "meta.json");
  const std::string mode = meta.is_object() ? std::string(meta["mode"]) : "compare";
  if (mode == "refuse") return ExpectRefused(folder);
  if (mode == "endless") return ExpectEndByLimit(folder);
  for (const EngineKind engine : kEngines) {
    SCOPED_TRACE(engine == EngineKind::kNative ? "native" : "interpreted");
    ExpectRight(folder, meta, engine);
  }
}
INSTANTIATE_TEST_SUITE_P(Reports, PublicCases, testing::ValuesIn(NamesIn(ReportsFolder())),
                         [](const auto& info) { return "n" + info.param; });

// The smallest inputs that once showed a weakness; the engines agree about them. Those whose loops
// the interpreter takes long for are run natively alone.
class SmallestCases : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SmallestCases);
TEST_P(SmallestCases, RunAlikeOnBothEngines) {
  const fs::path path = SmallestFolder() / GetParam();
  std::vector<Literal> results, arguments;
  for (const EngineKind engine : kEngines) {
    const auto executable = Compile(path, engine);
    if (executable.status().code() == StatusCode::kUnavailable) continue;
    if (GetParam().find("elided") != std::string::npos) {
      EXPECT_EQ(executable.status().code(), StatusCode::kInvalidArgument)
          << executable.status().ToString();
      continue;
    }
    ASSERT_TRUE(executable.ok()) << executable.status().ToString();
    if (arguments.empty()) {
      for (const Shape& leaf : ArgumentLeaves(*(*executable)->module().entry())) {
        auto value = FakeLiteral(leaf, "random", static_cast<i64>(arguments.size()));
        ASSERT_TRUE(value.ok());
        arguments.push_back(*std::move(value));
      }
    }
    Limits limits;
    const bool may_be_slow = engine == EngineKind::kInterpret;
    if (may_be_slow) limits.set_time_limit(5);
    const auto result =
        (*executable)
            ->Execute(ArgumentsFromLeaves(*(*executable)->module().entry(), arguments),
                      {.limits = &limits});
    if (may_be_slow && result.status().code() == StatusCode::kDeadlineExceeded) continue;
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    results.push_back(*result);
  }
  if (results.size() < 2) return;
  const auto difference = FirstDifference(results[0], results[1]);
  EXPECT_FALSE(difference) << difference->ToString();
}
INSTANTIATE_TEST_SUITE_P(Files, SmallestCases, testing::ValuesIn(NamesIn(SmallestFolder())),
                         [](const auto& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });

TEST(PublicCasesFolder, IsThere) {
  if (NamesIn(ReportsFolder()).empty()) {
    GTEST_SKIP() << "public cases: " << ReportsFolder() << " is not there; nothing ran";
  }
  EXPECT_GE(NamesIn(ReportsFolder()).size(), 42u);
}

}  // namespace
}  // namespace axle
