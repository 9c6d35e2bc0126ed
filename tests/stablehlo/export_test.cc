// Modules of HLO as StableHLO and back.
#include "axle/stablehlo/export.h"

#include <algorithm>

#include "axle/client/client.h"
#include "axle/client/load.h"
#include "axle/client/save.h"
#include "axle/core/strings.h"
#include "axle/gen/generate.h"
#include "axle/gen/inputs.h"
#include "axle/stablehlo/convert.h"
#include "axle/stablehlo/exporter.h"
#include "axle/stablehlo/mlir/dialect.h"
#include "axle/text/parse.h"
#include "tests/stablehlo/round_trip.h"

namespace axle {
namespace {

std::string TextOf(std::string_view hlo) {
  const auto module = Parse(hlo);
  if (!module.ok()) return std::string(module.status().message());
  const auto tree = ExportToStablehlo(**module);
  return tree.ok() ? mlir::PrintMlirText(**tree) : std::string(tree.status().message());
}

// An operation without a row is refused as one that StableHLO does not have, and that is true.
TEST(Export, EveryOperationOfStablehloHasARow) {
  for (const OpDef* def : AllOpDefs()) {
    if (stablehlo::FindExportRow(def->text) != nullptr) continue;
    std::string name(def->text);
    std::ranges::replace(name, '-', '_');
    EXPECT_EQ(mlir::FindSyntax(StrCat("stablehlo.", name)), nullptr) << def->text;
    EXPECT_EQ(mlir::FindSyntax(StrCat("chlo.", name)), nullptr) << def->text;
  }
  for (const stablehlo::ExportRow& row : stablehlo::AllExportRows()) {
    EXPECT_NE(row.run == nullptr, row.why_not.empty()) << row.op;
    EXPECT_NE(FindOpDef(row.op), nullptr) << row.op;
  }
}

// Exported and converted back, as HLO text.
std::string BackOf(std::string_view hlo) {
  const auto module = Parse(hlo);
  if (!module.ok()) return std::string(module.status().message());
  const auto tree = ExportToStablehlo(**module);
  if (!tree.ok()) return std::string(tree.status().message());
  const auto back = ConvertToHlo(**tree);
  return back.ok() ? Print(**back) : std::string(back.status().message());
}

// Loops over a tuple, branches with what they take, fusions, calls and tuples.
TEST(Export, StructureOfAProgram) {
  EXPECT_EQ(TextOf(R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }
body { s = (s32[], f32[2]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  v = f32[2] get-tuple-element(s), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
  w = f32[2] add(v, v)  ROOT r = (s32[], f32[2]) tuple(j, w) }
below { s = (s32[], f32[2]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
negated { p = f32[] parameter(0)  ROOT r = f32[] negate(p) }
same { p = f32[] parameter(0)  ROOT r = f32[] copy(p) }
fused { p = f32[2] parameter(0)  ROOT r = f32[2] erf(p) }
twice { p = (f32[2], s32[]) parameter(0)  x = f32[2] get-tuple-element(p), index=0
  ROOT r = (f32[2], f32[2]) tuple(x, x) }
ENTRY e {
  x = f32[2] parameter(0), sharding={replicated}
  n = s32[] constant(0)
  t = (s32[], f32[2]) tuple(n, x)
  loop = (s32[], f32[2]) while(t), condition=below, body=body
  v = f32[2] get-tuple-element(loop), index=1
  zero = f32[] constant(0)
  total = f32[] reduce(v, zero), dimensions={0}, to_apply=sum
  yes = pred[] constant(true)
  chosen = f32[] conditional(yes, total, total), true_computation=negated, false_computation=same
  f = f32[2] fusion(v), kind=kLoop, calls=fused
  g = (f32[2], s32[]) tuple(f, n)
  h = (f32[2], f32[2]) call(g), to_apply=twice
  k = f32[2] get-tuple-element(h), index=1
  ROOT r = (f32[2], f32[], (f32[2], f32[2])) tuple(k, chosen, h)
})"),
            R"(module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf32> {mhlo.sharding = "{replicated}", tf.aliasing_output = 0 : i32}) -> (tensor<2xf32>, tensor<f32>, tuple<tensor<2xf32>, tensor<2xf32>>) {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0) : tensor<i32>, tensor<2xf32> cond {
      %10 = stablehlo.constant dense<3> : tensor<i32>
      %11 = stablehlo.compare LT, %iterArg, %10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    } do {
      %12 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.add %iterArg, %12 : tensor<i32>
      %14 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<2xf32>
      stablehlo.return %13, %14 : tensor<i32>, tensor<2xf32>
    }
    %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%1#1 init: %2) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.constant dense<true> : tensor<i1>
    %5 = "stablehlo.if"(%4) ({
      %10 = stablehlo.negate %3 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }, {
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    %6 = chlo.erf %1#1 : tensor<2xf32> -> tensor<2xf32>
    %7 = stablehlo.tuple %6, %0 : tuple<tensor<2xf32>, tensor<i32>>
    %8:2 = call @twice(%7) : (tuple<tensor<2xf32>, tensor<i32>>) -> (tensor<2xf32>, tensor<2xf32>)
    %9 = stablehlo.tuple %8#0, %8#1 : tuple<tensor<2xf32>, tensor<2xf32>>
    return %8#1, %5, %9 : tensor<2xf32>, tensor<f32>, tuple<tensor<2xf32>, tensor<2xf32>>
  }
  func.func private @twice(%arg0: tuple<tensor<2xf32>, tensor<i32>>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.get_tuple_element %arg0[0] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
    return %0, %0 : tensor<2xf32>, tensor<2xf32>
  }
}
)");
}

TEST(Export, MetadataConfigAndShardingsComeBack) {
  const std::string back = BackOf(
      R"(HloModule m, buffer_donor={ (1, {}) }, replica_count=2, num_partitions=3, frontend_attributes={a="b\"c"}

FileNames
1 "f.py"

FunctionNames
1 "inner"
2 "outer"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=2}
2 {file_name_id=1 function_name_id=2 line=9 end_line=9 column=5 end_column=6}

StackFrames
1 {file_location_id=2 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}

ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  z = f32[2] add(x, y), metadata={op_type="add" op_name="jit(f)/add" stack_frame_id=2}
  ROOT w = f32[2] exponential(z), result_accuracy={mode=highest}
})");
  for (const std::string_view part :
       {"buffer_donor={ (1, {}) }", "replica_count=2", "num_partitions=3", R"(a="b\"c")",
        "1 \"f.py\"", "\"inner\"", "\"outer\"", "op_type=\"add\" op_name=\"jit(f)/add\"",
        "%x = f32[2]", "%y = f32[2]", "result_accuracy={mode=highest}"}) {
    EXPECT_NE(back.find(part), std::string::npos) << part << " is not in\n" << back;
  }
}

