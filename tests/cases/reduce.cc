#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kReduceCases;

static const OpCase kCases[] = {
    {"rows",
     {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}", "f32[] 0"},
     "dimensions={1}, to_apply=sum",
     "f32[2] {6, 15}"},
    {"columns, init_value once each",
     {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}", "f32[] 100"},
     "dimensions={0}, to_apply=sum",
     "f32[3] {105, 107, 109}"},
    {"the order of dimensions does not matter",
     {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}", "f32[] 0"},
     "dimensions={1,0}, to_apply=flipped_sum",
     "f32[] 21"},
    {"outer dimensions",
     {"f32[4,2,3] {{{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}, "
      "{{1, 2, 3}, {4, 5, 6}}}",
      "f32[] 0"},
     "dimensions={0,1}, to_apply=sum",
     "f32[3] {20, 28, 36}"},
    {"a kept dimension between reduced ones",
     {"f32[2,3,2] {{{1, 2}, {3, 4}, {5, 6}}, {{10, 20}, {30, 40}, {50, 60}}}", "f32[] 0"},
     "dimensions={0,2}, to_apply=sum",
     "f32[3] {33, 77, 121}"},
    {"no dimensions: applied once to each element",
     {"f32[2] {1, 2}", "f32[] 10"},
     "dimensions={}, to_apply=sum",
     "f32[2] {11, 12}"},
    {"scalar operand", {"f32[] 3", "f32[] 4"}, "dimensions={}, to_apply=product", "f32[] 12"},
    {"one element", {"f32[1] {5}", "f32[] 1"}, "dimensions={0}, to_apply=sum", "f32[] 6"},
    {"nothing to fold gives init_value",
     {"f32[2,0] {{}, {}}", "f32[] -0.0"},
     "dimensions={1}, to_apply=sum",
     "f32[2] {-0.0, -0.0}"},
    {"no results", {"f32[0,2] {}", "f32[] 0"}, "dimensions={1}, to_apply=sum", "f32[0] {}"},
    {"-0 is kept by a sum of -0",
     {"f32[2] {-0.0, -0.0}", "f32[] -0.0"},
     "dimensions={0}, to_apply=sum",
     "f32[] -0.0"},
    {"infinities and NaN add up",
     {"f32[3,2] {{nan, inf}, {1, -inf}, {2, 1}}", "f32[] 0"},
     "dimensions={1}, to_apply=sum",
     "f32[3] {nan, -inf, 3}"},
    {"maximum: NaN wins, -0 is below +0",
     {"f32[2,3] {{1, nan, 2}, {-0.0, 0, -0.0}}", "f32[] -inf"},
     "dimensions={1}, to_apply=max",
     "f32[2] {nan, 0}"},
    {"minimum: NaN wins, -0 is below +0",
     {"f32[3,2] {{1, 0}, {nan, -0.0}, {2, 0}}", "f32[] inf"},
     "dimensions={0}, to_apply=min",
     "f32[2] {nan, -0.0}"},
    {"product",
     {"f32[4] {1, 2, 3, 4}", "f32[] -1"},
     "dimensions={0}, to_apply=product",
     "f32[] -24"},
    {"a sum takes init_value last, on the left",
     {"f32[2] {1e8, 1}", "f32[] -1e8"},
     "dimensions={0}, to_apply=sum",
     "f32[] 0"},
    {"N4 lanes: element 0 meets 8, 4, 2, 1 before the next lane does",
     {"f32[16] {1e8, 1, 0, 0, 0, 0, 0, 0, -1e8, 1, 0, 0, 0, 0, 0, 0}", "f32[] 0"},
     "dimensions={0}, to_apply=sum",
     "f32[] 2"},
    {"N4 below 16 elements from left to right",
     {"f32[15] {1e8, 1, 0, 0, 0, 0, 0, 0, -1e8, 1, 0, 0, 0, 0, 0}", "f32[] 0"},
     "dimensions={0}, to_apply=sum",
     "f32[] 1"},
    {"other computations fold from the left",
     {"f32[4] {1, 2, 3, 4}", "f32[] 5"},
     "dimensions={0}, to_apply=horner",
     "f32[] 51234"},
    {"in row-major order",
     {"f32[2,2] {{1, 2}, {3, 4}}", "f32[] 0"},
     "dimensions={1,0}, to_apply=horner",
     "f32[] 1234"},
    {"each result for itself",
     {"f32[2,2] {{1, 2}, {3, 4}}", "f32[] 0"},
     "dimensions={0}, to_apply=horner",
     "f32[2] {13, 24}"},
    {"the value is on the right",
     {"f32[2,3] {{7, 8, 9}, {4, 5, 6}}", "f32[] 0"},
     "dimensions={1}, to_apply=last",
     "f32[2] {9, 6}"},
    {"N2 bf16 adds in f32 and rounds once",
     {"bf16[4] {256, 1, 1, 1}", "bf16[] 0"},
     "dimensions={0}, to_apply=sum_bf16",
     "bf16[] 260"},
    {"N4 a sum through f32 is a sum",
     {"bf16[4] {256, 1, 1, 1}", "bf16[] 0"},
     "dimensions={0}, to_apply=sum_through_f32",
     "bf16[] 260"},
    {"f16 overflows at the end only",
     {"f16[3] {60000, 60000, -60000}", "f16[] 0"},
     "dimensions={0}, to_apply=sum_f16",
     "f16[] 60000"},
    {"f64", {"f64[3] {1, 1e-16, 1e-16}", "f64[] 0"}, "dimensions={0}, to_apply=sum_f64", "f64[] 1"},
    {"complex sum",
     {"c64[2,2] {{(1, 2), (3, 4)}, {(5, 6), (7, -8)}}", "c64[] (0, 0)"},
     "dimensions={1}, to_apply=sum_c64",
     "c64[2] {(4, 6), (12, -2)}"},
    {"complex product",
     {"c64[2] {(1, 2), (3, 4)}", "c64[] (0, 1)"},
     "dimensions={0}, to_apply=product_c64",
     "c64[] (-10, -5)"},
    {"integers wrap",
     {"s32[2] {2147483647, 1}", "s32[] 0"},
     "dimensions={0}, to_apply=sum_s32",
     "s32[] -2147483648"},
    {"integer product wraps",
     {"s32[2,2] {{65536, 65537}, {-3, 5}}", "s32[] 1"},
     "dimensions={1}, to_apply=product_s32",
     "s32[2] {65536, -15}"},
    {"extreme integers",
     {"s32[3] {-2147483648, 2147483647, 0}", "s32[] 5"},
     "dimensions={0}, to_apply=max_s32",
     "s32[] 2147483647"},
    {"least integer",
     {"s32[3] {-2147483648, 2147483647, 0}", "s32[] 5"},
     "dimensions={0}, to_apply=min_s32",
     "s32[] -2147483648"},
    {"4-bit integers wrap",
     {"s4[2,3] {{7, 7, 7}, {-8, -1, 0}}", "s4[] 0"},
     "dimensions={1}, to_apply=sum_s4",
     "s4[2] {5, 7}"},
    {"all of pred",
     {"pred[2,2] {{1, 1}, {1, 0}}", "pred[] 1"},
     "dimensions={1}, to_apply=all",
     "pred[2] {1, 0}"},
    {"any of pred",
     {"pred[2,2] {{0, 0}, {1, 0}}", "pred[] 0"},
     "dimensions={1}, to_apply=any",
     "pred[2] {0, 1}"},
    {"variadic argmax, first of equals",
     {"f32[5] {3, 1, 7, 7, 2}", "s32[5] {0, 1, 2, 3, 4}", "f32[] -inf", "s32[] -1"},
     "dimensions={0}, to_apply=argmax",
     "(f32[], s32[]) (7, 2)"},
    {"variadic argmax of columns",
     {"f32[2,3] {{1, 5, 2}, {4, 5, nan}}", "s32[2,3] {{0, 0, 0}, {1, 1, 1}}", "f32[] -inf",
      "s32[] -1"},
     "dimensions={0}, to_apply=argmax",
     "(f32[3], s32[3]) ({4, 5, nan}, {1, 0, 1})"},
    {"independent components",
     {"f32[2,2] {{1, 2}, {3, 4}}", "f32[2,2] {{1, 2}, {3, 4}}", "f32[] 10", "f32[] 1"},
     "dimensions={0}, to_apply=sum_and_product",
     "(f32[2], f32[2]) ({14, 16}, {3, 8})"},
    {"one component folded with another's help",
     {"f32[3] {1, 2, 3}", "f32[3] {1, 1, 1}", "f32[] 0", "f32[] 0"},
     "dimensions={0}, to_apply=sum_of_sums",
     "(f32[], f32[]) (6, 4)"},
    {"a tuple of one",
     {"f32[2,2] {{1, 2}, {3, 4}}", "f32[] 0"},
     "dimensions={1}, to_apply=sum_in_tuple",
     "(f32[2]) ({3, 7})"},
    {"a computation that calls",
     {"f32[2,2] {{1, 2}, {3, 4}}", "f32[] 0"},
     "dimensions={1}, to_apply=called_sum",
     "f32[2] {3, 7}"},
    {"kept dynamic dimensions stay dynamic",
     {"f32[<=3,2,4]", "f32[]"},
     "dimensions={1}, to_apply=sum",
     Infers("f32[<=3,4]")},
    {"odd number of operands",
     {"f32[3]", "f32[]", "f32[]"},
     "dimensions={0}, to_apply=sum",
     Error("reduce: has 3 operands but takes (operand..., init_value...); operand f32[3], "
           "init_value f32[], operand 0 f32[]")},
    {"operands are arrays",
     {"(f32[3])", "f32[]"},
     "dimensions={0}, to_apply=sum",
     Error(""
           "reduce: "
           "expected "
           "an "
           "array, "
           "not "
           "(f32[3]); "
           "operand "
           "(f32[3]), "
           "init_value "
           "f32[]")},
    {"operands of one size",
     {"f32[3]", "s32[4]", "f32[]", "s32[]"},
     "dimensions={0}, to_apply=argmax",
     Error("reduce: operands must have the same dimensions; operand.0 f32[3], operand.1 s32[4], "
           "init_value.0 f32[], init_value.1 s32[]")},
    {"init_value is a scalar of the operand's type",
     {"f32[3]", "f32[1]"},
     "dimensions={0}, to_apply=sum",
     Error("reduce: init_value must be f32[], not f32[1]; operand f32[3], init_value f32[1]")},
    {"second init_value",
     {"f32[3]", "s32[3]", "f32[]", "u32[]"},
     "dimensions={0}, to_apply=argmax",
     Error("reduce: init_value.1 must be s32[], not u32[]; operand.0 f32[3], operand.1 s32[3], "
           "init_value.0 f32[], init_value.1 u32[]")},
    {"mixed precision",
     {"bf16[3]", "f32[]"},
     "dimensions={0}, to_apply=sum",
     Error("reduce: "
           "mixed "
           "precision: "
           "operands "
           "of bf16 "
           "and f32; "
           "operand "
           "bf16[3], "
           "init_value "
           "f32[]")},
    {"dimension out of range",
     {"f32[3]", "f32[]"},
     "dimensions={1}, to_apply=sum",
     Error(""
           "reduce: "
           "dimensions "
           "has "
           "1, "
           "which "
           "is "
           "not "
           "a "
           "dimension "
           "of "
           "rank "
           "1; "
           "operand "
           "f32[3], "
           "init_value "
           "f32[]")},
    {"repeated dimension",
     {"f32[3]", "f32[]"},
     "dimensions={0,0}, to_apply=sum",
     Error(""
           "reduce: "
           "dimensions "
           "has 0 "
           "twice; "
           "operand "
           "f32[3], "
           "init_value "
           "f32[]")},
    {"the computation's types",
     {"s32[3]", "s32[]"},
     "dimensions={0}, to_apply=sum",
     Error(""
           "reduce: "
           "to_apply "
           "must "
           "be "
           "(s32[], "
           "s32[])->s32[] "
           "but "
           "\"sum\" "
           "is "
           "(f32[], "
           "f32[])->f32[]; "
           "operand "
           "s32[3], "
           "init_value "
           "s32[]")},
    {"the computation's parameters",
     {"s32[3]", "s32[]"},
     "dimensions={0}, to_apply=double",
     Error("reduce: to_apply must be (s32[], s32[])->s32[] but \"double\" is (s32[])->s32[]; "
           "operand s32[3], init_value s32[]")},
    {"the computation's result",
     {"f32[3]", "f32[]"},
     "dimensions={0}, to_apply=less",
     Error("reduce: to_apply must be (f32[], f32[])->f32[] but \"less\" is (f32[], "
           "f32[])->pred[]; operand f32[3], init_value f32[]")},
};

