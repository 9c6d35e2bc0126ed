// Asynchronous pairs and what compilers write, from the builder: they run as the ops that they
// stand for.
#include "axle/client/client.h"
#include "tests/builder/built.h"

namespace axle {
namespace {

// Interpreted and compiled, which must agree.
std::string RunOnOneDevice(XlaBuilder& b, const std::vector<std::string_view>& arguments) {
  const StatusOr<XlaComputation> built = b.Build();
  if (!built.ok()) return built.status().ToString();
  std::string texts[2];
  for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kDefault}) {
    const auto client = Client::Create();
    EXPECT_TRUE(client.ok());
    const auto executable = (*client)->Compile(*built, {.engine = engine});
    if (!executable.ok()) return executable.status().ToString();
    const StatusOr<Literal> result = (*executable)->Execute(Values(arguments));
    texts[engine == EngineKind::kDefault] =
        result.ok() ? result->ToStringWithShape() : result.status().ToString();
  }
  EXPECT_EQ(texts[0], texts[1]);
  return texts[0];
}

XlaComputation Twice() {
  XlaBuilder b("twice");
  const XlaOp x = Param(b, 0, "f32[2]");
  Add(x, x);
  return *b.Build();
}

XlaComputation Sum() {
  XlaBuilder b("sum");
  Add(Param(b, 0, "f32[]"), Param(b, 1, "f32[]"));
  return *b.Build();
}

TEST(Asynchronous, PairsRun) {
  const auto run = [](auto make) {
    XlaBuilder b("pairs");
    make(b, Param(b, 0, "f32[2]"));
    return RunOnOneDevice(b, {"f32[2] {1, 2}"});
  };
  EXPECT_EQ(run([](XlaBuilder& b, XlaOp x) { AsyncDone(AsyncStart(&b, {x}, Twice())); }),
            "f32[2] {2, 4}");
  EXPECT_EQ(
      run([](XlaBuilder& b, XlaOp x) { AsyncDone(AsyncUpdate(AsyncStart(&b, {x}, Twice()))); }),
      "f32[2] {2, 4}");
  EXPECT_EQ(run([](XlaBuilder&, XlaOp x) {
              AllReduceDone(AllReduceStart({x, x}, Sum()));
            }),
            "(f32[2], f32[2]) ( {1, 2}, {1, 2} )");
  EXPECT_EQ(run([](XlaBuilder&, XlaOp x) { AllGatherDone(AllGatherStart({x}, 0, 1)); }),
            "f32[2] {1, 2}");
  EXPECT_EQ(run([](XlaBuilder&, XlaOp x) {
              CollectivePermuteDone(CollectivePermuteStart({x}, {{0, 0}}));
            }),
            "f32[2] {1, 2}");
  EXPECT_EQ(run([](XlaBuilder&, XlaOp x) { CopyDone(CopyStart(x)); }), "f32[2] {1, 2}");
  EXPECT_EQ(run([](XlaBuilder& b, XlaOp x) { AddDependency(x, CreateToken(&b)); }),
            "f32[2] {1, 2}");
  EXPECT_EQ(run([](XlaBuilder&, XlaOp x) {
              Bitcast(x, Shape(S32, {2, 1}));
            }),
            "s32[2,1] { {1065353216}, {1073741824} }");
  EXPECT_EQ(run([](XlaBuilder& b, XlaOp x) { Fusion(&b, {x}, Twice(), FusionKind::kInput); }),
            "f32[2] {2, 4}");
}

TEST(Asynchronous, Mistakes) {
  const auto error = [](auto make) {
    XlaBuilder b("mistakes");
    make(b, Param(b, 0, "f32[2]"));
    return Without(RunOnOneDevice(b, {"f32[2] {1, 2}"}), " at ", "\n");
  };
  EXPECT_EQ(error([](XlaBuilder&, XlaOp x) { AllReduceStart({x}, Sum()); }).substr(0, 49),
            "INVALID_ARGUMENT: all-reduce-start: \"all-reduce-s");
  EXPECT_EQ(error([](XlaBuilder&, XlaOp x) { AllGatherStart({x}, 1, 1); }).substr(0, 61),
            "INVALID_ARGUMENT: all-gather: dimension 1 must be in [0, 1); ");
  EXPECT_EQ(error([](XlaBuilder&, XlaOp x) { Bitcast(x, Shape(S32, {3})); }).substr(0, 61),
            "INVALID_ARGUMENT: bitcast: the result s32[3] has 12 bytes, th");
}