// A computation that is used twice and large is a function that regions call; a chain of loops in
// loops, each of which would be a region in a region, is cut.
TEST(Export, RegionsAreNeitherRepeatedNorNestedWithoutBound) {
  std::string text = "HloModule m\n";
  constexpr int kLevels = 300;
  text +=
      "below { s = s32[] parameter(0)  n = s32[] constant(1)  ROOT r = pred[] compare(s, n), "
      "direction=LT }\n";
  text += "f0 { s = s32[] parameter(0)  one = s32[] constant(1)  ROOT r = s32[] add(s, one) }\n";
  for (int i = 1; i < kLevels; ++i) {
    StrAppend(text, "f", i,
              " { s = s32[] parameter(0)  a = s32[] while(s), condition=below, body=f", i - 1,
              "  ROOT b = s32[] while(a), condition=below, body=f", i - 1, " }\n");
  }
  StrAppend(text, "ENTRY e { x = s32[] parameter(0)  ROOT r = s32[] while(x), condition=below, ",
            "body=f", kLevels - 1, " }\n");
  const auto module = Parse(text);
  ASSERT_TRUE(module.ok()) << module.status().message();
  const auto tree = ExportToStablehlo(**module);
  ASSERT_TRUE(tree.ok()) << tree.status().message();
  EXPECT_LT(mlir::PrintMlirText(**tree).size(), size_t{1} << 22);
  const auto back = ConvertToHlo(**tree);
  ASSERT_TRUE(back.ok()) << back.status().message();
  const std::vector<Literal> arguments = {Literal::Scalar<std::int32_t>(S32, 0)};
  ExpectSame(**module, **back, &arguments);
}

TEST(Export, FunctionsHaveNamesOfTheirOwn) {
  const std::string text = TextOf(R"(HloModule m
main { p = f32[] parameter(0)  ROOT r = f32[] negate(p) }
ENTRY e { x = f32[] parameter(0)  ROOT r = f32[] call(x), to_apply=main })");
  EXPECT_NE(text.find("call @main_1(%arg0)"), std::string::npos) << text;
  EXPECT_NE(text.find("func.func private @main_1("), std::string::npos) << text;
}

// A chain of tuples and operands is walked without recursion over instructions.
TEST(Export, LongChains) {
  std::string text = "HloModule m\nENTRY e { x0 = f32[] parameter(0)\n";
  constexpr int kLength = 100000;
  for (int i = 0; i < kLength; ++i) StrAppend(text, "x", i + 1, " = f32[] negate(x", i, ")\n");
  StrAppend(text, "ROOT r = f32[] copy(x", kLength, ") }");
  const auto module = Parse(text);
  ASSERT_TRUE(module.ok());
  const auto tree = ExportToStablehlo(**module);
  ASSERT_TRUE(tree.ok());
  const auto back = ConvertToHlo(**tree);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ((*back)->num_instructions(), kLength + 1);
}

