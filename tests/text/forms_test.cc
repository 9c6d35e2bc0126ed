// Other ways to write a module, and what they are printed as in the short style.
#include "axle/core/limits.h"
#include "tests/paths.h"
#include "tests/text/test_text.h"

namespace axle {
namespace {

struct FormRow {
  const char* what;
  const char* text;
  const char* expected;  // what follows the first line, in the short style
};

// clang-format off
const FormRow kRows[] = {
    {"no shapes where they are implied, last instruction is the root",
R"(HloModule m
main {
  x = f32[4] parameter(0)
  y = negate(x)
})",
R"(
ENTRY main {
  x = f32[4]{0} parameter(0)
  ROOT y = f32[4]{0} negate(x)
}
)"},
    {"old dumps repeat the shapes of operands",
R"(HloModule m
ENTRY %main (x: f32[4], (f32[4], s32[])) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %t = (f32[4]{0}, s32[]) parameter(1)
  ROOT %y = f32[4]{0} add(f32[4]{0} %x, f32[4] get-tuple-element((f32[4]{0}, s32[]) %t, index=0))
})", nullptr},
    {"instructions inside of operands",
R"(HloModule m
main {
  x = f32[4] parameter(0)
  ROOT z = add(multiply(x, x), add(f32[4] multiply(x, x), x))
})",
R"(
ENTRY main {
  x = f32[4]{0} parameter(0)
  multiply.anon = f32[4]{0} multiply(x, x)
  multiply.anon.1 = f32[4]{0} multiply(x, x)
  add.anon = f32[4]{0} add(multiply.anon.1, x)
  ROOT z = f32[4]{0} add(multiply.anon, add.anon)
}
)"},
    {"elements of tuples",
R"(HloModule m
main {
  t = (f32[2], (s32[], f32[2])) parameter(0)
  a = add(t#0, t#1#1)
  ROOT b = multiply(a, t#0)
})",
R"(
ENTRY main {
  t = (f32[2]{0}, (s32[], f32[2]{0})) parameter(0)
  t_0 = f32[2]{0} get-tuple-element(t), index=0
  t_1 = (s32[], f32[2]{0}) get-tuple-element(t), index=1
  t_1_1 = f32[2]{0} get-tuple-element(t_1), index=1
  a = f32[2]{0} add(t_0, t_1_1)
  ROOT b = f32[2]{0} multiply(a, t_0)
}
)"},
    {"computations in place, before their callers",
R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  zero = f32[] constant(0)
  a = reduce(x, zero), dimensions={0}, to_apply={
    p = f32[] parameter(0)
    q = f32[] parameter(1)
    ROOT r = add(p, q)
  }
  ROOT b = reduce(x, zero), to_apply={ p = f32[] parameter(0) q = f32[] parameter(1) r = f32[] maximum(p, q) }, dimensions={0}
})",
R"(
_ {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT r = f32[] add(p, q)
}

_.1 {
  p = f32[] parameter(0)
  q = f32[] parameter(1)
  ROOT r = f32[] maximum(p, q)
}

ENTRY main {
  x = f32[4]{0} parameter(0)
  zero = f32[] constant(0)
  a = f32[] reduce(x, zero), dimensions={0}, to_apply=_
  ROOT b = f32[] reduce(x, zero), dimensions={0}, to_apply=_.1
}
)"},
    {"no header, no ENTRY: the last computation",
R"(// a comment
f { x = s32[] parameter(0) ROOT y = s32[] negate(x) }
g { x = s32[] parameter(0) ROOT c = s32[] call(x), to_apply=f })",
R"(
f {
  x = s32[] parameter(0)
  ROOT y = s32[] negate(x)
}

ENTRY g {
  x = s32[] parameter(0)
  ROOT c = s32[] call(x), to_apply=f
}
)"},
    {"one instruction",
R"(%out = f32[10]{0} fusion(f32[10]{0} %p), kind=kLoop, calls={ q = f32[10] parameter(0) ROOT n = f32[10] negate(q) })",
R"(
_.1 {
  q = f32[10]{0} parameter(0)
  ROOT n = f32[10]{0} negate(q)
}

ENTRY _ {
  p = f32[10]{0} parameter(0)
  ROOT out = f32[10]{0} fusion(p), kind=kLoop, calls=_.1
}
)"},
    {"one instruction without any name",
R"(f32[4] add(f32[4], f32[4]))",
R"(
ENTRY _ {
  _0 = f32[4]{0} parameter(0)
  _1 = f32[4]{0} parameter(1)
  ROOT _ = f32[4]{0} add(_0, _1)
}
)"},
    {"one instruction with one operand twice",
R"(x = f32[4] add(f32[4] %a, f32[4] %a))",
R"(
ENTRY _ {
  a = f32[4]{0} parameter(0)
  ROOT x = f32[4]{0} add(a, a)
}
)"},
    {"comments and line ends mean nothing",
"HloModule m /* head */ ENTRY e { x = s32[] parameter(/*i*/0) // one\r\n\ty =s32[]\nnegate(x) }", nullptr},
    {"operands in any order, shapes with comments",
R"(HloModule m
main {
  a = s32[] parameter(1), metadata={}
  ROOT b = (s32[], /*index=1*/s32[]) parameter(0)
})",
R"(
ENTRY main {
  a = s32[] parameter(1)
  ROOT b = (s32[], s32[]) parameter(0)
}
)"},
    {"threads: main is no name",
R"(HloModule m
f { ROOT x = s32[] parameter(0) }, execution_thread="main"
g { ROOT x = s32[] parameter(0) }, execution_thread="io"
ENTRY e { ROOT x = s32[] parameter(0) })",
R"(
f {
  ROOT x = s32[] parameter(0)
}

