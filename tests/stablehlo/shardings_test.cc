// Shardings of programs for several partitions, as HLO has them: Shardy's attributes and HLO's own.
#include <gtest/gtest.h>

#include "axle/client/load.h"
#include "axle/core/strings.h"
#include "axle/text/print.h"

namespace axle {
namespace {

// The entry as HLO, or the error.
std::string Converted(std::string_view text) {
  const auto module = LoadModule(text, {.format = InputFormat::kStablehlo});
  if (!module.ok()) return module.status().ToString();
  const std::string printed = Print(**module, {.style = PrintOptions::Style::kShort});
  return printed.substr(printed.find("ENTRY"));
}

std::string Partitioned(i64 partitions, std::string_view functions) {
  return StrCat("module @m attributes {mhlo.num_partitions = ", partitions,
                " : i32, mhlo.num_replicas = 1 : i32} {\n", functions, "}\n");
}

constexpr std::string_view kMeshes = R"(  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
  sdy.mesh @first = <[], device_ids=[0]>
  sdy.mesh @none = <[]>
)";

TEST(StablehloShardings, OfArgumentsAndResults) {
  const std::string program = StrCat(kMeshes, R"(
  func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y", ?}p1]>},
                  %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@turned, [{"y":(1)2, "x"}]>},
                  %c: tensor<4xf32> {mhlo.sharding = "{devices=[4]<=[4]}"},
                  %d: tensor<4xf32> {sdy.sharding = #sdy.sharding<@none, [{}]>},
                  %e: tensor<4xf32>)
      -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], replicated={"y"}>}, tensor<4xf32>) {
    %0 = sdy.sharding_constraint %b <@mesh, [{"x"}]> : tensor<4xf32>
    return %a, %0 : tensor<4x4xf32>, tensor<4xf32>
  }
)");
  EXPECT_EQ(
      Converted(Partitioned(4, program)),
      "ENTRY main {\n  Arg_0 = f32[4,4]{1,0} parameter(0), sharding={devices=[2,2]<=[4]}\n  Arg_1 "
      "= f32[4]{0} parameter(1), sharding={devices=[4]3,1,2,0}\n  Arg_2 = f32[4]{0} parameter(2), "
      "sharding={devices=[4]<=[4]}\n  Arg_3 = f32[4]{0} parameter(3), sharding={replicated}\n  "
      "Arg_4 = f32[4]{0} parameter(4)\n  custom-call = f32[4]{0} custom-call(Arg_1), "
      "custom_call_target=\"Sharding\", sharding={devices=[2,2]<=[4] last_tile_dim_replicate}\n  "
      "ROOT tuple = (f32[4,4]{1,0}, f32[4]{0}) tuple(Arg_0, custom-call), "
      "sharding={{devices=[1,2,2]<=[4] last_tile_dim_replicate}, {unknown}}\n}\n\n");
  // Nothing is divided among one.
  EXPECT_EQ(
      Converted(Partitioned(1, program)),
      "ENTRY main {\n  Arg_0 = f32[4,4]{1,0} parameter(0)\n  Arg_1 = f32[4]{0} parameter(1)\n  "
      "Arg_2 = f32[4]{0} parameter(2)\n  Arg_3 = f32[4]{0} parameter(3)\n  Arg_4 = f32[4]{0} "
      "parameter(4)\n  ROOT tuple = (f32[4,4]{1,0}, f32[4]{0}) tuple(Arg_0, Arg_1)\n}\n\n");
}

