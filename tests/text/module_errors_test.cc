// Heads of modules, computations, and files of one instruction: the exact text of diagnostics:
// position, message, line and caret. One row, one reason.
#include "tests/text/test_text.h"

namespace axle {
namespace {

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
    {"unterminated comment",
R"hlo(HloModule m
ENTRY e {
  x = f32[] parameter(0) /* no end
})hlo",
R"hlo(INVALID_ARGUMENT: t 3:26: comment without its '*/'
  x = f32[] parameter(0) /* no end
                         ^)hlo"},
    {"unknown computation attribute",
R"hlo(HloModule m
f { ROOT x = f32[] parameter(0) }, thread)hlo",
R"hlo(INVALID_ARGUMENT: t 2:36: expected execution_thread=
f { ROOT x = f32[] parameter(0) }, thread
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
};
// clang-format on

TEST(ParseErrors, ModulesAndComputations) {
  ExpectErrors(kRows);
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
