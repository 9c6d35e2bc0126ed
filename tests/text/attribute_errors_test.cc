// Attributes, of rows and of all instructions: the exact text of diagnostics: position, message,
// line and caret. One row, one reason.
#include "axle/core/strings.h"
#include "tests/text/test_text.h"

namespace axle {
namespace {

// clang-format off
const ErrorRow kRows[] = {
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
};
// clang-format on

TEST(ParseErrors, Attributes) {
  ExpectErrors(kRows);
}

}  // namespace
}  // namespace axle
