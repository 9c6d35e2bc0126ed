// The command line as its users meet it: the binary is run, its outputs and exit code are read.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/paths.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Result {
  int exit = -1;  // 128 + n for signal n
  std::string out;
  std::string err;
};

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Cli : public testing::Test {
 protected:
  Cli() {
    char name[] = "/tmp/axle-cli-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Cli() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return Path(name);
  }

  // Starts the binary with its outputs in files, so that no pipe can fill up.
  pid_t Start(const std::vector<std::string>& arguments, std::string_view input = "") const {
    Write("stdin", input);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const auto redirect = [&](const char* name, int flags, int to) {
      const int file = open(Path(name).c_str(), flags, 0600);
      dup2(file, to);
    };
    redirect("stdin", O_RDONLY, 0);
    redirect("stdout", O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect("stderr", O_WRONLY | O_CREAT | O_TRUNC, 2);
    std::vector<char*> argv = {const_cast<char*>("axle")};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv((BuildFolder() / "bin/axle").c_str(), argv.data());
    _exit(99);
  }
  Result Finish(pid_t pid) const {
    int status = 0;
    waitpid(pid, &status, 0);
    const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {exit, ReadText(folder_ / "stdout"), ReadText(folder_ / "stderr")};
  }
  Result Run(const std::vector<std::string>& arguments, std::string_view input = "") const {
    return Finish(Start(arguments, input));
  }

  fs::path folder_;
};

constexpr std::string_view kAdd =
    R"(HloModule add, entry_computation_layout={(f32[2]{0}, f32[2]{0})->f32[2]{0}}

ENTRY main {
  x = f32[2]{0} parameter(0)
  y = f32[2]{0} parameter(1)
  ROOT sum = f32[2]{0} add(x, y)
}
)";

// Loops until it is stopped.
constexpr std::string_view kForever = R"(HloModule forever

always {
  state = s32[] parameter(0)
  ROOT yes = pred[] constant(true)
}

step {
  state = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT next = s32[] add(state, one)
}

ENTRY main {
  start = s32[] constant(0)
  ROOT end = s32[] while(start), condition=always, body=step
}
)";

TEST_F(Cli, RunPrintsResults) {
  const Result r =
      Run({"run", Write("add.hlo", kAdd), "--arg", "0=f32[2] 1,2", "--arg", "1=f32[2] {10, 20.5}"});
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_EQ(r.out, "out_0 = f32[2] {11, 22.5}\n");
  EXPECT_EQ(r.err, "");
}

TEST_F(Cli, AnArgumentTakesOneValueAndLeavesTheFile) {
  const Result r =
      Run({"run", "--arg", "0=f32[2] 1,2", "--arg", "1=f32[2] 3,4", Write("add.hlo", kAdd)});
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_EQ(r.out, "out_0 = f32[2] {4, 6}\n");
}

TEST_F(Cli, RunReadsAndWritesNpzAndFolders) {
  const std::string add = Write("add.hlo", kAdd);
  // The sum of the sums: outputs become inputs under another name.
  ASSERT_EQ(Run({"run", add, "--fake=iota", "--output", Path("folder")}).exit, 0);
  EXPECT_TRUE(fs::exists(folder_ / "folder" / "out_0.npy"));
  const Result from_npy = Run({"run", add, "--arg", "0=@" + Path("folder/out_0.npy"), "--arg",
                               "1=f32[2] 1,1", "--output", Path("out.npz")});
  EXPECT_EQ(from_npy.exit, 0) << from_npy.err;
  EXPECT_EQ(from_npy.out, "");
  const Result check = Run({"check", add, "--arg", "0=f32[2] 0,2", "--arg", "1=f32[2] 1,1",
                            "--against", Path("out.npz")});
  EXPECT_EQ(check.exit, 0) << check.err << check.out;
}

TEST_F(Cli, RunSaysWhichArgumentIsMissingOrWrong) {
  const std::string add = Write("add.hlo", kAdd);
  const Result missing = Run({"run", add, "--arg", "0=f32[2] 1,2"});
  EXPECT_EQ(missing.exit, 3);
  EXPECT_EQ(missing.err,
            "INVALID_ARGUMENT: argument 1 f32[2] has no value: give --inputs FILE.npz, "
            "--arg 1=..., or --fake\n");
  const Result wrong = Run({"run", add, "--fake", "--arg", "1=s32[2] 1,2"});
  EXPECT_EQ(wrong.exit, 3);
  EXPECT_EQ(wrong.err, "INVALID_ARGUMENT: --arg 1 is s32[2] but the program expects f32[2]\n");
  EXPECT_EQ(Run({"run", add, "--inputs", Path("none.npz")}).exit, 3);
}

