#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAsyncDoneCases, kAsyncStartCases, kAsyncUpdateCases;

static constexpr std::string_view kComputations = R"(
negated { x = f32[2] parameter(0)  ROOT r = f32[2] negate(x) }
single { ROOT x = f32[1] parameter(0) }
seven { ROOT c = f32[] constant(7) }
empty { ROOT x = f32[0] parameter(0) }
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
    {"calls what fits", {"f32[2]"}, "calls=horner",
     Error("async-start: calls must be (f32[2])->f32[] but \"horner\" is (f32[], f32[])->f32[]; operand f32[2]", "((f32[2]), f32[])")},
    {"operands, result and contexts", {"f32[2]"}, "calls=negated",
     Error("\"async-start\" has shape ((f32[2]), f32[2]), not f32[2]", "f32[2]")},
    {"the result of the computation", {"f32[2]"}, "calls=negated",
     Error("\"async-start\" has shape ((f32[2]), f32[2]), not ((f32[2]), f32[3])", "((f32[2]), f32[3])")},
    {"V the thread of the computation", {"f32[2]"}, "calls=on_io",
     Error("async-start: async_execution_thread is \"main\" but \"on_io\" runs on \"io\"; operand f32[2]", "((f32[2]), f32[2])")},
    {"V it is the result", {"f32[2]"}, "calls=negated",
     Error("async-start: \"r\" must be read by async-update or async-done, not be the result; operand f32[2]", "((f32[2]), f32[2])")},
    {"V something else reads it", {"f32[2]"}, "",
     Error("async-start: \"s\" must be read by async-update or async-done, not get-tuple-element; operand f32[2]"),
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated ROOT r = f32[2] get-tuple-element(s), index=1"}},
    {"V it is done twice", {"f32[2]"}, "",
     Error("async-start: \"s\" must be read by one async-update or async-done, not by 2 instructions; operand f32[2]"),
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated a = f32[2] async-done(s) ROOT r = f32[2] async-done(s)"}},
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
    {"V nothing was begun", {"((f32[2]), f32[2])"}, "",
     Error("async-update: operand must be async-start or async-update, not parameter; operand ((f32[2]), f32[2])")},
    {"V it goes on in one place", {"f32[2]"}, "",
     Error("async-update: \"u\" must be read by one async-update or async-done, not by 0 instructions; operand ((f32[2]), f32[2])"),
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated u = ((f32[2]), f32[2]) async-update(s) ROOT r = f32[2] negate(p0)"}},
    {"calls what was begun", {"f32[2]"}, "",
     Error("async-update: calls \"other\" but async-start calls \"negated\"; operand ((f32[2]), f32[2])"),
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated u = ((f32[2]), f32[2]) async-update(s), calls=other ROOT r = f32[2] async-done(u)"}},
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
     Error("async-done: operand must be async-start or async-update, not parameter; operand ((f32[2]), f32[2])")},
    {"runs where it was begun", {"f32[2]"}, "",
     Error("async-done: async_execution_thread is \"io\" but that of async-start is \"main\"; operand ((f32[2]), f32[2])"),
     {.body = "s = ((f32[2]), f32[2]) async-start(p0), calls=negated ROOT r = f32[2] async-done(s), async_execution_thread=\"io\""}},
};
const CaseTable kAsyncDoneCases = {"async-done", kDoneRows, kComputations};
// clang-format on

}  // namespace axle
