// Instructions, their names, operations and operands: the exact text of diagnostics: position,
// message, line and caret. One row, one reason.
#include "tests/text/test_text.h"

namespace axle {
namespace {

// clang-format off
const ErrorRow kRows[] = {
    {"second ROOT",
R"hlo(HloModule m
ENTRY e {
  ROOT x = f32[] parameter(0)
  ROOT y = f32[] negate(x)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:3: second ROOT
  ROOT y = f32[] negate(x)
  ^)hlo"},
    {"parameter is missing",
R"hlo(HloModule m
ENTRY e { ROOT x = f32[] parameter(1) })hlo",
R"hlo(INVALID_ARGUMENT: t 2:7: computation "e": parameter 0 is missing
ENTRY e { ROOT x = f32[] parameter(1) }
      ^)hlo"},
    {"parameter is there twice",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 2:7: computation "e": parameter 0 is there twice
ENTRY e {
      ^)hlo"},
    {"huge parameter number",
R"hlo(HloModule m
ENTRY e { ROOT x = f32[] parameter(1000000000) })hlo",
R"hlo(INVALID_ARGUMENT: t 2:7: computation "e": parameter 0 is missing
ENTRY e { ROOT x = f32[] parameter(1000000000) }
      ^)hlo"},
    {"negative parameter number",
R"hlo(HloModule m
ENTRY e { ROOT x = f32[] parameter(-1) })hlo",
R"hlo(INVALID_ARGUMENT: t 2:26: parameter: number is -1, must be >= 0
ENTRY e { ROOT x = f32[] parameter(-1) }
                         ^)hlo"},
    {"parameter number that is no number",
R"hlo(HloModule m
ENTRY e { ROOT x = f32[] parameter(zero) })hlo",
R"hlo(INVALID_ARGUMENT: t 2:36: expected an integer
ENTRY e { ROOT x = f32[] parameter(zero) }
                                   ^)hlo"},
    {"parameter without number",
R"hlo(HloModule m
ENTRY e { ROOT x = f32[] parameter() })hlo",
R"hlo(INVALID_ARGUMENT: t 2:36: expected an integer
ENTRY e { ROOT x = f32[] parameter() }
                                   ^)hlo"},
    {"instruction name twice",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  x = f32[] negate(x)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:3: second instruction "x"
  x = f32[] negate(x)
  ^)hlo"},
    {"instruction without equals sign",
R"hlo(HloModule m
ENTRY e {
  x f32[] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:5: expected '='
  x f32[] parameter(0)
    ^)hlo"},
    {"instruction without name",
R"hlo(HloModule m
ENTRY e {
  = f32[] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:3: expected an instruction
  = f32[] parameter(0)
  ^)hlo"},
    {"unknown operation",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] nagate(x)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:13: unknown operation "nagate" (did you mean "negate"?)
  y = f32[] nagate(x)
            ^)hlo"},
    {"unknown operation, nothing near",
R"hlo(HloModule m
ENTRY e {
  x = f32[] frobnicate()
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:13: unknown operation "frobnicate"
  x = f32[] frobnicate()
            ^)hlo"},
    {"asynchronous form",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = ((f32[]), f32[]) negate-start(x)
  z = token[] after-all(y)
})hlo",
R"hlo(INVALID_ARGUMENT: t 2:7: async-start: "y" must be read by async-update or async-done, as operand 0, or by what hands it on, not by after-all; operand f32[]
ENTRY e {
      ^)hlo"},
    {"no operation",
R"hlo(HloModule m
ENTRY e {
  x = f32[] (0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:13: expected an operation
  x = f32[] (0)
            ^)hlo"},
    {"needs a shape",
R"hlo(HloModule m
ENTRY e {
  x = parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:7: "parameter" needs a shape before it
  x = parameter(0)
      ^)hlo"},
    {"declared shape is not the implied one",
R"hlo(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[3] negate(x)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:7: "negate" has shape f32[2], not f32[3]
  y = f32[3] negate(x)
      ^)hlo"},
    {"declared type is not the implied one",
R"hlo(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = s32[2] negate(x)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:7: "negate" has shape f32[2], not s32[2]
  y = s32[2] negate(x)
      ^)hlo"},
    {"declared dynamic flag is not the implied one",
R"hlo(HloModule m
ENTRY e {
  x = f32[<=2] parameter(0)
  y = f32[2] negate(x)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:7: "negate" has shape f32[<=2], not f32[2]
  y = f32[2] negate(x)
      ^)hlo"},
    {"unknown operand",
R"hlo(HloModule m
ENTRY e {
  input = f32[] parameter(0)
  y = f32[] negate(imput)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:20: no instruction "imput" before this one (did you mean "input"?)
  y = f32[] negate(imput)
                   ^)hlo"},
    {"use before definition",
R"hlo(HloModule m
ENTRY e {
  y = f32[] negate(x)
  x = f32[] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:20: no instruction "x" before this one
  y = f32[] negate(x)
                   ^)hlo"},
    {"use of itself",
R"hlo(HloModule m
ENTRY e {
  y = f32[] negate(y)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:20: no instruction "y" before this one
  y = f32[] negate(y)
                   ^)hlo"},
    {"operand of another computation",
R"hlo(HloModule m
f { x = f32[] parameter(0) }
ENTRY e {
  y = f32[] negate(x)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:20: no instruction "x" before this one
  y = f32[] negate(x)
                   ^)hlo"},
    {"operand shape",
R"hlo(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] negate(f32[3] x)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:21: "x" has shape f32[2], not f32[3]
  y = f32[2] negate(f32[3] x)
                    ^)hlo"},
    {"too few operands",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] add(x)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:13: add: has 1 operands but takes (lhs, rhs); lhs f32[]
  y = f32[] add(x)
            ^)hlo"},
    {"operand types",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  i = s32[] parameter(1)
  y = f32[] add(x, i)
})hlo",
R"hlo(INVALID_ARGUMENT: t 5:13: add: operands have different element types f32 and s32; lhs f32[], rhs s32[]
  y = f32[] add(x, i)
            ^)hlo"},
    {"operands without parenthesis",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] negate x
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:20: expected '('
  y = f32[] negate x
                   ^)hlo"},
    {"operands not closed",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] negate(x
})hlo",
R"hlo(INVALID_ARGUMENT: t 5:1: expected an operand
}
^)hlo"},
    {"no such tuple element",
R"hlo(HloModule m
ENTRY e {
  t = (f32[], s32[]) parameter(0)
  y = f32[] negate(t#2)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:22: "t" of shape (f32[], s32[]) has no element 2
  y = f32[] negate(t#2)
                     ^)hlo"},
    {"element of no tuple",
R"hlo(HloModule m
ENTRY e {
  t = f32[] parameter(0)
  y = f32[] negate(t#0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:22: "t" of shape f32[] has no element 0
  y = f32[] negate(t#0)
                     ^)hlo"},
    {"nested instruction with an error",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] negate(add(x))
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:20: add: has 1 operands but takes (lhs, rhs); lhs f32[]
  y = f32[] negate(add(x))
                   ^)hlo"},
    {"operand shape without a name",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] negate(f32[])
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:25: expected an operand
  y = f32[] negate(f32[])
                        ^)hlo"},
};
// clang-format on

TEST(ParseErrors, Instructions) {
  ExpectErrors(kRows);
}

}  // namespace
}  // namespace axle
