// Whole programs give the same bits before and after the default pipeline: those of tests/data and,
// where it is there, of the corpus. Case tables and vectors go through it in tests/op_engines.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "axle/client/arguments.h"
#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/op_def.h"
#include "axle/passes/pipeline.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "tests/paths.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> ProgramsBelow(const fs::path& folder) {
  std::vector<std::string> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (path.ends_with(".hlo.txt") || path.ends_with(".hlo")) files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

// The inputs beside the program, or made-up ones.
StatusOr<std::vector<Literal>> ArgumentsFor(const fs::path& program, const HloComputation& entry) {
  const fs::path inputs = program.parent_path() / "inputs.npz";
  if (fs::exists(inputs)) {
    AXLE_ASSIGN(const std::string bytes, ReadFile(inputs));
    AXLE_ASSIGN(const Npz npz, ReadNpz(bytes));
    return ArgumentsFromNpz(entry, npz);
  }
  std::vector<Literal> leaves;
  for (const Shape& shape : ArgumentLeaves(entry)) {
    AXLE_ASSIGN(Literal leaf, FakeLiteral(shape, "random", static_cast<i64>(leaves.size())));
    leaves.push_back(std::move(leaf));
  }
  return ArgumentsFromLeaves(entry, std::move(leaves));
}

class Programs : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Programs);

TEST_P(Programs, GiveTheSameBits) {
  const auto text = ReadFile(GetParam());
  ASSERT_TRUE(text.ok());
  const auto module = Parse(*text);
  if (!module.ok()) return;  // a program for the tests of errors
  // With shardings the pass `partition` changes its shapes: partition_test.cc is about that.
  if (text->find("sharding={devices=") != std::string::npos) (*module)->config().num_partitions = 1;
  const std::string before = Print(**module);
  const auto after = RunPipeline(**module, {.verify_each = true});
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  EXPECT_EQ(Print(**module), before) << "the input was changed";
  EXPECT_LE((*after)->num_instructions(), 2 * (*module)->num_instructions() + 100);
  const auto reread = Parse(Print(**after));
  ASSERT_TRUE(reread.ok()) << reread.status().ToString();

  const auto arguments = ArgumentsFor(GetParam(), *(*module)->entry());
  if (!arguments.ok()) return;  // for several devices, or of values that cannot be made up
  Limits limits, limits_after;
  for (Limits* each : {&limits, &limits_after}) each->set_step_limit(100000);
  const auto expected = Evaluate(**module, *arguments, {.limits = &limits});
  if (!expected.ok()) return;  // likewise
  const auto actual = Evaluate(**after, *arguments, {.limits = &limits_after});
  ASSERT_TRUE(actual.ok()) << actual.status().ToString();
  EXPECT_TRUE(SameValue(*expected, *actual))
      << FirstDifference(*expected, *actual)->ToString() << "\n"
      << Print(**after);
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  const fs::path path(info.param);
  const bool is_corpus = path.filename() == "program.hlo.txt";
  std::string name =
      is_corpus ? path.parent_path().filename().string()
                : StrCat(path.parent_path().filename().string(), "_", path.filename().string());
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}
// Those written for tests.
std::vector<std::string> DataPrograms() {
  std::vector<std::string> paths = ProgramsBelow(SourceFolder() / "tests/data");
  std::erase_if(
      paths, [](const std::string& path) { return path.find("/tests/data/corpus/") != path.npos; });
  return paths;
}
// Those exported from JAX.
std::vector<std::string> ExportedPrograms() {
  std::vector<std::string> paths;
  for (const fs::path& file : OptimizedPrograms()) paths.push_back(file.string());
  for (const fs::path& folder : CorpusPrograms())
    paths.push_back((folder / "program.hlo.txt").string());
  return paths;
}
INSTANTIATE_TEST_SUITE_P(Data, Programs, testing::ValuesIn(DataPrograms()), TestName);
INSTANTIATE_TEST_SUITE_P(Corpus, Programs, testing::ValuesIn(ExportedPrograms()), TestName);

// The programs above that cannot run pass too; most can.
TEST(ProgramsFolder, MostProgramsRun) {
  int count = 0;
  for (const std::string& path : ProgramsBelow(SourceFolder() / "tests/data/programs")) {
    const auto text = ReadFile(path);
    ASSERT_TRUE(text.ok());
    const auto module = Parse(*text);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const auto arguments = ArgumentsFor(path, *(*module)->entry());
    ASSERT_TRUE(arguments.ok()) << arguments.status().ToString();
    EXPECT_TRUE(Evaluate(**module, *arguments).ok()) << path;
    ++count;
  }
  EXPECT_GE(count, 6);
}

}  // namespace
}  // namespace axle