TEST(Collectives, CountsAgreeWithGroups) {
  const auto error = [](auto make) {
    XlaBuilder b("counts");
    make(Param(b, 0, "f32[4,4]"));
    const std::string text = b.first_error().message();
    return text.substr(0, text.find(" at "));
  };
  const ChannelHandle channel(1);
  EXPECT_EQ(error([](XlaOp x) {
              AllGather(x, 0, 3, {{0, 1}});
            }),
            "all-gather: shard_count is 3, but a group of replica_groups has 2 replicas; "
            "operand f32[4,4]");
  EXPECT_EQ(error([](XlaOp x) { AllGather(x, 0, 2, {{0, 1}}); }), "");
  EXPECT_EQ(error([&](XlaOp x) { AllGather(x, 0, 4, {{0, 1}}, channel); }), "");
  EXPECT_EQ(error([&](XlaOp x) {
              AllGather(x, 0, 3, {{0, 1}}, channel);
            }),
            "all-gather: shard_count is 3, but a group of replica_groups has 2 replicas; "
            "operand f32[4,4]");
  EXPECT_EQ(error([](XlaOp x) {
              ReduceScatter(x, Sum(), 0, 2, {{0, 1, 2, 3}});
            }),
            "reduce-scatter: shard_count is 2, but a group of replica_groups has 4 replicas; "
            "operand f32[4,4]");
  EXPECT_EQ(error([](XlaOp x) {
              AllToAll(x, 0, 1, 4, {{0, 1}});
            }),
            "all-to-all: split_count is 4, but a group of replica_groups has 2 replicas; "
            "operand f32[4,4]");
  const auto iota = CollectiveDeviceList::Iota(2, 2);
  EXPECT_EQ(error([&](XlaOp x) { AllToAllWithDeviceList(x, 0, 1, 4, *iota, {}, channel); }),
            "all-to-all: split_count is 4, but a group of replica_groups has 2 partitions; "
            "operand f32[4,4]");
}

// Groups that name devices which the program is not compiled for, before it runs.
TEST(Collectives, NameNoOtherDevices) {
  const auto error = [](auto make) {
    XlaBuilder b("alone");
    make(Param(b, 0, "f32[2,2]"));
    const std::string text = RunOnOneDevice(b, {"f32[2,2] {{1, 2}, {3, 4}}"});
    return text.substr(0, text.find(';'));
  };
  constexpr std::string_view kOthers =
      " name replica 1, but the program is compiled for 1 replicas x 1 partitions";
  EXPECT_EQ(error([](XlaOp x) {
              CrossReplicaSum(x, {{0, 1}});
            }),
            StrCat("INVALID_ARGUMENT: all-reduce: replica_groups", kOthers));
  EXPECT_EQ(error([](XlaOp x) {
              AllReduceDone(AllReduceStart({x}, Sum(), {{0, 1}}));
            }),
            StrCat("INVALID_ARGUMENT: all-reduce-start: replica_groups", kOthers));
  EXPECT_EQ(error([](XlaOp x) {
              AllGather(x, 0, 2, {{1, 0}});
            }),
            StrCat("INVALID_ARGUMENT: all-gather: replica_groups", kOthers));
  EXPECT_EQ(error([](XlaOp x) {
              ReduceScatter(x, Sum(), 0, 1, {{0}, {1}});
            }),
            StrCat("INVALID_ARGUMENT: reduce-scatter: replica_groups", kOthers));
  EXPECT_EQ(error([](XlaOp x) { AllToAll(x, 0, 1, 2); }),
            StrCat("INVALID_ARGUMENT: all-to-all: replica_groups", kOthers));
  EXPECT_EQ(error([](XlaOp x) {
              CollectivePermute(x, {{0, 1}});
            }),
            StrCat("INVALID_ARGUMENT: collective-permute: source_target_pairs", kOthers));
  EXPECT_EQ(error([](XlaOp x) { CollectiveBroadcast(x, {{1}}); }),
            StrCat("INVALID_ARGUMENT: collective-broadcast: replica_groups", kOthers));
  EXPECT_EQ(error([](XlaOp x) { AllGather(x, 0, 2); }),
            "INVALID_ARGUMENT: all-gather: the result is f32[4,2], but with 1 replicas x 1 "
            "partitions the group is one device, which keeps its operand");
  EXPECT_EQ(error([](XlaOp x) { ReduceScatter(x, Sum(), 0, 2); }),
            "INVALID_ARGUMENT: reduce-scatter: the result is f32[1,2], but with 1 replicas x 1 "
            "partitions the group is one device, which keeps its operand");
  EXPECT_EQ(error([](XlaOp x) { AllReduce(x, Sum(), {{0}}); }), "f32[2,2] { { 1, 2 }, { 3, 4 } }");
}

