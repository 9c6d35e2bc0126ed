// Sends and recvs of one device that wait for each other.
#include <gtest/gtest.h>

#include "axle/axle.h"
#include "axle/client/host_device.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

std::string RunHere(std::string_view body) {
  std::string text(StrCat("HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n", body, "}\n"));
  std::string texts[2];
  for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kDefault}) {
    const auto client = Client::Create();
    EXPECT_TRUE(client.ok());
    const auto executable = (*client)->Compile(text, {.engine = engine});
    if (!executable.ok()) return executable.status().message();
    Limits limits;
    limits.set_time_limit(20);
    const StatusOr<Literal> result =
        (*executable)->Execute({Literal::Scalar(F32, 3.0F)}, {.limits = &limits});
    texts[engine == EngineKind::kDefault] =
        result.ok() ? result->ToString() : result.status().ToString();
  }
  EXPECT_EQ(texts[0], texts[1]);
  return texts[0];
}

TEST(TransferOrder, ASendGoesBeforeItsRecvDone) {
  EXPECT_EQ(RunHere(R"(
  t = token[] after-all()
  r = (f32[], u32[], token[]) recv(t), channel_id=1
  rd = (f32[], token[]) recv-done(r), channel_id=1
  v = f32[] get-tuple-element(rd), index=0
  y = f32[] add(x, x)
  s = (f32[], u32[], token[]) send(y, t), channel_id=1
  sd = token[] send-done(s), channel_id=1
  ROOT z = f32[] add(v, x)
)"),
            "9");
}

// The second recv takes what the second send gives, which needs what the first one gave.
TEST(TransferOrder, AChannelIsALine) {
  EXPECT_EQ(RunHere(R"(
  t = token[] after-all()
  r = (f32[], u32[], token[]) recv(t), channel_id=1
  rd = (f32[], token[]) recv-done(r), channel_id=1
  v = f32[] get-tuple-element(rd), index=0
  t2 = token[] get-tuple-element(rd), index=1
  r2 = (f32[], u32[], token[]) recv(t2), channel_id=1
  rd2 = (f32[], token[]) recv-done(r2), channel_id=1
  v2 = f32[] get-tuple-element(rd2), index=0
  s = (f32[], u32[], token[]) send(x, t), channel_id=1
  sd = token[] send-done(s), channel_id=1
  w = f32[] multiply(v, x)
  send.2 = (f32[], u32[], token[]) send(w, sd), channel_id=1
  sd.2 = token[] send-done(send.2), channel_id=1
  ROOT z = f32[] add(v2, v)
)"),
            "12");
}

TEST(TransferOrder, ADeadlockIsReported) {
  EXPECT_EQ(RunHere(R"(
  t = token[] after-all()
  r = (f32[], u32[], token[]) recv(t), channel_id=1
  rd = (f32[], token[]) recv-done(r), channel_id=1
  v = f32[] get-tuple-element(rd), index=0
  s = (f32[], u32[], token[]) send(v, t), channel_id=1
  sd = token[] send-done(s), channel_id=1
  ROOT z = f32[] add(v, x)
)"),
            "recv-done: a deadlock: recv-done \"rd\" for send \"s\" of channel 1 waits, and the "
            "send needs the result of the recv-done; operand (f32[], u32[], token[])");
  EXPECT_EQ(RunHere(R"(
  t = token[] after-all()
  r = (f32[], u32[], token[]) recv(t), channel_id=1
  rd = (f32[], token[]) recv-done(r), channel_id=1
  t1 = token[] get-tuple-element(rd), index=1
  send.2 = (f32[], u32[], token[]) send(x, t1), channel_id=2
  sd.2 = token[] send-done(send.2), channel_id=2
  r2 = (f32[], u32[], token[]) recv(t), channel_id=2
  rd2 = (f32[], token[]) recv-done(r2), channel_id=2
  t2 = token[] get-tuple-element(rd2), index=1
  s = (f32[], u32[], token[]) send(x, t2), channel_id=1
  ROOT sd = token[] send-done(s), channel_id=1
)"),
            "recv-done: a deadlock: recv-done \"rd\" for send \"s\" of channel 1, recv-done "
            "\"rd2\" for send \"send.2\" of channel 2 wait for each other; "
            "operand (f32[], u32[], token[])");
}

constexpr std::string_view kRecv = R"(HloModule takes
ENTRY e {
  t = token[] after-all()
  r = (f32[], u32[], token[]) recv(t), channel_id=7
  d = (f32[], token[]) recv-done(r), channel_id=7
  ROOT x = f32[] get-tuple-element(d), index=0
}
)";
constexpr std::string_view kSend = R"(HloModule gives
ENTRY e {
  x = f32[] parameter(0)
  t = token[] after-all()
  s = (f32[], u32[], token[]) send(x, t), channel_id=7
  ROOT d = token[] send-done(s), channel_id=7
}
)";
constexpr std::string_view kNobody =
    "recv: deadlock: no program sends to channel 7; compile the one that does, with "
    "the same client, before this one runs; for a value of the host, recv and recv-done say "
    "is_host_transfer=true";

