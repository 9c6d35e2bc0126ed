// Computations with calls and branches as lane programs: the bits of running them as they stand.
#include "axle/ops/lanes/straight_line.h"

#include <gtest/gtest.h>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

// The scalars of a value, in order.
void AppendScalars(const Literal& value, std::vector<Literal>& scalars) {
  if (!value.shape().is_tuple()) return scalars.push_back(value);
  for (const Literal& element : value.elements()) AppendScalars(element, scalars);
}

void ExpectSame(std::string_view text, const std::vector<Literal>& arguments) {
  SCOPED_TRACE(text);
  const auto module = Parse(text);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto lanes = CompileScalarComputation(*(*module)->entry());
  ASSERT_TRUE(lanes.has_value());
  const auto expected = Evaluate(**module, arguments);
  ASSERT_TRUE(expected.ok());
  std::vector<Literal> wanted, results;
  AppendScalars(*expected, wanted);
  std::vector<const void*> inputs;
  for (const Literal& argument : arguments) inputs.push_back(argument.bytes());
  std::vector<void*> outputs;
  for (const Literal& scalar : wanted) results.emplace_back(scalar.shape());
  for (Literal& result : results) outputs.push_back(result.mutable_bytes());
  ASSERT_EQ(lanes->outputs.size(), results.size());
  ScalarExecutor(*lanes).Run(inputs, outputs);
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i], wanted[i]) << results[i].ToString() << " " << wanted[i].ToString();
  }
}

constexpr std::string_view kHelpers = R"(HloModule m
twice { x = f32[] parameter(0)  ROOT y = f32[] add(x, x) }
halves { x = f32[] parameter(0)  h = f32[] constant(0.5)  y = f32[] multiply(x, h)
  t = (f32[], f32[]) tuple(x, h)  ROOT r = (f32[], (f32[], f32[])) tuple(y, t) }
swap { p = (f32[], s32[]) parameter(0)  x = f32[] get-tuple-element(p), index=0
  i = s32[] get-tuple-element(p), index=1  y = f32[] convert(i)  j = s32[] convert(x)
  ROOT r = (f32[], s32[]) tuple(y, j) }
as_it_is { ROOT p = (f32[], s32[]) parameter(0) }
count { p = (f32[], s32[]) parameter(0)  x = f32[] get-tuple-element(p), index=0
  i = s32[] get-tuple-element(p), index=1  one = s32[] constant(1)  j = s32[] add(i, one)
  ROOT r = (f32[], s32[]) tuple(x, j) }
below { p = (f32[], s32[]) parameter(0)  i = s32[] get-tuple-element(p), index=1
  n = s32[] constant(3)  ROOT r = pred[] compare(i, n), direction=LT }
rows { x = f32[2] parameter(0)  ROOT y = f32[2] negate(x) }
ENTRY e {
  x = f32[] parameter(0)
  i = s32[] parameter(1)
)";