TEST_F(Cli, RunReportsAsJson) {
  const Result r = Run({"run", Write("add.hlo", kAdd), "--fake=zeros", "--json", "--repeat", "3"});
  EXPECT_EQ(r.exit, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["schema"], "axle.run/1");
  EXPECT_EQ(report["outputs"][0]["name"], "out_0");
  EXPECT_EQ(report["outputs"][0]["type"], "f32");
  EXPECT_EQ(report["outputs"][0]["shape"], json({2}));
  EXPECT_EQ(report["outputs"][0]["value"], "{0, 0}");
  EXPECT_EQ(report["seconds"]["runs"].size(), 3u);
}

TEST_F(Cli, WhatIsUnsupportedExitsWithFive) {
  const Result r = Run({"run", "-", "--fake"},
                       "HloModule m, entry_computation_layout={(f32[8]{0:T(8)})->f32[8]{0}}\n\n"
                       "ENTRY main {\n  x = f32[8]{0:T(8)} parameter(0)\n"
                       "  ROOT y = f32[8] negate(x)\n}\n");
  EXPECT_EQ(r.exit, 5);
  EXPECT_TRUE(r.err.starts_with("UNIMPLEMENTED: ")) << r.err;
}

TEST_F(Cli, ProgramsThatVerificationRefusesExitWithThree) {
  const std::string file = Write("bad.hlo",
                                 "HloModule m\n\nENTRY main {\n  x = s32[] parameter(0)\n"
                                 "  ROOT y = pred[] compare(x, x), direction=EQ, type=FLOAT\n}\n");
  const Result r = Run({"parse", file});
  EXPECT_EQ(r.exit, 3);
  EXPECT_TRUE(r.err.starts_with("FAILED_PRECONDITION: ")) << r.err;
}

TEST_F(Cli, ParseShowsWhereItFailed) {
  const std::string file =
      Write("bad.hlo", "HloModule m\n\nENTRY main {\n  x = f32[2 parameter(0)\n}\n");
  const Result r = Run({"parse", file});
  EXPECT_EQ(r.exit, 3);
  EXPECT_NE(r.err.find(file), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("4:"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find('^'), std::string::npos) << r.err;
  EXPECT_EQ(r.out, "");
}

TEST_F(Cli, ParseWalksFolders) {
  fs::create_directory(folder_ / "modules");
  Write("modules/a.hlo", kAdd);
  Write("modules/b.hlo.txt", "nonsense");
  Write("modules/c.txt", "not a module");
  const Result r = Run({"parse", Path("modules"), "--json"});
  EXPECT_EQ(r.exit, 3);
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 2) << r.out;
  EXPECT_EQ(Run({"parse", Write("add.hlo", kAdd)}).exit, 0);
  EXPECT_EQ(Run({"parse", Path("nothing.hlo")}).exit, 3);
}

TEST_F(Cli, PrintRoundTripsAndHasTwoStyles) {
  const Result printed = Run({"print", "-"}, kAdd);
  EXPECT_EQ(printed.exit, 0) << printed.err;
  EXPECT_NE(printed.out.find("%sum"), std::string::npos) << printed.out;
  EXPECT_EQ(Run({"print", "-"}, printed.out).out, printed.out);
  const Result brief = Run({"print", "-", "--style", "short"}, kAdd);
  EXPECT_EQ(brief.out.find('%'), std::string::npos) << brief.out;
  EXPECT_EQ(Run({"print", "-", "--style=short"}, brief.out).out, brief.out);
}

TEST_F(Cli, ConvertKeepsTheModule) {
  const std::string program = Write("add.hlo", kAdd);
  const std::string text = Run({"print", program}).out;
  const Result to_stdout = Run({"convert", program, "--to", "hlo.pb"});
  EXPECT_EQ(to_stdout.exit, 0) << to_stdout.err;
  const std::string proto = Path("add.hlo.pb");
  EXPECT_EQ(Run({"convert", program, "--to=hlo.pb", "-o", proto}).out, "");
  EXPECT_EQ(ReadText(proto), to_stdout.out);
  EXPECT_EQ(Run({"print", proto}).out, text);
  EXPECT_EQ(Run({"convert", proto, "--to", "hlo"}).out, text);
  EXPECT_EQ(Run({"convert", "-", "--to", "hlo", "--from", "hlo.pb"}, to_stdout.out).out, text);
  EXPECT_EQ(Run({"run", proto, "--arg", "0=f32[2] 1,2", "--arg", "1=f32[2] 10,20"}).out,
            "out_0 = f32[2] {11, 22}\n");
  // A damaged proto says where.
  Write("damaged.pb", to_stdout.out.substr(0, to_stdout.out.size() / 2));
  const Result damaged = Run({"parse", "--from", "hlo.pb", Path("damaged.pb")});
  EXPECT_EQ(damaged.exit, 3);
  EXPECT_NE(damaged.err.find("damaged.pb: byte "), std::string::npos) << damaged.err;
}

