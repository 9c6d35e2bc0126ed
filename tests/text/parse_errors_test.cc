// The exact text of diagnostics: position, message, line and caret. One row, one reason.
#include <gtest/gtest.h>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

struct ErrorRow {
  const char* what;
  const char* text;
  const char* expected;
};

// clang-format off
const ErrorRow kRows[] = {
    {"no computation",
R"hlo(HloModule m)hlo",
R"hlo(INVALID_ARGUMENT: t 1:12: the module has no computation
HloModule m
           ^)hlo"},
    {"name is missing",
R"hlo(HloModule)hlo",
R"hlo(INVALID_ARGUMENT: t 1:10: expected the module's name before the end of the text
HloModule
         ^)hlo"},
    {"unknown header attribute",
R"hlo(HloModule m, is_sheduled=true
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:14: unknown header attribute "is_sheduled" (did you mean "is_scheduled"?)
HloModule m, is_sheduled=true
             ^)hlo"},
    {"header attribute twice",
R"hlo(HloModule m, replica_count=2, replica_count=2
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:31: second value for "replica_count"
HloModule m, replica_count=2, replica_count=2
                              ^)hlo"},
    {"header attribute without value",
R"hlo(HloModule m, replica_count
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:14: expected a header attribute, and '='
HloModule m, replica_count
             ^)hlo"},
    {"replica count of zero",
R"hlo(HloModule m, replica_count=0
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:28: 0 must be >= 1
HloModule m, replica_count=0
                           ^)hlo"},
    {"flag that is no flag",
R"hlo(HloModule m, is_scheduled=yes
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:27: expected true or false
HloModule m, is_scheduled=yes
                          ^)hlo"},
    {"alias of a parameter that is not there",
R"hlo(HloModule m, input_output_alias={ {}: (1, {}) }
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:14: names parameter 1 but "e" has 1 parameters
HloModule m, input_output_alias={ {}: (1, {}) }
             ^)hlo"},
    {"alias of an output that is not there",
R"hlo(HloModule m, input_output_alias={ {0}: (0, {}) }
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:14: the result of shape f32[] has no element {0}
HloModule m, input_output_alias={ {0}: (0, {}) }
             ^)hlo"},
    {"alias kind",
R"hlo(HloModule m, input_output_alias={ {}: (0, {}, might-alias) }
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:47: expected may-alias or must-alias
HloModule m, input_output_alias={ {}: (0, {}, might-alias) }
                                              ^)hlo"},
    {"output aliased twice",
R"hlo(HloModule m, input_output_alias={ {}: (0, {}), {}: (0, {}) }
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:14: output {} is aliased twice
HloModule m, input_output_alias={ {}: (0, {}), {}: (0, {}) }
             ^)hlo"},
    {"donor element that is not there",
R"hlo(HloModule m, buffer_donor={ (0, {1}) }
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:14: parameter 0 of shape f32[] has no element {1}
HloModule m, buffer_donor={ (0, {1}) }
             ^)hlo"},
    {"entry layout with too many parameters",
R"hlo(HloModule m, entry_computation_layout={(f32[], f32[])->f32[]}
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:14: the entry layout has 2 parameters but "e" has 1
HloModule m, entry_computation_layout={(f32[], f32[])->f32[]}
             ^)hlo"},
    {"entry layout of another shape",
R"hlo(HloModule m, entry_computation_layout={(s32[])->f32[]}
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:14: parameter 0 has shape f32[] but the entry layout says s32[]
HloModule m, entry_computation_layout={(s32[])->f32[]}
             ^)hlo"},
    {"entry layout with another result",
R"hlo(HloModule m, entry_computation_layout={(f32[])->f32[1]}
ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 1:14: the root has shape f32[] but the entry layout says f32[1]
HloModule m, entry_computation_layout={(f32[])->f32[1]}
             ^)hlo"},
    {"table of frames out of order",
R"hlo(HloModule m

FileNames
2 "a.py")hlo",
R"hlo(INVALID_ARGUMENT: t 4:1: expected 1, the next id
2 "a.py"
^)hlo"},
    {"table of frames without the next",
R"hlo(HloModule m

FileNames
1 "a.py"

ENTRY e { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 6:1: expected FunctionNames
ENTRY e { ROOT x = f32[] parameter(0) }
^)hlo"},
    {"frame with an unknown key",
R"hlo(HloModule m
FileNames
FunctionNames
FileLocations
1 {file=1}
StackFrames)hlo",
R"hlo(INVALID_ARGUMENT: t 5:4: expected one of: file_name_id, function_name_id, line, end_line, column, end_column, with '='
1 {file=1}
   ^)hlo"},
    {"second ENTRY",
R"hlo(HloModule m
ENTRY e { ROOT x = f32[] parameter(0) }
ENTRY f { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 3:1: second ENTRY
ENTRY f { ROOT x = f32[] parameter(0) }
^)hlo"},
    {"computation name twice",
R"hlo(HloModule m
f { ROOT x = f32[] parameter(0) }
f { ROOT x = f32[] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 3:1: second computation "f"
f { ROOT x = f32[] parameter(0) }
^)hlo"},
    {"empty computation",
R"hlo(HloModule m
ENTRY e { })hlo",
R"hlo(INVALID_ARGUMENT: t 2:7: "e" has no instructions
ENTRY e { }
      ^)hlo"},
    {"computation without its brace",
R"hlo(HloModule m
ENTRY e { ROOT x = f32[] parameter(0))hlo",
R"hlo(INVALID_ARGUMENT: t 2:38: expected an instruction before the end of the text
ENTRY e { ROOT x = f32[] parameter(0)
                                     ^)hlo"},
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
    {"declared result of another shape",
R"hlo(HloModule m
ENTRY %e (x: f32[]) -> f32[2] {
  ROOT %x = f32[] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 2:24: "e" is declared to return f32[2] but its root has shape f32[]
ENTRY %e (x: f32[]) -> f32[2] {
                       ^)hlo"},
    {"program shape without arrow",
R"hlo(HloModule m
ENTRY %e (x: f32[]) f32[] {
  ROOT %x = f32[] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 2:21: expected '->'
ENTRY %e (x: f32[]) f32[] {
                    ^)hlo"},
    {"execution thread",
R"hlo(HloModule m
f { ROOT x = f32[] parameter(0) }, thread="io")hlo",
R"hlo(INVALID_ARGUMENT: t 2:36: unknown attribute "thread" for a computation (it takes: execution_thread)
f { ROOT x = f32[] parameter(0) }, thread="io"
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
})hlo",
R"hlo(INVALID_ARGUMENT: t 2:7: async-start: "y" must be read by async-update or async-done, not be the result; operand f32[]
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
    {"unknown element type",
R"hlo(HloModule m
ENTRY e {
  x = f31[] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:7: unknown element type "f31" (did you mean "f32"?)
  x = f31[] parameter(0)
      ^)hlo"},
    {"negative size",
R"hlo(HloModule m
ENTRY e {
  x = f32[-2] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:11: dimension size -2 must be >= 0
  x = f32[-2] parameter(0)
          ^)hlo"},
    {"size that does not fit",
R"hlo(HloModule m
ENTRY e {
  x = f32[99999999999999999999] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:11: integer does not fit into 64 bits
  x = f32[99999999999999999999] parameter(0)
          ^)hlo"},
    {"too many elements",
R"hlo(HloModule m
ENTRY e {
  x = f32[4294967296,4294967296] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:7: shape f32[4294967296,4294967296] has too many elements
  x = f32[4294967296,4294967296] parameter(0)
      ^)hlo"},
    {"layout of another rank",
R"hlo(HloModule m
ENTRY e {
  x = f32[2,3]{0} parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:15: layout names 1 dimensions but the shape has rank 2
  x = f32[2,3]{0} parameter(0)
              ^)hlo"},
    {"layout that is no permutation",
R"hlo(HloModule m
ENTRY e {
  x = f32[2,3]{1,1} parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:15: layout {1,1} is not a permutation of the dimensions 0..1
  x = f32[2,3]{1,1} parameter(0)
              ^)hlo"},
    {"shape without bracket",
R"hlo(HloModule m
ENTRY e {
  x = f32[2 parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:13: expected ','
  x = f32[2 parameter(0)
            ^)hlo"},
    {"declared shape is not the implied one",
R"hlo(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[3] negate(x)
})hlo",
R"hlo(INTERNAL: t 4:7: "negate" has shape f32[2], not f32[3]
  y = f32[3] negate(x)
      ^)hlo"},
    {"declared type is not the implied one",
R"hlo(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = s32[2] negate(x)
})hlo",
R"hlo(INTERNAL: t 4:7: "negate" has shape f32[2], not s32[2]
  y = s32[2] negate(x)
      ^)hlo"},
    {"declared dynamic flag is not the implied one",
R"hlo(HloModule m
ENTRY e {
  x = f32[<=2] parameter(0)
  y = f32[2] negate(x)
})hlo",
R"hlo(INTERNAL: t 4:7: "negate" has shape f32[<=2], not f32[2]
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
    {"unknown attribute",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[2] broadcast(x), dimension={}
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:28: unknown attribute "dimension" for "broadcast" (did you mean "dimensions"? it takes: dimensions)
  y = f32[2] broadcast(x), dimension={}
                           ^)hlo"},
    {"unknown attribute of an op without any",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] negate(x), foo=1
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:24: unknown attribute "foo" for "negate" (it takes none)
  y = f32[] negate(x), foo=1
                       ^)hlo"},
    {"misspelt common attribute",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] negate(x), metdata={}
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:24: unknown attribute "metdata" for "negate" (did you mean "metadata"? it takes none)
  y = f32[] negate(x), metdata={}
                       ^)hlo"},
    {"attribute twice",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[2] broadcast(x), dimensions={}, dimensions={}
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:43: second value for "dimensions"
  y = f32[2] broadcast(x), dimensions={}, dimensions={}
                                          ^)hlo"},
    {"metadata twice",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), metadata={}, metadata={}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:40: second value for "metadata"
  x = f32[] parameter(0), metadata={}, metadata={}
                                       ^)hlo"},
    {"required attribute is missing",
R"hlo(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] reverse(x)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:14: "reverse" needs dimensions=...
  y = f32[2] reverse(x)
             ^)hlo"},
    {"attribute without value",
R"hlo(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] reverse(x), dimensions
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:26: expected an attribute, and '='
  y = f32[2] reverse(x), dimensions
                         ^)hlo"},
    {"attribute of the wrong kind",
R"hlo(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] reverse(x), dimensions=0
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:37: expected '{'
  y = f32[2] reverse(x), dimensions=0
                                    ^)hlo"},
    {"enumeration",
R"hlo(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = pred[2] compare(x, x), direction=LESS
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:40: unknown comparison direction "LESS"; it is one of: EQ, NE, GE, GT, LE, LT
  y = pred[2] compare(x, x), direction=LESS
                                       ^)hlo"},
    {"callee is missing",
R"hlo(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] call(x)
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:14: "call" needs to_apply=...
  y = f32[2] call(x)
             ^)hlo"},
    {"unknown computation",
R"hlo(HloModule m
double { ROOT x = f32[2] parameter(0) }
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] call(x), to_apply=duoble
})hlo",
R"hlo(INVALID_ARGUMENT: t 5:32: no computation "duoble" before this one (did you mean "double"?)
  y = f32[2] call(x), to_apply=duoble
                               ^)hlo"},
    {"callee behind its caller",
R"hlo(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] call(x), to_apply=f
}
f { ROOT x = f32[2] parameter(0) })hlo",
R"hlo(INVALID_ARGUMENT: t 4:32: no computation "f" before this one
  y = f32[2] call(x), to_apply=f
                               ^)hlo"},
    {"recursion",
R"hlo(HloModule m
f {
  x = f32[2] parameter(0)
  ROOT y = f32[2] call(x), to_apply=f
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:37: computation "f" calls itself
  ROOT y = f32[2] call(x), to_apply=f
                                    ^)hlo"},
    {"callee of another shape",
R"hlo(HloModule m
f { ROOT x = f32[3] parameter(0) }
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] call(x), to_apply=f
})hlo",
R"hlo(INVALID_ARGUMENT: t 5:14: call: to_apply must be (f32[2])->f32[3] but "f" is (f32[3])->f32[3]; operand f32[2]
  y = f32[2] call(x), to_apply=f
             ^)hlo"},
    {"callees of both kinds",
R"hlo(HloModule m
f { ROOT x = f32[] parameter(0) }
ENTRY e {
  p = pred[] parameter(0)
  x = f32[] parameter(1)
  y = f32[] conditional(p, x, x), true_computation=f, branch_computations={f, f}
})hlo",
R"hlo(INVALID_ARGUMENT: t 6:55: "branch_computations" cannot stand beside "true_computation"
  y = f32[] conditional(p, x, x), true_computation=f, branch_computations={f, f}
                                                      ^)hlo"},
    {"one branch is missing",
R"hlo(HloModule m
f { ROOT x = f32[] parameter(0) }
ENTRY e {
  p = pred[] parameter(0)
  x = f32[] parameter(1)
  y = f32[] conditional(p, x, x), true_computation=f
})hlo",
R"hlo(INVALID_ARGUMENT: t 6:13: "conditional" needs false_computation=...
  y = f32[] conditional(p, x, x), true_computation=f
            ^)hlo"},
    {"unknown metadata key",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), metadata={op_nam="x"}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:37: unknown metadata key "op_nam" (did you mean "op_name"?)
  x = f32[] parameter(0), metadata={op_nam="x"}
                                    ^)hlo"},
    {"metadata number that does not fit",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), metadata={source_line=3000000000}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:49: 3000000000 does not fit into 32 bits
  x = f32[] parameter(0), metadata={source_line=3000000000}
                                                ^)hlo"},
    {"unterminated string",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), metadata={op_name="x}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:45: unterminated string
  x = f32[] parameter(0), metadata={op_name="x}
                                            ^)hlo"},
    {"bad escape",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), metadata={op_name="\q"}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:45: unknown escape \q in a string
  x = f32[] parameter(0), metadata={op_name="\q"}
                                            ^)hlo"},
    {"frontend attribute twice",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), frontend_attributes={a="1",a="2"}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:59: second value for "a"
  x = f32[] parameter(0), frontend_attributes={a="1",a="2"}
                                                          ^)hlo"},
    {"frontend attribute without quotes",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), frontend_attributes={a=1}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:50: expected a string in quotation marks or {...}
  x = f32[] parameter(0), frontend_attributes={a=1}
                                                 ^)hlo"},
    {"backend config",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), backend_config=7
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:42: expected a string in quotation marks or {...}
  x = f32[] parameter(0), backend_config=7
                                         ^)hlo"},
    {"braces that do not balance",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), backend_config={"a":{}
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:2: expected an instruction before the end of the text
}
 ^)hlo"},
    {"control edge to nothing",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), control-predecessors={y}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:49: no instruction "y" before this one
  x = f32[] parameter(0), control-predecessors={y}
                                                ^)hlo"},
    {"statistics without an index",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), statistics={max=1}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:39: visualizing_index comes first
  x = f32[] parameter(0), statistics={max=1}
                                      ^)hlo"},
    {"origin",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), origin={"x"}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:35: expected '{'
  x = f32[] parameter(0), origin={"x"}
                                  ^)hlo"},
    {"replication of another shape",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), parameter_replication={true,false}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:27: parameter_replication has 2 flags but the shape has 1 leaves
  x = f32[] parameter(0), parameter_replication={true,false}
                          ^)hlo"},
    {"accuracy of an exact op",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] negate(x), result_accuracy={mode=highest}
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:24: unknown attribute "result_accuracy" for "negate" (it takes none)
  y = f32[] negate(x), result_accuracy={mode=highest}
                       ^)hlo"},
    {"unknown accuracy mode",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] tanh(x), result_accuracy={mode=low}
})hlo",
R"hlo(INVALID_ARGUMENT: t 4:44: unknown accuracy mode "low"; it is one of: default, highest
  y = f32[] tanh(x), result_accuracy={mode=low}
                                           ^)hlo"},
    {"unknown sharding",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), sharding={replicate}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:37: expected a sharding: replicated, manual, unknown, unreduced, maximal, devices=... or mesh[...]
  x = f32[] parameter(0), sharding={replicate}
                                    ^)hlo"},
    {"sharding with too few devices",
R"hlo(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0), sharding={devices=[2,2]0,1,2}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:58: lists 3 devices but the tiles [2,2] need 4
  x = f32[4,4] parameter(0), sharding={devices=[2,2]0,1,2}
                                                         ^)hlo"},
    {"sharding with a device twice",
R"hlo(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0), sharding={devices=[2,2]0,1,2,2}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:60: device 2 is there twice
  x = f32[4,4] parameter(0), sharding={devices=[2,2]0,1,2,2}
                                                           ^)hlo"},
    {"sharding with an iota of another size",
R"hlo(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0), sharding={devices=[2,2]<=[5]}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:57: lists 5 devices but the tiles [2,2] need 4
  x = f32[4,4] parameter(0), sharding={devices=[2,2]<=[5]}
                                                        ^)hlo"},
    {"sharding with axes that overlap",
R"hlo(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0), sharding={mesh['x'=4], [{'x'}, {}], manual={'x'}}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:78: axes 'x' and 'x' overlap
  x = f32[4,4] parameter(0), sharding={mesh['x'=4], [{'x'}, {}], manual={'x'}}
                                                                             ^)hlo"},
    {"sharding with an unknown axis",
R"hlo(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0), sharding={mesh['model'=4], [{'mode'}, {}]}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:59: the mesh has no axis "mode" (did you mean "model"?)
  x = f32[4,4] parameter(0), sharding={mesh['model'=4], [{'mode'}, {}]}
                                                          ^)hlo"},
    {"constant with too few elements",
R"hlo(HloModule m
ENTRY e {
  x = f32[3] constant({1, 2})
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:28: too few elements in dimension 0 of f32[3]
  x = f32[3] constant({1, 2})
                           ^)hlo"},
    {"constant with too many elements",
R"hlo(HloModule m
ENTRY e {
  x = f32[1] constant({1, 2})
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:27: too many elements in dimension 0 of f32[1]
  x = f32[1] constant({1, 2})
                          ^)hlo"},
    {"constant out of range",
R"hlo(HloModule m
ENTRY e {
  x = s8[] constant(128)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:21: 128 is out of the range of s8
  x = s8[] constant(128)
                    ^)hlo"},
    {"decimal for an integer",
R"hlo(HloModule m
ENTRY e {
  x = s32[] constant(1.5)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:22: 1.5 is not an integer, as s32 needs
  x = s32[] constant(1.5)
                     ^)hlo"},
    {"elided terabyte",
R"hlo(HloModule m
ENTRY e {
  x = f32[1099511627776] constant({...})
})hlo",
R"hlo(RESOURCE_EXHAUSTED: t 3:39: elided constants of more than 256 MiB
  x = f32[1099511627776] constant({...})
                                      ^)hlo"},
    {"unterminated comment",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0) /* no end
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:26: comment without its '*/'
  x = f32[] parameter(0) /* no end
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
    {"parameter of a single instruction",
R"hlo(f32[4] negate(x))hlo",
R"hlo(INVALID_ARGUMENT: t 1:15: parameter "x" needs its shape
f32[4] negate(x)
              ^)hlo"},
    {"text after a single instruction",
R"hlo(f32[4] negate(f32[4] x)
f32[4] negate(f32[4] x))hlo",
R"hlo(INVALID_ARGUMENT: t 2:1: expected the end of the text after its one instruction
f32[4] negate(f32[4] x)
^)hlo"},
    {"unknown computation attribute",
R"hlo(HloModule m
f { ROOT x = f32[] parameter(0) }, thread)hlo",
R"hlo(INVALID_ARGUMENT: t 2:36: expected execution_thread=
f { ROOT x = f32[] parameter(0) }, thread
                                   ^)hlo"},
    {"sharding of two kinds",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), sharding={replicated manual}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:48: "manual" beside another kind of sharding
  x = f32[] parameter(0), sharding={replicated manual}
                                               ^)hlo"},
    {"mesh axis twice",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0), sharding={mesh['x'=2,'x'=2], replicated}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:53: axis 'x' is there twice
  x = f32[] parameter(0), sharding={mesh['x'=2,'x'=2], replicated}
                                                    ^)hlo"},
    {"part of a mesh axis that does not divide",
R"hlo(HloModule m
ENTRY e {
  x = f32[4] parameter(0), sharding={mesh['x'=4], [{'x':(1)3}]}
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:60: (1)3 is not a part of axis 'x' of size 4
  x = f32[4] parameter(0), sharding={mesh['x'=4], [{'x':(1)3}]}
                                                           ^)hlo"},
    {"shape tuple not closed",
R"hlo(HloModule m
ENTRY e {
  x = (f32[], s32[] parameter(0)
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:21: expected ','
  x = (f32[], s32[] parameter(0)
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

TEST(ParseErrors, NameThePlaceAndWhatIsWrong) {
  static_assert(std::size(kRows) >= 60);
  for (const ErrorRow& row : kRows) {
    EXPECT_EQ(Parse(row.text, {.label = "t"}).status().ToString(), row.expected) << row.what;
  }
}

TEST(ParseErrors, PlannedOperationsAreUnimplemented) {
  for (std::string_view name : PlannedOps()) {
    const std::string text =
        StrCat("HloModule m\nENTRY e { x = f32[] parameter(0) y = f32[] ", name, "(x) }");
    const Status status = Parse(text).status();
    EXPECT_EQ(status.code(), StatusCode::kUnimplemented) << name;
    EXPECT_TRUE(status.message().starts_with(StrCat(name, " is not implemented yet"))) << name;
  }
}

TEST(ParseErrors, AttributesThatAreNotImplemented) {
  const auto error = [](std::string_view op) {
    const Status status =
        Parse(StrCat("ENTRY e { x = f32[2,2] parameter(0)\ny = f32[2,2] ", op, " }")).status();
    return status.ToString().substr(0, status.ToString().find('\n'));
  };
  EXPECT_EQ(error("dot(x, x), sparsity_config={lhs={sparsity=2x4 dimension=1 stride=1 idx=2}}"),
            "UNIMPLEMENTED: hlo text 2:25: dot: sparsity_config is not implemented");
  EXPECT_EQ(error("dot(x, x), sparsity=L.1@2:4"),
            "UNIMPLEMENTED: hlo text 2:25: dot: sparsity is not implemented");
  EXPECT_EQ(error("convolution(x, x, x), dim_labels=bf_io->bf, sparsity_config={}"),
            "UNIMPLEMENTED: hlo text 2:58: convolution: sparsity_config is not implemented");
}

TEST(ParseErrors, LabelIsHloTextUnlessGiven) {
  EXPECT_EQ(Parse("").status().ToString(),
            "INVALID_ARGUMENT: hlo text 1:1: the module has no computation\n\n^");
}

TEST(ParseErrors, NulByte) {
  using namespace std::string_view_literals;
  EXPECT_EQ(Parse("HloModule m\nENTRY e { x = f32[] \0parameter(0) }"sv).status().ToString(),
            "INVALID_ARGUMENT: hlo text 2:21: NUL byte\nENTRY e { x = f32[] ?parameter(0) }\n"
            "                    ^");
}

}  // namespace
}  // namespace axle
