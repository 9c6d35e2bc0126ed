// Worked examples of XLA's collectives and transfers: one program of the builder on
// several simulated devices.
#include "axle/ops/op_def.h"
#include "tests/builder/worked.h"
#include "tests/simulated_devices.h"

namespace axle {
namespace {

using O = XlaOp;
using Groups = std::vector<ReplicaGroup>;
using Texts = std::vector<std::string>;

// The results of as many replicas as there are lists of arguments.
template <typename Build>
Texts OnReplicas(Build build, const std::vector<std::vector<std::string_view>>& arguments) {
  std::vector<std::vector<Literal>> values;
  for (const auto& list : arguments) values.push_back(Values(list));
  XlaBuilder b("worked");
  std::vector<O> parameters;
  for (const Literal& value : values[0]) {
    const auto number = static_cast<i64>(parameters.size());
    parameters.push_back(Parameter(&b, number, value.shape(), "p"));
  }
  const auto computation = b.Build(build(parameters));
  if (!computation.ok()) return {WithoutPlace(computation.status())};
  const auto module = computation->module().Clone();
  module->config().replica_count = static_cast<i64>(arguments.size());
  if (Status status = VerifyModule(*module); !status.ok()) return {status.ToString()};
  const auto results = RunOnDevices(*module, values);
  if (!results.ok()) return {results.status().ToString()};
  Texts texts;
  for (const Literal& result : *results) texts.push_back(Compact(result));
  return texts;
}

const std::vector<std::vector<std::string_view>> kPair = {{"f32[2] {1,2.5}"}, {"f32[2] {3,5.25}"}};

TEST(WorkedCollectives, AllReduce) {
  const auto sum = [](const std::vector<O>& p) { return AllReduce(p[0], AddF32()); };
  EXPECT_EQ(OnReplicas(sum, kPair), (Texts{"f32[2] {4,7.75}", "f32[2] {4,7.75}"}));
}

TEST(WorkedCollectives, CrossReplicaSum) {
  const auto sum = [](const std::vector<O>& p) { return CrossReplicaSum(p[0]); };
  EXPECT_EQ(OnReplicas(sum, kPair), (Texts{"f32[2] {4,7.75}", "f32[2] {4,7.75}"}));
  EXPECT_EQ(OnReplicas(sum, {{"f32[2] {1,2.5}"}, {"f32[2] {3,5.1}"}})[0], "f32[2] {4,7.6}");
  EXPECT_EQ(OnReplicas(sum, {{"pred[2] {0,1}"}, {"pred[2] {0,0}"}})[1], "pred[2] {0,1}");
}

// Replica i is in the group with the number that entry i gives.
TEST(WorkedCollectives, CrossReplicaSumOfGroupNumbers) {
  const auto sum = [](const std::vector<O>& p) {
    return CrossReplicaSum(p[0], {0, 1, 2, 3, 0, 1, 2, 3});
  };
  EXPECT_EQ(OnReplicas(sum, {{"f32[] 1"},
                             {"f32[] 2"},
                             {"f32[] 4"},
                             {"f32[] 8"},
                             {"f32[] 16"},
                             {"f32[] 32"},
                             {"f32[] 64"},
                             {"f32[] 128"}}),
            (Texts{"f32[] 17", "f32[] 34", "f32[] 68", "f32[] 136", "f32[] 17", "f32[] 34",
                   "f32[] 68", "f32[] 136"}));
  EXPECT_TRUE(ShapeOf(
                  [](O x) {
                    return CrossReplicaSum(x, {0, 1, 2, 0});
                  },
                  "f32[]")
                  .starts_with("INVALID_ARGUMENT: all-reduce:"));
}

TEST(WorkedCollectives, AllGather) {
  const auto gather = [](const std::vector<O>& p) { return AllGather(p[0], 0, 2); };
  EXPECT_EQ(OnReplicas(gather, kPair), (Texts{"f32[4] {1,2.5,3,5.25}", "f32[4] {1,2.5,3,5.25}"}));
}

TEST(WorkedCollectives, ReduceScatter) {
  const auto scatter = [](const std::vector<O>& p) {
    return ReduceScatter(p[0], AddF32(), /*scatter_dimension=*/0, /*shard_count=*/2);
  };
  EXPECT_EQ(OnReplicas(scatter, {{"f32[2] {1,2.25}"}, {"f32[2] {3,5.25}"}}),
            (Texts{"f32[1] {4}", "f32[1] {7.5}"}));
}

TEST(WorkedCollectives, AllToAll) {
  const auto halves = [](const std::vector<O>& p) { return AllToAll(p[0], 0, 0, 2); };
  EXPECT_EQ(OnReplicas(halves, {{"s32[4] {0,1,2,3}"}, {"s32[4] {4,5,6,7}"}}),
            (Texts{"s32[4] {0,1,4,5}", "s32[4] {2,3,6,7}"}));
  const auto groups = [](const std::vector<O>& p) {
    return AllToAll(p[0], 0, 0, 3, Groups{{1, 2, 3}, {4, 5, 0}});
  };
  EXPECT_EQ(OnReplicas(groups, {{"s32[3] {0,1,2}"},
                                {"s32[3] {10,11,12}"},
                                {"s32[3] {20,21,22}"},
                                {"s32[3] {30,31,32}"},
                                {"s32[3] {40,41,42}"},
                                {"s32[3] {50,51,52}"}}),
            (Texts{"s32[3] {42,52,2}", "s32[3] {10,20,30}", "s32[3] {11,21,31}",
                   "s32[3] {12,22,32}", "s32[3] {40,50,0}", "s32[3] {41,51,1}"}));
}

// Split along 1, concatenated along 0, whatever the prose of one source says.
TEST(WorkedCollectives, AllToAllOfAMatrix) {
  XlaBuilder b("alltoall");
  auto x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {4, 16}), "x");
  EXPECT_EQ(b.GetShape(AllToAll(x, /*split_dimension=*/1, /*concat_dimension=*/0,
                                /*split_count=*/4))
                ->ToString(),
            "f32[16,4]");
  const auto exchange = [](const std::vector<O>& p) {
    return AllToAll(p[0], /*split_dimension=*/1, /*concat_dimension=*/0, /*split_count=*/2);
  };
  EXPECT_EQ(
      OnReplicas(exchange,
                 {{"s32[2,4] {{0,1,2,3},{4,5,6,7}}"}, {"s32[2,4] {{8,9,10,11},{12,13,14,15}}"}}),
      (Texts{"s32[4,2] {{0,1},{4,5},{8,9},{12,13}}", "s32[4,2] {{2,3},{6,7},{10,11},{14,15}}"}));
}

