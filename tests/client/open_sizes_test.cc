// Programs that leave sizes open, f32[?]: read, printed, and compiled for the shapes of arguments.
#include "axle/ops/open_sizes.h"

#include <gtest/gtest.h>

#include "axle/client/client.h"
#include "axle/client/load.h"
#include "axle/core/strings.h"
#include "axle/proto/read.h"
#include "axle/proto/write.h"
#include "axle/text/print.h"

namespace axle {
namespace {

// Elementwise, reduce, broadcast, reshape, dot, concatenate, call, while, conditional, fusion, sort
// and a size that is read.
constexpr std::string_view kProgram =
    R"(HloModule m, entry_computation_layout={(f32[?,3]{1,0}, f32[3,?]{1,0})->(f32[?]{0}, s32[], f32[?,?]{1,0}, f32[?,6]{1,0})}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

%less (p: f32[], q: f32[]) -> pred[] {
  %p = f32[] parameter(0)
  %q = f32[] parameter(1)
  ROOT %lt = pred[] compare(%p, %q), direction=LT
}

%twice (v: f32[?,3]) -> f32[?,3] {
  %v = f32[?,3]{1,0} parameter(0)
  ROOT %vv = f32[?,3]{1,0} add(%v, %v)
}

%body (s: (s32[], f32[?,3])) -> (s32[], f32[?,3]) {
  %s = (s32[], f32[?,3]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %w = f32[?,3]{1,0} get-tuple-element(%s), index=1
  %w2 = f32[?,3]{1,0} call(%w), to_apply=%twice
  ROOT %t = (s32[], f32[?,3]{1,0}) tuple(%next, %w2)
}

%cond (c: (s32[], f32[?,3])) -> pred[] {
  %c = (s32[], f32[?,3]{1,0}) parameter(0)
  %k = s32[] get-tuple-element(%c), index=0
  %two = s32[] constant(2)
  ROOT %go = pred[] compare(%k, %two), direction=LT
}

ENTRY %e (x: f32[?,3], y: f32[3,?]) -> (f32[?], s32[], f32[?,?], f32[?,6]) {
  %x = f32[?,3]{1,0} parameter(0)
  %y = f32[3,?]{1,0} parameter(1)
  %zero = s32[] constant(0)
  %init = (s32[], f32[?,3]{1,0}) tuple(%zero, %x)
  %loop = (s32[], f32[?,3]{1,0}) while(%init), condition=%cond, body=%body
  %x4 = f32[?,3]{1,0} get-tuple-element(%loop), index=1
  %f = f32[] constant(0)
  %rows = f32[?]{0} reduce(%x4, %f), dimensions={1}, to_apply=%add
  %sorted = f32[?]{0} sort(%rows), dimensions={0}, to_apply=%less
  %n = s32[] get-dimension-size(%x), dimensions={0}
  %product = f32[?,?]{1,0} dot(%x, %y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %both = f32[?,6]{1,0} concatenate(%x, %x4), dimensions={1}
  %back = f32[?,6]{1,0} broadcast(%rows), dimensions={0}
  %flat = f32[?]{0} reshape(%both)
  %unflat = f32[?,6]{1,0} reshape(%flat)
  %shifted = f32[?,6]{1,0} add(%unflat, %back)
  ROOT %all = (f32[?]{0}, s32[], f32[?,?]{1,0}, f32[?,6]{1,0}) tuple(%sorted, %n, %product, %shifted)
}

)";

std::vector<EngineKind> Engines() {
#ifdef AXLE_HAS_CODEGEN
  return {EngineKind::kInterpret, EngineKind::kNative};
#else
  return {EngineKind::kInterpret};
#endif
}

TEST(OpenSizes, AreKept) {
  const auto module = LoadModule(kProgram);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(Print(**module), kProgram);
  const auto reread = ReadModuleProto(WriteModuleProto(**module));
  ASSERT_TRUE(reread.ok()) << reread.status().ToString();
  EXPECT_EQ(Print(**reread), kProgram);
  EXPECT_TRUE(HasOpenSize(**module));
}

TEST(OpenSizes, FollowFromTheArguments) {
  const auto client = *Client::Create();
  struct Row {
    const char *x, *y, *result;
  };
  constexpr Row kRows[] = {
      {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}", "f32[3,1] {{1}, {0}, {2}}",
       "(f32[2], s32[], f32[2,1], f32[2,6]) ({24, 60}, 2, {{7}, {16}}, {{25, 26, 27, 28, 32, 36}, "
       "{64, 65, 66, 76, 80, 84}})"},
      {"f32[1,3] {{1, 1, 1}}", "f32[3,2] {{1, 2}, {3, 4}, {5, 6}}",
       "(f32[1], s32[], f32[1,2], f32[1,6]) ({12}, 1, {{9, 12}}, {{13, 13, 13, 16, 16, 16}})"},
      {"f32[0,3] {}", "f32[3,0] {{}, {}, {}}",
       "(f32[0], s32[], f32[0,0], f32[0,6]) ({}, 0, {}, {})"},
  };
  for (const Row& row : kRows) {
    const Literal x = *ParseLiteral(row.x), y = *ParseLiteral(row.y);
    for (const EngineKind engine : Engines()) {
      const auto executable =
          client->Compile(kProgram, {.engine = engine, .argument_shapes = {x.shape(), y.shape()}});
      ASSERT_TRUE(executable.ok()) << executable.status().ToString();
      const auto result = (*executable)->Execute({x, y});
      ASSERT_TRUE(result.ok()) << result.status().ToString();
      EXPECT_EQ(result->ToStringWithShape(), ParseLiteral(row.result)->ToStringWithShape());
    }
  }
}

TEST(OpenSizes, OneComputationForEachListOfSizes) {
  const auto module = LoadModule(R"(
f { x = f32[?] parameter(0)
  ROOT y = f32[?] negate(x) }
ENTRY e { a = f32[?] parameter(0)
  b = f32[?] parameter(1)
  fa = f32[?] call(a), to_apply=f
  fb = f32[?] call(b), to_apply=f
  ga = f32[?] call(a), to_apply=f
  ROOT t = (f32[?], f32[?], f32[?]) tuple(fa, fb, ga) })");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const Shape shapes[] = {Shape(F32, {2}), Shape(F32, {3})};
  const auto sized = ForArgumentShapes(**module, shapes);
  ASSERT_TRUE(sized.ok()) << sized.status().ToString();
  EXPECT_FALSE(HasOpenSize(**sized));
  ASSERT_EQ((*sized)->computations().size(), 3u);
  EXPECT_EQ((*sized)->computations()[0]->name(), "f");
  EXPECT_EQ((*sized)->computations()[1]->name(), "f.1");
  EXPECT_EQ((*sized)->entry()->root()->shape().ToString(), "(f32[2], f32[3], f32[2])");
  const auto reread = LoadModule(Print(**sized));
  ASSERT_TRUE(reread.ok()) << reread.status().ToString();
  EXPECT_EQ(Print(**reread), Print(**sized));
}

TEST(OpenSizes, AreNotRunAsTheyAre) {
  const auto client = *Client::Create();
  const auto executable = client->Compile("ENTRY e { x = f32[?] parameter(0) }");
  EXPECT_EQ(executable.status().ToString(),
            "INVALID_ARGUMENT: parameter: \"x\" is f32[?], and a program runs with sizes: compile "
            "it for the shapes of its arguments (argument_shapes; axle run takes those of the "
            "values), or write the sizes");
}

struct Refusal {
  const char* text;
  std::vector<Shape> shapes;
  const char* message;
};

TEST(OpenSizes, Errors) {
  const Shape three(F32, {3});
  const Refusal kRefusals[] = {
      {"ENTRY e { x = f32[?] parameter(0) }", {}, "takes 1 arguments, but there are 0 shapes"},
      {"ENTRY e { x = f32[?] parameter(0) }",
       {Shape(S32, {3})},
       "argument 0 is s32[3], but parameter 0 \"x\" is f32[?]"},
      {"ENTRY e { x = f32[?,2] parameter(0) }",
       {three},
       "argument 0 is f32[3], but parameter 0 \"x\" is f32[?,2]"},
      {"ENTRY e { x = f32[?,2] parameter(0) }",
       {Shape(F32, {3, 4})},
       "argument 0 is f32[3,4], but parameter 0"},
      {"ENTRY e { x = f32[?] parameter(0)  ROOT y = f32[?] iota(), iota_dimension=0 }",
       {three},
       "iota: the result \"y\", f32[?], has a size that does not follow from the operands; write "
       "it"},
      {"ENTRY e { x = f32[?] parameter(0)  ROOT y = f32[?,?] broadcast(x), dimensions={1} }",
       {three},
       "broadcast: the result \"y\", f32[?,3], has a size that does not follow from the operands; "
       "write it"},
      {"ENTRY e { x = f32[?] parameter(0)  ROOT y = f32[?,?] reshape(x) }",
       {three},
       "does not follow from the operands"},
      {"ENTRY e { x = f32[?] parameter(0)  ROOT y = f32[?,2] reshape(x) }",
       {three},
       "does not follow from the operands"},
      {"ENTRY e { x = f32[?] parameter(0)  ROOT y = f32[?] custom-call(x), "
       "custom_call_target=\"Sharding\" }",
       {three},
       "does not follow from the operands"},
      // The rules of the rows.
      {"ENTRY e { x = f32[?] parameter(0)  y = f32[?] parameter(1)  ROOT z = f32[?] add(x, y) }",
       {three, Shape(F32, {2})},
       "add: "},
      {"ENTRY e { x = f32[?] parameter(0)  ROOT z = f32[4] negate(x) }",
       {three},
       "negate: \"z\" has shape f32[3], not f32[4]"},
      {"b { s = f32[?] parameter(0)  ROOT t = f32[?] concatenate(s, s), dimensions={0} }\n"
       "c { s = f32[?] parameter(0)  ROOT t = pred[] constant(false) }\n"
       "ENTRY e { x = f32[?] parameter(0)  ROOT w = f32[?] while(x), condition=c, body=b }",
       {three},
       "while: body must be"},
  };
  for (const Refusal& refusal : kRefusals) {
    const auto module = LoadModule(refusal.text);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const Status status = ForArgumentShapes(**module, refusal.shapes).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << refusal.text;
    EXPECT_NE(status.message().find(refusal.message), std::string::npos)
        << status.ToString() << "\n"
        << refusal.text;
  }
  EXPECT_NE(LoadModule("ENTRY e { x = f32[?] parameter(0)  ROOT y = negate(x) }")
                .status()
                .message()
                .find("\"negate\" needs a shape before it, because its operands leave sizes open"),
            std::string::npos);
}

// Each call doubles the sizes that the next computation is called with.
TEST(OpenSizes, FurtherComputationsHaveABound) {
  std::string text = "f0 { x = f32[?] parameter(0)  ROOT y = f32[?] negate(x) }\n";
  for (int i = 1; i < 30; ++i) {
    StrAppend(text, "f", i,
              " { x = f32[?] parameter(0)  l = f32[?] concatenate(x, x), dimensions={0}\n",
              "  k = f32[1] constant({1})  m = f32[?] concatenate(l, k), dimensions={0}\n",
              "  a = f32[?] call(l), to_apply=f", i - 1, "  b = f32[?] call(m), to_apply=f", i - 1,
              "  ROOT t = f32[?] concatenate(a, b), dimensions={0} }\n");
  }
  StrAppend(text, "ENTRY e { x = f32[?] parameter(0)  ROOT y = f32[?] call(x), to_apply=f29 }\n");
  const auto module = LoadModule(text);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const Shape shapes[] = {Shape(F32, {1})};
  EXPECT_EQ(ForArgumentShapes(**module, shapes).status().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace axle