g {
  ROOT x = s32[] parameter(0)
}, execution_thread="io"

ENTRY e {
  ROOT x = s32[] parameter(0)
}
)"},
    {"there may be space before and behind the '=' of an attribute",
R"(HloModule m
f { p = f32[] parameter(0)  ROOT r = f32[] negate(p) }
ENTRY e {
  x = f32[] parameter(0)
  ROOT y = f32[] call(x), to_apply = f, is_composite =true, frontend_attributes = {
    composite.name = "my.neg", composite.attributes = {n = 1 : i32, t = dense<1> : tensor<i32>}
  }
})",
R"(
f {
  p = f32[] parameter(0)
  ROOT r = f32[] negate(p)
}

ENTRY e {
  x = f32[] parameter(0)
  ROOT y = f32[] call(x), to_apply=f, is_composite=true, frontend_attributes={composite.attributes={n = 1 : i32, t = dense<1> : tensor<i32>},composite.name="my.neg"}
}
)"},
    {"the short style leaves out where things come from",
R"(HloModule m
ENTRY e {
  x = f32[] parameter(0), metadata={op_name="x"}, sharding={maximal device=1 metadata={op_name="s"}}
  ROOT y = f32[] tanh(x), control-predecessors={x}, frontend_attributes={b='2',a="1"}, backend_config="{\"k\":1}"
})",
R"(
ENTRY e {
  x = f32[] parameter(0), sharding={maximal device=1}
  ROOT y = f32[] tanh(x), frontend_attributes={a="1",b="2"}, backend_config={"k":1}
}
)"},
};
// clang-format on

TEST(Forms, AreOneModule) {
  for (const FormRow& row : kRows) {
    if (row.expected == nullptr) continue;
    SCOPED_TRACE(row.what);
    const auto module = ParseOrFail(row.text);
    if (module == nullptr) continue;
    const std::string text = Print(*module, kShort);
    EXPECT_EQ(text.substr(text.find('\n') + 1), row.expected);
    ExpectStable(*module);
  }
}

TEST(Forms, NestedInstructionsHaveNoAttributes) {
  EXPECT_EQ(Parse(kRows[1].text).status().code(), StatusCode::kInvalidArgument);
}

TEST(Forms, CommentsAndLineEnds) {
  const auto module = ParseOrFail(kRows[9].text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->name(), "m");
  EXPECT_EQ(Print(*module->entry()->root()), "%y = s32[] negate(%x)");
}

TEST(Forms, ModuleNames) {
  const auto name = [](const char* text) { return ParseOrFail(text)->name(); };
  EXPECT_EQ(name("HloModule a.b-c_1 ENTRY e { ROOT x = s32[] parameter(0) }"), "a.b-c_1");
  EXPECT_EQ(name("ENTRY e { ROOT x = s32[] parameter(0) }"), "module_e");
  EXPECT_EQ(name("s32[] negate(s32[] x)"), "_");
}

TEST(Forms, EndOfTheLastLineIsKept) {
  const std::string text =
      "HloModule m, entry_computation_layout={(s32[])->s32[]}\n\nENTRY e {\n"
      "  ROOT x = s32[] parameter(0)\n}\n";
  EXPECT_EQ(Print(*ParseOrFail(text), kShort), text);
  EXPECT_EQ(Print(*ParseOrFail(text + "\n"), kShort), text + "\n");
}

TEST(Forms, StackFrames) {
  const auto module = ParseOrFail(ReadText(SourceFolder() / "tests/data/text/header.hlo"));
  ASSERT_NE(module, nullptr);
  const StackFrameIndex& frames = module->config().stack_frames;
  ASSERT_EQ(frames.frames.size(), 2u);
  // The text writes the parent's id plus one, so that 1 is no parent.
  EXPECT_EQ(frames.frames[0].parent_frame_id, 0);
  EXPECT_EQ(frames.frames[1].parent_frame_id, 1);
  EXPECT_EQ(frames.file_names[1], "odd \"name\".py");
}

TEST(Forms, DeclaredLayoutsStay) {
  const auto module = ParseOrFail(
      "ENTRY e { x = f32[2,3]{0,1} parameter(0)\n y = f32[2,3]{0,1} negate(x)\n z = negate(y) }");
  ASSERT_NE(module, nullptr);
  const auto instructions = module->entry()->instructions();
  EXPECT_EQ(instructions[1]->shape().ToStringWithLayout(), "f32[2,3]{0,1}");
  EXPECT_EQ(instructions[2]->shape().ToStringWithLayout(), "f32[2,3]{1,0}");
}

TEST(Forms, CancelledParse) {
  Limits limits;
  limits.Cancel();
  EXPECT_EQ(Parse("ENTRY e { ROOT x = s32[] parameter(0) }", {.limits = &limits}).status().code(),
            StatusCode::kCancelled);
}

}  // namespace
}  // namespace axle
