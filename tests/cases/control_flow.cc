#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kCallCases, kConditionalCases, kFusionCases, kMapCases, kWhileCases;

constexpr char kComputations[] = R"(
seven { ROOT r = s32[] constant(7) }
twice { p = f32[2] parameter(0)  ROOT r = f32[2] add(p, p) }
empty { p = f32[0] parameter(0)  ROOT r = f32[0] negate(p) }
swap { p = (f32[], s32[1]) parameter(0)  a = f32[] get-tuple-element(p), index=0
  b = s32[1] get-tuple-element(p), index=1  ROOT r = (s32[1], f32[]) tuple(b, a) }
negated { p = f32[] parameter(0)  ROOT r = f32[] negate(p) }
shifted { p = f32[] parameter(0)  one = f32[] constant(1)  ROOT r = f32[] add(p, one) }
halved { p = f32[] parameter(0)  half = f32[] constant(0.5)  ROOT r = f32[] multiply(p, half) }
length { p = f32[2] parameter(0)  ROOT r = f32[] constant(2) }
as_s32 { p = f32[] parameter(0)  ROOT r = s32[] convert(p) }
static3 { p = f32[3] parameter(0)  ROOT r = f32[3] negate(p) }
dynamic3 { p = f32[<=3] parameter(0)  ROOT r = f32[<=3] negate(p) }
pair { p = f32[] parameter(0)  ROOT r = (f32[], f32[]) tuple(p, p) }
through_array { p = f32[] parameter(0)  a = f32[2] broadcast(p), dimensions={}  zero = f32[] constant(0)
  ROOT r = f32[] reduce(a, zero), dimensions={0}, to_apply=sum }
counts { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  four = s32[] constant(4)  ROOT r = pred[] compare(i, four), direction=LT }
fills { s = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  a = f32[4] get-tuple-element(s), index=1  f = f32[] convert(i)  u = f32[1] reshape(f)
  b = f32[4] dynamic-update-slice(a, u, i)  one = s32[] constant(1)  j = s32[] add(i, one)
  ROOT r = (s32[], f32[4]) tuple(j, b) }