TEST_F(Cli, ConvertToGraphAndJson) {
  const std::string program = Write("add.hlo", kAdd);
  const std::string graph = Run({"convert", program, "--to", "dot"}).out;
  EXPECT_TRUE(graph.starts_with("digraph \"")) << graph;
  EXPECT_NE(graph.find(" -> "), std::string::npos);
  const json module = json::parse(Run({"convert", program, "--to", "json"}).out);
  EXPECT_EQ(module["schema"], "axle.module/1");
  EXPECT_EQ(module["computations"][0]["instructions"].size(), 3u);
  EXPECT_EQ(module["computations"][0]["instructions"][2]["operands"].size(), 2u);

  const Result no_format = Run({"convert", program});
  EXPECT_EQ(no_format.exit, 2);
  EXPECT_NE(no_format.err.find("--to is missing; there are hlo, hlo.pb, dot, json"),
            std::string::npos);
  EXPECT_EQ(Run({"convert", program, "--to", "stablehlo"}).exit, 2);
}

TEST_F(Cli, OptPrintsWhatThePassesLeave) {
  const std::string file = Write("twice.hlo", R"(HloModule twice

ENTRY main {
  x = f32[2]{0} parameter(0)
  dead = f32[2]{0} sine(x)
  a = f32[2]{0} negate(x)
  b = f32[2]{0} negate(x)
  ROOT sum = f32[2]{0} add(a, b)
}
)");
  const Result r = Run({"opt", file, "--passes", "dce,cse", "--style", "short", "--verify-each"});
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_TRUE(
      r.out.ends_with("  x = f32[2]{0} parameter(0)\n  a = f32[2]{0} negate(x)\n"
                      "  ROOT sum = f32[2]{0} add(a, a)\n}\n"))
      << r.out;
  EXPECT_EQ(r.err, "");

  const Result as_read = Run({"opt", file, "--to", "hlo", "--style", "short"});
  EXPECT_EQ(as_read.out, Run({"print", file, "--style", "short"}).out);
  const Result timed = Run({"opt", file, "--passes", "cse", "--timing", "--print-after", "^c"});
  EXPECT_NE(timed.err.find(" 1 changes        4 instructions\n"), std::string::npos) << timed.err;
  EXPECT_NE(timed.err.find("// after cse\nHloModule twice"), std::string::npos) << timed.err;
  const Result list = Run({"opt", "--list"});
  EXPECT_TRUE(list.out.starts_with("dce       removes what ")) << list.out;
  EXPECT_NE(list.out.find("\ndefault: dce,"), std::string::npos) << list.out;
  EXPECT_EQ(json::parse(Run({"opt", "--list", "--json"}).out)["passes"][0]["name"], "dce");
}

TEST_F(Cli, OptSaysWhatItDoesNotKnow) {
  const std::string file = Write("add.hlo", kAdd);
  const Result stage = Run({"opt", file, "--to", "exe"});
  EXPECT_EQ(stage.exit, 2);
  EXPECT_EQ(stage.err,
            "INVALID_ARGUMENT: opt: --to: unknown stage \"exe\"; there are hlo, opt-hlo, fusions, "
            "buffers, llvm, "
            "asm\n");
  const Result pass = Run({"opt", file, "--passes", "dce,csse"});
  EXPECT_EQ(pass.exit, 2);
  EXPECT_NE(pass.err.find("unknown pass \"csse\" (did you mean \"cse\"?)"), std::string::npos)
      << pass.err;
  EXPECT_EQ(Run({"opt", file, "--print-after", "("}).exit, 2);
  const Result after = Run({"opt", file, "--print-after", "fusions"});
  EXPECT_EQ(after.exit, 2);
  EXPECT_EQ(after.err,
            "INVALID_ARGUMENT: opt: --print-after: no pass is called \"fusions\"; --list shows "
            "them, and --to prints the stages after them\n");
}

#ifdef AXLE_HAS_CODEGEN
constexpr const char* kSteps = R"(HloModule steps

less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }

ENTRY main {
  x = f32[4] parameter(0)
  k = s32[] parameter(1)
  n = f32[4] negate(x), metadata={source_file="steps.py" source_line=3}
  c = f32[4] cosine(n), metadata={source_file="steps.py" source_line=4}
  sorted = f32[4] sort(n), dimensions={0}, to_apply=less
  part = f32[2] slice(c), slice={[0:2]}
  updated = f32[4] dynamic-update-slice(sorted, part, k)
  v = f32[4] reverse(updated), dimensions={0}
  ROOT z = f32[4] add(v, updated)
}
)";

