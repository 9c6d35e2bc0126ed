// Collectives on several devices, each a thread: who meets whom in every mode, in which order
// values are folded, and what goes wrong at run time. What one device does is in tests/cases.
#include <gtest/gtest.h>

#include "axle/ops/op_def.h"
#include "axle/text/parse.h"
#include "tests/simulated_devices.h"

namespace axle {
namespace {

constexpr std::string_view kReducers = R"(
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
sum_s32 { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
horner { a = s32[] parameter(0) b = s32[] parameter(1) ten = s32[] constant(10)
  scaled = s32[] multiply(a, ten) ROOT r = s32[] add(scaled, b) }
by_calls { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] call(a, b), to_apply=horner }
)";

// The printed result of each device, of a module whose parameter 0 (if `arguments` are given) is
// another one on each.
std::vector<std::string> RunAll(std::string_view attrs, std::string_view body,
                                const std::vector<std::string>& arguments) {
  const auto module =
      Parse(StrCat("HloModule m", attrs, "\n", kReducers, "ENTRY e {\n", body, "\n}\n"));
  if (!module.ok()) return {module.status().message()};
  std::vector<std::vector<Literal>> values;
  for (const std::string& argument : arguments) {
    auto& list = values.emplace_back();
    if (argument.empty()) continue;
    const auto value = ParseLiteral(argument);
    if (!value.ok()) return {value.status().message()};
    list.push_back(*value);
  }
  const auto results = RunOnDevices(**module, values);
  if (!results.ok()) return {results.status().ToString()};
  std::vector<std::string> texts;
  for (const Literal& result : *results) texts.push_back(result.ToString());
  return texts;
}

using Texts = std::vector<std::string>;

// Device d of `count` has s32[1] {d}.
Texts Numbers(int count) {
  Texts texts;
  for (int d = 0; d < count; ++d) texts.push_back(StrCat("s32[1] {", d, "}"));
  return texts;
}

// horner over the groups tells order: {2,0,1} gives 201.
Texts Order(std::string_view module, std::string_view attrs, int devices) {
  return RunAll(
      module,
      StrCat("p = s32[1] parameter(0) ROOT r = s32[1] all-reduce(p), ", attrs, ", to_apply=horner"),
      Numbers(devices));
}

TEST(Groups, WithoutGroupsEverythingIsOne) {
  EXPECT_EQ(Order(", replica_count=3", "replica_groups={}", 3), Texts({"{12}", "{12}", "{12}"}));
}

TEST(Groups, TheirOrderCounts) {
  EXPECT_EQ(Order(", replica_count=4", "replica_groups={{3,1},{0,2}}", 4),
            Texts({"{2}", "{31}", "{2}", "{31}"}));
}

TEST(Groups, MayDifferInSize) {
  EXPECT_EQ(Order(", replica_count=3", "replica_groups={{1},{2,0}}", 3),
            Texts({"{20}", "{1}", "{20}"}));
}

TEST(Groups, HaveOneRunTimeSize) {
  const auto run = [](std::string_view first, std::string_view second) {
    return RunAll(", replica_count=2",
                  "p = f32[<=3] parameter(0)\n"
                  "ROOT r = f32[<=3] all-reduce(p), replica_groups={}, to_apply=sum",
                  {std::string(first), std::string(second)});
  };
  EXPECT_EQ(run("f32[<=3](2) {1, 2}", "f32[<=3](2) {10, 20}"),
            Texts({"(2) {11, 22}", "(2) {11, 22}"}));
  const Texts refused = run("f32[<=3](1) {1}", "f32[<=3](3) {1, 2, 3}");
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_TRUE(refused[0].starts_with("INVALID_ARGUMENT: all-reduce: device ")) << refused[0];
}

// Devices r*2+p of 2 replicas x 2 partitions.
constexpr std::string_view kTwoByTwo = ", replica_count=2, num_partitions=2";

TEST(Modes, WithoutChannelIdsAreReplicas) {
  EXPECT_EQ(Order(kTwoByTwo, "replica_groups={{1,0}}", 4), Texts({"{20}", "{31}", "{20}", "{31}"}));
}

TEST(Modes, WithAChannelReplicasWithAllTheirPartitions) {
  EXPECT_EQ(Order(kTwoByTwo, "channel_id=1, replica_groups={{1,0}}", 4),
            Texts({"{2301}", "{2301}", "{2301}", "{2301}"}));
  EXPECT_EQ(Order(kTwoByTwo, "channel_id=1, replica_groups={{0},{1}}", 4),
            Texts({"{1}", "{1}", "{23}", "{23}"}));
}

TEST(Modes, FlattenedIdsAreDevices) {
  EXPECT_EQ(
      Order(kTwoByTwo, "channel_id=1, replica_groups={{3,0},{1,2}}, use_global_device_ids=true", 4),
      Texts({"{30}", "{12}", "{12}", "{30}"}));
}

TEST(Modes, OfAllToAllAChannelMeansPartitions) {
  EXPECT_EQ(
      RunAll(kTwoByTwo,
             "p = s32[1] parameter(0) ROOT r = (s32[1], s32[1]) all-to-all(p, p), channel_id=1, "
             "replica_groups={{1,0}}",
             Numbers(4)),
      Texts({"( {1}, {0} )", "( {1}, {0} )", "( {3}, {2} )", "( {3}, {2} )"}));
}

TEST(Forms, Iota) {
  // [2,4]T(1,0) lists 0 4 1 5 2 6 3 7.
  EXPECT_EQ(Order(", replica_count=8", "replica_groups=[4,2]<=[2,4]T(1,0)", 8),
            Texts({"{4}", "{15}", "{26}", "{37}", "{4}", "{15}", "{26}", "{37}"}));
  EXPECT_EQ(Order(", replica_count=4", "replica_groups=[2,2]<=[4]", 4),
            Texts({"{1}", "{1}", "{23}", "{23}"}));
}

TEST(Forms, MeshAlongOneAxis) {
  EXPECT_EQ(Order(", replica_count=6", "replica_groups=mesh['x'=2,'y'=3] {'x'}", 6),
            Texts({"{3}", "{14}", "{25}", "{3}", "{14}", "{25}"}));
  EXPECT_EQ(Order(", replica_count=6", "replica_groups=mesh['x'=2,'y'=3] {'y'}", 6),
            Texts({"{12}", "{12}", "{12}", "{345}", "{345}", "{345}"}));
}

TEST(Forms, MeshAlongAxesInTheirOrder) {
  EXPECT_EQ(Order(", replica_count=4", "replica_groups=mesh['x'=2,'y'=2] {'y','x'}", 4)[0],
            "{213}");
  EXPECT_EQ(Order(", replica_count=4", "replica_groups=mesh['x'=2,'y'=2] {'x','y'}", 4)[0],
            "{123}");
  EXPECT_EQ(Order(", replica_count=2", "replica_groups=mesh['x'=2] {}", 2), Texts({"{0}", "{1}"}));
}

TEST(Forms, MeshAlongPartOfAnAxis) {
  EXPECT_EQ(Order(", replica_count=4", "replica_groups=mesh['x'=4] {'x':(1)2}", 4),
            Texts({"{2}", "{13}", "{2}", "{13}"}));
  EXPECT_EQ(Order(", replica_count=4", "replica_groups=mesh['x'=4] {'x':(2)2}", 4),
            Texts({"{1}", "{1}", "{23}", "{23}"}));
}

TEST(Forms, MeshOfListedDevices) {
  EXPECT_EQ(
      Order(", replica_count=4", "replica_groups=mesh['x'=2,'y'=2], device_ids=(3,1,0,2) {'x'}", 4),
      Texts({"{30}", "{12}", "{12}", "{30}"}));
  // The iota lists 0 2 1 3.
  EXPECT_EQ(Order(", replica_count=4",
                  "replica_groups=mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'y'}", 4),
            Texts({"{2}", "{13}", "{2}", "{13}"}));
}

TEST(AllReduce, KnownReducersFoldByATree) {
  // ((a + b) + (c + d)) + e, where 1e8 swallows what is below 4: from the left it would be 5.
  EXPECT_EQ(RunAll(", replica_count=5",
                   "p = f32[1] parameter(0) ROOT r = f32[1] all-reduce(p), replica_groups={}, "
                   "to_apply=sum",
                   {"f32[1] {1}", "f32[1] {1e8}", "f32[1] {-1e8}", "f32[1] {4}", "f32[1] {1}"}),
            Texts(5, "{1}"));
  EXPECT_EQ(
      RunAll(", replica_count=3",
             "p = f32[1] parameter(0) ROOT r = f32[1] all-reduce(p), replica_groups={{2,1,0}}, "
             "to_apply=sum",
             {"f32[1] {1}", "f32[1] {1e8}", "f32[1] {-1e8}"}),
      Texts(3, "{1}"));
}

// numerics.md N9: 256 + 1 is 256 in bf16.
TEST(AllReduce, SumsOfNarrowFloatsAreRoundedOnce) {
  const Texts values = {"bf16[2] {256, 1}", "bf16[2] {1, 2}", "bf16[2] {1, 3}"};
  const std::string_view sum =
      "sum_bf16 { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }";
  const auto run = [&](std::string_view body) {
    return RunAll(StrCat(", replica_count=3\n", sum), body, values);
  };
  EXPECT_EQ(run("p = bf16[2] parameter(0) ROOT r = bf16[2] all-reduce(p), replica_groups={}, "
                "to_apply=sum_bf16"),
            Texts({"{258, 6}", "{258, 6}", "{258, 6}"}));
  // Operands of f32 are rounded to what the reducer takes, and so is what they come to.
  EXPECT_EQ(run("p = bf16[2] parameter(0) w = f32[2] convert(p) ROOT r = f32[2] all-reduce(w), "
                "replica_groups={}, to_apply=sum_bf16"),
            Texts({"{258, 6}", "{258, 6}", "{258, 6}"}));
}

TEST(AllReduce, OtherReducersFoldFromTheLeft) {
  EXPECT_EQ(RunAll(", replica_count=4",
                   "p = s32[1] parameter(0) ROOT r = s32[1] all-reduce(p), replica_groups={}, "
                   "to_apply=by_calls",
                   Numbers(4)),
            Texts(4, "{123}"));
}

TEST(AllReduce, SeveralOperandsAndReducersOfAnotherFloatType) {
  EXPECT_EQ(RunAll(", replica_count=2",
                   "p = bf16[2] parameter(0) h = f32[] constant(1.5) ROOT r = (bf16[2], f32[]) "
                   "all-reduce(p, h), replica_groups={}, to_apply=sum",
                   {"bf16[2] {1, 256}", "bf16[2] {2, 1}"}),
            Texts(2, "( {3, 256}, 3 )"));
}

TEST(AllReduce, InALoopDevicesMeetAgainAndAgain) {
  EXPECT_EQ(RunAll(", replica_count=3", R"(
    p = s32[1] parameter(0)
    ROOT w = s32[1] while(p), condition={ s = s32[1] parameter(0) v = s32[] reshape(s)
      limit = s32[] constant(1000) ROOT c = pred[] compare(v, limit), direction=LT },
      body={ s = s32[1] parameter(0)
      ROOT r = s32[1] all-reduce(s), replica_groups={}, to_apply=sum_s32 })",
                   Numbers(3)),
            Texts(3, "{2187}"));
}