below_1000 { s = (s32[], f32[10]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(1000)  ROOT r = pred[] compare(i, n), direction=LT }
accumulates { s = (s32[], f32[10]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  a = f32[10] get-tuple-element(s), index=1  two = f32[] constant(2)
  twos = f32[10] broadcast(two), dimensions={}  b = f32[10] add(a, twos)
  one = s32[] constant(1)  j = s32[] add(i, one)  ROOT r = (s32[], f32[10]) tuple(j, b) }
never_empty { p = f32[0] parameter(0)  ROOT r = pred[] constant(false) }
nested { p = s32[] parameter(0)  a = s32[] while(p), condition=below_100, body=double
  ROOT r = s32[] call(a), to_apply=double }
)";

// clang-format off
static const OpCase kCallRows[] = {
    {"calls", {"f32[] 3", "f32[] 4"}, "to_apply=horner", "f32[] 34"},
    {"without arguments", {}, "to_apply=seven", "s32[] 7"},
    {"arrays", {"f32[2] {1, 2}"}, "to_apply=twice", "f32[2] {2, 4}"},
    {"no elements", {"f32[0] {}"}, "to_apply=empty", "f32[0] {}"},
    {"tuples", {"(f32[], s32[1]) (1, {2})"}, "to_apply=swap", "(s32[1], f32[]) ({2}, 1)"},
    {"composite", {"f32[] 3"}, "is_composite=true, to_apply=negated", "f32[] -3"},
    {"calls of calls", {"s32[] 3"}, "to_apply=nested", "s32[] 384"},
    {"number of arguments", {"f32[]"}, "to_apply=horner",
     Error("call: to_apply must be (f32[])->f32[] but \"horner\" is (f32[], f32[])->f32[]; operand f32[]")},
    {"types agree", {"s32[]", "f32[]"}, "to_apply=horner",
     Error("call: to_apply must be (s32[], f32[])->f32[] but \"horner\" is (f32[], f32[])->f32[]; operand.0 s32[], operand.1 f32[]")},
    {"needs a computation", {"f32[]"}, "", Error("\"call\" needs to_apply=...")},
};
const CaseTable kCallCases = {"call", kCallRows, kComputations};

static const OpCase kFusionRows[] = {
    {"calls", {"f32[] 3", "f32[] 4"}, "kind=kLoop, calls=horner", "f32[] 34"},
    {"other kinds", {"f32[2] {1, 2}"}, "kind=kOutput, calls=twice", "f32[2] {2, 4}"},
    {"with aliasing", {"f32[2] {1, 2}"}, "kind=kInput, output_to_operand_aliasing={{}: (0, {})}, calls=twice", "f32[2] {2, 4}"},
    {"no elements", {"f32[0] {}"}, "kind=kCustom, calls=empty", "f32[0] {}"},
    {"one element", {"(f32[], s32[1]) (1, {2})"}, "kind=kLoop, calls=swap", "(s32[1], f32[]) ({2}, 1)"},
    {"aliasing of operands", {"f32[]"}, "kind=kLoop, output_to_operand_aliasing={{}: (1, {})}, calls=negated",
     Error("fusion: output_to_operand_aliasing names operand 1 but there are 1; operand f32[]")},
    {"aliasing of another shape", {"f32[2]"}, "kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, calls=length",
     Error("fusion: output_to_operand_aliasing puts f32[] at {} in the place of f32[2]; operand f32[2]")},
    {"operands that nobody reads", {"f32[] 3", "f32[] 4", "s32[2] {1, 2}"}, "kind=kInput, calls=horner", "f32[] 34"},
    {"too few operands", {"f32[]"}, "kind=kInput, calls=horner",
     Error("fusion: calls must be (f32[])->f32[] but \"horner\" is (f32[], f32[])->f32[]; operand f32[]")},
    {"needs a kind", {"f32[]"}, "calls=negated", Error("\"fusion\" needs kind=...")},
    {"unknown kind", {"f32[]"}, "kind=kFast, calls=negated",
     Error("unknown fusion kind \"kFast\"; it is one of: kLoop, kInput, kOutput, kCustom")},
    {"types agree", {"s32[]"}, "kind=kLoop, calls=negated",
     Error("fusion: calls must be (s32[])->f32[] but \"negated\" is (f32[])->f32[]; operand s32[]")},
};
const CaseTable kFusionCases = {"fusion", kFusionRows, kComputations};

static const OpCase kWhileRows[] = {
    {"loops", {"s32[] 3"}, "condition=below_100, body=double", "s32[] 192"},
    {"may not loop at all", {"s32[] 100"}, "condition=below_100, body=double", "s32[] 100"},
    {"updates its state in place", {"(s32[], f32[4]) (0, {9, 9, 9, 9})"}, "condition=counts, body=fills", "(s32[], f32[4]) (4, {0, 1, 2, 3})"},
    {"seed example", {"(s32[], f32[10]) (0, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0})"}, "condition=below_1000, body=accumulates",
     "(s32[], f32[10]) (1000, {2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000})", {.degenerate = true}},
    {"no elements", {"f32[0] {}"}, "condition=never_empty, body=empty", "f32[0] {}"},
    {"condition gives pred", {"s32[]"}, "condition=double, body=double",
     Error("while: condition must be (s32[])->pred[] but \"double\" is (s32[])->s32[]; init s32[]")},
    {"condition takes the state", {"f32[]"}, "condition=below_100, body=negated",
     Error("while: condition must be (f32[])->pred[] but \"below_100\" is (s32[])->pred[]; init f32[]")},
    {"body has one parameter", {"s32[]"}, "condition=below_100, body=sum_s32",
     Error("while: body must be (s32[])->s32[] but \"sum_s32\" is (s32[], s32[])->s32[]; init s32[]")},
    {"body gives the state", {"s32[]"}, "condition=below_100, body=below_100",
     Error("while: body must be (s32[])->s32[] but \"below_100\" is (s32[])->pred[]; init s32[]")},
    {"needs a body", {"s32[]"}, "condition=below_100", Error("\"while\" needs body=...")},
};
const CaseTable kWhileCases = {"while", kWhileRows, kComputations};

static const OpCase kConditionalRows[] = {
    {"at run-time sizes", {"pred[] 0", "f32[3] {1, 2, 3}", "f32[<=3](2) {4, 5}"}, "true_computation=static3, false_computation=dynamic3", "f32[<=3](2) {-4, -5}"},
    {"true", {"pred[] 1", "f32[] 3", "f32[] 5"}, "true_computation=negated, false_computation=shifted", "f32[] -3"},
    {"false", {"pred[] 0", "f32[] 3", "f32[] 5"}, "true_computation=negated, false_computation=shifted", "f32[] 6"},
    {"operands of their own types", {"pred[] 0", "f32[] 3", "f32[2] {1, 2}"}, "true_computation=negated, false_computation=length", "f32[] 2"},
    {"first branch", {"s32[] 0", "f32[] 1", "f32[] 2", "f32[] 3"}, "branch_computations={negated, shifted, halved}", "f32[] -1"},
    {"last branch", {"s32[] 2", "f32[] 1", "f32[] 2", "f32[] 3"}, "branch_computations={negated, shifted, halved}", "f32[] 1.5"},
    {"N12 too large: the last branch", {"s32[] 2147483647", "f32[] 1", "f32[] 2"}, "branch_computations={negated, shifted}", "f32[] 3"},
    {"N12 negative: the last branch", {"s32[] -2147483648", "f32[] 1", "f32[] 2"}, "branch_computations={negated, shifted}", "f32[] 3"},
    {"one branch", {"s32[] 5", "f32[] 1"}, "branch_computations={negated}", "f32[] -1"},
    {"no elements", {"pred[] 1", "f32[0] {}", "f32[0] {}"}, "true_computation=empty, false_computation=empty", "f32[0] {}"},
    {"dynamic where a branch is", {"pred[]", "f32[3]", "f32[<=3]"}, "true_computation=static3, false_computation=dynamic3", Infers("f32[<=3]")},
    {"index is a scalar", {"pred[2]", "f32[]", "f32[]"}, "true_computation=negated, false_computation=shifted",
     Error("conditional: branch_index must be pred[] or s32[]; branch_index pred[2], branch_operand.0 f32[], branch_operand.1 f32[]")},
    {"index is s32", {"s64[]", "f32[]", "f32[]"}, "branch_computations={negated, shifted}",
     Error("conditional: branch_index must be pred[] or s32[]; branch_index s64[], branch_operand.0 f32[], branch_operand.1 f32[]")},
    {"one operand per branch", {"s32[]", "f32[]"}, "branch_computations={negated, shifted}",
     Error("conditional: has 2 branches but 1 branch operands; branch_index s32[], branch_operand f32[]")},
    {"branches have one parameter", {"pred[]", "f32[]", "f32[]"}, "true_computation=negated, false_computation=sum",
     Error("conditional: false_computation must be (f32[])->f32[] but \"sum\" is (f32[], f32[])->f32[]; branch_index pred[], branch_operand.0 f32[], branch_operand.1 f32[]")},
    {"branches take their operands", {"s32[]", "f32[]", "s32[]"}, "branch_computations={negated, shifted}",
     Error("conditional: branch_computations 1 must be (s32[])->f32[] but \"shifted\" is (f32[])->f32[]; branch_index s32[], branch_operand.0 f32[], branch_operand.1 s32[]")},
    {"branches give one shape", {"s32[]", "f32[]", "s32[]"}, "branch_computations={negated, double}",
     Error("conditional: branch_computations 1 must be (s32[])->f32[] but \"double\" is (s32[])->s32[]; branch_index s32[], branch_operand.0 f32[], branch_operand.1 s32[]")},
};
const CaseTable kConditionalCases = {"conditional", kConditionalRows, kComputations};

static const OpCase kMapRows[] = {
    {"at run-time sizes", {"s32[<=3](2) {1, 2}", "s32[3] {3, 4, 5}"}, "dimensions={0}, to_apply=sum_s32", "s32[<=3](2) {4, 6}"},
    {"two operands", {"f32[2] {1, 2}", "f32[2] {3, 4}"}, "dimensions={0}, to_apply=horner", "f32[2] {13, 24}"},
    {"matrix", {"f32[2,2] {{1, 2}, {3, 4}}"}, "dimensions={0,1}, to_apply=negated", "f32[2,2] {{-1, -2}, {-3, -4}}"},
    {"dimensions may be left out", {"f32[2] {1, 2}"}, "to_apply=shifted", "f32[2] {2, 3}"},
    {"scalar", {"f32[] 3"}, "dimensions={}, to_apply=halved", "f32[] 1.5"},
    {"one element", {"f32[1] {nan}"}, "dimensions={0}, to_apply=negated", "f32[1] {nan}"},
    {"no elements", {"f32[0] {}"}, "dimensions={0}, to_apply=negated", "f32[0] {}"},
    {"another result type", {"f32[3] {1.5, -2.5, inf}"}, "dimensions={0}, to_apply=as_s32", "s32[3] {1, -2, 2147483647}"},
    {"bf16", {"bf16[2] {256, 1}", "bf16[2] {1, 1}"}, "dimensions={0}, to_apply=sum_bf16", "bf16[2] {256, 2}"},
    {"not only scalar arithmetic", {"f32[3] {1, 2, -inf}"}, "dimensions={0}, to_apply=through_array", "f32[3] {2, 4, -inf}"},
    {"at least one operand", {}, "dimensions={}, to_apply=seven", Error("map: needs at least one operand")},
    {"dimensions agree", {"f32[2]", "f32[3]"}, "dimensions={0}, to_apply=sum",
     Error("map: operands must have the same dimensions; operand.0 f32[2], operand.1 f32[3]")},
    {"all dimensions in order", {"f32[2,3]"}, "dimensions={1,0}, to_apply=negated",
     Error("map: dimensions is {1,0}, must be {0,1}; operand f32[2,3]")},
    {"gives scalars", {"f32[2]"}, "dimensions={0}, to_apply=pair",
     Error("map: to_apply must give a scalar, not (f32[], f32[]); operand f32[2]")},
    {"number of operands", {"f32[2]", "f32[2]"}, "dimensions={0}, to_apply=negated",
     Error("map: to_apply must be (f32[], f32[])->f32[] but \"negated\" is (f32[])->f32[]; operand.0 f32[2], operand.1 f32[2]")},
    {"element types agree", {"s32[2]"}, "dimensions={0}, to_apply=negated",
     Error("map: to_apply must be (s32[])->f32[] but \"negated\" is (f32[])->f32[]; operand s32[2]")},
};
const CaseTable kMapCases = {"map", kMapRows, kComputations};
// clang-format on

}  // namespace axle
