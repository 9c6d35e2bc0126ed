// The client's device: custom calls, infeed and outfeed through the client.
#include <gtest/gtest.h>

#include <thread>

#include "axle/client/client.h"
#include "axle/runtime/host_device.h"

namespace axle {
namespace {

constexpr std::string_view kLoop = R"(HloModule loop

goes_on {
  s = (s32[], token[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(50)
  ROOT r = pred[] compare(i, n), direction=LT
}

next {
  s = (s32[], token[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  t = token[] get-tuple-element(s), index=1
  fed = (s32[], token[]) infeed(t)
  x = s32[] get-tuple-element(fed), index=0
  t2 = token[] get-tuple-element(fed), index=1
  y = s32[] custom-call(x), custom_call_target="add_one"
  t3 = token[] outfeed(y, t2)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT r = (s32[], token[]) tuple(j, t3)
}

ENTRY main {
  zero = s32[] constant(0)
  t = token[] after-all()
  init = (s32[], token[]) tuple(zero, t)
  w = (s32[], token[]) while(init), condition=goes_on, body=next
  ROOT r = s32[] get-tuple-element(w), index=0
}
)";

void AddOne(void* out, void** in) {
  *static_cast<std::int32_t*>(out) = *static_cast<const std::int32_t*>(in[0]) + 1;
}

TEST(ClientDevice, CustomCallsAreLookedUpWhenAProgramIsCompiled) {
  constexpr std::string_view kCall =
      "ENTRY e { x = s32[] parameter(0)  ROOT r = s32[] custom-call(x), "
      "custom_call_target=\"add_one\" }";
  const auto client = *Client::Create();
  EXPECT_EQ(client->Compile(kCall).status().ToString(),
            "NOT_FOUND: custom-call: no target \"add_one\" is registered for platform Host; "
            "operand s32[]");
  HostDevice other;
  ASSERT_TRUE(other.custom_calls().Register("add_one", AddOne).ok());
  const auto executable = client->Compile(kCall, {.device = &other});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  const Literal one = Literal::Scalar<std::int32_t>(S32, 1);
  EXPECT_EQ((*executable)->Execute({&one, 1}, {.device = &other})->ToString(), "2");
}

TEST(ClientDevice, AProgramTalksWithTheHost) {
  const auto client = *Client::Create();
  ASSERT_TRUE(client->RegisterCustomCall("add_one", AddOne).ok());
  EXPECT_EQ(client->RegisterCustomCall("add_one", AddOne).ToString(),
            "ALREADY_EXISTS: register: custom-call target \"add_one\" is registered already");
  const auto executable = client->Compile(kLoop);
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  StatusOr<Literal> result = Literal();
  std::thread run([&] { result = (*executable)->Execute({}); });
  std::thread feeder([&] {
    for (std::int32_t i = 0; i < 50; ++i) {
      EXPECT_TRUE(client->TransferToInfeed(Literal::Scalar(S32, i)).ok());
    }
  });
  for (std::int32_t i = 0; i < 50; ++i) {
    const auto value = client->TransferFromOutfeed(Shape(S32));
    ASSERT_TRUE(value.ok()) << value.status().message();
    EXPECT_EQ(value->data<std::int32_t>()[0], i + 1);
  }
  feeder.join();
  run.join();
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->data<std::int32_t>()[0], 50);
}

// What goes wrong in one execution is its status; the queues and the next execution do not mind.
TEST(ClientDevice, ExecutionsFailOneByOne) {
  const auto client = *Client::Create();
  ASSERT_TRUE(client->RegisterCustomCall("add_one", AddOne).ok());
  HostDevice knows_both;  // the program is compiled for this one, and runs on the client's
  ASSERT_TRUE(knows_both.custom_calls().Register("add_one", AddOne).ok());
  ASSERT_TRUE(knows_both.custom_calls().Register("nobody", AddOne).ok());
  const auto executable = *client->Compile(R"(
ENTRY e { t = token[] after-all()  i = (s32[], token[]) infeed(t)
  x = s32[] get-tuple-element(i), index=0  u = token[] get-tuple-element(i), index=1
  p = pred[] parameter(0)  known = s32[] conditional(p, x, x), true_computation={
    a = s32[] parameter(0)  ROOT r = s32[] custom-call(a), custom_call_target="add_one" },
    false_computation={
    a = s32[] parameter(0)  ROOT r = s32[] custom-call(a), custom_call_target="nobody" }
  o = token[] outfeed(known, u)  ROOT r = s32[] copy(known) })",
                                           {.device = &knows_both});
  const auto run = [&](bool known, Limits* limits = nullptr) {
    const Literal argument = Literal::Scalar(PRED, known);
    const auto result = executable->Execute({&argument, 1}, {.limits = limits});
    return result.ok() ? StatusCode::kOk : result.status().code();
  };
  const auto feed = [&](std::int32_t x) {
    EXPECT_TRUE(client->TransferToInfeed(Literal::Scalar(S32, x)).ok());
  };
  feed(1);
  EXPECT_EQ(run(false), StatusCode::kNotFound);
  Limits limits;
  limits.Cancel();
  EXPECT_EQ(run(true, &limits), StatusCode::kCancelled);
  EXPECT_TRUE(client->TransferToInfeed(Literal::Scalar(F32, 2.0f)).ok());
  EXPECT_EQ(run(true), StatusCode::kInvalidArgument);
  client->device().infeed().Clear();
  feed(3);
  EXPECT_EQ(run(true), StatusCode::kOk);
  EXPECT_EQ(client->TransferFromOutfeed(Shape(F32)).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(client->TransferFromOutfeed(Shape(S32))->data<std::int32_t>()[0], 4);
}

// Two clients have two devices; a device that is handed over goes before the client's.
TEST(ClientDevice, EveryClientHasItsOwn) {
  const auto first = *Client::Create(), second = *Client::Create();
  ASSERT_TRUE(first->RegisterCustomCall("add_one", AddOne).ok());
  constexpr std::string_view kCall =
      "ENTRY e { x = s32[] constant(1) ROOT r = s32[] custom-call(x), "
      "custom_call_target=\"add_one\" }";
  EXPECT_EQ(second->Compile(kCall).status().code(), StatusCode::kNotFound);
  const auto known = *first->Compile(kCall);
  const auto unknown = *second->Compile(kCall, {.device = &first->device()});
  EXPECT_TRUE(known->Execute({}).ok());
  EXPECT_EQ(unknown->Execute({}).status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(unknown->Execute({}, {.device = &first->device()}).ok());
  EXPECT_EQ(known->Execute({}, {.device = &DefaultDevice()}).status().code(),
            StatusCode::kNotFound);
}

TEST(ClientDevice, OutlivesTheClientWithItsExecutables) {
  auto client = *Client::Create();
  ASSERT_TRUE(client->TransferToInfeed(Literal::Scalar<std::int32_t>(S32, 7)).ok());
  const auto executable = *client->Compile(
      "ENTRY e { t = token[] after-all() i = (s32[], token[]) infeed(t) "
      "ROOT x = s32[] get-tuple-element(i), index=0 }");
  client = nullptr;
  const auto result = executable->Execute({});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->data<std::int32_t>()[0], 7);
}

}  // namespace
}  // namespace axle