TEST(AllReduce, AsynchronousPair) {
  EXPECT_EQ(RunAll(", replica_count=2", R"(
    p = s32[1] parameter(0)
    s = s32[1] all-reduce-start(p), replica_groups={}, to_apply=horner
    ROOT d = s32[1] all-reduce-done(s))",
                   {"s32[1] {3}", "s32[1] {4}"}),
            Texts(2, "{34}"));
}

TEST(AllGather, PartsAlongAnyDimension) {
  const Texts arguments = {"s32[2,1] {{1}, {2}}", "s32[2,1] {{3}, {4}}"};
  EXPECT_EQ(RunAll(", replica_count=2",
                   "p = s32[2,1] parameter(0) ROOT r = s32[2,2] all-gather(p), "
                   "replica_groups={{1,0}}, dimensions={1}",
                   arguments),
            Texts(2, "{ { 3, 1 }, { 4, 2 } }"));
  EXPECT_EQ(RunAll(", replica_count=2", R"(
    p = s32[2,1] parameter(0)
    s = (s32[2,1], s32[4,1]) all-gather-start(p), replica_groups={}, dimensions={0}
    ROOT d = s32[4,1] all-gather-done(s))",
                   arguments),
            Texts(2, "{ {1}, {2}, {3}, {4} }"));
}

