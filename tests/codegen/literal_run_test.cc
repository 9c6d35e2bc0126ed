// Compiled computations on literals: whose memory results lie in, run-time sizes, errors.
#include "axle/codegen/steps/literal_run.h"

#include <gtest/gtest.h>

#include "axle/codegen/choose_target.h"
#include "axle/codegen/compiler.h"
#include "axle/core/float_environment.h"
#include "axle/core/storage.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

CompiledModule Compile(std::string_view text) {
  const auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  const auto target = ChooseTarget(NativeIsa::kAuto, 2);
  EXPECT_TRUE(target.ok());
  auto compiled = CompileModule(**module, *target, {});
  EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
  return *std::move(compiled);
}

StatusOr<Literal> RunEntry(const CompiledModule& compiled, std::vector<Literal> arguments,
                           Limits* limits = nullptr) {
  const ScopedFloatEnvironment environment;
  const StorageScope storage(limits);
  HostRun run;
  run.limits = limits;
  return RunOnLiterals(*compiled.entry, arguments, run);
}

constexpr std::string_view kUpdate = R"(
HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e {
  x = f32[4] parameter(0)
  u = f32[1] parameter(1)
  i = s32[] parameter(2)
  ROOT n = f32[4] dynamic-update-slice(x, u, i)
})";

TEST(LiteralRun, ADonatedLiteralIsTheResult) {
  const CompiledModule compiled = Compile(kUpdate);
  Literal x = Literal::Array<float>(F32, {4}, std::vector<float>{1, 2, 3, 4});
  const std::byte* const address = x.bytes();
  std::vector<Literal> arguments;
  arguments.push_back(std::move(x));
  arguments.push_back(*ParseLiteral("f32[1] {9}"));
  arguments.push_back(*ParseLiteral("s32[] 2"));
  const auto result = RunEntry(compiled, std::move(arguments));
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->ToString(), "{1, 2, 9, 4}");
  EXPECT_EQ(result->bytes(), address);
}

TEST(LiteralRun, ASharedLiteralIsNotChanged) {
  const CompiledModule compiled = Compile(kUpdate);
  const Literal x = Literal::Array<float>(F32, {4}, std::vector<float>{1, 2, 3, 4});
  float borrowed[] = {5, 6, 7, 8};
  for (const Literal& kept : {x, Literal::View(Shape(F32, {4}), borrowed)}) {
    const std::string before = kept.ToString();
    const auto result =
        RunEntry(compiled, {kept, *ParseLiteral("f32[1] {9}"), *ParseLiteral("s32[] 0")});
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_EQ(result->ToString(), "{9" + before.substr(2));
    EXPECT_EQ(kept.ToString(), before);
    EXPECT_NE(result->bytes(), kept.bytes());
  }
}

TEST(LiteralRun, WithoutAnAliasNothingIsTakenOver) {
  const CompiledModule compiled =
      Compile("ENTRY e { x = f32[3] parameter(0) ROOT n = f32[3] negate(x) }");
  Literal x = Literal::Array<float>(F32, {3}, std::vector<float>{1, 2, 3});
  const std::byte* const address = x.bytes();
  std::vector<Literal> arguments;
  arguments.push_back(std::move(x));
  HostRun run;
  const auto result = RunOnLiterals(*compiled.entry, arguments, run);
  ASSERT_TRUE(result.ok());
  EXPECT_NE(result->bytes(), address);
  EXPECT_EQ(arguments[0].ToString(), "{1, 2, 3}");
}

TEST(LiteralRun, AliasesOfTupleElements) {
  // The two results swap the two arguments.
  const CompiledModule compiled = Compile(R"(
HloModule m, input_output_alias={ {0}: (0, {0}, may-alias), {1}: (0, {1}, may-alias) }
ENTRY e {
  t = (f32[2], f32[2]) parameter(0)
  a = f32[2] get-tuple-element(t), index=0
  b = f32[2] get-tuple-element(t), index=1
  ROOT r = (f32[2], f32[2]) tuple(b, a)
})");
  std::vector<Literal> elements;
  for (const float first : {1.0f, 5.0f}) {
    elements.push_back(Literal::Array<float>(F32, {2}, std::vector<float>{first, first + 1}));
  }
  const std::byte* const addresses[] = {elements[0].bytes(), elements[1].bytes()};
  std::vector<Literal> arguments;
  arguments.push_back(Literal::Tuple(std::move(elements)));
  const auto result = RunEntry(compiled, std::move(arguments));
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->ToString(), "( {5, 6}, {1, 2} )");
  EXPECT_EQ(result->element(0).bytes(), addresses[0]);
  EXPECT_EQ(result->element(1).bytes(), addresses[1]);
}

