#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAsyncDoneCases, kAsyncStartCases, kAsyncUpdateCases;

static constexpr std::string_view kComputations = R"(
negated { x = f32[2] parameter(0)  ROOT r = f32[2] negate(x) }
single { ROOT x = f32[1] parameter(0) }
seven { ROOT c = f32[] constant(7) }
empty { ROOT x = f32[0] parameter(0) }
first_of { x = f32[] parameter(0)  y = f32[] parameter(1)  s = f32[] subtract(x, y)  ROOT r = (f32[], f32[]) tuple(s, y) }
on_any { x = f32[2] parameter(0)  y = f32[2] add(x, x)  ROOT r = f32[2] negate(y) }
round { s = (s32[], ((f32[2]), f32[2])) parameter(0)  n = s32[] get-tuple-element(s), index=0
  at = ((f32[2]), f32[2]) get-tuple-element(s), index=1  one = s32[] constant(1)  m = s32[] add(n, one)
  d = f32[2] async-done(at), calls=negated  e = f32[2] add(d, d)  next = ((f32[2]), f32[2]) async-start(e), calls=negated
  ROOT r = (s32[], ((f32[2]), f32[2])) tuple(m, next) }
late_round { s = (s32[], f32[2], ((), (), u32[])) parameter(0)  n = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1  at = ((), (), u32[]) get-tuple-element(s), index=2
  one = s32[] constant(1)  m = s32[] add(n, one)  u = ((f32[2]), f32[2], u32[]) async-update(at, x), calls=negated
  d = f32[2] async-done(u)  e = f32[2] add(d, d)  next = ((), (), u32[]) async-start(), calls=negated
  ROOT r = (s32[], f32[2], ((), (), u32[])) tuple(m, e, next) }
thrice { s = (s32[], ((f32[2]), f32[2])) parameter(0)  n = s32[] get-tuple-element(s), index=0
  three = s32[] constant(3)  ROOT r = pred[] compare(n, three), direction=LT }
late_thrice { s = (s32[], f32[2], ((), (), u32[])) parameter(0)  n = s32[] get-tuple-element(s), index=0
  three = s32[] constant(3)  ROOT r = pred[] compare(n, three), direction=LT }
hands_on { ROOT s = ((f32[2]), f32[2]) parameter(0) }
on_io { x = f32[2] parameter(0)  y = f32[2] add(x, x)  ROOT r = f32[2] negate(y) }, execution_thread="io"
)";