TEST(ReduceScatter, APartForEachPosition) {
  EXPECT_EQ(RunAll(", replica_count=2",
                   "p = s32[4] parameter(0) ROOT r = s32[2] reduce-scatter(p), "
                   "replica_groups={{1,0}}, dimensions={0}, to_apply=horner",
                   {"s32[4] {1, 2, 3, 4}", "s32[4] {5, 6, 7, 8}"}),
            Texts({"{73, 84}", "{51, 62}"}));
}

TEST(AllToAll, PartsInTheOrderOfTheGroup) {
  Texts arguments;
  for (int r = 0; r < 6; ++r) {
    arguments.push_back(StrCat("s32[3] {", 10 * r, ", ", 10 * r + 1, ", ", 10 * r + 2, "}"));
  }
  EXPECT_EQ(RunAll(", replica_count=6",
                   "p = s32[3] parameter(0) ROOT r = s32[3] all-to-all(p), "
                   "replica_groups={{1,2,3},{4,5,0}}, dimensions={0}",
                   arguments),
            Texts({"{42, 52, 2}", "{10, 20, 30}", "{11, 21, 31}", "{12, 22, 32}", "{40, 50, 0}",
                   "{41, 51, 1}"}));
}

TEST(RaggedAllToAll, RowsOfDifferentNumbers) {
  constexpr std::string_view kBody = R"(
    p = (s32[3], s32[2], s32[2], s32[2], s32[2]) parameter(0)
    input = s32[3] get-tuple-element(p), index=0
    zero = s32[] constant(0)
    output = s32[4] broadcast(zero), dimensions={}
    ROOT r = s32[4] ragged-all-to-all(input, output, p#1, p#2, p#3, p#4), replica_groups={{0,1}})";
  constexpr std::string_view kShape = "(s32[3], s32[2], s32[2], s32[2], s32[2]) ";
  EXPECT_EQ(RunAll(", replica_count=2", kBody,
                   {StrCat(kShape, "({1, 2, 2}, {0, 1}, {1, 2}, {0, 0}, {1, 1})"),
                    StrCat(kShape, "({3, 4, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 1})")}),
            Texts({"{1, 3, 0, 0}", "{2, 2, 4, 0}"}));
  const Texts past = RunAll(", replica_count=2", kBody,
                            {StrCat(kShape, "({1, 2, 2}, {0, 1}, {1, 3}, {0, 0}, {1, 1})"),
                             StrCat(kShape, "({3, 4, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 1})")});
  ASSERT_EQ(past.size(), 1u);
  EXPECT_NE(past[0].find("position 0 sends 3 rows from 1 of its 3 to 0 of 4"), std::string::npos)
      << past[0];
}

TEST(CollectivePermute, TargetsGetWhatSourcesHave) {
  EXPECT_EQ(RunAll(", replica_count=4",
                   "p = s32[1] parameter(0) ROOT r = s32[1] collective-permute(p), "
                   "source_target_pairs={{1,2},{2,1},{3,3}}",
                   Numbers(4)),
            Texts({"{0}", "{2}", "{1}", "{3}"}));
  EXPECT_EQ(RunAll(", replica_count=3", R"(
    p = s32[1] parameter(0)
    n = s32[1] negate(p)
    s = ((s32[1], s32[1]), (s32[1], s32[1]), u32[]) collective-permute-start(p, n), source_target_pairs={{0,1},{1,2}}
    ROOT d = (s32[1], s32[1]) collective-permute-done(s))",
                   {"s32[1] {5}", "s32[1] {6}", "s32[1] {7}"}),
            Texts({"( {0}, {0} )", "( {5}, {-5} )", "( {6}, {-6} )"}));
}

