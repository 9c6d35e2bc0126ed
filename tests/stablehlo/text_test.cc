// What MLIR text says: types, attributes, aliases, resources, locations, scopes of values, and what
// the tree makes of them.
#include "axle/core/strings.h"
#include "tests/stablehlo/mlir_text.h"

namespace axle::mlir {
namespace {

// The attribute "a" of the module {a = text}.
const Attribute* ReadAttribute(std::unique_ptr<MlirModule>& module, const std::string& text) {
  module = ReadOrFail(StrCat("module attributes {a = ", text, "} {}\n"));
  return module == nullptr ? nullptr : module->top()->Find("a");
}

TEST(MlirText, TypesAreWhatTheySay) {
  struct Row {
    const char* text;
    TypeKind kind;
    const char* printed;  // null: as the text
  };
  constexpr Row kRows[] = {
      {"f32", TypeKind::kElement, nullptr},
      {"bf16", TypeKind::kElement, nullptr},
      {"i1", TypeKind::kElement, nullptr},
      {"ui4", TypeKind::kElement, nullptr},
      {"f8E4M3B11FNUZ", TypeKind::kElement, nullptr},
      {"f6E2M3FN", TypeKind::kElement, nullptr},
      {"complex<f64>", TypeKind::kElement, nullptr},
      {"index", TypeKind::kIndex, nullptr},
      {"none", TypeKind::kNone, nullptr},
      {"tf32", TypeKind::kOther, nullptr},
      {"i128", TypeKind::kOther, nullptr},
      {"si8", TypeKind::kOther, nullptr},
      {"tensor<4x?x0xf32>", TypeKind::kTensor, nullptr},
      {"tensor<f32>", TypeKind::kTensor, nullptr},
      {"tensor< 2x3xi1 >", TypeKind::kTensor, "tensor<2x3xi1>"},
      {"tensor<*xf32>", TypeKind::kUnranked, nullptr},
      {"tensor<?x2xf32, #stablehlo.bounds<8, ?>>", TypeKind::kTensor, nullptr},
      {"tensor<?xf32, #stablehlo.type_extensions<bounds = [8]>>", TypeKind::kTensor,
       "tensor<?xf32, #stablehlo.bounds<8>>"},
      {"tensor<4xf32, #a.b<c = \">\">>", TypeKind::kTensor, nullptr},
      {"memref<2x?xf32>", TypeKind::kBuffer, nullptr},
      {"memref<2xf32, affine_map<(d0) -> (d0)>, 1 : i64>", TypeKind::kBuffer, nullptr},
      {"memref<*xf32>", TypeKind::kOther, nullptr},
      {"tuple<>", TypeKind::kTuple, nullptr},
      {"tuple<tensor<f32>, tuple<i32>>", TypeKind::kTuple, nullptr},
      {"!stablehlo.token", TypeKind::kToken, nullptr},
      {"!stablehlo.future<tensor<f32>, i32>", TypeKind::kFuture, nullptr},
      {"(f32, (i32) -> ()) -> (f32, f32)", TypeKind::kFunction, nullptr},
      {"() -> (() -> f32)", TypeKind::kFunction, nullptr},
      {"vector<4x[2]xf32>", TypeKind::kOther, nullptr},
      {"!a.b<c, [d] -> e>", TypeKind::kOther, nullptr},
      {"!quant.uniform<i8:f32, 0.5:3>", TypeKind::kQuantized,
       "!quant.uniform<i8<-128:127>:f32, 0.5:3>"},
      {"!quant.uniform<u8:f32, 2.0>", TypeKind::kQuantized, "!quant.uniform<ui8<0:255>:f32, 2.0>"},
      {"!quant.uniform<i8<-127:127>:f32:1, {0.1:1, 0.2}>", TypeKind::kQuantized, nullptr},
      {"tensor<2x!quant.uniform<i4<-8:7>:bf16, 1.5>>", TypeKind::kTensor, nullptr},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.text);
    std::unique_ptr<MlirModule> module;
    const Attribute* attribute = ReadAttribute(module, row.text);
    ASSERT_NE(attribute, nullptr);
    ASSERT_EQ(attribute->kind, AttributeKind::kType);
    EXPECT_EQ(attribute->type->kind, row.kind);
    EXPECT_EQ(attribute->type->ToString(), row.printed == nullptr ? row.text : row.printed);
    ExpectPrintsBack(*module);
  }
}

TEST(MlirText, QuantizedTypesPerAxis) {
  std::unique_ptr<MlirModule> module;
  const Attribute* attribute =
      ReadAttribute(module, "!quant.uniform<i8<-127:127>:f32:1, {0.125:1, 2.5e1:-2}>");
  ASSERT_NE(attribute, nullptr);
  const Quantization& q = attribute->type->quantization;
  EXPECT_EQ(q.storage, S8);
  EXPECT_EQ(q.expressed, F32);
  EXPECT_EQ(q.storage_min, -127);
  EXPECT_EQ(q.storage_max, 127);
  EXPECT_EQ(q.axis, 1);
  EXPECT_EQ(q.scales, (std::vector<double>{0.125, 25}));
  EXPECT_EQ(q.zero_points, (std::vector<i64>{1, -2}));
}

TEST(MlirText, AttributesAreWhatTheySay) {
  struct Row {
    const char* text;
    AttributeKind kind;
    const char* printed;  // null: as the text
  };
  constexpr Row kRows[] = {
      {"unit", AttributeKind::kUnit, nullptr},
      {"true", AttributeKind::kBool, nullptr},
      {"1 : i1", AttributeKind::kBool, "true"},
      {"5", AttributeKind::kInteger, "5 : i64"},
      {"-5 : i8", AttributeKind::kInteger, nullptr},
      {"255 : i8", AttributeKind::kInteger, "-1 : i8"},
      {"0xFF : ui8", AttributeKind::kInteger, "255 : ui8"},
      {"18446744073709551615 : ui64", AttributeKind::kInteger, nullptr},
      {"-9223372036854775808", AttributeKind::kInteger, "-9223372036854775808 : i64"},
      {"7 : index", AttributeKind::kInteger, nullptr},
      {"1.0", AttributeKind::kFloat, "1.000000e+00 : f64"},
      {"1.5e-3 : f32", AttributeKind::kFloat, "1.500000e-03 : f32"},
      {"0.1 : f32", AttributeKind::kFloat, "1.000000e-01 : f32"},
      {"0.1", AttributeKind::kFloat, "1.000000e-01 : f64"},
      {"0.12345678901234567", AttributeKind::kFloat, "1.2345678901234566e-01 : f64"},
      {"16777217.0", AttributeKind::kFloat, "1.6777217e+07 : f64"},
      {"0x7FC00000 : f32", AttributeKind::kFloat, nullptr},
      {"0xFF800000 : f32", AttributeKind::kFloat, nullptr},
      {"0x7FA00000 : f32", AttributeKind::kFloat, nullptr},
      {"1.0 : bf16", AttributeKind::kFloat, "1.000000e+00 : bf16"},
      {"0.0 : f8E8M0FNU", AttributeKind::kFloat, "5.877472e-39 : f8E8M0FNU"},
      {R"("a\22b\0A\\\t")", AttributeKind::kString, R"("a\22b\0A\\\09")"},
      {R"("a" : tensor<f32>)", AttributeKind::kString, nullptr},
      {"[]", AttributeKind::kArray, nullptr},
      {"[1 : i8, [true], \"a\"]", AttributeKind::kArray, nullptr},
      {"{}", AttributeKind::kDictionary, nullptr},
      {"{\"c d\" = 1 : i8, b, a.e = @f}", AttributeKind::kDictionary,
       "{a.e = @f, b, \"c d\" = 1 : i8}"},
      {"@f", AttributeKind::kSymbol, nullptr},
      {"@\"f g\"::@h", AttributeKind::kSymbol, nullptr},
      {"@f-1", AttributeKind::kSymbol, "@\"f-1\""},
      {"tensor<2xf32>", AttributeKind::kType, nullptr},
      {"#stablehlo<precision HIGH>", AttributeKind::kEnum, nullptr},
      {"#stablehlo.precision<HIGH>", AttributeKind::kEnum, "#stablehlo<precision HIGH>"},
      {"#chlo<comparison_type SIGNED>", AttributeKind::kEnum, "#stablehlo<comparison_type SIGNED>"},
      {"#stablehlo.channel_handle<handle = 1, type = 2>", AttributeKind::kStruct, nullptr},
      {"#stablehlo.gather<>", AttributeKind::kStruct, nullptr},
      {"#stablehlo<gather<offset_dims = [0], index_vector_dim = 0>>", AttributeKind::kStruct,
       "#stablehlo.gather<offset_dims = [0]>"},
      {"#stablehlo.mesh<axes=[<name = \"a\", size = 2>], device_ids = dense<[1, 0]> : "
       "tensor<2xi64>>",
       AttributeKind::kStruct,
       "#stablehlo.mesh<axes = [<name = \"a\", size = 2>], device_ids = dense<[1, 0]> : "
       "tensor<2xi64>>"},
      {"#stablehlo<sub_axis_info(2)4>", AttributeKind::kStruct, nullptr},
      {"#stablehlo.new_one<a, [b]>", AttributeKind::kOther, nullptr},
      {"#sdy.sharding<@m, [{\"a\", ?}p1, {}],\n   replicated={\"b\"}>", AttributeKind::kOther,
       "#sdy.sharding<@m, [{\"a\", ?}p1, {}], replicated={\"b\"}>"},
      {"#a.b", AttributeKind::kOther, nullptr},
      {"affine_map<(d0)[s0] -> (d0 + s0)>", AttributeKind::kOther, nullptr},
      {"dense<\"a\"> : tensor<1x!tf_type.string>", AttributeKind::kOther, nullptr},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.text);
    std::unique_ptr<MlirModule> module;
    const Attribute* attribute = ReadAttribute(module, row.text);
    ASSERT_NE(attribute, nullptr);
    EXPECT_EQ(attribute->kind, row.kind);
    EXPECT_EQ(attribute->ToString(), row.printed == nullptr ? row.text : row.printed);
    ExpectPrintsBack(*module);
  }
}

