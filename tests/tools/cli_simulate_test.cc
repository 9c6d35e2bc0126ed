// axle simulate: exact numbers of small jobs, topologies, and what it refuses.
#include <nlohmann/json.hpp>

#include "axle/core/strings.h"
#include "tests/tools/cli.h"

namespace axle {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kStep = R"(HloModule step, replica_count=4

sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }

ENTRY step {
  x = f32[64,256] parameter(0)
  w = f32[256,256] parameter(1)
  y = f32[64,256] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  gradient = f32[256,256] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  total = f32[256,256] all-reduce(gradient), replica_groups={}, to_apply=sum
  other = f32[64,256] negate(x)
  ROOT both = (f32[256,256], f32[64,256]) tuple(total, other)
}
)";

class CliSimulate : public Cli {
 protected:
  Json Report(const std::vector<std::string>& options, std::string_view program = kStep) const {
    std::vector<std::string> arguments = {"simulate", "-", "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Result r = Run(arguments, program);
    EXPECT_EQ(r.exit, 0) << r.err;
    const Json report = Json::parse(r.out, nullptr, false);
    EXPECT_EQ(report["schema"], "axle.simulate/1");
    return report["jobs"];
  }
  // The first collective of a program with one instruction `body` on f32[256] p.
  Json Collective(const std::string& body, const std::vector<std::string>& options,
                  std::string_view attrs = "replica_count=8") const {
    const Json jobs =
        Report(options, StrCat("HloModule m, ", attrs,
                               "\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = "
                               "f32[] add(a, b) }\nsum16 { a = bf16[] parameter(0) b = bf16[] "
                               "parameter(1) ROOT r = bf16[] add(a, b) }\nlast { a = f32[] "
                               "parameter(0) ROOT b = f32[] parameter(1) }\nENTRY e { p = f32[256] "
                               "parameter(0) p16 = bf16[256] parameter(1) ROOT r = ",
                               body, " }\n"));
    return jobs[0]["collectives"][0];
  }
};

// y: 2 * 64 * 256 * 256 = 8388608 operations, as gradient; 419.4 us each at 20 Gflop/s. other: 2 *
// 65536 bytes at 10 GB/s are 13.1 us. total: two rounds of 3 messages of 65536 bytes: 5 us, 6 us
// for 6 messages at their link, 19.7 us for the bytes; and 262144 bytes of operands, 262144 of
// results and 393216 that come are 91.8 us in memory.
TEST_F(CliSimulate, AStepIsAddedUp) {
  const Result r = Run({"simulate", "-"}, kStep);
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_EQ(r.out,
            "step on 4 replicas x 1 partition in 4 processes of 1 device\n"
            "  step           1.01 ms: computing 852 us, collectives 153 us\n"
            "  critical path  992 us, if all that it does not need overlaps\n"
            "  memory         1.5 MiB of a process: 1.1 MiB of values, 384 KiB of messages\n"
            "\n"
            "collectives (sent and messages: of one process, each run):\n"
            "  time    of step  runs  rounds  sent     messages  most    collective\n"
            "  153 us  15 %     1     2       384 KiB  6         memory  all-reduce \"total\" of "
            "f32[256,256], 1 group of 4 devices in 4 processes\n"
            "\n"
            "links, over a step:\n"
            "  level    links  latency  bandwidth  all links  busiest  messages  busy     of step\n"
            "  network  4      5 us     10 GB/s    3 MiB      384 KiB  12        51.3 us  5 %\n"
            "\n"
            "critical path, longest first:\n"
            "  time    of step  instruction\n"
            "  419 us  42 %     dot \"gradient\"\n"
            "  419 us  42 %     dot \"y\"\n"
            "  153 us  15 %     all-reduce \"total\"\n");
  const Json job = Report({})[0];
  EXPECT_NEAR(job["compute_seconds"], 2 * 8388608 / 20e9 + 2 * 65536 / 10e9, 1e-12);
  EXPECT_NEAR(job["collectives"][0]["network_seconds"], 2 * (5e-6 + 6e-6 + 3 * 65536 / 10e9),
              1e-12);
  EXPECT_NEAR(job["collectives"][0]["seconds"],
              2 * (5e-6 + 6e-6 + 3 * 65536 / 10e9) + (2 * 262144 + 393216) / 10e9, 1e-12);
  EXPECT_EQ(job["memory_bytes"], 1179648 + 393216);
}

TEST_F(CliSimulate, AListOfReplicasIsATable) {
  const Result r = Run({"simulate", "-", "--replicas", "1,2,10000", "--devices-per-process", "2",
                        "--compute", "1ms"},
                       kStep);
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_EQ(
      r.out,
      "step in processes of 2 devices\n"
      "  replicas  processes  step     computing  collectives  critical path  memory   busiest "
      "link\n"
      "  1         1          1.05 ms  1 ms       52.4 us      1.04 ms        1.1 MiB  network, 0 B"
      ", 0 % of the step\n"
      "  2         1          1.1 ms   1 ms       105 us       1.09 ms        2.2 MiB  network, 0 B"
      ", 0 % of the step\n"
      "  10000     5000       19.4 ms  1 ms       18.4 ms      19.4 ms        2.8 MiB  network, "
      "568.3 KiB, 94 % of the step\n");
}

TEST_F(CliSimulate, RatesAndTimesAreThoseOfTheOptions) {
  const Json job = Report({"--latency", "2ms", "--bandwidth", "8Gbit/s", "--overhead", "0s",
                           "--memory-bandwidth", "1GB/s", "--flops", "1Gflop/s"})[0];
  EXPECT_NEAR(job["compute_seconds"], 2 * 8388608 / 1e9 + 2 * 65536 / 1e9, 1e-12);
  EXPECT_NEAR(job["collectives"][0]["network_seconds"], 2 * (2e-3 + 3 * 65536 / 1e9), 1e-12);
  EXPECT_NEAR(Report({"--compute", "3ms"})[0]["compute_seconds"], 3e-3, 1e-15);
}

// Bytes that a process sends: the plan of tests/ops/exchange_rounds_test.cc.
TEST_F(CliSimulate, CollectivesSendWhatTheirPlanSays) {
  const std::vector<std::string> two = {"--devices-per-process", "4"};
  const auto sent = [&](const std::string& body, const std::vector<std::string>& options) {
    return Collective(body, options)["sent_bytes"].get<double>();
  };
  EXPECT_EQ(sent("f32[256] all-reduce(p), replica_groups={}, to_apply=sum", {}), 7 * 1024);
  EXPECT_EQ(sent("f32[256] all-reduce(p), replica_groups={}, to_apply=sum", two), 1024);
  EXPECT_EQ(sent("f32[256] all-reduce(p), replica_groups={}, to_apply=last", two), 4 * 1024);
  // The fold of several values of bf16 is f32.
  EXPECT_EQ(sent("bf16[256] all-reduce(p16), replica_groups={}, to_apply=sum16", {}), 7 * 512);
  EXPECT_EQ(sent("bf16[256] all-reduce(p16), replica_groups={}, to_apply=sum16", two), 1024);
  EXPECT_EQ(sent("f32[32] reduce-scatter(p), replica_groups={}, dimensions={0}, to_apply=sum", two),
            512);
  EXPECT_EQ(sent("f32[2048] all-gather(p), replica_groups={}, dimensions={0}", two), 4096);
  EXPECT_EQ(sent("f32[256] all-to-all(p), replica_groups={}, dimensions={0}", two), 2048);
  EXPECT_EQ(sent("f32[256] collective-broadcast(p), replica_groups={{0,1,2,3,4,5,6,7}}", {}),
            7 * 1024);
  const Json permute =
      Collective("f32[256] collective-permute(p), source_target_pairs={{0,1},{3,4},{2,5}}", two);
  EXPECT_EQ(permute["sent_bytes"], 2048);
  EXPECT_EQ(permute["messages"], 1);
  const Json groups =
      Collective("f32[256] all-reduce(p), replica_groups=[4,2]<=[8], to_apply=sum", two);
  EXPECT_EQ(groups["groups"], 4);
  EXPECT_EQ(groups["group_processes"], 1);
  EXPECT_EQ(groups["sent_bytes"], 0);
}

TEST_F(CliSimulate, PartitionsAreDevicesToo) {
  const Json c = Collective("f32[256] all-reduce(p), replica_groups={}, channel_id=1, to_apply=sum",
                            {"--replicas", "3", "--partitions", "2", "--devices-per-process", "2"},
                            "replica_count=1");
  EXPECT_EQ(c["group_devices"], 6);
  EXPECT_EQ(c["group_processes"], 3);
}

TEST_F(CliSimulate, LoopsAndBranchesCountAsTheyRun) {
  const Json jobs = Report({}, R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
body { s = (s32[], f32[256]) parameter(0) i = s32[] get-tuple-element(s), index=0
  v = f32[256] get-tuple-element(s), index=1 one = s32[] constant(1) n = s32[] add(i, one)
  t = f32[256] all-reduce(v), replica_groups={}, to_apply=sum ROOT r = (s32[], f32[256]) tuple(n, t) }
test { s = (s32[], f32[256]) parameter(0) i = s32[] get-tuple-element(s), index=0
  ten = s32[] constant(10) ROOT r = pred[] compare(i, ten), direction=LT }
ENTRY e { p = f32[256] parameter(0) zero = s32[] constant(0)
  s = (s32[], f32[256]) tuple(zero, p)
  w = (s32[], f32[256]) while(s), condition=test, body=body
  ROOT r = f32[256] get-tuple-element(w), index=1 }
)");
  const Json& job = jobs[0];
  EXPECT_EQ(job["collectives"][0]["runs"], 10);
  EXPECT_EQ(job["unknown_loops"], 0);
  EXPECT_NEAR(job["collective_seconds"].get<double>(),
              10 * job["collectives"][0]["seconds"].get<double>(), 1e-12);
  EXPECT_EQ(job["links"][0]["busiest_messages"], 20);
  EXPECT_EQ(job["links"][0]["busiest_bytes"], 10 * 1024);
}

TEST_F(CliSimulate, WhatDoesNotCountIsSaid) {
  const Result r = Run({"simulate", "-"}, R"(HloModule m, replica_count=2
body { s = f32[] parameter(0) ROOT r = f32[] negate(s) }
test { s = f32[] parameter(0) zero = f32[] constant(0) ROOT r = pred[] compare(s, zero), direction=LT }
ENTRY e { p = f32[] parameter(0) t = token[] after-all()
  out = (f32[], u32[], token[]) send(p, t), channel_id=1
  sent = token[] send-done(out), channel_id=1
  ROOT w = f32[] while(p), condition=test, body=body }
)");
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_NE(r.out.find("  note           1 loop of unknown length: one iteration counts\n"
                       "  note           1 send or recv does not count\n"),
            std::string::npos)
      << r.out;
}

// Two machines of two processes. Each sends 1024 bytes to the other three: 4096 bytes go through
// the link of each machine.
TEST_F(CliSimulate, TopologiesHaveLevels) {
  const std::string file = Write("cluster.txt",
                                 "# two levels\n"
                                 "machine 2 latency=1us bandwidth=10GB/s\n"
                                 "\n"
                                 "rack    * latency=20us bandwidth=1GB/s overhead=3us  # slow\n");
  const std::string program =
      "HloModule m, replica_count=4\nENTRY e { p = f32[256] parameter(0) ROOT r = f32[1024] "
      "all-gather(p), replica_groups={}, dimensions={0} }\n";
  const Json job = Report({"--topology", file}, program)[0];
  EXPECT_EQ(job["links"][0]["links"], 4);
  EXPECT_EQ(job["links"][0]["busiest_bytes"], 3072);
  EXPECT_EQ(job["links"][1]["links"], 2);
  EXPECT_EQ(job["links"][1]["busiest_bytes"], 4096);
  EXPECT_EQ(job["links"][1]["busiest_messages"], 8);
  EXPECT_NEAR(job["collectives"][0]["network_seconds"], 20e-6 + 4096 / 1e9 + 8 * 3e-6, 1e-12);
  EXPECT_EQ(job["collectives"][0]["bound"], "rack messages");

  // One link's worth at a time for four processes, and one core.
  const std::string shared =
      Write("shared.txt", "machine 4 latency=1us bandwidth=1GB/s oversubscription=4 cores=1\n");
  const Json four = Report({"--topology", shared}, program)[0];
  EXPECT_NEAR(four["collectives"][0]["network_seconds"], 1e-6 + 4 * 3072 / 1e9, 1e-12);
  EXPECT_NEAR(four["collectives"][0]["seconds"],
              1e-6 + 4 * 3072 / 1e9 + 4 * (1024 + 4096 + 3072) / 10e9, 1e-12);
}

TEST_F(CliSimulate, WrongOptionsAreNamed) {
  const std::string program = Write("step.hlo", kStep);
  const auto expect = [&](const std::vector<std::string>& options, int exit, std::string_view err) {
    std::vector<std::string> arguments = {"simulate", program};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Result r = Run(arguments);
    EXPECT_EQ(r.exit, exit) << Join(options, " ");
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err, StrCat(err, "\n"));
  };
  for (const std::string text : {"5xs", "5", "us", "-1us", "inf", "nan", "5 us"}) {
    expect({StrCat("--latency=", text)}, 2,
           StrCat("axle: simulate: --latency: \"", text,
                  "\" is not a time like 500ns, 5us, 1.5ms or 2s"));
  }
  for (const std::string text : {"10GB", "0GB/s", "GB/s"}) {
    expect({StrCat("--bandwidth=", text)}, 2,
           StrCat("axle: simulate: --bandwidth: \"", text,
                  "\" is not a rate like 800MB/s, 10GB/s, 2GiB/s or 100Gbit/s"));
  }
  expect({"--flops", "20G"}, 2,
         "axle: simulate: --flops: \"20G\" is not a rate like 500Mflop/s, 20Gflop/s or "
         "1.5Tflop/s");
  expect({"--replicas", "4,0"}, 2,
         "axle: simulate: --replicas: \"0\" is not a whole number from 1 to 1048576");
  expect({"--replicas", "1048576", "--partitions", "2"}, 3,
         "INVALID_ARGUMENT: simulate: 1048576 replicas x 2 partitions are more than 1048576 "
         "devices");
}

