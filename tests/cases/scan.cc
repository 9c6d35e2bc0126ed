#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kScanCases;

static constexpr std::string_view kComputations = R"(
doubled { x = s32[] parameter(0)  ROOT r = s32[] add(x, x) }
doubled_in_tuple { x = s32[] parameter(0)  s = s32[] add(x, x)  ROOT r = (s32[]) tuple(s) }
running_sum { x = f32[] parameter(0)  c = f32[] parameter(1)
  s = f32[] add(x, c)  ROOT r = (f32[], f32[]) tuple(s, s) }
running_sum_bf16 { x = bf16[] parameter(0)  c = bf16[] parameter(1)
  s = bf16[] add(x, c)  ROOT r = (bf16[], bf16[]) tuple(s, s) }
negated_sum_bf16 { x = bf16[] parameter(0)  c = bf16[] parameter(1)
  s = bf16[] add(x, c)  n = bf16[] negate(s)  ROOT r = (bf16[], bf16[]) tuple(n, s) }
running_horner { x = s32[] parameter(0)  c = s32[] parameter(1)  ten = s32[] constant(10)
  scaled = s32[] multiply(c, ten)  s = s32[] add(scaled, x)  ROOT r = (s32[], s32[]) tuple(c, s) }
rows { x = f32[2] parameter(0)  c = f32[2] parameter(1)
  s = f32[2] add(x, c)  ROOT r = (f32[2], f32[2]) tuple(s, s) }
two { x = s32[] parameter(0)  y = f32[2] parameter(1)  n = s32[] parameter(2)  m = f32[] parameter(3)
  one = s32[] constant(1)  next = s32[] add(n, one)  xn = s32[] add(x, n)
  mb = f32[2] broadcast(m), dimensions={}  ym = f32[2] add(y, mb)
  ROOT r = (f32[2], s32[], s32[], f32[]) tuple(ym, xn, next, m) }
carry_only { x = s32[] parameter(0)  c = s32[] parameter(1)
  s = s32[] add(x, c)  ROOT r = (s32[]) tuple(s) }
output_only { x = f32[] parameter(0)  y = f32[] negate(x)  ROOT r = (f32[]) tuple(y) }
counter { c = s32[] parameter(0)  one = s32[] constant(1)
  n = s32[] add(c, one)  ROOT r = (s32[], s32[]) tuple(c, n) }
lone_counter { c = s32[] parameter(0)  one = s32[] constant(1)
  n = s32[] add(c, one)  ROOT r = (s32[]) tuple(n) }
dynamic_rows { x = f32[<=3] parameter(0)  c = f32[<=3] parameter(1)
  s = f32[<=3] add(x, c)  ROOT r = (f32[<=3], f32[<=3]) tuple(s, s) }
sums { x = s32[] parameter(0)  y = s32[] parameter(1)  s = s32[] add(x, y)  ROOT r = (s32[]) tuple(s) }
no_tuple { x = f32[] parameter(0)  c = f32[] parameter(1)  ROOT s = f32[] add(x, c) }
)";

