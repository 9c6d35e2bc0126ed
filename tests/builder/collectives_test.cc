// The builder's collectives: what they make, and what they refuse.
#include "axle/builder/xla_builder.h"
#include "axle/ops/op_def.h"
#include "tests/builder/built.h"

namespace axle {
namespace {

// The instructions after the parameters, without names, or the error.
std::string Built(XlaBuilder& b) {
  const auto computation = b.Build();
  if (!computation.ok()) {
    const std::string text = computation.status().ToString();
    return text.substr(0, text.rfind(" at "));
  }
  const std::string text = Print(computation->module(), {.style = PrintOptions::Style::kShort});
  const auto reread = Parse(text);
  EXPECT_TRUE(reread.ok()) << reread.status().message() << "\n" << text;
  std::string out;
  for (const Instruction* inst : computation->module().entry()->instructions()) {
    if (IsParameter(*inst)) continue;
    const std::string line = Print(*inst, {.style = PrintOptions::Style::kShort});
    StrAppend(out, line.substr(line.find(" = ") + 3), "\n");
  }
  return out;
}

ChannelHandle Channel(i64 number) {
  ChannelHandle handle;
  handle.set_handle(number);
  handle.set_type(ChannelHandle::DEVICE_TO_DEVICE);
  return handle;
}

TEST(BuilderCollectives, AllReduce) {
  XlaBuilder b("m");
  const std::vector<ReplicaGroup> groups = {{0, 1}, {2, 3}};
  AllReduce(Param(b, 0, "f32[2]"), AddF32(), groups);
  EXPECT_EQ(Built(b), "f32[2]{0} all-reduce(p0), replica_groups={{0,1},{2,3}}, to_apply=add\n");
  AllReduce(Param(b, 0, "f32[2,2]"), AddF32(), groups, Channel(3), *ParseShape("f32[2,2]{0,1}"),
            true);
  EXPECT_EQ(Built(b),
            "f32[2,2]{0,1} all-reduce(p0), channel_id=3, replica_groups={{0,1},{2,3}}, "
            "constrain_layout=true, use_global_device_ids=true, to_apply=add\n");
}

TEST(BuilderCollectives, AllReduceOfTuples) {
  XlaBuilder b("m");
  AllReduce(Param(b, 0, "(f32[2], f32[])"), AddF32());
  EXPECT_EQ(Built(b),
            "f32[2]{0} get-tuple-element(p0), index=0\n"
            "f32[] get-tuple-element(p0), index=1\n"
            "(f32[2]{0}, f32[]) all-reduce(get-tuple-element.1, get-tuple-element.2), "
            "replica_groups={}, to_apply=add\n");
  const XlaOp one = Param(b, 0, "f32[2]");
  AllReduceTuple({&one, 1}, AddF32());
  EXPECT_EQ(Built(b),
            "f32[2]{0} all-reduce(p0), replica_groups={}, to_apply=add\n"
            "(f32[2]{0}) tuple(all-reduce.1)\n");
  AllReduce(Param(b, 0, "()"), AddF32());
  EXPECT_EQ(Built(b), "UNIMPLEMENTED: all-reduce: a tuple without elements; operand ()");
  XlaBuilder mixed("m");
  AllReduce(Param(mixed, 0, "(f32[2], s32[])"), AddF32());
  EXPECT_EQ(Built(mixed),
            "UNIMPLEMENTED: all-reduce: all elements of a tuple must have one element type; "
            "operand f32[2], operand s32[]");
}

TEST(BuilderCollectives, AllReduceChecksTheStatedShape) {
  XlaBuilder b("m"), c("m");
  // A shape without a layout is row-major.
  AllReduce(Param(b, 0, "f32[2]"), AddF32(), {}, {}, Shape(F32, {2}));
  EXPECT_EQ(Built(b),
            "f32[2]{0} all-reduce(p0), replica_groups={}, constrain_layout=true, to_apply=add\n");
  AllReduce(Param(c, 0, "f32[2]"), AddF32(), {}, {}, *ParseShape("f32[3]{0}"));
  EXPECT_EQ(Built(c),
            "INVALID_ARGUMENT: all-reduce: shape_with_layout is f32[3], not f32[2]; operand "
            "f32[2]");
}

TEST(BuilderCollectives, CrossReplicaSum) {
  XlaBuilder b("m");
  CrossReplicaSum(Param(b, 0, "f32[2]"));
  EXPECT_EQ(Built(b), "f32[2]{0} all-reduce(p0), replica_groups={}, to_apply=sum\n");
  CrossReplicaSum(Param(b, 0, "pred[2]"), {0, 1, 2, 3, 0, 1, 2, 3});
  const auto computation = b.Build();
  ASSERT_TRUE(computation.ok()) << computation.status().message();
  EXPECT_EQ(Print(computation->module(), {.style = PrintOptions::Style::kShort}),
            "HloModule m, entry_computation_layout={(pred[2]{0})->pred[2]{0}}\n\nsum {\n"
            "  x = pred[] parameter(0)\n  y = pred[] parameter(1)\n  ROOT or.2 = pred[] or(x, y)\n"
            "}\n\nENTRY m {\n  p0 = pred[2]{0} parameter(0)\n  ROOT all-reduce.1 = pred[2]{0} "
            "all-reduce(p0), replica_groups={{0,4},{1,5},{2,6},{3,7}}, to_apply=sum\n}\n\n");
  XlaBuilder unequal("m");
  CrossReplicaSum(Param(unequal, 0, "f32[2]"), {0, 1, 2, 0});
  EXPECT_EQ(Built(unequal),
            "INVALID_ARGUMENT: all-reduce: replica_group_ids put 2 replicas into one group and 1 "
            "into group 1; operand f32[2]");
}

TEST(BuilderCollectives, AllGather) {
  XlaBuilder b("m"), c("m"), d("m");
  const std::vector<ReplicaGroup> groups = {{0, 1}};
  AllGather(Param(b, 0, "f32[2,4]"), 1, 2, groups, Channel(1), {}, true);
  EXPECT_EQ(Built(b),
            "f32[2,8]{1,0} all-gather(p0), channel_id=1, replica_groups={{0,1}}, dimensions={1}, "
            "use_global_device_ids=true\n");
  AllGather(Param(c, 0, "f32[2]"), 1, 2);
  EXPECT_EQ(Built(c),
            "INVALID_ARGUMENT: all-gather: dimension 1 must be in [0, 1); operand f32[2]");
  AllGather(Param(d, 0, "f32[2]"), 0, 0);
  EXPECT_EQ(Built(d),
            "INVALID_ARGUMENT: all-gather: shard_count is 0, must be > 0; operand f32[2]");
}

TEST(BuilderCollectives, ReduceScatter) {
  XlaBuilder b("m"), c("m");
  ReduceScatter(Param(b, 0, "f32[8]"), AddF32(), 0, 4);
  EXPECT_EQ(Built(b),
            "f32[2]{0} reduce-scatter(p0), replica_groups={}, dimensions={0}, to_apply=add\n");
  ReduceScatter(Param(c, 0, "f32[6]"), AddF32(), 0, 4);
  EXPECT_EQ(Built(c),
            "INVALID_ARGUMENT: reduce-scatter: dimension 0 has size 6, which shard_count 4 does "
            "not divide; operand f32[6]");
}

TEST(BuilderCollectives, AllToAll) {
  XlaBuilder b("alltoall");
  const XlaOp x = Param(b, 0, "f32[4,16]");
  EXPECT_EQ(b.GetShape(AllToAll(x, /*split_dimension=*/1, /*concat_dimension=*/0,
                                /*split_count=*/4))
                ->ToString(),
            "f32[16,4]");
  EXPECT_EQ(Built(b),
            "f32[4,16]{1,0} all-to-all(p0), replica_groups={{0,1,2,3}}, dimensions={1}\n"
            "f32[4,4,4]{2,1,0} reshape(all-to-all.1)\n"
            "f32[4,4,4]{2,1,0} transpose(reshape.2), dimensions={1,0,2}\n"
            "f32[16,4]{1,0} reshape(transpose.3)\n");
  XlaBuilder c("m"), d("m"), e("m");
  AllToAll(Param(c, 0, "f32[6]"), 0, 0, 4);
  EXPECT_EQ(Built(c),
            "INVALID_ARGUMENT: all-to-all: split_dimension has size 6, which split_count 4 does "
            "not divide; operand f32[6]");
  AllToAll(Param(d, 0, "f32[6]"), 0, 1, 2);
  EXPECT_EQ(Built(d),
            "INVALID_ARGUMENT: all-to-all: concat_dimension is 1, must be in [0, 1); operand "
            "f32[6]");
  AllToAll(Param(e, 0, "f32[6]"), 0, 0, 0);
  EXPECT_EQ(Built(e),
            "INVALID_ARGUMENT: all-to-all: split_count is 0, must be > 0; operand f32[6]");
}

TEST(BuilderCollectives, AllToAllTuple) {
  XlaBuilder b("m");
  const std::vector<ReplicaGroup> groups = {{0, 1}};
  const XlaOp x = Param(b, 0, "f32[2]");
  AllToAllTuple(std::vector<XlaOp>{x, x}, groups);
  EXPECT_EQ(Built(b), "(f32[2]{0}, f32[2]{0}) all-to-all(p0, p0), replica_groups={{0,1}}\n");
}

TEST(BuilderCollectives, PermutesAndBroadcasts) {
  XlaBuilder b("m");
  CollectivePermute(Param(b, 0, "f32[2]"), {{0, 1}, {1, 0}}, Channel(2));
  EXPECT_EQ(Built(b),
            "f32[2]{0} collective-permute(p0), channel_id=2, source_target_pairs={{0,1},{1,0}}\n");
  const XlaOp x = Param(b, 0, "f32[2]");
  MultiCollectivePermute(std::vector<XlaOp>{x, x}, {{0, 1}});
  EXPECT_EQ(Built(b),
            "(f32[2]{0}, f32[2]{0}) collective-permute(p0, p0), source_target_pairs={{0,1}}\n");
  const std::vector<ReplicaGroup> groups = {{1, 0}};
  CollectiveBroadcast(Param(b, 0, "f32[2]"), groups);
  EXPECT_EQ(Built(b), "f32[2]{0} collective-broadcast(p0), replica_groups={{1,0}}\n");
  XlaBuilder c("m");
  CollectivePermute(Param(c, 0, "(token[])"), {});
  EXPECT_EQ(Built(c),
            "INVALID_ARGUMENT: collective-permute: expected an array, not (token[]); operand "
            "(token[])");
}

TEST(BuilderCollectives, RaggedAllToAll) {
  XlaBuilder b("m");
  const XlaOp input = Param(b, 0, "f32[4]"), output = Param(b, 1, "f32[8]");
  const XlaOp index = Param(b, 2, "s32[2]");
  RaggedAllToAll(input, index, index, output, index, index);
  EXPECT_EQ(Built(b), "f32[8]{0} ragged-all-to-all(p0, p1, p2, p2, p2, p2), replica_groups={}\n");
}

TEST(BuilderCollectives, DeviceIds) {
  XlaBuilder b("m");
  const XlaOp replica = ReplicaId(&b), partition = PartitionId(&b);
  Add(replica, partition);
  EXPECT_EQ(Built(b),
            "u32[] replica-id()\nu32[] partition-id()\n"
            "u32[] add(replica-id.0, partition-id.1)\n");
}

TEST(BuilderCollectives, AfterAnErrorNothingHappens) {
  XlaBuilder b("m");
  const XlaOp bad = AllGather(Param(b, 0, "f32[2]"), 5, 2);
  EXPECT_FALSE(bad.valid());
  EXPECT_FALSE(CrossReplicaSum(bad).valid());
  EXPECT_FALSE(AllToAll(bad, 0, 0, 1).valid());
  EXPECT_FALSE(RaggedAllToAll(bad, bad, bad, bad, bad, bad).valid());
  EXPECT_FALSE(AllReduce(XlaOp(), AddF32()).valid());
  EXPECT_EQ(Built(b),
            "INVALID_ARGUMENT: all-gather: dimension 5 must be in [0, 1); operand f32[2]");
}

}  // namespace
}  // namespace axle
