// Sends and recvs between the devices of one run.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "axle/client/client.h"
#include "axle/core/paired_transfers.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

class Transfers : public testing::TestWithParam<EngineKind> {
 protected:
  // The results of a program on devices whose argument is f32[] 10 + d; or its error.
  std::vector<std::string> Run(std::string_view program, i64 replicas, i64 partitions = 1) {
    const auto executable = client_->Compile(
        program, {.engine = GetParam(), .replicas = replicas, .partitions = partitions});
    if (!executable.ok()) return {executable.status().ToString()};
    std::vector<std::vector<BufferPtr>> arguments;
    for (i64 d = 0; d < replicas * partitions; ++d) {
      const auto value = static_cast<float>(10 + d);
      arguments.push_back({*client_->BufferFromLiteral(Literal::Scalar<float>(F32, value), d)});
    }
    const auto results = (*executable)->ExecuteReplicated(arguments);
    if (!results.ok()) return {results.status().ToString()};
    std::vector<std::string> texts;
    for (const auto& result : *results) texts.push_back(result[0]->ToLiteral()->ToString());
    return texts;
  }
  using Texts = std::vector<std::string>;

  std::unique_ptr<Client> client_ = *Client::Create({.num_devices = 6});
};

INSTANTIATE_TEST_SUITE_P(Engines, Transfers,
                         testing::Values(EngineKind::kInterpret, EngineKind::kNative),
                         [](const auto& info) {
                           return info.param == EngineKind::kNative ? "Native" : "Interpreted";
                         });

// Sends the argument and gives what is received. `attributes` of send, recv and recv-done.
std::string Exchange(std::string_view attributes) {
  return StrCat("HloModule m\nENTRY main { x = f32[] parameter(0) t = token[] after-all() s = ",
                "(f32[], u32[], token[]) send(x, t), channel_id=1", attributes,
                " d = token[] send-done(s), channel_id=1", attributes,
                " v = (f32[], u32[], token[]) recv(d), channel_id=1", attributes,
                " w = (f32[], token[]) recv-done(v), channel_id=1", attributes,
                " ROOT r = f32[] get-tuple-element(w), index=0 }");
}
std::string Pairs(std::string_view pairs) {
  return StrCat(", frontend_attributes={", kTransferPairsAttribute, "=", pairs, "}");
}

TEST_P(Transfers, PairsSayWhoSendsToWhom) {
  for (int turn = 0; turn < 20; ++turn) {
    EXPECT_EQ(Run(Exchange(Pairs("{{0,1},{1,2},{2,3},{3,0}}")), 4),
              (Texts{"13", "10", "11", "12"}));
  }
  EXPECT_EQ(Run(Exchange(Pairs("\"{{1,0}}\"")), 3), (Texts{"11", "0", "0"}));
  EXPECT_EQ(Run(Exchange(Pairs("{{0,0},{1,1}}")), 2), (Texts{"10", "11"}));
  EXPECT_EQ(Run(Exchange(Pairs("{}")), 2), (Texts{"0", "0"}));
  // Of partitions, in each replica for itself.
  EXPECT_EQ(Run(Exchange(Pairs("{{0,1},{1,2},{2,0}}")), 2, 3),
            (Texts{"12", "10", "11", "15", "13", "14"}));
}

TEST_P(Transfers, InALoopEachTurnMeetsItsOwn) {
  const std::string program = StrCat(
      "HloModule m\nbody { p = (f32[], s32[]) parameter(0) x = f32[] get-tuple-element(p), index=0 "
      "i = s32[] get-tuple-element(p), index=1 t = token[] after-all() s = (f32[], u32[], token[]) "
      "send(x, t), channel_id=1",
      Pairs("{{0,1},{1,2},{2,0}}"), " d = token[] send-done(s), channel_id=1",
      " v = (f32[], u32[], token[]) recv(d), channel_id=1", Pairs("{{0,1},{1,2},{2,0}}"),
      " w = (f32[], token[]) recv-done(v), channel_id=1 r = f32[] get-tuple-element(w), index=0 "
      "two = f32[] constant(2) y = f32[] multiply(r, two) one = s32[] constant(1) j = s32[] add(i, "
      "one) ROOT n = (f32[], s32[]) tuple(y, j) }\ncond { p = (f32[], s32[]) parameter(0) i = "
      "s32[] "
      "get-tuple-element(p), index=1 end = s32[] constant(7) ROOT c = pred[] compare(i, end), "
      "direction=LT }\nENTRY main { x = f32[] parameter(0) z = s32[] constant(0) s = (f32[], "
      "s32[]) "
      "tuple(x, z) w = (f32[], s32[]) while(s), condition=cond, body=body ROOT r = f32[] "
      "get-tuple-element(w), index=0 }");
  // Seven turns around three devices: the value of the one before, times 128.
  EXPECT_EQ(Run(program, 3), (Texts{"1536", "1280", "1408"}));
}