// clang-format off
static const OpCase kRows[] = {
    {"outputs and the last carry", {"f32[4] {1, 2, 3, 4}", "f32[] 10"}, "dimensions={0}, num_carries=1, to_apply=running_sum",
     "(f32[4], f32[]) ({11, 13, 16, 20}, 20)"},
    {"in reverse, outputs stay with their inputs", {"f32[4] {1, 2, 3, 4}", "f32[] 10"}, "dimensions={0}, num_carries=1, is_reverse=true, to_apply=running_sum",
     "(f32[4], f32[]) ({20, 19, 17, 14}, 20)"},
    {"step by step", {"s32[3] {1, 2, 3}", "s32[] 0"}, "dimensions={0}, num_carries=1, to_apply=running_horner", "(s32[3], s32[]) ({0, 1, 12}, 123)"},
    {"associativity changes nothing", {"s32[3] {1, 2, 3}", "s32[] 0"}, "dimensions={0}, num_carries=1, is_associative=true, to_apply=running_horner",
     "(s32[3], s32[]) ({0, 1, 12}, 123)"},
    {"nor that there is none", {"s32[3] {1, 2, 3}", "s32[] 0"}, "dimensions={0}, num_carries=1, is_reverse=true, is_associative=false, to_apply=running_horner",
     "(s32[3], s32[]) ({32, 3, 0}, 321)"},
    {"N8: running sums of bf16 are rounded once", {"bf16[3] {1, 1, 1}", "bf16[] 256"}, "dimensions={0}, num_carries=1, to_apply=running_sum_bf16",
     "(bf16[3], bf16[]) ({256, 258, 260}, 260)"},
    {"N8: a carry that is used besides is a value of the program", {"bf16[3] {1, 1, 1}", "bf16[] 256"}, "dimensions={0}, num_carries=1, to_apply=negated_sum_bf16",
     "(bf16[3], bf16[]) ({-256, -256, -256}, 256)"},
    {"along rows", {"f32[3,2] {{1, 2}, {3, 4}, {5, 6}}", "f32[2] {0, 10}"}, "dimensions={0}, num_carries=1, to_apply=rows",
     "(f32[3,2], f32[2]) ({{1, 12}, {4, 16}, {9, 22}}, {9, 22})"},
    {"along columns", {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}", "f32[2] {0, 10}"}, "dimensions={1}, num_carries=1, to_apply=rows",
     "(f32[2,3], f32[2]) ({{1, 3, 6}, {14, 19, 25}}, {6, 25})"},
    {"several inputs, outputs and carries", {"s32[2] {1, 2}", "f32[2,2] {{1, 2}, {3, 4}}", "s32[] 5", "f32[] 0.5"}, "dimensions={0}, num_carries=2, to_apply=two",
     "(f32[2,2], s32[2], s32[], f32[]) ({{1.5, 2.5}, {3.5, 4.5}}, {6, 8}, 7, 0.5)"},
    {"carries only", {"s32[3] {1, 2, 3}", "s32[] 10"}, "dimensions={0}, num_carries=1, to_apply=carry_only", "(s32[]) (16)"},
    {"outputs only", {"f32[3] {1, -0.0, nan}"}, "dimensions={0}, num_carries=0, to_apply=output_only", "(f32[3]) ({-1, 0, nan})"},
    {"without inputs", {"s32[] 5"}, "dimensions={0}, num_carries=1, to_apply=counter", "(s32[3], s32[]) ({5, 6, 7}, 8)"},
    {"one step", {"f32[1] {1}", "f32[] 2"}, "dimensions={0}, num_carries=1, to_apply=running_sum", "(f32[1], f32[]) ({3}, 3)"},
    {"no step", {"f32[0] {}", "f32[] 2"}, "dimensions={0}, num_carries=1, to_apply=running_sum", "(f32[0], f32[]) ({}, 2)"},
    {"at run-time sizes", {"f32[<=4](3) {1, 2, 3}", "f32[] 10"}, "", "f32[<=4](3) {11, 13, 16}",
     {.body = "s = (f32[<=4], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=running_sum ROOT r = f32[<=4] get-tuple-element(s), index=0"}},
    {"in reverse at run-time sizes", {"f32[<=4](3) {1, 2, 3}", "f32[] 10"}, "", "f32[<=4](3) {16, 15, 13}",
     {.body = "s = (f32[<=4], f32[]) scan(p0, p1), dimensions={0}, num_carries=1, is_reverse=true, to_apply=running_sum ROOT r = f32[<=4] get-tuple-element(s), index=0"}},
    {"the last carry of run-time sizes", {"s32[<=4](2) {1, 2}", "s32[] 10"}, "dimensions={0}, num_carries=1, to_apply=carry_only", "(s32[]) (13)"},
    {"slices of run-time sizes", {"f32[2,<=3](2,2) {{1, 2}, {4, 5}}", "f32[<=3](2) {0, 10}"}, "", "f32[2,<=3](2,2) {{1, 12}, {5, 17}}",
     {.body = "s = (f32[2,<=3], f32[<=3]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=dynamic_rows ROOT r = f32[2,<=3] get-tuple-element(s), index=0"}},
    {"a static input is cut to the steps", {"s32[<=3](2) {1, 2}", "s32[3] {10, 20, 30}"}, "", "s32[<=3](2) {11, 22}",
     {.body = "s = (s32[<=3]) scan(p0, p1), dimensions={0}, num_carries=0, to_apply=sums ROOT r = s32[<=3] get-tuple-element(s), index=0"}},
    {"dynamic steps", {"f32[<=4]", "f32[]"}, "dimensions={0}, num_carries=1, to_apply=running_sum", Infers("(f32[<=4], f32[])")},
    {"one dimension", {"f32[4]", "f32[]"}, "dimensions={0,1}, num_carries=1, to_apply=running_sum",
     Error("scan: dimensions is {0,1}, must be the one dimension of the steps; operand.0 f32[4], operand.1 f32[]")},
    {"dimension of the inputs", {"f32[4]", "f32[]"}, "dimensions={1}, num_carries=1, to_apply=running_sum",
     Error("scan: dimension 1 is not one of input 0, f32[4]; operand.0 f32[4], operand.1 f32[]")},
    {"no negative dimension", {"f32[4]", "f32[]"}, "dimensions={-1}, num_carries=1, to_apply=running_sum",
     Error("scan: dimensions is {-1}, must be the one dimension of the steps; operand.0 f32[4], operand.1 f32[]")},
    {"as many carries as operands at most", {"f32[4]", "f32[]"}, "dimensions={0}, num_carries=3, to_apply=running_sum",
     Error("scan: num_carries is 3 but there are 2 operands; operand.0 f32[4], operand.1 f32[]")},
    {"sizes agree", {"s32[2]", "f32[3,2]", "s32[]", "f32[]"}, "dimensions={0}, num_carries=2, to_apply=two",
     Error("scan: dimension 0 has size 2 in input 0 but 3 in input 1; operand.0 s32[2], operand.1 f32[3,2], operand.2 s32[], operand.3 f32[]")},
    {"one carry without a tuple", {"f32[4] {1, 2, 3, 5}", "f32[] 10"}, "dimensions={0}, num_carries=1, to_apply=no_tuple", "f32[] 21"},
    {"one carry in a tuple, given without", {"f32[4] {1, 2, 3, 5}", "f32[] 10"}, "dimensions={0}, num_carries=1, to_apply=no_tuple", "(f32[]) (21)"},
    {"one output without a tuple", {"s32[3] {1, 2, 3}"}, "dimensions={0}, num_carries=0, to_apply=doubled", "s32[3] {2, 4, 6}"},
    {"one output, given in a tuple", {"s32[3] {1, 2, 3}"}, "dimensions={0}, num_carries=0, to_apply=doubled_in_tuple", "s32[3] {2, 4, 6}"},
    {"with all carries", {"s32[]", "s32[]"}, "dimensions={0}, num_carries=2, to_apply=carry_only",
     Error("scan: to_apply must give a tuple of outputs and 2 carries, not (s32[]); operand.0 s32[], operand.1 s32[]")},
    {"to_apply takes slices and carries", {"f32[4,2]", "f32[]"}, "dimensions={0}, num_carries=1, to_apply=running_sum",
     Error("scan: to_apply must be (f32[2], f32[])->(f32[], f32[]) but \"running_sum\" is (f32[], f32[])->(f32[], f32[]); operand.0 f32[4,2], operand.1 f32[]")},
    {"carries keep their shape", {"s32[4]", "f32[]"}, "dimensions={0}, num_carries=1, to_apply=carry_only",
     Error("scan: to_apply must be (s32[], f32[])->(f32[]) but \"carry_only\" is (s32[], s32[])->(s32[]); operand.0 s32[4], operand.1 f32[]")},
    {"without inputs and outputs nobody knows the steps", {"s32[]"}, "dimensions={0}, num_carries=1, to_apply=lone_counter",
     Error("scan: without inputs, the declared shape of an output must say how many steps; operand s32[]")},
    {"arrays only", {"(f32[4])", "f32[]"}, "dimensions={0}, num_carries=1, to_apply=running_sum",
     Error("scan: expected an array, not (f32[4]); operand.0 (f32[4]), operand.1 f32[]")},
};
// clang-format on
const CaseTable kScanCases = {"scan", kRows, kComputations};

}  // namespace axle
