// op-start, op-update, op-done: the short form of an asynchronous computation of one op, read and
// printed.
#include "axle/core/strings.h"
#include "tests/text/test_text.h"

namespace axle {
namespace {

std::string Body(const Module& module, const PrintOptions& options = kShort) {
  const std::string text = Print(module, options);
  return text.substr(text.find('\n') + 1);
}

// A text that is printed as it is.
constexpr const char* kCanonical[] = {
    R"(
ENTRY e {
  x = f32[8,4]{1,0} parameter(0)
  i = s32[] constant(0)
  s = ((f32[8,4]{1,0}, s32[], s32[]), f32[2,4]{1,0}, u32[]) dynamic-slice-start(x, i, i), dynamic_slice_sizes={2,4}
  u = ((f32[8,4]{1,0}, s32[], s32[]), f32[2,4]{1,0}, u32[]) dynamic-slice-update(s)
  ROOT d = f32[2,4]{1,0} dynamic-slice-done(u)
}
)",
    R"(
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}

ENTRY e {
  x = f32[8]{0} parameter(0)
  s = ((f32[8]{0}), f32[2]{0}) reduce-scatter-start(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, dimensions={0}, to_apply=sum
  ROOT d = f32[2]{0} reduce-scatter-done(s)
}
)",
    R"(
f {
  p = f32[2]{0} parameter(0)
  ROOT n = f32[2]{0} negate(p)
}

ENTRY e {
  x = f32[2]{0} parameter(0)
  s = ((f32[2]{0}), f32[2]{0}) fusion-start(x), async_execution_thread="io", kind=kLoop, calls=f
  d = f32[2]{0} fusion-done(s)
  c = ((f32[2]{0}), f32[2]{0}) call-start(d), to_apply=f, sharding={{replicated}, {replicated}}, frontend_attributes={a="1"}
  ROOT r = f32[2]{0} call-done(c)
}
)",
    // A computation of more than one op has no short form.
    R"(
f {
  p = f32[2]{0} parameter(0)
  n = f32[2]{0} negate(p)
  ROOT r = f32[2]{0} add(n, p)
}, execution_thread="io"

ENTRY e {
  x = f32[2]{0} parameter(0)
  s = ((f32[2]{0}), f32[2]{0}, s32[]) async-start(x), async_execution_thread="io", calls=f
  u = ((f32[2]{0}), f32[2]{0}, s32[]) async-update(s)
  ROOT d = f32[2]{0} async-done(u)
}
)",
    // Nor has one that takes its parameters in another order.
    R"(
f {
  p = f32[2]{0} parameter(0)
  q = f32[2]{0} parameter(1)
  ROOT r = f32[2]{0} subtract(q, p)
}

ENTRY e {
  x = f32[2]{0} parameter(0)
  s = ((f32[2]{0}, f32[2]{0}), f32[2]{0}) async-start(x, x), calls=f
  ROOT d = f32[2]{0} async-done(s)
}
)",
    // Operands that are bound late, of an op that says what it takes and of others.
    R"(
f {
  p = f32[2]{0} parameter(0)
  q = f32[] parameter(1)
  b = f32[2]{0} broadcast(q), dimensions={}
  ROOT r = f32[2]{0} subtract(p, b)
}

ENTRY e {
  x = f32[2]{0} parameter(0)
  y = f32[] parameter(1)
  s = ((), (), s32[]) call-start(), to_apply=f
  u = ((f32[2]{0}), (), s32[2]{0}) call-update(s, x)
  v = ((f32[2]{0}, f32[]), f32[2]{0}, ()) call-update(u, y)
  ROOT d = f32[2]{0} call-done(v)
}
)",
    R"(
ENTRY e {
  x = f32[2,3]{1,0} parameter(0)
  y = f32[3,2]{1,0} parameter(1)
  s = ((f32[2,3]{1,0}), (), u32[]) dot-start(x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  u = ((f32[2,3]{1,0}, f32[3,2]{1,0}), (), u32[]) dot-update(s, y)
  ROOT d = f32[2,2]{1,0} dot-done(u)
}
)",
    // A state that comes into a computation that is written before its start.
    R"(