TEST(LiteralRun, RunTimeSizesComeInAndGoOut) {
  const CompiledModule compiled = Compile(R"(
ENTRY e {
  x = f32[<=5,2] parameter(0)
  n = s32[] get-dimension-size(x), dimensions={0}
  y = f32[<=5,2] negate(x)
  ROOT r = (f32[<=5,2], s32[]) tuple(y, n)
})");
  for (const i64 size : {0, 3, 5}) {
    Literal x(compiled.entry->computation->parameters()[0]->shape());
    float next = 1;
    for (float& element : x.mutable_data<float>()) element = next++;
    x.SetSize(0, size);
    const auto result = RunEntry(compiled, {x});
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_EQ(result->element(0).size(0), size);
    EXPECT_EQ(result->element(1).data<std::int32_t>()[0], size);
    if (size == 3) {
      EXPECT_EQ(result->element(0).ToStringWithShape(),
                "f32[<=5,2](3,2) { { -1, -2 }, { -3, -4 }, { -5, -6 } }");
    }
  }
}

TEST(LiteralRun, NoPaddingForAStaticParameter) {
  const CompiledModule compiled =
      Compile("ENTRY e { x = f32[5] parameter(0) ROOT n = f32[5] negate(x) }");
  Shape bounded(F32, {5});
  bounded.set_dynamic(0, true);
  Literal x(bounded);
  x.SetSize(0, 2);
  const auto result = RunEntry(compiled, {x});
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(result.status().message().find("parameter 0 \"x\" of \"e\" is f32[5] but gets"),
            std::string::npos)
      << result.status().ToString();
}

TEST(LiteralRun, TheMemoryLimitNamesTheInstructionOfThePeak) {
  const CompiledModule compiled = Compile(R"(
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[1000] parameter(0)
  small = f32[1000] sort(x), dimensions={0}, to_apply=less
  large = f32[9,1000] broadcast(small), dimensions={1}
  sorted = f32[9,1000] sort(large), dimensions={1}, to_apply=less
  front = f32[1,3] slice(sorted), slice={[1:2],[0:3]}
  before = f32[1,3] slice(large), slice={[1:2],[0:3]}
  ROOT fronts = (f32[1,3], f32[1,3]) tuple(front, before)
})");
  const Literal x{Shape(F32, {1000})};
  Limits generous, strict;
  generous.set_memory_cap(1 << 20);
  EXPECT_TRUE(RunEntry(compiled, {x}, &generous).ok());
  strict.set_memory_cap(30000);
  const auto result = RunEntry(compiled, {x}, &strict);
  EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted);
  EXPECT_NE(result.status().message().find("the most at \"sorted\""), std::string::npos)
      << result.status().ToString();
}

TEST(LiteralRun, TheMemoryLimitNamesTheResult) {
  const CompiledModule compiled = Compile(
      "ENTRY e { x = f32[] parameter(0) ROOT all = f32[9999] broadcast(x), dimensions={} }");
  Limits strict;
  strict.set_memory_cap(30000);
  const auto result = RunEntry(compiled, {Literal::Scalar<float>(F32, 1)}, &strict);
  EXPECT_EQ(result.status().ToString(),
            "RESOURCE_EXHAUSTED: a value of 39 KiB is above the memory "
            "limit of 29.2 KiB: the result \"all\" of \"e\"");
  EXPECT_EQ(strict.live_bytes(), 0);
}

TEST(LiteralRun, ViewsOfBlocksAndBack) {
  const auto literal = ParseLiteral("(f32[2], (s32[<=3], s8[])) ({1, 2}, ((2) {7, 8}, 5))");
  ASSERT_TRUE(literal.ok()) << literal.status().ToString();
  float a[2] = {};
  std::int32_t b[3] = {};
  i64 b_sizes[1] = {};
  std::int8_t c[1] = {};
  void* const blocks[] = {a, b, b_sizes, c};
  void* const* next = blocks;
  CopyToBlocks(*literal, literal->shape(), next);
  EXPECT_EQ(next, blocks + 4);
  EXPECT_EQ(b_sizes[0], 2);
  next = blocks;
  const Literal view = ViewOfBlocks(literal->shape(), next);
  EXPECT_EQ(next, blocks + 4);
  EXPECT_TRUE(view == *literal) << view.ToStringWithShape();
  a[1] = 3;
  EXPECT_EQ(view.element(0).ToString(), "{1, 3}");
}

}  // namespace
}  // namespace axle