// Elements with their type: the literal, and what is printed.
TEST(MlirText, ElementsAreRead) {
  struct Row {
    const char* text;
    const char* literal;
    const char* printed;  // null: as the text
  };
  constexpr Row kRows[] = {
      {"dense<1.0> : tensor<2x3xf32>", "f32[] 1", "dense<1.000000e+00> : tensor<2x3xf32>"},
      {"dense<7> : tensor<1000000x1000000x1000000x1000000xi32>", "s32[] 7", nullptr},
      {"dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>", "s8[2,2] {{1, 2}, {3, -4}}", nullptr},
      {"dense<[1, 1, 1]> : tensor<3xi8>", "s8[] 1", "dense<1> : tensor<3xi8>"},
      {"dense<[255, 0x7F]> : tensor<2xi8>", "s8[2] {-1, 127}", "dense<[-1, 127]> : tensor<2xi8>"},
      {"dense<[15, -8, 1]> : tensor<3xi4>", "s4[3] {-1, -8, 1}",
       "dense<[-1, -8, 1]> : tensor<3xi4>"},
      {"dense<[0, 3]> : tensor<2xui2>", "u2[2] {0, 3}", nullptr},
      {"dense<[true, false]> : tensor<2xi1>", "pred[2] {1, 0}", nullptr},
      {"dense<[1, 0]> : tensor<2xi1>", "pred[2] {1, 0}", "dense<[true, false]> : tensor<2xi1>"},
      {"dense<\"0x05\"> : tensor<3xi1>", "pred[3] {1, 0, 1}",
       "dense<[true, false, true]> : tensor<3xi1>"},
      {"dense<\"0x010001\"> : tensor<3xi1>", "pred[3] {1, 0, 1}",
       "dense<[true, false, true]> : tensor<3xi1>"},
      {"dense<\"0xFF\"> : tensor<100xi1>", "pred[] 1", "dense<true> : tensor<100xi1>"},
      {"dense<\"0x0FF8\"> : tensor<2xi4>", "s4[2] {-1, -8}", "dense<[-1, -8]> : tensor<2xi4>"},
      {"dense<\"0x0000803F000000C0\"> : tensor<2xf32>", "f32[2] {1, -2}",
       "dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf32>"},
      {"dense<\"0x0000803F\"> : tensor<4xf32>", "f32[] 1", "dense<1.000000e+00> : tensor<4xf32>"},
      {"dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>", "f32[3] {nan, -inf, -0}",
       "dense<[0x7FC00000, 0xFF800000, -0.000000e+00]> : tensor<3xf32>"},
      {"dense<[(1.0, -2.0), (0.5, 0.0)]> : tensor<2xcomplex<f32>>", "c64[2] {(1, -2), (0.5, 0)}",
       "dense<[(1.000000e+00,-2.000000e+00), (5.000000e-01,0.000000e+00)]> : "
       "tensor<2xcomplex<f32>>"},
      {"dense<(1.0,2.0)> : tensor<complex<f64>>", "c128[] (1, 2)",
       "dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f64>>"},
      {"dense<> : tensor<0x2xi32>", "s32[0,2] {}", nullptr},
      {"dense<[]> : tensor<0xi32>", "s32[0] {}", "dense<> : tensor<0xi32>"},
      {"dense<[[], []]> : tensor<2x0xi32>", "s32[2,0] {{}, {}}", "dense<> : tensor<2x0xi32>"},
      {"dense<[1, 0]> : tensor<2xindex>", "s64[2] {1, 0}", nullptr},
      {"dense<[1, -128]> : tensor<2x!quant.uniform<i8<-128:127>:f32, 1.0>>", "s8[2] {1, -128}",
       nullptr},
      {"dense<[1.5, 0x1]> : tensor<2xf8E5M2>", "f8e5m2[2] {1.5, 1.5259e-05}",
       "dense<[1.500000e+00, 1.525879e-05]> : tensor<2xf8E5M2>"},
      {"dense<[18446744073709551615, 0]> : tensor<2xui64>", "u64[2] {18446744073709551615, 0}",
       nullptr},
      {"array<i64>", "s64[0] {}", nullptr},
      {"array<i32: 1, 1>", "s32[2] {1, 1}", nullptr},
      {"array<i1: true, false>", "pred[2] {1, 0}", nullptr},
      {"array<f32: 1.0, 2.5>", "f32[2] {1, 2.5}", "array<f32: 1.000000e+00, 2.500000e+00>"},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.text);
    std::unique_ptr<MlirModule> module;
    const Attribute* attribute = ReadAttribute(module, row.text);
    ASSERT_NE(attribute, nullptr);
    ASSERT_EQ(attribute->kind, AttributeKind::kElements);
    ASSERT_NE(attribute->literal, nullptr);
    const auto expected = ParseLiteral(row.literal);
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    EXPECT_TRUE(SameValue(*attribute->literal, *expected))
        << attribute->literal->ToStringWithShape();
    EXPECT_EQ(attribute->is_splat, attribute->literal->shape().dims().empty());
    EXPECT_EQ(attribute->ToString(), row.printed == nullptr ? row.text : row.printed);
    ExpectPrintsBack(*module);
  }
}