TEST(Map, StaticOperandsOfAnyShape) {
  XlaBuilder c("look_up");
  const XlaOp at = Param(c, 0, "s32[]"), pair = Param(c, 1, "(f32[3], f32[])");
  const XlaOp found = Reshape(DynamicSlice(GetTupleElement(pair, 0), {at}, {1}), Dims());
  Mul(found, GetTupleElement(pair, 1));
  const XlaComputation look_up = *c.Build();
  const auto run = [&](std::string_view table, std::string_view shape) {
    XlaBuilder b("map");
    const XlaOp places = Param(b, 0, "s32[2,2]"), values = Param(b, 1, shape);
    const XlaOp whole = Tuple(&b, {values, ConstantR0<float>(&b, 2)});
    Map(&b, {places}, look_up, {0, 1}, {whole});
    const std::string text = RunOnOneDevice(b, {"s32[2,2] {{2, 1}, {0, 2}}", table});
    return text.substr(0, text.find(" at "));
  };
  EXPECT_EQ(run("f32[3] {1, 10, 100}", "f32[3]"), "f32[2,2] { { 200, 20 }, { 2, 200 } }");
  EXPECT_EQ(run("f32[4] {1, 10, 100, 0}", "f32[4]"),
            "INVALID_ARGUMENT: map: to_apply must take (s32[], (f32[4], f32[])) and give a "
            "scalar, but it is (s32[], (f32[3], f32[]))->f32[]");
}

TEST(ReduceWindow, DilationsWithPadding) {
  XlaBuilder b("window");
  const XlaOp x = Param(b, 0, "f32[3]");
  // 1 _ 2 _ 3 under a window of two elements, two apart; the same padding keeps 5 places.
  ReduceWindow(x, ConstantR0<float>(&b, 0), Sum(), {2}, {1}, {2}, {2}, Padding::kSame);
  EXPECT_EQ(RunOnOneDevice(b, {"f32[3] {1, 2, 3}"}), "f32[5] {0, 3, 0, 5, 0}");
  XlaBuilder v("window");
  ReduceWindow(Param(v, 0, "f32[3]"), ConstantR0<float>(&v, 0), Sum(), {2}, {1}, {2}, {2},
               Padding::kValid);
  EXPECT_EQ(RunOnOneDevice(v, {"f32[3] {1, 2, 3}"}), "f32[3] {3, 0, 5}");
}

TEST(MinMax, ComplexNumbersHaveNoOrder) {
  XlaBuilder b("max");
  const XlaOp x = Param(b, 0, "c64[2]");
  Max(x, x);
  const std::string text = b.first_error().message();
  EXPECT_EQ(text.substr(0, text.find(" at ")),
            "maximum: complex numbers have no order; select by comparisons of their real and "
            "imaginary parts; lhs c64[2], rhs c64[2]");
}

}  // namespace
}  // namespace axle
