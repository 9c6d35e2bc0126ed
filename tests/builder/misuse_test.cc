// What a program can do wrong with builders, handles and annotations: an error each time.
#include "axle/computation_builder.h"
#include "tests/builder/built.h"

namespace axle {
namespace {

std::string WithoutPlace(const std::string& message) {
  return message.substr(0, message.find(" at "));
}
std::string FirstError(const XlaBuilder& b) {
  return WithoutPlace(b.first_error().message());
}

TEST(Misuse, MethodsTakeHandlesOfTheirBuilderOnly) {
  XlaBuilder one("one"), two("two");
  const XlaOp x = Param(one, 0, "f32[2]"), y = Param(two, 0, "f32[2]");
  const int line = __LINE__ + 1;
  EXPECT_FALSE(one.Add(y, y).valid());
  EXPECT_EQ(
      one.first_error().message(),
      StrCat("Add: operand 0 is of builder \"two\", not of \"one\" at ", __FILE__, ":", line));
  EXPECT_TRUE(two.first_error().ok());
  // Nothing was added to the other builder.
  EXPECT_EQ(two.Build()->module().entry()->instructions().size(), 1u);
  XlaBuilder three("three");
  three.Tuple({three.ConstantR0<float>(1), x});
  EXPECT_EQ(FirstError(three), "Tuple: operand 1 is of builder \"one\", not of \"three\"");
  XlaBuilder four("four");
  four.Neg(XlaOp());
  EXPECT_EQ(FirstError(four), "Neg: operand 0 is an empty handle");
  XlaBuilder five("five");
  five.Sort({}, AddF32());
  EXPECT_EQ(FirstError(five), "Sort: there is no operand");
}

TEST(Misuse, FunctionsTakeHandlesOfOneBuilderOnly) {
  const auto mixed = [](XlaOp (*call)(XlaOp, XlaOp)) {
    XlaBuilder one("one"), two("two");
    const XlaOp x = Param(one, 0, "pred[]"), y = Param(two, 0, "pred[]");
    EXPECT_FALSE(call(x, y).valid());
    EXPECT_EQ(two.Build()->module().entry()->instructions().size(), 1u);
    return FirstError(one);
  };
  EXPECT_EQ(mixed([](XlaOp x, XlaOp y) { return Select(x, y, x); }),
            "select: operand 1 is of builder \"two\", not of \"one\"");
  EXPECT_EQ(mixed([](XlaOp x, XlaOp y) { return Clamp(x, y, x); }),
            "clamp: operand 1 is of builder \"two\", not of \"one\"");
  EXPECT_EQ(mixed([](XlaOp x, XlaOp y) { return x & y; }),
            "and: operand 1 is of builder \"two\", not of \"one\"");
  EXPECT_EQ(mixed([](XlaOp x, XlaOp y) { return Sort(x, y, 0); }),
            "sort: operand 1 is of builder \"two\", not of \"one\"");
}

TEST(Misuse, HandlesFromBeforeABuildAreErrors) {
  XlaBuilder b("again");
  const XlaOp old = Param(b, 0, "f32[2]");
  ASSERT_TRUE(b.Build().ok());
  EXPECT_FALSE(old.valid());
  EXPECT_TRUE(old.is_of_earlier_build());
  EXPECT_EQ(old.instruction(), nullptr);
  EXPECT_EQ(b.GetShape(old).status().message(), "the handle is of an earlier Build of \"again\"");
  EXPECT_EQ(WithoutPlace(b.Build(old).status().message()),
            "build: the root is of an earlier Build of \"again\"");
  EXPECT_FALSE(b.IsConstant(old).ok());
  EXPECT_FALSE(b.SetInstructionFrontendAttribute(old, "a", "b").ok());
  Neg(old);
  EXPECT_EQ(FirstError(b), "negate: operand 0 is of an earlier Build of \"again\"");
}

// Functions that take a builder give the empty handle without one: nobody could keep the error.
TEST(Misuse, ANullBuilderGivesTheEmptyHandle) {
  XlaBuilder* const none = nullptr;
  const Shape shape(F32, {2});
  const XlaOp empty;
  const XlaComputation add = AddF32();
  const XlaOp made[] = {
      Parameter(none, 0, shape, "x"),
      ConstantR0<float>(none, 1),
      ConstantR1<float>(none, {1, 2}),
      ConstantR1<float>(none, {1, 1}),
      ConstantR1<float>(none, 3, 1.0F),
      ConstantR2<float>(none, {{1}, {2}}),
      ConstantLiteral(none, LiteralUtil::CreateR0<float>(1)),
      Iota(none, F32, 3),
      Iota(none, shape, 0),
      Tuple(none, {}),
      Tuple(none, {empty}),
      Call(none, add, {}),
      Map(none, {empty}, add, {0}),
      ConcatInDim(none, {empty}, 0),
      Reduce(none, {empty}, {empty}, add, {0}),
      CreateToken(none),
      AfterAll(none, {empty}),
      Infeed(none, shape),
      Recv(none, shape, ChannelHandle()),
      CompositeCall(none, add, {}, "name"),
      CustomCall(none, "target", {}, shape),
      CustomCallWithComputation(none, "target", {}, add, shape),
      CustomCallWithLayout(none, "target", {}, shape, {}),
      HloInstruction::CreateRecv(none, shape, 1),
      ReplicaId(none),
      PartitionId(none),
      XlaOp(none, nullptr),
  };
  for (const XlaOp& op : made) {
    EXPECT_FALSE(op.valid());
    EXPECT_TRUE(op.IsUninitialized());
  }
  const XlaScopedShardingAssignment sharding(none, std::nullopt);
  const XlaScopedFrontendAttributesAssignment attributes(none, {});
  const XlaScopedOpMetadataAssignment metadata(none, {});
  // Where it is used, the handle is an error.
  XlaBuilder b("b");
  b.Add(made[0], made[1]);
  EXPECT_EQ(FirstError(b), "Add: operand 0 is an empty handle");
}

XlaOp HandleOfAGoneBuilder() {
  XlaBuilder b("gone");
  return Param(b, 0, "f32[2]");
}

TEST(Misuse, HandlesOfABuilderThatIsGoneAreErrors) {
  const XlaOp gone = HandleOfAGoneBuilder();
  EXPECT_FALSE(gone.valid());
  EXPECT_TRUE(gone.is_of_destroyed_builder());
  EXPECT_EQ(gone.builder_or_null(), nullptr);
  EXPECT_EQ(gone.instruction(), nullptr);
  XlaBuilder b("b");
  const XlaOp x = Param(b, 0, "f32[2]");
  EXPECT_EQ(b.GetShape(gone).status().message(), "the handle is of a builder that is gone");
  EXPECT_FALSE(b.IsConstant(gone).ok());
  EXPECT_EQ(WithoutPlace(b.Build(gone).status().message()),
            "build: the root is of a builder that is gone");
  EXPECT_FALSE((gone + x).valid());
  EXPECT_EQ(FirstError(b), "add: operand 0 is of a builder that is gone");
  XlaBuilder method("method");
  method.Neg(gone);
  EXPECT_EQ(FirstError(method), "Neg: operand 0 is of a builder that is gone");
}

TEST(Misuse, EveryFunctionRefusesAHandleFromBefore) {
  // Those that look at shapes before they make an op.
  const struct {
    const char* name;
    XlaOp (*call)(XlaOp);
  } kCalls[] = {
      {"collapse",
       [](XlaOp x) {
         return Collapse(x, {0, 1});
       }},
      {"broadcast", [](XlaOp x) { return Broadcast(x, {2}); }},
      {"in dim", [](XlaOp x) { return BroadcastInDim(x, {2}, {0}); }},
      {"reshape",
       [](XlaOp x) {
         return Reshape(x, {1, 0}, {2});
       }},
      {"slice", [](XlaOp x) { return SliceInDim(x, 0, 1, 1, 0); }},
      {"pad", [](XlaOp x) { return PadInDim(x, x, 0, 1, 1); }},
      {"remove", [](XlaOp x) { return RemoveDynamicDimension(x, 0); }},
      {"size", [](XlaOp x) { return GetDimensionSize(x, 0); }},
      {"gather", [](XlaOp x) { return Gather(x, x, {0}, {1}, {1}, {0}); }},
      {"sort", [](XlaOp x) { return Sort(x); }},
      {"map", [](XlaOp x) { return Map(x.builder_or_null(), {x}, AddF32()); }},
      {"bernoulli", [](XlaOp x) { return RngBernoulli(x, Shape(U32)); }},
      {"logical", [](XlaOp x) { return LogicalNot(x); }},
      {"compare", [](XlaOp x) { return LtTotalOrder(x, x); }},
      {"shift", [](XlaOp x) { return x >> x; }},
      {"select", [](XlaOp x) { return Select(x, x, x); }},
      {"clamp", [](XlaOp x) { return Clamp(x, x, x); }},
      {"dot", [](XlaOp x) { return Dot(x, x); }},
      {"conv", [](XlaOp x) { return Conv(x, x, {1}, Padding::kSame); }},
      {"reduce all", [](XlaOp x) { return ReduceAll(x, x, AddF32()); }},
      {"window", [](XlaOp x) { return ReduceWindow(x, x, AddF32(), {1}, {1}, Padding::kSame); }},
      {"scan", [](XlaOp x) { return Scan({x}, {x}, AddF32(), 0, 3); }},
      {"convert", [](XlaOp x) { return ConvertElementType(x, S32); }},
      {"bits", [](XlaOp x) { return RngBitGenerator(RandomAlgorithm::kDefault, x, Shape(U32)); }},
      {"sum", [](XlaOp x) { return CrossReplicaSum(x); }},
      {"scatter", [](XlaOp x) { return ReduceScatter(x, AddF32(), 0, 1); }},
      {"all to all", [](XlaOp x) { return AllToAll(x, 0, 0, 1); }},
      {"infeed", [](XlaOp x) { return InfeedWithToken(x, Shape(F32)); }},
      {"outfeed", [](XlaOp x) { return Outfeed(x, Shape(F32)); }},
      {"send", [](XlaOp x) { return HloInstruction::CreateSend(x, 1); }},
      {"done", [](XlaOp x) { return HloInstruction::CreateSendDone(x); }},
  };
  for (const auto& c : kCalls) {
    XlaBuilder b("again");
    const XlaOp old = Param(b, 0, "f32[2]");
    ASSERT_TRUE(b.Build().ok());
    EXPECT_FALSE(c.call(old).valid()) << c.name;
    EXPECT_NE(FirstError(b).find("is of an earlier Build of \"again\""), std::string::npos)
        << c.name << ": " << b.first_error().message();
    // These have no builder that could keep an error.
    if (std::string_view(c.name) != "map") {
      EXPECT_FALSE(c.call(XlaOp()).valid()) << c.name;
      EXPECT_FALSE(c.call(HandleOfAGoneBuilder()).valid()) << c.name;
    }
  }
}

TEST(Misuse, ARootThatFailedIsForgotten) {
  XlaBuilder b("roots");
  const XlaOp x = Param(b, 1, "f32[2]");
  Broadcast(x, {4});
  EXPECT_FALSE(b.Build(x).ok());  // there is no parameter 0
  EXPECT_EQ(b.GetProgramShape()->result, Shape(F32, {4, 2}));
}

TEST(Misuse, BuildingTwiceAndAfterAnError) {
  XlaBuilder b("twice");
  Neg(Param(b, 0, "f32[]"));
  EXPECT_TRUE(b.Build().ok());
  EXPECT_EQ(WithoutPlace(b.Build().status().message()), "build: computation \"twice\" has no op");
  EXPECT_FALSE(b.GetProgramShape().ok());
  XlaBuilder wrong("wrong");
  const XlaOp x = Param(wrong, 0, "f32[2]");
  Reshape(x, {3});
  const std::string error = wrong.first_error().message();
  EXPECT_FALSE(wrong.Add(x, x).valid());
  EXPECT_EQ(wrong.Build().status().message(), error);
  EXPECT_EQ(wrong.Build(x).status().message(), error);
  EXPECT_EQ(wrong.GetShapePtr(x).status().message(), error);
  EXPECT_EQ(ComputeConstant(x).status().message(), error);
}

TEST(Misuse, EmptyComputations) {
  const XlaComputation none;
  EXPECT_TRUE(none.IsNull());
  EXPECT_EQ(none.name(), "");
  EXPECT_EQ((*none).GetProgramShape().status().message(), "the computation is empty");
}

TEST(Misuse, OldFormsSayWhatTheyNeed) {
  XlaBuilder b("old");
  LogicalAnd(Param(b, 0, "s32[]"), Param(b, 1, "pred[]"));
  EXPECT_EQ(FirstError(b), "logical and: takes pred only, not s32[]");
  XlaBuilder map("map");
  Map(&map, {Param(map, 0, "f32[2]")}, AddF32(), {Param(map, 1, "f32[3]")});
  EXPECT_EQ(
      FirstError(map),
      "map: to_apply must take (f32[], f32[3]) and give a scalar, but it is (f32[], f32[])->f32[]");
  XlaBuilder rng("rng");
  RngBernoulli(Param(rng, 0, "f64[]"), Shape(U32));
  EXPECT_EQ(FirstError(rng),
            "rng bernoulli: mean must be f32[] and the shape of u32, not f64[] and u32[]");
}

TEST(Misuse, ShardingsAndAttributesAreChecked) {
  XlaBuilder b("sharding");
  OpSharding sharding;
  sharding.set_type(OpSharding::OTHER);
  sharding.add_tile_assignment_dimensions(2);
  sharding.add_tile_assignment_devices(0);
  b.SetSharding(sharding);
  Param(b, 0, "f32[2]");
  EXPECT_EQ(FirstError(b), "sharding: there are 1 devices for 2 tiles");
  XlaBuilder untiled("untiled");
  OpSharding of_nothing;
  of_nothing.set_type(OpSharding::OTHER);
  of_nothing.add_tile_assignment_devices(0);
  untiled.SetSharding(of_nothing);
  Param(untiled, 0, "f32[2]");
  EXPECT_EQ(FirstError(untiled), "sharding: there are no tiles");
  // What HLO text could not read.
  for (const char* name : {"not a name", "", "1st", "-", ".a"}) {
    XlaBuilder named("named");
    named.SetFrontendAttributes({{name, "1"}});
    Param(named, 0, "f32[2]");
    EXPECT_EQ(FirstError(named),
              StrCat("frontend attributes: \"", name,
                     "\" is not a letter or '_' and then letters, digits, '_', '.' and '-'"));
  }
  XlaBuilder alias("alias");
  Param(alias, 0, "f32[2]");
  alias.SetUpAlias({0}, 0, {});
  EXPECT_EQ(WithoutPlace(alias.Build().status().message()),
            "build: the result of shape f32[2] has no element {0}");
  XlaBuilder donor("donor");
  Param(donor, 0, "f32[2]");
  donor.AddBufferDonor(-1, {});
  EXPECT_FALSE(donor.Build().ok());
}

TEST(Misuse, OnlyConstantsAreComputed) {
  XlaBuilder b("constant");
  const XlaOp x = Param(b, 0, "f32[2]");
  const XlaOp five = Add(ConstantR0<float>(&b, 2), ConstantR0<float>(&b, 3));
  const XlaOp drawn = RngUniform(five, five, Shape(F32));
  EXPECT_EQ(b.ComputeConstant(five)->ToString(), "5");
  EXPECT_EQ(ComputeConstant(Broadcast(five, {2}))->ToString(), "{5, 5}");
  EXPECT_TRUE(*b.IsConstant(Call(&b, AddF32(), {five, five})));
  EXPECT_EQ(ComputeConstant(Call(&b, AddF32(), {five, five}))->ToString(), "10");
  EXPECT_FALSE(*b.IsConstant(x));
  EXPECT_FALSE(*b.IsConstant(Mul(x, five)));
  EXPECT_FALSE(*b.IsConstant(drawn));
  EXPECT_FALSE(*b.IsConstant(ReplicaId(&b)));
  EXPECT_FALSE(*b.IsConstant(CustomCall(&b, "f", {}, Shape(F32))));
  EXPECT_EQ(b.BuildConstantSubGraph(x).status().message(),
            "constant: the value depends on parameter \"p0\"");
  // The builder goes on.
  EXPECT_EQ(b.GetProgramShape(five)->parameters.size(), 1u);
  EXPECT_TRUE(b.Build(Mul(x, five)).ok());
}

}  // namespace
}  // namespace axle