// clang-format off
static const OpCase kStartRows[] = {
    {"begun and done", {"f32[] 3", "f32[] 4"}, "", "f32[] 34",
     {.body = "s = ((f32[], f32[]), f32[]) async-start(p0, p1), calls=horner ROOT r = f32[] async-done(s)"}},
    {"with contexts", {"f32[2] {1, -0.0}"}, "", "f32[2] {-1, 0}",
     {.body = "s = ((f32[2]), f32[2], u32[], s32[2]) async-start(p0), calls=negated ROOT r = f32[2] async-done(s)"}},
    {"without operands", {}, "", "f32[] 7",
     {.body = "s = ((), f32[]) async-start(), calls=seven ROOT r = f32[] async-done(s)"}},
    {"on another thread", {"f32[2] {1, 3}"}, "", "f32[2] {-2, -6}",
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), async_execution_thread=\"io\", calls=on_io ROOT r = f32[2] async-done(s)"}},
    {"no elements", {"f32[0] {}"}, "", "f32[0] {}",
     {.body = "s = ((f32[0]), f32[0]) async-start(p0), calls=empty ROOT r = f32[0] async-done(s)"}},
    {"binds some operands", {"f32[] 3", "f32[] 4"}, "", "f32[] 34",
     {.body = "s = ((f32[]), f32[]) async-start(p0), calls=horner u = ((f32[], f32[]), f32[]) async-update(s, p1) ROOT r = f32[] async-done(u)"}},
    {"binds no operands, says no result", {"f32[] 3", "f32[] 4"}, "", "f32[] 34",
     {.body = "s = ((), (), s32[]) async-start(), calls=horner u = ((f32[], f32[]), (), ()) async-update(s, p0, p1) ROOT r = f32[] async-done(u)"}},
    {"a thread for a computation without one", {"f32[2] {1, 3}"}, "", "f32[2] {-2, -6}",
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), async_execution_thread=\"x\", calls=on_any ROOT r = f32[2] async-done(s)"}},
    {"with aliasing", {"f32[2] {1, 3}"}, "", "f32[2] {-1, -3}",
     {.body = "s = ((f32[2]), (), s32[]) async-start(p0), calls=negated, output_to_operand_aliasing={{0,0}: (0, {}), {1}: (0, {})} ROOT r = f32[2] async-done(s)"}},
    {"the state in tuples, copies and branches", {"f32[2] {1, 3}", "pred[] true"}, "", "f32[2] {-1, -3}",
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated b = ((f32[2]), f32[2]) opt-barrier(s) "
              "t = (((f32[2]), f32[2])) tuple(b) g = ((f32[2]), f32[2]) get-tuple-element(t), index=0 c = ((f32[2]), f32[2]) copy(g) "
              "x = ((f32[2]), f32[2]) conditional(p1, c, c), branch_computations={hands_on, hands_on} "
              "y = ((f32[2]), f32[2]) call(x), to_apply=hands_on ROOT r = f32[2] async-done(y)"}},
    {"the state in a loop", {"f32[2] {1, 3}"}, "", "f32[2] {8, 24}",
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated n = s32[] constant(0) t = (s32[], ((f32[2]), f32[2])) tuple(n, s) "
              "w = (s32[], ((f32[2]), f32[2])) while(t), condition=thrice, body=round "
              "g = ((f32[2]), f32[2]) get-tuple-element(w), index=1 ROOT r = f32[2] async-done(g)"}},
    {"nothing bound yet in a loop", {"f32[2] {1, 3}"}, "", "f32[2] {-8, -24}",
     {.body = "s = ((), (), u32[]) async-start(), calls=negated n = s32[] constant(0) t = (s32[], f32[2], ((), (), u32[])) tuple(n, p0, s) "
              "w = (s32[], f32[2], ((), (), u32[])) while(t), condition=late_thrice, body=late_round "
              "ROOT r = f32[2] get-tuple-element(w), index=1"}},
    {"its result may be read", {"f32[2] {1, 3}"}, "", "f32[2] {-1, -3}",
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated ROOT r = f32[2] get-tuple-element(s), index=1"}},
    {"it may be the result", {"f32[2] {1, 3}"}, "", "((f32[2]), f32[2]) (({1, 3}), {-1, -3})",
     {.body = "ROOT s = ((f32[2]), f32[2]) async-start(p0), calls=negated"}},
    {"V not all is bound", {"f32[]"}, "", Error("async-done: the chain binds 1 of the 2 parameters of \"horner\"; async-start or async-update bind the others; operand ((f32[]), f32[])"),
     {.body = "s = ((f32[]), f32[]) async-start(p0), calls=horner ROOT r = f32[] async-done(s)"}},
    {"too much is bound", {"f32[2]"}, "", Error("async-update: calls must be (f32[2], f32[2])->f32[2] but \"negated\" is (f32[2])->f32[2]; operand ((f32[2]), f32[2]), bound f32[2]"),
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated u = ((f32[2], f32[2]), f32[2]) async-update(s, p0) ROOT r = f32[2] async-done(u)"}},
    {"aliasing of another shape", {"f32[2]"}, "", Error("async-start: output_to_operand_aliasing puts s32[] at {2} in the place of f32[2]; operand f32[2]"),
     {.body = "s = ((f32[2]), f32[2], s32[]) async-start(p0), calls=negated, output_to_operand_aliasing={{2}: (0, {})} ROOT r = f32[2] async-done(s)"}},
    {"calls what fits", {"f32[2]"}, "calls=horner",
     Error("async-start: calls must be (f32[2])->f32[] but \"horner\" is (f32[], f32[])->f32[]; operand f32[2]", "((f32[2]), f32[])")},
    {"operands, result and contexts", {"f32[2]"}, "calls=negated",
     Error("\"async-start\" has shape ((f32[2]), f32[2]), not f32[2]", "f32[2]")},
    {"the result of the computation", {"f32[2]"}, "calls=negated",
     Error("\"async-start\" has shape ((f32[2]), f32[2]), not ((f32[2]), f32[3])", "((f32[2]), f32[3])")},
    {"V the thread of the computation", {"f32[2]"}, "calls=on_io",
     Error("async-start: async_execution_thread is \"main\" but \"on_io\" runs on \"io\"; operand f32[2]", "((f32[2]), f32[2])")},
    {"V something else reads it", {"f32[2]"}, "",
     Error("async-start: \"s\" must be read by async-update or async-done, as operand 0, or by what hands it on, not by after-all; operand f32[2]"),
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated ROOT r = token[] after-all(s)"}},
    {"needs a computation", {"f32[2]"}, "", Error("\"async-start\" needs calls=...", "((f32[2]), f32[2])")},
};
const CaseTable kAsyncStartCases = {"async-start", kStartRows, kComputations};

static const OpCase kUpdateRows[] = {
    {"goes on", {"f32[2] {1, 2}"}, "", "f32[2] {-1, -2}",
     {.body = "s = ((f32[2]), f32[2], u32[]) async-start(p0), calls=negated u = ((f32[2]), f32[2], u32[]) async-update(s) "
              "v = ((f32[2]), f32[2], u32[]) async-update(u), calls=%negated ROOT r = f32[2] async-done(v)"}},
    {"no elements", {"f32[0] {}"}, "", "f32[0] {}",
     {.body = "s = ((f32[0]), f32[0]) async-start(p0), calls=empty u = ((f32[0]), f32[0]) async-update(s) ROOT r = f32[0] async-done(u)"}},
    {"one element", {"f32[1] {5}"}, "", "f32[1] {5}",
     {.body = "s = ((f32[1]), f32[1]) async-start(p0), calls=single u = ((f32[1]), f32[1]) async-update(s) ROOT r = f32[1] async-done(u)"}},
    {"binds operands one by one", {"f32[] 3", "f32[] 4"}, "", "(f32[], f32[]) (-1, 4)",
     {.body = "s = ((), (), s32[]) async-start(), calls=first_of u = ((f32[]), (f32[]), s32[2]) async-update(s, p0) "
              "v = ((f32[], f32[]), (f32[], f32[])) async-update(u, p1) ROOT r = (f32[], f32[]) async-done(v)"}},
    {"other contexts, aliased", {"f32[2] {1, 2}"}, "", "f32[2] {-1, -2}",
     {.body = "s = ((f32[2]), f32[2], (s32[], s32[4])) async-start(p0), calls=negated "
              "u = ((f32[2]), f32[2], (s32[8], s32[])) async-update(s), output_to_operand_aliasing={{2,1}: (0, {2,0})} ROOT r = f32[2] async-done(u)"}},
    {"V nothing was begun", {"((f32[2]), f32[2])"}, "",
     Error("async-update: operand must come from async-start or async-update, not from parameter; operand ((f32[2]), f32[2])", "((f32[2]), f32[2])")},
    {"the result does not shrink", {"f32[2]"}, "", Error("\"async-update\" has shape ((f32[2]), f32[2]), not ((f32[2]), ())"),
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated u = ((f32[2]), ()) async-update(s) ROOT r = f32[2] async-done(u)"}},
    {"states what it binds", {"f32[] 1"}, "", Error("\"async-update\" has shape ((f32[], f32[]), f32[]), not ((f32[]), f32[])"),
     {.body = "s = ((f32[]), f32[]) async-start(p0), calls=horner u = ((f32[]), f32[]) async-update(s, p0) ROOT r = f32[] async-done(u)"}},
    {"aliases contexts only", {"f32[2]"}, "", Error("async-update: output_to_operand_aliasing of async-update is of contexts, {2} and so on, of the result and of operand 0; operand ((f32[2]), f32[2])"),
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated u = ((f32[2]), f32[2]) async-update(s), output_to_operand_aliasing={{1}: (0, {1})} ROOT r = f32[2] async-done(u)"}},
    {"calls what was begun", {"f32[2]"}, "",
     Error("async-update: calls \"on_any\" but async-start calls \"negated\"; operand ((f32[2]), f32[2])"),
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated u = ((f32[2]), f32[2]) async-update(s), calls=on_any ROOT r = f32[2] async-done(u)"}},
};
const CaseTable kAsyncUpdateCases = {"async-update", kUpdateRows, kComputations};

static const OpCase kDoneRows[] = {
    {"result, said again", {"f32[2] {1, 2}"}, "", "f32[2] {-2, -4}",
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), async_execution_thread=\"io\", calls=on_io "
              "ROOT r = f32[2] async-done(s), async_execution_thread=\"io\", calls=on_io"}},
    {"one element", {"f32[1] {5}"}, "", "f32[1] {5}",
     {.body = "s = ((f32[1]), f32[1]) async-start(p0), calls=single ROOT r = f32[1] async-done(s)"}},
    {"no elements", {"f32[0] {}"}, "", "f32[0] {}",
     {.body = "s = ((f32[0]), f32[0]) async-start(p0), calls=empty ROOT r = f32[0] async-done(s)"}},
    {"V nothing was begun", {"((f32[2]), f32[2])"}, "",
     Error("async-done: operand must come from async-start or async-update, not from parameter; operand ((f32[2]), f32[2])")},
    {"it may be done twice", {"f32[2] {1, 2}"}, "", "(f32[2], f32[2]) ({-1, -2}, {-1, -2})",
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated a = f32[2] async-done(s) b = f32[2] async-done(s) ROOT r = (f32[2], f32[2]) tuple(a, b)"}},
    {"runs where it was begun", {"f32[2]"}, "",
     Error("async-done: async_execution_thread is \"io\" but that of async-start is \"main\"; operand ((f32[2]), f32[2])"),
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated ROOT r = f32[2] async-done(s), async_execution_thread=\"io\""}},
};
const CaseTable kAsyncDoneCases = {"async-done", kDoneRows, kComputations};
// clang-format on

}  // namespace axle