TEST(StraightLine, CallsAndBranches) {
  for (const std::string_view body : {
           "a = f32[] call(x), to_apply=twice  b = f32[] call(a), to_apply=twice\n"
           "  ROOT r = (f32[], f32[]) tuple(a, b)",
           "t = (f32[], s32[]) tuple(x, i)  zero = f32[] constant(0)\n"
           "  p = pred[] compare(x, zero), direction=LT\n"
           "  ROOT r = (f32[], s32[]) conditional(p, t, t), true_computation=swap, "
           "false_computation=count",
           "t = (f32[], s32[]) tuple(x, i)\n"
           "  ROOT r = (f32[], s32[]) conditional(i, t, t, t), branch_computations={swap, "
           "as_it_is, count}",
           "t = (f32[], s32[]) tuple(x, i)\n"
           "  u = (f32[], s32[]) conditional(i, t, t), branch_computations={count, swap}\n"
           "  j = s32[] get-tuple-element(u), index=1\n"
           "  v = (f32[], s32[]) conditional(j, u, t, u), branch_computations={as_it_is, count, "
           "as_it_is}\n  y = f32[] get-tuple-element(v), index=0  k = s32[] get-tuple-element(v), "
           "index=1\n  ROOT r = (s32[], f32[], s32[]) tuple(k, y, j)",
           "ROOT r = f32[] conditional(i, x), branch_computations={twice}",
           // Detours.
           "a = s32[] bitcast(x)  ROOT r = pred[] compare(a, i), direction=LT",
           "a = f32[1] bitcast(x)  b = f32[1] negate(a)  c = f32[1,1] reshape(b)\n"
           "  d = f32[] reshape(c)  ROOT r = (f32[], f32[]) tuple(d, x)",
           "a = f32[] reshape(x)  b = f32[] transpose(a), dimensions={}\n"
           "  c = f32[1] broadcast(b), dimensions={}  k = f32[1] constant({2.5})\n"
           "  d = f32[1] multiply(c, k)  e = f32[1] slice(d), slice={[0:1]}\n"
           "  f = f32[1] reverse(e), dimensions={0}  ROOT r = f32[] reshape(f)",
           "t = (f32[], s32[]) tuple(x, i)  u = (f32[], s32[]) opt-barrier(t)\n"
           "  y = f32[] get-tuple-element(u), index=0  ROOT r = f32[] ceil(y)",
           "a = u8[] convert(i)  b = f8e5m2[] bitcast(a)  ROOT r = f32[] convert(b)",
       }) {
    for (const std::string_view x : {"-1.5", "0", "-0.0", "3e9", "nan", "inf"}) {
      for (const std::string_view i : {"-1", "0", "1", "2", "3", "-2147483648"}) {
        ExpectSame(StrCat(kHelpers, "  ", body, "\n}"),
                   {*ParseLiteral(StrCat("f32[] ", x)), *ParseLiteral(StrCat("s32[] ", i))});
      }
    }
  }
}

TEST(StraightLine, TheRestIsNone) {
  for (const std::string_view body : {
           // Nothing to do.
           "ROOT r = f32[] negate(x)",
           // A loop, an array, nested tuples.
           "t = (f32[], s32[]) tuple(x, i)\n  ROOT r = (f32[], s32[]) while(t), condition=below, "
           "body=count",
           "b = f32[2] broadcast(x), dimensions={}\n  ROOT r = f32[2] call(b), to_apply=rows",
           "y = f32[2] broadcast(x), dimensions={}  z = f32[] call(x), to_apply=twice\n"
           "  ROOT r = (f32[2], f32[]) tuple(y, z)",
           "ROOT r = (f32[], (f32[], f32[])) call(x), to_apply=halves",
       }) {
    const std::string text = StrCat(kHelpers, "  ", body, "\n}");
    const auto module = Parse(text);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    EXPECT_EQ(StraightLine(*(*module)->entry(), kMaxLaneOps), nullptr) << body;
  }
}

// Each computation calls the one before it twice: 2^60 calls.
TEST(StraightLine, CallsOfCallsStayFew) {
  std::string text = "HloModule m\nf0 { x = f32[] parameter(0)  ROOT t = (f32[]) tuple(x) }\n";
  constexpr int kDepth = 60;
  for (int i = 1; i <= kDepth; ++i) {
    StrAppend(text, i == kDepth ? "ENTRY " : "", "f", i, " { x = f32[] parameter(0)  a = (f32[]) ",
              "call(x), to_apply=f", i - 1, "  ROOT b = (f32[]) call(x), to_apply=f", i - 1,
              " }\n");
  }
  const auto module = Parse(text);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(StraightLine(*(*module)->entry(), kMaxLaneOps), nullptr);
}

// A long chain of calls is no deep recursion.
TEST(StraightLine, ChainsOfCallsEnd) {
  for (const int length : {10, 100'000}) {
    std::string text = "HloModule m\nc0 { x = f32[] parameter(0)  ROOT y = f32[] negate(x) }\n";
    for (int i = 1; i < length; ++i) {
      text += StrCat("c", i, " { x = f32[] parameter(0)  ROOT y = f32[] call(x), to_apply=c", i - 1,
                     " }\n");
    }
    text += StrCat("ENTRY e { x = f32[] parameter(0)  ROOT y = f32[] call(x), to_apply=c",
                   length - 1, " }");
    const auto module = Parse(text);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    EXPECT_EQ(CompileScalarComputation(*(*module)->entry()).has_value(), length == 10);
  }
}

}  // namespace
}  // namespace axle
