// Verbs that read, run and write programs; folders and batches of them; help.
#include "tests/tools/cli.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace axle {
namespace {

using nlohmann::json;

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
  ASSERT_EQ(Run({"run", add, "--fake=iota", "--output", Path("folder/")}).exit, 0);
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
  EXPECT_EQ(wrong.err,
            "INVALID_ARGUMENT: --arg 1: the value is s32[2] but the program expects f32[2]\n");
  EXPECT_EQ(Run({"run", add, "--inputs", Path("none.npz")}).exit, 3);
}

TEST_F(Cli, RunReportsAsJson) {
  const Result r = Run({"run", Write("add.hlo", kAdd), "--fake=zeros", "--json", "--repeat", "3"});
  EXPECT_EQ(r.exit, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["schema"], "axle.run/2");
  EXPECT_EQ(report["outputs"][0]["name"], "out_0");
  EXPECT_EQ(report["outputs"][0]["type"], "f32");
  EXPECT_EQ(report["outputs"][0]["shape"], json({2}));
  EXPECT_EQ(report["outputs"][0]["value"], json({0, 0}));
  EXPECT_EQ(report["seconds"]["runs"].size(), 3u);
}

TEST_F(Cli, WhatIsUnsupportedExitsWithFive) {
  const Result r = Run({"run", "-", "--fake"},
                       "HloModule m\n\nENTRY main {\n  x = s4[8] parameter(0)\n"
                       "  ROOT y = u4[8] bitcast(x)\n}\n");
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

TEST_F(Cli, PrintLeavesOutWhatItIsTold) {
  const std::string program =
      "HloModule m\nENTRY e.1 {\n  x.2 = f32[2] parameter(0), metadata={op_name=\"n\"}\n"
      "  ROOT y.3 = f32[2] negate(x.2), backend_config={\"a\":1}\n}\n";
  const auto root_of = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"print", "-"});
    const Result r = Run(options, program);
    EXPECT_EQ(r.exit, 0) << r.err;
    return r.out.substr(r.out.find("ENTRY"));
  };
  EXPECT_EQ(root_of({"--no-ids", "--no-metadata", "--no-backend-config", "--operand-shapes"}),
            "ENTRY %e (x: f32[2]) -> f32[2] {\n  %x = f32[2]{0} parameter(0)\n"
            "  ROOT %y = f32[2]{0} negate(f32[2]{0} %x)\n}\n");
  EXPECT_EQ(root_of({"--canonical-names", "--style=short", "--indent=1"}),
            "ENTRY e.1 {\n    tmp_0 = f32[2]{0} parameter(0)\n"
            "    ROOT tmp_1 = f32[2]{0} negate(tmp_0), backend_config={\"a\":1}\n  }\n");
}

TEST_F(Cli, StrictTypesRefusesMixedFloats) {
  const std::string program =
      "HloModule m\nENTRY e {\n  x = f16[] parameter(0)\n  y = f32[] parameter(1)\n"
      "  ROOT z = f32[] add(x, y)\n}\n";
  const Result mixed = Run({"run", "-", "--arg", "x=1", "--arg", "y=0.5"}, program);
  EXPECT_EQ(mixed.out, "out_0 = f32[] 1.5\n") << mixed.err;
  const Result strict =
      Run({"run", "-", "--strict-types", "--arg", "x=1", "--arg", "y=0.5"}, program);
  EXPECT_EQ(strict.exit, 3);
  EXPECT_NE(strict.err.find("mixed precision: operands of f16 and f32"), std::string::npos);
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
  EXPECT_NE(no_format.err.find(
                "--to is missing; there are hlo, hlo.pb, stablehlo, stablehlo.bc, dot, json"),
            std::string::npos);
  EXPECT_EQ(Run({"convert", program, "--to", "onnx"}).exit, 2);
}