// f32[4,16] on four replicas, the elements numbered across them.
TEST(WorkedCollectives, AllToAllOfFourMatrices) {
  const auto exchange = [](const std::vector<O>& p) {
    const O x = Reshape(Iota(p[0].builder(), F32, 64), {4, 16}) + p[0];
    return AllToAll(x, /*split_dimension=*/1, /*concat_dimension=*/0, /*split_count=*/4);
  };
  Texts expected;
  for (int replica = 0; replica < 4; ++replica) {
    std::string rows;
    for (int row = 0; row < 16; ++row) {
      const int at = 16 * row + 4 * replica;
      StrAppend(rows, row == 0 ? "{" : ",{", at, ",", at + 1, ",", at + 2, ",", at + 3, "}");
    }
    expected.push_back(StrCat("f32[16,4] {", rows, "}"));
  }
  EXPECT_EQ(OnReplicas(exchange, {{"f32[] 0"}, {"f32[] 64"}, {"f32[] 128"}, {"f32[] 192"}}),
            expected);
}

TEST(WorkedCollectives, AllToAllOfATuple) {
  const auto exchange = [](const std::vector<O>& p) {
    return AllToAllTuple({p[0], p[1]}, Groups{{0, 1}});
  };
  EXPECT_EQ(OnReplicas(exchange, {{"s32[] 1", "s32[] 2"}, {"s32[] 3", "s32[] 4"}}),
            (Texts{"(s32[],s32[]) (1,3)", "(s32[],s32[]) (2,4)"}));
}

TEST(WorkedCollectives, CollectivePermute) {
  const auto permute = [](const std::vector<O>& p) {
    return CollectivePermute(p[0], {{0, 1}, {1, 2}, {2, 3}});
  };
  EXPECT_EQ(
      OnReplicas(permute, {{"s32[1] {10}"}, {"s32[1] {11}"}, {"s32[1] {12}"}, {"s32[1] {13}"}}),
      (Texts{"s32[1] {0}", "s32[1] {10}", "s32[1] {11}", "s32[1] {12}"}));
}

TEST(WorkedCollectives, ReplicaId) {
  const auto id = [](const std::vector<O>& p) { return ReplicaId(p[0].builder()); };
  EXPECT_EQ(OnReplicas(id, {{"s32[] 0"}, {"s32[] 0"}, {"s32[] 0"}}),
            (Texts{"u32[] 0", "u32[] 1", "u32[] 2"}));
}

// Of the operations that no seed names.
TEST(WorkedCollectives, CollectiveBroadcast) {
  const auto broadcast = [](const std::vector<O>& p) {
    return CollectiveBroadcast(p[0], Groups{{1, 0}});
  };
  EXPECT_EQ(OnReplicas(broadcast, kPair), (Texts{"f32[2] {3,5.25}", "f32[2] {3,5.25}"}));
}

TEST(WorkedCollectives, RaggedAllToAll) {
  const auto exchange = [](const std::vector<O>& p) {
    return RaggedAllToAll(p[0], p[1], p[2], p[3], p[4], p[5]);
  };
  EXPECT_EQ(OnReplicas(exchange, {{"s32[3] {1,2,2}", "s32[2] {0,1}", "s32[2] {1,2}",
                                   "s32[4] {0,0,0,0}", "s32[2] {0,0}", "s32[2] {1,1}"},
                                  {"s32[3] {3,4,0}", "s32[2] {0,1}", "s32[2] {1,1}",
                                   "s32[4] {0,0,0,0}", "s32[2] {1,2}", "s32[2] {2,1}"}}),
            (Texts{"s32[4] {1,3,0,0}", "s32[4] {2,2,4,0}"}));
}

// --- send and recv ------------------------------------------------------------------------------

TEST(WorkedCollectives, SendAndRecv) {
  ChannelHandle channel;
  channel.set_handle(3);
  channel.set_type(ChannelHandle::DEVICE_TO_DEVICE);
  EXPECT_EQ(ShapeOf([&](O x) { return Send(x, channel); }, "f32[2]"), "token[]");
  EXPECT_EQ(ShapeOf([&](XlaBuilder* b) { return Recv(b, Shape(F32, {2}), channel); }), "f32[2]");
  EXPECT_EQ(
      ShapeOf([&](O x) { return SendWithToken(x, CreateToken(x.builder()), channel); }, "f32[2]"),
      "token[]");
  EXPECT_EQ(ShapeOf([&](XlaBuilder* b) {
              return RecvWithToken(CreateToken(b), Shape(F32, {2}), channel);
            }),
            "(f32[2], token[])");
  channel.set_type(ChannelHandle::DEVICE_TO_HOST);
  EXPECT_TRUE(ShapeOf([&](O x) { return Send(x, channel); }, "f32[2]")
                  .starts_with("INVALID_ARGUMENT: send:"));
}

}  // namespace
}  // namespace axle
