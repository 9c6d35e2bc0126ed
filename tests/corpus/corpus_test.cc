// Walks programs with inputs and expected outputs: those exported from JAX (CorpusPrograms) and
// tests/data/programs. A program either gives the expected results, by the rules of its index, or
// says UNIMPLEMENTED with the name of an operation that it lacks; which of the two follows from the
// op table.
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

std::vector<fs::path> DataPrograms() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(SourceFolder() / "tests/data/programs")) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  return folders;
}

json ReadIndex(const fs::path& folder) {
  std::ifstream file(folder / "index.json");
  return file ? json::parse(file, nullptr, /*allow_exceptions=*/false) : json();
}

// The entry of a program in the index beside its folder; null if there is none.
json EntryOf(const fs::path& folder) {
  const json index = ReadIndex(folder.parent_path());
  if (!index.is_object()) return {};
  for (const json& program : index["programs"]) {
    if (program["name"] == folder.filename().string()) return program;
  }
  return {};
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

void CheckProgram(const fs::path& folder) {
  const json program = EntryOf(folder);
  ASSERT_TRUE(program.is_object()) << folder << " is not in the index beside it";
  const std::vector<std::string> missing = MissingOps(program);
  if (missing.empty()) return RunAndCompare(folder, program);
  ExpectUnimplemented(folder, missing);
}

std::string TestName(const testing::TestParamInfo<fs::path>& info) {
  return info.param.filename().string();
}

class Corpus : public testing::TestWithParam<fs::path> {};
TEST_P(Corpus, MatchesXlaOrNamesTheMissingOperation) {
  CheckProgram(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Programs, Corpus, testing::ValuesIn(CorpusPrograms()), TestName);

// The results of a program on its one device, or on all of its devices.
StatusOr<std::vector<Literal>> ResultsOf(const fs::path& folder, const fs::path& file,
                                         int devices) {
  StatusOr<std::shared_ptr<Executable>> executable = CompileFile(file, EngineKind::kDefault);
  if (!executable.ok()) return executable.status();
  const HloComputation& entry = *(*executable)->module().entry();
  if (devices == 1) {
    AXLE_ASSIGN(Literal result, (*executable)->Execute(ArgumentsIn(folder, entry)));
    return std::vector<Literal>{std::move(result)};
  }
  std::vector<std::vector<Literal>> arguments;
  for (int i = 0; i < devices; ++i) {
    arguments.push_back(ArgumentsIn(folder / StrCat("dev", i), entry));
  }
  return RunOnDevices((*executable)->module(), arguments);
}

// The StableHLO of a program, from which XLA made the HLO text: the same results. XLA's conversion
// expands functions of CHLO and of complex numbers, which are operations here: a program with one
// of them may differ, by no more than its tolerance.
class Stablehlo : public testing::TestWithParam<fs::path> {};
TEST_P(Stablehlo, GivesTheResultsOfTheHloText) {
  const fs::path& folder = GetParam();
  const json program = EntryOf(folder);
  ASSERT_TRUE(program.is_object()) << folder << " is not in the index beside it";
  const int devices = program.value("devices", 1);
  const auto expected = ResultsOf(folder, folder / "program.hlo.txt", devices);
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  for (const char* name : {"program.stablehlo.mlir", "program.stablehlo.bc"}) {
    const auto bytes = ReadFile(folder / name);
    ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
    const auto results = ResultsOf(folder, folder / name, devices);
    ASSERT_TRUE(results.ok()) << results.status().ToString();
    ASSERT_EQ(results->size(), expected->size());
    const bool may_differ =
        bytes->find("chlo.") != std::string::npos || bytes->find("complex<") != std::string::npos;
    for (int i = 0; i < devices; ++i) {
      const Literal& result = (*results)[static_cast<size_t>(i)];
      if (may_differ) {
        Compare(result, devices == 1 ? folder : folder / StrCat("dev", i), program);
        continue;
      }
      const auto difference = FirstDifference(result, (*expected)[static_cast<size_t>(i)]);
      EXPECT_FALSE(difference) << name << ": " << difference->ToString();
    }
  }
}
std::vector<fs::path> StablehloPrograms() {
  std::vector<fs::path> folders;
  for (const fs::path& folder : CorpusPrograms()) {
    if (fs::exists(folder / "program.stablehlo.bc")) folders.push_back(folder);
  }
  return folders;
}
INSTANTIATE_TEST_SUITE_P(Programs, Stablehlo, testing::ValuesIn(StablehloPrograms()), TestName);

class Data : public testing::TestWithParam<fs::path> {};
TEST_P(Data, GivesTheExpectedResults) {
  CheckProgram(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Programs, Data, testing::ValuesIn(DataPrograms()), TestName);

// Every program of an index has a folder, and these run, whatever the op table says.
TEST(CorpusFolder, HasTheNamedProgramsAndTheyRun) {
  const json index = ReadIndex(SourceFolder() / "tests/data/corpus");
  ASSERT_TRUE(index.is_object());
  std::set<std::string> complete;
  for (const json& program : index["programs"]) {
    const std::string name = program["name"];
    EXPECT_TRUE(fs::exists(SourceFolder() / "tests/data/corpus" / name)) << name;
    if (MissingOps(program).empty()) complete.insert(name);
  }
  for (const char* name : {"mlp_train_step", "cnn_train_step", "transformer_block", "lstm_scan",
                           "sort_topk", "gather_modes", "embedding_scatter"}) {
    EXPECT_TRUE(complete.contains(name)) << name;
  }
}

}  // namespace
}  // namespace axle