TEST(Export, LayoutsOfBitcastsAreTranspositions) {
  const std::string text = TextOf(R"(HloModule m
ENTRY e { x = f32[2,3]{0,1} parameter(0)  ROOT r = s32[6] bitcast(x) })");
  EXPECT_NE(text.find("stablehlo.transpose %arg0, dims = [1, 0]"), std::string::npos) << text;
  EXPECT_NE(text.find("stablehlo.bitcast_convert"), std::string::npos) << text;
  EXPECT_NE(text.find("stablehlo.reshape"), std::string::npos) << text;
}

// Portable artifacts have no CHLO: it stands as composites, which read back as the same operations.
TEST(Export, PortableArtifactsHaveComposites) {
  const auto module = Parse(R"(HloModule m
ENTRY e { x = f32[4] parameter(0)  a = f32[4] erf(x)  b = f32[4] erf(a)
  ROOT t = (f32[2], s32[2]) topk(b), k=2, largest=true })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const auto tree = ExportToStablehlo(**module, {.chlo_as_composites = true});
  ASSERT_TRUE(tree.ok()) << tree.status().message();
  ExpectSameText(**tree, false);
  EXPECT_TRUE(ExpectSameBytecode(**tree));
  const auto bytes = ModuleToStablehlo(**module, {.bytecode = true});
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  const auto back = LoadModule(*bytes);
  ASSERT_TRUE(back.ok()) << back.status().message();
  const auto arguments = std::vector{*ParseLiteral("f32[4] {0.5, -1, 2, 0.25}")};
  ExpectSame(**module, **back, &arguments);
  const auto client = Client::Create();
  ASSERT_TRUE(client.ok());
  const auto executable = (*client)->Compile(std::shared_ptr<const Module>((*back)->Clone()));
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  EXPECT_TRUE((*executable)->Execute(arguments).ok());
}

TEST(Export, SaysWhatHasNoForm) {
  EXPECT_EQ(TextOf("HloModule m\nENTRY e { ROOT s = u64[2] rng-get-and-update-state(), delta=1 }"),
            "rng-get-and-update-state: instruction \"s\" of computation \"e\" has no form in "
            "StableHLO: StableHLO has no state of random numbers; pass one, and use "
            "rng-bit-generator");
  EXPECT_EQ(TextOf("HloModule m\nENTRY e { x = s1[] parameter(0)  ROOT r = s1[] not(x) }"),
            "parameter: instruction \"x\" of computation \"e\" has no form in StableHLO: StableHLO "
            "has no type s1; convert to another one");
  Limits limits;
  limits.Cancel();
  const auto module = Parse("HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }");
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(ExportToStablehlo(**module, {.limits = &limits}).status().code(),
            StatusCode::kCancelled);
  EXPECT_EQ(ExportToStablehlo(Module("empty")).status().code(), StatusCode::kInvalidArgument);
}

// Modules in twelve parts. More than 2,000 have a form: the generator takes all types alike, also
// integers of one bit, which StableHLO does not have.
class ExportRandomTest : public testing::TestWithParam<int> {};

TEST_P(ExportRandomTest, ComesBackBitForBit) {
  constexpr std::uint64_t kSeed = 20261127;
  constexpr std::uint64_t kModules = 200;
  std::uint64_t with_form = 0, without_form = 0;
  for (std::uint64_t i = 0; i < kModules; ++i) {
    const std::uint64_t index = static_cast<std::uint64_t>(GetParam()) * kModules + i;
    SCOPED_TRACE(StrCat("axle gen --seed ", kSeed, " --first ", index));
    const auto module = GenerateModule(kSeed, index);
    ASSERT_TRUE(module.ok()) << module.status().message();
    const auto tree = ExportToStablehlo(**module);
    if (!tree.ok()) {
      const std::string& message = tree.status().message();
      EXPECT_EQ(tree.status().code(), StatusCode::kUnimplemented);
      EXPECT_NE(message.find("has no form in StableHLO"), std::string::npos) << message;
      if (message.find("StableHLO has no type") == std::string::npos) ++without_form;
      continue;
    }
    ++with_form;
    const auto back = ConvertToHlo(**tree);
    ASSERT_TRUE(back.ok()) << back.status().message() << "\n" << mlir::PrintMlirText(**tree);
    const std::vector<Literal> arguments = DrawArguments(*(*module)->entry(), index);
    ExpectSame(**module, **back, &arguments);
    if (i % 8 == 0) ExpectSameText(**tree, i % 16 == 0);
    if (i % 8 == 1) ExpectSameBytecode(**tree);
  }
  RecordProperty("modules", static_cast<int>(with_form));
  std::printf("%llu modules came back\n", static_cast<unsigned long long>(with_form));
  EXPECT_LT(without_form, kModules / 10);
}

INSTANTIATE_TEST_SUITE_P(Parts, ExportRandomTest, testing::Range(0, 12));

}  // namespace
}  // namespace axle
