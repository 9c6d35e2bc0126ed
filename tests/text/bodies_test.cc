// Computations that are written inside of the instructions that call them.
#include "axle/core/strings.h"
#include "tests/text/test_text.h"

namespace axle {
namespace {

constexpr PrintOptions kInPlace = {.style = PrintOptions::Style::kShort, .bodies_in_place = true};

std::string Body(const Module& module, const PrintOptions& options = kInPlace) {
  const std::string text = Print(module, options);
  return text.substr(text.find('\n') + 1);
}

constexpr char kModule[] = R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
again {
  x = f32[4] parameter(0)
  zero = f32[] constant(0)
  s = f32[] reduce(x, zero), dimensions={0}, to_apply=sum
  ROOT y = f32[4] broadcast(s), dimensions={}
}
never {
  x = f32[4] parameter(0)
  ROOT no = pred[] constant(false)
}
twice {
  x = f32[4] parameter(0)
  ROOT y = f32[4] negate(x)
}
other {
  x = f32[4] parameter(0)
  ROOT y = f32[4] abs(x)
}
io {
  x = f32[4] parameter(0)
  y = f32[4] abs(x)
  ROOT z = f32[4] negate(y)
}, execution_thread="io"
ENTRY e {
  x = f32[4] parameter(0)
  i = s32[] parameter(1)
  w = f32[4] while(x), condition=never, body=again
  c = f32[4] conditional(i, w, w, w), branch_computations={twice, other, twice}
  s = ((f32[4]), f32[4]) async-start(c), async_execution_thread="io", calls=io
  ROOT d = f32[4] async-done(s)
})";

TEST(Bodies, OfComputationsThatAreCalledOnce) {
  const auto module = ParseOrFail(kModule);
  ASSERT_NE(module, nullptr);
  const std::string text = Body(*module);
  EXPECT_EQ(text, R"(
twice {
  x = f32[4]{0} parameter(0)
  ROOT y = f32[4]{0} negate(x)
}

io {
  x = f32[4]{0} parameter(0)
  y = f32[4]{0} abs(x)
  ROOT z = f32[4]{0} negate(y)
}, execution_thread="io"

ENTRY e {
  x = f32[4]{0} parameter(0)
  i = s32[] parameter(1)
  w = f32[4]{0} while(x), condition=
  {
    x = f32[4]{0} parameter(0)
    ROOT no = pred[] constant(false)
  }, body=
  {
    x = f32[4]{0} parameter(0)
    zero = f32[] constant(0)
    s = f32[] reduce(x, zero), dimensions={0}, to_apply=
    {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] add(a, b)
    }
    ROOT y = f32[4]{0} broadcast(s), dimensions={}
  }
  c = f32[4]{0} conditional(i, w, w, w), branch_computations={twice,
  {
    x = f32[4]{0} parameter(0)
    ROOT y = f32[4]{0} abs(x)
  }, twice}
  s = ((f32[4]{0}), f32[4]{0}) async-start(c), async_execution_thread="io", calls=io
  ROOT d = f32[4]{0} async-done(s)
}
)");
  for (const auto style : {PrintOptions::Style::kLong, PrintOptions::Style::kShort}) {
    const PrintOptions options = {.style = style, .bodies_in_place = true};
    const std::string printed = Print(*module, options);
    const auto again = ParseOrFail(printed);
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(again->computations().size(), module->computations().size());
    EXPECT_EQ(Print(*again, options), printed);
  }
}

TEST(Bodies, OfTheOpOfAnAsynchronousForm) {
  const auto module = ParseOrFail(
      "sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }\n"
      "ENTRY e { x = f32[4] parameter(0)\n z = f32[] constant(0)\n"
      "s = ((f32[4], f32[]), f32[]) reduce-start(x, z), dimensions={0}, to_apply=sum\n"
      "ROOT d = f32[] reduce-done(s) }");
  ASSERT_NE(module, nullptr);
  const std::string text = Body(*module);
  EXPECT_NE(text.find(" reduce-start(x, z), dimensions={0}, to_apply=\n  {\n    a ="), text.npos)
      << text;
  const auto again = ParseOrFail("HloModule m\n" + text);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(Body(*again), text);
}

// A name that the text uses later is not given to a body before it.
TEST(Bodies, GetNamesThatAreUnused) {
  const auto module = ParseOrFail(
      "f { x = f32[] parameter(0)  y = call(x), to_apply={ ROOT p = f32[] parameter(0) } }\n"
      "_ { ROOT p = f32[] parameter(0) }\n"
      "ENTRY e { x = f32[] parameter(0)  y = call(x), to_apply=f  z = call(y), to_apply=_ }");
  ASSERT_NE(module, nullptr);
  std::vector<std::string> names;
  for (const auto& computation : module->computations()) names.emplace_back(computation->name());
  EXPECT_EQ(names, (std::vector<std::string>{"_.1", "f", "_", "e"}));
  ExpectStable(*module);
}

// The line of an instruction with its operands' shapes is a module of its own.
TEST(Bodies, OfOneInstruction) {
  const auto module = ParseOrFail(kModule);
  ASSERT_NE(module, nullptr);
  const Instruction& loop = *module->entry()->instructions()[2];
  const PrintOptions options = {
      .style = PrintOptions::Style::kShort, .operand_shapes = true, .bodies_in_place = true};
  const std::string text = Print(loop, options);
  const auto alone = ParseOrFail(text);
  ASSERT_NE(alone, nullptr) << text;
  EXPECT_EQ(Print(*alone->entry()->root(), options), text);
  EXPECT_EQ(alone->computations().size(), 4u);
}

// f0 is called by f1, f1 by f2, ...: more than a reader would take inside of each other.
TEST(Bodies, ADeepChainOfCallsIsReadBack) {
  constexpr int kDepth = 500;
  std::string text = "f0 { ROOT x = f32[] parameter(0) }\n";
  for (int i = 1; i < kDepth; ++i) {
    StrAppend(text, "f", i, " { x = f32[] parameter(0)  ROOT y = call(x), to_apply=f", i - 1,
              " }\n");
  }
  const auto module = ParseOrFail(text);
  ASSERT_NE(module, nullptr);
  const std::string printed = Body(*module);
  const auto again = ParseOrFail("HloModule m\n" + printed);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->computations().size(), module->computations().size());
  EXPECT_EQ(Body(*again), printed);
}

// Each computation calls the one before it twice: written out everywhere, 2^60 times.
TEST(Bodies, SharedComputationsDoNotMultiply) {
  std::string text = "f0 { ROOT x = f32[] parameter(0) }\n";
  for (int i = 1; i < 60; ++i) {
    StrAppend(text, "f", i, " { x = f32[] parameter(0)  y = call(x), to_apply=f", i - 1,
              "  ROOT z = call(y), to_apply=f", i - 1, " }\n");
  }
  const auto module = ParseOrFail(text);
  ASSERT_NE(module, nullptr);
  EXPECT_LT(Body(*module).size(), size_t{10000});
  EXPECT_LT(Print(*module->entry()->root(), kInPlace).size(), size_t{2} << 20);
}

}  // namespace
}  // namespace axle