TEST_F(Cli, ExplainIsGolden) {
  const std::string file = Write("steps.hlo", kSteps);
  const Result r = Run({"explain", file, "--isa", "avx2"});
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_EQ(r.out, R"(steps for avx2: 4 loops, 4 different

main: 5 records
  0   loop        n (negate), c (cosine)
      compiled kernel2; reads 16 B, writes 32 B; 1 tile
      from steps.py:3, steps.py:4
  1   sort        sorted (sort)
      compiled kernel0, kernel1; reads 16 B, writes 16 B; 1 tile
  2   move        part (slice)
      library; reads 8 B, writes 8 B; 1 tile
  3   move        updated (dynamic-update-slice)
      library; reads 8 B, writes 8 B; 1 tile
  4   loop        z (add)
      compiled kernel3; reads 32 B, writes 16 B; 1 tile
  not in one record:
    0 -> 1, n: "sorted" puts whole lines in order
    0 -> 2, c: "part" is moved into order, to be read in a row
    1 -> 3, sorted: "sorted" puts whole lines in order
    2 -> 3, part: "part" is moved into order, to be read in a row
    3 -> 4, updated: "updated" is moved into order, to be read in a row
  frame 256 B of values, 100% of the 256 B that are needed at once at "sorted", and 192 B of pointers; constants 0 B
)") << r.err;

  const Result memory = Run({"explain", file, "--isa", "avx2", "--memory"});
  EXPECT_EQ(memory.out, R"(steps for avx2: 4 loops, 4 different
arguments 20 B, results 16 B; beside those a run needs the frame of the entry

main:
  frame 256 B of values, 100% of the 256 B that are needed at once at "sorted", and 192 B of pointers; constants 0 B
  x                       16 B        argument 0          start to 0
  k                       4 B         argument 1          start to 3
  n                       16 B        frame + 0           0 to 1
  c                       16 B        frame + 64          0 to 2
  sorted                  16 B        frame + 0           1 to 3
  part                    8 B         frame + 128         2 to 3
  updated                 16 B        frame + 0           3 to 4
  z                       16 B        result 0            4 to end
)");
}

TEST_F(Cli, ExplainSaysWhyLoopsAreApart) {
  // A loop of 300 steps is too long; the two parts are as large as they may be.
  std::string text = "HloModule long\n\nENTRY main {\n  v0 = f32[8] parameter(0)\n";
  for (int i = 1; i <= 300; ++i) {
    text += (i == 300 ? "  ROOT v" : "  v") + std::to_string(i) + " = f32[8] add(v" +
            std::to_string(i - 1) + ", v" + std::to_string(i / 2) + ")\n";
  }
  const Result r = Run({"explain", Write("long.hlo", text + "}\n")});
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_NE(r.out.find(": one loop of both would be too long\n"), std::string::npos) << r.out;
}

TEST_F(Cli, ExplainSaysInWhichOrderConvolutionsRead) {
  const std::string file = Write("nchw.hlo", R"(HloModule nchw
ENTRY main {
  x = f32[1,16,12,12] parameter(0)
  w = f32[16,16,3,3] parameter(1)
  ROOT c = f32[1,16,12,12] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01
})");
  const Result r = Run({"explain", file});
  EXPECT_NE(
      r.out.find("orders of dimensions:\n  main, c reads \"x\" as b01f, moved once, and writes "
                 "bf01; written as bf01 and bf01\n"),
      std::string::npos)
      << r.out << r.err;
  const Result passes = Run({"opt", "--list"});
  EXPECT_NE(passes.out.find("cse,layout\n"), std::string::npos) << passes.out;
}

TEST_F(Cli, ExplainAsJsonNamesTheEngineOfEveryRecord) {
  const Result r = Run({"explain", Write("steps.hlo", kSteps), "--json"});
  EXPECT_EQ(r.exit, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["schema"], "axle.explain/1");
  ASSERT_EQ(report["programs"].size(), 1u);
  const json& program = report["programs"][0];
  EXPECT_EQ(program["name"], "main");
  EXPECT_GE(program["frame_bytes"], program["live_bytes"]);
  for (const json& record : program["records"]) EXPECT_NE(record["engine"], "") << record;
  EXPECT_EQ(program["records"][2]["engine"], "library");
  EXPECT_EQ(program["records"][0]["instructions"][1]["source"], "steps.py:4");
  EXPECT_EQ(program["not_fused"][0]["consumer"], 1);
  EXPECT_EQ(program["placements"][0],
            json({{"computation", "main"}, {"instruction", "n"}, {"kind", "loop"}}));
  EXPECT_GT(report["seconds"]["kernels"], 0);
}

TEST_F(Cli, OptShowsTheStagesOfNativeCode) {
  const std::string file = Write("steps.hlo", kSteps);
  const Result fusions = Run({"opt", file, "--to", "fusions", "--timing"});
  EXPECT_EQ(fusions.exit, 0) << fusions.err;
  EXPECT_TRUE(
      fusions.out.starts_with("main: 5 records\n  0   loop        n (negate), c (cosine)\n"))
      << fusions.out;
  for (const char* stage : {"\nregions ", "\nbuffers ", "\nkernels "}) {
    EXPECT_NE(fusions.err.find(stage), std::string::npos) << fusions.err;
  }
  const Result buffers = Run({"opt", file, "--to", "buffers"});
  EXPECT_TRUE(buffers.out.starts_with("main:\n  frame ")) << buffers.out;
  EXPECT_NE(
      buffers.out.find("  z                       16 B        result 0            4 to end\n"),
      std::string::npos)
      << buffers.out;
  const Result llvm = Run({"opt", file, "--to", "llvm"});
  EXPECT_NE(llvm.out.find("define void @kernel1("), std::string::npos) << llvm.out;
  const Result assembly = Run({"opt", file, "--to", "asm"});
  EXPECT_NE(assembly.out.find("\nkernel1:\n"), std::string::npos) << assembly.out;
}