TEST(MlirText, ManyElementsArePrintedAsBytes) {
  std::string list = "[0";
  for (int i = 1; i < 101; ++i) StrAppend(list, ", ", i);
  std::unique_ptr<MlirModule> module;
  const Attribute* attribute =
      ReadAttribute(module, StrCat("dense<", list, "]> : tensor<101xi16>"));
  ASSERT_NE(attribute, nullptr);
  const std::string text = attribute->ToString();
  EXPECT_TRUE(text.starts_with("dense<\"0x00000100020003")) << text;
  ExpectPrintsBack(*module);
}

TEST(MlirText, ResourcesStandBehindTheModule) {
  const auto module = ReadOrFail(R"(
module attributes {a = dense_resource<r> : tensor<2xf32>, b = dense_resource<__elided__> : tensor<3xi32>} {}
{-#
  dialect_resources: {
    builtin: {
      r: "0x040000000000803F00000040",
      "s t": "0x04000000"
    }
  },
  external_resources: { x: { y: true, z: 3 } }
#-}
)");
  ASSERT_NE(module, nullptr);
  const Attribute* a = module->top()->Find("a");
  EXPECT_EQ(a->literal->ToStringWithShape(), "f32[2] {1, 2}");
  EXPECT_EQ(module->top()->Find("b")->literal, nullptr);
  ExpectPrintsBack(*module);
}

TEST(MlirText, AliasesMayStandAnywhere) {
  const auto module = ReadOrFail(R"(
#a = [#b, 1 : i32]
!t = tensor<2x!e>
module attributes {x = #a, "#c = 1", y = #d.e} {
  func.func @f(%arg0: !t loc(#loc1)) -> !t { return %arg0 : !t loc(#loc2) } loc(#loc)
} loc(#loc)
#b = "#c = 2"  // #c = 3
!e = f32
#loc2 = loc(callsite(#loc1 at #loc))
#loc = loc("model.py":3:4)
#loc1 = loc("x"(#loc))
)");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->top()->Find("x")->ToString(), "[\"#c = 2\", 1 : i32]");
  const Operation& function = *module->top()->regions[0].blocks[0].operations[0];
  const Block& body = function.regions[0].blocks[0];
  EXPECT_EQ(body.arguments[0].type->ToString(), "tensor<2xf32>");
  EXPECT_EQ(body.arguments[0].location->text, "x");
  EXPECT_EQ(FilePlace(*body.operations[0]->location), "model.py:3:4");
  EXPECT_EQ(body.operations[0]->location->kind, Location::Kind::kCallSite);
  EXPECT_EQ(function.location, module->top()->location);
  ExpectPrintsBack(*module);
}

TEST(MlirText, LocationsOfAllKinds) {
  const auto module = ReadOrFail(R"(
"a.b"() : () -> () loc(unknown)
"a.b"() : () -> () loc("f.py":1:2)
"a.b"() : () -> () loc("f.py":1:2 to :9)
"a.b"() : () -> () loc("f.py":1:2 to 3:4)
"a.b"() : () -> () loc("name")
"a.b"() : () -> () loc("na\"me"("f.py":1:2))
"a.b"() : () -> () loc(callsite("a" at callsite("b"("c") at unknown)))
"a.b"() : () -> () loc(fused["a", "b":1:2])
"a.b"() : () -> () loc(fused<{k = 1 : i32}>["a"])
"a.b"() ({ ^bb0(%x: f32 loc("x")): }) {l = loc("attribute")} : () -> ()
)");
  ASSERT_NE(module, nullptr);
  std::vector<const Location*> locations;
  for (const Operation* operation : module->top()->regions[0].blocks[0].operations) {
    locations.push_back(operation->location);
  }
  EXPECT_EQ(locations[0]->kind, Location::Kind::kUnknown);
  EXPECT_EQ(locations[2]->end_line, 1);
  EXPECT_EQ(locations[2]->end_column, 9);
  EXPECT_EQ(locations[3]->end_line, 3);
  EXPECT_EQ(locations[5]->text, "na\"me");
  EXPECT_EQ(locations[5]->children[0]->line, 1);
  ASSERT_EQ(locations[6]->children.size(), 2U);
  EXPECT_EQ(locations[6]->children[1]->children[0]->children[0]->text, "c");
  EXPECT_EQ(locations[7]->children.size(), 2U);
  EXPECT_EQ(locations[8]->metadata->ToString(), "{k = 1 : i32}");
  ExpectPrintsBack(*module);
}

// A chain of calls is as long as a program's stack is deep.
TEST(MlirText, LongChainsOfCallsAreRead) {
  std::string chain;
  for (int i = 0; i < 100000; ++i) StrAppend(chain, "callsite(\"f\" at ");
  chain += "\"end\"" + std::string(100000, ')');
  const auto module = ReadOrFail(StrCat("\"a.b\"() : () -> () loc(", chain, ")"));
  ASSERT_NE(module, nullptr);
  ExpectPrintsBack(*module);
}

TEST(MlirText, TheModuleMayBeLeftOut) {
  const auto module = ReadOrFail("func.func private @a()\nfunc.func private @b()\n");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->top()->name, "builtin.module");
  EXPECT_EQ(module->top()->regions[0].blocks[0].operations.size(), 2U);
  const auto two = ReadOrFail("module @a {}\nmodule @b {}\n");
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(two->top()->Find("sym_name"), nullptr);
  EXPECT_EQ(two->top()->regions[0].blocks[0].operations.size(), 2U);
  const auto none = ReadOrFail("// nothing\n");
  ASSERT_NE(none, nullptr);
  EXPECT_EQ(PrintMlirText(*none), "module {\n}\n");
}

TEST(MlirText, StructuresAreTakenApart) {
  const auto module = ReadOrFail(R"(
func.func @f(%x: tensor<2x3xf32>, %i: tensor<2xi32>, %t: !stablehlo.token) {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>} : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  %3 = stablehlo.custom_call @f(%x) {api_version = 4 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
})");
  ASSERT_NE(module, nullptr);
  const Operation& function = *module->top()->regions[0].blocks[0].operations[0];
  const std::vector<Operation*>& operations = function.regions[0].blocks[0].operations;
  const Operation& gather = *operations[0];
  EXPECT_EQ(Ints(*gather.Find("offset_dims")), Dims{1});
  EXPECT_EQ(Int(*gather.Find("index_vector_dim")), 1);
  EXPECT_EQ(gather.Find("collapsed_slice_dims"), nullptr);
  EXPECT_EQ(gather.Find("dimension_numbers"), nullptr);
  EXPECT_EQ(Int(*operations[1]->Find("channel_id")), 7);
  EXPECT_EQ(operations[1]->Find("channel_type"), nullptr);
  EXPECT_EQ(operations[1]->Find("use_global_device_ids")->kind, AttributeKind::kBool);
  EXPECT_EQ(Int(*operations[2]->Find("channel_type")), 2);
  EXPECT_EQ(operations[3]->Find("api_version")->text, "TYPED_FFI");
}

TEST(MlirText, OperandSegments) {
  const auto module = ReadOrFail(
      "%a = \"x.y\"() : () -> i32\n"
      "\"x.z\"(%a, %a, %a) {operandSegmentSizes = array<i32: 1, 0, 2>, b} : (i32, i32, i32) -> ()\n"
      "\"x.z\"(%a) {operand_segment_sizes = dense<[0, 1]> : vector<2xi32>} : (i32) -> ()\n");
  ASSERT_NE(module, nullptr);
  const auto& operations = module->top()->regions[0].blocks[0].operations;
  EXPECT_TRUE(std::ranges::equal(operations[1]->operand_sizes, std::vector<int>{1, 0, 2}));
  EXPECT_TRUE(std::ranges::equal(operations[2]->operand_sizes, std::vector<int>{0, 1}));
  EXPECT_EQ(operations[1]->attributes.size(), 1U);
  ExpectPrintsBack(*module);
}

// Names end with their region; isolated regions see none of around; a module's may come later.
TEST(MlirText, ValuesHaveScopes) {
  const auto module = ReadOrFail(R"(
"a.use"(%late#1) : (f32) -> ()
%late:2 = "a.b"() : () -> (i32, f32)
func.func @f(%x: tensor<i1>) {
  %0:2 = "a.b"() : () -> (f32, i1)
  "a.region"() ({
    %1 = "a.b"(%0#1, %x) : (i1, tensor<i1>) -> f32
  }, {
    %1 = "a.b"(%0#0) : (f32) -> i8
    "a.use"(%1) : (i8) -> ()
  }) : () -> ()
  %1 = "a.b"() : () -> f32
  %2 = sdy.manual_computation(%x) in_shardings=[] out_shardings=[] manual_axes={} (%x: tensor<i1>) {
    %0 = "a.b"(%x) : (tensor<i1>) -> tensor<i1>
    sdy.return %0 : tensor<i1>
  } : (tensor<i1>) -> tensor<i1>
  "a.blocks"() ({
  ^bb0:
    %3 = "a.b"() : () -> f32
  ^bb1(%4: f32):
    "a.use"(%3, %4) : (f32, f32) -> ()
  }) : () -> ()
  return
}
)");
  ASSERT_NE(module, nullptr);
  const auto& operations = module->top()->regions[0].blocks[0].operations;
  EXPECT_EQ(operations[0]->operands[0], &operations[1]->results[1]);
  EXPECT_EQ(operations[1]->results[1].name, "late");
  ExpectPrintsBack(*module);
}

TEST(MlirText, RegionsMayBeDeep) {
  std::string text, end;
  for (int i = 0; i < 245; ++i) {
    text += "\"a.b\"() ({\n";
    end += "}) : () -> ()\n";
  }
  const auto module = ReadOrFail(StrCat("func.func @f() {\n", text, end, "return\n}"));
  ASSERT_NE(module, nullptr);
  ExpectPrintsBack(*module);
}

TEST(MlirText, PrintsAsMlirDoes) {
  const auto module = ReadOrFail(R"(
module @jit_f attributes {mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<4xf32> {x.y = "z"}) -> (tensor<4xf32> {jax.result_info = "r"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<5> : tensor<i32>
    %r:2 = stablehlo.while(%i = %c, %v = %a) : tensor<i32>, tensor<4xf32> cond {
      %l = stablehlo.compare LT, %i, %cst : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
    } do {
      %n = func.call @g(%v) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %i, %n : tensor<i32>, tensor<4xf32>
    }
    %o = call @g(%r#1) : (tensor<4xf32>) -> tensor<4xf32>
    return %o : tensor<4xf32>
  }
  func.func private @g(tensor<4xf32>) -> tensor<4xf32>
}
)");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(PrintMlirText(*module), R"(module @jit_f attributes {mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32> {x.y = "z"}) -> (tensor<4xf32> {jax.result_info = "r"}) {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<5> : tensor<i32>
    %2:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0) : tensor<i32>, tensor<4xf32> cond {
      %4 = stablehlo.compare LT, %iterArg, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %5 = func.call @g(%iterArg_0) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %iterArg, %5 : tensor<i32>, tensor<4xf32>
    }
    %3 = call @g(%2#1) : (tensor<4xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
  func.func private @g(tensor<4xf32>) -> tensor<4xf32>
}
)");
}

// A comparison that finds nothing would make every test here pass.
TEST(MlirCompare, FindsDifferences) {
  const auto read = [](std::string_view body) {
    return ReadOrFail(StrCat("func.func @f(%a: f32, %b: f32) {\n", body, "\nreturn\n}"));
  };
  const auto base =
      read("%0 = \"x.y\"(%a, %b) {k = dense<[1, 2]> : tensor<2xi32>} : (f32, f32) -> f32");
  const std::pair<std::string_view, std::string_view> kOthers[] = {
      {"%0 = \"x.z\"(%a, %b) {k = dense<[1, 2]> : tensor<2xi32>} : (f32, f32) -> f32",
       "in x.y (operation 3): the name is x.y against x.z"},
      {"%0 = \"x.y\"(%b, %a) {k = dense<[1, 2]> : tensor<2xi32>} : (f32, f32) -> f32",
       "in x.y (operation 4): operand 0 is another value"},
      {"%0 = \"x.y\"(%a, %b) {k = dense<[1, 3]> : tensor<2xi32>} : (f32, f32) -> f32",
       "in x.y (operation 3): the attribute k is dense<[1, 2]> : tensor<2xi32> against dense<[1, "
       "3]> "
       ": tensor<2xi32>"},
      {"%0 = \"x.y\"(%a, %b) : (f32, f32) -> f32",
       "in x.y (operation 3): the attribute k is dense<[1, 2]> : tensor<2xi32> against nothing"},
      {"%0 = \"x.y\"(%a, %b) {k = dense<[1, 2]> : tensor<2xi32>} : (f32, f32) -> f64",
       "in x.y (operation 3): the type of result 0 is f32 against f64"},
      {"%0 = \"x.y\"(%a, %b) ({}) {k = dense<[1, 2]> : tensor<2xi32>} : (f32, f32) -> f32",
       "in x.y (operation 3): the numbers of operands, results or regions differ"},
      {"%0 = \"x.y\"(%a, %b) {k = dense<[1, 2]> : tensor<2xi32>} : (f32, f32) -> f32\n\"x.y\"() : "
       "() -> ()",
       "in func.func (operation 2): the numbers of operations differ"},
  };
  for (const auto& [body, expected] : kOthers) {
    const auto other = read(body);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(FirstDifference(*base, *other), expected);
  }
  const auto located = read(
      "%0 = \"x.y\"(%a, %b) {k = dense<[1, 2]> : tensor<2xi32>} : (f32, f32) -> f32 loc(\"l\")");
  EXPECT_EQ(FirstDifference(*base, *located), "");
  EXPECT_EQ(FirstDifference(*base, *located, {.locations = true}),
            "in x.y (operation 3): locations differ");
}

}  // namespace
}  // namespace axle::mlir