// What nobody can send is not waited for. Limits would end a wait with another error.
TEST(TransferOrder, ARecvThatNobodySendsToIsAnError) {
  for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kDefault}) {
    const auto client = *Client::Create();
    const auto takes = *client->Compile(kRecv, {.engine = engine});
    Limits limits;
    limits.set_time_limit(20);
    const auto alone = takes->Execute(std::vector<Literal>(), {.limits = &limits});
    EXPECT_EQ(alone.status().code(), StatusCode::kInvalidArgument);
    EXPECT_TRUE(alone.status().message().starts_with(kNobody)) << alone.status().message();
    // In a branch that is not taken it harms nobody.
    const auto branch = *client->Compile(StrCat(R"(HloModule m
a { p = f32[] parameter(0)
  t = token[] after-all()
  r = (f32[], u32[], token[]) recv(t), channel_id=8
  d = (f32[], token[]) recv-done(r), channel_id=8
  ROOT x = f32[] get-tuple-element(d), index=0 }
b { ROOT p = f32[] parameter(0) }
ENTRY e { p = pred[] parameter(0)  x = f32[] constant(2)
  ROOT c = f32[] conditional(p, x, x), true_computation=a, false_computation=b })"),
                                         {.engine = engine});
    const auto run = [&](bool taken) {
      return branch->Execute({LiteralUtil::CreateR0<bool>(taken)}, {.limits = &limits});
    };
    EXPECT_EQ(run(false)->ToString(), "2");
    EXPECT_EQ(run(true).status().code(), StatusCode::kInvalidArgument);
    // Another program of the client sends, before or after.
    const auto gives = *client->Compile(kSend, {.engine = engine});
    ASSERT_TRUE(gives->Execute({Literal::Scalar(F32, 3.0F)}, {.limits = &limits}).ok());
    ASSERT_TRUE(gives->Execute({Literal::Scalar(F32, 4.0F)}, {.limits = &limits}).ok());
    // The recv that failed has left its place.
    EXPECT_EQ(takes->Execute(std::vector<Literal>(), {.limits = &limits})->ToString(), "3");
    EXPECT_EQ(takes->Execute(std::vector<Literal>(), {.limits = &limits})->ToString(), "4");
    Limits brief;
    brief.set_time_limit(0.05);
    EXPECT_EQ(takes->Execute(std::vector<Literal>(), {.limits = &brief}).status().code(),
              StatusCode::kDeadlineExceeded);
  }
}

// In a hub of the user's others may send.
TEST(TransferOrder, ARecvOfASharedHubWaits) {
  const auto hub = std::make_shared<TransferHub>(1 << 20, 1 << 10);
  const auto client = *Client::Create({.device = {.hub = hub}});
  const auto takes = *client->Compile(kRecv);
  Limits brief;
  brief.set_time_limit(0.05);
  EXPECT_EQ(takes->Execute(std::vector<Literal>(), {.limits = &brief}).status().code(),
            StatusCode::kDeadlineExceeded);
}

TEST(TransferOrder, AHostThatDoesNotFeedIsNotWaitedFor) {
  const auto client = *Client::Create({.device = {.queue_capacity = 64, .waits_for_host = false}});
  const auto executable = *client->Compile(R"(HloModule feeds
ENTRY e {
  t = token[] after-all()
  i = ((f32[2], s32[]), token[]) infeed(t)
  v = (f32[2], s32[]) get-tuple-element(i), index=0
  t1 = token[] get-tuple-element(i), index=1
  r = (f32[2], u32[], token[]) recv(t1), channel_id=1, is_host_transfer=true
  d = (f32[2], token[]) recv-done(r), channel_id=1, is_host_transfer=true
  x = f32[2] get-tuple-element(d), index=0
  t2 = token[] get-tuple-element(d), index=1
  s = (f32[2], u32[], token[]) send(x, t2), channel_id=2, is_host_transfer=true
  sd = token[] send-done(s), channel_id=2, is_host_transfer=true
  o = token[] outfeed(v, sd), outfeed_shape=(f32[2], s32[])
  ROOT w = f32[2] get-tuple-element(v), index=0
}
)");
  const auto run = [&] {
    Limits limits;
    limits.set_time_limit(20);
    const auto result = executable->Execute(std::vector<Literal>(), {.limits = &limits});
    return result.ok() ? result->ToString() : result.status().ToString();
  };
  const Literal pair = *ParseLiteral("(f32[2], s32[]) ({1, 2}, 3)");
  const Literal array = *ParseLiteral("f32[2] {5, 6}");
  EXPECT_TRUE(
      run().starts_with("INVALID_ARGUMENT: infeed: (f32[2], s32[]) is asked for, and the "
                        "queue has 0 arrays; all that is taken must be put there before"))
      << run();
  ASSERT_TRUE(client->TransferToInfeed(pair).ok());
  EXPECT_TRUE(
      run().starts_with("INVALID_ARGUMENT: recv: nothing is left in channel 1; all that is "
                        "taken must be sent before"));
  ASSERT_TRUE(client->device().SendToDevice(1, array).ok());
  ASSERT_TRUE(client->TransferToInfeed(pair).ok());
  EXPECT_EQ(run(), "{1, 2}");
  EXPECT_EQ(client->device().RecvFromDevice(2, array.shape())->ToString(), "{5, 6}");
  EXPECT_EQ(client->device().RecvFromDevice(2, array.shape()).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(client->TransferFromOutfeed(pair.shape())->ToString(), pair.ToString());
  EXPECT_EQ(client->TransferFromOutfeed(pair.shape()).status().code(),
            StatusCode::kInvalidArgument);
  // A full queue is not waited for either.
  while (client->TransferToInfeed(pair).ok()) {
  }
  EXPECT_EQ(client->TransferToInfeed(pair).code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace axle