TEST_F(Cli, OptAndExplainShowFastCodeToo) {
  const std::string file = Write("sum.hlo", R"(HloModule sum
ENTRY e {
  x = f32[1000] parameter(0)
  y = f32[1000] multiply(x, x)
  ROOT r = f32[1000] add(y, x)
}
)");
  EXPECT_EQ(Run({"opt", file, "--to", "llvm"}).out.find("llvm.fma"), std::string::npos);
  const Result fast = Run({"opt", file, "--to", "llvm", "--numerics", "fast"});
  EXPECT_NE(fast.out.find("llvm.fma"), std::string::npos) << fast.out << fast.err;
  const Result explained = Run({"explain", file, "--numerics", "fast"});
  EXPECT_EQ(explained.exit, 0) << explained.err;
  EXPECT_NE(explained.out.find("1 loops"), std::string::npos) << explained.out;
}
#endif

TEST_F(Cli, InfoIsGolden) {
  const Result r = Run({"info", "-"}, kAdd);
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_EQ(r.out,
            "add\n"
            "  entry         main (x: f32[2], y: f32[2]) -> f32[2]\n"
            "  instructions  3 in 1 computations\n"
            "  parameters    16 B\n"
            "  result        8 B\n"
            "  constants     0 B\n"
            "  temporaries   0 B at most, one instruction after the other\n"
            "  flops         2 (loop bodies once)\n"
            "  moved         24 B (loop bodies once)\n"
            "  2\tparameter\n"
            "  1\tadd\n");
}

