#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kSortCases;

static const OpCase kRows[] = {
    {"at run-time sizes",
     {"f32[<=4](3) {3, 1, 2}"},
     "dimensions={0}, to_apply=less",
     "f32[<=4](3) {1, 2, 3}"},
    {"columns",
     {"s32[2,2] {{3, 1}, {2, 5}}"},
     "dimensions={0}, to_apply=less_s32",
     "s32[2,2] {{2, 1}, {3, 5}}"},
    {"rows",
     {"s32[2,2] {{3, 1}, {2, 5}}"},
     "dimensions={1}, to_apply=less_s32",
     "s32[2,2] {{1, 3}, {2, 5}}"},
    {"the middle dimension",
     {"s32[2,3,2] {{{5, 0}, {3, 1}, {4, 2}}, {{1, 9}, {2, 8}, {0, 7}}}"},
     "dimensions={1}, to_apply=less_s32",
     "s32[2,3,2] {{{3, 0}, {4, 1}, {5, 2}}, {{0, 7}, {1, 8}, {2, 9}}}"},
    {"operands move together",
     {"s32[2] {3, 1}", "s32[2] {42, 50}", "f32[2] {-3, 1.1}"},
     "dimensions={0}, to_apply=by_first",
     "(s32[2], s32[2], f32[2]) ({1, 3}, {50, 42}, {1.1, -3})"},
    {"by the second operand",
     {"s32[3] {1, 2, 3}", "s32[3] {30, 10, 20}"},
     "dimensions={0}, to_apply=by_second",
     "(s32[3], s32[3]) ({2, 3, 1}, {10, 20, 30})"},
    {"equal keys stay in order, also without is_stable",
     {"s32[7] {2, 1, 2, 1, 2, 1, 0}", "s32[7] {0, 1, 2, 3, 4, 5, 6}"},
     "dimensions={0}, to_apply=less_key",
     "(s32[7], s32[7]) ({0, 1, 1, 1, 2, 2, 2}, {6, 1, 3, 5, 0, 2, 4})"},
    {"descending, equal keys stay in order",
     {"s32[7] {2, 1, 2, 1, 2, 1, 0}", "s32[7] {0, 1, 2, 3, 4, 5, 6}"},
     "dimensions={0}, is_stable=true, to_apply=greater_key",
     "(s32[7], s32[7]) ({2, 2, 2, 1, 1, 1, 0}, {0, 2, 4, 1, 3, 5, 6})"},
    {"two keys",
     {"s32[5] {1, 0, 1, 0, 1}", "s32[5] {5, 4, 3, 2, 1}"},
     "dimensions={0}, to_apply=lexicographic",
     "(s32[5], s32[5]) ({0, 0, 1, 1, 1}, {2, 4, 1, 3, 5})"},
    {"total order of floats",
     {"f32[10] {1, nan, -0.0, inf, -nan, 0, -1, -inf, 1e-45, nan(0x400001)}"},
     "dimensions={0}, to_apply=total",
     "f32[10] {-nan, -inf, -1, -0.0, 0, 1e-45, 1, inf, nan, nan(0x400001)}",
     {.exact_nan = true}},
    {"total order, descending",
     {"f32[5] {0, nan, -0.0, -nan, inf}"},
     "dimensions={0}, to_apply=total_descending",
     "f32[5] {nan, inf, 0, -0.0, -nan}",
     {.exact_nan = true}},
    {"total order of bf16",
     {"bf16[4] {nan, -0.0, 0, -nan}"},
     "dimensions={0}, to_apply=total_bf16",
     "bf16[4] {-nan, -0.0, 0, nan}",
     {.exact_nan = true}},
    {"equal zeros and NaNs, as JAX compares them",
     {"f32[6] {nan, 0, -nan, -0.0, 1, -inf}", "s32[6] {0, 1, 2, 3, 4, 5}"},
     "dimensions={0}, to_apply=jax",
     "(f32[6], s32[6]) ({-inf, 0, -0.0, 1, nan, nan}, {5, 1, 3, 4, "
     "0, 2})"},
    {"by magnitude: a key of its own",
     {"s32[5] {-3, 2, -1, 3, 1}"},
     "dimensions={0}, to_apply=magnitude",
     "s32[5] {-1, 1, 2, -3, 3}"},
    {"not an order: <=",
     {"s32[4] {1, 1, 0, 1}", "s32[4] {0, 1, 2, 3}"},
     "dimensions={0}, to_apply=at_most_key",
     "(s32[4], s32[4]) ({0, 1, 1, 1}, {2, 3, 1, 0})"},
    {"not an order: always",
     {"s32[5] {0, 1, 2, 3, 4}"},
     "dimensions={0}, to_apply=always",
     "s32[5] {4, 3, 2, 1, 0}"},
    {"not an order: never",
     {"s32[5] {4, 0, 3, 1, 2}"},
     "dimensions={0}, to_apply=never",
     "s32[5] {4, 0, 3, 1, 2}"},
    {"not an order: < with NaNs",
     {"f32[5] {nan, 3, nan, 2, 1}"},
     "dimensions={0}, to_apply=less",
     "f32[5] {nan, 1, 3, nan, 2}"},
    {"a comparator that is no arithmetic is called",
     {"s32[4] {3, 1, 2, 0}"},
     "dimensions={0}, to_apply=calling",
     "s32[4] {0, 1, 2, 3}"},
    {"signed extremes",
     {"s32[4] {2147483647, -1, 0, -2147483648}"},
     "dimensions={0}, to_apply=less_s32",
     "s32[4] {-2147483648, -1, 0, 2147483647}"},
    {"unsigned extremes",
     {"u8[4] {255, 0, 128, 127}"},
     "dimensions={0}, to_apply=less_u8",
     "u8[4] {0, 127, 128, 255}"},
    {"pred",
     {"pred[4] {true, false, true, false}"},
     "dimensions={0}, to_apply=less_pred",
     "pred[4] {false, false, true, true}"},
    {"payload of another width",
     {"s32[3] {3, 1, 2}", "c64[3] {(3, 3), (1, 1), (2, 2)}"},
     "dimensions={0}, to_apply=with_c64",
     "(s32[3], c64[3]) ({1, 2, 3}, {(1, 1), (2, 2), (3, 3)})"},
    {"lines of one element",
     {"s32[2,1] {{3}, {1}}"},
     "dimensions={1}, to_apply=less_s32",
     "s32[2,1] {{3}, {1}}"},
    {"size 1", {"f32[1] {nan}"}, "dimensions={0}, to_apply=less", "f32[1] {nan}"},
    {"no elements", {"s32[0] {}"}, "dimensions={0}, to_apply=less_s32", "s32[0] {}"},
    {"lines of nothing",
     {"s32[2,0] {{}, {}}"},
     "dimensions={1}, to_apply=less_s32",
     "s32[2,0] {{}, {}}"},
    {"no lines", {"s32[0,2] {}"}, "dimensions={1}, to_apply=less_s32", "s32[0,2] {}"},
    {"at least one operand",
     {},
     "dimensions={0}, to_apply=less",
     Error("sort: has no operands", "()")},
    {"arrays",
     {"(f32[2])"},
     "dimensions={0}, to_apply=less",
     Error("sort: expected an array, not (f32[2]); operand (f32[2])")},
    {"operands have the same dimensions",
     {"s32[3]", "s32[2]"},
     "dimensions={0}, to_apply=less_key",
     Error("sort: operands must have the same dimensions; operand.0 s32[3], operand.1 s32[2]")},
    {"no scalars",
     {"f32[]"},
     "dimensions={0}, to_apply=less",
     Error("sort: operand has rank 0, must have a dimension to sort; operand f32[]")},
    {"one dimension",
     {"f32[2,2]"},
     "dimensions={0,1}, to_apply=less",
     Error("sort: dimensions names 2 dimensions, must be 1; operand f32[2,2]")},
    {"the dimension's range",
     {"f32[3]"},
     "dimensions={1}, to_apply=less",
     Error("sort: dimensions has 1, which is not a dimension of rank 1; operand f32[3]")},
    {"the comparator's arity",
     {"f32[3]", "f32[3]"},
     "dimensions={0}, to_apply=less",
     Error("sort: to_apply must be (f32[], f32[], f32[], f32[])->pred[] but \"less\" is (f32[], "
           "f32[])->pred[]; operand.0 f32[3], operand.1 f32[3]")},
    {"the comparator's types",
     {"s32[3]"},
     "dimensions={0}, to_apply=less",
     Error("sort: to_apply must be (s32[], s32[])->pred[] but \"less\" is (f32[], f32[])->pred[]; "
           "operand s32[3]")},
    {"the comparator's result",
     {"f32[3]"},
     "dimensions={0}, to_apply=sum",
     Error("sort: to_apply must be (f32[], f32[])->pred[] but \"sum\" is (f32[], f32[])->f32[]; "
           "operand f32[3]")},
    {"dynamic dimensions stay dynamic",
     {"f32[<=3,2]"},
     "dimensions={1}, to_apply=less",
     Infers("f32[<=3,2]")},
};
const CaseTable kSortCases = {"sort", kRows, R"(
by_first { a = s32[] parameter(0)  b = s32[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)
  e = f32[] parameter(4)  f = f32[] parameter(5)  ROOT r = pred[] compare(a, b), direction=LT }
by_second { a = s32[] parameter(0)  b = s32[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)
  ROOT r = pred[] compare(c, d), direction=LT }
less_key { a = s32[] parameter(0)  b = s32[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
greater_key { a = s32[] parameter(0)  b = s32[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GT }
at_most_key { a = s32[] parameter(0)  b = s32[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LE }
lexicographic { a = s32[] parameter(0)  b = s32[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)
  less = pred[] compare(a, b), direction=LT  equal = pred[] compare(a, b), direction=EQ
  then = pred[] compare(c, d), direction=LT  both = pred[] and(equal, then)  ROOT r = pred[] or(less, both) }
with_c64 { a = s32[] parameter(0)  b = s32[] parameter(1)  c = c64[] parameter(2)  d = c64[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT }
total { a = f32[] parameter(0)  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }
total_descending { a = f32[] parameter(0)  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER }
total_bf16 { a = bf16[] parameter(0)  b = bf16[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }
jax { a = f32[] parameter(0)  b = f32[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)
  nan = f32[] constant(nan)  zero = f32[] constant(0)
  a_zero = pred[] compare(a, zero), direction=EQ  a_plus = f32[] select(a_zero, zero, a)
  a_nan = pred[] compare(a, a), direction=NE  x = f32[] select(a_nan, nan, a_plus)
  b_zero = pred[] compare(b, zero), direction=EQ  b_plus = f32[] select(b_zero, zero, b)
  b_nan = pred[] compare(b, b), direction=NE  y = f32[] select(b_nan, nan, b_plus)
  ROOT r = pred[] compare(x, y), direction=LT, type=TOTALORDER }
magnitude { a = s32[] parameter(0)  b = s32[] parameter(1)  x = s32[] multiply(a, a)  y = s32[] multiply(b, b)
  ROOT r = pred[] compare(x, y), direction=LT }
always { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = pred[] constant(true) }
never { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = pred[] constant(false) }
calling { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = pred[] call(a, b), to_apply=less_s32 }
less_u8 { a = u8[] parameter(0)  b = u8[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
less_pred { a = pred[] parameter(0)  b = pred[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
)"};

}  // namespace axle