ends {
  p = (pred[], ((f32[2]{0}), f32[2]{0})) parameter(0)
  ROOT c = pred[] get-tuple-element(p), index=0
}

body {
  p = (pred[], ((f32[2]{0}), f32[2]{0})) parameter(0)
  s = ((f32[2]{0}), f32[2]{0}) get-tuple-element(p), index=1
  u = ((f32[2]{0}), f32[2]{0}) tanh-update(s)
  d = f32[2]{0} tanh-done(u)
  c = pred[] constant(false)
  n = ((f32[2]{0}), f32[2]{0}) tanh-start(d)
  ROOT t = (pred[], ((f32[2]{0}), f32[2]{0})) tuple(c, n)
}

ENTRY e {
  x = f32[2]{0} parameter(0)
  c = pred[] parameter(1)
  s = ((f32[2]{0}), f32[2]{0}) tanh-start(x)
  t = (pred[], ((f32[2]{0}), f32[2]{0})) tuple(c, s)
  w = (pred[], ((f32[2]{0}), f32[2]{0})) while(t), condition=ends, body=body
  g = ((f32[2]{0}), f32[2]{0}) get-tuple-element(w), index=1
  ROOT d = f32[2]{0} tanh-done(g)
}
)",
    // Aliasing of the start would be read as that of the op.
    R"(
f {
  p = f32[2]{0} parameter(0)
  ROOT r = (f32[2]{0}) custom-call(p), custom_call_target="g"
}

ENTRY e {
  x = f32[2]{0} parameter(0)
  s = ((f32[2]{0}), (f32[2]{0}), s32[]) async-start(x), output_to_operand_aliasing={{0,0}: (0, {})}, calls=f
  u = ((f32[2]{0}), (f32[2]{0}), s32[]) custom-call-update(s), output_to_operand_aliasing={{2}: (0, {2})}
  ROOT d = (f32[2]{0}) custom-call-done(u)
}
)",
    // A body that nobody calls.
    R"(
f {
  p = f32[2]{0} parameter(0)
  ROOT r = f32[2]{0} negate(p)
}

body {
  s = ((f32[2]{0}), f32[2]{0}) parameter(0)
  u = ((f32[2]{0}), f32[2]{0}) async-update(s), calls=f
  ROOT d = f32[2]{0} async-done(u)
}

ENTRY e {
  ROOT x = f32[2]{0} parameter(0)
}
)",
    // Nobody says what the op would take: it stays in its computation.
    R"(
f {
  p = f32[2]{0} parameter(0)
  ROOT r = f32[2]{0} negate(p)
}

ENTRY e {
  ROOT s = ((), (), s32[]) async-start(), calls=f
}
)",
    R"(
ENTRY e {
  x = f32[2]{0} parameter(0)
  s = (f32[2]{0}, f32[4]{0}) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}
  ROOT d = f32[4]{0} all-gather-done(s)
}
)",
};

TEST(AsyncText, IsPrintedAsItIs) {
  for (const char* text : kCanonical) {
    const auto module = ParseOrFail(StrCat("HloModule m\n", text));
    if (module == nullptr) continue;
    EXPECT_EQ(Body(*module), text);
    ExpectStable(*module);
    EXPECT_EQ(Body(*module->Clone()), text);
  }
}

TEST(AsyncText, LongForm) {
  const auto module = ParseOrFail(
      "HloModule m\nENTRY e { x = f32[2] parameter(0)\n s = ((f32[2]), f32[2]) tanh-start(x), "
      "metadata={op_name=\"n\"}, backend_config={\"k\":1}\n d = f32[2] tanh-done(s) }");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Body(*module, {}), R"(
ENTRY %e (x: f32[2]) -> f32[2] {
  %x = f32[2]{0} parameter(0)
  %s = ((f32[2]{0}), f32[2]{0}) tanh-start(%x), metadata={op_name="n"}, backend_config={"k":1}
  ROOT %d = f32[2]{0} tanh-done(%s)
}
)");
  // The op inside has them too.
  const Instruction& start = *module->entry()->instructions()[1];
  ASSERT_EQ(start.callees().size(), 1u);
  const Instruction& op = *start.callee(0)->root();
  EXPECT_EQ(Print(op),
            "%async_op = f32[2]{0} tanh(%async_param), metadata={op_name=\"n\"}, "
            "backend_config={\"k\":1}");
  EXPECT_EQ(start.callee(0)->name(), "async_wrapped");
}