TEST_F(CliSimulate, WrongTopologiesAreNamed) {
  const std::string program = Write("step.hlo", kStep);
  const auto expect = [&](std::string_view text, int exit, std::string_view err) {
    const std::string file = Write("net", text);
    const Result r = Run({"simulate", program, "--topology", file});
    EXPECT_EQ(r.exit, exit) << text;
    const std::string_view place = exit == 2 ? "axle: simulate: " : "";
    EXPECT_EQ(r.err, StrCat(place, exit == 2 ? file : "", err, "\n"));
  };
  expect("", 2, ": there is no level");
  expect("\nrack\n", 2,
         ":2: level \"rack\" must be followed by how many units it connects, or * for all");
  expect("rack 0 bandwidth=1GB/s\n", 2,
         ":1: level \"rack\" must be followed by how many units it connects, or * for all");
  expect("rack 2 latency=1us\n", 2, ":1: level \"rack\" has no bandwidth");
  expect("rack 2 latency=5xs\n", 2,
         ":1: latency: \"5xs\" is not a time like 500ns, 5us, 1.5ms or 2s");
  expect("rack 2 latencey=5us\n", 2,
         ":1: unknown setting \"latencey\" (did you mean \"latency\"?); there are latency, "
         "bandwidth, overhead, links, oversubscription, cores");
  expect("rack 2 links=-1\n", 2, ":1: links: \"-1\" is not a number above 0");
  expect("rack * bandwidth=1GB/s oversubscription=2\n", 2,
         ":1: level \"rack\": oversubscription goes with a number of units, and without links");
  expect("rack * bandwidth=1GB/s\nroom 2 bandwidth=1GB/s\n", 2,
         ":2: level \"rack\" has all units, so it must be the last one");
  expect("rack 3 bandwidth=1GB/s\n", 3,
         "INVALID_ARGUMENT: simulate: the topology has places for 3 processes, and the job has 4");
  const std::string file = Write("net", "rack * bandwidth=1GB/s\n");
  const Result both = Run({"simulate", program, "--topology", file, "--latency", "1us"});
  EXPECT_EQ(both.exit, 2);
  EXPECT_EQ(both.err,
            "axle: simulate: --topology has latencies, bandwidths and overheads of its own\n");
}

TEST_F(CliSimulate, GroupsOfOtherDevicesAreRefused) {
  const Result r = Run({"simulate", "-", "--replicas", "8"},
                       "HloModule m, replica_count=4\nENTRY e { p = f32[4] parameter(0) ROOT r = "
                       "f32[16] all-gather(p), replica_groups={{0,1,2,3}}, dimensions={0} }\n");
  EXPECT_EQ(r.exit, 3);
  EXPECT_EQ(
      r.err.substr(0, r.err.find(';')),
      "INVALID_ARGUMENT: all-gather: replica_groups list 4 ids but the module has 8 replicas");
}

}  // namespace
}  // namespace axle