TEST(StablehloShardings, OfTheOnlyResult) {
  EXPECT_EQ(Converted(Partitioned(4, StrCat(kMeshes, R"(
  func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return %a : tensor<4xf32>
  }
)"))),
            "ENTRY main {\n  Arg_0 = f32[4]{0} parameter(0)\n  ROOT sharding = f32[4]{0} "
            "custom-call(Arg_0), custom_call_target=\"Sharding\", sharding={devices=[2,2]<=[4] "
            "last_tile_dim_replicate}\n}\n\n");
}

TEST(StablehloShardings, OfManualComputations) {
  const auto region = [](std::string_view axes, std::string_view in, std::string_view out,
                         std::string_view part) {
    return Converted(Partitioned(
        4, StrCat(kMeshes, "  func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {\n",
                  "    %0 = sdy.manual_computation(%a) in_shardings=[", in, "] out_shardings=[",
                  out, "] manual_axes={", axes, "} (%b: tensor<", part,
                  "xf32>) {\n      sdy.return %b : tensor<", part,
                  "xf32>\n    } : (tensor<4x4xf32>) -> tensor<4x4xf32>\n",
                  "    return %0 : tensor<4x4xf32>\n  }\n")));
  };
  EXPECT_EQ(
      region(R"("x", "y")", R"(<@mesh, [{"x"}, {"y"}]>)", R"(<@mesh, [{"x"}, {"y"}]>)", "2x2"),
      "ENTRY main {\n  Arg_0 = f32[4,4]{1,0} parameter(0)\n  custom-call = f32[4,4]{1,0} "
      "custom-call(Arg_0), custom_call_target=\"Sharding\", sharding={devices=[2,2]<=[4]}\n  "
      "custom-call.1 = f32[2,2]{1,0} custom-call(custom-call), "
      "custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n  call = f32[2,2]{1,0} "
      "call(custom-call.1), to_apply=body\n  custom-call.2 = f32[2,2]{1,0} custom-call(call), "
      "custom_call_target=\"Sharding\", sharding={manual}\n  ROOT custom-call.3 = f32[4,4]{1,0} "
      "custom-call(custom-call.2), custom_call_target=\"SPMDShardToFullShape\", "
      "sharding={devices=[2,2]<=[4]}\n}\n\n");
  // The axis y is left to the partitioner, which repeats the region over it.
  EXPECT_EQ(region(R"("x")", R"(<@turned, [{"x", "y", ?}, {?}]>)", R"(<@turned, [{"x", ?}, {?}]>)",
                   "2x4"),
            "ENTRY main {\n  Arg_0 = f32[4,4]{1,0} parameter(0)\n  custom-call = f32[4,4]{1,0} "
            "custom-call(Arg_0), custom_call_target=\"Sharding\", sharding={devices=[2,1,2]3,2,1,0 "
            "last_tile_dim_replicate}\n  custom-call.1 = f32[2,4]{1,0} custom-call(custom-call), "
            "custom_call_target=\"SPMDFullToShardShape\", sharding={devices=[1,1,2,2]3,2,1,0 "
            "last_tile_dims={manual, replicated}}\n  call = f32[2,4]{1,0} call(custom-call.1), "
            "to_apply=body\n  custom-call.2 = f32[2,4]{1,0} custom-call(call), "
            "custom_call_target=\"Sharding\", sharding={devices=[1,1,2,2]3,2,1,0 "
            "last_tile_dims={manual, replicated}}\n  ROOT custom-call.3 = f32[4,4]{1,0} "
            "custom-call(custom-call.2), custom_call_target=\"SPMDShardToFullShape\", "
            "sharding={devices=[2,1,2]3,2,1,0 last_tile_dim_replicate}\n}\n\n");
}

TEST(StablehloShardings, OfCalls) {
  const auto call = [](std::string_view attributes) {
    return Converted(Partitioned(
        4, StrCat(kMeshes, "  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n",
                  "    %0 = stablehlo.custom_call @f(%a) {", attributes,
                  "} : (tensor<4xf32>) -> tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }\n")));
  };
  EXPECT_EQ(call("sdy.sharding = #sdy.sharding_per_value<[<@first, []>]>"),
            "ENTRY main {\n  Arg_0 = f32[4]{0} parameter(0)\n  ROOT custom-call = f32[4]{0} "
            "custom-call(Arg_0), custom_call_target=\"f\", sharding={maximal device=0}\n}\n\n");
  EXPECT_EQ(call("mhlo.sharding = \"{maximal device=2}\""),
            "ENTRY main {\n  Arg_0 = f32[4]{0} parameter(0)\n  ROOT custom-call = f32[4]{0} "
            "custom-call(Arg_0), custom_call_target=\"f\", sharding={maximal device=2}\n}\n\n");
  EXPECT_EQ(
      call("mhlo.sharding = \"{devices=[2]<=[2]}\""),
      "INVALID_ARGUMENT: stablehlo 7:5: stablehlo.custom_call: the sharding {devices=[2]<=[2]} has "
      "2 devices, the program is for 4 partitions\n    %0 = stablehlo.custom_call @f(%a) "
      "{mhlo.sharding = \"{devices=[2]<=[2]}\"} : (tensor<4xf32>) -> tensor<4xf32>\n    ^");
  EXPECT_EQ(call("mhlo.sharding = \"{devices=[2,2]<=[4]}\""),
            "INVALID_ARGUMENT: stablehlo 7:5: stablehlo.custom_call: sharding 1:20: tiles of 2 "
            "dimensions for an array of 1\n{devices=[2,2]<=[4]}\n                   ^\n    %0 = "
            "stablehlo.custom_call @f(%a) {mhlo.sharding = \"{devices=[2,2]<=[4]}\"} : "
            "(tensor<4xf32>) -> tensor<4xf32>\n    ^");
  EXPECT_EQ(
      call("sdy.sharding = #sdy.sharding_per_value<[<@other, []>]>"),
      "INVALID_ARGUMENT: stablehlo 7:5: stablehlo.custom_call: sharding 1:5: there is no mesh "
      "@other\n<[<@other, []>]>\n    ^\n    %0 = stablehlo.custom_call @f(%a) {sdy.sharding = "
      "#sdy.sharding_per_value<[<@other, []>]>} : (tensor<4xf32>) -> tens...\n    ^");
  EXPECT_EQ(call("sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"z\"}]>]>"),
            "INVALID_ARGUMENT: stablehlo 7:5: stablehlo.custom_call: sharding 1:13: the mesh has "
            "no axis \"z\"\n<[<@mesh, [{\"z\"}]>]>\n            ^\n    %0 = stablehlo.custom_call "
            "@f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"z\"}]>]>} : "
            "(tensor<4xf32>) -> ...\n    ^");
  EXPECT_EQ(call("sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={\"x\"}>]>"),
            "ENTRY main {\n  Arg_0 = f32[4]{0} parameter(0)\n  ROOT custom-call = f32[4]{0} "
            "custom-call(Arg_0), custom_call_target=\"f\", sharding={devices=[1,2,2]<=[4] "
            "last_tile_dims={unreduced, replicated}}\n}\n\n");
  EXPECT_EQ(
      call("sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{\"x\"}>]>"),
      "UNIMPLEMENTED: stablehlo 7:5: stablehlo.custom_call: devices have values whose maximum or "
      "minimum is meant (unreduced)\n    %0 = stablehlo.custom_call @f(%a) {sdy.sharding = "
      "#sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{\"x\"}>]>} : (t...\n    ^");
}

}  // namespace
}  // namespace axle