TEST(CollectivePermute, AChannelMeansPartitions) {
  EXPECT_EQ(RunAll(kTwoByTwo,
                   "p = s32[1] parameter(0) ROOT r = s32[1] collective-permute(p), channel_id=1, "
                   "source_target_pairs={{0,1}}",
                   {"s32[1] {5}", "s32[1] {6}", "s32[1] {7}", "s32[1] {8}"}),
            Texts({"{0}", "{5}", "{0}", "{7}"}));
}

TEST(CollectiveBroadcast, FromTheFirstOrTheNamedPosition) {
  EXPECT_EQ(RunAll(", replica_count=4",
                   "p = s32[1] parameter(0) ROOT r = s32[1] collective-broadcast(p), "
                   "replica_groups={{2,0},{3}}",
                   {"s32[1] {5}", "s32[1] {6}", "s32[1] {7}", "s32[1] {8}"}),
            Texts({"{7}", "{0}", "{7}", "{8}"}));
  EXPECT_EQ(
      RunAll(", replica_count=3",
             "p = s32[1] parameter(0) n = s32[1] negate(p) roots = s32[2] constant({2, 1}) ROOT "
             "r = (s32[1], s32[1]) collective-broadcast(p, n, roots), "
             "replica_groups={{2,1,0}}, has_dynamic_root=true",
             {"s32[1] {5}", "s32[1] {6}", "s32[1] {7}"}),
      Texts(3, "( {5}, {-6} )"));
}

