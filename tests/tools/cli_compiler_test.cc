// Verbs that show what the compiler does and look for its faults: opt, explain, check, gen, reduce.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/tools/cli.h"

namespace axle {
namespace {

using nlohmann::json;

TEST_F(Cli, CompileWritesWhatRunTakes) {
  const std::string file = Write("f.hlo", R"(HloModule f

ENTRY main {
  x = f32[2]{0} parameter(0)
  y = f32[2]{0} sine(x)
  z = f32[2]{0} exponential(x)
  ROOT r = f32[2]{0} atan2(y, z)
}
)");
  const std::string compiled = Path("f.axle");
  const Result made = Run({"compile", file, "--output", compiled});
  EXPECT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(made.out + made.err, "");
  const auto run = [&](const std::string& program, std::vector<std::string> more = {}) {
    std::vector<std::string> all = {"run", program, "--arg", "x=1,2"};
    all.insert(all.end(), more.begin(), more.end());
    return Run(all);
  };
  const Result expected = run(file);
  EXPECT_EQ(expected.exit, 0) << expected.err;
  EXPECT_EQ(run(compiled).out, expected.out);
  EXPECT_EQ(run(compiled, {"--engine", "interpret"}).out, expected.out);
  EXPECT_EQ(Run({"print", compiled}).out, Run({"print", file}).out);

  std::string damaged = ReadText(compiled);
  damaged[damaged.size() / 2] ^= 1;
  const Result refused = run(Write("damaged.axle", damaged));
  EXPECT_EQ(refused.exit, 3);
  EXPECT_EQ(refused.err,
            "DATA_LOSS: compiled program: the file is damaged: its checksum is wrong\n");
  EXPECT_EQ(Run({"compile", file, file}).err, "axle: compile: takes one FILE, not 2\n");
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
  EXPECT_TRUE(list.out.starts_with("partition         gathers values ")) << list.out;
  EXPECT_NE(list.out.find("\ndce               removes instructions "), std::string::npos)
      << list.out;
  EXPECT_NE(list.out.find("\nbatch-norm        expands "), std::string::npos) << list.out;
  EXPECT_NE(list.out.find("\ndefault: partition,plain,dce,"), std::string::npos) << list.out;
  EXPECT_EQ(json::parse(Run({"opt", "--list", "--json"}).out)["passes"][0]["name"], "partition");
}

TEST_F(Cli, OptSaysWhatItDoesNotKnow) {
  const std::string file = Write("add.hlo", kAdd);
  const Result stage = Run({"opt", file, "--to", "exe"});
  EXPECT_EQ(stage.exit, 2);
  EXPECT_EQ(stage.err,
            "axle: opt: --to: unknown stage \"exe\"; there are hlo, opt-hlo, fusions, "
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
            "axle: opt: --print-after: no pass is called \"fusions\"; --list shows "
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
  not fused:
    0 -> 1, n: "sorted" sorts whole rows
    0 -> 2, c: "part" is copied: its reader needs contiguous rows
    1 -> 3, sorted: "sorted" sorts whole rows
    2 -> 3, part: "part" is copied: its reader needs contiguous rows
    3 -> 4, updated: "updated" is copied: its reader needs contiguous rows
  frame 256 B of values, 100% of the 256 B live at the peak, "sorted", and 192 B of pointers; constants 0 B
)") << r.err;

  const Result memory = Run({"explain", file, "--isa", "avx2", "--memory"});
  EXPECT_EQ(memory.out, R"(steps for avx2: 4 loops, 4 different
arguments 20 B, results 16 B; beside those a run needs the frame of the entry

main:
  frame 256 B of values, 100% of the 256 B live at the peak, "sorted", and 192 B of pointers; constants 0 B
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
  EXPECT_NE(r.out.find(": the fused loop would have too many operations\n"), std::string::npos)
      << r.out;
}

// Eleven sums of arrays, each of what the sums over the rows of the one before divide. However
// small the rows are, one record has no room for so many arrays.
TEST_F(Cli, ExplainSaysWhyRowsAreApart) {
  std::string text =
      "HloModule rows\n\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, "
      "b) }\n\nENTRY main {\n  zero = f32[] constant(0)\n  b0 = f32[16,9] parameter(0)\n";
  int parameter = 0;
  for (int part = 1; part <= 11; ++part) {
    const std::string n = std::to_string(part);
    std::string last = "b" + std::to_string(part - 1);
    const auto add = [&](const std::string& name, const std::string& operation) {
      text += "  " + name + " = f32[16,9] " + operation + "\n";
    };
    for (int i = 0; i < 30; ++i) {
      const std::string p = std::to_string(++parameter);
      add("p" + p, "parameter(" + p + ")");
      add("v" + p, (i == 0 ? "divide(p" : "add(p") + p + ", " + last + ")");
      last = "v" + p;
    }
    text += "  r" + n + " = f32[16] reduce(" + last + ", zero), dimensions={1}, to_apply=add\n";
    add("b" + n, "broadcast(r" + n + "), dimensions={0}");
  }
  const Result r = Run({"explain", Write("rows.hlo", text + "}\n")});
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_NE(r.out.find(": the fused rows would read too many arrays\n"), std::string::npos)
      << r.out;
}

TEST_F(Cli, ExplainSaysWhatPartitionsGather) {
  const std::string file = Write("parts.hlo", R"(HloModule parts, num_partitions=4
ENTRY main {
  x = f32[1024,3] parameter(0), sharding={devices=[4,1]<=[4]}
  ROOT s = f32[1024,3] negate(x), sharding={replicated}
})");
  const Result r = Run({"explain", file});
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_NE(
      r.out.find("\nbetween partitions:\n  main, x gathers 12 KiB of parameter 0 from 4 parts\n"),
      std::string::npos)
      << r.out;
  const Result in_json = Run({"explain", file, "--json"});
  EXPECT_EQ(
      json::parse(in_json.out)["partitions"],
      json::parse(
          R"([{"computation": "main", "instruction": "x", "text": "gathers 12 KiB of parameter 0 from 4 parts"}])"));
  const Result opt = Run({"opt", file, "--passes", "partition"});
  EXPECT_EQ(opt.exit, 0) << opt.err;
  EXPECT_NE(opt.out.find("all-gather"), std::string::npos) << opt.out;
}

TEST_F(Cli, ExplainSaysInWhichOrderConvolutionsRead) {
  const std::string file = Write("nchw.hlo", R"(HloModule nchw
ENTRY main {
  x = f32[1,16,10,10] parameter(0)
  w = f32[16,16,3,3] parameter(1)
  ROOT c = f32[1,16,10,10] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01
})");
  const Result r = Run({"explain", file});
  EXPECT_NE(r.out.find("layouts that differ from the program's:\n  main, c reads \"x\" as b01f, "
                       "transposed once, and writes "
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
  const Result timed = Run({"opt", file, "--to", "asm", "--timing"});
  for (const char* stage : {"\nregions ", "\nbuffers ", "\nkernels "}) {
    EXPECT_NE(timed.err.find(stage), std::string::npos) << timed.err;
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
  AXLE_SKIP_WITHOUT_CODEGEN();
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
  AXLE_SKIP_WITHOUT_CODEGEN();
  const Result r = Run({"check", "--random=30", "--seed", "3", "--jobs", "2", "--json"});
  EXPECT_EQ(r.exit, 0) << r.err << r.out;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["modules"], 30);
  EXPECT_EQ(report["next"], 30);
  EXPECT_EQ(report["failures"], json::array());
  EXPECT_EQ(report["over_limit"], json::array());
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
  EXPECT_NE(few.err.find("never generated: "), std::string::npos);
  EXPECT_EQ(Run({"gen", "--coverage", "--count", "10", "--jobs", "3"}).out, few.out);
}

TEST_F(Cli, ReduceKeepsWhatFails) {
  AXLE_SKIP_WITHOUT_CODEGEN();
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
  EXPECT_EQ(fine.err, "INVALID_ARGUMENT: reduce: the module does not fail: nothing to reduce\n");
}

}  // namespace
}  // namespace axle