TEST(AsyncText, TheComputationWrittenOutIsShortened) {
  const auto module = ParseOrFail(
      "HloModule m\nf { p = f32[2] parameter(0)\n r = f32[2] negate(p) }, "
      "execution_thread=\"io\"\nENTRY e { x = f32[2] parameter(0)\n s = ((f32[2]), f32[2]) "
      "async-start(x), calls=f, async_execution_thread=\"io\"\n d = f32[2] async-done(s), "
      "calls=f, async_execution_thread=\"io\" }");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(Body(*module), R"(
ENTRY e {
  x = f32[2]{0} parameter(0)
  s = ((f32[2]{0}), f32[2]{0}) negate-start(x), async_execution_thread="io"
  ROOT d = f32[2]{0} negate-done(s)
}
)");
  ExpectStable(*module);
}

TEST(AsyncText, GeneratedNamesAreUnused) {
  const auto module = ParseOrFail(
      "HloModule m\ng { x = f32[2] parameter(0)\n s = ((f32[2]), f32[2]) negate-start(x)\n"
      "d = f32[2] negate-done(s) }\n"
      "async_wrapped { x = f32[2] parameter(0)\n s = ((f32[2]), f32[2]) negate-start(x)\n"
      "d = f32[2] negate-done(s) }\n"
      "ENTRY e { x = f32[2] parameter(0)\n y = call(x), to_apply=g\n"
      "z = call(y), to_apply=async_wrapped }");
  ASSERT_NE(module, nullptr);
  std::vector<std::string> names;
  for (const auto& computation : module->computations()) names.emplace_back(computation->name());
  EXPECT_EQ(names, (std::vector<std::string>{"async_wrapped.1", "g", "async_wrapped.2",
                                             "async_wrapped", "e"}));
  ExpectStable(*module);
}

// Whoever calls what an async-start calls is refused, at its computation; another async-start may.
TEST(AsyncText, OthersDoNotCallWhatIsStarted) {
  const auto parse = [](std::string_view others) {
    return Parse(
        StrCat("HloModule m\nf { x = f32[2] parameter(0) y = f32[2] negate(x) ROOT z = "
               "f32[2] add(x, y) }\n",
               "ENTRY e { x = f32[2] parameter(0)\n"
               "s = ((f32[2]), f32[2]) async-start(x), calls=f\n"
               "d = f32[2] async-done(s)\n",
               others, " }"));
  };
  const auto two =
      parse("t = ((f32[2]), f32[2]) async-start(d), calls=f\n ROOT r = f32[2] async-done(t)");
  EXPECT_TRUE(two.ok()) << two.status().message();
  for (const char* call : {"ROOT r = f32[2] call(d), to_apply=f",
                           "t = ((f32[2]), f32[2]) call-start(d), to_apply=f\n"
                           "ROOT r = f32[2] call-done(t)"}) {
    const auto module = parse(call);
    ASSERT_FALSE(module.ok()) << call;
    EXPECT_NE(module.status().message().find(
                  "call: calls \"f\", which an async-start calls too; operand f32[2]\n"),
              std::string::npos)
        << module.status().message();
    EXPECT_EQ(module.status().message().find(" 2:"), std::string::npos);  // not at f
  }
}

