// Programs that were printed without their large constants: what needs no value goes on, what would
// give a number is refused, at the constant.
#include <gtest/gtest.h>

#include "axle/builder/xla_builder.h"
#include "axle/client/client.h"
#include "axle/client/load.h"
#include "axle/client/save.h"
#include "axle/core/strings.h"
#include "axle/proto/write.h"

namespace axle {
namespace {

constexpr std::string_view kProgram =
    "HloModule m\n"
    "ENTRY e {\n"
    "  x = f32[12] parameter(0)\n"
    "  k = f32[12] constant({...})\n"
    "  ROOT y = f32[12] add(x, k)\n"
    "}\n";

constexpr std::string_view kRefused =
    "the elements of constant \"k\" are left out, so there is no value to compute with: print the "
    "program with print_large_constants=True, or give its serialized proto instead";

std::vector<EngineKind> Engines() {
#ifdef AXLE_HAS_CODEGEN
  return {EngineKind::kInterpret, EngineKind::kNative};
#else
  return {EngineKind::kInterpret};
#endif
}

std::shared_ptr<const Module> LoadOrFail(std::string_view bytes) {
  auto module = LoadModule(bytes, {.label = "p.hlo"});
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  return module.ok() ? *std::move(module) : nullptr;
}

TEST(Elided, CompilingIsRefusedAtTheConstant) {
  const auto client = *Client::Create();
  for (const EngineKind engine : Engines()) {
    const auto compiled = client->Compile(LoadOrFail(kProgram), {.engine = engine});
    EXPECT_EQ(compiled.status().ToString(),
              StrCat("INVALID_ARGUMENT: p.hlo 4:24: ", kRefused,
                     "\n  k = f32[12] constant({...})\n                       ^"));
  }
}

TEST(Elided, TestsMayComputeWithACountingPattern) {
  const auto client = *Client::Create();
  const std::string_view program =
      "HloModule m\nENTRY e {\n  ROOT k = u32[12] constant({...})\n}\n";
  for (const EngineKind engine : Engines()) {
    const auto compiled = client->Compile(program, {.engine = engine, .allow_elided = true});
    ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
    const auto result = (*compiled)->Execute(std::vector<Literal>());
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->ToString(), "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}");
  }
}

TEST(Elided, TheTextKeepsIt) {
  const auto module = LoadOrFail(kProgram);
  ASSERT_NE(module, nullptr);
  const std::string text = ModuleToText(*module);
  EXPECT_NE(text.find("constant({...})"), std::string::npos) << text;
  EXPECT_EQ(ModuleToText(*LoadOrFail(text)), text);
  EXPECT_EQ(ModuleToText(*module->Clone()), text);
}

// In a proto the constant has no literal, and a proto without one is such a program.
TEST(Elided, SoDoesAProto) {
  const auto client = *Client::Create();
  const auto module = LoadOrFail(kProgram);
  ASSERT_NE(module, nullptr);
  const auto again = LoadOrFail(ModuleToProto(*module));
  ASSERT_NE(again, nullptr);
  EXPECT_NE(ModuleToText(*again).find("constant({...})"), std::string::npos);
  const Status status = client->Compile(again).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(status.message().starts_with("p.hlo: byte ")) << status.message();
  EXPECT_TRUE(status.message().ends_with(kRefused)) << status.message();
}

TEST(Elided, EveryPlaceIsFound) {
  const auto client = *Client::Create();
  for (const std::string_view program : {
           // of a called computation, which nobody needs
           "f { ROOT k = s32[20] constant({...}) }\nENTRY e { ROOT x = f32[] parameter(0) }",
           // dead
           "ENTRY e { k = s32[20] constant({...})\n ROOT x = f32[] parameter(0) }",
           // the whole tuple, one element
           "ENTRY e { ROOT k = (s32[2], f32[]) constant({...}) }",
           "ENTRY e { ROOT k = (s32[2], f32[]) constant(({...}, 1)) }",
           // an operand that is an instruction
           "ENTRY e { ROOT y = s32[20] negate(s32[20] constant({...})) }",
           // few elements: XLA prints those, but whoever leaves them out does not tell them either
           "ENTRY e { ROOT k = s32[1] constant({...}) }",
           "ENTRY e { ROOT k = s32[<=4] constant((3) {...}) }",
       }) {
    const auto module = LoadOrFail(StrCat("HloModule m\n", program, "\n"));
    ASSERT_NE(module, nullptr) << program;
    const Status status = client->Compile(module, {.engine = EngineKind::kInterpret}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << program;
    EXPECT_NE(status.message().find("are left out"), std::string::npos) << status.message();
  }
  // There is nothing to leave out.
  EXPECT_TRUE(client->Compile("HloModule m\nENTRY e { ROOT k = s32[0] constant({...}) }").ok());
}

TEST(Elided, ACalledComputationOfABuilderIsRefused) {
  const auto client = *Client::Create();
  const XlaComputation called(
      LoadOrFail("HloModule m\nENTRY e { ROOT k = f32[20] constant({...}) }"));
  XlaBuilder builder("b");
  const XlaOp call = Call(&builder, called, {});
  EXPECT_EQ(builder.ComputeConstant(call).status().code(), StatusCode::kInvalidArgument);
  const auto computation = builder.Build(call);
  ASSERT_TRUE(computation.ok());
  EXPECT_EQ(client->Compile(*computation).status().code(), StatusCode::kInvalidArgument);
}

TEST(Elided, ValuesAloneNeedTheirElements) {
  const Status status = ParseLiteral("f32[20] {...}").status();
  EXPECT_EQ(status.ToString(),
            "INVALID_ARGUMENT: literal 1:9: the elements are left out; a value needs all of them\n"
            "f32[20] {...}\n        ^");
}

// To find the line of each would take quadratic time.
TEST(Elided, ManyAreReadInLinearTime) {
  std::string text = "HloModule m\nENTRY e {\n";
  for (int i = 0; i < 100'000; ++i) StrAppend(text, "  k", i, " = f32[11] constant({...})\n");
  Limits limits;
  limits.set_time_limit(60);
  const auto module = LoadModule(text + "}\n", {.limits = &limits});
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto client = *Client::Create();
  const Status status = client->Compile(std::shared_ptr<const Module>((*module)->Clone())).status();
  EXPECT_NE(status.message().find("hlo text 3:25"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace axle