TEST(Async, AnyOpInItsShortForm) {
  EXPECT_EQ(RunAll(", replica_count=2", R"(
    p = s32[2] parameter(0)
    s = ((s32[2]), s32[1], u32[]) reduce-scatter-start(p), replica_groups={}, dimensions={0}, to_apply=sum_s32
    u = ((s32[2]), s32[1], u32[]) reduce-scatter-update(s)
    ROOT d = s32[1] reduce-scatter-done(u))",
                   {"s32[2] {1, 2}", "s32[2] {10, 20}"}),
            Texts({"{11}", "{22}"}));
}

TEST(DeviceIds, OfEachDevice) {
  EXPECT_EQ(
      RunAll(kTwoByTwo, "r = u32[] replica-id() p = u32[] partition-id() ROOT t = tuple(r, p)",
             {"", "", "", ""}),
      Texts({"( 0, 0 )", "( 0, 1 )", "( 1, 0 )", "( 1, 1 )"}));
}

TEST(Async, ItsComputationHasNoOtherCaller) {
  const auto module = Parse(
      "HloModule m\nf { x = f32[] parameter(0) y = f32[] add(x, x) ROOT r = f32[] add(y, x) }\n"
      "ENTRY e { x = f32[] parameter(0) s = ((f32[]), f32[]) async-start(x), calls=f\n"
      "ROOT d = f32[] async-done(s) }");
  ASSERT_TRUE(module.ok()) << module.status().message();
  HloComputation& entry = *(*module)->entry();
  Instruction* const operands[] = {entry.root()};
  HloComputation* const callees[] = {entry.instructions()[1]->callee(0)};
  const AttrSchema& schema = GetOpDef(Opcode::kCall).attrs;
  entry.set_root(entry.Add({.opcode = Opcode::kCall,
                            .name = "r",
                            .shape = Shape(F32),
                            .operands = operands,
                            .callees = callees,
                            .attrs = {schema, schema.create()}}));
  EXPECT_EQ(VerifyModule(**module).message(),
            "call: calls \"f\", which an async-start calls too; operand f32[]");
}

TEST(CrossReplicaSum, IsAnOldNameOfAllReduce) {
  EXPECT_EQ(RunAll(", replica_count=2",
                   "p = s32[1] parameter(0) ROOT r = s32[1] cross-replica-sum(p), "
                   "replica_groups={}, to_apply=sum_s32",
                   {"s32[1] {3}", "s32[1] {4}"}),
            Texts(2, "{7}"));
}

// What a run without other devices answers.
std::string OnOneDevice(std::string_view attrs, std::string_view body) {
  const auto module =
      Parse(StrCat("HloModule m", attrs, "\n", kReducers, "ENTRY e {\n", body, "\n}\n"));
  if (!module.ok()) return module.status().message();
  const Literal arguments[] = {Literal(Shape(S32, {2}))};
  const auto result = Evaluate(**module, arguments);
  return result.ok() ? result->ToString() : result.status().ToString();
}