TEST_F(Cli, OpsDescribesTheTable) {
  const Result list = Run({"ops"});
  EXPECT_EQ(list.exit, 0) << list.err;
  EXPECT_NE(list.out.find("\nmaximum"), std::string::npos) << list.out;
  const Result r = Run({"ops", "select"});
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_NE(r.out.find("  operand pred\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("takes  pred only"), std::string::npos) << r.out;
  const Result unknown = Run({"ops", "selct"});
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_NE(unknown.err.find("did you mean \"select\"?"), std::string::npos) << unknown.err;
}

TEST_F(Cli, OpsAsJson) {
  const Result r = Run({"ops", "compare", "--json"});
  ASSERT_EQ(r.exit, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["schema"], "axle.ops/1");
  const json& op = report["ops"].at(0);
  EXPECT_EQ(op["name"], "compare");
  EXPECT_EQ(op["lowering"], "elementwise");
  EXPECT_EQ(op["attributes"].at(0)["name"], "direction");
  EXPECT_EQ(op["attributes"].at(0)["values"].size(), 6);
  EXPECT_EQ(op["element_types"].at(1)["operand"], "rhs");
  EXPECT_NE(std::ranges::count(op["element_types"].at(0)["supported"], json("bf16")), 0);
}

TEST_F(Cli, CheckAnswersNoWithTheFirstDifference) {
  const std::string add = Write("add.hlo", kAdd);
  ASSERT_EQ(Run({"run", add, "--arg", "0=f32[2] 1,1", "--arg", "1=f32[2] 1,1", "--output",
                 Path("out.npz")})
                .exit,
            0);
  const Result r = Run({"check", add, "--arg", "0=f32[2] 1,1", "--arg", "1=f32[2] 1,1.5",
                        "--against", Path("out.npz")});
  EXPECT_EQ(r.exit, 1);
  EXPECT_NE(r.out.find("out_0 f32[2]: element {1}: 2.5 against 2; 1 element differs"),
            std::string::npos)
      << r.out;
  EXPECT_EQ(Run({"check", add, "--arg", "0=f32[2] 1,1", "--arg", "1=f32[2] 1,1.5", "--against",
                 Path("out.npz"), "--atol", "0.5"})
                .exit,
            0);
}

TEST_F(Cli, CheckDrawsArgumentsAndSaysWhatDiffers) {
  const std::string add = Write("add.hlo", kAdd);
  const Result equal = Run({"check", add, "--seeds", "4", "--levels", "0,2"});
  EXPECT_EQ(equal.exit, 0) << equal.err << equal.out;
  EXPECT_EQ(equal.out, "");
  EXPECT_TRUE(equal.err.ends_with("add.hlo: equal in 36 runs\n")) << equal.err;
  const Result as_json = Run({"check", add, "--json", "--isa", "auto", "--fake=iota"});
  EXPECT_EQ(as_json.exit, 0) << as_json.err;
  const json report = json::parse(as_json.out);
  EXPECT_EQ(report["schema"], "axle.check/1");
  EXPECT_EQ(report["outcome"], "equal");
  EXPECT_EQ(report["runs"], 5);  // the passes, and native code in both forms, checked or not
  EXPECT_EQ(Run({"check", Write("forever.hlo", kForever), "--time-limit", "0.3"}).exit, 4);
  EXPECT_EQ(Run({"check", add, "--isa", "sse9"}).exit, 2);
  EXPECT_EQ(Run({"check"}).exit, 2);
}

TEST_F(Cli, CheckGoesThroughRandomModules) {
  const Result r = Run({"check", "--random=30", "--seed", "3", "--jobs", "2", "--json"});
  EXPECT_EQ(r.exit, 0) << r.err << r.out;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["modules"], 30);
  EXPECT_EQ(report["next"], 30);
  EXPECT_EQ(report["failures"], json::array());
  EXPECT_NE(r.err.find("seed 3: 30 modules"), std::string::npos) << r.err;
  EXPECT_EQ(Run({"check", "--random"}).exit, 2);
  const Result timed = Run({"check", "--random", "--time-limit", "0.3", "--quiet"});
  EXPECT_TRUE(timed.exit == 0 || timed.exit == 5) << timed.out;
  EXPECT_EQ(timed.err, "");
}

TEST_F(Cli, GenWritesModulesThatParse) {
  EXPECT_EQ(
      Run({"gen", "--seed", "3", "--first", "7", "--count", "3", "--output", Path("dir")}).exit, 0);
  for (const char* name : {"gen_3_7.hlo", "gen_3_8.hlo", "gen_3_9.hlo"}) {
    EXPECT_TRUE(fs::exists(folder_ / "dir" / name)) << name;
  }
  EXPECT_EQ(Run({"parse", Path("dir")}).exit, 0);
  const Result one = Run({"gen", "--seed", "3", "--first", "8"});
  EXPECT_EQ(one.out, ReadText(folder_ / "dir" / "gen_3_8.hlo"));
  const Result few = Run({"gen", "--coverage", "--count", "10"});
  EXPECT_EQ(few.exit, 1);  // ten modules do not have everything
  EXPECT_NE(few.out.find("## Empty cells"), std::string::npos);
  EXPECT_NE(few.err.find("never drawn: "), std::string::npos);
  EXPECT_EQ(Run({"gen", "--coverage", "--count", "10", "--jobs", "3"}).out, few.out);
}

TEST_F(Cli, ReduceKeepsWhatFails) {
  const std::string file = Write("big.hlo", R"(HloModule big
ENTRY e {
  x = f32[40] parameter(0)
  y = f32[40] sine(x)
  z = f32[40] tanh(y)
  ROOT r = (f32[40], f32[40]) tuple(z, y)
})");
  const Result small = Run({"reduce", file, "--command", "sh -c '! grep -q tanh \"$0\"'"});
  EXPECT_EQ(small.exit, 0) << small.err;
  EXPECT_NE(small.out.find("ROOT %z = f32[0]{0} tanh("), std::string::npos) << small.out;
  EXPECT_EQ(small.out.find("sine"), std::string::npos) << small.out;
  EXPECT_TRUE(small.err.ends_with("big.hlo: 4 instructions, 2 left\n")) << small.err;
  const Result fine = Run({"reduce", file});
  EXPECT_EQ(fine.exit, 3);
  EXPECT_EQ(fine.err,
            "INVALID_ARGUMENT: reduce: the module does not fail, there is nothing to reduce\n");
}

TEST_F(Cli, BatchAnswersInOrder) {
  const std::string add = Write("add.hlo", kAdd);
  const std::string requests =
      json({{"id", 1}, {"verb", "parse"}, {"file", add}}).dump() + "\n" +
      json({{"id", "two"},
            {"verb", "run"},
            {"file", add},
            {"args", {"0=f32[2] 1,2", "1=f32[2] 3,4"}},
            {"output", Path("o.npz")}})
          .dump() +
      "\n" + "not json\n\n" +
      json({{"id", 4}, {"verb", "print"}, {"file", add}, {"output", Path("o.hlo")}}).dump() + "\n" +
      json({{"id", 5}, {"verb", "run"}, {"file", Path("none.hlo")}}).dump() + "\n" +
      json({{"id", 6}, {"verb", "info"}, {"file", add}}).dump() + "\n" +
      json({{"id", 7}, {"verb", "parse"}, {"fil", add}}).dump();
  const Result r = Run({"batch"}, requests);
  EXPECT_EQ(r.exit, 0) << r.err;
  std::istringstream lines(r.out);
  std::vector<json> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(json::parse(line));
  ASSERT_EQ(answers.size(), 7u) << r.out;
  const std::vector<int> exits = {0, 0, 2, 0, 3, 2, 2};
  for (size_t i = 0; i < exits.size(); ++i) {
    EXPECT_EQ(answers[i]["exit"], exits[i]) << answers[i];
    EXPECT_EQ(answers[i]["message"] == "", exits[i] == 0) << answers[i];
    EXPECT_TRUE(answers[i]["seconds"].is_number());
  }
  EXPECT_EQ(answers[1]["id"], "two");
  EXPECT_TRUE(answers[2]["id"].is_null());
  EXPECT_EQ(answers[6]["message"], "unknown key \"fil\" (did you mean \"file\"?)");
  EXPECT_TRUE(fs::exists(Path("o.npz")));
  EXPECT_TRUE(ReadText(Path("o.hlo")).starts_with("HloModule add"));
}

// Every program of a folder in one process: it runs, or says what it lacks.
TEST_F(Cli, BatchRunsWholeFolders) {
  const fs::path corpus = SharedFolder() / "corpus";
  const fs::path data = SourceFolder() / "tests/data/programs";
  for (const fs::path& folder : {data, corpus}) {
    if (!fs::exists(folder / "index.json")) {
      std::printf("skipped: %s is not there\n", folder.c_str());
      continue;
    }
    constexpr double kMostWork = 2e7;  // operations; larger programs are run by corpus_test
    std::string requests;
    std::vector<std::string> names;
    const json index = json::parse(ReadText(folder / "index.json"));
    for (const json& program : index["programs"]) {
      if (program.value("work", 0.0) > kMostWork || program.value("devices", 1) != 1) continue;
      names.push_back(program["name"]);
      const fs::path files = folder / names.back();
      requests += json({{"id", names.back()},
                        {"verb", "run"},
                        {"file", files / "program.hlo.txt"},
                        {"inputs", files / "inputs.npz"},
                        {"output", Path("out.npz")}})
                      .dump() +
                  "\n";
    }
    const Result r = Run({"batch"}, requests);
    EXPECT_EQ(r.exit, 0) << r.err;
    std::istringstream lines(r.out);
    size_t answered = 0;
    for (std::string line; std::getline(lines, line); ++answered) {
      const json answer = json::parse(line);
      ASSERT_LT(answered, names.size());
      EXPECT_EQ(answer["id"], names[answered]);
      const std::string message = answer["message"];
      if (folder == data || answer["exit"] != 5) {
        EXPECT_EQ(answer["exit"], 0) << line;
      } else {
        EXPECT_TRUE(message.starts_with("UNIMPLEMENTED: ")) << line;
      }
    }
    EXPECT_EQ(answered, names.size());
  }
}

TEST_F(Cli, HelpFitsAScreenAndBeginsWithExamples) {
  for (const char* verb : {"run", "parse", "print", "info", "check", "opt", "explain", "ops", "gen",
                           "reduce", "batch"}) {
    const Result r = Run({verb, "-h"});
    EXPECT_EQ(r.exit, 0) << verb;
    EXPECT_TRUE(r.out.starts_with(std::string("axle ") + verb)) << r.out;
    EXPECT_LE(std::count(r.out.begin(), r.out.end(), '\n'), 25) << verb;
    std::istringstream lines(r.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
    EXPECT_EQ(Run({"help", verb}).out, r.out);
  }
  const Result overview = Run({"help"});
  EXPECT_EQ(overview.exit, 0);
  EXPECT_LE(std::count(overview.out.begin(), overview.out.end(), '\n'), 25);
  EXPECT_EQ(Run({"--version"}).out, "axle 0.1.0\n");
}

TEST_F(Cli, TypingErrorsGetTheNearestName) {
  const Result verb = Run({"prase", "x"});
  EXPECT_EQ(verb.exit, 2);
  EXPECT_EQ(verb.err,
            "axle: unknown verb \"prase\" (did you mean \"parse\"?); `axle help` lists them\n");
  const Result flag = Run({"run", "--repaet", "3", "x"});
  EXPECT_EQ(flag.exit, 2);
  EXPECT_EQ(flag.err,
            "axle: unknown option \"--repaet\" for \"run\" (did you mean \"--repeat\"?)\n");
  EXPECT_EQ(Run({"run", "--engine", "gpu", "x"}).exit, 2);
  EXPECT_EQ(Run({"run"}).exit, 2);
  EXPECT_EQ(Run({}).exit, 2);
  EXPECT_EQ(Run({"bench", "x"}).exit, 5);
  EXPECT_EQ(Run({"parse", "x", "--mem-limit", "5X"}).exit, 2);
}

TEST_F(Cli, LimitsEndARun) {
  const std::string forever = Write("forever.hlo", kForever);
  const Result time = Run({"run", forever, "--time-limit", "0.3"});
  EXPECT_EQ(time.exit, 4);
  EXPECT_EQ(time.err, "DEADLINE_EXCEEDED: the time limit is used up\n");
  const Result memory = Run({"run", "-", "--mem-limit", "64M"},
                            "HloModule m\n\nENTRY main {\n  one = f32[] constant(1)\n"
                            "  ROOT ones = f32[100000000] broadcast(one), dimensions={}\n}\n");
  EXPECT_EQ(memory.exit, 4);
  EXPECT_TRUE(memory.err.starts_with("RESOURCE_EXHAUSTED: ")) << memory.err;
}

// From too little to start the native engine to enough to compile and run.
TEST_F(Cli, TooLittleMemoryToCompileIsALimitNotACrash) {
  const std::string program = Write("norm.hlo", R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[8,64] parameter(0)
  zero = f32[] constant(0)
  y = f32[8,64] exponential(x)
  sum = f32[8] reduce(y, zero), dimensions={1}, to_apply=add
  sums = f32[8,64] broadcast(sum), dimensions={0}
  z = f32[8,64] divide(y, sums)
  w = f32[64,8] transpose(z), dimensions={1,0}
  t = f32[64,8] tanh(w)
  v = f32[64,64] dot(t, z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (f32[64,64], f32[64,8]) tuple(v, t)
})");
  std::vector<int> exits;
  for (const int megabytes : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 64, 128, 256}) {
    const Result r =
        Run({"run", program, "--fake", "--mem-limit", std::to_string(megabytes) + "M"});
    EXPECT_TRUE(r.exit == 0 || r.exit == 4) << megabytes << " MB: " << r.exit << r.err;
    exits.push_back(r.exit);
  }
  EXPECT_EQ(exits.back(), 0);
  EXPECT_TRUE(std::ranges::is_sorted(exits, std::greater()));  // what is enough stays enough
  EXPECT_EQ(exits.front(), kAddressSanitizer || kThreadSanitizer ? 0 : 4);  // they lift the limit
}

// With room for some of the threads that could compile its kernels.
TEST_F(Cli, ManyThreadsCompileInTheMemoryThatThereIs) {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[9] parameter(0)\n";
  for (int i = 1; i <= 100; ++i) {
    const std::string n = std::to_string(i), size = std::to_string(i + 10);
    text += "  x" + n + " = f32[" + size + "] parameter(" + n + ")\n  y" + n + " = f32[" + size +
            "] sine(x" + n + ")\n  k" + n + " = f32[] constant(" + n + ")\n  b" + n + " = f32[" +
            size + "] broadcast(k" + n + "), dimensions={}\n  z" + n + " = f32[" + size +
            "] multiply(y" + n + ", b" + n + ")\n";
  }
  std::string list, types;
  for (int i = 1; i <= 100; ++i) {
    list += (i > 1 ? ", z" : "z") + std::to_string(i);
    types += (i > 1 ? ", f32[" : "f32[") + std::to_string(i + 10) + "]";
  }
  text += "  ROOT r = (" + types + ") tuple(" + list + ")\n}\n";
  const Result r =
      Run({"check", Write("many.hlo", text), "--threads", "64", "--mem-limit", "256M"});
  EXPECT_EQ(r.exit, 0) << r.out << r.err;
  EXPECT_EQ(r.out.find("over limit"), std::string::npos) << r.out;
}

TEST_F(Cli, AHugeShapeIsALimitNotACrash) {
  const Result r =
      Run({"run", "-", "--fake=zeros"},
          "HloModule m\n\nENTRY main {\n  ROOT x = f32[1099511627776] parameter(0)\n}\n");
  EXPECT_TRUE(r.exit == 3 || r.exit == 4) << r.exit << r.err;
}

// The process has come as far as installing its handlers.
bool HandlesSignals(pid_t pid) {
  const std::string status = ReadText("/proc/" + std::to_string(pid) + "/status");
  const size_t at = status.find("SigCgt:");
  if (at == status.npos || status.find("State:\tZ") != status.npos) return true;  // it has ended
  const auto mask = std::strtoull(status.c_str() + at + 7, nullptr, 16);
  return (mask >> (SIGTERM - 1) & 1) != 0;
}

TEST_F(Cli, SignalsCancelCleanly) {
  for (int signal : {SIGINT, SIGTERM}) {
    const pid_t pid = Start({"run", Write("forever.hlo", kForever), "--time-limit", "0"});
    while (!HandlesSignals(pid)) std::this_thread::yield();
    kill(pid, signal);
    const Result r = Finish(pid);
    EXPECT_EQ(r.exit, 4) << signal;
    EXPECT_EQ(r.err, "CANCELLED: cancelled\n");
  }
}

#ifdef AXLE_HAS_CODEGEN
// Products without end, by as many threads as were asked for.
TEST_F(Cli, ThreadsShareARun) {
  const pid_t pid = Start({"run", "-", "--fake=zeros", "--threads", "5", "--time-limit", "60"},
                          R"(HloModule m

always {
  x = f32[300,300] parameter(0)
  ROOT yes = pred[] constant(true)
}

step {
  x = f32[300,300] parameter(0)
  ROOT d = f32[300,300] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}

ENTRY main {
  x = f32[300,300] parameter(0)
  ROOT r = f32[300,300] while(x), condition=always, body=step
}
)");
  const auto tasks = fs::path("/proc") / std::to_string(pid) / "task";
  std::error_code error;
  std::ptrdiff_t most = 0;
  int status = 0;
  bool has_ended = false;
  while (most < 5 && !(has_ended = waitpid(pid, &status, WNOHANG) != 0)) {
    most = std::max(most, std::distance(fs::directory_iterator(tasks, error), {}));
    std::this_thread::yield();
  }
  EXPECT_EQ(most, 5);
  if (has_ended) return;
  kill(pid, SIGTERM);
  EXPECT_EQ(Finish(pid).exit, 4);
}
#endif

}  // namespace
}  // namespace axle