TEST_P(Transfers, PairsAreChecked) {
  const auto error = [&](std::string_view pairs) {
    const Texts texts = Run(Exchange(Pairs(pairs)), 2);
    return texts.size() == 1 ? texts[0] : "";
  };
  const std::string begin = StrCat("INVALID_ARGUMENT: send: ", kTransferPairsAttribute, " is ");
  EXPECT_EQ(error("\"0,1\""),
            StrCat(begin, "0,1, must be {{source,target},...}; operand f32[], token token[]"));
  EXPECT_EQ(error("{{0,1},{0,0}}"),
            StrCat(begin,
                   "{{0,1},{0,0}}, where a device is twice a source or twice a target; "
                   "operand f32[], token token[]"));
  EXPECT_EQ(error("{{0,1},{1,2}}"),
            "INVALID_ARGUMENT: send: channel 1: the pair {1,2} names 2, but there are 2 replicas; "
            "send \"s\"");
}

TEST_P(Transfers, WithoutPairsTheSenderIsOne) {
  const Texts texts = Run(Exchange(""), 2);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts[0],
            "INVALID_ARGUMENT: send: channel 1: devices 0 and 1 both send; say which devices meet "
            "with the frontend attribute "
            "_xla_send_recv_source_target_pairs={{source,target},...}; send \"s\"");
}

TEST_P(Transfers, ADeadlockIsFound) {
  // Each first receives and then sends.
  const std::string around = Pairs("{{0,1},{1,0}}");
  const std::string both = StrCat(
      "HloModule m\nENTRY main { x = f32[] parameter(0) t = token[] after-all() v = (f32[], u32[], "
      "token[]) recv(t), channel_id=1",
      around, " w = (f32[], token[]) recv-done(v), channel_id=1", around,
      " r = f32[] get-tuple-element(w), index=0 u = token[] get-tuple-element(w), index=1 s = "
      "(f32[], u32[], token[]) send(r, u), channel_id=1",
      around, " d = token[] send-done(s), channel_id=1", around, " ROOT o = f32[] copy(r) }");
  EXPECT_EQ(Run(both, 2),
            Texts{"INVALID_ARGUMENT: deadlock: device 0 waits to receive from channel 1 for device "
                  "1; device 1 waits to receive from channel 1 for device 0; recv-done \"w\""});
  // Device 1 is in a collective that waits for device 0, which waits for device 1 to send.
  const std::string mixed = StrCat(
      "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) "
      "}\nENTRY main { x = f32[] parameter(0) i = u32[] replica-id() z = u32[] constant(0) c = "
      "pred[] compare(i, z), direction=EQ ROOT r = f32[] conditional(c, x, x), true_computation={ "
      "a = f32[] parameter(0) t = token[] after-all() v = (f32[], u32[], token[]) recv(t), "
      "channel_id=1",
      Pairs("{{1,0}}"), " w = (f32[], token[]) recv-done(v), channel_id=1",
      " ROOT g = f32[] get-tuple-element(w), index=0 }, false_computation={ b = f32[] parameter(0) "
      "ROOT h = f32[] all-reduce(b), replica_groups={}, to_apply=sum } }");
  const Texts texts = Run(mixed, 2);
  ASSERT_EQ(texts.size(), 1U);
  // Whoever comes last says it, and so what for.
  EXPECT_TRUE(texts[0].starts_with("INVALID_ARGUMENT: ")) << texts[0];
  EXPECT_NE(
      texts[0].find("deadlock: device 0 waits to receive from channel 1 for device 1; device 1 "
                    "waits at all-reduce \"h\" for device 0"),
      std::string::npos)
      << texts[0];
}

}  // namespace
}  // namespace axle
