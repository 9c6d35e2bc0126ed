// Profiles as tables, JSON and traces, from reports that are written here.
#include "axle/client/profile_text.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace axle {
namespace {

using Json = nlohmann::json;

ProfileReport Example() {
  ProfileProgram program;
  program.name = "train";
  program.runs = 2;
  program.seconds = 0.01;
  program.outside_seconds = 0.0005;
  ProfileRecord dot;
  dot.computation = "body";
  dot.name = "add.3";
  dot.kind = "contraction";
  dot.engine = "library";
  dot.ops = {"dot", "add", "dot"};
  dot.sources = {"/home/me/net.py:17", "/home/me/net.py:18"};
  dot.callers = {1};
  dot.turns = 40;
  dot.timed_turns = 20;
  dot.seconds = dot.self_seconds = 0.007;
  dot.min_seconds = 150e-6;
  dot.share = 0.7;
  dot.bytes_read = 1'000'000;
  dot.bytes_written = 50'000;
  dot.flops = 33.5e6;
  dot.roofline = 0.714;
  dot.threads = 2;
  ProfileRecord loop;
  loop.computation = "main";
  loop.name = "while \"x\"";
  loop.kind = "while";
  loop.engine = "program";
  loop.ops = {"while"};
  loop.turns = loop.timed_turns = 2;
  loop.seconds = 0.0095;
  loop.self_seconds = 0.0025;
  loop.min_seconds = 0.004;
  loop.share = 0.25;
  program.records = {dot, loop};
  ProfileReport report;
  report.programs = {program};
  report.machine = {{1, 10e9, 50e9}, {2, 12.5e9, 98e9}};
  return report;
}

TEST(ProfileText, Table) {
  EXPECT_EQ(ProfileTable(Example()),
            "profile of \"train\": 2 runs, 5.000 ms each; 5.0 % outside of steps\n"
            "   share   self/run  turns/run   min/turn  threads  bytes/turn  flops/turn  roofline"
            "  step\n"
            "  70.0 %  ~3.500 ms         20  150.00 us        2     1.05 MB      33.5 M      71 %"
            "  contraction add.3 in body: dot, add (net.py:18)\n"
            "  25.0 %   1.250 ms          1   4.000 ms        1           -           -         -"
            "  while while \"x\"\n"
            "~ is estimated from the turns that were timed\n"
            "roofline of 1 thread: 10 GB/s, 50 Gflop/s of f32\n"
            "roofline of 2 threads: 12.5 GB/s, 98 Gflop/s of f32\n");
}

TEST(ProfileText, TableNamesDevicesAndCountsTheRest) {
  ProfileReport report = Example();
  report.machine.clear();
  report.programs.push_back(report.programs[0]);
  report.programs[1].device = 3;
  report.programs[1].runs = 1;
  report.programs[1].records.clear();
  const std::string table = ProfileTable(report, /*max_rows=*/1);
  EXPECT_NE(table.find("profile of \"train\" on device 0: 2 runs, 5.000 ms each; "), table.npos)
      << table;
  EXPECT_NE(table.find("  and 1 more steps, 25.0 %\n"), table.npos) << table;
  EXPECT_NE(table.find("profile of \"train\" on device 3: 1 run, 10.000 ms; 5.0 % outside of "
                       "steps\n"),
            table.npos)
      << table;
  EXPECT_EQ(ProfileTable({}), "");
}

TEST(ProfileText, JsonHasEverythingAndNullForWhatIsNotKnown) {
  const std::string text = ProfileJson(Example());
  EXPECT_EQ(text.find('\n'), text.npos);
  const Json json = Json::parse(text);
  EXPECT_EQ(json["schema"], "axle.profile/1");
  EXPECT_EQ(json["machine"][1],
            (Json{{"threads", 2}, {"bytes_per_second", 12.5e9}, {"flops_per_second", 98e9}}));
  const Json& program = json["programs"][0];
  EXPECT_EQ(program["name"], "train");
  EXPECT_EQ(program["device"], 0);
  EXPECT_EQ(program["runs"], 2);
  EXPECT_EQ(program["seconds"], 0.01);
  EXPECT_EQ(program["outside_seconds"], 0.0005);
  EXPECT_EQ(program["records"][0], (Json{{"computation", "body"},
                                         {"name", "add.3"},
                                         {"kind", "contraction"},
                                         {"engine", "library"},
                                         {"ops", {"dot", "add", "dot"}},
                                         {"sources", {"/home/me/net.py:17", "/home/me/net.py:18"}},
                                         {"callers", {1}},
                                         {"turns", 40},
                                         {"timed_turns", 20},
                                         {"seconds", 0.007},
                                         {"self_seconds", 0.007},
                                         {"min_seconds", 150e-6},
                                         {"share", 0.7},
                                         {"bytes_read", 1'000'000},
                                         {"bytes_written", 50'000},
                                         {"flops", 33.5e6},
                                         {"roofline", 0.714},
                                         {"threads", 2}}));
  const Json& loop = program["records"][1];
  EXPECT_EQ(loop["name"], "while \"x\"");
  for (const char* const name : {"bytes_read", "bytes_written", "flops", "roofline"}) {
    EXPECT_TRUE(loop[name].is_null()) << name;
  }
  EXPECT_EQ(Json::parse(ProfileJson({}))["programs"], Json::array());
}

TEST(ProfileText, TraceIsAnArrayOfCompleteEvents) {
  ProfileReport report = Example();
  report.programs[0].device = 1;
  report.events = {{0, ProfileEvent::kRun, 0, 0, 5'000'001},
                   {0, 1, 0, 1'001, 4'999'999},
                   {0, 0, 0, 2'000, 3'500},
                   {0, 0, 1, 2'100, 3'400}};
  report.events_left_out = 7;
  const Json json = Json::parse(ProfileTrace(report));
  ASSERT_TRUE(json.is_array());
  ASSERT_EQ(json.size(), 3u + 4 + 1);
  EXPECT_EQ(json[0], (Json{{"ph", "M"},
                           {"name", "process_name"},
                           {"pid", 1},
                           {"tid", 0},
                           {"args", {{"name", "device 1"}}}}));
  EXPECT_EQ(json[2]["name"], "thread_name");
  EXPECT_EQ(json[2]["args"]["name"], "thread 1");
  EXPECT_EQ(json[3], (Json{{"ph", "X"},
                           {"name", "train"},
                           {"cat", "run"},
                           {"pid", 1},
                           {"tid", 0},
                           {"ts", 0.0},
                           {"dur", 5000.001}}));
  EXPECT_EQ(json[5], (Json{{"ph", "X"},
                           {"name", "add.3"},
                           {"cat", "contraction"},
                           {"pid", 1},
                           {"tid", 0},
                           {"ts", 2.0},
                           {"dur", 1.5},
                           {"args",
                            {{"computation", "body"},
                             {"ops", "dot, add"},
                             {"source", "/home/me/net.py:18"},
                             {"bytes", 1'050'000},
                             {"flops", 33.5e6}}}}));
  EXPECT_EQ(json[6]["tid"], 1);
  EXPECT_EQ(json[7]["ph"], "i");
  EXPECT_EQ(json[7]["name"], "the trace is full: 7 later events are left out");
  EXPECT_EQ(Json::parse(ProfileTrace({})), Json::array());
}

}  // namespace
}  // namespace axle
