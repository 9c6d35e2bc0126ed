#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAddDependencyCases, kAfterAllCases, kCopyDoneCases, kCopyStartCases,
    kDomainCases, kOptBarrierCases;

// clang-format off
static const OpCase kAfterAllRows[] = {
    {"no token", {}, "", "token[] token"},
    {"one token", {"token[] token"}, "", "token[] token"},
    {"several tokens", {"token[] token", "token[] token", "token[] token"}, "", "token[] token"},
    {"values", {"token[] token", "f32[2] {1, 2}", "f16[] 3", "(s32[]) (4)"}, "", "token[] token"},
    {"takes no attributes", {"token[]"}, "dimensions={0}", Error("unknown attribute \"dimensions\" for \"after-all\" (it takes none)")},
};
const CaseTable kAfterAllCases = {"after-all", kAfterAllRows, "", /*without_values=*/true};

static const OpCase kAddDependencyRows[] = {
    {"an array", {"f32[2] {1, 2}", "token[] token"}, "", "f32[2] {1, 2}"},
    {"a scalar", {"bf16[] 1.5", "token[] token"}, "", "bf16[] 1.5"},
    {"no elements", {"s4[0] {}", "token[] token"}, "", "s4[0] {}"},
    {"a tuple", {"(f32[], s32[1]) (1, {2})", "token[] token"}, "", "(f32[], s32[1]) (1, {2})"},
    {"a token", {"token[] token", "token[] token"}, "", "token[] token"},
    {"dynamic", {"f32[<=2]", "token[]"}, "", Infers("f32[<=2]")},
    {"not a token", {"f32[2]", "f32[]"}, "", Error("add-dependency: token must be a token; operand f32[2], token f32[]")},
    {"one operand", {"f32[2]"}, "", Error("add-dependency: has 1 operands but takes (operand, token); operand f32[2]")},
};
const CaseTable kAddDependencyCases = {"add-dependency", kAddDependencyRows};

static const OpCase kOptBarrierRows[] = {
    {"an array", {"f32[2] {1, nan}"}, "", "f32[2] {1, nan}"},
    {"a scalar", {"pred[] true"}, "", "pred[] true"},
    {"no elements", {"c64[2,0] {{}, {}}"}, "", "c64[2,0] {{}, {}}"},
    {"a tuple", {"(f32[], (s32[1], token[]), f16[2]) (1, ({2}, token), {3, 4})"}, "", "(f32[], (s32[1], token[]), f16[2]) (1, ({2}, token), {3, 4})"},
    {"the empty tuple", {"() ()"}, "", "() ()"},
    {"dynamic", {"f32[<=2]"}, "", Infers("f32[<=2]")},
    {"one operand", {}, "", Error("opt-barrier: has 0 operands but takes (operand)")},
};
const CaseTable kOptBarrierCases = {"opt-barrier", kOptBarrierRows};

static const OpCase kDomainRows[] = {
    {"an array", {"f32[2] {1, 2}"}, "domain={kind=\"sharding\", entry={maximal device=0}, exit={replicated}}", "f32[2] {1, 2}"},
    {"a scalar", {"s8[] -128"}, "domain={kind=\"sharding\", entry={devices=[2,1]<=[2]}, exit={manual}}", "s8[] -128"},
    {"no elements", {"f64[0] {}"}, "domain={kind=\"sharding\", entry={replicated}, exit={maximal device=3}}", "f64[0] {}"},
    {"a tuple", {"(f32[], s32[1]) (1, {2})"}, "domain={kind=\"sharding\", entry={{replicated}, {manual}}, exit={replicated}}", "(f32[], s32[1]) (1, {2})"},
    {"needs the shardings", {"f32[]"}, "", Error("\"domain\" needs domain=...")},
    {"another kind", {"f32[]"}, "domain={kind=\"other\", entry={replicated}, exit={replicated}}", Error("unknown kind of domain \"other\"; there is: sharding")},
    {"without exit", {"f32[]"}, "domain={kind=\"sharding\", entry={}}", Error("a domain needs exit=...")},
};
const CaseTable kDomainCases = {"domain", kDomainRows};

static const OpCase kCopyStartRows[] = {
    {"an array", {"f32[2] {1, 2}"}, "", "(f32[2], f32[2], u32[]) ({1, 2}, {1, 2}, 0)"},
    {"a scalar", {"s4[] -8"}, "", "(s4[], s4[], u32[]) (-8, -8, 0)"},
    {"no elements", {"f32[0] {}"}, "", "(f32[0], f32[0], u32[]) ({}, {}, 0)"},
    {"prefetch", {"f32[] 1"}, "cross_program_prefetch_index=0", "(f32[], f32[], u32[]) (1, 1, 0)"},
    {"another memory space", {"f32[2]"}, "", Infers("(f32[2]{0:S(1)}, f32[2]{0}, u32[])")},
    {"not an array", {"(f32[])"}, "", Error("copy-start: expected an array, not (f32[]); operand (f32[])")},
};
const CaseTable kCopyStartCases = {"copy-start", kCopyStartRows};

static const OpCase kCopyDoneRows[] = {
    {"an array", {"(f32[2], f32[2], u32[]) ({1, 2}, {1, 2}, 0)"}, "", "f32[2] {1, 2}"},
    {"a scalar", {"(u8[], u8[], u32[]) (255, 255, 0)"}, "", "u8[] 255"},
    {"no elements", {"(f32[0], f32[0], u32[]) ({}, {}, 0)"}, "", "f32[0] {}"},
    {"not a tuple", {"f32[]"}, "", Error("copy-done: operand must be what copy-start gives: (x, x, u32[]); operand f32[]")},
    {"two shapes", {"(f32[], f32[1], u32[])"}, "", Error("copy-done: operand must be what copy-start gives: (x, x, u32[]); operand (f32[], f32[1], u32[])")},
};
const CaseTable kCopyDoneCases = {"copy-done", kCopyDoneRows};
// clang-format on

}  // namespace axle
