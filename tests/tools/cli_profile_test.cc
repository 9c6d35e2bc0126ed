// axle run --profile: tables, JSON and traces, and what goes where.
#include <nlohmann/json.hpp>
#include <regex>

#include "axle/core/strings.h"
#include "tests/tools/cli.h"

namespace axle {
namespace {

using Json = nlohmann::json;
using CliProfile = Cli;

constexpr std::string_view kNet = R"(HloModule net

ENTRY main {
  x = f32[256,256] parameter(0)
  d = f32[256,256] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={source_file="dir/net.py" source_line=7}
  ROOT t = f32[256,256] tanh(d)
}
)";

#ifdef AXLE_HAS_CODEGEN
const std::vector<std::string> kEngines = {"native", "interpret"};
#else
const std::vector<std::string> kEngines = {"interpret"};
#endif

TEST_F(CliProfile, TableGoesToStderrAndResultsToStdout) {
  const std::string net = Write("net.hlo", kNet);
  const Result plain = Run({"run", net, "--fake"});
  ASSERT_EQ(plain.exit, 0) << plain.err;
  for (const std::string& engine : kEngines) {
    const Result r = Run({"run", net, "--fake", "--profile", "--repeat", "3", "--engine", engine});
    EXPECT_EQ(r.exit, 0) << r.err;
    EXPECT_EQ(r.out, plain.out);
    EXPECT_TRUE(std::regex_search(
        r.err,
        std::regex("^profile of \"net\": 3 runs, [0-9.]+ [mu]?s each; [0-9.]+ % outside of "
                   "steps\n   *share   *self/run  turns/run   *min/turn  threads  bytes/turn "
                   " flops/turn  roofline  step\n")))
        << r.err;
    EXPECT_TRUE(std::regex_search(r.err, std::regex("  1 .*  524 kB|  1 .*  786 kB"))) << r.err;
    EXPECT_NE(r.err.find("33.6 M"), r.err.npos) << r.err;
    EXPECT_NE(r.err.find(" d: dot (net.py:7)\n"), r.err.npos) << r.err;
    EXPECT_TRUE(std::regex_search(
        r.err, std::regex("\nroofline of [0-9]+ threads?: [0-9.]+ [GM]B/s, [0-9.]+ [GM]flop/s of "
                          "f32\n")))
        << r.err;
  }
}

TEST_F(CliProfile, JsonAndTraceTakeThePlaceOfTheResults) {
  const std::string net = Write("net.hlo", kNet);
  for (const std::string& engine : kEngines) {
    const Result json = Run({"run", net, "--fake", "--profile=json", "--engine", engine});
    ASSERT_EQ(json.exit, 0) << json.err;
    EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 1);
    const Json report = Json::parse(json.out);
    EXPECT_EQ(report["schema"], "axle.profile/1");
    const Json& program = report["programs"][0];
    EXPECT_EQ(program["runs"], 1);
    bool has_dot = false;
    for (const Json& record : program["records"]) {
      if (record["name"] != "d") continue;
      has_dot = true;
      EXPECT_EQ(record["sources"], Json{"dir/net.py:7"});
      EXPECT_EQ(record["turns"], 1);
      EXPECT_EQ(record["flops"], 2.0 * 256 * 256 * 256);
      EXPECT_EQ(record["engine"], engine == "native" ? "library" : "interpreter");
    }
    EXPECT_TRUE(has_dot);
    const Result trace = Run({"run", net, "--fake", "--profile=trace", "--engine", engine});
    ASSERT_EQ(trace.exit, 0) << trace.err;
    int runs = 0;
    for (const Json& event : Json::parse(trace.out)) runs += event.value("cat", "") == "run";
    EXPECT_EQ(runs, 1);
  }
}

