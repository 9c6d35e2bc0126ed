// A name that stands for nothing is named in the error, wherever a name may stand.
#include <gtest/gtest.h>

#include "axle/core/strings.h"
#include "tests/text/test_text.h"

namespace axle {
namespace {

struct Row {
  const char* op;
  const char* message;
};

// clang-format off
constexpr Row kRows[] = {
    {"r = f32[2] add(x, nope)", "no instruction \"nope\" before this one"},
    {"r = f32[2] add(x, f32[2] %nope)", "no instruction \"nope\" before this one"},
    {"r = f32[2] add(x, x), control-predecessors={%nope}", "no instruction \"nope\" before this one"},
    {"r = f32[2] call(x), to_apply=nope", "no computation \"nope\" before this one"},
    {"r = f32[2] call(x), to_apply={%nope}", "no computation \"nope\" before this one"},
    {"r = f32[2] call(x), to_apply={nope}", "no computation \"nope\" before this one"},
    {"r = f32[2] map(x), dimensions={0}, to_apply={%nope}", "no computation \"nope\" before this one"},
    {"r = f32[2] fusion(x), kind=kLoop, calls={%nope}", "no computation \"nope\" before this one"},
    {"r = f32[2] while(x), condition=%nope, body=%nope", "no computation \"nope\" before this one"},
    {"r = f32[2] while(x), condition={%nope}, body=%b", "no computation \"nope\" before this one"},
    {"r = f32[2] conditional(p, x, x), branch_computations={%b, %nope}", "no computation \"nope\" before this one"},
    {"r = f32[2] conditional(p, x, x), true_computation={%nope}, false_computation=%b", "no computation \"nope\" before this one"},
    {"r = f32[2] custom-call(x), custom_call_target=\"t\", called_computations={%nope}", "no computation \"nope\" before this one"},
    {"r = ((f32[2]), f32[2], s32[]) async-start(x), calls={%nope}", "no computation \"nope\" before this one"},
};
// clang-format on

TEST(UnknownNames, AreNamed) {
  for (const Row& row : kRows) {
    const std::string text = StrCat(
        "HloModule m\nb {\n  ROOT y = f32[2] parameter(0)\n}\nENTRY e {\n"
        "  x = f32[2] parameter(0)\n  p = pred[] constant(true)\n  ROOT ",
        row.op, "\n}\n");
    const std::string message(Parse(text).status().message());
    EXPECT_NE(message.find(row.message), std::string::npos) << row.op << "\n" << message;
  }
}

}  // namespace
}  // namespace axle
