// Sends and recvs of one device that wait for each other.
#include <gtest/gtest.h>

#include "axle/axle.h"
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
            "send needs what the recv-done gives; operand (f32[], u32[], token[])");
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

}  // namespace
}  // namespace axle
