// Walks folders of programs with inputs and expected outputs: tests/data/programs, and the folder
// `corpus` of $AXLE_SHARED if it exists. A program either gives the expected results, by the rules
// of its index, or says UNIMPLEMENTED with the name of an operation that it lacks; which of the two
// follows from the op table.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "axle/client/arguments.h"
#include "axle/client/client.h"
#include "axle/client/load.h"
#include "axle/core/file.h"
#include "axle/ops/op_def.h"
#include "tests/golden_bits.h"
#include "tests/paths.h"
#include "tests/simulated_devices.h"

namespace axle {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path CorpusFolder() {
  return SharedFolder() / "corpus";
}
fs::path DataFolder() {
  return SourceFolder() / "tests" / "data" / "programs";
}

json ReadIndex(const fs::path& folder) {
  std::ifstream file(folder / "index.json");
  return file ? json::parse(file, nullptr, /*allow_exceptions=*/false) : json();
}

std::vector<std::string> Names(const fs::path& folder) {
  std::vector<std::string> names;
  const json index = ReadIndex(folder);
  if (!index.is_object()) return names;
  for (const json& program : index["programs"]) names.push_back(program["name"]);
  return names;
}

// The operations of a program that the op table lacks.
std::vector<std::string> MissingOps(const json& program) {
  std::vector<std::string> missing;
  if (!program.contains("opcodes")) return missing;
  for (const auto& [name, count] : program["opcodes"].items()) {
    if (FindOpDef(name) == nullptr) missing.push_back(name);
  }
  return missing;
}

Tolerance ToleranceOf(const json& output) {
  if (output["compare"] == "exact") return {};
  EXPECT_EQ(output["compare"], "close");
  return {.rtol = output["rtol"], .atol = output["atol"]};
}

Literal MemberOf(const Npz& npz, const std::string& name, const Shape& shape) {
  const auto literal = MemberLiteral(npz, name, shape);
  EXPECT_TRUE(literal.ok()) << literal.status().ToString();
  return literal.ok() ? *literal : Literal();
}

StatusOr<Npz> LoadNpz(const fs::path& path) {
  AXLE_ASSIGN(const std::string bytes, ReadFile(path));
  return ReadNpz(bytes);
}

StatusOr<std::shared_ptr<Executable>> CompileFile(const fs::path& path,
                                                  EngineKind engine = EngineKind::kInterpret) {
  AXLE_ASSIGN(const std::string text, ReadFile(path));
  AXLE_ASSIGN(const auto client, Client::Create({.num_devices = 4}));  // some programs have four
  return client->Compile(text, {.engine = engine});
}

void Compare(const Literal& result, const fs::path& folder, const json& program) {
  const auto outputs = LoadNpz(folder / "outputs.npz");
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  const auto leaves = NamedLeaves(result, "out_");
  ASSERT_EQ(leaves.size(), program["outputs"].size());
  for (size_t i = 0; i < leaves.size(); ++i) {
    const auto& [name, value] = leaves[i];
    const json& rule = program["outputs"][i];
    const auto difference =
        FirstDifference(value, MemberOf(*outputs, name, value.shape()), ToleranceOf(rule));
    EXPECT_FALSE(difference) << name << ": " << difference->ToString() << "\nrepro: axle check "
                             << (folder / "program.hlo.txt").string() << " --inputs "
                             << (folder / "inputs.npz").string() << " --against "
                             << (folder / "outputs.npz").string() << " " << rule.dump();
  }
}

std::vector<Literal> ArgumentsIn(const fs::path& folder, const HloComputation& entry) {
  const auto inputs = LoadNpz(folder / "inputs.npz");
  EXPECT_TRUE(inputs.ok()) << inputs.status().ToString();
  if (!inputs.ok()) return {};
  const auto arguments = ArgumentsFromNpz(entry, *inputs);
  EXPECT_TRUE(arguments.ok()) << arguments.status().ToString();
  return arguments.ok() ? *arguments : std::vector<Literal>();
}

// Native code gives the same bits.
void ExpectSameCompiled(const fs::path& folder, const Literal& expected) {
  const auto executable = CompileFile(folder / "program.hlo.txt", EngineKind::kNative);
  if (executable.status().code() == StatusCode::kUnavailable) return;  // a build without it
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const HloComputation& entry = *(*executable)->module().entry();
  const auto result = (*executable)->Execute(ArgumentsIn(folder, entry));
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  const auto difference = FirstDifference(*result, expected);
  EXPECT_FALSE(difference) << "compiled: " << difference->ToString();
}

void RunAndCompare(const fs::path& folder, const json& program) {
  const auto executable = CompileFile(folder / "program.hlo.txt");
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const HloComputation& entry = *(*executable)->module().entry();
  const int devices = program.value("devices", 1);
  if (devices == 1) {
    const auto result = (*executable)->Execute(ArgumentsIn(folder, entry));
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    // The tolerances of Compare would let bits change.
    const std::string key = StrCat("program ", folder.parent_path().filename().string(), "/",
                                   folder.filename().string(), ":");
    ExpectGoldenBits(key, {{key, BitsHash(*result)}});
    ExpectSameCompiled(folder, *result);
    return Compare(*result, folder, program);
  }
  // Each device has a folder.
  std::vector<std::vector<Literal>> arguments;
  const auto folder_of = [&](int device) { return folder / StrCat("dev", device); };
  for (int i = 0; i < devices; ++i) arguments.push_back(ArgumentsIn(folder_of(i), entry));
  const auto results = RunOnDevices((*executable)->module(), arguments);
  ASSERT_TRUE(results.ok()) << results.status().ToString();
  for (int i = 0; i < devices; ++i) Compare((*results)[i], folder_of(i), program);
}

void ExpectUnimplemented(const fs::path& folder, const std::vector<std::string>& missing) {
  const auto executable = CompileFile(folder / "program.hlo.txt");
  ASSERT_FALSE(executable.ok()) << "runs without " << missing[0];
  EXPECT_EQ(executable.status().code(), StatusCode::kUnimplemented)
      << executable.status().ToString();
  const bool names_one = std::ranges::any_of(missing, [&](const std::string& name) {
    return executable.status().message().find(name) != std::string::npos;
  });
  EXPECT_TRUE(names_one) << executable.status().ToString();
}

void CheckProgram(const fs::path& folder, const std::string& name) {
  const json index = ReadIndex(folder);
  for (const json& program : index["programs"]) {
    if (program["name"] != name) continue;
    const std::vector<std::string> missing = MissingOps(program);
    if (missing.empty()) return RunAndCompare(folder / name, program);
    return ExpectUnimplemented(folder / name, missing);
  }
  FAIL() << "no program " << name;
}

class Corpus : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Corpus);
TEST_P(Corpus, MatchesXlaOrNamesTheMissingOperation) {
  CheckProgram(CorpusFolder(), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Programs, Corpus, testing::ValuesIn(Names(CorpusFolder())),
                         [](const auto& info) { return info.param; });

class Data : public testing::TestWithParam<std::string> {};
TEST_P(Data, GivesTheExpectedResults) {
  CheckProgram(DataFolder(), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Programs, Data, testing::ValuesIn(Names(DataFolder())),
                         [](const auto& info) { return info.param; });

// The programs that must run, whatever the op table says.
TEST(CorpusFolder, HasTheNamedProgramsAndTheyRun) {
  const json index = ReadIndex(CorpusFolder());
  if (!index.is_object()) {
    GTEST_SKIP() << "corpus: " << CorpusFolder() << " is not there; only tests/data/programs ran";
  }
  std::set<std::string> complete;
  for (const json& program : index["programs"]) {
    if (MissingOps(program).empty()) complete.insert(program["name"]);
  }
  for (const char* name : {"mlp_train_step", "cnn_train_step", "transformer_block", "lstm_scan",
                           "sort_topk", "gather_modes", "embedding_scatter"}) {
    EXPECT_TRUE(complete.contains(name)) << name;
  }
}

}  // namespace
}  // namespace axle
