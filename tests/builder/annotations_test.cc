// What a builder hangs on ops: metadata, shardings, frontend attributes, aliases.
#include "axle/builder/xla_builder.h"
#include "tests/builder/built.h"

namespace axle {
namespace {

OpSharding Tiled(i64 tiles) {
  OpSharding sharding;
  sharding.set_type(OpSharding::OTHER);
  sharding.add_tile_assignment_dimensions(tiles);
  for (i64 device = 0; device < tiles; ++device) sharding.add_tile_assignment_devices(device);
  return sharding;
}

TEST(Annotations, ShardingsHoldInTheirScopes) {
  XlaBuilder b("sharding");
  const XlaOp x = Param(b, 0, "f32[2]");
  XlaOp y, z;
  {
    const XlaScopedShardingAssignment scope(&b, Tiled(2));
    y = Neg(x);
    const XlaScopedShardingAssignment inner(&b, std::nullopt);
    z = Neg(x);
  }
  EXPECT_EQ(x.instruction()->extras(), nullptr);
  EXPECT_EQ(y.instruction()->extras()->sharding, "{devices=[2]0,1}");
  EXPECT_EQ(z.instruction()->extras(), nullptr);
  EXPECT_TRUE(b.SetInstructionSharding(z, OpSharding()).ok());
  EXPECT_EQ(z.instruction()->extras()->sharding, "{replicated}");
  OpSharding pair;
  pair.set_type(OpSharding::TUPLE);
  *pair.add_tuple_shardings() = Tiled(2);
  pair.add_tuple_shardings()->set_type(OpSharding::MANUAL);
  b.SetSharding(pair);
  EXPECT_EQ(Tuple(&b, {y, z}).instruction()->extras()->sharding, "{{devices=[2]0,1}, {manual}}");
  EXPECT_EQ(RunBuilt(b, {"f32[2] {1, 2}"}), "(f32[2], f32[2]) ( {-1, -2}, {-1, -2} )");
}

TEST(Annotations, MetadataHoldsInItsScopeAndForOneOp) {
  XlaBuilder b("metadata");
  OpMetadata metadata, once;
  metadata.set_op_name("layer/add");
  metadata.set_op_type("Add");
  once.set_source_file("model.py");
  once.set_source_line(7);
  const XlaOp x = Param(b, 0, "f32[2]");
  const auto of = [](XlaOp op) { return op.instruction()->metadata(); };
  {
    const XlaScopedOpMetadataAssignment scope(&b, metadata);
    EXPECT_EQ(of(Neg(x)).op_name, "layer/add");
    EXPECT_EQ(of(Neg(x)).source_line, __LINE__);
    b.SetOneShotOpMetadata(once);
    EXPECT_EQ(of(Neg(x)).source_file, "model.py");
    EXPECT_EQ(of(Neg(x)).op_type, "Add");
  }
  EXPECT_EQ(of(Neg(x)).op_name, "");
}

TEST(Annotations, FrontendAttributesHoldInTheirScopes) {
  XlaBuilder b("attributes");
  const XlaOp x = Param(b, 0, "f32[2]");
  XlaOp y;
  {
    const XlaScopedFrontendAttributesAssignment scope(&b, {{"b", "say \"x\""}, {"a", "{1}"}});
    y = Neg(x);
  }
  EXPECT_EQ(Neg(x).instruction()->extras(), nullptr);
  ASSERT_TRUE(b.SetInstructionFrontendAttribute(y, "a", "2").ok());
  const std::vector<std::pair<std::string, std::string>> expected = {{"a", "\"2\""},
                                                                     {"b", "\"say \\\"x\\\"\""}};
  EXPECT_EQ(y.instruction()->extras()->frontend_attributes, expected);
  EXPECT_EQ(RunBuilt(b, {"f32[2] {1, 2}"}), "f32[2] {-1, -2}");
}

TEST(Annotations, AliasesAreInTheHeadOfTheModule) {
  XlaBuilder b("alias");
  const XlaOp x = Param(b, 0, "f32[2]");
  Tuple(&b, {Neg(x), Exp(x)});
  b.SetUpAlias({1}, 0, {}, AliasKind::kMustAlias);
  b.AddBufferDonor(0, {});
  const XlaComputation built = b.Build().value();
  const std::string text = Print(built.module());
  EXPECT_NE(text.find("input_output_alias={ {1}: (0, {}, must-alias) }"), std::string::npos)
      << text;
  EXPECT_NE(text.find("buffer_donor={ (0, {}) }"), std::string::npos) << text;
}

TEST(Annotations, AnyNameOfABuilderGivesAModuleThatPrints) {
  for (const char* name : {"two words", "a, {b}\n", "", "1", "f32", "\xc3\xa4"}) {
    XlaBuilder b(name);
    const XlaOp one = ConstantR0<float>(&b, 1);
    EXPECT_EQ(b.name(), name);
    EXPECT_TRUE(Parse(Print(b.BuildConstantSubGraph(one)->module())).ok()) << name;
    EXPECT_EQ(RunBuilt(b), "f32[] 1") << name;
  }
}

TEST(Annotations, ShapesOfWhatIsThere) {
  XlaBuilder b("shapes");
  const XlaOp y = Param(b, 1, "s32[3]"), x = Param(b, 0, "f32[2]");
  const XlaOp sum = ReduceAll(x, ConstantR0<float>(&b, 0), AddF32());
  const StatusOr<ProgramShape> shape = b.GetProgramShape();
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->parameters[1].ToString(), "s32[3]");
  EXPECT_EQ(shape->result.ToString(), "f32[]");
  EXPECT_EQ(b.GetProgramShape(y)->result.ToString(), "s32[3]");
  EXPECT_EQ((*b.GetShapePtr(sum))->ToString(), "f32[]");
  EXPECT_EQ(b.GetOperandShapes({x, y})->size(), 2u);
  EXPECT_EQ(b.CreateSubBuilder("inner")->name(), "inner");
}

TEST(Annotations, ConstantsOfArraysAndRanks) {
  XlaBuilder b("constants");
  Array2D<std::int32_t> a(2, 2);
  a.FillIota(1);
  Tuple(&b, {ConstantR2FromArray2D(&b, a), ConstantFromArray<bool>(&b, {true, false}),
             ConstantR3<float>(&b, {{{1}, {2}}}), ConstantR4<float>(&b, {{{{1, 2}}}}),
             ConstantR1<float>(&b, 2, 3)});
  EXPECT_EQ(
      RunBuilt(b),
      "(s32[2,2], pred[2], f32[1,2,1], f32[1,1,1,2], f32[2]) ( { { 1, 2 }, { 3, 4 } }, {1, 0}, "
      "{ { {1}, {2} } }, { { /*i0=0*/ { /*i1=0*/ { 1, 2 } } } }, {3, 3} )");
  XlaBuilder negative("negative");
  ConstantR1<float>(&negative, -1, 3);
  EXPECT_FALSE(negative.first_error().ok());
}

}  // namespace
}  // namespace axle