TEST_F(Cli, ConvertToStablehlo) {
  const std::string program = Write("add.hlo", kAdd);
  const Result text = Run({"convert", program, "--to", "stablehlo"});
  EXPECT_EQ(text.exit, 0) << text.err;
  EXPECT_NE(text.out.find("stablehlo.add"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("loc("), std::string::npos) << text.out;
  const Result shorter = Run({"convert", program, "--to", "stablehlo", "--style", "short"});
  EXPECT_EQ(shorter.out.find("loc("), std::string::npos) << shorter.out;
  const std::string artifact = Path("add.mlir.bc");
  EXPECT_EQ(Run({"convert", program, "--to", "stablehlo.bc", "-o", artifact}).exit, 0);
  for (const std::string& file : {Write("add.mlir", text.out), artifact}) {
    EXPECT_EQ(Run({"run", file, "--arg", "0=f32[2] 1,2", "--arg", "1=f32[2] 10,20"}).out,
              "out_0 = f32[2] {11, 22}\n");
  }
  // What has no form is named.
  const Result refused =
      Run({"convert", "-", "--to", "stablehlo"},
          "HloModule m\nENTRY e {\n  ROOT s = u64[2] rng-get-and-update-state(), delta=1\n}\n");
  EXPECT_EQ(refused.exit, 5);
  EXPECT_NE(refused.err.find("instruction \"s\" of computation \"e\" has no form in StableHLO"),
            std::string::npos)
      << refused.err;
}

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
  const fs::path data = SourceFolder() / "tests/data/programs";
  for (const fs::path& folder : {data, SourceFolder() / "tests/data/corpus"}) {
    constexpr double kMaxWork = 2e7;  // operations; larger programs are run by corpus_test
    std::string requests;
    std::vector<std::string> names;
    const json index = json::parse(ReadText(folder / "index.json"));
    for (const json& program : index["programs"]) {
      if (program.value("work", 0.0) > kMaxWork || program.value("devices", 1) != 1) continue;
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
  for (const char* verb :
       {"run", "parse", "print", "info", "check", "opt", "explain", "ops", "gen", "reduce", "batch",
        "completion", "man", "compile", "launch", "simulate"}) {
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
  const Result value = Run({"run", "--engine", "gpu", "x"});
  EXPECT_EQ(value.exit, 2);
  EXPECT_EQ(value.err, "axle: run: --engine: unknown value \"gpu\"; there are interpret, native\n");
  const Result in_list = Run({"check", "--isa", "avx2,sse", "x"});
  EXPECT_EQ(in_list.exit, 2);
  EXPECT_EQ(in_list.err,
            "axle: check: --isa: unknown value \"sse\"; there are auto, all, v2, avx2, avx512, "
            "aarch64\n");
  EXPECT_EQ(Run({"run"}).exit, 2);
  EXPECT_EQ(Run({}).exit, 2);
  EXPECT_EQ(Run({"bench", "x"}).exit, 2);
  const Result unit = Run({"parse", "x", "--mem-limit", "5X"});
  EXPECT_EQ(unit.exit, 2);
  EXPECT_EQ(unit.err,
            "axle: --mem-limit: \"5X\" is not a number of bytes like 4096, 512K, 64M, 4G or 1T, or "
            "0 for no limit\n");
  EXPECT_EQ(Run({"parse", "x", "--mem-limit", "9999999999G"}).exit, 2);
}

// Names of --output: .npz, .npy, a folder, stdout; any other would be a guess.
TEST_F(Cli, OutputGoesWhereItsNameSays) {
  const std::string add = Write("add.hlo", kAdd);
  const auto run = [&](const std::string& output) {
    return Run({"run", add, "--fake=iota", "--output", output});
  };
  EXPECT_EQ(run(Path("sum.npy")).exit, 0);
  EXPECT_TRUE(ReadText(Path("sum.npy")).starts_with("\x93NUMPY"));
  EXPECT_EQ(run(Path("new/")).exit, 0);
  EXPECT_EQ(ReadText(Path("new/out_0.npy")), ReadText(Path("sum.npy")));
  fs::create_directory(Path("there"));
  EXPECT_EQ(run(Path("there")).exit, 0);
  EXPECT_EQ(ReadText(Path("there/out_0.npy")), ReadText(Path("sum.npy")));
  EXPECT_EQ(run(Path("sum.npz")).exit, 0);
  const Result piped = run("-");
  EXPECT_EQ(piped.exit, 0);
  EXPECT_EQ(piped.out, ReadText(Path("sum.npz")));
  for (const char* const name : {"sum", "sum.npyz", "sum.txt"}) {
    const Result r = run(Path(name));
    EXPECT_EQ(r.exit, 2) << name;
    EXPECT_NE(r.err.find(
                  "is neither a .npz, .npy or .safetensors file nor an existing folder or FOLDER/"),
              std::string::npos)
        << r.err;
    EXPECT_FALSE(fs::exists(Path(name)));
  }
  EXPECT_EQ(Run({"run", add, "--fake", "--output", "-", "--json"}).exit, 2);
  const Result timed = Run({"run", add, "--fake", "--time", "--quiet"});
  EXPECT_NE(timed.err.find("load and compile "), std::string::npos) << timed.err;
  const Result empty = Run({"run", add, "--fake", "--output", ""});
  EXPECT_EQ(empty.exit, 2);
  EXPECT_EQ(empty.err, "axle: --output: the name is empty\n");
  const std::string pair = Write(
      "pair.hlo",
      "HloModule m\nENTRY e { x = f32[] parameter(0)  ROOT r = (f32[], f32[]) tuple(x, x) }\n");
  const Result two = Run({"run", pair, "--fake", "--output", Path("pair.npy")});
  EXPECT_EQ(two.exit, 3);
  EXPECT_NE(two.err.find("is for one array, but the result has 2"), std::string::npos) << two.err;
}

TEST_F(Cli, BinaryFormatsRefuseATerminal) {
  const std::string add = Write("add.hlo", kAdd);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal) | unlockpt(terminal), 0);
  const int screen = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(screen, 0);
  EXPECT_EQ(Finish(Start({"convert", add, "--to", "hlo.pb"}, "", screen)).exit, 2);
  EXPECT_EQ(Finish(Start({"run", add, "--fake", "--output", "-"}, "", screen)).exit, 2);
  EXPECT_EQ(Finish(Start({"convert", add, "--to", "hlo", "--quiet"}, "", screen)).exit, 0);
  const Result named = Run({"convert", add, "--to", "hlo.pb", "--output", ptsname(terminal)});
  EXPECT_EQ(named.exit, 2);
  EXPECT_EQ(named.err, std::string("axle: convert: hlo.pb is binary and ") + ptsname(terminal) +
                           " is a terminal; give --output FILE\n");
  close(screen);
  close(terminal);
  EXPECT_EQ(Run({"convert", add, "--to", "hlo.pb"}).exit, 0);
}

// To look whether it is a terminal must not end what its reader sees.
TEST_F(Cli, ConvertWritesIntoAFifo) {
  const std::string add = Write("add.hlo", kAdd);
  const std::string fifo = Path("fifo.pb");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const pid_t pid = Start({"convert", add, "--to", "hlo.pb", "--output", fifo});
  const std::string read = ReadText(fifo);
  EXPECT_EQ(Finish(pid).exit, 0);
  EXPECT_EQ(read, Run({"convert", add, "--to", "hlo.pb"}).out);
  EXPECT_FALSE(read.empty());
}

// What a request may hold besides what is meant; every line is answered.
TEST_F(Cli, BatchAnswersRequestsOfAnyShape) {
  const std::string add = Write("add.hlo", kAdd);
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const std::string rest = R"(,"verb":"parse","file":")" + add + "\"}\n";
  const std::string requests =
      R"({"id":)" + deep + rest + R"({"id":{"a":1})" + rest + R"({"id":null)" + rest +
      R"({"id":true)" + rest + R"({"id":1,"args":)" + deep + rest + R"({"id":2,"verb":)" + deep +
      "}\n" + R"({"id":3,"verb":"parse","file":"-"})" + "\n" +
      R"({"id":4,"verb":"parse","file":"a\u0000b"})" + "\n" + R"({"id":5,"verb":"run","file":")" +
      add + R"(","args":["0=@-","1=f32[2] 1,2"]})" + "\n" + R"({"id":6,"verb":"run","file":")" +
      add + R"(","args":["0=f32[2] 1,2","1=f32[2] 1,2"],"output":"a\u0000b.npz"})" + "\n" +
      R"({"id":7,"verb":"print","output":"-")" + rest.substr(15) + R"({"id":1.5)" + rest +
      R"({"id":"x")" + rest + R"({"id":18446744073709551615)" + rest +
      R"({"id":18446744073709551616)" + rest + R"({"id":-9223372036854775809)" + rest +
      R"({"id":8,"output":"")" + rest;
  const Result r = Run({"batch"}, requests);
  EXPECT_EQ(r.exit, 0) << r.err;
  std::vector<json> answers;
  std::istringstream lines(r.out);
  for (std::string line; std::getline(lines, line);) answers.push_back(json::parse(line));
  ASSERT_EQ(answers.size(), 17u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(answers[i]["exit"], 2) << i;
    EXPECT_EQ(answers[i]["message"], i == 0
                                         ? "a request is not nested so deep"
                                         : "\"id\" is not a number of at most 64 bits or a string")
        << i;
    EXPECT_TRUE(answers[i]["id"].is_null()) << i;
  }
  EXPECT_EQ(answers[4]["exit"], 2);
  EXPECT_EQ(answers[5]["exit"], 2);
  EXPECT_EQ(answers[6]["exit"], 3);
  EXPECT_NE(answers[6]["message"].get<std::string>().find("stdin has the requests"),
            std::string::npos);
  EXPECT_EQ(answers[7]["exit"], 3);
  EXPECT_NE(answers[7]["message"].get<std::string>().find("NUL byte"), std::string::npos);
  EXPECT_EQ(answers[8]["exit"], 3);
  EXPECT_EQ(answers[9]["exit"], 2);
  EXPECT_FALSE(fs::exists("a"));
  EXPECT_EQ(answers[10]["exit"], 2);
  EXPECT_EQ(answers[11]["exit"], 0);
  EXPECT_EQ(answers[11]["id"], 1.5);
  EXPECT_EQ(answers[12]["exit"], 0);
  EXPECT_EQ(answers[13]["exit"], 0);
  EXPECT_EQ(answers[13]["id"].dump(), "18446744073709551615");
  EXPECT_EQ(answers[14]["exit"], 2);  // would come back as another number
  EXPECT_EQ(answers[15]["exit"], 2);
  EXPECT_EQ(answers[16]["message"], "\"output\" is empty");
}

