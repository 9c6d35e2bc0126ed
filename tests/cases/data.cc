#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kConstantCases, kGetTupleElementCases, kIotaCases, kParameterCases,
    kTupleCases;

// clang-format off
static const OpCase kConstantRows[] = {
    {"matrix", {}, "", "f32[2,2] {{1, 2}, {3, -0.5}}", {.parens = "{ {1, 2}, {3, -0.5} }"}},
    {"scalar", {}, "", "pred[] 1", {.parens = "true"}},
    {"no elements", {}, "", "f32[0] {}", {.parens = "{}"}},
    {"rows without elements", {}, "", "f32[2,0] {{}, {}}", {.parens = "{ {}, {} }"}},
    {"bf16 is rounded when read", {}, "", "bf16[] 256", {.parens = "257"}},
    {"specials", {}, "", "f32[4] {nan, inf, -inf, -0.0}", {.parens = "{nan, inf, -inf, -0.0}"}},
    {"NaN payloads", {}, "", "f32[2] {nan(0x123), -nan(0x400001)}", {.exact_nan = true, .parens = "{nan(0x123), -nan(0x400001)}"}},
    {"extreme integers", {}, "", "s64[2] {-9223372036854775808, 9223372036854775807}", {.parens = "{-9223372036854775808, 9223372036854775807}"}},
    {"u64", {}, "", "u64[] 18446744073709551615", {.parens = "18446744073709551615"}},
    {"s4", {}, "", "s4[2] {-8, 7}", {.parens = "{-8, 7}"}},
    {"complex", {}, "", "c64[2] {(1, -2), (0, inf)}", {.parens = "{(1, -2), (0, inf)}"}},
    {"tuple", {}, "", "(f32[], s32[2]) (1, {2, 3})", {.parens = "(1, {2, 3})"}},
    {"range", {}, "", Error("2147483648 is out of the range of s32", "s32[]"), {.parens = "2147483648"}},
    {"needs a shape", {}, "", Error("\"constant\" needs a shape before it"), {.parens = "1"}},
};
const CaseTable kConstantCases = {"constant", kConstantRows};

static const OpCase kParameterRows[] = {
    {"is the argument", {"s32[2] {4, 5}"}, "", "s32[2] {4, 5}", {.parens = "0"}},
    {"scalar", {"f32[] 4"}, "", "f32[] 4", {.parens = "0"}},
    {"no elements", {"f32[0] {}"}, "", "f32[0] {}", {.parens = "0"}},
    {"tuple", {"(f32[], (s32[2])) (1, ({2, 3}))"}, "", "(f32[], (s32[2])) (1, ({2, 3}))", {.parens = "0"}},
    {"numbers start at 0", {}, "", Error("computation \"main\": parameter 0 is missing", "f32[]"), {.parens = "1"}},
    {"numbers are not negative", {}, "", Error("parameter: number is -1, must be >= 0", "f32[]"), {.parens = "-1"}},
    {"a size that is left open", {"f32[?]"}, "", Infers("f32[?]"), {.parens = "0"}},
};
const CaseTable kParameterCases = {"parameter", kParameterRows};

static const OpCase kTupleRows[] = {
    {"pair", {"f32[] 1", "s32[2] {2, 3}"}, "", "(f32[], s32[2]) (1, {2, 3})"},
    {"empty", {}, "", "() ()"},
    {"one", {"f32[0] {}"}, "", "(f32[0]) ({})"},
    {"nested", {"(f32[]) (1)", "pred[1] {1}"}, "", "((f32[]), pred[1]) ((1), {1})"},
    {"mixed precision", {"f32[1] {1}", "bf16[1] {2}", "f64[] 3"}, "", "(f32[1], bf16[1], f64[]) ({1}, {2}, 3)"},
    {"declared shape", {"f32[]"}, "", Error("\"tuple\" has shape (f32[]), not (s32[])", "(s32[])")},
};
const CaseTable kTupleCases = {"tuple", kTupleRows};

static const OpCase kGetTupleElementRows[] = {
    {"second", {"(f32[], s32[2]) (1, {2, 3})"}, "index=1", "s32[2] {2, 3}"},
    {"first", {"(f32[1], s32[2]) ({1}, {2, 3})"}, "index=0", "f32[1] {1}"},
    {"no elements", {"(f32[0]) ({})"}, "index=0", "f32[0] {}"},
    {"a tuple", {"(s32[], (f32[], f32[])) (1, (2, 3))"}, "index=1", "(f32[], f32[]) (2, 3)"},
    {"seed example", {"(f32[10], s32[]) ({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 5)"}, "index=1", "s32[] 5"},
    {"of tuples only", {"f32[1]"}, "index=0", Error("get-tuple-element: operand is not a tuple; operand f32[1]")},
    {"beyond the end", {"(f32[])"}, "index=1",
     Error("get-tuple-element: index is 1 but operand has 1 elements; operand (f32[])")},
    {"negative", {"(f32[])"}, "index=-1",
     Error("get-tuple-element: index is -1 but operand has 1 elements; operand (f32[])")},
    {"needs an index", {"(f32[])"}, "", Error("\"get-tuple-element\" needs index=...")},
};
const CaseTable kGetTupleElementCases = {"get-tuple-element", kGetTupleElementRows};

static const OpCase kIotaRows[] = {
    {"vector", {}, "iota_dimension=0", "s32[5] {0, 1, 2, 3, 4}"},
    {"along rows", {}, "iota_dimension=0", "s32[3,2] {{0, 0}, {1, 1}, {2, 2}}"},
    {"along columns", {}, "iota_dimension=1", "s32[2,4] {{0, 1, 2, 3}, {0, 1, 2, 3}}"},
    {"in the middle", {}, "iota_dimension=1", "u8[2,2,2] {{{0, 0}, {1, 1}}, {{0, 0}, {1, 1}}}"},
    {"one element", {}, "iota_dimension=0", "f64[1] {0}"},
    {"no elements", {}, "iota_dimension=0", "f32[0,3] {}"},
    {"no elements elsewhere", {}, "iota_dimension=0", "f32[3,0] {{}, {}, {}}"},
    {"floats", {}, "iota_dimension=0", "f32[4] {0, 1, 2, 3}"},
    {"s4 wraps", {}, "iota_dimension=0", "s4[10] {0, 1, 2, 3, 4, 5, 6, 7, -8, -7}"},
    {"u2 wraps", {}, "iota_dimension=0", "u2[6] {0, 1, 2, 3, 0, 1}"},
    {"f8e4m3fn rounds to even", {}, "iota_dimension=0", "f8e4m3fn[20] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 18, 20}"},
    {"f4e2m1fn saturates", {}, "iota_dimension=0", "f4e2m1fn[9] {0, 1, 2, 3, 4, 4, 6, 6, 6}"},
    {"complex", {}, "iota_dimension=0", "c64[3] {(0, 0), (1, 0), (2, 0)}"},
    {"not for pred", {}, "iota_dimension=0",
     Error("iota: gives integers, floats and complex numbers only, not pred[3]", "pred[3]")},
    {"rank at least 1", {}, "iota_dimension=0",
     Error("iota: iota_dimension is 0, which is not a dimension of f32[]", "f32[]")},
    {"dimension in range", {}, "iota_dimension=1",
     Error("iota: iota_dimension is 1, which is not a dimension of f32[3]", "f32[3]")},
    {"static dimensions", {}, "iota_dimension=0",
     Error("iota: dimensions must be static, not f32[<=3]", "f32[<=3]")},
};
const CaseTable kIotaCases = {"iota", kIotaRows};
// clang-format on

}  // namespace axle
