// Spellings that HLO text allows, and what they are printed as; and texts that look like HLO and
// are not. By part of the grammar: tokens, shapes, the head of a module, computations, literals,
// attributes, asynchronous forms.
#include "axle/core/strings.h"
#include "tests/text/test_text.h"

namespace axle {
namespace {

struct GrammarRow {
  const char* text;
  const char* expected;  // the root in the short style, or the first line of the error
};

std::string RootOrError(const std::string& text) {
  const auto module = Parse(text, {.label = "t"});
  if (module.ok()) {
    ExpectStable(**module);
    return Print(*(*module)->entry()->root(), kShort);
  }
  const std::string& message = module.status().message();
  return message.substr(0, message.find('\n'));
}

void ExpectRows(std::span<const GrammarRow> rows) {
  for (const GrammarRow& row : rows) EXPECT_EQ(RootOrError(row.text), row.expected) << row.text;
}

// clang-format off
TEST(Grammar, Tokens) {
  constexpr GrammarRow kRows[] = {
      {"ENTRY e { x = f32[] parameter(0), frontend_attributes={k=\"a\\tb\\r\\n\\\\\\'\\\"\\101\\x41\\0\"} }",
       "x = f32[] parameter(0), frontend_attributes={k=\"a\\tb\\r\\n\\\\\\'\\\"AA\\000\"}"},
      {"ENTRY e { x = f32[] parameter(0), metadata={op_name='x\"y'}, backend_config={\"a\":\"}\\\"}{\", \"b\":{} } }",
       "x = f32[] parameter(0), backend_config={\"a\":\"}\\\"}{\", \"b\":{} }"},
      {"ENTRY e { p = s32[] parameter(0) x=s32[] negate(p) }",
       "t 1:34: \"x=\" is an attribute; an instruction has a space, \"x = ...\""},
      {"ENTRY e { p = s32[] parameter(0) %x=s32[] negate(p) }", "x = s32[] negate(p)"},
      {"ENTRY e { s32 = s32[] parameter(0) }",
       "t 1:11: \"s32\" is an element type and no name of an instruction; \"s32_\" can be one"},
      {"ENTRY e { %pred = pred[] parameter(0) }",
       "t 1:11: \"pred\" is an element type and no name of an instruction; \"pred_\" can be one"},
      {"ENTRY e { %token = token[] after-all() }",
       "t 1:11: \"token\" is an element type and no name of an instruction; \"token_\" can be one"},
      {"ENTRY e { f32.1 = f32[] parameter(0) ROOT tuple = tuple(f32.1) }", "tuple = (f32[]) tuple(f32.1)"},
      {"ENTRY e { b01f = f32[] parameter(0) ROOT inf = negate(b01f) }", "inf = f32[] negate(b01f)"},
      {"ENTRY e { p:q = s32[] parameter(0) }", "t 1:12: expected '='"},
      {"ENTRY e { 1p = s32[] parameter(0) }", "t 1:11: expected an instruction"},
      {"ENTRY e { a = f32[] parameter(0), metadata={op_name=\"x\" }", "t 1:58: expected an instruction before the end of the text"},
  };
  ExpectRows(kRows);
}

TEST(Grammar, Shapes) {
  constexpr GrammarRow kRows[] = {
      {"ENTRY e { a = f32[2,2] {0,1} parameter(0) }", "a = f32[2,2]{0,1} parameter(0)"},
      {"ENTRY e { a = f32 [ 2 , <=3 ] { 1,0 : T( 2 , * ) ( 1 ) S( 3 ) } parameter(0) }",
       "a = f32[2,<=3]{1,0:T(2,*)(1)S(3)} parameter(0)"},
      {"ENTRY e { a = f32[2,2]{1,0:D(D,C+~)L(1)E(0)S(0)M(0)} parameter(0) }", "a = f32[2,2]{1,0} parameter(0)"},
      {"ENTRY e { a = f32[2,2]{1,0:#(u32)*(u64)E(32)} parameter(0) }", "a = f32[2,2]{1,0:#(u32)*(u64)E(32)} parameter(0)"},
      {"ENTRY e (p: f32[2] {0}) -> f32[2] {0} { p = f32[2] parameter(0) ROOT a = negate(f32[2] {0} p) }",
       "a = f32[2]{0} negate(p)"},
      {"ENTRY e { a = (b(f32[2]), s32[]) parameter(0) }", "a = (b(f32[2]{0}), s32[]) parameter(0)"},
      {"ENTRY e { a = f32[2]{0:S(1)T(2)} parameter(0) }", "t 1:28: expected '}'"},
      {"ENTRY e { a = f32[2,3]{1} parameter(0) }", "t 1:23: layout names 1 dimensions but the shape has rank 2"},
      {"ENTRY e { a = f32[]{} parameter(0) }", "t 1:20: expected an operation"},
      {"ENTRY e { a = f32[64]{0:P(f32[8,8])} parameter(0) }", "t 1:25: physical shapes are not supported in array layouts"},
      {"ENTRY e { a = F32[2] parameter(0) }", "t 1:15: unknown element type \"F32\" (did you mean \"s32\"?)"},
      {"ENTRY e { a = token[1] parameter(0) }", "t 1:15: token has no dimensions, got 1"},
      {"ENTRY e { a = b(b(f32[2])) parameter(0) }", "t 1:15: buffer shape must hold one array"},
      {"ENTRY e { a = (f32[2], f32[2],) parameter(0) }", "t 1:31: expected a shape"},
  };
  ExpectRows(kRows);
}

// The head as it is printed, or the first line of the error.
TEST(Grammar, HeadOfAModule) {
  constexpr GrammarRow kRows[] = {
      {"origin_recovery_table={ {\"a\" {0,1}} : {\"b\"}, \"HloModule r\" {} : {} }",
       "origin_recovery_table={ {\"a\" {0,1}} : {\"b\"}, \"HloModule r\" {} : {} }"},
      {"origin_recovery_table={ foo }", "t 1:38: expected '{'"},
      {"origin_recovery_table={ {\"a\"} {\"b\"} }", "t 1:44: expected ':'"},
      {"origin_recovery_table={ {\"a\"} : {\"b\"}, {\"c\"} : {\"d\"} }", "t 1:53: expected a string in quotation marks"},
      {"debug_attributes={ {\"a\"}:({log_mode=1,callback_id=2,partitioned=true,op_id=3}), {\"b\"}:() }",
       "debug_attributes={ {\"a\"}:({log_mode=1,callback_id=2,partitioned=true,op_id=3}), {\"b\"}:() }"},
      {"debug_attributes={ {\"a\"}:({mode=1}) }", "t 1:41: expected one of: log_mode, callback_id, partitioned, op_id, with '='"},
      {"debug_attributes={ {\"a\"}:({op_id=}) }", "t 1:47: expected a value"},
      {"allow_spmd_sharding_propagation_to_output={false,false}", "allow_spmd_sharding_propagation_to_output={false,false}"},
      {"input_output_alias={ {}: (0, {}, foo-alias) }", "t 1:47: expected may-alias or must-alias"},
      {"is_scheduled = true", "t 1:14: expected a header attribute, and '='"},
  };
  for (const GrammarRow& row : kRows) {
    const auto module =
        Parse(StrCat("HloModule m, ", row.text, "\nENTRY e { x = f32[] parameter(0) }"), {.label = "t"});
    if (module.ok()) {
      ExpectStable(**module);
      EXPECT_NE(Print(**module).find(row.expected), std::string::npos) << Print(**module);
    } else {
      EXPECT_EQ(module.status().message().substr(0, module.status().message().find('\n')), row.expected);
    }
  }
}

TEST(Grammar, ComputationsAndSingleInstructions) {
  constexpr GrammarRow kRows[] = {
      {"ROOT %r = f32[4] add(f32[4] %a, f32[4] %b)", "r = f32[4]{0} add(a, b)"},
      {"ROOT f32[4] add(f32[4], f32[4])", "_ = f32[4]{0} add(_0, _1)"},
      {"c = add(f32[4] multiply(f32[4] x, f32[4] y), f32[4] z)", "c = f32[4]{0} add(multiply.anon, z)"},
      {"add(f32[4] multiply(f32[4] x, f32[4] _), f32[4] z)", "_.1 = f32[4]{0} add(multiply.anon, z)"},
      {"f32[4] add(a, b)", "t 1:12: parameter \"a\" needs its shape"},
      {"c = f32[4] negate(f32[4] a) d = f32[4] negate(f32[4] a)", "t 1:29: expected the end of the text after its one instruction"},
      {"ENTRY e { x = f32[2] parameter(0) ROOT y = add(f32[2] constant({1,2}), x) }", "y = f32[2]{0} add(constant.anon, x)"},
      {"ENTRY e { x = f32[2] parameter(0) ROOT c = call(x), to_apply={ ROOT p = f32[2] parameter(0) } }", "c = f32[2]{0} call(x), to_apply=_"},
      {"ENTRY e { x = f32[2] parameter(0) ROOT c = call(x), to_apply={ } }", "t 1:62: \"_\" has no instructions"},
      {"ENTRY e { x = f32[2] parameter(0) ROOT c = call(x), to_apply=(p: f32[2]) -> f32[2] { ROOT p = f32[2] parameter(0) } }", "t 1:62: expected a computation"},
      {"f { ROOT x = f32[2] parameter(0) }, thread=\"t\" ENTRY e { ROOT x = f32[2] parameter(0) }",
       "t 1:37: unknown attribute \"thread\" for a computation (it takes: execution_thread)"},
  };
  ExpectRows(kRows);
}

TEST(Grammar, Literals) {
  constexpr GrammarRow kRows[] = {
      {"ENTRY e { c = f32[4] constant({1 2 /*i=2*/ 5., -.5e3}) }", "c = f32[4]{0} constant({1, 2, 5, -500})"},
      {"ENTRY e { c = f64[2] constant({nan(0x123456789), -nan}) }", "c = f64[2]{0} constant({nan(0x123456789), -nan})"},
      {"ENTRY e { c = pred[2] constant({true, 0}) }", "c = pred[2]{0} constant({1, 0})"},
      {"ENTRY e { c = f32[2] constant({.5, 1}) }", "t 1:32: expected a value of f32"},
      {"ENTRY e { c = f32[1] constant({nan(0x0)}) }", "t 1:32: nan(0x0) is not a value of f32"},
      {"ENTRY e { c = u8[1] constant({-1}) }", "t 1:31: -1 is out of the range of u8"},
      {"ENTRY e { c = s32[1] constant({1.0}) }", "t 1:32: 1.0 is not an integer, as s32 needs"},
      {"ENTRY e { c = f32[2,2] constant({ {...}, {1,2} }) }", "t 1:36: expected a value of f32"},
      {"ENTRY e { c = custom-call() }", "t 1:15: \"custom-call\" needs a shape before it"},
      {"ENTRY e { c = s32[] custom-call(), custom_call_target=\"t\", literal=( s32[] 1, (f32[2,1]{0,1} {{1}, {2}}, pred[] true), () ) }",
       "c = s32[] custom-call(), custom_call_target=\"t\", literal=( s32[] 1, ( f32[2,1]{0,1} { {1}, {2} }, pred[] true ), (  ) )"},
      {"ENTRY e { c = s32[] custom-call(), custom_call_target=\"t\", literal=(s32[], f32[]) (1, 2) }", "t 1:74: expected a value of s32"},
  };
  ExpectRows(kRows);
}

TEST(Grammar, Attributes) {
  constexpr GrammarRow kRows[] = {
      {"ENTRY e { x = f32[2] parameter(0) ROOT d = domain(x), domain={entry={replicated} exit={maximal device=1}, kind=\"sharding\"} }",
       "d = f32[2]{0} domain(x), domain={kind=\"sharding\", entry={replicated}, exit={maximal device=1}}"},
      {"ENTRY e { x = f32[2] parameter(0) ROOT d = domain(x), domain={kind=\"sharding\", entry={replicated}} }", "t 1:98: a domain needs exit=..."},
      {"ENTRY e { x = f32[2] parameter(0) ROOT d = domain(x), domain={kind=\"sharding\", kind=\"sharding\"} }", "t 1:80: second value for \"kind\""},
      {"ENTRY e { x = f32[] parameter(0) ROOT y = negate(x), parameter_replication={true} }", "t 1:54: parameter_replication is for parameters only"},
      {"ENTRY e { x = f32[] parameter(0), origin={[synthetic_call]}, statistics={} }", "x = f32[] parameter(0), origin={[synthetic_call]}"},
      {"ENTRY e { x = (f32[], (f32[], f32[])) parameter(0), origin={({\"x\"}, ({}, {\"z\" {1}}))} }",
       "x = (f32[], (f32[], f32[])) parameter(0), origin={({\"x\"}, ({}, {\"z\" {1}}))}"},
      {"ENTRY e { x = f32[] parameter(0) ROOT y = tanh(x), result_accuracy={tolerance={rtol=0.125}} }",
       "y = f32[] tanh(x), result_accuracy={tolerance={atol=0,rtol=0.125,ulps=0}}"},
      {"ENTRY e { x = f32[] parameter(0) ROOT y = negate(x), result_accuracy={mode=highest} }", "t 1:54: unknown attribute \"result_accuracy\" for \"negate\" (it takes none)"},
      {"ENTRY e { x = f32[] parameter(0) ROOT y = negate(x),, origin={{}} }", "t 1:53: expected an attribute, and '='"},
      {"ENTRY e { x = f32[] parameter(0) ROOT y = negate(x), control-predecessors={y} }", "t 1:76: no instruction \"y\" before this one"},
  };
  ExpectRows(kRows);
}

TEST(Grammar, AsynchronousForms) {
  constexpr GrammarRow kRows[] = {
      {"ENTRY e { x = f32[2] parameter(0) s = ((f32[2]), f32[2]) async-start(x), calls={ p = f32[2] parameter(0) ROOT r = negate(p) } ROOT d = f32[2] async-done(s) }",
       "d = f32[2]{0} negate-done(s)"},
      {"ENTRY e { x = f32[2] parameter(0) s = ((f32[2]), f32[2]) negate-start(x) u = ((f32[2]), f32[2]) negate-update(s, x) ROOT d = f32[2] negate-done(u) }",
       "t 1:97: async-update: calls must be (f32[2], f32[2])->f32[2] but \"async_wrapped\" is (f32[2])->f32[2]; operand ((f32[2]), f32[2]), bound f32[2]"},
      {"g { p = f32[2] parameter(0) q = f32[2] add(p, p) } ENTRY e { x = f32[2] parameter(0) s = ((f32[2]), f32[2]) negate-start(x) u = ((f32[2]), f32[2]) async-update(s), calls=g ROOT d = f32[2] negate-done(u) }",
       "t 1:148: async-update: calls \"g\" but async-start calls \"async_wrapped\"; operand ((f32[2]), f32[2])"},
  };
  ExpectRows(kRows);
}
// clang-format on

}  // namespace
}  // namespace axle