const CaseTable kReduceCases = {"reduce", kCases, R"(
sum_through_f32 { a = bf16[] parameter(0)  b = bf16[] parameter(1)  x = f32[] convert(a)
  y = f32[] convert(b)  s = f32[] add(x, y)  ROOT r = bf16[] convert(s) }
product_c64 { a = c64[] parameter(0)  b = c64[] parameter(1)  ROOT r = c64[] multiply(a, b) }
sum_s4 { a = s4[] parameter(0)  b = s4[] parameter(1)  ROOT r = s4[] add(a, b) }
sum_and_product { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] parameter(2)
  d = f32[] parameter(3)  s = f32[] add(a, c)  p = f32[] multiply(b, d)
  ROOT r = (f32[], f32[]) tuple(s, p) }
sum_of_sums { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] parameter(2)
  d = f32[] parameter(3)  s = f32[] add(a, c)  t = f32[] add(b, a)
  ROOT r = (f32[], f32[]) tuple(s, t) }
sum_in_tuple { a = f32[] parameter(0)  b = f32[] parameter(1)  s = f32[] add(a, b)
  ROOT r = (f32[]) tuple(s) }
called_sum { a = f32[] parameter(0)  b = f32[] parameter(1)
  ROOT r = f32[] call(a, b), to_apply=sum }
)"};

}  // namespace axle
