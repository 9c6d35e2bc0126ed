// What case tables cannot show of control flow: steps are counted, and loop state is not copied.
#include <gtest/gtest.h>

#include <cstdint>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/op_def.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

// Adds 1 to one element of an array in each of `iterations`.
std::string LoopText(i64 size, i64 iterations) {
  return StrCat(R"(HloModule m
condition { s = (s32[], f32[)",
                size, R"(]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant()",
                iterations, R"()  ROOT r = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[)",
                size, R"(]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  a = f32[)",
                size, R"(] get-tuple-element(s), index=1
  x = f32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}
  one = f32[1] constant({1})  y = f32[1] add(x, one)
  b = f32[)",
                size, R"(] dynamic-update-slice(a, y, i)
  step = s32[] constant(1)  j = s32[] add(i, step)
  ROOT r = (s32[], f32[)",
                size, R"(]) tuple(j, b) }
ENTRY main { i = s32[] parameter(0)  a = f32[)",
                size, R"(] parameter(1)
  s = (s32[], f32[)",
                size, R"(]) tuple(i, a)
  ROOT w = (s32[], f32[)",
                size, R"(]) while(s), condition=condition, body=body })");
}

StatusOr<Literal> RunLoop(i64 size, i64 iterations, Limits* limits = nullptr) {
  AXLE_ASSIGN(const std::unique_ptr<Module> module, Parse(LoopText(size, iterations)));
  const Literal arguments[] = {Literal::Scalar<std::int32_t>(S32, 0), Literal(Shape(F32, {size}))};
  return Evaluate(*module, arguments, {.limits = limits});
}

TEST(While, LoopsUntilTheConditionFails) {
  const auto result = RunLoop(8, 5);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->ToString(), "( 5, {1, 1, 1, 1, 1, 0, 0, 0} )");
}

TEST(While, ReportsTheStepLimit) {
  Limits limits;
  limits.set_step_limit(100);
  EXPECT_EQ(RunLoop(8, 1000000000, &limits).status().code(), StatusCode::kResourceExhausted);
}

TEST(While, StopsWhenCancelled) {
  Limits limits;
  limits.Cancel();
  EXPECT_EQ(RunLoop(8, 1000000000, &limits).status().code(), StatusCode::kCancelled);
}

// Counts to `limit` in an s32[] state and notes whether each state was handed over, not copied.
class CountingBody : public Callee {
 public:
  StatusOr<Literal> Call(std::span<Literal> args) override {
    was_unique = was_unique && args[0].is_unique();
    ++args[0].mutable_data<std::int32_t>()[0];
    return std::move(args[0]);
  }
  const LaneProgram* lanes() override { return nullptr; }
  bool was_unique = true;
};
class BelowLimit : public Callee {
 public:
  StatusOr<Literal> Call(std::span<Literal> args) override {
    return Literal::Scalar<bool>(PRED, args[0].data<std::int32_t>()[0] < 5);
  }
  const LaneProgram* lanes() override { return nullptr; }
};

TEST(While, HandsItsStateOverToTheBody) {
  const auto module = Parse(R"(HloModule m
below { s = s32[] parameter(0)  n = s32[] constant(5)  ROOT r = pred[] compare(s, n), direction=LT }
next { s = s32[] parameter(0)  one = s32[] constant(1)  ROOT r = s32[] add(s, one) }
ENTRY main { s = s32[] parameter(0)  ROOT w = s32[] while(s), condition=below, body=next })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const Instruction& inst = *(*module)->entry()->root();
  BelowLimit condition;
  CountingBody body;
  Callee* const callees[] = {&condition, &body};
  BlockExecutor executor;
  Literal state = Literal::Scalar<std::int32_t>(S32, 0);
  const std::byte* const storage = state.bytes();
  const auto result =
      GetOpDef(inst).eval(inst, {&state, 1}, {.callees = callees, .executor = executor});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->ToString(), "5");
  EXPECT_TRUE(body.was_unique);
  EXPECT_EQ(result->bytes(), storage);
}

TEST(GetTupleElement, TakesTheElementOutOfAnUnsharedTuple) {
  const auto module = Parse(R"(HloModule m
ENTRY main { t = (f32[2], s32[]) parameter(0)  ROOT e = get-tuple-element(t), index=0 })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const Instruction& inst = *(*module)->entry()->root();
  Literal tuple = Literal::Tuple({Literal(Shape(F32, {2})), Literal(Shape(S32))});
  const std::byte* const storage = tuple.element(0).bytes();
  BlockExecutor executor;
  const auto element =
      GetOpDef(inst).eval(inst, {&tuple, 1}, {.callees = {}, .executor = executor});
  ASSERT_TRUE(element.ok());
  EXPECT_EQ(element->bytes(), storage);
  EXPECT_TRUE(element->is_unique());
}

}  // namespace
}  // namespace axle