TEST(OneDevice, IsNotEnoughForMore) {
  constexpr std::string_view kReduce =
      "p = s32[2] parameter(0) ROOT r = s32[2] all-reduce(p), to_apply=sum_s32, replica_groups=";
  EXPECT_EQ(OnOneDevice(", replica_count=4", StrCat(kReduce, "{}")),
            "UNIMPLEMENTED: all-reduce: a group of 4 devices, but the program runs on 1; operand "
            "s32[2]");
  EXPECT_EQ(OnOneDevice(", replica_count=1000000000000000000", StrCat(kReduce, "{}")),
            "UNIMPLEMENTED: all-reduce: a group of 1000000000000000000 devices, but the program "
            "runs on 1; operand s32[2]");
  EXPECT_EQ(OnOneDevice("", StrCat(kReduce, "[1,4611686018427387904]<=[4611686018427387904]")),
            "UNIMPLEMENTED: all-reduce: a group of 4611686018427387904 devices, but the program "
            "runs on 1; operand s32[2]");
  EXPECT_EQ(OnOneDevice(", replica_count=2", StrCat(kReduce, "{{1},{0}}")), "{0, 0}");
  EXPECT_EQ(OnOneDevice("",
                        "p = s32[2] parameter(0) ROOT r = s32[2] collective-permute(p), "
                        "source_target_pairs={{0,1}}"),
            "UNIMPLEMENTED: collective-permute: a group of 2 devices, but the program runs on 1; "
            "operand s32[2]");
}

TEST(OneDevice, RowsThatDoNotExist) {
  const auto run = [](std::string_view from, std::string_view count) {
    return OnOneDevice("", StrCat("p = s32[2] parameter(0) z = u64[1] constant({0}) f = u64[1] "
                                  "constant({",
                                  from, "}) n = u64[1] constant({", count,
                                  "}) ROOT r = s32[2] ragged-all-to-all(p, p, f, n, z, n), "
                                  "replica_groups={}"));
  };
  EXPECT_EQ(run("0", "2"), "{0, 0}");
  EXPECT_NE(run("18446744073709551615", "1")
                .find("position 0 sends 1 rows from "
                      "9223372036854775807 of its 2 to 0 of 2"),
            std::string::npos);
  EXPECT_NE(run("0", "18446744073709551615").find("position 0 sends 9223372036854775807 rows"),
            std::string::npos);
}

TEST(OneDevice, PartsMustFitTheGroup) {
  EXPECT_EQ(OnOneDevice("",
                        "p = s32[2] parameter(0) ROOT r = s32[4] all-gather(p), "
                        "replica_groups={}, dimensions={0}"),
            "INVALID_ARGUMENT: all-gather: the group is of 1 devices, whose parts are not s32[4]; "
            "operand s32[2]");
  EXPECT_EQ(OnOneDevice("",
                        "p = s32[2] parameter(0) ROOT r = s32[1] reduce-scatter(p), "
                        "replica_groups={}, dimensions={0}, to_apply=sum_s32"),
            "INVALID_ARGUMENT: reduce-scatter: gives 1 shards of s32[1], which are not the "
            "operand; operand s32[2]");
}

TEST(Groups, ADeviceInNoneIsAnError) {
  // The module has one replica, so that its ids are not counted; the run has two.
  const auto module = Parse(StrCat("HloModule m\n", kReducers,
                                   "ENTRY e { p = s32[1] parameter(0) ROOT r = s32[1] "
                                   "all-reduce(p), replica_groups={{0}}, to_apply=sum_s32 }"));
  ASSERT_TRUE(module.ok()) << module.status().message();
  MeetingPlace place;
  SimulatedDevice device(place, 2, 1, 1);
  const Literal arguments[] = {Literal(Shape(S32, {1}))};
  const auto result = Evaluate(**module, arguments, {.device = &device});
  EXPECT_EQ(result.status().ToString(),
            "INVALID_ARGUMENT: all-reduce: device 1 is in no replica group; operand s32[1]");
}

}  // namespace
}  // namespace axle