TEST_F(CliProfile, FilesLeaveStdoutToTheResults) {
  const std::string net = Write("net.hlo", kNet);
  const Result plain = Run({"run", net, "--fake"});
  for (const char* const kind : {"table", "json", "trace"}) {
    const Result r =
        Run({"run", net, "--fake", StrCat("--profile=", kind), "--profile-file", Path("profile")});
    ASSERT_EQ(r.exit, 0) << r.err;
    EXPECT_EQ(r.out, plain.out);
    EXPECT_EQ(r.err, "");
    const std::string text = ReadText(Path("profile"));
    if (std::string(kind) == "table") {
      EXPECT_TRUE(text.starts_with("profile of \"net\": 1 run, ")) << text;
    } else {
      EXPECT_FALSE(Json::parse(text).empty());
    }
  }
  const Result both =
      Run({"run", net, "--fake", "--json", "--profile=json", "--profile-file", Path("profile")});
  EXPECT_EQ(Json::parse(both.out)["schema"], "axle.run/2");
  EXPECT_EQ(Json::parse(ReadText(Path("profile")))["schema"], "axle.profile/1");
  const Result r = Run({"run", net, "--fake", "--profile", "--profile-file", Path("no/folder")});
  EXPECT_EQ(r.exit, 3);
  EXPECT_NE(r.err.find("no/folder"), r.err.npos) << r.err;
}

TEST_F(CliProfile, WrongOptionsSayWhatIsRight) {
  const std::string add = Write("add.hlo", kAdd);
  const auto error = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", add, "--fake"});
    const Result r = Run(more);
    EXPECT_EQ(r.exit, 2) << r.out;
    EXPECT_EQ(r.out, "");
    return r.err;
  };
  EXPECT_EQ(error({"--profile-file", "x"}), "axle: run: --profile-file is for --profile\n");
  EXPECT_EQ(error({"--profile=jsno"}),
            "axle: run: --profile: unknown value \"jsno\" (did you mean \"json\"?); there are "
            "table, json, trace\n");
  EXPECT_EQ(error({"--profile=json", "--json"}),
            "axle: run: --profile=json and --json both go to stdout; --profile-file FILE takes the "
            "profile\n");
  EXPECT_EQ(error({"--profile=trace", "--output", "-"}),
            "axle: run: --profile=trace and --output - both go to stdout; --profile-file FILE "
            "takes the profile\n");
  EXPECT_EQ(error({"--profile=trace", "--profile-file", "t.json", "--distributed", "gloo"}),
            "axle: run: --profile-file: each process of --distributed writes its own; put {device} "
            "into \"t.json\" for the number of its first device\n");
}

// Each device has a table, and what they wait for shows.
TEST_F(CliProfile, DevicesHaveTablesOfTheirOwn) {
  const std::string both = Write("both.hlo", R"(HloModule both, replica_count=2
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY main { x = f32[64] parameter(0)
  ROOT s = f32[64] all-reduce(x), replica_groups={}, to_apply=add }
)");
  const Result r = Run({"run", both, "--fake", "--profile"});
  ASSERT_EQ(r.exit, 0) << r.err;
  for (const char* const device : {"0", "1"}) {
    EXPECT_NE(r.err.find(StrCat("profile of \"both\" on device ", device, ": 1 run, ")), r.err.npos)
        << r.err;
  }
}

// A trace of many events says that it is not all.
TEST_F(CliProfile, AFullTraceSaysSo) {
  const std::string loop = Write("loop.hlo", R"(HloModule loop
more { i = s32[] parameter(0)  n = s32[] constant(16)  ROOT c = pred[] compare(i, n), direction=LT }
turn { i = s32[] parameter(0)  one = s32[] constant(1)
  a = s32[2] broadcast(i), dimensions={}  b = s32[2] reverse(a), dimensions={0}
  c = s32[1] slice(b), slice={[1:2]}  d = s32[] reshape(c)
  ROOT r = s32[] add(d, one) }
ENTRY main { zero = s32[] constant(0)  ROOT r = s32[] while(zero), condition=more, body=turn }
)");
  const Result r =
      Run({"run", loop, "--profile=trace", "--engine", "interpret", "--repeat", "1500"});
  ASSERT_EQ(r.exit, 0) << r.err;
  EXPECT_TRUE(std::regex_search(
      r.err, std::regex("note: the trace has the first 100000 events; [0-9]+ later ones are left "
                        "out\n")))
      << r.err;
  const std::string last = Json::parse(r.out).back()["name"];
  EXPECT_TRUE(
      std::regex_match(last, std::regex("the trace is full: [0-9]+ later events are left out")))
      << last;
}

}  // namespace
}  // namespace axle