TEST_F(Cli, ElidedConstantsAreRefusedWhereNumbersComeOut) {
  AXLE_SKIP_WITHOUT_CODEGEN();
  const std::string program =
      Write("elided.hlo", "HloModule m\n\nENTRY e {\n  ROOT k = u32[12]{0} constant({...})\n}\n\n");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"run", program},
                                             {"run", program, "--engine", "interpret"},
                                             {"check", program},
                                             {"check", program, "--rtol", "1"},
                                             {"opt", program},
                                             {"opt", program, "--to", "llvm"},
                                             {"reduce", program}}) {
    const Result r = Run(arguments);
    EXPECT_EQ(r.exit, 3) << arguments[0] << r.out << r.err;
    EXPECT_NE((r.out + r.err).find(program + " 4:32: the elements of constant \"k\" are left out"),
              std::string::npos)
        << r.out << r.err;
  }
  for (const char* const verb : {"parse", "info", "explain"}) {
    const Result r = Run({verb, program});
    EXPECT_EQ(r.exit, 0) << verb;
    EXPECT_EQ(
        r.err.find("note: " + program + " 4:32: the elements of constant \"k\" are left") == 0,
        std::string_view(verb) != "parse")
        << r.err;
  }
  EXPECT_NE(Run({"print", program}).out.find("constant({...})"), std::string::npos);
  EXPECT_NE(Run({"opt", program, "--to", "hlo"}).out.find("constant({...})"), std::string::npos);
  EXPECT_NE(Run({"convert", program, "--to", "json"}).out.find("{...}"), std::string::npos);
  EXPECT_EQ(Run({"convert", program, "--to", "hlo.pb", "--output", Path("elided.pb")}).exit, 0);
  EXPECT_NE(Run({"print", Path("elided.pb")}).out.find("constant({...})"), std::string::npos);
  EXPECT_EQ(Run({"run", Path("elided.pb")}).exit, 3);
  EXPECT_EQ(Run({"run", program, "--allow-elided"}).out,
            "out_0 = u32[12] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}\n");
  EXPECT_EQ(Run({"check", program, "--allow-elided"}).exit, 0);
  EXPECT_EQ(Run({"opt", program, "--allow-elided"}).exit, 0);
}

}  // namespace
}  // namespace axle