// The state goes on in a body that is read before the async-start is: the computations of both are
// found, and they are the same.
TEST(AsyncText, ComputationsOfStatesFromOutside) {
  const auto parse = [](std::string_view in_body, std::string_view start) {
    return Parse(
        StrCat("HloModule m\nf { a = f32[2] parameter(0) b = f32[2] negate(a) ROOT c = f32[2] "
               "add(a, b) }\n"
               "g { a = f32[2] parameter(0) ROOT c = f32[2] negate(a) }\n"
               "stop { p = ((), (), u32[]) parameter(0) ROOT c = pred[] constant(false) }\n"
               "body { p = ((), (), u32[]) parameter(0) x = f32[2] constant({1, 2})\n"
               "u = ((f32[2]), f32[2]) async-update(p, x)",
               in_body, "\nd = f32[2] async-done(u)\n",
               "ROOT s = ((), (), u32[]) async-start(), calls=f }\n"
               "ENTRY e { s = ((), (), u32[]) async-start(), calls=",
               start, "\nROOT w = ((), (), u32[]) while(s), condition=stop, body=body }"));
  };
  const auto module = parse("", "f");
  ASSERT_TRUE(module.ok()) << module.status().message();
  ExpectStable(**module);
  EXPECT_TRUE(parse(", calls=f", "f").ok());
  const auto two = parse("", "g");
  ASSERT_FALSE(two.ok());
  EXPECT_NE(two.status().message().find("operand is the state of async-starts that run different "
                                        "computations, "),
            std::string::npos)
      << two.status().message();
}

struct AsyncErrorRow {
  const char* body;
  const char* expected;
};

TEST(AsyncText, Errors) {
  constexpr AsyncErrorRow kRows[] = {
      {"s = tanh-start(x)\n d = f32[2] tanh-done(s)",
       "\"tanh-start\" needs the shape ((operands...), result, ...) before it"},
      {"s = (f32[2], f32[2]) tanh-start(x)\n d = f32[2] tanh-done(s)",
       "\"tanh-start\" needs the shape ((operands...), result, ...) before it"},
      {"s = ((f32[2], f32[2]), f32[2]) tanh-start(x)\n d = f32[2] tanh-done(s)",
       "\"tanh-start\" has 1 operands but its shape ((f32[2], f32[2]), f32[2]) begins with 2"},
      {"s = ((f32[3]), f32[3]) tanh-start(x)\n d = f32[3] tanh-done(s)",
       "async-start: calls must be (f32[2])->f32[3] but \"async_wrapped\" is (f32[3])->f32[3]; "
       "operand f32[2]"},
      {"s = ((f32[2]), f32[3]) tanh-start(x)\n d = f32[2] tanh-done(s)",
       "\"tanh-start\" has shape ((f32[2]), f32[2]), not ((f32[2]), f32[3])"},
      {"s = ((f32[2]), f32[2]) tanh-start(x)\n d = f32[2] cosine-done(s)",
       "the operand of \"cosine-done\" is not of \"cosine-start\""},
      {"s = ((f32[2]), f32[2]) tanh-start(x)\n d = f32[2] tanh-done(x)",
       "the operand of \"tanh-done\" is not of \"tanh-start\""},
      {"s = ((f32[2]), f32[2]) tanh-start(x), dimensions={0}\n d = f32[2] tanh-done(s)",
       "unknown attribute \"dimensions\" for \"tanh\" (it takes none)"},
      {"s = ((f32[2]), f32[2]) parameter-start(0)", "unknown operation \"parameter-start\""},
      {"s = ((f32[2]), f32[2]) all-gather-update(x)", "unknown operation \"all-gather-update\""},
      {"s = ((f32[2]), f32[2]) async-start-start(x)", "unknown operation \"async-start-start\""},
      {"d = f32[2] tanh-done()", "the operand of \"tanh-done\" is not of \"tanh-start\""},
  };
  for (const AsyncErrorRow& row : kRows) {
    const auto module =
        Parse(StrCat("HloModule m\nENTRY e { x = f32[2] parameter(0)\n", row.body, " }"));
    ASSERT_FALSE(module.ok()) << row.body;
    EXPECT_NE(module.status().message().find(row.expected), std::string::npos)
        << module.status().message();
  }
}

}  // namespace
}  // namespace axle
